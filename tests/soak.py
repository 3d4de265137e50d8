"""A long day of a studio: thousands of actions, kills at any moment, a disk that fills up; then what was acknowledged
is compared with what is found.

    python -m soak --actions 20000 --seconds 300 --seed 1
    python -m soak --actions 20000 --seconds 3000 --kills 0      one studio all the time: it may not grow
"""

from __future__ import annotations

import argparse
import contextlib
import http.client
import json
import os
import random
import re
import resource
import signal
import subprocess
import sys
import tempfile
import threading
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, NamedTuple

from hostile_files import shown_by_expert
from serving import Refused, Server, Tab, alive, check_heard, until
from shown.files import is_leftover

GAMES = ("nim", "chase", "fence-in")
PARTS = ("table", "recordings", "painted")
TABS = 10
PROGRAMS = 30  # programs to enumerate, so that there is little to learn
LEARNING = 600.0  # seconds to learn in the end; recordings by chance contradict each other, which takes long
MANY = 25  # recordings or painted levels beyond this number are deleted again, so that all actions have a turn
MAX_MEMORY, MAX_OPEN_FILES = 600, 150  # of the server, at any time; memory in MiB
LOOK_EVERY = 500  # actions between two looks at the size of the server
DISK_SIZE = 8 * 2**20
ACTIONS = {
    "click": 40, "expert": 6, "undo": 8, "redo": 4, "restart": 2, "keep": 3, "onward": 2, "another": 2, "level": 3,
    "correct": 3, "resume": 3, "delete": 4, "count": 4, "change-click": 4, "paint": 4, "unpaint": 2, "import": 2,
    "learn": 1, "stop": 1, "run": 1, "position": 1, "recording": 2, "hello": 1,
}  # fmt: skip
"""How often each is done."""


class Lost(AssertionError):
    """What was acknowledged is not what is found."""


class Size(NamedTuple):
    """What a server needs: MiB of memory, and open files."""

    memory: int
    files: int

    @classmethod
    def of(cls, studio: Server) -> Size:
        process = Path(f"/proc/{studio.process.pid}")
        (resident,) = re.findall(r"VmRSS:\s+(\d+)", (process / "status").read_text())
        return cls(int(resident) >> 10, len(os.listdir(process / "fd")))


