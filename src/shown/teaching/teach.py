"""Teaching as a whole: demonstrations in, the policy that was most likely meant out.

Every way to understand the teacher is fitted; where the game can be played and makes levels, what they lead to is tried
out, the best are varied, and what wins is chosen (`practice.py`); without practice, the most plausible hypothesis that
fits. `Learner` is what one hypothesis takes; this is what a person who wants to be understood takes. A `Pupil` goes on
learning from one demonstration or correction to the next.
"""

from __future__ import annotations

import time
from collections.abc import Generator, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from shown.cluster import Cluster
from shown.demonstrations import Demonstrations, Step
from shown.errors import BadInput
from shown.games.game import Game
from shown.grid import Action, Grid
from shown.inference.fitting import Patience, Programs
from shown.language.pressing import can_press
from shown.language.primitives import Language
from shown.language.standard import STANDARD
from shown.policy import Policy
from shown.rules import NO_CONDITIONS, Conditions
from shown.symmetry import Transformation, images
from shown.teaching.advice import advise
from shown.teaching.choosing import Choice
from shown.teaching.elsewhere import Elsewhere, here
from shown.teaching.hypotheses import Fitter, Hypothesis, hypotheses, hypothesis_of
from shown.teaching.practice import Ground
from shown.teaching.pressed import keys_of
from shown.teaching.readings import AS_CLICKED, READINGS, Reading, distinct_readings, read
from shown.teaching.same import Effects
from shown.teaching.taught import Expectation, Stage, Taught, Tried
from shown.world import Start, World, wins

__all__ = ["Expectation", "Pupil", "Stage", "Taught", "Tried", "does", "iter_teach", "teach", "without_idle_steps"]

PRACTISE = 20.0
"""Seconds of practice at most, unless somebody says otherwise."""

ROUNDS = 120
"""After so many rounds practice ends; on most machines that is sooner."""

SAID_AGAIN = 6
"""So many of the best hypotheses are tried in the standard words, too; and so many leniently, where none is good."""

GOOD = 0.9
"""What wins so many of the practice levels is good enough not to ask whether something was not meant exactly."""


def teach(demonstrations: Demonstrations, game: Game | World | None = None, **settings: Any) -> Taught:
    """Learns what a teacher means; see `iter_teach` for the settings.

    >>> from shown.games import demonstrate, find, load_levels, success_rate
    >>> nim = find("nim")
    >>> taught = teach(demonstrate(nim, load_levels(nim, "train:0")), nim, programs=2000)
    >>> success_rate(nim, taught.policy, load_levels(nim, "test"))
    1.0
    """
    return _end_of(iter_teach(demonstrations, game, **settings))


def iter_teach(
    demonstrations: Demonstrations,
    game: Game | World | None = None,
    *,
    programs: Programs = 10_000,
    practise: float = PRACTISE,
    rounds: int = ROUNDS,
    readings: Sequence[Reading] | None = None,
    symmetries: Sequence[Transformation] | None = None,
    before: Policy | None = None,
    keep: Sequence[Start] = (),
    language: Language | str | None = None,
    seed: int = 0,
    threads: int | None = None,
    device: str = "cpu",
    memory_limit: int | None = None,
    conditions: Conditions = NO_CONDITIONS,
    cluster: Cluster | None = None,
) -> Generator[Stage, None, Taught]:
    """Learns what a teacher means, telling of its progress; one may stop after any stage and take its `best`.

    Args:
        demonstrations: what was shown, as it was clicked.
        game: the rules. Without, readings are made from the recorded runs alone, there is no practice, and that reading
            is taken under which what is learned from the other demonstrations explains most of each. A world can be
            practised on, but has no rules to read by.
        programs: how many programs to enumerate; "auto": 10,000, and on while nothing fits or what is found gets
            better, for about a minute.
        practise: seconds of practice at most, after the hypotheses are fitted; it ends as soon as all practice levels
            are won. To try the hypotheses out takes no longer either; where a world is so slow that it would, what has
            been played counts, and there is no further practice. 0 for none at all: then the most plausible hypothesis
            that fits is taken.
        rounds: how often, at most, the best hypotheses learn from their lost games. As long as that takes less than
            `practise` seconds, the same seed gives the same policy.
        readings: those to try, by default all; one to force it.
        symmetries: those to try; by default the game's, and none beside them; () for none.
        before: what was learned before from some of these demonstrations. Amended to what was shown since, it is one
            more candidate.
        keep: further episodes in which what was won before should stay won, beside those of practice.
        language: the words of the programs, with the grammar they give: a `Language`, or the name of one. If None, the
            paper's (where there are keys on the board, from the second demonstration on the standard ones); and where
            there is practice and they do not win everything, the others too.
        seed: of all random choices.
        threads: how many threads evaluate programs.
        device: where they do: "cpu", or "cuda" for a GPU.
        memory_limit: bytes that may be taken; by default half of what the process can have.
        conditions: what is pinned and what is struck: every rule that is learned keeps to it. Only hypotheses are
            tried that contradict as little as possible of what is pinned; what contradicts all the same is left out
            and named (`Taught.contradictions`).
        cluster: the machines that evaluate programs, and play the games of practice, where there are many; this
            process alone if None.
    """
    pupil = Pupil(
        game, programs, practise, rounds, readings, symmetries, keep=tuple(keep), language=language, seed=seed,
        threads=threads, device=device, memory_limit=memory_limit, conditions=conditions, cluster=cluster,
    )  # fmt: skip
    if before is not None:
        pupil.remember(before)
    return (yield from pupil.iter_learn(demonstrations))


