"""A trial: one method learns one game from some demonstrations and is scored on levels it has not seen.

A trial is a pure function of its settings and of the code: `run_trial(settings)` gives the same result wherever and
whenever it runs, so that a pool of processes, or another executor on many machines, can run any of them in any order.
Its key says both (see fingerprint.py), so that a result of other code is not taken for one of this.
"""

from __future__ import annotations

import hashlib
import json
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from importlib import import_module
from types import MappingProxyType
from typing import Any

from shown.demonstrations import Demonstrations
from shown.errors import BadInput, did_you_mean
from shown.experiments.fingerprint import UNKNOWN, fingerprint
from shown.experiments.scoring import Imitator, scores, world_scores
from shown.experiments.teaching import STYLE, check_kind, demonstrations, world_demonstrations
from shown.games import find
from shown.games.game import Game
from shown.world import WORLDS, World
from shown.worlds import find as find_world

TEST_LEVELS = "test:0-8"
"""The paper's nine test levels."""

GENERATED_LEVELS = "random:0-99"
"""Scored beside them, since nine are few. Nothing is ever demonstrated on these."""


@dataclass(frozen=True)
class Method:
    """A way to learn.

    Attributes:
        label: as figures and tables call it.
        factory: "module:function" of a function (game or world, seed, options) -> Imitator. Imported when it is needed.
        options: its settings and the values they have unless a trial says otherwise.
    """

    label: str
    factory: str
    options: Mapping[str, Any] = field(default_factory=dict)

    def build(self, game: Game | World, seed: int, options: Mapping[str, Any]) -> Imitator:
        module, _, name = self.factory.partition(":")
        make: Callable[[Game | World, int, Mapping[str, Any]], Imitator] = getattr(import_module(module), name)
        return make(game, seed, options)


_LPP = {"programs": 10_000, "ensemble": 25, "trees": 5, "noise": 0.0, "drop_literals": False}
_PREFIXES = {name: _LPP[name] for name in ("programs", "ensemble", "trees", "noise")}
_WORLD = {"language": "standard", "programs": 10_000, "rounds": 0}
_NETWORK = {"steps": 5000, "rate": 0.003, "batch": 512, "enough": 0.01, "patience": 1000}
_NETWORKS = "shown.baselines.networks:learner"
_PERCEPTRON = "shown.baselines.features_nn:learner"
_FEATURES = {"programs": 10_000, "epochs": 200, "rate": 0.001}

METHODS: Mapping[str, Method] = MappingProxyType(
    {
        "lpp": Method("LPP", "shown.baselines.lpp:learner", _LPP),  # as published: no literal is dropped
        "lpp-with": Method(
            "LPP with additions",
            "shown.baselines.added:learner",
            {"programs": 10_000, "mirrored": False, "clauses": False, "words": "paper"},
        ),
        "shown": Method("shown", "shown.baselines.taught:learner", {"programs": 10_000, "practise": True}),
        "random": Method("Random cell", "shown.baselines.floors:learner", {"cells": "any"}),
        "random-sensible": Method("Random sensible cell", "shown.baselines.floors:learner", {"cells": "sensible"}),
        "vpi": Method("VPI", "shown.baselines.vpi:learner", {"programs": 10_000, "ensemble": 25}),
        "vpi-best": Method("VPI, best alone", "shown.baselines.vpi:learner", {"programs": 10_000, "ensemble": 1}),
        "lln": Method("LLN", _NETWORKS, {"network": "lln", "loss": "cells", "choice": "classified", **_NETWORK}),
        "lln-highest": Method(
            "LLN, highest score", _NETWORKS, {"network": "lln", "loss": "cells", "choice": "highest", **_NETWORK}
        ),
        "fcn": Method("FCN", _NETWORKS, {"network": "fcn", "loss": "cells", "choice": "highest", **_NETWORK}),
        "cnn": Method("CNN", _NETWORKS, {"network": "cnn", "loss": "choice", "choice": "highest", **_NETWORK}),
        "dagger": Method(
            "DAgger (CNN)",
            "shown.baselines.dagger:learner",
            {"network": "cnn", "loss": "choice", "choice": "highest", **_NETWORK},
        ),
        "boosted": Method("Boosted trees", "shown.baselines.boosted:learner", {"rounds": 100}),
        "features-nn": Method("Features + NN", _PERCEPTRON, {**_FEATURES, "l1": 0.0}),
        "features-nn-l1": Method("Features + NN + L1", _PERCEPTRON, {**_FEATURES, "l1": 1e-4}),
        "no-prior": Method("No Prior", "shown.baselines.lpp:learner", {**_LPP, "prior": "uniform"}),
        "no-prior-any": Method(
            "No Prior, any that fit",
            "shown.baselines.every_prefix:learner",
            {**_PREFIXES, "prior": "uniform", "duplicates": False, "ties": "any"},
        ),
        "lpp-told": Method("LPP, told", "shown.baselines.told:learner", {"programs": 10_000}),
        "lpp-duplicates": Method(
            "LPP, duplicates kept", "shown.baselines.every_prefix:learner", {**_PREFIXES, "duplicates": True}
        ),
        "lpp-values": Method("LPP", "shown.baselines.few_values:learner", {"programs": 120_000, "values": ""}),
        "shown-world": Method("shown", "shown.baselines.taught_world:learner", _WORLD),
        "sparsity-prior": Method("Sparsity Prior", "shown.baselines.lpp:learner", {**_LPP, "prior": "sparsity"}),
    }
)
"""Every method the experiments know. Adding one is adding a line."""

