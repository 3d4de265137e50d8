import pytest

from playing import step
from shown.errors import BadLevel
from shown.grid import grid
from shown.worlds import load_levels
from shown.worlds.games.reach_for_the_star import ReachForTheStar, stairs_steps

GAME = ReachForTheStar()


def left(board):
    return step(GAME, board, board.find("<"))


def right(board):
    return step(GAME, board, board.find(">"))


def test_a_block_falls_to_the_ground():
    assert step(GAME, grid("..*", "...", "A..", "<>#"), (0, 1)).grid == grid("..*", "...", "A#.", "<>#")


def test_a_block_falls_onto_a_block():
    assert step(GAME, grid("..*", "...", "A#.", "<>#"), (0, 1)).grid == grid("..*", ".#.", "A#.", "<>#")


def test_a_block_rests_on_the_robot_and_falls_when_it_walks_away():
    under = step(GAME, grid("...*", "....", "A...", "<>##"), (0, 0)).grid
    assert under == grid("...*", "#...", "A...", "<>##")
    assert right(under).grid == grid("...*", "....", "#A..", "<>##")


def test_a_block_rests_on_the_star():
    assert step(GAME, grid("..", "..", ".*", "A.", "<>"), (0, 1)).grid == grid("..", ".#", ".*", "A.", "<>")


def test_the_robot_walks_and_stops_at_the_border():
    board = grid("*..", ".A.", "<>#")
    assert right(board).grid == grid("*..", "..A", "<>#")
    assert left(board).grid == grid("*..", "A..", "<>#")
    assert left(left(board).grid).grid == grid("*..", "A..", "<>#")


def test_the_robot_climbs_one_block():
    assert right(grid("*..", "...", "A#.", "<>#")).grid == grid("*..", ".A.", ".#.", "<>#")


def test_the_robot_does_not_climb_two_blocks():
    board = grid("*..", "...", ".#.", "A#.", "<>#")
    assert right(board).grid == board


def test_the_robot_does_not_climb_keys():
    board = grid("*..", "...", "A>.", "<##")
    assert right(board).grid == board


def test_the_robot_does_not_climb_out_of_the_grid():
    board = grid("A#*", "<>#")
    assert right(board).grid == board


def test_the_robot_walks_down_by_falling():
    assert right(grid("*..", "A..", "#..", "<>#")).grid == grid("*..", "...", "#A.", "<>#")


def test_walking_into_the_star_wins_even_in_the_air():
    outcome = right(grid("...", "A*.", "#..", "<>#"))
    assert outcome.grid == grid("...", ".A.", "#..", "<>#")
    assert outcome.won
    assert outcome.over


def test_climbing_into_the_star_wins():
    outcome = right(grid("..", ".*", "A#", "<>"))
    assert outcome.grid == grid("..", ".A", ".#", "<>")
    assert outcome.won


def test_falling_into_the_star_wins():
    outcome = right(grid("...", "A..", "#..", "#*.", "<>#"))
    assert outcome.grid == grid("...", "...", "#..", "#A.", "<>#")
    assert outcome.won


def test_falling_onto_a_star_in_the_air_wins_there():
    outcome = right(grid("A..", "#..", "#*.", "#..", "<>#"))
    assert outcome.grid == grid("...", "#..", "#A.", "#..", "<>#")
    assert outcome.won


def test_falling_past_the_star_does_not_win():
    outcome = right(grid("A...", "#.*.", "#...", "<>##"))
    assert outcome.grid == grid("....", "#.*.", "#A..", "<>##")
    assert not outcome.won


def test_a_star_two_above_is_out_of_reach():
    board = grid("..*", "...", ".A.", "<>#")
    assert not right(board).won


def test_gravity_chain_blocks_above_the_robot_come_down_together():
    board = grid("..*", "#..", "#..", "A..", "<>#")
    assert right(board).grid == grid("..*", "...", "#..", "#A.", "<>#")


def test_everything_that_floats_falls_after_any_action():
    board = grid("#.*", "A..", "...", "<>#")
    assert step(GAME, board, (3, 2)).grid == grid("..*", "#..", "A..", "<>#")


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


def test_the_robot_walks_and_builds_on_the_keys_as_on_any_ground():
    board = grid("*...", "....", "..A.", "##<>")
    assert right(board).grid == grid("*...", "....", "...A", "##<>")
    assert step(GAME, board, (0, 3)).grid == grid("*...", "....", "..A#", "##<>")


def test_the_highest_generated_star_takes_the_whole_episode():
    assert stairs_steps(rise=9, walk=5) == GAME.max_steps
    assert stairs_steps(rise=10, walk=0) > GAME.max_steps


@pytest.mark.parametrize(
    ("rows", "reason"),
    [
        (("..", "A.", "<>"), r"there is no star \('\*'\)"),
        ((".*", "..", "<>"), r"there is no robot \('A'\)"),
        ((".*", "A*", "<>"), "row 1, column 1: a second star"),
        ((".*", "A.", "<."), r"there is no right arrow \('>'\)"),
    ],
)
def test_bad_levels(rows: tuple[str, ...], reason: str):
    with pytest.raises(BadLevel, match=reason):
        GAME.check(grid(*rows))