@dataclass
class Pupil:
    """Learns what a teacher means, and goes on learning: what was learned before stays, as far as it can.

    A further demonstration or a correction is learned in two steps. What was learned before is amended to do what was
    just shown, at once. Then everything is understood and tried out anew, without evaluating any program again on a
    position that was there before; what wins most of the practice levels, and of those that were won before, is taken.
    Levels that are lost by it are named (`Taught.lost`).

    >>> from shown.games import demonstrate, find, load_levels
    >>> nim = find("nim")
    >>> pupil = Pupil(nim, programs=2000)
    >>> pupil.learn(demonstrate(nim, load_levels(nim, "train:0"))).practice
    (120, 120)
    >>> pupil.learn(demonstrate(nim, load_levels(nim, "train:1"))).lost
    ()

    Attributes: as for `iter_teach`, and
        demonstrations: all that was shown, without what changes nothing; None before the first.
        taught: what was understood so far; None before the first.
    """

    game: Game | World | None = None
    programs: Programs = 10_000
    practise: float = PRACTISE
    rounds: int = ROUNDS
    readings: Sequence[Reading] | None = None
    symmetries: Sequence[Transformation] | None = None
    keep: Sequence[Start] = ()
    language: Language | str | None = None
    seed: int = 0
    threads: int | None = None
    device: str = "cpu"
    memory_limit: int | None = None
    conditions: Conditions = NO_CONDITIONS
    cluster: Cluster | None = None
    demonstrations: Demonstrations | None = None
    taught: Taught | None = None

    def __post_init__(self) -> None:
        if self.programs != "auto" and (not isinstance(self.programs, int) or self.programs < 1):
            raise BadInput(f'programs must be "auto" or a whole number of at least 1, not {self.programs!r}.')
        self._effects = Effects(self.game) if isinstance(self.game, Game) else None
        self._ground: Ground | None = None
        if self.game is not None and self.practise > 0:
            players = here if self.cluster is None else Elsewhere(self.cluster)
            self._ground = Ground(self.game, self.seed, self.practise, players)
        self._fitter: Fitter | None = None

    def remember(self, before: Policy, demonstrations: Demonstrations | None = None) -> None:
        """Begins with what was learned before, perhaps by another pupil, from these demonstrations."""
        self.taught = Taught(before, hypothesis_of(before), (), True)
        if demonstrations is not None and len(demonstrations):
            self.demonstrations = self._telling(demonstrations)

    def learn(self, more: Demonstrations | None = None) -> Taught:
        """Learns from these demonstrations and all earlier ones; without any, understands anew what is there."""
        return _end_of(self.iter_learn(more))

    def correct(self, fix: Demonstrations) -> Taught:
        """Only amends what was learned to do what is shown now, which takes tenths of a second; `learn` can follow.

        If it cannot be amended, or nothing was learned before, this is `learn`.
        """
        stages = self.iter_learn(fix)
        try:
            while next(stages).phase != "corrected":
                pass
            stages.close()
        except StopIteration:
            pass
        assert self.taught is not None
        return self.taught

    def iter_learn(self, more: Demonstrations | None = None) -> Generator[Stage, None, Taught]:
        """`learn`, telling of its progress. Whoever stops after a stage has its `best` as the policy of `taught`."""
        shown = self._take_in(more)
        if self._fitter is None:
            self._fitter = Fitter(
                shown, self.programs, self.seed, self.threads, self.language, memory_limit=self.memory_limit,
                conditions=self.conditions, device=self.device, cluster=self.cluster,
            )  # fmt: skip
        before = self.taught if self.taught is not None and self.taught.learned else None
        choice = Choice(shown, self._fitter, self.game, self._ground, before, self._won(before), self.seed)
        try:
            yield from self._stages(choice, self._fitter)
            self.taught = self._advised(choice.taught())
        except (GeneratorExit, KeyboardInterrupt):
            self.taught = choice.so_far()
            raise
        return self.taught

    def _advised(self, taught: Taught) -> Taught:
        """What was understood, with advice where there is something to be done."""
        shown, failure = self.demonstrations, taught.failure
        assert shown is not None
        if failure is not None and max(failure.demonstration, failure.other_demonstration) >= len(shown):
            return taught  # it is about mirror images, which the teacher has never seen
        if failure is None and not taught.memorises:
            return taught
        read_by = taught.hypothesis if failure is None else taught.failed
        reading = read_by.reading if read_by is not None else AS_CLICKED
        return replace(taught, advice=advise(shown, failure, self._effects, reading))

    def _take_in(self, more: Demonstrations | None) -> Demonstrations:
        """All that was shown, with what is shown now."""
        if more is not None and len(more):
            more = self._telling(more)
            if self._fitter is not None:
                self._fitter.add(more)
            self.demonstrations = more if self.demonstrations is None else self.demonstrations + more
        if self.demonstrations is None:
            raise BadInput("there are no demonstrations to learn from. Record or load at least one.")
        return self.demonstrations

    def _telling(self, demonstrations: Demonstrations) -> Demonstrations:
        """The demonstrations without what changes nothing."""
        return demonstrations if self._effects is None else without_idle_steps(demonstrations, self._effects)

    def _won(self, before: Taught | None) -> tuple[Start, ...]:
        """The episodes to be kept that what was learned before wins."""
        if before is None or not self.keep:
            return ()
        return tuple(start for start, won in zip(self.keep, wins(self.keep, before.policy), strict=True) if won)

    def _stages(self, choice: Choice, fitter: Fitter) -> Iterator[Stage]:
        if choice.before is not None:
            yield from self._amended(choice, choice.before, fitter)
            if choice.perfect:
                return
        as_read = distinct_readings(choice.demonstrations, self._effects, tuple(self.readings or READINGS))
        asked: Iterable[Hypothesis] = self._hypotheses(choice, fitter, as_read)
        auto, patience = self.programs == "auto", Patience()
        while True:
            for hypothesis in asked:
                yield from choice.understand(hypothesis, as_read[hypothesis.reading])
                if choice.perfect or (choice.fitted and (self._takes_the_first or (auto and patience.over))):
                    break
                if choice.fitted and choice.out_of_time:
                    break
            if self._ground is not None and choice.fitted:
                yield from choice.practise(self.rounds, time.monotonic() + self.practise)
            if not auto:
                return
            choice.stopped = self._enough(choice, patience, fitter)
            if choice.stopped is not None:
                return
            best = [found.hypothesis for _, found in choice.best_fitted()]
            asked = best or self._hypotheses(choice, fitter, as_read)
            choice.look_further()

    @property
    def _takes_the_first(self) -> bool:
        """Whether the most plausible hypothesis that fits is taken: nothing is played that could tell better."""
        return self.game is not None and self._ground is None

    def _enough(self, choice: Choice, patience: Patience, fitter: Fitter) -> str | None:
        """Why not to look at more programs; None if three times as many are looked at from now on."""
        if choice.perfect:
            return "all practice levels are won"
        why = choice.shortage or patience.ends(fitter.programs, choice.rating)
        if why is None and not fitter.widen():
            why = f"more than {fitter.programs:,} are not looked at"
        return why

    def _amended(self, choice: Choice, before: Taught, fitter: Fitter) -> Iterator[Stage]:
        """What was learned before, as it is or amended to do what was shown since."""
        hypothesis = before.hypothesis or Hypothesis(AS_CLICKED)
        as_read = read(choice.demonstrations, hypothesis.reading, self._effects)
        policy: Policy | None = before.policy
        if not does(before.policy, as_read):
            policy = fitter.amend(before.policy, hypothesis, as_read)
        if policy is not None and self._keeps_to_conditions(policy, hypothesis, as_read, choice, fitter):
            choice.at_once = (policy, hypothesis)
            yield choice.stage("corrected", "does what was shown now")
            choice.offer_before(policy, hypothesis)

    def _keeps_to_conditions(
        self, policy: Policy, hypothesis: Hypothesis, as_read: Demonstrations, choice: Choice, fitter: Fitter
    ) -> bool:
        """Whether a policy has what is pinned, as far as that contradicts nothing, and nothing that is struck."""
        if not self.conditions:
            return True
        against = fitter.contradictions(hypothesis, as_read)
        choice.contradicted(hypothesis, against)
        return policy.keeps_to(self.conditions.without([item.clause for item in against]))

    def _hypotheses(
        self, choice: Choice, fitter: Fitter, as_read: Mapping[Reading, Demonstrations]
    ) -> Iterator[Hypothesis]:
        """All there are, in the words that were asked for; or else in the paper's, but where there are keys in the
        standard ones: when to press one is a matter of ways, for which the paper has no words. One demonstration is
        too little to choose among so many words, and is better understood in the paper's. Where playing can tell
        which words are better, the best of them, or all if none fits, are tried in the others, too. Where still none
        is good, some that do not fit are tried leniently. Where something is pinned, only those that contradict least
        of it."""
        if self.symmetries is None:
            group, only = tuple(self.game.symmetries) if self.game is not None else (), False
        else:
            group, only = tuple(self.symmetries), bool(self.symmetries)
        keys = self._keys(choice.demonstrations, group, fitter)
        richer_first = bool(keys) and len(choice.demonstrations) > 1
        words = [None] if self.language is not None else [STANDARD, None] if richer_first else [None, STANDARD]
        first = list(hypotheses(tuple(as_read), group, only, keys, words[0]))
        if self.conditions.pinned:
            against = {h: len(fitter.contradictions(h, as_read[h.reading])) for h in first}
            first = [h for h in first if against[h] == min(against.values())]
        yield from first
        plain = first
        if keys and not choice.fitted:
            plain = [replace(hypothesis, keys=(), language=None) for hypothesis in first]
            yield from plain
        if len(words) > 1 and self._ground is not None:
            best = [found.hypothesis for _, found in choice.best_fitted(SAID_AGAIN)]
            yield from (replace(hypothesis, language=_other(hypothesis.language)) for hypothesis in best or plain)
        if self._leniently(choice):
            unfit = sorted((h for h in first if not choice.fits(h)), key=lambda hypothesis: not hypothesis.symmetries)
            yield from (replace(hypothesis, lenient=True) for hypothesis in unfit[:SAID_AGAIN])

    def _leniently(self, choice: Choice) -> bool:
        """Whether to try hypotheses that do not fit leniently: what fits is not good, or nothing does; playing can tell
        whether lenience is any better; and nobody has said how to read, or to look at more programs instead."""
        if self._ground is None or self.readings is not None or self.programs == "auto":
            return False
        return not choice.fitted or choice.best_fitted(1)[0][0] < GOOD

    def _keys(self, shown: Demonstrations, group: tuple[Transformation, ...], fitter: Fitter) -> tuple[str, ...]:
        """What is pressed; what is pressed in mirror images is a key as well. Without a game every token may matter."""
        if self.game is None or not can_press(fitter.language):
            return ()
        return keys_of(images(shown, group) if group else shown)


