"""Tables of where results come from: code, commit and machine."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence

from shown_evidence.analysis.statistics import grouped
from shown_evidence.analysis.success_tables import Table
from shown_evidence.results.row import Row
from shown_evidence.wording import MISSING_CELL

_LONG_NAME = re.compile(r"(?<=^[0-9a-f]{12})[0-9a-f]{28}")


def origins(rows: Sequence[Row]) -> list[Table]:
    """Return tables by method and by machine; a dash stands for what is unknown."""
    return [
        Table(
            ("Method", "Engine", "Commit", "Trials", "Stale"),
            [
                [*key, f"{len(part):,}", f"{sum(row.stale for row in part):,}"]
                for key, part in _by(rows, _method_and_code)
            ],
            "Digest of a method's code, and commit of its trials, with a + if files of the package had changed since.",
        ),
        Table(
            ("Machine", "Trials"),
            [[*key, f"{len(part):,}"] for key, part in _by(rows, lambda row: (row.machine or MISSING_CELL,))],
            "Machines, as recorded by each trial.",
        ),
    ]


def _by(rows: Sequence[Row], key: Callable[[Row], tuple[str, ...]]) -> list[tuple[tuple[str, ...], list[Row]]]:
    return sorted(grouped(rows, key).items())


def _method_and_code(row: Row) -> tuple[str, str, str]:
    engine = (row.code or {}).get("engine", MISSING_CELL)
    return row.settings["method"], engine, short(row.commit) or MISSING_CELL


def short(commit: str) -> str:
    """Shorten the name of a commit.

    >>> short("0123456789abcdef0123456789abcdef01234567+"), short("version 1.0")
    ('0123456789ab+', 'version 1.0')
    """
    return _LONG_NAME.sub("", commit)
