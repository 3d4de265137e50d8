"""A class under load: simulated pupils play real games over HTTP, and the server is killed meanwhile.

Each pupil joins, listens to the news of the own workspace, and clicks as the expert does, with pauses for thought.
After each new rule it asks for what the page asks for: twelve runs, one position, one explanation. A teacher looks at
the wall all the time. What was acknowledged is compared with what is found after each kill and at the end.

- first rule: from the answer to the click that wins a pupil's first game to the first rule;
- next rule: from the answer to the click that wins a later game to the first rule learned from that game as well;
- click: from sending a click to its answer;
- wall: the same for the teacher's page;
- processors: processor time of the server and its children per second, so that a busy machine is noticed;
- memory: the largest sum of the proportional set sizes of the server and its children, in MiB.

Run: python benchmarks/classroom.py [--pupils 30] [--seconds 180] [--kills 3] [--think 1.2] [--json]
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
PATIENCE = 60.0
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
        self.port, self.secret = int(found[1]), found[2]

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
        taken.append(max(0.0, self.learned[1] - won) if heard else REST)
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


def run(pupils: int, seconds: float, kills: int, think: float) -> dict[str, Any]:
    measured = Measured()
    with tempfile.TemporaryDirectory() as folder:
        server = ClassServer(Path(folder) / "class")
        teacher = Client(server, server.secret)
        code = teacher.insist("/class/wall")["code"]
        some = [SimulatedPupil(i, server, code, measured, think) for i in range(pupils)]
        threads = [threading.Thread(target=work, daemon=True) for one in some for work in (one.play, one.listen)]
        for thread in threads:
            thread.start()
        begun, killed = time.monotonic(), 0
        while (passed := time.monotonic() - begun) < seconds:
            time.sleep(1.5)
            with contextlib.suppress(OSError):
                asked = time.monotonic()
                teacher.post("/class/wall")
                measured.walls.append(time.monotonic() - asked)
            measured.memory.append(server.memory())
            if killed < kills and passed > (killed + 1) * seconds / (kills + 1):
                killed += 1
                server.kill()
                time.sleep(0.5)
                server.start()
        for one in some:
            one.ending = True
        for thread in threads[::2]:
            thread.join(PATIENCE)
        server.kill()
        server.start()
        for one in some:
            one.check("at the end")
        time.sleep(5)
        wall = Client(server, server.secret).insist("/class/wall")["pupils"]
        server.process.kill()
        server.process.wait()
    return {**_summary(measured, killed + 1, wall), "processors": round(sum(server.seconds.values()) / seconds, 2)}


def _summary(measured: Measured, kills: int, wall: list[dict[str, Any]]) -> dict[str, Any]:
    return {
        "clicks": len(measured.clicks),
        "games": measured.games,
        "first_rules": len(measured.firsts),
        "next_rules": len(measured.nexts),
        f"without_rule_after_{REST:.0f}_s": measured.late,
        **{f"click_{name}_ms": _ms(measured.clicks, share) for name, share in (("median", 0.5), ("p95", 0.95))},
        **{f"first_rule_{name}_ms": _ms(measured.firsts, share) for name, share in (("median", 0.5), ("p95", 0.95))},
        **{f"next_rule_{name}_ms": _ms(measured.nexts, share) for name, share in (("median", 0.5), ("p95", 0.95))},
        **{f"wall_{name}_ms": _ms(measured.walls, share) for name, share in (("median", 0.5), ("p95", 0.95))},
        "memory_mib_first_quarter": round(max(measured.memory[: len(measured.memory) // 4 + 1])),
        "memory_mib": round(max(measured.memory)),
        "kills": kills,
        "lost": measured.lost,
        "faults": measured.faults[:10],
        "pupils_with_12_of_12": sum((one.get("expected") or {}).get("won") == 12 for one in wall),
    }


def _ms(values: list[float], share: float) -> int | None:
    return round(1000 * sorted(values)[min(len(values) - 1, int(share * len(values)))]) if values else None


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--pupils", type=int, default=30)
    parser.add_argument("--seconds", type=float, default=180)
    parser.add_argument("--kills", type=int, default=3)
    parser.add_argument("--think", type=float, default=1.2, help="mean seconds between two clicks")
    parser.add_argument("--json", action="store_true")
    args = parser.parse_args()
    found = run(args.pupils, args.seconds, args.kills, args.think)
    print(json.dumps(found, indent=1) if args.json else "\n".join(f"{key}: {value}" for key, value in found.items()))
    sys.exit(bool(found["lost"] or found["faults"]))


if __name__ == "__main__":
    main()
