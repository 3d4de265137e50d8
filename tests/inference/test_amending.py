"""Amending: as little as it takes to fit what else was shown."""

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from shown.columns.resources import Resources
from shown.columns.rows import labels_of
from shown.demonstrations import Demonstration, Demonstrations, Step
from shown.grid import grid
from shown.inference.amending import Amender, amended
from shown.inference.fitting import Fitting
from shown.language.grammar import paper_grammar
from shown.language.primitives import LANGUAGE
from shown.language.terms import parse
from shown.policy import Component, Formula, Literal, Policy
from shown.rules.bitwise import formula_bits
from strategies import TOKENS, examples, grids


def fitted(steps, programs=200):
    """The programs on the positions of some steps, and what those steps say."""
    grammar = paper_grammar(TOKENS)
    fitting = Fitting(grammar, list(grammar.blocks(programs)), Resources(threads=1))
    fitting.add(Demonstrations(TOKENS, (Demonstration(tuple(steps)),)))
    return fitting, labels_of(fitting.rows, steps)


def policy(*texts):
    """One rule: a clause for each text."""
    literals = [Literal(parse(text, LANGUAGE, TOKENS.values)) for text in texts]
    return Policy(TOKENS, (Component(1.0, -1.0, 0.0, Formula(tuple((x,) for x in literals))),))


STAR, WALL = (f"at_action_cell(cell_is_value({name}))" for name in ("star", "wall"))


def test_what_fits_stays_as_it_is():
    before = policy(STAR)
    fitting, labels = fitted([Step(grid("*.#"), (0, 0))])
    after = amended(before, fitting, labels)
    assert after.components[0].formula == before.components[0].formula
    assert after.components[0].log_prior == next(fitting.grammar.blocks(10)).log_prior


def test_a_clause_that_allows_too_much_is_narrowed_and_the_others_stay():
    fitting, labels = fitted([Step(grid("*..", "#.*"), (0, 0)), Step(grid("#.."), (0, 0))])
    after = amended(policy(STAR, WALL), fitting, labels)
    clauses = after.components[0].formula.clauses
    assert all(clause[0] in {Literal(parse(t, LANGUAGE, TOKENS.values)) for t in (STAR, WALL)} for clause in clauses)
    assert len(clauses) == 2
    assert (after.act(grid("*..", "#.*")), after.act(grid("#.."))) == ((0, 0), (0, 0))


def test_what_no_clause_allows_gets_one_of_its_own():
    fitting, labels = fitted([Step(grid("*.."), (0, 0)), Step(grid(".#."), (0, 1))])
    before = policy(STAR)
    after = amended(before, fitting, labels)
    assert after.components[0].formula.clauses[0] == before.components[0].formula.clauses[0]
    assert len(after.components[0].formula.clauses) == 2


def test_what_no_program_tells_apart_cannot_be_amended():
    fitting, labels = fitted([Step(grid(".."), (0, 0))], programs=3)
    assert amended(policy(STAR), fitting, labels) is None


def test_a_rule_that_looks_further_than_the_programs_do_is_left_alone():
    fitting, labels = fitted([Step(grid("*."), (0, 0))], programs=3)
    assert amended(policy("at_action_cell(shifted((5, 5), cell_is_value(OFF)))"), fitting, labels) is None


@given(st.lists(grids(most=3), min_size=1, max_size=4, unique=True), st.data())
@settings(deadline=None, max_examples=examples(60))
def test_whatever_is_amended_fits_exactly(boards, data):
    steps = [Step(board, data.draw(st.sampled_from(list(board.cells())))) for board in boards]
    fitting, labels = fitted(steps)
    features = fitting.features(labels)
    literal = st.tuples(st.integers(0, max(0, len(features) - 1)), st.booleans())
    clause = st.lists(literal, max_size=3, unique_by=lambda x: x[0]).map(tuple)
    clauses = tuple(data.draw(st.lists(clause, max_size=3))) if len(features) else ()
    found = Amender(features, np.empty((0, features.columns.shape[1]), np.uint64), labels)(clauses)
    if found is not None:
        assert np.array_equal(formula_bits(found, features.columns, labels.mask), labels.positive)