def _other(words: Language | None) -> Language | None:
    """The standard words for the paper's, and the other way round."""
    return STANDARD if words is None else None


def _end_of(stages: Generator[Stage, None, Taught]) -> Taught:
    while True:
        try:
            next(stages)
        except StopIteration as end:
            taught: Taught = end.value
            return taught


def does(policy: Policy, demonstrations: Demonstrations) -> bool:
    """Whether the policy does, in each position, something that was shown there or left open, and nothing refused."""
    good: dict[Grid, set[Action]] = {}
    bad: dict[Grid, set[Action]] = {}
    for step in demonstrations.steps:
        (bad if step.refused else good).setdefault(step.grid, set()).update((step.action, *step.open))
    grids = list({**good, **bad})
    return all(
        action in good.get(grid, {action}) and action not in bad.get(grid, ())
        for grid, action in zip(grids, policy.act_many(grids), strict=True)
    )


def without_idle_steps(demonstrations: Demonstrations, effects: Effects) -> Demonstrations:
    """Without the steps that change nothing: a click into the void, a piece touched in vain. They show nothing, and a
    policy that repeated one would repeat it for ever. A demonstration of nothing else is left out.

    >>> from shown.games import find
    >>> from shown.grid import grid
    >>> nim = find("nim")
    >>> run = [(grid("|.", "||"), (0, 1)), (grid("|.", "||"), (0, 0))]
    >>> len(without_idle_steps(Demonstrations.from_runs(nim.tokens, [run], "nim"), Effects(nim)).steps)
    1
    """

    def counts(step: Step) -> bool:
        if step.refused:
            return True
        outcome = effects.certain(step.grid, step.action)
        return outcome is None or outcome.over or outcome.grid != step.grid

    items = [replace(item, steps=tuple(filter(counts, item.steps))) for item in demonstrations]
    left = tuple(item for item in items if item.steps)
    return replace(demonstrations, items=left) if left else demonstrations
