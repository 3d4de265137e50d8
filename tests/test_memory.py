"""Memory limits and accounts."""

import resource

import numpy as np
import pytest

from shown.engine import memory as module
from shown.engine.memory import Account, default_limit, empty, machine_memory, reserve
from shown.errors import OutOfMemory


def test_memory_is_refused_before_it_is_taken():
    account = Account(100 * 2**20)
    account.take(60 * 2**20, "the planes")
    with pytest.raises(OutOfMemory) as caught:
        account.take(50 * 2**20, "the columns", "About 1,234 programs fit; learn with fewer")
    assert str(caught.value) == (
        "the columns would need 110 MiB, but the limit is 100 MiB. About 1,234 programs fit; learn with fewer, "
        "or allow more memory."
    )
    assert account.held == 60 * 2**20


def test_what_a_task_takes_later_counts_in_its_branches_and_not_the_other_way_round():
    """Columns were evaluated after trees had got their account, and not counted there."""
    account = Account(100)
    branch = account.branch()
    account.take(50, "the columns")
    branch.take(40, "the trees")
    with pytest.raises(OutOfMemory):
        branch.take(20, "the trees")
    assert (account.held, branch.held, branch.room) == (50, 90, 10)


def test_an_array_that_outlives_a_branch_stays_in_the_account_until_it_is_gone():
    """Columns of fits in practice were forgotten when the fits had ended: 232 MiB at a limit of 100."""
    account, array = Account(1000), np.zeros(50)
    account.branch().hold(array, "the columns")
    assert account.held == 400
    del array
    assert account.held == 0


@pytest.mark.parametrize("shape", [(3, 2), (2**18, 5), (2**20 + 1,)])
def test_large_arrays_have_the_shape_and_type_that_is_asked_for(shape):
    array = empty(shape, np.int32)
    array.fill(-1)
    assert (array.shape, array.dtype, array.flags.c_contiguous) == (shape, np.int32, True)


def test_half_of_what_there_is_is_the_default():
    assert Account().limit == default_limit() == machine_memory() // 2


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
