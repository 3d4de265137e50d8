"""Minari datasets as demonstrations, and demonstrations as Minari datasets.

A dataset names its environment. Only the id is used, never code from the dataset: an environment registered here
provides the view and the names of actions. Otherwise the spaces of the dataset do.
"""

from __future__ import annotations

import importlib.util
import json
import re
import warnings
from collections.abc import Iterable, Mapping
from types import SimpleNamespace
from typing import Any

import numpy as np

from shown.demonstrations import Demonstration, Demonstrations, Step, game_from_json, names_from_json, tokens_from_json
from shown.errors import BadInput, MissingExtra, ShownError, at
from shown.files import parse_json
from shown.grid import Grid
from shown.registry import reason
from shown.worlds import minigrid
from shown.worlds.default_views import is_of_pixels, one_line, view_of
from shown.worlds.gym import buttons_of, has_won, make
from shown.worlds.views import GridView

_ID = re.compile(r"([\w-]+/)*[\w-]+-v\d+")

KEY = "shown"
"""Key of the metadata that Minari has no field for: tokens, buttons, names of levels."""


def read(dataset: Any, view: str | GridView | None = None, episodes: Iterable[int] | None = None) -> Demonstrations:
    """Return the demonstrations of a local Minari dataset; `minari download ID` fetches one.

    Args:
        dataset: the dataset, or its id.
        view: the view of its observations, as for `worlds.wrap`; datasets made by `write` need none.
        episodes: the numbers of the episodes to read; by default all.
    """
    found = _loaded(dataset) if isinstance(dataset, str) else dataset
    where = f"minari:{found.id}"
    numbers = [int(i) for i in found.episode_indices] if episodes is None else [int(i) for i in episodes]
    try:
        about = found.storage.metadata.get(KEY)
        if about is not None and view is None:
            return _ours(found, numbers, parse_json(about, where), where)
        return _theirs(found, numbers, view)
    except BadInput as error:
        text = str(error)
        raise BadInput(text if text.startswith(where) else f"{where}: {text}") from None
    except Exception as error:  # of damaged arrays or metadata
        raise BadInput(f"{where}: is damaged ({one_line(reason(error))}).") from error


def write(demonstrations: Demonstrations, name: str) -> Any:
    """Write a Minari dataset with the id `name`, such as "mine/belt-v0"; `read` is the inverse.

    Grids become arrays of token numbers, a cell [row, column], a button its number. Minari also stores the observation
    after the last action; demonstrations do not have it, so the last grid is repeated. The reward is 1 for winning.
    """
    minari = _minari(name)
    from gymnasium import spaces

    steps = demonstrations.steps
    if not steps:
        raise BadInput(f"minari:{name}: no demonstrations to write.")
    shapes = {step.grid.shape for step in steps}
    if len(shapes) > 1:
        one, other = sorted(shapes)[:2]
        raise BadInput(
            f"minari:{name}: a Minari dataset has observations of one shape, but these grids have several "
            f"({one[0]} × {one[1]}, {other[0]} × {other[1]}). Use .csv or .jsonl."
        )
    tokens, buttons, shape = demonstrations.tokens, demonstrations.buttons, steps[0].grid.shape
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # of the missing author
            dataset = minari.create_dataset_from_buffers(
                name,
                [_buffer(i, item, demonstrations) for i, item in enumerate(demonstrations)],
                observation_space=spaces.Box(0, len(tokens) - 1, shape, steps[0].grid.to_array(tokens).dtype),
                action_space=spaces.Discrete(len(buttons)) if buttons else spaces.MultiDiscrete(list(shape)),
                data_format="hdf5" if importlib.util.find_spec("h5py") else "arrow",
                description=f"Demonstrations of {demonstrations.game or 'an unnamed world'}, as grids.",
            )
        about = {"tokens": tokens.characters, "buttons": list(buttons), "game": demonstrations.game}
        dataset.storage.update_metadata({KEY: json.dumps(about)})
        said = [{KEY: json.dumps(_said(item))} for item in demonstrations]
        dataset.storage.update_episode_metadata(said, range(len(said)))
    except Exception as error:  # such as of an id that exists
        raise BadInput(f"minari:{name}: cannot be written ({one_line(error)}).") from None
    return dataset


# --- datasets made by `write` -----------------------------------------------------------------------------------------


def _buffer(number: int, item: Demonstration, all_of_them: Demonstrations) -> Any:
    from minari.data_collector import EpisodeBuffer

    grids = [step.grid.to_array(all_of_them.tokens) for step in item.steps]
    actions = [
        all_of_them.buttons.index(str(step.action)) if all_of_them.buttons else np.array(step.action)
        for step in item.steps
    ]
    last = [*[False] * (len(grids) - 1), True]
    return EpisodeBuffer(
        id=number,
        seed=item.seed,
        observations=[*grids, grids[-1]],
        actions=actions,
        rewards=[float(end and item.outcome == "won") for end in last],
        terminations=[end and item.outcome != "unfinished" for end in last],
        truncations=[end and item.outcome == "unfinished" for end in last],
    )


def _said(item: Demonstration) -> dict[str, Any]:
    """Return what Minari has no field for, of one demonstration."""
    return {"level": item.level, "seed": item.seed, "outcome": item.outcome, "marks": [s.marks for s in item.steps]}


