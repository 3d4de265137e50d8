"""LPP with one of our additions, or with several: what is each worth by itself?"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from shown.baselines.lpp import LppPolicy
from shown.demonstrations import Demonstrations
from shown.games.game import Game
from shown.inference.learner import Learner
from shown.symmetry import Transformation, images


class AddedPolicy(LppPolicy):
    """Learns with `shown.Learner` from demonstrations and, if there are symmetries, from their images."""

    def __init__(self, learner: Learner, symmetries: tuple[Transformation, ...]) -> None:
        super().__init__(learner)
        self.symmetries = symmetries

    def fit(self, demos: Demonstrations) -> AddedPolicy:
        super().fit(images(demos, self.symmetries) if self.symmetries else demos)
        return self


def learner(game: Game, seed: int, options: Mapping[str, Any]) -> AddedPolicy:
    """A learner with these options: `programs`; whether what was shown holds `mirrored`, too, as the game says; whether
    formulas are also looked for by `clauses`, and literals that change nothing dropped; and the `words`."""
    clauses = options["clauses"]
    made = Learner(
        programs=options["programs"],
        search="clauses" if clauses else "trees",
        drop_literals=clauses,
        language=options["words"],
        seed=seed,
        threads=1,
    )
    return AddedPolicy(made, tuple(game.symmetries) if options["mirrored"] else ())
