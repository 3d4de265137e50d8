"""The effect of each addition to LPP, alone and together."""

from __future__ import annotations

from typing import Any

from shown_evidence.analysis.figures import DASH_DOT, DASHED, DOTTED, LONG, Series
from shown_evidence.experiments.beyond import OURS, VARIANTS, FewDemonstrations

LPP, SHOWN, PRACTICED = VARIANTS
PLAIN = {"mirrored": False, "clauses": False, "words": "paper"}


def _with(label: str, color: str, marker: str, dashes: object, **added: Any) -> Series:
    style = {"color": color, "marker": marker, "linestyle": dashes}
    return Series(label, {"method": "lpp-with", **PLAIN, **added}, style)


ADDED = (
    _with("LPP, mirrored too", "#44aa99", "v", DASHED, mirrored=True),
    _with("LPP, clause search", "#882255", "s", DOTTED, clauses=True),
    _with("LPP, standard vocabulary", "#7570b3", "D", DASH_DOT, words="standard"),
    _with("LPP, all three", "#661100", "^", LONG, mirrored=True, clauses=True, words="standard"),
)


class Additions(FewDemonstrations):
    """LPP with one addition at a time, from 1, 2, 3 and 5 demonstrations by the expert, 10 sets of each number. LPP
    and shown beside them are trials of `beyond`."""

    name = "additions"
    title = "Beyond the paper: one addition at a time"
    question = "What does each addition to the paper's method contribute?"
    methods = ("lpp", "lpp-with", *OURS)
    variants = (LPP, *ADDED, SHOWN, PRACTICED)
    spread = False
    caption = (
        " Mirrored too: demonstrations also hold for their images under the game's symmetries. Clause search: beside "
        "trees, with idle literals dropped. Standard vocabulary: programs in the standard language instead of the "
        "paper's. shown has all of these, treats keys as keys and chooses the interpretation of the demonstrations; "
        "practiced, it also chooses by playing."
    )
