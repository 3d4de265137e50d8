"""How far rules agree with a vote on the positions of its games, computed on bits.

A rule that does what the vote does in every position of a won game wins that game as well. Looking at positions is a
thousand times as fast as playing, so rules are compared on positions first, and only the best of them play.
"""

from __future__ import annotations

from collections.abc import Sequence
from copy import copy
from itertools import chain

import numpy as np

from shown.demonstrations import Step
from shown.engine.compilation import compiled
from shown.evaluation.rows import Rows, evidence_of
from shown.grid import Action, Grid
from shown.language.evaluate import Plan
from shown.policy import Policy
from shown.rules.bitwise import clause_bits, over_columns
from shown.rules.formula import Clause

AS_GOOD = 0.5  # an action with this share of the probability of the vote's own is as good
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
        bits: the rows that each unit allows. [U, R] uint64
        wrong: those among them that the demonstrations rule out. [U, R] uint64
        covers: demonstrated steps that each unit allows. [U, T] bool
    """

    def __init__(self, units: Sequence[Sequence[Clause]], steps: Sequence[Step], positions: Positions) -> None:
        vote = positions.vote
        terms = list(dict.fromkeys(literal.term for unit in units for clause in unit for literal in clause))
        grids = list(dict.fromkeys([*(step.grid for step in steps), *positions.good]))
        planes, columns = Plan(terms, vote.tokens, vote.buttons, vote.language).world_and_columns(grids)
        rows = Rows([planes])
        numbers = {term: i for i, term in enumerate(terms)}
        flat = [clause for unit in units for clause in over_columns(unit, numbers)]
        of_clauses = clause_bits(flat, columns, rows.mask)
        starts = np.cumsum([0, *(len(unit) for unit in units)])[:-1]
        self.bits = np.bitwise_or.reduceat(of_clauses, starts, axis=0)
        evidence = evidence_of(rows, steps)
        self.wrong = self.bits & (evidence.mask & ~evidence.positive)
        self.covers = np.array([evidence.shows(bits) for bits in self.bits])
        self._right = rows.bits((rows.number(grid), action) for grid, good in positions.good.items() for action in good)
        self._block = (planes.row_words % planes.shape[2]).astype(np.int64)
        states = [rows.number(grid) for game in positions.games for grid in game]
        self._slots = planes.slot[np.array(states, dtype=np.int64)]
        self._starts = np.cumsum([0, *(len(game) for game in positions.games)])[:-1]

    def only(self, units: np.ndarray) -> Table:
        """Return the table of some of the units. [n] int64"""
        part = copy(self)
        part.bits, part.wrong, part.covers = self.bits[units], self.wrong[units], self.covers[units]
        return part

    def agreement(self, rules: Sequence[Sequence[int]]) -> np.ndarray:
        """Return whether each rule (a set of units) agrees in each position of the games. [K, positions] bool"""
        members = np.fromiter(chain.from_iterable(rules), dtype=np.int64)
        ends = np.cumsum([len(rule) for rule in rules], dtype=np.int64)
        agrees = np.empty((len(rules), len(self._slots)), dtype=np.bool_)
        _agreement_loop(self.bits, members, ends, self._right, self._block, self._slots, agrees)
        return agrees

    def values(self, rules: Sequence[Sequence[int]]) -> np.ndarray:
        """Return the share of games in which each rule always agrees, and a little for single positions. [K] float64"""
        agrees = self.agreement(rules)
        if not agrees.shape[1]:
            return np.zeros(len(rules))
        whole = np.logical_and.reduceat(agrees, self._starts, axis=1)
        return whole.mean(axis=1) + 0.2 * agrees.mean(axis=1)


@compiled
def _agreement_loop(units, members, ends, right, block, slots, agrees):  # type: ignore[no-untyped-def]
    """Find out where the first action that a rule allows is right; state s is bit s % 64 of block s // 64.

    Rows are in reading order, so the first row of a state that a rule allows is the action it takes.
    """
    seen, good = np.empty(block.max() + 1, dtype=np.uint64), np.empty(block.max() + 1, dtype=np.uint64)
    bits = np.empty(len(right), dtype=np.uint64)
    first = 0
    for k in range(len(ends)):
        seen[:] = 0
        good[:] = 0
        bits[:] = 0
        for i in range(first, ends[k]):
            unit = units[members[i]]
            for r in range(len(right)):
                bits[r] |= unit[r]
        for r in range(len(right)):
            good[block[r]] |= bits[r] & ~seen[block[r]] & right[r]
            seen[block[r]] |= bits[r]
        for p in range(len(slots)):
            agrees[k, p] = (good[slots[p] >> 6] >> np.uint64(slots[p] & 63)) & np.uint64(1) != 0
        first = ends[k]
