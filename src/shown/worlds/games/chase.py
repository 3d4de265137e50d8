"""Chase: catch the rabbit, which always runs away, by walling it in."""

from __future__ import annotations

import numpy as np

from shown.grid import Action, Cell, Grid, Tokens
from shown.symmetry import Transformation
from shown.worlds.games.game import EMPTY, SIDES, Game, clicked, moved, the
from shown.worlds.walking_distances import distances
from shown.worlds.world import Outcome

WALL, NEW_WALL, AGENT, RABBIT = "#", "%", "A", "R"
KEYS = {"^": (-1, 0), "v": (1, 0), "<": (0, -1), ">": (0, 1)}
KEY = {way: key for key, way in KEYS.items()}


class Chase(Game):
    """Catch the rabbit, which always runs away, by walling it in.

    Description: an agent and a rabbit in a room of walls, and four arrow keys. An arrow key moves the agent one cell;
        clicking an empty cell builds a new wall there; any other click only lets time pass. Then the rabbit moves at
        random, but always away from the agent (by Manhattan distance); if it cannot, it stays. Neither walks through
        walls or keys.
    Observation: a grid; `A` agent, `R` rabbit, `#` wall, `%` new wall, `<` `>` `^` `v` arrow keys, `.` empty.
    Actions: a click on a cell.
    Rewards: 1 for moving the agent into the rabbit's cell, otherwise 0.
    End of episode: the rabbit is caught.
    Levels: rooms of many sizes and shapes with walls inside, the keys on any side. Test levels are made by hand;
        training levels are generated, each the first on which a policy learned from the earlier ones failed. In all of
        them the expert wins, whatever the rabbit does. One condition serves the vocabulary: the agent reaches the
        walled-in rabbit by a plain walk, up or down until something stops it, then sideways. Two of three random rooms
        meet it. Without it (seven of eight) none of the first 10,000 programs expresses when to stop half-way, and
        eleven training levels chosen likewise taught 28 to 80 % of the generated levels instead of 80 to 98 %.
    """

    name = "chase"
    title = "Chase"
    goal = "Catch the rabbit. It always runs away, so wall it in: click empty cells to build, arrow keys to walk."
    tokens = Tokens(
        empty=EMPTY, wall=WALL, new_wall=NEW_WALL, agent=AGENT, rabbit=RABBIT,
        left_arrow="<", right_arrow=">", up_arrow="^", down_arrow="v",
    )  # fmt: skip
    pieces = (("agent",), ("rabbit",), ("left_arrow",), ("right_arrow",), ("up_arrow",), ("down_arrow",))
    max_shape = (14, 14)
    symmetries = (
        Transformation("left-right", tokens=(("left_arrow", "right_arrow"),)),
        Transformation("up-down", tokens=(("up_arrow", "down_arrow"),)),
    )

    def step(self, grid: Grid, action: Action, rng: np.random.Generator) -> Outcome:
        grid, rabbit, ways_out = _before_it_runs(grid, clicked(action))
        if rabbit is None:
            return Outcome(grid, won=True, over=True)
        if not ways_out:
            return Outcome(grid)
        chosen = ways_out[rng.integers(len(ways_out))] if len(ways_out) > 1 else ways_out[0]
        return Outcome(grid.with_cells({rabbit: EMPTY, chosen: RABBIT}))

    def own_move(self, grid: Grid, action: Action) -> Grid:
        return acted(grid, clicked(action))

    def expert(self, grid: Grid) -> Cell:
        """Wait until the rabbit is in a corner, build a wall above or below it, and walk there.

        To wait is to click the agent. The walk is plain: up or down until something stops it, then sideways. Where that
        does not lead to the rabbit, as in levels that are not fair, take a shortest way.
        """
        agent, rabbit = the(grid, AGENT), the(grid, RABBIT)
        ways_out = [way for way in SIDES if grid.get(moved(rabbit, way)) in (EMPTY, AGENT)]
        if [abs(down) for down, _ in ways_out] == [1, 0]:  # a corner: one way out is up or down, one left or right
            exit_ = moved(rabbit, ways_out[0])
            return exit_ if grid[exit_] == EMPTY else agent
        if len(ways_out) != 1 or escapes(grid, agent, rabbit):
            return agent
        way = plain_way(grid) or _shortest_way(grid)
        return agent if way is None else the(grid, KEY[way])

    def generate(self, rng: np.random.Generator) -> Grid:
        while True:
            grid = _sketch(rng)
            if self.is_fair(grid):
                return grid

    def is_fair(self, grid: Grid) -> bool:
        """Return whether the expert wins whatever the rabbit does, and by a plain walk to the walled-in rabbit.

        No simple program expresses when to stop half-way, or how to go round walls.
        """
        grids = {grid}
        for _ in range(self.max_steps):
            following: set[Grid] = set()
            for position in grids:
                click = self.expert(position)
                if position[click] in KEYS and KEYS[position[click]] != plain_way(position):
                    return False
                following.update(outcome.grid for outcome in turn(position, click) if not outcome.won)
            if not following:
                return True
            grids = following
        return False


