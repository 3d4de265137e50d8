"""The standard grammar: the paper's programs keep their order, and tasks for new primitives can be learned."""

from dataclasses import replace
from itertools import product

import numpy as np
import pytest

from shown.demonstrations import Demonstrations
from shown.grid import Grid, Tokens
from shown.inference.learner import Learner
from shown.language.grammar import Rule, paper_grammar
from shown.language.phrases import say
from shown.language.plan import Plan
from shown.language.primitives import LANGUAGE
from shown.language.standard import STANDARD, standard_grammar
from shown.language.terms import parse
from shown.worlds import GAMES, find
from strategies import BUTTONS, TOKENS, random_grids, some


def of_the_paper(term):
    return all(part.primitive in LANGUAGE for part in term.walk())


@pytest.mark.parametrize("buttons", [(), BUTTONS])
def test_the_papers_programs_keep_their_order_and_lose_one_factor(buttons):
    standard = [(t, p) for t, p in standard_grammar(TOKENS, buttons).programs(4_000) if of_the_paper(t)]
    paper = list(paper_grammar(TOKENS, buttons).programs(len(standard)))
    assert [term for term, _ in standard] == [term for term, _ in paper]
    lost = {round(p - q, 9) for (_, p), (_, q) in zip(paper, standard, strict=True)}
    assert len(lost) == 1
    assert lost.pop() < 0.05  # 2 % of the probability, 4 % where there are buttons


@pytest.mark.parametrize("name", some(GAMES, "nim", "chase"))
def test_most_of_the_first_programs_are_the_papers(name):
    terms = [term for term, _ in standard_grammar(find(name).tokens).programs(10_000)]
    assert sum(map(of_the_paper, terms)) > 8_500


def test_words_that_make_no_sense_in_a_world_are_not_in_its_grammar():
    assert not any(rule.primitive == "as_many" for rule in standard_grammar(TOKENS).rules)
    assert any(rule.primitive == "as_many" for rule in standard_grammar(Tokens(empty=".", one="1")).rules)
    standard_grammar(TOKENS, BUTTONS).check_actions(BUTTONS)
    standard_grammar(TOKENS).check_actions(())


def test_programs_that_are_said_alike_mean_the_same():
    told = {}
    for term, _ in standard_grammar(TOKENS).programs(6_000):
        for positive in (True, False):
            told.setdefault(say(term, STANDARD, positive), []).append((term, positive))
    alike = [group for group in told.values() if len(group) > 1]
    plan = Plan([term for group in alike for term, _ in group], TOKENS, (), STANDARD)
    world = plan.world(random_grids(0, 120))
    columns = dict(zip(plan.terms, plan.columns(world), strict=True))
    for (first, sign), *others in alike:
        for other, other_sign in others:
            differ = (columns[first] ^ columns[other]) & world.row_mask
            assert np.array_equal(differ, world.row_mask if sign != other_sign else 0 * differ), (first, other)


# --- what each word is for -------------------------------------------------------------------------------------------


def right(tokens, buttons, world, grammar, shown, programs):
    """How many of 60 new positions a policy gets right that was shown some others."""
    rng = np.random.default_rng(0)
    demos = Demonstrations.from_runs(tokens, [[world(rng)] for _ in range(shown)], buttons=buttons)
    policy = Learner(programs=programs, grammar=grammar(tokens, buttons)).fit(demos).policy_
    return np.mean([policy.act(board) == action for board, action in (world(rng) for _ in range(60))])


def without(word):
    """The grammar without a word, what it has room for being shared by the others."""

    def grammar(tokens, buttons):
        full = standard_grammar(tokens, buttons)
        rules = [rule for rule in full.rules if rule.primitive != word]
        total = {left: sum(rule.probability for rule in rules if rule.left == left) for left in {r.left for r in rules}}
        left = [Rule(rule.left, rule.primitive, rule.right, rule.probability / total[rule.left]) for rule in rules]
        return replace(full, rules=tuple(left))

    return grammar


def stamps(rng):
    """One order, a row, has three items or more: its stamp is clicked."""
    height, width = int(rng.integers(2, 5)), int(rng.integers(4, 9))
    ready = int(rng.integers(height))
    rows = []
    for r in range(height):
        items = int(rng.integers(3, width)) if r == ready else int(rng.integers(0, 3))
        rows.append("".join(rng.permutation(list("S" + "o" * items + "." * (width - 1 - items)))))
    return Grid(tuple(rows)), (ready, rows[ready].index("S"))


