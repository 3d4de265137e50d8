"""`shown next`: the level that would teach most."""

from __future__ import annotations

import argparse

from shown.cli.common import (
    add_json,
    add_language,
    add_seed,
    add_starts,
    add_world,
    load_policy,
    playable_of,
    positive,
    print_json,
    starts,
)
from shown.demonstrations import Demonstrations
from shown.errors import printable
from shown.teaching.next_level import by_use_from
from shown.world import World


def configure(parser: argparse.ArgumentParser) -> None:
    parser.description = "Prints the level on which a policy's candidate rules disagree most: show that one next."
    parser.add_argument("policy", metavar="POLICY", help="a policy file")
    add_language(parser)
    add_world(parser)
    add_starts(parser, "random:0-23", "0-23", "what to choose from")
    parser.add_argument("--demos", nargs="+", default=[], metavar="FILE", help="what was shown before, to be left out")
    parser.add_argument("--most", type=positive, default=1, metavar="N", help="levels to print (1)")
    add_seed(parser)
    add_json(parser)


def run(args: argparse.Namespace) -> int:
    policy = load_policy(args.policy, args.language)
    game = playable_of(policy, args.policy, args.world)
    shown = Demonstrations(game.tokens, (), game.name, game.buttons)
    for path in args.demos:
        shown += Demonstrations.load(path)
    begins = starts(game, args)
    useful = by_use_from(policy, begins, shown)[: args.most]
    if args.json:
        told = [
            {"level": x.level.name, "disagreement": x.disagreement, "step": x.step, "grid": list(x.grid.rows)}
            for x in useful
        ]
        print_json({"game": game.name, "looked_at": len(begins), "useful": told})
        return 0
    if not useful:
        looked_at = f"{len(begins)} episodes" if isinstance(game, World) else printable(args.levels)
        print(f"{game.title}: the candidates agree on all that is new in {looked_at}; nothing there would teach more")
        return 0
    names = [printable(x.level.name) for x in useful]
    width = max(map(len, names))
    for name, x in zip(names, useful, strict=True):
        where = "at the start" if x.step == 0 else f"after {x.step} step{'' if x.step == 1 else 's'}"
        print(f"{name:{width}}  the candidates disagree by {x.disagreement:.0%} {where}")
    return 0
