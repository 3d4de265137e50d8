"""Compares ways to learn from people: which idea wins more new levels after a few demonstrations?

    python benchmarks/teaching.py --quick
    python benchmarks/teaching.py --games chase --styles expert,own-axis --demos 1,3 --sets 4 --out chase.jsonl
    python benchmarks/teaching.py --role judge --demos 3 --workers 2

Every style of every game (see `shown games GAME`) shows a few generated levels; the method learns from them and plays
other generated levels. Ideas are chosen in the role `choose`. What is reported of them is measured in the role `judge`,
whose levels are others. A new idea is a function and a line in METHODS.
"""

from __future__ import annotations

import argparse
import json
import sys
import time
import warnings
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import asdict, dataclass
from functools import lru_cache
from itertools import groupby
from multiprocessing import get_context
from pathlib import Path
from statistics import fmean

from shown import Learner, teach
from shown.demonstrations import Demonstrations
from shown.errors import NothingFits, ShownError
from shown.experiments.people import LEARNED
from shown.experiments.reserved import ROLES
from shown.experiments.styles import EXPERT, find_style, styles_of
from shown.experiments.teaching import STYLE, demonstrations
from shown.games import GAMES, Game, Level, find, load_levels, play_many
from shown.policy import Policy

Method = Callable[[Game, Demonstrations], Policy]
"""What is compared. A policy without an origin is one that knows nothing: nothing fitted."""


def learner(game: Game, demos: Demonstrations) -> Policy:
    """The plain learner: demonstrations as clicked, no rules of the game, no practice."""
    return Learner(threads=1).fit(demos).policy_


def taught(game: Game, demos: Demonstrations) -> Policy:
    """By all that is known about the game: readings, symmetries, practice."""
    return teach(demos, game, threads=1).policy


def understood(game: Game, demos: Demonstrations) -> Policy:
    """The same without practice."""
    return teach(demos, game, threads=1, practise=0.0).policy


METHODS: dict[str, Method] = {"learner": learner, "taught": taught, "understood": understood}

QUICK = {"nim": ("expert", "slips"), "stop-the-fall": ("expert", "any-order")}


@dataclass(frozen=True)
class Job:
    """One thing to measure: a method learns a style from a set of demonstrations, and plays."""

    method: str
    role: str
    game: str
    style: str
    demos: int
    set: int
    levels: int


@dataclass(frozen=True)
class Result:
    """What was measured.

    Attributes:
        success: the fraction of new levels won.
        fits: whether anything explained the demonstrations.
        literals: of the best rule.
        learn, play: seconds.
    """

    success: float
    fits: bool
    literals: int
    learn: float
    play: float


def measure(job: Job) -> Result:
    """Teaches and plays."""
    game, reserved = find(job.game), ROLES[job.role]
    demos = demonstrations(game, reserved.shown_levels(job.set, job.demos), f"{STYLE}{job.style}", seed=job.set)
    levels = _levels(job.game, reserved.played_levels(job.levels))
    begun = time.perf_counter()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", NothingFits)
        policy = METHODS[job.method](game, demos)
    learned = time.perf_counter()
    won = [episode.won for episode in play_many(game, policy, levels)]
    played = time.perf_counter()
    literals = len(policy.components[0].formula.literals)
    return Result(fmean(won), policy.origin is not None, literals, learned - begun, played - learned)


@lru_cache
def _levels(game: str, spec: str) -> Sequence[Level]:
    return tuple(load_levels(find(game), spec))


def measured(jobs: Sequence[Job], workers: int) -> Iterator[tuple[Job, Result]]:
    """Each job with its result, in order, as soon as it is there."""
    if workers == 1:
        yield from ((job, measure(job)) for job in jobs)
        return
    with ProcessPoolExecutor(workers, get_context("spawn")) as pool:
        yield from zip(jobs, pool.map(measure, jobs), strict=True)


