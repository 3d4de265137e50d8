"""`shown learn`: from demonstrations to a policy."""

from __future__ import annotations

import argparse
import sys
import time

from shown.cli import FAILURE, INTERRUPTED
from shown.cli.common import (
    add_json,
    add_levels,
    add_seed,
    check_writable,
    fraction,
    is_game,
    positive,
    print_json,
    say,
    terminated_like_interrupted,
)
from shown.demonstrations import Demonstrations
from shown.errors import BadInput, printable
from shown.games import demonstrate, find, load_levels
from shown.inference.learner import Learner, Progress


def configure(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "source", nargs="+", metavar="GAME|FILE", help="a game, whose expert demonstrates, or demonstrations files"
    )
    add_levels(parser, "train:0-4", "what the expert demonstrates on")
    parser.add_argument("--out", metavar="FILE", help="where to write the policy (JSON)")
    parser.add_argument("--programs", type=positive, default=10_000, metavar="N", help="how many to try (10000)")
    parser.add_argument("--ensemble", type=positive, default=25, metavar="K", help="policies to mix (25)")
    parser.add_argument("--trees", type=positive, default=5, metavar="N", help="random trees for each prefix (5)")
    parser.add_argument("--noise", type=fraction, default=0.0, metavar="E", help="how often the teacher errs (0)")
    add_seed(parser)
    parser.add_argument("--threads", type=positive, metavar="N", help="default: one a core")
    parser.add_argument("--memory", type=positive, metavar="MIB", help="memory to use at most (half the machine's)")
    parser.add_argument("--finish-level", action="store_true", help="try all programs as probable as the last one too")
    parser.add_argument("--keep-literals", action="store_true", help="keep literals that change nothing")
    parser.add_argument("--quiet", action="store_true", help="no progress")
    add_json(parser)


def run(args: argparse.Namespace) -> int:
    if args.out:
        check_writable(args.out)
    demonstrations = load(args.source, args.levels, args.seed)
    learner = Learner(
        programs=args.programs,
        ensemble=args.ensemble,
        trees=args.trees,
        noise=args.noise,
        seed=args.seed,
        threads=args.threads,
        drop_literals=not args.keep_literals,
        finish_level=args.finish_level,
        memory_limit=args.memory * 2**20 if args.memory else None,
    )
    start = time.monotonic()
    code = learn(learner, demonstrations, args.quiet)
    if not learner.candidates_:
        failure = learner.failure_
        more = f"--programs {5 * args.programs}"
        reason = (
            failure.told(more) if failure else f"nothing fits the demonstrations so far. Try more programs ({more})."
        )
        if args.json:
            print_json({"learned": False, "failure": failure.to_json() if failure else None})
        say(f"shown: {reason}")
        return code or FAILURE
    if args.out:
        learner.policy_.save(args.out)
    if args.json:
        print_json({"learned": True, "seconds": round(time.monotonic() - start, 3), **learner.policy_.to_json()})
    else:
        print(f"{learner.policy_.table()}\n")
        print(
            f"learned in {time.monotonic() - start:.1f} s" + (f"; written to {printable(args.out)}" if args.out else "")
        )
    return code


def learn(learner: Learner, demonstrations: Demonstrations, quiet: bool) -> int:
    """Learns to the end, or until it is told to stop (Ctrl-C, SIGTERM): the best so far stays. The exit code so far."""
    tell = Teller()
    try:
        with terminated_like_interrupted():
            for progress in learner.iter_fit(demonstrations):
                if progress.phase.startswith("stopped"):
                    say(f"shown: {progress.phase} Keeping the best of the first {progress.programs:,} programs.")
                elif not quiet:
                    tell(progress)
    except KeyboardInterrupt:
        say("shown: stopped; keeping the best so far.")
        return INTERRUPTED
    return 0


def load(sources: list[str], levels: str, seed: int) -> Demonstrations:
    """The expert's demonstrations of a game, or those in files, together."""
    if is_game(sources[0]):
        if len(sources) > 1:
            raise BadInput(f"one game at a time; {sources[1]!r} follows {sources[0]!r}.")
        game = find(sources[0])
        return demonstrate(game, load_levels(game, levels), seed)
    loaded = [Demonstrations.load(source) for source in sources]
    together = loaded[0]
    for source, more in zip(sources[1:], loaded[1:], strict=True):
        try:
            together = together + more
        except BadInput as error:
            raise BadInput(f"{source}: {error}") from None
    return together


class Teller:
    """Tells of progress on stderr, a line each time; on a terminal, also the best rule when there is a better one."""

    def __init__(self) -> None:
        self._rule: str | None = None

    def __call__(self, progress: Progress) -> None:
        score = f"best {progress.score:8.1f}" if progress.score is not None else "nothing fits yet"
        policies = "1 policy  " if progress.components == 1 else f"{progress.components} policies"
        say(
            f"  {progress.programs:>9,} of {progress.total:,} programs, {progress.distinct:>6,} distinct, "
            f"{score}, {policies:>11}, {progress.seconds:5.1f} s"
        )
        if progress.best and progress.best != self._rule and sys.stderr.isatty():
            self._rule = progress.best
            say("    " + progress.best.replace("\n", "\n    "))
