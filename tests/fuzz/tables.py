"""Demonstrations as others keep them: rows of any table, files of tables, datasets of Minari, and `shown convert`.

What can be read is written and read again, and is the same; what cannot is told in one line.
"""

from __future__ import annotations

import contextlib
import csv
import io
import json
import random
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
from gymnasium import spaces

from fuzz import mutate, sound
from fuzz.cases import expected
from shown.cli import main
from shown.demonstrations import Demonstrations
from shown.grid import Tokens
from shown.worlds import minari, tables

COLUMNS = {"grid": "board", "action": "click", "episode": "run", "seed": "of", "level": "grid"}
"""What columns may be called otherwise; one by the name of another."""


def make(rng: random.Random) -> Any:
    demos = sound.demonstrations(rng)
    about = {"tokens": demos.tokens.characters, "buttons": list(demos.buttons)}
    rows = tables.to_rows(demos)
    kind = rng.choice(("rows", "file", "file", "ours", "theirs"))
    if kind == "rows":
        named = {old: new for old, new in COLUMNS.items() if rng.random() < 0.2}
        rows = [{named.get(name, name): value for name, value in row.items()} for row in rows]
        arrays = rng.random() < 0.3
        return {"kind": kind, **about, "rows": mutate.damaged(rng, rows), "columns": named, "arrays": arrays}
    if kind == "file":
        form = rng.choice(tables.FORMATS)
        text = _csv(rng, rows) if form == ".csv" else "".join(f"{json.dumps(row)}\n" for row in rows)
        return {"kind": kind, **about, "form": form, "hex": _spoilt(rng, text).hex(), "named": rng.random() < 0.5}
    if kind == "ours":
        return {"kind": kind, "dataset": mutate.damaged(rng, _dataset(demos)), "buttons": bool(demos.buttons)}
    episode = {
        "observations": rng.choice(([[[0, 1]], [[1, 0]]], [[0, 1], [1, 0]], [0, 1], [[[0, 1], [1]]], [], [[["a"]]])),
        "actions": rng.choice(([0], [1], [7], [-1], [0, 1], [], ["left"], [0.5])),
        "rewards": rng.choice(([1.0], [], [None])),
        "terminations": rng.choice(([True], [False], [])),
        "truncations": rng.choice(([True], [False], [])),
        "infos": rng.choice(({}, {"success": [True]}, {"success": []}, None)),
        "seed": rng.choice((None, 3, -1, 2**70, "3", 1.5)),
    }
    see = rng.choice((None, None, "map", "blocks-8", "partial"))
    return {"kind": kind, "episodes": [mutate.damaged(rng, episode, rng.choice((0, 1)))], "see": see}


def _csv(rng: random.Random, rows: list[dict[str, Any]]) -> str:
    out = io.StringIO()
    writer = csv.DictWriter(
        out, list(rows[0]), delimiter=rng.choice(",,;\t"), lineterminator=rng.choice(("\n", "\r\n"))
    )
    writer.writeheader()
    writer.writerows(rows)
    return out.getvalue()


def _spoilt(rng: random.Random, text: str) -> bytes:
    """The content of a file, as it is or with something wrong."""
    kind = rng.randrange(4)
    if kind == 0:
        return (rng.choice(("", "\ufeff")) + text).encode()
    if kind == 1:
        return mutate.spoilt(rng, text.encode())
    for _ in range(rng.choice((1, 1, 3))):
        text = mutate.text(rng, text)
    return text.encode("utf-8", "surrogatepass")


def _dataset(demos: Demonstrations) -> dict[str, Any]:
    """What `minari.write` leaves in a dataset, as JSON."""
    return {
        "about": {"tokens": demos.tokens.characters, "buttons": list(demos.buttons), "game": demos.game},
        "episodes": [
            {
                "said": minari._said(item),
                "actions": [
                    demos.buttons.index(str(step.action)) if demos.buttons else list(step.action) for step in item.steps
                ],
                "observations": [step.grid.to_array(demos.tokens).tolist() for step in (*item.steps, item.steps[-1])],
            }
            for item in demos
        ],
    }


def run(data: Any, folder: Path) -> None:
    with expected():
        _TRY[data["kind"]](data, folder)


