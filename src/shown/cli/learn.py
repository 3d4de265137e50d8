"""`shown learn`: from demonstrations to a policy."""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from shown.cli import FAILURE, INTERRUPTED
from shown.cli.common import (
    Playable,
    add_cluster,
    add_expert,
    add_json,
    add_language,
    add_seed,
    add_starts,
    check_writable,
    find_language,
    find_playable,
    fraction,
    is_playable,
    is_world,
    load_policy,
    opened,
    positive,
    print_json,
    say,
    starts,
    starts_named,
    terminated_like_interrupted,
    trusted,
)
from shown.cluster import Cluster
from shown.demonstrations import Demonstrations
from shown.errors import BadInput, ShownError, printable
from shown.files import read_json
from shown.games import Game
from shown.inference.conditioned import Contradiction
from shown.inference.device import DEVICES
from shown.inference.failure import Failure
from shown.inference.learner import Learner, Progress
from shown.language.primitives import LANGUAGE, Language
from shown.language.standard import STANDARD
from shown.policy import Policy
from shown.rules import Conditions
from shown.teaching.next_level import by_use_from
from shown.teaching.readings import AS_CLICKED, Reading, find_reading
from shown.teaching.teach import PRACTISE, Stage, Taught, iter_teach
from shown.world import World, demonstrate

if TYPE_CHECKING:
    from shown.studio.lessons import Shared

PROGRAMS = 10_000
PLAIN = ("ensemble", "trees", "noise", "finish_level", "keep_literals")
"""Settings of one fit. Whoever asks for one of them wants one fit, not all hypotheses about the teacher."""


NEW = "random:0-23"
NEW_SEEDS = "0-23"
"""Among these a level to be shown next, or in a world a seed, is looked for."""


def configure(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "source",
        nargs="+",
        metavar="GAME|WORLD|FILE",
        help="a game or a world, whose expert demonstrates, or files of demonstrations or lessons of the studio",
    )
    add_starts(parser, "train:0-4", "0-4", "what the expert demonstrates on")
    add_expert(parser)
    parser.add_argument("--out", metavar="FILE", help="where to write the policy (JSON)")
    add_language(parser, "paper")
    parser.add_argument(
        "--programs", type=programs, metavar="N", help=f"how many to try ({PROGRAMS}); auto: as many as help"
    )
    parser.add_argument(
        "--practise", type=seconds, default=PRACTISE, metavar="S", help="seconds of practice at most; 0 for none (20)"
    )
    parser.add_argument("--before", metavar="POLICY", help="what was learned before: it is amended, not forgotten")
    parser.add_argument("--keep", metavar="LEVELS|SEEDS", help="levels that --before won and that should stay won")
    parser.add_argument(
        "--pin", action="append", default=[], metavar="RULE", help='a rule that stays: "PROGRAM and not PROGRAM …"'
    )
    parser.add_argument(
        "--strike", action="append", default=[], metavar="PROGRAM", help="a condition that was an accident"
    )
    parser.add_argument(
        "--reading", metavar="NAME", help="how clicks are meant: clicked, open, changed, any, open/any …"
    )
    parser.add_argument(
        "--symmetry", action=argparse.BooleanOptionalAction, default=None, help="what was shown holds mirrored, too"
    )
    add_seed(parser)
    parser.add_argument("--threads", type=positive, metavar="N", help="default: one a core")
    parser.add_argument(
        "--device", choices=DEVICES, default="cpu", help="what evaluates programs: cpu, or cuda (a GPU)"
    )
    add_cluster(parser, "evaluate programs on")
    parser.add_argument("--memory", type=positive, metavar="MIB", help="memory to use at most (half the machine's)")
    parser.add_argument("--quiet", action="store_true", help="no progress")
    add_json(parser)
    plain = parser.add_argument_group("one fit, as clicked, without practice")
    plain.add_argument("--published", action="store_true", help="the paper's method, exactly")
    plain.add_argument("--ensemble", type=positive, metavar="K", help="policies to mix (25)")
    plain.add_argument("--trees", type=positive, metavar="N", help="random trees for each prefix (5)")
    plain.add_argument("--noise", type=fraction, metavar="E", help="how often the teacher errs (0)")
    plain.add_argument("--finish-level", action="store_true", help="try all programs as probable as the last one too")
    plain.add_argument("--keep-literals", action="store_true", help="keep literals that change nothing")


