"""`shown learn`: a policy from demonstrations."""

from __future__ import annotations

import argparse
import math
import sys
import time
from collections.abc import Callable, Iterator, Mapping
from dataclasses import asdict, dataclass, replace
from typing import Any

from shown.cli import FAILURE, INTERRUPTED, options
from shown.cli.demonstration_sources import follow, load
from shown.cli.inputs import find_language, load_policy, read_grids
from shown.cli.output import check_writable, print_json, say, sigterm_interrupts
from shown.columns.device import DEVICES
from shown.columns.resources import Resources
from shown.demonstrations import Demonstrations
from shown.engine import compilation
from shown.errors import BadInput, at, did_you_mean, printable
from shown.grid import Grid
from shown.inference.failure import Failure
from shown.inference.learner import Learner, Progress
from shown.inference.pinning import Contradiction
from shown.language.primitives import LANGUAGE, Language
from shown.language.standard import STANDARD
from shown.policy import Policy
from shown.provenance import MeanReturn, SuccessRate
from shown.rules import Constraints
from shown.symmetry import Transformation, by_name
from shown.teaching.coverage import coverage
from shown.teaching.interpretation.interpretations import EXACT_CLICKS, find_interpretation
from shown.teaching.practice.outliers import Outlier
from shown.teaching.progress_bar import in_words
from shown.teaching.result import Taught
from shown.teaching.task import GAME_SECONDS, WORLD_SECONDS, Task
from shown.teaching.teach import iter_teach
from shown.worlds import Playable

PROGRAMS = 10_000
SINGLE_FIT = ("published", "ensemble", "trees", "noise", "finish_level", "keep_literals")
"""Options of a single fit. Any of them replaces the search over interpretations, whatever its value."""


STOPPED = "shown: stopped; keeping the best so far."


def configure(parser: argparse.ArgumentParser) -> None:
    add = parser.add_argument
    parser.usage = "shown learn GAME|WORLD|FILE [FILE …] [options]"
    add("source", nargs="+", metavar="GAME|WORLD|FILE", help="whose expert demonstrates, or files of demonstrations")
    options.add_starts(parser, "train:0-4", "0-4", "demonstrated levels")
    options.add_expert(parser)
    options.add_world(parser, "in the files")
    add("--out", metavar="FILE", help="policy file to write")
    options.add_language(parser, "paper; in practice also standard")
    add("--programs", type=_programs, metavar="N", help=f"programs to enumerate, or auto (default: {PROGRAMS:,})")
    limits = f"{GAME_SECONDS:g} in games, {WORLD_SECONDS:g} elsewhere"
    add("--practice", type=options.number(float, 0.0, 1e6), metavar="S", help=f"seconds; 0: none (default: {limits})")
    add("--interpretation", metavar="NAME", help="exact, equivalent, changed, first, expert, winning; /any-order")
    add("--symmetry", metavar="MOTIONS", help="declared, none, or motions such as left-right (default: tried)")
    options.add_seed(parser)
    add("--published", action="store_true", default=None, help="the paper's method: one fit of the exact clicks")
    add("--quiet", action="store_true", help="do not report progress")
    options.add_json(parser)
    parser.set_defaults(**{name.replace("-", "_"): [] if name in LISTS else None for name in SETTINGS})
    add("--set", action=_Set, metavar="NAME=VALUE", help="for experimenters: see below")
    parser.epilog = f"settings: {', '.join(SETTINGS)}; docs/guides/teaching.md explains them"


SETTINGS: Mapping[str, Callable[[str], Any]] = {
    **{"ensemble": options.positive, "trees": options.positive, "noise": options.fraction},
    **{"finish-level": options.yes, "keep-literals": options.yes},
    **{"vote": options.yes, "rule": options.positive, "grids": str, "before": str, "keep": str},
    **{"pin": str, "strike": str, "keep-all": options.yes, "keep-lost": options.yes},
    **{"threads": options.positive, "device": options.one_of(*DEVICES), "memory": options.positive},
}
"""What `--set` takes, with its type."""

LISTS = ("pin", "strike")
"""Settings that may be given several times."""


