"""Actions that come to the same."""

import numpy as np
import pytest

from shown.errors import BadInput
from shown.games import GAMES, find, load_levels, play
from shown.games.game import Game, Outcome
from shown.grid import Tokens, grid
from shown.teaching import representative, same_effect
from shown.teaching.same import SEEDS, Effects

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
        for step in play(game, game.expert, level).steps:
            assert representative(game, step.grid, step.action) == step.action


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


class Wheel(Game):
    """A wheel of fortune: each button turns the cell to a digit, at random or not; "none" looks away."""

    name, title, goal = "wheel", "Wheel", "Turn it."
    tokens = Tokens(**{f"n{digit}": str(digit) for digit in range(10)})
    max_shape = (1, 1)
    buttons = ("none", "zero", "one_of_one", "choice", "shuffle", *(f"one_of_{n}" for n in range(2, 11)))

    def step(self, grid, action, rng):
        digits = np.arange(10)
        if action == "shuffle":
            rng.shuffle(digits)
        elif action == "choice":
            digits[0] = rng.choice(digits)
        elif action == "one_of_one":
            digits[0] = rng.integers(1)
        elif action.startswith("one_of_"):
            digits[0] = rng.integers(int(action.removeprefix("one_of_")))
        return Outcome(grid if action == "none" else grid.with_cells({(0, 0): str(digits[0])}))

    def expert(self, grid):
        return "zero"

    def generate(self, rng):
        return grid("0")

    def check(self, grid):
        pass


def test_what_depends_on_chance_is_not_certain_however_many_chances_there_are():
    effects = Effects(Wheel())
    by_chance = {button for button in Wheel.buttons if effects.certain(grid("5"), button) is None}
    assert by_chance == {*Wheel.buttons} - {"none", "zero", "one_of_one"}
    assert effects.alike(grid("5"), "zero") == ("zero", "one_of_one")
    assert effects.alike(grid("5"), "none") == ("none",)


def test_what_was_played_before_changes_no_chances():
    board = grid("5")
    alone = {button: Effects(Wheel()).effect(board, button) for button in Wheel.buttons}
    for order in (Wheel.buttons, Wheel.buttons[::-1]):
        effects = Effects(Wheel())
        assert {button: effects.effect(board, button) for button in order} == alone
    for button, effect in alone.items():
        plain = tuple(Wheel().step(board, button, np.random.default_rng(seed)) for seed in SEEDS)
        assert effect == (plain if len({*plain}) > 1 else plain[:1])


def test_an_action_there_is_not_has_no_effect():
    effects = Effects(CHASE)
    assert effects.effect(ROOM, (9, 9)) is None
    assert effects.effect(ROOM, "press") is None
    assert effects.certain(ROOM, (9, 9)) is None
    assert Effects(Lights()).effect(grid(".."), (0, 0)) is None


def test_a_position_that_the_rules_cannot_play_has_no_effects_and_spoils_none():
    """The rules fail after they have asked for a chance; the next position has the chances it would have had."""

    class Moody(Wheel):
        def step(self, grid, action, rng):
            outcome = super().step(grid, action, rng)
            if grid.rows == ("9",):
                raise LookupError("not with a nine")
            return outcome

    effects = Effects(Moody())
    assert effects.alike(grid("9"), "one_of_9") == ("one_of_9",)
    assert effects.effect(grid("9"), "one_of_9") is None
    assert effects.effect(grid("5"), "one_of_9") == Effects(Wheel()).effect(grid("5"), "one_of_9")
