"""Fingerprints: digests of all code that can change a result, the commit and the machine.

A result has three digests: of the *engine* (how its method learns and acts), of the *game* (rules, expert, playing and
scoring) and of the *levels* (their texts). A result is stale if its digests differ from those of the installed code.

The digests cover source files, found by following import statements, byte for byte except for line ends. A changed
comment therefore makes results stale: that costs a rerun and misses nothing. Third-party libraries are not covered.
"""

from __future__ import annotations

import ast
import hashlib
import inspect
import os
import platform
import re
import subprocess
import sys
from collections.abc import Iterable, Iterator
from functools import cache
from pathlib import Path

import numpy as np

import shown
import shown_evidence
from shown.errors import ShownError
from shown.version import __version__
from shown.worlds import GAMES, find, find_game
from shown.worlds.world import WORLDS
from shown_evidence.trials.level_sets import scored_levels
from shown_evidence.trials.released import RELEASED

PACKAGES = {package.__name__: Path(package.__file__ or "").resolve().parent for package in (shown, shown_evidence)}

NO_EFFECT = frozenset({"shown", "shown.errors", "shown.files", "shown.version"})
"""Imported by everything and without effect on results: messages, file handling, the version."""

STYLES = "shown_evidence.styles"
"""Part of the game's digest only where a scripted style demonstrates, so that a new style spares other results."""

GROUND = "shown.teaching.practice.ground"
"""Draws the levels practiced on, which are not scored: the levels' digest covers what that changes."""

PLAYING = ("shown_evidence.trials.demonstrators", "shown_evidence.trials.scoring", "shown.worlds.episodes")

SAMPLE = 100
"""Levels hashed from a longer range of generated levels: the rest come from the same generator."""

UNKNOWN = "unknown"
"""The digest of a game or levels that are not installed here."""

_GAME_MODULES = frozenset(place.partition(":")[0] for place in GAMES.values())
"""Registered in one table; each game's digest covers its own."""

_PLACE = re.compile(r"[a-z_]+(\.[a-z_]+)+:[A-Za-z_]+")
_BUILT_IN = ("train", "test", "random")
_LONG_RANGE = re.compile(r"random:(?P<first>\d{1,12})-(?P<last>\d{1,12})")


def fingerprint(method_module: str, game: str, levels: Iterable[str], scripted: bool = False) -> dict[str, str]:
    """Return the digests for a method, a game and the levels demonstrated (in a scripted style or not) and scored.

    >>> sorted(fingerprint("shown_evidence.baselines.lpp", "nim", ["train:0", "test"]))
    ['engine', 'game', 'levels']
    """
    played = game_digest(game, scripted)
    return {"engine": engine_digest(method_module), "game": played, "levels": levels_digest(game, levels)}


@cache
def engine_digest(method_module: str) -> str:
    """Return the digest of a method and of everything it imports."""
    return _digest(_contents(modules_of([method_module])))


@cache
def game_digest(game: str, scripted: bool = False) -> str:
    """Return the digest of a game's rules and of how it is demonstrated, played and scored."""
    roots = [*PLAYING, *([STYLES, *_submodules(STYLES)] if scripted else [])]
    without = [GROUND] if scripted else [GROUND, STYLES]
    if game.startswith(WORLDS):
        own = [name for name in re.split("[:#]", game) if _file(name)]  # modules that the world's name names
        return _digest(_contents(modules_of([*roots, *_submodules("shown.worlds"), *own], without)))
    try:
        classes = [each for each in type(find(game)).__mro__ if each.__module__ not in ("abc", "builtins")]
    except ShownError:
        return UNKNOWN
    ours = [each.__module__ for each in classes if _file(each.__module__)]
    others = {file for each in classes if not _file(each.__module__) and (file := _source_file(each))}
    contents = (file.read_bytes() for file in sorted(others, key=lambda file: file.name))
    return _digest([*_contents(modules_of([*roots, *ours], without)), *contents])


def levels_digest(game: str, specs: Iterable[str]) -> str:
    """Return the digest of the levels' texts; a world has none, and its seeds are in the settings."""
    if game.startswith(WORLDS):
        return _digest([])
    parts = [part for spec in specs for part in ([spec] if _is_whole(spec) else spec.split(","))]
    found = [(_built_in if part.startswith(_BUILT_IN) else _texts)(game, part.strip()) for part in parts]
    return UNKNOWN if UNKNOWN in found else _digest(text.encode() for text in found)


def _is_whole(spec: str) -> bool:
    """Return whether the name of levels is not to be split at commas: a file's, or one with a digest."""
    return "\n" in spec or spec.startswith(RELEASED)


def _texts(game: str, spec: str) -> str:
    if spec.startswith(RELEASED):
        return spec  # it has the digest of the files
    long = _LONG_RANGE.fullmatch(spec)
    if long is not None and int(long["last"]) - int(long["first"]) >= SAMPLE:
        spec = f"random:{long['first']}-{int(long['first']) + SAMPLE - 1}"
    try:
        return _digest(level.grid.text.encode() for level in scored_levels(find_game(game), spec))
    except ShownError:
        return UNKNOWN


_built_in = cache(_texts)
"""Cached, unlike a user's level files, which can change while a program runs."""


