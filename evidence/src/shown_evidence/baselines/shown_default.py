"""`shown` with its defaults: the methods "shown", "shown-practice", "shown-world" and "shown-timed"."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

from shown.columns.resources import Resources
from shown.demonstrations import Demonstrations
from shown.policy import Policy
from shown.teaching.result import Taught
from shown.teaching.task import WORLD_SECONDS
from shown.teaching.teach import teach
from shown.worlds import Playable, World
from shown_evidence.baselines.lpp import MixturePolicy


class TaughtPolicy(MixturePolicy):
    """Learns with `teach`: interpretations, symmetries and practice.

    Rounds bound the practice, not seconds, so that a trial has the same result on every machine, unless `practice` is
    its time limit.
    """

    def __init__(self, game: Playable, seed: int, practice: float, **options: Any) -> None:
        self.game = game
        self.options = {**options, "practice": practice, "resources": Resources(threads=1, seed=seed)}

    def fit(self, demos: Demonstrations) -> TaughtPolicy:
        self.taught_: Taught = teach(demos, self.game, **self.options)
        self.policy_ = self.taught_.policy
        return self

    def parts(self) -> dict[str, Policy]:
        """Return the printed rule alone, and all rules together."""
        return {"rule": self.policy_.map_policy, "vote": self.policy_.mixture}

    def describe(self) -> dict[str, Any]:
        taught, policy = self.taught_, self.policy_
        folded = policy.facts.folded(policy.components[0].formula.clauses, policy.language)
        account: dict[str, Any] = {
            "read_as": taught.hypothesis.name if taught.hypothesis else None,
            "conditions": sum(len(unit.clause) for unit in folded),
            "acts": "rule" if len(policy.components) == 1 else "vote",
            "front": [[rated.conditions, rated.rate.value, rated.rate.of] for rated in policy.front],
        }
        if taught.expectation is not None:
            account |= {"expected": round(taught.expectation.share, 4), "expected_of": taught.expectation.of}
        return {**super().describe(), **account}


def learner(place: Playable, seed: int, options: Mapping[str, Any]) -> TaughtPolicy:
    """Build `shown` for a game or world; without `rounds` it does not practice."""
    return TaughtPolicy(place, seed, math.inf if options.get("rounds") else 0.0, **options)


def timed_learner(world: World, seed: int, options: Mapping[str, Any]) -> TaughtPolicy:
    """Build `shown` for a world as users run it: practice has its default time limit."""
    return TaughtPolicy(world, seed, WORLD_SECONDS, **options)
