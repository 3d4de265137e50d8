"""Minigrid: three views, and an expert that searches.

A cell shows the kind of its object; doors are closed or locked; floors and open doors are `empty`. Colors are not
visible, but what the mission names next (`missions`) is a `target`, whatever its kind. What the agent carries is not on
the map, which is how rules can tell.

- `full`: the whole map; the agent is one of four tokens, by its direction.
- `turned`: the whole map, turned so that the agent faces up: "ahead" is one direction, and one rule does for four.
- `partial`: the agent's own 7 × 7 cells, turned alike; the agent stands in the last row.
"""

from __future__ import annotations

import contextlib
import io
import math
from collections.abc import Container, Iterator, Sequence
from typing import Any

import numpy as np

from shown.errors import BadInput
from shown.grid import Cell, Grid, Tokens
from shown.symmetry import Transformation
from shown.worlds.missions import NOTHING, Target, target_of
from shown.worlds.walking_distances import distances

KINDS = {
    **{"empty": ".", "wall": "#", "goal": "G", "lava": "~", "key": "k", "ball": "o", "box": "b"},
    **{"closed_door": "+", "locked_door": "D", "target": "X"},
}
FACING = ("agent_right", "agent_down", "agent_left", "agent_up")
"""In the order of Minigrid's directions."""

AGENTS = {"full": dict(zip(FACING, ">v<^", strict=True)), "turned": {"agent": "A"}, "partial": {"agent": "A"}}
"""The tokens of the agent, by view."""

ABOUT = {
    "full": "",
    "turned": "The map turns with the agent, so that it always looks up: forward is up, and left turns the map right.",
    "partial": "Only what the agent sees: it stands in the middle of the last row and looks up.",
}
"""What a newcomer must know about each view."""

INSPECTED_SEEDS = 20
"""Seeds whose maps determine the tokens. Few tokens make all programs more probable."""

NUMBERED = {0: "?", 1: ".", 2: "#", 3: ".", 5: "k", 6: "o", 7: "b", 8: "G", 9: "~"}
DOOR, DOORS = 4, ".+D"
"""Minigrid's numbers of objects, and the states of a door: open, closed, locked."""

MIRRORED = Transformation("left-right", buttons=(("left", "right"),))
"""Where the agent faces up, mirroring the world exchanges left and right."""


class MinigridView:
    """A view of a Minigrid environment: "full", "turned" or "partial"."""

    def __init__(self, env: Any, view: str = "turned") -> None:
        self.name, self.symmetries = view, () if view == "full" else (MIRRORED,)
        # Obstacles that move at random may open a way for an agent that waits.
        self.fully_observed = view != "partial" and not hasattr(env.unwrapped, "n_obstacles")
        self.tokens = Tokens(**_kinds(env, view), **AGENTS[view])
        self._has_target = "target" in self.tokens.names
        self.about, self.goal = ABOUT[view], ""
        if self._has_target:
            self.about = f"{self.about} What the mission names next is the target.".strip()
            self.goal = "Do what the mission says with the target."
        self._look = {"full": _full, "turned": _turned, "partial": _partial}[view]

    def __call__(self, env: Any, observation: Any) -> Grid:
        bare = env.unwrapped
        grid = self._look(bare, target_of(bare) if self._has_target else NOTHING)
        if "closed_door" not in self.tokens.names and KINDS["closed_door"] in grid.text:
            # A door that was locked at first has been closed again; it looks as it did then.
            return Grid(tuple(row.replace(KINDS["closed_door"], KINDS["locked_door"]) for row in grid.rows))
        return grid

    def skip_observations(self, env: Any) -> None:
        """Have an environment skip the agent's own observation, which takes most of a step, if this view ignores it."""
        if self._look is not _partial:
            bare = env.unwrapped
            nothing = np.zeros((bare.agent_view_size, bare.agent_view_size, 3), dtype=np.uint8)
            bare.gen_obs = lambda: {"image": nothing, "direction": bare.agent_dir, "mission": bare.mission}


def reset(env: Any, seed: int) -> Any:
    """Reset an environment. BabyAI prints every level that it rejects; standard output is for data."""
    with contextlib.redirect_stdout(io.StringIO()) if is_minigrid(env) else contextlib.nullcontext():
        return env.reset(seed=seed)


def is_minigrid(env: Any) -> bool:
    """Return whether an environment is one of Minigrid's, without importing it."""
    return any(kind.__name__ == "MiniGridEnv" for kind in type(env.unwrapped).__mro__)


def _kinds(env: Any, view: str) -> dict[str, str]:
    """Return the tokens of all objects that the maps of the first seeds have or may get, in the order of `KINDS`."""
    seen = {"empty"}
    for seed in range(INSPECTED_SEEDS):
        reset(env, seed)
        things = env.unwrapped.grid.grid
        inside = [thing.contains for thing in things if getattr(thing, "contains", None) is not None]
        seen |= {_kind(thing) for thing in (*things, *inside)} | (
            {"target"} if target_of(env.unwrapped).things else set()
        )
        if "locked_door" not in seen and any(thing is not None and thing.type == "door" for thing in things):
            seen.add("closed_door")  # an open one can be closed
    unseen = {"unseen": "?"} if view == "partial" else {}
    return {name: character for name, character in KINDS.items() if name in seen} | unseen


def _kind(thing: Any) -> str:
    if thing is None or thing.type == "floor":
        return "empty"
    if thing.type == "door":
        return "empty" if thing.is_open else "locked_door" if thing.is_locked else "closed_door"
    if thing.type not in KINDS:
        raise BadInput(f"Minigrid's object {thing.type!r} is unknown to this view. Known: {', '.join(KINDS)}.")
    return str(thing.type)


