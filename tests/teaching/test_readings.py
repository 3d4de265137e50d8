"""What a demonstrated click stands for."""

import json
from collections import Counter
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from shown.demonstrations import Demonstration, Demonstrations, Step
from shown.errors import BadInput
from shown.games import GAMES, demonstrate, find, load_levels
from shown.games.game import Game, Outcome
from shown.grid import Tokens, grid
from shown.inference.rows import Rows, evidence_of
from shown.planes import Planes
from shown.teaching.readings import AS_CLICKED, READINGS, Reading, distinct_readings, find_reading, read
from shown.teaching.same import Effects
from strategies import demonstrations

ANY_ORDER = Reading("clicked", "any")
EVERY = [
    Reading(same, order)
    for same in ("clicked", "open", "changed", "first", "expert", "winning")
    for order in ("given", "any")
]


def run_of(game, board, *clicks):
    """One demonstration: these clicks from this position on."""
    rng, steps = np.random.default_rng(0), []
    for click in clicks:
        steps.append(Step(board, click))
        board = game.step(board, click, rng).grid
    return Demonstrations(game.tokens, (Demonstration(tuple(steps)),), game.name, game.buttons)


def opened(game, board, *clicks, reading=ANY_ORDER):
    return [step.open for step in read(run_of(game, board, *clicks), reading, game).steps]


def counted(game, board, *clicks, reading):
    return [step.action for step in read(run_of(game, board, *clicks), reading, game).steps]


# In any order, by hand.

PEN = grid("#####", "#.S.#", "#...#", ".....")


def test_fences_can_come_in_any_order():
    assert opened(find("fence-in"), PEN, (2, 1), (2, 3), (2, 2)) == [((2, 2), (2, 3)), ((2, 2),), ()]


def test_a_fence_that_would_have_ended_the_game_sooner_has_its_place():
    """(1, 1), (1, 3) and (2, 2) are enough, so with (2, 2) in place the last fence but one would be the last."""
    needed = [((1, 1), (1, 3), (2, 2)), ((1, 3), (2, 2)), ((2, 2),), ()]
    assert opened(find("fence-in"), PEN, (3, 4), (1, 1), (1, 3), (2, 2)) == needed
    assert opened(find("fence-in"), PEN, (1, 1), (1, 3), (3, 4), (2, 2)) == [((1, 3), (3, 4)), ((3, 4),), (), ()]


SHAFT = grid("P..G", "....", "F...", "####")


def test_blocks_can_come_in_any_order_but_the_green_button_last():
    assert opened(find("stop-the-fall"), SHAFT, (1, 0), (1, 2), (0, 3)) == [((1, 2),), (), ()]


def test_blocks_of_stairs_can_come_in_any_order():
    stairs = grid("....*", ".....", "A....", "<>###")
    high, low = (1, 3), (2, 2)
    assert opened(find("reach-for-the-star"), stairs, high, high, low) == [(low,), (low,), ()]
    assert opened(find("reach-for-the-star"), stairs, low, high, high) == [(high,), (), ()]


def test_walking_before_building_leads_elsewhere():
    right = (2, 1)
    assert opened(find("reach-for-the-star"), grid("..*.", "A...", "<>##"), (1, 1), right, right) == [(), (), ()]


def test_a_walk_that_does_not_meet_the_stairs_could_have_come_before_them():
    right = (2, 1)
    assert opened(find("reach-for-the-star"), grid("...*", "A...", "<>##"), (1, 2), right, right) == [(right,), (), ()]


CORNERED = grid("#######", "#....R#", "#.....#", "#A....#", "#######", "<^v>...")
LEFT, UP, DOWN, RIGHT = ((5, c) for c in range(4))


def test_ways_round_two_sides_can_change_places_while_the_rabbit_stays():
    assert opened(find("chase"), CORNERED, (2, 5), UP, RIGHT, RIGHT) == [(UP, RIGHT), (RIGHT,), (), ()]


