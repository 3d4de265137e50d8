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
    Levels: rooms of many sizes and shapes with walls inside, the keys on any side. Test levels are made by hand;
        training levels are generated, each the first on which a policy learned from those before it failed. All are
        fair: the expert wins for certain, whatever the rabbit does. And one condition serves the language alone: the
        agent gets to the walled-in rabbit by a plain walk, up or down until something stops it, then along. That keeps
        two of three random rooms. Without it (seven of eight) no program among the first 10,000 tells when to stop
        half-way, and eleven training levels chosen in the same way taught 28 to 80 % of the generated ones instead of
        80 to 98 %.
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
        """Waits until the rabbit is in a corner, builds a wall above or below it, and walks there.

        Waiting is clicking the agent itself. The walk is plain: up or down until something stops it, then along; only
        where that does not lead to the rabbit, as in levels that are not fair, it is a shortest one.
        """
        agent, rabbit = _find(grid, AGENT), _find(grid, RABBIT)
        ways_out = [way for way in SIDES if grid.get(moved(rabbit, way)) in (EMPTY, AGENT)]
        if [abs(down) for down, _ in ways_out] == [1, 0]:  # a corner: one way out is up or down, one left or right
            exit_ = moved(rabbit, ways_out[0])
            return exit_ if grid[exit_] == EMPTY else agent
        if len(ways_out) != 1 or escapes(grid, agent, rabbit):
            return agent
        way = plain_way(grid) or _shortest_way(grid)
        return agent if way is None else _find(grid, KEY[way])

    def generate(self, rng: np.random.Generator) -> Grid:
        while True:
            grid = _sketch(rng)
            if self.is_fair(grid):
                return grid

    def is_fair(self, grid: Grid) -> bool:
        """Whether the expert wins for certain, whatever the rabbit does, and by a plain walk to a rabbit it walled in.

        The second serves the language: no simple program tells when to stop half-way, or how to go round walls.
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


def plain_way(grid: Grid) -> Cell | None:
    """The first step of the plain walk to a rabbit with a new wall above or below it, or None if that leads elsewhere.

    The walk goes away from the new wall, up or down, wherever it can, and otherwise to the rabbit's closed side.

    >>> from shown.grid import grid
    >>> plain_way(grid("######", "#R...#", "#%...#", "#.#A.#", "######", "#<>^v#"))
    (-1, 0)
    >>> plain_way(grid("######", "#R.A.#", "#%...#", "#.#..#", "######", "#<>^v#"))
    (0, -1)
    """
    place, rabbit = _find(grid, AGENT), _find(grid, RABBIT)
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
    """The first step of a shortest walk to the rabbit, or None if there is none."""
    rabbit = _find(grid, RABBIT)
    seen, edge = {rabbit}, [rabbit]
    while edge:
        steps = [(moved(place, (-down, -right)), (down, right)) for place in edge for down, right in SIDES]
        for cell, way in steps:
            if grid.get(cell) == AGENT:
                return way
        edge = list({cell: None for cell, _ in steps if grid.get(cell) == EMPTY and cell not in seen})
        seen.update(edge)
    return None


def _distance(a: Cell, b: Cell) -> int:
    return abs(a[0] - b[0]) + abs(a[1] - b[1])


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
    strip[rng.choice(len(strip), size=4, replace=False)] = list(KEYS)
    parts = [strip[:, None] if beside else strip[None], room]
    level = np.concatenate(parts if rng.integers(2) else parts[::-1], axis=1 if beside else 0)
    return Grid(tuple("".join(row) for row in level))
