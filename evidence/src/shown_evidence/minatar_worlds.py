"""Four games of MinAtar as Gymnasium environments of 500 steps, with views and scripted experts.

Freeway: cross eight lanes of cars; a car takes the chicken back to the start.
Breakout: return the ball; each brick gives 1.
Space Invaders: shoot aliens, and dodge their bullets.
Asterix: collect gold, and avoid enemies.

As in MinAtar, one action in ten is replaced by the one before. Rewards come along the way, so nothing is ever won. The
experts see the whole state, and do what a person would do who knows the rules.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import gymnasium
import numpy as np
from gymnasium import spaces

from shown.worlds import Channels

STEPS = 500
COLUMN = 4  # in which the chicken of Freeway walks
LOOKOUT = 7  # rows above the cannon of Space Invaders in which a bullet is a danger, its own included

SPEEDS = ["speed_1", "speed_2", "speed_3", "speed_4", "speed_5"]
FREEWAY = Channels(["chicken", "car", *SPEEDS], order=[*SPEEDS, "car", "chicken"])
BREAKOUT = Channels(["paddle", "ball", "trail", "brick"], order=["brick", "trail", "paddle", "ball"])
SPACE_INVADERS = Channels(
    ["cannon", "alien", "alien_left", "alien_right", "friendly_bullet", "enemy_bullet"],
    order=["alien", "alien_left", "alien_right", "friendly_bullet", "enemy_bullet", "cannon"],
)
ASTERIX = Channels(["player", "enemy", "trail", "gold"], order=["trail", "gold", "enemy", "player"])

LETTERS = {"n": "noop", "l": "left", "u": "up", "r": "right", "d": "down", "f": "fire"}
"""The names of MinAtar's actions."""


def crosses(game: Any) -> str:
    """Freeway: go up unless a car is there or about to be; step back from a car if nothing comes behind."""

    def danger(row: int) -> bool:
        return any(y == row and x in (COLUMN, COLUMN - np.sign(speed)) for x, y, _, speed in game.cars)

    if not danger(game.pos - 1):
        return "u"
    return "d" if danger(game.pos) and not danger(game.pos + 1) else "n"


def returns_the_ball(game: Any) -> str:
    """Breakout: go to the column where a falling ball lands; follow a rising one."""
    column, step = game.ball_x, {2: 1, 3: -1}.get(game.ball_dir, 0)
    for _ in range(game.ball_y, 8):
        if 0 <= column + step <= 9:
            column += step
        else:
            step = -step
    return _toward(column, game.pos)


def shoots(game: Any) -> str:
    """Space Invaders: dodge bullets; shoot below an alien, or go to the nearest column with one."""
    danger = game.e_bullet_map[-LOOKOUT:].any(axis=0) | (game.alien_map[9] > 0)
    beside = [place for place in (game.pos - 1, game.pos + 1) if 0 <= place <= 9]
    if danger[game.pos]:
        safe = [place for place in beside if not danger[place]]
        return _toward((safe or beside)[0], game.pos)
    nearest = int(min(np.flatnonzero(game.alien_map.any(axis=0)), key=lambda column: abs(column - game.pos)))
    if nearest == game.pos:
        return "f"
    return "n" if danger[game.pos + np.sign(nearest - game.pos)] else _toward(nearest, game.pos)


def collects(game: Any) -> str:
    """Asterix: leave the row of an enemy that is near; go to gold in this row or the next, else to the nearest row."""
    there = {entity[1]: entity for entity in game.entities if entity is not None}
    x, y = game.player_x, game.player_y
    gold = sorted((row for row, entity in there.items() if entity[3]), key=lambda row: (abs(row - y), row))

    def danger(row: int) -> bool:
        return row in there and not there[row][3] and abs(there[row][0] - x) <= 1

    if danger(y):
        return "u" if y > 1 and not danger(y - 1) else "d" if y < 8 and not danger(y + 1) else "n"
    if not gold:
        return "n"
    if gold[0] == y:
        return "l" if there[y][0] < x else "r"
    step = 1 if gold[0] > y else -1
    return "n" if danger(y + step) else "d" if step > 0 else "u"


def _toward(column: int, place: int) -> str:
    return "nrl"[int(np.sign(column - place))]


GAMES: dict[str, tuple[str, Callable[[Any], str]]] = {
    "Freeway": ("freeway", crosses),
    "Breakout": ("breakout", returns_the_ball),
    "SpaceInvaders": ("space_invaders", shoots),
    "Asterix": ("asterix", collects),
}
"""MinAtar's name of each game, which in capitals is that of its view here, and its expert."""


class MinAtarGame(gymnasium.Env[Any, int]):
    """A game of MinAtar with those of its actions that have an effect."""

    def __init__(self, name: str) -> None:
        try:
            from minatar import Environment
        except ImportError:
            raise ImportError("MinAtar is not installed: pip install 'shown-evidence[minatar]'") from None
        own, self._chooses = GAMES[name]
        self.game = Environment(own)
        self.actions = self.game.minimal_action_set()
        self.action_space: Any = spaces.Discrete(len(self.actions))
        self.observation_space = spaces.Box(0, 1, self.game.state_shape(), np.bool_)

    def get_action_meanings(self) -> list[str]:
        return [LETTERS[self.game.env.action_map[action]] for action in self.actions]

    def reset(self, *, seed: int | None = None, options: dict[str, Any] | None = None) -> tuple[Any, dict[str, Any]]:
        super().reset(seed=seed)
        self.game.seed(seed)
        self.game.last_action = 0  # MinAtar keeps it from the episode before
        self.game.reset()
        return self.game.state(), {}

    def step(self, action: int) -> tuple[Any, float, bool, bool, dict[str, Any]]:
        reward, over = self.game.act(self.actions[action])
        return self.game.state(), float(reward), bool(over), False, {}

    def expert(self) -> int:
        """Return the number of the scripted expert's action."""
        return self.actions.index(self.game.env.action_map.index(self._chooses(self.game.env)))


for _name in GAMES:
    gymnasium.register(
        f"MinAtar{_name}-v0",
        f"{__name__}:MinAtarGame",
        max_episode_steps=STEPS,
        kwargs={"name": _name},
        disable_env_checker=True,
    )


def world_name(game: str) -> str:
    """Return the name of a game's world.

    >>> world_name("Freeway")
    'gym:shown_evidence.minatar_worlds:MinAtarFreeway-v0#shown_evidence.minatar_worlds:FREEWAY'
    """
    return f"gym:{__name__}:MinAtar{game}-v0#{__name__}:{GAMES[game][0].upper()}"
