"""What corrections do, as in the studio: after a few demonstrations, one click at a time where it goes wrong.

    python benchmarks/corrections.py --games chase --demos 2 --corrections 8

The expert shows a few generated levels. The pupil then plays twelve others; on the first that it loses, it is shown
the click at which it first left the expert's way, and learns; what it won of the twelve is to be kept. After each
correction it plays further levels, on which nothing is ever shown. All levels are of those that judge
(`experiments/reserved.py`).
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Iterator, Sequence
from itertools import pairwise

from shown.demonstrations import Demonstration, Demonstrations
from shown.experiments.reserved import JUDGE
from shown.games import GAMES, Game, demonstrate, find, load_levels, play, success_rate
from shown.games.episodes import LevelWorld
from shown.games.levels import Level
from shown.policy import Policy
from shown.teaching import correct
from shown.teaching.teach import Pupil

TRIED = 12
LOWERED = 0.05


def main() -> None:
    args = arguments()
    print(f"{'game':19} set  won after {args.demos} shown and 0, 1, 2 … corrections; seconds to amend")
    for name in args.games.split(","):
        for number in range(args.sets):
            won, amending = [], []
            for share, seconds in corrected(find(name), number, args):
                won.append(share)
                amending.append(seconds)
            lowered = sum(after < before - LOWERED for before, after in pairwise(won))
            told = " ".join(f"{share:.2f}" for share in won)
            print(f"{name:19} {number:3}  {told}; lowered {lowered} times; {max(amending):.2f} s", flush=True)


def corrected(game: Game, number: int, args: argparse.Namespace) -> Iterator[tuple[float, float]]:
    """What is won after the demonstrations, and after each correction; with what amending took. It ends early when the
    pupil loses none of those it is corrected on."""
    first = JUDGE.played + 1000 + 100 * number
    tried = load_levels(game, f"random:{first}-{first + TRIED - 1}")
    played = load_levels(game, JUDGE.played_levels(args.levels))
    keep = tuple((LevelWorld(game, level), 0) for level in tried)
    pupil = Pupil(game, practise=args.seconds, keep=keep, threads=1)
    taught = pupil.learn(demonstrate(game, load_levels(game, JUDGE.shown_levels(number, args.demos))))
    yield success_rate(game, taught.policy, played), 0.0
    for _ in range(args.corrections):
        fix = first_mistake(game, taught.policy, tried)
        if fix is None:
            return
        begun = time.perf_counter()
        pupil.correct(Demonstrations(game.tokens, (fix,), game.name))
        amending = time.perf_counter() - begun
        taught = pupil.learn()
        yield success_rate(game, taught.policy, played), amending


def first_mistake(game: Game, policy: Policy, levels: Sequence[Level]) -> Demonstration | None:
    """What the expert would have done where the policy first left its way, on the first level that it loses."""
    for level in levels:
        episode = play(game, policy.act, level)
        if not episode.won:
            for number, step in enumerate(episode.steps):
                if step.action != game.expert(step.grid):
                    return correct(game, policy, level, number, game.expert(step.grid))
    return None


def arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--games", default=",".join(GAMES), metavar="A,B", help="which games (all)")
    parser.add_argument("--demos", type=int, default=2, metavar="N", help="demonstrations before (2)")
    parser.add_argument("--corrections", type=int, default=6, metavar="N", help="at most so many (6)")
    parser.add_argument("--sets", type=int, default=2, metavar="N", help="random sets of demonstrations (2)")
    parser.add_argument("--levels", type=int, default=60, metavar="N", help="new levels to play (60)")
    parser.add_argument("--seconds", type=float, default=8.0, metavar="S", help="of practice at most, each time (8)")
    return parser.parse_args()


if __name__ == "__main__":
    main()
