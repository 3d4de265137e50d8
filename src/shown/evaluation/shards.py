"""Sharded evaluation: the enumeration cut into shards, evaluated anywhere and merged in one place.

A *shard* is a set of programs: some small blocks, or a part of a large one, cut so that hardly any condition is
computed for two shards. A worker evaluates shards one after another and merges its own equal columns. Its result, a
*piece*, has only the columns that it has not delivered before, and the column of each program. `Sharded` merges the
pieces in the order of the programs, with the table of an `Evaluator`, and gets the same numbers and signs; tests hold
the two equal.

A `Crew` evaluates the shards. `InTurn` is the plain one: this process does everything. The results depend neither on
where shards are evaluated nor on which workers die (see `Piece`).
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

from shown.engine.memory import Account, default_limit
from shown.engine.planes import Planes
from shown.errors import OutOfMemory
from shown.evaluation.columns import Evaluator, renumbered
from shown.evaluation.distinct import CONSTANT
from shown.grid import Grid, Tokens
from shown.language.attention import lands_on_little
from shown.language.primitives import Language
from shown.language.shapes import Block, Shape, size

SMALLEST, LARGEST = 2_000, 50_000
"""Bounds on the programs per shard: fewer are not worth a message, more balance the load badly."""


@dataclass(frozen=True)
class Span:
    """Programs of a block whose argument `axis` is among some of its values.

    Attributes:
        block: the block.
        axis: index of the argument.
        start, stop: range of its values.
    """

    block: Block
    axis: int = 0
    start: int = 0
    stop: int | None = None

    @property
    def places(self) -> np.ndarray:
        """Indices of the programs in the block, in ascending order. [n] int64"""
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
    """Result of a shard.

    Columns are numbered in the order in which the worker met them. A worker that is reset, or restarted after its
    death, counts as another one.

    Attributes:
        worker: name of the worker.
        before: number of columns that this worker had delivered before. They are not in `columns`.
        ids: for each span, the column of each program, or CONSTANT. [n] int32 each
        flips: for each span, whether each program holds on the first row. [n] bool each
        columns: the new columns, with the signs of their first programs. [C, R] uint64
    """

    worker: str
    before: int
    ids: tuple[np.ndarray, ...]
    flips: tuple[np.ndarray, ...]
    columns: np.ndarray


@dataclass(frozen=True)
class ShardJob:
    """Input of a worker.

    Attributes:
        grids, tokens, buttons, margin: the states; workers build the planes.
        language: language of the programs.
        blocks: all programs that may come.
        memory: bytes that a worker may take; by default its share of the memory of its machine.
    """

    grids: tuple[Grid, ...]
    tokens: Tokens
    buttons: tuple[str, ...]
    margin: int
    language: Language
    blocks: tuple[Block, ...]
    memory: int | None = None


class Crew(Protocol):
    """Workers that evaluate shards."""

    @property
    def workers(self) -> int:
        """Approximate number of workers, for which shards are cut."""
        ...

    def pieces(self, job: ShardJob, shards: Sequence[Shard]) -> Generator[Piece, None, None]:
        """Yield the pieces of the shards, in order.

        The pieces of one worker must come in the order in which it computed them; see `ShardWorker.forget`.
        """
        ...


class ShardWorker:
    """Evaluates shards and remembers the columns it has delivered.

    When its memory is full it resets and tries the shard once more.
    """

    def __init__(self, job: ShardJob) -> None:
        self._job = job
        self._world = Planes(job.grids, job.tokens, job.buttons, job.margin)
        self._limit = default_limit() // (os.cpu_count() or 1) if job.memory is None else job.memory
        self.forget()

    def forget(self) -> None:
        """Reset: become another worker, which has delivered nothing.

        Necessary before a shard that precedes the last one: it is merged first, when the columns of the later one are
        unknown.
        """
        self._name = uuid.uuid4().hex
        self._evaluator = Evaluator(self._world, self._job.language, Account(self._limit))
        self._evaluator.expect(self._job.blocks)

    def work(self, shard: Shard) -> Piece:
        """Evaluate a shard."""
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
    """The plain crew: workers in this process that take turns."""

    def __init__(self, workers: int = 1) -> None:
        self.workers = workers

    def pieces(self, job: ShardJob, shards: Sequence[Shard]) -> Generator[Piece, None, None]:
        team = [ShardWorker(job) for _ in range(self.workers)]
        for number, shard in enumerate(shards):
            yield team[number % len(team)].work(shard)


class Sharded(Evaluator):
    """An `Evaluator` that merges what a crew evaluates.

    Args:
        world, language, account: as for an evaluator.
        crew: the workers.
        memory: bytes that each worker may take; by default its share of the memory of its machine.
    """

    def __init__(
        self, world: Planes, language: Language, account: Account, crew: Crew, memory: int | None = None
    ) -> None:
        super().__init__(world, language, account)
        self._crew, self._memory = crew, memory
        self._coming: Generator[tuple[Span, np.ndarray, np.ndarray], None, None] | None = None
        self._numbers: dict[str, np.ndarray] = {}

    def expect(self, blocks: Iterable[Block]) -> None:
        """Announce the coming blocks, in order; the crew may start on all of them with the first."""
        self._blocks = tuple(blocks)

    def evaluate(self, block: Block, places: np.ndarray | None = None) -> None:
        """Add the next announced block."""
        assert self._blocks[len(self.of_program)] == block, "blocks must come in the announced order"
        self._advice = self._what_fits()
        self._account.take(12 * block.count, "the list of programs", self._advice)
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
        ids, numbers = self._numbered(before, ids, flips)
        self.of_program.append(ids)
        self.flipped.append(flips)
        self._numbers = {worker: renumbered(known, before, numbers) for worker, known in self._numbers.items()}
        if len(self.of_program) == len(self._blocks):
            self.close()

    def close(self) -> None:
        """Stop the crew. A later block starts it again from there."""
        if self._coming is not None:
            self._coming.close()
        self._coming, self._numbers = None, {}

    def __getstate__(self) -> dict[str, Any]:
        return self.__dict__ | {"_coming": None, "_numbers": {}}

    def _begin(self) -> Generator[tuple[Span, np.ndarray, np.ndarray], None, None]:
        """Yield the spans of all coming blocks, each with the columns of its programs and their signs."""
        blocks = self._blocks[len(self.of_program) :]
        shards = cut(blocks, self.language, self.world, self._crew.workers)
        world = self.world
        job = ShardJob(
            world.grids, world.tokens, world.buttons, world.margin, self.language, self._blocks, self._memory
        )
        pieces = self._crew.pieces(job, shards)
        try:
            for shard, piece in zip(shards, pieces, strict=True):
                for span, ids, flips in zip(shard, piece.ids, piece.flips, strict=True):
                    numbers = self._merged(piece, int(ids.max(initial=CONSTANT)) + 1)
                    yield span, np.append(numbers, np.int32(CONSTANT))[ids], flips
                # Where a budget cuts the last block, a worker may have columns of no program.
                self._merged(piece, piece.before + len(piece.columns))
        finally:
            pieces.close()

    def _merged(self, piece: Piece, count: int) -> np.ndarray:
        """Return the numbers here of at least the first `count` columns of a worker. [count or more] int32

        No more are merged: columns of a later block must not come between those of this one.
        """
        known = self._numbers.get(piece.worker, np.empty(0, dtype=np.int32))
        assert len(known) >= piece.before, "the pieces of a worker must come in order"
        new = piece.columns[len(known) - piece.before : max(count, len(known)) - piece.before]
        # Read-only arrays from other processes would make Numba compile the loop again.
        ids, _ = self._columns.add(np.require(new, requirements="W"), np.arange(piece.columns.shape[1]), self._advice)
        self._numbers[piece.worker] = np.concatenate([known, ids])
        return self._numbers[piece.worker]


def cut(blocks: Sequence[Block], language: Language, world: Planes, workers: int) -> list[Shard]:
    """Return the blocks in shards: small blocks together, large ones in parts, several for each worker.

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
    """Yield a block in parts of about `most` programs, if it can be cut."""
    sizes = [size(argument) for argument in block.shape.arguments]
    # Cut at the most expensive argument, so that it is not computed twice.
    shapes = (i for i, argument in enumerate(block.shape.arguments) if isinstance(argument, Shape))
    axis = 0 if lands_on_little(block.shape, language, world.buttons, world.shape) else next(shapes, 0)
    parts = min(sizes[axis], -(-block.shape.count // most))
    ends = [sizes[axis] * k // parts for k in range(parts + 1)]
    for start, stop in pairwise(ends):
        span = Span(block, axis, start, stop)
        if len(span.places):
            yield span
