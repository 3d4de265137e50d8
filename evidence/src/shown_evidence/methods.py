"""Versions of all that a stored result rests on: method, game, level sets, demonstrator and judge.

A result stores the versions that it was made with. It is stale exactly when one of them is older than the one declared
here; the source code may change freely. Raise a version, and say what changed, when the same settings would measure
something else. `tests/data/recorded_learns.json` tells when that is so: a recorded learn that differs names the
version to raise.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from importlib.metadata import PackageNotFoundError, version
from typing import Any

from shown.errors import BadInput

Versions = Mapping[str, int | str]
"""Versions by kind and name, such as `{"method lpp": 1, "package minigrid": "3.2.0"}`."""

Declared = Mapping[str, tuple[int, str]]
"""Versions by name, each with what changed last."""

METHODS: Declared = {
    "lpp": (1, "as published, up to the details that lpp-details measures"),
    "lpp-with": (1, "mirrored data, clause search and vocabulary, each on or off"),
    "lpp-told": (1, "lpp that keeps a game, its moves and its rule in English"),
    "lpp-duplicates": (1, "formulas count as often as they are found"),
    "lpp-details": (1, "five details as in the published code, one by one"),
    "lpp-values": (1, "lpp on a few values of Breakout's frames"),
    "no-prior": (1, "the first 25 formulas that fit"),
    "no-prior-any": (1, "any 25 formulas that fit"),
    "sparsity-prior": (1, "a literal costs log 2"),
    "shown": (1, "no practice"),
    "shown-practice": (1, "18 rounds of practice without a clock"),
    "shown-world": (1, "30 rounds of practice without a clock, or none"),
    "shown-timed": (1, "practice ends by the clock, after 4.5 s"),
    "vpi": (1, "a mixture of 25 policies"),
    "vpi-best": (1, "the best policy alone"),
    "random": (1, "draws anew at every step"),
    "random-sensible": (1, "draws anew at every step, among clicks that change something"),
    "search": (1, "a linear filter of 5 x 5 cells, 12,000 games"),
    "lln": (1, "every trial has a start of its own"),
    "lln-highest": (1, "clicks the highest score instead of a classified cell"),
    "fcn": (1, "every trial has a start of its own"),
    "cnn": (1, "every trial has a start of its own"),
    "fcn-tuned": (1, "settings chosen by network-settings"),
    "cnn-tuned": (1, "settings chosen by network-settings"),
    "fcn-mirrored": (1, "mirrored data"),
    "cnn-mirrored": (1, "mirrored data"),
    "features-nn": (1, "equal rows are one row with a weight"),
    "features-nn-l1": (1, "equal rows are one row with a weight"),
    "boosted": (1, "100 rounds on windows of 7 x 7 cells"),
    "tree": (1, "one tree on windows of 7 x 7 cells"),
    "boosted-programs": (1, "100 rounds on the first programs"),
    "tree-programs": (1, "one tree on the first programs"),
    "boosted-buttons": (1, "100 rounds around the agent"),
    "tree-buttons": (1, "one tree around the agent"),
}

GAMES: Declared = {
    "nim": (1, "two piles of matchsticks"),
    "checkmate": (1, "mate in one move by the queen"),
    "chase": (1, "the rabbit's chances come from the level's seed"),
    "stop-the-fall": (1, "11 training levels that teach"),
    "reach-for-the-star": (1, "11 training levels that teach"),
    "fence-in": (1, "11 training levels that teach"),
    "minigrid": (1, "16 worlds of Minigrid and BabyAI with their views and experts"),
    "minatar": (1, "four games with their views and experts"),
    "breakout": (1, "frames and blocks"),
}

PACKAGES: Mapping[str, str] = {"minigrid": "3.2.0", "minatar": "1.0.15", "breakout": "0.12.1"}
"""Version of the package that each game from elsewhere comes from."""

DISTRIBUTIONS: Mapping[str, str] = {"minigrid": "minigrid", "minatar": "MinAtar", "breakout": "ale-py"}

LEVELS: Declared = {
    "train": (1, "the 11 levels that are demonstrated"),
    "test": (1, "the nine levels that are played"),
    "random": (1, "levels by a game's generator"),
    "unseen": (1, "generated levels, without those that are practiced on or demonstrated"),
    "released": (1, "the authors' levels, named by a digest"),
    "seeds": (1, "starts of a world"),
}

DEMONSTRATORS: Declared = {
    "perfect": (1, "the game's expert"),
    "independent": (1, "the expert, and any cell one time in five"),
    "correlated": (1, "the expert, and a cell that is not empty one time in five"),
    "first-click": (1, "the expert's first click of each game"),
    "random-click": (1, "one sensible random click instead of a game"),
    "style": (1, "54 scripted styles and the expert"),
}

JUDGES: Declared = {
    "wins": (1, "levels won within the limit of steps"),
    "returns": (1, "rewards of a world's episodes"),
}

_KINDS = {"method": METHODS, "game": GAMES, "levels": LEVELS, "demonstrator": DEMONSTRATORS, "judge": JUDGES}

_FAMILIES = {r"gym:(MiniGrid|BabyAI)-": "minigrid", r"gym:shown_evidence\.minatar": "minatar", r"atari:": "breakout"}
"""Patterns of the names of worlds, and the game that declares their version."""


def family(game: str) -> str:
    """Return the name under which the version of a game or world is declared.

    >>> family("nim"), family("gym:BabyAI-GoToObj-v0"), family("atari:Breakout#blocks,game")
    ('nim', 'minigrid', 'breakout')
    """
    return next((name for pattern, name in _FAMILIES.items() if re.match(pattern, game)), game)


def versions_of(settings: Mapping[str, Any]) -> dict[str, int | str]:
    """Return the declared versions that a trial with these settings rests on; none for what is not declared.

    >>> from shown_evidence.trials.trial import Trial
    >>> versions = versions_of(Trial("lpp", "nim", "train:0").settings)
    >>> sorted(versions)
    ['demonstrator perfect', 'game nim', 'judge wins', 'levels random', 'levels test', 'levels train', 'method lpp']
    """
    game = family(settings["game"])
    used = [("method", settings["method"]), ("game", game)]
    used += [("levels", kind) for kind in sorted(_level_kinds([settings["levels"], *settings["test"]]))]
    used += [("demonstrator", settings["demonstrations"].partition(":")[0])]
    used += [("judge", "returns" if game in PACKAGES else "wins")]
    found: dict[str, int | str] = {
        f"{kind} {name}": _KINDS[kind][name][0] for kind, name in used if name in _KINDS[kind]
    }
    if game in PACKAGES:
        found[f"package {game}"] = PACKAGES[game]
    return found


def _level_kinds(specs: list[str]) -> set[str]:
    """Return the kinds of levels that specifications name; a world's may begin with another world's name."""
    parts = [part.rpartition(" ")[2] for spec in specs for part in _parts(spec)]
    return {"unseen" if part.endswith("/unseen") else part.partition(":")[0] for part in parts}


def _parts(spec: str) -> list[str]:
    return [spec] if spec.startswith("released:") or "seeds:" in spec else spec.split(",")


def older(versions: Versions, declared: Versions) -> list[str]:
    """Return the names of the versions that are older than declared, or missing.

    >>> older({"method lpp": 2, "package minigrid": "3.9.0"}, {"method lpp": 3, "package minigrid": "3.10.0"})
    ['method lpp', 'package minigrid']
    """
    return [name for name, wanted in declared.items() if _order(versions.get(name, 0)) < _order(wanted)]


def newer(versions: Versions, declared: Versions) -> list[str]:
    """Return the names of the versions that are newer than declared."""
    return [name for name, wanted in declared.items() if _order(versions.get(name, 0)) > _order(wanted)]


def _order(value: int | str) -> tuple[int, ...]:
    return tuple(map(int, re.findall(r"\d+", str(value))))


def check_packages(games: set[str]) -> None:
    """Raise BadInput if the package of a game is not installed in the version that results are declared for."""
    for game in sorted({family(game) for game in games} & set(PACKAGES)):
        name, wanted = DISTRIBUTIONS[game], PACKAGES[game]
        try:
            installed = version(name)
        except PackageNotFoundError:
            raise BadInput(f"{game}: the package {name} is missing. Install it: pip install {name}=={wanted}") from None
        if installed != wanted:
            raise BadInput(
                f"{game}: {name} {installed} is installed, and results are declared for {wanted}. "
                f"Run pip install {name}=={wanted}, or raise the version in {__name__.replace('.', '/')}.py."
            )
