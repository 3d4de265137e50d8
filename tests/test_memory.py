"""Limits on memory."""

import resource

import numpy as np
import pytest

from shown.engine import memory as module
from shown.engine.memory import Memory, default_limit, empty, machine_memory, reserve
from shown.engine.threads import Threads
from shown.errors import OutOfMemory


def test_memory_is_refused_before_it_is_taken():
    memory = Memory(100 * 2**20)
    memory.take(60 * 2**20, "the planes")
    with pytest.raises(OutOfMemory, match=r"^the columns would need 110 MiB, but the limit is 100 MiB\. Use fewer"):
        memory.take(50 * 2**20, "the columns")
    assert (memory.held, memory.room) == (60 * 2**20, 40 * 2**20)


def test_threads_lose_no_count():
    memory, threads = Memory(2**30), Threads(4)
    threads.map(lambda _: (memory.take(3, "the columns"), memory.give(1)), range(2000))
    threads.close()
    assert memory.held == 4000


def test_a_process_that_holds_nearly_all_memory_is_refused_more(monkeypatch):
    module.refuse_if_full("growing trees")
    monkeypatch.setattr(module, "resident_memory", lambda: machine_memory() - 1)
    with pytest.raises(OutOfMemory, match="growing trees would need"):
        module.refuse_if_full("growing trees")


@pytest.mark.parametrize("shape", [(3, 2), (2**18, 5), (2**20 + 1,)])
def test_large_arrays_have_the_shape_and_type_that_is_asked_for(shape):
    array = empty(shape, np.int32)
    array.fill(-1)
    assert (array.shape, array.dtype, array.flags.c_contiguous) == (shape, np.int32, True)


def test_half_of_what_there_is_is_the_default():
    assert Memory().limit == default_limit() == machine_memory() // 2


def test_a_containers_limit_counts(tmp_path, monkeypatch):
    limit = tmp_path / "memory.max"
    limit.write_text("1000000\n")
    monkeypatch.setattr(module, "_CGROUPS", (tmp_path / "missing", limit))
    assert machine_memory() == 1_000_000
    limit.write_text("max\n")
    assert machine_memory() > 1_000_000


def test_the_process_own_limit_counts(monkeypatch):
    monkeypatch.setattr(resource, "getrlimit", lambda kind: (5_000_000, 6_000_000))
    assert machine_memory() == 5_000_000


@pytest.mark.parametrize(("limit", "rows"), [(resource.RLIM_INFINITY, 2**20), (6 * 2**30, 2**20), (2**26, 10)])
def test_no_more_than_needed_is_reserved_where_an_array_would_take_much_of_the_address_space(monkeypatch, limit, rows):
    """Arrays of a few learns took all of it, and reading a file failed with MemoryError."""
    monkeypatch.setattr(resource, "getrlimit", lambda kind: (limit, limit))
    assert reserve(2**20, 2, 10).shape == (rows, 2)
