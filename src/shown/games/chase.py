"""Chase: catch the rabbit, which always runs away, by walling it in."""

from __future__ import annotations

import numpy as np

from shown.games.game import EMPTY, SIDES, Game, Outcome, clicked, moved, require_one
from shown.grid import Action, Cell, Grid, Tokens
from shown.symmetry import Transformation

WALL, NEW_WALL, AGENT, RABBIT = "#", "%", "A", "R"
KEYS = {"^": (-1, 0), "v": (1, 0), "<": (0, -1), ">": (0, 1)}
KEY = {way: key for key, way in KEYS.items()}


class Chase(Game):
    """Catch the rabbit, which always runs away, by walling it in.

    Description: an agent and a rabbit in a room of walls, and four arrow keys. An arrow key moves the agent one cell;
        clicking an empty cell builds a new wall there; any other click only lets time pass. Then the rabbit moves, at
        random among the moves that increase its Manhattan distance from the agent; if there is none, it stays.
        Neither walks through walls or keys.
    Observation: a grid; `A` agent, `R` rabbit, `#` wall, `%` new wall, `<` `>` `^` `v` arrow keys, `.` empty.
    Actions: a click on a cell.
    Rewards: 1 for moving the agent into the rabbit's cell, otherwise 0.
    End of episode: the rabbit is caught.
    Levels: made by hand; rooms of many sizes and shapes with walls inside, the keys on any side. The rabbit always ends
        in a corner that the agent reaches by going up or down first, then left or right.
    """

    name = "chase"
    title = "Chase"
    goal = "Catch the rabbit. It always runs away, so wall it in: click empty cells to build, arrow keys to walk."
    tokens = Tokens(
        empty=EMPTY,
        wall=WALL,
        new_wall=NEW_WALL,
        agent=AGENT,
        rabbit=RABBIT,
        left_arrow="<",
        right_arrow=">",
        up_arrow="^",
        down_arrow="v",
    )
    max_shape = (14, 14)
    symmetries = (
        Transformation("left-right", tokens=(("left_arrow", "right_arrow"),)),
        Transformation("up-down", tokens=(("up_arrow", "down_arrow"),)),
    )

    def step(self, grid: Grid, action: Action, rng: np.random.Generator) -> Outcome:
        outcomes = turn(grid, clicked(action))
        return outcomes[rng.integers(len(outcomes))] if len(outcomes) > 1 else outcomes[0]

    def expert(self, grid: Grid) -> Cell:
        """Waits until the rabbit cannot run, walls it in on the third side, then walks to its row and along it.

        Waiting is clicking the first wall of the grid. The third side is the one above or below the rabbit, so that
        the way to it leads along its row. Where walls stand in that way, it takes a shortest way round them.
        """
        agent, rabbit = _find(grid, AGENT), _find(grid, RABBIT)
        if escapes(grid, agent, rabbit):
            return grid.find(WALL) or rabbit
        exits = [cell for way in SIDES if grid.get(cell := moved(rabbit, way)) == EMPTY]
        if len(exits) > 1:
            return exits[0]
        straight = _straight(agent, rabbit)
        far = way_lengths(grid, rabbit)
        here = far.get(agent, 0)
        nearer = [way for way in (*straight, *SIDES) if far.get(moved(agent, way), here) < here]
        return _find(grid, KEY[(nearer or straight)[0]])

    def generate(self, rng: np.random.Generator) -> Grid:
        while True:
            grid = _sketch(rng)
            if self.is_fair(grid):
                return grid

    def is_fair(self, grid: Grid) -> bool:
        """Whether the expert wins for certain, whatever the rabbit does, and without surprises.

        The rabbit is in a corner exactly when it can no longer run, and the agent is in the rabbit's row exactly when a
        wall stops it on its way up or down; nothing stands in the way that leads there.
        """
        grids = {grid}
        for _ in range(self.max_steps):
            following: set[Grid] = set()
            for position in grids:
                agent, rabbit = _find(position, AGENT), _find(position, RABBIT)
                above, below, left, right = (grid.get(moved(rabbit, way)) == WALL for way in SIDES)
                corner = above != below and left != right
                if corner == bool(escapes(position, agent, rabbit)) or (above and below) or (left and right):
                    return False
                if corner and agent[0] == rabbit[0] and grid.get(moved(agent, (-1 if above else 1, 0))) != WALL:
                    return False
                click = self.expert(position)
                if KEYS.get(position[click], straight := _straight(agent, rabbit)[0]) != straight:
                    return False
                following.update(outcome.grid for outcome in turn(position, click) if not outcome.won)
            if not following:
                return True
            grids = following
        return False

    def check(self, grid: Grid) -> None:
        for name in ("agent", "rabbit", "left_arrow", "right_arrow", "up_arrow", "down_arrow"):
            require_one(grid, self.tokens, name)