def main() -> None:
    args = arguments()
    jobs = [
        Job(args.method, args.role, game, style, demos, number, args.levels)
        for game, styles in args.styles.items()
        for style in styles
        for demos in args.demos
        for number in range(args.sets)
    ]
    print(f"{args.method}, role {args.role}; sets {args.sets}, new levels {args.levels}")
    print(f"{'game':19} {'style':22} shown   won  worst  no fit  literals  learn, s")
    kept: list[tuple[Job, Result]] = []
    begun = time.perf_counter()
    results = measured(jobs, args.workers)
    for (game, style, demos), group in groupby(results, lambda pair: (pair[0].game, pair[0].style, pair[0].demos)):
        part = []
        for job, result in group:
            part.append((job, result))
            if args.out:
                keep(args.out, {**asdict(job), **asdict(result), "note": args.note})
        kept += part
        print(f"{game:19} {style:22} {demos:5} {line([result for _, result in part])}", flush=True)
    summary(kept)
    print(f"{time.perf_counter() - begun:.0f} s")


def keep(path: str, record: dict[str, object]) -> None:
    with Path(path).open("a", encoding="utf-8") as file:
        file.write(json.dumps(record) + "\n")


def line(results: Sequence[Result]) -> str:
    """Some results in one line."""
    literals = [result.literals for result in results if result.fits]
    won = [result.success for result in results]
    return (
        f"{fmean(won):5.2f} {min(won):6.2f} {sum(not result.fits for result in results):7} "
        f"{fmean(literals) if literals else 0:9.1f} {fmean(result.learn for result in results):9.2f}"
    )


def summary(kept: Sequence[tuple[Job, Result]]) -> None:
    """Means over the styles of each game and over all, the expert's own apart."""
    people = [(job, result) for job, result in kept if job.style != EXPERT]
    for who, part in ((EXPERT, [pair for pair in kept if pair[0].style == EXPERT]), ("people", people)):
        for demos in sorted({job.demos for job, _ in part}):
            styles: dict[tuple[str, str], list[float]] = {}
            for job, result in part:
                if job.demos == demos:
                    styles.setdefault((job.game, job.style), []).append(result.success)
            means = {style: fmean(values) for style, values in styles.items()}
            learned = sum(mean >= LEARNED for mean in means.values())
            games = {game: fmean(mean for style, mean in means.items() if style[0] == game) for game, _ in means}
            words = ", ".join(f"{game} {mean:.2f}" for game, mean in games.items())
            print(f"{who}, {demos} shown: {learned} of {len(means)} learned, won {fmean(means.values()):.2f} ({words})")


def arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--method", choices=METHODS, default="learner", help="what to compare (learner)")
    parser.add_argument("--role", choices=ROLES, default="choose", help="which levels: to choose ideas, or to judge")
    parser.add_argument("--games", type=words, default=tuple(GAMES), metavar="A,B", help="which games (all)")
    parser.add_argument("--styles", type=words, metavar="A,B", help="which styles, where a game has them (all)")
    parser.add_argument("--demos", type=numbers, default=(1, 2, 3, 5), metavar="N,N", help="demonstrations (1,2,3,5)")
    parser.add_argument("--sets", type=int, default=2, metavar="N", help="random sets of demonstrations (2)")
    parser.add_argument("--levels", type=int, default=40, metavar="N", help="new levels to play (40)")
    parser.add_argument("--workers", type=int, default=1, metavar="N", help="processes (1)")
    parser.add_argument("--out", metavar="FILE", help="add a line of JSON a result there")
    parser.add_argument("--note", default="", metavar="TEXT", help="stands in every line of --out")
    parser.add_argument("--quick", action="store_true", help="two games, two styles each, one set")
    args = parser.parse_args()
    try:
        args.styles = QUICK if args.quick else chosen(args.games, args.styles)
    except ShownError as problem:
        sys.exit(str(problem))
    args.sets = 1 if args.quick else args.sets
    return args


def chosen(games: Sequence[str], wanted: Sequence[str] | None) -> dict[str, list[str]]:
    """The styles to measure of each game."""
    known = {game: [style.name for style in styles_of(find(game).name)] for game in games}
    for name in wanted or ():
        if not any(name in names for names in known.values()):
            find_style(games[0], name)
    return {game: [name for name in names if not wanted or name in wanted] for game, names in known.items()}


def words(text: str) -> tuple[str, ...]:
    return tuple(text.split(","))


def numbers(text: str) -> tuple[int, ...]:
    return tuple(int(word) for word in text.split(","))


if __name__ == "__main__":
    main()
