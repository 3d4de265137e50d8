"""A policy as a project keeps it: with a mark that the studio wrote it, and beside it how it came about."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from shown.errors import BadInput
from shown.studio.remarks import is_contradiction

SCHEMA = "shown/studio-learned/2"
MARK = "shown studio"


@dataclass(frozen=True, slots=True)
class Saved:
    """A policy and how it came about.

    Attributes:
        policy: as JSON.
        digest: of the demonstrations and the way they were learned.
        tried: the hypotheses that were tried, as [name, whether any rule fits, share of practice levels won or None].
        contradictions: what was to be kept of the rule and is not, and where it is at odds with what was shown.
    """

    policy: Any
    digest: str
    tried: list[list[Any]]
    contradictions: list[dict[str, Any]] = field(default_factory=list)

    def about(self) -> dict[str, Any]:
        """How it came about, as JSON."""
        about: dict[str, Any] = {"schema": SCHEMA, "digest": self.digest, "tried": self.tried}
        return about | ({"contradictions": self.contradictions} if self.contradictions else {})

    @classmethod
    def from_json(cls, policy: Any, about: Any, where: str) -> Saved:
        """The policy is as it was found, not yet checked; what is told about it is."""
        if not is_about(about):
            raise BadInput(f'{where}: not written by the studio: "schema" must be "{SCHEMA}".')
        digest, against = about.get("digest"), about.get("contradictions", [])
        if not isinstance(digest, str):
            raise BadInput(f'{where}: "digest" must be text.')
        if not isinstance(against, list) or not all(map(is_contradiction, against)):
            raise BadInput(f'{where}: "contradictions" must be a list of sentences and where each is at odds.')
        return cls(_without_mark(policy), digest, tried_from_json(about.get("tried"), where), against)


def tried_from_json(value: Any, where: str) -> list[list[Any]]:
    """The hypotheses that were tried (see `Saved`), checked."""
    if not isinstance(value, list) or not all(map(_is_trial, value)):
        raise BadInput(f'{where}: "tried" must be a list of names, each with whether it fits and what it won.')
    return value


def _is_trial(value: Any) -> bool:
    match value:
        case [str(), bool(), None | float() | int()]:
            return True
    return False


def with_mark(policy: Any) -> Any:
    """The policy with a word in it that the studio wrote the file, and so may write it again."""
    return {**policy, "origin": {**policy.get("origin", {}), "saved_by": MARK}}


def _without_mark(policy: Any) -> Any:
    match policy:
        case {"origin": dict(origin)}:
            return {**policy, "origin": {key: value for key, value in origin.items() if key != "saved_by"}}
    return policy


def is_about(about: Any) -> bool:
    """Whether the studio wrote this of a policy."""
    return isinstance(about, dict) and about.get("schema") == SCHEMA


def is_own(policy: Any, about: Any) -> bool:
    """Whether the studio wrote this policy: it says so itself or, before it did, `learned.json` spoke of it."""
    match policy, about:
        case {"origin": {"saved_by": mark}}, _ if mark == MARK:
            return True
        case {"origin": {"demonstrations": {"digest": str(one)}}}, {"digest": str(other)}:
            return one == other
    return False
