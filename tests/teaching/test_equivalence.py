"""Equivalent actions."""

import numpy as np
import pytest

from shown.grid import Tokens, grid
from shown.teaching.interpretation.equivalence import SEEDS, Effects, first_alike
from shown.worlds import GAMES, Game, Outcome, find, load_levels

CHASE, STAR = find("chase"), find("reach-for-the-star")
ROOM = grid("#######", "#A....#", "#....R#", "#######", "<^v>...")
WALLS = tuple(cell for cell in ROOM.cells() if ROOM[cell] == "#")


def alike(game, board, action):
    return Effects(game).alike(board, action)


def test_all_clicks_that_wait_are_equivalent():
    for cell in WALLS:
        same = alike(CHASE, ROOM, cell)
        assert set(WALLS) <= set(same)
        assert list(same) == sorted(same)
        assert first_alike(ROOM, cell, same) == (0, 0)


def test_actions_with_different_effects_are_not_equivalent():
    effects = Effects(CHASE)
    assert all(effects.alike(ROOM, cell) == (cell,) for cell in ROOM.cells() if ROOM[cell] == ".")


def test_a_block_falls_to_the_same_place_from_anywhere_above_it():
    board = grid("...*", "....", "A...", "####", "<>^#")
    assert alike(STAR, board, (0, 2)) == alike(STAR, board, (2, 2)) == ((0, 2), (1, 2), (2, 2))


@pytest.mark.parametrize("name", GAMES)
def test_equivalence_is_symmetric(name):
    game = find(name)
    board = load_levels(game, "train:0")[0].grid
    effects = Effects(game)
    for cell in list(board.cells())[::7]:
        same = effects.alike(board, cell)
        assert cell in same
        assert effects.alike(board, same[-1]) == same


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


def test_buttons_can_be_equivalent_too():
    assert alike(Lights(), grid(".o"), "press") == ("on", "press", "shine")
    assert first_alike(grid(".o"), "press", ("on", "press", "shine")) == "press"


def test_an_action_that_the_rules_cannot_play_has_no_equivalents():
    assert alike(Lights(), grid(".."), "on") == ("on", "press")
    assert alike(Lights(), grid(".."), "shine") == ("shine",)


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