def run(args: argparse.Namespace) -> int:
    if args.out:
        check_writable(args.out)
    if args.keep and not args.before:
        raise BadInput("--keep: levels that stay won need --before, the policy that won them.")
    demonstrations, place, lessons = load(args)
    for lesson in lessons:
        follow(args, lesson)
    args.programs = args.programs or PROGRAMS
    reading = find_reading(args.reading) if args.reading else None
    language = None if args.language is None else find_language(args.language)
    if args.published and language not in (None, LANGUAGE):
        raise BadInput(f"--published is the paper's method, which has the language paper and not {args.language}.")
    tokens, buttons = demonstrations.tokens, demonstrations.buttons
    words = STANDARD if language is None else language
    conditions = Conditions.parse(args.pin, args.strike, tokens, buttons, words, "--pin, --strike")
    start = time.monotonic()
    with opened(args.cluster) as cluster:
        if args.published or any(getattr(args, name) for name in PLAIN):
            found = _one_fit(args, demonstrations, language, conditions, cluster)
        else:
            found = _understood(args, demonstrations, place, reading, language, conditions, cluster)
    for item in found.contradictions:
        say(f"shown: {item.text}")
    if found.policy is None:
        more = f"--programs {5 * (found.failure.programs if found.failure else 10_000)}"
        nothing = f"nothing fits the demonstrations so far. Try more programs ({more})."
        if args.json:
            failure = found.failure.to_json() if found.failure else None
            print_json({"learned": False, "failure": failure, "advice": found.advice})
        say(f"shown: {found.failure.told(more, f'--language {found.failure.richer}') if found.failure else nothing}")
        for line in found.told:
            say(line)
        return found.code or FAILURE
    if args.out:
        found.policy.save(args.out)
    took = time.monotonic() - start
    if args.json:
        print_json({"learned": True, "seconds": round(took, 3), **found.policy.to_json()})
    else:
        print(f"{found.policy.table()}\n")
        for line in found.told:
            print(line)
        print(f"learned in {took:.1f} s" + (f"; written to {printable(args.out)}" if args.out else ""))
    return found.code


@dataclass(frozen=True)
class Found:
    """What a command comes back with: a policy or why there is none, the exit code so far, and what to say of it."""

    policy: Policy | None
    failure: Failure | None
    code: int
    told: tuple[str, ...] = ()
    advice: dict[str, Any] | None = None
    contradictions: tuple[Contradiction, ...] = ()


def _one_fit(
    args: argparse.Namespace,
    demonstrations: Demonstrations,
    language: Language | None,
    conditions: Conditions,
    cluster: Cluster | None,
) -> Found:
    learner = Learner.published() if args.published else Learner()
    learner = replace(
        learner,
        programs=args.programs,
        ensemble=args.ensemble or learner.ensemble,
        trees=args.trees or learner.trees,
        noise=args.noise or 0.0,
        seed=args.seed,
        threads=args.threads,
        device=args.device,
        drop_literals=learner.drop_literals and not args.keep_literals,
        finish_level=args.finish_level,
        language=language,
        memory_limit=args.memory * 2**20 if args.memory else None,
        conditions=conditions,
        cluster=cluster,
    )
    code = learn(learner, demonstrations, args.quiet)
    failure = learner.failure_
    if failure is not None and args.published:
        failure = replace(failure, richer=None)  # other words are another method
    policy = learner.policy_ if learner.candidates_ else None
    return Found(policy, failure, code, contradictions=learner.contradictions_)


def _understood(
    args: argparse.Namespace,
    demonstrations: Demonstrations,
    game: Playable | None,
    reading: Reading | None,
    language: Language | None,
    conditions: Conditions,
    cluster: Cluster | None,
) -> Found:
    """By all that is known about the game or world: readings, symmetries, practice."""
    if args.symmetry and (game is None or not game.symmetries):
        raise BadInput("--symmetry: no symmetry is known here. Leave it out.")
    stages = iter_teach(
        demonstrations,
        game,
        programs=args.programs,
        practise=args.practise,
        readings=None if reading is None else [reading],
        symmetries=() if args.symmetry is False else game.symmetries if game is not None and args.symmetry else None,
        language=language,
        before=_before(args, demonstrations),
        keep=() if not args.keep or game is None else starts_named(game, args.keep, args.seed),
        seed=args.seed,
        threads=args.threads,
        device=args.device,
        memory_limit=args.memory * 2**20 if args.memory else None,
        conditions=conditions,
        cluster=cluster,
    )
    best, code = None, 0
    try:
        with terminated_like_interrupted():
            while True:
                stage = next(stages)
                best = stage.best
                if not args.quiet:
                    say(f"  {stage.phase}: {stage.text}{_how_good(stage)}, {stage.seconds:.1f} s")
    except StopIteration as end:
        taught: Taught = end.value
        policy = taught.policy if taught.learned else None
        seen = (taught.policy.origin or {}).get("programs", args.programs)
        if args.memory and args.programs != "auto" and seen < args.programs:
            say(f"shown: there was memory for {seen:,} programs only (--memory {args.memory}).")
        advice = taught.advice.to_json() if taught.advice is not None else None
        told = tuple(_told(taught, game))
        return Found(policy, taught.failure, code, told, advice, taught.contradictions)
    except KeyboardInterrupt:
        say("shown: stopped; keeping the best so far.")
        return Found(best, None, INTERRUPTED)


def _how_good(stage: Stage) -> str:
    """What is to be said of the best so far."""
    if stage.won is not None:
        return f", best so far wins {stage.won:.0%}"
    if stage.best is None:
        return ", nothing fits yet"
    return f", best so far has {len(stage.best.components[0].formula.literals)} conditions"


