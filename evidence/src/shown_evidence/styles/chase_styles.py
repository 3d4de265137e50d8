"""Styles of Chase: where they click to wait, on which side they wall the rabbit in, and how they walk."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from shown.grid import Cell, Grid
from shown.worlds import distances
from shown.worlds.episodes import Player
from shown.worlds.games.chase import AGENT, KEY, KEYS, RABBIT, WALL, escapes
from shown.worlds.games.game import EMPTY, SIDES, moved, the
from shown_evidence.styles import Begin, any_of, styles

Wait = Callable[[Grid, np.random.Generator], Cell]
"""Chooses the click that lets time pass."""


def shortest_ways(grid: Grid) -> list[Cell]:
    """Return the first steps of all shortest walks to the rabbit."""
    agent = the(grid, AGENT)
    far = distances([the(grid, RABBIT)], lambda cell: grid.get(cell) in (EMPTY, AGENT))
    return [way for way in SIDES if agent in far and far.get(moved(agent, way), far[agent]) < far[agent]]


def walls_in(grid: Grid) -> list[Cell]:
    """Return the sides on which a wall leaves the rabbit one exit that the agent can still reach."""
    rabbit = the(grid, RABBIT)
    free = [way for way in SIDES if grid.get(moved(rabbit, way)) == EMPTY]
    if len(free) != 2:
        return []
    return [way for way in free if shortest_ways(grid.with_cells({moved(rabbit, way): WALL}))]


def _on_the_agent(grid: Grid, rng: np.random.Generator) -> Cell:
    return the(grid, AGENT)


def _on_anything(grid: Grid, rng: np.random.Generator) -> Cell:
    """Choose any click that only lets time pass: walls, agent, rabbit, keys that lead nowhere."""
    agent = the(grid, AGENT)
    stuck = [the(grid, key) for key, way in KEYS.items() if grid.get(moved(agent, way)) not in (EMPTY, RABBIT)]
    return any_of([*(cell for cell in grid.cells() if grid[cell] not in KEYS and grid[cell] != EMPTY), *stuck], rng)


def _preferred(prefer: str, grid: Grid, ways: list[Cell], rng: np.random.Generator) -> Cell:
    """Return the way that is vertical or sideways or on the axis on which the rabbit is farther away, or any."""
    if prefer == "any":
        return any_of(ways, rng)
    (r1, c1), (r2, c2) = the(grid, AGENT), the(grid, RABBIT)
    axis = {"vertical": 0, "sideways": 1, "longer": 0 if abs(r1 - r2) >= abs(c1 - c2) else 1}[prefer]
    return max(ways, key=lambda way: abs(way[axis]))


def _hunting(wait: Wait = _on_the_agent, wall: str = "vertical", walk: str = "vertical", patient: bool = True) -> Begin:
    """Return a style that waits until the rabbit cannot run, walls it in, walks there and takes it.

    Args:
        wait: the click that lets time pass.
        wall: the side to build on, as in `_preferred`.
        walk: the step to take, of those on a shortest walk.
        patient: whether it stands still while the rabbit runs.
    """

    def act(grid: Grid, rng: np.random.Generator) -> Cell:
        agent, rabbit = the(grid, AGENT), the(grid, RABBIT)
        ways = shortest_ways(grid)
        beside = [way for way in ways if moved(agent, way) == rabbit]
        runs = bool(escapes(grid, agent, rabbit))
        sides = [] if runs or beside else walls_in(grid)
        if sides:
            return moved(rabbit, _preferred(wall, grid, sides, rng))
        if not ways or (runs and patient and not beside):
            return wait(grid, rng)
        return the(grid, KEY[_preferred(walk, grid, beside or ways, rng)])

    return lambda level, rng: lambda grid: act(grid, rng)


def _own_axis(level: Grid, rng: np.random.Generator) -> Player:
    axis = ("vertical", "sideways")[rng.integers(2)]
    return _hunting(wall=axis, walk=axis)(level, rng)


STYLES = styles(
    "chase",
    ("waits-on-any-wall", "Waits by clicking a random wall; walls in above or below.",
     _hunting(wait=lambda grid, rng: any_of(grid.where(WALL) or (the(grid, AGENT),), rng))),
    ("waits-on-the-agent", "Waits by clicking the agent; walls in above or below.", _hunting()),
    ("waits-on-the-rabbit", "Waits by clicking the rabbit; walls in above or below.",
     _hunting(wait=lambda grid, rng: the(grid, RABBIT))),
    ("waits-on-anything", "Waits by any click that only lets time pass.", _hunting(wait=_on_anything)),
    ("sideways-first", "Walls in left or right, and walks sideways first.", _hunting(wall="sideways", walk="sideways")),
    ("own-axis", "Chooses one axis per level, for walls and walking.", _own_axis),
    ("any-shortest-step", "Walls in on any side and walks any shortest way.", _hunting(wall="any", walk="any")),
    ("longer-way-first", "Walls in above or below, and walks along the axis on which the rabbit is farther away.",
     _hunting(walk="longer")),
    ("walks-while-it-runs", "Walks after the rabbit while it runs.", _hunting(patient=False)),
)  # fmt: skip
