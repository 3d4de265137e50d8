"""Turning points: where actions are buttons, what lost a game is found by playing on from there with the other buttons.

The same seed and the same actions lead to the same grids, so a lost game can be played again up to any moment, and from
there in another way. Where the policy wins after another button, its own was a mistake; and where one of the others
wins sooner than the rest, that is what should have been done. It is learned as if a teacher had said so, and the next
policy is tried on the same levels. Nobody has to be asked, and nothing is guessed, as it is where there are too many
actions to try them all (`suspicion.py`).
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

import numpy as np

from shown.demonstrations import Step
from shown.grid import Action, Grid
from shown.policy import Policy
from shown.teaching.hypotheses import Fitted, Fitter, flattened
from shown.teaching.practice import LAST, SOME, Ground, best_of
from shown.teaching.suspicion import fitted_again
from shown.world import ManyPlayer, Outcome, Start, World, tallies

AT_ONCE = 8
"""In so many lost games, at most, a turning point is looked for before learning again."""

BACK = 6
"""It is looked for among so many of the last positions."""

PATIENCE = 4
"""A game that takes more than so many times as long as the longest that was shown is lost."""


@dataclass
class _Branch(World):
    """A world that begins after some actions."""

    world: World
    before: tuple[Action, ...]
    max_steps: int

    def reset(self, seed: int) -> Grid:
        outcome = Outcome(self.world.reset(seed))
        for action in self.before:
            outcome = self.world.step(action)
        self._ended = outcome if outcome.over else None
        return outcome.grid

    def step(self, action: Action) -> Outcome:
        return self._ended or self.world.step(action)


def turning_point(start: Start, player: ManyPlayer, limit: int) -> tuple[Step, list[Step]]:
    """What led to the end of a lost game or back to an earlier position; and the last mistake, as a step that is
    refused, with what should have been done if one button wins sooner than the others. Nothing of that if no other
    button in one of the last positions wins.

    Args:
        start: the game.
        player: who lost it; a function of the grid.
        limit: so many steps a game can take.
    """
    world, seed = start
    run = _until_it_repeats(world, seed, player, limit)
    last = Step(*run[-1], refused=True)
    for moment in reversed(range(max(len(run) - BACK, 0), len(run))):
        (grid, action), before = run[moment], tuple(done for _, done in run[:moment])
        others = [button for button in world.buttons if button != action]
        branches: list[Start] = [(_Branch(world.another(), (*before, button), limit), seed) for button in others]
        ends = zip(others, tallies(branches, player, again=1), strict=True)
        winning = {button: tally.steps for button, tally in ends if tally.won}
        if winning:
            soonest = [button for button, steps in winning.items() if steps == min(winning.values())]
            better = [Step(grid, button) for button in soonest] if len(soonest) == 1 else []
            return last, [Step(grid, action, refused=True), *better]
    return last, []


def _until_it_repeats(world: World, seed: int, player: ManyPlayer, limit: int) -> list[tuple[Grid, Action]]:
    """The positions and actions of a game until it is over or comes back to a position."""
    run: dict[Grid, Action] = {}
    grid, over = world.reset(seed), False
    while not over and grid not in run and len(run) < limit:
        (run[grid],) = player.act_many([grid])
        outcome = world.step(run[grid])
        grid, over = outcome.grid, outcome.over
    return list(run.items())


@dataclass
class Turning:
    """The best policy so far of one hypothesis, and what was found out beside what was shown.

    Attributes:
        fitter: fits the hypothesis again.
        fitted: the hypothesis.
        ground: where it plays.
        rng: of all random choices.
        temperature: see `flattened`.
        levels: on how many levels policies are compared; on all that there are once these are won.
        known: what was found out.
        best: the policies that won most, the latest last, with the share they won.
    """

    fitter: Fitter
    fitted: Fitted
    ground: Ground
    rng: np.random.Generator
    temperature: float
    levels: int = SOME
    known: tuple[Step, ...] = ()
    best: list[tuple[float, Policy]] = field(default_factory=list)

    def __post_init__(self) -> None:
        shown = self.fitted.shown
        self._shown = {(step.grid, step.action) for step in shown.steps}
        self._limit = PATIENCE * max(len(item.steps) for item in shown)
        self._try(self.fitted)

    def step(self) -> float:
        """Looks for turning points and learns again; the share that the best so far wins."""
        lost = [i for i, won in enumerate(self.ground.won(self._policy, self.levels)) if not won]
        if lost and not self.ground.over:
            known = tuple(dict.fromkeys((*self.known, *self._found_out(lost))))
            found = fitted_again(self.fitter, self.fitted, known)
            if found.policy is None:  # something was right only as long as the rest was wrong
                self.known = self.known[: len(self.known) // 2]
            else:
                self.known = known
                self._try(found)
        return self.best[-1][0]

    def policies(self) -> Iterator[Policy]:
        """Those that won most."""
        return (policy for _, policy in self.best)

    def _found_out(self, lost: list[int]) -> list[Step]:
        """What some of the lost games tell. If none tells anything, so that a single mistake does not matter any more,
        what they ended with is suspected."""
        starts = self.ground.starts(0, self.levels)
        chosen = [starts[lost[i]] for i in self.rng.permutation(len(lost))[:AT_ONCE].tolist()]
        found = [turning_point(start, self._policy, self._limit) for start in chosen]
        steps = [step for _, certain in found for step in certain] or [last for last, _ in found]
        return [step for step in steps if (step.grid, step.action) not in self._shown]

    def _try(self, found: Fitted) -> None:
        """Goes on with what a fit leads to, which is the best from now on if it wins as much as that."""
        policies = [flattened(policy, self.temperature) for policy in (found.policy, found.grown) if policy is not None]
        score, self._policy = best_of(policies, self.ground, self.levels)
        if not self.best or score >= self.best[-1][0]:
            self.best = [*self.best[-2:], (score, self._policy)]
        if score >= 1.0 and self.levels < LAST:
            self.levels = LAST
            self.best = [(self.ground.score(policy, self.levels), policy) for _, policy in self.best]
