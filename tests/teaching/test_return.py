"""Where nothing can be won, policies are practiced, compared and expected by their return."""

import math
import time
from dataclasses import replace
from statistics import fmean

import pytest

from orchards import STEPS, WIDTH, Orchard
from shown.cli import learn
from shown.components import RatedRule
from shown.demonstrations import Step
from shown.errors import BadInput
from shown.grid import Grid
from shown.inference.learner import Learner
from shown.policy import Policy
from shown.provenance import MeanReturn, Provenance, SuccessRate
from shown.rules import NO_CONSTRAINTS
from shown.studio.policy_summary import summary
from shown.teaching.practice.credit import turning_point
from shown.teaching.practice.ground import FRESH_LEVELS, Ground
from shown.teaching.practice.measure import WINNING, Measure, measure_of
from shown.teaching.task import Task
from shown.teaching.teach import iter_teach, teach
from shown.worlds import demonstrate, play_many


class Precipice(Orchard):
    """An orchard at a precipice: a step over the right edge is the last one. The apple is always at the left edge."""

    def _another(self, at):
        return 0

    def step(self, action):
        falls = action == "right" and self.at == WIDTH - 1
        return replace(super().step(action), over=falls)


class Falls:
    """Goes right, unless it has been as far left as the third cell: then it goes left."""

    deterministic = True

    def act_many(self, grids):
        return ["left" if grid.rows[0].index("A") <= 2 else "right" for grid in grids]


ORCHARD = Orchard()


@pytest.fixture(scope="module")
def taught():
    return teach(demonstrate(ORCHARD, range(2)), ORCHARD, programs=300, practice=100.0, rounds=1)


def test_the_measure_is_the_return_where_no_demonstration_is_won():
    demos = demonstrate(ORCHARD, range(5))
    measure = measure_of(ORCHARD, demos, 0, 10.0)
    assert measure.by_return
    assert measure.demonstrations == fmean(episode.reward for episode in play_many(ORCHARD, Expert(), range(5)))
    assert 0 < measure.random < measure.demonstrations
    assert (measure.horizon, measure.length) == (STEPS, STEPS)
    assert measure.worth(measure.demonstrations) == 1
    assert measure.worth(measure.random) == pytest.approx(0)
    assert measure.mean_return(measure.worth(3.0)) == pytest.approx(3.0)


class Expert:
    """The expert, as a player of what is seen."""

    deterministic, components = True, ()

    def act_many(self, grids):
        return ["left" if grid.rows[0].index("o") < grid.rows[0].index("A") else "right" for grid in grids]


def test_an_episode_is_worth_a_win_or_nothing_where_it_can_be_won():
    demos = demonstrate(ORCHARD, range(2))
    won = replace(demos, items=(replace(demos.items[0], outcome="won"), demos.items[1]))
    assert measure_of(ORCHARD, won, 0, 10.0) is WINNING
    unknown = replace(demos, items=tuple(replace(item, seed=None, level=None) for item in demos))
    assert measure_of(ORCHARD, unknown, 0, 10.0) is WINNING
    other = replace(demos, items=tuple(replace(item, seed=99) for item in demos))
    assert measure_of(ORCHARD, other, 0, 10.0) is WINNING  # played again, the grids differ
    assert isinstance(WINNING.score([True, False]), SuccessRate)
    assert (WINNING.score([]), WINNING.mean_return(0.5)) == (None, None)


def test_a_demonstration_that_was_stopped_sets_the_horizon():
    demos = demonstrate(ORCHARD, range(2))
    short = replace(demos, items=tuple(replace(item, steps=item.steps[:8]) for item in demos))
    measure = measure_of(ORCHARD, short, 0, 10.0)
    assert measure.horizon == 8
    ground = Ground(ORCHARD)
    ground.adopt(measure)
    policy = Learner(programs=300).fit(demos).policy_
    assert {len(episode.steps) for episode in ground.episodes(policy, range(3))} == {8}
    assert max(ground.results(policy, 12)) <= 8
    ground.adopt(replace(measure, horizon=math.inf))
    assert fmean(ground.results(policy, 12)) > measure.demonstrations


def test_demonstrations_no_better_than_random_play_still_order_policies():
    measure = Measure(random=5.0, demonstrations=-2.0)
    assert measure.worth(-2.0) == 1 < measure.worth(0.0)
    assert Measure(random=0.0, demonstrations=0.0).worth(1.0) == 2


def test_the_expected_return_is_that_of_new_episodes(taught):
    expected = taught.expectation
    assert isinstance(expected, MeanReturn)
    ground = Ground(ORCHARD)
    ground.adopt(measure_of(ORCHARD, demonstrate(ORCHARD, range(2)), 0, 10.0))
    returns = ground.results(taught.policy, range(*FRESH_LEVELS))
    assert (expected.mean, expected.of) == (fmean(returns), 100)
    assert returns == ground.results(Expert(), range(*FRESH_LEVELS))
    assert expected.random < 0.5 * expected.mean
    assert 0 < expected.error < 1
    assert taught.practice is None
    assert taught.policy.provenance.practice.of == 120
    assert expected.in_words() == (
        f"expected return {expected.mean:.1f} ± {expected.error:.1f}; the demonstrations had "
        f"{expected.demonstrations:.1f}"
    )


