"""The child processes of the studio: one learns, one plays, and one runs each game with code of another package."""

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

    def __init__(self, here: Catalog) -> None:
        self.catalog = here
        self.learner = ChildProcess("learns", LEARN_NICENESS, lambda learner: learner.begin("warm"))
        self.player = ChildProcess("plays", PLAY_NICENESS, lambda _: self._tasks.run(self._warm_player()))
        self.queue = LearningQueue(self.learner)
        self._own_players: dict[str, ChildProcess] = {}  # of games and worlds with code of other packages
        self._tasks = Background()

    def start(self) -> None:
        self.learner.start()
        self.player.start()

    async def close(self) -> None:
        self.queue.close()
        self._tasks.cancel()
        await asyncio.gather(*(child.close() for child in (self.learner, self.player, *self._own_players.values())))
        self.catalog.close()

    async def _warm_player(self) -> None:
        """Have the player import and compile after the learner, so that everything is compiled once."""
        with contextlib.suppress(TimeoutError):
            await asyncio.wait_for(self.learner.ready.wait(), READY_SECONDS)
        self.player.begin("warm")

    def player_of(self, game: Playable) -> ChildProcess:
        """Return the process that plays a game. Code of other packages may hang, so each such game has its own."""
        if not isinstance(game, Isolated):
            return self.player
        if game.name not in self._own_players:
            self._own_players[game.name] = ChildProcess(f"plays {game.name}", PLAY_NICENESS)
        return self._own_players[game.name]
