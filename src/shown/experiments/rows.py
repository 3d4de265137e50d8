"""A result: what was asked, what was measured, and which code did it. Checked wherever it comes from.

Results are shared, so each one may be anybody's. `checked` is the one place that says what a good one is: what passes
can be listed, drawn and reported, and nothing that is read later can be too long, too deep or of the wrong kind.
"""

from __future__ import annotations

import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from shown.errors import BadInput
from shown.experiments.trials import code_for, trial_key
from shown.version import __version__

STATUSES = ("ok", "failed")
MAX_TEXT = 100_000
"""Characters of any one text, such as the names of the levels shown."""

MAX_ENTRIES = 1_000
"""Entries of an object or a list."""

MAX_ERROR = 2_000
"""Characters of an error that are kept."""

SETTINGS = ("method", "game", "levels", "demonstrations", "seed", "options", "test")
CODE = ("engine", "game", "levels")
_DATE = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d{1,9})?(Z|[+-]\d\d:\d\d)?", re.ASCII)
_DIGEST = re.compile(r"[0-9a-z]{1,64}", re.ASCII)
_NAME = re.compile(r"[A-Za-z0-9.+!_ -]{0,100}", re.ASCII)
_MACHINE = re.compile(r"[A-Za-z0-9.,()+!_ -]{0,300}", re.ASCII)


@dataclass(frozen=True, slots=True)
class Row:
    """A trial that was run.

    Attributes:
        settings: what was asked, complete.
        status: "ok" or "failed".
        result: what was measured, or None if it failed.
        error: why it failed, or None.
        seconds: how long it took.
        version: of this package, when it was run.
        finished: when (UTC, ISO 8601).
        code: the fingerprint of the code that ran it, or None if nobody noted it.
        commit: where that code was; "" if nobody noted it.
        machine: what ran it: cores, memory, versions; "" if nobody noted it.
    """

    settings: Mapping[str, Any]
    status: str
    result: Mapping[str, Any] | None
    error: str | None
    seconds: float
    version: str = __version__
    finished: str = ""
    code: Mapping[str, str] | None = None
    commit: str = ""
    machine: str = ""

    @property
    def key(self) -> str:
        """A digest of the settings and the code."""
        return trial_key(self.settings, self.code)

    @property
    def stale(self) -> bool:
        """Whether other code than the present ran it, or nobody knows which."""
        return self.code is None or dict(self.code) != code_for(self.settings)

    def to_json(self) -> dict[str, Any]:
        return {name: getattr(self, name) for name in self.__slots__}

    @classmethod
    def from_json(cls, value: Any, where: str) -> Row:
        """A row from its JSON, or BadInput naming what is wrong with it."""
        if not isinstance(value, dict):
            raise BadInput(f"{where}: not a result: it must be an object.")
        given = {"result": None, "error": None, "code": None, "commit": "", "machine": "", **value}
        missing = [name for name in cls.__slots__ if name not in given]
        if missing:
            raise BadInput(f'{where}: not a result: "{missing[0]}" is missing.')
        return checked(cls(**{name: given[name] for name in cls.__slots__}), where)


class _Wrong(Exception):
    """What is not as it should be."""


def checked(row: Row, where: str) -> Row:
    """The row itself if every part of it is of the right kind and size, else BadInput."""
    try:
        _settings(row.settings)
        if row.status not in STATUSES:
            raise _Wrong('"status" must be "ok" or "failed"')
        if row.status == "ok":
            _result(row.result)
        elif row.result is not None or not isinstance(row.error, str):
            raise _Wrong('one that failed has an "error" and no "result"')
        if row.error is not None:
            _text(row.error, "error")
        _number(row.seconds, "seconds")
        _matching(row.version, "version", _NAME)
        _matching(row.commit, "commit", _NAME)
        _matching(row.machine, "machine", _MACHINE)
        if row.finished != "":
            _matching(row.finished, "finished", _DATE)
        if row.code is not None:
            for name, digest in _object(row.code, "code", CODE).items():
                _matching(digest, f"code, {name}", _DIGEST)
    except _Wrong as problem:
        raise BadInput(f"{where}: not a result: {problem}.") from None
    return row


