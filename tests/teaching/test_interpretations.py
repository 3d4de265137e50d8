"""What a demonstrated click stands for."""

import json
from collections import Counter
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from shown.columns.rows import Rows, labels_of
from shown.demonstrations import Demonstration, Demonstrations, Step
from shown.engine.planes import Planes
from shown.errors import BadInput
from shown.grid import Tokens, grid
from shown.teaching.interpretation.equivalence import Effects
from shown.teaching.interpretation.interpretations import (
    EXACT_CLICKS,
    INTERPRETATIONS,
    Interpretation,
    distinct_interpretations,
    find_interpretation,
    interpret,
)
from shown.worlds import GAMES, Game, Outcome, demonstrate, find, load_levels
from strategies import demonstrations, examples, some

ANY_ORDER = Interpretation("exact", "any")
EVERY = [
    Interpretation(same, order)
    for same in ("exact", "equivalent", "changed", "first", "expert", "winning")
    for order in ("given", "any")
]


def run_of(game, board, *clicks):
    """One demonstration: these clicks from this position on."""
    rng, steps = np.random.default_rng(0), []
    for click in clicks:
        steps.append(Step(board, click))
        board = game.step(board, click, rng).grid
    return Demonstrations(game.tokens, (Demonstration(tuple(steps)),), game.name, game.buttons)


def opened(game, board, *clicks, interpretation=ANY_ORDER):
    return [step.open for step in interpret(run_of(game, board, *clicks), interpretation, game).steps]


def counted(game, board, *clicks, interpretation):
    return [step.action for step in interpret(run_of(game, board, *clicks), interpretation, game).steps]


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


def test_where_an_opponent_moves_there_is_one_interpretation():
    nim = find("nim")
    assert list(distinct_interpretations(demonstrate(nim, load_levels(nim, "train")), nim)) == [EXACT_CLICKS]


def test_where_a_piece_must_be_chosen_first_the_order_is_given_and_the_last_move_is_not():
    checkmate = find("checkmate")
    shown = demonstrate(checkmate, load_levels(checkmate, "train"))
    assert list(distinct_interpretations(shown, checkmate)) == [EXACT_CLICKS, Interpretation("winning")]
    for item in interpret(shown, Interpretation("winning"), checkmate):
        assert all(not step.open for step in item.steps[:-1])


def test_nim_taking_more_first_leads_elsewhere():
    piles = grid("|.", "|.", "||", "||")
    assert opened(find("nim"), piles, (1, 0), (3, 0), interpretation=Interpretation("equivalent", "any")) == [(), ()]


def test_a_move_that_is_not_legal_before_the_queen_is_chosen():
    board = grid(".k...", "....Q", ".K...", ".....")
    assert opened(find("checkmate"), board, (1, 4), (1, 1), interpretation=Interpretation("equivalent", "any")) == [
        (),
        (),
    ]


@pytest.mark.parametrize("name", ["fence-in", "stop-the-fall", "reach-for-the-star"])
def test_all_that_an_expert_builds_later_could_be_built_now(name):
    game = find(name)
    for item in demonstrate(game, load_levels(game, "train,test")):
        clicks = [step.action for step in item.steps]
        run = Demonstrations(game.tokens, (item,), game.name)
        for i, step in enumerate(interpret(run, ANY_ORDER, game).steps):
            builds = {click for click in clicks[i:] if step.grid[click] == "."}
            assert {click for click in (step.action, *step.open) if step.grid[click] == "."} == builds


# Clicks that come to the same, by hand.

AIR = grid("....*", ".....", "A....", "<>###")


def test_a_dropped_block_counts_as_clicked_as_where_it_comes_to_rest_as_the_first_or_as_the_expert_s():
    star = find("reach-for-the-star")
    click = (1, 2)
    column = ((0, 2), (1, 2), (2, 2))
    for same, cell in (
        ("exact", click),
        ("equivalent", click),
        ("changed", (2, 2)),
        ("first", (0, 2)),
        ("expert", (0, 2)),
    ):
        (step,) = interpret(run_of(star, AIR, click), Interpretation(same), star).steps
        others = () if same == "exact" else tuple(other for other in column if other != cell)
        assert (step.action, step.open) == (cell, others), same


def test_the_expert_s_click_counts_where_it_comes_to_the_same():
    star = find("reach-for-the-star")
    assert star.expert(AIR) == (1, 3)
    assert counted(star, AIR, (2, 3), interpretation=Interpretation("expert")) == [(1, 3)]


