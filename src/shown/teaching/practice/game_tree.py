"""Games of many policies on the same levels: a step that was taken before is not computed again."""

from __future__ import annotations

import math
import time
from collections.abc import Sequence

from shown.grid import Action, Grid
from shown.policy import Policy, Together
from shown.teaching.interpretation.equivalence import Chances, State, state_of
from shown.worlds import Game, Start
from shown.worlds.episodes import MAX_REPEATS
from shown.worlds.games.game import chances

MAX_POSITIONS = 40_000  # positions after which all are forgotten; each takes about a kilobyte


class GameTree:
    """The positions reached on levels of a game, and the steps between them.

    A position is a grid with the state of the level's chances: what led there does not matter.

    >>> from shown.policy import uniform_policy
    >>> from shown.worlds import find
    >>> nim = find("nim")
    >>> GameTree(nim).wins(nim.starts("test:0-2"), [uniform_policy(nim.tokens)])
    [[False, False, False]]
    """

    def __init__(self, game: Game) -> None:
        self.game = game
        self._chances = Chances(0)
        self._drawn = False  # whether any step has depended on chance
        self._forget()

    def _forget(self) -> None:
        self._grids: list[Grid] = []
        self._numbers: dict[Grid, int] = {}
        self._roots: dict[Start, int] = {}
        self._positions: dict[tuple[int, State, bool, bool], int] = {}
        # By position: the number of its grid, the state of the chances, whether the game is over and won, and the
        # position after each action taken so far.
        self._grid_at: list[int] = []
        self._state_at: list[State] = []
        self._over: list[bool] = []
        self._won: list[bool] = []
        self._after: list[dict[Action, int]] = []

    def wins(self, starts: Sequence[Start], policies: Sequence[Policy], deadline: float = math.inf) -> list[list[bool]]:
        """Return whether each policy wins each level, as `wins` of `episodes.py` does; all play side by side.

        They have one language. At `deadline`, by the monotonic clock, return only the levels before the first
        unfinished one.
        """
        players, count = Together(policies), len(policies)
        if len(self._grid_at) > MAX_POSITIONS:
            self._forget()
        at = [root for root in map(self._root, starts) for _ in range(count)]
        runs, who, steps = list(range(len(at))), list(range(count)) * len(starts), 0
        won = [False] * len(at)
        visits: list[dict[int, int]] = [{} for _ in at]
        choices: list[dict[int, Action]] = [{} for _ in range(count)]
        while runs and time.monotonic() <= deadline:
            steps += 1
            grids = [self._grid_at[position] for position in at]
            actions = self._choose(players, choices, who, grids)
            most = 0 if steps >= self.game.max_steps else MAX_REPEATS if self._drawn else 1
            going = []
            for run, position, grid, action in zip(runs, at, grids, actions, strict=True):
                after = self._after[position].get(action)
                if after is None:
                    after = self._step(position, action)
                often = visits[run][grid] = visits[run].get(grid, 0) + 1
                if self._over[after] or often > most:
                    won[run] = self._won[after]
                else:
                    going.append((run, after))
            runs, at = [run for run, _ in going], [position for _, position in going]
            who = [run % count for run in runs]
        whole = (runs[0] if runs else len(won)) // count * count
        return [won[player:whole:count] for player in range(count)]

    def _choose(
        self, players: Together, choices: Sequence[dict[int, Action]], who: Sequence[int], grids: Sequence[int]
    ) -> list[Action]:
        """Return the action of player `who[i]` on the grid with number `grids[i]`, for each i.

        A player is asked once about each grid; `choices` has the answers.
        """
        known = [choices[player].get(grid) for player, grid in zip(who, grids, strict=True)]
        if None in known:
            pairs = zip(known, who, grids, strict=True)
            new = list(dict.fromkeys((player, grid) for action, player, grid in pairs if action is None))
            asked = players.act_many([self._grids[grid] for _, grid in new], [player for player, _ in new])
            for (player, grid), action in zip(new, asked, strict=True):
                choices[player][grid] = action
            known = [choices[player][grid] for player, grid in zip(who, grids, strict=True)]
        return known  # type: ignore[return-value]  # none is None now

    def _root(self, start: Start) -> int:
        """Return the first position of a level."""
        if start not in self._roots:
            world, seed = start
            level = world.level(seed)
            state = state_of(chances(level, seed).bit_generator)
            self._roots[start] = self._position(level.grid, state, over=False, won=False)
        return self._roots[start]

    def _step(self, position: int, action: Action) -> int:
        """Compute the step after an action."""
        grid, state = self._grids[self._grid_at[position]], self._state_at[position]
        if self._drawn:
            self._chances.restart(state)
        outcome = self.game.step(grid, action, self._chances)
        if self._chances.asked:
            if not self._drawn:  # the state of the chances matters, and was not theirs
                self._drawn = True
                return self._step(position, action)
            state = self._chances.state
        after = self._position(outcome.grid, state, outcome.over, outcome.won)
        self._after[position][action] = after
        return after

    def _position(self, grid: Grid, state: State, over: bool, won: bool) -> int:
        number = self._numbers.setdefault(grid, len(self._grids))
        if number == len(self._grids):
            self._grids.append(grid)
        position = self._positions.setdefault((number, state, over, won), len(self._grid_at))
        if position == len(self._grid_at):
            self._grid_at.append(number)
            self._state_at.append(state)
            self._over.append(over)
            self._won.append(won)
            self._after.append({})
        return position