def _try_rows(data: Any, folder: Path) -> None:
    tokens, rows = Tokens(**data["tokens"]), data["rows"]
    if data["arrays"] and isinstance(rows, list):
        rows = [_with_arrays(row) for row in rows]
    demos = tables.from_rows(rows, tokens, data["buttons"], columns=data["columns"])
    _same_again(demos, folder)


def _with_arrays(row: Any) -> Any:
    """As libraries for tables give them: numbers of NumPy, and lists as arrays where they are."""
    if not isinstance(row, dict):
        return row

    def plain(value: Any) -> Any:
        if isinstance(value, bool | int | float) and abs(value) < 2**62:
            return np.array([value])[0]
        with contextlib.suppress(ValueError, OverflowError):
            return np.array(value) if isinstance(value, list) else value
        return value

    return {name: plain(value) for name, value in row.items()}


def _try_file(data: Any, folder: Path) -> None:
    path = folder / f"table{data['form']}"
    path.write_bytes(bytes.fromhex(data["hex"]))
    about = [f"{name}={character}" for name, character in data["tokens"].items()] if data["named"] else []
    words = ["convert", str(path), str(folder / "out.json")]
    words += ["--tokens", *about] if about else []
    words += [f"--buttons={','.join(data['buttons'])}"] if about and data["buttons"] else []
    said = io.StringIO()
    with contextlib.redirect_stderr(said), contextlib.redirect_stdout(io.StringIO()):
        code = main(words)
    assert code in (0, 2), f"it ended with {code}"
    assert said.getvalue().count("\n") == 1, f"it said\n{said.getvalue()}"
    assert (folder / "out.json").exists() == (code == 0)
    if code == 0:
        _same_again(Demonstrations.load(folder / "out.json"), folder)


def _try_ours(data: Any, folder: Path) -> None:
    dataset = data["dataset"]
    if isinstance(dataset, dict) and isinstance(dataset.get("episodes"), list):
        _same_again(minari.read(_Dataset(dataset.get("about"), dataset["episodes"])), folder)


def _try_theirs(data: Any, folder: Path) -> None:
    _same_again(minari.read(_Dataset(None, data["episodes"]), data["see"]), folder)


class _Dataset:
    """What a dataset of Minari has, in memory."""

    id = "any/thing-v0"
    observation_space, action_space, env_spec = spaces.Box(0, 1, (1, 2), np.int64), spaces.Discrete(2), None

    def __init__(self, about: Any, episodes: list[Any]) -> None:
        self._episodes = episodes
        self.episode_indices = np.arange(len(episodes))
        self.storage = SimpleNamespace(
            metadata={} if about is None else {minari.KEY: json.dumps(about)}, get_episode_metadata=self._metadata
        )

    def _metadata(self, numbers: list[int]) -> list[dict[str, Any]]:
        found = [self._episodes[i] if isinstance(self._episodes[i], dict) else {} for i in numbers]
        return [{minari.KEY: json.dumps(each.get("said")), "seed": each.get("seed")} for each in found]

    def __getitem__(self, number: int) -> Any:
        episode = self._episodes[number] if isinstance(self._episodes[number], dict) else {}

        def listed(name: str) -> Any:
            value = episode.get(name, [])
            try:
                return np.array(value)
            except (ValueError, OverflowError):  # rows of several lengths, numbers too large
                return value

        names = ("observations", "actions", "rewards", "terminations", "truncations")
        return SimpleNamespace(infos=episode.get("infos"), **{name: listed(name) for name in names})


def _same_again(demos: Demonstrations, folder: Path) -> None:
    """What was read is whole: it is the same when it is written, in any form, and read again."""
    demos.save(folder / "again.json")
    assert Demonstrations.load(folder / "again.json") == demos, "demonstrations are others when they are read again"
    names = [demos.game, *(item.level for item in demos)]
    if not len(demos) or any(name is not None and not name.strip() for name in names):
        return  # a table without rows says no game, and an empty name is none there
    for form in tables.FORMATS:
        tables.save(demos, folder / f"again{form}")
        again = tables.load(folder / f"again{form}", demos.tokens, demos.buttons)
        assert again == demos, f"demonstrations are others when they are read again as {form}"


_TRY = {"rows": _try_rows, "file": _try_file, "ours": _try_ours, "theirs": _try_theirs}