def test_where_the_rabbit_runs_at_random_nothing_can_change_places():
    running = grid("#######", "#.....#", "#.AR..#", "#.....#", "#######", "<^v>...")
    assert opened(find("chase"), running, UP, RIGHT, (1, 1)) == [(), (), ()]


def test_where_an_opponent_moves_there_is_one_reading():
    nim = find("nim")
    assert list(distinct_readings(demonstrate(nim, load_levels(nim, "train")), nim)) == [AS_CLICKED]


def test_where_a_piece_must_be_chosen_first_the_order_is_given_and_the_last_move_is_not():
    checkmate = find("checkmate")
    shown = demonstrate(checkmate, load_levels(checkmate, "train"))
    assert list(distinct_readings(shown, checkmate)) == [AS_CLICKED, Reading("winning")]
    for item in read(shown, Reading("winning"), checkmate):
        assert all(not step.open for step in item.steps[:-1])


def test_nim_taking_more_first_leads_elsewhere():
    piles = grid("|.", "|.", "||", "||")
    assert opened(find("nim"), piles, (1, 0), (3, 0), reading=Reading("open", "any")) == [(), ()]


def test_a_move_that_is_not_legal_before_the_queen_is_chosen():
    board = grid(".k...", "....Q", ".K...", ".....")
    assert opened(find("checkmate"), board, (1, 4), (1, 1), reading=Reading("open", "any")) == [(), ()]


@pytest.mark.parametrize("name", ["fence-in", "stop-the-fall", "reach-for-the-star"])
def test_all_that_an_expert_builds_later_could_be_built_now(name):
    game = find(name)
    for item in demonstrate(game, load_levels(game, "train,test")):
        clicks = [step.action for step in item.steps]
        run = Demonstrations(game.tokens, (item,), game.name)
        for i, step in enumerate(read(run, ANY_ORDER, game).steps):
            builds = {click for click in clicks[i:] if step.grid[click] == "."}
            assert {click for click in (step.action, *step.open) if step.grid[click] == "."} == builds


# Clicks that come to the same, by hand.

AIR = grid("....*", ".....", "A....", "<>###")


def test_a_dropped_block_counts_as_clicked_as_where_it_comes_to_rest_as_the_first_or_as_the_expert_s():
    star = find("reach-for-the-star")
    click = (1, 2)
    column = ((0, 2), (1, 2), (2, 2))
    for same, cell in (("clicked", click), ("open", click), ("changed", (2, 2)), ("first", (0, 2)), ("expert", (0, 2))):
        (step,) = read(run_of(star, AIR, click), Reading(same), star).steps
        others = () if same == "clicked" else tuple(other for other in column if other != cell)
        assert (step.action, step.open) == (cell, others), same


def test_the_expert_s_click_counts_where_it_comes_to_the_same():
    star = find("reach-for-the-star")
    assert star.expert(AIR) == (1, 3)
    assert counted(star, AIR, (2, 3), reading=Reading("expert")) == [(1, 3)]


def test_waiting_is_the_rabbit_s_cell_where_it_is_what_changes():
    running = grid("#######", "#A.R..#", "#.....#", "#######", "<^v>...")
    walls = running.where("#")
    (step,) = read(run_of(find("chase"), running, (3, 6)), Reading("changed"), find("chase")).steps
    assert step.action == (1, 3)
    assert {*walls, running.find("A")} <= {*step.open}


def test_what_comes_to_the_same_as_what_could_have_come_now_is_open_too():
    star = find("reach-for-the-star")
    column_2, column_3 = ((0, 2), (1, 2), (2, 2)), ((0, 3), (1, 3), (2, 3))
    run = run_of(star, AIR, (2, 3), (0, 2))
    first, second = read(run, Reading("open", "any"), star).steps
    assert {*first.open} == {*column_2, *column_3} - {(2, 3)}
    assert {*second.open} == {*column_2} - {(0, 2)}
    assert read(run, ANY_ORDER, star).steps[0].open == ((0, 2),)


