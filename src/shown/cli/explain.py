"""`shown explain`: what a policy believes, and why it acts as it does."""

from __future__ import annotations

import argparse

from shown.cli.common import (
    add_json,
    add_language,
    add_seed,
    add_world,
    load_policy,
    playable_of,
    positive,
    print_json,
    read_grids,
    seed_range,
    starts,
)
from shown.errors import BadInput, printable
from shown.explain import explain
from shown.policy import Policy
from shown.world import play


def configure(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("policy", metavar="POLICY", help="a policy file")
    add_language(parser)
    parser.add_argument("--grid", metavar="FILE", help="say why it acts as it does on the grids in there; - for stdin")
    parser.add_argument("--levels", metavar="SPEC", help="play these levels and say why for every move")
    parser.add_argument("--seeds", type=seed_range, metavar="A-B", help="the same in a world that has no levels")
    parser.set_defaults(default_levels=None, default_seeds=None)
    add_world(parser)
    parser.add_argument("--programs", action="store_true", help="print programs instead of English")
    parser.add_argument("--most", type=positive, default=3, metavar="N", help="components to print (3)")
    add_seed(parser)
    add_json(parser)


def run(args: argparse.Namespace) -> int:
    policy = load_policy(args.policy, args.language)
    if args.grid and (args.levels or args.seeds):
        raise BadInput("--grid explains one position, --levels and --seeds whole games. Give one of them.")
    if args.grid:
        return _positions(args, policy)
    if args.levels or args.seeds:
        return _moves(args, policy)
    if args.json:
        print_json(policy.to_json())
    elif args.programs:
        for component in policy.components[: args.most]:
            print(f"{component.weight:.3f}\n{component.formula}\n")
    else:
        print(policy.table(args.most))
    return 0


def _positions(args: argparse.Namespace, policy: Policy) -> int:
    grids = read_grids(args.grid, policy.tokens)
    explanations = [
        explain(policy, grid, action, args.most) for grid, action in zip(grids, policy.act_many(grids), strict=True)
    ]
    if args.json:
        print_json([why.to_json() for why in explanations])
    else:
        print("\n\n".join(why.text for why in explanations))
    return 0


def _moves(args: argparse.Namespace, policy: Policy) -> int:
    told = []
    for world, seed in starts(playable_of(policy, args.policy, args.world), args):
        episode = play(world, policy.act, seed)
        explanations = [explain(policy, step.grid, step.action, args.most) for step in episode.steps]
        told.append(
            {
                "level": episode.level.name,
                "won": episode.won,
                "moves": [
                    {"grid": list(step.grid.rows), **why.to_json()}
                    for step, why in zip(episode.steps, explanations, strict=True)
                ],
            }
        )
        if not args.json:
            print(
                f"{printable(episode.level.name)}: {'won' if episode.won else 'not won'} in {len(episode.steps)} steps"
            )
            for step, why in zip(episode.steps, explanations, strict=True):
                print(f"\n{step.grid}\n{why.text}")
            print()
    if args.json:
        print_json(told)
    return 0
