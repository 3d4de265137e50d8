"""Copies of the process that share work, and what happens when one fails, hangs or may not be made."""

import os
import signal
import subprocess
import sys
import threading
import time

import numpy as np
import pytest

from shown.engine import forks
from shown.engine.forks import MAX_PIECES, Forks

HERE = os.getpid()


def is_copy():
    return os.getpid() != HERE


def test_results_are_in_order_whatever_the_processes():
    for count in (1, 2, 5):
        assert Forks(count).map(lambda x: 2 * x, range(50)) == list(range(0, 100, 2))
    assert Forks(3).map(lambda x: x, []) == []


def test_one_process_is_the_calling_one():
    assert set(Forks(1).map(lambda _: os.getpid(), range(5))) == {HERE}


def test_results_may_be_large():
    table = np.arange(1_000_000)
    found = Forks(2).map(lambda x: table * x, range(4))
    assert all(np.array_equal(one, table * x) for x, one in enumerate(found))


def test_several_processes_work():
    def work(_):
        time.sleep(0.3)
        return os.getpid()

    assert len(set(Forks(3).map(work, range(3)))) == 3


def test_an_error_of_a_copy_is_raised_here():
    def work(x):
        if is_copy():
            time.sleep(0.2)
        return 1 // (x - 3)

    with pytest.raises(ZeroDivisionError):
        Forks(2).map(work, range(6))
    assert Forks(2).map(abs, [-1, -2]) == [1, 2]


def test_what_a_killed_copy_did_is_done_again():
    def work(x):
        if is_copy():
            os.kill(os.getpid(), signal.SIGKILL)
        time.sleep(0.1)
        return x

    assert Forks(3).map(work, range(6)) == list(range(6))


def test_a_copy_that_waits_for_a_lock_is_given_up(monkeypatch):
    monkeypatch.setattr(forks, "STUCK_AFTER", 1)
    lock = threading.Lock()

    def work(x):
        if is_copy():
            with lock:  # held by another thread, which the copy does not have
                return x
        time.sleep(0.1)
        return x

    with lock:
        assert Forks(2).map(work, range(4)) == list(range(4))


def test_a_copy_makes_no_copies():
    pool = Forks(2)

    def work(x):
        return os.getpid(), set(pool.map(lambda _: os.getpid(), range(3)))

    for own, inner in Forks(2).map(work, range(2)):
        assert own == HERE or inner == {own}


def test_too_many_pieces_are_a_bug():
    with pytest.raises(AssertionError):
        Forks(2).map(abs, range(MAX_PIECES + 1))


def test_without_room_for_a_copy_this_process_does_it(monkeypatch):
    def no_fork():
        raise OSError("too many processes")

    monkeypatch.setattr(os, "fork", no_fork)
    assert Forks(3).map(lambda _: os.getpid(), range(3)) == [HERE] * 3


def test_elsewhere_than_on_linux_this_process_does_it(monkeypatch):
    monkeypatch.setattr(sys, "platform", "darwin")
    assert Forks(3).count == 1


WORKER_OF_A_POOL = """
import multiprocessing, os
from shown.engine.forks import Forks

def work(_):
    return len(set(Forks(3).map(lambda _: os.getpid(), range(3))))

with multiprocessing.get_context("fork").Pool(1) as pool:
    print(pool.map(work, range(1)))
"""

INTERRUPTED = """
import os, signal, time
from shown.engine.forks import Forks

def work(x):
    print(os.getpid(), flush=True) if os.getpid() == owner else None
    if os.getpid() == owner:
        os.kill(owner, signal.SIGINT)
    time.sleep(60)

owner = os.getpid()
try:
    Forks(2).map(work, range(4))
except KeyboardInterrupt:
    print("interrupted")
"""

KILLED = """
import os, signal, time
from shown.engine.forks import Forks

def work(x):
    if os.getpid() != owner:
        print(os.getpid(), file=told, flush=True)
        time.sleep(60)
    time.sleep(0.5)
    os.kill(owner, signal.SIGKILL)

owner, told = os.getpid(), os.fdopen(os.dup(1), "w")
Forks(2).map(work, range(2))
"""


def test_a_copy_ends_with_its_original():
    done = subprocess.run([sys.executable, "-c", KILLED], capture_output=True, text=True, timeout=30, check=False)
    assert done.returncode == -signal.SIGKILL
    assert int(done.stdout)  # there was a copy, and it holds the output open no longer


@pytest.mark.parametrize(("code", "last"), [(WORKER_OF_A_POOL, "[1]"), (INTERRUPTED, "interrupted")])
def test_in_a_process_of_its_own(code, last):
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=30, check=True)
    assert done.stdout.split()[-1] == last
    assert not done.stderr