def test_waiting_is_the_rabbit_s_cell_where_it_is_what_changes():
    running = grid("#######", "#A.R..#", "#.....#", "#######", "<^v>...")
    walls = running.where("#")
    (step,) = interpret(run_of(find("chase"), running, (3, 6)), Interpretation("changed"), find("chase")).steps
    assert step.action == (1, 3)
    assert {*walls, running.find("A")} <= {*step.open}


def test_what_comes_to_the_same_as_what_could_have_come_now_is_open_too():
    star = find("reach-for-the-star")
    column_2, column_3 = ((0, 2), (1, 2), (2, 2)), ((0, 3), (1, 3), (2, 3))
    run = run_of(star, AIR, (2, 3), (0, 2))
    first, second = interpret(run, Interpretation("equivalent", "any"), star).steps
    assert {*first.open} == {*column_2, *column_3} - {(2, 3)}
    assert {*second.open} == {*column_2} - {(0, 2)}
    assert interpret(run, ANY_ORDER, star).steps[0].open == ((0, 2),)


def test_refusing_what_an_action_does_refuses_what_stands_for_it():
    star = find("reach-for-the-star")
    refusal = Demonstration((Step(AIR, (0, 2), refused=True), Step(AIR, (2, 3))))
    shown = Demonstrations(star.tokens, (refusal,))
    refused, step = interpret(shown, Interpretation("changed", "any"), star).steps
    assert refused == Step(AIR, (2, 2), refused=True)
    assert step == Step(AIR, (2, 3), open=((0, 3), (1, 3)))


def test_what_was_said_before_stays_said():
    star = find("reach-for-the-star")
    shown = Demonstrations(star.tokens, (Demonstration((Step(AIR, (0, 2), 0.5, open=((0, 0), (2, 2))),), "mine", 3),))
    (item,) = interpret(shown, Interpretation("changed"), star)
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


def open_rows(game, steps, i, interpretation):
    board, action = steps[i].grid, steps[i].action
    later = {steps[j].action for j in range(i + 1, len(steps)) if could_come(game, steps, i, j)}
    found = later if interpretation.order == "any" else set()
    if interpretation.clicks != "exact":
        effects = {cell: outcomes(game, board, cell) for cell in board.cells()}
        found = {cell for cell in board.cells() for now in (action, *found) if effects[cell] == effects[now]}
    if interpretation.clicks == "winning":
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
@settings(max_examples=examples(120), deadline=None)
def test_open_is_what_the_definition_says(run, interpretation):
    game, shown = run
    steps = shown.steps
    for i, step in enumerate(interpret(shown, interpretation, game).steps):
        assert {step.action, *step.open} == open_rows(game, steps, i, interpretation)
        assert step.action not in step.open
        assert list(step.open) == sorted(set(step.open))
        if interpretation.clicks in ("exact", "equivalent"):
            assert step.action == steps[i].action
        else:
            assert outcomes(game, step.grid, step.action) == outcomes(game, step.grid, steps[i].action)


@given(demonstrations(), st.sampled_from(EVERY))
def test_without_rules_steps_keep_their_places_and_no_shown_action_is_open(shown, interpretation):
    result = interpret(shown, interpretation)
    assert [(step.grid, step.weight, step.refused) for step in result.steps] == [
        (step.grid, step.weight, step.refused) for step in shown.steps
    ]
    for step in result.steps:
        assert step.action not in step.open
    assert interpret(shown, interpretation) == result
    assert interpret(shown, EXACT_CLICKS) == shown


@pytest.mark.parametrize("name", some(GAMES, "nim", "chase"))
@pytest.mark.parametrize("interpretation", INTERPRETATIONS, ids=str)
def test_what_experts_have_shown_stays_shown(name, interpretation):
    game = find(name)
    shown = demonstrate(game, load_levels(game, "train:0-1"))
    result = interpret(shown, interpretation, game)
    grids = list(dict.fromkeys(step.grid for step in shown.steps))
    rows = Rows([Planes(grids, game.tokens)])
    labels = labels_of(rows, result.steps)
    assert len(labels.word) == len(shown.steps)
    assert labels.shows(labels.positive & labels.mask).all()
    if interpretation.clicks in ("exact", "equivalent", "expert", "winning"):
        assert [step.action for step in result.steps] == [step.action for step in shown.steps]
    if interpretation == EXACT_CLICKS:
        assert result is shown


