"""Values of the first programs on the rows (state, action) of some states, including constant programs."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from shown.demonstrations import Demonstrations
from shown.evaluation.distinct import CONSTANT
from shown.evaluation.rows import Labels, Rows, labels_of
from shown.grid import Action, Grid, Tokens
from shown.inference.features import Features, evaluate
from shown.language.grammar import paper_grammar


@dataclass(frozen=True)
class ProgramValues:
    """Values of programs on rows.

    Attributes:
        features: the distinct columns.
        always: whether each program holds on every row. [P] bool
        word, bit: position of each row in a column. [rows] int64, [rows] uint64
    """

    rows: Rows
    features: Features
    always: np.ndarray
    word: np.ndarray
    bit: np.ndarray

    @classmethod
    def of(cls, grids: Sequence[Grid], tokens: Tokens, programs: int) -> ProgramValues:
        world, features = evaluate(grids, tokens, paper_grammar(tokens), programs)
        rows = Rows([world])
        word, bit = np.nonzero(rows.state_of_row >= 0)
        always = (features.of_program == CONSTANT) & features.negates
        return cls(rows, features, always, word, bit.astype(np.uint64))

    @classmethod
    def of_demonstrated(cls, demos: Demonstrations, programs: int) -> ProgramValues:
        """Evaluate programs on the demonstrated states."""
        return cls.of(list(dict.fromkeys(step.grid for step in demos.steps)), demos.tokens, programs)

    def evidence(self, demos: Demonstrations) -> Labels:
        """Return the demonstrations as bits over the rows; every demonstrated state must be among them."""
        return labels_of(self.rows, demos.steps)

    def first_best(self, scores: np.ndarray) -> list[Action]:
        """Return the action with the highest score in each state, the first among equals. [rows] → [S]"""
        states = self.rows.state_of_row[self.word, self.bit.astype(np.int64)]
        order = np.lexsort((self.word, -scores, states))
        first = order[np.unique(states[order], return_index=True)[1]]
        return self.rows.worlds[0].actions_of_words(self.word[first])
