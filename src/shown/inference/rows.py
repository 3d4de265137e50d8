"""Demonstrations as rows of bits: what was shown, what is ruled out, what is left open.

A row is a state and one of its actions. Every row of a demonstrated state is *shown* (a demonstrated action), *ruled
out* (the paper's anti-demonstrations: by default every other action), or *open*: nothing is said about it, so it is
left out of the trees, of the fit and of the count of allowed actions.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np

from shown.demonstrations import Step
from shown.grid import Action, Grid
from shown.planes import Planes


class Rows:
    """Where the rows (state, action) of some worlds are when the worlds' columns stand side by side.

    Attributes:
        worlds: the states as planes; no state is in two of them.
        mask: 1 where a bit is a row. [R] uint64
        state_of_row: the number of the state of each bit, -1 where a bit is no row's. [R, 64] int32
        actions: the number of actions of each state. [S] int64
        grids: the states, in order of their numbers. [S]
    """

    def __init__(self, worlds: Sequence[Planes]) -> None:
        self.worlds = tuple(worlds)
        self.mask = np.concatenate([world.row_mask for world in worlds])
        self.grids = tuple(grid for world in worlds for grid in world.grids)
        self.actions = np.array([len(w.buttons) or g.height * g.width for w in worlds for g in w.grids], dtype=np.int64)
        self._first_word = np.cumsum([0, *(len(world.row_words) for world in worlds)])
        self._first_state = np.cumsum([0, *(world.states for world in worlds)])
        self.state_of_row = np.concatenate(
            [world.states_of_rows(int(before)) for world, before in zip(worlds, self._first_state, strict=False)]
        )
        self._number: dict[Grid, int] | None = None

    def number(self, grid: Grid) -> int:
        """The number of a state. KeyError if it is not among these."""
        if self._number is None:
            self._number = {grid: s for s, grid in enumerate(self.grids)}
        return self._number[grid]

    def place(self, state: int, action: Action) -> tuple[int, int]:
        """The word and bit of a row."""
        b = int(np.searchsorted(self._first_state, state, side="right")) - 1
        word, bit = self.worlds[b].row(state - int(self._first_state[b]), action)
        return int(self._first_word[b]) + word, bit

    def row(self, word: int, bit: int) -> tuple[int, Action]:
        """The state and action of the row at a word and bit."""
        b = int(np.searchsorted(self._first_word, word, side="right")) - 1
        return int(self.state_of_row[word, bit]), self.worlds[b].action_of_word(word - int(self._first_word[b]))

    def bits(self, rows: Iterable[tuple[int, Action]]) -> np.ndarray:
        """1 in these rows (state, action). [R] uint64"""
        bits = np.zeros_like(self.mask)
        for state, action in rows:
            word, bit = self.place(state, action)
            bits[word] |= np.uint64(1) << np.uint64(bit)
        return bits

    def bits_of_state(self, state: int) -> np.ndarray:
        """1 in all rows of a state. [R] uint64"""
        return _pack(self.state_of_row == state)


@dataclass(frozen=True)
class Evidence:
    """What was demonstrated, as bits over rows.

    Attributes:
        mask: 1 where a row is shown or ruled out; open rows are 0. [R] uint64
        positive: 1 where a row was shown. [R] uint64
        word, bit: where the row of each shown step is. [T] int64 each
        state: the number of each step's state. [T] int64
        state_of_row: the number of the state of each bit, -1 for none. [R, 64] int32
        actions: the number of actions of each state. [S] int64
        weight: how much each step counts. [T] float64
        refused: 1 where the teacher said "not this". [R] uint64
    """

    mask: np.ndarray
    positive: np.ndarray
    word: np.ndarray
    bit: np.ndarray
    state: np.ndarray
    state_of_row: np.ndarray
    actions: np.ndarray
    weight: np.ndarray
    refused: np.ndarray

    def shows(self, allowed: np.ndarray) -> np.ndarray:
        """Which steps' actions are among the rows `allowed`. [T] bool"""
        return ((allowed[self.word] >> self.bit.astype(np.uint64)) & np.uint64(1)).astype(bool)


def evidence_of(rows: Rows, steps: Iterable[Step]) -> Evidence:
    """What some steps say about the rows of their states, all of which must be among `rows`.

    The last word about an action counts: one that was shown and later refused is refused. In a state of which only
    refusals are known, every other action is open; in one of which nothing is said, every action is.
    """
    last: dict[tuple[int, Action], bool] = {}
    shown: list[tuple[int, Step]] = []
    opened: set[tuple[int, Action]] = set()
    for step in steps:
        state = rows.number(step.grid)
        last[state, step.action] = not step.refused
        if not step.refused:
            shown.append((state, step))
            opened.update((state, action) for action in step.open)
    kept = [(state, step) for state, step in shown if last[state, step.action]]
    positive = rows.bits((state, step.action) for state, step in kept)
    refused = rows.bits(row for row, is_shown in last.items() if not is_shown)
    open_rows = rows.bits(opened)
    for state in set(range(len(rows.grids))) - {state for state, _ in kept}:
        open_rows |= rows.bits_of_state(state)
    places = np.array([rows.place(state, step.action) for state, step in kept], dtype=np.int64).reshape(-1, 2)
    return Evidence(
        mask=rows.mask & (~open_rows | positive | refused),
        positive=positive,
        word=places[:, 0],
        bit=places[:, 1],
        state=np.array([state for state, _ in kept], dtype=np.int64),
        state_of_row=rows.state_of_row,
        actions=rows.actions,
        weight=np.array([step.weight for _, step in kept], dtype=np.float64),
        refused=refused,
    )


def _pack(bits: np.ndarray) -> np.ndarray:
    """[R, 64] bool → [R] uint64"""
    return np.packbits(bits, axis=1, bitorder="little").view(np.uint64).reshape(-1)
