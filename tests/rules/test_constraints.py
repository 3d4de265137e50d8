"""Pinned clauses and struck programs, as data."""

import json
from dataclasses import replace
from itertools import product

import pytest
from hypothesis import given
from hypothesis import strategies as st

from shown.errors import BadInput
from shown.grid import Tokens
from shown.language.phrases import say
from shown.language.primitives import LANGUAGE
from shown.language.standard import STANDARD
from shown.language.terms import parse
from shown.rules import Constraints, Formula, Literal, canonical
from strategies import BUTTONS, TOKENS, formulas, programs

NIM = Tokens(empty=".", stick="|")
ABOVE = "at_action_cell(shifted((-1, 0), cell_is_value({})))"
CLICKED = "at_action_cell(cell_is_value({}))"


def program(text, tokens=NIM):
    return parse(text, LANGUAGE, tokens.values)


def clause(*texts):
    return tuple(Literal(program(text.removeprefix("not ")), not text.startswith("not ")) for text in texts)


def test_a_struck_program_is_struck_both_ways():
    said = Constraints.parse([], [ABOVE.format("empty")], NIM)
    for sign in ("", "not "):
        rule = Formula((clause(CLICKED.format("stick"), sign + ABOVE.format("empty")),))
        assert not said.hold_of(rule, NIM.values)
    assert said.hold_of(Formula((clause(ABOVE.format("stick")),)), NIM.values)


def test_what_reads_the_same_is_struck():
    said = Constraints.parse([], ["at_cell_with_value(stick, cell_is_value(stick))"], NIM)
    other = program("at_cell_with_value(stick, cell_is_value(OFF))")
    assert say(other, LANGUAGE, False) == say(said.struck[0], LANGUAGE)
    assert said.strikes(other)
    walk = "at_action_cell(scanning((0, 1), cell_is_value(stick), cell_is_value({})))"
    assert Constraints.parse([], [walk.format("OFF")], NIM).strikes(program(walk.format("stick")))


def test_conditions_that_come_to_a_struck_one_are_struck():
    said = Constraints.parse([], [ABOVE.format("empty")], NIM)
    neither = clause(CLICKED.format("stick"), "not " + ABOVE.format("stick"), "not " + ABOVE.format("OFF"))
    assert "above the clicked cell is empty" in say(
        canonical(Formula((neither,)), NIM.values).literals[-1].term, LANGUAGE
    )
    assert not said.hold_of(Formula((neither,)), NIM.values)
    assert said.hold_of(Formula((neither[:2],)), NIM.values)


def test_a_pinned_clause_is_there_whatever_the_order_of_its_literals():
    one = clause(CLICKED.format("stick"), "not " + ABOVE.format("stick"))
    said = Constraints((one,))
    assert said.hold_of(Formula((clause(ABOVE.format("OFF")), one[::-1])))
    assert not said.hold_of(Formula((one[:1],)))
    assert not said.hold_of(Formula(()))


@given(formulas(), st.lists(programs(TOKENS), max_size=2))
def test_whatever_is_said_of_a_rule_that_holds_has_nothing_struck(formula, struck):
    said = Constraints((), tuple(struck))
    if said.hold_of(formula, TOKENS.values):
        phrases = {
            say(x.term, LANGUAGE, sign) for x in canonical(formula, TOKENS.values).literals for sign in (True, False)
        }
        assert phrases.isdisjoint(say(term, LANGUAGE, sign) for term, sign in product(struck, (True, False)))


@given(formulas(), st.lists(programs(TOKENS), max_size=2))
def test_constraints_read_back_are_the_same(formula, struck):
    pinned = tuple(tuple(dict.fromkeys(one)) for one in formula.clauses if one)
    both = Constraints((), tuple(struck))
    said = replace(both, pinned=tuple(one for one in pinned if not any(both.strikes(x.term) for x in one)))
    value = json.loads(json.dumps(said.to_json()))
    assert Constraints.from_json(value, TOKENS, (), LANGUAGE, "file") == said


def test_the_words_of_a_pinned_rule_are_found_in_the_language_that_has_them():
    counting = "at_action_cell(at_least(1, sides, cell_is_value(stick)))"
    said = Constraints.parse([counting], [], NIM, language=STANDARD)
    assert said.spoken_with(LANGUAGE) is STANDARD
    assert Constraints.parse([CLICKED.format("stick")], [], NIM, language=STANDARD).spoken_with(LANGUAGE) is LANGUAGE


@pytest.mark.parametrize(
    ("pinned", "struck", "buttons", "reason"),
    [
        (["at_action_cell(cell_is_value(stik))"], [], (), "where: program .* 'stik' is not a value here"),
        (["at_action_cell(cell_is_value(stick)) and"], [], (), "where: program"),
        ([CLICKED.format("stick")], [], BUTTONS, "where: program .* needs a clicked cell"),
        ([CLICKED.format("stick")], [CLICKED.format("stick")], (), "is pinned, but .* is struck"),
        ([" and ".join([CLICKED.format("stick")] * 101)], [], (), "more than 100 conditions in one rule"),
    ],
)
def test_what_makes_no_sense_is_refused_in_one_line(pinned, struck, buttons, reason):
    with pytest.raises(BadInput, match=reason) as caught:
        Constraints.parse(pinned, struck, NIM, buttons, where="where")
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize("value", [[], {"pinned": "x"}, {"struck": [1]}, {"pinned": [CLICKED.format("stick")] * 201}])
def test_a_file_of_constraints_is_checked(value):
    with pytest.raises(BadInput, match="file: "):
        Constraints.from_json(value, NIM, (), LANGUAGE, "file")