def turn(grid: Grid, cell: Cell) -> list[Outcome]:
    """Return the equally likely outcomes of a click: the agent acts, then the rabbit runs."""
    grid, rabbit, ways_out = _before_it_runs(grid, cell)
    if rabbit is None:
        return [Outcome(grid, won=True, over=True)]
    return [Outcome(grid.with_cells({rabbit: EMPTY, way: RABBIT})) for way in ways_out] or [Outcome(grid)]


def _before_it_runs(grid: Grid, cell: Cell) -> tuple[Grid, Cell | None, list[Cell]]:
    """Return the position after the agent has acted, the rabbit's cell (None if it is caught), and its ways out."""
    rabbit = the(grid, RABBIT)
    grid = acted(grid, cell)
    return (grid, None, []) if grid[rabbit] == AGENT else (grid, rabbit, escapes(grid, the(grid, AGENT), rabbit))


def acted(grid: Grid, cell: Cell) -> Grid:
    """Return the position after the agent has acted, before the rabbit runs."""
    if grid[cell] == EMPTY:
        return grid.with_cells({cell: NEW_WALL})
    if grid[cell] in KEYS:
        agent = the(grid, AGENT)
        target = moved(agent, KEYS[grid[cell]])
        if grid.get(target) in (EMPTY, RABBIT):
            return grid.with_cells({agent: EMPTY, target: AGENT})
    return grid


def escapes(grid: Grid, agent: Cell, rabbit: Cell) -> list[Cell]:
    """Return the empty cells next to the rabbit that are farther from the agent."""
    cells = (moved(rabbit, way) for way in SIDES)
    now = _distance(agent, rabbit)
    return [cell for cell in cells if grid.get(cell) == EMPTY and _distance(agent, cell) > now]


def plain_way(grid: Grid) -> Cell | None:
    """Return the first step of the plain walk to a rabbit with a new wall above or below it; None if there is none.

    The walk goes away from the new wall, up or down, wherever it can, and otherwise to the rabbit's closed side.

    >>> from shown.grid import grid
    >>> plain_way(grid("######", "#R...#", "#%...#", "#.#A.#", "######", "#<>^v#"))
    (-1, 0)
    >>> plain_way(grid("######", "#R.A.#", "#%...#", "#.#..#", "######", "#<>^v#"))
    (0, -1)
    """
    place, rabbit = the(grid, AGENT), the(grid, RABBIT)
    above, below, left, _ = (grid.get(moved(rabbit, way)) for way in SIDES)
    if NEW_WALL not in (above, below):
        return None
    up_down = (-1, 0) if below == NEW_WALL else (1, 0)
    along = (0, 1) if left in (EMPTY, AGENT) else (0, -1)
    ways = []
    while place != rabbit:
        ways.append(up_down if grid.get(moved(place, up_down)) == EMPTY else along)
        place = moved(place, ways[-1])
        if grid.get(place) not in (EMPTY, RABBIT):
            return None
    return ways[0]


def _shortest_way(grid: Grid) -> Cell | None:
    """Return the first step of a shortest walk to the rabbit, or None if there is none."""
    agent = the(grid, AGENT)
    far = distances([the(grid, RABBIT)], lambda cell: grid.get(cell) in (EMPTY, AGENT))
    nearer = (way for way in SIDES if far.get(moved(agent, way), len(far)) < far.get(agent, 0))
    return next(nearer, None)


def _distance(a: Cell, b: Cell) -> int:
    return abs(a[0] - b[0]) + abs(a[1] - b[1])


def _sketch(rng: np.random.Generator) -> Grid:
    """Return a room with some walls inside, agent and rabbit, and the keys along one side; not always fair."""
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
    strip[rng.choice(len(strip), size=4, replace=False)] = list(KEYS)
    parts = [strip[:, None] if beside else strip[None], room]
    level = np.concatenate(parts if rng.integers(2) else parts[::-1], axis=1 if beside else 0)
    return Grid(tuple("".join(row) for row in level))
