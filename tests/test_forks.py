"""Work in forked processes: results in order, errors, and nothing left behind."""

import os
import signal
import threading

import pytest

from shown.engine.forks import forked
from shown.errors import OutOfMemory


def test_results_are_in_order_whatever_the_processes():
    for count in (1, 2, 5, 60):
        assert forked(lambda x: 2 * x, range(50), count) == list(range(0, 100, 2))


def test_the_pieces_are_shared_and_nothing_is_left():
    own = os.getpid()
    pids = forked(lambda _: os.getpid(), range(6), 3)
    assert len(set(pids)) == 3
    assert pids[0] == own
    for pid in set(pids) - {own}:
        with pytest.raises(ProcessLookupError):
            os.kill(pid, 0)


def test_an_error_in_a_fork_is_raised_here_and_ends_the_others():
    def work(piece):
        if piece == 1:
            raise OutOfMemory("too much")
        return piece

    with pytest.raises(OutOfMemory, match="too much"):
        forked(work, range(6), 3)


def test_the_pieces_of_a_fork_that_is_killed_are_done_here():
    own = os.getpid()

    def work(piece):
        if piece == 1 and os.getpid() != own:
            os.kill(os.getpid(), signal.SIGKILL)
        return piece

    assert forked(work, range(6), 3) == list(range(6))


def test_without_more_processes_all_is_done_here(monkeypatch):
    def refused():
        raise BlockingIOError("no more processes")

    monkeypatch.setattr(os, "fork", refused)
    assert forked(lambda x: x + 1, range(5), 3) == [1, 2, 3, 4, 5]


def test_an_interrupt_here_ends_the_forks(monkeypatch):
    pids = []

    def work(piece):
        if piece:
            signal.pause()
        raise KeyboardInterrupt

    fork = os.fork

    def noted():
        pids.append(fork())
        return pids[-1]

    monkeypatch.setattr(os, "fork", noted)
    with pytest.raises(KeyboardInterrupt):
        forked(work, range(3), 3)
    assert len(pids) == 2
    for pid in pids:
        with pytest.raises(ProcessLookupError):
            os.kill(pid, 0)


def test_large_results_and_forks_from_a_thread():
    found = []
    thread = threading.Thread(target=lambda: found.extend(forked(lambda n: bytes(n), [10**6, 2 * 10**6], 2)))
    thread.start()
    thread.join(60)
    assert list(map(len, found)) == [10**6, 2 * 10**6]
