"""The methods that trials compare. Adding one is adding an entry to `METHODS`."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from importlib import import_module
from types import MappingProxyType
from typing import Any

from shown.worlds import Playable
from shown_evidence.baselines import Imitator

BASELINES = "shown_evidence.baselines"

PRACTICE_ROUNDS = 18
"""Rounds of practice. No clock ends them, as by default, so that results do not depend on the machine."""


@dataclass(frozen=True)
class Method:
    """A way to learn.

    Attributes:
        label: name in figures and tables.
        factory: "module:function" in `shown_evidence.baselines`, imported on first use; the function maps
            (game or world, seed, options) to an `Imitator`.
        options: every option with its default value.
        given: what it learns from.
    """

    label: str
    factory: str
    options: Mapping[str, Any] = field(default_factory=dict)
    given: str = "the demonstrations"

    @property
    def module(self) -> str:
        return f"{BASELINES}.{self.factory.partition(':')[0]}"

    def build(self, game: Playable, seed: int, options: Mapping[str, Any]) -> Imitator:
        function = self.factory.partition(":")[2]
        make: Callable[[Playable, int, Mapping[str, Any]], Imitator] = getattr(import_module(self.module), function)
        return make(game, seed, options)


_LPP = {"programs": 10_000, "ensemble": 25, "trees": 5, "noise": 0.0, "drop_literals": False}
_PREFIXES = {name: _LPP[name] for name in ("programs", "ensemble", "trees", "noise")}
_ANY_PRIOR = {**_PREFIXES, "prior": "uniform", "duplicates": False, "ties": "any"}
_DETAILS = {**_PREFIXES, "duplicates": True, "merged": False, "one_order": False, "every": 10, "divided": False}
_SHOWN = {"programs": 10_000}
_TRAINING = {"steps": 5000, "rate": 0.003, "batch": 512, "enough": 0.01, "patience": 1000}
_FEATURES = {"programs": 10_000, "epochs": 200, "rate": 0.001}
_RULES = "the demonstrations, the game's rules (to interpret clicks) and its declared symmetries"
_ADDITIONS = {"programs": 10_000, "mirrored": False, "clauses": False, "words": "paper"}


def _network(label: str, network: str, loss: str, choice: str = "highest", **training: float) -> Method:
    options = {"network": network, "loss": loss, "choice": choice, **_TRAINING, **training}
    return Method(label, "network_policy:learner", options)


def _mirrored(network: Method) -> Method:
    given = "the demonstrations and the game's declared symmetries"
    return replace(network, factory="network_policy:mirrored", given=given)


METHODS: Mapping[str, Method] = MappingProxyType(
    {
        "lpp": Method("LPP", "lpp:learner", _LPP),  # as published: no literal is dropped
        "lpp-with": Method(
            "LPP with additions", "lpp:with_additions", _ADDITIONS, "the demonstrations and, mirrored, the symmetries"
        ),
        "shown": Method("shown", "shown_default:learner", _SHOWN, _RULES),
        "shown-practice": Method(
            "shown + practice",
            "shown_default:learner",
            {**_SHOWN, "rounds": PRACTICE_ROUNDS},
            f"{_RULES}, a generator of levels and who won on them",
        ),
        "random": Method("Random cell", "random_player:learner", {"cells": "any"}, "nothing"),
        "random-sensible": Method(
            "Random sensible cell", "random_player:learner", {"cells": "sensible"}, "the game's rules"
        ),
        "search": Method(
            "Search without demonstrations",
            "linear_search:learner",
            {"episodes": 12_000},  # practice plays at most as many
            "a generator of levels and who won on them",
        ),
        "vpi": Method("VPI", "vpi:learner", {"programs": 10_000, "ensemble": 25}),
        "vpi-best": Method("VPI, best alone", "vpi:learner", {"programs": 10_000, "ensemble": 1}),
        "lln": _network("LLN", "lln", "cells", "classified"),
        "lln-highest": _network("LLN, highest score", "lln", "cells"),
        "fcn": _network("FCN", "fcn", "cells"),
        "cnn": _network("CNN", "cnn", "choice"),
        # The settings of the next two were chosen by `network-settings`.
        "fcn-tuned": _mirrored(
            _network("FCN, tuned", "fcn", "choice", rate=0.001, enough=0.001, patience=3000, steps=10_000)
        ),
        "cnn-tuned": _mirrored(_network("CNN, tuned", "cnn", "cells", rate=0.01)),
        "fcn-mirrored": _mirrored(_network("FCN, mirrored data", "fcn", "cells")),
        "cnn-mirrored": _mirrored(_network("CNN, mirrored data", "cnn", "choice")),
        "boosted": Method("Boosted trees", "cell_trees:learner", {"rounds": 100}),
        "tree": Method("Decision tree", "cell_trees:learner", {"rounds": 0}),
        "boosted-programs": Method("Boosted on programs", "cell_trees:learner", {"rounds": 100, "programs": 10_000}),
        "tree-programs": Method("Tree on programs", "cell_trees:learner", {"rounds": 0, "programs": 10_000}),
        "boosted-buttons": Method("Boosted trees", "button_trees:learner", {"rounds": 100}),
        "tree-buttons": Method("Decision tree", "button_trees:learner", {"rounds": 0}),
        "features-nn": Method("Features + NN", "features_nn:learner", {**_FEATURES, "l1": 0.0}),
        "features-nn-l1": Method("Features + NN + L1", "features_nn:learner", {**_FEATURES, "l1": 1e-4}),
        "no-prior": Method("No Prior", "lpp:learner", {**_LPP, "prior": "uniform"}),
        "no-prior-any": Method("No Prior, any that fit", "every_prefix:learner", _ANY_PRIOR),
        "lpp-told": Method("LPP, narrated", "lpp:narrated", {"programs": 10_000}),
        "lpp-duplicates": Method("LPP, duplicates kept", "every_prefix:learner", {**_PREFIXES, "duplicates": True}),
        "lpp-details": Method("LPP, details as in the published code", "every_prefix:learner", _DETAILS),
        "lpp-values": Method("LPP", "lpp:with_few_values", {"programs": 120_000, "values": ""}),
        "shown-world": Method(
            "shown",
            "shown_default:learner",
            {"language": "standard", "programs": 10_000, "rounds": 0},
            "the demonstrations, declared symmetries and, practiced, other seeds and who won on them",
        ),
        "shown-timed": Method("shown", "shown_default:timed_learner", {"programs": 10_000}),
        "sparsity-prior": Method("Sparsity Prior", "lpp:learner", {**_LPP, "prior": "sparsity"}),
    }
)

MIRRORED = ("fcn-mirrored", "cnn-mirrored", "fcn-tuned", "cnn-tuned")
NETWORKS = ("lln", "lln-highest", "fcn", "cnn", *MIRRORED)

STARTED_ANEW = (*NETWORKS, "features-nn", "features-nn-l1", "search")
"""Methods that start from random weights."""
