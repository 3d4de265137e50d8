"""The most useful level to show next."""

import pytest

from shown.demonstrations import Demonstration, Demonstrations, Step
from shown.grid import Tokens, grid
from shown.language.primitives import LANGUAGE
from shown.language.terms import parse
from shown.policy import Component, Formula, Literal, Policy
from shown.teaching.dialogue.next_level import by_use, doubt
from shown.worlds import Game, Level, Outcome, demonstrate, find, load_levels
from shown.worlds.games.game import LevelWorld

TOKENS = Tokens(empty=".", star="*", wall="#")
AGREED, SPLIT = Level("agreed", grid("..")), Level("split", grid("*#"))
HALF = Level("half", grid("*#", "*#"))


def policy(tokens, game=None, **weights):
    """One candidate for each token: "click it"."""
    terms = {x: parse(f"at_action_cell(cell_is_value({x}))", LANGUAGE, tokens.values) for x in weights}
    components = (Component(weight, 0.0, 0.0, Formula(((Literal(terms[x]),),))) for x, weight in weights.items())
    return Policy(tokens, tuple(components), game)


EITHER = policy(TOKENS, star=0.5, wall=0.5)
NIM = find("nim")
NIM_EITHER = policy(NIM.tokens, "nim", matchstick=0.9, empty=0.1)


class OneClick(Game):
    """A game that ends after the first click."""

    name, title, goal = "one-click", "One Click", "Click."
    tokens = TOKENS
    max_shape = (2, 2)

    def step(self, grid, action, rng):
        return Outcome(grid, over=True)

    def expert(self, grid):
        return (0, 0)

    def generate(self, rng):
        return SPLIT.grid

    def check(self, grid):
        pass


def useful(policy, *levels, **more):
    """The names of the useful levels, the most useful first."""
    found = by_use(policy, [(LevelWorld(OneClick(), level), 0) for level in levels], **more)
    assert [x.disagreement for x in found] == sorted((x.disagreement for x in found), reverse=True)
    return [x.level.name for x in found]


def shown(*levels):
    items = tuple(Demonstration((Step(level.grid, (0, 0)), Step(SPLIT.grid, (0, 0)))) for level in levels)
    return Demonstrations(TOKENS, items)


def test_the_level_on_which_candidates_disagree_most():
    (found,) = by_use(EITHER, [(LevelWorld(OneClick(), level), 0) for level in (AGREED, SPLIT)])
    assert (found.level.name, found.step, found.grid) == ("split", 0, SPLIT.grid)
    assert found.disagreement == EITHER.disagreement(SPLIT.grid) == 0.5


def test_levels_on_which_the_candidates_agree_are_left_out():
    assert useful(EITHER, AGREED) == []
    assert useful(EITHER.map_policy, AGREED, SPLIT) == []


def test_a_negligible_disagreement_counts_as_none():
    sure = policy(TOKENS, star=0.995, wall=0.005)
    assert 0 < sure.disagreement(SPLIT.grid) < 0.02
    assert useful(sure, SPLIT) == []


def test_a_level_already_shown_is_left_out_even_where_candidates_disagree():
    assert useful(EITHER, SPLIT, shown=shown(SPLIT)) == []
    assert useful(EITHER, SPLIT, shown=shown(AGREED)) == ["split"], "only the first position of a demonstration counts"


def test_the_most_useful_come_first_and_equals_in_the_order_given():
    lopsided = Level("lopsided", grid("*#", ".."))
    assert useful(EITHER, AGREED, SPLIT, lopsided, HALF) == ["split", "lopsided", "half"]


def test_the_whole_episode_counts():
    level = load_levels(NIM, "train:0")[0]
    found = doubt(NIM_EITHER, level, NIM)
    assert found.disagreement >= round(NIM_EITHER.disagreement(level.grid), 9)
    assert found.disagreement == pytest.approx(NIM_EITHER.disagreement(found.grid))


def test_of_positions_equally_in_doubt_the_first_counts():
    """Both candidates are disjoint and certain everywhere, so every position is as doubtful as the next."""
    level = load_levels(NIM, "train:0")[0]
    found = doubt(NIM_EITHER, level, NIM)
    assert (found.step, found.grid) == (0, level.grid)


def test_the_doubt_of_a_start_is_that_of_its_level():
    levels = load_levels(NIM, "train:0-4")
    found = {x.level: x for x in by_use(NIM_EITHER, NIM.starts(levels))}
    assert found == {level: doubt(NIM_EITHER, level, NIM) for level in levels}
    assert set(found) - {x.level for x in by_use(NIM_EITHER, NIM.starts(levels), demonstrate(NIM, levels[:1]))} == {
        levels[0]
    }