def _settings(value: object) -> None:
    settings = _object(value, "settings", SETTINGS)
    for name in ("method", "game", "levels", "demonstrations"):
        _text(settings[name], f"settings, {name}")
    _whole(settings["seed"], "settings, seed")
    for name, option in _object(settings["options"], "settings, options").items():
        if isinstance(option, str):
            _text(option, f"settings, {name[:40]}")
        elif option is not None and not isinstance(option, bool):
            _number(option, f"settings, {name[:40]}", least=-(2.0**62))
    test = settings["test"]
    if not isinstance(test, Sequence) or isinstance(test, str) or len(test) > MAX_ENTRIES:
        raise _Wrong('"settings, test" must be a list of levels')
    for levels in test:
        _text(levels, "settings, test")


def _result(value: object) -> None:
    needed = ("success", "won", "fit", "seconds", "demonstrations", "steps", "learned")
    result = _object(value, "result", needed)
    for levels, fraction in _object(result["success"], "result, success").items():
        _number(fraction, f"result, success, {levels[:40]}", most=1)
    for levels, wins in _object(result["won"], "result, won").items():
        _text(wins, f"result, won, {levels[:40]}")
    for name in ("reward", "expert"):
        _rewards(result.get(name, {}), f"result, {name}")
    _number(result["fit"], "result, fit", most=1)
    seconds = _object(result["seconds"], "result, seconds", ("learn", "play"))
    for name in ("learn", "play"):
        _number(seconds[name], f"result, seconds, {name}")
    for name in ("demonstrations", "steps"):
        _whole(result[name], f"result, {name}")
    learned = _object(result["learned"], "result, learned")
    for name in ("top_level_programs", "method_calls", "depth"):
        _whole(learned.get(name, 0), f"result, learned, {name}")
    _small(learned, "result, learned")


def _rewards(value: object, name: str) -> None:
    """Of each set of starts, a number a start."""
    for levels, rewards in _object(value, name).items():
        if not isinstance(rewards, list | tuple) or len(rewards) > MAX_ENTRIES:
            raise _Wrong(f'"{name}, {levels[:40]}" must be a list of at most {MAX_ENTRIES:,} numbers')
        for reward in rewards:
            _number(reward, f"{name}, {levels[:40]}", least=-(2.0**62))


def _object(value: object, name: str, needed: Sequence[str] = ()) -> Mapping[str, Any]:
    if not isinstance(value, Mapping) or len(value) > MAX_ENTRIES:
        raise _Wrong(f'"{name}" must be an object of at most {MAX_ENTRIES:,} entries')
    for key in value:
        _text(key, f"{name}, a name")
    missing = [key for key in needed if key not in value]
    if missing:
        raise _Wrong(f'"{name}" lacks "{missing[0]}"')
    return value


def _text(value: object, name: str) -> None:
    try:
        if isinstance(value, str) and len(value.encode()) <= MAX_TEXT:
            return
    except UnicodeEncodeError:
        pass
    raise _Wrong(f'"{name}" must be text of at most {MAX_TEXT:,} bytes')


def _matching(value: object, name: str, pattern: re.Pattern[str]) -> None:
    if not isinstance(value, str) or pattern.fullmatch(value) is None:
        raise _Wrong(f'"{name}" is not what it should be')


def _number(value: object, name: str, least: float = 0, most: float = 2.0**62) -> None:
    good = isinstance(value, int | float) and not isinstance(value, bool)
    if not (good and least <= value <= most and math.isfinite(value)):  # type: ignore[operator, arg-type]
        raise _Wrong(f'"{name}" must be a number from {least:g} to {most:g}')


def _whole(value: object, name: str) -> None:
    if not isinstance(value, int) or isinstance(value, bool) or not 0 <= value < 2**62:
        raise _Wrong(f'"{name}" must be a whole number from 0 to 2^62')


def _small(value: object, name: str, depth: int = 0) -> None:
    """What a method says of its policy is its own affair, within limits."""
    if depth > 8:
        raise _Wrong(f'"{name}" is nested too deeply')
    if isinstance(value, str):
        _text(value, name)
    elif isinstance(value, Mapping):
        for key, part in _object(value, name).items():
            _small(part, f"{name}, {key[:40]}"[:200], depth + 1)
    elif isinstance(value, list | tuple):
        if len(value) > MAX_ENTRIES:
            raise _Wrong(f'"{name}" must be a list of at most {MAX_ENTRIES:,} entries')
        for part in value:
            _small(part, name, depth + 1)
    elif value is not None and not isinstance(value, bool):
        _number(value, name, least=-(2.0**62))
