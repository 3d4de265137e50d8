"""A world in a process of its own is the same world; what becomes of that process is one line."""

from __future__ import annotations

import pytest

from shown.errors import BadInput
from shown.studio.apart import Apart
from shown.studio.places import place_of
from shown.world import play
from shown.worlds import find

LAKE, ROOM = "gym:FrozenLake-v1", "gym:MiniGrid-Empty-Random-6x6-v0"
ATTRIBUTES = (
    *("name", "title", "goal", "about", "tokens", "buttons", "max_steps", "symmetries", "seen_whole", "levels_of"),
)


@pytest.mark.parametrize("name", [LAKE, ROOM])
def test_it_is_the_same_world(name):
    here = find(name)
    with Apart(name) as there:
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


def test_a_process_that_is_gone_is_one_line_and_the_next_question_starts_another():
    with Apart(LAKE) as lake:
        first = lake.reset(0)
        assert lake._child is not None
        lake._child._process.kill()
        with pytest.raises(BadInput, match=r"^gym:FrozenLake-v1: it has ended by itself\. It is started again"):
            lake.step("right")
        assert lake.reset(0) == first
        assert not lake.step("right").over


def test_what_is_no_world_is_one_line_and_leaves_no_process():
    with pytest.raises(BadInput, match="no environment called 'FrozenLak-v1'"):
        Apart("gym:FrozenLak-v1")


def test_lessons_begin_there_as_they_do_here():
    with Apart(LAKE) as lake:
        here, there = place_of(find(LAKE)), place_of(lake)
        assert there.lessons == here.lessons
        assert there.knows is here.knows is True