def test_refusing_what_an_action_does_refuses_what_stands_for_it():
    star = find("reach-for-the-star")
    refusal = Demonstration((Step(AIR, (0, 2), refused=True), Step(AIR, (2, 3))))
    shown = Demonstrations(star.tokens, (refusal,))
    refused, step = read(shown, Reading("changed", "any"), star).steps
    assert refused == Step(AIR, (2, 2), refused=True)
    assert step == Step(AIR, (2, 3), open=((0, 3), (1, 3)))


def test_what_was_said_before_stays_said():
    star = find("reach-for-the-star")
    shown = Demonstrations(star.tokens, (Demonstration((Step(AIR, (0, 2), 0.5, open=((0, 0), (2, 2))),), "mine", 3),))
    (item,) = read(shown, Reading("changed"), star)
    assert item == Demonstration((Step(AIR, (2, 2), 0.5, open=((0, 0), (0, 2), (1, 2))),), "mine", 3)


# By the obvious version.

MANY = range(12)


def outcomes(game, board, action):
    """What an action leads to under many seeds, as literally as can be; None where the rules do not know it."""
    if not board.inside(action):
        return None
    return [game.step(board, action, np.random.default_rng(seed)) for seed in MANY]


def certainly(game, board, action):
    found = outcomes(game, board, action)
    return found[0] if found and all(outcome == found[0] for outcome in found) else None


def could_come(game, steps, i, j):
    """The definition, word by word."""
    action = steps[j].action
    now = certainly(game, steps[i].grid, action)
    if action == steps[i].action or now is None or now.grid == steps[i].grid:
        return False
    for step in steps[i:j]:
        if now is None or now.over:
            return False
        now = certainly(game, now.grid, step.action)
    if j + 1 < len(steps):
        return now == Outcome(steps[j + 1].grid)
    return now is not None and now == certainly(game, steps[j].grid, action)


def wins_instead(game, steps, i, cell):
    """The definition, word by word."""
    last = certainly(game, steps[-1].grid, steps[-1].action)
    now = certainly(game, steps[i].grid, cell)
    if last is None or not last.won or now is None or now.grid == steps[i].grid:
        return False
    for step in steps[i + 1 :]:
        if now is None or now.over:
            return False
        now = certainly(game, now.grid, step.action)
    return now is not None and now.won


def open_rows(game, steps, i, reading):
    board, action = steps[i].grid, steps[i].action
    later = {steps[j].action for j in range(i + 1, len(steps)) if could_come(game, steps, i, j)}
    found = later if reading.order == "any" else set()
    if reading.same != "clicked":
        effects = {cell: outcomes(game, board, cell) for cell in board.cells()}
        found = {cell for cell in board.cells() for now in (action, *found) if effects[cell] == effects[now]}
    if reading.same == "winning":
        found |= {cell for cell in board.cells() if wins_instead(game, steps, i, cell)}
    return found | {action}


@st.composite
def runs(draw, most=5):
    """A run of any game by somebody who clicks what changes something, mostly, and knows nothing else."""
    game = find(draw(st.sampled_from(list(GAMES))))
    board = draw(st.sampled_from(SMALL[game.name])).grid
    seed = draw(st.integers(0, 2**32))
    rng, steps = np.random.default_rng(seed), []
    for _ in range(draw(st.integers(1, most))):
        cells = [c for c in board.cells() if game.step(board, c, np.random.default_rng(0)).grid != board]
        cells = cells if rng.random() < 0.9 else list(board.cells())
        cell = game.expert(board) if rng.random() < 0.4 else cells[rng.integers(len(cells))]
        outcome = game.step(board, cell, rng)
        steps.append(Step(board, cell))
        board = outcome.grid
        if outcome.over:
            break
    return game, Demonstrations(game.tokens, (Demonstration(tuple(steps)),), game.name)


SMALL = {
    name: sorted(load_levels(find(name), "train,random:0-20"), key=lambda level: level.grid.height * level.grid.width)[
        :6
    ]
    for name in GAMES
}