class _Set(argparse.Action):
    """Stores NAME=VALUE under its name."""

    def __call__(self, parser: argparse.ArgumentParser, namespace: argparse.Namespace, text: Any, *_: Any) -> None:
        name, _, value = text.partition("=")
        name = name.replace("_", "-")
        if name not in SETTINGS:
            hint = did_you_mean(name, SETTINGS).rstrip(".")
            raise argparse.ArgumentError(self, f"no setting called {name[:40]!r}. {hint}")
        try:
            converted = SETTINGS[name](value)
        except argparse.ArgumentTypeError as error:
            raise argparse.ArgumentError(self, f"{name}: {error}") from None
        dest = name.replace("-", "_")
        setattr(namespace, dest, [*getattr(namespace, dest), converted] if name in LISTS else converted)


@dataclass(frozen=True)
class _Task:
    """Everything to learn from; `place` is None where the game or world is unknown."""

    demonstrations: Demonstrations
    place: Playable | None
    language: Language | None
    constraints: Constraints


@dataclass(frozen=True)
class _Result:
    """A policy, or the reason why there is none; an exit code so far, and remarks for the user."""

    policy: Policy | None
    failure: Failure | None = None
    code: int = 0
    remarks: tuple[str, ...] = ()
    advice: dict[str, Any] | None = None
    contradictions: tuple[Contradiction, ...] = ()
    outliers: tuple[Outlier, ...] = ()


def run(args: argparse.Namespace) -> int:
    check_writable(args.out)
    if args.keep and not args.before:
        raise BadInput("--set keep: needs --set before, the policy that won these levels.")
    task = _task(args)
    start = time.monotonic()
    if args.quiet:
        compilation.NOTICE_AFTER = compilation.NEVER
    memory_limit = args.memory * 2**20 if args.memory else None
    resources = Resources(args.threads, args.device or DEVICES[0], memory_limit, args.seed)
    single = any(getattr(args, name) is not None for name in SINGLE_FIT)
    result = (_fit_once if single else _teach)(args, task, resources)
    for contradiction in result.contradictions:
        say(f"shown: {contradiction.text}")
    if result.policy is None:
        return _report_failure(args, result)
    if args.out:
        result.policy.save(args.out)
    seconds = time.monotonic() - start
    if args.json:
        outliers = [{**asdict(outlier), "text": outlier.text} for outlier in result.outliers]
        found = {"outliers": outliers} if outliers else {}
        print_json({"learned": True, "seconds": round(seconds, 3), **result.policy.to_json(), **found})
    else:
        covered = coverage(result.policy, task.demonstrations, task.place)
        print(f"{result.policy.table(notes=covered.notes)}\n")
        if covered.explained < len(covered.steps):
            print(covered.sentence)
        for line in result.remarks:
            print(line)
        print(f"learned in {seconds:.1f} s" + (f"; written to {printable(args.out)}" if args.out else ""))
    return result.code


def _report_failure(args: argparse.Namespace, result: _Result) -> int:
    failure = result.failure
    if args.json:
        reason = failure.to_json() if failure else None
        print_json({"learned": False, "failure": reason, "advice": result.advice})
    more = f"--programs {5 * (failure.programs if failure else PROGRAMS)}"
    if failure is not None:
        say(f"shown: {failure.told(more, f'--language {failure.richer}')}")
    else:
        say(f"shown: nothing fits the demonstrations so far. Try more programs ({more}).")
    for line in result.remarks:
        say(line)
    return result.code or FAILURE


def _task(args: argparse.Namespace) -> _Task:
    demonstrations, place, lessons = load(args)
    for lesson in lessons:
        follow(args, lesson)
    args.programs = args.programs or PROGRAMS
    language = None if args.language is None else find_language(args.language)
    if args.published and language not in (None, LANGUAGE):
        raise BadInput(f"--published uses the vocabulary paper, not {args.language}. Omit one of the options.")
    tokens, buttons = demonstrations.tokens, demonstrations.buttons
    words = STANDARD if language is None else language
    constraints = Constraints.parse(args.pin, args.strike, tokens, buttons, words, "--set pin, strike")
    return _Task(demonstrations, place, language, constraints)


# --- learning ---------------------------------------------------------------------------------------------------------