def around(cell, shape):
    cells = product(range(cell[0] - 1, cell[0] + 2), range(cell[1] - 1, cell[1] + 2))
    return [(r, c) for r, c in cells if (r, c) != cell and 0 <= r < shape[0] and 0 <= c < shape[1]]


def mines(rng):
    """Minesweeper, where just one covered cell is safe for certain: by a number with as many flags as it says."""
    shape = (5, 6)
    cells = list(product(*map(range, shape)))
    while True:
        mine = rng.random(shape) < 0.2
        board = np.where(mine & (rng.random(shape) < 0.7), "F", "?")
        numbers = {cell: str(min(4, sum(mine[other] for other in around(cell, shape)))) for cell in cells}
        safe = [cell for cell in cells if not mine[cell] and rng.random() < 0.4]
        while len(safe) > 1:
            for cell in safe[1:]:
                board[cell] = numbers[cell]
            flags = {cell: str(sum(board[o] == "F" for o in around(cell, shape))) for cell in cells}
            covered = [cell for cell in cells if board[cell] == "?"]
            safe = [cell for cell in covered if any(board[o] == flags[o] for o in around(cell, shape))]
        if safe:
            return Grid(tuple(map("".join, board))), safe[0]


def makes_four(board, cell, piece):
    for down, along in ((0, 1), (1, 0), (1, 1), (1, -1)):
        length = 1
        for way in (1, -1):
            r, c = cell[0] + way * down, cell[1] + way * along
            while 0 <= r < 6 and 0 <= c < 7 and board[r][c] == piece:
                length, r, c = length + 1, r + way * down, c + way * along
        if length >= 4:
            return True
    return False


def four(rng):
    """Connect Four, where just one move wins or keeps the other from winning."""
    while True:
        board, pieces = [list("." * 7) for _ in range(6)], "xo"
        for turn in range(int(rng.integers(8, 24))):
            open_columns = [c for c in range(7) if board[0][c] == "."]
            column = int(rng.choice(open_columns))
            row = max(r for r in range(6) if board[r][column] == ".")
            if makes_four(board, (row, column), pieces[turn % 2]):
                break
            board[row][column] = pieces[turn % 2]
        moves = [(max(r for r in range(6) if board[r][c] == "."), c) for c in range(7) if board[0][c] == "."]
        vital = [move for move in moves if any(makes_four(board, move, piece) for piece in pieces)]
        if len(vital) == 1:
            return Grid(tuple(map("".join, board))), vital[0]


def lorry(rng):
    """It goes when three pallets are loaded, wherever they stand."""
    shape = rng.integers(2, 6, size=2)
    board = Grid(tuple("".join(row) for row in rng.choice(list(".p"), size=shape, p=(0.75, 0.25))))
    return board, "go" if len(board.where("p")) >= 3 else "wait"


def shelves(rng, labels):
    """A box on each shelf, somewhere, with a label on its right, or a price or nothing."""
    rows = []
    for label in labels:
        start = int(rng.integers(5))
        row = list(rng.choice(list(".lp"), size=7, p=(0.5, 0.3, 0.2)))
        row[start : start + 2] = "b" + ("l" if label else str(rng.choice(list(".p"))))
        rows.append("".join(row))
    return Grid(tuple(rows))


def few_unlabeled(rng):
    """It waits when two boxes or more are without a label."""
    labels = rng.permutation(np.arange(int(rng.integers(3, 6))) >= int(rng.integers(4)))
    return shelves(rng, labels), "wait" if sum(~labels) > 1 else "go"


def one_labeled(rng):
    """It goes when there is a box with a label."""
    labels = np.zeros(int(rng.integers(2, 6)), dtype=bool)
    labels[int(rng.integers(len(labels)))] = goes = rng.random() < 0.5
    return shelves(rng, labels), "go" if goes else "wait"


STEPS = {"up": (-1, 0), "down": (1, 0), "left": (0, -1), "right": (0, 1)}


