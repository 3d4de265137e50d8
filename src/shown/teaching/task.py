"""The task of teaching: what is to be learned, from which demonstrations, and how thoroughly."""

from __future__ import annotations

from dataclasses import dataclass

from shown.demonstrations import Demonstrations
from shown.errors import BadInput
from shown.grid import Grid
from shown.inference.fitting import Programs
from shown.language.primitives import Language
from shown.rules import NO_CONSTRAINTS, Constraints
from shown.symmetry import Transformation
from shown.teaching.interpretation.interpretations import Interpretation
from shown.worlds import Playable, Start

GAME_SECONDS, WORLD_SECONDS = 2.25, 4.5  # default time of practice in a game, and in worlds, which are slower to play
ROUNDS_PER_SECOND = 12.0  # maximum number of practice rounds for each second of `practice`; few games are so quick
MAX_ROUNDS = 10_000  # however long practice may take
RULE_SHARE = 0.3  # share of the practice time to find one rule that plays like all rules together
FINAL_SHARE = 0.25  # share of the practice time to score the final candidates, and again the selected one


@dataclass(frozen=True)
class Task:
    """What is to be learned. Sequences may be given as lists.

    Attributes:
        demonstrations: the recorded clicks; None before the first demonstration.
        world: the game or world that was demonstrated. If None, interpretations rely on the recorded runs, there is no
            practice, and cross-validation selects the interpretation. A world that is no game can be practiced on, but
            has no rules to interpret clicks by.
        programs: number of programs to enumerate. "auto": 10,000, and more for about a minute while nothing fits or the
            result improves.
        practice: maximum seconds of practice, fits included; 2.25 in games and 4.5 in other worlds if None. It ends
            early when all practice levels are won. Comparing the hypotheses takes at most as long again, longer while
            none fits (by return, it may use all of this time); if a slow world exceeds that, practice is skipped. 0: no
            practice, and the most plausible hypothesis that fits is selected.
        rounds: maximum number of practice rounds; twelve for each second of practice if None. If the rounds are over
            before the time is, the same seed gives the same policy.
        interpretations: interpretations to try; all if None.
        symmetries: symmetries to try; the game's, and none, if None. () for none.
        language: vocabulary of the programs: a `Language`, or its name. If None, the paper's (with keys on the board or
            buttons in a world, the standard one from the second demonstration on); with practice, the other one too if
            not every level is won.
        constraints: clauses that every rule must have and programs it must not use. Only hypotheses that contradict the
            fewest pinned clauses are tried; clauses contradicted all the same are left out and reported in
            `Taught.contradictions`.
        keep: episodes that must stay won if the earlier policy won them and some policy that fits, at least the earlier
            one amended, wins them all.
        one_rule: whether a single rule that plays like all rules together replaces them, if practice finds one.
        grids: further positions, without actions, on which a single rule is sought that does what all rules together
            do, where there is no practice.
        keep_all: whether to explain all steps. Otherwise, without a world, suspected slips are left out (not under a
            memory limit).
    """

    demonstrations: Demonstrations | None = None
    world: Playable | None = None
    programs: Programs = 10_000
    practice: float | None = None
    rounds: int | None = None
    interpretations: tuple[Interpretation, ...] | None = None
    symmetries: tuple[Transformation, ...] | None = None
    language: Language | str | None = None
    constraints: Constraints = NO_CONSTRAINTS
    keep: tuple[Start, ...] = ()
    one_rule: bool = True
    grids: tuple[Grid, ...] = ()
    keep_all: bool = False

    def __post_init__(self) -> None:
        if self.programs != "auto" and (not isinstance(self.programs, int) or self.programs < 1):
            raise BadInput(f'programs must be "auto" or a whole number of at least 1, not {self.programs!r}.')
        for name in ("interpretations", "symmetries", "keep", "grids"):
            value = getattr(self, name)
            object.__setattr__(self, name, None if value is None else tuple(value))

    @property
    def seconds(self) -> float:
        """Maximum seconds of practice."""
        if self.practice is not None:
            return self.practice
        return WORLD_SECONDS if self.world is None or self.world.rules is None else GAME_SECONDS

    @property
    def max_rounds(self) -> int:
        """Maximum number of practice rounds."""
        return int(min(MAX_ROUNDS, ROUNDS_PER_SECOND * self.seconds)) if self.rounds is None else self.rounds

    @property
    def max_seconds(self) -> float:
        """Maximum seconds of comparing hypotheses, practice, finding one rule, and the final levels, once programs are
        evaluated.

        >>> round(Task(practice=20).max_seconds, 1)
        56.0
        """
        return (2 + RULE_SHARE * self.one_rule + 2 * FINAL_SHARE) * self.seconds

    @property
    def shown(self) -> Demonstrations:
        """The demonstrations; BadInput if there are none."""
        if self.demonstrations is None:
            raise BadInput("there are no demonstrations to learn from. Record or load at least one.")
        return self.demonstrations
