"""A trial: one method learns one game from demonstrations and is scored on unseen levels.

`run_trial(settings)` is a pure function of the settings, so executors may run trials anywhere and in any order. What it
gives changes only with the versions in `methods.py`.
"""

from __future__ import annotations

import hashlib
import json
import time
from collections.abc import Mapping
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Any

from shown.demonstrations import Demonstrations
from shown.errors import BadInput, did_you_mean
from shown.worlds import Playable, find_game, find_world
from shown.worlds.world import WORLDS
from shown_evidence.baselines import Imitator
from shown_evidence.trials.demonstrators import FIRST_CLICK, RANDOM_CLICK, STYLE, check_kind, demonstrations
from shown_evidence.trials.learners import METHODS, STARTED_ANEW
from shown_evidence.trials.scoring import check_scored_on, scores

TEST_LEVELS = "test:0-8"
"""The paper's nine test levels."""

GENERATED_LEVELS = "random:0-99"
"""Generated levels scored besides, because nine are few. They are never demonstrated."""


@dataclass(frozen=True)
class Trial:
    """The complete settings of one trial.

    >>> trial = Trial("lpp", "nim", "train:0-4", options={"programs": 100})
    >>> trial == Trial.from_settings(trial.settings)
    True
    >>> len(trial.key), trial.settings["options"]["programs"], trial.settings["options"]["ensemble"]
    (64, 100, 25)

    Attributes:
        method: a name in `METHODS`.
        levels: demonstrated levels, such as "train:0,train:4".
        demonstrations: "perfect", a kind of noise (see `demonstrators.KINDS`), or a scripted style ("style:NAME").
        seed: seed of the demonstrator, and of methods other than networks.
        options: options that differ from the method's defaults; `settings` holds all of them.
    """

    method: str
    game: str
    levels: str
    demonstrations: str = "perfect"
    seed: int = 0
    options: Mapping[str, Any] = field(default_factory=dict)
    test: tuple[str, ...] = (TEST_LEVELS, GENERATED_LEVELS)

    def __post_init__(self) -> None:
        if self.method not in METHODS:
            raise BadInput(f"no method called {self.method!r}. {did_you_mean(self.method, METHODS)}")
        check_kind(self.game, self.demonstrations)
        defaults = METHODS[self.method].options
        unknown = [name for name in self.options if name not in defaults]
        if unknown:
            raise BadInput(f"{self.method} has no option {unknown[0]!r}. {did_you_mean(unknown[0], defaults)}")
        for spec in (self.levels, *self.test):
            if not _is_text(spec):
                raise BadInput(f"{spec!r}: not a valid name of levels, because it is not text.")
        check_scored_on(self.test)
        object.__setattr__(self, "options", MappingProxyType({**defaults, **self.options}))

    @property
    def settings(self) -> dict[str, Any]:
        """The trial as JSON."""
        return {**vars(self), "options": dict(self.options), "test": list(self.test)}

    @property
    def start(self) -> int:
        """The seed of the method. Networks start anew in every trial, whatever its number among the sets is."""
        return int(settings_key(self.settings)[:12], 16) if self.method in STARTED_ANEW else self.seed

    @classmethod
    def from_settings(cls, settings: Mapping[str, Any]) -> Trial:
        try:
            return cls(**{**settings, "test": tuple(settings.get("test", ()))})
        except TypeError as error:
            raise BadInput(f"these are not the settings of a trial ({error}): {settings}") from None

    @property
    def key(self) -> str:
        """A digest of the settings."""
        return settings_key(self.settings)


def describe(settings: Mapping[str, Any]) -> str:
    """Return a short description of a trial; its method may be unknown here.

    >>> describe(Trial("lpp", "nim", "train:0", options={"programs": 100}, seed=3).settings)
    'LPP nim from train:0, programs 100, seed 3'
    """
    method = METHODS.get(settings["method"])
    label, defaults = (settings["method"], {}) if method is None else (method.label, method.options)
    parts = [f"{label} {settings['game']} from {settings['levels']}"]
    kind = settings["demonstrations"]
    if kind.startswith(STYLE):
        parts.append(f"in the style {kind.removeprefix(STYLE)}")
    elif kind in (FIRST_CLICK, RANDOM_CLICK):
        parts.append("the first click only" if kind == FIRST_CLICK else "one random click instead")
    elif kind != "perfect":
        parts.append(f"with {kind} noise")
    parts += [f"{name} {value}" for name, value in settings["options"].items() if value != defaults.get(name)]
    return ", ".join(parts) + (f", seed {settings['seed']}" if settings["seed"] else "")


def settings_key(settings: Mapping[str, Any]) -> str:
    """Return a digest of JSON settings that does not depend on the order of keys."""
    text = json.dumps(settings, sort_keys=True, separators=(",", ":"), ensure_ascii=False, allow_nan=False)
    return hashlib.sha256(text.encode()).hexdigest()


def run_trial(settings: Mapping[str, Any]) -> dict[str, Any]:
    """Run one trial and return its measurements as JSON.

    Keys: "success" (fraction of levels won, by set of levels and for "train", the demonstrated ones), "won" (level by
    level, "1" or "0"), "fit" (fraction of demonstrated actions repeated), "demonstrations", "steps", "learned" (the
    method's description of its policy) and "work" (seconds of learning and playing, programs enumerated, training
    steps). Worlds add "reward" by start and "expert", the expert's reward there.
    """
    trial = Trial.from_settings(settings)
    place = find_place(trial.game)
    demos = demonstrations(place, trial.levels, trial.demonstrations, trial.seed)
    imitator = METHODS[trial.method].build(place, trial.start, trial.options)
    started = time.perf_counter()
    imitator.fit(demos)
    return measurements(trial, place, imitator, demos, time.perf_counter() - started)


def measurements(
    trial: Trial, place: Playable, imitator: Imitator, demos: Demonstrations, learn: float
) -> dict[str, Any]:
    """Score an imitator that took `learn` seconds to fit; see `run_trial`."""
    started = time.perf_counter()
    result = scores(place, imitator, demos, trial.levels, trial.test)
    learned = imitator.describe()
    used = {"learn_seconds": round(learn, 4), "play_seconds": round(time.perf_counter() - started, 4)}
    return {
        **result,
        "demonstrations": len(demos),
        "steps": len(demos.steps),
        "learned": learned,
        "work": {**used, **_counted(learned)},
    }


def _counted(learned: Mapping[str, Any]) -> dict[str, int]:
    """Return the work that a method's description counts."""
    training = learned.get("training", {})
    counts = {
        "programs": learned.get("programs"),
        "training_steps": training.get("steps"),
        "epochs": training.get("epochs"),
        "episodes": learned.get("episodes"),
    }
    return {name: number for name, number in counts.items() if number is not None}


def find_place(name: str) -> Playable:
    """Return the game or world of that name; unlike `shown.worlds.find`, never one that a module defines."""
    return find_world(name) if name.startswith(WORLDS) else find_game(name)


def _is_text(value: object) -> bool:
    """Return whether a value is text that UTF-8 can encode; a file name in other bytes is not."""
    try:
        return isinstance(value, str) and value.encode() is not None
    except UnicodeEncodeError:
        return False
