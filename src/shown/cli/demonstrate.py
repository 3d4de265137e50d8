"""`shown demonstrate`: demonstrations by the built-in expert or in a scripted style."""

from __future__ import annotations

import argparse

from shown.cli import options
from shown.cli.inputs import expert_demonstrations, playable_named, style_provider
from shown.cli.output import check_writable, count, print_json, say
from shown.demonstrations import Demonstrations
from shown.errors import BadInput
from shown.worlds import Playable


def configure(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("game", metavar="GAME|WORLD", help="game or world whose expert plays")
    options.add_starts(parser, "train:0-4", "0-4")
    options.add_expert(parser)
    parser.add_argument("--keep-lost", action="store_true", help="keep episodes that the expert did not win")
    parser.add_argument(
        "--style", metavar="NAME", help="play in a scripted style instead; `shown games GAME` lists the styles"
    )
    options.add_seed(parser)
    parser.add_argument("--out", metavar="FILE", help="file to write (default: standard output)")
    parser.add_argument("--json", action="store_true", help="no effect: demonstrations are always JSON")


def run(args: argparse.Namespace) -> int:
    check_writable(args.out)
    game = playable_named(args.game, args.expert)
    demonstrations = expert_demonstrations(game, args) if args.style is None else _in_style(game, args)
    if args.out:
        demonstrations.save(args.out)
        steps = count(len(demonstrations.steps), "step")
        say(f"{count(len(demonstrations), 'demonstration')}, {steps}, written to {args.out}")
    else:
        print_json(demonstrations.to_json())
    return 0


def _in_style(game: Playable, args: argparse.Namespace) -> Demonstrations:
    provider = style_provider(game.name)
    if provider is None or game.rules is None:
        raise BadInput(f"--style: no styles of {game.name} are installed. Omit it, or install shown-evidence.")
    return provider.demonstrate(game.rules, args.style, args.levels, args.seed)
