"""Formulas over columns of bits: conversion, evaluation, counting and simplification.

A formula here is in disjunctive normal form over numbered columns. Rows are bits (see `columns/rows.py`).
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain

import numpy as np

from shown.engine.compilation import compiled, popcount
from shown.language.terms import Term
from shown.rules.formula import Clause as LiteralClause
from shown.rules.formula import Literal

SignedColumn = tuple[int, bool]
"""A column number, and whether the column must hold (rather than fail)."""

Clause = tuple[SignedColumn, ...]
Clauses = tuple[Clause, ...]
"""A formula in disjunctive normal form over columns. No clause: never; an empty clause: always."""

MAX_CACHED = 500_000  # literals of shortened clauses kept


def over_columns(clauses: Iterable[LiteralClause], numbers: Mapping[Term, int]) -> Clauses:
    """Return clauses of literals as clauses over the columns with these numbers."""
    return tuple(tuple((numbers[literal.term], literal.positive) for literal in clause) for clause in clauses)


def over_programs(clauses: Clauses, term: Callable[[int], Term]) -> tuple[LiteralClause, ...]:
    """Return clauses over columns as clauses of literals; `term` gives the program of a column."""
    return tuple(tuple(Literal(term(column), positive) for column, positive in clause) for clause in clauses)


@dataclass(frozen=True)
class Packed:
    """Several formulas as flat arrays, for the compiled loops.

    Attributes:
        columns: column of each literal, clause after clause, formula after formula. [L] int64
        signs: 0 where it must hold, all ones where it must fail. [L] uint64
        clause_ends: number of literals up to the end of each clause. [C] int64
        formula_ends: number of clauses up to the end of each formula. [K] int64
    """

    columns: np.ndarray
    signs: np.ndarray
    clause_ends: np.ndarray
    formula_ends: np.ndarray

    @classmethod
    def of(cls, formulas: Sequence[Clauses]) -> Packed:
        """Return formulas as flat arrays.

        >>> packed = Packed.of([(((0, True), (1, False)), ((2, True),))])
        >>> packed.columns.tolist(), packed.clause_ends.tolist(), packed.formula_ends.tolist()
        ([0, 1, 2], [2, 3], [2])
        """
        clauses = [clause for formula in formulas for clause in formula]
        # Far faster than an array of tuples.
        numbers = chain.from_iterable(chain.from_iterable(clauses))
        literals = np.fromiter(numbers, dtype=np.int64, count=2 * sum(map(len, clauses))).reshape(-1, 2)
        return cls(
            literals[:, 0].copy(),
            (literals[:, 1] - 1).astype(np.uint64),  # 1 - 1 is 0; 0 - 1 is all ones
            np.cumsum([len(clause) for clause in clauses], dtype=np.int64),
            np.cumsum([len(formula) for formula in formulas], dtype=np.int64),
        )


def allowed_rows(packed: Packed, columns: np.ndarray, mask: np.ndarray) -> np.ndarray:
    """Return the rows that each formula allows. [K, R] uint64

    Args:
        packed: the formulas. K of them
        columns: the columns. [F, R] uint64
        mask: 1 where a bit is a row. [R] uint64
    """
    out = np.zeros((len(packed.formula_ends), len(mask)), dtype=np.uint64)
    _formula_loop(columns, packed.columns, packed.signs, packed.clause_ends, packed.formula_ends, mask, out)
    return out


def formula_bits(clauses: Clauses, columns: np.ndarray, mask: np.ndarray) -> np.ndarray:
    """Return the rows that one formula allows. [R] uint64

    >>> columns = np.array([[0b0011], [0b0101]], dtype=np.uint64)
    >>> formula_bits((((0, True), (1, False)),), columns, np.array([0b1111], dtype=np.uint64)).tolist()
    [2]
    """
    return np.asarray(allowed_rows(Packed.of([clauses]), columns, mask)[0])


def clause_bits(clauses: Sequence[Clause], columns: np.ndarray, mask: np.ndarray) -> np.ndarray:
    """Return the rows on which each clause holds. [C, R] uint64"""
    return allowed_rows(Packed.of([(clause,) for clause in clauses]), columns, mask)


def count_by_state(allowed: np.ndarray, state_of_row: np.ndarray, states: int) -> np.ndarray:
    """Return the number of rows of each state that each formula allows. [K, R] uint64 → [K, S] int64"""
    counts = np.zeros((len(allowed), states), dtype=np.int64)
    _count_loop(allowed, state_of_row, counts)
    return counts


# --- shortening -------------------------------------------------------------------------------------------------------


class Shortener:
    """Removes redundant literals and clauses; caches clauses, since trees share most of theirs.

    Args:
        most: maximum number of cached literals; then the cache is cleared.
    """

    def __init__(self, most: int = MAX_CACHED) -> None:
        self._most, self._held = most, 0
        self._known: dict[bytes, dict[Clause, Clause]] = {}
        self._formulas: dict[frozenset[Clause], Clauses] = {}

    def __call__(
        self,
        clauses: Clauses,
        columns: np.ndarray,
        mask: np.ndarray,
        prices: np.ndarray,
        allowed: np.ndarray | None = None,
    ) -> Clauses:
        """Return the formula without the literals, and then the clauses, that do not change the rows it allows.

        The most expensive literals are tried first. No clause loses its last literal: the paper counts literals from 1.

        Args:
            clauses: the formula.
            columns: the columns. [F, R] uint64
            mask: 1 where a bit is a row. [R] uint64
            prices: log prior of a literal over each column. [F] float64
            allowed: the rows that the formula allows, if they are known. [R] uint64
        """
        if allowed is None:
            allowed = formula_bits(clauses, columns, mask)
        forbidden = mask & ~allowed
        if self._held > self._most:
            self._known, self._formulas, self._held = {}, {}, 0
        known = self._known.setdefault(hashlib.blake2b(allowed.tobytes(), digest_size=16).digest(), {})
        new = [clause for clause in clauses if clause not in known]
        known.update(zip(new, shorten(new, columns, forbidden, prices), strict=True))
        self._held += sum(len(clause) + len(known[clause]) for clause in new)
        together = frozenset(known[clause] for clause in clauses)
        if together not in self._formulas:  # trees that differ in what was dropped are one formula
            self._held += len(together)
            kept = sorted(together, key=lambda clause: (sum(float(prices[f]) for f, _ in clause), clause))
            needed = needed_clauses(clause_bits(kept, columns, mask))
            stay = (clause for clause, stays in zip(kept, needed.tolist(), strict=True) if stays)
            self._formulas[together] = tuple(sorted(stay))
        return self._formulas[together]


def needed_clauses(bits: np.ndarray) -> np.ndarray:
    """Return which clauses remain when each in turn is dropped if the others cover its rows. [C, R] → [C] bool

    >>> needed_clauses(np.array([[0b001], [0b011], [0b010]], dtype=np.uint64)).tolist()
    [False, True, False]
    """
    keep = np.ones(len(bits), dtype=np.bool_)
    where = np.flatnonzero(np.bitwise_or.reduce(bits, axis=0)) if len(bits) else np.empty(0, dtype=np.int64)
    counts = np.zeros((len(where), 64), dtype=np.int32)
    _cover_loop(bits, where, counts, keep)
    return keep


def shorten(clauses: Sequence[Clause], columns: np.ndarray, forbidden: np.ndarray, prices: np.ndarray) -> list[Clause]:
    """Return clauses without the literals that are not needed to exclude forbidden rows, the most expensive tried
    first.

    Args:
        clauses: clauses that hold on no forbidden row.
        columns: the columns. [F, R] uint64
        forbidden: 1 in the rows on which no clause may hold. [R] uint64
        prices: log prior of a literal over each column. [F] float64
    """
    # Converting only these is faster: there may be millions of prices.
    paid = {f: float(prices[f]) for clause in clauses for f, _ in clause}
    ordered = tuple(tuple(sorted(clause, key=lambda literal: (paid[literal[0]], literal))) for clause in clauses)
    packed = Packed.of([ordered])
    keep = np.ones(len(packed.columns), dtype=np.bool_)
    _shorten_loop(columns, packed.columns, packed.signs, packed.clause_ends, forbidden, keep)
    stays = iter(keep.tolist())
    return [tuple(sorted(literal for literal in clause if next(stays))) for clause in ordered]


# --- compiled loops ---------------------------------------------------------------------------------------------------


@compiled
def _formula_loop(columns, literals, signs, clause_ends, formula_ends, mask, out):  # type: ignore[no-untyped-def]
    rows = len(mask)
    literal, clause = 0, 0
    bits = np.empty(rows, dtype=np.uint64)
    for k in range(len(formula_ends)):
        while clause < formula_ends[k]:
            for r in range(rows):
                bits[r] = mask[r]
            while literal < clause_ends[clause] - 1:
                column, sign = columns[literals[literal]], signs[literal]
                for r in range(rows):
                    bits[r] &= column[r] ^ sign
                literal += 1
            if literal < clause_ends[clause]:
                column, sign = columns[literals[literal]], signs[literal]
                for r in range(rows):
                    out[k, r] |= bits[r] & (column[r] ^ sign)
                literal += 1
            else:
                for r in range(rows):
                    out[k, r] |= bits[r]
            clause += 1


@compiled
def _count_loop(allowed, state_of_row, counts):  # type: ignore[no-untyped-def]
    one = np.uint64(1)
    for k in range(len(allowed)):
        for w in range(allowed.shape[1]):
            bits = allowed[k, w]
            while bits:
                counts[k, state_of_row[w, popcount((bits & (~bits + one)) - one)]] += 1
                bits &= bits - one


@compiled
def _cover_loop(bits, where, counts, keep):  # type: ignore[no-untyped-def]
    one = np.uint64(1)
    for i in range(len(bits)):
        for w in range(len(where)):
            word = bits[i, where[w]]
            while word:
                counts[w, popcount((word & (~word + one)) - one)] += 1
                word &= word - one
    left = len(bits)
    for i in range(len(bits)):
        needed = left == 1
        for w in range(len(where)):
            if needed:
                break
            word = bits[i, where[w]]
            while word and not needed:
                needed = counts[w, popcount((word & (~word + one)) - one)] == 1
                word &= word - one
        if not needed:
            keep[i] = False
            left -= 1
            for w in range(len(where)):
                word = bits[i, where[w]]
                while word:
                    counts[w, popcount((word & (~word + one)) - one)] -= 1
                    word &= word - one


@compiled
def _shorten_loop(columns, literals, signs, clause_ends, forbidden, keep):  # type: ignore[no-untyped-def]
    """A literal is needed if those kept before it and all after it hold together on a forbidden row."""
    longest, first = 0, 0
    for end in clause_ends:
        longest, first = max(longest, end - first), end
    rows = len(forbidden)
    after = np.empty((longest + 1, rows), dtype=np.uint64)
    before = np.empty(rows, dtype=np.uint64)
    first = 0
    for end in clause_ends:
        left = end - first
        for w in range(rows):  # loops, since assignments of whole arrays take seconds to compile
            after[left, w], before[w] = forbidden[w], np.uint64(0xFFFFFFFFFFFFFFFF)
        for i in range(left - 1, 0, -1):
            column, sign, here, there = columns[literals[first + i]], signs[first + i], after[i], after[i + 1]
            for w in range(rows):
                here[w] = there[w] & (column[w] ^ sign)
        for i in range(end - first):
            there, some = after[i + 1], np.uint64(0)
            for w in range(rows):
                some |= before[w] & there[w]
            if some or left == 1:
                column, sign = columns[literals[first + i]], signs[first + i]
                for w in range(rows):
                    before[w] &= column[w] ^ sign
            else:
                keep[first + i] = False
                left -= 1
        first = end
