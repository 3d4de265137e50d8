"""Warehouse: a robot brings every parcel to the dock, round the shelves.

Run it: `python examples/warehouse.py`
"""

from __future__ import annotations

import numpy as np

from shown import Action, Cell, Grid, Tokens, Transformation, teach
from shown.worlds import Outcome, World, demonstrate, distances, success_rate

FLOOR, SHELF, ROBOT, LOADED, PARCEL, DOCK = ".", "#", "r", "R", "p", "D"
MOVES = {"up": (-1, 0), "down": (1, 0), "left": (0, -1), "right": (0, 1)}


class Warehouse(World):
    """Bring the parcels to the dock, one by one.

    Description: a robot moves among shelves. It takes a parcel by walking into it, and delivers it by walking into the
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
    pieces = (("robot", "loaded_robot"), ("dock",))
    max_steps = 200
    symmetries = (
        Transformation("left-right", buttons=(("left", "right"),)),
        Transformation("transpose", buttons=(("up", "left"), ("down", "right"))),
    )

    def reset(self, seed: int) -> Grid:
        rng = np.random.default_rng(seed)
        while True:
            self._deal(rng)
            if self._all_in_reach():
                return self._grid()

    def _all_in_reach(self) -> bool:
        """Return whether the robot can walk to everything that is not a shelf, and past every parcel."""
        floor = distances([self._robot], lambda cell: self._at(cell) == FLOOR)
        beside = {(r + down, c + right) for r, c in floor for down, right in MOVES.values()}
        cells = [(r, c) for r, row in enumerate(self._cells) for c, there in enumerate(row) if there != SHELF]
        return all(cell in (beside if self._at(cell) in (PARCEL, DOCK) else floor) for cell in cells)

    def _deal(self, rng: np.random.Generator) -> None:
        """Place some blocks of shelves, then everything else on free cells."""
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
        return Outcome(self._grid(), won, over=won, reward=float(won))

    def expert(self) -> Action:
        """Take the first step of a shortest way to the nearest parcel, or, loaded, to the dock."""
        return self.equally_good()[0]

    def equally_good(self) -> list[str]:
        """Return all first steps of such ways."""
        r, c = self._robot
        far = self._lengths(DOCK if self._cells[r][c] == LOADED else PARCEL)
        return [name for name, (down, right) in MOVES.items() if far.get((r + down, c + right), far[r, c]) < far[r, c]]

    def _lengths(self, goal: str) -> dict[Cell, int]:
        """Return the distance of every cell to the nearest `goal`."""
        targets = [(r, c) for r, row in enumerate(self._cells) for c, there in enumerate(row) if there == goal]
        return distances(targets, lambda cell: self._at(cell) in (FLOOR, ROBOT, LOADED))

    @property
    def _robot(self) -> Cell:
        return next((r, c) for r, row in enumerate(self._cells) for c, x in enumerate(row) if x in (ROBOT, LOADED))

    def _at(self, cell: Cell) -> str:
        r, c = cell
        return self._cells[r][c] if 0 <= r < len(self._cells) and 0 <= c < len(self._cells[0]) else SHELF

    def _grid(self) -> Grid:
        return Grid(tuple("".join(row) for row in self._cells))


def main() -> None:
    """Show one round, print the rule that explains it, and play new rounds by it."""
    world = Warehouse()
    taught = teach(demonstrate(world, [0]), world, language="standard", practice=0)
    print(taught.policy.english())
    print(f"new rounds done: {success_rate(world, taught.policy, range(1000, 1060)):.0%}")


if __name__ == "__main__":
    main()