def maze(rng):
    """A way round the walls, where just one step shortens it."""
    while True:
        cells = rng.choice(list(".#"), size=(6, 7), p=(0.7, 0.3))
        (r, c), goal = (tuple(map(int, rng.integers((6, 7)))) for _ in range(2))
        far, line = {goal: 0}, [goal]
        for y, x in line:
            for down, right in STEPS.values():
                there = (y + down, x + right)
                if there not in far and 0 <= there[0] < 6 and 0 <= there[1] < 7 and cells[there] == ".":
                    far[there] = far[y, x] + 1
                    line.append(there)
        shorter = [n for n, (down, right) in STEPS.items() if far.get((r + down, c + right), 99) < far.get((r, c), 0)]
        if len(shorter) == 1:
            cells[r, c], cells[goal] = "A", "G"
            return Grid(tuple(map("".join, cells))), shorter[0]


def walkable(cells, start, passable):
    """How many steps it is from a cell to those that can be walked to over passable ones, and to what ends a walk."""
    far, line = {start: 0}, [start]
    for y, x in line:
        if (y, x) != start and not passable(cells[y][x]):
            continue
        for down, right in STEPS.values():
            there = (y + down, x + right)
            if there not in far and 0 <= there[0] < len(cells) and 0 <= there[1] < len(cells[0]):
                far[there] = far[y, x] + 1
                line.append(there)
    return far


def is_border(cell, shape):
    return cell[0] in (0, shape[0] - 1) or cell[1] in (0, shape[1] - 1)


def fenced_in(rng):
    """Holes in a meadow with trees: just one is fenced in, and it is filled."""
    shape = (7, 8)
    while True:
        cells = rng.choice(list(".t#"), size=shape, p=(0.3, 0.3, 0.4))
        holes = [divmod(int(place), shape[1]) for place in rng.permutation(shape[0] * shape[1])[:4]]
        for hole in holes:
            cells[hole] = "o"
        pens = [walkable(cells, hole, lambda what: what != "#") for hole in holes]
        inside = [{cell for cell in pen if cells[cell] != "#"} for pen in pens]
        fenced = [i for i, pen in enumerate(inside) if not any(is_border(cell, shape) for cell in pen)]
        if len(fenced) == 1 and len(inside[fenced[0]]) > 1:
            return Grid(tuple(map("".join, cells))), holes[fenced[0]]


