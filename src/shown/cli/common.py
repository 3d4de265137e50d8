"""What several commands share: options, files, progress, printing."""

from __future__ import annotations

import argparse
import contextlib
import importlib
import json
import os
import re
import signal
import sys
import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, cast

from shown.cluster import Cluster
from shown.errors import BadInput, printable
from shown.files import MAX_BYTES, read_text
from shown.games import GAMES, all_games, find, load_levels
from shown.games.episodes import LevelWorld
from shown.games.game import Game
from shown.games.levels import blocks
from shown.grid import Grid, Tokens
from shown.language.languages import find as find_by_name
from shown.language.primitives import Language
from shown.policy import Policy
from shown.registry import is_place, reason
from shown.world import WORLDS, Start, World, starts_of

Playable = Game | World
"""What can be played: a game, on its levels, or a world, from seeds."""

MINECRAFT = "minecraft"
"""The world that runs programs of others, so that only users may name it; also with a port, `minecraft:25565`."""

MAX_SEEDS = 100_000


def add_levels(parser: argparse.ArgumentParser, default: str, what: str = "the levels") -> None:
    parser.add_argument(
        "--levels",
        default=default,
        metavar="SPEC",
        help=f"{what}: train:0-4, test:0-8, random:0-99, a file, or several joined by commas (default {default})",
    )


def add_starts(parser: argparse.ArgumentParser, levels: str, seeds: str, what: str = "what to play") -> None:
    """Where episodes begin: the levels of a game, or the seeds of a world."""
    add_levels(parser, levels, what)
    parser.add_argument(
        "--seeds", type=seed_range, metavar="A-B", help=f"in worlds that have no levels: their seeds (default {seeds})"
    )
    parser.set_defaults(default_levels=levels, default_seeds=seeds)


def add_world(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--world",
        metavar="NAME",
        help="where to play it, such as gym:FrozenLake-v1, or Fence In in minecraft (default: where it was learned)",
    )


def add_expert(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--expert", metavar="MODULE:FUNCTION", help="who demonstrates in a world: gets the environment, gives an action"
    )


def starts(place: Playable, args: argparse.Namespace) -> list[Start]:
    """The episodes that --levels or --seeds ask for, each about to begin."""
    if isinstance(place, World) and (not place.levels_of or args.seeds is not None):
        if args.levels not in (None, args.default_levels):
            raise BadInput(f"--levels: {place.name} has no levels. Give --seeds, such as --seeds 0-9.")
        return starts_of(place, args.seeds or seed_range(args.default_seeds))
    if args.seeds is not None:
        raise BadInput(f"--seeds: {place.name} has levels. Give --levels, such as --levels random:0-9.")
    return starts_named(place, args.levels, args.seed)


def starts_named(place: Playable, text: str, seed: int) -> list[Start]:
    """The episodes that levels (in a world: seeds) stand for, each about to begin."""
    if isinstance(place, World) and place.levels_of:
        return [(place.at(level), seed) for level in load_levels(find(place.levels_of), text)]
    if isinstance(place, World):
        try:
            return starts_of(place, seed_range(text))
        except argparse.ArgumentTypeError as error:
            raise BadInput(f"{place.name}: {error}.") from None
    return [(LevelWorld(place, level), seed) for level in load_levels(place, text)]


def seed_range(text: str) -> list[int]:
    """Seeds such as 0-9 or 3,5,20-29, for argparse.

    >>> seed_range("3,5-7")
    [3, 5, 6, 7]
    """
    found: list[int] = []
    for part in text.split(","):
        match = re.fullmatch(r"\s*(\d{1,9})(?:-(\d{1,9}))?\s*", part)
        if match is None or int(match[2] or match[1]) < int(match[1]):
            raise argparse.ArgumentTypeError(f"{text[:40]!r} are no seeds: write 0-9, or 3,5,20-29")
        found += range(int(match[1]), min(int(match[2] or match[1]), int(match[1]) + MAX_SEEDS) + 1)
    if len(found) > MAX_SEEDS:
        raise argparse.ArgumentTypeError(f"{text[:40]!r} are more than {MAX_SEEDS:,} seeds; ask for fewer")
    return found


