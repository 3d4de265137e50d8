"""Teaching: demonstrations in, the policy that the teacher most likely meant out.

Every hypothesis about the teacher is fitted. If the world can be played, the best ones practice, and the one that wins
most is selected; otherwise the most plausible one that fits. `Learner` fits a single hypothesis. A `Pupil` goes on
learning from one demonstration or correction to the next.
"""

from __future__ import annotations

import math
import time
import warnings
from collections.abc import Generator, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

from shown.columns.resources import DEFAULT_RESOURCES, Resources
from shown.demonstrations import Demonstrations, Step
from shown.errors import NothingFits, OutOfMemory
from shown.grid import Action, Grid
from shown.inference.clauses import THOROUGH
from shown.inference.fitting import Patience, check_size
from shown.language.key_presses import can_press
from shown.language.standard import STANDARD
from shown.policy import Policy
from shown.symmetry import Transformation, confirmed, proposed_for_buttons
from shown.teaching.dialogue.advice import advise
from shown.teaching.interpretation.equivalence import Effects, effects_of
from shown.teaching.interpretation.fitter import AT_ONCE, FURTHER, QUICK, Fitter, end_of
from shown.teaching.interpretation.hypotheses import Hypothesis, hypothesis_of, with_images
from shown.teaching.interpretation.interpretations import (
    EXACT_CLICKS,
    INTERPRETATIONS,
    Interpretation,
    distinct_interpretations,
    interpret,
)
from shown.teaching.interpretation.keys import keys_of
from shown.teaching.practice.ground import Ground
from shown.teaching.practice.practice_scoring import Scoring
from shown.teaching.practice.selection import Selection
from shown.teaching.progress_bar import watched
from shown.teaching.result import Taught, TeachingPhase, TeachingProgress
from shown.teaching.task import FINAL_SHARE, RULE_SHARE, Task
from shown.worlds import Playable, Start, wins

REFINED = 2  # number of good hypotheses that are fitted again, more thoroughly; more of them leave less practice
ALMOST = 0.95  # a hypothesis that wins this share of levels practices for a few rounds at once
EARLY_ROUNDS = 5  # rounds of that early practice
CONFIRMED = 0.1  # a proposed symmetry counts as declared if the images of this share of the steps were demonstrated
RETURN_SHARE = 2  # by return, hypotheses are compared in this share of the practice time; what is left is for practice
TOP_HYPOTHESES = 6  # number of hypotheses tried again in the other vocabulary, and leniently if none is good
GOOD = 0.9  # a hypothesis that wins this share of levels is refined at once, and then none is tried leniently


def teach(
    demonstrations: Demonstrations,
    world: Playable | None = None,
    *,
    before: Policy | None = None,
    resources: Resources = DEFAULT_RESOURCES,
    progress: bool = False,
    **settings: Any,
) -> Taught:
    """Learn what a teacher means. Warn with `NothingFits` if no rule explains the demonstrations.

    >>> from shown.worlds import demonstrate, find, load_levels, success_rate
    >>> nim = find("nim")
    >>> taught = teach(demonstrate(nim, load_levels(nim, "train:0")), nim, programs=2000)
    >>> success_rate(nim, taught.policy, load_levels(nim, "test"))
    1.0

    Args:
        demonstrations: the recorded clicks.
        world: the game or world that was demonstrated, or None.
        before: a policy learned earlier from some of these demonstrations; amended, it is one more candidate.
        resources: threads, device, memory limit and seed.
        progress: whether to show progress in a notebook or a terminal (needs tqdm).
        settings: further fields of `Task`: programs, practice, rounds, interpretations, symmetries, language,
            constraints, keep, one_rule, grids, keep_all.
    """
    run = iter_teach(demonstrations, world, before=before, resources=resources, **settings)
    taught = end_of(watched(run) if progress else run)
    if not taught.learned:
        why = taught.failure.text if taught.failure is not None else "no rule explains the demonstrations."
        warnings.warn(f"{why} The policy acts at random.", NothingFits, stacklevel=2)
    return taught


