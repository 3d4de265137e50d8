"""Why nothing fits: two actions that no program distinguishes, one demonstrated and one not."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from shown.columns.rows import Labels, Rows
from shown.demonstrations import Demonstrations, Step
from shown.engine.compilation import compiled
from shown.grid import Action
from shown.inference.features import Features
from shown.language.languages import with_more_words
from shown.language.primitives import Language
from shown.provenance import plain


@dataclass(frozen=True, slots=True)
class Failure:
    """Two actions that no program distinguishes, one demonstrated and one not.

    Attributes:
        demonstration, step: place of the demonstrated action.
        action: the demonstrated action.
        other: an action that looks the same but was not demonstrated.
        other_demonstration, other_step: its place; often the same step.
        programs: number of programs tried.
        richer: name of a vocabulary that may distinguish them, if there is one to try.
    """

    demonstration: int
    step: int
    action: Action
    other: Action
    other_demonstration: int
    other_step: int
    programs: int
    richer: str | None = None

    @property
    def text(self) -> str:
        """What is wrong and what to do."""
        return self.told(f"{5 * self.programs:,}, for example", f'language="{self.richer}"')

    def told(self, more: str, words: str) -> str:
        """Return the text with a front end's own way to ask for more programs and for a richer vocabulary."""
        same = (self.demonstration, self.step) == (self.other_demonstration, self.other_step)
        place = "" if same else f" of demonstration {self.other_demonstration}, step {self.other_step}"
        what = "the click" if isinstance(self.action, tuple) else "the action"
        return (
            f"nothing fits demonstration {self.demonstration}, step {self.step}: none of the first {self.programs:,} "
            f"programs distinguishes {what} {self.action} from {self.other}{place}. "
            f"Try more programs ({more}){f', a richer vocabulary ({words})' if self.richer else ''}, or a primitive "
            "that sees the difference. If one of the two was a mistake, remove it."
        )

    def to_json(self) -> dict[str, Any]:
        return {**plain(self), "text": self.text}


def explain_failure(
    demonstrations: Demonstrations, rows: Rows, features: Features, labels: Labels, language: Language
) -> Failure | None:
    """Return the first demonstrated row that no feature distinguishes from rows that were not, and one of those.

    A row that those outnumber is preferred: no tree can answer it right. Of the rows it looks like, one on the same
    board is taken, since two clicks on one board are the easiest to compare; and of those one that the teacher clicked
    later in that run, since then both clicks are the teacher's own.
    """
    shown_at: dict[int, tuple[int, int]] = {}
    for place, step in numbered(demonstrations):
        shown_at.setdefault(rows.number(step.grid), place)
    found: Failure | None = None
    for (d, s), step in numbered(demonstrations):
        state = rows.number(step.grid)
        word, bit = rows.place(state, step.action)
        if not int(labels.positive[word]) >> bit & 1:
            continue
        alike = rows_like(features.columns, features.mask, word, bit)
        unlike = alike & ~labels.positive
        outvoted = np.bitwise_count(alike & labels.positive).sum() <= np.bitwise_count(unlike).sum()
        if unlike.any() and (outvoted or found is None):
            later = demonstrations.items[d].steps[s + 1 :]
            own = rows.bits(
                (state, step.action) for step in later if _has(step.action, rows, state) and not step.refused
            )
            other_state, action = _nearest(rows, unlike & own if (unlike & own).any() else unlike, state)
            od, os = (d, s) if other_state == state else shown_at[other_state]
            richer = with_more_words(language, demonstrations.tokens, demonstrations.buttons)
            found = Failure(d, s, step.action, action, od, os, len(features.of_program), richer)
            if outvoted:
                break
    return found


def _has(action: Action, rows: Rows, state: int) -> bool:
    """Return whether a state has an action: boards of one run may differ in size."""
    return isinstance(action, str) or rows.grids[state].inside(action)


def numbered(demonstrations: Demonstrations) -> Iterator[tuple[tuple[int, int], Step]]:
    """Yield all steps, each with its demonstration and its place in it, counted from 0."""
    return (((d, s), step) for d, item in enumerate(demonstrations) for s, step in enumerate(item.steps))


def taken(demonstrations: Demonstrations) -> list[tuple[tuple[int, int], Step]]:
    """Return the steps that are not refused, numbered."""
    return [(place, step) for place, step in numbered(demonstrations) if not step.refused]


def _nearest(rows: Rows, among: np.ndarray, state: int) -> tuple[int, Action]:
    """Return one of some rows, of the same state if possible."""
    words, bits = np.nonzero((among[:, None] >> np.arange(64, dtype=np.uint64)) & np.uint64(1))
    states = rows.state_of_row[words, bits]
    first = int(np.lexsort((words, states, states != state))[0])
    return rows.row(int(words[first]), int(bits[first]))


def rows_like(columns: np.ndarray, mask: np.ndarray, word: int, bit: int) -> np.ndarray:
    """Return the rows in `mask` on which every column has its value on one row. [R] uint64

    >>> columns = np.array([[0b0011], [0b0111]], dtype=np.uint64)
    >>> rows_like(columns, np.array([0b1111], dtype=np.uint64), 0, 1).tolist()
    [3]
    """
    alike = mask.copy()
    _alike_loop(columns, word, bit, np.flatnonzero(mask), alike)
    return alike


def looking_like_shown(columns: np.ndarray, labels: Labels, steps: np.ndarray) -> np.ndarray:
    """Return the ruled-out rows that no column distinguishes from the demonstrated row of one of some steps. [R] uint64

    Args:
        columns: the features. [F, R] uint64
        labels: the rows.
        steps: the numbers of the steps. [n] int64
    """
    found = np.zeros_like(labels.mask)
    for word, bit in set(zip(labels.word[steps].tolist(), labels.bit[steps].tolist(), strict=True)):
        found |= rows_like(columns, labels.mask, word, bit)
    return found & ~labels.positive


@compiled
def _alike_loop(columns, word, bit, where, alike):  # type: ignore[no-untyped-def]
    """Drop the rows that differ in one column after another, until only the row itself is left; consumes `where`."""
    one, size = np.uint64(1), len(where)
    for f in range(len(columns)):
        column = columns[f]
        sign = ((column[word] >> np.uint64(bit)) & one) - one
        left = 0
        for i in range(size):
            w = where[i]
            alike[w] &= column[w] ^ sign
            if alike[w]:
                where[left] = w
                left += 1
        size = left
        if size == 1 and alike[word] == one << np.uint64(bit):
            break
