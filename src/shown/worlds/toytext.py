"""The small environments of Gymnasium (FrozenLake, CliffWalking, Taxi): their views, and an expert.

Each has numbered states and a table `P` of transitions. The expert works wherever there is such a table.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from shown.errors import BadInput
from shown.grid import Grid
from shown.worlds.views import GridView, TextMap, tokens_for

BUTTONS = {
    "FrozenLakeEnv": ("left", "down", "right", "up"),
    "CliffWalkingEnv": ("up", "right", "down", "left"),
    "TaxiEnv": ("down", "up", "right", "left", "pickup", "dropoff"),
    "BlackjackEnv": ("stick", "hit"),
}
"""Names of actions, which these environments give only in their documentation."""

WINNING_REWARD = {"CliffWalkingEnv": -1.0}
"""The least reward of a successful end, where it is not above 0."""

DISCOUNT = 0.99
MAX_SWEEPS = 2000  # of value iteration


class TaxiMap:
    """Taxi's map, [7, 9]: five by five places, with a wall or nothing between neighbors.

    The taxi is the `agent`. A waiting passenger is on the map, a riding one is not. The taxi covers what it stands on,
    so that is shown in the first cell of the last row, below a row of walls.
    """

    def __init__(self, rows: list[str], places: list[tuple[int, int]]) -> None:
        """`rows` is Gymnasium's map, `places` are the stops of passengers."""
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
        seen = self._map.with_cells(things | {taxi: self.tokens["agent"]})
        return Grid((*seen.rows, "#" * seen.width, things.get(taxi, ".") + "#" * (seen.width - 1)))

    def _cell(self, place: int) -> tuple[int, int]:
        row, column = self._places[place]
        return row, 2 * column


def default_view(env: Any) -> GridView | None:
    """Return the default view of one of these environments; None for any other."""
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
    """Return whether an environment has a table of transitions between numbered states."""
    table, space = getattr(env.unwrapped, "P", None), env.observation_space
    return isinstance(table, Mapping) and len(table) == getattr(space, "n", None)


def expert(env: Any) -> int:
    """Return the first of the best actions, by value iteration on the table of transitions.

    >>> import gymnasium
    >>> cliff = gymnasium.make("CliffWalking-v1")
    >>> _ = cliff.reset(seed=0)
    >>> expert(cliff)
    0
    """
    table, now = env.unwrapped.P, getattr(env.unwrapped, "s", None)
    if not isinstance(now, int | np.integer):
        raise BadInput("the environment has a table of transitions (P), but does not tell its state (s).")
    moves = [
        (state, action, chance, then, reward, ended)
        for state, actions in table.items()
        for action, outcomes in actions.items()
        for chance, then, reward, ended in outcomes
    ]
    state, action, chance, then, reward, ended = (np.array(column) for column in zip(*moves, strict=True))
    worth = np.zeros(int(max(state.max(), then.max())) + 1)
    width = int(action.max()) + 1
    for _ in range(MAX_SWEEPS):
        gained = chance * (reward + DISCOUNT * worth[then] * ~ended.astype(bool))
        value = np.bincount(state * width + action, gained, len(worth) * width).reshape(-1, width)
        change = np.abs(value.max(axis=1) - worth).max()
        worth = value.max(axis=1)
        if change < 1e-8:
            break
    return int(np.argmax(np.round(value[int(now)], 6)))
