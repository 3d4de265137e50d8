"""What each addition to the paper's method is worth, by itself and together with the others."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from shown.experiments.beyond import VARIANTS, Few
from shown.experiments.figures import Series

LPP, SHOWN, PRACTISED = VARIANTS
PLAIN = {"mirrored": False, "clauses": False, "words": "paper"}


def _with(label: str, color: str, marker: str, dashes: Sequence[float], **added: Any) -> Series:
    style: Mapping[str, Any] = {"color": color, "marker": marker, "linestyle": (0, tuple(dashes))}
    return Series(label, {"method": "lpp-with", **PLAIN, **added}, style)


ADDED = (
    _with("LPP, mirrored too", "#44aa99", "v", (4, 1.3), mirrored=True),
    _with("LPP, clause search", "#882255", "s", (1.2, 1.2), clauses=True),
    _with("LPP, standard words", "#7570b3", "D", (4, 1.2, 1, 1.2), words="standard"),
    _with("LPP, all three", "#661100", "^", (7, 1.5), mirrored=True, clauses=True, words="standard"),
)
"""LPP with one addition each, and with them together."""


class Additions(Few):
    """LPP with one addition at a time, from 1, 2, 3 and 5 demonstrations by the expert, 10 sets of each number.
    LPP itself and shown, beside them, are trials of `beyond`, too."""

    name = "additions"
    title = "Beyond the paper: one addition at a time"
    question = "What is each addition to the paper's method worth by itself?"
    methods = ("lpp", "lpp-with", "shown")
    variants = (LPP, *ADDED, SHOWN, PRACTISED)
    spread = False
    caption = (
        " Mirrored too: what was shown holds for its images under the symmetries that the game declares. Clause "
        "search: beside the trees, and literals that change nothing are dropped. Standard words: programs in the "
        "language of that name instead of the paper's. shown has these, takes keys for keys, and chooses how to read "
        "what was shown; practised, it also chooses by playing."
    )


EXPERIMENT = Additions()