def _ours(dataset: Any, numbers: list[int], about: Any, where: str) -> Demonstrations:
    """Read the dataset like a file of demonstrations, so that one reader checks everything."""
    about = about if isinstance(about, dict) else {}
    tokens = tokens_from_json(about.get("tokens"), where)
    buttons = names_from_json(about.get("buttons", []), f'{where}: "buttons"')
    value = {
        **Demonstrations(tokens, (), game_from_json(about.get("game"), where), buttons).to_json(),
        "schema": "shown/demonstrations/2",
        "demonstrations": [
            _as_json(dataset[i], said, tokens, buttons, f"{where}, episode {i}")
            for i, said in zip(numbers, dataset.storage.get_episode_metadata(numbers), strict=True)
        ],
    }
    return Demonstrations.from_json(value, where)


def _as_json(episode: Any, said: Mapping[str, Any], tokens: Any, buttons: tuple[str, ...], where: str) -> Any:
    told = parse_json(str(said.get(KEY, "{}")), where)
    told = told if isinstance(told, dict) else {}
    actions = [buttons[int(a)] if buttons else np.asarray(a).tolist() for a in episode.actions]
    marks = told.pop("marks", None) or [{}] * len(actions)
    grids = [list(Grid.from_array(array, tokens).rows) for array in episode.observations[:-1]]
    return told | {
        "steps": [{"grid": g, "action": a, **mark} for g, a, mark in zip(grids, actions, marks, strict=True)]
    }


# --- datasets of others -----------------------------------------------------------------------------------------------


def _theirs(dataset: Any, numbers: list[int], view: str | GridView | None) -> Demonstrations:
    env = _environment(dataset)
    if minigrid.is_minigrid(env):
        view = "partial" if view is None else view
        if isinstance(view, str) and view != "partial":
            raise BadInput(f"a dataset has the agent's observations only, not the view {view!r}. Omit it.")
    if env.spec is None and is_of_pixels(view):
        raise BadInput(f"{view} collects colors by playing, but the environment is not installed. Name another view.")
    found = view_of(env, view)
    look = _agents_view if isinstance(found, minigrid.MinigridView) else found
    buttons, first = buttons_of(env), int(env.action_space.start)
    name = f"gym:{env.spec.id}" if env.spec is not None else None
    if name is not None and isinstance(view, str):
        name = f"{name}#{view}"
    items = []
    for i in numbers:
        episode = dataset[i]
        steps = []
        for s, action in enumerate(episode.actions):
            with at(f"episode {i}, step {s}: "):
                steps.append(Step(look(env, _at(episode.observations, s)), buttons[int(action) - first]))
        items.append(Demonstration(tuple(steps), f"episode:{i}", _seed(dataset, i), _outcome(episode)))
    return Demonstrations(found.tokens, tuple(items), name, buttons)


def _agents_view(_: Any, observation: Any) -> Grid:
    if not isinstance(observation, Mapping) or "image" not in observation:
        raise BadInput('a Minigrid observation must have an "image".')
    return minigrid.partial(observation["image"])


def _environment(dataset: Any) -> Any:
    """Return the environment that the dataset names, if it is registered here, or else its spaces alone."""
    from gymnasium import spaces

    if not isinstance(dataset.action_space, spaces.Discrete):
        raise BadInput(f"its actions ({one_line(dataset.action_space)}) must be discrete.")
    if dataset.env_spec is not None and ":" not in dataset.env_spec.id:
        try:
            env = make(dataset.env_spec.id)
            if env.action_space == dataset.action_space:
                return env
        except ShownError:
            pass
    known = {"observation_space": dataset.observation_space, "action_space": dataset.action_space}
    bare = SimpleNamespace(**known, spec=None, render_mode=None)
    bare.unwrapped = bare
    return bare


def _at(observations: Any, s: int) -> Any:
    """Return the observation at step `s`."""
    if isinstance(observations, Mapping):
        return {key: _at(value, s) for key, value in observations.items()}
    if isinstance(observations, tuple):
        return tuple(_at(value, s) for value in observations)
    return observations[s]


def _seed(dataset: Any, i: int) -> int | None:
    seed = next(iter(dataset.storage.get_episode_metadata([i]))).get("seed")
    return None if seed is None or not 0 <= int(seed) < 2**63 else int(seed)


def _outcome(episode: Any) -> str:
    terminated, truncated = bool(episode.terminations[-1]), bool(episode.truncations[-1])
    infos = episode.infos if isinstance(episode.infos, Mapping) else {}
    last = {key: value[-1] for key, value in infos.items() if hasattr(value, "__getitem__") and len(value)}
    highest = max(map(float, episode.rewards[:-1]), default=0.0)
    if has_won(float(episode.rewards[-1]), terminated, last, highest=highest):
        return "won"
    return "lost" if terminated or truncated else "unfinished"


def _loaded(name: str) -> Any:
    minari = _minari(name)
    try:
        return minari.load_dataset(name)
    except FileNotFoundError:
        raise BadInput(f"minari:{name}: not found on this machine. Fetch it: minari download {name}") from None
    except Exception as error:  # such as of damaged files
        raise BadInput(f"minari:{name}: cannot be read ({one_line(error)}).") from None


def _minari(name: str) -> Any:
    """Return the module minari, to read or write the dataset `name`; ids are parts of paths, so they are checked."""
    if not _ID.fullmatch(name):
        raise BadInput(f"minari:{name}: is not the id of a dataset. Write it like minari:mine/belt-v0.")
    try:
        import minari
    except ImportError:
        raise MissingExtra("Minari", "minari") from None
    return minari
