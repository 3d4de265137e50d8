"""Minigrid: three ways of seeing it, and an expert that searches.

What stands on a cell is its kind; doors are closed or locked, and what can be walked over (floor, a door that is open)
is `empty`; colours and the mission are not seen. What the agent carries is not on the map any more, which is how rules
know of it.

- `full`: the whole map as it is; the agent is one of four tokens, by the way it looks.
- `turned`: the whole map, turned so that the agent looks up. "Ahead" is then the same direction whichever way it looks,
  and one rule does for four.
- `partial`: what the agent itself sees, 7 × 7 cells before it, turned alike; the agent stands in the last row.
"""

from __future__ import annotations

from collections.abc import Iterator
from types import MethodType
from typing import Any

import numpy as np

from shown.errors import BadInput
from shown.grid import Cell, Grid, Tokens
from shown.symmetry import Transformation

KINDS = {
    **{"empty": ".", "wall": "#", "goal": "G", "lava": "~", "key": "k", "ball": "o", "box": "b"},
    **{"closed_door": "+", "locked_door": "D"},
}
FACING = ("agent_right", "agent_down", "agent_left", "agent_up")
"""As Minigrid numbers the ways to look."""

WAYS = {"full": dict(zip(FACING, ">v<^", strict=True)), "turned": {"agent": "A"}, "partial": {"agent": "A"}}
"""The ways of seeing, and how each shows the agent."""

ABOUT = {
    "full": "",
    "turned": "The map turns with the agent, so that it always looks up: forward is up, and left turns the map right.",
    "partial": "Only what the agent sees: it stands in the middle of the last row and looks up.",
}
"""What a newcomer must know of each way of seeing."""

LOOKED_AT = 20
"""From so many seeds it is told which kinds of things a world has: few tokens make all programs more probable."""

NUMBERED = {0: "?", 1: ".", 2: "#", 3: ".", 5: "k", 6: "o", 7: "b", 8: "G", 9: "~"}
DOOR, DOORS = 4, ".+D"
"""How Minigrid numbers what an agent sees, and the states of a door: open, closed, locked."""

MIRRORED = Transformation("left-right", buttons=(("left", "right"),))
"""Where the agent looks up, a mirrored world is the same world with left and right exchanged."""


class MinigridView:
    """A way to see a Minigrid environment; `way` is "full", "turned" or "partial"."""

    def __init__(self, env: Any, way: str = "turned") -> None:
        self.name, self.symmetries = way, () if way == "full" else (MIRRORED,)
        self.about = ABOUT[way]
        self.tokens = Tokens(**_kinds(env, way), **WAYS[way])
        self._look = {"full": _full, "turned": _turned, "partial": _partial}[way]

    def __call__(self, env: Any, observation: Any) -> Grid:
        grid = self._look(env.unwrapped)
        if "closed_door" not in self.tokens.names and KINDS["closed_door"] in grid.text:
            # Somebody has shut a door again that was locked at first; here it looks as it did then.
            return Grid(tuple(row.replace(KINDS["closed_door"], KINDS["locked_door"]) for row in grid.rows))
        return grid

    def lighten(self, env: Any) -> None:
        """Spares an environment what this way of seeing does not look at: what the agent itself sees, on which it
        spends nearly all the time of a step."""
        if self._look is not _partial:
            env.unwrapped.gen_obs = MethodType(_nothing_seen, env.unwrapped)


def _nothing_seen(env: Any) -> dict[str, Any]:
    """An observation with nothing in it."""
    size = env.agent_view_size
    return {"image": np.zeros((size, size, 3), dtype=np.uint8), "direction": env.agent_dir, "mission": env.mission}


def is_minigrid(env: Any) -> bool:
    """Whether an environment is one of Minigrid's, without importing that."""
    return any(kind.__name__ == "MiniGridEnv" for kind in type(env.unwrapped).__mro__)


def _kinds(env: Any, way: str) -> dict[str, str]:
    """The tokens for what stands on the maps of the first seeds, or can come to do so, in the order of `KINDS`."""
    seen = {"empty"}
    for seed in range(LOOKED_AT):
        env.reset(seed=seed)
        things = env.unwrapped.grid.grid
        inside = [thing.contains for thing in things if getattr(thing, "contains", None) is not None]
        seen |= {_kind(thing) for thing in (*things, *inside)}
        if "locked_door" not in seen and any(thing is not None and thing.type == "door" for thing in things):
            seen.add("closed_door")  # one that is open now can be shut
    unseen = {"unseen": "?"} if way == "partial" else {}
    return {name: character for name, character in KINDS.items() if name in seen} | unseen


def _kind(thing: Any) -> str:
    if thing is None or thing.type == "floor":
        return "empty"
    if thing.type == "door":
        return "empty" if thing.is_open else "locked_door" if thing.is_locked else "closed_door"
    if thing.type not in KINDS:
        raise BadInput(f"Minigrid's {thing.type!r} is not a thing this way of seeing knows. Known: {', '.join(KINDS)}.")
    return str(thing.type)


