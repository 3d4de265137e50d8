"""Missions of Minigrid and BabyAI: what to do next, and with which objects.

BabyAI's instructions name their objects. Elsewhere the mission is a sentence, such as "pick up the red ball" or "open
the red door then the blue door"; each object in it has a color and a kind.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

_NAMED = re.compile(r"\b(red|green|blue|purple|yellow|grey) (ball|key|box|door)\b")

_ACTIONS = {"GoToInstr": "done", "OpenInstr": "toggle", "PickupInstr": "pickup"}
"""What to do in front of the object of an instruction."""


@dataclass(frozen=True)
class Target:
    """What to do next.

    Attributes:
        things: the objects with which it can be done, on the map.
        action: the action to take in front of one of them.
    """

    things: tuple[Any, ...]
    action: str

    def has(self, thing: Any) -> bool:
        """Return whether this object, or None, is one of the target's."""
        return thing is not None and any(thing is other for other in self.things)


NOTHING = Target((), "done")


def target_of(env: Any) -> Target:
    """Return the target of the first part of the mission that is not done; `NOTHING` if the mission names none."""
    instructions = getattr(env, "instrs", None)
    found = _of_sentence(env) if instructions is None else _of_instruction(instructions, env)
    return next(found, NOTHING)


def _of_instruction(instruction: Any, env: Any) -> Iterator[Target]:
    """Yield the targets of BabyAI's instructions that are not done, in their order."""
    kind = type(instruction).__name__
    if hasattr(instruction, "instr_a"):
        parts = [(instruction.instr_a, instruction.a_done), (instruction.instr_b, instruction.b_done)]
        for part, done in reversed(parts) if kind == "AfterInstr" else parts:
            if done != "success":
                yield from _of_instruction(part, env)
    elif kind in _ACTIONS:
        yield Target(tuple(instruction.desc.obj_set), _ACTIONS[kind])
    elif kind == "PutNextInstr":
        carried = any(env.carrying is thing for thing in instruction.desc_move.obj_set)
        if not carried:
            yield Target(tuple(instruction.desc_move.obj_set), "pickup")
        yield Target(tuple(instruction.desc_fixed.obj_set), "drop")


def _of_sentence(env: Any) -> Iterator[Target]:
    """Yield the targets of a sentence that are not done, in its order: opened doors and what is carried are done."""
    mission = str(getattr(env, "mission", ""))
    for number, (color, kind) in enumerate(_NAMED.findall(mission)):
        carried = env.carrying is not None and (env.carrying.color, env.carrying.type) == (color, kind)
        things = tuple(
            thing for thing in env.grid.grid if thing is not None and (thing.color, thing.type) == (color, kind)
        )
        if mission.startswith("go to"):
            yield Target(things, "done")
        elif mission.startswith("put") and number:
            yield Target(things, "drop")
        elif not carried and not all(kind == "door" and thing.is_open for thing in things):
            yield Target(things, "toggle" if kind == "door" else "pickup")
