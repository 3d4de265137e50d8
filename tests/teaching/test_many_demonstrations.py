"""Many demonstrations, a few at a time."""

import pytest

from shown.policy import uniform_policy
from shown.teaching.many_demonstrations import SelectivePupil
from shown.teaching.result import TeachingPhase
from shown.teaching.teach import Pupil, teach
from shown.worlds import demonstrate, find, load_levels

NIM = find("nim")


def learn(pupil, shown, at_once):
    stages = SelectivePupil(pupil, at_once).iter_learn(shown)
    while True:
        try:
            next(stages)
        except StopIteration as end:
            return end.value


@pytest.mark.parametrize("at_once", [1, 2, 4])
def test_everything_that_was_shown_is_done_though_little_of_it_was_learned_from(at_once):
    shown = demonstrate(NIM, load_levels(NIM, "train"))
    pupil = Pupil(NIM, programs=2000, practice=0)
    taught = learn(pupil, shown, at_once)
    assert taught.learned
    assert len(pupil.demonstrations) < len(shown)
    assert all(taught.policy.act(step.grid) == step.action for step in shown.steps)
    about = taught.policy.provenance.demonstrations
    assert (about.digest, about.count) == (shown.digest, len(shown))


def test_a_few_are_learned_as_ever():
    shown = demonstrate(NIM, load_levels(NIM, "train:0-2"))
    taught = learn(Pupil(NIM, programs=2000), shown, 3)
    assert taught.policy == teach(shown, NIM, programs=2000).policy


def test_what_is_remembered_begins_with_what_it_does_not_do():
    shown = demonstrate(NIM, load_levels(NIM, "train"))
    good = teach(demonstrate(NIM, load_levels(NIM, "train:0-2")), NIM, programs=2000).policy
    pupil = Pupil(NIM, programs=2000)
    pupil.remember(good)
    taught = learn(pupil, shown, 2)
    assert taught.policy.components == good.components
    assert pupil.demonstrations.items == shown.items[-2:]


def test_what_is_remembered_may_do_nothing_that_was_shown():
    shown = demonstrate(NIM, load_levels(NIM, "train"))
    pupil = Pupil(NIM, programs=2000, practice=0)
    pupil.remember(uniform_policy(NIM.tokens, "nim"))
    first = next(SelectivePupil(pupil, 2).iter_learn(shown))
    assert first.phase
    assert len(pupil.demonstrations) == 2


def test_what_nothing_explains_is_not_hidden_by_the_rest():
    """One demonstration of a click that no program tells from another, far from those that are learned from first."""
    shown = demonstrate(NIM, load_levels(NIM, "train"))
    pupil = Pupil(NIM, programs=2, practice=0)
    assert not learn(pupil, shown, 2).learned


def test_a_first_rule_is_told_at_a_glance_before_anything_is_tried_out():
    shown = demonstrate(NIM, load_levels(NIM, "train"))
    pupil = Pupil(NIM, programs=2000)
    first = next(SelectivePupil(pupil, 2).iter_learn(shown))
    assert first.phase is TeachingPhase.FITTING
    assert first.best is not None
    assert first.best.provenance.demonstrations.count < len(shown)
    assert pupil.taught is None
