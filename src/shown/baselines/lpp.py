"""LPP itself behind the experiments' interface, and its ablations No Prior and Sparsity Prior (the option `prior`)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from shown.baselines.values import first_best, rows_of
from shown.demonstrations import Demonstrations
from shown.games.game import Game
from shown.grid import Action, Grid
from shown.inference.learner import Learner
from shown.language.evaluate import Plan
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
        """The actions on several grids, each exactly as `act` gives it."""
        if self.policy_.buttons or len(grids) < 4:
            return [self.policy_.act(grid) for grid in grids]
        return together(self.policy_, grids)

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
        self.policy_ = self.learner.fit(demos).policy_
        return self


def learner(game: Game, seed: int, options: Mapping[str, Any]) -> LppPolicy:
    """A learner with these options."""
    return LppPolicy(Learner(seed=seed, threads=1, **options))


def together(policy: Policy, grids: Sequence[Grid]) -> list[Action]:
    """What `policy.act` gives for each grid, computed for all at once: 64 grids share a machine word.

    Components are added up in the same order as `Policy` does, so that ties fall the same way.
    """
    terms = list(dict.fromkeys(x.term for component in policy.components for x in component.formula.literals))
    place = {term: i for i, term in enumerate(terms)}
    plan = Plan(terms, policy.tokens, policy.buttons, policy.language)
    world = plan.world(grids)
    columns = plan.columns(world)
    word, bit, state = rows_of(world)
    mixed = np.zeros(len(word))
    for component in policy.components:
        allowed = np.zeros_like(world.row_mask)
        for clause in component.formula.clauses:
            bits = world.row_mask.copy()
            for literal in clause:
                bits &= columns[place[literal.term]] if literal.positive else ~columns[place[literal.term]]
            allowed |= bits
        chosen = ((allowed[word] >> bit) & np.uint64(1)).astype(bool)
        counts = np.bincount(state[chosen], minlength=len(grids))[state]
        actions = np.bincount(state, minlength=len(grids))[state]
        mixed += component.weight * np.where(counts == 0, 1.0 / actions, chosen / np.maximum(counts, 1))
    return first_best(mixed, word, state, world)
