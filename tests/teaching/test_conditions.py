"""Being taught under conditions: hypotheses, practice, corrections and what is remembered keep to them."""

import math
from dataclasses import replace

import pytest

from shown.experiments.teaching import demonstrations as shown_by
from shown.games import demonstrate, find, load_levels
from shown.language.standard import STANDARD
from shown.rules import Conditions
from shown.teaching.teach import Pupil, does, teach

NIM, STOP, FENCE = find("nim"), find("stop-the-fall"), find("fence-in")
QUICK = {"programs": 1500, "rounds": 2, "practise": math.inf}


def expert(game, levels):
    return demonstrate(game, load_levels(game, levels))


@pytest.mark.parametrize("game", [NIM, STOP], ids=lambda game: game.name)
def test_what_is_struck_does_not_come_back(game):
    demos = expert(game, "train:0-1")
    before = teach(demos, game, **QUICK)
    said = before.policy.speaker.canonical(before.policy.components[0].formula).literals
    conditions = Conditions((), (said[-1].term,), before.policy.language)
    taught = teach(demos, game, conditions=conditions, **QUICK)
    assert taught.learned
    assert taught.policy.keeps_to(conditions)
    assert not before.policy.keeps_to(conditions)
    assert taught.policy.origin["conditions"]["struck"] == [str(said[-1].term)]


@pytest.mark.parametrize("game", [NIM, STOP], ids=lambda game: game.name)
def test_what_is_pinned_stays_in_every_rule(game):
    demos = expert(game, "train:0-1")
    before = teach(demos, game, **QUICK).policy
    conditions = Conditions(before.components[-1].formula.clauses[:1], (), before.language)
    taught = teach(demos, game, conditions=conditions, **QUICK)
    assert taught.learned
    assert taught.contradictions == ()
    assert taught.policy.keeps_to(conditions)


def test_a_reading_that_leaves_it_open_is_taken_for_a_rule_that_allows_several():
    demos = shown_by(FENCE, "train:0,train:1", "style:row-in-any-order")
    text = "at_action_cell(cell_is_value(empty)) and at_action_cell(shifted((-1, 0), scanning((0, {}), {}, {})))"
    sheep, fence = "cell_is_value(sheep)", "cell_is_value(fence)"
    conditions = Conditions.parse([text.format(-1, sheep, fence)], [], FENCE.tokens)
    taught = teach(demos, FENCE, conditions=conditions, programs=2000, rounds=2)
    assert taught.contradictions == ()
    assert taught.hypothesis.reading.order == "any"
    assert taught.policy.keeps_to(conditions)
    assert "as clicked" not in [tried.hypothesis.name for tried in taught.tried]


def test_a_contradiction_is_named_and_nothing_else_is_lost():
    demos = expert(NIM, "train:0")
    conditions = Conditions.parse(["at_action_cell(cell_is_value(empty))"], [], NIM.tokens)
    taught = teach(demos, NIM, conditions=conditions, **QUICK)
    (item,) = taught.contradictions
    assert (item.demonstration, item.step) == (0, 0)
    assert "the clicked cell is empty" in item.text
    assert taught.learned
    assert taught.practice == (120, 120)


def test_a_rule_in_words_that_the_hypothesis_does_not_have_is_kept_in_those_that_have_it():
    demos = expert(NIM, "train:0")
    text = "at_action_cell(cell_is_value(matchstick)) and at_action_cell(at_least(9, row, cell_is_value(matchstick)))"
    conditions = Conditions.parse([text], [], NIM.tokens, language=STANDARD)
    taught = teach(demos, NIM, conditions=conditions, **QUICK)
    assert taught.contradictions == ()
    assert taught.policy.language == STANDARD
    assert taught.policy.keeps_to(conditions)


def test_corrections_and_what_is_remembered_keep_to_them():
    first = teach(expert(NIM, "train:0"), NIM, **QUICK)
    literal = first.policy.speaker.canonical(first.policy.components[0].formula).literals[-1]
    conditions = Conditions((), (literal.term,), first.policy.language)
    pupil = Pupil(NIM, conditions=conditions, **QUICK)
    pupil.remember(first.policy, expert(NIM, "train:0"))
    taught = pupil.correct(expert(NIM, "train:3"))
    assert taught.policy.keeps_to(conditions)
    again = pupil.learn()
    assert again.policy.keeps_to(conditions)
    assert does(again.policy, pupil.demonstrations)


def test_the_same_without_conditions():
    demos = expert(NIM, "train:0-1")
    plain, empty = (teach(demos, NIM, **QUICK, **more) for more in ({}, {"conditions": Conditions()}))
    assert plain.policy.to_json() == empty.policy.to_json()
    assert replace(plain, policy=empty.policy) == empty
