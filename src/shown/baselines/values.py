"""The values of the first programs on some states, those that are constant there included."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from shown.demonstrations import Demonstrations
from shown.grid import Action, Grid, Tokens
from shown.inference.distinct import CONSTANT
from shown.inference.features import Features, evaluate
from shown.inference.formulas import first_best
from shown.inference.rows import Evidence, Rows, evidence_of
from shown.language.grammar import Grammar


@dataclass(frozen=True)
class Values:
    """What programs say of the rows (state, action) of some states.

    Attributes:
        rows: where the rows are.
        features: the distinct columns.
        always: the programs that hold on every row. [P] bool
        word, bit: where each row is among the words of a column. [rows] int64, [rows] uint64
    """

    rows: Rows
    features: Features
    always: np.ndarray
    word: np.ndarray
    bit: np.ndarray

    @classmethod
    def of(cls, grids: Sequence[Grid], tokens: Tokens, grammar: Grammar, programs: int) -> Values:
        world, features = evaluate(grids, tokens, grammar, programs)
        rows = Rows([world])
        word, bit = np.nonzero(rows.state_of_row >= 0)
        always = (features.of_program == CONSTANT) & features.negates
        return cls(rows, features, always, word, bit.astype(np.uint64))

    def evidence(self, demos: Demonstrations) -> Evidence:
        """What was demonstrated, as bits over these rows. The demonstrated states must be among these."""
        return evidence_of(self.rows, demos.steps)

    def first_best(self, scores: np.ndarray) -> list[Action]:
        """For each state the action of the row with the highest score, the first among equals. [rows] → [S]"""
        of_row = np.full(self.rows.state_of_row.shape, -np.inf)
        of_row[self.word, self.bit.astype(np.int64)] = scores
        words = first_best(of_row, self.rows.state_of_row, len(self.rows.grids))
        return [self.rows.worlds[0].action_of_word(int(word)) for word in words]
