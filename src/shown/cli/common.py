"""What several commands share: options, files, progress, printing."""

from __future__ import annotations

import argparse
import contextlib
import json
import os
import signal
import sys
import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from shown.errors import BadInput, printable
from shown.games import GAMES, all_games, find
from shown.games.game import Game
from shown.language.languages import find as find_by_name
from shown.language.primitives import Language
from shown.policy import Policy
from shown.registry import is_place


def add_levels(parser: argparse.ArgumentParser, default: str, what: str = "the levels") -> None:
    parser.add_argument(
        "--levels",
        default=default,
        metavar="SPEC",
        help=f"{what}: train:0-4, test:0-8, random:0-99, a file, or several joined by commas (default {default})",
    )


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


def find_language(name: str) -> Language:
    """The language called so on the command line.

    Who names a module may mean a file in the folder they are in. It is looked for last, so that it hides nothing.
    """
    if is_place(name) and "" not in sys.path:
        sys.path.append("")
    return find_by_name(name)


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


def is_game(text: str) -> bool:
    """Whether a word on the command line means a game rather than a file; a file of that name does not hide it."""
    if text in GAMES:
        return True
    if text.endswith(".json") or os.sep in text:
        return False
    return not os.path.exists(text) or text in all_games()


def game_of(policy: Policy, where: str) -> Game:
    """The game a policy is for; BadInput if it has none here or other tokens."""
    if policy.game is None:
        raise BadInput(f"{where}: the policy is for a world of your own, which has no rules here to play by.")
    game = find(policy.game)
    if policy.tokens != game.tokens or policy.buttons != game.buttons:
        raise BadInput(f"{where}: its tokens are not those of {game.name}; it was learned in another world.")
    return game


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
