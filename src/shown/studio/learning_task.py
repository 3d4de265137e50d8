"""The long task of the learner process: learn a game, and report progress and intermediate policies.

The process keeps its pupils, so that a further demonstration is added to what one has learned. A new pupil that
remembers the last policy would learn the same, more slowly. So a pupil may be dropped at any time, and one that was
interrupted in the middle of its work is.
"""

from __future__ import annotations

import json
import os
import time
from collections import OrderedDict
from collections.abc import Generator
from dataclasses import replace
from typing import Any

from shown.columns.resources import Resources
from shown.demonstrations import Demonstration, Demonstrations
from shown.engine.memory import machine_memory, resident_memory
from shown.grid import Grid
from shown.inference.pinning import Contradiction
from shown.language.standard import STANDARD
from shown.policy import Policy
from shown.rules import Constraints
from shown.studio.policy_summary import with_summary
from shown.teaching.dialogue.advice import Advice, Click, advise
from shown.teaching.interpretation.interpretations import EXACT_CLICKS
from shown.teaching.lessons.preferences import Preferences
from shown.teaching.many_demonstrations import SelectivePupil
from shown.teaching.result import Taught
from shown.teaching.teach import Pupil
from shown.worlds import Level, Playable

Answer = dict[str, Any]

MAX_BYTES = 2**30  # no pupils are kept in a process that holds more than this, or than a quarter of the memory
MAX_PUPILS = 16  # games whose pupils are kept
POLICY_SECONDS = 1.0  # between two intermediate policies; the first one is reported at once


