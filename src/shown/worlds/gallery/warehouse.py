"""Warehouse: a robot brings every parcel to the dock, round the shelves."""

from __future__ import annotations

import numpy as np

from shown.grid import Action, Cell, Grid, Tokens
from shown.world import Outcome, World

FLOOR, SHELF, ROBOT, LOADED, PARCEL, DOCK = ".", "#", "r", "R", "p", "D"
MOVES = {"up": (-1, 0), "down": (1, 0), "left": (0, -1), "right": (0, 1)}


class Warehouse(World):
    """Fetch the parcels one by one and bring them to the dock.

    Description: a robot moves among shelves. It takes the parcel it walks into and hands it over by walking into the
        dock; it carries one at a time.
    Observation: `.` floor, `#` a shelf, `p` a parcel, `D` the dock, `r` the robot, `R` the robot with a parcel.
    Actions: the buttons up, down, left and right.
    Rewards: 1 for the last parcel delivered.
    End of episode: won when every parcel is delivered.
    """

    name = "warehouse"
    title = "Warehouse"
    goal = "Bring every parcel to the dock."
    tokens = Tokens(floor=FLOOR, shelf=SHELF, robot=ROBOT, loaded_robot=LOADED, parcel=PARCEL, dock=DOCK)
    buttons = tuple(MOVES)
    max_steps = 200

    def reset(self, seed: int) -> Grid:
        rng = np.random.default_rng(seed)
        while True:
            self._deal(rng)
            if len(self._walk(PARCEL)) == self._parcels and self._walk(DOCK):
                return Grid(tuple("".join(row) for row in self._cells))

    def _deal(self, rng: np.random.Generator) -> None:
        """Some blocks of shelves, and everything else on free places."""
        height, width = (int(n) for n in rng.integers(7, 12, size=2))
        self._cells = [[FLOOR] * width for _ in range(height)]
        for _ in range(int(rng.integers(2, 5))):
            r, c = int(rng.integers(height)), int(rng.integers(width))
            down, right = ((1, int(rng.integers(2, 6))), (int(rng.integers(2, 6)), 1))[int(rng.integers(2))]
            for y in range(r, min(r + down, height)):
                for x in range(c, min(c + right, width)):
                    self._cells[y][x] = SHELF
        self._parcels = int(rng.integers(1, 4))
        free = [(r, c) for r in range(height) for c in range(width) if self._cells[r][c] == FLOOR]
        places = rng.permutation(len(free))
        things = [ROBOT, DOCK, *[PARCEL] * self._parcels]
        for place, thing in zip(places, things, strict=False):
            r, c = free[int(place)]
            self._cells[r][c] = thing

    def step(self, action: Action) -> Outcome:
        (r, c), (down, right) = self._robot, MOVES[str(action)]
        y, x = r + down, c + right
        robot, there = self._cells[r][c], self._at((y, x))
        if there == FLOOR or (there == PARCEL and robot == ROBOT):
            self._cells[r][c], self._cells[y][x] = FLOOR, LOADED if there == PARCEL else robot
        elif there == DOCK and robot == LOADED:
            self._cells[r][c] = ROBOT
            self._parcels -= 1
        won = not self._parcels
        return Outcome(Grid(tuple("".join(row) for row in self._cells)), won, over=won, reward=float(won))

    def expert(self) -> Action:
        """The first step of a shortest way to the nearest parcel, or, with one, to the dock."""
        r, c = self._robot
        ways = self._walk(DOCK if self._cells[r][c] == LOADED else PARCEL)
        return min(ways.values())[1]

    def _walk(self, goal: str) -> dict[Cell, tuple[int, str]]:
        """How far it is to every cell with `goal` that can be reached, and the first step on the way there."""
        found: dict[Cell, tuple[int, str]] = {}
        seen = {self._robot}
        front: list[tuple[Cell, str]] = [(self._robot, "")]
        steps = 0
        while front:
            steps += 1
            following = []
            for (r, c), first in front:
                for name, (down, right) in MOVES.items():
                    cell = (r + down, c + right)
                    if cell not in seen and self._at(cell) in (FLOOR, goal):
                        seen.add(cell)
                        if self._at(cell) == goal:
                            found[cell] = (steps, first or name)
                        else:
                            following.append((cell, first or name))
            front = following
        return found

    @property
    def _robot(self) -> Cell:
        return next((r, c) for r, row in enumerate(self._cells) for c, x in enumerate(row) if x in (ROBOT, LOADED))

    def _at(self, cell: Cell) -> str:
        r, c = cell
        return self._cells[r][c] if 0 <= r < len(self._cells) and 0 <= c < len(self._cells[0]) else SHELF