@given(runs(), st.sampled_from(EVERY))
@settings(max_examples=120, deadline=None)
def test_open_is_what_the_definition_says(run, reading):
    game, shown = run
    steps = shown.steps
    for i, step in enumerate(read(shown, reading, game).steps):
        assert {step.action, *step.open} == open_rows(game, steps, i, reading)
        assert step.action not in step.open
        assert list(step.open) == sorted(set(step.open))
        if reading.same in ("clicked", "open"):
            assert step.action == steps[i].action
        else:
            assert outcomes(game, step.grid, step.action) == outcomes(game, step.grid, steps[i].action)


@given(demonstrations(), st.sampled_from(EVERY))
def test_without_rules_steps_keep_their_places_and_no_shown_action_is_open(shown, reading):
    result = read(shown, reading)
    assert [(step.grid, step.weight, step.refused) for step in result.steps] == [
        (step.grid, step.weight, step.refused) for step in shown.steps
    ]
    for step in result.steps:
        assert step.action not in step.open
    assert read(shown, reading) == result
    assert read(shown, AS_CLICKED) == shown


@pytest.mark.parametrize("name", GAMES)
@pytest.mark.parametrize("reading", READINGS, ids=str)
def test_what_experts_have_shown_stays_shown(name, reading):
    game = find(name)
    shown = demonstrate(game, load_levels(game, "train:0-1"))
    result = read(shown, reading, game)
    grids = list(dict.fromkeys(step.grid for step in shown.steps))
    rows = Rows([Planes(grids, game.tokens)])
    evidence = evidence_of(rows, result.steps)
    assert len(evidence.word) == len(shown.steps)
    assert evidence.shows(evidence.positive & evidence.mask).all()
    if reading.same in ("clicked", "open", "expert", "winning"):
        assert [step.action for step in result.steps] == [step.action for step in shown.steps]
    if reading == AS_CLICKED:
        assert result is shown


def test_what_is_read_does_not_depend_on_the_other_demonstrations():
    star = find("reach-for-the-star")
    shown = demonstrate(star, load_levels(star, "train:0-2"))
    alone, together = Effects(star), Effects(star)
    for reading in READINGS:
        assert read(shown.select([1]), reading, alone) == read(shown, reading, together).select([1])


# Which readings there are.


def test_readings_that_make_the_same_of_what_was_shown_are_tried_once():
    fence_in, chase = find("fence-in"), find("chase")
    assert list(distinct_readings(demonstrate(fence_in, load_levels(fence_in, "train:0-2")), fence_in)) == [
        AS_CLICKED,
        ANY_ORDER,
        Reading("winning"),
        Reading("winning", "any"),
    ]
    shown = demonstrate(chase, load_levels(chase, "train:0-2"))
    found = distinct_readings(shown, chase)
    assert found[AS_CLICKED] == shown
    assert len({json.dumps(result.to_json()) for result in found.values()}) == len(found)
    for reading in READINGS:
        assert read(shown, reading, chase) in found.values()


def test_the_paper_s_reading_comes_first_and_none_twice():
    assert READINGS[0] == AS_CLICKED == Reading("clicked", "given")
    assert len({*READINGS}) == len({reading.name for reading in READINGS}) == len(READINGS)


@pytest.mark.parametrize("reading", EVERY, ids=str)
def test_a_reading_is_data_and_has_a_name(reading):
    assert Reading.from_json(json.loads(json.dumps(reading.to_json()))) == reading
    assert find_reading(reading.name) == find_reading(f"{reading.same}/{reading.order}") == reading


def test_names_are_english():
    assert [str(reading) for reading in READINGS] == [
        "as clicked",
        "any click that comes to the same",
        "the cell that changes",
        "the first cell that comes to the same",
        "the expert's click that comes to the same",
        "in any order",
        "any click that comes to the same, in any order",
        "the cell that changes, in any order",
        "any click that wins as well",
        "any click that wins as well, in any order",
    ]


