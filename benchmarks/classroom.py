"""A class under load: simulated pupils play real games over HTTP, and the server is killed meanwhile.

Each pupil joins, listens to the news of the own workspace, and clicks as the expert does, with pauses for thought.
After each new rule it asks for what the page asks for: twelve runs, one position, one explanation. A teacher looks at
the wall all the time. What was acknowledged is compared with what is found after each kill and at the end.

- first rule: from the answer to the click that wins a pupil's first game to the first rule;
- next rule: from the answer to the click that wins a later game to the first rule learned from that game as well;
- click: from sending a click to its answer;
- wall: the same for the teacher's page;
- processors: processor time of the server and its children per second, so that a busy machine is noticed;
- memory: the sum of the proportional set sizes of the server and its children, in MiB: the largest in the second tenth
  of the time, in the last tenth, and of all;
- page: with --browsers, the same as pupils in real browsers see it: click to repaint, and new rules.

The ten minutes that the goals are about:
python benchmarks/classroom.py --seconds 600 --kills 10 --browsers 4 --save load.json
"""

from __future__ import annotations

import argparse
import contextlib
import http.client
import json
import os
import random
import re
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from shown.grid import Grid
from shown.worlds import Game, find_game

GAMES = ("nim", "checkmate", "stop-the-fall", "fence-in", "reach-for-the-star", "chase")
REST = 15.0  # seconds that a pupil looks at the rule after a game, at most
LATE = REST + 1.0  # counted for a rule that did not come meanwhile
PATIENCE = 60.0
SAVE_SECONDS = 15.0  # between two saved summaries
GOALS = {  # the most that a figure may be
    "first_rule_p95_ms": 5000,
    "next_rule_p95_ms": 15000,
    "click_p95_ms": 100,
    "page_first_rule_p95_ms": 5000,
    "page_repaint_p95_ms": 100,
    "memory_growth_percent": 20,
}
JSON = {"Content-Type": "application/json"}


class ClassServer:
    """A class in another process, which is started again at the same port."""

    def __init__(self, folder: Path) -> None:
        self.folder, self.port, self.kills = folder, 0, 0
        self.seconds: dict[int, float] = {}  # of processor time, by process
        self.start()

    def start(self) -> None:
        words = ("--class", "--host", "127.0.0.1", "--no-browser", "--port", str(self.port), "--project")
        command = [sys.executable, "-m", "shown", "studio", *words, str(self.folder)]
        self.process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
        assert self.process.stdout is not None
        found = re.fullmatch(r"http://127.0.0.1:(\d+)/teacher#secret=(\S+)\n", self.process.stdout.readline())
        assert found, "the class did not start"
        self.port, self.secret, self.started = int(found[1]), found[2], time.monotonic()
        self.address = f"http://127.0.0.1:{self.port}/"

    def kill(self) -> None:
        self.kills += 1
        self.process.kill()
        self.process.wait()

    def memory(self) -> float:
        """Return the memory of the server and its children, in MiB; note the processor time of each."""
        own, total = self.process.pid, 0
        for entry in Path("/proc").glob("[0-9]*"):
            with contextlib.suppress(OSError, ValueError, IndexError):
                words = (entry / "stat").read_text().rpartition(")")[2].split()
                if own in (int(entry.name), int(words[1])):
                    total += int(re.findall(r"Pss:\s+(\d+)", (entry / "smaps_rollup").read_text())[0])
                    self.seconds[int(entry.name)] = (int(words[11]) + int(words[12])) / os.sysconf("SC_CLK_TCK")
        return total / 1024


