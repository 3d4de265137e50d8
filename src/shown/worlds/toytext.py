"""The small worlds that come with Gymnasium (FrozenLake, CliffWalking, Taxi): how they are seen, and who knows the way.

They are tables: a number says in which state they are, and `P` what each action leads to from each. So an expert need
not know anything about any of them, and plays well wherever there is such a table.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from shown.errors import BadInput
from shown.grid import Grid
from shown.worlds.views import TextMap, View, tokens_for

BUTTONS = {
    "FrozenLakeEnv": ("left", "down", "right", "up"),
    "CliffWalkingEnv": ("up", "right", "down", "left"),
    "TaxiEnv": ("down", "up", "right", "left", "pickup", "dropoff"),
    "BlackjackEnv": ("stick", "hit"),
}
"""Names of actions that these environments tell only in their documentation."""

LEAST = {"CliffWalkingEnv": -1.0}
"""Where an end is a success though its reward is not above 0: the least reward of such an end."""

DISCOUNT = 0.99
SWEEPS = 2000


class TaxiMap:
    """Taxi's map: five by five places, with a wall or nothing between those that are side by side, [7, 9].

    The taxi is the `agent`; a passenger who waits is on the map, one who rides is not. What the taxi stands on cannot
    be seen under it, so it is shown in the first cell of the last row, below a row of walls.
    """

    def __init__(self, rows: list[str], places: list[tuple[int, int]]) -> None:
        """`rows` is the map as Gymnasium has it, `places` where passengers wait and want to go."""
        self.name = ""
        self.tokens = tokens_for(["empty", "wall", "passenger", "goal", "agent"])
        inside = [row[1:-1] for row in rows[1:-1]]
        self._map = Grid(tuple("".join("#" if x == "|" else "." for x in row) for row in inside))
        self._places = places

    def __call__(self, env: Any, observation: Any) -> Grid:
        if isinstance(observation, bool) or not isinstance(observation, int | np.integer) or not 0 <= observation < 500:
            raise BadInput(f"the observation must be a number from 0 to 499, not {observation!r:.40}.")
        rest, goal = divmod(int(observation), 4)
        rest, passenger = divmod(rest, 5)
        row, column = divmod(rest, 5)
        things = {self._cell(goal): self.tokens["goal"]}
        if passenger < len(self._places):
            things[self._cell(passenger)] = self.tokens["passenger"]
        taxi = row, 2 * column
        under = things.get(taxi, ".")
        seen = self._map.with_cells(things | {taxi: self.tokens["agent"]})
        return Grid((*seen.rows, "#" * seen.width, under + "#" * (seen.width - 1)))

    def _cell(self, place: int) -> tuple[int, int]:
        row, column = self._places[place]
        return row, 2 * column


def seen(env: Any) -> View | None:
    """The usual way to see one of these environments; None for any other."""
    kind = type(env.unwrapped).__name__
    if kind == "FrozenLakeEnv":
        return TextMap(_letters(env), {"S": "ice", "F": "ice", "H": "hole", "G": "goal"})
    if kind == "CliffWalkingEnv":
        rows = ["".join("C" if cliff else "." for cliff in row) for row in env.unwrapped._cliff]
        rows[-1] = rows[-1][:-1] + "G"
        return TextMap(rows, {".": "empty", "C": "cliff", "G": "goal"})
    if kind == "TaxiEnv":
        return TaxiMap(_letters(env), [(int(row), int(column)) for row, column in env.unwrapped.locs])
    return None


def _letters(env: Any) -> list[str]:
    return ["".join(letter.decode() for letter in row) for row in env.unwrapped.desc]


def is_table(env: Any) -> bool:
    """Whether an environment has a table of what each action leads to, from each of its numbered states."""
    table, space = getattr(env.unwrapped, "P", None), env.observation_space
    return isinstance(table, Mapping) and len(table) == getattr(space, "n", None)


def expert(env: Any) -> int:
    """The first of the best actions, by the table of what leads where (value iteration).

    >>> import gymnasium
    >>> cliff = gymnasium.make("CliffWalking-v1")
    >>> _ = cliff.reset(seed=0)
    >>> expert(cliff)
    0
    """
    table, now = env.unwrapped.P, getattr(env.unwrapped, "s", None)
    if not isinstance(now, int | np.integer):
        raise BadInput("the environment has a table of what leads where, but does not say in which state it is (s).")
    moves = [
        (state, action, chance, then, reward, ended)
        for state, actions in table.items()
        for action, outcomes in actions.items()
        for chance, then, reward, ended in outcomes
    ]
    state, action, chance, then, reward, ended = (np.array(column) for column in zip(*moves, strict=True))
    worth = np.zeros(int(max(state.max(), then.max())) + 1)
    width = int(action.max()) + 1
    for _ in range(SWEEPS):
        gained = chance * (reward + DISCOUNT * worth[then] * ~ended.astype(bool))
        value = np.bincount(state * width + action, gained, len(worth) * width).reshape(-1, width)
        change = np.abs(value.max(axis=1) - worth).max()
        worth = value.max(axis=1)
        if change < 1e-8:
            break
    return int(np.argmax(np.round(value[int(now)], 6)))
