"""The paper's statements and numbers, from statements.toml, and verdicts on them.

Statements are grouped by experiment. One without a finding in its experiment counts as not measured. A new statement is
an entry in the file; a new measurement is a line in the experiment's `findings`.
"""

from __future__ import annotations

import tomllib
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from shown_evidence.wording import title

YES, NO, PARTLY, MISSING = "yes", "no", "partly", "not measured"


@dataclass(frozen=True)
class Statement:
    """A measurable statement of the paper.

    `reason`, why it may differ here, is reported with any verdict but yes; a finding's remark with any verdict.
    `missing` stands in for a measurement.
    """

    says: str
    reason: str = ""
    missing: str = "Too few trials."


@dataclass(frozen=True)
class Finding:
    """A measurement of a statement, with a remark to precede the statement's reason."""

    measured: str
    verdict: str
    remark: str = ""


@dataclass(frozen=True)
class Claim:
    """A statement of the paper beside its measurement, or what is missing, and the reason for a disagreement."""

    paper: str
    measured: str
    verdict: str
    why: str = ""


def judged(statements: Mapping[str, Statement], findings: Mapping[str, Finding | None]) -> list[Claim]:
    """Return every statement with its verdict, in order; without a finding it is not measured.

    >>> judged({"blue": Statement("The sky is blue.")}, {})[0].verdict
    'not measured'
    """
    unknown = [name for name in findings if name not in statements]
    if unknown:
        raise KeyError(f"no statement called {unknown[0]!r}")
    return [_claim(statement, findings.get(name)) for name, statement in statements.items()]


def _claim(statement: Statement, finding: Finding | None) -> Claim:
    if finding is None:
        return Claim(statement.says, statement.missing, MISSING)
    reason = "" if finding.verdict == YES else statement.reason
    why = " ".join(filter(None, (finding.remark, reason)))
    return Claim(statement.says, finding.measured, finding.verdict, why)


def graded(agrees: bool, partly: bool) -> str:
    """Return a verdict from a strict and a weaker condition.

    >>> graded(False, True)
    'partly'
    """
    return YES if agrees else PARTLY if partly else NO


def holding(conditions: Iterable[bool], least: int = 1) -> str:
    """Return yes if all conditions hold, partly if at least `least` do, otherwise no.

    >>> holding([True, True]), holding([True, False]), holding([False, False])
    ('yes', 'partly', 'no')
    """
    held = list(conditions)
    return graded(all(held), sum(held) >= least)


def within(value: float, paper: float, factor: float) -> bool:
    """Return whether two numbers agree up to a factor.

    >>> within(30, 11, 2), within(20, 11, 2)
    (False, True)
    """
    return paper / factor <= value <= paper * factor


# --- the file -----------------------------------------------------------------------------------------------------


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
