"""An open project: a workspace for each game, the child processes that learn and play, and news for the pages.

Pages get these events from `Studio.news`, each about one "game" (its name):

- "learned": the state of learning, as `Studio.learned_view` returns it: the fields of `LearningState.to_json`, and
    - "outdated": the policy was learned before the last edit of the rule, and may break it;
    - "waits_for": while "waiting", the title of the game learned first; null while the learner starts;
    - "scored": number of scores; "preferences"; "demonstrations" and "clicks": numbers of those that count.
- "taught": another page has changed the lesson ("revision", and "page", the page that did).
"""

from __future__ import annotations

import asyncio
import contextlib
import hashlib
import json
from collections import defaultdict
from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial
from typing import Any, TypeVar

from shown.demonstrations import Demonstrations
from shown.errors import BadInput, ShownError
from shown.studio.catalog import catalog
from shown.studio.children import Background, ChildDied
from shown.studio.isolated import Isolated
from shown.studio.learning import LearningState
from shown.studio.learning_queue import LearningJob
from shown.studio.news import NewsFeed
from shown.studio.processes import Processes
from shown.studio.project import Project
from shown.studio.workspace import Workspace
from shown.teaching.lessons.lesson_file import LessonFile
from shown.teaching.lessons.lesson_json import demonstrations_to_text
from shown.teaching.lessons.preferences import Preferences
from shown.teaching.lessons.remarks import constraints_of
from shown.teaching.lessons.saved_policy import SavedPolicy
from shown.teaching.lessons.scores import HELD_OUT, MAX_SCORES, Score
from shown.worlds import Level, Playable, World

ASK_SECONDS = 30.0  # a request to the player that takes longer is given up
NEXT_LEVELS = 24  # levels among which the most useful next ones are searched
SCORED_AT_ONCE = 10  # held-out levels in one request, so that other requests get through

T = TypeVar("T")


def shown_text(workspace: Workspace) -> str:
    """Return the demonstrations to learn from, as JSON text."""
    return demonstrations_to_text(workspace.game, [item for item in workspace.lesson.recordings if item.learn])


class Forgotten(ShownError):
    """A question about a policy that is not there any more, or not yet. A page may ask it in good faith, just late."""


