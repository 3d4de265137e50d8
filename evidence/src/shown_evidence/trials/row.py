"""A result: the settings of one trial, what was measured, and the versions that it rests on.

Rows are shared, so one may come from anybody. `row_from` is the one definition of a valid row: whatever passes can be
listed, drawn and reported.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from typing import Annotated, Any

import msgspec
from msgspec import Meta, Struct

from shown.errors import BadInput
from shown_evidence.methods import newer, older, versions_of
from shown_evidence.trials.trial import settings_key

MAX_ERROR = 2_000  # characters of an error message


@dataclass(frozen=True, slots=True)
class Row:
    """A trial that was run.

    Attributes:
        settings: the trial, its seed included (`Trial.settings`).
        versions: of all that it rests on (`methods.versions_of`).
        result: measurements, or None if it failed.
        error: why it failed, or None.
        work: what it used: seconds of learning and playing, programs enumerated, training steps.
        commit: commit of the package, with a + if files had changed since.
        machine: cores, memory and versions.
        finished: when it ended (UTC, ISO 8601).
    """

    settings: Mapping[str, Any]
    versions: Mapping[str, int | str]
    result: Mapping[str, Any] | None = None
    error: str | None = None
    work: Mapping[str, float] = field(default_factory=dict)
    commit: str = ""
    machine: str = ""
    finished: str = ""

    @property
    def status(self) -> str:
        return "ok" if self.result is not None else "failed"

    @property
    def key(self) -> str:
        """A digest of the settings: rows with one key answer the same question."""
        return settings_key(self.settings)

    @property
    def older(self) -> list[str]:
        """The names of the versions that are older than the declared ones."""
        return older(self.versions, versions_of(self.settings))

    @property
    def stale(self) -> bool:
        return bool(self.older)

    def to_json(self) -> str:
        """Return the row as one line of JSON."""
        return json.dumps(asdict(self), sort_keys=True, ensure_ascii=False, separators=(",", ":"), allow_nan=False)


def row_from(value: object) -> Row:
    """Return the row in a JSON value; raise BadInput if it is not one, or one of a newer version.

    >>> row_from({"settings": {}})
    Traceback (most recent call last):
    shown.errors.BadInput: not a result: Object missing required field `demonstrations` - at `$.settings`.
    """
    try:
        valid = msgspec.convert(value, _Row)
    except msgspec.ValidationError as error:
        raise BadInput(f"not a result: {error}.") from None
    if (valid.result is None) == (valid.error is None):
        raise BadInput("not a result: it must have either a `result` or an `error`.")
    row = Row(**value)  # type: ignore[arg-type]
    declared = versions_of(row.settings)
    for name in newer(row.versions, declared):
        made = f"made with {name} {row.versions[name]}, and this code has {declared[name]}"
        raise BadInput(f"{made}. Update shown-evidence.")
    return row


# --- what a valid row is ------------------------------------------------------------------------------------------

_Text = Annotated[str, Meta(max_length=100_000)]
_Name = Annotated[str, Meta(pattern=r"^[A-Za-z0-9.,()+!_ -]{0,300}\Z")]
_Date = Annotated[str, Meta(pattern=r"^(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d{1,9})?(Z|[+-]\d\d:\d\d)?)?\Z")]
_Version = Annotated[int, Meta(ge=0, lt=10**9)] | Annotated[str, Meta(pattern=r"^\d{1,9}(\.\d{1,9}){0,5}\Z")]
_Count = Annotated[int, Meta(ge=0, lt=2**62)]
_Share = Annotated[float, Meta(ge=0, le=1)]
_Number = Annotated[float, Meta(ge=-(2.0**62), le=2.0**62)]


class _Settings(Struct, forbid_unknown_fields=True):
    demonstrations: _Text
    game: _Text
    levels: _Text
    method: _Text
    options: dict[_Text, _Text | _Number | bool | None]
    seed: _Count
    test: list[_Text]


class _Learned(Struct):
    """A method's description of its policy: anything, but these are whole numbers."""

    top_level_programs: _Count = 0
    method_calls: _Count = 0
    depth: _Count = 0


class _Result(Struct, forbid_unknown_fields=True):
    success: dict[_Text, _Share]
    won: dict[_Text, _Text]
    fit: _Share
    demonstrations: _Count
    steps: _Count
    learned: _Learned
    replaced: dict[_Text, _Count] = {}
    reward: dict[_Text, list[_Number]] = {}
    expert: dict[_Text, list[_Number]] = {}


class _Row(Struct, forbid_unknown_fields=True):
    settings: _Settings
    versions: dict[_Text, _Version]
    result: _Result | None = None
    error: _Text | None = None
    work: dict[_Text, Annotated[float, Meta(ge=0, le=2.0**62)]] = {}
    commit: _Name = ""
    machine: _Name = ""
    finished: _Date = ""
