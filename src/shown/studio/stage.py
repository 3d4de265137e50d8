"""A world in which a game of the studio is watched: Fence In, played in Minecraft while the page looks on.

The game is taught by its own rules, which are the same there and a thousand times as fast. What was learned plays the
world, in a process of its own, and each position goes to the page as it is read there.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Generator
from typing import Any

from shown.demonstrations import Step
from shown.games import find as find_game
from shown.grid import Grid
from shown.studio.forms import action_to_json, run_to_json
from shown.studio.helpers import Helper
from shown.studio.lessons import policy_of
from shown.world import Episode, Level, Outcome, World

News = Callable[[dict[str, Any]], None]


class Stage:
    """The world called `name`, seen from the server. Its process is started when it is first played in."""

    def __init__(self, world: World, name: str) -> None:
        self.game, self.title = world.levels_of, world.title
        self._helper = Helper("plays there", 0, words=(name,))
        self._started = False
        self._playing: tuple[int, asyncio.Future[dict[str, Any]]] | None = None

    async def play(self, news: News, policy: Any, level: Level, seed: int) -> dict[str, Any]:
        """Has a policy play a level there; `news` hears each position. What the run came to, as the page plays it back.

        One run at a time, since there is only one of the world in truth: another makes the one before it stop.
        """
        if not self._started:
            self._started = True
            await self._helper.start()
        self.stop()
        request = {"policy": policy, "name": level.name, "rows": list(level.grid.rows), "seed": seed}
        self._playing = self._helper.begin("watch", news, **request)
        return await self._playing[1]

    def stop(self) -> None:
        """Ends the run after its present step."""
        if self._playing is not None and not self._playing[1].done():
            self._helper.stop(self._playing[0])

    async def close(self) -> None:
        if self._started:
            await self._helper.close()


class StageTasks:
    """What the process of such a world can do, seen from the inside."""

    def __init__(self, world: World) -> None:
        self.world, self.game = world, find_game(world.levels_of)

    def table(self) -> dict[str, Any]:
        return {"watch": self.watch}

    def watch(self, request: dict[str, Any]) -> Generator[dict[str, Any], bool | None, dict[str, Any]]:
        """Plays a level with a policy; news are where it is and what it does there."""
        policy = policy_of(self.game, request["policy"], "the policy")
        level = Level(request["name"], Grid(tuple(request["rows"])))
        yield {"phase": "starting"}
        world = self.world.at(level)
        steps: list[Step] = []
        now = Outcome(level.grid)
        try:
            now = Outcome(world.reset(request["seed"]))
            while not now.over and len(steps) < world.max_steps:
                action = policy.act(now.grid)
                if (yield {"phase": "playing", "rows": list(now.grid.rows), "action": action_to_json(action)}):
                    break
                done = world.step(action)
                steps.append(Step(now.grid, action))
                now = done
        except KeyboardInterrupt:  # told to stop in the middle of a step; what came before it stands
            pass
        return run_to_json(self.game, Episode(level, tuple(steps), now.grid, now.won, now.over, request["seed"]))
