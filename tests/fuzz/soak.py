"""A long day of a studio: thousands of actions, kills at any moment, a disk that fills up; then what was acknowledged
is compared with what is found.

    python -m fuzz.soak --actions 20000 --seconds 300 --seed 1
    python -m fuzz.soak --actions 20000 --seconds 3000 --kills 0      one studio all the time: it may not grow
"""

from __future__ import annotations

import argparse
import contextlib
import http.client
import json
import os
import random
import signal
import sys
import tempfile
import threading
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from fuzz import plugins, sound
from fuzz.disks import Disk, small_disk
from fuzz.tabs import check_heard, open_tabs
from serving import Refused, Server, alive, until
from shown.files import is_leftover
from shown.grid import Grid
from shown.studio.project import PROJECT_SCHEMA
from shown.teaching.interpretation.equivalence import expert_action
from shown.worlds.games import find

GAMES = ("nim", "chase", "fence-in", "mine")
"""The last one is of another package."""
PARTS = ("table", "recordings", "painted")
PROGRAMS = 30
LEARNING = 600.0
"""Seconds that it may take in the end. Recordings by chance contradict each other: whatever is understood of some of
them, others do not do, and it practices again with those."""
MANY = 25
"""More recordings, or painted levels, than this are deleted again, so that files stay small and all have a turn."""
MAX_MEMORY, MAX_OPEN_FILES = 600, 150
"""Of the server, at any time; memory in MiB."""
LOOK_EVERY = 500
GROWTH, SLACK = 1.25, {"memory": 16, "child_memory": 64, "files": 8, "children": 1}
"""A studio that runs for long may need so many times the memory that it needed, and so much more of everything: a child
that was killed and its successor may both be there for a moment."""
ACTIONS = {
    "click": 40, "expert": 6, "undo": 8, "redo": 4, "restart": 2, "keep": 3, "onward": 2, "another": 2, "level": 3,
    "correct": 3, "resume": 3, "delete": 4, "count": 4, "change-click": 4, "paint": 4, "unpaint": 2, "import": 2,
    "toured": 2, "learn": 1, "stop": 1, "run": 1, "position": 1, "recording": 2, "hello": 1,
}  # fmt: skip
"""How often each is done."""


class Lost(AssertionError):
    """What was acknowledged is not what is found."""


@dataclass(frozen=True)
class Size:
    """What a studio needs: MiB of the server and of its largest child, open files of the server, children."""

    memory: int
    child_memory: int
    files: int
    children: int

    @classmethod
    def of(cls, studio: Server) -> Size:
        server, children = studio.process.pid, studio.children()
        return cls(
            _memory(server),
            max(map(_memory, children), default=0),
            len(os.listdir(f"/proc/{server}/fd")),
            len(children),
        )


def _memory(pid: int) -> int:
    """MiB; 0 of a process that has ended."""
    with contextlib.suppress(OSError):
        for line in Path(f"/proc/{pid}/status").read_text().splitlines():
            if line.startswith("VmRSS:"):
                return int(line.split()[1]) >> 10
    return 0


def check_growth(sizes: Sequence[Size]) -> None:
    """Compares the second quarter of a studio's life, when all has been done once, with its last. Lost if it grew."""
    early, late = sizes[len(sizes) // 4 : len(sizes) // 2], sizes[-(len(sizes) // 4) :]
    for name, slack in SLACK.items():
        before, after = (max((getattr(size, name) for size in part), default=0) for part in (early, late))
        if early and after > before * (GROWTH if "memory" in name else 1) + slack:
            raise Lost(f"the studio has grown: {name.replace('_', ' ')} {before}, and in the end {after}")


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
    toured: bool = False
    full: bool = False
    doubtful: str | None = None
    counts: Counter[str] = field(default_factory=Counter)
    sizes: list[Size] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.rng = random.Random(self.plan.seed)
        self._open_tabs()

    def _open_tabs(self) -> None:
        self.tabs, self.revisions = open_tabs(self.studio), dict[str, int]()

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
        if name == "toured":
            self.toured = request["toured"]
        if name not in ("hello", "run", "position", "recording", "learn", "stop"):
            news = {**answer, **answer.get("lesson", {})}
            self.told[request["game"]] |= {part: news[part] for part in PARTS if part in news}
            if "revision" in news:
                self.revisions[request["game"]] = news["revision"]

    def _request(self, name: str, game: str, told: dict[str, Any]) -> dict[str, Any]:
        rng = self.rng
        board = Grid(told["table"]["rows"])
        cell = [rng.randrange(board.height), rng.randrange(board.width)]
        if name == "click" and rng.random() < 0.7:
            cell = expert_action(find(game), board) or cell
        number = rng.choice([card["id"] for card in told["recordings"]] or [1])
        if name == "delete" and told["recordings"]:
            number = told["recordings"][0]["id"]
        if name in ("unpaint", "paint") and told["painted"]:
            number = told["painted"][0]["id"]
        request: dict[str, Any] = {"game": game, "action": cell, "id": number, "step": rng.randint(0, 3)}
        request |= {"level": rng.choice(("train:0", "test:1", f"random:{rng.randrange(99)}")), "rows": list(board.rows)}
        request |= {"learn": rng.random() < 0.6, "toured": rng.random() < 0.5, "seed": 0}
        if name == "paint" and rng.random() < 0.7:
            request["id"] = None
        if name == "import":
            request["content"] = sound.shown_by_expert(game, "train:0-1").to_json()
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
        toured = self.studio.post("hello")["toured"]
        if toured != self.toured and not (doubtful or "").startswith("toured"):
            raise Lost(f"toured: {self.toured} was acknowledged, {toured} found")
        self.toured = toured

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
def _another_package(folder: Path) -> Iterator[None]:
    """Inside, the package with the game `mine` is installed, here and in processes that start."""
    folder.mkdir()
    plugins.install({"odd": "3", "methods": {}, "attributes": {}}, folder)
    sys.path.insert(0, str(folder))
    with plugins.on_path(folder):
        try:
            yield
        finally:
            sys.path.remove(str(folder))


@contextlib.contextmanager
def studio_on(disk: str) -> Iterator[tuple[Server, Disk, Path]]:
    """A studio with little to think, on a disk that can be filled; its log is beside it."""
    with tempfile.TemporaryDirectory(prefix="shown-soak-") as place:
        base, log = Path(place) / "disk", Path(place) / "log"
        base.mkdir()
        package = _another_package(Path(place) / "package")
        with package, small_disk(base, disk) as (filled, folder), log.open("wb") as file:
            project = folder / "project"
            project.mkdir()
            settings = {
                "schema": PROJECT_SCHEMA,
                "game": None,
                "preferences": {name: {"programs": PROGRAMS} for name in GAMES},
            }
            (project / "project.json").write_text(json.dumps(settings))
            studio = Server(project, log=file)
            try:
                yield studio, filled, log
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
    print(f"then  {'MiB':>6} {'of a child':>12} {'open files':>11} {'children':>9}")
    for share in range(5):
        size = done.sizes[(len(done.sizes) - 1) * share // 4]
        print(f"{share}/4 {size.memory:8} {size.child_memory:12} {size.files:11} {size.children:9}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
