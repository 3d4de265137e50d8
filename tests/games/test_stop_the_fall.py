import pytest

from playing import step
from shown.errors import BadLevel
from shown.grid import grid
from shown.worlds.games.stop_the_fall import StopTheFall

GAME = StopTheFall()


def test_a_click_on_an_empty_cell_makes_a_block_that_hangs_in_the_air():
    outcome = step(GAME, grid("P.G", "...", "..."), (1, 1))
    assert outcome.grid == grid("P.G", ".%.", "...")
    assert not outcome.over


@pytest.mark.parametrize("click", [(0, 0), (1, 0), (1, 1), (1, 2)])
def test_clicks_on_other_things_change_nothing(click: tuple[int, int]):
    before = grid("P.G", "#%F")
    assert step(GAME, before, click).grid == before


def test_the_button_becomes_a_static_block_and_all_falls():
    outcome = step(GAME, grid("P.G", ".%.", "...", "#.."), (0, 2))
    assert outcome.grid == grid("..#", "...", "P..", "#%.")
    assert outcome.won
    assert outcome.over


def test_gravity_chain_the_parachuter_lands_on_blocks_that_fall_themselves():
    outcome = step(GAME, grid("P.G", "...", "%..", "...", "%..", "..."), (0, 2))
    assert outcome.grid == grid("..#", "...", "...", "P..", "%..", "%..")


def test_blocks_above_the_parachuter_land_on_it():
    assert step(GAME, grid("%.G", "P..", "..."), (0, 2)).grid == grid("..#", "%..", "P..")


def test_static_blocks_and_fire_do_not_fall():
    outcome = step(GAME, grid("..G", "#.F", "...", "P.."), (0, 2))
    assert outcome.grid == grid("..#", "#.F", "...", "P..")


@pytest.mark.parametrize(
    "before",
    [
        grid("P.G", "...", ".F."),  # beside it
        grid("P.G", "...", "F.."),  # below it
        grid("F.G", "P..", "#.."),  # above it
        grid("..PG", "....", ".F.."),  # on the other side
    ],
)
def test_coming_to_rest_beside_fire_is_lost(before):
    button = before.find("G")
    outcome = step(GAME, before, button)
    assert outcome.over
    assert not outcome.won


def test_falling_past_fire_is_safe():
    outcome = step(GAME, grid("P.G", ".F.", "...", "..."), (0, 2))
    assert outcome.grid == grid("..#", ".F.", "...", "P..")
    assert outcome.won


def test_fire_at_a_corner_does_not_touch():
    assert step(GAME, grid("P.G", "%..", "#F."), (0, 2)).won


def test_a_button_below_the_parachuter_catches_it():
    outcome = step(GAME, grid("P..", "...", "G..", ".F."), (2, 0))
    assert outcome.grid == grid("...", "P..", "#..", ".F.")
    assert outcome.won


def test_the_expert_builds_from_the_ground_up_until_the_landing_is_safe():
    before = grid("P.G", "...", ".F.", ".F.", "###")
    clicks = []
    while True:
        clicks.append(GAME.expert(before))
        outcome = step(GAME, before, clicks[-1])
        before = outcome.grid
        if outcome.over:
            break
    assert clicks == [(3, 0), (2, 0), (0, 2)]
    assert outcome.won


def test_the_expert_covers_fire_below():
    assert GAME.expert(grid("P.G", "...", "F..")) == (1, 0)


def test_the_expert_does_not_build_without_need():
    assert GAME.expert(grid("P.G", "..F", "...", "###")) == (0, 2)


@pytest.mark.parametrize(
    ("rows", "reason"),
    [
        (("P..", "..."), r"there is no green button \('G'\)"),
        (("..G", "..."), r"there is no parachuter \('P'\)"),
        (("PPG", "..."), "row 0, column 1: a second parachuter"),
        (("P.G", "..G"), "row 1, column 2: a second green button"),
    ],
)
def test_bad_levels(rows: tuple[str, ...], reason: str):
    with pytest.raises(BadLevel, match=reason):
        GAME.check(grid(*rows))
