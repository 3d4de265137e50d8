"""Columns found in parts: the enumeration cut into shards, each evaluated somewhere, all merged in one place.

A *shard* is some programs: a few small blocks, or a part of a large one, cut where the conditions inside programs
change, so that hardly any is computed for two shards. A worker evaluates shards one after another and merges its own
equal columns; what it hands over, a *piece*, has only the columns that it has not handed over before, and for each
program which column it has. `Sharded` merges the pieces in the order of the programs, by the same table in which an
`Evaluator` merges columns, and so comes to the very same numbers and signs; tests hold the two equal.

Who evaluates the shards is a `Crew`. `InTurn` is the obvious one: this process does it all. Where the work is done and
who dies of it changes nothing: see `Piece`.
"""

from __future__ import annotations

import math
import os
import uuid
from collections.abc import Generator, Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any, Protocol

import numpy as np

from shown.errors import OutOfMemory
from shown.grid import Grid, Tokens
from shown.inference.columns import Evaluator, renumbered
from shown.inference.distinct import CONSTANT
from shown.language.attention import lands_on_little
from shown.language.primitives import Language
from shown.language.shapes import Block, Shape, size
from shown.memory import Account, default_limit
from shown.planes import Planes

SMALLEST, LARGEST = 2_000, 50_000
"""Programs in a shard: fewer are not worth a message, and of more too few are finished at a time."""


@dataclass(frozen=True)
class Span:
    """Some programs of a block: those of which one argument is among some of the ways to fill it.

    Attributes:
        block: the block.
        axis: which argument.
        start, stop: which ways.
    """

    block: Block
    axis: int = 0
    start: int = 0
    stop: int | None = None

    @property
    def places(self) -> np.ndarray:
        """Where they are in the block, in ascending order. [n] int64"""
        sizes = [size(argument) for argument in self.block.shape.arguments]
        if self.stop is None or not sizes:
            return np.arange(self.block.count)
        before, after = math.prod(sizes[: self.axis]), math.prod(sizes[self.axis + 1 :])
        ways = np.arange(before)[:, None] * sizes[self.axis] + np.arange(self.start, self.stop)
        places = (ways[..., None] * after + np.arange(after)).reshape(-1)
        return places[places < self.block.count]


Shard = tuple[Span, ...]
"""Programs that are evaluated together."""


@dataclass(frozen=True)
class Piece:
    """What a worker found in a shard.

    Columns have the numbers in which this worker met them. A worker that forgets, or starts anew after it died, is
    another one: what it hands over then stands for itself.

    Attributes:
        worker: who found it.
        before: how many columns this worker had handed over already. They are not in `columns`.
        ids: for each span the column of each program, or CONSTANT. [n] int32 each
        flips: for each span whether each program holds on the first row. [n] bool each
        columns: the columns that are new, with the signs of their first programs. [C, R] uint64
    """

    worker: str
    before: int
    ids: tuple[np.ndarray, ...]
    flips: tuple[np.ndarray, ...]
    columns: np.ndarray


@dataclass(frozen=True)
class Job:
    """All that a worker needs to know beforehand.

    Attributes:
        grids, tokens, buttons, margin: the states; planes are made of them where they are needed.
        language: the words of the programs.
        blocks: all programs that may come.
        memory: bytes that a worker may take; by default its share of its machine's.
    """

    grids: tuple[Grid, ...]
    tokens: Tokens
    buttons: tuple[str, ...]
    margin: int
    language: Language
    blocks: tuple[Block, ...]
    memory: int | None = None


class Crew(Protocol):
    """Those who evaluate shards."""

    @property
    def workers(self) -> int:
        """About how many of them there are: the shards are cut for so many."""
        ...

    def pieces(self, job: Job, shards: Sequence[Shard]) -> Generator[Piece, None, None]:
        """What is found in the shards, in their order.

        The pieces of one worker must come in the order in which it found them; see `Worker.forget`.
        """
        ...


class Worker:
    """Evaluates shards and remembers what it has handed over.

    When the memory that it may take is full it forgets and begins anew, once for a shard.
    """

    def __init__(self, job: Job) -> None:
        self._job = job
        self._world = Planes(job.grids, job.tokens, job.buttons, job.margin)
        self._limit = default_limit() // (os.cpu_count() or 1) if job.memory is None else job.memory
        self.forget()

    def forget(self) -> None:
        """Becomes another worker, which has handed over nothing. One that is given an earlier shard after a later one
        has to: the earlier one is merged first, and what came with the later one is not known there yet."""
        self._name = uuid.uuid4().hex
        self._evaluator = Evaluator(self._world, self._job.language, Account(self._limit))
        self._evaluator.expect(self._job.blocks)

    def work(self, shard: Shard) -> Piece:
        """Evaluates a shard."""
        try:
            return self._work(shard)
        except OutOfMemory:
            self.forget()
            return self._work(shard)

    def _work(self, shard: Shard) -> Piece:
        evaluator = self._evaluator
        before = len(evaluator.columns)
        for span in shard:
            evaluator.evaluate(span.block, span.places)
        ids, flips = tuple(evaluator.of_program), tuple(evaluator.flipped)
        evaluator.of_program.clear()
        evaluator.flipped.clear()
        return Piece(self._name, before, ids, flips, evaluator.columns[before:].copy())


class InTurn:
    """The obvious crew: some workers in this process, who take turns."""

    def __init__(self, workers: int = 1) -> None:
        self.workers = workers

    def pieces(self, job: Job, shards: Sequence[Shard]) -> Generator[Piece, None, None]:
        team = [Worker(job) for _ in range(self.workers)]
        for number, shard in enumerate(shards):
            yield team[number % len(team)].work(shard)


