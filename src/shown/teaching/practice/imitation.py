"""How far rules agree with a vote on the positions of its games, computed on bits.

A rule that does what the vote does in every position of a won game wins that game as well. Looking at positions is a
thousand times as fast as playing, so rules are compared on positions first, and only the best of them play.
"""

from __future__ import annotations

from collections.abc import Sequence
from copy import copy

import numpy as np

from shown.columns.rows import Rows, labels_of
from shown.demonstrations import Step
from shown.engine.compilation import compiled, popcount
from shown.engine.planes import Planes
from shown.grid import Action, Grid
from shown.language.plan import Plan
from shown.policy import Policy
from shown.rules.bitwise import Packed, allowed_rows, over_columns
from shown.rules.formula import Clause

AS_GOOD = 0.5  # an action with this share of the probability of the vote's own is as good
NONE = 2**31 - 1  # instead of the first row that a rule allows, where it allows none; odd: it agrees with no vote
ROUNDING = 1e-9  # probabilities that differ by less are equal


class Positions:
    """Positions with the actions that a vote finds good, in the order in which games met them.

    At first an action with a share `as_good` of the probability of the vote's own counts as good. Where such an action
    loses, only those that are as probable as its own do; see `tighten`.

    Attributes:
        vote: the policy to imitate.
        good: the actions that the vote finds good, by position.
        games: positions of each game.
    """

    def __init__(self, vote: Policy, as_good: float = AS_GOOD) -> None:
        self.vote = vote
        self.good: dict[Grid, tuple[Action, ...]] = {}
        self.games: list[tuple[Grid, ...]] = []
        self._least = as_good
        self._shares: dict[Grid, np.ndarray] = {}

    def add(self, games: Sequence[Sequence[Grid]]) -> None:
        """Add the positions of some games."""
        self.games += [tuple(dict.fromkeys(game)) for game in games if game]
        new = list(dict.fromkeys(grid for game in games for grid in game if grid not in self.good))
        self._shares.update(zip(new, self.vote.probabilities_of(new), strict=True))
        self.good.update((grid, self._best(grid)) for grid in new)

    def tighten(self) -> bool:
        """Count only actions as good that are as probable as the vote's own; return False if that is so already."""
        if self._least == 1.0:
            return False
        self._least = 1.0
        self.good = {grid: self._best(grid) for grid in self.good}
        return True

    def _best(self, grid: Grid) -> tuple[Action, ...]:
        shares, buttons = self._shares[grid], self.vote.buttons
        near = np.argwhere(shares >= self._least * shares.max() - ROUNDING).tolist()
        return tuple(buttons[place[0]] if buttons else (place[0], place[1]) for place in near)


class Table:
    """Clauses on the demonstrated positions and on those of games.

    Args:
        units: groups of clauses; a rule has a whole group or none of it.
        steps: the demonstrated steps, images included.
        positions: the games of a vote to agree with.

    Attributes:
        wrong: rows that each unit allows and the demonstrations rule out. [U, R] uint64
        covers: demonstrated steps that each unit allows. [U, T] bool
    """

    def __init__(self, units: Sequence[Sequence[Clause]], steps: Sequence[Step], positions: Positions) -> None:
        vote = positions.vote
        terms = list(dict.fromkeys(literal.term for unit in units for clause in unit for literal in clause))
        grids = list(dict.fromkeys([*(step.grid for step in steps), *positions.good]))
        planes, columns = Plan(terms, vote.tokens, vote.buttons, vote.language).world_and_columns(grids)
        rows = Rows([planes])
        numbers = {term: i for i, term in enumerate(terms)}
        bits = allowed_rows(Packed.of([over_columns(unit, numbers) for unit in units]), columns, rows.mask)
        labels = labels_of(rows, steps)
        self.wrong = bits & (labels.mask & ~labels.positive)
        self.covers = labels.shows(bits)
        right = rows.bits((rows.number(grid), action) for grid, good in positions.good.items() for action in good)
        states = [rows.number(grid) for game in positions.games for grid in game]
        # Twice the word of the first action that each unit allows in each position of the games, if it is good; one
        # more if it is not. [U, positions]
        self._first = _first_rows(bits, right, planes)[:, planes.slot[np.array(states, dtype=np.int64)]]
        self._starts = np.cumsum([0, *(len(game) for game in positions.games)])[:-1]

    def only(self, units: np.ndarray) -> Table:
        """Return the table of some of the units. [n] int64"""
        part = copy(self)
        part.wrong, part.covers, part._first = self.wrong[units], self.covers[units], self._first[units]
        return part

    def agreement(self, rules: Sequence[Sequence[int]]) -> np.ndarray:
        """Return whether each rule (a set of units) agrees in each position of the games. [K, positions] bool"""
        return _agrees(self._taken(rules))

    def values(self, rules: Sequence[Sequence[int]]) -> np.ndarray:
        """Return the share of games in which each rule always agrees, and a little for single positions. [K] float64"""
        return self._values(self._taken(rules))

    def values_of_longer(self, rule: Sequence[int]) -> np.ndarray:
        """Return the `values` of the rules that have one unit more, for each unit. [U] float64"""
        return self._values(np.minimum(self._first, self._taken([rule])))

    def _taken(self, rules: Sequence[Sequence[int]]) -> np.ndarray:
        """Return the action that each rule takes, as in `_first`: the first that one of its units allows."""
        taken = np.empty((len(rules), self._first.shape[1]), dtype=self._first.dtype)
        for row, rule in zip(taken, rules, strict=True):
            self._first[list(rule)].min(axis=0, initial=NONE, out=row)
        return taken

    def _values(self, taken: np.ndarray) -> np.ndarray:
        agrees = _agrees(taken)
        if not agrees.shape[1]:
            return np.zeros(len(agrees))
        whole = np.logical_and.reduceat(agrees, self._starts, axis=1)
        return whole.mean(axis=1) + 0.2 * agrees.mean(axis=1)


def _agrees(taken: np.ndarray) -> np.ndarray:
    return taken & 1 == 0


def _first_rows(bits: np.ndarray, right: np.ndarray, world: Planes) -> np.ndarray:
    """Return twice the index of the word of the first row of each state, one more if it is not right; NONE if no row.

    Rows are in reading order, so the first row of a state that a rule allows is the action it takes.

    Args:
        bits: the rows that each of several rules allows. [U, R] uint64
        right: the rows that are right. [R] uint64
        world: the states; the result is by their slots. → [U, slots] int32
    """
    first = np.full((len(bits), 64 * world.shape[2]), NONE, dtype=np.int32)
    _first_loop(bits, right, world.row_words % world.shape[2], first)
    return first


@compiled
def _first_loop(bits, right, block, first):  # type: ignore[no-untyped-def]
    """Word r is about the 64 states from 64 × block[r] on."""
    one, seen = np.uint64(1), np.empty(first.shape[1] // 64, dtype=np.uint64)
    for u in range(len(bits)):
        seen[:] = 0
        for r in range(len(right)):
            new = bits[u, r] & ~seen[block[r]]
            seen[block[r]] |= new
            while new:
                lowest = new & (~new + one)
                first[u, 64 * block[r] + popcount(lowest - one)] = 2 * r + (right[r] & lowest == 0)
                new ^= lowest
