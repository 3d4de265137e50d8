"""`shown act`: what a policy does on a grid, for worlds that have no rules here."""

from __future__ import annotations

import argparse

from shown.cli.common import add_json, add_language, load_policy, print_json, read_grids
from shown.grid import action_to_json, action_to_text


def configure(parser: argparse.ArgumentParser) -> None:
    parser.description = "Prints the action that a policy takes on each grid of a file, one a line."
    parser.add_argument("policy", metavar="POLICY", help="a policy file")
    parser.add_argument(
        "grid", metavar="GRID", help="a text file, rows as lines, blank lines between grids; - for standard input"
    )
    add_language(parser)
    add_json(parser)


def run(args: argparse.Namespace) -> int:
    policy = load_policy(args.policy, args.language)
    grids = read_grids(args.grid, policy.tokens)
    actions = policy.act_many(grids)
    if args.json:
        told = []
        for grid, action in zip(grids, actions, strict=True):
            place = policy.buttons.index(str(action)) if policy.buttons else action
            told.append({"action": action_to_json(action), "probability": float(policy.probabilities(grid)[place])})
        print_json(told)
    else:
        print("\n".join(map(action_to_text, actions)))
    return 0
