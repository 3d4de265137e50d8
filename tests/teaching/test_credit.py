"""What lost a game is found by playing on from there, and learned from."""

import numpy as np
import pytest

from shown.demonstrations import Step
from shown.grid import Grid, Tokens
from shown.teaching.interpretation.fitter import Fitter
from shown.teaching.interpretation.hypotheses import Hypothesis
from shown.teaching.interpretation.interpretations import EXACT_CLICKS
from shown.teaching.practice.credit import TurningPointSearch, turning_point
from shown.teaching.practice.ground import Ground
from shown.teaching.task import Task
from shown.teaching.teach import teach
from shown.worlds import Outcome, World, demonstrate, wins


class Ferry(World):
    """A ferry on a river: load on the left bank, land on the right one; a load that is dropped on the way is lost."""

    name, title, goal = "ferry", "Ferry", "Bring the load to the right bank."
    tokens = Tokens(water="~", ferry="F", laden="L", load="o", rock="#")
    buttons = ("left", "right", "load", "land")
    max_steps = 30

    def reset(self, seed):
        rng = np.random.default_rng(seed)
        self.width = int(rng.integers(4, 8))
        self.at, self.laden = int(rng.integers(self.width)), False
        return self._seen()

    def step(self, action):
        won = action == "land" and self.laden and self.at == self.width - 1
        lost = action == "land" and self.laden and not won
        self.laden |= action == "load" and self.at == 0
        self.at = min(max(self.at + {"left": -1, "right": 1}.get(action, 0), 0), self.width - 1)
        return Outcome(self._seen(), won, won or lost, float(won))

    def expert(self):
        if not self.laden:
            return "left" if self.at else "load"
        return "right" if self.at < self.width - 1 else "land"

    def _seen(self):
        river = ["~"] * self.width
        river[self.at] = "L" if self.laden else "F"
        return Grid(("".join(river), "#" * self.width if self.laden else "o" + "#" * (self.width - 1)))


class Always:
    """Presses one button, but for some positions."""

    def __init__(self, button, **but):
        self.button, self.but = button, but

    deterministic = True

    def act_many(self, grids):
        return [self.but.get(grid.rows[0].replace("~", "_"), self.button) for grid in grids]


def ferry(width):
    """A ferry with a river of that width and the seed that leads there, the ferry on the left bank."""
    place = Ferry()
    seed = next(seed for seed in range(999) if place.reset(seed).rows[0] == "F" + "~" * (width - 1))
    return place, seed


def test_the_last_mistake_is_found_and_what_should_have_been_done():
    start = ferry(4)
    lands_too_soon = Always("right", F___="load", __L_="land", ___L="land")
    last, (mistake, better) = turning_point(start, lands_too_soon, 20)
    assert last == mistake == Step(Grid(("~~L~", "####")), "land", refused=True)
    assert better == Step(Grid(("~~L~", "####")), "right")


def test_a_game_that_goes_in_circles_is_told_from_where_it_could_be_left():
    start = ferry(4)
    stays = Always("right", F___="load", L___="load", ___L="land")
    _, (mistake, better) = turning_point(start, stays, 20)
    assert (mistake.action, mistake.refused) == ("load", True)
    assert (better.grid, better.action) == (Grid(("L~~~", "####")), "right")


def test_where_no_single_action_helps_only_what_it_ended_with_is_told():
    start = ferry(4)
    last, certain = turning_point(start, Always("left"), 20)
    assert last == Step(Grid(("F~~~", "o###")), "left", refused=True)
    assert certain == []


def test_where_two_are_as_good_only_the_mistake_is_told():
    class Twins(Ferry):
        buttons = (*Ferry.buttons, "starboard")

        def step(self, action):
            return super().step("right" if action == "starboard" else action)

    start = Twins(), ferry(4)[1]
    _, certain = turning_point(start, Always("right", F___="load", __L_="land", ___L="land"), 20)
    assert [(step.action, step.refused) for step in certain] == [("land", True)]


@pytest.fixture
def one_demonstration():
    place = Ferry()
    seed = next(seed for seed in range(99) if place.reset(seed).rows[0] == "F~~~")
    return place, demonstrate(place, [seed])


def test_learning_from_turning_points_wins_more_and_what_was_shown_stays(one_demonstration):
    place, demos = one_demonstration
    fitter = Fitter(Task(demos, programs=2000))
    fitted = fitter.fit(Hypothesis(EXACT_CLICKS), demos)
    turning = TurningPointSearch(fitter, fitted, Ground(place), np.random.default_rng(0))
    scores = [turning.best[-1][0], *(turning.step() for _ in range(4))]
    assert scores[-1] > scores[0]
    assert turning.known
    steps = demos.steps
    for _, policy in turning.best:
        assert policy.act_many([step.grid for step in steps]) == [step.action for step in steps]


def test_one_demonstration_is_enough_with_practice(one_demonstration):
    place, demos = one_demonstration
    alone = teach(demos, place, programs=2000, practice=0).policy
    taught = teach(demos, place, programs=2000)
    starts = place.starts(range(1000, 1030))
    assert sum(wins(starts, alone)) < sum(wins(starts, taught.policy)) == 30
    assert taught.practice == (120, 120)
