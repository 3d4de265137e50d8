"""A child process for code of other packages, so that code that hangs or crashes affects only its own page.

The server knows of it only what comes back as lines of JSON, and waits for a limited time. Each question is complete,
so a process that died or was ended is simply replaced.
"""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Coroutine
from typing import Any, Self, TypeVar

from shown.errors import BadInput, NoAnswer, ShownError
from shown.grid import Tokens, check_buttons
from shown.studio.children import ChildDied, ChildProcess
from shown.symmetry import Transformation
from shown.worlds import Playable

START_SECONDS = 60.0  # for the first answer of a process: libraries may take long to load
ANSWER_SECONDS = 5.0  # for any other answer
DESCRIBED = ("name", "title", "goal", "about", "max_steps")

T = TypeVar("T")


class IsolatedProcess:
    """A child process that may be asked from any thread, which then waits."""

    def __init__(self, name: str, seconds: float = ANSWER_SECONDS) -> None:
        self.name, self.seconds = name, seconds
        self._closed = False
        self._loop = asyncio.new_event_loop()
        threading.Thread(target=self._loop.run_forever, daemon=True).start()
        self.child = ChildProcess(f"plays {name}", 0, words=(name,))
        self._wait(self.child.start())

    def ask(self, do: str, **request: Any) -> dict[str, Any]:
        """Return the answer. BadInput if there is none; a process that takes too long is replaced."""
        return self._wait(self._ask(do, request))

    def close(self) -> None:
        if not self._closed:
            self._wait(self.child.close())
            self._closed = True
            self._loop.call_soon_threadsafe(self._loop.stop)

    def _wait(self, work: Coroutine[Any, Any, T]) -> T:
        if self._closed:
            work.close()
            raise BadInput(f"{self.name} is closed.")
        return asyncio.run_coroutine_threadsafe(work, self._loop).result()

    async def _ask(self, do: str, request: dict[str, Any]) -> dict[str, Any]:
        for _ in range(2):  # a process that died is asked again once, as the next one
            try:
                if not self.child.loaded:  # it may load for long, but not take long to answer
                    await self._answer("describe", {}, START_SECONDS)
                return await self._answer(do, request, self.seconds)
            except ChildDied:
                continue
            except BadInput:
                raise
            except ShownError as error:
                raise BadInput(str(error)) from None
        raise BadInput(f"{self.name} has crashed twice at this point. Try something else.")

    async def _answer(self, do: str, request: dict[str, Any], seconds: float) -> dict[str, Any]:
        try:
            return await asyncio.wait_for(self.child.begin(do, **request)[1], seconds)
        except TimeoutError:
            self.child.replace()
            raise NoAnswer(
                f"{self.name} has not answered for {seconds:.0f} seconds, so it was restarted. Try again."
            ) from None


class Isolated:
    """A game or world in a child process. Close it, or use it as a context manager."""

    process: IsolatedProcess

    def _describe(self, name: str, seconds: float) -> dict[str, Any]:
        """Start the process, take over the attributes of its game or world, and return what else it tells."""
        self.process = IsolatedProcess(name, seconds)
        try:
            told = self.process.ask("describe")
            for key in DESCRIBED:
                wanted = int if key == "max_steps" else str
                if not isinstance(told[key], wanted):
                    raise BadInput(f"{name}: its {key} must be {'a whole number' if wanted is int else 'text'}.")
            check_buttons(told["buttons"], f"{name}: its buttons")
            tokens = Tokens(**told.pop("tokens"))
            symmetries = tuple(map(Transformation.from_json, told.pop("symmetries")))
        except BadInput:
            self.close()
            raise
        vars(self).update({key: told.pop(key) for key in DESCRIBED})
        vars(self).update(tokens=tokens, symmetries=symmetries, buttons=tuple(told.pop("buttons")))
        return told

    def close(self) -> None:
        self.process.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


def description(game: Playable) -> dict[str, Any]:
    """Return the attributes that every game and world has, in the child process."""
    return {
        **{key: getattr(game, key) for key in DESCRIBED},
        "tokens": game.tokens.characters,
        "buttons": list(game.buttons),
        "symmetries": [transformation.to_json() for transformation in game.symmetries],
    }
