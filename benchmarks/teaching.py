"""How long does teaching take, and how much is learned? Every scripted style of every game, from a few games each.

    python benchmarks/teaching.py --games chase --jobs 2 --out new.jsonl
    python benchmarks/teaching.py --source ../before --jobs 8 --out before.jsonl
    python benchmarks/teaching.py --jobs 8 --baseline before.jsonl
    python benchmarks/teaching.py --revision HEAD~20 --games chase,nim
    python benchmarks/teaching.py --jobs 16 --threads 1 --sets 2 --demos 1,2,3,5 --styles expert --first 910000 900000
    python benchmarks/teaching.py --table [--before ../before]

A style (see `shown games GAME`) demonstrates generated levels, `teach` learns from them, and the policy plays other
generated levels. Both are reserved for design choices; `--first` names other seeds. Each measurement has a process of
its own, which compiles the engine before the clock starts. Give seconds only for `--jobs 1`, or with as many cores as
jobs times threads; processor seconds depend less on other work. `--source` measures another copy of the repository,
`--revision` one from Git's history, and `--baseline` compares with a file that `--out` wrote: one line of JSON per
measurement, as soon as it ends.
`--table` takes two minutes on 16 idle cores: styles on two cores each, a few on all cores, and the same work on 1, 2,
4 … threads, which must learn the same rules; with `--before`, ratios to another copy.
"""

from __future__ import annotations

import argparse
import json
import math
import os
import resource
import subprocess
import sys
import tarfile
import tempfile
import time
import warnings
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor, as_completed
from contextlib import ExitStack
from dataclasses import asdict, dataclass
from io import BytesIO
from pathlib import Path
from statistics import fmean, median
from typing import Any

from shown.errors import ShownError
from shown.worlds import GAMES, find
from shown_evidence.styles import find_style, styles_of

HERE = Path(__file__).resolve().parents[1]
QUICK = {"nim": ["expert", "slips"], "stop-the-fall": ["expert"]}
WARM_UP = 3.0  # seconds of practice before a measurement
LEVELS = 120  # new levels that a policy plays


@dataclass(frozen=True)
class Job:
    """A measurement: a style demonstrates some levels of a game. Without `practice` and `rounds`, the defaults hold."""

    game: str
    style: str
    demos: int
    set: int
    levels: int
    threads: int
    practice: float | None
    rounds: int | None
    first: tuple[int, int] | None = None
    one_rule: bool = True


@dataclass(frozen=True)
class Result:
    """What was measured.

    Attributes:
        seconds, processor: time that teaching took, and processor time of all threads.
        distilling: processor time of the search for one rule, included in `processor`.
        rounds: rounds of practice.
        practice: practice levels won, of 120.
        won: share of new levels won.
        alone, together: share that the printed rule wins alone, and all rules together.
        acts: "rule" if the printed rule acts, "vote" if all rules do.
        conditions: number of conditions of the printed rule; those of a clause count once for all its images.
        front: conditions of each rule of the front, and the number of new levels that it is expected to win, of 100.
        megabytes: largest memory of the process.
        learned: digest of the rules, to compare the results of different numbers of threads.
    """

    seconds: float
    processor: float
    distilling: float
    rounds: int
    practice: int
    won: float
    alone: float
    together: float
    acts: str
    conditions: int
    front: list[list[int]]
    megabytes: int
    learned: str


