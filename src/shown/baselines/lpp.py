"""LPP itself behind the experiments' interface, and its ablations No Prior and Sparsity Prior (the option `prior`)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from shown.demonstrations import Demonstrations
from shown.games.game import Game
from shown.grid import Action, Grid
from shown.inference.learner import Learner
from shown.policy import Policy


class MixturePolicy:
    """Acts by a policy, many grids at a time.

    Attributes:
        policy_: the mixture of formulas.
    """

    policy_: Policy

    def act(self, grid: Grid) -> Action:
        return self.policy_.act(grid)

    def act_many(self, grids: Sequence[Grid]) -> list[Action]:
        return self.policy_.act_many(grids)

    def describe(self) -> dict[str, Any]:
        """The size of the most probable component, as the paper's Table 3 counts it."""
        best = self.policy_.components[0]
        origin = self.policy_.origin or {}
        return {
            "found": bool(origin),
            "components": len(self.policy_.components),
            "weight": round(best.weight, 6),
            "log_prior": round(best.log_prior, 4),
            "log_likelihood": round(best.log_likelihood, 4),
            "clauses": len(best.formula.clauses),
            "top_level_programs": len(best.formula.literals),
            "method_calls": best.formula.method_calls,
            "depth": best.formula.depth,
            **{name: origin[name] for name in ("programs", "distinct") if name in origin},
        }


class LppPolicy(MixturePolicy):
    """Learns with `shown.Learner` on one thread: trials run side by side already."""

    def __init__(self, learner: Learner) -> None:
        self.learner = learner

    def fit(self, demos: Demonstrations) -> LppPolicy:
        for _ in self.learner.iter_fit(demos):  # a trial in which nothing fits is a result, not a thing to warn of
            pass
        self.policy_ = self.learner.policy_
        return self


def learner(game: Game, seed: int, options: Mapping[str, Any]) -> LppPolicy:
    """A learner with these options."""
    return LppPolicy(Learner(seed=seed, threads=1, **options))