class Client:
    """A connection that is opened again when the server was killed."""

    def __init__(self, server: ClassServer, secret: str = "") -> None:
        self.server, self.secret = server, secret
        self.line: http.client.HTTPConnection | None = None

    def post(self, path: str, **body: Any) -> Any:
        """Send a command once; OSError if there is no answer."""
        if self.line is None:
            self.line = http.client.HTTPConnection("127.0.0.1", self.server.port, timeout=PATIENCE)
        try:
            self.line.request("POST", path, json.dumps(body).encode(), {**JSON, "Shown-Secret": self.secret})
            response = self.line.getresponse()
            answer = json.loads(response.read())
        except (OSError, http.client.HTTPException, ValueError):
            self.line.close()
            self.line = None
            raise OSError("no answer") from None
        if response.status != 200:
            raise RuntimeError(f"{path}: {response.status} {answer}")
        return answer

    def insist(self, path: str, **body: Any) -> Any:
        """Send a question until it is answered."""
        end = time.monotonic() + PATIENCE
        while True:
            try:
                return self.post(path, **body)
            except OSError:
                if time.monotonic() > end:
                    raise
                time.sleep(0.2)


@dataclass
class Measured:
    """What all pupils together have seen."""

    clicks: list[float] = field(default_factory=list)
    firsts: list[float] = field(default_factory=list)
    nexts: list[float] = field(default_factory=list)
    walls: list[float] = field(default_factory=list)
    late: int = 0
    games: int = 0
    lost: list[str] = field(default_factory=list)
    faults: list[str] = field(default_factory=list)
    memory: list[float] = field(default_factory=list)


class SimulatedPupil:
    """A pupil who plays one game again and again."""

    def __init__(self, number: int, server: ClassServer, code: str, measured: Measured, think: float) -> None:
        self.name, self.game = f"Pupil {number}", find_game(GAMES[number % len(GAMES)])
        self.server, self.measured, self.think = server, measured, think
        self.random = random.Random(number)
        secret = Client(server).insist("/class/join", name=self.name, code=code)["secret"]
        self.client, self.ear = Client(server, secret), Client(server, secret)
        self.recorded = 0
        self.clicks: tuple[str, int] = ("", 0)
        self.rule = threading.Condition()
        self.learned: tuple[int, float] = (0, 0.0)  # demonstrations of the latest rule, and when it was heard of
        self.ending = False

    def listen(self) -> None:
        """Hear the news, as a page does."""
        while not self.ending:
            try:
                for event, data in self._news():
                    fresh = event == "learned" and data["hasPolicy"] and not data["stale"]
                    if fresh and data["game"] == self.game.name:
                        with self.rule:
                            if data["demonstrations"] != self.learned[0]:
                                self.learned = (data["demonstrations"], time.monotonic())
                                self.rule.notify_all()
            except (OSError, http.client.HTTPException, ValueError):
                time.sleep(0.5)

    def _news(self) -> Iterator[tuple[str, Any]]:
        line = http.client.HTTPConnection("127.0.0.1", self.server.port, timeout=PATIENCE)
        line.request("GET", "/news", headers={"Shown-Secret": self.client.secret})
        stream = line.getresponse()
        while (text := stream.readline()) and not self.ending:
            if text.startswith(b"event: "):
                yield text[7:].strip().decode(), json.loads(stream.readline()[6:])
        line.close()

    def play(self) -> None:
        while not self.ending:
            try:
                self._game()
            except OSError:
                self.check("after a kill")
            except Exception as error:  # a fault of one pupil is reported, and others go on
                self.measured.faults.append(f"{self.name}: {type(error).__name__}: {error}")
                time.sleep(1)

    def _game(self) -> None:
        kills, table = self.server.kills, self.client.insist("/api/open", game=self.game.name)["table"]
        while not self.ending:
            time.sleep(self.random.uniform(0.3, 1.7) * self.think)
            action = _move(self.game, Grid(tuple(table["rows"])))
            self.client.post("/api/peek", game=self.game.name, action=action)
            begun = time.monotonic()
            answer = self.client.post("/api/click", game=self.game.name, action=action)
            self.measured.clicks.append(time.monotonic() - begun)
            table = answer["lesson"]["table"]
            self.clicks = (table["level"], table["clicks"])
            if answer["happened"] == "won":
                break
            if answer["happened"] == "lost":
                table = self.client.post("/api/restart", game=self.game.name)["lesson"]["table"]
        else:
            return
        won = time.monotonic()
        self.recorded = len(answer["lesson"]["recordings"])
        self.measured.games += 1
        self._wait_for_rule(won, kills)

    def _wait_for_rule(self, won: float, kills: int) -> None:
        with self.rule:
            heard = self.rule.wait_for(lambda: self.ending or self.learned[0] >= self.recorded, REST)
        if self.ending or kills != self.server.kills:
            return
        if not heard:
            self.measured.late += 1
        taken = self.measured.nexts if self.recorded > 1 else self.measured.firsts
        taken.append(max(0.0, self.learned[1] - won) if heard else LATE)
        game = self.game.name
        levels = self.client.post("/api/unseen", game=game, count=12, first=0)["levels"]
        self.client.post("/api/runs", game=game, levels=[level["name"] for level in levels], seed=0)
        position = self.client.post("/api/position", game=game, rows=levels[0]["rows"])
        if "chosen" in position:
            self.client.post("/api/why", game=game, rows=levels[0]["rows"], action=position["chosen"])
        time.sleep(self.random.uniform(1, 4) * self.think)

    def check(self, when: str) -> None:
        """Compare what was acknowledged with what is found. One more click may have been saved than was answered."""
        view = self.client.insist("/api/open", game=self.game.name)
        count, table = len(view["recordings"]), view["table"]
        level, clicks = self.clicks
        if count < self.recorded or (count == self.recorded and table["level"] == level and table["clicks"] < clicks):
            self.measured.lost.append(
                f"{self.name} {when}: {count} games and {table['clicks']} clicks, not {self.recorded} and {clicks}"
            )
        self.recorded, self.clicks = count, (table["level"], table["clicks"])


