"""Which code made a result: digests of everything that can change it, and the commit.

A result has three digests: of the *engine* (how its method learns and acts), of the *game* (rules, expert, how it is
played and scored) and of the *levels* (their texts). A result whose digests are not those of the present code is stale.

What is hashed is the source, byte for byte (but for line ends): a changed comment makes results stale too, which costs
a rerun and misses nothing. Libraries (NumPy, PyTorch) are not part of it.
"""

from __future__ import annotations

import hashlib
import inspect
import os
import re
import subprocess
from collections.abc import Iterable, Mapping
from functools import cache
from importlib.util import find_spec
from pathlib import Path

from shown.errors import ShownError
from shown.games import find
from shown.games.levels import load_levels
from shown.version import __version__
from shown.world import WORLDS

PACKAGE = Path(__file__).resolve().parents[1]

ENGINE = (
    "grid.py", "planes.py", "places.py", "counts.py", "floods.py", "compiled.py", "registry.py", "demonstrations.py",
    "policy.py", "rules", "language", "inference", "cluster.py",
)  # fmt: skip
"""What learns and acts, whatever the method; folders with all that is in them."""

TAUGHT = (*ENGINE, "baselines/taught.py", "baselines/lpp.py", "symmetry", "teaching", "world.py")
"""What understands a teacher."""

NETWORKS = (
    "grid.py", "demonstrations.py", "baselines/networks.py", "baselines/architectures.py", "baselines/training.py",
)  # fmt: skip
"""What the networks are made of."""

SOURCES: Mapping[str, tuple[str, ...]] = {
    "shown.baselines.lpp": (*ENGINE, "baselines/lpp.py", "baselines/values.py"),
    "shown.baselines.added": (*ENGINE, "baselines/added.py", "baselines/lpp.py", "symmetry"),
    "shown.baselines.floors": ("grid.py", "demonstrations.py", "games/floors.py", "baselines/floors.py"),
    "shown.baselines.taught": TAUGHT,
    "shown.baselines.taught_world": (*TAUGHT, "baselines/taught_world.py"),
    "shown.baselines.few_values": (*ENGINE, "baselines/few_values.py", "baselines/lpp.py"),
    "shown.baselines.boosted": ("grid.py", "demonstrations.py", "baselines/boosted.py"),
    "shown.baselines.every_prefix": (
        *ENGINE,
        "baselines/every_prefix.py",
        "baselines/lpp.py",
        "baselines/values.py",
    ),
    "shown.baselines.told": (*ENGINE, "baselines/told.py", "baselines/lpp.py"),
    "shown.baselines.vpi": (*ENGINE, "baselines/vpi.py", "baselines/lpp.py", "baselines/values.py"),
    "shown.baselines.features_nn": (*ENGINE, "baselines/features_nn.py", "baselines/values.py"),
    "shown.baselines.networks": NETWORKS,
    "shown.baselines.dagger": (*NETWORKS, "world.py", "baselines/dagger.py"),
}
"""The files that can change what a method learns or does, by the module that makes it. The one list of them."""

PLAYING = ("world.py", "games/episodes.py", "experiments/teaching.py", "experiments/scoring.py")
"""How games are demonstrated, played and scored. A game's own files come with its class."""

AWAY = ("worlds",)
"""The worlds that are not games."""

PEOPLE = ("experiments/styles",)
"""How people play: part of it only where they demonstrate, so that another style makes no other result stale."""

SAMPLE = 100
"""Of a longer range of generated levels so many are hashed: the others come from the same generator."""

BUILT_IN = ("train", "test", "random")

UNKNOWN = "unknown"
"""The digest of what is not here: a game that is not installed, levels that cannot be read."""

_LONG_RANGE = re.compile(r"random:(?P<first>\d{1,12})-(?P<last>\d{1,12})")


def fingerprint(method_module: str, game: str, levels: Iterable[str], by_people: bool = False) -> dict[str, str]:
    """The digests of the present code for a method, a game and the levels it is shown and scored on.

    Where people demonstrate (`by_people`), how they play is part of the game's digest.

    >>> sorted(fingerprint("shown.baselines.lpp", "nim", ["train:0", "test"]))
    ['engine', 'game', 'levels']
    """
    played = game_digest(game, by_people)
    return {"engine": engine_digest(method_module), "game": played, "levels": levels_digest(game, levels)}


