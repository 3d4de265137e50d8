"""Evaluation on a device: planes, columns and the table that merges them stay there; only new columns come back.

`DeviceEvaluator` proceeds as `Evaluator` does, with arrays on the device. `Cuda` computes them on a GPU; tests have a
twin of it on the CPU. The results equal those of `Evaluator` bit by bit:

* rows are looked up by a 64-bit hash and then compared word by word on the device;
* threads reach the table in any order, but the first of equal new rows determines the number, and at the end of a block
  columns are numbered by their first programs, so that the order has no effect.

The five methods of the paper that read the grid run on the device. Other primitives run on the host, with planes
fetched and results put back: slower, with the same results.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import pairwise
from typing import TYPE_CHECKING, Any

import numpy as np

from shown.columns.distinct import CONSTANT, bytes_of_rows
from shown.columns.evaluator import A, B, Evaluator, inner_shapes
from shown.engine.memory import Memory, reserve
from shown.engine.planes import Planes
from shown.engine.threads import ONE_THREAD, Threads
from shown.errors import BadInput, OutOfMemory, ShownError
from shown.language.kernels import how_many
from shown.language.primitives import LANGUAGE, Language, Primitive
from shown.language.shapes import Block, Shape
from shown.language.terms import Kind

if TYPE_CHECKING:
    from shown.columns.cuda import Cuda

DEVICES = ("cpu", "cuda")

CHUNK_BYTES = 2**31
"""Bytes of results held on the device at a time, if it has 32 times as much memory."""

COME_BACK_BYTES = 2**28
"""Bytes of columns fetched at a time."""


@dataclass(frozen=True)
class LookupRows:
    """Rows of words to look up, as arrays on a device.

    Attributes:
        flat: words that contain those of the rows. [n, width] uint64
        places: indices of the words of a row. [words] int32
        mask: 1 where a bit counts. [words] uint64
        lowest: bit of the first word that tells whether a row is looked up as its negation; 0 for never.
        mixes: hash of each row. [n] uint64
        flips: whether it is looked up as its negation. [n] bool
        zeros: whether it has no bit set then. [n] bool
    """

    flat: Any
    places: Any
    mask: Any
    lowest: np.uint64
    mixes: Any
    flips: Any
    zeros: Any


@dataclass(frozen=True)
class HashTable:
    """Stored rows in an open hash table, as arrays on a device.

    Attributes:
        rows: the rows. [room, words] uint64
        mixes: their hashes. [room] uint64
        slots: number of the row in each slot, -1 for none; a power of two of them. [slots] int32
    """

    rows: Any
    mixes: Any
    slots: Any


class DeviceDistinct:
    """`Distinct` on a device."""

    def __init__(
        self, kernels: Cuda, mask: np.ndarray, memory: Memory, what: str, up_to_negation: bool = False
    ) -> None:
        self._kernels, self._memory, self._what = kernels, memory, what
        self._mask = kernels.put(mask)
        self._lowest = mask[0] & (~mask[0] + np.uint64(1)) if up_to_negation else np.uint64(0)
        self._begin()

    def _begin(self) -> None:
        xp = self._np
        self._count, self._taken = 0, 0
        self._table = HashTable(
            xp.empty((64, len(self._mask)), dtype=np.uint64),
            xp.empty(64, dtype=np.uint64),
            xp.full(256, -1, dtype=np.int32),
        )
        self._numbers = xp.arange(64, dtype=np.int32)  # final number of each row

    def forget(self) -> None:
        """Drop all rows and release their memory."""
        self._memory.give(self._taken)
        self._begin()
        self._kernels.tidy()

    def _take(self, more: int) -> None:
        self._memory.take(more, self._what)
        self._taken += more

    @property
    def _np(self) -> Any:
        return self._kernels.arrays

    def __len__(self) -> int:
        return self._count

    @property
    def array(self) -> Any:
        """Rows on the device. [count, words] uint64"""
        return self._table.rows[: self._count]

    def add(self, flat: Any, places: np.ndarray, threads: Threads = ONE_THREAD) -> tuple[Any, Any]:
        """Return the same as `Distinct.add`."""
        n, xp = len(flat), self._np
        most, before = self._count + n, len(self._table.slots)
        if 2 * most > before:  # keeps at least half of the slots free, even if all coming rows are new
            size = 1 << (3 * most - 1).bit_length()
            self._take(4 * (size - before))
            self._table = HashTable(self._table.rows, self._table.mixes, xp.full(size, -1, dtype=np.int32))
            self._kernels.enter(self._table, self._count)
        indices = self._kernels.put(places.astype(np.int32))
        rows = self._kernels.fingerprint(flat, indices, self._mask, self._lowest)
        met, lead, slots = self._kernels.meet(rows, self._table)
        leaders = xp.flatnonzero(met == -2 - xp.arange(n, dtype=np.int32))
        new = len(leaders)
        numbers = xp.empty(n, dtype=np.int32)
        if new:
            leaders = leaders[xp.argsort(lead[leaders])]
            self._make_room(self._count + new)
            self._kernels.keep(rows, slots, leaders, self._count, self._table)
            numbers[leaders] = xp.arange(self._count, self._count + new, dtype=np.int32)
            self._count += new
        known = self._numbers[xp.maximum(met, 0)]
        added = numbers[xp.maximum(-2 - met, 0)]
        return xp.where(met >= 0, known, xp.where(met == CONSTANT, CONSTANT, added)).astype(np.int32), rows.flips

    def _make_room(self, needed: int) -> None:
        before, words = self._table.rows.shape
        if needed <= before:
            return
        room = max(needed, before + before // 2)
        self._take((room - before) * (8 * words + 12))
        rows = self._np.empty((room, words), dtype=np.uint64)
        rows[: self._count] = self._table.rows[: self._count]
        mixes = self._np.empty(room, dtype=np.uint64)
        mixes[: self._count] = self._table.mixes[: self._count]
        numbers = self._np.arange(room, dtype=np.int32)
        numbers[: self._count] = self._numbers[: self._count]
        self._table, self._numbers = HashTable(rows, mixes, self._table.slots), numbers
        self._kernels.tidy()


class DeviceColumns(DeviceDistinct):
    """Columns on a device, up to negation; settled ones are on the host as well.

    Attributes:
        turned: whether each column is kept on the host with a 1 in the first row. [count] bool
    """

    def __init__(self, kernels: Cuda, mask: np.ndarray, memory: Memory, here: Memory, what: str) -> None:
        super().__init__(kernels, mask, memory, what, up_to_negation=True)
        self._here, self._room = here, 0
        self._words = len(mask)
        self._settled = np.empty((0, len(mask)), dtype=np.uint64)
        self.turned = np.empty(0, dtype=bool)

    @property
    def array(self) -> np.ndarray:
        """Settled columns on the host, in order and signed. [count, words] uint64"""
        return self._settled[: len(self.turned)]

    def settle(self, start: int, ids: Any, flips: Any, threads: Threads = ONE_THREAD) -> Any:
        """Do the same as `Distinct.settle`, and fetch the columns."""
        new, xp = self._count - start, self._np
        numbers = xp.empty(new, dtype=np.int32)
        if not new:
            return numbers
        # Rows of no program (where a budget cuts a block) come last.
        never = len(ids) + xp.arange(new, dtype=np.int32)
        first = never.copy()
        self._kernels.first_place(ids, start, first)
        order = xp.argsort(first)
        numbers[order] = xp.arange(start, self._count, dtype=np.int32)
        named = first < len(ids)
        signs = xp.where(named, flips[xp.where(named, first, 0)], False)[order]
        self._numbers[start : self._count] = numbers
        self._come_back(start, order + start, signs)
        return numbers

    def _come_back(self, start: int, order: Any, signs: Any) -> None:
        """Fetch the rows `order` of the table as those from `start` on."""
        self._make_room_here()
        step = max(1, COME_BACK_BYTES // (8 * self._words))
        for at in range(0, len(order), step):
            some = slice(at, at + step)
            rows = self._kernels.signed_rows(self._table.rows, order[some], signs[some], self._mask)
            self._kernels.fetch(rows, self._settled[start + at : start + at + len(rows)])
        self.turned = np.concatenate([self.turned, self._kernels.fetch(signs)])

    def _make_room_here(self) -> None:
        if self._count > self._room:
            room = max(64, self._count, self._room + self._room // 2)
            more = bytes_of_rows(room, self._words, True) - bytes_of_rows(self._room, self._words, True)
            self._here.take(more, "the columns of the programs")
            self._room = room
        if self._count > len(self._settled):
            rows = reserve(self._here.limit // bytes_of_rows(1, self._words, True), self._words, self._room)
            rows[: len(self.turned)] = self.array
            self._settled = rows

    def __getstate__(self) -> dict[str, Any]:
        return self.__dict__ | {"_settled": self.array.copy()}


class DeviceEvaluator(Evaluator):
    """Evaluates blocks of programs on a device, with the results of `Evaluator`."""

    _fused = False

    def __init__(self, world: Planes, language: Language, memory: Memory, threads: Threads, kernels: Cuda) -> None:
        self._kernels = kernels
        there = kernels.memory()
        self._chunk = min(CHUNK_BYTES, there // 32)
        self._there = Memory(there - 4 * self._chunk)
        super().__init__(world, language, memory, threads)
        self._of_values, self._inside = kernels.put(world.of_values), kernels.put(world.inside)
        self._somewhere, self._first = kernels.put(world.somewhere), kernels.put(places_by_slot(world))

    def evaluate(self, block: Block) -> None:
        try:
            super().evaluate(block)
        except MemoryError as error:
            raise OutOfMemory(f"the device is out of memory ({error}). Use fewer programs.") from None
        except self._kernels.faults as error:
            reason = str(error).partition("\n")[0]
            raise ShownError(f"the device failed ({reason}). Try again, or use the device cpu.") from None

    @property
    def _np(self) -> Any:
        return self._kernels.arrays

    def _put(self, array: np.ndarray) -> Any:
        return self._kernels.put(array)

    def _fetch(self, array: Any) -> np.ndarray:
        return self._kernels.fetch(array)

    def _distinct(self, mask: np.ndarray, what: str, up_to_negation: bool = False) -> Any:
        what = f"{what} on the device"
        if up_to_negation:
            return DeviceColumns(self._kernels, mask, self._there, self._memory, what)
        return DeviceDistinct(self._kernels, mask, self._there, what)

    def _together(self, block: Block) -> list[Block]:
        return [block]

    def _map(self, work: Callable[[A], B], pieces: Sequence[A]) -> list[B]:
        """Compute the pieces in turn: each uses the whole device."""
        return [work(piece) for piece in pieces]

    def _lands_on_little(self, shape: Shape) -> bool:
        """Return whether to evaluate at places.

        Planes are cheap on a device: places are used only for primitives that it lacks, and where planes do not fit.
        """
        if not super()._lands_on_little(shape):
            return False
        new = (inner for inner in inner_shapes(shape) if inner in self._shared and inner not in self._conditions)
        room = self._there.room
        return not self._has(shape) or sum(inner.count for inner in new) * self.world.bytes_per_plane > room

    def _has(self, shape: Shape) -> bool:
        return self.language[shape.primitive] in _KERNELS and all(map(self._has, shape.parts))

    def _at_a_time(self, primitive: Primitive | None) -> int:
        # Programs that do not depend on the action have one bit per state, not a plane.
        each = 16 * self.world.shape[2] + 128 if primitive == _AT_CELL_WITH_VALUE else self.world.bytes_per_plane
        return max(1, self._chunk // each)

    def _run(self, primitive: Primitive, arguments: list[Any], planes: Any) -> Any:
        kernel = _KERNELS.get(primitive)
        return self._run_here(primitive, arguments, planes) if kernel is None else kernel(self, planes, *arguments)

    def _run_here(self, primitive: Primitive, arguments: list[Any], planes: Any) -> Any:
        """Run a primitive on the host, fetching only the planes that it uses."""
        here, store = [self._fetch(argument) for argument in arguments], np.empty((0, *self.world.shape), np.uint64)
        conditions = [i for i, kind in enumerate(primitive.takes) if kind is Kind.CONDITION]
        if conditions:
            used, places = np.unique(np.concatenate([here[i] for i in conditions]), return_inverse=True)
            store = self._fetch(planes[self._put(used)])
            for i, own in zip(conditions, np.split(places, len(conditions)), strict=True):
                here[i] = own
        cuts = np.linspace(0, how_many(here), self.threads.count + 1).astype(int).tolist()
        parts = [[argument[start:stop] for argument in here] for start, stop in pairwise(cuts) if start < stop]
        return self._put(np.concatenate(self.threads.map(partial(super()._run, primitive, planes=store), parts)))


_AT_CELL_WITH_VALUE = LANGUAGE["at_cell_with_value"]
_KERNELS: dict[Primitive, Callable[..., Any]] = {
    LANGUAGE["cell_is_value"]: lambda on, store, values: on._of_values[values],
    LANGUAGE["shifted"]: lambda on, store, *arguments: on._kernels.shift(store, *arguments),
    LANGUAGE["scanning"]: lambda on, store, *arguments: on._kernels.scan(store, *arguments, on._inside, on._somewhere),
    LANGUAGE["at_action_cell"]: lambda on, store, conditions: store[conditions],
    _AT_CELL_WITH_VALUE: lambda on, store, *arguments: on._kernels.at_first(store, *arguments, on._first),
}
"""Primitives that run on a device, called with the evaluator, the planes and the arguments; one with any other
declaration is another primitive."""


def places_by_slot(world: Planes) -> np.ndarray:
    """Return `world.first` by slot; -2 for slots without a state. [V, words × 64] int32

    >>> from shown.grid import Tokens, grid
    >>> places_by_slot(Planes([grid(".|")], Tokens(empty=".", stick="|")))[:, :2].tolist()
    [[0, -2], [1, -2], [-1, -2]]
    """
    places = np.full((len(world.values), 64 * world.shape[2]), -2, dtype=np.int32)
    places[:, world.slot] = world.first
    return places


def evaluator_on(device: str, world: Planes, language: Language, memory: Memory, threads: Threads) -> Evaluator:
    """Return the evaluator for "cpu" or "cuda"; raise an error if it is unavailable."""
    if device == "cpu":
        return Evaluator(world, language, memory, threads)
    from shown.columns.cuda import Cuda

    return DeviceEvaluator(world, language, memory, threads, Cuda())


def check_device(device: str) -> None:
    """Raise an error if programs cannot be evaluated on a device.

    >>> check_device("gpu")
    Traceback (most recent call last):
    shown.errors.BadInput: device 'gpu': programs are evaluated on cpu or cuda.
    """
    if device not in DEVICES:
        raise BadInput(f"device {device!r}: programs are evaluated on {' or '.join(DEVICES)}.")
    if device == "cuda":
        from shown.columns.cuda import Cuda

        Cuda()