def iter_teach(
    demonstrations: Demonstrations,
    world: Playable | None = None,
    *,
    before: Policy | None = None,
    resources: Resources = DEFAULT_RESOURCES,
    **settings: Any,
) -> Generator[TeachingProgress, None, Taught]:
    """Learn what a teacher means, yielding progress. A caller may stop at any time and use `best` of the last one.

    Args: as for `teach`.
    """
    pupil = Pupil(world, resources, **settings)
    if before is not None:
        pupil.remember(before)
    return (yield from pupil.iter_learn(demonstrations))


class Pupil:
    """Learns what a teacher means, step by step, and keeps what it has learned as far as possible.

    A further demonstration or correction is learned in two steps. First, the earlier policy is amended at once to do
    what was shown. Then all hypotheses are fitted and practiced again, evaluating programs on new positions only. The
    policy that wins most of the practice levels, and of those won before, is selected; `Taught.lost` names levels lost
    by it.

    >>> from shown.worlds import demonstrate, find, load_levels
    >>> nim = find("nim")
    >>> pupil = Pupil(nim, programs=2000)
    >>> pupil.learn(demonstrate(nim, load_levels(nim, "train:0"))).practice
    (120, 120)
    >>> pupil.learn(demonstrate(nim, load_levels(nim, "train:1"))).lost
    ()

    Args:
        world: the game or world, or None.
        resources: threads, device, memory limit and seed.
        settings: further fields of `Task`.

    Attributes:
        task: the settings, with all demonstrations so far, without steps that change nothing.
        taught: the latest result; None before the first.
    """

    def __init__(
        self, world: Playable | None = None, resources: Resources = DEFAULT_RESOURCES, **settings: Any
    ) -> None:
        self.task, self.resources = Task(world=world, **settings), resources
        self.taught: Taught | None = None
        self._effects = effects_of(world)
        self._ground: Ground | None = None
        if world is not None and self.task.seconds > 0:
            self._ground = Ground(world, resources.seed, self.task.seconds)
        self._fitter: Fitter | None = None

    @property
    def demonstrations(self) -> Demonstrations | None:
        """All demonstrations so far, without steps that change nothing; None before the first."""
        return self.task.demonstrations

    def remember(self, before: Policy, demonstrations: Demonstrations | None = None) -> None:
        """Start from a policy that was learned earlier, perhaps by another pupil, from these demonstrations."""
        self.taught = Taught(before, hypothesis_of(before), (), True)
        if demonstrations is not None and len(demonstrations):
            self.task = replace(self.task, demonstrations=without_idle_steps(demonstrations, self._effects))

    def learn(self, more: Demonstrations | None = None) -> Taught:
        """Learn from these and all earlier demonstrations; without any, learn again from the earlier ones."""
        return end_of(self.iter_learn(more))

    def correct(self, fix: Demonstrations) -> Taught:
        """Only amend the policy to do what is shown now, in tenths of a second; `learn` can follow.

        If it cannot be amended, or nothing was learned before, this equals `learn`.
        """
        run = self.iter_learn(fix)
        try:
            while next(run).phase is not TeachingPhase.CORRECTED:
                pass
            run.close()
        except StopIteration:
            pass
        assert self.taught is not None
        return self.taught

    def iter_learn(self, more: Demonstrations | None = None) -> Generator[TeachingProgress, None, Taught]:
        """Learn, yielding progress. If the caller stops, `taught` has the best policy so far."""
        self._add(more)
        if self._fitter is None:
            self._fitter = Fitter(self.task, self.resources)
        before = self.taught if self.taught is not None and self.taught.learned else None
        scoring = Scoring(self.task.world, self._ground, self._won(before), self.resources.seed)
        selection = Selection(self._fitter, scoring, before)
        try:
            yield from _Course(self.task, selection, self._effects).run()
            self.taught = self._advised(selection.result())
        except (GeneratorExit, KeyboardInterrupt):
            self.taught = selection.stopped_result()
            raise
        finally:
            self._fitter.close()
        return self.taught

    def _advised(self, taught: Taught) -> Taught:
        """Add advice if nothing fits."""
        shown, failure = self.task.shown, taught.failure
        if failure is None or max(failure.demonstration, failure.other_demonstration) >= len(shown):
            return taught  # in mirror images, which the teacher has never seen, there is nothing to point at
        interpretation = taught.failed.interpretation if taught.failed is not None else EXACT_CLICKS
        return replace(taught, advice=advise(shown, failure, self._effects, interpretation))

    def _add(self, more: Demonstrations | None) -> None:
        if more is not None and len(more):
            check_size(more)
            more = without_idle_steps(more, self._effects)
            if self._fitter is not None:
                self._fitter.add(more)
            earlier = self.task.demonstrations
            self.task = replace(self.task, demonstrations=more if earlier is None else earlier + more)

    def _won(self, before: Taught | None) -> tuple[Start, ...]:
        """Return the episodes to keep that the earlier policy wins."""
        keep = self.task.keep
        if before is None or not keep:
            return ()
        return tuple(start for start, won in zip(keep, wins(keep, before.policy), strict=True) if won)


