"""`shown act`: the actions of a policy on given grids."""

from __future__ import annotations

import argparse

from shown.cli import options
from shown.cli.inputs import load_policy, read_grids
from shown.cli.output import print_json
from shown.grid import action_to_json, action_to_text


def configure(parser: argparse.ArgumentParser) -> None:
    parser.description = "Print the action of a policy on each grid of a file, one per line."
    options.add_policy(parser)
    parser.add_argument(
        "grid", metavar="FILE", help="text file with one row per line and blank lines between grids; - for stdin"
    )
    options.add_json(parser)


def run(args: argparse.Namespace) -> int:
    policy = load_policy(args.policy, args.language)
    grids = read_grids(args.grid, policy.tokens)
    actions = policy.act_many(grids)
    if not args.json:
        print("\n".join(map(action_to_text, actions)))
        return 0
    rows = []
    for grid, action in zip(grids, actions, strict=True):
        index = policy.buttons.index(str(action)) if policy.buttons else action
        rows.append({"action": action_to_json(action), "probability": float(policy.probabilities(grid)[index])})
    print_json(rows)
    return 0
