"""`shown demonstrate`: the built-in expert shows how, or one of the scripted people."""

from __future__ import annotations

import argparse

from shown.cli.common import add_expert, add_seed, add_starts, check_writable, find_playable, print_json, say, starts
from shown.errors import BadInput
from shown.world import World, demonstrate


def configure(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("game", metavar="GAME|WORLD", help="whose expert is to play")
    add_starts(parser, "train:0-4", "0-4")
    add_expert(parser)
    parser.add_argument(
        "--style", metavar="NAME", help="as people play who have this style (shown games GAME lists them)"
    )
    add_seed(parser)
    parser.add_argument("--out", metavar="FILE", help="where to write the demonstrations; stdout without it")
    parser.add_argument("--json", action="store_true", help="as is: demonstrations are JSON")


def run(args: argparse.Namespace) -> int:
    if args.out:
        check_writable(args.out)
    game = find_playable(args.game, args.expert)
    if args.style is None:
        demonstrations = demonstrate(starts(game, args))
    elif isinstance(game, World):
        raise BadInput(f"--style: nobody has a style of playing {game.name}. Leave it out.")
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
