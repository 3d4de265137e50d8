"""Fence In, played in Minecraft while the page watches.

The game is taught by its own rules, which are the same there and a thousand times as fast. The policy then plays in a
child process, and each position goes to the page as it is read from Minecraft.
"""

from __future__ import annotations

import asyncio
from collections.abc import Generator
from typing import Any

from shown.demonstrations import Step
from shown.grid import Grid, action_to_json
from shown.studio.children import ChildProcess, News
from shown.teaching.lessons.lesson_file import policy_of
from shown.teaching.lessons.lesson_json import run_to_json
from shown.worlds import Episode, Level, Outcome, World


class MinecraftView:
    """The server's end: the world called `name`. Its process is started when it is first played in."""

    def __init__(self, world: World, name: str) -> None:
        self.game, self.title = world.name, world.title
        self._child = ChildProcess("plays there", 0, words=(name,))
        self._playing: tuple[int, asyncio.Future[dict[str, Any]]] | None = None

    async def play(self, news: News, policy: Any, level: Level, seed: int) -> dict[str, Any]:
        """Have a policy play a level, and return the run as JSON; `news` gets each position.

        There is only one Minecraft world, so a new run stops the one before it.
        """
        self.stop()
        request = {"policy": policy, "name": level.name, "rows": list(level.grid.rows), "seed": seed}
        self._playing = self._child.begin("watch", news, **request)
        return await self._playing[1]

    def stop(self) -> None:
        """End the run after its present step."""
        if self._playing is not None and not self._playing[1].done():
            self._child.stop(self._playing[0])

    async def close(self) -> None:
        await self._child.close()


def watch(world: World, request: dict[str, Any]) -> Generator[dict[str, Any], bool | None, dict[str, Any]]:
    """Play a level with a policy, and report each position and action: the task of the child."""
    policy = policy_of(world, request["policy"], "the policy")
    level = Level(request["name"], Grid(tuple(request["rows"])))
    yield {"phase": "starting"}
    there = world.world_at(level)
    steps: list[Step] = []
    now = Outcome(level.grid)
    try:
        now = Outcome(there.reset(request["seed"]))
        while not now.over and len(steps) < there.max_steps:
            action = policy.act(now.grid)
            if (yield {"phase": "playing", "rows": list(now.grid.rows), "action": action_to_json(action)}):
                break
            done = there.step(action)
            steps.append(Step(now.grid, action))
            now = done
    except KeyboardInterrupt:  # stopped in the middle of a step; the steps before it count
        pass
    return run_to_json(world, Episode(level, tuple(steps), now.grid, now.won, now.over, request["seed"]))
