"""How a statement of the paper is judged: what it says, what was measured, and whether the two agree."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

YES, NO, PARTLY, MISSING = "yes", "no", "partly", "not measured"


@dataclass(frozen=True)
class Statement:
    """Something the paper says that can be measured.

    Attributes:
        says: what it says.
        reason: why it may be otherwise here; given with any verdict but yes.
        missing: what to say as long as nothing has been measured.
    """

    says: str
    reason: str = ""
    missing: str = "No experiment here measures this yet."


@dataclass(frozen=True)
class Finding:
    """What was measured about a statement.

    Attributes:
        measured: in words.
        verdict: YES, PARTLY or NO; MISSING if there are too few trials to tell.
        remark: what goes before the statement's own reason.
    """

    measured: str
    verdict: str
    remark: str = ""


@dataclass(frozen=True)
class Claim:
    """A statement of the paper beside what was measured, as the report shows it.

    Attributes:
        paper: what the paper says.
        measured: what the store says, or which trials are missing.
        verdict: YES, NO, PARTLY or MISSING.
        why: a reason, where it does not agree.
    """

    paper: str
    measured: str
    verdict: str
    why: str = ""


def judged(statements: Mapping[str, Statement], findings: Mapping[str, Finding]) -> list[Claim]:
    """Every statement with its verdict, in order; what has no finding is not measured.

    >>> judged({"blue": Statement("The sky is blue.")}, {})[0].verdict
    'not measured'
    """
    unknown = [name for name in findings if name not in statements]
    if unknown:
        raise KeyError(f"the paper states nothing called {unknown[0]!r}")
    return [_claim(statement, findings.get(name)) for name, statement in statements.items()]


def _claim(statement: Statement, finding: Finding | None) -> Claim:
    if finding is None:
        return Claim(statement.says, statement.missing, MISSING)
    agreed = finding.verdict in (YES, MISSING)
    why = "" if agreed else " ".join(part for part in (finding.remark, statement.reason) if part)
    return Claim(statement.says, finding.measured, finding.verdict, why)


def too_few(measured: str) -> Finding:
    """A finding that trials are missing."""
    return Finding(measured, MISSING)


def graded(agrees: bool, partly: bool) -> str:
    """A verdict from two conditions, the strict one first.

    >>> graded(False, True)
    'partly'
    """
    return YES if agrees else PARTLY if partly else NO


def holding(conditions: Iterable[bool], least: int = 1) -> str:
    """A verdict on several conditions: yes if all hold, partly if at least `least` do.

    >>> holding([True, True]), holding([True, False]), holding([False, False])
    ('yes', 'partly', 'no')
    """
    held = list(conditions)
    return graded(all(held), sum(held) >= least)


def within(value: float, paper: float, factor: float) -> bool:
    """Whether two numbers agree up to a factor.

    >>> within(30, 11, 2), within(20, 11, 2)
    (False, True)
    """
    return paper / factor <= value <= paper * factor
