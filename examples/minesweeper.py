"""Minesweeper: open every cell without a mine, and never guess.

Run it: `python examples/minesweeper.py`
"""

from __future__ import annotations

import numpy as np

from shown import Action, Cell, Grid, Tokens, teach
from shown.worlds import Outcome, World, demonstrate, success_rate

HIDDEN, FLAG, DIGITS = "?", "!", ".12345678"
NEIGHBORS = tuple((a, b) for a in (-1, 0, 1) for b in (-1, 0, 1) if (a, b) != (0, 0))


class Minesweeper(World):
    """Open every cell that is provably safe.

    Description: mines are hidden under a board. An open cell shows how many of its eight neighbors are mines. If a
        number has no more covered neighbors than mines, all of them are mines, and the board flags them. If all mines
        of a number are flagged, its other neighbors are safe. No board needs more reasoning than this, or a guess.
    Observation: `?` covered, `!` flag, `.` open with no mine around it, `1` … `8` open with that many mines around it.
    Actions: a click opens a cell; opening an empty one opens its neighbors, too.
    Rewards: 1 for the last safe cell.
    End of episode: won with the last safe cell, lost with a mine.
    """

    name = "minesweeper"
    title = "Minesweeper"
    goal = "Open every cell without a mine."
    tokens = Tokens(
        covered_cell=HIDDEN, flag=FLAG, empty=".", one="1", two="2", three="3", four="4", five="5", six="6", seven="7",
        eight="8",
    )  # fmt: skip

    def __init__(self, height: int = 8, width: int = 8, mines: int = 10) -> None:
        self.height, self.width, self.mines = height, width, mines

    def reset(self, seed: int) -> Grid:
        rng = np.random.default_rng(seed)
        while True:
            places = rng.permutation(self.height * self.width)
            self._mines = {divmod(int(place), self.width) for place in places[: self.mines]}
            self._opened: set[Cell] = set()
            self._flags: set[Cell] = set()
            others = (divmod(int(place), self.width) for place in places[self.mines :])
            start = next((cell for cell in others if not self._count(cell)), None)
            if start is not None:
                self._open(start)
                if self._solvable():
                    return self._grid()

    def step(self, action: Action) -> Outcome:
        assert not isinstance(action, str)
        if action in self._mines:
            return Outcome(self._grid(), over=True)
        self._open(action)
        won = len(self._opened) == self.height * self.width - self.mines
        return Outcome(self._grid(), won, over=won, reward=float(won))

    def expert(self) -> Action:
        """Return the first provably safe cell in reading order."""
        return self.safe()[0]

    def equally_good(self) -> list[Cell]:
        return self.safe()

    def safe(self) -> list[Cell]:
        """Return all cells next to a number whose mines are all flagged."""
        free = {
            cell
            for number in self._opened
            if self._count(number) == len(self._around(number) & self._flags)
            for cell in self._around(number) - self._opened - self._flags
        }
        return sorted(free)

    def _solvable(self) -> bool:
        """Return whether opening provably safe cells solves the board; leave the board unchanged."""
        opened, flags = set(self._opened), set(self._flags)
        while safe := self.safe():
            self._open(safe[0])
        solved = len(self._opened) == self.height * self.width - self.mines
        self._opened, self._flags = opened, flags
        return solved and bool(self.safe())

    def _open(self, cell: Cell) -> None:
        waiting = [cell]
        while waiting:
            cell = waiting.pop()
            if cell not in self._opened:
                self._opened.add(cell)
                if not self._count(cell):
                    waiting += self._around(cell)
        for number in self._opened:
            covered = self._around(number) - self._opened
            if len(covered) == self._count(number):
                self._flags |= covered

    def _around(self, cell: Cell) -> set[Cell]:
        near = {(cell[0] + a, cell[1] + b) for a, b in NEIGHBORS}
        return {(r, c) for r, c in near if 0 <= r < self.height and 0 <= c < self.width}

    def _count(self, cell: Cell) -> int:
        return -1 if cell in self._mines else len(self._around(cell) & self._mines)

    def _grid(self) -> Grid:
        shown = dict.fromkeys(self._flags, FLAG) | {cell: DIGITS[self._count(cell)] for cell in self._opened}
        rows = ("".join(shown.get((r, c), HIDDEN) for c in range(self.width)) for r in range(self.height))
        return Grid(tuple(rows))


def main() -> None:
    """Show one game, print the rule that explains it, and play new boards by it."""
    world = Minesweeper()
    taught = teach(demonstrate(world, [0]), world, language="standard", practice=0)
    print(taught.policy.english())
    print(f"new boards won: {success_rate(world, taught.policy, range(1000, 1060)):.0%}")


if __name__ == "__main__":
    main()