class _Course:
    """One course of learning: which hypotheses are tried, and in which order."""

    def __init__(self, task: Task, selection: Selection, effects: Effects | None) -> None:
        self.task, self.selection, self.fitter, self.effects = task, selection, selection.fitter, effects
        self.practices = selection.scoring.ground is not None

    def run(self) -> Iterator[TeachingProgress]:
        """Amend the earlier policy, then fit and practice hypotheses, and seek one rule for the best of them.

        If memory runs out after something was found, learning ends there and keeps it.
        """
        task, selection = self.task, self.selection
        if self.practices and task.programs != "auto":
            selection.scoring.until = time.monotonic() + task.max_seconds - FINAL_SHARE * task.seconds
        selection.scoring.measure_by(task.shown)
        if selection.scoring.measure.by_return:
            selection.scoring.go_on(RETURN_SHARE)
        if selection.before is not None:
            yield from self._amend(selection.before)
            if selection.perfect:
                return
            if selection.candidates.best is not None:
                yield selection.progress(TeachingPhase.CORRECTED)  # its score is known
        interpreted = distinct_interpretations(task.shown, self.effects, task.interpretations or INTERPRETATIONS)
        try:
            yield from self._choose(interpreted)
            if task.one_rule:
                latest = selection.scoring.until - FINAL_SHARE * task.seconds  # then rules are validated
                until = min(time.monotonic() + RULE_SHARE * task.seconds, latest)
                yield from selection.distill(interpreted, until)
            if task.world is None and not task.keep_all:
                selection.leave_out_slips()
            if task.one_rule and task.grids and not self.practices:
                yield from selection.distill_on(task.grids)
        except OutOfMemory as error:
            if selection.candidates.best is None:
                raise
            selection.stopped = str(error)

    def _choose(self, interpreted: Mapping[Interpretation, Demonstrations]) -> Iterator[TeachingProgress]:
        """Fit and practice hypotheses, with more programs if their number was left open."""
        task, selection = self.task, self.selection
        groups: Iterable[Sequence[Hypothesis]] = self._hypotheses(interpreted)
        patience, by_return = Patience(), selection.scoring.measure.by_return
        while True:
            share = RETURN_SHARE if by_return else 1
            until = time.monotonic() + share * task.seconds if self.practices else math.inf
            for wave in self._waves(groups):
                yield from selection.compare(wave, interpreted, QUICK if self.practices else THOROUGH, until)
                if self.practices and not selection.perfect:
                    yield from selection.refine(REFINED, FURTHER, until, GOOD)
                    if self._side_by_side:
                        yield from selection.practice_early(EARLY_ROUNDS, until, ALMOST)
                if self._enough_hypotheses(patience, until):
                    break
            if self.practices and selection.fitted and not selection.perfect:
                until = until if by_return else time.monotonic() + task.seconds
                yield from selection.practice(task.max_rounds, until)
            if task.programs != "auto":
                return
            selection.stopped = self._enough_programs(patience)
            if selection.stopped is not None:
                return
            best = [found.hypothesis for found in selection.best_fitted()]
            groups = [best] if best else self._hypotheses(interpreted)
            selection.look_further()

    def _waves(self, groups: Iterable[Sequence[Hypothesis]]) -> Iterator[Sequence[Hypothesis]]:
        """Yield the hypotheses in waves that are fitted and then play side by side: 1, 2, 4, 8 … of them.

        The most plausible one is often the best, so it comes alone. Where fits or games are slow, all do.
        """
        size = 1
        for group in groups:
            left = list(group)
            while left:
                yield left[:size]
                left = left[size:]
                if self._side_by_side:
                    size *= 2

    @property
    def _side_by_side(self) -> bool:
        """Whether fits and games are so quick that several hypotheses are compared at a time."""
        world, programs = self.task.world, self.task.programs
        quick = programs != "auto" and programs <= AT_ONCE
        return self.practices and world is not None and world.rules is not None and quick

    def _enough_hypotheses(self, patience: Patience, until: float) -> bool:
        """Return whether to try no further hypothesis; once something fits, none is tried after `until`."""
        selection = self.selection
        if selection.perfect or not selection.fitted:
            return selection.perfect
        # Without practice nothing decides between hypotheses, so the most plausible one that fits is taken.
        takes_the_first = self.task.world is not None and not self.practices
        slow = selection.scoring.out_of_time or time.monotonic() > until
        return takes_the_first or slow or (self.task.programs == "auto" and patience.over)

    def _enough_programs(self, patience: Patience) -> str | None:
        """Return the reason not to consider more programs; None after moving on to about three times as many."""
        if self.selection.perfect:
            return "all practice levels are won"
        why = self.selection.shortage or patience.ends(self.fitter.programs, self.selection.rating)
        if why is None and not self.fitter.widen():
            why = f"{self.fitter.programs:,} is the largest number considered"
        return why

    def _amend(self, before: Taught) -> Iterator[TeachingProgress]:
        """Offer the earlier policy, amended if necessary."""
        hypothesis = before.hypothesis or Hypothesis(EXACT_CLICKS)
        interpreted = interpret(self.task.shown, hypothesis.interpretation, self.effects)
        policy: Policy | None = before.policy
        if not does(before.policy, interpreted):
            policy = self.fitter.amend(before.policy, hypothesis, interpreted)
        if policy is not None and self._keeps_to_constraints(policy, hypothesis, interpreted):
            self.selection.at_once = (policy, hypothesis)
            yield self.selection.progress(TeachingPhase.CORRECTED, hypothesis)
            self.selection.offer_before(policy, hypothesis)

    def _keeps_to_constraints(self, policy: Policy, hypothesis: Hypothesis, interpreted: Demonstrations) -> bool:
        """Return whether a policy satisfies the constraints, except pinned clauses that contradict what was shown."""
        constraints = self.task.constraints
        if not constraints:
            return True
        against = self.fitter.contradictions(hypothesis, interpreted)
        self.selection.contradicted(hypothesis, against)
        return policy.keeps_to(constraints.without([item.clause for item in against]))

    def _hypotheses(self, interpreted: Mapping[Interpretation, Demonstrations]) -> Iterator[Sequence[Hypothesis]]:
        """Yield groups of hypotheses to try, the most plausible first; a group depends on how the earlier ones did.

        The first vocabulary is the paper's. With keys on the board, or buttons, it is the standard one, because when to
        press one depends on ways, which the paper's cannot express; but one demonstration is too little for so large a
        vocabulary. If playing can decide, the best hypotheses (all if none fits) are tried in the other vocabulary,
        then, in worlds with buttons and no declared symmetries, with mirror images; and if none is good, some that do
        not fit are tried leniently. With pinned clauses, only hypotheses that contradict the fewest.
        """
        task, selection = self.task, self.selection
        choices = self._symmetries()
        keys = self._keys(choices[0])
        presses = bool(keys) or (task.world is not None and bool(task.shown.buttons))
        language = STANDARD if task.language is None and presses and len(task.shown) > 1 else None
        first = [Hypothesis(meaning, group, language, keys) for meaning in interpreted for group in choices]
        if task.constraints.pinned:
            against = {h: len(self.fitter.contradictions(h, interpreted[h.interpretation])) for h in first}
            first = [h for h in first if against[h] == min(against.values())]
        yield first
        plain = first
        if keys and not selection.fitted:
            plain = [replace(hypothesis, keys=(), language=None) for hypothesis in first]
            yield plain
        if task.language is None and self.practices:
            best = [found.hypothesis for found in selection.best_fitted(TOP_HYPOTHESES)]
            yield [
                replace(hypothesis, language=STANDARD if hypothesis.language is None else None)
                for hypothesis in best or plain
            ]
        proposed = self._proposed_symmetries()
        if proposed and proposed != choices[0]:
            best = [found.hypothesis for found in selection.best_fitted(TOP_HYPOTHESES)]
            yield [replace(hypothesis, symmetries=proposed) for hypothesis in best or plain]
        if self._leniently():
            unfit = sorted((h for h in first if not selection.fits(h)), key=lambda h: not h.symmetries)
            yield [replace(hypothesis, lenient=True) for hypothesis in unfit[:TOP_HYPOTHESES]]

    def _symmetries(self) -> list[tuple[Transformation, ...]]:
        """Return the groups of symmetries to try, the most plausible first: those found, and none; or those given."""
        if self.task.symmetries is not None:
            return [self.task.symmetries]
        declared = tuple(self.task.world.symmetries) if self.task.world is not None else ()
        shown = self.task.shown
        found = declared or tuple(s for s in self._proposed_symmetries() if confirmed(shown, s) >= CONFIRMED)
        return [found, ()] if found else [()]

    def _proposed_symmetries(self) -> tuple[Transformation, ...]:
        """Return symmetries of the buttons to try where none is declared and playing can judge them."""
        world = self.task.world
        if not self.practices or self.task.symmetries is not None or world is None or world.symmetries:
            return ()
        return proposed_for_buttons(self.task.shown)

    def _leniently(self) -> bool:
        """Return whether to try hypotheses leniently: only if practice can judge them and nothing else is good.

        Not if the interpretation is given, or if more programs can be considered instead.
        """
        if not self.practices or self.task.interpretations is not None or self.task.programs == "auto":
            return False
        return not self.selection.best_fitted(1, GOOD)

    def _keys(self, group: tuple[Transformation, ...]) -> tuple[str, ...]:
        """Return the keys, including those pressed in mirror images; without a world every token may matter."""
        if self.task.world is None or not can_press(self.fitter.language):
            return ()
        return keys_of(with_images(self.task.shown, group))


