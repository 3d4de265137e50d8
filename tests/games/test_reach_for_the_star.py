import pytest

from playing import rules, step
from shown.grid import grid
from shown.worlds import load_levels
from shown.worlds.games.reach_for_the_star import ReachForTheStar, stairs_steps

GAME = ReachForTheStar()


test_one_step = rules(
    GAME,
    {
        "a block falls to the ground": ("..*/.../A../<>#", (0, 1), "..*/.../A#./<>#"),
        "a block falls onto a block": ("..*/.../A#./<>#", (0, 1), "..*/.#./A#./<>#"),
        "a block rests on the robot": ("...*/..../A.../<>##", (0, 0), "...*/#.../A.../<>##"),
        "and falls when it walks away": ("...*/#.../A.../<>##", (3, 1), "...*/..../#A../<>##"),
        "a block rests on the star": ("../../.*/A./<>", (0, 1), "../.#/.*/A./<>"),
        "the robot walks right": ("*../.A./<>#", (2, 1), "*../..A/<>#"),
        "the robot walks left": ("*../.A./<>#", (2, 0), "*../A../<>#"),
        "the robot stops at the border": ("*../A../<>#", (2, 0), "*../A../<>#"),
        "the robot climbs one block": ("*../.../A#./<>#", (3, 1), "*../.A./.#./<>#"),
        "but not two": ("*../.../.#./A#./<>#", (4, 1), "*../.../.#./A#./<>#"),
        "nor keys": ("*../.../A>./<##", (2, 1), "*../.../A>./<##"),
        "nor out of the grid": ("A#*/<>#", (1, 1), "A#*/<>#"),
        "the robot walks down by falling": ("*../A../#../<>#", (3, 1), "*../.../#A./<>#"),
        "walking into the star wins even in the air": (".../A*./#../<>#", (3, 1), ".../.A./#../<>#", "won"),
        "climbing into the star wins": ("../.*/A#/<>", (3, 1), "../.A/.#/<>", "won"),
        "falling into the star wins": (".../A../#../#*./<>#", (4, 1), ".../.../#../#A./<>#", "won"),
        "falling onto a star in the air wins there": ("A../#../#*./#../<>#", (4, 1), ".../#../#A./#../<>#", "won"),
        "falling past the star does not win": ("A.../#.*./#.../<>##", (3, 1), "..../#.*./#A../<>##"),
        "a star two above is out of reach": ("..*/.../.A./<>#", (3, 1), "..*/.../..A/<>#"),
        "blocks above the robot come down together": ("..*/#../#../A../<>#", (4, 1), "..*/.../#../#A./<>#"),
        "everything that floats falls after any action": ("#.*/A../.../<>#", (3, 2), "..*/#../A../<>#"),
        "the robot walks on the keys": ("*.../..../..A./##<>", (3, 3), "*.../..../...A/##<>"),
        "blocks lie on the keys": ("*.../..../..A./##<>", (0, 3), "*.../..../..A#/##<>"),
    },
)


@pytest.mark.parametrize("click", [(0, 2), (2, 0), (3, 2)])
def test_clicks_on_star_robot_and_blocks_only_let_time_pass(click: tuple[int, int]):
    board = grid("..*", "...", "A..", "<>#")
    assert step(GAME, board, click).grid == board


def test_the_expert_builds_the_highest_step_first_and_walks_up():
    board = grid(".....*", "......", "..A...", "<>####")
    clicks, won = [], False
    while not won:
        clicks.append(GAME.expert(board))
        outcome = step(GAME, board, clicks[-1])
        board, won = outcome.grid, outcome.won
    assert clicks == [(1, 4), (1, 4), (2, 3), (3, 1), (3, 1), (3, 1)]
    assert len(clicks) == stairs_steps(rise=2, walk=0)


def test_the_keys_say_nothing_of_the_side():
    levels = [level.grid for level in load_levels(GAME, "train,test,random:0-99")]
    assert {level.rows[-1] for level in levels} == {"#" * (level.width - 2) + "<>" for level in levels}
    sides = [level.find("A")[1] < level.find("*")[1] for level in levels]
    assert 40 < sum(sides) < 80


def test_the_highest_generated_star_takes_the_whole_episode():
    assert stairs_steps(rise=9, walk=5) == GAME.max_steps
    assert stairs_steps(rise=10, walk=0) > GAME.max_steps
