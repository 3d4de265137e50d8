from hypothesis import given
from hypothesis import strategies as st

from playing import rules, step
from shown.grid import Grid, grid
from shown.worlds.games.fence_in import FenceIn, enclosed

GAME = FenceIn()

test_one_step = rules(
    GAME,
    {
        "a click on open ground builds a fence": (".../.S./...", (0, 1), ".#./.S./..."),
        "a click on the sheep changes nothing": (".#./.S./...", (1, 1), ".#./.S./..."),
        "a click on a fence changes nothing": (".#./.S./...", (0, 1), ".#./.S./..."),
        "closing the last gap wins": (".##./#S.#/.#../....", (2, 2), ".##./#S.#/.##./....", "won"),
    },
)


def test_diagonal_gaps_are_closed():
    assert enclosed(grid(".#.", "#S#", ".#."))


def test_straight_gaps_are_open():
    assert not enclosed(grid("###", "#S.", "###"))
    assert not enclosed(grid("####", "#S.#", "##.#", "##.#"))


def test_the_border_must_be_out_of_reach_even_where_fences_stand_on_it():
    assert enclosed(grid("###", "#S#", "###"))
    assert not enclosed(grid("#.#", "#S#", "###"))


def test_a_sheep_on_the_border_is_never_enclosed():
    assert not enclosed(grid("#S#", "###"))
    assert not enclosed(grid("S"))
    assert not enclosed(grid("#", "S", "#"))


def test_the_end_of_a_row_does_not_lead_to_the_next():
    assert enclosed(grid("#####", "##..#", "#S..#", "#####"))
    assert enclosed(grid("......", "####..", "#S.#..", "####..", "......"))


@st.composite
def fields(draw: st.DrawFn) -> Grid:
    height, width = draw(st.integers(1, 7)), draw(st.integers(1, 7))
    cells = draw(st.lists(st.sampled_from(".##"), min_size=height * width, max_size=height * width))
    cells[draw(st.integers(0, height * width - 1))] = "S"
    return Grid(tuple("".join(cells[r * width : (r + 1) * width]) for r in range(height)))


def walks_to_the_border(field: Grid) -> bool:
    """The definition, cell by cell."""
    seen, todo = set(), [field.find("S")]
    while todo:
        cell = todo.pop()
        if cell in seen or field.get(cell) in ("#", None):
            continue
        seen.add(cell)
        r, c = cell
        todo += [(r - 1, c), (r + 1, c), (r, c - 1), (r, c + 1)]
    return any(r in (0, field.height - 1) or c in (0, field.width - 1) for r, c in seen)


@given(fields())
def test_enclosed_agrees_with_walking(field: Grid):
    assert enclosed(field) == (not walks_to_the_border(field))


def test_the_expert_builds_below_the_sheep_from_left_to_right():
    before = grid(".......", ".#####.", ".#.S.#.", ".#...#.", ".......")
    clicks, won = [], False
    while not won:
        clicks.append(GAME.expert(before))
        outcome = step(GAME, before, clicks[-1])
        before, won = outcome.grid, outcome.won
    assert clicks == [(3, 2), (3, 3), (3, 4)]


def test_the_expert_answers_wherever_it_is_asked():
    closed_row = grid(".....", ".#.#.", ".#S#.", ".###.", ".....")
    assert closed_row.inside(GAME.expert(closed_row))
    assert GAME.expert(grid("...", ".S.", "...")) == (2, 0)


def test_some_levels_are_not_fair():
    assert not GAME.is_fair(grid("...", ".S.", "...")), "no fences"
    assert not GAME.is_fair(grid("##.##", "#.S.#", "#...#", ".....")), "open above"
    assert not GAME.is_fair(grid(".....", ".###.", ".#S#.", ".###.", ".....")), "closed already"
