"""Fence In in Minecraft as a world: the rules are the game's, and what stands in the world has to agree."""

from __future__ import annotations

from dataclasses import replace

from shown.errors import BadInput, ShownError
from shown.games.episodes import chances
from shown.games.fence_in import FenceIn
from shown.games.game import Outcome, clicked
from shown.games.levels import generated
from shown.grid import Action, Grid
from shown.world import Level, World
from shown.worlds.minecraft.session import Session

LARGEST = 64
"""Rows and columns that the bot sees wherever it is."""


class MinecraftWorld(World):
    """Build fences in Minecraft until the sheep cannot get away.

    Description: a level of Fence In, made of grass, oak fences and a sheep. A bot flies to where a player clicks and
        puts down a fence.
    Observation: what the bot sees, as the game's grid; `S` sheep, `#` fence, `.` open ground.
    Actions: a click on a cell. The bot can put down nothing on the sheep or on a fence.
    Rewards: 1 for enclosing the sheep, otherwise 0.
    End of episode: as in the game.
    Levels: those of the game; without one, a seed gives the game's generated level.

    It bears the game's name: what is shown or learned here is about the same game.
    """

    name = FenceIn.name
    title = "Fence In in Minecraft"
    goal = FenceIn.goal
    tokens = FenceIn.tokens
    max_steps = FenceIn.max_steps
    symmetries = FenceIn.symmetries
    seen_whole = True
    alone = True
    levels_of = FenceIn.name

    def __init__(self, session: Session, start: Level | None = None) -> None:
        self.session, self.start = session, start
        self.game = FenceIn()
        self._mine = object()

    def reset(self, seed: int) -> Grid:
        return self.level(seed).grid

    def level(self, seed: int) -> Level:
        level = self.start or generated(self.game, seed)
        if max(level.grid.shape) > LARGEST:
            raise BadInput(f"minecraft: {level.name} is larger than the bot can see: {LARGEST} rows and columns.")
        self._chances = chances(level, seed)
        self._build(level.grid)
        return level

    def _build(self, grid: Grid) -> None:
        self._grid = _agreed(self.session.build(grid, whose=self._mine), grid, "when it was built")

    def step(self, action: Action) -> Outcome:
        cell = clicked(action)
        if self.session.built_for is not self._mine:  # another level has been played there meanwhile
            self._build(self._grid)
        outcome = self.game.step(self._grid, action, self._chances)
        self._grid = _agreed(self.session.click(cell), outcome.grid, f"after the click {cell}")
        return replace(outcome, reward=1.0) if outcome.won else outcome

    def expert(self) -> Action:
        return self.game.expert(self._grid)

    def at(self, level: Level) -> MinecraftWorld:
        return MinecraftWorld(self.session, level)

    def another(self) -> MinecraftWorld:
        return MinecraftWorld(self.session, self.start)


def _agreed(seen: Grid, expected: Grid, when: str) -> Grid:
    """What was read, provided that it is what the rules say."""
    if seen.shape != expected.shape:
        raise ShownError(f"minecraft: {when}, {seen.shape} cells were read instead of {expected.shape}.")
    for cell in expected.cells():
        if seen[cell] != expected[cell]:
            raise ShownError(
                f"minecraft: {when}, row {cell[0]}, column {cell[1]} was read as {seen[cell]!r}; by the rules it is "
                f"{expected[cell]!r}. Has somebody else been in the world?"
            )
    return seen
