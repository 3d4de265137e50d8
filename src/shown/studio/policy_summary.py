"""A policy in words and numbers, as the page shows it."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import Any

from shown.demonstrations import Demonstrations
from shown.errors import BadInput
from shown.grid import action_to_json
from shown.language.standard import STANDARD
from shown.policy import Policy
from shown.provenance import MeanReturn, Provenance, SuccessRate
from shown.rules import Constraints, Formula, Literal
from shown.symmetry import closure, of_term
from shown.teaching.coverage import coverage
from shown.teaching.interpretation.interpretations import Interpretation
from shown.teaching.lessons.preferences import WORDS
from shown.teaching.lessons.remarks import PIN, STRIKE
from shown.worlds import Playable

Answer = dict[str, Any]

DOZEN = 12  # new levels in the expected success rate


def with_summary(policy: Policy) -> Answer:
    return {"policy": policy.to_json(), "summary": summary(policy)}


def summary(policy: Policy) -> Answer:
    """Return the clauses of the printed rule in English, the rules of other lengths, and the policy's provenance.

    "votes" is the number of candidate rules; "alone" is what the printed one wins of a dozen levels, if they vote.
    """
    best, candidates, alone = policy.components[0], policy.mixture.components, policy.provenance.alone
    printed_only = candidates[0].weight == 0  # the most probable comes first, unless a better one to read was found
    return {
        **provenance_summary(policy.provenance),
        "subject": policy.speaker.subject,
        **rule(policy, best.formula),
        "votes": len(candidates) - printed_only,
        "voting": len(policy.components) > 1,
        "alone": round(DOZEN * alone.share) if isinstance(alone, SuccessRate) else None,
        "front": _front(policy),
        "literals": len(best.formula.literals),
    }


def _front(policy: Policy) -> list[Answer]:
    """Return the best rules of all lengths: number of conditions, and what each is expected to win alone.

    Besides the printed rule, a rule is left out if it wins no more of a dozen levels than a shorter one. There are none
    where nothing can be won.
    """
    printed = policy.components[0].formula
    found: list[Answer] = []
    for rated in policy.front if not any(isinstance(one.rate, MeanReturn) for one in policy.front) else ():
        won, chosen = round(DOZEN * rated.rate.share), rated.formula == printed
        if chosen or not found or won > found[-1]["won"]:
            found.append({"conditions": rated.conditions, "won": won, "of": DOZEN, "chosen": chosen})
    return found if len(found) > 1 else []


def other_rule(policy: Policy, request: dict[str, Any]) -> Answer:
    """Return the policy in which another rule of the front acts; BadInput if that rule breaks an edit."""
    other = policy.with_rule(request["conditions"])
    where = "your edits of the rule"
    edits = Constraints.from_json(request["constraints"], policy.tokens, policy.buttons, STANDARD, where)
    if not other.keeps_to(edits):
        raise BadInput(f"the rule with {request['conditions']} conditions breaks {where}.")
    return with_summary(other)


def clicks(policy: Policy, request: dict[str, Any], game: Playable) -> Answer:
    """Return the demonstrated clicks that each clause of the printed rule stands for: their number, and the first one.

    Demonstrations come as text because the server keeps them so.
    """
    covered = coverage(policy, Demonstrations.from_json(json.loads(request["demonstrations"])), game)

    def example(k: int | None) -> Answer | None:
        if k is None:
            return None
        step = covered.steps[k]
        return {"place": covered.places[k], "rows": list(step.grid.rows), "action": action_to_json(step.action)}

    return {
        "of": len(covered.steps),
        "left": "" if covered.explained == len(covered.steps) else covered.sentence,
        "clauses": [{"count": count, "example": example(first)} for count, first in covered.clauses],
    }


def provenance_summary(provenance: Provenance) -> Answer:
    """Return how the teacher was interpreted and how well the policy is expected to do.

    >>> from shown.provenance import SuccessRate
    >>> provenance_summary(Provenance(expectation=SuccessRate(59, 100)))["expected"]
    {'won': 7, 'of': 12, 'more_or_less': 2}
    """
    shown, expected, words = provenance.demonstrations, provenance.expectation, provenance.vocabulary
    clicks = provenance.interpretation
    return {
        "seen": None if shown is None else shown.count,
        "interpretation": None if clicks is None else Interpretation.from_json(clicks).name,
        "lenient": provenance.lenient,
        "mirrored": bool(provenance.symmetries),
        "language": words if words in WORDS else None,
        "programs": provenance.programs,
        "distinct": provenance.distinct,
        "expected": _expected(expected) if isinstance(expected, SuccessRate) else None,
        "expected_return": expected.in_words() if isinstance(expected, MeanReturn) else None,
    }


def _expected(found: SuccessRate) -> Answer:
    """Return the expected number of wins among a dozen new levels, and its standard deviation."""
    variance = DOZEN * found.share * (1 - found.share) + DOZEN * (DOZEN - 1) * found.spread**2
    return {"won": round(DOZEN * found.share), "of": DOZEN, "more_or_less": round(variance**0.5)}


def rule(policy: Policy, formula: Formula) -> Answer:
    """Return a formula's clauses as English phrases, the images they stand for, and for each pinned clause its text."""
    sayings = policy.speaker.sayings(formula)
    pinned = _pinned(policy)
    kept = [[pinned.get(frozenset(clause)) for clause in one.formula.clauses] for one in sayings]
    return {
        "clauses": [list(one.phrases) for one in sayings],
        "images": [one.images for one in sayings],
        "pinned": [texts[0] if None not in texts else None for texts in kept],
    }


def _pinned(policy: Policy) -> dict[frozenset[Literal], str]:
    """Return the pinned clauses: text as it was pinned, by the clause in canonical form."""
    found = policy.provenance.constraints
    if found is None:
        return {}
    try:
        said = Constraints.parse(found.pinned, found.struck, policy.tokens, policy.buttons, STANDARD, "the policy")
    except BadInput:  # the file may claim anything
        return {}
    return {
        frozenset(canonical): " and ".join(map(str, clause))
        for clause in said.pinned
        for canonical in policy.speaker.canonical(Formula((clause,))).clauses
    }


def sentence_remark(policy: Policy, request: dict[str, Any]) -> Answer:
    """Return a remark that pins a clause of the best rule, or strikes one phrase of it.

    A clause that stands for its mirror images is pinned with them, and a condition is struck with its own.
    """
    sayings = policy.speaker.sayings(policy.components[0].formula)
    number, phrase = request["clause"], request["phrase"]
    if number >= len(sayings) or not sayings[number].clause:
        raise BadInput("there is no such sentence.")
    saying = sayings[number]
    if phrase is None:
        clauses = [" and ".join(map(str, clause)) for clause in saying.formula.clauses]
        # A fact that always held so far need not hold later, so the words do not rely on any.
        plain = replace(policy.speaker, facts=replace(policy.facts, always=()))
        words = plain.sayings(policy.components[0].formula)[number].whole
        return {"remark": {"kind": PIN, "programs": clauses, "words": list(words)}}
    if phrase >= len(saying.told):
        raise BadInput("there is no such condition.")
    literals = saying.told[phrase]
    images = (of_term(x.term, t, policy.language) for x in literals for t in closure(policy.facts.symmetries))
    programs = list(dict.fromkeys(str(image) for image in images if image is not None))
    return {"remark": {"kind": STRIKE, "programs": programs, "words": [policy.speaker.phrase(x) for x in literals]}}
