"""Fence In in Minecraft as a world: the game's rules, checked against the blocks that the bot reads."""

from __future__ import annotations

from dataclasses import replace

from shown.errors import BadInput, ShownError
from shown.grid import Action, Grid
from shown.worlds import Level, Outcome, Start, World
from shown.worlds.games.fence_in import FenceIn
from shown.worlds.games.game import chances, clicked
from shown.worlds.games.levels import generated
from shown.worlds.world import Levels
from shown_evidence.minecraft.bot import BotSession

MAX_SIDE = 64  # rows and columns within the bot's sight


class MinecraftWorld(World):
    """Build fences in Minecraft until the sheep cannot get away.

    Description: a level of Fence In, made of grass, oak fences and a sheep. A bot places a fence on the clicked cell.
    Observation: the blocks that the bot reads, as the game's grid; `S` sheep, `#` fence, `.` open ground.
    Actions: a click on a cell. The bot cannot place a fence on the sheep or on a fence.
    Rewards: 1 for enclosing the sheep, otherwise 0.
    End of episode: as in the game.
    Levels: those of the game.

    It has the game's name, so demonstrations and policies serve both. There is one bot: a copy that takes a step after
    another copy has its level built again first.
    """

    name = FenceIn.name
    title = "Fence In in Minecraft"
    goal = FenceIn.goal
    tokens = FenceIn.tokens
    max_steps = FenceIn.max_steps
    symmetries = FenceIn.symmetries
    pieces = FenceIn.pieces
    fully_observed = True
    has_levels = True

    def __init__(self, session: BotSession | None = None, start: Level | None = None) -> None:
        self.session, self.start = session or BotSession(), start
        self.game = FenceIn()
        self._mine = object()

    def reset(self, seed: int) -> Grid:
        return self.level(seed).grid

    def level(self, seed: int) -> Level:
        level = self.start or generated(self.game, seed)
        if max(level.grid.shape) > MAX_SIDE:
            raise BadInput(f"minecraft: {level.name} is larger than the bot can see: {MAX_SIDE} rows and columns.")
        self._chances = chances(level, seed)
        self._build(level.grid)
        return level

    def _build(self, grid: Grid) -> None:
        self._grid = _agreed(self.session.build(grid, owner=self._mine), grid, "when it was built")

    def step(self, action: Action) -> Outcome:
        cell = clicked(action)
        if self.session.built_for is not self._mine:  # another level has been built there meanwhile
            self._build(self._grid)
        outcome = self.game.step(self._grid, action, self._chances)
        self._grid = _agreed(self.session.click(cell), outcome.grid, f"after the click {cell}")
        return replace(outcome, reward=1.0) if outcome.won else outcome

    def expert(self) -> Action:
        return self.game.expert(self._grid)

    def levels(self, spec: str) -> list[Level]:
        return self.game.levels(spec)

    def world_at(self, level: Level | int) -> MinecraftWorld:
        return self if isinstance(level, int) else MinecraftWorld(self.session, level)

    def starts(self, levels: Levels, seed: int = 0) -> list[Start]:
        chosen = self.levels(levels) if isinstance(levels, str) else levels
        return [(self.copy(), one) if isinstance(one, int) else (self.world_at(one), seed) for one in chosen]

    def copy(self) -> MinecraftWorld:
        return MinecraftWorld(self.session, self.start)


def _agreed(seen: Grid, expected: Grid, when: str) -> Grid:
    """Return the grid that was read; raise ShownError unless it is as expected."""
    if seen.shape != expected.shape:
        raise ShownError(f"minecraft: {when}, {seen.shape} cells were read instead of {expected.shape}.")
    for cell in expected.cells():
        if seen[cell] != expected[cell]:
            raise ShownError(
                f"minecraft: {when}, row {cell[0]}, column {cell[1]} was read as {seen[cell]!r}; by the rules it is "
                f"{expected[cell]!r}. Has somebody else been in the world?"
            )
    return seen
