"""Learning under constraints: every rule keeps to them, and explains what was shown."""

import warnings
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from shown.columns.resources import Resources
from shown.columns.rows import labels_of
from shown.demonstrations import Demonstrations
from shown.errors import Contradicted
from shown.grid import Tokens, grid
from shown.inference.features import combine
from shown.inference.fitting import Fitting
from shown.inference.learner import Learner
from shown.language.grammar import paper_grammar
from shown.language.primitives import LANGUAGE
from shown.language.terms import parse
from shown.provenance import ConstraintsRecord
from shown.rules import NO_CONSTRAINTS, Constraints
from shown.worlds import demonstrate, find, load_levels
from strategies import allowed, examples

NIM, CHASE, STOP = find("nim"), find("chase"), find("stop-the-fall")
DEMOS = {game: demonstrate(game, load_levels(game, "train:0-1")) for game in (NIM, CHASE, STOP)}
STICK = "at_action_cell(cell_is_value(matchstick))"


def fitting_of(demos, programs, constraints=NO_CONSTRAINTS):
    grammar = paper_grammar(demos.tokens)
    fitting = Fitting(grammar, list(grammar.blocks(programs)), Resources(threads=1), constraints)
    for item in demos:  # one batch each
        fitting.add(replace(demos, items=(item,)))
    return fitting


def explains_all(policy, demos):
    """Every component allows every action that was shown."""
    return all(all(allowed(policy, demos.steps, i)) for i in range(len(policy.components)))


@settings(max_examples=examples(12), deadline=None)
@given(st.data(), st.sampled_from((NIM, CHASE, STOP)), st.sampled_from(("trees", "clauses")))
def test_every_rule_keeps_to_the_constraints_and_explains_what_was_shown(data, game, search):
    demos = DEMOS[game]
    learner = Learner(programs=400, search=search, ensemble=8, resources=Resources(threads=1))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        before = learner.fit(demos).policy_
        formula = data.draw(st.sampled_from(before.components)).formula
        clauses = st.sampled_from(formula.clauses)
        pinned = data.draw(st.lists(clauses, max_size=2, unique=True))
        kept = {literal.term for clause in pinned for literal in clause}
        others = [literal.term for literal in formula.literals if literal.term not in kept]
        struck = data.draw(st.lists(st.sampled_from(others), max_size=2, unique=True)) if others else []
        constraints = Constraints(tuple(pinned), tuple(struck))
        learner = replace(learner, constraints=constraints).fit(demos)
    apart = [item.clause for item in learner.contradictions_]
    if learner.formulas_:
        assert learner.policy_.keeps_to(constraints.without(apart))
        assert explains_all(learner.policy_, demos)
        assert learner.explained_ == len(demos.steps)
        assert learner.policy_.provenance.constraints == ConstraintsRecord.of(constraints)
    if not struck:
        assert learner.formulas_


@settings(max_examples=examples(15), deadline=None)
@given(st.sampled_from((NIM, CHASE)), st.lists(st.integers(0, 299), min_size=1, max_size=3))
def test_features_without_struck_programs_are_as_if_every_program_had_been_read(game, places):
    demos = DEMOS[game]
    grammar = paper_grammar(demos.tokens)
    terms = [term for term, _ in grammar.programs(300)]
    constraints = Constraints((), tuple(terms[place] for place in places))
    fitting = fitting_of(demos, 300, constraints)
    labels = labels_of(fitting.rows, demos.steps)
    fast = fitting.features(labels)
    away = [i for i, term in enumerate(terms) if constraints.strikes(term)]
    assert set(places) <= set(away)
    plain = combine(fitting.evaluators, fitting.blocks, mask=labels.mask, without=away)
    assert fast.first.tolist() == plain.first.tolist()
    np.testing.assert_array_equal(fast.columns, plain.columns)
    assert not any(constraints.strikes(term) for term in fast.terms)
    # Nothing else has gone: every other program that is not constant still has a feature with its column.
    everything = fitting_of(demos, 300).features(labels)
    gone = set(everything.first.tolist()) - set(fast.first.tolist())
    assert gone <= set(away)


@pytest.mark.parametrize("search", ["trees", "clauses"])
def test_without_constraints_nothing_changes(search):
    demos = DEMOS[NIM]
    learner = Learner(programs=300, search=search)
    far = parse("at_action_cell(shifted((9, 9), cell_is_value(empty)))", LANGUAGE, demos.tokens.values)
    plain = learner.fit(demos).policy_
    assert replace(learner, constraints=Constraints()).fit(demos).policy_.to_json() == plain.to_json()
    assert plain.provenance.constraints is None
    if search == "clauses":
        # What no rule would say anyway is struck in vain.
        struck = replace(learner, constraints=Constraints((), (far,))).fit(demos).policy_
        assert struck.components == plain.components


def test_an_alias_takes_the_place_of_what_was_struck():
    tokens = Tokens(empty=".", stick="|", star="*")
    boards = [(grid("*.|", "...", "..."), (0, 0)), (grid("...", "*.|", "..."), (1, 0))]
    demos = Demonstrations.from_runs(tokens, [boards])
    learner = Learner(programs=200).fit(demos)
    assert str(learner.policy_.components[0].formula) == "at_action_cell(cell_is_value(star))"
    struck = Constraints.parse([], ["at_action_cell(cell_is_value(star))"], tokens)
    other = replace(learner, constraints=struck).fit(demos)
    assert other.policy_.keeps_to(struck)
    assert explains_all(other.policy_, demos)


def test_a_rule_that_contradicts_is_left_out_and_named():
    demos = DEMOS[NIM]
    constraints = Constraints.parse([STICK], [], demos.tokens)
    with pytest.warns(Contradicted, match="in demonstration 0, step 0, where"):
        learner = Learner(programs=300, constraints=constraints).fit(demos)
    (item,) = learner.contradictions_
    assert (item.demonstration, item.step, item.action) == (0, 0, demos.steps[0].action)
    assert demos.steps[0].grid[item.other] == "|"
    assert item.sentence == "the clicked cell is a matchstick"
    assert item.to_json()["text"].count("\n") == 0
    assert learner.formulas_


def test_what_was_refused_contradicts_too():
    demos = DEMOS[NIM].select([0])
    board, click = demos.steps[0].grid, demos.steps[0].action
    other = next(cell for cell in board.cells() if board[cell] == "|" and cell != click)
    step = replace(demos.steps[0], action=other, refused=True)
    refusing = replace(demos, items=(replace(demos.items[0], steps=(step,)),))
    with pytest.warns(Contradicted, match="which was refused there"):
        Learner(programs=300, constraints=Constraints.parse([STICK], [], demos.tokens)).fit(refusing)


def test_a_rule_that_explains_everything_is_all_there_is():
    demos = DEMOS[NIM]
    learner = Learner(programs=300, search="clauses").fit(demos)
    best = learner.policy_.components[0].formula
    pinned = replace(learner, constraints=Constraints(best.clauses)).fit(demos).policy_
    assert [set(map(frozenset, part.formula.clauses)) for part in pinned.components] == [
        set(map(frozenset, best.clauses))
    ]
