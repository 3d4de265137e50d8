"""Threads that share work, the gate between them, and atomic operations."""

import pickle
import threading

import numpy as np
import pytest

from shown.engine import atomics
from shown.engine.compilation import compiled
from shown.engine.threads import Gate, Threads


def test_results_are_in_order_whatever_the_threads():
    for count in (1, 2, 5):
        threads = Threads(count)
        assert threads.map(lambda x: 2 * x, range(50)) == list(range(0, 100, 2))
        threads.close()


def test_one_thread_is_the_calling_one():
    assert set(Threads(1).map(lambda _: threading.get_ident(), range(5))) == {threading.get_ident()}


def test_an_error_ends_the_work_and_the_threads_can_be_used_again():
    threads = Threads(3)
    with pytest.raises(ZeroDivisionError):
        threads.map(lambda x: 1 // (x - 7), range(1000))
    assert threads.map(abs, [-1, -2]) == [1, 2]
    threads.close()
    assert threads.map(abs, [-1, -2]) == [1, 2]
    threads.close()


def test_threads_and_gates_can_be_copied():
    assert pickle.loads(pickle.dumps(Threads(3))).count == 3
    assert isinstance(pickle.loads(pickle.dumps(Gate())), Gate)


def test_who_is_alone_has_nobody_beside_him():
    gate, seen, inside = Gate(), [], []

    def work(i):
        if i % 5 == 0:
            with gate.alone():
                seen.append(len(inside))
        else:
            gate.enter()
            inside.append(i)
            inside.remove(i)
            gate.leave()

    threads = Threads(4)
    threads.map(work, range(400))
    threads.close()
    assert seen == [0] * 80


def count_up(cells, times):
    for _ in range(times):
        atomics.add(cells, 0, 1)
        while not atomics.replace(cells, 1, 0, 1):
            pass
        cells[2] += 1
        atomics.store(cells, 1, 0)
    return atomics.load(cells, 0)


@pytest.mark.parametrize("dtype", [np.int32, np.int64])
def test_atomic_operations_lose_nothing(dtype):
    cells, threads = np.zeros(3, dtype=dtype), Threads(4)
    threads.map(lambda _: compiled(count_up)(cells, 1000), range(8))
    threads.close()
    assert cells.tolist() == [8000, 0, 8000]


def test_compiled_atomics_are_the_plain_ones():
    loop, cells = compiled(count_up), np.zeros((2, 3), dtype=np.int64)
    assert loop(cells[0], 5) == loop.plain(cells[1], 5) == 5
    assert np.array_equal(cells[0], cells[1])
