"""A child process from the inside: long requests that are stopped, wherever they are."""

from __future__ import annotations

import io
import json
import os
import signal
import subprocess
import sys
from importlib import import_module

import pytest

from shown.studio.worker import Worker


def answers(worker: Worker) -> list[dict]:
    return [json.loads(line) for line in worker.out.getvalue().splitlines()]


def stop_me(holder: list[Worker]) -> None:
    """What the thread that reads does when a request is to stop, heard at once."""
    holder[0].stopping.add(1)
    os.kill(os.getpid(), signal.SIGINT)


def run(task) -> list[dict]:
    holder: list[Worker] = []

    def begin(request):
        return task(holder)

    worker = Worker(io.BytesIO(), {"long": begin})
    holder.append(worker)
    before = signal.signal(signal.SIGINT, worker.interrupt)
    try:
        worker.handle({"id": 1, "do": "long"})
        while worker.long:
            worker.advance()
    finally:
        signal.signal(signal.SIGINT, before)
    return answers(worker)


def test_a_request_at_work_is_interrupted_and_finishes_with_what_it_has():
    def task(holder):
        yield {"step": 1}
        try:
            stop_me(holder)
            yield {"step": 2}
        except KeyboardInterrupt:
            pass
        return {"best": "so far"}

    assert run(task) == [{"id": 1, "news": {"step": 1}}, {"id": 1, "answer": {"best": "so far"}}]


def test_an_interrupt_that_comes_inside_a_finalizer_is_not_lost(monkeypatch):
    """Found by the soak (seed 20261119): Python printed it and went on, and Stop did nothing for 15 s."""

    class Last:
        def __init__(self, holder):
            self.holder = holder

        def __del__(self):
            stop_me(self.holder)

    def task(holder):
        monkeypatch.setattr(sys, "unraisablehook", holder[0].take_up)
        yield {"step": 1}
        last = Last(holder)
        del last
        stopped = yield {"step": 2}
        return {"stopped": stopped}

    assert run(task)[-1] == {"id": 1, "answer": {"stopped": True}}


def test_a_request_that_does_not_mind_is_answered_all_the_same():
    def task(holder):
        yield {"step": 1}
        stop_me(holder)
        yield {"step": 2}

    assert run(task)[-1] == {"id": 1, "answer": {"stopped": True}}


def test_a_module_is_loaded_to_its_end_before_a_request_stops(tmp_path, monkeypatch):
    """One that is cut off in the middle leaves parts behind, on which a package may stumble ever after."""
    (tmp_path / "stopped_while_loading.py").write_text("import builtins\nbuiltins.stop_me()\nwhole = True\n")
    monkeypatch.syspath_prepend(tmp_path)
    loaded = []

    def task(holder):
        yield {"step": 1}
        monkeypatch.setattr("builtins.stop_me", lambda: stop_me(holder), raising=False)
        loaded.append(import_module("stopped_while_loading").whole)
        stop = yield {"step": 2}
        return {"stop": stop}

    assert run(task)[-1] == {"id": 1, "answer": {"stop": True}}
    assert loaded == [True]


def test_between_two_steps_it_is_told_to_stop():
    def task(holder):
        stop = yield {"step": 1}
        assert not stop
        holder[0].stopping.add(2)  # of another request, which has ended
        holder[0].handle({"id": 2, "do": "stop"})
        assert not holder[0].stopping
        stop = yield {"step": 2}
        return {"stop": bool(stop)}

    assert run(task)[-1] == {"id": 1, "answer": {"stop": False}}


def test_an_interrupt_that_comes_when_nothing_is_at_work_does_nothing():
    worker = Worker(io.BytesIO(), {})
    worker.stopping.add(1)
    worker.interrupt()
    assert worker.stopping == {1}


def test_a_request_that_was_told_to_stop_before_it_began_does_not_begin():
    worker = Worker(io.BytesIO(), {"long": lambda request: {"begun": request["id"]}})
    for number in (1, 2):  # the thread that reads hears all of this while something else is at work
        worker.inbox.put({"id": number, "do": "long"})
        worker.inbox.put({"id": number, "do": "stop"})
        worker.stop(number)
    worker.inbox.put({"id": 3, "do": "long"})
    while not worker.inbox.empty():
        worker.handle(worker.inbox.get())
    assert answers(worker) == [
        {"id": 1, "answer": {"stopped": True}},
        {"id": 2, "answer": {"stopped": True}},
        {"id": 3, "answer": {"begun": 3}},
    ]
    assert not worker.stopping


def test_a_child_whose_server_was_killed_in_the_middle_of_a_line_ends():
    """It stayed for ever, asking nobody for more."""
    command = [sys.executable, "-m", "shown.studio.worker", "0"]
    child = subprocess.run(command, input=b'{"id": 1, "do": "wa', capture_output=True, timeout=60, check=False)
    assert (child.returncode, child.stderr) == (0, b"")


def test_an_answer_that_nobody_can_hear_is_no_fault(capsys):
    class Gone(io.BytesIO):
        def flush(self) -> None:
            raise BrokenPipeError

    with pytest.raises(SystemExit):
        Worker(Gone(), {"ask": lambda request: {}}).handle({"id": 1, "do": "ask"})
    assert capsys.readouterr().err == ""
