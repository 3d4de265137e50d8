"""Columns of bits: programs evaluated on rows, equal columns merged.

A program's column is its value on every row (state, action). Programs are evaluated in blocks, bottom-up: a condition
that several programs share is computed once, and conditions with equal planes are merged, so that the work grows far
more slowly than the number of programs.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence
from functools import cache
from typing import Any, NamedTuple, TypeVar

import numpy as np

from shown.engine.memory import Account
from shown.engine.planes import ALL, Planes
from shown.engine.threads import Threads
from shown.evaluation.distinct import Distinct
from shown.language.attention import at_places, codes_of, lands_on_little
from shown.language.evaluate import how_many, run_many
from shown.language.primitives import Language, Primitive
from shown.language.shapes import Block, Hole, Shape

CHUNK_BYTES = 2**21
"""Bytes of results that a thread holds at a time: about what its cache does."""

A = TypeVar("A")
B = TypeVar("B")


class Added(NamedTuple):
    """Results of programs that were added to a table.

    Attributes:
        ids: number of each result in the table. [n] int32
        flips: whether it was looked up as its negation. [n] bool
        of_states: whether the table has one bit per state, not one per row.
    """

    ids: Any
    flips: Any
    of_states: bool


class Evaluator:
    """Evaluates blocks of programs on one batch of states and merges equal columns.

    Threads share the argument tuples of a primitive. The order in which they meet new columns does not matter: after
    each block, columns are numbered by their first programs.

    `device.DeviceEvaluator` overrides `_np`, `_put`, `_fetch`, `_distinct` and `_run` to compute on a device.

    Attributes:
        world: the states as planes.
        of_program: column of each program, or CONSTANT. list of [count] int32, one per block
        flipped: whether each program holds on the first row. list of [count] bool, one per block
    """

    def __init__(self, world: Planes, language: Language, account: Account, threads: int = 1) -> None:
        self.world, self.language, self._threads = world, language, Threads(threads)
        self._account = account
        self.of_program: list[np.ndarray] = []
        self.flipped: list[np.ndarray] = []
        words = world.shape[2]
        planes = np.full(math.prod(world.shape), ALL, dtype=np.uint64)
        self._columns = self._distinct(world.row_mask, "the columns of the programs", up_to_negation=True)
        self._planes = self._distinct(planes, "the planes of the conditions")
        # Programs that do not depend on the action have one bit per state; only distinct ones are expanded to all rows.
        # Column and sign of each of these:
        self._states = self._distinct(world.real, "the programs' values on the states")
        self._spread = np.arange(words)
        self._column_of_states = self._np.empty(0, dtype=np.int32)
        self._flip_of_states = self._np.empty(0, dtype=bool)
        self._conditions: dict[Shape, np.ndarray] = {}
        self._shared: frozenset[Shape] = frozenset()
        self._expected = 0
        self._bytes_per_result: dict[str, int] = {}
        self._advice = ""  # what to do if memory runs out

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
        return Distinct(mask, self._account, what, up_to_negation)

    @property
    def columns(self) -> np.ndarray:
        """Distinct columns, ordered and signed by their most probable programs. [C, R]"""
        return self._columns.array

    @property
    def turned(self) -> np.ndarray:
        """Whether each column holds on the first row. [C] bool"""
        return self._columns.turned

    @property
    def programs(self) -> int:
        """Number of evaluated programs."""
        return sum(map(len, self.of_program))

    def expect(self, blocks: Iterable[Block]) -> None:
        """Announce the coming blocks, so that conditions shared by several of them are kept."""
        blocks = list(blocks)
        self._expected = len(blocks)
        self._shared = frozenset(
            inner for block in blocks for part in block.shape.parts for inner in inner_shapes(part)
        )

    def evaluate(self, block: Block, places: np.ndarray | None = None) -> None:
        """Add the programs of a block, or only those at some places in it, in ascending order. [n]"""
        places = np.arange(block.count) if places is None else places
        self._advice = self._what_fits()
        self._account.take(12 * len(places), "the list of programs", self._advice)
        shape = block.shape
        primitive = self.language[shape.primitive]
        before = len(self._columns)
        part = shape.parts[0] if len(shape.parts) == 1 else None
        if self._lands_on_little(shape):
            ids, flips, expand = self._attentive(shape, places)
        elif part is None or part in self._shared or part in self._conditions:
            arguments, expand = self._arguments(shape)
            if len(places) < len(expand):
                arguments, expand = self._needed(arguments, expand[self._put(places)])
            ids, flips = self._in_columns(self._programs(primitive, arguments, self._stored_planes, self._map))
        else:
            # The condition is used by this block alone, so its planes are not kept.
            ids, flips, expand = self._transient(primitive, shape, part, places)
        numbers = self._enter(before, ids[expand], flips[expand])
        self._column_of_states = renumbered(self._column_of_states, before, numbers)
        if len(self.of_program) == self._expected:
            # No later block shares these conditions.
            self._planes.forget()
            self._conditions.clear()

    def close(self) -> None:
        """End the threads; a later block starts them again."""
        self._threads.close()

    def _map(self, work: Callable[[A], B], pieces: Sequence[A]) -> list[B]:
        """Return the results of the pieces, in order, computed by all threads."""
        return self._threads.map(work, pieces)

    def _lands_on_little(self, shape: Shape) -> bool:
        return lands_on_little(shape, self.language, self.world.buttons, self.world.shape)

    def _enter(self, before: int, ids: Any, flips: Any) -> Any:
        """Record the columns of a block and renumber the new ones, from `before` on, by their first programs.

        Returns the new numbers. [columns - before]
        """
        numbers = self._columns.settle(before, ids, flips)
        self.of_program.append(self._fetch(renumbered(ids, before, numbers)))
        self.flipped.append(self._fetch(flips))
        return numbers

    def _attentive(self, shape: Shape, places: np.ndarray) -> tuple[Any, Any, Any]:
        """Like `_programs`, for programs that read few cells.

        Evaluates all programs between the first and the last wanted choice of the first argument.
        """
        hole, *others = shape.arguments
        assert isinstance(hole, Hole)
        each = shape.count // len(hole.atoms)
        first, last = int(places[0]) // each, int(places[-1]) // each
        some = Shape(shape.primitive, (Hole(hole.kind, hole.atoms[first : last + 1]), *others))
        expand = places - first * each
        chunks = at_places(self.world, some, self.language, int(expand[-1]) + 1, self._threads)
        added = [self._added(self._put(chunk)) for chunk in chunks]
        return *self._in_columns(_joined(self._np, added)), self._put(expand)

    def _transient(
        self, primitive: Primitive, shape: Shape, part: Shape, wanted: np.ndarray
    ) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Like `_programs`, for the `wanted` programs over one condition that is not kept."""
        inner, expand_inner = self._arguments(part)
        axis = shape.arguments.index(part)
        sizes = [len(a.atoms) for a in shape.arguments if isinstance(a, Hole)]
        ways, all_inner = math.prod(sizes), how_many(inner)
        places = self._np.arange(ways * all_inner).reshape(*sizes, all_inner)[..., expand_inner]
        expand = self._np.moveaxis(places, -1, axis).reshape(-1)
        if len(wanted) < len(expand):
            way, place = self._np.divmod(expand[self._put(wanted)], all_inner)
            inner, place = self._needed(inner, place)
            expand = way * how_many(inner) + place
        planes = self._stored_planes
        codes = [self._codes(a) for a in shape.arguments if a is not part]
        grids = self._np.meshgrid(*map(self._np.arange, sizes), indexing="ij") if codes else []

        @cache
        def arguments(count: int) -> list[np.ndarray]:
            """Return the argument tuples over `count` conditions, for each way to fill the holes."""
            found = [c[self._np.repeat(g, count)] for c, g in zip(codes, grids, strict=True)]
            return [*found[:axis], self._np.tile(self._np.arange(count), ways), *found[axis:]]

        def work(span: tuple[int, int]) -> Added:
            start, stop = span
            own = self._run(self.language[part.primitive], [a[start:stop] for a in inner], planes)
            return self._programs(primitive, arguments(stop - start), own, map)

        found = self._map(work, self._chunks(how_many(inner)))
        # Chunks are concatenated along the condition's axis, which comes last.
        whole = [Added(f.ids.reshape(ways, -1), f.flips.reshape(ways, -1), f.of_states) for f in found]
        ids, flips = self._in_columns(_joined(self._np, whole))
        return ids.reshape(-1), flips.reshape(-1), expand

    @property
    def _stored_planes(self) -> np.ndarray:
        """Planes of the conditions that are kept. [n, rows, columns, words]"""
        return self._planes.array.reshape(-1, *self.world.shape)

    def _chunks(self, total: int, primitive: Primitive | None = None) -> list[tuple[int, int]]:
        """Return where to cut argument tuples into chunks whose planes fit into memory."""
        step = self._at_a_time(primitive)
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
                distinct, inverse = self._np.unique(self._condition(argument), return_inverse=True)
            choices.append(distinct)
            inverses.append(inverse)
        grids = self._np.meshgrid(*(self._np.arange(len(codes)) for codes in choices), indexing="ij")
        arguments = [codes[g.reshape(-1)] for codes, g in zip(choices, grids, strict=True)]
        places = self._np.arange(grids[0].size).reshape(grids[0].shape)[self._np.ix_(*inverses)]
        return arguments, places.reshape(-1)

    def _codes(self, argument: Shape | Hole) -> Any:
        return self._put(codes_of(argument, self.world))

    def _needed(self, arguments: list[np.ndarray], places: np.ndarray) -> tuple[list[np.ndarray], np.ndarray]:
        """Return the argument tuples at these places, and the new index of each place. ([n] each, [count])"""
        needed, places = self._np.unique(places, return_inverse=True)
        return [a[needed] for a in arguments], places

    def _condition(self, shape: Shape) -> np.ndarray:
        """Return the plane index of each term of a condition's shape. [count]"""
        if shape not in self._conditions:
            arguments, expand = self._arguments(shape)
            primitive = self.language[shape.primitive]
            known = self._stored_planes

            def work(span: tuple[int, int]) -> Any:
                planes = self._run(primitive, [a[span[0] : span[1]] for a in arguments], known)
                flat = planes.reshape(len(planes), -1)
                return self._planes.add(flat, np.arange(flat.shape[1]), self._advice)[0]

            ids = self._np.concatenate(self._map(work, self._chunks(how_many(arguments))))
            self._conditions[shape] = ids.astype(np.int64)[expand]
        return self._conditions[shape]

    def _programs(
        self, primitive: Primitive, arguments: list[np.ndarray], planes: np.ndarray, each: Callable[..., Any]
    ) -> Added:
        """Evaluate programs over some planes in chunks, by `each`: `_map`, or `map` for this thread alone."""

        def work(span: tuple[int, int]) -> Added:
            return self._added(self._run(primitive, [a[span[0] : span[1]] for a in arguments], planes))

        return _joined(self._np, list(each(work, self._chunks(how_many(arguments), primitive))))

    def _added(self, results: np.ndarray) -> Added:
        """Add results of programs to the table of their kind. [n, ...]"""
        if results.ndim == 2:
            ids, flips = self._states.add(results, self._spread, self._advice)
        else:
            ids, flips = self._columns.add(*self.world.words_of_rows(results), self._advice)
        return Added(ids, flips, results.ndim == 2)

    def _in_columns(self, added: Added) -> tuple[np.ndarray, np.ndarray]:
        """Return the columns of programs (or CONSTANT), and whether each holds on the first row."""
        if not added.of_states:
            return added.ids, added.flips
        # Programs that do not depend on the action: each new row of states becomes a column.
        known = len(self._column_of_states)
        new = self._states.array[known:]
        if len(new):
            step = self._at_a_time(None)
            parts = [new[start : start + step] for start in range(0, len(new), step)]
            found = self._map(lambda part: self._columns.add(*self.world.words_of_rows(part), self._advice), parts)
            ids, flips = (self._np.concatenate(part) for part in zip(*found, strict=True))
            self._column_of_states = self._np.concatenate([self._column_of_states, ids])
            self._flip_of_states = self._np.concatenate([self._flip_of_states, flips])
        return self._column_of_states[added.ids], self._flip_of_states[added.ids]

    def _run(self, primitive: Primitive, arguments: list[np.ndarray], planes: np.ndarray) -> np.ndarray:
        """Return the results of a primitive on many argument tuples. [n, ...]"""
        results = run_many(self.world, primitive, arguments, planes)
        self._bytes_per_result[primitive.name] = results[0].nbytes
        return results

    def _what_fits(self) -> str:
        programs = self.programs
        return (
            f"About {programs:,} programs fit; learn with fewer" if programs else "Use fewer or smaller demonstrations"
        )


def _joined(np: Any, parts: Sequence[Added]) -> Added:
    """Return parts as one, along their last axis."""
    if len(parts) == 1:
        return parts[0]
    return Added(
        np.concatenate([part.ids for part in parts], axis=-1),
        np.concatenate([part.flips for part in parts], axis=-1),
        parts[0].of_states,
    )


def renumbered(ids: np.ndarray, start: int, numbers: np.ndarray) -> np.ndarray:
    """Return ids after the rows from `start` on were renumbered."""
    new = ids >= start
    ids = ids.copy()
    ids[new] = numbers[ids[new] - start]
    return ids


def inner_shapes(shape: Shape) -> list[Shape]:
    """Return the shapes of the conditions inside a condition."""
    return [inner for part in shape.parts for inner in (part, *inner_shapes(part))]
