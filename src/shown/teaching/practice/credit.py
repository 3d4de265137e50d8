"""Credit assignment in worlds with buttons: the mistake in a lost game is found by playing on with the other buttons.

The same seed and actions lead to the same grids, so a lost game can be replayed up to any step and continued otherwise.
If the policy wins after another button, its own was a mistake. If one of the others wins sooner than the rest, that one
was right. The policy learns both as if a teacher had shown them. Where nothing can be won, a game below the
demonstrations counts as lost, and a higher return as winning. With many actions this would take too long, so there
actions are only suspected (`counterexamples.py`).
"""

from __future__ import annotations

import math
import time
from dataclasses import dataclass, field, replace

from shown.demonstrations import Step
from shown.grid import Action, Grid
from shown.teaching.interpretation.fitter import QUICK, Fitted
from shown.teaching.practice.ground import ALL_LEVELS, SOME_LEVELS, best_of
from shown.teaching.practice.measure import WINNING, Measure
from shown.teaching.practice.practice_search import PracticeSearch
from shown.worlds import Outcome, Start, World
from shown.worlds.episodes import ManyPlayer, tallies

MAX_GAMES = 8  # lost games analyzed before fitting again
MAX_BACK = 6  # positions before the end of a game, or of a game that never ends, that are searched for the mistake
MAX_SLOWDOWN = 4  # a game this many times as long as the longest demonstration is lost


@dataclass
class _Branch(World):
    """A world that starts after some actions; they end at the deadline, by the monotonic clock."""

    world: World
    before: tuple[Action, ...]
    max_steps: int
    deadline: float = math.inf

    def reset(self, seed: int) -> Grid:
        outcome, self.earned = Outcome(self.world.reset(seed)), 0.0
        for action in self.before:
            if time.monotonic() > self.deadline:
                break
            outcome = self.world.step(action)
            self.earned += outcome.reward
        self._ended = replace(outcome, reward=0.0) if outcome.over else None
        return outcome.grid

    def step(self, action: Action) -> Outcome:
        return self._ended or self.world.step(action)


def turning_point(
    start: Start, player: ManyPlayer, limit: int, measure: Measure = WINNING, deadline: float = math.inf
) -> tuple[Step, list[Step]]:
    """Return the last step of a lost game, refused, and the steps that correct its last mistake.

    These are the mistake, refused, and the right action if one button wins sooner than the others, or has the highest
    return. There are none if no other button in the positions searched does better. Where it can be won, a game also
    ends where it repeats a position.

    Args:
        start: the game.
        player: the policy that lost it.
        limit: maximum number of steps of a game.
        measure: what the game is worth.
        deadline: time by the monotonic clock after which no other button is tried.
    """
    world, seed = start
    run, own, ended = _played(start, player, limit, measure, deadline)
    last = Step(*run[-1], refused=True)
    apart = 1 if ended or not measure.by_return else max(len(run) // MAX_BACK, 1)
    latest = min(len(run), limit - 1) if measure.by_return else len(run)
    for moment in range(latest - 1, -1, -apart)[:MAX_BACK]:
        (grid, action), before = run[moment], tuple(done for _, done in run[:moment])
        others = [button for button in world.buttons if button != action]
        left = limit - moment - 1 if measure.by_return else limit
        branches = [_Branch(world.copy(), (*before, button), left, deadline) for button in others]
        repeats = math.inf if measure.by_return else 1
        ends = tallies([(branch, seed) for branch in branches], player, repeats, deadline)
        results = {
            button: (branch.earned + tally.reward, 0) if measure.by_return else (float(tally.won), -tally.steps)
            for button, branch, tally in zip(others, branches, ends, strict=False)
            if tally.won or measure.by_return
        }
        highest = max(results.values(), default=own)
        if highest > own:
            best = [button for button, result in results.items() if result == highest]
            return last, [Step(grid, action, refused=True), *(Step(grid, button) for button in best if len(best) == 1)]
    return last, []


def _played(
    start: Start, player: ManyPlayer, limit: int, measure: Measure, deadline: float
) -> tuple[list[tuple[Grid, Action]], tuple[float, int], bool]:
    """Return the positions and actions of a lost game, its result, and whether it ended before the limit.

    Where it could be won, the game ends where it repeats a position.
    """
    world, seed = start
    run: list[tuple[Grid, Action]] = []
    grid, over, total, seen = world.reset(seed), False, 0.0, set[Grid]()
    while not over and len(run) < limit and (not run or time.monotonic() <= deadline):
        (action,) = player.act_many([grid])
        run.append((grid, action))
        seen.add(grid)
        outcome = world.step(action)
        grid, over, total = outcome.grid, outcome.over, total + outcome.reward
        if grid in seen and not measure.by_return:
            break
    return run, (total if measure.by_return else 0.0, 0), over


@dataclass
class TurningPointSearch(PracticeSearch):
    """Improves a policy by correcting the mistakes in its lost games.

    Attributes:
        levels: number of levels on which policies are compared; all of them once these are won.
        known: steps found in lost games.
    """

    levels: int = SOME_LEVELS
    known: tuple[Step, ...] = field(default=(), init=False)

    def __post_init__(self) -> None:
        super().__post_init__()
        self._limit = MAX_SLOWDOWN * max(len(item.steps) for item in self.fitted.shown)
        if self.ground.measure.by_return:
            self._limit = int(min(self.ground.game.max_steps, self.ground.measure.horizon))
        self._try(self.fitted)

    def step(self) -> float:
        """Search lost games for mistakes and fit again; return the share that the best so far wins."""
        lost = self._lost(self._policy)
        if lost:
            known = tuple(dict.fromkeys((*self.known, *self._found_out(lost))))
            found = self._fit_again(known, QUICK)
            if found.policy is None:  # some steps were right only together with the old policy
                self.known = self.known[: len(self.known) // 2]
            else:
                self.known = known
                self._try(found)
        return self.best[-1][0]

    def _found_out(self, lost: list[int]) -> list[Step]:
        """Return the corrections of some lost games; if no single mistake decided any, their last steps, refused."""
        starts = self.ground.starts(0, self.levels)
        chosen = [starts[lost[i]] for i in self.rng.permutation(len(lost))[:MAX_GAMES].tolist()]
        found: list[tuple[Step, list[Step]]] = []
        for start in chosen:
            if found and self.ground.over:
                break
            with self.ground.playing() as deadline:
                found.append(turning_point(start, self._policy, self._limit, self.ground.measure, deadline))
        steps = [step for _, certain in found for step in certain] or [last for last, _ in found]
        return [step for step in steps if (step.grid, step.action) not in self._shown]

    def _try(self, found: Fitted) -> None:
        """Continue with the best policy of a fit; it becomes the best of all if it wins no less."""
        score, self._policy = best_of(self._mixtures(found), self.ground, self.levels)
        if not self.best or score >= self.best[-1][0]:
            self.best = [*self.best[-2:], (score, self._policy)]
        if score >= 1.0 and self.levels < ALL_LEVELS:
            self.levels = ALL_LEVELS
            self.best = [(self.ground.score(policy, self.levels), policy) for _, policy in self.best]
