"""Where results come from, as tables: which code and levels, at which commit, on which machine."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence

from shown.experiments.experiment import Table
from shown.experiments.figures import label
from shown.experiments.rows import Row
from shown.experiments.statistics import grouped
from shown.experiments.words import MISSING_CELL

_LONG_NAME = re.compile(r"(?<=^[0-9a-f]{12})[0-9a-f]{28}")


def origins(rows: Sequence[Row]) -> list[Table]:
    """By method, by game and by machine; what nobody noted is a dash."""
    return [
        Table(
            ("Method", "Engine", "Commit", "Trials", "Stale"),
            [
                [label(method), engine, commit, f"{len(part):,}", f"{sum(row.stale for row in part):,}"]
                for (method, engine, commit), part in _by(rows, _method)
            ],
            "The digest of all that a method is made of, and the commit its trials were run at (with a + if files of "
            "the package had changed since).",
        ),
        Table(
            ("Game", "Rules and scoring", "Levels", "Trials"),
            [
                [game, rules, f"{len({_code(row, 'levels') for row in part}):,} digests", f"{len(part):,}"]
                for (game, rules), part in _by(rows, _game)
            ],
            "The digest of how a game is played and scored, and how many different ones the levels shown and played "
            "have: one for each set.",
        ),
        Table(
            ("Machine", "Trials"),
            [[machine, f"{len(part):,}"] for (machine,), part in _by(rows, _machine)],
            "What the trials were run on, as each noted itself.",
        ),
    ]


def _by(rows: Sequence[Row], key: Callable[[Row], tuple[str, ...]]) -> list[tuple[tuple[str, ...], list[Row]]]:
    return sorted(grouped(rows, key).items())


def _method(row: Row) -> tuple[str, ...]:
    return row.settings["method"], _code(row, "engine"), short(row.commit) or MISSING_CELL


def _game(row: Row) -> tuple[str, ...]:
    return row.settings["game"], _code(row, "game")


def _machine(row: Row) -> tuple[str, ...]:
    return (row.machine or MISSING_CELL,)


def _code(row: Row, part: str) -> str:
    return (row.code or {}).get(part, MISSING_CELL)


def short(commit: str) -> str:
    """A commit's name as people write it.

    >>> short("0123456789abcdef0123456789abcdef01234567+"), short("version 1.0")
    ('0123456789ab+', 'version 1.0')
    """
    return _LONG_NAME.sub("", commit)
