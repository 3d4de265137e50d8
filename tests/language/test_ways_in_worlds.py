"""Worlds that need primitives about walks to be learned from few demonstrations."""

from fractions import Fraction

import numpy as np
import pytest

from shown.columns.resources import Resources
from shown.demonstrations import Demonstrations
from shown.grid import Grid, Tokens
from shown.inference.learner import Learner
from shown.language.grammar import Rule, paper_grammar, uniform
from shown.language.primitives import LANGUAGE, WAYS
from shown.language.terms import Kind
from shown.symmetry import Transformation, images
from shown.teaching.interpretation.fitter import Fitter
from shown.teaching.interpretation.hypotheses import Hypothesis
from shown.teaching.interpretation.interpretations import EXACT_CLICKS
from shown.teaching.task import Task
from shown.worlds import find, load_levels, success_rate
from shown.worlds.games.game import SIDES
from shown_evidence.trials.demonstrators import STYLE, demonstrations
from shown_evidence.trials.level_sets import CHOOSE

TOKENS = Tokens(empty=".", wall="#", agent="A", goal="G")
STEPS = {"up": (-1, 0), "down": (1, 0), "left": (0, -1), "right": (0, 1)}
BUTTONS = tuple(STEPS)
SYMMETRIES = (
    Transformation("left-right", buttons=(("left", "right"),)),
    Transformation("transpose", buttons=(("up", "left"), ("down", "right"))),
)


def four_rooms(seed, size=9):
    """Four rooms with a door between each two neighbors, an agent, and a goal that is not beside it."""
    rng = np.random.default_rng(seed)
    middle = size // 2
    cells = np.full((size, size), ".")
    cells[[0, middle, -1], :] = cells[:, [0, middle, -1]] = "#"
    for first in (1, middle + 1):
        cells[middle, rng.integers(first, first + middle - 1)] = "."
        cells[rng.integers(first, first + middle - 1), middle] = "."
    free = [tuple(map(int, place)) for place in np.argwhere(cells == ".")]
    agent, goal = (free[i] for i in rng.choice(len(free), 2, replace=False))
    return Grid(tuple("".join(row) for row in cells)).with_cells({agent: "A", goal: "G"})


def moved(board, button):
    """The agent one cell further, unless a wall is there."""
    agent, (down, right) = board.find("A"), STEPS[button]
    there = (agent[0] + down, agent[1] + right)
    return board if board[there] == "#" else board.with_cells({agent: ".", there: "A"})


def lengths(board):
    """How far it is to the goal from every cell."""
    goal = board.find("G")
    known, line = {goal: 0}, [goal]
    for cell in line:
        for down, right in STEPS.values():
            there = (cell[0] + down, cell[1] + right)
            if there not in known and board[there] != "#":
                known[there] = known[cell] + 1
                line.append(there)
    return known


def shortest(board):
    """The first button, in their order, that leads nearer to the goal."""
    far, agent = lengths(board), board.find("A")
    return next(
        name for name, (down, right) in STEPS.items() if far.get((agent[0] + down, agent[1] + right), 99) < far[agent]
    )


def run(board, act, limit=60):
    """The positions and buttons until the goal is reached, and whether it is."""
    steps = []
    while board.find("G") is not None and len(steps) < limit:
        steps.append((board, act(board)))
        board = moved(*steps[-1])
    return steps, board.find("G") is None


def shown(*seeds):
    return Demonstrations.from_runs(TOKENS, [run(four_rooms(seed), shortest)[0] for seed in seeds], None, BUTTONS)


def with_nearer():
    return paper_grammar(TOKENS, BUTTONS).extended(
        Rule("B", "nearer", ("O", "T", "T"), 0.2),
        Rule("T", "cell_is_value", ("V",), 1),
        language=LANGUAGE.extended(*WAYS),
    )


def success(demonstrations, grammar, programs, levels=30):
    """How many new levels are won, and the best rule."""
    policy = Learner(programs=programs, grammar=grammar, resources=Resources(threads=1)).fit(demonstrations).policy_
    won = [run(four_rooms(1000 + seed), policy.act)[1] for seed in range(levels)]
    return sum(won) / levels, policy.components[0].formula


def test_the_way_round_the_walls_is_learned_from_three_walks():
    walks = shown(9, 10, 11)
    assert success(walks, with_nearer(), 3000)[0] == 1
    assert success(walks, paper_grammar(TOKENS, BUTTONS), 10_000)[0] < 0.5


@pytest.mark.parametrize("seed", [22, *(pytest.param(seed, marks=pytest.mark.slow) for seed in (42, 66))])
def test_one_walk_is_enough_where_the_world_may_be_turned_and_mirrored(seed):
    """Walks on which only one step was right at any time: what is not shown is wrong indeed, in all images."""
    walk = images(shown(seed), SYMMETRIES)
    won, rule = success(walk, with_nearer(), 3000)
    assert won == 1
    assert sorted(sorted(map(str, clause)) for clause in rule.clauses) == sorted(
        [f"action_is({name})", f"at_cell_with_value(agent, nearer({way}, cell_is_value(goal), cell_is_value(empty)))"]
        for name, way in STEPS.items()
    )
    assert success(walk, paper_grammar(TOKENS, BUTTONS), 10_000)[0] <= 0.6


# --- Chase, as people play it -----------------------------------------------------------------------------------------


def walking_grammar(tokens):
    """The paper's, and about one program in twenty about ways: mostly from the first cell with some value, since where
    a key lies matters to nobody's walk; and always over empty cells.
    """
    return paper_grammar(tokens).extended(
        Rule("P", "at_cell_with_value", ("V", "K"), Fraction(1, 20)),
        Rule("P", "at_action_cell", ("K",), Fraction(1, 400)),
        Rule("K", "nearer", ("side", "T", "ground"), Fraction(6, 10)),
        Rule("K", "escape", ("V", "ground"), Fraction(4, 10)),
        Rule("T", "cell_is_value", ("V",), 1),
        Rule("ground", "cell_is_value", ("empty",), 1),
        leaves={"side": uniform(Kind.OFFSET, SIDES), "empty": uniform(Kind.VALUE, ("empty",))},
        language=LANGUAGE.extended(*WAYS),
    )


@pytest.mark.parametrize("style", ["sideways-first", pytest.param("waits-on-the-agent", marks=pytest.mark.slow)])
def test_in_chase_it_is_learned_from_three_games_when_to_wait_where_to_build_and_how_to_walk(style):
    chase = find("chase")
    games = demonstrations(chase, CHOOSE.shown_levels(0, 3), f"{STYLE}{style}", seed=0)
    levels = load_levels(chase, CHOOSE.played_levels(20))

    def won(grammar):
        fitter = Fitter(Task(games, programs=10_500), Resources(threads=1), grammar=grammar)
        return success_rate(chase, fitter.fit(Hypothesis(EXACT_CLICKS, chase.symmetries), games).policy, levels)

    assert won(walking_grammar(chase.tokens)) >= 0.95
    assert won(paper_grammar(chase.tokens)) < 0.9