def _move(game: Game, grid: Grid) -> list[int]:
    action = game.expert(grid)
    assert not isinstance(action, str)
    return list(action)


class Lesson:
    """A class at work: the server, its pupils, and what was measured so far."""

    def __init__(self, folder: Path, args: argparse.Namespace) -> None:
        self.args, self.measured, self.seen = args, Measured(), None
        self.server = ClassServer(folder)
        self.teacher = Client(self.server, self.server.secret)
        code = self.teacher.insist("/class/wall")["code"]
        self.pupils = [SimulatedPupil(i, self.server, code, self.measured, args.think) for i in range(args.pupils)]
        self.browsers: list[Any] = []
        if args.browsers:
            from browsing_pupils import BrowsingPupil, SeenOnPages

            self.seen = SeenOnPages()
            self.browsers = [BrowsingPupil(i, self.server, code, self.seen, args.think) for i in range(args.browsers)]

    def run(self) -> None:
        works = [work for one in self.pupils for work in (one.play, one.listen)]
        threads = [threading.Thread(target=work, daemon=True) for work in works]
        for browser in self.browsers:
            browser.start()
        for browser in self.browsers:  # to start four browsers takes both processors for a while
            browser.joined.wait(PATIENCE)
        for thread in threads:
            thread.start()
        self._teach()
        for one in self.pupils:
            one.ending = True
        for browser in self.browsers:
            browser.ending.set()
        for thread in threads[::2]:
            thread.join(PATIENCE)
        self._kill()
        for one in self.pupils:
            one.check("at the end")
        for browser in self.browsers:
            browser.checking.set()
        for browser in self.browsers:
            browser.join(2 * PATIENCE)

    def _teach(self) -> None:
        """Look at the wall all the time, and kill the server now and then."""
        args, measured = self.args, self.measured
        begun = saved = time.monotonic()
        while (passed := time.monotonic() - begun) < args.seconds:
            time.sleep(1.5)
            with contextlib.suppress(OSError):
                asked = time.monotonic()
                self.wall = self.teacher.post("/class/wall")["pupils"]
                measured.walls.append(time.monotonic() - asked)
            measured.memory.append(self.server.memory())
            if self.server.kills < args.kills and passed > (self.server.kills + 1) * args.seconds / (args.kills + 1):
                self._kill()
            if args.save and time.monotonic() > saved + SAVE_SECONDS:
                saved = time.monotonic()
                args.save.write_text(json.dumps({"seconds": round(passed), **self.summary()}, indent=1))

    def _kill(self) -> None:
        self.server.kill()
        time.sleep(0.5)
        self.server.start()

    def summary(self) -> dict[str, Any]:
        measured, seen, memory = self.measured, self.seen, self.measured.memory
        tenth = len(memory) // 10 + 1
        start, end = max(memory[tenth : 2 * tenth] or memory), max(memory[-tenth:])
        times = {"click": measured.clicks, "first_rule": measured.firsts, "next_rule": measured.nexts}
        times["wall"] = measured.walls
        if seen is not None:
            times |= {"page_repaint": seen.repaints, "page_first_rule": seen.firsts, "page_next_rule": seen.nexts}
        return {
            "clicks": len(measured.clicks),
            "games": measured.games,
            "first_rules": len(measured.firsts),
            "next_rules": len(measured.nexts),
            f"without_rule_after_{REST:.0f}_s": measured.late,
            **{f"{name}_median_ms": _ms(values, 0.5) for name, values in times.items()},
            **{f"{name}_p95_ms": _ms(values, 0.95) for name, values in times.items()},
            **({} if seen is None else {"page_clicks": len(seen.repaints), "page_games": seen.games}),
            "memory_mib_start": round(start),
            "memory_mib_end": round(end),
            "memory_mib_most": round(max(memory)),
            "memory_growth_percent": round(100 * (end / start - 1)),
            "kills": self.server.kills,
            "lost": measured.lost + (seen.lost if seen else []),
            "faults": (measured.faults + (seen.faults if seen else []))[:10],
            "pupils_with_score": sum(bool(one.get("expected")) for one in self.wall),
            "pupils_with_12_of_12": sum((one.get("expected") or {}).get("won") == 12 for one in self.wall),
            "processors": round(sum(self.server.seconds.values()) / self.args.seconds, 2),
        }


