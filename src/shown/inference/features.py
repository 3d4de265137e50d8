"""Features: the distinct columns of all batches of states."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from contextlib import closing
from dataclasses import dataclass

import numpy as np

from shown.columns.distinct import CONSTANT
from shown.columns.evaluator import Evaluator
from shown.engine.compilation import compiled
from shown.engine.memory import Memory, empty
from shown.engine.planes import Planes
from shown.engine.threads import Threads
from shown.grid import Grid, Tokens
from shown.language.grammar import Block, Grammar
from shown.language.reach import margin_for
from shown.language.terms import Term

WRITTEN = 1024  # columns copied at a time


@dataclass(frozen=True)
class Features:
    """The distinct columns of the enumerated programs on the demonstrated rows.

    Attributes:
        terms: most probable program of each distinct column, best first. [F]
        log_prior: log p of those. [F] float64
        first: index of each in the enumeration. [F] int64
        columns: bit by bit, the value of terms[f] on the rows. [F, R] uint64
        mask: 1 where a bit is a row that counts. [R] uint64
        of_program: feature that each program equals (up to negation); CONSTANT if it is constant. [P]
        negates: whether the program is the negation of that feature, or constantly 1. [P] bool
        blocks: the programs, in order.
    """

    terms: Sequence[Term]
    log_prior: np.ndarray
    first: np.ndarray
    columns: np.ndarray
    mask: np.ndarray
    of_program: np.ndarray
    negates: np.ndarray
    blocks: tuple[Block, ...]

    def __len__(self) -> int:
        return len(self.first)

    @property
    def block_of(self) -> np.ndarray:
        """The block of the program of each feature. [F] int64"""
        return np.searchsorted([block.start for block in self.blocks], self.first, side="right") - 1


class LazyTerms(Sequence[Term]):
    """The programs at some indices of the enumeration, built on demand."""

    def __init__(self, blocks: tuple[Block, ...], places: np.ndarray) -> None:
        self._blocks, self._places = blocks, places
        self._starts = np.array([block.start for block in blocks])
        self._built: dict[int, Term] = {}

    def __len__(self) -> int:
        return len(self._places)

    def __getitem__(self, i: int) -> Term:  # type: ignore[override]
        i = range(len(self))[i]
        if i not in self._built:
            place = int(self._places[i])
            block = self._blocks[int(np.searchsorted(self._starts, place, side="right")) - 1]
            self._built[i] = block.shape.term(place - block.start)
        return self._built[i]


def combine(
    evaluators: Sequence[Evaluator],
    blocks: Sequence[Block],
    count: int | None = None,
    mask: np.ndarray | None = None,
    without: Collection[int] = (),
) -> Features:
    """Return the features of the first `count` blocks on several batches together.

    Programs are equal if their columns are, on every batch and on all rows in `mask` (by default, on all rows). The
    programs at the indices `without` count as constant; the next program of such a column represents it.
    """
    blocks = tuple(blocks[:count])
    every_row = np.concatenate([e.world.row_mask for e in evaluators])
    ids = [np.concatenate(e.of_program[: len(blocks)]) for e in evaluators]
    flips = [np.concatenate(e.flipped[: len(blocks)]) for e in evaluators]
    away = [place for place in without if place < len(ids[0])]
    for of_batch, flipped in zip(ids, flips, strict=True):
        of_batch[away], flipped[away] = CONSTANT, False
    if len(evaluators) == 1 and not away:
        # An evaluator numbers its columns like features: by their first programs, with those programs' signs.
        of_program = ids[0]
        before = np.maximum.accumulate(np.concatenate([[CONSTANT], of_program[:-1]]))
        first = np.flatnonzero(of_program > before)
        columns = evaluators[0].columns[: len(first)]
    else:
        of_program, first = _equal_everywhere(ids, flips)
        columns = empty((len(first), len(every_row)), np.uint64)
        end = 0
        for e, i, f in zip(evaluators, ids, flips, strict=True):
            start, end = end, end + len(e.world.row_mask)
            _write_columns(columns[:, start:end], e, i[first], f[first])
    negates = flips[0] ^ _pick(flips[0][first], of_program)
    if mask is not None and not np.array_equal(mask, every_row):
        of_program, first, columns, negates = _equal_on(mask, of_program, first, columns, negates)
    starts = np.array([block.start for block in blocks])
    priors = np.array([block.log_prior for block in blocks])
    return Features(
        terms=LazyTerms(blocks, first),
        log_prior=priors[np.searchsorted(starts, first, side="right") - 1],
        first=first,
        columns=columns,
        mask=every_row if mask is None else mask,
        of_program=of_program,
        negates=negates,
        blocks=blocks,
    )


def _equal_everywhere(ids: Sequence[np.ndarray], flips: Sequence[np.ndarray]) -> tuple[np.ndarray, np.ndarray]:
    """Return the feature of each program over all batches, and the first program of each feature. ([P], [F])"""
    # A program and its negation are one feature: compare all batches relative to the first.
    keys = [2 * i.astype(np.int64) + (f ^ flips[0]) for i, f in zip(ids, flips, strict=True)]
    constant = np.logical_and.reduce([key == 2 * CONSTANT for key in keys])
    live = np.flatnonzero(~constant)
    code = np.zeros(len(live), dtype=np.int64)
    for key in keys:
        _, code = np.unique(code * (int(key.max()) + 3) + key[live] - 2 * CONSTANT, return_inverse=True)
    _, first_live, inverse = np.unique(code, return_index=True, return_inverse=True)
    by_place = np.argsort(first_live, kind="stable")
    rank = np.empty(len(by_place), dtype=np.int32)
    rank[by_place] = np.arange(len(by_place))
    of_program = np.full(len(constant), CONSTANT, dtype=np.int32)
    of_program[live] = rank[inverse]
    return of_program, live[first_live[by_place]]


def _write_columns(values: np.ndarray, evaluator: Evaluator, ids: np.ndarray, flips: np.ndarray) -> None:
    """Write the values of some programs, constant ones included, on one batch. [n, R]"""
    negated = flips ^ _pick(evaluator.turned, ids)
    for start in range(0, len(ids), WRITTEN):
        part = slice(start, start + WRITTEN)
        varies = ids[part] != CONSTANT
        values[part][~varies] = 0
        values[part][varies] = evaluator.columns[ids[part][varies]]
        values[part][negated[part]] ^= evaluator.world.row_mask


def _equal_on(
    mask: np.ndarray, of_program: np.ndarray, first: np.ndarray, columns: np.ndarray, negates: np.ndarray
) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
    """Merge features that are equal on the rows in `mask`; other rows become 0."""
    where = np.flatnonzero(mask)
    ids, flips = np.empty(len(columns), dtype=np.int32), np.empty(len(columns), dtype=np.bool_)
    slots = np.full(1 << (2 * len(columns)).bit_length(), CONSTANT, dtype=np.int32)
    kept = _merge_loop(columns, where, mask[where], slots, ids, flips)
    live = of_program != CONSTANT
    merged, turned = of_program.copy(), negates.copy()
    merged[live] = ids[of_program[live]]
    turned[live] ^= flips[of_program[live]] ^ _pick(flips[kept], merged[live])
    columns = columns[kept]
    columns &= mask
    return merged, first[kept], columns, turned


@compiled
def _merge_loop(columns, where, mask, slots, ids, flips):  # type: ignore[no-untyped-def]
    """Number columns that differ on some words, up to negation; return the first column of each number. [C] int64

    A column without a 1 there, or without a 0, is CONSTANT. `flips`: whether a column is 1 on the first row. The table
    has numbers of columns, not their bits, so that none is copied.
    """
    kept, count, size = np.empty(len(columns), dtype=np.int64), 0, np.uint64(len(slots) - 1)
    lowest = mask[0] & (~mask[0] + np.uint64(1)) if len(mask) else np.uint64(0)
    for f in range(len(columns)):
        column = columns[f]
        flips[f] = len(mask) and (column[where[0]] & lowest) != np.uint64(0)
        sign, some = np.uint64(0) - np.uint64(flips[f]), np.uint64(0)
        mix, key = np.uint64(0), np.uint64(0)
        for w in range(len(mask)):
            bits = (column[where[w]] ^ sign) & mask[w]
            some |= bits
            key += np.uint64(0x9E3779B97F4A7C15)
            mix += (bits ^ (bits >> np.uint64(32))) * (key | np.uint64(1))
        ids[f] = CONSTANT
        slot = (mix ^ (mix >> np.uint64(32))) * np.uint64(0xFF51AFD7ED558CCD) >> np.uint64(20) & size
        while some and ids[f] == CONSTANT:
            k = slots[slot]
            if k == CONSTANT:
                ids[f] = slots[slot] = count
                kept[count] = f
                count += 1
                break
            other, differ = columns[kept[k]], np.uint64(0)
            turned = sign ^ (np.uint64(0) - np.uint64(flips[kept[k]]))
            for w in range(len(mask)):
                differ |= (column[where[w]] ^ other[where[w]] ^ turned) & mask[w]
            if differ == np.uint64(0):
                ids[f] = k
            slot = (slot + np.uint64(1)) & size
    return kept[:count].copy()


def _pick(values: np.ndarray, places: np.ndarray) -> np.ndarray:
    """Return values[places], False where a place is CONSTANT. [n] bool"""
    return np.append(values, False)[places]


def evaluate(
    grids: Sequence[Grid],
    tokens: Tokens,
    grammar: Grammar,
    programs: int,
    buttons: tuple[str, ...] = (),
    threads: int = 1,
) -> tuple[Planes, Features]:
    """Return all features of some states, without a learner.

    >>> from shown.grid import grid
    >>> from shown.language.grammar import paper_grammar
    >>> tokens = Tokens(empty=".", stick="|")
    >>> world, features = evaluate([grid("|.", "||")], tokens, paper_grammar(tokens), 50)
    >>> len(features), str(features.terms[0])
    (6, 'at_action_cell(cell_is_value(empty))')
    """
    blocks = list(grammar.blocks(programs))
    margin = margin_for((block.shape for block in blocks), grammar.language, grids)
    world = Planes(grids, tokens, buttons, margin)
    with closing(Threads(threads)) as team:
        evaluator = Evaluator(world, grammar.language, Memory(), team)
        evaluator.expect(blocks)
        evaluator.demand(len(blocks))
        for block in blocks:
            evaluator.evaluate(block)
    return world, combine([evaluator], blocks)
