"""Columns of bits: programs evaluated on rows, equal columns merged.

A program's column is its value on every row (state, action). Programs are evaluated in blocks, bottom-up: a condition
that several programs share is computed once, and conditions with equal planes are merged, so that the work grows far
more slowly than the number of programs.
"""

from __future__ import annotations

import math
from collections import deque
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from typing import Any, NamedTuple, TypeVar

import numpy as np

from shown.columns.distinct import CONSTANT, Distinct, bytes_of_rows
from shown.columns.jobs import Added, Batch, Job, Pieces, Span, joined, results
from shown.engine.memory import Memory
from shown.engine.planes import ALL, Planes
from shown.engine.threads import ONE_THREAD, Threads
from shown.language.attention import at_places, codes_of, lands_on_little
from shown.language.kernels import how_many, run_many
from shown.language.primitives import LANGUAGE, Language, Primitive
from shown.language.shapes import Block, Hole, Shape

CHUNK_BYTES = 2**20
"""Bytes of results that a thread holds at a time: about what its cache does."""

AT_ACTION_CELL, AT_CELL_WITH_VALUE, SHIFTED, SCANNING = (
    LANGUAGE[name] for name in ("at_action_cell", "at_cell_with_value", "shifted", "scanning")
)

TOGETHER = 2**18
"""Most programs of blocks that threads work on at the same time."""

PROGRAM_BYTES = 12
"""Bytes of a program in the list of programs."""

A = TypeVar("A")
B = TypeVar("B")


class Result(NamedTuple):
    """Columns of the programs of a block.

    Attributes:
        before: number of columns of all programs before it.
        ids: column of each program, or CONSTANT. [count] int32
        flips: whether each program holds on the first row. [count] bool
    """

    before: int
    ids: np.ndarray
    flips: np.ndarray


