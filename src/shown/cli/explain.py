"""`shown explain`: what a policy believes, and why it acts as it does."""

from __future__ import annotations

import argparse

from shown.cli.common import add_json, add_language, add_seed, game_of, load_policy, positive, print_json
from shown.errors import printable
from shown.explain import explain
from shown.games import load_levels, play
from shown.policy import Policy


def configure(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("policy", metavar="POLICY", help="a policy file")
    add_language(parser)
    parser.add_argument("--levels", metavar="SPEC", help="play these levels and say why for every move")
    parser.add_argument("--programs", action="store_true", help="print programs instead of English")
    parser.add_argument("--most", type=positive, default=3, metavar="N", help="components to print (3)")
    add_seed(parser)
    add_json(parser)


def run(args: argparse.Namespace) -> int:
    policy = load_policy(args.policy, args.language)
    if args.levels:
        return _moves(args, policy)
    if args.json:
        print_json(policy.to_json())
    elif args.programs:
        for component in policy.components[: args.most]:
            print(f"{component.weight:.3f}\n{component.formula}\n")
    else:
        print(policy.table(args.most))
    return 0


def _moves(args: argparse.Namespace, policy: Policy) -> int:
    game = game_of(policy, args.policy)
    told = []
    for level in load_levels(game, args.levels):
        episode = play(game, policy.act, level, args.seed)
        explanations = [explain(policy, step.grid, step.action, args.most) for step in episode.steps]
        told.append(
            {
                "level": level.name,
                "won": episode.won,
                "moves": [
                    {"grid": list(step.grid.rows), **why.to_json()}
                    for step, why in zip(episode.steps, explanations, strict=True)
                ],
            }
        )
        if not args.json:
            print(f"{printable(level.name)}: {'won' if episode.won else 'not won'} in {len(episode.steps)} steps")
            for step, why in zip(episode.steps, explanations, strict=True):
                print(f"\n{step.grid}\n{why.text}")
            print()
    if args.json:
        print_json(told)
    return 0