def add_seed(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--seed", type=natural, default=0, metavar="N", help="of all random choices (default 0)")


def add_json(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--json", action="store_true", help="print JSON")


def add_language(parser: argparse.ArgumentParser, default: str = "the one that the policy names") -> None:
    parser.add_argument(
        "--language",
        metavar="NAME",
        help=f"paper, standard, another of `shown languages`, or module:OBJECT (default {default})",
    )


def add_cluster(parser: argparse.ArgumentParser, what: str) -> None:
    parser.add_argument(
        "--cluster", metavar="WHERE", help=f"{what} a Ray cluster: local, auto (one that runs here) or HOST:PORT"
    )


@contextlib.contextmanager
def opened(cluster: str | None, workers: int | None = None) -> Iterator[Cluster | None]:
    """The cluster that was asked for, until the work is done; None if none was."""
    if cluster is None:
        yield None
        return
    # Ray tells of dead workers on stdout, which is for data; what a user has to know of them is said as an error.
    os.environ.setdefault("RAY_DEDUP_LOGS_SKIP_REGEX", ".")
    with terminated_like_interrupted(), Cluster(cluster, workers) as there:
        say(f"shown: {there.told}")
        yield there


def find_language(name: str) -> Language:
    """The language called so on the command line."""
    if is_place(name):
        _look_here_too()
    return find_by_name(name)


def _look_here_too() -> None:
    """Who names a module may mean a file in the folder they are in. It is looked for last, so that it hides nothing."""
    if os.getcwd() not in sys.path:
        sys.path.append(os.getcwd())


def load_policy(path: str, language: str | None) -> Policy:
    """A policy from a file, in the language that was named on the command line, or else in the file."""
    return Policy.load(path, None if language is None else find_language(language))


def whole(least: int) -> Callable[[str], int]:
    """A whole number of at least `least`, for argparse."""

    def read(text: str) -> int:
        try:
            number = int(text.replace("_", "").replace(",", ""))
        except ValueError:
            raise argparse.ArgumentTypeError(f"a whole number is needed, not {text!r}") from None
        if not least <= number < 2**63:
            raise argparse.ArgumentTypeError(f"a number from {least} to 2^63 is needed, not {text[:40]}")
        return number

    return read


natural = whole(0)
positive = whole(1)


def fraction(text: str) -> float:
    """A number from 0 to 1, for argparse."""
    try:
        number = float(text)
    except ValueError:
        raise argparse.ArgumentTypeError(f"a number from 0 to 1 is needed, not {text!r}") from None
    if not 0 <= number <= 1:
        raise argparse.ArgumentTypeError(f"must be from 0 to 1, not {text}")
    return number


def print_json(value: Any) -> None:
    # A stream that cannot write every character still gets valid JSON.
    utf8 = (sys.stdout.encoding or "").lower().replace("-", "") == "utf8"
    print(json.dumps(value, ensure_ascii=not utf8, indent=1).translate(_UNSEEN))


_RANGES = ((0x7F, 0x9F), (0x200B, 0x200F), (0x2028, 0x202E), (0x2060, 0x206F), (0xFEFF, 0xFEFF))
_UNSEEN = {code: f"\\u{code:04x}" for first, last in _RANGES for code in range(first, last + 1)}
"""What JSON leaves as it is, and a terminal may take for a command or not show; escaped, it is the same JSON."""


def say(text: str) -> None:
    """Talk goes to stderr; stdout is for data. Names and texts of others in it do nothing but show."""
    print("\n".join(map(printable, text.split("\n"))), file=sys.stderr, flush=True)


@contextlib.contextmanager
def terminated_like_interrupted() -> Iterator[None]:
    """Inside, SIGTERM is what Ctrl-C is: a reason to stop and keep what there is."""

    def interrupt(*_: object) -> None:
        raise KeyboardInterrupt

    if threading.current_thread() is not threading.main_thread():
        yield
        return
    before = signal.signal(signal.SIGTERM, interrupt)
    try:
        yield
    finally:
        signal.signal(signal.SIGTERM, before)


def is_world(name: str) -> bool:
    """Whether it is the name of a world rather than of a game.

    >>> is_world("gym:FrozenLake-v1"), is_world("minecraft"), is_world("nim")
    (True, True, False)
    """
    return name.startswith(WORLDS) or name.partition(":")[0] == MINECRAFT


def is_playable(text: str) -> bool:
    """Whether a word on the command line means a game or a world rather than a file of that name."""
    if text in GAMES or is_world(text):
        return True
    if text.endswith(".json") or os.sep in text:
        return False
    return not os.path.exists(text) or text in all_games()


def find_playable(name: str, expert: str | None = None) -> Playable:
    """The game or world of that name; `expert` (module:function) shows how a world is played."""
    if not is_world(name):
        if expert is not None:
            raise BadInput(f"--expert: {name} has an expert of its own. Leave it out.")
        return find(name)
    from shown import worlds

    if ":" in name.partition(":")[2]:
        _look_here_too()
    return worlds.find(name, None if expert is None else load_function(expert))


def load_function(name: str) -> Callable[[Any], Any]:
    """The function that `module:function` names; the module may lie in the present folder."""
    module, _, function = name.partition(":")
    if not is_place(name):
        raise BadInput(f"--expert {name}: must be module:function.")
    _look_here_too()
    try:
        found = getattr(importlib.import_module(module), function)
    except Exception as error:  # importing it runs the user's code, so anything may go wrong
        raise BadInput(f"--expert {name}: cannot be loaded ({reason(error)}).") from None
    if not callable(found):
        raise BadInput(f"--expert {name}: is not a function.")
    return cast(Callable[[Any], Any], found)


def playable_of(policy: Policy, where: str, world: str | None = None) -> Playable:
    """Where a policy is to be played: in `world`, or else where it was learned."""
    if world is None and not is_world(policy.game or ""):
        return game_of(policy, where)
    place = find_playable(world or trusted(str(policy.game), where))
    if (policy.tokens, policy.buttons) != (place.tokens, place.buttons):
        raise BadInput(f"{where}: its tokens or buttons are not those of {place.name}: it is for another world.")
    return place


def trusted(world: str, where: str) -> str:
    """The name of a world that stands in a file. A file may not have a module imported or programs of others run."""
    if not world.startswith(WORLDS):
        raise BadInput(f"{where}: is for {world}, which runs programs of others. If you want that: --world {MINECRAFT}")
    if ":" in world.partition(":")[2]:
        raise BadInput(f"{where}: is for {world}, which imports a module. If you want that: --world {world}")
    return world


def game_of(policy: Policy, where: str) -> Game:
    """The game a policy is for; BadInput if it has none here or other tokens."""
    if policy.game is None:
        raise BadInput(f"{where}: the policy is for a world of your own, which has no rules here to play by.")
    game = find(policy.game)
    if policy.tokens != game.tokens or policy.buttons != game.buttons:
        raise BadInput(f"{where}: its tokens are not those of {game.name}; it was learned in another world.")
    return game


def read_grids(path: str, tokens: Tokens) -> list[Grid]:
    """The grids in a text file, or in what comes in (`-`): rows as lines, blank lines between grids."""
    where = "standard input" if path == "-" else path
    try:
        text = sys.stdin.read(MAX_BYTES) if path == "-" else read_text(path, "grid")
    except UnicodeDecodeError:
        raise BadInput(f"{where}: not text in UTF-8, so not a grid.") from None
    grids = []
    for i, block in enumerate(blocks(text)):
        try:
            grid = Grid.from_text(block)
            tokens.check(grid)
        except BadInput as error:
            raise BadInput(f"{where}, grid {i}, {error}") from None
        grids.append(grid)
    if not grids:
        raise BadInput(f"{where}: there is no grid in it. Write its rows as lines.")
    return grids


def check_writable(path: str) -> None:
    """Raises BadInput now rather than after a long run."""
    target = Path(path)
    try:
        os.lstat(path)
    except (FileNotFoundError, NotADirectoryError):
        pass  # it is made, if its folder is there
    except OSError as error:
        raise BadInput(f"{path}: cannot be written ({error.strerror}). Nothing was changed.") from None
    if os.path.isdir(path):
        raise BadInput(f"{path}: is a folder. Give the name of a file.")
    if not os.path.isdir(target.parent):
        raise BadInput(f"{path}: there is no folder {target.parent}. Make it first.")
    if not os.access(target.parent, os.W_OK) or (os.path.exists(path) and not os.access(target, os.W_OK)):
        raise BadInput(f"{path}: cannot be written (permission denied).")
