"""Ambiguous grammars: each program occurs once, with its total probability, in non-increasing order."""

import itertools
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, replace
from fractions import Fraction
from itertools import pairwise

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from shown.errors import BadInput
from shown.grid import Tokens
from shown.language.enumeration import NormalForm
from shown.language.grammar import Grammar, Leaves, Rule, geometric, paper_grammar, paper_offsets, uniform
from shown.language.leaves import MAX_LEVELS
from shown.language.primitives import LANGUAGE, Primitive
from shown.language.terms import Kind, Term
from strategies import examples

TWO = Tokens(empty=".", stick="|")
HALF, THIRD, QUARTER = Fraction(1, 2), Fraction(1, 3), Fraction(1, 4)


def listed(grammar, least):
    """The first programs with their probabilities, block by block."""
    found = []
    for block in grammar.blocks(least):
        found += [(block.shape.term(i), block.probability) for i in range(block.count)]
    return found


# --- the sum over all derivations of one program, said as plainly as possible ----------------------------------------


def share(leaves, atom, levels=60):
    """How probable an atom is among some leaves, by looking through them."""
    return sum((p for p, atoms in itertools.islice(leaves.levels(), levels) if atom in atoms), Fraction(0))


def inside(grammar, symbol, argument):
    """The probability that a symbol derives just this: rule by rule, argument by argument."""
    if symbol in grammar.leaves:
        return share(grammar.leaves[symbol], argument)
    total = Fraction(0)
    for rule in grammar.rules:
        if rule.left != symbol:
            continue
        if rule.primitive is None:
            total += rule.probability * inside(grammar, rule.right[0], argument)
        elif isinstance(argument, Term) and argument.primitive == rule.primitive:
            product = rule.probability
            for part, inner in zip(rule.right, argument.arguments, strict=True):
                product *= inside(grammar, part, inner)
            total += product
    return total


def all_terms(grammar, depth):
    """Every term that could be written with the grammar's primitives and some of its atoms, up to a depth."""
    atoms = {}
    for leaves in grammar.leaves.values():
        found = [atom for _, level in itertools.islice(leaves.levels(), 3) for atom in level]
        atoms[leaves.kind] = list(dict.fromkeys([*atoms.get(leaves.kind, []), *found]))
    names = dict.fromkeys(rule.primitive for rule in grammar.rules if rule.primitive)
    known = {Kind.CONDITION: [], Kind.PROGRAM: []}
    for _ in range(depth):
        grown = {Kind.CONDITION: [], Kind.PROGRAM: []}
        for name in names:
            primitive = grammar.language[name]
            choices = [known[k] if k in known else atoms.get(k, []) for k in primitive.takes]
            grown[primitive.gives] += [Term(name, arguments) for arguments in itertools.product(*choices)]
        known = grown
    return known[Kind.PROGRAM]


def agrees_with_the_sums(grammar, count, depth=3):
    programs = listed(grammar, count)
    assert all(p >= q for (_, p), (_, q) in pairwise(programs))
    assert max(Counter(term for term, _ in programs).values(), default=1) == 1
    for term, probability in programs:
        assert probability == inside(grammar, grammar.start, term)
    last = programs[-1][1] if len(programs) == count else Fraction(0)
    names = {term for term, _ in programs}
    for term in all_terms(grammar, depth):
        assert term in names or inside(grammar, grammar.start, term) <= last
    return programs


# --- random small grammars --------------------------------------------------------------------------------------------

# Few and small primitives, so that random rules for the same symbols often say the same thing in several ways.
SMALL = LANGUAGE.extended(
    Primitive("both", (Kind.CONDITION, Kind.CONDITION), Kind.CONDITION, lambda *a: True, "", ""),
    Primitive("near", (Kind.CONDITION,), Kind.CONDITION, lambda *a: True, "", ""),
    Primitive("wall", (), Kind.CONDITION, lambda *a: True, "", ""),
)


@dataclass(frozen=True)
class Steps:
    """Finite leaves in several levels."""

    levels: tuple

    def __call__(self) -> Iterator:
        return iter(self.levels)


@st.composite
def some_leaves(draw):
    """One or two levels of values, of which other leaves may have the same."""
    names = draw(st.permutations(["a", "b", "c"]))[: draw(st.integers(1, 3))]
    cut = draw(st.integers(1, len(names)))
    first = Fraction(draw(st.integers(1, 2)), 6)
    levels = [(first, tuple(names[:cut])), (first / draw(st.integers(1, 3)), tuple(names[cut:]))]
    return Leaves(Kind.VALUE, Steps(tuple(level for level in levels if level[1])))


