"""Pushing: a worker pushes every crate to the right-hand wall; crates cannot be pulled.

Run it: `python examples/pushing.py`
"""

from __future__ import annotations

import numpy as np

from shown import Action, Cell, Grid, Tokens, Transformation, teach
from shown.worlds import Outcome, World, demonstrate, distances, success_rate

FLOOR, WALL, WORKER, CRATE, STORED = ".", "#", "w", "c", "s"
MOVES = {"up": (-1, 0), "down": (1, 0), "left": (0, -1), "right": (0, 1)}


class Pushing(World):
    """Get behind each crate and push it to the wall.

    Description: a room with crates, as in Sokoban. Walking into a crate from the left pushes it one cell to the right
        if there is floor behind it; from other sides crates do not move. A crate at the wall, or at a stored crate, is
        stored.
    Observation: `.` floor, `#` wall, `w` the worker, `c` a crate, `s` a stored crate.
    Actions: the buttons up, down, left and right.
    Rewards: 1 for the last crate stored.
    End of episode: won when all crates are stored.
    """

    name = "pushing"
    title = "Pushing"
    goal = "Push every crate to the right-hand wall."
    tokens = Tokens(floor=FLOOR, wall=WALL, worker=WORKER, crate=CRATE, stored_crate=STORED)
    buttons = tuple(MOVES)
    max_steps = 200
    symmetries = (Transformation("up-down", buttons=(("up", "down"),)),)

    def reset(self, seed: int) -> Grid:
        rng = np.random.default_rng(seed)
        while True:
            self._deal(rng)
            grid = self._grid()
            if CRATE in grid.text and any(self.step(self.expert()).won for _ in range(self.max_steps)):
                self._cells = [list(row) for row in grid.rows]
                return grid

    def _deal(self, rng: np.random.Generator) -> None:
        height, width = int(rng.integers(4, 8)), int(rng.integers(6, 10))
        inner = [[FLOOR] * width for _ in range(height)]
        free = [(r, c) for r in range(height) for c in range(1, width - 1)]
        places = rng.permutation(len(free))
        things = [WORKER, *[CRATE] * int(rng.integers(1, 4)), *[WALL] * int(rng.integers(0, 5))]
        for place, thing in zip(places, things, strict=False):
            r, c = free[int(place)]
            inner[r][c] = thing
        self._cells = [[WALL] * (width + 2), *([WALL, *row, WALL] for row in inner), [WALL] * (width + 2)]
        self._store()

    def step(self, action: Action) -> Outcome:
        (r, c), (down, right) = self._worker, MOVES[str(action)]
        y, x = r + down, c + right
        if self._cells[y][x] == CRATE and action == "right" and self._cells[y][x + 1] == FLOOR:
            self._cells[y][x + 1], self._cells[y][x] = CRATE, FLOOR
        if self._cells[y][x] == FLOOR:
            self._cells[y][x], self._cells[r][c] = WORKER, FLOOR
        self._store()
        won = not any(CRATE in row for row in self._cells)
        return Outcome(self._grid(), won, over=won, reward=float(won))

    def expert(self) -> Action:
        """Push if there is a crate to push, else take the first step of a shortest way behind one."""
        return (self.equally_good() or ["right"])[0]

    def equally_good(self) -> list[str]:
        """Return all first steps of such ways; none if no crate can be reached."""
        r, c = self._worker
        if self._cells[r][c + 1] == CRATE:
            return ["right"]
        far = self._lengths()
        here = far.get((r, c), 0)
        return [name for name, (down, right) in MOVES.items() if far.get((r + down, c + right), here) < here]

    def _lengths(self) -> dict[Cell, int]:
        """Return the distance of every cell to the nearest cell behind a crate."""
        rows = enumerate(self._cells)
        behind = [
            (r, c) for r, row in rows for c, there in enumerate(row[:-1]) if there == FLOOR and row[c + 1] == CRATE
        ]
        return distances(behind, lambda cell: self._cells[cell[0]][cell[1]] in (FLOOR, WORKER))

    def _store(self) -> None:
        """Store the crates that can go no further."""
        for row in self._cells:
            for c in range(len(row) - 2, 0, -1):
                if row[c] == CRATE and row[c + 1] in (WALL, STORED):
                    row[c] = STORED

    @property
    def _worker(self) -> Cell:
        return next((r, c) for r, row in enumerate(self._cells) for c, x in enumerate(row) if x == WORKER)

    def _grid(self) -> Grid:
        return Grid(tuple("".join(row) for row in self._cells))


def main() -> None:
    """Show one room, practice in others, and print the rule that does best there."""
    world = Pushing()
    taught = teach(demonstrate(world, [0]), world, language="standard", programs=30_000, practice=1e6, rounds=4)
    longest = taught.policy.with_rule(taught.policy.front[-1].conditions)
    print(longest.english())
    print(f"new rooms done: {success_rate(world, longest, range(1000, 1060)):.0%}")


if __name__ == "__main__":
    main()
