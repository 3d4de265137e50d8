"""A policy as a project keeps it: with a mark of the studio, and beside it what it was learned from."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from shown.errors import BadInput
from shown.teaching.lessons.remarks import is_contradiction

SCHEMA = "shown/studio-learned/2"
MARK = "shown studio"
STATES = ("running", "stopped", "done")


@dataclass(frozen=True, slots=True)
class SavedPolicy:
    """A policy and what it was learned from.

    Attributes:
        policy: the policy as JSON.
        digest: identifies the demonstrations, preferences and remarks.
        tried: hypotheses about the teacher: [name, whether any rule fits, share of practice levels won or None].
        contradictions: pinned clauses that contradict a demonstration, as JSON.
        state: "running" if learning has not ended, "stopped" if it was stopped, else "done".
    """

    policy: Any
    digest: str
    tried: list[list[Any]]
    contradictions: list[dict[str, Any]] = field(default_factory=list)
    state: str = "done"

    def about(self) -> dict[str, Any]:
        """Return everything but the policy as JSON."""
        about: dict[str, Any] = {"schema": SCHEMA, "digest": self.digest, "tried": self.tried}
        about |= {"state": self.state} if self.state != "done" else {}
        return about | ({"contradictions": self.contradictions} if self.contradictions else {})

    @classmethod
    def from_json(cls, policy: Any, about: Any, where: str) -> SavedPolicy:
        """Check `about`, and of the policy only that it looks like one."""
        if not is_about(about):
            raise BadInput(f'{where}: not written by the studio: "schema" must be "{SCHEMA}".')
        if not isinstance(policy, dict) or not isinstance(policy.get("components"), list):
            raise BadInput(f"{where}: the policy beside it is not a policy.")
        digest, against = about.get("digest"), about.get("contradictions", [])
        if not isinstance(digest, str):
            raise BadInput(f'{where}: "digest" must be text.')
        if not isinstance(against, list) or not all(map(is_contradiction, against)):
            raise BadInput(f'{where}: "contradictions" must be a list of clauses, each with a conflicting click.')
        state = about.get("state", "done")
        if state not in STATES:
            raise BadInput(f'{where}: "state" must be one of {", ".join(STATES)}.')
        return cls(_without_mark(policy), digest, tried_from_json(about.get("tried"), where), against, state)


def tried_from_json(value: Any, where: str) -> list[list[Any]]:
    """Check the hypotheses that were tried (see `SavedPolicy`)."""
    if not isinstance(value, list) or not all(map(_is_trial, value)):
        raise BadInput(f'{where}: "tried" must be a list of names, each with whether it fits and what it won.')
    return value


def _is_trial(value: Any) -> bool:
    match value:
        case [str(), bool(), None | float() | int()]:
            return True
    return False


def is_about(value: Any) -> bool:
    """Return whether the studio wrote this about a policy."""
    return isinstance(value, dict) and value.get("schema") == SCHEMA


def has_mark(policy: Any) -> bool:
    """Return whether the studio wrote this policy, so that it may overwrite it."""
    match policy:
        case {"provenance": {"saved_by": mark}}:
            return bool(mark == MARK)
    return False


def with_mark(policy: Any) -> Any:
    return {**policy, "provenance": {**policy.get("provenance", {}), "saved_by": MARK}}


def _without_mark(policy: dict[str, Any]) -> dict[str, Any]:
    match policy:
        case {"provenance": dict(provenance)}:
            return {**policy, "provenance": {key: value for key, value in provenance.items() if key != "saved_by"}}
    return policy