class Studio:
    """The state behind the page. `start` it inside a running event loop, `close` it at the end.

    `command` is what to type to start the studio again.
    """

    def __init__(
        self,
        project: Project,
        command: str = "shown studio",
        worlds: Sequence[World] = (),
        lessons: Sequence[LessonFile] = (),
    ) -> None:
        self.project, self.command, self._to_open = project, command, lessons
        self.worlds = [world.name for world in worlds]
        self.processes = Processes(catalog(worlds))
        self.catalog, self.queue = self.processes.catalog, self.processes.queue
        self.settings = project.settings()
        self.news = NewsFeed()
        self._workspaces: dict[str, Workspace] = {}
        self._locks: defaultdict[str, asyncio.Lock] = defaultdict(asyncio.Lock)
        self._tasks = Background()

    async def start(self) -> None:
        self.processes.start()
        for lesson in self._to_open:
            await self.open_lesson(lesson)
            self.remember(game=lesson.game.name)

    async def close(self) -> None:
        self.news.close()
        self._tasks.cancel()
        await self.processes.close()

    # --- games -------------------------------------------------------------------------------------------------------

    async def workspace(self, name: Any) -> Workspace:
        """Return the workspace of a game, opened when first asked for; BadInput if its files cannot be read."""
        game = self._game(name)

        if name not in self._workspaces:
            workspace = await self.run(game, lambda: self._workspaces.get(name) or Workspace(self.project, game))
            if name not in self._workspaces:
                with contextlib.suppress(BadInput):
                    saved = self.project.learned(game) if workspace.demonstrations().items else None
                    if saved is not None:
                        self._take_up(workspace, saved)
                self._workspaces[name] = workspace
                if workspace.learning.state == "stopped":
                    self._tasks.run(self.keep_score(workspace))
        return self._workspaces[name]

    def _game(self, name: Any) -> Playable:
        if not isinstance(name, str):
            raise BadInput('"game" must be the name of a game.')
        return self.catalog.find(name)

    async def run(self, game: Playable, work: Callable[[], T]) -> T:
        """Run something that may call a game's own code.

        Such code may take its time. That of an isolated game is waited for in a thread, so that only pages of that
        game wait.
        """
        if not isinstance(game, Isolated):
            return work()
        async with self._locks[game.name]:
            return await asyncio.to_thread(work)

    @property
    def first(self) -> str | None:
        """The game a page opens on: a world named on the command line, or else the game opened last."""
        name = next(iter(self.worlds), None) if self.settings.game not in self.worlds else self.settings.game
        return name or (self.settings.game if self.settings.game in self.catalog.entries else None)

    async def open(self, name: Any) -> Workspace:
        """Open a game: remember it for the next visit, and learn if there is something new to learn from."""
        workspace = await self.workspace(name)
        if self.settings.game != workspace.game.name:
            with contextlib.suppress(BadInput):  # then the next visit begins with another game
                self.remember(game=workspace.game.name)
        self.consider(workspace)
        return workspace

    def remember(self, **changes: Any) -> None:
        """Change settings, in memory only after they are changed on disk."""
        settings = replace(self.settings, **changes)
        self.project.save_settings(settings)
        self.settings = settings

    def set_aside(self, name: Any) -> str:
        """Rename the folder of a game whose files cannot be read."""
        game = self._game(name)
        if name in self._workspaces:
            raise BadInput("this game's files are in order; there is nothing to set aside.")
        return self.project.set_game_aside(game)

    async def open_lesson(self, lesson: LessonFile) -> Workspace:
        """Add a lesson file to the project, all of it or nothing.

        If nothing was demonstrated here before, its preferences and its policy are taken over as well.
        """
        workspace = await self.workspace(lesson.game.name)
        if lesson.policy is not None:
            await self.ask("check", workspace, policy=lesson.policy)
        first = not workspace.lesson.recordings
        await self.run(workspace.game, lambda: workspace.add_lesson(lesson, with_remarks=first))
        if first:
            with contextlib.suppress(BadInput):  # then the usual preferences are used
                self.prefer(workspace, lesson.preferences)
        shown = workspace.demonstrations()
        if first and lesson.policy is not None and shown.items:
            current = _digest_of(lesson.policy) == shown.digest
            digest = self._aim(workspace) if current else "another lesson"
            self._take_up(workspace, SavedPolicy(lesson.policy, digest, lesson.tried))
            if current:
                workspace.take_scores(lesson.scores)
                self._save(workspace)
            self.tell_learned(workspace)
        self.consider(workspace)
        return workspace

    def _take_up(self, workspace: Workspace, saved: SavedPolicy) -> None:
        """Take up a policy. If it was learned from something else or not to the end, it plays until more is learned."""
        aim, version = self._aim(workspace), workspace.learning.version + 1
        learning = LearningState(policy=saved.policy, learned_from=saved.digest, version=version)
        workspace.learning = learning
        if saved.digest == aim:
            learning.source = workspace.demonstrations().items
            if saved.state != "running":
                learning.state, learning.aim = saved.state, aim
                learning.tried, learning.contradictions = saved.tried, saved.contradictions

    # --- learning ----------------------------------------------------------------------------------------------------

    def _aim(self, workspace: Workspace) -> str:
        """Identify what is to be learned: other demonstrations, preferences or remarks give another aim."""
        shown = workspace.demonstrations()
        if not shown.items:
            return ""
        preferences = json.dumps(self.settings.preferences_for(workspace.game.name).to_json())
        return f"{shown.digest} {preferences}{_remarks_in_aim(workspace)}"

    def prefer(self, workspace: Workspace, preferences: Preferences) -> None:
        """Remember how a game is to be learned."""
        name = workspace.game.name
        if preferences != self.settings.preferences_for(name):
            self.remember(preferences={**self.settings.preferences, name: preferences})

    def consider(self, workspace: Workspace) -> None:
        """Learn if what is to be learned has changed."""
        aim = self._aim(workspace)
        if aim == workspace.learning.aim:
            return
        if (known := workspace.remembered.get(aim)) is not None:
            return self.recall(workspace, known)
        if aim:
            return self.learn(workspace)
        self.queue.remove(workspace.game.name)
        workspace.remembered.clear()  # the teacher starts over
        workspace.learning = LearningState(version=workspace.learning.version + 1)
        with contextlib.suppress(BadInput):  # without demonstrations, a policy that cannot be removed is ignored
            self.project.drop_learned(workspace.game)
        self.tell_learned(workspace)

    def recall(self, workspace: Workspace, known: LearningState) -> None:
        """Take up what was learned from this very lesson: before, as after Undo, or another rule."""
        self.queue.remove(workspace.game.name)
        workspace.learning = replace(known, version=workspace.learning.version + 1)
        self._finished(workspace)

    def learn(self, workspace: Workspace, preferences: Preferences | None = None) -> None:
        """Learn from all demonstrations that count, as soon as it is this game's turn; remember how, if that is new."""
        shown, game, last = workspace.demonstrations(), workspace.game, workspace.learning
        if not shown.items:
            raise BadInput("there is nothing to learn from yet. Play a level first.")
        if preferences is not None:
            self.prefer(workspace, preferences)
        state = workspace.learning = last.renewed(self._aim(workspace))
        self.drop_under_other_remarks(workspace)

        def news(message: dict[str, Any]) -> None:
            if workspace.learning is state:
                state.state = "running"
                state.hear(message, shown.items)
                if "policy" in message:
                    self._save(workspace)
                self.tell_learned(workspace)

        def done(result: dict[str, Any] | ShownError) -> None:
            if workspace.learning is state:
                state.finish(result, shown.items)
                self._finished(workspace)

        request = self._learn_request(workspace, shown, last)
        moved = partial(self.tell_learned, workspace)
        self.queue.put(LearningJob(game.name, game.title, request, news, done, moved))
        self.tell_learned(workspace)

    def drop_under_other_remarks(self, workspace: Workspace) -> None:
        """Remove a saved policy that was learned under other remarks, because it may have a struck condition."""
        if workspace.lesson.remarks:
            with contextlib.suppress(BadInput):  # one that cannot be removed is not taken up as learned
                saved = self.project.learned(workspace.game)
                if saved is None or not _under_present_remarks(workspace, saved.digest):
                    self.project.drop_learned(workspace.game)

    def _learn_request(self, workspace: Workspace, shown: Demonstrations, last: LearningState) -> dict[str, Any]:
        # The last policy remains a candidate unless something was taken back or the preferences have changed.
        same = last.learned_from.partition(" ")[2] == workspace.learning.aim.partition(" ")[2]
        before = last.policy if same and last.in_keeping_with(shown.items) else None
        return {
            "game": workspace.game.name,
            "demonstrations": shown_text(workspace),
            "before": before,
            "keep": [] if before is None else [as_request(level) for level in workspace.tested],
            "used": last.used if shown.items[: len(last.source)] == last.source else [],
            **self.settings.preferences_for(workspace.game.name).to_json(),
            "constraints": constraints_of(workspace.game, workspace.lesson.remarks).to_json(),
        }

    def _finished(self, workspace: Workspace) -> None:
        learning = workspace.learning
        if learning.policy is not None and learning.state != "broken":
            if not learning.stale:
                self._save(workspace)
            if learning.state == "done":
                workspace.remember(learning)
            self._tasks.run(self._search_next(workspace, learning))
        self.tell_learned(workspace)

    def check_current(self, workspace: Workspace) -> None:
        """Raise BadInput if the policy may break the teacher's edits, because it was learned before them."""
        learning = workspace.learning
        if learning.policy is not None and not _under_present_remarks(workspace, learning.learned_from):
            raise BadInput("this rule is out of date: it was learned before your last edit. Wait for the new one.")

    def _save(self, workspace: Workspace) -> None:
        learning = workspace.learning
        if not _under_present_remarks(workspace, learning.aim):  # another one is about to be learned
            return
        state = learning.state if learning.state in ("done", "stopped") else "running"
        try:
            saved = SavedPolicy(learning.policy, learning.aim, learning.tried, learning.contradictions, state)
            self.project.save_learned(workspace.game, saved)
            learning.unsaved = None
        except BadInput as error:  # the policy still works until the studio ends
            learning.unsaved = f"The policy could not be saved. {error}"

    def tell_learned(self, workspace: Workspace) -> None:
        self.news.publish("learned", self.learned_view(workspace))

    def learned_view(self, workspace: Workspace) -> dict[str, Any]:
        """Return the state of learning as the page shows it."""
        name, demonstrations, learning = workspace.game.name, workspace.demonstrations(), workspace.learning
        return {
            **learning.to_json(),
            "game": name,
            "outdated": learning.policy is not None and not _under_present_remarks(workspace, learning.learned_from),
            "waits_for": self.queue.waits_for(name),
            "scored": len(workspace.scores),
            "preferences": self.settings.preferences_for(name).to_json(),
            "demonstrations": len(demonstrations),
            "clicks": len(demonstrations.steps),
        }

    # --- playing -----------------------------------------------------------------------------------------------------

    async def ask_player(self, workspace: Workspace, do: str, **request: Any) -> dict[str, Any]:
        """Ask the player process about the game's policy."""
        learning = workspace.learning
        if learning.policy is None:
            raise Forgotten("nothing has been learned yet. Show the computer a game first.")
        policy, version = learning.policy, learning.version
        for _ in range(3):
            result = await self.ask(do, workspace, key=[workspace.game.name, version], **request)
            if not result.get("missing"):
                return {**result, "version": version}
            await self._hand_over(workspace, policy, version)
        raise Forgotten("the process that plays has lost the policy. Try again.")

    async def _hand_over(self, workspace: Workspace, policy: Any, version: int) -> None:
        """Give the player a policy. If it refuses it, the policy was not written by the studio: learn a new one."""
        learning = workspace.learning
        try:
            answer = await self.ask("policy", workspace, key=[workspace.game.name, version], policy=policy)
        except ChildDied:
            raise
        except ShownError:
            learning.policy, learning.aim = None, ""
            self.consider(workspace)
            raise
        if learning.summary is None and learning.version == version:
            learning.summary = answer["summary"]
            self.tell_learned(workspace)

    async def ask(self, do: str, workspace: Workspace, **request: Any) -> dict[str, Any]:
        """Ask the player process of a game something, within a time limit."""
        player = self.processes.player_of(workspace.game)
        try:
            return await asyncio.wait_for(player.ask(do, game=workspace.game.name, **request), ASK_SECONDS)
        except TimeoutError:
            player.replace()
            raise BadInput(f"this took more than {ASK_SECONDS:.0f} seconds and was given up.") from None

    async def _search_next(self, workspace: Workspace, learning: LearningState) -> None:
        """Find the level on which the candidates disagree most, one level a request, so that others get through."""
        found: list[dict[str, Any]] = []
        try:
            for level in await self.run(workspace.game, lambda: workspace.candidates(NEXT_LEVELS)):
                if workspace.learning is not learning:
                    return
                result = await self.ask_player(workspace, "doubt", **as_request(level))
                found.append({"level": level.name, "rows": list(level.grid.rows), "doubt": result["doubt"]})
        except ShownError:
            return
        if workspace.learning is learning:
            learning.next = max(found, key=lambda item: item["doubt"], default=None)
            self.tell_learned(workspace)
            await self.keep_score(workspace)

    async def keep_score(self, workspace: Workspace) -> None:
        """Have the policy play the held-out levels, unless it has, and keep the number it wins."""
        learning = workspace.learning
        if learning.policy is None or learning.stale:
            return
        aim = hashlib.sha256(f"{learning.aim} {json.dumps(learning.policy['components'])}".encode()).hexdigest()[:16]

        def scored() -> bool:
            return bool(workspace.scores) and workspace.scores[-1].aim == aim

        won = 0
        try:
            for first in range(0, HELD_OUT, SCORED_AT_ONCE):
                if workspace.learning is not learning or scored():
                    break
                won += (await self.ask_player(workspace, "score", first=first, count=SCORED_AT_ONCE))["won"]
        except ShownError:
            return
        if workspace.learning is not learning:
            return
        if not scored():
            recordings = [recording for recording in workspace.lesson.recordings if recording.learn]
            corrections = sum(recording.kind == "correction" for recording in recordings)
            steps = sum(len(recording.demonstration.steps) for recording in recordings)
            remarks = len(workspace.lesson.remarks)
            new = Score(aim, len(recordings) - corrections, corrections, steps, remarks, won, HELD_OUT)
            workspace.take_scores((*workspace.scores, new)[-MAX_SCORES:])
        score = [workspace.scores[-1].won, workspace.scores[-1].of]
        if learning.score != score:
            learning.score = score
            self.tell_learned(workspace)


def _remarks_in_aim(workspace: Workspace) -> str:
    """Return the end of an aim: the remarks, if there are any."""
    remarks = [remark.to_json() for remark in workspace.lesson.remarks]
    return f" {json.dumps(remarks)}" if remarks else ""


def _under_present_remarks(workspace: Workspace, aim: str) -> bool:
    """Return whether an aim has the present remarks; without any it ends with the preferences."""
    return aim.endswith(_remarks_in_aim(workspace) or "}")


def _digest_of(policy: Any) -> str | None:
    """Return the digest of the demonstrations that a policy claims to be learned from."""
    match policy:
        case {"provenance": {"demonstrations": {"digest": str(digest)}}}:
            return digest
    return None


def as_request(level: Level) -> dict[str, Any]:
    return {"name": level.name, "rows": list(level.grid.rows)}
