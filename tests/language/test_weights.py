"""Weights fitted to programs."""

from fractions import Fraction

import pytest

from shown.grid import Tokens
from shown.language.grammar import Grammar, Rule, paper_grammar, uniform
from shown.language.primitives import LANGUAGE
from shown.language.terms import Kind, parse
from shown.language.weights import fit_weights
from strategies import TOKENS

GRAMMAR = paper_grammar(Tokens(empty=".", stick="|"))


def weights(grammar):
    return {str(rule): rule.probability for rule in grammar.rules}


def program(text, buttons=()):
    return parse(text, LANGUAGE, TOKENS.values, buttons)


def test_rules_are_counted_wherever_they_are_used():
    scan = program("at_action_cell(scanning((0, 1), shifted((1, 0), cell_is_value(star)), cell_is_value(wall)))")
    fitted = weights(fit_weights(GRAMMAR, [scan], strength=2))
    assert fitted == {
        "P → at_cell_with_value": Fraction(1, 3),
        "P → at_action_cell": Fraction(2, 3),
        "C → shifted": Fraction(2, 5),  # used once of three times, and 1 of 2 before
        "C → B": Fraction(3, 5),
        "B → cell_is_value": Fraction(3, 5),
        "B → scanning": Fraction(2, 5),
    }


def test_without_programs_nothing_changes():
    assert fit_weights(GRAMMAR, []).rules == GRAMMAR.rules


def test_what_the_grammar_cannot_derive_does_not_count():
    pressed = program("action_is(fire)", ["fire"])
    assert fit_weights(GRAMMAR, [pressed]).rules == GRAMMAR.rules


def test_programs_of_other_games_come_sooner():
    at_star = program("at_cell_with_value(star, shifted((0, 1), cell_is_value(wall)))")
    fitted = fit_weights(GRAMMAR, [at_star] * 100)
    first = next(term for term, _ in fitted.programs())
    assert first.primitive == "at_cell_with_value"
    assert next(term for term, _ in GRAMMAR.programs()).primitive == "at_action_cell"


@pytest.mark.parametrize("symbols", [("V",), ("W",)])
def test_leaves_stay_as_they_are(symbols):
    leaves = {symbols[0]: uniform(Kind.VALUE, ("empty", "wall"))}
    rules = [Rule("P", "at_action_cell", ("C",), 1), Rule("C", "cell_is_value", symbols, 1)]
    grammar = Grammar("P", tuple(rules), leaves)
    assert fit_weights(grammar, [program("at_action_cell(cell_is_value(star))")]) == grammar
