"""A child process of the studio: it learns, or it plays, so that the server never has to think.

Requests come in as lines of JSON, answers and news go out as lines of JSON; nothing else passes between the processes.
A quick request is a function that returns its answer. A long one is a generator: each thing it yields is news, what it
returns is the answer, and between two steps the quick requests that have come in meanwhile are served first. A long
request that is told to stop gets True as the value of its next `yield` and finishes with what it has.
"""

from __future__ import annotations

import json
import os
import queue
import sys
import threading
from collections.abc import Callable, Generator
from types import GeneratorType
from typing import Any, BinaryIO

from shown.errors import ShownError

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
        """Serves one quick request, or begins or stops a long one."""
        number = request["id"]
        if request["do"] == "stop":
            if number in self.long:
                self.stopping.add(number)
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

    def advance(self) -> None:
        """One step of a long request: of one that is to stop, or else of the one that came last."""
        number = next(iter(self.stopping), next(reversed(self.long)))
        try:
            self._step(number, number in self.stopping)
        except Exception as error:
            self._forget(number)
            self.say({"id": number, "error": self._reason(error)})

    def _step(self, number: int, stop: bool | None) -> None:
        try:
            self.say({"id": number, "news": self.long[number].send(stop)})
        except StopIteration as end:
            self._forget(number)
            self.say({"id": number, "answer": end.value})
        except Exception:
            self._forget(number)
            raise

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


def main() -> None:
    """Runs as `python -m shown.studio.worker NICENESS`."""
    # Libraries may print; what is ours goes through a descriptor that nobody else has.
    out = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)
    if hasattr(os, "nice"):
        os.nice(int(sys.argv[1]))
    from shown.studio.tasks import Tasks

    worker = Worker(out, Tasks().table())

    def read() -> None:
        for line in sys.stdin.buffer:
            if line.endswith(b"\n"):  # else the server was killed while it wrote
                worker.inbox.put(json.loads(line))
        os._exit(0)  # the server is gone, even if it was killed; whatever runs here has nobody left to tell

    threading.Thread(target=read, daemon=True).start()
    try:
        worker.serve()
    except (KeyboardInterrupt, SystemExit):
        os._exit(0)


if __name__ == "__main__":
    main()