@pytest.mark.parametrize(
    "value", [None, [], "any", {"same": "alike"}, {"order": 3}, {"same": ["open"]}, {"same": "open", "colour": "red"}]
)
def test_what_is_no_reading_is_an_error_of_one_line(value):
    with pytest.raises(BadInput, match=r"^a file: [^\n]+$"):
        Reading.from_json(value, "a file")


def test_a_reading_that_is_not_known_is_an_error():
    with pytest.raises(BadInput, match=r"no reading called 'opne'. Did you mean 'open'\?"):
        find_reading("opne")


def test_rules_of_another_game_are_an_error():
    nim = find("nim")
    with pytest.raises(BadInput, match=r"not of Chase: they have other tokens"):
        read(demonstrate(nim, load_levels(nim, "train:0")), Reading("open"), find("chase"))


# What wins as well.


def test_any_block_below_him_would_have_done():
    """Two blocks are needed, anywhere below him, so each of the two could be elsewhere; the button could not."""
    shaft = grid("PG", "..", "..", ".F", ".F")
    fall = find("stop-the-fall")
    clicks = ((3, 0), (1, 0), (0, 1))
    assert opened(fall, shaft, *clicks, reading=Reading("winning")) == [((2, 0), (4, 0)), ((2, 0), (4, 0)), ()]
    both = [((1, 0), (2, 0), (4, 0)), ((2, 0), (4, 0)), ()]
    assert opened(fall, shaft, *clicks, reading=Reading("winning", "any")) == both


def test_of_a_run_that_was_not_won_nothing_wins_as_well():
    shaft = grid("PG", "..", "..", ".F", ".F")
    for clicks in (((3, 0),), ((3, 0), (0, 1))):
        assert {*opened(find("stop-the-fall"), shaft, *clicks, reading=Reading("winning"))} == {()}
    refused = Demonstrations(find("nim").tokens, (Demonstration((Step(grid("||"), (0, 0), refused=True),)),), "nim")
    assert read(refused, Reading("winning"), find("nim")) == refused


@pytest.mark.parametrize("name", ["checkmate", "fence-in", "stop-the-fall"])
def test_what_wins_as_well_wins_when_it_is_played_instead(name):
    game = find(name)
    shown = demonstrate(game, load_levels(game, "train:0-1"))
    for item, result in zip(shown, read(shown, Reading("winning"), game), strict=True):
        for i, step in enumerate(result.steps):
            for other in step.open:
                board, won = step.grid, False
                for action in (other, *(later.action for later in item.steps[i + 1 :])):
                    outcome = game.step(board, action, np.random.default_rng(0))
                    board, won = outcome.grid, outcome.won
                assert won


# With little effort.


def counting(game, times):
    """The game, which notes what it is asked to play."""

    class Counting(type(game)):
        def step(self, grid, action, rng):
            times[grid, action] += 1
            return super().step(grid, action, rng)

    return Counting()


@pytest.mark.parametrize("name", ["reach-for-the-star", "fence-in", "stop-the-fall"])
def test_nothing_is_played_twice_however_many_readings_there_are(name):
    times = Counter()
    game = counting(find(name), times)
    shown = demonstrate(find(name), load_levels(find(name), "train:0-1"))
    effects = Effects(game)
    distinct_readings(shown, effects)
    distinct_readings(shown + shown, effects)
    assert max(times.values()) == 1
    assert {step.grid for step in shown.steps} <= {board for board, _ in times}


# Without rules.


@pytest.mark.parametrize("same", ["clicked", "open"])
def test_without_rules_what_did_the_same_thing_to_other_cells_could_have_come_now(same):
    """Of the last fence nobody knows what it led to."""
    shown = run_of(find("fence-in"), PEN, (2, 1), (2, 3), (2, 2))
    assert [step.open for step in read(shown, Reading(same, "any")).steps] == [((2, 3),), (), ()]


def test_without_rules_a_click_that_did_something_else_has_its_place():
    shown = run_of(find("stop-the-fall"), SHAFT, (1, 0), (1, 2), (0, 3), (0, 0))
    assert [step.open for step in read(shown, ANY_ORDER).steps] == [((1, 2),), (), (), ()]