def _fit_once(args: argparse.Namespace, task: _Task, resources: Resources) -> _Result:
    learner = Learner.published() if args.published else Learner()
    learner = replace(
        learner,
        programs=args.programs,
        ensemble=args.ensemble or learner.ensemble,
        trees=args.trees or learner.trees,
        noise=args.noise or 0.0,
        drop_literals=learner.drop_literals and not args.keep_literals,
        finish_level=bool(args.finish_level),
        language=task.language,
        constraints=task.constraints,
        resources=resources,
    )
    rule, code = None, 0
    try:
        with sigterm_interrupts():
            for progress in learner.iter_fit(task.demonstrations):
                _report(progress, args.quiet, rule)
                rule = progress.best or rule
    except KeyboardInterrupt:
        say(STOPPED)
        code = INTERRUPTED
    failure = learner.failure_
    if failure is not None and args.published:
        failure = replace(failure, richer=None)  # another vocabulary would be another method
    policy = learner.policy_ if learner.formulas_ else None
    return _Result(policy, failure, code, contradictions=learner.contradictions_)


def _teach(args: argparse.Namespace, task: _Task, resources: Resources) -> _Result:
    """Learn with all that is known about the game or world: interpretations, symmetries, practice."""
    place = task.place
    interpretation = find_interpretation(args.interpretation) if args.interpretation else None
    stages = iter_teach(
        task.demonstrations,
        place,
        programs=args.programs,
        practice=args.practice,
        interpretations=None if interpretation is None else [interpretation],
        symmetries=_symmetries(args.symmetry, task),
        language=task.language,
        before=_load_earlier(args, task.demonstrations),
        keep=() if not args.keep or place is None else place.starts(args.keep, args.seed),
        constraints=task.constraints,
        one_rule=not args.vote,
        grids=_further_grids(args, task),
        keep_all=bool(args.keep_all),
        resources=resources,
    )
    best = None
    if not args.quiet and place is not None and args.practice != 0:
        say(f"  {_plan(Task(world=place, practice=args.practice))}")
    try:
        with sigterm_interrupts():
            while True:
                progress = next(stages)
                best = progress.best
                if not args.quiet:
                    say(f"  {in_words(progress)}, {progress.seconds:.1f} s")
    except StopIteration as end:
        return _result(args, end.value, task)
    except KeyboardInterrupt:
        say(STOPPED)
        return _Result(best, code=INTERRUPTED)


def _symmetries(asked: str | None, task: _Task) -> tuple[Transformation, ...] | None:
    """Return the symmetries that --symmetry asks for; None to try the declared ones, and none."""
    if asked in (None, "none"):
        return None if asked is None else ()
    if asked != "declared":
        shown = task.demonstrations
        with at(f"--symmetry {asked}: "):
            return by_name(asked.split(","), shown.tokens, shown.buttons)
    if task.place is None or not task.place.symmetries:
        raise BadInput("--symmetry: this game or world declares no symmetries. Name them: --symmetry left-right")
    return task.place.symmetries


def _result(args: argparse.Namespace, taught: Taught, task: _Task) -> _Result:
    seen = taught.policy.provenance.programs or args.programs
    if args.memory and args.programs != "auto" and seen < args.programs:
        say(f"shown: --set memory={args.memory} was enough for {seen:,} programs only.")
    policy = taught.policy if taught.learned else None
    if policy is not None and args.rule is not None:
        policy = policy.with_rule(args.rule)
    advice = taught.advice.to_json() if taught.advice is not None else None
    remarks = tuple(_remarks(taught, task))
    return _Result(policy, taught.failure, 0, remarks, advice, taught.contradictions, taught.outliers)


def _further_grids(args: argparse.Namespace, task: _Task) -> list[Grid]:
    if args.grids is None:
        return []
    if task.place is not None and args.practice != 0:
        raise BadInput(f"--set grids: {task.place.name} makes levels to practice on. Omit it, or use --practice 0.")
    return read_grids(args.grids, task.demonstrations.tokens)


def _load_earlier(args: argparse.Namespace, demonstrations: Demonstrations) -> Policy | None:
    if args.before is None:
        return None
    earlier = load_policy(args.before, args.language)
    if (earlier.tokens, earlier.buttons) != (demonstrations.tokens, demonstrations.buttons):
        raise BadInput(f"{args.before}: the policy is for another game than the demonstrations.")
    return earlier


# --- words ------------------------------------------------------------------------------------------------------------


