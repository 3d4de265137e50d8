"""Verdicts on the paper's statements: the statement, the measurement, and whether they agree."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

YES, NO, PARTLY, MISSING = "yes", "no", "partly", "not measured"


@dataclass(frozen=True)
class Statement:
    """A measurable statement of the paper.

    `reason`, why it may differ here, is reported with any verdict but yes; a finding's remark with any verdict.
    `missing` stands in for a measurement.
    """

    says: str
    reason: str = ""
    missing: str = "Too few trials in the store."


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


def judged(statements: Mapping[str, Statement], findings: Mapping[str, Finding]) -> list[Claim]:
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
