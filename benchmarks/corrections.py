"""Success after each correction, as in the studio.

    python benchmarks/corrections.py --games chase --demos 2 --corrections 8

The expert demonstrates a few generated levels. The policy then plays twelve others; on the first one it loses, the
expert corrects its first deviation, and the policy is amended while keeping its wins. After each correction it plays
further levels that are never demonstrated. All levels are for judging (`shown_evidence.trials.level_sets`).
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Iterator, Sequence
from itertools import pairwise

from shown.demonstrations import Demonstration, Demonstrations
from shown.evaluation.resources import Resources
from shown.policy import Policy
from shown.teaching.dialogue.corrections import show_from, stepping_in
from shown.teaching.teach import Pupil
from shown.worlds import GAMES, Game, Level, demonstrate, find, load_levels, play, success_rate
from shown.worlds.games.game import LevelWorld
from shown_evidence.trials.level_sets import CHOOSE

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
    """Return success after the demonstrations and after each correction, with the seconds of amending; end early if no
    level is lost."""
    first = CHOOSE.played + 1000 + 100 * number
    tried = load_levels(game, f"random:{first}-{first + TRIED - 1}")
    played = load_levels(game, CHOOSE.played_levels(args.levels))
    keep = tuple((LevelWorld(game, level), 0) for level in tried)
    pupil = Pupil(game, practice=args.seconds, keep=keep, resources=Resources(threads=1))
    taught = pupil.learn(demonstrate(game, load_levels(game, CHOOSE.shown_levels(number, args.demos))))
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
    """Return the expert's step at the first deviation on the first lost level."""
    for level in levels:
        episode = play(game, policy.act, level)
        if not episode.won:
            for number, step in enumerate(episode.steps):
                if step.action != game.expert(step.grid):
                    return show_from(LevelWorld(game, level), stepping_in(episode, number), game.expert(step.grid))
    return None


def arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--games", default=",".join(GAMES), metavar="A,B", help="which games (all)")
    parser.add_argument("--demos", type=int, default=2, metavar="N", help="demonstrations before (2)")
    parser.add_argument("--corrections", type=int, default=6, metavar="N", help="maximum number of corrections (6)")
    parser.add_argument("--sets", type=int, default=2, metavar="N", help="random sets of demonstrations (2)")
    parser.add_argument("--levels", type=int, default=60, metavar="N", help="new levels to play (60)")
    parser.add_argument("--seconds", type=float, default=8.0, metavar="S", help="of practice at most, each time (8)")
    return parser.parse_args()


if __name__ == "__main__":
    main()
