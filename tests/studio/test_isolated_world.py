"""A world in a process of its own is the same world; what becomes of that process is one line."""

from __future__ import annotations

import os
import signal

import pytest

from shown.errors import BadInput
from shown.studio.isolated import START_SECONDS, Isolated, IsolatedWorld
from shown.teaching.lessons.starts import curriculum
from shown.worlds import find, play

LAKE, ROOM = "gym:FrozenLake-v1", "gym:MiniGrid-Empty-Random-6x6-v0"
ATTRIBUTES = (
    *("name", "title", "goal", "about", "tokens", "buttons", "max_steps", "symmetries", "fully_observed", "has_levels"),
)


@pytest.mark.parametrize("name", [LAKE, ROOM])
def test_it_is_the_same_world(name):
    here = find(name)
    with IsolatedWorld(name) as there:
        for attribute in ATTRIBUTES:
            assert getattr(there, attribute) == getattr(here, attribute), attribute
        for seed in (0, 7):
            shown = play(here, lambda _: here.expert(), seed)
            assert play(there, lambda _: there.expert(), seed) == shown
            actions = iter([step.action for step in shown.steps])
            assert play(there, lambda _, actions=actions: next(actions), seed) == shown
        # Back to where it was, and on in another way, as somebody does who takes a step back.
        for world in (here, there):
            world.reset(7)
            world.step(here.buttons[0])
        assert here.step(here.buttons[2]) == there.step(here.buttons[2])


def test_a_process_that_died_is_replaced_and_asked_again():
    with IsolatedWorld(LAKE) as lake:
        first = lake.reset(0)
        before = lake.child._process.pid
        os.kill(before, signal.SIGKILL)
        assert not lake.step("right").over
        assert lake.child._process.pid != before
        assert lake.reset(0) == first


def test_a_process_that_died_gets_as_long_to_start_as_the_first_one(monkeypatch):
    limits = []
    answer = Isolated._answer

    async def noted(self, do, request, seconds):
        limits.append((do, seconds))
        return await answer(self, do, request, seconds)

    monkeypatch.setattr(Isolated, "_answer", noted)
    with IsolatedWorld(LAKE) as lake:
        first = lake.reset(0)
        child = lake.child
        limits.clear()
        # Death may be noticed first by its exit status or first by its closed pipe.
        child._process._transport._returncode = -signal.SIGKILL
        assert not child.loaded
        os.kill(child._process.pid, signal.SIGKILL)
        lake.step("right")
        assert limits[0] == ("describe", START_SECONDS)
        assert lake.reset(0) == first


def test_what_is_no_world_is_one_line_and_leaves_no_process():
    with pytest.raises(BadInput, match="no environment called 'FrozenLak-v1'"):
        IsolatedWorld("gym:FrozenLak-v1")


def test_lessons_begin_there_as_they_do_here():
    with IsolatedWorld(LAKE) as lake:
        assert curriculum(lake) == curriculum(find(LAKE))
        assert lake.has_expert