def turn(grid: Grid, cell: Cell) -> list[Outcome]:
    """All that a click may lead to, each as likely as the others: first the agent acts, then the rabbit runs."""
    token, agent, rabbit = grid[cell], _find(grid, AGENT), _find(grid, RABBIT)
    if token == EMPTY:
        grid = grid.with_cells({cell: NEW_WALL})
    elif token in KEYS:
        target = moved(agent, KEYS[token])
        if target == rabbit:
            return [Outcome(grid.with_cells({agent: EMPTY, rabbit: AGENT}), won=True, over=True)]
        if grid.get(target) == EMPTY:
            grid = grid.with_cells({agent: EMPTY, target: AGENT})
            agent = target
    cells = escapes(grid, agent, rabbit)
    return [Outcome(grid.with_cells({rabbit: EMPTY, cell: RABBIT})) for cell in cells] or [Outcome(grid)]


def escapes(grid: Grid, agent: Cell, rabbit: Cell) -> list[Cell]:
    """The empty cells next to the rabbit that are farther from the agent than it is now."""
    cells = (moved(rabbit, way) for way in SIDES)
    return [cell for cell in cells if grid.get(cell) == EMPTY and _distance(agent, cell) > _distance(agent, rabbit)]


def way_lengths(grid: Grid, goal: Cell) -> dict[Cell, int]:
    """How many steps it is to `goal` from every cell from which one can walk there."""
    lengths, edge = {goal: 0}, [goal]
    while edge:
        edge = [
            cell
            for place in edge
            for way in SIDES
            if grid.get(cell := moved(place, way)) in (EMPTY, AGENT)
            and cell not in lengths
            and lengths.setdefault(cell, lengths[place] + 1)
        ]
    return lengths


def _straight(agent: Cell, rabbit: Cell) -> list[tuple[int, int]]:
    """The ways that lead towards the rabbit, up or down before left or right."""
    down, right = rabbit[0] - agent[0], rabbit[1] - agent[1]
    return [way for way in ((_sign(down), 0), (0, _sign(right))) if way != (0, 0)]


def _distance(a: Cell, b: Cell) -> int:
    return abs(a[0] - b[0]) + abs(a[1] - b[1])


def _sign(n: int) -> int:
    return (n > 0) - (n < 0)


def _find(grid: Grid, character: str) -> Cell:
    cell = grid.find(character)
    assert cell is not None, f"a legal position has {character!r}"
    return cell


def _sketch(rng: np.random.Generator) -> Grid:
    """A room with some walls inside, agent and rabbit, and the keys in a strip along one side; not always fair."""
    height, width = (int(n) for n in rng.integers(4, 10, size=2))
    room = np.full((height + 2, width + 2), WALL)
    room[1:-1, 1:-1] = EMPTY
    if rng.random() < 0.4:  # an L-shaped room: one corner is solid
        rows, columns = int(rng.integers(1, height // 2)), int(rng.integers(1, width // 2))
        corner = room[:: rng.choice((-1, 1)), :: rng.choice((-1, 1))]
        corner[: rows + 1, : columns + 1] = WALL
    for _ in range(rng.integers(0, 4)):
        room[rng.integers(1, height + 1), rng.integers(1, width + 1)] = WALL
    for character in (AGENT, RABBIT):
        free = np.argwhere(room == EMPTY)
        room[tuple(free[rng.integers(len(free))])] = character
    beside = bool(rng.integers(2))
    strip = np.full(room.shape[0] if beside else room.shape[1], rng.choice((EMPTY, WALL)))
    strip[0] = WALL  # so that every level has a wall in its first cell
    strip[rng.choice(np.arange(1, len(strip)), size=4, replace=False)] = list(KEYS)
    parts = [strip[:, None] if beside else strip[None], room]
    level = np.concatenate(parts if rng.integers(2) else parts[::-1], axis=1 if beside else 0)
    return Grid(tuple("".join(row) for row in level))
