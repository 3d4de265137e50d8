"""`shown evaluate`: how many levels a policy wins, and what reward it gets."""

from __future__ import annotations

import argparse

from shown import errors
from shown.cli import FAILURE
from shown.cli.common import (
    add_json,
    add_language,
    add_seed,
    add_starts,
    add_world,
    fraction,
    load_policy,
    playable_of,
    print_json,
    say,
    starts,
)
from shown.world import World, play_many


def configure(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("policy", metavar="POLICY", help="a policy file")
    add_language(parser)
    add_world(parser)
    add_starts(parser, "test", "0-99")
    add_seed(parser)
    parser.add_argument("--map", action="store_true", help="play only the most probable policy of the mixture")
    parser.add_argument(
        "--at-least", type=fraction, metavar="S", help="fail (exit code 1) if less than this share is won: 0.9, say"
    )
    add_json(parser)


def run(args: argparse.Namespace) -> int:
    policy = load_policy(args.policy, args.language)
    game = playable_of(policy, args.policy, args.world)
    player = policy.map_policy if args.map else policy
    episodes = play_many(starts(game, args), player)
    solved = sum(episode.won for episode in episodes)
    steps = sum(len(episode.steps) for episode in episodes)
    reward = sum(episode.reward for episode in episodes) / len(episodes)
    if args.json:
        print_json(
            {
                "game": game.name,
                "levels": len(episodes),
                "solved": solved,
                "success": solved / len(episodes),
                "reward": reward,
                "steps": steps,
                "episodes": [
                    {"level": e.level.name, "won": e.won, "over": e.over, "steps": len(e.steps), "reward": e.reward}
                    for e in episodes
                ],
            }
        )
        return _verdict(solved / len(episodes), args.at_least)
    width = max(len(episode.level.name) for episode in episodes)
    for episode in episodes:
        result = "won" if episode.won else "lost" if episode.over else "not won"
        print(f"  {errors.printable(episode.level.name):{width}}  {result} in {len(episode.steps)} steps")
    seeded = isinstance(game, World) and not game.levels_of
    rewarded = f", mean reward {reward:.2f}" if seeded else ""
    what = "episodes" if seeded else "levels"
    print(f"{game.title}: {solved} of {len(episodes)} {what} won ({solved / len(episodes):.0%}){rewarded}")
    return _verdict(solved / len(episodes), args.at_least)


def _verdict(success: float, wanted: float | None) -> int:
    if wanted is None or success >= wanted:
        return 0
    say(f"shown: {success:.0%} is less than the {wanted:.0%} that were asked for.")
    return FAILURE
