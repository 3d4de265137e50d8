"""Turns at the learners: fair to all pupils of a class, and in order for one teacher."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest

from shown.studio import learning_queue
from shown.studio.learning_queue import LearningJob, LearningQueue


class PretendLearner:
    """A process that learns a job when it is told to."""

    def __init__(self) -> None:
        self.ready = asyncio.Event()
        self.ready.set()
        self.asked: dict[int, tuple[dict[str, Any], Callable[[dict[str, Any]], None], asyncio.Future[Any]]] = {}
        self.stopped: list[tuple[int, bool]] = []
        self.replaced = 0

    def begin(self, do: str, news: Any, /, **request: Any) -> tuple[int, asyncio.Future[Any]]:
        number = len(self.asked)
        self.asked[number] = (request, news, asyncio.get_running_loop().create_future())
        return number, self.asked[number][2]

    def stop(self, number: int, gently: bool = False) -> None:
        self.stopped.append((number, gently))

    def replace(self) -> None:
        self.replaced += 1

    @property
    def at(self) -> str:
        """What is being learned."""
        return "".join(request["name"] for request, _, answer in self.asked.values() if not answer.done())

    async def rule(self) -> None:
        self.asked[len(self.asked) - 1][1]({"policy": {}, "summary": {}})
        await _settle()

    async def finish(self, **result: Any) -> None:
        self.asked[len(self.asked) - 1][2].set_result({"stopped": False, **result})
        await _settle()


class Room:
    """A queue with a clock that stands still, and the results of its jobs."""

    def __init__(self, learners: int = 1) -> None:
        self.now = 100.0
        self.learners = [PretendLearner() for _ in range(learners)]
        self.queue = LearningQueue(self.learners, lambda: self.now)  # type: ignore[arg-type]
        self.done: list[str] = []
        self.heard: list[str] = []

    async def put(self, owner: str, game: str = "nim", before: Any = None) -> None:
        name = f"{owner}-{game} "
        request = {"name": name, "before": before, "used": []}

        def hear(message: dict[str, Any]) -> None:
            self.heard.append(f"{name}{'waits' if message.get('waiting') else 'news'}")

        self.queue.put(
            LearningJob(owner, game, game.title(), request, hear, lambda _: self.done.append(name), lambda: None)
        )
        await _settle()

    async def pass_time(self, seconds: float) -> None:
        self.now += seconds
        self.queue._make_room()
        await _settle()


async def _settle() -> None:
    for _ in range(5):
        await asyncio.sleep(0)


def run(work: Coroutine[Any, Any, None]) -> None:
    with ThreadPoolExecutor(1) as thread:  # in this one a browser may have an event loop
        thread.submit(asyncio.run, work).result()


def test_one_teacher_s_games_are_learned_in_order_and_to_the_end():
    async def story() -> None:
        room, (learner,) = (found := Room()), found.learners
        for game in ("nim", "chase", "checkmate"):
            await room.put("", game)
        await learner.rule()
        await room.pass_time(1000)
        assert (learner.at, learner.stopped) == ("-nim ", [])
        assert room.queue.waits_for("", "chase") == "Nim"
        assert room.queue.waits_for("", "nim") is None
        await learner.finish()
        assert learner.at == "-chase "
        await room.put("", "nim")
        await learner.finish()
        assert learner.at == "-checkmate "
        room.queue.close()

    run(story())


def test_a_turn_ends_gently_when_others_wait_and_goes_on_later_from_its_best_rule():
    async def story() -> None:
        room, (learner,) = (found := Room()), found.learners
        await room.put("anna")
        await room.put("ben")
        assert room.queue.waits_for("ben", "nim") == "others"
        await room.pass_time(learning_queue.TURN_SECONDS + 1)
        assert not learner.stopped  # Anna has no rule yet
        await learner.rule()
        assert learner.stopped == [(0, True)]
        await learner.finish(stopped=True, policy={"best": 1}, used=[0])
        assert learner.at == "ben-nim "
        assert room.heard == ["anna-nim news", "anna-nim waits"]
        await learner.rule()
        assert learner.stopped == [(0, True)]  # nobody waits for a first rule
        await learner.finish()
        assert room.done == ["ben-nim "]
        assert learner.at == "anna-nim "
        again = {"name": "anna-nim ", "before": {"best": 1}, "used": [0], "brief": False}
        assert learner.asked[2][0] == again
        await learner.rule()
        await room.put("ben")
        assert learner.stopped == [(0, True)]
        await room.pass_time(learning_queue.URGENT_SECONDS)
        assert learner.stopped == [(0, True), (2, True)]
        room.queue.close()

    run(story())


def test_turns_of_those_who_go_on_get_longer():
    async def story() -> None:
        room, (learner,) = (found := Room()), found.learners
        await room.put("anna")
        await room.put("ben")
        lengths = []
        for _ in range(6):
            begun, count = room.now, len(learner.stopped)
            await learner.rule()
            while len(learner.stopped) == count and room.now < begun + 100:
                await room.pass_time(0.5)
            lengths.append(room.now - begun)
            await learner.finish(stopped=True, policy={})
        # Anna's first turn ended with its rule, because Ben waited for his first one; he has a whole one.
        assert lengths == [0, 2, 4, 4, 8, 8]
        room.queue.close()

    run(story())


def test_first_rules_come_before_continuations_but_not_for_ever():
    async def story() -> None:
        room, (learner,) = (found := Room()), found.learners
        await room.put("anna")
        await room.put("ben")
        await learner.rule()
        await room.pass_time(learning_queue.TURN_SECONDS)
        await learner.finish(stopped=True, policy={})
        await room.put("carla")
        await learner.finish()
        assert learner.at == "carla-nim "
        room.now += learning_queue.CONTINUE_SECONDS + learning_queue.NEXT_SECONDS
        await room.put("dora")
        await learner.finish()
        assert learner.at == "anna-nim "
        room.queue.close()

    run(story())


def test_a_first_turn_is_brief_if_others_wait_and_goes_on_later():
    async def story() -> None:
        room, (learner,) = (found := Room()), found.learners
        for pupil in ("anna", "ben"):
            await room.put(pupil)
        await learner.finish()
        await room.put("carla", before={"old": 1})
        await learner.finish()
        assert [request["brief"] for request, _, _ in learner.asked.values()] == [False, False, False]
        await room.put("dora")
        await learner.finish()
        await room.put("emma")
        await room.put("anna")
        await learner.finish()
        assert (learner.at, learner.asked[4][0]["brief"]) == ("emma-nim ", True)
        await learner.rule()
        await learner.finish(stopped=True, policy={"brief": 1})
        assert (learner.at, room.heard[-1], "emma-nim " in room.done) == ("anna-nim ", "emma-nim waits", False)
        room.queue.close()

    run(story())


def test_one_of_two_later_turns_makes_room_for_a_first_one_at_once_and_the_other_after_a_while():
    async def story() -> None:
        room, learners = (found := Room(2)), found.learners
        for pupil in ("anna", "ben", "carla"):
            await room.put(pupil)
        for learner in learners:
            await learner.rule()
            await room.pass_time(learning_queue.TURN_SECONDS)
            await learner.finish(stopped=True, policy={})
        await learners[0].finish()
        assert [learner.at for learner in learners] == ["ben-nim ", "anna-nim "]
        for learner in learners:
            learner.stopped = []
            await learner.rule()
        await room.pass_time(learning_queue.SHORT_SECONDS)
        await room.put("dora")
        assert [len(learner.stopped) for learner in learners] == [0, 1]
        await room.pass_time(learning_queue.URGENT_SECONDS)
        assert [len(learner.stopped) for learner in learners] == [1, 1]
        room.queue.close()

    run(story())


def test_many_games_of_one_pupil_wait_behind_those_of_others():
    async def story() -> None:
        room, learners = (found := Room(2)), found.learners
        for game in ("nim", "chase", "checkmate"):
            await room.put("anna", game)
        assert [learner.at for learner in learners] == ["anna-nim ", ""]  # one at a time
        await room.put("ben")
        room.now += 1
        await room.put("carla")
        await learners[0].finish()
        assert [learner.at for learner in learners] == ["carla-nim ", "ben-nim "]
        await learners[1].finish()
        assert learners[1].at == "anna-chase "
        room.queue.close()

    run(story())


def test_a_hopeless_lesson_does_not_hold_up_others():
    async def story() -> None:
        room, (learner,) = (found := Room()), found.learners
        await room.put("anna")
        await room.put("ben")
        await room.pass_time(learning_queue.MAX_TURN_SECONDS)
        assert learner.stopped == [(0, True)]
        await learner.finish(stopped=True)
        assert learner.at == "ben-nim "
        assert learner.asked[0][0]["before"] is None
        room.queue.close()

    run(story())


def test_a_game_with_an_earlier_rule_has_no_long_turn_without_a_new_one():
    async def story() -> None:
        room, (learner,) = (found := Room()), found.learners
        await room.put("anna", before={"old": 1})
        await room.put("ben")
        await room.pass_time(learning_queue.TURN_SECONDS)
        assert learner.stopped == [(0, True)]
        await learner.finish(stopped=True, policy={"old": 1})
        assert room.heard == ["anna-nim waits"]  # the earlier rule is not called a new one
        room.queue.close()

    run(story())


@pytest.mark.parametrize("running", [True, False])
def test_stop_and_new_demonstrations_are_about_the_own_game(running):
    async def story() -> None:
        room, (learner,) = (found := Room()), found.learners
        await room.put("anna")
        await room.put("ben")
        owner = "anna" if running else "ben"
        room.queue.stop(owner, "nim")
        assert learner.stopped == ([(0, False)] if running else [])
        assert room.done == ([] if running else ["ben-nim "])
        await room.put(owner)
        assert learner.at.endswith("ben-nim " if running else "anna-nim ")
        room.queue.remove(owner, "nim")
        assert room.queue.waits_for(owner, "nim") is None
        room.queue.close()

    run(story())