NETWORKS = ("lln", "lln-highest", "fcn", "cnn")


@dataclass(frozen=True)
class Trial:
    """The settings of one trial, complete: whatever can change its result is in here.

    >>> trial = Trial("lpp", "nim", "train:0-4", options={"programs": 100})
    >>> trial == Trial.from_settings(trial.settings)
    True
    >>> len(trial.key), trial.settings["options"]["programs"], trial.settings["options"]["ensemble"]
    (64, 100, 25)

    Attributes:
        method: a name in `METHODS`.
        game: the game's name.
        levels: where the demonstrations were given, such as "train:0,train:4".
        demonstrations: how they were given: "perfect", with noise (see `teaching.DEMONSTRATIONS`), or in a style of
            people ("style:NAME").
        seed: of the method's own chances, and of the demonstrations'.
        options: settings of the method that differ from its standard ones. `settings` holds all of them.
        test: the levels to be scored on.
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
        standard = METHODS[self.method].options
        unknown = [name for name in self.options if name not in standard]
        if unknown:
            raise BadInput(f"{self.method} has no option {unknown[0]!r}. {did_you_mean(unknown[0], standard)}")
        for spec in (self.levels, *self.test):
            if not _is_text(spec):
                raise BadInput(f"{spec!r}: cannot be the name of levels; it is not text.")
        object.__setattr__(self, "options", MappingProxyType({**standard, **self.options}))

    @property
    def settings(self) -> dict[str, Any]:
        """Everything about the trial as JSON."""
        return {
            "method": self.method,
            "game": self.game,
            "levels": self.levels,
            "demonstrations": self.demonstrations,
            "seed": self.seed,
            "options": dict(self.options),
            "test": list(self.test),
        }

    @classmethod
    def from_settings(cls, settings: Mapping[str, Any]) -> Trial:
        values = dict(settings)
        values["test"] = tuple(values.get("test", ()))
        try:
            return cls(**values)
        except TypeError as error:
            raise BadInput(f"these are not the settings of a trial ({error}): {settings}") from None

    @property
    def code(self) -> dict[str, str]:
        """The fingerprint of the present code, as far as it can change this trial."""
        return code_for(self.settings)

    @property
    def key(self) -> str:
        """A digest of the settings and the code: two trials with the same key have the same result."""
        return trial_key(self.settings, self.code)

    @property
    def text(self) -> str:
        """A few words that tell this trial from others, for progress and lists."""
        return words_for(self.settings)


def words_for(settings: Mapping[str, Any]) -> str:
    """A few words for a trial's settings; its method need not be one of ours.

    >>> words_for(Trial("lpp", "nim", "train:0", options={"programs": 100}, seed=3).settings)
    'LPP nim from train:0, programs 100, seed 3'
    """
    method = METHODS.get(settings["method"])
    label, standard = (settings["method"], {}) if method is None else (method.label, method.options)
    words = [f"{label} {settings['game']} from {settings['levels']}"]
    kind = settings["demonstrations"]
    if kind.startswith(STYLE):
        words.append(f"in the style {kind.removeprefix(STYLE)}")
    elif kind != "perfect":
        words.append(f"with {kind} noise")
    words += [f"{name} {value}" for name, value in settings["options"].items() if value != standard.get(name)]
    return ", ".join(words) + (f", seed {settings['seed']}" if settings["seed"] else "")


def code_for(settings: Mapping[str, Any]) -> dict[str, str]:
    """The fingerprint of the present code for a trial with these settings; `UNKNOWN` where it is not here."""
    method = METHODS.get(settings["method"])
    module = None if method is None else method.factory.partition(":")[0]
    if module is None:
        return dict.fromkeys(("engine", "game", "levels"), UNKNOWN)
    by_people = settings["demonstrations"].startswith(STYLE)
    return fingerprint(module, settings["game"], [settings["levels"], *settings["test"]], by_people)


def trial_key(settings: Mapping[str, Any], code: Mapping[str, str] | None) -> str:
    """What identifies a result: a digest of its settings and of the code that made it, where that is known."""
    return settings_key(settings if code is None else {**settings, "code": dict(code)})


def settings_key(settings: Mapping[str, Any]) -> str:
    """A digest of JSON settings that does not depend on the order of their keys."""
    text = json.dumps(settings, sort_keys=True, separators=(",", ":"), ensure_ascii=False, allow_nan=False)
    return hashlib.sha256(text.encode()).hexdigest()


def run_trial(settings: Mapping[str, Any]) -> dict[str, Any]:
    """Runs one trial and returns what was measured, as JSON.

    The result has "success" (the fraction of levels won, for each set of test levels and for the demonstrated ones,
    "train"), "won" (level by level, "1" or "0"), "fit" (the fraction of demonstrated actions that the learned policy
    repeats), "seconds" (learning and playing), "demonstrations", "steps", and "learned" (what the method says of its
    policy). In worlds it also has "reward", start by start, and "expert", what the expert gets there.
    """
    trial = Trial.from_settings(settings)
    setting = _world if trial.game.startswith(WORLDS) else _game
    game, demos, score = setting(trial)
    imitator = METHODS[trial.method].build(game, trial.seed, trial.options)
    begun = time.perf_counter()
    imitator.fit(demos)
    learned = time.perf_counter()
    result = score(imitator)
    describe = getattr(imitator, "describe", dict)
    return {
        **result,
        "seconds": {"learn": round(learned - begun, 4), "play": round(time.perf_counter() - learned, 4)},
        "demonstrations": len(demos),
        "steps": len(demos.steps),
        "learned": describe(),
    }


Setting = tuple[Game | World, Demonstrations, Callable[[Any], dict[str, Any]]]
"""Where a trial takes place, what is shown there, and how a fitted imitator is scored."""


def _game(trial: Trial) -> Setting:
    game = find(trial.game)
    demos = demonstrations(game, trial.levels, trial.demonstrations, trial.seed)
    return game, demos, lambda imitator: scores(game, imitator, demos, trial.levels, trial.test)


def _world(trial: Trial) -> Setting:
    """A world has seeds where a game has levels."""
    world = find_world(trial.game)
    demos = world_demonstrations(world, trial.levels, trial.demonstrations)
    return world, demos, lambda imitator: world_scores(world, imitator, demos, trial.levels, trial.test)


def _is_text(value: object) -> bool:
    if not isinstance(value, str):
        return False
    try:
        value.encode()
    except UnicodeEncodeError:  # half of a pair: a file name in bytes that are no text
        return False
    return True
