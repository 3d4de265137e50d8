"""Actions that come to the same."""

import pytest

from shown.errors import BadInput
from shown.games import GAMES, find, load_levels, play
from shown.games.game import Game, Outcome
from shown.grid import Tokens, grid
from shown.teaching import as_counted, representative, same_effect

CHASE, STAR = find("chase"), find("reach-for-the-star")
ROOM = grid("#######", "#A....#", "#....R#", "#######", "<^v>...")
WALLS = tuple(cell for cell in ROOM.cells() if ROOM[cell] == "#")


def test_waiting_is_waiting_wherever_one_clicks():
    assert {representative(CHASE, ROOM, cell) for cell in WALLS} == {(0, 0)}
    for cell in WALLS:
        same = same_effect(CHASE, ROOM, cell)
        assert set(WALLS) <= set(same)
        assert list(same) == sorted(same)


def test_actions_that_lead_elsewhere_stand_for_themselves():
    for cell in ROOM.cells():
        if ROOM[cell] == ".":
            assert representative(CHASE, ROOM, cell) == cell
            assert same_effect(CHASE, ROOM, cell) == (cell,)


def test_a_block_falls_to_the_same_place_from_anywhere_above_it():
    board = grid("...*", "....", "A...", "####", "<>^#")
    assert same_effect(STAR, board, (0, 2)) == same_effect(STAR, board, (2, 2)) == ((0, 2), (1, 2), (2, 2))


@pytest.mark.parametrize("name", GAMES)
def test_the_expert_s_actions_stand_for_themselves(name):
    game = find(name)
    for level in load_levels(game, "train:0-2"):
        steps = play(game, game.expert, level).steps
        assert as_counted(game, steps) == steps


@pytest.mark.parametrize("name", GAMES)
def test_an_action_and_what_stands_for_it_have_the_same_effect(name):
    game = find(name)
    board = load_levels(game, "train:0")[0].grid
    for cell in list(board.cells())[::7]:
        same = same_effect(game, board, cell)
        assert cell in same
        assert representative(game, board, cell) in same
        assert same_effect(game, board, same[-1]) == same


class Lights(Game):
    """A world with buttons, of which two do the same; one only works on a board with a lamp."""

    name, title, goal = "lights", "Lights", "Switch it on."
    tokens = Tokens(dark=".", lit="*", lamp="o")
    max_shape = (1, 2)
    buttons = ("on", "press", "off", "shine")

    def step(self, grid, action, rng):
        if action == "shine" and grid.find("o") is None:
            raise LookupError("no lamp")
        return Outcome(grid.with_cells({(0, 0): "." if action == "off" else "*"}))

    def expert(self, grid):
        return "on"

    def generate(self, rng):
        return grid("..")

    def check(self, grid):
        pass


def test_buttons_can_come_to_the_same_too():
    assert same_effect(Lights(), grid(".o"), "press") == ("on", "press", "shine")
    assert representative(Lights(), grid(".o"), "press") == "press"


def test_what_the_rules_cannot_play_is_like_nothing_else():
    assert same_effect(Lights(), grid(".."), "on") == ("on", "press")
    with pytest.raises(BadInput, match=r"Lights cannot be played from this position.*no lamp"):
        same_effect(Lights(), grid(".."), "shine")


@pytest.mark.parametrize("action", [(9, 9), "press"])
def test_an_action_there_is_not_is_an_error(action):
    with pytest.raises(BadInput):
        same_effect(CHASE, ROOM, action)
