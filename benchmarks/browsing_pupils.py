"""Pupils in real browsers, who play by clicking on cells (see classroom.py)."""

from __future__ import annotations

import random
import sys
import threading
import time
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from playwright.sync_api import Error, expect

from classroom import LATE, REST, ClassServer

sys.path.append(str(Path(__file__).parents[1] / "tests"))
from visiting import Visitor, as_a_person, chromium

GAMES = ("nim", "chase", "fence-in", "reach-for-the-star")
SETTLING = 20.0  # seconds after a kill in which a browser may miss an answer
REPAINTS = "performance.getEntriesByName('click-to-repaint').map((entry) => entry.duration / 1000)"
NEW_RULE = "(n) => new RegExp(`From (\\\\d+ of )?${n} demonstration`).test(document.getElementById('rule').textContent)"


@dataclass
class SeenOnPages:
    """What the pages have shown, in seconds."""

    repaints: list[float] = field(default_factory=list)
    firsts: list[float] = field(default_factory=list)
    nexts: list[float] = field(default_factory=list)
    games: int = 0
    lost: list[str] = field(default_factory=list)
    faults: list[str] = field(default_factory=list)


class BrowsingPupil(threading.Thread):
    """A pupil with a browser, who joins at the door and plays one game again and again until `ending`."""

    def __init__(self, number: int, server: ClassServer, code: str, seen: SeenOnPages, think: float) -> None:
        super().__init__(daemon=True)
        self.label, self.game_name = f"Browser {number}", GAMES[number % len(GAMES)]
        self.server, self.code, self.seen, self.think = server, code, seen, think
        self.random = random.Random(number)
        self.recorded = 0
        self.joined, self.ending, self.checking = (threading.Event() for _ in range(3))

    def run(self) -> None:
        try:
            with chromium() as browser:
                visitor = self._join(browser)
                self.joined.set()
                while not self.ending.is_set():
                    try:
                        self._game(visitor)
                    except (Error, AssertionError) as error:
                        self._excuse(error)
                self.checking.wait()
                self._check(visitor)
        except Exception as error:  # a fault of one pupil is reported, and others go on
            self.seen.faults.append(f"{self.label}: {type(error).__name__}: {error}")

    def _join(self, browser: Any) -> Visitor:
        visitor = Visitor(browser, self.server)  # type: ignore[arg-type]
        visitor.expecting_silence = True  # kills are part of the benchmark
        visitor.context.set_default_timeout(SETTLING * 1000)
        visitor.at("#door-name").fill(self.label)
        visitor.at("#door-code").fill(self.code)
        visitor.at("#join").click()
        expect(visitor.at("#member")).to_have_text(self.label)
        visitor.at("#tour-close").click()
        self.game = visitor.choose(self.game_name)
        return visitor

    def _game(self, visitor: Visitor) -> None:
        """Win a level, and wait for the rule that takes it into account."""
        kills, before = self.server.kills, self._shown(visitor)
        while self._shown(visitor) == before:
            time.sleep(self.random.uniform(0.3, 1.7) * self.think)
            if self.ending.is_set():
                return
            visitor.click(self.game, as_a_person(self.game, visitor.board(self.game)))
        won, self.recorded = time.monotonic(), before + 1
        self.seen.games += 1
        self.seen.repaints += visitor.page.evaluate(REPAINTS)
        visitor.page.evaluate("performance.clearMeasures()")
        taken = self.seen.nexts if before else self.seen.firsts
        try:
            visitor.page.wait_for_function(NEW_RULE, arg=self.recorded, timeout=REST * 1000)
        except Error:
            if kills == self.server.kills:
                taken.append(LATE)
            return
        if kills == self.server.kills:
            taken.append(time.monotonic() - won)
        time.sleep(self.random.uniform(1, 4) * self.think)

    def _shown(self, visitor: Visitor) -> int:
        """Return the number of demonstrations that the page names."""
        return int("0" + "".join(filter(str.isdigit, visitor.at(".record-head h3").inner_text())))

    def _excuse(self, error: Exception) -> None:
        """Report a fault unless the server was just killed; the page goes on by itself either way."""
        if time.monotonic() > self.server.started + SETTLING and not self.ending.is_set():
            self.seen.faults.append(f"{self.label}: {type(error).__name__}: {str(error)[:300]}")
        time.sleep(1)

    def _check(self, visitor: Visitor) -> None:
        visitor.page.reload()
        expect(visitor.at("#member")).to_have_text(self.label)
        visitor.choose(self.game_name)
        count = self._shown(visitor)
        if count < self.recorded:
            self.seen.lost.append(f"{self.label} at the end: {count} games, not {self.recorded}")
        visitor.leave()
