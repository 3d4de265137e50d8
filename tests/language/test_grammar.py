"""Grammars: programs, probabilities and order."""

import itertools
import math
from collections import Counter
from dataclasses import replace
from fractions import Fraction
from itertools import pairwise

import pytest

from shown.demonstrations import Demonstrations
from shown.errors import BadInput
from shown.grid import Tokens, grid
from shown.inference.learner import Learner
from shown.language.grammar import Grammar, Leaves, Rule, geometric, paper_grammar, paper_offsets, uniform
from shown.language.primitives import LANGUAGE
from shown.language.shapes import log
from shown.language.terms import Kind

TWO = Tokens(empty=".", stick="|")
SIX = Tokens(a="a", b="b", c="c", d="d", e="e", f="f")
HALF, QUARTER = Fraction(1, 2), Fraction(1, 4)


# --- a brute-force enumerator: every derivation of the paper's table, as long as it is probable enough ----------------

Found = list[tuple[Fraction, str]]


def naturals(least: Fraction) -> Found:
    found, i = [], 1
    while (p := Fraction(99, 100) * Fraction(1, 100) ** (i - 1)) >= least:
        found.append((p, str(i)))
        i += 1
    return found


def numbers(least: Fraction) -> Found:
    return [(p / 2, sign + text) for p, text in naturals(2 * least) for sign in ("", "-")]


def offsets(least: Fraction) -> Found:
    found = [(p / 4, text) for p, i in numbers(4 * least) for text in (f"({i}, 0)", f"(0, {i})")]
    return found + [
        (p * q / 2, f"({i}, {j})") for p, i in numbers(2 * least) for q, j in numbers(2 * least / p)
    ]  # fmt: skip


def values(tokens: Tokens, least: Fraction) -> Found:
    p = Fraction(1, len(tokens.values))
    return [(p, value) for value in tokens.values] if p >= least else []


def base_conditions(tokens: Tokens, least: Fraction) -> Found:
    if least > HALF:
        return []
    found = [(p / 2, f"cell_is_value({v})") for p, v in values(tokens, 2 * least)]
    for p, o in offsets(2 * least):
        for q, one in conditions(tokens, 2 * least / p):
            found += [
                (p * q * r / 2, f"scanning({o}, {one}, {two})") for r, two in conditions(tokens, 2 * least / p / q)
            ]
    return found


def conditions(tokens: Tokens, least: Fraction) -> Found:
    if least > HALF:
        return []
    found = [(p / 2, text) for p, text in base_conditions(tokens, 2 * least)]
    for p, o in offsets(2 * least):
        found += [(p * q / 2, f"shifted({o}, {text})") for q, text in base_conditions(tokens, 2 * least / p)]
    return found


def all_programs(tokens: Tokens, least: Fraction) -> Found:
    """Every program at least so probable, in no particular order."""
    found = [(p / 2, f"at_action_cell({text})") for p, text in conditions(tokens, 2 * least)]
    for p, v in values(tokens, 2 * least):
        found += [(p * q / 2, f"at_cell_with_value({v}, {text})") for q, text in conditions(tokens, 2 * least / p)]
    return found


# --- the grammar against it -------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("tokens", "least", "count"),
    [
        (TWO, Fraction(5, 10**6), 900),
        (Tokens(only="."), Fraction(5, 10**6), 1000),
        pytest.param(SIX, Fraction(2, 10**6), 10_000, marks=pytest.mark.slow),
    ],
)
def test_enumeration_finds_what_brute_force_finds(tokens, least, count):
    expected = Counter((text, p) for p, text in all_programs(tokens, least))
    found = Counter()
    for block in paper_grammar(tokens).blocks():
        if block.probability < least:
            break
        found.update((str(block.shape.term(i)), block.probability) for i in range(block.count))
    assert found == expected
    assert set(found.values()) == {1}
    assert len(found) > count


def test_probability_never_rises():
    probabilities = [block.probability for block in paper_grammar(TWO).blocks(100_000)]
    assert all(p >= q for p, q in pairwise(probabilities))


def test_the_order_is_the_same_every_time():
    first = [str(term) for term, _ in paper_grammar(SIX).programs(3000)]
    assert first == [str(term) for term, _ in paper_grammar(SIX).programs(3000)]
    assert len(set(first)) == 3000


def test_a_longer_enumeration_only_goes_on():
    long = [term for term, _ in paper_grammar(TWO).programs(2000)]
    for count in (1, 2, 3, 4, 50, 999, 1000):
        assert [term for term, _ in paper_grammar(TWO).programs(count)] == long[:count]


@pytest.mark.parametrize("count", [1, 7, 8, 56, 57, 6664, 6665, 10_000, 11_368])
def test_exactly_as_many_programs_as_asked_for(count):
    blocks = list(paper_grammar(SIX).blocks(count))
    assert sum(block.count for block in blocks) == count
    assert [block.start for block in blocks] == [0, *itertools.accumulate(block.count for block in blocks[:-1])]