def switches(rng):
    """Rooms in a house: just one switch can be walked to."""
    while True:
        cells = np.full((8, 9), "#")
        cells[1:-1, 1:-1] = rng.choice(list(".#"), size=(6, 7), p=(0.6, 0.4))
        (agent, *places) = ((1 + int(p) // 7, 1 + int(p) % 7) for p in rng.permutation(42)[:4])
        cells[agent] = "A"
        for place in places:
            cells[place] = "s"
        steps = walkable(cells, agent, lambda what: what == ".")
        near = [place for place in places if place in steps]
        if len(near) == 1 and steps[near[0]] > 2:
            return Grid(tuple(map("".join, cells))), near[0]


def gates(rng):
    """A lorry goes when the gate nearest to it has its light on."""
    shape = (6, 8)
    while True:
        cells = np.full(shape, ".")
        lorry, *places = ((int(p) // 4, 2 * (int(p) % 4)) for p in rng.permutation(24)[:5])
        lit = rng.random(len(places)) < 0.5
        far = [abs(lorry[0] - r) + abs(lorry[1] - c) for r, c in places]
        if far.count(min(far)) == 1:
            cells[lorry] = "T"
            for (r, c), light in zip(places, lit, strict=True):
                cells[r, c : c + 2] = list("gl" if light else "g.")
            return Grid(tuple(map("".join, cells))), "go" if lit[far.index(min(far))] else "wait"


def cornered(rng):
    """A dog barks when the sheep cannot step anywhere without coming nearer to it."""
    shape, barks = (5, 6), rng.random() < 0.5
    while True:
        cells = rng.choice(list(".#"), size=shape, p=(0.5, 0.5))
        sheep, dog = (divmod(int(place), shape[1]) for place in rng.permutation(shape[0] * shape[1])[:2])
        cells[sheep], cells[dog] = "S", "D"
        sides = [(sheep[0] + down, sheep[1] + right) for down, right in STEPS.values()]
        free = [(r, c) for r, c in sides if 0 <= r < shape[0] and 0 <= c < shape[1] and cells[r, c] == "."]
        far = sum(abs(a - b) for a, b in zip(sheep, dog, strict=True))
        away = [cell for cell in free if sum(abs(a - b) for a, b in zip(cell, dog, strict=True)) > far]
        if free and barks == (not away):
            return Grid(tuple(map("".join, cells))), "bark" if barks else "wait"


def same_column(rng):
    """A coin below or above the agent, among others, is clicked: this needs no word of its own."""
    while True:
        cells = rng.choice(list(".c#"), size=(6, 7), p=(0.6, 0.2, 0.2))
        r, c = int(rng.integers(6)), int(rng.integers(7))
        cells[r, c] = "A"
        coins = np.flatnonzero(cells[:, c] == "c").tolist()
        if len(coins) == 1:
            return Grid(tuple(map("".join, cells))), (coins[0], c)


GO = ("go", "wait")
BOXES = Tokens(empty=".", box="b", label="l", price="p")
TASKS = {
    "at_least": (stamps, Tokens(empty=".", item="o", stamp="S"), (), 8, 10_000),
    "as_many": (
        mines,
        Tokens(covered="?", flag="F", zero="0", one="1", two="2", three="3", four="4"),
        (),
        20,
        10_000,
    ),
    "in_a_line": (four, Tokens(empty=".", red="x", yellow="o"), (), 30, 10_000),
    "grid_has": (lorry, Tokens(empty=".", pallet="p"), GO, 12, 10_000),
    "but_not": (few_unlabeled, BOXES, GO, 30, 10_000),
    "both": (one_labeled, BOXES, GO, 15, 10_000),
    "nearer": (maze, Tokens(empty=".", wall="#", agent="A", goal="G"), tuple(STEPS), 30, 10_000),
    "escape": (cornered, Tokens(empty=".", rock="#", sheep="S", dog="D"), ("bark", "wait"), 20, 10_000),
    "reachable": (switches, Tokens(empty=".", wall="#", agent="A", switch="s"), (), 10, 10_000),
    "enclosed": (fenced_in, Tokens(grass=".", tree="t", hole="o", fence="#"), (), 10, 10_000),
    "nearest": (gates, Tokens(empty=".", lorry="T", gate="g", light="l"), GO, 20, 10_000),
}


@pytest.mark.parametrize("word", TASKS)
def test_a_task_is_learned_with_the_word(word):
    world, tokens, buttons, shown, programs = TASKS[word]
    assert right(tokens, buttons, world, standard_grammar, shown, programs) >= 0.95


@pytest.mark.slow
@pytest.mark.parametrize("word", TASKS)
def test_the_task_is_not_learned_without_the_word(word):
    world, tokens, buttons, shown, programs = TASKS[word]
    for others in (paper_grammar, without(word)):
        assert right(tokens, buttons, world, others, shown, programs) < 0.9


@pytest.mark.parametrize(
    ("word", "text"),
    [
        ("at_least", "at_action_cell(at_least(3, row, cell_is_value(item)))"),
        ("as_many", "at_action_cell(at_least(1, neighbors, as_many(neighbors, cell_is_value(flag))))"),
        ("in_a_line", "at_action_cell(in_a_line(4, lines, cell_is_value(red)))"),
        ("grid_has", "grid_has(3, cell_is_value(pallet))"),
        ("but_not", "grid_has(2, but_not(cell_is_value(box), shifted((0, 1), cell_is_value(label))))"),
        ("nearer", "at_cell_with_value(agent, nearer((0, 1), cell_is_value(goal), cell_is_value(empty)))"),
        ("both", "grid_has(1, both(cell_is_value(box), shifted((0, 1), cell_is_value(label))))"),
        ("escape", "at_cell_with_value(sheep, escape(dog, cell_is_value(empty)))"),
        ("reachable", "at_action_cell(reachable(cell_is_value(agent), cell_is_value(empty)))"),
        ("enclosed", "at_action_cell(enclosed(cell_is_value(fence)))"),
        ("nearest", "at_cell_with_value(lorry, nearest(gate, shifted((0, 1), cell_is_value(light))))"),
    ],
)
def test_the_program_that_is_needed_comes_in_time(word, text):
    _, tokens, buttons, _, programs = TASKS[word]
    wanted = parse(text, STANDARD, tokens.values, buttons)
    grammar = standard_grammar(tokens, buttons)
    assert any(term == wanted for term, _ in grammar.programs(programs))


def test_the_same_row_or_column_needs_no_word_of_its_own():
    tokens = Tokens(empty=".", wall="#", coin="c", agent="A")
    assert right(tokens, (), same_column, standard_grammar, 8, 3_000) >= 0.95
    term = parse("at_action_cell(at_least(1, column, cell_is_value(agent)))", STANDARD, tokens.values)
    assert say(term, STANDARD, single=("agent",)) == "the agent is in the column of the clicked cell"