class Sharded(Evaluator):
    """An `Evaluator` that has others evaluate the programs, and merges what they find.

    Args:
        world, language, account: as an evaluator's.
        crew: the others.
        memory: bytes that each of them may take; by default its share of its machine's.
    """

    def __init__(
        self, world: Planes, language: Language, account: Account, crew: Crew, memory: int | None = None
    ) -> None:
        super().__init__(world, language, account)
        self._crew, self._memory = crew, memory
        self._blocks: tuple[Block, ...] = ()
        self._coming: Generator[tuple[Span, np.ndarray, np.ndarray], None, None] | None = None
        self._numbers: dict[str, np.ndarray] = {}

    def expect(self, blocks: Iterable[Block]) -> None:
        """Says which blocks are to come, in order; others may begin with them when the first is asked for."""
        self._blocks = tuple(blocks)

    def evaluate(self, block: Block, places: np.ndarray | None = None) -> None:
        """Adds the next of the blocks that are expected."""
        assert self._blocks[len(self.of_program)] == block, "blocks come in the order in which they are expected"
        self._account.take(12 * block.count, "the list of programs", self._advice())
        if self._coming is None:
            self._coming = self._begin()
        before = len(self._columns)
        ids, flips = np.empty(block.count, dtype=np.int32), np.empty(block.count, dtype=bool)
        left = block.count
        while left:
            span, of_programs, flipped = next(self._coming)
            where = span.places
            ids[where], flips[where] = of_programs, flipped
            left -= len(where)
        numbers = self._enter(before, ids, flips)
        self._numbers = {worker: renumbered(known, before, numbers) for worker, known in self._numbers.items()}
        if len(self.of_program) == len(self._blocks):
            self.close()

    def close(self) -> None:
        """Ends the work that was begun ahead. If more is asked for later, it begins again from there."""
        if self._coming is not None:
            self._coming.close()
        self._coming, self._numbers = None, {}

    def __getstate__(self) -> dict[str, Any]:
        return self.__dict__ | {"_coming": None, "_numbers": {}}

    def _begin(self) -> Generator[tuple[Span, np.ndarray, np.ndarray], None, None]:
        """The spans of all blocks to come, each with the columns of its programs and whether they are negated."""
        blocks = self._blocks[len(self.of_program) :]
        shards = cut(blocks, self.language, self.world, self._crew.workers)
        world = self.world
        job = Job(world.grids, world.tokens, world.buttons, world.margin, self.language, self._blocks, self._memory)
        pieces = self._crew.pieces(job, shards)
        try:
            for shard, piece in zip(shards, pieces, strict=True):
                for span, ids, flips in zip(shard, piece.ids, piece.flips, strict=True):
                    numbers = self._merged(piece, int(ids.max(initial=CONSTANT)) + 1)
                    yield span, np.append(numbers, np.int32(CONSTANT))[ids], flips
                # Where a budget cuts a block, the last one, a worker may know columns that none of its programs has.
                self._merged(piece, piece.before + len(piece.columns))
        finally:
            pieces.close()

    def _merged(self, piece: Piece, count: int) -> np.ndarray:
        """The numbers that at least the first `count` columns of a worker have here. [count or more] int32

        No more than that is merged: what only a later block has is not to come between the columns of this one.
        """
        known = self._numbers.get(piece.worker, np.empty(0, dtype=np.int32))
        assert len(known) >= piece.before, "the pieces of a worker must come in order"
        new = piece.columns[len(known) - piece.before : max(count, len(known)) - piece.before]
        # What comes from another process may be read-only, for which the loop would have to be compiled once more.
        ids, _ = self._columns.add(np.require(new, requirements="W"), np.arange(piece.columns.shape[1]), self._advice())
        self._numbers[piece.worker] = np.concatenate([known, ids])
        return self._numbers[piece.worker]


def cut(blocks: Sequence[Block], language: Language, world: Planes, workers: int) -> list[Shard]:
    """The blocks in shards: small blocks together, large ones in parts, some for each worker.

    >>> from shown.grid import Tokens, grid
    >>> from shown.language.grammar import paper_grammar
    >>> tokens = Tokens(empty=".", stick="|")
    >>> grammar, world = paper_grammar(tokens), Planes([grid("|.")], tokens)
    >>> shards = cut(list(grammar.blocks(10_000)), grammar.language, world, workers=2)
    >>> [sum(len(span.places) for span in shard) for shard in shards][:4]
    [1980, 1584, 1728, 1728]
    """
    total = sum(block.count for block in blocks)
    most = min(LARGEST, max(SMALLEST, total // (8 * workers)))
    shards: list[Shard] = []
    small: list[Span] = []
    held = 0
    for block in blocks:
        if held and held + block.count > most:
            shards.append(tuple(small))
            small, held = [], 0
        if block.count <= most:
            small.append(Span(block))
            held += block.count
        else:
            shards += [(span,) for span in _parts(block, language, world, most)]
    return [*shards, tuple(small)] if small else shards


def _parts(block: Block, language: Language, world: Planes, most: int) -> Iterator[Span]:
    """A block in parts of about so many programs, if it can be cut like that."""
    sizes = [size(argument) for argument in block.shape.arguments]
    axis = _axis(block.shape, language, world)
    parts = min(sizes[axis], -(-block.shape.count // most))
    ends = [sizes[axis] * k // parts for k in range(parts + 1)]
    for start, stop in pairwise(ends):
        span = Span(block, axis, start, stop)
        if len(span.places):
            yield span


def _axis(shape: Shape, language: Language, world: Planes) -> int:
    """Where to cut a shape: at the argument that is the most work, so that it is not done twice."""
    if lands_on_little(shape, language, world.buttons, world.shape):
        return 0
    return next((i for i, argument in enumerate(shape.arguments) if isinstance(argument, Shape)), 0)