def measure(job: Job) -> Result:
    """Teach and play, in this process. Old versions of the package are measured, too, so only old names are used."""
    import hashlib

    from shown.columns.resources import Resources
    from shown.teaching.result import TeachingPhase
    from shown.teaching.teach import iter_teach, teach
    from shown.worlds import load_levels, play_many
    from shown_evidence.trials.level_sets import CHOOSE, LevelSets

    game, reserved = find(job.game), CHOOSE if job.first is None else LevelSets(*job.first)
    style = find_style(game.name, job.style)
    demos = style.demonstrate(load_levels(game, reserved.shown_levels(job.set, job.demos)), job.set)
    settings = {name: value for name in ("practice", "rounds") if (value := getattr(job, name)) is not None}
    settings |= {} if job.one_rule else {"one_rule": False}
    resources = Resources(threads=job.threads)
    teach(demos, game, programs=300, practice=WARM_UP, rounds=1, resources=resources)  # compiles
    begun, processor, rounds, distilling = time.perf_counter(), processor_time(), 0, math.nan
    run = iter_teach(demos, game, resources=resources, **settings)
    while True:
        try:
            progress = next(run)
            rounds += progress.phase is TeachingPhase.PRACTICING and progress.hypothesis is None
            if math.isnan(distilling) and progress.phase.name == "DISTILLING":
                distilling = processor_time()
        except StopIteration as end:
            taught = end.value
            break
    ended = processor_time()
    seconds, processor = time.perf_counter() - begun, ended - processor
    distilling = 0.0 if math.isnan(distilling) else ended - distilling
    levels, policy = load_levels(game, reserved.played_levels(job.levels)), taught.policy
    players = (policy, policy.map_policy, getattr(policy, "mixture", policy))
    won = [fmean(episode.won for episode in play_many(game, player, levels)) for player in players]
    folded = policy.facts.folded(policy.components[0].formula.clauses, policy.language)
    conditions = sum(len(one.clause) for one in folded)
    memory = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024
    digest = hashlib.sha256(json.dumps(policy.to_json()["components"]).encode()).hexdigest()[:12]
    practice = 0 if taught.practice is None else taught.practice[0]
    acts = "rule" if len(policy.components) == 1 else "vote"
    front = [[rated.conditions, rated.rate.won] for rated in getattr(policy, "front", ())]
    return Result(seconds, processor, distilling, rounds, practice, *won, acts, conditions, front, memory, digest)


def processor_time() -> float:
    """Return the processor seconds of this process and of its forks that have ended."""
    return sum(os.times()[:4])


def in_a_process(job: Job, source: Path) -> Result | None:
    """Measure a job with the code in `source`; None if that fails."""
    own = [str(source / part) for part in ("src", "evidence/src")]
    paths = os.pathsep.join([*own, *os.environ.get("PYTHONPATH", "").split(os.pathsep)])
    command = [sys.executable, str(Path(__file__).resolve()), "--job", json.dumps(asdict(job))]
    done = subprocess.run(command, env=os.environ | {"PYTHONPATH": paths}, capture_output=True, check=False)
    if done.returncode:
        print(f"{job.game} {job.style}: {done.stderr.decode().strip().splitlines()[-1]}", file=sys.stderr)
        return None
    return Result(**json.loads(done.stdout.splitlines()[-1]))


def main() -> int:
    args = arguments()
    if args.job:
        warnings.simplefilter("ignore")
        print(json.dumps(asdict(measure(Job(**json.loads(args.job))))))
        return 0
    first = tuple(args.first) if args.first else None
    options = (args.levels, args.threads, args.practice, args.rounds, first)
    if args.table:
        table(args.source, args.before)
        return 0
    jobs = [
        Job(game, style, demos, number, *options)
        for number in range(args.sets)
        for demos in args.demos
        for game, styles in args.styles.items()
        for style in styles
    ]
    before = dict(read(args.baseline)) if args.baseline else {}
    begun, kept = time.perf_counter(), []
    with ExitStack() as stack:
        source = unpacked(args.revision, stack) if args.revision else args.source
        pool = stack.enter_context(ThreadPoolExecutor(args.jobs))
        print(f"{args.threads} threads, {args.jobs} side by side, {source}")
        print(
            f"{'game':18} {'style':22} shown set  seconds processor rounds practice   won  rule  vote acts conditions"
            "    MB" + "  ratios" * bool(before)
        )
        running = {pool.submit(in_a_process, job, source): job for job in jobs}
        for done in as_completed(running):
            job, result = running[done], done.result()
            if result is None:
                continue
            kept.append((job, result))
            if args.out:
                with args.out.open("a", encoding="utf-8") as file:
                    file.write(json.dumps({**asdict(job), **asdict(result)}) + "\n")
            which = f"{job.game:18} {job.style:22} {job.demos:5} {job.set:3}"
            print(f"{which} {line(result, before.get(key(asdict(job))))}", flush=True)
    summary(kept, before)
    print(f"{time.perf_counter() - begun:.0f} s")
    return int(len(kept) < len(jobs))


TWO_CORES: dict[str, list[str]] = {
    **{game: [] for game in ("chase", "reach-for-the-star")},
    **{game: ["expert"] for game in ("nim", "checkmate", "fence-in", "stop-the-fall")},
}
"""Styles measured on two cores each; all of a game if none is named."""