@st.composite
def grammars(draw):
    """Rules at random. Those without a primitive only lead on to later symbols, so that plain sums have an end."""
    symbols = ["C", "D", "E"]
    rules = [("P", "at_action_cell", (draw(st.sampled_from(symbols)),)) for _ in range(draw(st.integers(1, 2)))]
    rules += [("P", "at_cell_with_value", (draw(st.sampled_from("VWX")), "C"))] * draw(st.integers(0, 1))
    for i, left in enumerate(symbols):
        rules.append((left, "cell_is_value", (draw(st.sampled_from("VWX")),)))
        for _ in range(draw(st.integers(0, 4))):
            kind = draw(st.integers(0, 4))
            if kind == 0 and i < 2:
                rules.append((left, None, (draw(st.sampled_from(symbols[i + 1 :])),)))
            elif kind == 1:
                rules.append((left, "near", (draw(st.sampled_from(symbols)),)))
            elif kind == 2:
                rules.append((left, "both", (draw(st.sampled_from(symbols)), draw(st.sampled_from(symbols)))))
            elif kind == 3:
                rules.append((left, "wall", ()))
            else:
                rules.append((left, "cell_is_value", (draw(st.sampled_from("VWX")),)))
    rules.append(("X", None, ("V",)))
    rules.append(("X", None, (draw(st.sampled_from("VW")),)))
    weights = [draw(st.integers(1, 3)) for _ in rules]
    sums = Counter()
    for (left, _, _), weight in zip(rules, weights, strict=True):
        sums[left] += weight
    return Grammar(
        "P",
        tuple(Rule(*rule, Fraction(w, sums[rule[0]])) for rule, w in zip(rules, weights, strict=True)),
        {"V": draw(some_leaves()), "W": draw(some_leaves())},
        SMALL,
    )


@given(grammars(), st.integers(1, 60))
@settings(max_examples=examples(150), deadline=None)
def test_any_grammar_lists_each_program_once_with_the_sum_of_its_derivations(grammar, count):
    agrees_with_the_sums(grammar, count)


@given(grammars())
@settings(max_examples=examples(60), deadline=None)
def test_bounds_never_promise_too_little(grammar):
    form = NormalForm(grammar)
    for term in all_terms(grammar, 3)[:300]:
        assert inside(grammar, "P", term) <= form.most["P"]
        (condition,) = term.parts
        for symbol in "CDE":
            if symbol in form.most:
                assert inside(grammar, symbol, condition) <= form.most[symbol]


# --- grammars that people write ---------------------------------------------------------------------------------------


def test_the_example_of_extended_lists_no_program_twice():
    wider = paper_grammar(TWO).extended(Rule("C", "scanning", ("O", "C", "C"), 0.2))
    programs = [term for term, _ in wider.programs(3000)]
    assert len(set(programs)) == 3000
    agrees_with_the_sums(wider, 120, depth=2)


def test_a_second_way_to_a_condition_makes_it_more_probable():
    narrow, wide = paper_grammar(TWO), paper_grammar(TWO).extended(Rule("C", "cell_is_value", ("V",), 0.2))
    first, second = (dict(listed(grammar, 3)) for grammar in (narrow, wide))
    assert list(first) == list(second)
    assert set(first.values()) == {HALF * QUARTER / 3}
    assert set(second.values()) == {HALF * (Fraction(1, 5) + Fraction(4, 5) * QUARTER) / 3}


def test_leaves_that_share_atoms_are_taken_apart():
    rules = (
        Rule("P", "at_action_cell", ("B",), 1),
        Rule("B", "cell_is_value", ("V",), HALF),
        Rule("B", "cell_is_value", ("W",), HALF),
    )
    leaves = {"V": uniform(Kind.VALUE, ("a", "b", "c")), "W": uniform(Kind.VALUE, ("d", "c", "b", "e"))}
    blocks = list(Grammar("P", rules, leaves).blocks())
    assert [(block.shape.arguments[0].arguments[0].atoms, block.probability) for block in blocks] == [
        (("b", "c"), HALF * THIRD + HALF * QUARTER),
        (("a",), HALF * THIRD),
        (("d", "e"), HALF * QUARTER),
    ]


def test_two_names_for_the_same_leaves_are_one():
    rules = (
        Rule("P", "at_action_cell", ("B",), 1),
        Rule("B", "shifted", ("O", "D"), HALF),
        Rule("B", "shifted", ("N", "D"), HALF),
        Rule("D", "cell_is_value", ("V",), 1),
    )
    leaves = {"O": paper_offsets(), "N": paper_offsets(), "V": uniform(Kind.VALUE, ("a",))}
    one = Grammar("P", (*rules[:1], Rule("B", "shifted", ("O", "D"), 1), rules[3]), {**leaves})
    assert listed(Grammar("P", rules, leaves), 200) == listed(one, 200)