def test_practice_prefers_the_higher_return():
    """A single demonstration in which the apple is always on one side does not say what to do on the other."""
    seed = next(s for s in range(1000) if all(step.action == "left" for step in _first_steps(s)))
    demos = demonstrate(ORCHARD, [seed])
    one_sided = replace(demos, items=(replace(demos.items[0], steps=_first_steps(seed)),))
    plain = teach(one_sided, ORCHARD, programs=300, practice=0).policy
    practiced = teach(one_sided, ORCHARD, programs=300, rounds=5, practice=100.0)
    mine, before = (fmean(e.reward for e in play_many(ORCHARD, one, range(50))) for one in (practiced.policy, plain))
    assert mine >= before
    assert isinstance(practiced.expectation, MeanReturn)


def _first_steps(seed):
    return demonstrate(ORCHARD, [seed]).items[0].steps[:3]


def test_progress_tells_the_return():
    stages = list(iter_teach(demonstrate(ORCHARD, range(2)), ORCHARD, programs=300, practice=100.0, rounds=1))
    assert all(stage.won is None for stage in stages)
    assert stages[-1].mean_return > 1


def test_the_mistake_is_the_action_without_which_the_return_is_higher():
    """It falls after four steps to the right, of which only the first one could have been a step to the left."""
    measure = Measure(random=0.0, demonstrations=8.0)
    last, steps = turning_point((Precipice(), 0), Falls(), STEPS, measure)
    assert last == Step(Grid("o.....A"), "right", refused=True)
    first = Grid("o..A...")
    assert steps == [Step(first, "right", refused=True), Step(first, "left")]
    assert turning_point((Precipice(), 0), Falls(), 2, measure)[1] == []  # the apple is too far away by then


def test_a_mean_return_is_kept_in_files(taught):
    assert Policy.from_json(taught.policy.to_json()).provenance == taught.policy.provenance
    record = Provenance(expectation=MeanReturn(1.5, 3, 0.2, 0.1, 2.0))
    assert Provenance.from_json(record.to_json()) == record
    with pytest.raises(BadInput, match="number"):
        Provenance.from_json({"expectation": {"mean": "much", "of": 3}})


def test_the_studio_gives_the_expected_return_and_no_wins(taught):
    found = summary(taught.policy)
    expected = taught.expectation.in_words()
    assert (found["expected"], found["expected_return"], found["front"]) == (None, expected, [])


def test_the_best_rules_of_all_lengths_are_listed_with_their_returns(taught):
    (rule, *_), rate = taught.policy.components, MeanReturn(2.0, 9, 0.5)
    front = tuple(RatedRule(rule.formula, n, replace(rate, mean=float(n))) for n in (2, 4))
    policy = Policy.from_json(replace(taught.policy, front=front).to_json())
    assert policy.front == front
    assert policy.table().splitlines()[-3:] == [
        "  conditions   expected return alone",
        "▸          2   2.0 ± 0.5",
        "▸          4   4.0 ± 0.5",
    ]
    assert policy.with_rule(4).provenance.expectation == front[1].rate


def test_too_short_a_time_to_end_an_episode_is_said(taught):
    task = learn._Task(demonstrate(ORCHARD, [0]), ORCHARD, None, NO_CONSTRAINTS)
    said = list(learn._remarks(replace(taught, expectation=None), task))
    assert "No new episode could be played to its end in time. A larger --practice allows that." in said


def test_a_single_episode_has_no_interval():
    alone = MeanReturn.of_episodes([4.0], demonstrations=8.0)
    assert alone.in_words() == "expected return 4.0; the demonstrations had 8.0"
    assert (alone.share, MeanReturn(-1.0, 5, random=0.0, demonstrations=2.0).share) == (0.5, 0.0)


class Slow(Orchard):
    """A world of long episodes whose steps take time by a clock that is counted."""

    max_steps = 500
    clock, seconds, winnable = [0.0], 0.0, False

    def step(self, action):
        self.clock[0] += self.seconds
        outcome = super().step(action)
        won = self.winnable and outcome.reward > 0 and self.rng.random() < 0.01
        return replace(outcome, won=won, over=won)


@pytest.fixture
def clock(monkeypatch):
    clock = [0.0]
    monkeypatch.setattr(time, "monotonic", lambda: clock[0])
    monkeypatch.setattr(Slow, "clock", clock)
    return clock


@pytest.mark.parametrize(("seconds", "practice"), [(0.0005, 10.0), (0.005, 20.0)])
@pytest.mark.parametrize("winnable", [False, True])
def test_learning_ends_when_it_says_where_steps_are_slow(monkeypatch, clock, seconds, practice, winnable):
    """The policies are poor, so that all of the practice time is used: no program says where the apple is."""
    monkeypatch.setattr(Slow, "winnable", winnable)
    demos = demonstrate(Slow(), [0])
    monkeypatch.setattr(Slow, "seconds", seconds)
    taught = teach(demos, Slow(), programs=60, practice=practice)
    assert taught.learned
    assert practice < clock[0] < 1.01 * Task(practice=practice).max_seconds
    assert winnable or isinstance(taught.expectation, MeanReturn)


def test_no_turning_point_is_sought_after_the_deadline(monkeypatch, clock):
    monkeypatch.setattr(Slow, "seconds", 0.01)
    measure = Measure(random=0.0, demonstrations=100.0)
    turning_point((Slow(), 0), Falls(), 500, measure, deadline=1.0)
    assert clock[0] < 1.2
    ground = Ground(Slow(), allowance=2.0)
    assert len(ground.episodes(Falls(), [0])[0].steps) < 250
    assert ground.over