ALL_CORES = {"chase": ["expert", "sideways-first", "any-shortest-step"], "reach-for-the-star": ["any-column"]}


def table(source: Path, before: Path | None) -> None:
    """Print styles with the defaults on two cores and on all, and the same work on more and more threads."""
    cores = os.cpu_count() or 1

    def jobs(styles: dict[str, list[str]], threads: int, **own: Any) -> list[Job]:
        known = {game: names or [style.name for style in styles_of(find(game).name)] for game, names in styles.items()}
        rest = {"practice": None, "rounds": None, **own}
        return [Job(game, name, 3, 0, LEVELS, threads, **rest) for game in known for name in known[game]]

    def measured(asked: list[Job], at_once: int) -> Iterator[tuple[Job, Result, Result | None]]:
        """Yield each job as it ends, with its result before."""
        with ThreadPoolExecutor(at_once) as pool:
            both = [source, before] if before else [source]
            running = {pool.submit(lambda job: [in_a_process(job, path) for path in both], job): job for job in asked}
            for done in as_completed(running):
                new, old = [*done.result(), None][:2]
                if new is not None:
                    yield running[done], new, old

    print(f"{cores} cores, load {os.getloadavg()[0]:.1f}", flush=True)
    for threads, styles, at_once in ((2, TWO_CORES, max(1, cores // 2)), (cores, ALL_CORES, 1)):
        for job, new, old in measured(jobs(styles, threads), at_once):
            print(f"{threads:3} threads  {job.game:18} {job.style:22} {brief(new)}  {brief(old)}", flush=True)
    alone: Result | None = None
    for threads in [n for n in (1, 2, 4, 8) if n < cores] + [cores]:
        same = jobs({"chase": ["sideways-first"]}, threads, practice=1e6, rounds=12, one_rule=False)
        for _, new, _ in measured(same, 1):
            alone = alone or new
            rules = "the same rules" if new.learned == alone.learned else "OTHER RULES"
            ratio = f"{alone.seconds / new.seconds:4.1f} ×, {rules}"
            print(f"{threads:3} threads  the same work: {brief(new)}  {ratio}", flush=True)


def brief(result: Result | None) -> str:
    """Return time, processor time (in all, and for one rule), rounds and levels won; nothing without a result."""
    if result is None:
        return ""
    times = f"{result.seconds:6.1f} s, processor {result.processor:5.1f} s ({result.distilling:.1f} for one rule)"
    return f"{times} {result.rounds:3} rounds, won {result.won:4.2f}"


def line(result: Result, before: dict[str, Any] | None) -> str:
    """Return a result in one line, with the ratios of seconds and processor seconds, and what is won more or less."""
    text = (
        f"{result.seconds:8.2f} {result.processor:9.2f} {result.rounds:6} {result.practice:8} {result.won:5.2f} "
        f"{result.alone:5.2f} {result.together:5.2f} {result.acts} {result.conditions:10} {result.megabytes:5}"
    )
    if before is None:
        return text
    ratios = (result.seconds / before["seconds"], result.processor / before["processor"])
    return f"{text}  {ratios[0]:.2f} {ratios[1]:.2f} {result.won - before['won']:+.2f}"


def summary(kept: Sequence[tuple[Job, Result]], before: dict[Any, dict[str, Any]]) -> None:
    """Print the slowest style and means for each game, with geometric means of the ratios."""
    for game in dict.fromkeys(job.game for job, _ in kept):
        mine = [(job, result) for job, result in kept if job.game == game]
        results = [result for _, result in mine]
        rounds, seconds = sum(r.rounds for r in results), sum(r.seconds for r in results)
        text = (
            f"{game}: {fmean(r.seconds for r in results):.2f} s, at most {max(r.seconds for r in results):.2f}; "
            f"{fmean(r.processor for r in results):.2f} processor seconds, {fmean(r.distilling for r in results):.2f} "
            f"of them for one rule; {rounds / seconds:.2f} rounds a second; "
            f"won {fmean(r.won for r in results):.3f}, by the rule alone {fmean(r.alone for r in results):.3f}, "
            f"by all rules {fmean(r.together for r in results):.3f}; "
            f"the rule acts in {sum(r.acts == 'rule' for r in results)} of {len(results)}; "
            f"{median(r.conditions for r in results):.0f} conditions, at most {max(r.conditions for r in results)}"
        )
        pairs = [(result, before[key(asdict(job))]) for job, result in mine if key(asdict(job)) in before]
        if pairs:
            ratios = [
                math.exp(fmean(math.log(getattr(result, name) / old[name]) for result, old in pairs))
                for name in ("seconds", "processor")
            ]
            won = fmean(result.won - old["won"] for result, old in pairs)
            text += f"; ratios {ratios[0]:.2f} {ratios[1]:.2f}, won {won:+.3f}"
        print(text)


def key(job: dict[str, Any]) -> tuple[object, ...]:
    """Return what the results of two files must have in common to be compared."""
    first = job.get("first")
    named = (job[name] for name in ("game", "style", "demos", "set", "levels"))
    return (*named, None if first is None else tuple(first))


def read(path: Path) -> Iterator[tuple[tuple[object, ...], dict[str, Any]]]:
    for text in path.read_text(encoding="utf-8").splitlines():
        row = json.loads(text)
        yield key(row), row


def unpacked(revision: str, stack: ExitStack) -> Path:
    """Return a temporary copy of the repository at a revision of Git's history."""
    folder = Path(stack.enter_context(tempfile.TemporaryDirectory()))
    packed = subprocess.run(["git", "-C", HERE, "archive", revision], stdout=subprocess.PIPE, check=True).stdout
    with tarfile.open(fileobj=BytesIO(packed)) as archive:
        archive.extractall(folder, filter="data")
    return folder


def arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--games", type=words, default=tuple(GAMES), metavar="A,B", help="which games (all)")
    parser.add_argument("--styles", type=words, metavar="A,B", help="which styles, where a game has them (all)")
    parser.add_argument("--demos", type=numbers, default=(3,), metavar="A,B", help="numbers of demonstrations (3)")
    parser.add_argument("--sets", type=int, default=1, metavar="N", help="sets of demonstrations of each style (1)")
    parser.add_argument("--levels", type=int, default=LEVELS, metavar="N", help=f"new levels to play ({LEVELS})")
    parser.add_argument("--first", type=int, nargs=2, metavar="SEED", help="first demonstrated and played levels")
    parser.add_argument("--threads", type=int, default=os.cpu_count() or 1, metavar="N", help="threads of each (cores)")
    parser.add_argument("--jobs", type=int, default=1, metavar="N", help="measurements side by side (1)")
    parser.add_argument("--practice", type=float, metavar="S", help="seconds of practice (the default)")
    parser.add_argument("--rounds", type=int, metavar="N", help="rounds of practice (the default)")
    parser.add_argument("--source", type=Path, default=HERE, metavar="DIR", help="copy of the repository to measure")
    parser.add_argument("--revision", metavar="REV", help="revision to measure instead; needs Git")
    parser.add_argument("--baseline", type=Path, metavar="FILE", help="results to compare with, written by --out")
    parser.add_argument("--out", type=Path, metavar="FILE", help="add a line of JSON a result there")
    parser.add_argument("--quick", action="store_true", help="two games and few styles")
    parser.add_argument("--table", action="store_true", help="times on two cores, on all cores, and thread by thread")
    parser.add_argument("--before", type=Path, metavar="DIR", help="copy of the repository to compare with, in --table")
    parser.add_argument("--job", help=argparse.SUPPRESS)
    args = parser.parse_args()
    try:
        args.styles = QUICK if args.quick or args.job else chosen(args.games, args.styles)
    except ShownError as problem:
        sys.exit(str(problem))
    return args


def chosen(games: Sequence[str], wanted: Sequence[str] | None) -> dict[str, list[str]]:
    """Return the styles to measure by game."""
    known = {game: [style.name for style in styles_of(find(game).name)] for game in games}
    for name in wanted or ():
        if not any(name in names for names in known.values()):
            find_style(games[0], name)
    return {game: [name for name in names if not wanted or name in wanted] for game, names in known.items()}


def numbers(text: str) -> tuple[int, ...]:
    return tuple(map(int, text.split(",")))


def words(text: str) -> tuple[str, ...]:
    return tuple(text.split(","))


if __name__ == "__main__":
    sys.exit(main())