class Pupils:
    """The pupils of a process, one for each of the games learned last."""

    def __init__(self) -> None:
        self.kept: OrderedDict[str, SelectivePupil] = OrderedDict()

    def take(self, game: Playable, request: dict[str, Any], shown: Demonstrations) -> SelectivePupil:
        """Return the game's pupil if the demonstrations extend its own, under the same settings; else a new one.

        Without a policy to start from, learning starts afresh.
        """
        kept, pupil = self.kept.pop(game.name, None), _new_pupil(game, request)
        begins = request["before"] is None
        same = kept is not None and replace(kept.pupil.task, demonstrations=None, keep=()) == pupil.task
        if kept is not None and same and begins == (kept.pupil.taught is None) and kept.extended_by(shown):
            return kept
        selective = SelectivePupil(pupil)
        if not begins:
            before = Policy.from_json(request["before"], "the policy so far")
            selective.remember(before, shown, request.get("used", ()))
        return selective

    def keep(self, game: str, pupil: SelectivePupil) -> None:
        """Keep a pupil that has stopped between two steps of its work, as far as memory allows."""
        self.kept[game] = pupil
        most = min(MAX_BYTES, machine_memory() // 4)
        while len(self.kept) > MAX_PUPILS or (self.kept and resident_memory() > most):
            self.kept.popitem(last=False)

    def learn(self, game: Playable, request: dict[str, Any]) -> Generator[Answer, bool | None, Answer]:
        """Learn from demonstrations, which come as text because the server keeps them so."""
        shown = Demonstrations.from_json(json.loads(request["demonstrations"]))
        pupil = self.take(game, request, shown)
        # What a correction must not lose: the levels on the page that the rule wins so far.
        kept = game.starts([level_of(level) for level in request.get("keep", ())])
        pupil.pupil.task = replace(pupil.pupil.task, keep=tuple(kept))
        struck = replace(pupil.pupil.task.constraints, pinned=())
        stages = pupil.iter_learn(shown)
        progress: Answer = {}
        sent, due, stopped, whole = None, 0.0, True, True
        try:
            for stage in stages:
                progress = {"phase": stage.phase.value, "won": stage.won, "seconds": stage.seconds}
                news: Answer = {"progress": progress}
                if stage.best is not None and stage.best is not sent and time.monotonic() >= due:
                    sent, due = stage.best, time.monotonic() + POLICY_SECONDS
                    if sent.keeps_to(struck):
                        described = sent.taught_by(shown, sent.provenance.symmetries, game.pieces)
                        news |= {**with_summary(described), "used": sorted(pupil.used)}
                if (yield news):
                    break
            else:
                stopped = False
        except KeyboardInterrupt:
            whole = False
        stages.close()
        answer = {"stopped": stopped, "progress": progress, "used": sorted(pupil.used), **_result(pupil.pupil, shown)}
        if whole:
            self.keep(game.name, pupil)
        return answer


def level_of(request: dict[str, Any]) -> Level:
    """Return the level of a request, which has its name and rows."""
    return Level(request["name"], Grid(tuple(request["rows"])))


def _new_pupil(game: Playable, request: dict[str, Any]) -> Pupil:
    constraints = Constraints.from_json(
        request.get("constraints", {}), game.tokens, game.buttons, STANDARD, "your remarks on the rule"
    )
    # One processor stays free for the page and other processes.
    resources = Resources(threads=max(1, (os.cpu_count() or 1) - 1))
    return Preferences.from_json(request, "how to learn").pupil(game, constraints, resources)


def _result(pupil: Pupil, shown: Demonstrations) -> Answer:
    """Return what was learned. A policy that breaks a constraint, as one stopped early may, is not."""
    taught = pupil.taught
    if taught is None:
        return {"tried": [], "lost": 0, "failure": None, "advice": None}
    constraints = pupil.task.constraints.without([item.clause for item in taught.contradictions])
    learned = taught.learned and taught.policy.keeps_to(constraints)
    kept = " and keeps to your remarks" if pupil.task.constraints else ""
    return {
        "tried": [[tried.hypothesis.name, tried.fits, tried.score] for tried in taught.tried],
        "lost": len(taught.lost),
        "failure": None if learned else f"No rule explains all that you have shown{kept}.",
        "advice": _located(_advice(pupil, taught, shown), shown),
        "contradictions": [_contradiction(item, shown) for item in taught.contradictions],
        **(with_summary(taught.policy) if learned else {}),
    }


def _advice(pupil: Pupil, taught: Taught, shown: Demonstrations) -> Advice | None:
    """Return the advice, with demonstrations numbered as they were shown, since only some of many are learned from."""
    used, failure = pupil.demonstrations, taught.failure
    if taught.advice is None or used is None or failure is None:
        return None
    numbers = [_number(item, shown) for item in used]
    if numbers == list(range(len(used))):
        return taught.advice
    items = dict(zip(numbers, used, strict=True))
    all_shown = replace(shown, items=tuple(items.get(i, one) for i, one in enumerate(shown)))
    here, there = numbers[failure.demonstration], numbers[failure.other_demonstration]
    interpretation = taught.failed.interpretation if taught.failed is not None else EXACT_CLICKS
    game = None if pupil.task.world is None else pupil.task.world.rules
    return advise(all_shown, replace(failure, demonstration=here, other_demonstration=there), game, interpretation)


def _number(item: Demonstration, shown: Demonstrations) -> int:
    """Return the place of a demonstration without its idle clicks: the shortest one shown that has all its steps."""
    steps = {(step.grid, step.action) for step in item.steps}
    whole = (i for i, one in enumerate(shown) if steps <= {(step.grid, step.action) for step in one.steps})
    return min(whole, key=lambda i: len(shown.items[i].steps))


def _located(advice: Advice | None, shown: Demonstrations) -> Answer | None:
    """Return the advice with the places of its two clicks among all that was shown, idle clicks included."""

    if advice is None:
        return None
    here, there = (
        [place for place in _places(click, shown) if place[0] == click.demonstration]
        for click in (advice.here, advice.there)
    )
    return {**advice.to_json(), "places": [here[0], there[0]]} if here and there else None


def _contradiction(item: Contradiction, shown: Demonstrations) -> Answer:
    """Return a contradiction with its place among all that was shown; None if it is in a mirror image."""
    found = {key: item.to_json()[key] for key in ("rule", "action", "other")}
    return {**found, "place": next(iter(_places(item, shown)), None)}


def _places(click: Click | Contradiction, shown: Demonstrations) -> list[list[int]]:
    """Return where this was clicked: numbers of demonstrations and steps."""
    return [
        [d, s]
        for d, one in enumerate(shown)
        for s, step in enumerate(one.steps)
        if (step.grid, step.action) == (click.grid, click.action)
    ]
