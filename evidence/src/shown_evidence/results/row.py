"""A result: the settings, the measurements and the code of one trial.

Results are shared, so a row may come from anybody. `checked` is the one definition of a valid row: whatever passes can
be listed, drawn and reported, and no part of it is too long, too deep or of the wrong type.
"""

from __future__ import annotations

import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from shown.errors import BadInput
from shown.version import __version__
from shown_evidence.trials.trial import code_for, trial_key

MAX_TEXT = 100_000  # bytes of any text, such as the names of levels
MAX_ENTRIES = 1_000  # entries of an object or a list
MAX_ERROR = 2_000  # characters of an error message
MAX_DEPTH = 8  # nesting of a method's description of its policy
MAX_NUMBER = 2.0**62

SETTINGS = ("method", "game", "levels", "demonstrations", "seed", "options", "test")
RESULT = ("success", "won", "fit", "seconds", "demonstrations", "steps", "learned")
CODE = ("engine", "game", "levels")
_DATE = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d{1,9})?(Z|[+-]\d\d:\d\d)?", re.ASCII)
_DIGEST = re.compile(r"[0-9a-z]{1,64}", re.ASCII)
_NAME = re.compile(r"[A-Za-z0-9.+!_ -]{0,100}", re.ASCII)
_MACHINE = re.compile(r"[A-Za-z0-9.,()+!_ -]{0,300}", re.ASCII)


@dataclass(frozen=True, slots=True)
class Row:
    """A trial that was run.

    Attributes:
        status: "ok" or "failed".
        result: measurements, or None if it failed.
        version: version of this package.
        finished: end (UTC, ISO 8601).
        code: fingerprint of the code, or None if unknown.
        machine: cores, memory and versions.
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
        """A digest of settings and code."""
        return trial_key(self.settings, self.code)

    @property
    def stale(self) -> bool:
        """Whether the code differs from the installed one or is unknown."""
        return self.code is None or dict(self.code) != code_for(self.settings)

    def to_json(self) -> dict[str, Any]:
        return {name: getattr(self, name) for name in self.__slots__}


class _Invalid(Exception):
    """A part of a row is invalid."""


def checked(row: Row, where: str) -> Row:
    """Return the row if it is valid; otherwise raise BadInput."""
    try:
        _check_settings(row.settings)
        if row.status == "ok":
            _check_result(row.result)
        elif row.status != "failed":
            raise _Invalid('"status" must be "ok" or "failed"')
        elif row.result is not None or not isinstance(row.error, str):
            raise _Invalid('a failed trial has an "error" and no "result"')
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
    except _Invalid as problem:
        raise BadInput(f"{where}: not a result: {problem}.") from None
    return row


def _check_settings(value: object) -> None:
    settings = _object(value, "settings", SETTINGS)
    for name in ("method", "game", "levels", "demonstrations"):
        _text(settings[name], f"settings, {name}")
    _whole(settings["seed"], "settings, seed")
    for name, option in _object(settings["options"], "settings, options").items():
        if isinstance(option, Mapping | list | tuple):
            raise _Invalid(f'"settings, {name[:40]}" must be text or a number')
        _json(option, f"settings, {name[:40]}")
    for levels in _list(settings["test"], "settings, test"):
        _text(levels, "settings, test")


def _check_result(value: object) -> None:
    result = _object(value, "result", RESULT)
    for levels, fraction in _object(result["success"], "result, success").items():
        _number(fraction, f"result, success, {levels[:40]}", most=1)
    for levels, wins in _object(result["won"], "result, won").items():
        _text(wins, f"result, won, {levels[:40]}")
    for name in ("reward", "expert"):
        for levels, rewards in _object(result.get(name, {}), f"result, {name}").items():
            for reward in _list(rewards, f"result, {name}, {levels[:40]}"):
                _number(reward, f"result, {name}, {levels[:40]}", least=-MAX_NUMBER)
    for levels, number in _object(result.get("replaced", {}), "result, replaced").items():
        _whole(number, f"result, replaced, {levels[:40]}")
    _number(result["fit"], "result, fit", most=1)
    seconds = _object(result["seconds"], "result, seconds", ("learn", "play"))
    for name in ("learn", "play"):
        _number(seconds[name], f"result, seconds, {name}")
    for name in ("demonstrations", "steps"):
        _whole(result[name], f"result, {name}")
    learned = _object(result["learned"], "result, learned")
    for name in ("top_level_programs", "method_calls", "depth"):
        _whole(learned.get(name, 0), f"result, learned, {name}")
    _json(learned, "result, learned")


def _json(value: object, name: str, depth: int = 0) -> None:
    """Check any JSON value within the limits."""
    if depth > MAX_DEPTH:
        raise _Invalid(f'"{name}" is nested too deeply')
    if isinstance(value, str):
        _text(value, name)
    elif isinstance(value, Mapping):
        for key, part in _object(value, name).items():
            _json(part, f"{name}, {key[:40]}"[:200], depth + 1)
    elif isinstance(value, list | tuple):
        for part in _list(value, name):
            _json(part, name, depth + 1)
    elif value is not None and not isinstance(value, bool):
        _number(value, name, least=-MAX_NUMBER)


def _object(value: object, name: str, needed: Sequence[str] = ()) -> Mapping[str, Any]:
    if not isinstance(value, Mapping) or len(value) > MAX_ENTRIES:
        raise _Invalid(f'"{name}" must be an object of at most {MAX_ENTRIES:,} entries')
    for key in value:
        _text(key, f"{name}, a name")
    missing = [key for key in needed if key not in value]
    if missing:
        raise _Invalid(f'"{name}" lacks "{missing[0]}"')
    return value


def _list(value: object, name: str) -> Sequence[Any]:
    if not isinstance(value, list | tuple) or len(value) > MAX_ENTRIES:
        raise _Invalid(f'"{name}" must be a list of at most {MAX_ENTRIES:,} entries')
    return value


def _text(value: object, name: str) -> None:
    try:
        if isinstance(value, str) and len(value.encode()) <= MAX_TEXT:
            return
    except UnicodeEncodeError:
        pass
    raise _Invalid(f'"{name}" must be text of at most {MAX_TEXT:,} bytes')


def _matching(value: object, name: str, pattern: re.Pattern[str]) -> None:
    if not isinstance(value, str) or pattern.fullmatch(value) is None:
        raise _Invalid(f'"{name}" has the wrong form')


def _number(value: object, name: str, least: float = 0, most: float = MAX_NUMBER) -> None:
    good = isinstance(value, int | float) and not isinstance(value, bool)
    if not (good and least <= value <= most and math.isfinite(value)):  # type: ignore[operator, arg-type]
        raise _Invalid(f'"{name}" must be a number from {least:g} to {most:g}')


def _whole(value: object, name: str) -> None:
    if not isinstance(value, int) or isinstance(value, bool) or not 0 <= value < MAX_NUMBER:
        raise _Invalid(f'"{name}" must be a whole number from 0 to 2^62')