def test_what_is_read_does_not_depend_on_the_other_demonstrations():
    star = find("reach-for-the-star")
    shown = demonstrate(star, load_levels(star, "train:0-2"))
    alone, together = Effects(star), Effects(star)
    for interpretation in INTERPRETATIONS:
        assert interpret(shown.select([1]), interpretation, alone) == interpret(shown, interpretation, together).select(
            [1]
        )


# Which interpretations there are.


def test_interpretations_with_equal_results_are_tried_once():
    fence_in, chase = find("fence-in"), find("chase")
    assert list(distinct_interpretations(demonstrate(fence_in, load_levels(fence_in, "train:0-2")), fence_in)) == [
        EXACT_CLICKS,
        ANY_ORDER,
        Interpretation("winning"),
        Interpretation("winning", "any"),
    ]
    shown = demonstrate(chase, load_levels(chase, "train:0-2"))
    found = distinct_interpretations(shown, chase)
    assert found[EXACT_CLICKS] == shown
    assert len({json.dumps(result.to_json()) for result in found.values()}) == len(found)
    for interpretation in INTERPRETATIONS:
        assert interpret(shown, interpretation, chase) in found.values()


def test_the_paper_s_interpretation_comes_first_and_none_twice():
    assert INTERPRETATIONS[0] == EXACT_CLICKS == Interpretation("exact", "given")
    assert (
        len({*INTERPRETATIONS})
        == len({interpretation.name for interpretation in INTERPRETATIONS})
        == len(INTERPRETATIONS)
    )


@pytest.mark.parametrize("interpretation", EVERY, ids=str)
def test_an_interpretation_is_data_and_has_a_name(interpretation):
    assert Interpretation.from_json(json.loads(json.dumps(interpretation.to_json()))) == interpretation
    short = interpretation.clicks + ("/any-order" if interpretation.order == "any" else "")
    assert find_interpretation(interpretation.name) == find_interpretation(short) == interpretation


def test_names_are_english():
    assert [str(interpretation) for interpretation in INTERPRETATIONS] == [
        "exact clicks",
        "any equivalent click",
        "the cell that changes",
        "the first equivalent cell",
        "the expert's equivalent click",
        "exact clicks, in any order",
        "any equivalent click, in any order",
        "the cell that changes, in any order",
        "any click that also wins",
        "any click that also wins, in any order",
    ]


@pytest.mark.parametrize(
    "value",
    [
        None,
        [],
        "any",
        {"clicks": "alike"},
        {"order": 3},
        {"clicks": ["equivalent"]},
        {"clicks": "equivalent", "color": "red"},
    ],
)
def test_what_is_no_interpretation_is_an_error_of_one_line(value):
    with pytest.raises(BadInput, match=r"^a file: [^\n]+$"):
        Interpretation.from_json(value, "a file")


def test_an_unknown_interpretation_is_an_error():
    with pytest.raises(BadInput, match=r"no interpretation called 'equivalnt'. Did you mean 'equivalent'\?"):
        find_interpretation("equivalnt")


def test_rules_of_another_game_are_an_error():
    nim = find("nim")
    with pytest.raises(BadInput, match=r"not of Chase: they have other tokens"):
        interpret(demonstrate(nim, load_levels(nim, "train:0")), Interpretation("equivalent"), find("chase"))


# What wins as well.


def test_any_block_below_him_would_have_done():
    """Two blocks are needed, anywhere below him, so each of the two could be elsewhere; the button could not."""
    shaft = grid("PG", "..", "..", ".F", ".F")
    fall = find("stop-the-fall")
    clicks = ((3, 0), (1, 0), (0, 1))
    assert opened(fall, shaft, *clicks, interpretation=Interpretation("winning")) == [
        ((2, 0), (4, 0)),
        ((2, 0), (4, 0)),
        (),
    ]
    both = [((1, 0), (2, 0), (4, 0)), ((2, 0), (4, 0)), ()]
    assert opened(fall, shaft, *clicks, interpretation=Interpretation("winning", "any")) == both


def test_of_a_run_that_was_not_won_nothing_wins_as_well():
    shaft = grid("PG", "..", "..", ".F", ".F")
    for clicks in (((3, 0),), ((3, 0), (0, 1))):
        assert {*opened(find("stop-the-fall"), shaft, *clicks, interpretation=Interpretation("winning"))} == {()}
    refused = Demonstrations(find("nim").tokens, (Demonstration((Step(grid("||"), (0, 0), refused=True),)),), "nim")
    assert interpret(refused, Interpretation("winning"), find("nim")) == refused


