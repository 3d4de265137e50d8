"""Nim: take the last matchstick."""

from __future__ import annotations

import numpy as np

from shown.grid import Action, Cell, Grid, Tokens
from shown.symmetry import Transformation
from shown.worlds.games.game import EMPTY, Game, clicked, require
from shown.worlds.world import Outcome

STICK = "|"


class Nim(Game):
    """Two piles; take any number of matchsticks from one; the player who takes the last one wins.

    Description: two columns of matchsticks. Clicking a matchstick removes it and all above it; then your opponent does
        the same. Your opponent never makes a mistake: it chooses at random among the best moves.
    Observation: a grid of two columns; `|` matchstick, `.` empty.
    Actions: a click on a cell. A click on an empty cell changes nothing, and your opponent does not move.
    Rewards: 1 for taking the last matchstick, otherwise 0.
    End of episode: the last matchstick is gone.
    Levels: generated; 2 to 20 rows, columns of different heights between 1 and the number of rows.
    """

    name = "nim"
    title = "Nim"
    goal = "Take the last matchstick. A click takes a matchstick and all above it; then your opponent moves."
    tokens = Tokens(empty=EMPTY, matchstick=STICK)
    max_shape = (20, 2)
    symmetries = (Transformation("left-right"),)

    def step(self, grid: Grid, action: Action, rng: np.random.Generator) -> Outcome:
        if grid[clicked(action)] != STICK:
            return Outcome(grid)
        grid = self.own_move(grid, action)
        if not any(piles(grid)):
            return Outcome(grid, won=True, over=True)
        moves = optimal_moves(grid)
        grid = take(grid, moves[rng.integers(len(moves))])
        return Outcome(grid, over=not any(piles(grid)))

    def own_move(self, grid: Grid, action: Action) -> Grid:
        cell = clicked(action)
        return take(grid, cell) if grid[cell] == STICK else grid

    def expert(self, grid: Grid) -> Cell:
        """Level the piles: take the matchstick beside an empty cell and diagonally above another matchstick."""
        return optimal_moves(grid)[0]

    def generate(self, rng: np.random.Generator) -> Grid:
        height = int(rng.integers(2, 21))
        left, right = (int(x) for x in rng.choice(np.arange(1, height + 1), size=2, replace=False))
        return Grid(
            tuple(
                (STICK if height - r <= left else EMPTY) + (STICK if height - r <= right else EMPTY)
                for r in range(height)
            )
        )

    def why_lost(self, grid: Grid) -> str:
        return "Your opponent took the last matchstick."

    def check(self, grid: Grid) -> None:
        require(grid.width == 2, f"a level has 2 columns, not {grid.width}.")
        for c in range(2):
            for r in range(grid.height - 1):
                require(
                    not (grid[r, c] == STICK and grid[r + 1, c] == EMPTY),
                    f"row {r}, column {c}: a matchstick must not float above an empty cell.",
                )
        left, right = piles(grid)
        require(left > 0 and right > 0, "both columns need at least one matchstick.")
        require(left != right, f"both columns have {left} matchsticks, so you cannot win. Make them differ.")


def piles(grid: Grid) -> tuple[int, int]:
    """Return the number of matchsticks in each column."""
    text = "".join(grid.rows)
    return text[0::2].count(STICK), text[1::2].count(STICK)


def take(grid: Grid, cell: Cell) -> Grid:
    """Return the grid without the matchstick at `cell` and those above it."""
    r, c = cell
    above = tuple(row[:c] + EMPTY + row[c + 1 :] for row in grid.rows[: r + 1])
    return Grid(above + grid.rows[r + 1 :])


def optimal_moves(grid: Grid) -> list[Cell]:
    """Return the click that levels the piles; if they are level, every matchstick, since every move then loses."""
    left, right = piles(grid)
    if left == right:
        return list(grid.where(STICK))
    return [(grid.height - 1 - min(left, right), 0 if left > right else 1)]
