"""Options shared by several commands, and the types of their values."""

from __future__ import annotations

import argparse
import re
from collections.abc import Callable
from typing import TypeVar

Number = TypeVar("Number", int, float)


def add_policy(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("policy", metavar="POLICY", help="policy file")
    add_language(parser)


def add_language(parser: argparse.ArgumentParser, default: str = "as in the policy") -> None:
    parser.add_argument(
        "--language",
        metavar="VOCABULARY",
        help=f"a name in `shown languages`, or module:OBJECT (default: {default})",
    )


def add_starts(parser: argparse.ArgumentParser, levels: str, seeds: str, what: str = "levels to play") -> None:
    """Add --levels for games and --seeds for worlds, with the default of each."""
    parser.add_argument(
        "--levels",
        default=levels,
        metavar="SPEC",
        help=f"{what}: train:0-4, test:0-8, random:0-99, a file (default: {levels})",
    )
    parser.add_argument("--seeds", type=seed_range, metavar="A-B", help=f"in worlds without levels (default: {seeds})")
    parser.set_defaults(default_levels=levels, default_seeds=seeds)


def add_world(parser: argparse.ArgumentParser, default: str = "as in the policy") -> None:
    parser.add_argument(
        "--world",
        metavar="NAME",
        help=f"game or world to play, such as gym:Taxi-v3 or module:Class (default: {default})",
    )


def add_expert(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--expert", metavar="MODULE:FUNCTION", help="expert of a world: from environment to action")


def add_seed(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--seed", type=natural, default=0, metavar="N", help="seed of all random choices (default: 0)")


def add_json(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--json", action="store_true", help="print JSON")


def number(kind: type[Number], low: Number, high: Number | None = None) -> Callable[[str], Number]:
    """Return an argparse type for numbers from `low` to `high`.

    >>> number(int, 1)("1,000")
    1000
    """
    noun = "whole number" if kind is int else "number"
    limits = f"of at least {low:g}" if high is None else f"from {low:g} to {high:,g}"

    def convert(text: str) -> Number:
        try:
            value = kind(re.sub("[_,]", "", text) if kind is int else text)
        except ValueError:
            value = None
        if value is None or not low <= value <= (2**63 - 1 if high is None else high):
            raise argparse.ArgumentTypeError(f"expected a {noun} {limits}, not {text[:40]!r}")
        return value

    return convert


def one_of(*words: str) -> Callable[[str], str]:
    """Return an argparse type for one of these words."""

    def convert(text: str) -> str:
        if text not in words:
            raise argparse.ArgumentTypeError(f"expected {' or '.join(words)}, not {text[:40]!r}")
        return text

    return convert


def yes(text: str) -> bool:
    """Convert yes or no.

    >>> yes("yes"), yes("no")
    (True, False)
    """
    return one_of("yes", "no")(text) == "yes"


natural = number(int, 0)
positive = number(int, 1)
fraction = number(float, 0.0, 1.0)


def seed_range(text: str) -> list[int]:
    """Return the seeds named by text such as 0-9 or 3,5,20-29."""
    from shown.errors import BadInput
    from shown.worlds.world import parse_seeds

    try:
        return parse_seeds(text)
    except BadInput as error:
        raise argparse.ArgumentTypeError(str(error)) from None