@cache
def engine_digest(method_module: str) -> str:
    """Of the sources of a method; of a module that is not in the table, its own file and the engine's."""
    if method_module in SOURCES:
        return _digest(_sources(SOURCES[method_module]))
    spec = find_spec(method_module)
    own = [Path(spec.origin).read_bytes()] if spec is not None and spec.origin is not None else []
    return _digest([*_sources(ENGINE), *own])


@cache
def game_digest(game: str, by_people: bool = False) -> str:
    """Of the files that a game's class and its bases are in, and of how games are played (and by whom)."""
    if game.startswith(WORLDS):
        return _digest(_sources((*PLAYING, *AWAY)))
    try:
        classes = type(find(game)).__mro__
    except ShownError:
        return UNKNOWN
    files = {file for each in classes if (file := _file_of(each)) is not None}
    playing = _sources((*PLAYING, *PEOPLE) if by_people else PLAYING)
    return _digest([*playing, *(file.read_bytes() for file in sorted(files, key=lambda file: file.name))])


def levels_digest(game: str, specs: Iterable[str]) -> str:
    """Of the texts of levels; the names of the sets, and seeds of worlds, are in a trial's settings already."""
    if game.startswith(WORLDS):
        return _digest([])
    parts = [part for spec in specs for part in ([spec] if "\n" in spec else spec.split(","))]
    found = [(_built_in if part.startswith(BUILT_IN) else _texts)(game, part.strip()) for part in parts]
    return UNKNOWN if UNKNOWN in found else _digest(text.encode() for text in found)


def _texts(game: str, spec: str) -> str:
    long = _LONG_RANGE.fullmatch(spec)
    if long is not None and int(long["last"]) - int(long["first"]) >= SAMPLE:
        spec = f"random:{long['first']}-{int(long['first']) + SAMPLE - 1}"
    try:
        return _digest(level.grid.text.encode() for level in load_levels(find(game), spec))
    except ShownError:
        return UNKNOWN


_built_in = cache(_texts)
"""Files of one's own can change while a program runs; the levels of the package do not."""


@cache
def commit() -> str:
    """The commit that the package is at, with a + where its files have changed since; outside a clone, its version."""
    if not _git("ls-files", "version.py"):
        return f"version {__version__}"
    head, changed = _git("rev-parse", "HEAD"), _git("status", "--porcelain", "--", ".")
    return f"{head}{'+' * bool(changed)}" if head else f"version {__version__}"


def _git(*arguments: str) -> str:
    """What git says in the package's folder; nothing if there is no git or no clone."""
    command = ["git", "-C", str(PACKAGE), *arguments]
    environment = {**os.environ, "GIT_OPTIONAL_LOCKS": "0"}
    try:
        ran = subprocess.run(command, capture_output=True, text=True, timeout=20, env=environment, check=False)
    except (OSError, subprocess.SubprocessError):
        return ""
    return ran.stdout.strip() if ran.returncode == 0 else ""


def _sources(names: Iterable[str]) -> list[bytes]:
    """Names and contents of files of the package, in an order that is the same everywhere."""
    files = [file for name in names for file in _files(PACKAGE / name)]
    return [part for file in files for part in (file.relative_to(PACKAGE).as_posix().encode(), file.read_bytes())]


def _files(path: Path) -> list[Path]:
    return sorted(path.rglob("*.py"), key=Path.as_posix) if path.is_dir() else [path] * path.is_file()


def _file_of(each: type) -> Path | None:
    try:
        file = inspect.getsourcefile(each)
    except TypeError:  # made in C, or typed in
        return None
    return None if file is None or not os.path.isfile(file) or each.__module__ == "abc" else Path(file)


def _digest(parts: Iterable[bytes]) -> str:
    total = hashlib.sha256()
    for part in parts:
        data = part.replace(b"\r\n", b"\n")
        total.update(len(data).to_bytes(8, "big") + data)
    return total.hexdigest()[:16]