def test_without_rules_what_happens_elsewhere_has_its_place():
    """A block that falls, and sticks that an opponent takes, are more than the clicked cell."""
    for game, board, clicks in (
        ("reach-for-the-star", AIR, ((0, 2), (0, 3), (1, 2))),
        ("nim", grid("|.", "||", "||", "||"), ((1, 0), (2, 0), (3, 0))),
    ):
        assert {step.open for step in read(run_of(find(game), board, *clicks), ANY_ORDER).steps} == {()}


@pytest.mark.parametrize("name", GAMES)
def test_without_rules_nothing_is_open_that_would_not_be_with_them(name):
    game = find(name)
    shown = demonstrate(game, load_levels(game, "train:0-3"))
    effects = Effects(game)
    for reading in READINGS:
        known = [{step.action, *step.open} for step in read(shown, reading, effects).steps]
        guessed = [{step.action, *step.open} for step in read(shown, reading).steps]
        assert all(few <= many for few, many in zip(guessed, known, strict=True)), reading.name


def test_without_rules_two_clicks_that_were_seen_to_come_to_the_same_are_one():
    runs = [run_of(find("reach-for-the-star"), AIR, click, (2, 1)).items[0] for click in ((0, 2), (2, 2))]
    shown = Demonstrations(find("reach-for-the-star").tokens, tuple(runs))
    for same, cells in (("open", [(0, 2), (2, 2)]), ("changed", [(2, 2)] * 2), ("first", [(0, 2)] * 2)):
        result = read(shown, Reading(same))
        assert [item.steps[0].action for item in result] == cells
        assert [{item.steps[0].action, *item.steps[0].open} for item in result] == [{(0, 2), (2, 2)}] * 2


# Buttons, and positions that the rules do not know.


class Switches(Game):
    """Buttons that each set a lamp, and one that sets the first lamp like another; all lamps lit is the end."""

    name, title, goal = "switches", "Switches", "Light all lamps."
    tokens = Tokens(dark=".", lit="*")
    max_shape = (1, 3)
    buttons = ("c", "b", "a", "first")

    def step(self, grid, action, rng):
        if grid.width != 3:
            raise LookupError("no such lamp")
        lit = grid.with_cells({(0, {"a": 0, "b": 1, "c": 2, "first": 0}[action]): "*"})
        return Outcome(lit, won=lit.rows == ("***",), over=lit.rows == ("***",))

    def expert(self, grid):
        return "a"

    def generate(self, rng):
        return grid("...")

    def check(self, grid):
        pass


def test_buttons_are_read_like_clicks_and_told_in_their_own_order():
    game = Switches()
    shown = run_of(game, grid("..."), "b", "c", "a")
    assert [step.open for step in read(shown, ANY_ORDER, game).steps] == [("c", "a"), ("a",), ()]
    same = read(shown, Reading("open", "any"), game).steps
    assert [step.open for step in same] == [("c", "a", "first"), ("a", "first"), ("first",)]
    assert counted(game, grid("..."), "first", reading=Reading("expert")) == ["a"]
    assert counted(game, grid("..."), "first", reading=Reading("first")) == ["first"]


def test_what_the_rules_cannot_play_stays_as_it_was_clicked():
    game = Switches()
    shown = Demonstrations(
        game.tokens, (Demonstration((Step(grid("...."), "b"), Step(grid("..."), "c"))),), None, game.buttons
    )
    for reading in EVERY:
        assert read(shown, reading, game) == shown


def test_a_run_with_holes_says_nothing_about_order():
    """Where a step was taken out, what follows does not lead where the run did."""
    fence_in = find("fence-in")
    whole = run_of(fence_in, PEN, (2, 1), (3, 4), (2, 3), (2, 2))
    holed = replace(whole, items=(Demonstration(tuple(whole.steps[i] for i in (0, 2, 3))),))
    assert [step.open for step in read(holed, ANY_ORDER, fence_in).steps] == [(), ((2, 2),), ()]
