"""The most useful level to show next."""

import pytest

from shown.demonstrations import Demonstration, Demonstrations, Step
from shown.games import demonstrate, find, load_levels
from shown.games.episodes import LevelWorld
from shown.games.levels import Level
from shown.grid import Tokens, grid
from shown.language.primitives import LANGUAGE
from shown.language.terms import parse
from shown.policy import Component, Formula, Literal, Policy
from shown.teaching import by_use, by_use_from, doubt, most_useful

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


def shown(*levels):
    items = tuple(Demonstration((Step(level.grid, (0, 0)), Step(SPLIT.grid, (0, 0)))) for level in levels)
    return Demonstrations(TOKENS, items)


def test_the_level_on_which_candidates_disagree_most():
    found = most_useful(EITHER, [AGREED, SPLIT])
    assert found.level is SPLIT
    assert found.disagreement == EITHER.disagreement(SPLIT.grid) == 0.5
    assert (found.step, found.grid) == (0, SPLIT.grid)


def test_when_nothing_disagrees_there_is_none():
    assert most_useful(EITHER, [AGREED]) is None
    assert most_useful(EITHER.map_policy, [AGREED, SPLIT]) is None
    assert most_useful(EITHER, []) is None


def test_a_disagreement_that_hardly_counts_is_none():
    sure = policy(TOKENS, star=0.995, wall=0.005)
    assert 0 < sure.disagreement(SPLIT.grid) < 0.02
    assert most_useful(sure, [SPLIT]) is None
    assert most_useful(sure, [SPLIT], agreed=0.0).level is SPLIT


def test_a_level_already_shown_is_left_out_even_where_candidates_disagree():
    assert most_useful(EITHER, [SPLIT], shown=shown(SPLIT)) is None
    # It was only met on the way: what was shown there begins elsewhere.
    assert most_useful(EITHER, [SPLIT], shown=shown(AGREED)).level is SPLIT


def test_the_most_useful_come_first_and_equals_in_the_order_given():
    lopsided = Level("lopsided", grid("*#", ".."))
    found = by_use(EITHER, [AGREED, SPLIT, lopsided, HALF])
    assert [x.level.name for x in found] == ["split", "lopsided", "half"]
    assert [x.disagreement for x in found] == sorted((x.disagreement for x in found), reverse=True)


def test_the_whole_game_is_looked_at_where_there_are_rules_to_play_by():
    level = load_levels(NIM, "train:0")[0]
    found = doubt(NIM_EITHER, level, NIM)
    first = doubt(NIM_EITHER, level)
    assert first.step == 0
    assert found.disagreement >= first.disagreement
    assert found.disagreement == pytest.approx(NIM_EITHER.disagreement(found.grid))


def test_of_positions_equally_in_doubt_the_first_counts():
    """Both candidates are disjoint and certain everywhere, so every position is as doubtful as the next."""
    level = load_levels(NIM, "train:0")[0]
    found = doubt(NIM_EITHER, level, NIM)
    assert (found.step, found.grid) == (0, level.grid)


def test_episodes_are_asked_about_as_levels_are():
    levels = load_levels(NIM, "train:0-4")
    starts = [(LevelWorld(NIM, level), 0) for level in levels]
    assert by_use_from(NIM_EITHER, starts) == by_use(NIM_EITHER, levels, NIM)
    shown_before = demonstrate(NIM, levels[:1])
    assert by_use_from(NIM_EITHER, starts, shown_before) == by_use(NIM_EITHER, levels, NIM, shown_before)
