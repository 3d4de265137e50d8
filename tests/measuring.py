"""Made-up results for tests of what is done with them."""

from collections.abc import Callable, Iterable
from typing import Any

from shown.worlds import find, load_levels
from shown.worlds.world import WORLDS
from shown_evidence.methods import versions_of
from shown_evidence.trials.demonstrators import seeds_named
from shown_evidence.trials.row import Row
from shown_evidence.trials.trial import Trial


def measured(trial: Trial, success: float = 1.0, **learned: Any) -> Row:
    """A row as a trial would give it, with this success everywhere."""
    away = trial.game.startswith(WORLDS)
    count = len(seeds_named(trial.levels) if away else load_levels(find(trial.game), trial.levels))
    rewards = {spec: [3.0, 0.0] for spec in trial.test} if away else {}
    sizes = {"top_level_programs": 12, "method_calls": 40, "depth": 3, "found": True}
    result = {
        "success": {**dict.fromkeys(trial.test, success), "train": success},
        "won": {},
        "fit": success,
        "demonstrations": count,
        "steps": 3 * count,
        "learned": {**sizes, **learned},
        **({"reward": rewards, "expert": rewards} if away else {}),
    }
    work = {"learn_seconds": 0.5, "play_seconds": 0.25}
    return Row(trial.settings, versions_of(trial.settings), result, None, work, finished="2024-01-01T00:00:00+00:00")


def failed(trial: Trial, error: str = "no luck") -> Row:
    """The row of a trial that failed."""
    return Row(trial.settings, versions_of(trial.settings), None, error)


def all_measured(trials: Iterable[Trial], success: Callable[[Trial], float] = lambda _: 1.0) -> list[Row]:
    return [measured(trial, success(trial)) for trial in {trial.key: trial for trial in trials}.values()]