NEAR = (
    Rule("P", "at_action_cell", ("B",), 1),
    Rule("B", "shifted", ("O", "D"), HALF),
    Rule("B", "shifted", ("K", "D"), HALF),
    Rule("D", "cell_is_value", ("V",), 1),
)
KNIGHT = uniform(Kind.OFFSET, tuple((a, b) for a in (-2, -1, 1, 2) for b in (-2, -1, 1, 2) if abs(a) != abs(b)))


def test_leaves_without_end_meet_others():
    grammar = Grammar("P", NEAR, {"O": paper_offsets(), "K": KNIGHT, "V": uniform(Kind.VALUE, ("a",))})
    programs = agrees_with_the_sums(grammar, 40)
    assert str(programs[0][0]) == "at_action_cell(shifted((-2, -1), cell_is_value(a)))"
    assert programs[0][1] == HALF * share(paper_offsets(), (-2, -1)) + HALF / 8


def test_two_kinds_of_leaves_without_end():
    twice = (
        Rule("P", "at_action_cell", ("B",), 1),
        Rule("B", "counts", ("N", "M"), HALF),
        Rule("B", "counts", ("M", "N"), HALF),
    )
    counts = Primitive("counts", (Kind.NUMBER, Kind.NUMBER), Kind.CONDITION, lambda *a: True, "", "")
    leaves = {"N": geometric(), "M": geometric(stay=THIRD)}
    grammar = Grammar("P", twice, leaves, LANGUAGE.extended(counts))
    programs = agrees_with_the_sums(grammar, 50)
    sums = dict(programs)
    assert sums[Term("at_action_cell", (Term("counts", (1, 1)),))] == HALF * Fraction(2, 3)


def endless():
    return ((HALF ** (i + 1), ((i + 1, 1),)) for i in itertools.count())


def test_leaves_that_cannot_say_how_probable_an_atom_is():
    leaves = {"O": Leaves(Kind.OFFSET, endless), "K": KNIGHT, "V": uniform(Kind.VALUE, ("a",))}
    with pytest.raises(BadInput, match=f"more than {MAX_LEVELS:,} levels and no probability"):
        list(Grammar("P", NEAR, leaves).blocks(10))
    # By themselves they need not.
    alone = Grammar("P", (NEAR[0], replace(NEAR[1], probability=Fraction(1)), NEAR[3]), leaves)
    assert sum(block.count for block in alone.blocks(10)) == 10


def test_an_atom_that_leaves_have_twice_is_refused():
    rules = (Rule("P", "at_action_cell", ("B",), 1), Rule("B", "cell_is_value", ("V",), 1))
    with pytest.raises(BadInput, match="leaves have 'a' twice"):
        list(Grammar("P", rules, {"V": uniform(Kind.VALUE, ("a", "b", "a"))}).blocks())


def test_rules_that_lead_round_in_circles():
    """C and B form a cycle, whose derivations add up to a geometric series."""
    rules = (
        Rule("P", "at_action_cell", ("C",), 1),
        Rule("C", None, ("B",), HALF),
        Rule("C", "near", ("C",), HALF),
        Rule("B", None, ("C",), THIRD),
        Rule("B", "wall", (), THIRD),
        Rule("B", None, ("B",), THIRD),
    )
    programs = listed(Grammar("P", rules, {}, SMALL), 4)
    # B → B as often as one likes: from B one leaves for C or wall with 1/2 each. So C → wall with 1/2 · 1/2, over
    # 1 − 1/4 for the ways round, and C → near with 1/2 over the same.
    assert [p for _, p in programs] == [THIRD * Fraction(2, 3) ** n for n in range(4)]
    assert str(programs[2][0]) == "at_action_cell(near(near(wall())))"


def test_symbols_without_end_in_sight_take_nothing_along():
    rules = (
        Rule("P", "at_action_cell", ("C",), 1),
        Rule("C", "wall", (), HALF),
        Rule("C", None, ("D",), HALF),
        Rule("D", None, ("E",), 1),
        Rule("E", None, ("D",), 1),
    )
    assert [p for _, p in listed(Grammar("P", rules, {}, SMALL), 4)] == [HALF]


def test_sums_along_a_chain():
    """near(near(… wall)) can be derived in 2ⁿ ways, all of which count."""
    rules = (
        Rule("P", "at_action_cell", ("C",), 1),
        Rule("C", "near", ("C",), QUARTER),
        Rule("C", "near", ("D",), QUARTER),
        Rule("C", "wall", (), HALF),
        Rule("D", "near", ("D",), QUARTER),
        Rule("D", "near", ("C",), QUARTER),
        Rule("D", "wall", (), HALF),
    )
    assert [p for _, p in listed(Grammar("P", rules, {}, SMALL), 12)] == [HALF ** (n + 1) for n in range(12)]