def test_with_seven_values_4704_programs_share_one_cost_around_the_10_000th():
    levels = Counter()
    for block in paper_grammar(SIX).blocks(14_000):
        levels[block.probability] += block.count
    start = 0
    for probability, count in levels.items():
        if start <= 10_000 < start + count:
            assert (start, count) == (6664, 4704)
            assert float(probability) == pytest.approx(2.417e-6, rel=1e-3)
        start += count


def test_finishing_the_level_takes_all_programs_as_probable_as_the_last():
    exact = list(paper_grammar(SIX).blocks(10_000))
    finished = list(paper_grammar(SIX).blocks(10_000, finish_level=True))
    assert sum(block.count for block in finished) == 11_368
    assert finished[-1].probability == exact[-1].probability
    assert all(block.count == block.shape.count for block in finished)
    on_the_edge = list(paper_grammar(SIX).blocks(11_368, finish_level=True))
    assert sum(block.count for block in on_the_edge) == 11_368


def test_probabilities_add_up_to_at_most_one_and_grow_towards_it():
    total, sums = Fraction(0), []
    for block in paper_grammar(TWO).blocks(200_000):
        total += block.probability * block.count
        sums.append(float(total))
    assert 0.3 < sums[0] + sums[1] < 0.5 < sums[-1] < 1.0


def test_the_log_of_a_probability_too_small_for_floats():
    assert log(Fraction(1, 10**400)) == pytest.approx(-400 * math.log(10))
    assert log(QUARTER) == math.log(0.25)


def test_the_probability_of_one_program_by_hand():
    text = "at_cell_with_value(stick, shifted((-1, 2), cell_is_value(OFF)))"
    offset = 0.5 * (0.5 * 0.99) * (0.5 * 0.99 * 0.01)
    expected = 0.5 * (1 / 3) * 0.5 * offset * 0.5 * (1 / 3)
    found = next(p for term, p in paper_grammar(TWO).programs() if str(term) == text)
    assert found == pytest.approx(math.log(expected))


def test_offsets_come_in_levels_that_hold_all_of_them():
    levels = list(itertools.islice(paper_offsets().levels(), 20))
    atoms = [atom for _, level in levels for atom in level]
    assert len(set(atoms)) == len(atoms)
    assert {(a, b) for a in range(-3, 4) for b in range(-3, 4) if a or b} <= set(atoms)
    assert all(p > q for (p, _), (q, _) in pairwise(levels))
    assert sum(p * len(level) for p, level in levels) == pytest.approx(1.0)


def test_with_buttons_every_action_method_is_as_probable_as_at_cell_with_value():
    buttons = ("left", "right", "fire", "noop")
    grammar = paper_grammar(TWO, buttons)
    programs = {str(term): p for term, p in grammar.programs(200)}
    assert [programs[f"action_is({name})"] for name in buttons] == pytest.approx([math.log(1 / 5)] * 4)
    assert programs["at_cell_with_value(stick, cell_is_value(OFF))"] == pytest.approx(math.log(1 / 5 / 3 / 4 / 3))
    assert not any("at_action_cell" in text for text in programs)


# --- grammars of one's own --------------------------------------------------------------------------------------------

VALUES = uniform(Kind.VALUE, ("empty", "stick"))
SMALL = (Rule("P", "at_action_cell", ("B",), Fraction(1)), Rule("B", "cell_is_value", ("V",), Fraction(1)))


def test_a_finite_grammar_ends():
    grammar = Grammar("P", SMALL, {"V": VALUES})
    assert [str(term) for term, _ in grammar.programs()] == [
        "at_action_cell(cell_is_value(empty))",
        "at_action_cell(cell_is_value(stick))",
    ]
    assert sum(block.count for block in grammar.blocks(100)) == 2


def test_a_grammar_without_end_in_sight_derives_nothing():
    endless = (
        Rule("P", "at_action_cell", ("C",), Fraction(1)),
        Rule("C", "shifted", ("O", "C"), Fraction(1)),
    )
    assert list(Grammar("P", endless, {"O": paper_offsets()}).blocks(10)) == []
    assert list(Grammar("P", SMALL, {"V": uniform(Kind.VALUE, ())}).blocks(10)) == []


def test_decimal_probabilities_mean_what_they_say():
    rules = (*SMALL[:1], *(Rule("B", "cell_is_value", (v,), 0.1) for v in "VVVVVVVVVV"))
    (block,) = Grammar("P", rules, {"V": VALUES}).blocks()
    assert (block.count, block.probability) == (2, HALF)


def test_a_geometric_number_halves():
    levels = list(itertools.islice(geometric().levels(), 3))
    assert levels == [(HALF, (1,)), (QUARTER, (2,)), (Fraction(1, 8), (3,))]


