"""`shown next`: the most informative level to demonstrate next."""

from __future__ import annotations

import argparse

from shown.cli import options
from shown.cli.inputs import load_policy, playable_of, starts
from shown.cli.output import count, print_json
from shown.demonstrations import Demonstrations
from shown.errors import printable
from shown.teaching.dialogue.next_level import by_use


def configure(parser: argparse.ArgumentParser) -> None:
    parser.description = "Print the level on which the components of a policy disagree most: demonstrate it next."
    options.add_policy(parser)
    options.add_world(parser)
    options.add_starts(parser, "random:0-23", "0-23", "levels to choose from")
    add = parser.add_argument
    add("--demos", nargs="+", default=[], metavar="FILE", help="earlier demonstrations, whose positions are left out")
    add("--most", type=options.positive, default=1, metavar="N", help="levels to print at most (default: 1)")
    options.add_seed(parser)
    options.add_json(parser)


def run(args: argparse.Namespace) -> int:
    policy = load_policy(args.policy, args.language)
    game = playable_of(policy, args.policy, args.world)
    earlier = Demonstrations(game.tokens, (), game.name, game.buttons)
    for path in args.demos:
        earlier += Demonstrations.load(path)
    candidates = starts(game, args)
    useful = by_use(policy, candidates, earlier)[: args.most]
    if args.json:
        rows = [
            {"level": x.level.name, "disagreement": x.disagreement, "step": x.step, "grid": list(x.grid.rows)}
            for x in useful
        ]
        print_json({"game": game.name, "looked_at": len(candidates), "useful": rows})
        return 0
    if not useful:
        episodes = count(len(candidates), "episode")
        print(f"{game.title}: the candidates agree on every new position of {episodes}; none would be informative")
    names = [printable(x.level.name) for x in useful]
    for name, x in zip(names, useful, strict=True):
        where = "at the start" if x.step == 0 else f"after {count(x.step, 'step')}"
        print(f"{name:{max(map(len, names))}}  the candidates disagree by {x.disagreement:.0%} {where}")
    return 0