@pytest.mark.parametrize("name", ["checkmate", "fence-in", "stop-the-fall"])
def test_what_wins_as_well_wins_when_it_is_played_instead(name):
    game = find(name)
    shown = demonstrate(game, load_levels(game, "train:0-1"))
    for item, result in zip(shown, interpret(shown, Interpretation("winning"), game), strict=True):
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


@pytest.mark.parametrize("name", some(["reach-for-the-star", "fence-in", "stop-the-fall"], "stop-the-fall"))
def test_nothing_is_played_twice_however_many_interpretations_there_are(name):
    times = Counter()
    game = counting(find(name), times)
    shown = demonstrate(find(name), load_levels(find(name), "train:0-1"))
    effects = Effects(game)
    distinct_interpretations(shown, effects)
    distinct_interpretations(shown + shown, effects)
    assert max(times.values()) == 1
    assert {step.grid for step in shown.steps} <= {board for board, _ in times}


# Without rules.


@pytest.mark.parametrize("same", ["exact", "equivalent"])
def test_without_rules_what_did_the_same_thing_to_other_cells_could_have_come_now(same):
    """Of the last fence nobody knows what it led to."""
    shown = run_of(find("fence-in"), PEN, (2, 1), (2, 3), (2, 2))
    assert [step.open for step in interpret(shown, Interpretation(same, "any")).steps] == [((2, 3),), (), ()]


def test_without_rules_a_click_that_did_something_else_has_its_place():
    shown = run_of(find("stop-the-fall"), SHAFT, (1, 0), (1, 2), (0, 3), (0, 0))
    assert [step.open for step in interpret(shown, ANY_ORDER).steps] == [((1, 2),), (), (), ()]


def test_without_rules_what_happens_elsewhere_has_its_place():
    """A block that falls, and sticks that an opponent takes, are more than the clicked cell."""
    for game, board, clicks in (
        ("reach-for-the-star", AIR, ((0, 2), (0, 3), (1, 2))),
        ("nim", grid("|.", "||", "||", "||"), ((1, 0), (2, 0), (3, 0))),
    ):
        assert {step.open for step in interpret(run_of(find(game), board, *clicks), ANY_ORDER).steps} == {()}


@pytest.mark.parametrize("name", some(GAMES, "nim", "stop-the-fall"))
def test_without_rules_nothing_is_open_that_would_not_be_with_them(name):
    game = find(name)
    shown = demonstrate(game, load_levels(game, "train:0-3"))
    effects = Effects(game)
    for interpretation in INTERPRETATIONS:
        known = [{step.action, *step.open} for step in interpret(shown, interpretation, effects).steps]
        guessed = [{step.action, *step.open} for step in interpret(shown, interpretation).steps]
        assert all(few <= many for few, many in zip(guessed, known, strict=True)), interpretation.name


def test_without_rules_two_clicks_that_were_seen_to_come_to_the_same_are_one():
    runs = [run_of(find("reach-for-the-star"), AIR, click, (2, 1)).items[0] for click in ((0, 2), (2, 2))]
    shown = Demonstrations(find("reach-for-the-star").tokens, tuple(runs))
    for same, cells in (("equivalent", [(0, 2), (2, 2)]), ("changed", [(2, 2)] * 2), ("first", [(0, 2)] * 2)):
        result = interpret(shown, Interpretation(same))
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
    assert [step.open for step in interpret(shown, ANY_ORDER, game).steps] == [("c", "a"), ("a",), ()]
    same = interpret(shown, Interpretation("equivalent", "any"), game).steps
    assert [step.open for step in same] == [("c", "a", "first"), ("a", "first"), ("first",)]
    assert counted(game, grid("..."), "first", interpretation=Interpretation("expert")) == ["a"]
    assert counted(game, grid("..."), "first", interpretation=Interpretation("first")) == ["first"]


def test_what_the_rules_cannot_play_stays_as_it_was_clicked():
    game = Switches()
    shown = Demonstrations(
        game.tokens, (Demonstration((Step(grid("...."), "b"), Step(grid("..."), "c"))),), None, game.buttons
    )
    for interpretation in EVERY:
        assert interpret(shown, interpretation, game) == shown


def test_a_run_with_holes_says_nothing_about_order():
    """Where a step was taken out, what follows does not lead where the run did."""
    fence_in = find("fence-in")
    whole = run_of(fence_in, PEN, (2, 1), (3, 4), (2, 3), (2, 2))
    holed = replace(whole, items=(Demonstration(tuple(whole.steps[i] for i in (0, 2, 3))),))
    assert [step.open for step in interpret(holed, ANY_ORDER, fence_in).steps] == [(), ((2, 2),), ()]
