"""The queue of games to learn: in order, one at a time."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest

from shown.studio import learning_queue
from shown.studio.children import ChildDied
from shown.studio.learning_queue import LearningJob, LearningQueue


class PretendLearner:
    """A process that learns a job when it is told to."""

    def __init__(self) -> None:
        self.ready = asyncio.Event()
        self.ready.set()
        self.asked: dict[int, tuple[dict[str, Any], Callable[[dict[str, Any]], None], asyncio.Future[Any]]] = {}
        self.stopped: list[int] = []
        self.replaced = 0

    def begin(self, do: str, news: Any, /, **request: Any) -> tuple[int, asyncio.Future[Any]]:
        number = len(self.asked)
        self.asked[number] = (request, news, asyncio.get_running_loop().create_future())
        return number, self.asked[number][2]

    def stop(self, number: int) -> None:
        self.stopped.append(number)

    def replace(self) -> None:
        self.replaced += 1

    @property
    def at(self) -> str:
        """The game asked for last."""
        return self.asked[len(self.asked) - 1][0]["game"]

    async def end(self, result: Any) -> None:
        answer = self.asked[len(self.asked) - 1][2]
        if isinstance(result, Exception):
            answer.set_exception(result)
        else:
            answer.set_result(result)
        await _settle()


class Room:
    """A queue, and the results of its jobs."""

    def __init__(self) -> None:
        self.learner = PretendLearner()
        self.queue = LearningQueue(self.learner)  # type: ignore[arg-type]
        self.done: list[tuple[str, Any]] = []

    async def put(self, *games: str) -> None:
        for game in games:

            def done(result: Any, game: str = game) -> None:
                self.done.append((game, result))

            self.queue.put(LearningJob(game, game.title(), {"game": game}, lambda _: None, done, lambda: None))
        await _settle()


async def _settle() -> None:
    for _ in range(5):
        await asyncio.sleep(0)


def run(story: Callable[[Room], Coroutine[Any, Any, None]]) -> None:
    async def whole() -> None:
        room = Room()
        await story(room)
        room.queue.close()

    with ThreadPoolExecutor(1) as thread:  # in this one a browser may have an event loop
        thread.submit(asyncio.run, whole()).result()


def test_games_are_learned_in_order_and_to_the_end():
    async def story(room: Room) -> None:
        await room.put("nim", "chase", "checkmate")
        assert (room.learner.at, room.learner.stopped) == ("nim", [])
        assert [room.queue.waits_for(game) for game in ("nim", "chase", "checkmate")] == [None, "Nim", "Nim"]
        for game in ("nim", "chase", "checkmate"):
            assert room.learner.at == game
            await room.learner.end({"of": game})
        assert room.done == [(game, {"of": game}) for game in ("nim", "chase", "checkmate")]

    run(story)


def test_a_new_job_replaces_a_waiting_one_in_its_place_and_cancels_a_running_one():
    async def story(room: Room) -> None:
        await room.put("nim", "chase", "checkmate")
        await room.put("chase")
        await room.put("nim")
        assert room.learner.stopped == [0]
        assert room.learner.at == "chase"
        await room.learner.end({})
        await room.learner.end({})
        await room.learner.end({})
        assert [game for game, _ in room.done] == ["chase", "checkmate", "nim"]

    run(story)


@pytest.mark.parametrize("running", [True, False])
def test_stop_and_remove_are_about_the_own_game(running):
    async def story(room: Room) -> None:
        await room.put("nim", "chase")
        game = "nim" if running else "chase"
        room.queue.stop(game)
        assert room.learner.stopped == ([0] if running else [])
        assert room.done == ([] if running else [("chase", {"stopped": True})])
        room.queue.remove(game)
        await _settle()
        assert room.learner.at == ("chase" if running else "nim")
        assert room.queue.waits_for(game) is None

    run(story)


def test_a_learner_that_dies_is_asked_again_once_and_then_the_next_game_is_learned():
    async def story(room: Room) -> None:
        await room.put("nim", "chase")
        await room.learner.end(ChildDied("it died"))
        assert (room.learner.at, room.done) == ("nim", [])
        await room.learner.end(ChildDied("it died"))
        assert isinstance(room.done[0][1], ChildDied)
        assert room.learner.at == "chase"

    run(story)


def test_a_learner_that_does_not_heed_a_stop_is_replaced(monkeypatch):
    monkeypatch.setattr(learning_queue, "BEST_SECONDS", 0.01)

    async def story(room: Room) -> None:
        await room.put("nim", "chase")
        room.queue.stop("nim")
        await asyncio.sleep(0.05)
        await _settle()
        assert room.learner.replaced == 1
        assert "did not stop" in str(room.done[0][1])
        assert room.learner.at == "chase"

    run(story)
