"""Credit assignment in worlds with buttons: the mistake in a lost game is found by playing on with the other buttons.

The same seed and actions lead to the same grids, so a lost game can be replayed up to any step and continued otherwise.
If the policy wins after another button, its own was a mistake. If one of the others wins sooner than the rest, that one
was right. The policy learns both as if a teacher had shown them. With many actions this would take too long, so there
actions are only suspected (`counterexamples.py`).
"""

from __future__ import annotations

from dataclasses import dataclass, field

from shown.demonstrations import Step
from shown.grid import Action, Grid
from shown.teaching.interpretation.fitter import QUICK, Fitted
from shown.teaching.practice.ground import ALL_LEVELS, SOME_LEVELS, best_of
from shown.teaching.practice.practice_search import PracticeSearch
from shown.worlds import Outcome, Start, World
from shown.worlds.episodes import ManyPlayer, tallies

MAX_GAMES = 8  # lost games analyzed before fitting again
MAX_BACK = 6  # positions before the end of a game that are searched for the mistake
MAX_SLOWDOWN = 4  # a game this many times as long as the longest demonstration is lost


@dataclass
class _Branch(World):
    """A world that starts after some actions."""

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
    """Return the last step of a lost game, refused, and the steps that correct its last mistake.

    These are the mistake, refused, and the right action if one button wins sooner than the others. There are none if no
    other button in the last positions wins. A game also ends where it repeats a position.

    Args:
        start: the game.
        player: the policy that lost it.
        limit: maximum number of steps of a game.
    """
    world, seed = start
    run = _until_it_repeats(world, seed, player, limit)
    last = Step(*run[-1], refused=True)
    for moment in reversed(range(max(len(run) - MAX_BACK, 0), len(run))):
        (grid, action), before = run[moment], tuple(done for _, done in run[:moment])
        others = [button for button in world.buttons if button != action]
        branches: list[Start] = [(_Branch(world.copy(), (*before, button), limit), seed) for button in others]
        ends = zip(others, tallies(branches, player, max_repeats=1), strict=True)
        winning = {button: tally.steps for button, tally in ends if tally.won}
        if winning:
            soonest = [button for button, steps in winning.items() if steps == min(winning.values())]
            better = [Step(grid, button) for button in soonest] if len(soonest) == 1 else []
            return last, [Step(grid, action, refused=True), *better]
    return last, []


def _until_it_repeats(world: World, seed: int, player: ManyPlayer, limit: int) -> list[tuple[Grid, Action]]:
    """Return the positions and actions of a game until it is over or repeats a position."""
    run: dict[Grid, Action] = {}
    grid, over = world.reset(seed), False
    while not over and grid not in run and len(run) < limit:
        (run[grid],) = player.act_many([grid])
        outcome = world.step(run[grid])
        grid, over = outcome.grid, outcome.over
    return list(run.items())


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
        found = [turning_point(start, self._policy, self._limit) for start in chosen]
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
