"""Grammars whose weights were learned: which productions the programs of other tasks used."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import replace
from fractions import Fraction

from shown.language.grammar import Grammar, Rule
from shown.language.terms import Argument, Term

STRENGTH = 20.0
"""The probabilities a grammar has count as much as so many uses of each symbol."""


def fit_weights(grammar: Grammar, programs: Iterable[Term], strength: float = STRENGTH) -> Grammar:
    """The grammar with the probabilities of its rules drawn to how often these programs use them.

    Only how a program is built counts, not which values it names: the programs may be those of other games. Leaves
    (values, offsets, buttons) stay as they are.

    >>> from shown.grid import Tokens
    >>> from shown.language.grammar import paper_grammar
    >>> wall = Term("at_action_cell", (Term("cell_is_value", ("wall",)),))
    >>> fitted = fit_weights(paper_grammar(Tokens(empty=".", stick="|")), [wall] * 20)
    >>> [(str(rule), float(rule.probability)) for rule in fitted.rules if rule.left == "B"]
    [('B → cell_is_value', 0.75), ('B → scanning', 0.25)]

    Args:
        grammar: whose rules are weighed.
        programs: as the formulas of learned policies have them, each as often as it occurs.
        strength: how much the grammar's own probabilities count. Infinite, they stay.
    """
    used: Counter[Rule] = Counter()
    for program in programs:
        used.update(_derivation(grammar, grammar.start, program) or [])
    total: Counter[str] = Counter()
    for rule, times in used.items():
        total[rule.left] += times
    exact = Fraction(strength).limit_denominator(1000)
    rules = (
        replace(rule, probability=(used[rule] + exact * rule.probability) / (total[rule.left] + exact))
        for rule in grammar.rules
    )
    return replace(grammar, rules=tuple(rules))


def _derivation(grammar: Grammar, symbol: str, argument: Argument) -> list[Rule] | None:
    """The rules that derive a program from a symbol, the first way that is found; None if there is none."""
    if symbol in grammar.leaves:
        return None if isinstance(argument, Term) else []
    for rule in grammar.rules:
        if rule.left != symbol:
            continue
        if rule.primitive is None:
            parts: list[tuple[str, Argument]] = [(rule.right[0], argument)]
        elif isinstance(argument, Term) and argument.primitive == rule.primitive:
            parts = list(zip(rule.right, argument.arguments, strict=True))
        else:
            continue
        inner = [_derivation(grammar, *part) for part in parts]
        if None not in inner:
            return [rule, *(used for found in inner for used in found or [])]
    return None