class Evaluator:
    """Evaluates blocks of programs on one batch of states and merges equal columns.

    Threads share the argument tuples of several blocks. The order in which they meet new columns does not matter:
    afterwards columns are numbered by their first programs.

    `device.DeviceEvaluator` overrides `_np`, `_put`, `_fetch`, `_distinct` and `_run` to compute on a device.

    Attributes:
        world: the states as planes.
        of_program: column of each program, or CONSTANT. list of [count] int32, one per block
        flipped: whether each program holds on the first row. list of [count] bool, one per block
    """

    _fused = True  # whether one loop computes and adds results where it can (`loops.py`)

    def __init__(self, world: Planes, language: Language, memory: Memory, threads: Threads = ONE_THREAD) -> None:
        self.world, self.language, self.threads = world, language, threads
        self._memory = memory
        self.of_program: list[np.ndarray] = []
        self.flipped: list[np.ndarray] = []
        words = world.shape[2]
        planes = np.full(math.prod(world.shape), ALL, dtype=np.uint64)
        self._columns = self._distinct(world.row_mask, "the columns of the programs", up_to_negation=True)
        self._planes = self._distinct(planes, "the planes of the conditions")
        # Programs that do not depend on the action have one bit per state; only distinct ones are expanded to all rows.
        # Column and sign of each of these:
        self._states = self._distinct(world.real, "the programs' values on the states")
        self._spread, self._every_word = np.arange(words), np.arange(len(planes))
        self._column_of_states = self._np.empty(0, dtype=np.int32)
        self._flip_of_states = self._np.empty(0, dtype=bool)
        # Of the terms of a kept condition, the distinct planes, and the index of each term's:
        self._conditions: dict[Shape, tuple[np.ndarray, np.ndarray]] = {}
        self._shared: frozenset[Shape] = frozenset()
        self._blocks: tuple[Block, ...] = ()
        self._demanded = 0
        self._ahead: deque[Result] = deque()
        self._bytes_per_result: dict[str, int] = {}

    @property
    def _np(self) -> Any:
        """Array module: NumPy, or a compatible one."""
        return np

    def _put(self, array: np.ndarray) -> Any:
        """Return a NumPy array as one to compute with."""
        return array

    def _fetch(self, array: Any) -> np.ndarray:
        """Return a computed array as one of NumPy."""
        return array  # type: ignore[no-any-return]

    def _distinct(self, mask: np.ndarray, what: str, up_to_negation: bool = False) -> Any:
        """Return a table of distinct rows of words."""
        return Distinct(mask, self._memory, what, up_to_negation)

    @property
    def columns(self) -> np.ndarray:
        """Distinct columns, ordered and signed by their most probable programs. [C, R]"""
        return self._columns.array[: self._ahead[0].before] if self._ahead else self._columns.array  # type: ignore[no-any-return]

    @property
    def turned(self) -> np.ndarray:
        """Whether each column holds on the first row. [C] bool"""
        return self._columns.turned

    @property
    def programs(self) -> int:
        """Number of evaluated programs."""
        return sum(map(len, self.of_program))

    def expect(self, blocks: Iterable[Block]) -> None:
        """Announce the blocks that may come, in order, so that conditions shared by several of them are kept."""
        self._blocks = tuple(blocks)
        self._shared = frozenset(
            inner for block in self._blocks for part in block.shape.parts for inner in inner_shapes(part)
        )

    def demand(self, count: int) -> None:
        """Say that the first `count` announced blocks will be evaluated: threads work on several of them at a time."""
        self._demanded = count

    def evaluate(self, block: Block) -> None:
        """Add the programs of a block."""
        if not self._ahead:
            self._add_together(self._together(block))
        result = self._ahead.popleft()
        self.of_program.append(result.ids)
        self.flipped.append(result.flips)
        if len(self.of_program) == len(self._blocks):
            # No later block shares these conditions.
            self._planes.forget()
            self._conditions.clear()

    def _together(self, block: Block) -> list[Block]:
        """Return a block and those after it to work on at the same time, so that threads need not wait for each other.

        They are in demand, and would fit into memory even if none of their columns and conditions were equal.
        """
        place = len(self.of_program)
        coming = self._blocks[place : self._demanded]
        if not coming or coming[0] != block:
            return [block]
        room = self._memory.room // 2
        each = bytes_of_rows(1, len(self.world.row_mask), True), bytes_of_rows(1, math.prod(self.world.shape), False)
        count = programs = 0
        for other in coming:
            programs += other.count
            room -= other.count * each[0] + each[1] * sum(inner.count for inner in self._new(other.shape))
            if count and (room < 0 or programs > TOGETHER):
                break
            count += 1
        return list(coming[:count])

    def _add_together(self, blocks: Sequence[Block]) -> None:
        """Compute the columns of blocks, and number them by their first programs."""
        self._memory.take(PROGRAM_BYTES * sum(block.count for block in blocks), "the list of programs")
        before = len(self._columns)
        self._keep(dict.fromkeys(inner for block in blocks for inner in self._new(block.shape)))
        jobs = [self._job(block.shape, block.count) for block in blocks]
        found = results(self._np, jobs, self._map)
        self._spread_states()
        rows = [self._in_columns(*pair) for pair in zip(found, jobs, strict=True)]
        ids, flips = (self._np.concatenate(part) for part in zip(*rows, strict=True))
        ids, numbers = self._numbered(before, ids, flips)
        self._column_of_states = renumbered(self._column_of_states, before, numbers)
        ids, flips = self._fetch(ids), self._fetch(flips)
        for block in blocks:
            own = slice(block.count)
            self._ahead.append(Result(before, ids[own], flips[own]))
            before = max(before, int(ids[own].max(initial=CONSTANT)) + 1)
            ids, flips = ids[block.count :], flips[block.count :]

    def _map(self, work: Callable[[A], B], pieces: Sequence[A]) -> list[B]:
        """Return the results of the pieces, in order, computed by all threads."""
        return self.threads.map(work, pieces)

    def _lands_on_little(self, shape: Shape) -> bool:
        return lands_on_little(shape, self.language, self.world.buttons, self.world.shape)

    def _numbered(self, before: int, ids: Any, flips: Any) -> tuple[Any, Any]:
        """Renumber new columns, from `before` on, by their first programs; return the columns of the programs.

        Also returns the new numbers. ([programs], [columns - before])
        """
        numbers = self._columns.settle(before, ids, flips, self.threads)
        return renumbered(ids, before, numbers), numbers

    def _job(self, shape: Shape, count: int) -> Job:
        """Return the work on the first `count` programs of a shape, whose conditions are known."""
        if self._lands_on_little(shape):
            return self._attentive(shape, count)
        if len(shape.parts) == 1:
            return self._over_one_condition(shape, shape.parts[0], count)
        arguments, expand = self._arguments(shape)
        if count < len(expand):
            arguments, expand = self._needed(arguments, expand[:count])
        primitive, planes = self.language[shape.primitive], self._stored_planes

        def work(span: Span) -> Added:
            return self._added(self._run(primitive, [a[slice(*span)] for a in arguments], planes))

        return Job(Pieces(work, self._chunks(how_many(arguments), self._at_a_time(primitive))), expand)

    def _attentive(self, shape: Shape, count: int) -> Job:
        """Return the work on the first `count` programs of a shape that read few cells."""
        hole, *others = shape.arguments
        assert isinstance(hole, Hole)
        each = shape.count // len(hole.atoms)

        def work(span: Span) -> Added:
            some = Shape(shape.primitive, (Hole(hole.kind, hole.atoms[slice(*span)]), *others))
            chunks = at_places(self.world, some, self.language, min(some.count, count - span[0] * each))
            return joined(self._np, [self._added(self._put(chunk)) for chunk in chunks])

        spans = [(atom, atom + 1) for atom in range(-(-count // each))]
        return Job(Pieces(work, spans), self._np.arange(count))

    def _over_one_condition(self, shape: Shape, part: Shape, count: int) -> Job:
        """Return the work on the first `count` programs of a shape over one condition.

        Its planes are kept, or read where those of its own condition are kept, or computed for this work alone.
        """
        primitive, planes = self.language[shape.primitive], self._stored_planes
        inner, expand_inner, shifts = self._inner(primitive, part)
        axis = shape.arguments.index(part)
        codes = [self._codes(a) for a in shape.arguments if a is not part]
        sizes = [len(c) for c in codes]
        ways, all_inner = math.prod(sizes), how_many(inner)
        places = self._np.arange(ways * all_inner).reshape(*sizes, all_inner)[..., expand_inner]
        expand = self._np.moveaxis(places, -1, axis).reshape(-1)
        if count < len(expand):
            way, place = self._np.divmod(expand[:count], all_inner)
            needed, place = self._np.unique(place, return_inverse=True)
            expand = way * len(needed) + place
            inner, shifts = [a[needed] for a in inner], None if shifts is None else shifts[needed]
        if self._fused and primitive == AT_ACTION_CELL and shifts is not None:
            return Job(Batch(self._add_reads, [inner[-1], shifts]), expand)
        if self._fused and primitive == AT_ACTION_CELL and self._is(part, SCANNING):
            return Job(Batch(self._add_scans, inner), expand)
        if self._fused and primitive == AT_CELL_WITH_VALUE and shifts is not None:
            arguments = np.tile(codes[0], len(shifts)), np.repeat(inner[-1], ways), np.repeat(shifts, ways)
            return Job(Batch(self._add_firsts, arguments, ways), expand)

        def work(span: Span) -> Added:
            some = [a[slice(*span)] for a in inner]
            if shifts is None:
                own = self._run(self.language[part.primitive], some, planes)
                if primitive == AT_ACTION_CELL:  # the planes themselves
                    return self._added(own)
                found = self._programs(primitive, own, self._np.arange(len(own)), codes, axis)
            else:
                found = self._programs(primitive, planes, some[-1], codes, axis)
            # Pieces are joined along the condition's axis, which comes last.
            return Added(found.ids.reshape(ways, -1), found.flips.reshape(ways, -1), found.of_states)

        return Job(Pieces(work, self._chunks(how_many(inner), self._at_a_time(None))), expand)

    def _add_reads(self, conditions: np.ndarray, shifts: np.ndarray) -> Added:
        """Add programs that read kept planes at the clicked cell, or a shift away from it. [n] each"""
        flat = self._stored_planes.reshape(len(self._planes), -1)
        return Added(*self._columns.add(flat, self.world.row_words, conditions, shifts, self.threads))

    def _add_firsts(self, values: np.ndarray, conditions: np.ndarray, shifts: np.ndarray) -> Added:
        """Add programs that read kept planes a shift away from the first cell with a value. [n] each"""
        read = self._stored_planes, values, conditions, shifts
        ids, flips = self._states.add_firsts(self.world, *read, self.threads)
        return Added(ids, flips, of_states=True)

    def _add_scans(self, *arguments: np.ndarray) -> Added:
        """Add programs that scan from the clicked cell. [n] each"""
        read = self._stored_planes, arguments, self.world.row_words
        return Added(*self._columns.add_scans(self.world, *read, self.threads))

    def _keep_scans(self, *arguments: np.ndarray) -> Added:
        """Keep the planes of scans. [n] each"""
        read = self._stored_planes, arguments, self._every_word
        return Added(*self._planes.add_scans(self.world, *read, self.threads))

    def _inner(self, primitive: Primitive, part: Shape) -> tuple[list[Any], Any, Any]:
        """Return what a program's condition is computed from: distinct argument tuples, and the index of each term's.

        Or, where planes that are kept are read: their numbers as the last of the arguments, and how far from a cell
        each is read. ([n] each, [count], [n] or None)
        """
        if part in self._conditions:
            planes, expand = self._conditions[part]
            return [planes], expand, self._np.zeros(len(planes), dtype=np.int64)
        fused = self._fused and primitive in (AT_ACTION_CELL, AT_CELL_WITH_VALUE)
        if not fused or not self._is(part, SHIFTED):
            return *self._arguments(part), None
        offsets, (planes, inverse) = self._codes(part.arguments[0]), self._conditions[part.parts[0]]
        expand = (np.arange(len(offsets))[:, None] + len(offsets) * inverse).reshape(-1)
        # A plane is read at all shifts while it is in the cache.
        arguments = [np.tile(offsets, (len(planes), 1)), np.repeat(planes, len(offsets))]
        return arguments, expand, self._shifts(arguments[0])

    def _shifts(self, offsets: np.ndarray) -> np.ndarray | None:
        """Return how many words of a flattened plane lie between a cell and the one at an offset. [n, 2] → [n]

        None if a cell of a grid has no such cell in the frame.
        """
        if np.abs(offsets).max(initial=0) > self.world.margin:
            return None
        return (offsets[:, 0] * self.world.shape[1] + offsets[:, 1]) * self.world.shape[2]

    def _programs(self, primitive: Primitive, planes: Any, conditions: Any, codes: list[Any], axis: int) -> Added:
        """Add programs over one condition: for each way to choose the other arguments, on each of some planes.

        Args:
            primitive: primitive of the programs.
            planes: planes. [any, rows, columns, words]
            conditions: index of each plane. [n]
            codes: choices of the other arguments.
            axis: index of the condition among the arguments.
        """
        grids = self._np.meshgrid(*(self._np.arange(len(c)) for c in codes), indexing="ij") if codes else []
        others = [c[self._np.repeat(g, len(conditions))] for c, g in zip(codes, grids, strict=True)]
        ways = math.prod(map(len, codes))
        arguments = [*others[:axis], self._np.tile(conditions, ways), *others[axis:]]
        chunks = self._chunks(how_many(arguments), self._at_a_time(primitive))
        parts = [self._added(self._run(primitive, [a[i:j] for a in arguments], planes)) for i, j in chunks]
        return joined(self._np, parts)

    @property
    def _stored_planes(self) -> np.ndarray:
        """Planes of the conditions that are kept. [n, rows, columns, words]"""
        return self._planes.array.reshape(-1, *self.world.shape)

    @staticmethod
    def _chunks(total: int, step: int) -> list[Span]:
        """Return where to cut argument tuples into chunks of `step`."""
        return [(start, min(total, start + step)) for start in range(0, total, step)]

    def _at_a_time(self, primitive: Primitive | None) -> int:
        """Return the number of planes, or results of a primitive, held at a time."""
        each = self._bytes_per_result.get(primitive.name) if primitive is not None else None
        return max(1, CHUNK_BYTES // (each or self.world.bytes_per_plane))

    def _arguments(self, shape: Shape) -> tuple[list[np.ndarray], np.ndarray]:
        """Return the distinct argument tuples of a shape's terms, and the index of each. ([n] each, [count])"""
        if not shape.arguments:
            return [], self._np.zeros(1, dtype=np.int64)
        choices: list[np.ndarray] = []
        inverses: list[np.ndarray] = []
        for argument in shape.arguments:
            if isinstance(argument, Hole):
                distinct = self._codes(argument)
                inverse = self._np.arange(len(distinct))
            else:
                distinct, inverse = self._conditions[argument]
            choices.append(distinct)
            inverses.append(inverse)
        grids = self._np.meshgrid(*(self._np.arange(len(codes)) for codes in choices), indexing="ij")
        arguments = [codes[g.reshape(-1)] for codes, g in zip(choices, grids, strict=True)]
        places = self._np.arange(grids[0].size).reshape(grids[0].shape)[self._np.ix_(*inverses)]
        return arguments, places.reshape(-1)

    def _is(self, shape: Shape, primitive: Primitive) -> bool:
        return self.language[shape.primitive] == primitive

    def _codes(self, argument: Shape | Hole) -> Any:
        return self._put(codes_of(argument, self.world))

    def _needed(self, arguments: list[np.ndarray], places: np.ndarray) -> tuple[list[np.ndarray], np.ndarray]:
        """Return the argument tuples at these places, and the new index of each place. ([n] each, [count])"""
        needed, places = self._np.unique(places, return_inverse=True)
        return [a[needed] for a in arguments], places

    def _new(self, shape: Shape) -> Iterator[Shape]:
        """Yield the conditions that the programs of a shape need and that are not kept yet."""
        if self._lands_on_little(shape):
            return
        parts = shape.parts
        if len(parts) == 1 and parts[0] not in self._shared and parts[0] not in self._conditions:
            # The condition is used by one block alone, so its planes are not kept.
            parts = parts[0].parts
        for part in parts:
            for inner in (*inner_shapes(part), part):
                if inner not in self._conditions:
                    yield inner

    def _keep(self, shapes: Collection[Shape]) -> None:
        """Compute the planes of conditions and keep them: first of those without others inside, and so on."""
        if not shapes:
            return
        ready = [shape for shape in shapes if all(part in self._conditions for part in shape.parts)]
        jobs = [self._keeping(shape) for shape in ready]
        for shape, job, found in zip(ready, jobs, results(self._np, jobs, self._map), strict=True):
            ids = found.ids.reshape(-1).astype(np.int64)[job.expand]
            self._conditions[shape] = self._np.unique(ids, return_inverse=True)
        self._keep([shape for shape in shapes if shape not in self._conditions])

    def _keeping(self, shape: Shape) -> Job:
        """Return the work on the planes of conditions."""
        arguments, expand = self._arguments(shape)
        if self._fused and self._is(shape, SCANNING):
            return Job(Batch(self._keep_scans, arguments), expand)
        primitive, known = self.language[shape.primitive], self._stored_planes

        def work(span: Span) -> Added:
            planes = self._run(primitive, [codes[slice(*span)] for codes in arguments], known)
            return Added(*self._planes.add(planes.reshape(len(planes), -1), self._every_word))

        return Job(Pieces(work, self._chunks(how_many(arguments), self._at_a_time(None))), expand)

    def _added(self, results: np.ndarray) -> Added:
        """Add results of programs to the table of their kind. [n, ...]"""
        if results.ndim == 2:
            ids, flips = self._states.add(results, self._spread)
        else:
            ids, flips = self._columns.add(*self.world.words_of_rows(results))
        return Added(ids, flips, results.ndim == 2)

    def _spread_states(self) -> None:
        """Make each new row of states a column: programs that do not depend on the action."""
        new = self._states.array[len(self._column_of_states) :]
        if len(new):
            ids, flips = self._columns.add(*self.world.words_of_rows(new), threads=self.threads)
            self._column_of_states = self._np.concatenate([self._column_of_states, ids])
            self._flip_of_states = self._np.concatenate([self._flip_of_states, flips])

    def _in_columns(self, added: Added, job: Job) -> tuple[Any, Any]:
        """Return the columns of a job's programs (or CONSTANT), and whether each holds on the first row."""
        ids, flips = added.ids.reshape(-1)[job.expand], added.flips.reshape(-1)[job.expand]
        return (self._column_of_states[ids], self._flip_of_states[ids]) if added.of_states else (ids, flips)

    def _run(self, primitive: Primitive, arguments: list[np.ndarray], planes: np.ndarray) -> np.ndarray:
        """Return the results of a primitive on many argument tuples. [n, ...]"""
        results = run_many(self.world, primitive, arguments, planes)
        self._bytes_per_result[primitive.name] = results[0].nbytes
        return results


def renumbered(ids: Any, start: int, numbers: Any) -> Any:
    """Return ids after the rows from `start` on were renumbered."""
    new = ids >= start
    ids = ids.copy()
    ids[new] = numbers[ids[new] - start]
    return ids


def inner_shapes(shape: Shape) -> list[Shape]:
    """Return the shapes of the conditions inside a condition."""
    return [inner for part in shape.parts for inner in (part, *inner_shapes(part))]
