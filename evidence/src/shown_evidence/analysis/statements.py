"""The paper's numbers and statements, from statements.toml.

Statements are grouped by experiment. One without a finding in its experiment counts as not measured. A new statement is
an entry in the file; a new measurement is a line in the experiment's `findings`.
"""

from __future__ import annotations

import tomllib
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from shown_evidence.analysis.claims import Statement
from shown_evidence.wording import title


def _statements(name: str, entry: dict[str, Any]) -> Iterator[tuple[str, Statement]]:
    reason = entry.get("reason", "")
    fixed = {"reason": _REASONS.get(reason, reason), **({"missing": entry["missing"]} if "missing" in entry else {})}
    if "for_each" not in entry:
        yield name, Statement(entry["says"], **fixed)
        return
    for game, number in _NUMBERS[entry["for_each"]].items():
        says = entry["says"].format(title=title(game), number=f"{number:,}", s="s" * (number != 1))
        yield game, Statement(says, **fixed)


_FILE: dict[str, Any] = tomllib.loads(Path(__file__).with_name("statements.toml").read_text("utf-8"))
_NUMBERS: dict[str, dict[str, Any]] = _FILE.pop("numbers")
_REASONS: dict[str, str] = _FILE.pop("reasons")

PERFECT_FROM: Mapping[str, int] = _NUMBERS["perfect_from"]
PROGRAMS_BELOW: Mapping[str, int] = _NUMBERS["programs_below"]
POLICY_SIZES: Mapping[str, tuple[int, int, int]] = {game: tuple(s) for game, s in _NUMBERS["policy_sizes"].items()}
NETWORKS_NEED: Mapping[tuple[str, str], int] = {
    (network, game): number for pair, number in _NUMBERS["networks_need"].items() for network, game in [pair.split()]
}

STATEMENTS: Mapping[str, Mapping[str, Statement]] = {
    group: dict(each for name, entry in entries.items() for each in _statements(name, entry))
    for group, entries in _FILE.items()
}
"""Every statement by group and name."""
