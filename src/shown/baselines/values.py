"""The values of the first programs on some states, those that are constant there included."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from shown.demonstrations import Demonstrations
from shown.grid import Action, Grid, Tokens
from shown.inference.features import CONSTANT, Evaluator, Features, Memory, combine
from shown.inference.posterior import Evidence
from shown.language.grammar import Grammar
from shown.language.reach import margin_for
from shown.planes import Planes


@dataclass(frozen=True)
class Values:
    """What programs say of the rows (state, action) of some states.

    Attributes:
        world: the states as planes.
        features: the distinct columns.
        always: the programs that hold on every row. [P] bool
        word, bit: where each row is among the words of a column. [rows] int64, [rows] uint64
        state: the number of each row's state. [rows] int64
    """

    world: Planes
    features: Features
    always: np.ndarray
    word: np.ndarray
    bit: np.ndarray
    state: np.ndarray

    @classmethod
    def of(cls, grids: Sequence[Grid], tokens: Tokens, grammar: Grammar, programs: int) -> Values:
        blocks = list(grammar.blocks(programs))
        world = Planes(grids, tokens, (), margin_for((block.shape for block in blocks), grammar.language, grids))
        evaluator = Evaluator(world, grammar.language, Memory(2**62))
        evaluator.expect(blocks)
        for block in blocks:
            evaluator.evaluate(block)
        features = combine([evaluator], blocks)
        always = (features.of_program == CONSTANT) & np.concatenate(evaluator.flipped)
        return cls(world, features, always, *rows_of(world))

    def evidence(self, demos: Demonstrations) -> Evidence:
        """What was demonstrated, as bits over these rows. The demonstrated states must be among these."""
        world = self.world
        number = {grid: s for s, grid in enumerate(world.grids)}
        state = np.array([number[step.grid] for step in demos.steps])
        places = np.array([world.row(int(s), step.action) for s, step in zip(state, demos.steps, strict=True)])
        word, bit = places[:, 0], places[:, 1]
        positive = np.zeros_like(world.row_mask)
        np.bitwise_or.at(positive, word, np.uint64(1) << bit.astype(np.uint64))
        state_of_row = np.full((len(world.row_mask), 64), -1, dtype=np.int32)
        state_of_row[self.word, self.bit.astype(np.int64)] = self.state
        actions = np.bincount(self.state, minlength=world.states)
        return Evidence(world.row_mask, positive, word, bit, state, state_of_row, actions)


def rows_of(world: Planes) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Word, bit and state of each row of a world of clicks."""
    word, bit = np.nonzero((world.row_mask[:, None] >> np.arange(64, dtype=np.uint64)) & np.uint64(1))
    number = np.full(world.shape[2] * 64, -1)
    number[world.slot] = np.arange(world.states)
    return word, bit.astype(np.uint64), number[(world.row_words[word] % world.shape[2]) * 64 + bit]


def first_best(scores: np.ndarray, word: np.ndarray, state: np.ndarray, world: Planes) -> list[Action]:
    """For each state the cell of the row with the highest score, the first in reading order among equals."""
    cell = world.row_words[word] // world.shape[2]
    frame = np.full((world.states, world.shape[0] * world.shape[1]), -np.inf)
    frame[state, cell] = scores
    rows, columns = np.divmod(frame.argmax(axis=1), world.shape[1])
    return [(int(r), int(c)) for r, c in zip(rows - world.margin, columns - world.margin, strict=True)]