# --- sources ------------------------------------------------------------------------------------------------------


def modules_of(roots: Iterable[str], without: Iterable[str] = ()) -> list[str]:
    """Return the modules of `shown` and `shown_evidence` that `roots` import, directly or not, sorted by name.

    Modules in `without` are left out and not followed.

    >>> "shown.engine.planes" in modules_of(["shown_evidence.baselines.lpp"])
    True
    """
    left_out = NO_EFFECT.union(without)
    found, waiting = set[str](), [root for root in roots if root not in left_out]
    while waiting:
        name = waiting.pop()
        if name not in found:
            found.add(name)
            package = name.rpartition(".")[0]  # importing a module runs its package's `__init__`
            waiting += [other for other in (package, *imports_of(name)) if other and other not in left_out]
    return sorted(found)


@cache
def imports_of(module: str) -> tuple[str, ...]:
    """Return the modules of our packages that a module imports or registers as "module:Object", lazily or not."""
    file = _file(module)
    names = _imported(ast.parse(file.read_bytes())) if file is not None else ()
    found = (name for name in dict.fromkeys(names) if _file(name))
    return tuple(name for name in found if module != "shown.worlds.games" or name not in _GAME_MODULES)


def _imported(node: ast.AST) -> Iterator[str]:
    if isinstance(node, ast.If) and isinstance(node.test, ast.Name) and node.test.id == "TYPE_CHECKING":
        return
    if isinstance(node, ast.Import):
        yield from (alias.name for alias in node.names)
    elif isinstance(node, ast.Constant) and isinstance(node.value, str) and _PLACE.fullmatch(node.value):
        yield node.value.partition(":")[0]
    elif isinstance(node, ast.ImportFrom) and node.module:
        names = (f"{node.module}.{alias.name}" for alias in node.names)
        yield from (name if _file(name) else node.module for name in names)
    for child in ast.iter_child_nodes(node):
        yield from _imported(child)


@cache
def _file(module: str) -> Path | None:
    """Return the source of a module of our packages, or None."""
    package, _, rest = module.partition(".")
    if package not in PACKAGES:
        return None
    path = PACKAGES[package].joinpath(*rest.split(".")) if rest else PACKAGES[package]
    return next((file for file in (path / "__init__.py", path.with_suffix(".py")) if file.is_file()), None)


def _submodules(package: str) -> list[str]:
    folder = PACKAGES[package.partition(".")[0]].joinpath(*package.split(".")[1:])
    files = (file.relative_to(folder).with_suffix("").parts for file in folder.rglob("*.py"))
    return [".".join([package, *parts]).removesuffix(".__init__") for parts in files]


def _source_file(each: type) -> Path | None:
    try:
        file = inspect.getsourcefile(each)
    except TypeError:  # defined in C or interactively
        return None
    return None if file is None or not os.path.isfile(file) else Path(file)


def _contents(modules: Iterable[str]) -> Iterator[bytes]:
    for module in modules:
        file = _file(module)
        yield module.encode()
        yield b"" if file is None else file.read_bytes()


def _digest(parts: Iterable[bytes]) -> str:
    total = hashlib.sha256()
    for part in parts:
        data = part.replace(b"\r\n", b"\n")
        total.update(len(data).to_bytes(8, "big") + data)
    return total.hexdigest()[:16]


# --- commit and machine -------------------------------------------------------------------------------------------


@cache
def commit() -> str:
    """Return the commit of the package, with a + if its files have changed since; its version outside a clone."""
    if not _git("ls-files", "version.py"):
        return f"version {__version__}"
    head, changed = _git("rev-parse", "HEAD"), _git("status", "--porcelain", "--", ".")
    return f"{head}{'+' * bool(changed)}" if head else f"version {__version__}"


def _git(*arguments: str) -> str:
    """Return git's output in the package's folder; nothing without git or a clone."""
    command = ["git", "-C", str(PACKAGES["shown"]), *arguments]
    environment = {**os.environ, "GIT_OPTIONAL_LOCKS": "0"}
    try:
        ran = subprocess.run(command, capture_output=True, text=True, timeout=20, env=environment, check=False)
    except (OSError, subprocess.SubprocessError):
        return ""
    return ran.stdout.strip() if ran.returncode == 0 else ""


def machine() -> str:
    """Return cores, memory, system and versions; PyTorch's and the GPU's too once a trial has used them.

    >>> "Python 3" in machine() and "NumPy" in machine()
    True
    """
    torch = sys.modules.get("torch")
    if torch is None:
        return _computer()
    gpu = (torch.cuda.get_device_name(),) if torch.cuda.is_initialized() else ()
    return ", ".join([_computer(), f"PyTorch {torch.__version__}", *gpu])


@cache
def _computer() -> str:
    try:
        memory = f"{os.sysconf('SC_PAGE_SIZE') * os.sysconf('SC_PHYS_PAGES') / 2**30:.0f} GiB"
    except (AttributeError, OSError, ValueError):  # unavailable on this system
        memory = "unknown memory"
    versions = f"Python {platform.python_version()}, NumPy {np.__version__}"
    return f"{cores()} cores, {memory}, {platform.system()} {platform.machine()}, {versions}"


def cores() -> int:
    """Return the number of cores this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