@pytest.mark.parametrize(
    ("rules", "leaves", "reason"),
    [
        ((), {}, "symbol P must have either rules or leaves"),
        ((Rule("P", "at_action_cel", ("B",), HALF),), {}, "no primitive 'at_action_cel'"),
        ((Rule("P", "at_action_cell", ("B", "B"), HALF),), {}, r"takes \(condition\), not 2"),
        ((Rule("P", "at_action_cell", ("B",), Fraction(0)),), {}, "must be greater than 0"),
        ((Rule("P", None, (), Fraction(1)),), {}, "exactly one symbol"),
        ((*SMALL[:1], Rule("B", "cell_is_value", ("V",), HALF)), {"V": VALUES}, "rules for B add up to 0.5"),
        (SMALL, {}, "symbol V must have either rules or leaves"),
        (SMALL, {"V": VALUES, "B": VALUES}, "symbol B must have either rules or leaves, and not both"),
        (SMALL, {"V": paper_offsets()}, "V is of kind offset; cell_is_value takes kind value there"),
        (SMALL[1:], {"V": VALUES}, "symbol P must have"),
        ((Rule("P", None, ("B",), Fraction(1)), SMALL[1]), {"V": VALUES}, "start symbol P is of kind condition"),
        ((Rule("P", None, ("V",), Fraction(1)),), {"V": VALUES}, "start symbol P is of kind value"),
    ],
)
def test_mistakes_in_a_grammar_are_named(rules, leaves, reason):
    with pytest.raises(BadInput, match=reason):
        Grammar("P", rules, leaves)


def test_leaves_must_fall_in_probability():
    rising = Leaves(Kind.VALUE, lambda: iter([(QUARTER, ("empty",)), (HALF, ("stick",))]))
    with pytest.raises(BadInput, match="decreasing probabilities"):
        list(Grammar("P", SMALL, {"V": rising}).blocks())


def test_a_rule_that_leads_to_itself_does_not_hang():
    rules = (*SMALL[:1], Rule("B", None, ("B",), HALF), Rule("B", "cell_is_value", ("V",), HALF))
    (block,) = Grammar("P", rules, {"V": VALUES}).blocks()
    assert (block.count, block.probability) == (2, HALF)  # 1/4 + 1/8 + 1/16 + …


def test_the_paper_grammar_uses_the_language_of_the_paper():
    assert paper_grammar(TWO).language is LANGUAGE


def test_a_grammar_makes_room_for_further_rules():
    wider = paper_grammar(TWO).extended(
        Rule("B", "shifted", ("O", "B"), Fraction(1, 5)), Rule("C", None, ("D",), QUARTER), Rule("D", None, ("B",), 1)
    )
    shares = {str(rule): rule.probability for rule in wider.rules}
    assert shares["B → cell_is_value"] == shares["B → scanning"] == Fraction(2, 5)
    assert shares["C → shifted"] == shares["C → B"] == Fraction(3, 8)
    assert shares["P → at_action_cell"] == HALF
    probabilities = [p for _, p in wider.programs(500)]
    assert all(a >= b for a, b in pairwise(probabilities))


def test_a_rule_that_leaves_no_room_is_refused():
    with pytest.raises(BadInput, match="probability 0 must be greater than 0"):
        paper_grammar(TWO).extended(Rule("B", "shifted", ("O", "B"), 1))


# --- clicks and buttons -----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("buttons", [(), ("left", "right")])
def test_a_grammar_fits_its_own_world(buttons):
    paper_grammar(TWO, buttons).check_actions(buttons)


def test_a_grammar_about_clicks_is_refused_where_there_are_buttons():
    with pytest.raises(BadInput) as caught:
        paper_grammar(TWO).check_actions(("left", "right"))
    assert str(caught.value) == (
        "rule P → at_action_cell: at_action_cell needs a clicked cell, but here actions are buttons: left, right. "
        "Use action_is and at_cell_with_value, as paper_grammar(tokens, buttons) does."
    )


def test_a_grammar_about_buttons_is_refused_where_cells_are_clicked():
    with pytest.raises(BadInput, match="rule P → action_is: action_is needs buttons, but here cells are clicked"):
        paper_grammar(TWO, ("left", "right")).check_actions(())


def test_rules_that_are_never_used_do_not_matter():
    unused = Rule("Q", "at_action_cell", ("C",), 1)
    grammar = paper_grammar(TWO, ("left",))
    replace(grammar, rules=(*grammar.rules, unused)).check_actions(("left",))


def test_learning_refuses_the_wrong_kind_of_grammar():
    clicks = Demonstrations.from_runs(TWO, [[(grid("|."), (0, 0))]])
    presses = Demonstrations.from_runs(TWO, [[(grid("|."), "left")]], buttons=("left", "right"))
    with pytest.raises(BadInput, match="at_action_cell needs a clicked cell"):
        Learner(grammar=paper_grammar(TWO)).fit(presses)
    with pytest.raises(BadInput, match="action_is needs buttons"):
        Learner(grammar=paper_grammar(TWO, ("left", "right"))).fit(clicks)


@pytest.mark.parametrize("probability", [math.nan, math.inf, None, "a lot"])
def test_a_probability_that_is_no_number_is_refused(probability):
    with pytest.raises(BadInput, match=r"rule B → cell_is_value: probability .* must be a number such as 0\.2"):
        Rule("B", "cell_is_value", ("V",), probability)


def test_one_symbol_on_the_right_needs_no_comma():
    assert Rule("B", "cell_is_value", "Value", 1) == Rule("B", "cell_is_value", ("Value",), 1)
