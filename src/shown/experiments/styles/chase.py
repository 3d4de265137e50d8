"""How people play Chase: where they click to let time pass, on which side they wall the rabbit in, how they walk."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from shown.experiments.styles.style import Begin, Style, any_of, as_the_expert
from shown.games.chase import AGENT, KEY, KEYS, RABBIT, WALL, escapes
from shown.games.episodes import Player
from shown.games.game import EMPTY, SIDES, moved
from shown.grid import Cell, Grid

CHASE = "chase"

Wait = Callable[[Grid, np.random.Generator], Cell]
"""Where to click to let time pass."""

Choose = Callable[[Grid, list[Cell], np.random.Generator], Cell]
"""Which of several ways to go (or to wall in), each as (down, right)."""


def find(grid: Grid, token: str) -> Cell:
    cell = grid.find(token)
    assert cell is not None, f"a legal position has {token!r}"
    return cell


def way_lengths(grid: Grid) -> dict[Cell, int]:
    """How many steps it is to the rabbit from every cell from which one can walk there."""
    goal = find(grid, RABBIT)
    lengths, edge = {goal: 0}, [goal]
    while edge:
        near = {moved(cell, way): lengths[cell] + 1 for cell in edge for way in SIDES}
        edge = [cell for cell in near if grid.get(cell) in (EMPTY, AGENT) and cell not in lengths]
        lengths.update((cell, near[cell]) for cell in edge)
    return lengths


def shortest_ways(grid: Grid) -> list[Cell]:
    """The first steps of all shortest walks to the rabbit."""
    agent, far = find(grid, AGENT), way_lengths(grid)
    return [way for way in SIDES if agent in far and far.get(moved(agent, way), far[agent]) < far[agent]]


def walls_in(grid: Grid) -> list[Cell]:
    """On which sides a new wall would leave the rabbit one way out, through which one can still walk to it."""
    rabbit = find(grid, RABBIT)
    free = [way for way in SIDES if grid.get(moved(rabbit, way)) == EMPTY]
    if len(free) != 2:
        return []
    return [way for way in free if shortest_ways(grid.with_cells({moved(rabbit, way): WALL}))]


@dataclass(frozen=True)
class Hunter:
    """Waits until the rabbit cannot run, walls it in, walks there and takes it.

    Attributes:
        wait: where to click to let time pass.
        wall: on which side to build.
        walk: which step to take, of those on a shortest walk.
        patient: stands still while the rabbit runs; otherwise walks after it.
    """

    wait: Wait
    wall: Choose
    walk: Choose
    patient: bool = True

    def playing(self, level: Grid, rng: np.random.Generator) -> Player:
        """One who plays so."""
        return lambda grid: self.act(grid, rng)

    def act(self, grid: Grid, rng: np.random.Generator) -> Cell:
        agent, rabbit = find(grid, AGENT), find(grid, RABBIT)
        ways = shortest_ways(grid)
        beside = [way for way in ways if moved(agent, way) == rabbit]
        runs = bool(escapes(grid, agent, rabbit))
        sides = [] if runs or beside else walls_in(grid)
        if sides:
            return moved(rabbit, self.wall(grid, sides, rng))
        if not ways or (runs and self.patient and not beside):
            return self.wait(grid, rng)
        return find(grid, KEY[self.walk(grid, beside or ways, rng)])


# --- where to click to let time pass ------------------------------------------------------------------------------


def _on_any_wall(grid: Grid, rng: np.random.Generator) -> Cell:
    return any_of(grid.where(WALL) or (find(grid, AGENT),), rng)


def _on_the_agent(grid: Grid, rng: np.random.Generator) -> Cell:
    return find(grid, AGENT)


def _on_the_rabbit(grid: Grid, rng: np.random.Generator) -> Cell:
    return find(grid, RABBIT)


def _on_anything(grid: Grid, rng: np.random.Generator) -> Cell:
    """Any click that changes nothing but lets time pass: walls, agent, rabbit, keys that lead nowhere."""
    agent = find(grid, AGENT)
    stuck = [find(grid, key) for key, way in KEYS.items() if grid.get(moved(agent, way)) not in (EMPTY, RABBIT)]
    return any_of([*(cell for cell in grid.cells() if grid[cell] not in KEYS and grid[cell] != EMPTY), *stuck], rng)


# --- which way ----------------------------------------------------------------------------------------------------


def _any(grid: Grid, ways: list[Cell], rng: np.random.Generator) -> Cell:
    return any_of(ways, rng)


def _up_down_first(grid: Grid, ways: list[Cell], rng: np.random.Generator) -> Cell:
    return max(ways, key=lambda way: abs(way[0]))


def _sideways_first(grid: Grid, ways: list[Cell], rng: np.random.Generator) -> Cell:
    return max(ways, key=lambda way: abs(way[1]))


def _longer_first(grid: Grid, ways: list[Cell], rng: np.random.Generator) -> Cell:
    """Along the axis on which the rabbit is farther away."""
    (r1, c1), (r2, c2) = find(grid, AGENT), find(grid, RABBIT)
    return (_up_down_first if abs(r1 - r2) >= abs(c1 - c2) else _sideways_first)(grid, ways, rng)


def _up_down(wait: Wait, patient: bool = True) -> Hunter:
    return Hunter(wait, _up_down_first, _up_down_first, patient)


def _sideways(wait: Wait) -> Hunter:
    return Hunter(wait, _sideways_first, _sideways_first)


def _own_axis(level: Grid, rng: np.random.Generator) -> Player:
    hunter = (_up_down, _sideways)[rng.integers(2)](_on_the_agent)
    return hunter.playing(level, rng)


def _style(name: str, plays: str, begin: Begin | Hunter) -> Style:
    return Style(name, CHASE, plays, begin.playing if isinstance(begin, Hunter) else begin)


STYLES = (
    as_the_expert(CHASE),
    _style("waits-on-any-wall", "Waits by clicking any wall; walls in above or below.", _up_down(_on_any_wall)),
    _style("waits-on-the-agent", "Waits by clicking itself; walls in above or below.", _up_down(_on_the_agent)),
    _style("waits-on-the-rabbit", "Waits by clicking the rabbit; walls in above or below.", _up_down(_on_the_rabbit)),
    _style("waits-on-anything", "Waits by any click that only lets time pass.", _up_down(_on_anything)),
    _style("sideways-first", "Walls in left or right, and walks sideways first.", _sideways(_on_the_agent)),
    _style("own-axis", "In each level either up and down first or sideways first, for wall and walk.", _own_axis),
    _style(
        "any-shortest-step",
        "Walls in on any side and walks any shortest way.",
        Hunter(_on_the_agent, _any, _any),
    ),
    _style(
        "longer-way-first",
        "Walls in above or below, and always walks along the axis on which it is farther away.",
        Hunter(_on_the_agent, _up_down_first, _longer_first),
    ),
    _style("walks-while-it-runs", "Walks after the rabbit while it runs.", _up_down(_on_the_agent, patient=False)),
)
