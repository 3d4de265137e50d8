import pytest

from playing import rules, step
from shown.grid import grid
from shown.worlds.games.stop_the_fall import StopTheFall

GAME = StopTheFall()


test_one_step = rules(
    GAME,
    {
        "a click on an empty cell makes a block that hangs in the air": ("P.G/.../...", (1, 1), "P.G/.%./..."),
        "the button becomes a static block, and all falls": ("P.G/.%./.../#..", (0, 2), "..#/.../P../#%.", "won"),
        "the parachuter lands on blocks that fall themselves": (
            "P.G/.../%../.../%../...",
            (0, 2),
            "..#/.../.../P../%../%..",
            "won",
        ),
        "blocks above the parachuter land on it": ("%.G/P../...", (0, 2), "..#/%../P..", "won"),
        "static blocks and fire do not fall": ("..G/#.F/.../P..", (0, 2), "..#/#.F/.../P..", "won"),
        "falling past fire is safe": ("P.G/.F./.../...", (0, 2), "..#/.F./.../P..", "won"),
        "fire at a corner does not touch": ("P.G/%../#F.", (0, 2), "P.#/%../#F.", "won"),
        "a button below the parachuter catches it": ("P../.../G../.F.", (2, 0), ".../P../#../.F.", "won"),
        "fire beside it": ("P.G/.../.F.", (0, 2), "..#/.../PF.", "lost"),
        "fire below it": ("P.G/.../F..", (0, 2), "..#/P../F..", "lost"),
        "fire above it": ("F.G/P../#..", (0, 2), "F.#/P../#..", "lost"),
        "fire on the other side": ("..PG/..../.F..", (0, 3), "...#/..../.FP.", "lost"),
    },
)


@pytest.mark.parametrize("click", [(0, 0), (1, 0), (1, 1), (1, 2)])
def test_clicks_on_other_things_change_nothing(click: tuple[int, int]):
    before = grid("P.G", "#%F")
    assert step(GAME, before, click).grid == before


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
