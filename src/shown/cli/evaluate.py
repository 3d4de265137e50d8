"""`shown evaluate`: how many levels a policy wins."""

from __future__ import annotations

import argparse

from shown import errors
from shown.cli.common import add_json, add_language, add_levels, add_seed, game_of, load_policy, print_json
from shown.games import load_levels, play_many


def configure(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("policy", metavar="POLICY", help="a policy file")
    add_language(parser)
    add_levels(parser, "test", "what to play")
    add_seed(parser)
    parser.add_argument("--map", action="store_true", help="play only the most probable policy of the mixture")
    add_json(parser)


def run(args: argparse.Namespace) -> int:
    policy = load_policy(args.policy, args.language)
    game = game_of(policy, args.policy)
    player = policy.map_policy if args.map else policy
    episodes = play_many(game, player, load_levels(game, args.levels), args.seed)
    solved = sum(episode.won for episode in episodes)
    steps = sum(len(episode.steps) for episode in episodes)
    if args.json:
        print_json(
            {
                "game": game.name,
                "levels": len(episodes),
                "solved": solved,
                "success": solved / len(episodes),
                "steps": steps,
                "episodes": [
                    {"level": e.level.name, "won": e.won, "over": e.over, "steps": len(e.steps)} for e in episodes
                ],
            }
        )
        return 0
    width = max(len(episode.level.name) for episode in episodes)
    for episode in episodes:
        result = "won" if episode.won else "lost" if episode.over else "not won"
        print(f"  {errors.printable(episode.level.name):{width}}  {result} in {len(episode.steps)} steps")
    print(f"{game.title}: {solved} of {len(episodes)} levels won ({solved / len(episodes):.0%})")
    return 0
