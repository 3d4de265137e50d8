"""The child's end of a child process (`children.py` is the server's): it learns, plays, or runs one world.

Requests, answers and news are lines of JSON. A quick request is a function that returns its answer. A long request is a
generator: it yields news and returns the answer, and quick requests are served between two of its steps. A long request
that has to stop gets True from its next `yield` or, while at work, a KeyboardInterrupt, as from Ctrl-C; either
way it finishes with what it has. If it lets the interrupt through, its answer is {"stopped": true}.
"""

from __future__ import annotations

import _thread
import inspect
import json
import os
import queue
import signal
import sys
import threading
from collections.abc import Callable, Generator, Mapping
from types import FrameType, GeneratorType
from typing import Any, BinaryIO

from shown.errors import BadInput, ShownError
from shown.worlds.world import WORLDS

Answer = dict[str, Any]
Long = Generator[Answer, bool | None, Answer]
Task = Callable[[dict[str, Any]], "Answer | Long"]


class Worker:
    """Serve requests until the input ends.

    >>> import io
    >>> out = io.BytesIO()
    >>> worker = Worker(out, {"double": lambda request: {"value": 2 * request["value"]}})
    >>> worker.handle({"id": 1, "do": "double", "value": 21})
    >>> out.getvalue()
    b'{"id": 1, "answer": {"value": 42}}\\n'
    """

    def __init__(self, out: BinaryIO, tasks: Mapping[str, Task]) -> None:
        self.out, self.tasks = out, tasks
        self.inbox: queue.SimpleQueue[dict[str, Any]] = queue.SimpleQueue()
        self.long: dict[int, Long] = {}
        self.stopping: set[int] = set()
        self.at_work: int | None = None

    def serve(self) -> None:
        """Serve for ever; the thread that reads ends the process when the server is gone."""
        while True:
            try:
                request = self.inbox.get(block=not self.long)
            except queue.Empty:
                self.advance()
            else:
                self.handle(request)

    def handle(self, request: dict[str, Any]) -> None:
        """Serve one quick request, or begin a long one."""
        number = request["id"]
        if request["do"] == "stop":  # handled when it came in (see `stop`)
            if number not in self.long:
                self.stopping.discard(number)
            return
        if number in self.stopping:  # stopped before it has begun
            self.say({"id": number, "answer": {"stopped": True}})
            return
        try:
            result = self.tasks[request["do"]](request)
            if isinstance(result, GeneratorType):
                self.long[number] = result
                self._step(number, None)
            else:
                self.say({"id": number, "answer": result})
        except Exception as error:
            self._fail(number, error)

    def stop(self, number: int) -> None:
        """Tell a long request to finish; called by the thread that reads."""
        self.stopping.add(number)
        if self.at_work == number:
            _thread.interrupt_main()

    def interrupt(self, number: int = signal.SIGINT, frame: FrameType | None = None) -> None:
        """Handle SIGINT in the main thread: interrupt the request at work, if it is to stop.

        An import is not interrupted, because the module might stay broken; the request then stops at its next step.
        """
        if self.at_work in self.stopping and not _loading(frame):
            self.stopping.discard(self.at_work)
            raise KeyboardInterrupt

    def take_up(self, unraisable: sys.UnraisableHookArgs) -> None:
        """Take up an interrupt that came inside a finalizer, where Python drops it: stop at the next step."""
        if unraisable.exc_type is KeyboardInterrupt and self.at_work is not None:
            self.stopping.add(self.at_work)
        else:
            sys.__unraisablehook__(unraisable)

    def advance(self) -> None:
        """Run one step of a long request: one that is to stop, or else the latest."""
        number = next((n for n in self.long if n in self.stopping), next(reversed(self.long)))
        try:
            self._step(number, number in self.stopping)
        except Exception as error:
            self._fail(number, error)

    def _step(self, number: int, stop: bool | None) -> None:
        try:
            try:
                self.at_work = number
                news = self.long[number].send(stop)
            finally:
                self.at_work = None
        except StopIteration as end:
            self._forget(number)
            self.say({"id": number, "answer": end.value})
        except KeyboardInterrupt:
            if inspect.getgeneratorstate(self.long[number]) != inspect.GEN_CLOSED:  # it had just reached its next step
                self.stopping.add(number)
                return
            self._forget(number)
            self.say({"id": number, "answer": {"stopped": True}})
        else:
            self.say({"id": number, "news": news})

    def _fail(self, number: int, error: Exception) -> None:
        """Answer with an error; the traceback of an unexpected one goes to stderr."""
        self._forget(number)
        if isinstance(error, ShownError):
            self.say({"id": number, "error": str(error), "bad_input": isinstance(error, BadInput)})
        else:
            sys.excepthook(type(error), error, error.__traceback__)
            self.say({"id": number, "error": f"an internal error ({type(error).__name__}: {error})."})

    def _forget(self, number: int) -> None:
        self.long.pop(number, None)
        self.stopping.discard(number)

    def say(self, message: dict[str, Any]) -> None:
        try:
            self.out.write(json.dumps(message).encode() + b"\n")
            self.out.flush()
        except BrokenPipeError:
            raise SystemExit from None  # the server is gone


def _loading(frame: FrameType | None) -> bool:
    """Return whether a module is being imported somewhere up the stack."""
    while frame is not None and frame.f_code.co_filename != "<frozen importlib._bootstrap>":
        frame = frame.f_back
    return frame is not None


def main() -> None:
    """Run as `python -m shown.studio.worker NICENESS`, or `… NICENESS NAME` for the process of one world."""
    # Libraries may print, so answers go through a descriptor that no library has.
    out = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)
    os.nice(int(sys.argv[1]))
    worker = Worker(out, _tasks(*sys.argv[2:]))
    signal.signal(signal.SIGINT, worker.interrupt)
    sys.unraisablehook = worker.take_up

    def read() -> None:
        for line in sys.stdin.buffer:
            if line.endswith(b"\n"):  # else the server was killed while it wrote
                request = json.loads(line)
                if request["do"] == "stop":
                    worker.stop(request["id"])
                worker.inbox.put(request)
        os._exit(0)  # the server is gone, perhaps killed; there is nobody left to answer

    threading.Thread(target=read, daemon=True).start()
    try:
        worker.serve()
    except (KeyboardInterrupt, SystemExit):
        os._exit(0)


def _tasks(name: str | None = None) -> Mapping[str, Task]:
    """Return the tasks of the process of one game or world, or of a process that learns and plays all."""
    if name is None:
        from shown.studio.tasks import Tasks

        return Tasks().table()
    from shown.studio.isolated import GameTasks, WorldTasks

    return (WorldTasks if name.startswith(WORLDS) else GameTasks)(name).table()


if __name__ == "__main__":
    main()
