"""The kernels of `kernels.cu` on a GPU, compiled by CuPy on first use."""

from __future__ import annotations

from concurrent.futures import Future, ThreadPoolExecutor
from importlib import resources
from typing import Any

import numpy as np

from shown.columns.device import HashTable, LookupRows
from shown.errors import BadInput, MissingExtra

THREADS = 256

STAGE_BYTES, STAGES, COPIERS = 2**22, 32, 8
"""Results are fetched through STAGES pinned buffers, emptied by COPIERS threads: a plain copy into fresh memory is
several times slower."""


class Cuda:
    """The first GPU. Raises MissingExtra without CuPy, BadInput without a GPU.

    Attributes:
        arrays: array module of the device, compatible with NumPy.
        faults: errors of the device itself.
    """

    def __init__(self) -> None:
        try:
            import cupy
        except ImportError:
            raise MissingExtra("CuPy", "gpu") from None
        try:
            device = cupy.cuda.Device()
            device.use()
            self.name = cupy.cuda.runtime.getDeviceProperties(device.id)["name"].decode()
        except cupy.cuda.runtime.CUDARuntimeError as error:
            raise BadInput(f"device cuda: no usable GPU ({error}). Use the device cpu.") from None
        self.arrays = cupy
        self.faults: tuple[type[Exception], ...] = (
            cupy.cuda.runtime.CUDARuntimeError,
            cupy.cuda.driver.CUDADriverError,
            cupy.cuda.compiler.CompileException,
        )
        self._module = cupy.RawModule(code=kernel_source(), options=("-std=c++17",))
        self._stages: list[np.ndarray] = []

    def __reduce__(self) -> tuple[Any, ...]:
        return Cuda, ()

    def memory(self) -> int:
        """Return the available bytes."""
        self.tidy()
        free, _ = self.arrays.cuda.runtime.memGetInfo()
        return int(free)

    def put(self, array: np.ndarray) -> Any:
        """Return a NumPy array as one on the device."""
        return self.arrays.asarray(array)

    def fetch(self, array: Any, out: np.ndarray | None = None) -> np.ndarray:
        """Return an array on the device as one of NumPy, in `out` if given."""
        if out is None or array.nbytes <= STAGE_BYTES:
            return array.get(out=out)  # type: ignore[no-any-return]
        if not self._stages:
            from cupyx import empty_pinned

            self._stages = [empty_pinned(STAGE_BYTES, np.uint8) for _ in range(STAGES)]
        there, here = array.reshape(-1).view(np.uint8), out.reshape(-1).view(np.uint8)
        copies: list[Future[None]] = []
        with ThreadPoolExecutor(COPIERS) as pool:
            for k, at in enumerate(range(0, len(here), STAGE_BYTES)):
                if k >= STAGES:
                    copies[k - STAGES].result()
                target = here[at : at + STAGE_BYTES]
                stage = self._stages[k % STAGES][: len(target)]
                there[at : at + len(target)].get(out=stage)
                copies.append(pool.submit(np.copyto, target, stage))
        return out

    def tidy(self) -> None:
        """Release unused memory."""
        self.arrays.get_default_memory_pool().free_all_blocks()

    def shift(self, store: Any, offsets: Any, conditions: Any) -> Any:
        """`planes.shift_many`, without its world. [n, rows, columns, words]"""
        out = self._empty((len(conditions), *store.shape[1:]))
        self._blocks("shift", len(conditions), store, offsets, conditions, *_sizes(store), out)
        return out

    def scan(self, store: Any, offsets: Any, untils: Any, unlesses: Any, inside: Any, somewhere: Any) -> Any:
        """`planes.scan_many`, without its world. [n, rows, columns, words]"""
        out = self._empty((len(untils), *store.shape[1:]))
        self._blocks("scan", len(untils), store, offsets, untils, unlesses, inside, somewhere, *_sizes(store), out)
        return out

    def at_first(self, store: Any, values: Any, conditions: Any, first: Any) -> Any:
        """`planes.at_first_many`, with `first` from `places_by_slot`. [n, words]"""
        rows, columns, words = _sizes(store)
        out, n = self._empty((len(conditions), int(words))), np.int64(len(conditions))
        self._warps("at_first", n, store, values, conditions, first, n, rows * columns, words, out)
        return out

    def fingerprint(self, flat: Any, places: Any, mask: Any, lowest: np.uint64) -> LookupRows:
        """Return rows with their hashes and signs."""
        n, xp = np.int64(len(flat)), self.arrays
        mixes, flips, zeros = self._empty((n,)), xp.empty(n, dtype=bool), xp.empty(n, dtype=bool)
        words, width = np.int32(len(mask)), np.int64(flat.shape[1])
        self._warps("fingerprint", n, flat, n, width, places, mask, words, lowest, mixes, flips, zeros)
        return LookupRows(flat, places, mask, lowest, mixes, flips, zeros)

    def meet(self, rows: LookupRows, table: HashTable) -> tuple[Any, Any, Any]:
        """Look up rows.

        Returns, for each row, a known equal row k ≥ 0, CONSTANT, or -2 - i for row i of these, which took a slot for
        it; the first row equal to each that took a slot; and that slot. ([n] int32, [n] int32, [n] uint64)
        """
        n, xp = np.int64(len(rows.flat)), self.arrays
        met, lead, slots = xp.empty(n, dtype=np.int32), xp.arange(n, dtype=np.int32), self._empty((n,))
        self._warps(
            "meet", n, rows.flat, n, np.int64(rows.flat.shape[1]), rows.places, rows.mask, np.int32(len(rows.mask)),
            rows.lowest, rows.mixes, rows.flips, rows.zeros, table.rows, table.mixes, table.slots,
            np.uint64(len(table.slots)), met, lead, slots,
        )  # fmt: skip
        return met, lead, slots

    def keep(self, rows: LookupRows, slots: Any, leaders: Any, start: int, table: HashTable) -> None:
        """Store the rows `leaders` from number `start` on. [count] int64"""
        count = np.int64(len(leaders))
        self._warps(
            "keep", count, rows.flat, np.int64(rows.flat.shape[1]), rows.places, rows.mask, np.int32(len(rows.mask)),
            rows.mixes, rows.flips, slots, leaders, count, np.int32(start), table.rows, table.mixes, table.slots,
        )  # fmt: skip

    def enter(self, table: HashTable, count: int) -> None:
        """Enter the first `count` rows into an empty table."""
        self._threads("enter", count, table.mixes, np.int64(count), table.slots, np.uint64(len(table.slots)))

    def first_place(self, ids: Any, start: int, first: Any) -> None:
        """Lower first[k - start] to the first index at which `ids` has k, for each k from `start` on."""
        self._threads("first_place", len(ids), ids, np.int64(len(ids)), np.int32(start), first)

    def signed_rows(self, rows: Any, numbers: Any, turned: Any, mask: Any) -> Any:
        """Return some rows, negated where `turned` is set. [n, words] uint64"""
        count = np.int64(len(numbers))
        out = self._empty((count, len(mask)))
        self._warps("signed_rows", count, rows, numbers, turned, mask, count, np.int32(len(mask)), out)
        return out

    def _empty(self, shape: tuple[Any, ...]) -> Any:
        return self.arrays.empty(shape, dtype=np.uint64)

    def _blocks(self, name: str, blocks: int, *arguments: Any) -> None:
        if blocks:
            self._module.get_function(name)((int(blocks),), (THREADS,), arguments)

    def _threads(self, name: str, threads: int, *arguments: Any) -> None:
        self._blocks(name, -(-int(threads) // THREADS), *arguments)

    def _warps(self, name: str, warps: int | np.int64, *arguments: Any) -> None:
        self._threads(name, 32 * int(warps), *arguments)


def kernel_source() -> str:
    """Return the CUDA source of the kernels."""
    return resources.files("shown.columns").joinpath("kernels.cu").read_text("utf-8")


def _sizes(store: Any) -> tuple[np.int32, np.int32, np.int32]:
    """Return the rows, columns and words of planes."""
    rows, columns, words = store.shape[1:]
    return np.int32(rows), np.int32(columns), np.int32(words)
