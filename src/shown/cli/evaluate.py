"""`shown evaluate`: success rate or mean return of a policy."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from statistics import fmean
from typing import Any

from shown.cli import FAILURE, options
from shown.cli.inputs import load_policy, playable_of, starts
from shown.cli.output import print_json, say
from shown.errors import BadInput, printable
from shown.policy import Policy
from shown.provenance import MeanReturn, plain
from shown.worlds import Episode, Playable, Start, play_starts
from shown.worlds.games.floors import random_returns


def configure(parser: argparse.ArgumentParser) -> None:
    options.add_policy(parser)
    options.add_world(parser)
    options.add_starts(parser, "test", "0-99")
    options.add_seed(parser)
    parser.add_argument("--rule-only", action="store_true", help="play the printed rule alone, if several rules vote")
    parser.add_argument("--vote", action="store_true", help="let all rules vote, if a single one stands for them")
    parser.add_argument(
        "--at-least",
        type=options.number(float, -1e9, 1e9),
        metavar="RATE",
        help="exit with 1 if the success rate (or, where nothing can be won, the mean return) is below, say, 0.9",
    )
    options.add_json(parser)


def run(args: argparse.Namespace) -> int:
    policy = load_policy(args.policy, args.language)
    game = playable_of(policy, args.policy, args.world)
    if args.rule_only and args.vote:
        raise BadInput("--rule-only and --vote exclude each other. Omit one of them.")
    player = policy.map_policy if args.rule_only else policy.mixture if args.vote else policy
    begun = starts(game, args)
    episodes = play_starts(begun, player)
    summary, returns = _summary(episodes), _mean_return(policy, episodes, begun, args.seed)
    if returns is None and args.at_least is not None and not 0 <= args.at_least <= 1:
        raise BadInput(f"--at-least {args.at_least:g}: a success rate is from 0 to 1.")
    if args.json:
        print_json({"game": game.name, **summary, **({} if returns is None else {"return": plain(returns)})})
    else:
        width = max(len(episode.level.name) for episode in episodes)
        for episode in episodes:
            print(f"  {printable(episode.level.name):{width}}  {_result(episode, returns is not None)}")
        print(f"{game.title}: {_in_words(game, summary, returns)}")
    value = summary["success"] if returns is None else returns.mean
    if args.at_least is not None and value < args.at_least:
        least = f"success rate of {value:.0%} is below --at-least {args.at_least:.0%}"
        if returns is not None:
            least = f"mean return of {value:.2f} is below --at-least {args.at_least:g}"
        say(f"shown: the {least}.")
        return FAILURE
    return 0


def _mean_return(policy: Policy, episodes: Sequence[Episode], begun: Sequence[Start], seed: int) -> MeanReturn | None:
    """Return the mean return beside that of random play and of the demonstrations; None if episodes can be won.

    Nothing can be won if the policy was learned by return, or if rewards were collected and nothing was won.
    """
    learned = policy.provenance.expectation
    rewards = [episode.reward for episode in episodes]
    by_return = isinstance(learned, MeanReturn)
    if any(episode.won for episode in episodes) or not (by_return or any(rewards)):
        return None
    random = fmean(random_returns(begun, seed))
    return MeanReturn.of_episodes(rewards, random, learned.demonstrations if isinstance(learned, MeanReturn) else None)


def _summary(episodes: Sequence[Episode]) -> dict[str, Any]:
    solved = sum(episode.won for episode in episodes)
    return {
        "levels": len(episodes),
        "solved": solved,
        "success": solved / len(episodes),
        "reward": fmean(episode.reward for episode in episodes),
        "steps": sum(len(episode.steps) for episode in episodes),
        "episodes": [
            {"level": e.level.name, "won": e.won, "over": e.over, "steps": len(e.steps), "reward": e.reward}
            for e in episodes
        ],
    }


def _result(episode: Episode, by_return: bool) -> str:
    """Return the end of an episode in words."""
    if by_return:
        return f"return {episode.reward:g} in {len(episode.steps)} steps"
    return f"{'won' if episode.won else 'lost' if episode.over else 'not won'} in {len(episode.steps)} steps"


def _in_words(game: Playable, summary: dict[str, Any], returns: MeanReturn | None) -> str:
    """Return the result of all episodes."""
    number = summary["levels"]
    if returns is not None:
        shown = "" if returns.demonstrations is None else f"; the demonstrations had {returns.demonstrations:.1f}"
        return f"mean return {returns.text} in {number} episodes; random play has {returns.random:.1f}{shown}"
    noun, rewarded = ("levels", "") if game.has_levels else ("episodes", f", mean reward {summary['reward']:.2f}")
    return f"{summary['solved']} of {number} {noun} won ({summary['success']:.0%}){rewarded}"
