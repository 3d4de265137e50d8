"""Scripted styles win, each in its own way and the same way every time."""

import re
from itertools import combinations

import numpy as np
import pytest

from shown.errors import BadInput
from shown.grid import Grid, grid
from shown.worlds import GAMES, find, load_levels, play
from shown.worlds.games.fence_in import enclosed
from shown.worlds.games.game import EMPTY
from shown_evidence.styles import EXPERT, STYLED, Style, find_style, non_expert_styles, styles_of
from shown_evidence.styles.fence_in_styles import closing_rows, fewest_fences

EVERY = [style for game in GAMES for style in styles_of(game)]


def by_name(style: Style) -> str:
    return f"{style.game}-{style.name}"


def rng(seed: int = 0) -> np.random.Generator:
    return np.random.default_rng(seed)


@pytest.mark.parametrize("game", list(GAMES))
def test_every_game_has_six_styles_besides_its_expert(game: str):
    names = [style.name for style in styles_of(game)]
    assert names[0] == EXPERT
    assert len(non_expert_styles(game)) == len(names) - 1 >= 6
    assert len(set(names)) == len(names)
    assert all(re.fullmatch(r"[a-z]+(-[a-z]+)*", name) for name in names)
    assert all(style.game == game and style.plays.endswith(".") for style in styles_of(game))


def test_other_games_have_no_styles():
    assert list(STYLED) == list(GAMES)
    assert styles_of("lamps") == ()


def test_an_unknown_style_is_refused_by_name():
    with pytest.raises(BadInput, match=r"nim has no style called 'slip'. Did you mean 'slips'\?"):
        find_style("nim", "slip")


@pytest.mark.parametrize("style", EVERY, ids=by_name)
def test_styles_win_nearly_every_level(style: Style):
    game = find(style.game)
    levels = load_levels(game, "random:600000-600039")
    won = [play(game, style.begin(level.grid, rng(i)), level).won for i, level in enumerate(levels)]
    assert sum(won) >= 0.95 * len(won)


@pytest.mark.parametrize("game", list(GAMES))
def test_no_two_styles_are_equal(game: str):
    rules = find(game)
    levels = load_levels(rules, "random:600000-600019")

    def played(style: Style) -> list[tuple]:
        return [play(rules, style.begin(level.grid, rng(i)), level).steps for i, level in enumerate(levels)]

    runs = {style.name: played(style) for style in styles_of(game)}
    same = [pair for pair in combinations(runs, 2) if runs[pair[0]] == runs[pair[1]]]
    # A game's expert may play like one of the styles: Chase has waited in several ways.
    assert not [pair for pair in same if EXPERT not in pair]


def smallest(level: Grid) -> int:
    """How many fences it takes at least, by trying all sets of at most four."""
    near = [cell for cell in level.cells() if level[cell] == EMPTY]
    for count in range(1, 4):
        for cells in combinations(near, count):
            if enclosed(level.with_cells(dict.fromkeys(cells, "#"))):
                return count
    return 4


@pytest.mark.parametrize(
    "level",
    [
        grid("......", ".####.", ".#S.#.", ".#..#.", "......"),
        grid("......", ".####.", ".#S...", ".#.##.", "......"),
        grid(".....", ".....", "..S..", ".....", "....."),
        grid("......", ".####.", ".#S.#.", ".#..#.", ".##.#.", "......"),
        grid(".##...", "#...#.", "..S..#", "#...#.", ".##..."),
    ],
)
def test_the_fewest_fences_are_the_fewest(level: Grid):
    cells = fewest_fences(level)
    assert enclosed(level.with_cells(dict.fromkeys(cells, "#")))
    assert len(cells) == smallest(level)


def test_the_fewest_fences_are_as_far_out_as_possible():
    assert fewest_fences(grid(".###.", ".#S#.", ".#.#.", ".#.#.", ".....")) == [(4, 2)]


def test_a_closing_row_closes_and_has_no_fence_to_spare():
    game = find("fence-in")
    for level in load_levels(game, "random:600000-600019"):
        for cells in closing_rows(level.grid):
            assert enclosed(level.grid.with_cells(dict.fromkeys(cells, "#")))
            assert {r for r, _ in cells} == {cells[0][0]}
            assert cells[0][0] > level.grid.find("S")[0]


@pytest.mark.parametrize("style", EVERY, ids=by_name)
def test_styles_play_the_levels_of_the_package_and_odd_ones_too(style: Style):
    game = find(style.game)
    odd = {
        "checkmate": ".....k\n......\n......\n..K...\n.R....\n......",
        "fence-in": ".....\n.....\n..S..\n.....\n.....",
        "chase": "<>^v..\n......\n..A...\n...R..\n......",
        "nim": "|.\n||",
        "stop-the-fall": "P.G\n...\nF.F",
        "reach-for-the-star": "..*\n...\nA..\n#<>",
    }
    levels = [*load_levels(game, "train"), *load_levels(game, "test"), *load_levels(game, odd[game.name])]
    for level in levels:
        assert play(game, style.begin(level.grid, rng()), level).steps