def _before(args: argparse.Namespace, demonstrations: Demonstrations) -> Policy | None:
    if args.before is None:
        return None
    before = load_policy(args.before, args.language)
    if (before.tokens, before.buttons) != (demonstrations.tokens, demonstrations.buttons):
        raise BadInput(f"{args.before}: a policy for another game than that of the demonstrations.")
    return before


def _told(taught: Taught, game: Playable | None) -> Iterator[str]:
    if taught.hypothesis is not None and taught.hypothesis.name != AS_CLICKED.name:
        yield f"read as: {taught.hypothesis.name}"
    if taught.expectation is not None:
        practised = f"in practice {taught.practice[0]} of {taught.practice[1]} levels won; " if taught.practice else ""
        yield practised + taught.expectation.told()
    if taught.stopped is not None:
        yield f"no more programs were looked at: {taught.stopped}"
    if taught.lost:
        some = ", ".join(taught.lost[:5]) + (", …" if len(taught.lost) > 5 else "")
        yield f"won before, and lost now: {len(taught.lost)} levels ({some})"
    if taught.memorises:
        yield f"I am not sure what you meant: my rule has {taught.literals} conditions for {taught.steps} clicks."
    if taught.advice is not None:
        yield from (*taught.advice.problem, *taught.advice.remedies)
    if taught.memorises and game is not None:
        useful = by_use_from(taught.policy, starts_named(game, NEW if isinstance(game, Game) else NEW_SEEDS, 0))
        yield from [f"It would help me most to see you play {one.level.name}." for one in useful[:1]]


def _playable(demonstrations: Demonstrations) -> Playable | None:
    """The game or world that was shown, if it is known here and is the same."""
    name = demonstrations.game
    try:
        game = None if name is None else find_playable(trusted(name, "") if is_world(name) else name)
    except ShownError:
        return None
    same = game is not None and (game.tokens, game.buttons) == (demonstrations.tokens, demonstrations.buttons)
    return game if same else None


def programs(text: str) -> int | str:
    """How many programs, for argparse."""
    return text if text == "auto" else positive(text)


def seconds(text: str) -> float:
    """A number of seconds, for argparse."""
    try:
        number = float(text)
    except ValueError:
        number = -1.0
    if not 0 <= number <= 1e6:
        raise argparse.ArgumentTypeError(f"a number of seconds is needed, not {text!r}")
    return number


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


def load(args: argparse.Namespace) -> tuple[Demonstrations, Playable | None, list[Shared]]:
    """The expert's demonstrations of a game or world, or those in files, together; where they were shown; and the
    lessons of the studio that are among the files."""
    sources: list[str] = args.source
    if is_playable(sources[0]):
        if len(sources) > 1:
            raise BadInput(f"one game at a time; {sources[1]!r} follows {sources[0]!r}.")
        place = find_playable(sources[0], args.expert)
        demonstrations = demonstrate(starts(place, args))
        # Where a game is played elsewhere, it is practised by its own rules: the same, and a thousand times as fast.
        elsewhere = isinstance(place, World) and place.levels_of
        return demonstrations, _playable(demonstrations) if elsewhere else place, []
    if args.expert is not None:
        raise BadInput("--expert: files hold what was demonstrated already. Leave it out.")
    loaded = [_shown_in(source) for source in sources]
    together = _demonstrations(loaded[0])
    for source, more in zip(sources[1:], loaded[1:], strict=True):
        try:
            together = together + _demonstrations(more)
        except BadInput as error:
            raise BadInput(f"{source}: {error}") from None
    return together, _playable(together), [item for item in loaded if not isinstance(item, Demonstrations)]


def _demonstrations(found: Demonstrations | Shared) -> Demonstrations:
    return found if isinstance(found, Demonstrations) else found.demonstrations


def follow(args: argparse.Namespace, lesson: Shared) -> None:
    """Learns as a lesson says, where the command line does not say otherwise; what was said of the rule is added."""
    from shown.studio.remarks import KINDS

    way = lesson.way
    args.programs = args.programs or way.programs
    if not args.published:
        args.language = args.language or way.language
    args.reading = args.reading or (way.reading.name if way.reading is not None else None)
    if args.symmetry is None and lesson.game.symmetries:
        args.symmetry = way.mirrored
    for kind in KINDS:
        said = [text for remark in lesson.remarks if remark.kind == kind for text in remark.programs]
        setattr(args, kind, [*getattr(args, kind), *said])


def _shown_in(path: str) -> Demonstrations | Shared:
    """The demonstrations in a file, or a lesson of the studio."""
    from shown.studio.lessons import is_lesson, lesson_shared

    value = read_json(path, "demonstrations")
    if not is_lesson(value):
        return Demonstrations.from_json(value, path)

    def find(name: str) -> Playable:
        return find_playable(trusted(name, path) if is_world(name) else name)

    return lesson_shared(value, find, path)


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
