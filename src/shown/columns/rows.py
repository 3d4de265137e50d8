"""Demonstrations as rows of bits.

A row is a state and one of its actions. Every row of a demonstrated state is *shown* (a demonstrated action), *ruled
out* (the paper's anti-demonstrations: by default every other action), or *open*: excluded from the trees, from the fit
and from the count of allowed actions.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass

import numpy as np

from shown.demonstrations import Step
from shown.engine.planes import Planes
from shown.grid import Action, Grid


class Rows:
    """Places of the rows (state, action) of some worlds in the concatenated columns of these worlds.

    Attributes:
        worlds: the states as planes; no state is in two of them.
        mask: 1 where a bit is a row. [R] uint64
        state_of_row: state number of each bit, -1 for none. [R, 64] int32
        actions: number of actions of each state. [S] int64
        grids: the states, by number. [S]
    """

    def __init__(self, worlds: Sequence[Planes]) -> None:
        self.worlds = tuple(worlds)
        self.mask = np.concatenate([world.row_mask for world in worlds])
        self.grids = tuple(grid for world in worlds for grid in world.grids)
        self.actions = np.concatenate([world.actions for world in worlds])
        self._first_word = np.cumsum([0, *(len(world.row_words) for world in worlds)])
        self._first_state = np.cumsum([0, *(world.states for world in worlds)])
        self.state_of_row = np.concatenate(
            [world.states_of_rows(int(before)) for world, before in zip(worlds, self._first_state, strict=False)]
        )
        self._number: dict[Grid, int] | None = None

    def number(self, grid: Grid) -> int:
        """Return the number of a state. Raises KeyError for an unknown one."""
        if self._number is None:
            self._number = {grid: s for s, grid in enumerate(self.grids)}
        return self._number[grid]

    def place(self, state: int, action: Action) -> tuple[int, int]:
        """Return the word and bit of a row."""
        words, bits = self.places([state], [action])
        return int(words[0]), int(bits[0])

    def row(self, word: int, bit: int) -> tuple[int, Action]:
        """Return the state and action of the row at a word and bit."""
        b = int(np.searchsorted(self._first_word, word, side="right")) - 1
        (action,) = self.worlds[b].actions_of_words(np.array([word - self._first_word[b]]))
        return int(self.state_of_row[word, bit]), action

    def bits(self, rows: Iterable[tuple[int, Action]]) -> np.ndarray:
        """Return 1 in these rows (state, action). [R] uint64"""
        bits, wanted = np.zeros_like(self.mask), list(rows)
        words, places = self.places([state for state, _ in wanted], [action for _, action in wanted])
        np.bitwise_or.at(bits, words, np.uint64(1) << places.astype(np.uint64))
        return bits

    def bits_of_states(self, states: Collection[int]) -> np.ndarray:
        """Return 1 in all rows of some states. [R] uint64"""
        chosen = np.zeros(len(self.grids) + 1, dtype=bool)
        chosen[list(states)] = True
        bits = chosen[self.state_of_row]  # -1, for no row, is the last
        return np.packbits(bits, axis=1, bitorder="little").view(np.uint64).reshape(-1)

    def places(self, states: Sequence[int], actions: Sequence[Action]) -> tuple[np.ndarray, np.ndarray]:
        """Return the words and bits of many rows. ([n] int64 each)"""
        numbers, words, bits = np.array(states, dtype=np.int64), *np.zeros((2, len(states)), dtype=np.int64)
        of_world = np.searchsorted(self._first_state, numbers, side="right") - 1
        for b in np.unique(of_world).tolist():
            own = np.flatnonzero(of_world == b)
            chosen = [actions[i] for i in own.tolist()]
            word, bits[own] = self.worlds[b].rows_of(numbers[own] - self._first_state[b], chosen)
            words[own] = self._first_word[b] + word
        return words, bits


@dataclass(frozen=True)
class Labels:
    """What demonstrations say about rows, as bits: shown, ruled out, or open.

    Attributes:
        mask: 1 where a row is shown or ruled out; open rows are 0. [R] uint64
        positive: 1 where a row is shown. [R] uint64
        word, bit: place of the row of each shown step. [T] int64 each
        state: state number of each step. [T] int64
        state_of_row: state number of each bit, -1 for none. [R, 64] int32
        actions: number of actions of each state. [S] int64
        weight: weight of each step. [T] float64
        refused: 1 where the teacher ruled out the action. [R] uint64
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
        """Return which steps' actions are among the rows `allowed`. [T] bool"""
        return row_bits(allowed, self.word, self.bit)

    @property
    def shown_rows(self) -> list[tuple[int, int]]:
        """Word and bit of each distinct shown row, in the order of the steps."""
        return list(dict.fromkeys(zip(self.word.tolist(), self.bit.tolist(), strict=True)))


def row_bits(columns: np.ndarray, word: np.ndarray | int, bit: np.ndarray | int) -> np.ndarray:
    """Return the values of columns on the rows with these words and bits. [..., R] uint64 → [..., T] bool"""
    return ((columns[..., word] >> np.asarray(bit).astype(np.uint64)) & np.uint64(1)).astype(bool)


def labels_of(rows: Rows, steps: Iterable[Step]) -> Labels:
    """Return the labels of some steps, whose states must all be among `rows`.

    The last step about an action decides: one that was shown and later refused is refused. In a state with refusals
    only, all other actions are open; in a state without steps, all actions are.
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
    open_rows |= rows.bits_of_states(set(range(len(rows.grids))) - {state for state, _ in kept})
    words, bits = rows.places([state for state, _ in kept], [step.action for _, step in kept])
    return Labels(
        mask=rows.mask & (~open_rows | positive | refused),
        positive=positive,
        word=words,
        bit=bits,
        state=np.array([state for state, _ in kept], dtype=np.int64),
        state_of_row=rows.state_of_row,
        actions=rows.actions,
        weight=np.array([step.weight for _, step in kept], dtype=np.float64),
        refused=refused,
    )
