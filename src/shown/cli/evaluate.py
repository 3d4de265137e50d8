"""`shown evaluate`: success rate and mean reward of a policy."""

from __future__ import annotations

import argparse

from shown.cli import FAILURE, options
from shown.cli.inputs import load_policy, playable_of, starts
from shown.cli.output import print_json, say
from shown.errors import BadInput, printable
from shown.worlds import play_starts


def configure(parser: argparse.ArgumentParser) -> None:
    options.add_policy(parser)
    options.add_world(parser)
    options.add_starts(parser, "test", "0-99")
    options.add_seed(parser)
    parser.add_argument("--rule-only", action="store_true", help="play the printed rule alone, if several rules vote")
    parser.add_argument("--vote", action="store_true", help="let all rules vote, if a single one stands for them")
    parser.add_argument(
        "--at-least", type=options.fraction, metavar="RATE", help="exit with 1 if the success rate is below, say, 0.9"
    )
    options.add_json(parser)


def run(args: argparse.Namespace) -> int:
    policy = load_policy(args.policy, args.language)
    game = playable_of(policy, args.policy, args.world)
    if args.rule_only and args.vote:
        raise BadInput("--rule-only and --vote exclude each other. Omit one of them.")
    player = policy.map_policy if args.rule_only else policy.mixture if args.vote else policy
    episodes = play_starts(starts(game, args), player)
    solved = sum(episode.won for episode in episodes)
    success = solved / len(episodes)
    reward = sum(episode.reward for episode in episodes) / len(episodes)
    if args.json:
        print_json(
            {
                "game": game.name,
                "levels": len(episodes),
                "solved": solved,
                "success": success,
                "reward": reward,
                "steps": sum(len(episode.steps) for episode in episodes),
                "episodes": [
                    {"level": e.level.name, "won": e.won, "over": e.over, "steps": len(e.steps), "reward": e.reward}
                    for e in episodes
                ],
            }
        )
    else:
        width = max(len(episode.level.name) for episode in episodes)
        for episode in episodes:
            result = "won" if episode.won else "lost" if episode.over else "not won"
            print(f"  {printable(episode.level.name):{width}}  {result} in {len(episode.steps)} steps")
        noun, rewarded = ("levels", "") if game.has_levels else ("episodes", f", mean reward {reward:.2f}")
        print(f"{game.title}: {solved} of {len(episodes)} {noun} won ({success:.0%}){rewarded}")
    if args.at_least is not None and success < args.at_least:
        say(f"shown: the success rate of {success:.0%} is below --at-least {args.at_least:.0%}.")
        return FAILURE
    return 0
