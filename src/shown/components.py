"""The components of a policy: weighted formulas, and their form on disk."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from shown.errors import BadInput, at
from shown.grid import Tokens
from shown.language.primitives import Language
from shown.language.terms import Term
from shown.provenance import Score, SuccessRate, plain, read_count, read_number, read_score
from shown.rules import Facts, Formula, Literal
from shown.rules.parsing import read_program, split_literal
from shown.symmetry import Folded, Transformation, of_clause

MAX_COMPONENTS = 10_000
MAX_RULES = 1_000  # rules of a front
MAX_LITERALS = 100_000
MAX_TEXT = 2**19  # characters of a policy's distinct programs; that many are read and compiled within seconds


@dataclass(frozen=True, slots=True)
class Component:
    """One policy of the mixture: a formula with its weight and log probabilities.

    A rule that is printed without voting has weight 0. If it does not explain all demonstrations, its log likelihood is
    minus infinity (null in files).
    """

    weight: float
    log_prior: float
    log_likelihood: float
    formula: Formula


@dataclass(frozen=True, slots=True)
class RatedRule:
    """A rule of the front: none of its length or shorter does better.

    Attributes:
        formula: the rule.
        conditions: number of conditions; those of a clause count once for all its mirror images.
        rate: success rate, or mean return, of this rule alone on new levels.
    """

    formula: Formula
    conditions: int
    rate: Score


def component_to_json(component: Component, facts: Facts, language: Language) -> dict[str, Any]:
    """Return a component as plain data; one clause stands for all its mirror images."""
    return {
        "weight": component.weight,
        "log_prior": component.log_prior,
        "log_likelihood": component.log_likelihood if math.isfinite(component.log_likelihood) else None,
        "clauses": _formula_to_json(component.formula, facts, language),
    }


def rated_to_json(rated: RatedRule, facts: Facts, language: Language) -> dict[str, Any]:
    """Return a rule of the front as plain data."""
    clauses, rate = _formula_to_json(rated.formula, facts, language), rated.rate
    score = {"won": rate.won, "of": rate.of} if isinstance(rate, SuccessRate) else {"return": plain(rate)}
    return {"conditions": rated.conditions, **score, "clauses": clauses}


def _formula_to_json(formula: Formula, facts: Facts, language: Language) -> list[Any]:
    return [_clause_to_json(folded) for folded in facts.folded(formula.clauses, language)]


def _clause_to_json(folded: Folded[Literal]) -> Any:
    texts = [str(literal) for literal in folded.clause]
    images = [transformation.to_json() for transformation in folded.under[1:]]
    return {"clause": texts, "images": images} if images else texts


class ComponentReader:
    """Reads the components of one policy from plain data, checking everything against the policy's world."""

    def __init__(self, language: Language, tokens: Tokens, buttons: tuple[str, ...]) -> None:
        self._language, self._tokens, self._buttons = language, tokens, buttons
        self._literals_left, self._text_left = MAX_LITERALS, MAX_TEXT
        self._known: dict[str, Term] = {}

    def read_all(self, items: Any, where: str) -> tuple[Component, ...]:
        """Read a list of components whose weights add up to 1."""
        if not isinstance(items, list) or not 0 < len(items) <= MAX_COMPONENTS:
            raise BadInput(f'{where}: "components" must be a list of 1 to {MAX_COMPONENTS:,}.')
        components = tuple(self._component(item, f"{where}, component {i}") for i, item in enumerate(items))
        if abs(sum(component.weight for component in components) - 1.0) > 1e-6:
            raise BadInput(f"{where}: the weights of the components must add up to 1.")
        return components

    def _component(self, item: Any, where: str) -> Component:
        if not isinstance(item, dict):
            raise BadInput(f"{where}: must be an object.")
        weight, prior = (read_number(item.get(key), f'{where}: "{key}"') for key in ("weight", "log_prior"))
        if not 0 <= weight <= 1:
            raise BadInput(f'{where}: "weight" must be from 0 to 1, not {weight}.')
        if weight == 0 and item.get("log_likelihood", 0) is None:
            likelihood = -math.inf
        else:
            likelihood = read_number(item.get("log_likelihood"), f'{where}: "log_likelihood"')
        return Component(weight, prior, likelihood, self._formula(item, where))

    def read_rules(self, items: Any, where: str) -> tuple[RatedRule, ...]:
        """Read the front: rules with their success, the shortest first."""
        if not isinstance(items, list) or len(items) > MAX_RULES or not all(isinstance(item, dict) for item in items):
            raise BadInput(f'{where}: "rules" must be a list of at most {MAX_RULES} objects.')
        return tuple(self._rated(item, f"{where}, rule {i}") for i, item in enumerate(items))

    def _rated(self, item: dict[str, Any], where: str) -> RatedRule:
        names = ("conditions",) if "return" in item else ("conditions", "won", "of")
        conditions, *counts = (read_count(item.get(key), f'{where}: "{key}"') for key in names)
        with at(f"{where}: "):
            rate = SuccessRate(counts[0], counts[1]) if counts else read_score(item["return"], '"return"')
            return RatedRule(self._formula(item, where), conditions, rate)

    def _formula(self, item: dict[str, Any], where: str) -> Formula:
        clauses = item.get("clauses")
        if not isinstance(clauses, list):
            raise BadInput(f'{where}: "clauses" must be a list of lists of programs.')
        return Formula(tuple(clause for item in clauses for clause in self._clauses(item, where)))

    def _clauses(self, item: Any, where: str) -> Iterator[tuple[Literal, ...]]:
        """Yield a clause and the mirror images that it stands for."""
        images = item.get("images") if isinstance(item, dict) else []
        texts = item.get("clause") if isinstance(item, dict) else item
        if not isinstance(images, list) or not isinstance(texts, list) or not all(isinstance(t, str) for t in texts):
            raise BadInput(f'{where}: "clauses" must be a list of lists of programs.')
        self._literals_left -= len(texts) * (1 + len(images))
        if self._literals_left < 0:
            raise BadInput(f"{where}: more than {MAX_LITERALS:,} programs in all.")
        clause = tuple(self.literal(text, where) for text in texts)
        yield clause
        for image in images:
            transformation = Transformation.from_json(image, where)
            transformation.check(self._tokens, self._buttons)
            found = of_clause(clause, transformation, self._language)
            if found is None:
                raise BadInput(f"{where}: a clause has no image {transformation.words}.")
            yield tuple(self.literal(str(literal), where) for literal in found)

    def literal(self, text: str, where: str) -> Literal:
        """Read a program, or "not " and a program; each distinct program is parsed once."""
        program, positive = split_literal(text)
        if program not in self._known:
            self._text_left -= len(program)
            if self._text_left < 0:
                raise BadInput(f"{where}: the distinct programs have more than {MAX_TEXT:,} characters in all.")
            self._known[program] = read_program(program, self._language, self._tokens, self._buttons, where)
        return Literal(self._known[program], positive)