def check_growth(sizes: Sequence[Size]) -> None:
    """Compare the second quarter of a server's life, when all has been done once, with its last; Lost if it grew."""
    early, late = sizes[len(sizes) // 4 : len(sizes) // 2], sizes[-(len(sizes) // 4) :]
    if early and max(late).memory > 1.25 * max(early).memory + 16:
        raise Lost(f"the studio has grown: {max(early).memory} MiB of memory, and in the end {max(late).memory}")
    if early and max(size.files for size in late) > max(size.files for size in early) + 8:
        raise Lost("the studio has grown: it has more and more files open")


class Disk:
    """A disk that can be filled: a small one in memory, where mounting is allowed, or a limit on the size of files."""

    def __init__(self, folder: Path, kind: str) -> None:
        self.folder, self.ballast, self.mounted = folder, folder / "ballast", False
        if kind != "quota":
            command = ["mount", "-t", "tmpfs", "-o", f"size={DISK_SIZE}", "shown-soak", str(folder)]
            self.mounted = subprocess.run(command, capture_output=True).returncode == 0
            if kind == "tmpfs" and not self.mounted:
                raise SystemExit("a disk in memory cannot be mounted here. Use --disk quota.")

    def fill(self, studio: Server, rng: random.Random) -> None:
        """From now on there is next to no room."""
        if not self.mounted:
            return self._limit(studio, rng.choice((0, 1, 50, 300)))
        with contextlib.suppress(OSError), self.ballast.open("wb", buffering=0) as file:
            while file.write(bytes(4096)):
                pass
        os.truncate(self.ballast, max(0, self.ballast.stat().st_size - rng.choice((0, 0, 4096))))

    def free(self, studio: Server) -> None:
        """There is room again."""
        if not self.mounted:
            return self._limit(studio, resource.prlimit(studio.process.pid, resource.RLIMIT_FSIZE)[1])
        self.ballast.unlink(missing_ok=True)

    def _limit(self, studio: Server, most: int) -> None:
        hard = resource.prlimit(studio.process.pid, resource.RLIMIT_FSIZE)[1]
        resource.prlimit(studio.process.pid, resource.RLIMIT_FSIZE, (most, hard))

    def close(self) -> None:
        if self.mounted:
            subprocess.run(["umount", str(self.folder)], check=True)


@dataclass
class Plan:
    """How much of everything. `kills` of the server, of its children and full disks are spread over the actions."""

    actions: int
    seconds: float
    seed: int
    kills: int
    child_kills: int
    fills: int


@dataclass
class Soak:
    """One run. `told` is what the studio has acknowledged of each game, `doubtful` the action that a kill cut off."""

    studio: Server
    disk: Disk
    plan: Plan
    told: dict[str, dict[str, Any]] = field(default_factory=dict)
    full: bool = False
    doubtful: str | None = None
    counts: Counter[str] = field(default_factory=Counter)
    sizes: list[Size] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.rng = random.Random(self.plan.seed)
        self._open_tabs()
        for game in GAMES:
            self.studio.post("expert", game=game)
            self.studio.post("learn", game=game, programs=PROGRAMS)

    def _open_tabs(self) -> None:
        self.tabs, self.revisions = [Tab(self.studio) for _ in range(TABS)], dict[str, int]()

    def run(self) -> None:
        """Does everything that is planned, as far as time allows, and looks at what is left of it."""
        events = self._events()
        end = time.monotonic() + self.plan.seconds
        self.look()
        for number in range(self.plan.actions):
            if time.monotonic() > end:
                break
            for event in events.get(number, ()):
                getattr(self, event)()
            self.act()
            self.counts["actions"] += 1
        self.free()
        if not self.plan.kills:
            check_growth(self.sizes)
        self.kill_quietly()
        self.settle()

    def _events(self) -> dict[int, list[str]]:
        """What happens before which action."""
        plan, events = self.plan, dict[int, list[str]]()
        kills = ["kill_in_flight" if i % 2 else "kill_quietly" for i in range(plan.kills)]
        for name in [*kills, *["kill_child"] * plan.child_kills, *["fill"] * plan.fills]:
            at = self.rng.randrange(1, max(2, plan.actions))
            events.setdefault(at, []).append(name)
            if name == "fill":
                events.setdefault(at + self.rng.randint(3, 40), []).append("free")
        return events

    # --- what is done -------------------------------------------------------------------------------------------------

    def act(self) -> None:
        """One action of a user; what it leads to is noted if it is acknowledged."""
        name = self.rng.choices(list(ACTIONS), list(ACTIONS.values()))[0]
        game = self.rng.choice(GAMES)
        told = self.told[game]
        if len(told["recordings"]) > MANY:
            name = "delete"
        elif len(told["painted"]) > MANY:
            name = "unpaint"
        request = self._request(name, game, told)
        self.doubtful = f"{name} {game}"
        try:
            answer = self.studio.post(name, **request)
        except Refused as refusal:
            if refusal.status not in (400, 503):
                raise Lost(f"{name} {request}: {refusal}") from None
            self.counts["refused"] += 1
            self.counts["refused while the disk was full"] += self.full
        else:
            self._note(name, request, answer)
        self.doubtful = None
        if self.counts["actions"] % LOOK_EVERY == 0:
            self._check_size()

    def _note(self, name: str, request: dict[str, Any], answer: dict[str, Any]) -> None:
        """Takes the studio at its word."""
        if name not in ("hello", "run", "position", "recording", "learn", "stop"):
            news = {**answer, **answer.get("lesson", {})}
            self.told[request["game"]] |= {part: news[part] for part in PARTS if part in news}
            if "revision" in news:
                self.revisions[request["game"]] = news["revision"]

    def _request(self, name: str, game: str, told: dict[str, Any]) -> dict[str, Any]:
        rng = self.rng
        rows = told["table"]["rows"]
        cell = [rng.randrange(len(rows)), rng.randrange(len(rows[0]))]
        if name == "click" and rng.random() < 0.7:
            cell = self.studio.post("hint", game=game)["action"] or cell
        number = rng.choice([card["id"] for card in told["recordings"]] or [1])
        if name == "delete" and told["recordings"]:
            number = told["recordings"][0]["id"]
        if name in ("unpaint", "paint") and told["painted"]:
            number = told["painted"][0]["id"]
        request: dict[str, Any] = {"game": game, "action": cell, "id": number, "step": rng.randint(0, 3)}
        request |= {"level": rng.choice(("train:0", "test:1", f"random:{rng.randrange(99)}")), "rows": rows}
        request |= {"learn": rng.random() < 0.6, "seed": 0}
        if name == "paint" and rng.random() < 0.7:
            request["id"] = None
        if name == "import":
            request["content"] = shown_by_expert(game).to_json()
        return request

    # --- what happens to it -------------------------------------------------------------------------------------------

    def kill_quietly(self) -> None:
        """Between two actions: nothing at all may be lost, not a click."""
        check_heard(self.tabs, self.revisions)
        whole = self._whole()
        self._restart(None)
        self.look()
        if self._whole() != whole:
            raise Lost("a demonstration is not the same any more after a kill")

    def kill_in_flight(self) -> None:
        """At any moment of an action, which may then have happened or not."""
        killer = threading.Timer(self.rng.uniform(0, 0.02), self.studio.kill)
        killer.start()
        try:
            while self.studio.process.poll() is None:
                self.act()
        except (OSError, http.client.HTTPException, json.JSONDecodeError):
            pass
        killer.join()
        self._restart(self.doubtful)
        self.look(self.doubtful)
        self.doubtful = None

    def _restart(self, doubtful: str | None) -> None:
        children = self.studio.children()
        self.studio.kill()
        until(lambda: not any(map(alive, children)), "the children of a killed server end")
        self.counts["kills"] += 1
        self.counts["kills in the middle of an action"] += doubtful is not None
        self.studio.start(self.studio.port)
        self._open_tabs()
        if self.full:
            self.disk.fill(self.studio, self.rng)

    def kill_child(self) -> None:
        with contextlib.suppress(IndexError, ProcessLookupError):
            os.kill(self.rng.choice(sorted(self.studio.children())), signal.SIGKILL)
            self.counts["children killed"] += 1

    def fill(self) -> None:
        self.full = True
        self.disk.fill(self.studio, self.rng)
        self.counts["disks filled"] += 1

    def free(self) -> None:
        if self.full:
            self.disk.free(self.studio)
            self.full = False

    # --- what is found ------------------------------------------------------------------------------------------------

    def look(self, doubtful: str | None = None) -> None:
        """Compares what the studio says now with what it had acknowledged."""
        for game in GAMES:
            view = self.studio.post("open", game=game)
            found = {part: view[part] for part in PARTS}
            if game in self.told and found != self.told[game]:
                if doubtful is None or doubtful.split()[1] != game:
                    raise Lost(f"{game}: {_difference(self.told[game], found)}")
                _check_one_step(self.told[game], found)
            if view["notes"]:
                raise Lost(f"{game}: something was set aside: {view['notes']}")
            self.told[game] = found
            self.counts["comparisons"] += 1

    def settle(self) -> None:
        """At the end: it learns from what is there, ends in peace, and leaves only its own files, all of them whole."""
        for game in GAMES:
            learned = self.studio.learned(game, LEARNING)
            counted = any(card["learn"] for card in self.told[game]["recordings"])
            if counted and learned["state"] not in ("done", "failed", "stopped"):
                raise Lost(f"{game}: nothing was learned at the end ({learned['state']})")
        if self.studio.stop() != 0:
            raise Lost("the studio did not end in peace")
        for path in self.studio.folder.rglob("*"):
            if is_leftover(path.name):
                raise Lost(f"{path}: left behind")
            if path.suffix == ".json":
                json.loads(path.read_text("utf-8"))

    def _whole(self) -> list[Any]:
        """Every position and click of every demonstration."""
        return [
            [self.studio.post("recording", game=game, id=card["id"]) for card in self.told[game]["recordings"]]
            for game in GAMES
        ]

    def _check_size(self) -> None:
        size = Size.of(self.studio)
        if size.memory > MAX_MEMORY or size.files > MAX_OPEN_FILES:
            raise Lost(f"the server has grown: {size}")
        self.sizes.append(size)


def _check_one_step(told: dict[str, Any], found: dict[str, Any]) -> None:
    """One action was cut off: it may have happened, but no more than that."""
    for part in ("recordings", "painted"):
        before, after = ({item["id"]: item for item in state[part]} for state in (told, found))
        gone, new = before.keys() - after.keys(), after.keys() - before.keys()
        changed = [number for number in before.keys() & after.keys() if before[number] != after[number]]
        if len(gone) > 1 or len(new) > 2 or len(changed) > 1:
            raise Lost(f"{part}: more than one action is lost: {_difference(told, found)}")


def _difference(told: dict[str, Any], found: dict[str, Any]) -> str:
    parts = [part for part in PARTS if told[part] != found[part]]
    return "; ".join(
        f"{part}: {str(told[part])[:600]} was acknowledged, {str(found[part])[:600]} found" for part in parts
    )


@contextlib.contextmanager
def studio_on(kind: str) -> Iterator[tuple[Server, Disk, Path]]:
    """A studio on a disk that can be filled; its log is beside it."""
    with tempfile.TemporaryDirectory(prefix="shown-soak-") as place:
        folder, log = Path(place) / "disk", Path(place) / "log"
        folder.mkdir()
        disk = Disk(folder, kind)
        with contextlib.closing(disk), log.open("wb") as file:
            studio = Server(folder / "project", log=file)
            try:
                yield studio, disk, log
            finally:
                studio.kill()


def soak(plan: Plan, disk: str = "auto") -> Soak:
    """Runs a plan; what was done and found. Lost if anything is amiss."""
    with studio_on(disk) as (studio, filled, log):
        done = Soak(studio, filled, plan)
        done.run()
        told = log.read_text("utf-8", "replace")
    if "Traceback" in told:
        raise Lost(f"something went wrong inside:\n{told[told.index('Traceback') :][:3000]}")
    return done


def main() -> int:
    parser = argparse.ArgumentParser(description="A studio that is used, killed and starved of room.")
    parser.add_argument("--actions", type=int, default=20_000, help="at most (20000)")
    parser.add_argument("--seconds", type=float, default=300.0, help="at most, about (300)")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--disk", choices=("auto", "tmpfs", "quota"), default="auto", help="how it is filled")
    parser.add_argument("--kills", type=int, help="of the server (every 400 actions); with 0 it may not grow, either")
    args = parser.parse_args()
    most = max(2, args.actions // 400)
    kills = most if args.kills is None else args.kills
    plan = Plan(args.actions, args.seconds, args.seed, kills, child_kills=most, fills=most)
    try:
        done = soak(plan, args.disk)
    except Lost as fault:
        print(f"seed {args.seed}: {fault}")
        return 1
    for name, number in done.counts.items():
        print(f"{number:8,}  {name}")
    for size in done.sizes[:: max(1, len(done.sizes) // 4)]:
        print(f"{size.memory:8} MiB, {size.files} open files")
    return 0


if __name__ == "__main__":
    sys.exit(main())