def _character(thing: Any, target: Target) -> str:
    """Return the character of an object; most are empty cells and walls, which come first for speed."""
    if thing is None:
        return "."
    return "#" if thing.type == "wall" else KINDS["target" if target.has(thing) else _kind(thing)]


def _rows(env: Any, agent: str, target: Target) -> list[str]:
    """Return the map with the agent on it."""
    width, things = env.width, "".join([_character(thing, target) for thing in env.grid.grid])
    column, row = (int(x) for x in env.agent_pos)
    at = row * width + column
    things = things[:at] + agent + things[at + 1 :]
    return [things[i : i + width] for i in range(0, len(things), width)]


def _full(env: Any, target: Target) -> Grid:
    return Grid(tuple(_rows(env, AGENTS["full"][FACING[env.agent_dir]], target)))


def _turned(env: Any, target: Target) -> Grid:
    rows = _rows(env, "A", target)
    for _ in range((env.agent_dir + 1) % 4):
        rows = ["".join(row) for row in zip(*rows, strict=True)][::-1]  # a quarter turn counterclockwise
    return Grid(tuple(rows))


def _partial(env: Any, target: Target) -> Grid:
    return partial(env.gen_obs()["image"], {tuple(thing.encode()) for thing in target.things})


def partial(image: Any, targets: Container[tuple[int, int, int]] = ()) -> Grid:
    """Return the agent's observation as a grid, from Minigrid's numbers: kind, color and state. [W, H, 3]

    Objects with the numbers of `targets` are what the mission names.
    """
    array = np.asarray(image)
    if array.ndim != 3 or array.shape[2] != 3 or array.dtype.kind not in "iu":
        raise BadInput(f"Minigrid's image must be integers, [width, height, 3], not {array.dtype}, {array.shape}.")
    try:
        rows = [
            "".join(_numbered(cell, tuple(cell) in targets) for cell in row)
            for row in array.transpose(1, 0, 2).tolist()
        ]
    except (KeyError, IndexError):
        raise BadInput("Minigrid's image has an object that is unknown to this view.") from None
    return Grid(tuple(rows)).with_cells({(len(rows) - 1, len(rows[0]) // 2): "A"})


def _numbered(cell: Sequence[int], targeted: bool) -> str:
    kind, _, state = cell
    return KINDS["target"] if targeted else DOORS[state] if kind == DOOR else NUMBERED[kind]


# --- the expert -------------------------------------------------------------------------------------------------------


def expert(env: Any) -> int:
    """Return the next action towards the mission's target or the goal if one can be reached, else to a door that can
    be opened, else to a key.

    The expert takes a shortest way, and prefers ahead to left, left to right and right to back. So it acts alike in
    similar positions, as a teacher would.
    """
    bare = env.unwrapped
    (x, y), (dx, dy) = bare.agent_pos, bare.dir_vec
    here, ahead = (int(y), int(x)), (int(y + dy), int(x + dx))
    left, right = (int(y - dx), int(x + dy)), (int(y + dx), int(x - dy))
    for targets, action in _aims(bare):
        distance = _distances(bare, targets)
        if here not in distance:
            continue
        nearer = {cell for cell in (ahead, left, right) if distance.get(cell, distance[here]) < distance[here]}
        moves = ahead in nearer - targets and _kind(bare.grid.get(*ahead[::-1])) == "ball"
        if ahead in nearer and not moves:  # what moves goes on while the agent turns
            return int(getattr(bare.actions, action if ahead in targets else "forward"))
        turns_right = not moves and right in nearer and left not in nearer
        return int(bare.actions.right if turns_right else bare.actions.left)
    raise BadInput("the expert can reach no target, goal, door or key.")


def _aims(env: Any) -> Iterator[tuple[set[Cell], str]]:
    """Yield the targets, the best first, and the action to take in front of them."""
    things = {(i // env.width, i % env.width): _kind(thing) for i, thing in enumerate(env.grid.grid)}

    def of(kind: str) -> set[Cell]:
        return {cell for cell, other in things.items() if other == kind}

    def color(cell: Cell) -> str:
        return str(env.grid.get(*cell[::-1]).color)

    carried, locked = env.carrying, of("locked_door")
    closed = {cell for cell in locked if carried is None or (carried.type, carried.color) != ("key", color(cell))}
    target = target_of(env)
    aims = {cell for cell in things if target.has(env.grid.get(*cell[::-1]))} - closed
    if target.action == "drop":
        aims = {cell for cell, steps in _distances(env, aims).items() if steps == 1}
    if target.action == "pickup" and carried is not None:
        yield _behind(env, aims), "drop"
    yield aims, target.action
    yield of("goal"), "forward"
    yield of("closed_door"), "toggle"
    yield locked - closed, "toggle"
    if carried is None:
        fitting = {color(cell) for cell in locked}
        yield {cell for cell in of("key") if not locked or color(cell) in fitting}, "pickup"


def _distances(env: Any, targets: set[Cell]) -> dict[Cell, int]:
    """Return the steps from each cell to the nearest target; a ball is in the way unless it moves."""
    free = ("empty", "goal", "ball") if hasattr(env, "n_obstacles") else ("empty", "goal")

    def is_free(cell: Cell) -> bool:
        inside = 0 <= cell[0] < env.height and 0 <= cell[1] < env.width
        return inside and _kind(env.grid.get(cell[1], cell[0])) in free

    return distances(targets, is_free)


def _behind(env: Any, targets: set[Cell]) -> set[Cell]:
    """Return the empty cells that are farther from all targets than the agent, so that what lies there is not in the
    way."""
    distance, (x, y) = _distances(env, targets), env.agent_pos
    here = distance.get((int(y), int(x)), math.inf)
    return {cell for cell, steps in distance.items() if steps > here and env.grid.get(*cell[::-1]) is None}
