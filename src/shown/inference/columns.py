"""Programs × rows → columns of bits, equal columns merged.

A program's column is its value on every row (state, action). Programs are evaluated in blocks, bottom-up: a condition
that several programs share is computed once, and conditions with equal planes count as one, so the number of things
to compute grows far more slowly than the number of programs.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import numpy as np

from shown.inference.distinct import Distinct
from shown.language.attention import at_places, codes_of, lands_on_little
from shown.language.evaluate import how_many, run_many
from shown.language.grammar import Block, Hole, Shape
from shown.language.primitives import Language, Primitive
from shown.language.terms import Kind
from shown.memory import Account
from shown.planes import ALL, Planes

CHUNK_BYTES = 2**23
"""How much of the results of programs is held at a time."""


class Evaluator:
    """Evaluates blocks of programs on one batch of states and merges equal columns as they come.

    An engine on a device (`device.py`) has these methods too, and others for `_np`, `_put`, `_fetch`, `_distinct`,
    `_run` and what goes with them: arrays on the device instead of NumPy's, and what computes them.

    Attributes:
        world: the states as planes.
        of_program: the column of each program so far, or CONSTANT. list of [count] int32, one a block
        flipped: whether the program holds on the first row: with its column, or constantly. list of [count] bool
    """

    def __init__(self, world: Planes, language: Language, account: Account, threads: int = 1) -> None:
        self.world, self.language, self.threads = world, language, threads
        self._account = account
        self.of_program: list[np.ndarray] = []
        self.flipped: list[np.ndarray] = []
        words = world.shape[2]
        planes = np.full(math.prod(world.shape), ALL, dtype=np.uint64)
        self._columns = self._distinct(world.row_mask, "the columns of the programs", up_to_negation=True)
        self._planes = self._distinct(planes, "the planes of the conditions")
        # Programs that do not depend on the action have one bit a state; few of them differ, and only those are spread
        # over all rows. Which column (and sign) each of these became:
        self._states = self._distinct(world.real, "the programs' values on the states")
        self._spread = np.arange(words)
        self._column_of_states = self._np.empty(0, dtype=np.int32)
        self._flip_of_states = self._np.empty(0, dtype=bool)
        self._conditions: dict[Shape, np.ndarray] = {}
        self._shared: frozenset[Shape] = frozenset()
        self._expected = 0

    @property
    def _np(self) -> Any:
        """What makes the arrays of numbers that are computed with: NumPy, or what is like it."""
        return np

    def _put(self, array: np.ndarray) -> Any:
        """An array of NumPy's as one to compute with."""
        return array

    def _fetch(self, array: Any) -> np.ndarray:
        """An array that was computed as one of NumPy's."""
        return array  # type: ignore[no-any-return]

    def _distinct(self, mask: np.ndarray, what: str, up_to_negation: bool = False) -> Any:
        """Where rows of words are kept, each once."""
        return Distinct(mask, self._account, what, up_to_negation)

    @property
    def columns(self) -> np.ndarray:
        """The distinct columns so far, in order of their most probable programs, with those programs' signs. [C, R]"""
        return self._columns.array

    @property
    def turned(self) -> np.ndarray:
        """Whether each column holds on the first row. [C] bool"""
        return self._columns.turned

    @property
    def programs(self) -> int:
        """The number of programs evaluated."""
        return sum(map(len, self.of_program))

    def expect(self, blocks: Iterable[Block]) -> None:
        """Says which blocks are to come, so that the conditions which several of them share are kept."""
        blocks = list(blocks)
        self._expected = len(blocks)
        self._shared = frozenset(
            inner for block in blocks for part in block.shape.parts for inner in inner_shapes(part)
        )

    def evaluate(self, block: Block, places: np.ndarray | None = None) -> None:
        """Adds a block's programs, or only those at some places in it, in ascending order. [n]"""
        places = np.arange(block.count) if places is None else places
        self._account.take(12 * len(places), "the list of programs", self._advice())
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
            ids, flips = self._programs(primitive, arguments, self._stored_planes)
        else:
            # The condition is used by this block alone: its planes are computed, read and forgotten.
            ids, flips, expand = self._transient(primitive, shape, part, places)
        numbers = self._enter(before, ids[expand], flips[expand])
        self._column_of_states = renumbered(self._column_of_states, before, numbers)
        if len(self.of_program) == self._expected:
            # No program to come has a condition in common with these: their planes are not needed any more.
            self._planes.forget()
            self._conditions.clear()

    def _lands_on_little(self, shape: Shape) -> bool:
        return lands_on_little(shape, self.language, self.world.buttons, self.world.shape)

    def _enter(self, before: int, ids: Any, flips: Any) -> Any:
        """Notes the columns of a block's programs, and gives those that are new, from `before` on, other numbers: in
        the order of their first programs. The other numbers. [columns - before]"""
        numbers = self._columns.settle(before, ids, flips)
        self.of_program.append(self._fetch(renumbered(ids, before, numbers)))
        self.flipped.append(self._fetch(flips))
        return numbers

    def _attentive(self, shape: Shape, places: np.ndarray) -> tuple[Any, Any, Any]:
        """Like `_programs`, for programs whose attention lands on few cells: all those between the first and the last
        choice of the first argument that is asked for."""
        hole, *others = shape.arguments
        assert isinstance(hole, Hole)
        each = shape.count // len(hole.atoms)
        first, last = int(places[0]) // each, int(places[-1]) // each
        some = Shape(shape.primitive, (Hole(hole.kind, hole.atoms[first : last + 1]), *others))
        expand = places - first * each
        chunks = at_places(self.world, some, self.language, int(expand[-1]) + 1, self.threads)
        ids, flips = zip(*(self._add_states(self._put(chunk)) for chunk in chunks), strict=True)
        return self._np.concatenate(ids), self._np.concatenate(flips), self._put(expand)

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
        total = how_many(inner)
        ids = self._np.empty((ways, total), dtype=np.int32)
        flips = self._np.empty((ways, total), dtype=bool)
        for start, stop in self._chunks(total):
            planes = self._run(self.language[part.primitive], [a[start:stop] for a in inner], self._stored_planes)
            grids = self._np.meshgrid(
                *(
                    self._np.arange(stop - start) if argument is part else self._codes(argument)
                    for argument in shape.arguments
                ),
                indexing="ij",
            )
            arguments = [self._flat(g, argument) for g, argument in zip(grids, shape.arguments, strict=True)]
            chunk_ids, chunk_flips = self._programs(primitive, arguments, planes)
            # The condition's axis goes last, so that chunks can be laid side by side whatever its place is.
            ids[:, start:stop] = self._np.moveaxis(chunk_ids.reshape(grids[0].shape), axis, -1).reshape(ways, -1)
            flips[:, start:stop] = self._np.moveaxis(chunk_flips.reshape(grids[0].shape), axis, -1).reshape(ways, -1)
        return ids.reshape(-1), flips.reshape(-1), expand

    @property
    def _stored_planes(self) -> np.ndarray:
        """The planes of the conditions that are kept. [n, rows, columns, words]"""
        return self._planes.array.reshape(-1, *self.world.shape)

    def _chunks(self, total: int, primitive: Primitive | None = None) -> list[tuple[int, int]]:
        """Where to cut so many argument tuples, so that their planes do not take too much memory at a time."""
        step = self._at_a_time(primitive)
        return [(start, min(total, start + step)) for start in range(0, total, step)]

    def _at_a_time(self, primitive: Primitive | None) -> int:
        """How many planes, or results of a primitive, are held at a time."""
        return max(1, CHUNK_BYTES // self.world.bytes_per_plane)

    def _arguments(self, shape: Shape) -> tuple[list[np.ndarray], np.ndarray]:
        """The distinct argument tuples of a shape's terms, and which of them each term has. ([n] each, [count])"""
        if not shape.arguments:
            return [], self._np.zeros(1, dtype=np.int64)
        choices: list[np.ndarray] = []
        inverses: list[np.ndarray] = []
        for argument in shape.arguments:
            if isinstance(argument, Hole):
                codes = self._codes(argument)
                choices.append(codes)
                inverses.append(self._np.arange(len(codes)))
            else:
                distinct, inverse = self._np.unique(self._condition(argument), return_inverse=True)
                choices.append(distinct)
                inverses.append(inverse)
        grids = self._np.meshgrid(*choices, indexing="ij")
        arguments = [self._flat(g, a) for g, a in zip(grids, shape.arguments, strict=True)]
        places = self._np.arange(grids[0].size).reshape(grids[0].shape)[self._np.ix_(*inverses)]
        return arguments, places.reshape(-1)

    def _codes(self, argument: Shape | Hole) -> Any:
        return self._put(codes_of(argument, self.world))

    def _flat(self, grid: Any, argument: Shape | Hole) -> Any:
        flat = grid.reshape(-1)
        if isinstance(argument, Hole) and argument.kind is Kind.OFFSET:
            return self._put(np.array(argument.atoms, dtype=np.int64).reshape(-1, 2))[flat]
        return flat

    def _needed(self, arguments: list[np.ndarray], places: np.ndarray) -> tuple[list[np.ndarray], np.ndarray]:
        """Only the argument tuples at these places, and where each place now is. ([n] each, [count])"""
        needed, places = self._np.unique(places, return_inverse=True)
        return [a[needed] for a in arguments], places

    def _condition(self, shape: Shape) -> np.ndarray:
        """The number of the plane of each term of a condition's shape. [count]"""
        if shape not in self._conditions:
            arguments, expand = self._arguments(shape)
            primitive = self.language[shape.primitive]
            ids = self._np.empty(how_many(arguments), dtype=np.int64)
            for start, stop in self._chunks(len(ids)):
                planes = self._run(primitive, [a[start:stop] for a in arguments], self._stored_planes)
                flat = planes.reshape(len(planes), -1)
                ids[start:stop], _ = self._planes.add(flat, np.arange(flat.shape[1]), self._advice())
            self._conditions[shape] = ids[expand]
        return self._conditions[shape]

    def _programs(
        self, primitive: Primitive, arguments: list[np.ndarray], planes: np.ndarray
    ) -> tuple[np.ndarray, np.ndarray]:
        """The columns of programs: their numbers (or CONSTANT), and whether each holds on the first row."""
        total = how_many(arguments)
        ids = self._np.empty(total, dtype=np.int32)
        flips = self._np.empty(total, dtype=bool)
        for start, stop in self._chunks(total, primitive):
            results = self._run(primitive, [a[start:stop] for a in arguments], planes)
            if results.ndim == 2:
                ids[start:stop], flips[start:stop] = self._add_states(results)
            else:
                ids[start:stop], flips[start:stop] = self._columns.add(
                    *self.world.words_of_rows(results), self._advice()
                )
        return ids, flips

    def _add_states(self, results: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """The columns of programs that do not depend on the action. [n, words] → ([n], [n])"""
        before = len(self._states)
        places, _ = self._states.add(results, self._spread, self._advice())
        new = self._states.array[before:]
        if len(new):
            ids, flips = self._columns.add(*self.world.words_of_rows(new), self._advice())
            self._column_of_states = self._np.concatenate([self._column_of_states, ids])
            self._flip_of_states = self._np.concatenate([self._flip_of_states, flips])
        return self._column_of_states[places], self._flip_of_states[places]

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

    def _advice(self) -> str:
        programs = self.programs
        return (
            f"About {programs:,} programs fit; learn with fewer" if programs else "Use fewer or smaller demonstrations"
        )


def renumbered(ids: np.ndarray, start: int, numbers: np.ndarray) -> np.ndarray:
    """Ids after the rows from `start` on have got other numbers."""
    new = ids >= start
    ids = ids.copy()
    ids[new] = numbers[ids[new] - start]
    return ids


def inner_shapes(shape: Shape) -> list[Shape]:
    """The shapes of the conditions inside a condition."""
    return [inner for part in shape.parts for inner in (part, *inner_shapes(part))]
