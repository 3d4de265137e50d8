"""Values of the first programs on the rows (state, action) of some states, including constant programs."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from shown.columns.distinct import CONSTANT
from shown.columns.rows import Labels, Rows, labels_of
from shown.demonstrations import Demonstrations
from shown.grid import Action, Grid, Tokens
from shown.inference.features import Features, evaluate
from shown.language.grammar import paper_grammar


@dataclass(frozen=True)
class ProgramValues:
    """Values of programs on rows.

    Attributes:
        features: the distinct columns.
        word, bit: position of each row in a column. [rows] int64 each
    """

    rows: Rows
    features: Features
    word: np.ndarray
    bit: np.ndarray

    @classmethod
    def of(cls, grids: Sequence[Grid], tokens: Tokens, programs: int) -> ProgramValues:
        world, features = evaluate(grids, tokens, paper_grammar(tokens), programs)
        rows = Rows([world])
        return cls(rows, features, *np.nonzero(rows.state_of_row >= 0))

    @classmethod
    def of_demonstrated(cls, demos: Demonstrations, programs: int) -> ProgramValues:
        """Evaluate programs on the demonstrated states."""
        return cls.of(list(dict.fromkeys(step.grid for step in demos.steps)), demos.tokens, programs)

    def evidence(self, demos: Demonstrations) -> Labels:
        """Return the demonstrations as bits over the rows; every demonstrated state must be among them."""
        return labels_of(self.rows, demos.steps)

    @property
    def bits(self) -> np.ndarray:
        """The values of the features on every row. [F, rows] uint8"""
        bits = np.unpackbits(self.features.columns.view(np.uint8), axis=1, bitorder="little")
        return bits[:, 64 * self.word + self.bit]

    def program_rows(self, programs: np.ndarray) -> np.ndarray:
        """Return the values of some programs on every row. [rows, programs] uint8"""
        return of_programs(programs, self.features, self.bits, 1).T

    def first_best(self, scores: np.ndarray) -> list[Action]:
        """Return the action with the highest score in each state, the first among equals. [rows] → [S]"""
        states = self.rows.state_of_row[self.word, self.bit]
        order = np.lexsort((self.word, -scores, states))
        first = order[np.unique(states[order], return_index=True)[1]]
        return self.rows.worlds[0].actions_of_words(self.word[first])


def of_programs(programs: np.ndarray, features: Features, values: np.ndarray, true: Any) -> np.ndarray:
    """Return values of features as those of some programs, constant ones included. [F, N] → [programs, N]

    Values are numbers whose bits in `true` say where a feature holds.
    """
    of = features.of_program[programs]
    found = np.zeros((len(of), values.shape[1]), dtype=values.dtype)
    found[of != CONSTANT] = values[of[of != CONSTANT]]
    found[features.negates[programs]] ^= true
    return found
