"""Games as Gymnasium environments. Importing this module registers `shown/Nim-v0` and the others.

>>> import gymnasium
>>> env = gymnasium.make("shown/Nim-v0", levels="train:0")
>>> observation, info = env.reset(seed=0)
>>> observation, reward, terminated, truncated, info = env.step((3, 0))
>>> info["won"]
False
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from shown.demonstrations import button_of
from shown.errors import BadInput, MissingExtra
from shown.grid import Action, Grid, check_action, plain_action
from shown.worlds.games import all_games, find
from shown.worlds.games.game import Game
from shown.worlds.games.levels import check_level
from shown.worlds.world import Level

try:
    import gymnasium
    from gymnasium import spaces
except ImportError:
    raise MissingExtra("Gymnasium", "games") from None


class Clicks(spaces.MultiDiscrete):
    """Clicks, (row, column), on grids of different sizes.

    The space is as large as the largest level, but samples come from the current level; before the first reset, and
    after `seed`, they come from the cells that all levels have.
    """

    def __init__(self, levels: Sequence[Grid]) -> None:
        super().__init__([max(grid.height for grid in levels), max(grid.width for grid in levels)])
        self.common = min(grid.height for grid in levels), min(grid.width for grid in levels)
        self.current = self.common

    def seed(self, seed: int | None = None) -> int:
        self.current = self.common
        return super().seed(seed)

    def sample(self, mask: Any = None, probability: Any = None) -> np.ndarray:
        if mask is not None or probability is not None:
            return super().sample(mask, probability)
        return self.np_random.integers(self.current).astype(self.dtype)


class GameEnv(gymnasium.Env[np.ndarray, Any]):
    """A game, played on random ones of its levels.

    Description: see the docstring of the game.
    Observation: the grid as an array of token numbers, in the order of `game.tokens`; cells to the right
        of the grid and below have the next number. [rows, columns] uint8
    Actions: a click, (row, column); in games with buttons, the button's number. An action off the grid raises BadInput
        and changes nothing.
    Rewards: 1 when the game is won, otherwise 0.
    End of episode: terminated when the game is over, truncated after `game.max_steps` steps.
    Levels: `levels` names them ("train", "test:3", "random:0-99", a file), or is one level as a grid or as text.
        `reset(options={"level": 2})` chooses the third of them.
    """

    metadata = {"render_modes": ["ansi", "rgb_array"], "render_fps": 4}  # noqa: RUF012 (as Gymnasium has it)

    def __init__(self, game: str | Game, levels: str | Grid = "train", render_mode: str | None = None) -> None:
        if render_mode is not None and render_mode not in self.metadata["render_modes"]:
            raise BadInput(f"render_mode {render_mode!r} must be 'ansi' or 'rgb_array'.")
        self.game = find(game) if isinstance(game, str) else game
        self.levels = _levels(self.game, levels)
        self.render_mode = render_mode
        grids = [level.grid for level in self.levels]
        tokens = self.game.tokens
        self._shape = tuple(np.max([self.game.max_shape, *(grid.shape for grid in grids)], axis=0).tolist())
        self.observation_space = spaces.Box(0, len(tokens), self._shape, np.uint8)
        self.action_space = spaces.Discrete(len(self.game.buttons)) if self.game.buttons else Clicks(grids)
        self._level = self.levels[0]
        self._grid = self._level.grid
        self._steps, self._playing = 0, False

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[np.ndarray, dict[str, Any]]:
        super().reset(seed=seed)
        chosen = (options or {}).get("level")
        if chosen is None:
            chosen = self.np_random.integers(len(self.levels))
        elif not isinstance(chosen, int | np.integer) or not 0 <= chosen < len(self.levels):
            raise BadInput(f"option level {chosen!r} must be a number from 0 to {len(self.levels) - 1}.")
        self._level = self.levels[chosen]
        self._grid = self._level.grid
        self._steps, self._playing = 0, True
        if isinstance(self.action_space, Clicks):
            self.action_space.current = self._grid.shape
        return self._observation(), self._info(won=False)

    def step(self, action: Any) -> tuple[np.ndarray, float, bool, bool, dict[str, Any]]:
        if not self._playing:
            raise gymnasium.error.ResetNeeded("no episode is running. Call reset() first.")
        outcome = self.game.step(self._grid, self._action(action), self.np_random)
        self._grid = outcome.grid
        self._steps += 1
        truncated = not outcome.over and self._steps >= self.game.max_steps
        self._playing = not (outcome.over or truncated)
        return self._observation(), float(outcome.won), outcome.over, truncated, self._info(outcome.won)

    def render(self) -> Any:
        """Return the grid as text ("ansi") or as an image ("rgb_array": [height, width, 3] uint8)."""
        if self.render_mode == "ansi":
            return self._grid.text
        if self.render_mode == "rgb_array":
            from shown.render import image

            return np.array(image(self._grid, self.game.tokens, self.game.name).convert("RGB"))
        return None

    def _action(self, action: Any) -> Action:
        buttons = self.game.buttons
        found: Action = button_of(action, buttons) if buttons else plain_action(action)
        check_action(found, self._grid, buttons)
        return found

    def _observation(self) -> np.ndarray:
        height, width = self._grid.shape
        observation = np.full(self._shape, len(self.game.tokens), np.uint8)
        observation[:height, :width] = self._grid.to_array(self.game.tokens)
        return observation

    def _info(self, won: bool) -> dict[str, Any]:
        return {"grid": self._grid.text, "level": self._level.name, "won": won}


def environment_id(name: str) -> str:
    """Return the Gymnasium id of a game.

    >>> environment_id("stop-the-fall")
    'shown/StopTheFall-v0'
    """
    return f"shown/{''.join(word.capitalize() for word in name.split('-'))}-v0"


def _levels(game: Game, levels: str | Grid) -> list[Level]:
    if isinstance(levels, str):
        return game.levels(levels)
    check_level(game, levels)
    return [Level("level", levels)]


for _name in all_games():
    if environment_id(_name) not in gymnasium.registry:
        gymnasium.register(
            environment_id(_name), entry_point="shown.worlds.games.gym_env:GameEnv", kwargs={"game": _name}
        )
