"""`shown explain`: the rules of a policy, and the reasons for its actions."""

from __future__ import annotations

import argparse

from shown.cli import options
from shown.cli.inputs import load_policy, playable_of, read_grids, starts
from shown.cli.output import print_json
from shown.errors import BadInput, printable
from shown.explain import explain
from shown.grid import action_from_text
from shown.policy import Policy
from shown.worlds import play


def configure(parser: argparse.ArgumentParser) -> None:
    options.add_policy(parser)
    parser.add_argument("--grid", metavar="FILE", help="explain the action on each grid of a text file; - for stdin")
    parser.add_argument("--action", metavar="ACTION", help="with --grid: another action than the policy's: 2,3 or left")
    parser.add_argument("--levels", metavar="SPEC", help="play these levels and explain every action")
    parser.add_argument("--seeds", type=options.seed_range, metavar="A-B", help="the same for worlds without levels")
    parser.set_defaults(default_levels=None, default_seeds=None)
    options.add_world(parser)
    parser.add_argument("--programs", action="store_true", help="print programs instead of English")
    parser.add_argument(
        "--most", type=options.positive, default=3, metavar="N", help="components to print at most (default: 3)"
    )
    options.add_seed(parser)
    options.add_json(parser)


def run(args: argparse.Namespace) -> int:
    policy = load_policy(args.policy, args.language)
    if args.grid and (args.levels or args.seeds):
        raise BadInput("--grid explains single positions, --levels and --seeds whole episodes. Give one of them.")
    if args.action is not None and not args.grid:
        raise BadInput("--action: needs --grid, the position to explain it in.")
    if args.grid:
        _explain_grids(args, policy)
    elif args.levels or args.seeds:
        _explain_episodes(args, policy)
    elif args.json:
        print_json(policy.to_json())
    elif args.programs:
        for component in policy.components[: args.most]:
            print(f"{component.weight:.3f}\n{component.formula}\n")
    else:
        print(policy.table(args.most))
    return 0


def _explain_grids(args: argparse.Namespace, policy: Policy) -> None:
    grids = read_grids(args.grid, policy.tokens)
    actions = policy.act_many(grids) if args.action is None else [action_from_text(args.action)] * len(grids)
    explanations = [explain(policy, grid, action, args.most) for grid, action in zip(grids, actions, strict=True)]
    if args.json:
        print_json([explanation.to_json() for explanation in explanations])
    else:
        print("\n\n".join(explanation.text for explanation in explanations))


def _explain_episodes(args: argparse.Namespace, policy: Policy) -> None:
    episodes = []
    for world, seed in starts(playable_of(policy, args.policy, args.world), args):
        episode = play(world, policy.act, seed=seed)
        name, won, steps = episode.level.name, episode.won, episode.steps
        moves = [(step.grid, explain(policy, step.grid, step.action, args.most)) for step in steps]
        if args.json:
            rows = [{"grid": list(grid.rows), **explanation.to_json()} for grid, explanation in moves]
            episodes.append({"level": name, "won": won, "moves": rows})
        else:
            print(f"{printable(name)}: {'won' if won else 'not won'} in {len(steps)} steps")
            for grid, explanation in moves:
                print(f"\n{grid}\n{explanation.text}")
            print()
    if args.json:
        print_json(episodes)
