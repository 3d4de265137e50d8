"""The state of learning one game."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from shown.demonstrations import Demonstration
from shown.errors import ShownError


@dataclass
class LearningState:
    """The state of learning one game.

    Attributes:
        state: "idle" (no demonstrations), "waiting", "running", "done", "stopped", "failed" (no rule fits) or "broken"
            (learning itself failed).
        aim: identifies what is learned: the digest of the demonstrations, the preferences and the remarks.
        policy: the best policy so far, as JSON.
        learned_from: what the policy was learned from, like `aim`.
        source: the demonstrations that the policy was learned from.
        used: numbers of those of `source` that made a difference.
        version: number of policies so far, which tells the page when to look again.
        summary: the policy's rules and provenance in words, as the player process describes them.
        tried: hypotheses about the teacher that were tried (see `SavedPolicy`).
        lost: number of practice levels that the previous policy won and this one loses.
        failure: why there is no new policy, in a sentence.
        advice: two clicks that no rule reconciles, and what to do, as JSON.
        contradictions: pinned clauses that contradict a demonstration, as JSON.
        unsaved: why the policy could not be saved, in a sentence.
        next: the level on which the candidates disagree most, the most useful one to show.
        score: numbers of held-out levels that the policy wins and of all; None before they are played.
    """

    state: str = "idle"
    aim: str = ""
    policy: Any = None
    learned_from: str = ""
    source: tuple[Demonstration, ...] = ()
    used: list[int] = field(default_factory=list)
    version: int = 0
    summary: dict[str, Any] | None = None
    progress: dict[str, Any] = field(default_factory=dict)
    tried: list[list[Any]] = field(default_factory=list)
    lost: int = 0
    failure: str | None = None
    advice: dict[str, Any] | None = None
    contradictions: list[dict[str, Any]] = field(default_factory=list)
    unsaved: str | None = None
    next: dict[str, Any] | None = None
    score: list[int] | None = None

    @property
    def stale(self) -> bool:
        """Whether the policy was learned from something else than the present lesson."""
        return self.policy is not None and self.learned_from != self.aim

    def renewed(self, aim: str) -> LearningState:
        """Return the state before learning something else, with the policy so far."""
        kept = ("policy", "learned_from", "source", "used", "version", "summary")
        return LearningState("waiting", aim, **{key: getattr(self, key) for key in kept})

    def in_keeping_with(self, shown: tuple[Demonstration, ...]) -> bool:
        """Return whether all that the policy was learned from is among `shown`; a correction may have grown."""
        same = set(map(id, shown))  # most are the same objects, which need not be compared
        left = [old for old in self.source if id(old) not in same and old not in shown]
        return all(any(new.steps[: len(old.steps)] == old.steps for new in shown) for old in left)

    def hear(self, message: dict[str, Any], shown: tuple[Demonstration, ...]) -> None:
        """Take in news of the learner about the demonstrations `shown`: its progress, and perhaps a better policy."""
        self.progress = message.get("progress", self.progress)
        if message.get("policy") is not None:
            self.policy, self.summary = message["policy"], message.get("summary")
            self.learned_from, self.source, self.used = self.aim, shown, message.get("used", [])
            self.version += 1

    def finish(self, result: dict[str, Any] | ShownError, shown: tuple[Demonstration, ...]) -> None:
        """Take in the learner's last word."""
        if isinstance(result, ShownError):
            self.state, self.failure = "broken", f"Learning failed: {result}"
            return
        self.state = "stopped" if result["stopped"] else "done" if result.get("policy") is not None else "failed"
        self.tried, self.lost = result.get("tried", []), result.get("lost", 0)
        self.failure, self.advice = result.get("failure"), result.get("advice")
        self.contradictions = result.get("contradictions", [])
        self.hear(result, shown)

    def to_json(self) -> dict[str, Any]:
        """Return what the page shows of it."""
        kept = ("aim", "policy", "learned_from", "source", "used")
        shown = {key: getattr(self, key) for key in self.__dataclass_fields__ if key not in kept}
        return {**shown, "stale": self.stale, "hasPolicy": self.policy is not None}