def _characters(things: Any) -> str:
    """What stands on some cells; nothing and walls, which are most of them, without asking further."""
    return "".join(["." if thing is None else "#" if thing.type == "wall" else KINDS[_kind(thing)] for thing in things])


def _rows(env: Any, agent: str) -> list[str]:
    """The map with the agent on it."""
    width, things = env.width, _characters(env.grid.grid)
    column, row = (int(x) for x in env.agent_pos)
    at = row * width + column
    things = things[:at] + agent + things[at + 1 :]
    return [things[i : i + width] for i in range(0, len(things), width)]


def _full(env: Any) -> Grid:
    return Grid(tuple(_rows(env, WAYS["full"][FACING[env.agent_dir]])))


def _turned(env: Any) -> Grid:
    rows = _rows(env, "A")
    for _ in range((env.agent_dir + 1) % 4):
        rows = ["".join(row) for row in zip(*rows, strict=True)][::-1]  # a quarter against the clock
    return Grid(tuple(rows))


def _partial(env: Any) -> Grid:
    return partial(env.gen_obs()["image"])


def partial(image: Any) -> Grid:
    """What the agent sees, from Minigrid's own numbers: the kind of each thing, its colour and its state. [W, H, 3]"""
    array = np.asarray(image)
    if array.ndim != 3 or array.shape[2] != 3 or array.dtype.kind not in "iu":
        raise BadInput(f"Minigrid's image must be whole numbers, [width, height, 3], not {array.dtype}, {array.shape}.")
    try:
        rows = [
            "".join(DOORS[state] if kind == DOOR else NUMBERED[kind] for kind, _, state in row)
            for row in array.transpose(1, 0, 2).tolist()
        ]
    except (KeyError, IndexError):
        raise BadInput("Minigrid's image has a thing in it that this way of seeing does not know.") from None
    return Grid(tuple(rows)).with_cells({(len(rows) - 1, len(rows[0]) // 2): "A"})


# --- the expert -------------------------------------------------------------------------------------------------------


def expert(env: Any) -> int:
    """The next action of an agent that searches: to the goal if there is a way; otherwise to a door it can open;
    otherwise to a key.

    It goes by the number of cells still to go, and prefers ahead to left, left to right and right to back. So it does
    the same in like places, as somebody does who wants to be understood.
    """
    return as_good(env)[0]


def as_good(env: Any) -> list[int]:
    """What that agent could do now, first what it does: to turn left is as good as to turn right where both or neither
    lead nearer."""
    bare = env.unwrapped
    (x, y), (dx, dy) = bare.agent_pos, bare.dir_vec
    here, ahead = (int(y), int(x)), (int(y + dy), int(x + dx))
    left, right = (int(y - dx), int(x + dy)), (int(y + dx), int(x - dy))
    for targets, action in _aims(bare):
        distance = _distances(bare, targets)
        if here not in distance:
            continue
        nearer = {cell for cell in (ahead, left, right) if distance.get(cell, distance[here]) < distance[here]}
        if ahead in nearer:
            return [int(getattr(bare.actions, action if ahead in targets else "forward"))]
        turns = {int(bare.actions.left): left in nearer, int(bare.actions.right): right in nearer}
        return [turn for turn, good in turns.items() if good or not any(turns.values())]
    raise BadInput("the expert sees no way: there is no goal, door or key that it can reach.")


def _aims(env: Any) -> Iterator[tuple[set[Cell], str]]:
    """What to go for, the most wanted first, and what to do in front of it."""
    things = {(i // env.width, i % env.width): _kind(thing) for i, thing in enumerate(env.grid.grid)}

    def of(kind: str) -> set[Cell]:
        return {cell for cell, other in things.items() if other == kind}

    yield of("goal"), "forward"
    yield of("closed_door"), "toggle"
    if env.carrying is not None and env.carrying.type == "key":
        yield {cell for cell in of("locked_door") if env.grid.get(*cell[::-1]).color == env.carrying.color}, "toggle"
    if env.carrying is None:
        yield of("key"), "pickup"


def _distances(env: Any, targets: set[Cell]) -> dict[Cell, int]:
    """How many cells it is from each cell to the nearest target, on free ground."""
    distance = dict.fromkeys(targets, 0)
    edge = list(targets)
    while edge:
        further = []
        for row, column in edge:
            for cell in ((row - 1, column), (row + 1, column), (row, column - 1), (row, column + 1)):
                if cell not in distance and _is_free(env.grid.get(cell[1], cell[0])):
                    distance[cell] = distance[row, column] + 1
                    further.append(cell)
        edge = further
    return distance


def _is_free(thing: Any) -> bool:
    return _kind(thing) in ("empty", "goal")
