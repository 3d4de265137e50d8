import pytest

from playing import all_outcomes, step
from shown.grid import grid
from shown.worlds.games.chase import Chase, plain_way

CHASE = Chase()
KEYS = {"left": (0, 0), "right": (0, 1), "up": (0, 2), "down": (0, 3)}
"""Where the keys are in these tests: in the first row."""

WAIT = (1, 0)


def test_the_rabbit_runs_to_any_cell_that_is_farther_away():
    before = grid("<>^v##", "#....#", "#.AR.#", "#....#", "######")
    assert all_outcomes(CHASE, before, WAIT) == {
        grid("<>^v##", "#..R.#", "#.A..#", "#....#", "######"),
        grid("<>^v##", "#....#", "#.A.R#", "#....#", "######"),
        grid("<>^v##", "#....#", "#.A..#", "#..R.#", "######"),
    }


def test_the_rabbit_runs_diagonally_away_never_nearer():
    before = grid("<>^v#", "#A..#", "#.R.#", "#...#", "#####")
    assert all_outcomes(CHASE, before, WAIT) == {
        grid("<>^v#", "#A..#", "#..R#", "#...#", "#####"),
        grid("<>^v#", "#A..#", "#...#", "#.R.#", "#####"),
    }


def test_a_rabbit_in_a_corner_stays():
    before = grid("<>^v", "####", "#R.#", "#.A#", "####")
    assert all_outcomes(CHASE, before, WAIT) == {before}


def test_a_rabbit_in_the_corner_of_the_agents_row_runs_along_the_wall():
    before = grid("<>^v#", "#R.A#", "#...#", "#####")
    assert all_outcomes(CHASE, before, WAIT) == {grid("<>^v#", "#..A#", "#R..#", "#####")}


@pytest.mark.parametrize(
    ("key", "after"),
    [
        ("left", grid("<>^v#", "#...#", "#A..#", "#...#", "#..R#")),
        ("right", grid("<>^v#", "#...#", "#..A#", "#...#", "#.R.#")),  # straight above the rabbit, which runs aside
        ("up", grid("<>^v#", "#.A.#", "#...#", "#...#", "#..R#")),
        ("down", grid("<>^v#", "#...#", "#...#", "#.A.#", "#..R#")),
    ],
)
def test_arrow_keys_move_the_agent(key: str, after):
    before = grid("<>^v#", "#...#", "#.A.#", "#...#", "#..R#")
    assert step(CHASE, before, KEYS[key]).grid == after


def test_neither_walks_through_walls_new_walls_or_keys():
    before = grid("<>^v", "#A%R", "####")
    for key in KEYS.values():
        assert step(CHASE, before, key).grid == before


def test_the_agent_acts_first_then_the_rabbit_runs_from_where_the_agent_is_now():
    before = grid("<>^v##", "#....#", "##.A.#", "#....#", "#R...#", "######")
    assert all_outcomes(CHASE, before, KEYS["left"]) == {
        grid("<>^v##", "#....#", "##A..#", "#....#", "#R...#", "######"),
    }


def test_a_click_on_an_empty_cell_builds_before_the_rabbit_can_run():
    before = grid("<>^v#", "#A..#", "#.R.#", "#...#", "#####")
    assert all_outcomes(CHASE, before, (2, 3)) == {grid("<>^v#", "#A..#", "#..%#", "#.R.#", "#####")}


@pytest.mark.parametrize("click", [(1, 0), (1, 1), (2, 2), (3, 3)])
def test_clicks_on_walls_agent_rabbit_and_new_walls_let_time_pass(click: tuple[int, int]):
    before = grid("<>^v#", "#A..#", "#.R.#", "#..%#", "#####")
    assert before not in all_outcomes(CHASE, before, click)
    assert len(all_outcomes(CHASE, before, click)) == 2


def test_a_key_that_moves_nobody_lets_time_pass():
    before = grid("<>^v#", "#A..#", "#.R.#", "#...#", "#####")
    assert before not in all_outcomes(CHASE, before, KEYS["up"])


def test_walking_into_the_rabbit_catches_it_before_it_runs():
    outcome = step(CHASE, grid("<>^v##", "#.AR.#", "######"), KEYS["right"])
    assert outcome.grid == grid("<>^v##", "#..A.#", "######")
    assert outcome.won
    assert outcome.over


def test_the_border_of_the_grid_is_a_wall():
    before = grid("<>^v", ".A.R")
    assert all_outcomes(CHASE, before, (1, 1)) == {before}
    assert step(CHASE, grid("<>^v", "A..R"), KEYS["left"]).grid == grid("<>^v", "A..R")


def test_the_expert_waits_builds_walks_up_or_down_and_then_along_the_row():
    before = grid("<>^v##", "######", "#....#", "#.A..#", "#....#", "#...R#", "######")
    clicks = []
    for _ in range(7):
        clicks.append(CHASE.expert(before))
        outcome = step(CHASE, before, clicks[-1])
        before = outcome.grid
        if outcome.won:
            break
    assert clicks == [(4, 4), (0, 3), (0, 3), (0, 1), (0, 1)]
    assert outcome.won


def test_the_expert_waits_by_clicking_the_agent():
    running = grid("<>^v##", "#....#", "#.AR.#", "#....#", "######")
    assert CHASE.expert(running) == (2, 2)


def test_the_expert_builds_as_soon_as_the_rabbit_is_in_a_corner_even_if_it_could_still_run():
    assert CHASE.expert(grid("<>^v##", "#R..A#", "#....#", "######")) == (2, 1)


def test_the_plain_walk_goes_up_or_down_wherever_it_can_and_otherwise_along():
    walk = [(4, 4), (3, 4), (3, 3), (2, 3), (1, 3), (1, 2)]
    room = grid("######", "#R...#", "#%..##", "#....#", "#....#", "######", "#<>^v#")
    ways = [plain_way(room.with_cells({place: "A"})) for place in walk]
    assert ways == [(after[0] - r, after[1] - c) for (r, c), after in zip(walk, [*walk[1:], (1, 1)], strict=True)]


def test_the_plain_walk_neither_stops_half_way_nor_turns_back():
    under_a_ledge = grid("######", "##...#", "#R.A.#", "#%...#", "######", "#<>^v#")
    assert plain_way(under_a_ledge) is None, "it would go on up, past the rabbit's row"
    assert CHASE.expert(under_a_ledge) == under_a_ledge.find("<")
    behind_a_wall = grid("######", "#R#A.#", "#%...#", "#....#", "######", "#<>^v#")
    assert plain_way(behind_a_wall) is None


def test_the_expert_walks_round_walls_that_stand_in_the_way():
    before = grid("#######", "#A....#", "###.###", "#....R#", "#######", "#<>^v##")
    for _ in range(12):
        outcome = step(CHASE, before, CHASE.expert(before))
        before = outcome.grid
        if outcome.won:
            break
    assert outcome.won


def test_some_levels_are_not_fair():
    assert CHASE.is_fair(grid("######", "#A...#", "#...R#", "#....#", "######", "#<>^v#"))
    assert not CHASE.is_fair(grid("######", "#A..R#", "######", "#<>^v#")), "no wall is needed"
    ledge = grid("#######", "#....A#", "#..R..#", "###...#", "###...#", "#######", "#<>^v##")
    assert not CHASE.is_fair(ledge), "the agent would have to stop half-way down, in the rabbit's row"
    assert not CHASE.is_fair(grid("#######", "#..R#A#", "#...#.#", "#.....#", "#######", "#<>^v##")), "round a wall"