def _plan(task: Task) -> str:
    """
    >>> _plan(Task(practice=2)).split("practice, ")[1]
    '2 s for one rule and new levels: at most 6 s, longer if nothing fits'
    """
    seconds = f"{task.seconds:g} s"
    last = task.max_seconds - 2 * task.seconds
    parts = f"{seconds} to compare interpretations, {seconds} or {task.max_rounds} rounds of practice"
    together = f"at most {math.ceil(task.max_seconds)} s, longer if nothing fits"
    return f"{parts}, {last:.0f} s for one rule and new levels: {together}"


def _alone_and_together(taught: Taught) -> Iterator[str]:
    """Yield how much the printed rule wins alone, if it does not replace the others."""
    policy, alone, together = taught.policy, taught.policy.provenance.alone, taught.expectation
    count = len(policy.mixture.components)
    if taught.agreement is not None:
        same = f"in {taught.agreement.won} of {taught.agreement.of} grids this rule does what {count} rules together do"
        yield same if policy.vote else f"{same}; that is too few, so they act"
    elif isinstance(alone, MeanReturn) and isinstance(together, MeanReturn):
        others = f"{count} rules together {together.text}, so they act"
        yield f"alone this rule is expected to have return {alone.text}; {others}"
    elif isinstance(alone, SuccessRate) and isinstance(together, SuccessRate):
        few, many = (round(12 * rate.share) for rate in (alone, together))
        if alone.what == "levels":
            yield f"alone this rule wins about {few} of 12 new levels; {count} rules together win {many}, so they act"
        elif few < many:
            others = f"{count} rules together in {many}, so they act"
            yield f"alone the printed rule does as you would in about {few} of 12 new positions; {others}"


def _remarks(taught: Taught, task: _Task) -> Iterator[str]:
    place, practice = task.place, taught.practice
    if taught.hypothesis is not None and taught.hypothesis.name != EXACT_CLICKS.name:
        name = taught.hypothesis.name
        yield f"Interpreted as: {name.replace('click', 'action') if taught.policy.buttons else name}"
    if practice is not None and not practice[0] and not len(task.demonstrations.won):
        yield "No demonstration counts as won or has a known return, so practice could not compare rules."
    elif taught.expectation is not None:
        practiced = f"in practice {practice[0]} of {practice[1]} levels won; " if practice else ""
        yield practiced + taught.expectation.in_words()
    elif taught.learned and place is not None:
        yield "No new episode could be played to its end in time. A larger --practice allows that."
    yield from _alone_and_together(taught)
    for outlier in taught.outliers:
        yield f"{outlier.text} To keep it: --set keep-all=yes"
    if taught.stopped is not None:
        yield f"learning ended early: {taught.stopped}"
    if taught.lost:
        names = ", ".join(taught.lost[:5]) + (", …" if len(taught.lost) > 5 else "")
        yield f"no longer won: {len(taught.lost)} levels ({names})"
    yield from _doubts(taught)


def _doubts(taught: Taught) -> Iterator[str]:
    """Yield what is unclear about the demonstrations, and what to do about it."""
    if taught.memorizes:
        sizes = (f"{taught.literals} conditions", f"{taught.steps} {'action' if taught.policy.buttons else 'click'}s")
        conditions, steps = (size.removesuffix("s") if size.startswith("1 ") else size for size in sizes)
        yield f"I am not sure what you meant: my rule has {conditions} for {steps}."
    if taught.advice is not None:
        yield from (*taught.advice.problem, *taught.advice.remedies)


def _report(progress: Progress, quiet: bool, rule: str | None) -> None:
    """Report progress on standard error; on a terminal also the best rule, if it is not `rule`, the one before."""
    if progress.stopped is not None:
        say(f"shown: stopped: {progress.stopped} Keeping the best of the first {progress.programs:,} programs.")
    elif not quiet:
        score = f"best {progress.score:8.1f}" if progress.score is not None else "nothing fits yet"
        policies = "1 policy  " if progress.components == 1 else f"{progress.components} policies"
        say(
            f"  {progress.programs:>9,} of {progress.total:,} programs, {progress.distinct:>6,} distinct, "
            f"{score}, {policies:>11}, {progress.seconds:5.1f} s"
        )
        if progress.best and progress.best != rule and sys.stderr.isatty():
            say("    " + progress.best.replace("\n", "\n    "))


def _programs(text: str) -> int | str:
    return text if text == "auto" else options.positive(text)
