"""`shown demonstrate`: the built-in expert shows how, or one of the scripted people."""

from __future__ import annotations

import argparse

from shown.cli.common import add_levels, add_seed, check_writable, print_json, say
from shown.games import demonstrate, find, load_levels


def configure(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("game", metavar="GAME", help="whose expert is to play")
    add_levels(parser, "train:0-4", "what to play")
    parser.add_argument(
        "--style", metavar="NAME", help="as people play who have this style (shown games GAME lists them)"
    )
    add_seed(parser)
    parser.add_argument("--out", metavar="FILE", help="where to write the demonstrations; stdout without it")
    parser.add_argument("--json", action="store_true", help="as is: demonstrations are JSON")


def run(args: argparse.Namespace) -> int:
    if args.out:
        check_writable(args.out)
    game = find(args.game)
    if args.style is None:
        demonstrations = demonstrate(game, load_levels(game, args.levels), args.seed)
    else:
        from shown.experiments.teaching import STYLE
        from shown.experiments.teaching import demonstrations as given

        demonstrations = given(game, args.levels, f"{STYLE}{args.style}", args.seed)
    if args.out:
        demonstrations.save(args.out)
        say(f"{len(demonstrations)} demonstrations, {len(demonstrations.steps)} steps, written to {args.out}")
    else:
        print_json(demonstrations.to_json())
    return 0
