"""Demonstrations × programs → columns of bits, equal columns merged.

A program's column is its value on every row (state, action). Programs are evaluated in blocks, bottom-up: a condition
that several programs share is computed once, and conditions with equal planes count as one, so the number of things
to compute grows far more slowly than the number of programs.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass

import numpy as np

from shown.compiled import compiled
from shown.errors import BadInput, OutOfMemory, did_you_mean
from shown.grid import Action, Grid, Tokens
from shown.language.evaluate import how_many, run_many
from shown.language.grammar import Block, Grammar, Hole, Shape
from shown.language.primitives import Language, Primitive
from shown.language.reach import margin_for
from shown.language.terms import Kind, Term
from shown.planes import Planes

CONSTANT = -1
CHUNK_BYTES = 2**24
COLUMN_COPIES = 3
"""A column is held here, in the `Features` made of it, and once more while either grows."""


@dataclass(frozen=True)
class Features:
    """What the demonstrations look like to each program that tells any two rows apart.

    Attributes:
        terms: the most probable program of each distinct column, best first. [F]
        log_prior: log p(f) of those. [F] float64
        first: the place of each in the enumeration, counted from 0. [F] int64
        columns: bit by bit, the value of terms[f] on the rows. [F, R] uint64
        mask: 1 where a bit is a row. [R] uint64
        of_program: which feature each program enumerated equals (up to negation); CONSTANT if it is constant. [P]
        negates: whether it is that feature's negation, or constantly 1. [P] bool
        prior_mass: log of the summed probability of all programs with that column or its negation. [F] float64
    """

    terms: Sequence[Term]
    log_prior: np.ndarray
    first: np.ndarray
    columns: np.ndarray
    mask: np.ndarray
    of_program: np.ndarray
    negates: np.ndarray
    prior_mass: np.ndarray
    blocks: tuple[Block, ...]

    def __len__(self) -> int:
        return len(self.first)

    def aliases(self, feature: int) -> list[tuple[Term, float, bool]]:
        """The other programs with this column: term, log prior, whether negated. They agree here, not everywhere."""
        places = np.flatnonzero(self.of_program == feature)[1:]
        priors = (_block_of(self.blocks, int(p)).log_prior for p in places)
        terms = LazyTerms(self.blocks, places)
        return [(term, prior, bool(self.negates[p])) for term, p, prior in zip(terms, places, priors, strict=True)]


class LazyTerms(Sequence[Term]):
    """The programs at some places of the enumeration, built when asked for."""

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


class Memory:
    """An account of the bytes a run holds, which refuses what would not fit."""

    def __init__(self, limit: int) -> None:
        self.limit, self.held = limit, 0
        self.programs = 0

    def take(self, wanted: int, what: str) -> None:
        """Enters `wanted` bytes, or raises OutOfMemory saying what would fit."""
        if self.held + wanted > self.limit:
            fits = (
                f"About {self.programs:,} programs fit; learn with fewer (--programs {self.programs})"
                if self.programs
                else "Use fewer or smaller demonstrations"
            )
            raise OutOfMemory(
                f"{what} would need {_size(self.held + wanted)}, but the limit is {_size(self.limit)}. "
                f"{fits}, or allow more memory."
            )
        self.held += wanted


class Evaluator:
    """Evaluates blocks of programs on one batch of states and merges equal columns as they come.

    Attributes:
        world: the states as planes.
        columns: the distinct columns so far, first row always 0. [C, R] uint64
        of_program: the column of each program so far, or CONSTANT. list of [count] int32, one a block
        flipped: whether the program is the negation of that column (of constant 0). list of [count] bool
    """

    def __init__(self, world: Planes, language: Language, memory: Memory, threads: int = 1) -> None:
        self.world, self.language, self.memory, self.threads = world, language, memory, threads
        self.of_program: list[np.ndarray] = []
        self.flipped: list[np.ndarray] = []
        self._columns = _Distinct((len(world.row_words),), memory, "the columns of the programs", COLUMN_COPIES)
        self._planes = _Distinct(world.shape, memory, "the planes of the conditions", 1)
        self._conditions: dict[Shape, np.ndarray] = {}
        self._shared: frozenset[Shape] = frozenset()

    @property
    def columns(self) -> np.ndarray:
        return self._columns.array

    def expect(self, blocks: Iterable[Block]) -> None:
        """Says which blocks are to come, so that the conditions which several of them share are kept."""
        self._shared = frozenset(inner for block in blocks for part in block.shape.parts for inner in _inside(part))

    def evaluate(self, block: Block) -> None:
        """Adds a block's programs."""
        shape = block.shape
        primitive = self.language[shape.primitive]
        part = shape.parts[0] if len(shape.parts) == 1 else None
        if part is None or part in self._shared or part in self._conditions:
            arguments, expand = self._arguments(shape)
            ids, flips = self._programs(primitive, arguments, self._planes.array)
        else:
            # The condition is used by this block alone: its planes are computed, read and forgotten.
            ids, flips, expand = self._transient(primitive, shape, part)
        self.of_program.append(ids[expand][: block.count])
        self.flipped.append(flips[expand][: block.count])
        self.memory.programs = block.start + block.count

    def _transient(self, primitive: Primitive, shape: Shape, part: Shape) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Like `_programs`, for a program over one condition that is not kept."""
        inner, expand_inner = self._arguments(part)
        total = how_many(inner)
        holes = [a for a in shape.arguments if isinstance(a, Hole)]
        ways = math.prod(len(hole.atoms) for hole in holes)
        ids = np.empty((ways, total), dtype=np.int32)
        flips = np.empty((ways, total), dtype=bool)
        step = max(1, CHUNK_BYTES // self.world.bytes_per_plane)
        for start in range(0, total, step):
            stop = min(total, start + step)
            planes = self._run(self.language[part.primitive], [a[start:stop] for a in inner], self._planes.array)
            grids = np.meshgrid(
                *(
                    np.arange(stop - start) if argument is part else _codes(argument, self.world)
                    for argument in shape.arguments
                ),
                indexing="ij",
            )
            arguments = [self._flat(g, argument) for g, argument in zip(grids, shape.arguments, strict=True)]
            chunk_ids, chunk_flips = self._programs(primitive, arguments, planes)
            # The condition's axis goes last, so that chunks can be laid side by side whatever its place is.
            axis = shape.arguments.index(part)
            ids[:, start:stop] = np.moveaxis(chunk_ids.reshape(grids[0].shape), axis, -1).reshape(ways, -1)
            flips[:, start:stop] = np.moveaxis(chunk_flips.reshape(grids[0].shape), axis, -1).reshape(ways, -1)
        axis = shape.arguments.index(part)
        sizes = [len(a.atoms) for a in holes]
        places = np.arange(ways * total).reshape(*sizes, total)[..., expand_inner]
        return ids.reshape(-1), flips.reshape(-1), np.moveaxis(places, -1, axis).reshape(-1)

    def _flat(self, grid: np.ndarray, argument: Shape | Hole) -> np.ndarray:
        flat = grid.reshape(-1)
        if isinstance(argument, Hole) and argument.kind is Kind.OFFSET:
            return np.array(argument.atoms, dtype=np.int64).reshape(-1, 2)[flat]
        return flat

    def _arguments(self, shape: Shape) -> tuple[list[np.ndarray], np.ndarray]:
        """The distinct argument tuples of a shape's terms, and which of them each term has. ([n] each, [count])"""
        if not shape.arguments:
            return [], np.zeros(1, dtype=np.int64)
        choices: list[np.ndarray] = []
        inverses: list[np.ndarray] = []
        for argument in shape.arguments:
            if isinstance(argument, Hole):
                codes = _codes(argument, self.world)
                choices.append(codes)
                inverses.append(np.arange(len(codes)))
            else:
                distinct, inverse = np.unique(self._condition(argument), return_inverse=True)
                choices.append(distinct)
                inverses.append(inverse)
        grids = np.meshgrid(*choices, indexing="ij")
        arguments = [self._flat(g, a) for g, a in zip(grids, shape.arguments, strict=True)]
        places = np.arange(grids[0].size).reshape(grids[0].shape)[np.ix_(*inverses)]
        return arguments, places.reshape(-1)

    def _condition(self, shape: Shape) -> np.ndarray:
        """The number of the plane of each term of a condition's shape. [count]"""
        if shape not in self._conditions:
            arguments, expand = self._arguments(shape)
            primitive = self.language[shape.primitive]
            total = how_many(arguments)
            ids = np.empty(total, dtype=np.int64)
            step = max(1, CHUNK_BYTES // self.world.bytes_per_plane)
            for start in range(0, total, step):
                part = [a[start : start + step] for a in arguments]
                planes = self._run(primitive, part, self._planes.array)
                ids[start : start + step] = self._planes.add(planes.reshape(len(planes), -1))
            self._conditions[shape] = ids[expand]
        return self._conditions[shape]

    def _programs(
        self, primitive: Primitive, arguments: list[np.ndarray], planes: np.ndarray
    ) -> tuple[np.ndarray, np.ndarray]:
        """The columns of programs: their numbers (or CONSTANT), and whether each is the negation of its column."""
        total = how_many(arguments)
        ids = np.empty(total, dtype=np.int32)
        flips = np.empty(total, dtype=bool)
        step = max(1, CHUNK_BYTES // max(self.world.bytes_per_plane, 1))
        for start in range(0, total, step):
            results = self._run(primitive, [a[start : start + step] for a in arguments], planes)
            if results.ndim == 2:
                # One bit a state: merge these few words before they are spread over all rows.
                results, back = np.unique(results & self.world.real, axis=0, return_inverse=True)
                back = back.reshape(-1)
            else:
                back = np.arange(len(results))
            columns = self.world.columns(results)
            flip, constant = _canonical(columns, self.world.row_mask)
            found = np.full(len(columns), CONSTANT, dtype=np.int32)
            if not constant.all():
                found[~constant] = self._columns.add(columns[~constant])
            ids[start : start + step] = found[back]
            flips[start : start + step] = flip[back]
        return ids, flips

    def _run(self, primitive: Primitive, arguments: list[np.ndarray], planes: np.ndarray) -> np.ndarray:
        """The results of a primitive on many argument tuples. [n, ...]"""
        total = how_many(arguments)
        if self.threads == 1 or total < 4 * self.threads:
            return run_many(self.world, primitive, arguments, planes)
        cuts = np.linspace(0, total, self.threads + 1).astype(int)
        with ThreadPoolExecutor(self.threads) as pool:
            parts = pool.map(
                lambda k: run_many(self.world, primitive, [a[cuts[k] : cuts[k + 1]] for a in arguments], planes),
                range(self.threads),
            )
            return np.concatenate(list(parts))


class _Distinct:
    """Rows of words, each kept once."""

    def __init__(self, shape: tuple[int, ...], memory: Memory, what: str, copies: int) -> None:
        self._shape, self._memory, self._what, self._copies = shape, memory, what, copies
        self._width = math.prod(shape)
        self._rows = np.empty((0, self._width), dtype=np.uint64)
        self._count = 0
        self._places: dict[int, list[int]] = {}

    @property
    def array(self) -> np.ndarray:
        return self._rows[: self._count].reshape(self._count, *self._shape)

    def add(self, rows: np.ndarray) -> np.ndarray:
        """The number of each row, new or known. [n, words] → [n]"""
        mixes, first, inverse = np.unique(_mix(rows), return_index=True, return_inverse=True)
        ids = np.empty(len(mixes), dtype=np.int64)
        # New rows are numbered in the order in which they come.
        for i in np.argsort(first).tolist():
            ids[i] = self._find(int(mixes[i]), rows[first[i]])
        result = ids[inverse]
        for i in np.flatnonzero((self._rows[result] != rows).any(axis=1)).tolist():
            result[i] = self._find(int(mixes[inverse[i]]), rows[i])
        return result

    def _find(self, mix: int, row: np.ndarray) -> int:
        """The number of a row, which is added if it is new."""
        places = self._places.setdefault(mix, [])
        for place in places:
            if np.array_equal(self._rows[place], row):
                return place
        places.append(self._append(row))
        return places[-1]

    def _append(self, row: np.ndarray) -> int:
        if self._count == len(self._rows):
            more = max(64, len(self._rows) // 2)
            self._memory.take(self._copies * more * self._width * 8, self._what)
            grown = np.empty((len(self._rows) + more, self._width), dtype=np.uint64)
            grown[: self._count] = self._rows
            self._rows = grown
        self._rows[self._count] = row
        self._count += 1
        return self._count - 1


def combine(evaluators: Sequence[Evaluator], blocks: Sequence[Block], count: int | None = None) -> Features:
    """The features of several batches together, of the first `count` blocks: programs are equal if they are so on
    every batch."""
    log_prior = np.concatenate([np.full(block.count, block.log_prior) for block in blocks])
    ids = [np.concatenate(e.of_program[:count]) for e in evaluators]
    flips = [np.concatenate(e.flipped[:count]) for e in evaluators]
    negates = flips[0]
    # A program and its negation are one feature: compare all batches relative to the first.
    keys = np.stack([2 * i.astype(np.int64) + (f ^ negates) for i, f in zip(ids, flips, strict=True)], axis=1)
    constant = np.all(keys == 2 * CONSTANT, axis=1)
    live = np.flatnonzero(~constant)
    _, first_live, inverse = np.unique(keys[live], axis=0, return_index=True, return_inverse=True)
    by_place = np.argsort(first_live, kind="stable")
    rank = np.empty(len(by_place), dtype=np.int64)
    rank[by_place] = np.arange(len(by_place))
    first = live[first_live[by_place]]
    of_program = np.full(len(log_prior), CONSTANT, dtype=np.int64)
    of_program[live] = rank[inverse.reshape(-1)]
    parts = []
    for e, i, f in zip(evaluators, ids, flips, strict=True):
        part = np.zeros((len(first), len(e.world.row_mask)), dtype=np.uint64)
        varies = i[first] != CONSTANT
        part[varies] = e.columns[i[first][varies]]
        part[f[first]] = ~part[f[first]] & e.world.row_mask
        parts.append(part)
    relative = negates.copy()
    relative[live] ^= negates[first][of_program[live]]
    mass = np.full(len(first), -np.inf)
    np.logaddexp.at(mass, of_program[live], log_prior[live])
    return Features(
        terms=LazyTerms(tuple(blocks), first),
        log_prior=log_prior[first],
        first=first,
        columns=parts[0] if len(parts) == 1 else np.concatenate(parts, axis=1),
        mask=np.concatenate([e.world.row_mask for e in evaluators]),
        of_program=of_program,
        negates=relative,
        prior_mass=mass,
        blocks=tuple(blocks),
    )


def evaluate(
    grids: Sequence[Grid],
    tokens: Tokens,
    grammar: Grammar,
    programs: int,
    buttons: tuple[str, ...] = (),
    threads: int = 1,
) -> tuple[Planes, Features]:
    """All features of some states: the plain entry for those who want only this part.

    >>> from shown.grid import grid
    >>> from shown.language.grammar import paper_grammar
    >>> tokens = Tokens(empty=".", stick="|")
    >>> world, features = evaluate([grid("|.", "||")], tokens, paper_grammar(tokens), 50)
    >>> len(features), str(features.terms[0])
    (6, 'at_action_cell(cell_is_value(empty))')
    """
    blocks = list(grammar.blocks(programs))
    world = Planes(grids, tokens, buttons, margin_for((block.shape for block in blocks), grammar.language, grids))
    evaluator = Evaluator(world, grammar.language, Memory(2**62), threads)
    evaluator.expect(blocks)
    for block in blocks:
        evaluator.evaluate(block)
    return world, combine([evaluator], blocks)


def _inside(shape: Shape) -> list[Shape]:
    """The shapes of the conditions inside a condition."""
    return [inner for part in shape.parts for inner in (part, *_inside(part))]


def _codes(hole: Shape | Hole, world: Planes) -> np.ndarray:
    """Numbers that stand for a hole's atoms: of values and buttons their places, of offsets the places in the hole."""
    assert isinstance(hole, Hole)
    if hole.kind in (Kind.VALUE, Kind.BUTTON):
        known = world.values if hole.kind is Kind.VALUE else world.buttons
        for atom in hole.atoms:
            if atom not in known:
                near = did_you_mean(str(atom), known)
                raise BadInput(f"the grammar has a {hole.kind} {atom!r} that the demonstrations have not. {near}")
        return np.array([known.index(str(atom)) for atom in hole.atoms])
    return np.arange(len(hole.atoms)) if hole.kind is Kind.OFFSET else np.array(hole.atoms)


def _block_of(blocks: tuple[Block, ...], place: int) -> Block:
    return next(block for block in blocks if block.start <= place < block.start + block.count)


def _canonical(columns: np.ndarray, mask: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Negates, in place, the columns whose first row is 1. Says which they were, and which are constant. [n] bool"""
    lowest = mask[0] & (~mask[0] + np.uint64(1))
    flipped = (columns[:, 0] & lowest) != 0
    columns[flipped] = ~columns[flipped] & mask
    return flipped, np.asarray(~columns.any(axis=1))


@compiled
def _mix(rows):  # type: ignore[no-untyped-def]
    """A 64-bit fingerprint of each row. Only a first sieve: rows with equal ones are compared word by word."""
    out = np.empty(len(rows), dtype=np.uint64)
    for i in range(len(rows)):
        h = np.uint64(0x9E3779B97F4A7C15)
        for w in range(rows.shape[1]):
            h = (h ^ rows[i, w]) * np.uint64(0xFF51AFD7ED558CCD)
            h ^= h >> np.uint64(32)
        out[i] = h
    return out


def _size(count: int) -> str:
    return f"{count / 2**30:.1f} GiB" if count >= 2**29 else f"{count / 2**20:.0f} MiB"


def row_of(worlds: Sequence[Planes], batch: int, state: int, action: Action) -> tuple[int, int]:
    """The word and bit of a row when the batches' columns stand side by side."""
    before = sum(len(world.row_words) for world in worlds[:batch])
    word, bit = worlds[batch].row(state, action)
    return before + word, bit