def verdicts(found: dict[str, Any]) -> list[str]:
    """Return a line for each goal: whether it is reached."""
    lines = [
        f"{'yes' if found[key] <= most else 'NO '} {key} {found[key]} (goal: at most {most})"
        for key, most in GOALS.items()
        if found.get(key) is not None
    ]
    intact = not found["lost"] and not found["faults"]
    return [*lines, f"{'yes' if intact else 'NO '} nothing lost and no fault over {found['kills']} kills"]


def _ms(values: list[float], share: float) -> int | None:
    return round(1000 * sorted(values)[min(len(values) - 1, int(share * len(values)))]) if values else None


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--pupils", type=int, default=30)
    parser.add_argument("--seconds", type=float, default=180)
    parser.add_argument("--kills", type=int, default=3)
    parser.add_argument("--think", type=float, default=1.2, help="mean seconds between two clicks")
    parser.add_argument("--browsers", type=int, default=0, help="further pupils, in real browsers (needs Chromium)")
    parser.add_argument("--save", type=Path, help="file for the figures so far, written again and again")
    parser.add_argument("--json", action="store_true")
    args = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        lesson = Lesson(Path(folder) / "class", args)
        try:
            lesson.run()
        finally:
            lesson.server.process.kill()
            lesson.server.process.wait()
    found = lesson.summary()
    if args.save:
        args.save.write_text(json.dumps({"seconds": args.seconds, **found}, indent=1))
    print(json.dumps(found, indent=1) if args.json else "\n".join(f"{key}: {value}" for key, value in found.items()))
    print("\n".join(verdicts(found)), file=sys.stderr)
    sys.exit(bool(found["lost"] or found["faults"]))


if __name__ == "__main__":
    main()
