"""Being taught under constraints: hypotheses, practice, corrections and what is remembered keep to them."""

import math
from dataclasses import replace

import pytest

from shown.language.standard import STANDARD
from shown.rules import Constraints
from shown.teaching.many_demonstrations import SelectivePupil
from shown.teaching.teach import Pupil, does, teach
from shown.worlds import demonstrate, find, load_levels
from shown_evidence.trials.demonstrators import demonstrations as shown_by

NIM, STOP, FENCE = find("nim"), find("stop-the-fall"), find("fence-in")
QUICK = {"programs": 1500, "rounds": 2, "practice": math.inf}


def expert(game, levels):
    return demonstrate(game, load_levels(game, levels))


@pytest.mark.parametrize("game", [NIM, STOP], ids=lambda game: game.name)
def test_what_is_struck_does_not_come_back(game):
    demos = expert(game, "train:0-1")
    before = teach(demos, game, **QUICK)
    said = before.policy.speaker.canonical(before.policy.components[0].formula).literals
    constraints = Constraints((), (said[-1].term,), before.policy.language)
    taught = teach(demos, game, constraints=constraints, **QUICK)
    assert taught.learned
    assert taught.policy.keeps_to(constraints)
    assert not before.policy.keeps_to(constraints)
    assert taught.policy.provenance.constraints.struck == (str(said[-1].term),)


@pytest.mark.parametrize("game", [NIM, STOP], ids=lambda game: game.name)
def test_what_is_pinned_stays_in_every_rule(game):
    demos = expert(game, "train:0-1")
    before = teach(demos, game, **QUICK).policy
    constraints = Constraints(before.components[-1].formula.clauses[:1], (), before.language)
    taught = teach(demos, game, constraints=constraints, **QUICK)
    assert taught.learned
    assert taught.contradictions == ()
    assert taught.policy.keeps_to(constraints)


def test_a_pinned_rule_that_allows_several_actions_selects_an_interpretation_that_leaves_them_open():
    demos = shown_by(FENCE, "train:0,train:1", "style:row-in-any-order")
    text = "at_action_cell(cell_is_value(empty)) and at_action_cell(shifted((-1, 0), scanning((0, {}), {}, {})))"
    sheep, fence = "cell_is_value(sheep)", "cell_is_value(fence)"
    constraints = Constraints.parse([text.format(-1, sheep, fence)], [], FENCE.tokens)
    taught = teach(demos, FENCE, constraints=constraints, programs=2000, rounds=2)
    assert taught.contradictions == ()
    assert taught.hypothesis.interpretation.order == "any"
    assert taught.policy.keeps_to(constraints)
    assert "exact clicks" not in [tried.hypothesis.name for tried in taught.tried]


def test_a_contradiction_is_named_and_nothing_else_is_lost():
    demos = expert(NIM, "train:0")
    constraints = Constraints.parse(["at_action_cell(cell_is_value(empty))"], [], NIM.tokens)
    taught = teach(demos, NIM, constraints=constraints, **QUICK)
    (item,) = taught.contradictions
    assert (item.demonstration, item.step) == (0, 0)
    assert "the clicked cell is empty" in item.text
    assert taught.learned
    assert taught.practice == (120, 120)


def test_a_rule_in_words_that_the_hypothesis_does_not_have_is_kept_in_those_that_have_it():
    demos = expert(NIM, "train:0")
    text = "at_action_cell(cell_is_value(matchstick)) and at_action_cell(at_least(9, row, cell_is_value(matchstick)))"
    constraints = Constraints.parse([text], [], NIM.tokens, language=STANDARD)
    taught = teach(demos, NIM, constraints=constraints, **QUICK)
    assert taught.contradictions == ()
    assert taught.policy.language == STANDARD
    assert taught.policy.keeps_to(constraints)


def test_corrections_and_what_is_remembered_keep_to_them():
    first = teach(expert(NIM, "train:0"), NIM, **QUICK)
    literal = first.policy.speaker.canonical(first.policy.components[0].formula).literals[-1]
    constraints = Constraints((), (literal.term,), first.policy.language)
    pupil = Pupil(NIM, constraints=constraints, **QUICK)
    pupil.remember(first.policy, expert(NIM, "train:0"))
    taught = pupil.correct(expert(NIM, "train:3"))
    assert taught.policy.keeps_to(constraints)
    again = pupil.learn()
    assert again.policy.keeps_to(constraints)
    assert does(again.policy, pupil.demonstrations)


@pytest.fixture(scope="module")
def struck():
    """Eight demonstrations of Nim, the policy learned from them, and the constraint not to use its last condition."""
    demos = expert(NIM, "train:0-7")
    policy = teach(demos, NIM, **QUICK).policy
    literal = policy.speaker.canonical(policy.components[0].formula).literals[-1]
    return demos, policy, Constraints((), (literal.term,), policy.language)


def test_no_rule_reported_for_many_demonstrations_breaks_a_constraint(struck):
    demos, _, constraints = struck
    run = SelectivePupil(Pupil(NIM, constraints=constraints, **QUICK)).iter_learn(demos)
    first = next(run)
    assert first.best is not None
    assert first.best.keeps_to(constraints)
    assert all(progress.best is None or progress.best.keeps_to(constraints) for progress in run)


def test_a_stopped_pupil_does_not_keep_an_earlier_rule_that_breaks_a_constraint(struck):
    demos, before, constraints = struck
    assert not before.keeps_to(constraints)
    pupil = Pupil(NIM, constraints=constraints, **QUICK)
    pupil.remember(before)
    run = SelectivePupil(pupil).iter_learn(demos)
    next(run)
    run.close()
    assert pupil.taught is None
    kept = Pupil(NIM, **QUICK)
    kept.remember(before)
    run = SelectivePupil(kept).iter_learn(demos)
    next(run)
    run.close()
    assert kept.taught.policy.components == before.components


def test_the_same_without_constraints():
    demos = expert(NIM, "train:0-1")
    plain, empty = (teach(demos, NIM, **QUICK, **more) for more in ({}, {"constraints": Constraints()}))
    assert plain.policy.to_json() == empty.policy.to_json()
    assert replace(plain, policy=empty.policy) == empty
