"""Inputs shared by the commands: games and worlds, policies, vocabularies, grids."""

from __future__ import annotations

import argparse
import importlib
import os
import sys
from collections.abc import Callable
from importlib.metadata import entry_points
from typing import Any, Protocol, cast

from shown.cli.output import say
from shown.demonstrations import Demonstrations
from shown.errors import BadInput, at
from shown.files import MAX_BYTES, read_json, read_text
from shown.grid import Grid, Tokens
from shown.language.languages import find as find_by_name
from shown.language.primitives import Language
from shown.policy import Policy
from shown.registry import is_place, reason
from shown.worlds import GAMES, Game, Playable, Start, all_games, demonstrate, find, is_world
from shown.worlds.games.levels import blocks
from shown.worlds.world import parse_seeds


def is_playable(text: str) -> bool:
    """Whether an argument names a game or a world rather than a file."""
    if text in GAMES or is_world(text):
        return True
    if text.endswith(".json") or os.sep in text:
        return False
    return not os.path.exists(text) or text in all_games()


def playable_named(name: str, expert: str | None = None) -> Playable:
    """Return the game or world called `name`; `expert` (module:function) demonstrates in a world."""
    if _imports_a_module(name):
        _search_current_folder()
    return find(name, None if expert is None else _load_function(expert))


def trusted(name: str, where: str) -> str:
    """Return a name that stands in a file, if a file may name it: no module is imported."""
    if _imports_a_module(name):
        raise BadInput(f"{where}: is for {name}, which imports a module. To allow that: --world {name}")
    return name


def _imports_a_module(name: str) -> bool:
    """Whether a name is `module:Class`, or that of a world with a module: `gym:module:ID`, `gym:ID#module:VIEW`."""
    return ":" in name.partition(":")[2] if is_world(name) else is_place(name)


def playable_of(policy: Policy, where: str, world: str | None = None) -> Playable:
    """Return `world`, or the game or world that a policy was learned in."""
    if world is None and policy.game is None:
        raise BadInput(f"{where}: the policy names no game or world to play. `shown act` prints its actions on grids.")
    place = playable_named(world or trusted(str(policy.game), where))
    if (policy.tokens, policy.buttons) != (place.tokens, place.buttons):
        raise BadInput(f"{where}: the policy and {place.name} have different tokens or buttons.")
    return place


def levels_or_seeds(place: Playable, args: argparse.Namespace) -> str | list[int]:
    """Return what --levels or --seeds ask for, for `Playable.starts`."""
    if place.has_levels:
        if args.seeds is not None:
            raise BadInput(f"--seeds: {place.name} has levels. Give --levels, such as --levels random:0-9.")
        return str(args.levels)
    if args.levels not in (None, args.default_levels):
        raise BadInput(f"--levels: {place.name} has no levels. Give --seeds, such as --seeds 0-9.")
    return args.seeds or parse_seeds(args.default_seeds)


def expert_demonstrations(place: Playable, args: argparse.Namespace) -> Demonstrations:
    """Return the expert's demonstrations of what --levels or --seeds ask for; lost ones only with keep-lost.

    Where none is won, all are returned: in some worlds nothing counts as won.
    """
    shown = demonstrate(place, levels_or_seeds(place, args), args.seed)
    won = shown.won
    if len(won) < len(shown) and not args.keep_lost:
        some = f"the expert won {len(won)} of {len(shown)} episodes; the others are left out (keep-lost keeps them)"
        say(f"shown: {some if len(won) else 'no episode of the expert counts as won; all are kept'}.")
    return shown if args.keep_lost or not len(won) else won


def starts(place: Playable, args: argparse.Namespace) -> list[Start]:
    """Return the episodes that --levels or --seeds ask for."""
    return place.starts(levels_or_seeds(place, args), args.seed)


def find_language(name: str) -> Language:
    """Return a vocabulary by its name or its place, module:OBJECT."""
    if is_place(name):
        _search_current_folder()
    return find_by_name(name)


def load_policy(path: str, language: str | None) -> Policy:
    """Load a policy in the vocabulary given on the command line, else the one that the file names."""
    return Policy.load(path, None if language is None else find_language(language))


def read_grids(path: str, tokens: Tokens) -> list[Grid]:
    """Read grids from a text file or standard input (`-`): one row per line, blank lines between grids.

    Those of a levels or demonstrations file (`.json`) are read as well.
    """
    where = "standard input" if path == "-" else path
    try:
        if path.endswith(".json"):
            texts = _texts_of_json(read_json(path, "grids"), path)
        else:
            texts = blocks(sys.stdin.read(MAX_BYTES) if path == "-" else read_text(path, "grid"))
    except UnicodeDecodeError:
        raise BadInput(f"{where}: not text in UTF-8, so not a grid.") from None
    grids = []
    for i, block in enumerate(texts):
        with at(f"{where}, grid {i}, "):
            grid = Grid.from_text(block)
            tokens.check(grid)
        grids.append(grid)
    if not grids:
        raise BadInput(f"{where}: contains no grid. Write one row per line.")
    return grids


def _texts_of_json(value: Any, where: str) -> list[str]:
    """Return the grids of a levels or demonstrations file as text."""
    if isinstance(value, dict) and isinstance(value.get("levels"), list):
        if not all(isinstance(text, str) for text in value["levels"]):
            raise BadInput(f'{where}: "levels" must be a list of texts.')
        return list(value["levels"])
    return [step.grid.text for step in Demonstrations.from_json(value, where).steps]


class StyleProvider(Protocol):
    """Scripted styles of play, which a package declares as a module in the entry point group `shown.styles`."""

    def describe(self, game: str) -> dict[str, str]: ...
    def demonstrate(self, game: Game, style: str, levels: str, seed: int) -> Demonstrations: ...


def style_provider(game: str) -> StyleProvider | None:
    """Return the installed provider that has styles of a game, or None."""
    loaded = (point.load() for point in entry_points(group="shown.styles"))
    return next((provider for provider in loaded if provider.describe(game)), None)


def _load_function(name: str) -> Callable[[Any], Any]:
    if not is_place(name):
        raise BadInput(f"--expert {name}: must be module:function.")
    _search_current_folder()
    module, _, function = name.partition(":")
    try:
        found = getattr(importlib.import_module(module), function)
    except Exception as error:  # the import runs the user's code, which may raise anything
        raise BadInput(f"--expert {name}: cannot be loaded ({reason(error)}).") from None
    if not callable(found):
        raise BadInput(f"--expert {name}: is not a function.")
    return cast(Callable[[Any], Any], found)


def _search_current_folder() -> None:
    """Let modules be imported from the current folder, after all others so that it hides none."""
    if os.getcwd() not in sys.path:
        sys.path.append(os.getcwd())