def does(policy: Policy, demonstrations: Demonstrations) -> bool:
    """Return whether the policy always does something that was shown or is open, and nothing that was refused."""
    said: dict[Grid, dict[Action, bool]] = {}  # the last word about an action counts, as in `labels_of`
    opened: set[tuple[Grid, Action]] = set()
    for step in demonstrations.steps:
        said.setdefault(step.grid, {})[step.action] = not step.refused
        if not step.refused:
            opened.update((step.grid, action) for action in step.open)

    def right(grid: Grid, action: Action) -> bool:
        shown = said[grid]
        return shown.get(action, (grid, action) in opened or not any(shown.values()))

    return all(map(right, said, policy.act_many(list(said))))


def without_idle_steps(demonstrations: Demonstrations, effects: Effects | None) -> Demonstrations:
    """Return the demonstrations without steps that change nothing, such as a click on an empty cell.

    They show nothing, and a policy that repeats one never ends. A demonstration of nothing else is left out.

    >>> from shown.worlds import find
    >>> from shown.grid import grid
    >>> nim = find("nim")
    >>> run = [(grid("|.", "||"), (0, 1)), (grid("|.", "||"), (0, 0))]
    >>> len(without_idle_steps(Demonstrations.from_runs(nim.tokens, [run], "nim"), Effects(nim)).steps)
    1
    """
    if effects is None:
        return demonstrations

    def counts(step: Step) -> bool:
        outcome = None if step.refused else effects.certain(step.grid, step.action)
        return outcome is None or outcome.over or outcome.grid != step.grid

    items = [replace(item, steps=tuple(filter(counts, item.steps))) for item in demonstrations]
    left = tuple(item for item in items if item.steps)
    return replace(demonstrations, items=left) if left else demonstrations
