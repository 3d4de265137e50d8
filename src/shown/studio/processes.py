"""The games and child processes of a server, shared by all its sessions: those that learn, and those that play."""

from __future__ import annotations

import asyncio
import contextlib

from shown.studio.catalog import Catalog
from shown.studio.children import Background, ChildProcess
from shown.studio.isolated import Isolated
from shown.studio.learning_queue import READY_SECONDS, LearningQueue
from shown.worlds import Playable

LEARN_NICENESS, PLAY_NICENESS = 10, 5


class Processes:
    """Child processes of a server. `start` them inside a running event loop, `close` them at the end.

    Attributes:
        player: plays and explains the games of this package.
    """

    def __init__(self, here: Catalog, learners: int = 1) -> None:
        self.catalog = here
        self.learners = [ChildProcess("learns", LEARN_NICENESS, self._warm) for _ in range(learners)]
        self.player = ChildProcess("plays", PLAY_NICENESS, self._warm)
        self.queue = LearningQueue(self.learners)
        self._own_players: dict[str, ChildProcess] = {}  # of games and worlds with code of other packages
        self._tasks = Background()

    def start(self) -> None:
        for child in (*self.learners, self.player):
            child.start()

    async def close(self) -> None:
        self.queue.close()
        self._tasks.cancel()
        await asyncio.gather(*(child.close() for child in (*self.learners, self.player, *self._own_players.values())))
        self.catalog.close()

    def _warm(self, child: ChildProcess) -> None:
        """Have a process import and compile. The first learner comes first, so that everything is compiled once."""
        first = self.learners[0]
        if child is first:
            child.begin("warm")
            return

        async def later() -> None:
            with contextlib.suppress(TimeoutError):
                await asyncio.wait_for(first.ready.wait(), READY_SECONDS)
            child.begin("warm")

        self._tasks.run(later())

    def player_of(self, game: Playable) -> ChildProcess:
        """Return the process that plays a game. Code of other packages may hang, so each such game has its own."""
        if not isinstance(game, Isolated):
            return self.player
        if game.name not in self._own_players:
            self._own_players[game.name] = ChildProcess(f"plays {game.name}", PLAY_NICENESS)
        return self._own_players[game.name]
