"""A child process of the studio: it learns, or it plays, so that the server never has to think.

Requests come in as lines of JSON, answers and news go out as lines of JSON; nothing else passes between the processes.
A quick request is a function that returns its answer. A long one is a generator: each thing it yields is news, what it
returns is the answer, and between two steps the quick requests that have come in meanwhile are served first. A long
request that is told to stop gets True as the value of its next `yield`, or, if it is at work just then, a
KeyboardInterrupt, as Ctrl-C would; either way it finishes with what it has. One that lets the interrupt through has
{"stopped": true} for an answer, and what it has said before.
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
from collections.abc import Callable, Generator
from types import FrameType, GeneratorType
from typing import Any, BinaryIO

from shown.errors import ShownError
from shown.world import WORLDS

News = dict[str, Any]
Long = Generator[News, bool | None, News]
Task = Callable[[dict[str, Any]], "News | Long"]


class Worker:
    """Serves requests until its input ends.

    >>> import io
    >>> out = io.BytesIO()
    >>> worker = Worker(out, {"double": lambda request: {"value": 2 * request["value"]}})
    >>> worker.handle({"id": 1, "do": "double", "value": 21})
    >>> out.getvalue()
    b'{"id": 1, "answer": {"value": 42}}\\n'
    """

    def __init__(self, out: BinaryIO, tasks: dict[str, Task]) -> None:
        self.out, self.tasks = out, tasks
        self.inbox: queue.SimpleQueue[dict[str, Any]] = queue.SimpleQueue()
        self.long: dict[int, Long] = {}
        self.stopping: set[int] = set()
        self.at_work: int | None = None

    def serve(self) -> None:
        """Serves for ever; the thread that reads ends the process when the server is gone."""
        while True:
            try:
                request = self.inbox.get(block=not self.long)
            except queue.Empty:
                self.advance()
            else:
                self.handle(request)

    def handle(self, request: dict[str, Any]) -> None:
        """Serves one quick request, or begins a long one."""
        number = request["id"]
        if request["do"] == "stop":  # heard when it came in (see `stop`); what has finished by now need not
            if number not in self.long:
                self.stopping.discard(number)
            return
        if number in self.stopping:  # before it has begun
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
            self.say({"id": number, "error": self._reason(error)})

    def stop(self, number: int) -> None:
        """Tells a long request to finish, whatever it is at; called by the thread that reads."""
        self.stopping.add(number)
        if self.at_work == number:
            _thread.interrupt_main()

    def interrupt(self, number: int = signal.SIGINT, frame: FrameType | None = None) -> None:
        """Hears, as a handler of SIGINT in the main thread, that something is to stop; heeds it if it is at work.

        But not while a module is being loaded: what is cut off there may stay broken for as long as the process lives.
        Then it is told to stop at its next step.
        """
        if self.at_work in self.stopping and not _loading(frame):
            self.stopping.discard(self.at_work)
            raise KeyboardInterrupt

    def advance(self) -> None:
        """One step of a long request: of one that is to stop, or else of the one that came last."""
        number = next((n for n in self.long if n in self.stopping), next(reversed(self.long)))
        try:
            self._step(number, number in self.stopping)
        except Exception as error:
            self._forget(number)
            self.say({"id": number, "error": self._reason(error)})

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
            if inspect.getgeneratorstate(self.long[number]) != inspect.GEN_CLOSED:  # it had just come to its next step
                self.stopping.add(number)
                return
            self._forget(number)
            self.say({"id": number, "answer": {"stopped": True}})
        except Exception:
            self._forget(number)
            raise
        else:
            self.say({"id": number, "news": news})

    def _forget(self, number: int) -> None:
        self.long.pop(number, None)
        self.stopping.discard(number)

    def say(self, message: dict[str, Any]) -> None:
        try:
            self.out.write(json.dumps(message).encode() + b"\n")
            self.out.flush()
        except BrokenPipeError:
            raise SystemExit from None  # the server is gone; that is no fault of the request

    @staticmethod
    def _reason(error: Exception) -> str:
        if isinstance(error, ShownError):
            return str(error)
        sys.excepthook(type(error), error, error.__traceback__)
        return f"something went wrong inside ({type(error).__name__}: {error})."


def _loading(frame: FrameType | None) -> bool:
    """Whether a module is being loaded somewhere up the stack."""
    while frame is not None and frame.f_code.co_filename != "<frozen importlib._bootstrap>":
        frame = frame.f_back
    return frame is not None


def main() -> None:
    """Runs as `python -m shown.studio.worker NICENESS`, or, to be the process of a world, `… NICENESS WORLD`."""
    # Libraries may print; what is ours goes through a descriptor that nobody else has.
    out = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)
    if hasattr(os, "nice"):
        os.nice(int(sys.argv[1]))
    worker = Worker(out, _tasks(*sys.argv[2:]))
    signal.signal(signal.SIGINT, worker.interrupt)

    def read() -> None:
        for line in sys.stdin.buffer:
            if line.endswith(b"\n"):  # else the server was killed while it wrote
                request = json.loads(line)
                if request["do"] == "stop":
                    worker.stop(request["id"])
                worker.inbox.put(request)
        os._exit(0)  # the server is gone, even if it was killed; whatever runs here has nobody left to tell

    threading.Thread(target=read, daemon=True).start()
    try:
        worker.serve()
    except (KeyboardInterrupt, SystemExit):
        os._exit(0)


def _tasks(world: str | None = None) -> dict[str, Task]:
    if world is not None and world.startswith(WORLDS):
        from shown.studio.apart import WorldTasks

        return WorldTasks(world).table()
    if world is not None:
        from shown.studio.stage import StageTasks
        from shown.worlds import find

        return StageTasks(find(world)).table()
    from shown.studio.tasks import Tasks

    return Tasks().table()


if __name__ == "__main__":
    main()
