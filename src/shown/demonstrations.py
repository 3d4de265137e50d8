"""Demonstrations, and their file format."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np

from shown.errors import BadInput, at, short
from shown.files import read_json, write_json
from shown.grid import (
    Action,
    Grid,
    Tokens,
    action_from_json,
    action_to_json,
    action_to_text,
    boards_html,
    check_action,
    check_buttons,
    plain_action,
)

SCHEMA = "shown/demonstrations/1"
MARKED_SCHEMA = "shown/demonstrations/2"
"""Schema of demonstrations with weights, open actions or refusals. Readers of plain ones must not accept them."""
OUTCOMES = ("won", "lost", "unfinished")
MAX_NAME = 100
MAX_SHOWN = 5  # demonstrations whose first step a notebook draws


@dataclass(frozen=True, slots=True)
class Step:
    """One decision: the grid and the action taken.

    Attributes:
        grid: the grid before the action.
        action: the demonstrated action, which rules out all others except open ones. Converted to plain data: `[r, c]`
            and NumPy integers are accepted as cells.
        weight: weight of the step; images of one demonstration share one weight.
        open: other actions that the step neither shows nor rules out.
        refused: whether the teacher ruled out the action; nothing is known about the others then.
    """

    grid: Grid
    action: Action
    weight: float = 1.0
    open: tuple[Action, ...] = ()
    refused: bool = False

    def __post_init__(self) -> None:
        if isinstance(self.weight, int) and not isinstance(self.weight, bool):
            # Digests are taken of JSON text, in which 2 and 2.0 differ.
            object.__setattr__(self, "weight", float(self.weight))
        object.__setattr__(self, "action", plain_action(self.action))
        object.__setattr__(self, "open", tuple(plain_action(action) for action in self.open))

    @property
    def marks(self) -> dict[str, Any]:
        """Fields of the step beyond grid and action, as stored in files; empty for most steps."""
        marks: dict[str, Any] = {} if self.weight == 1.0 else {"weight": self.weight}
        if self.open:
            marks["open"] = [action_to_json(action) for action in self.open]
        return marks | {"refused": True} if self.refused else marks


@dataclass(frozen=True)
class Demonstration:
    """A demonstrated episode, or any part of one, such as a single corrected click.

    Attributes:
        steps: the decisions, in order.
        level: name of the level ("train:3"), or None.
        seed: seed of the game's opponents in that episode, or None.
        outcome: "won", "lost" or "unfinished".
    """

    steps: tuple[Step, ...]
    level: str | None = None
    seed: int | None = None
    outcome: str = "unfinished"

    def __post_init__(self) -> None:
        object.__setattr__(self, "steps", tuple(self.steps))

    @cached_property
    def text(self) -> str:
        """The steps as the digest reads them; cached, since every new demonstration reads all of them again."""
        steps = [
            [[*step.grid.rows], action_to_json(step.action), *([step.marks] if step.marks else [])]
            for step in self.steps
        ]
        return json.dumps(steps, ensure_ascii=False)

    def check(self, tokens: Tokens, buttons: tuple[str, ...], where: str) -> None:
        """Raise BadInput unless all steps belong to a task with these tokens and buttons; cached."""
        if self.__dict__.get("_fits") == (tokens, buttons):
            return
        if not self.steps:
            raise BadInput(f"{where} has no steps. Record at least one action, or leave it out.")
        for s, step in enumerate(self.steps):
            place = f"{where}, step {s}, "
            tokens.check(step.grid, place)
            check_action(step.action, step.grid, buttons, place)
            for action in step.open:
                check_action(action, step.grid, buttons, f"{place}open ")
            if not (isinstance(step.weight, int | float) and 0 < step.weight < 1e6):
                raise BadInput(f"{place}weight {step.weight!r} must be a number above 0.")
        self.__dict__["_fits"] = (tokens, buttons)

    def to_json(self) -> dict[str, Any]:
        """Return the JSON value stored in files."""
        steps = [{"grid": list(x.grid.rows), "action": action_to_json(x.action), **x.marks} for x in self.steps]
        return {"level": self.level, "seed": self.seed, "outcome": self.outcome, "steps": steps}


@dataclass(frozen=True)
class Demonstrations:
    """Demonstrations of one task.

    >>> from shown.grid import grid
    >>> demos = Demonstrations(Tokens(empty=".", stick="|"), (Demonstration((Step(grid("|.", "||"), (0, 0)),)),))
    >>> len(demos), demos.digest[:8]
    (1, 'ad84fb6a')

    Attributes:
        tokens: values of the cells.
        items: the demonstrations.
        game: name of the game, or None.
        buttons: names of the actions, in worlds without clicks.
    """

    tokens: Tokens
    items: tuple[Demonstration, ...]
    game: str | None = None
    buttons: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        check_buttons(self.buttons)
        object.__setattr__(self, "buttons", tuple(str(name) for name in self.buttons))
        object.__setattr__(self, "items", tuple(self.items))
        for d, demonstration in enumerate(self.items):
            demonstration.check(self.tokens, self.buttons, f"demonstration {d}")

    @classmethod
    def from_runs(
        cls,
        tokens: Tokens,
        runs: Iterable[Iterable[tuple[Grid, Action]]],
        game: str | None = None,
        buttons: tuple[str, ...] = (),
    ) -> Demonstrations:
        """Return demonstrations from runs of pairs (grid, action).

        >>> from shown.grid import grid
        >>> len(Demonstrations.from_runs(Tokens(empty=".", stick="|"), [[(grid("|.", "||"), (0, 0))]]).steps)
        1
        """
        items = tuple(Demonstration(tuple(Step(grid, action) for grid, action in run)) for run in runs)
        return cls(tokens, items, game, tuple(buttons))

    @classmethod
    def from_arrays(
        cls,
        tokens: Tokens,
        observations: Iterable[Any],
        actions: Iterable[Any],
        ends: Iterable[bool] | None = None,
        game: str | None = None,
        buttons: tuple[str, ...] = (),
    ) -> Demonstrations:
        """Return demonstrations from arrays, as in datasets of transitions.

        >>> tokens = Tokens(empty=".", stick="|")
        >>> demos = Demonstrations.from_arrays(tokens, [[[1, 0], [1, 1]], [[0, 0], [1, 1]]], [[0, 0], [1, 1]])
        >>> [(step.grid.text, step.action) for step in demos.steps]
        [('|.\\n||', (0, 0)), ('..\\n||', (1, 1))]

        Args:
            tokens: tokens that the observations index.
            observations: arrays of token numbers, [rows, columns] each, one per step.
            actions: cells, [row, column] each, or button numbers.
            ends: whether each step ends its episode; by default all steps are one episode.
            game: name of the game or world, if any.
            buttons: names of the actions, in worlds without clicks.
        """
        grids = [Grid.from_array(array, tokens) for array in observations]
        done = [
            button_of(action, buttons, f"step {s}: ") if buttons else plain_action(action)
            for s, action in enumerate(actions)
        ]
        last = [False] * len(grids) if ends is None else [bool(end) for end in ends]
        if not len(grids) == len(done) == len(last):
            raise BadInput(f"{len(grids)} observations, {len(done)} actions and {len(last)} ends must be equally many.")
        runs: list[list[tuple[Grid, Action]]] = [[]]
        for board, action, end in zip(grids, done, last, strict=True):
            runs[-1].append((board, action))
            if end:
                runs.append([])
        return cls.from_runs(tokens, [run for run in runs if run], game, buttons)

    def to_arrays(self) -> tuple[list[np.ndarray], np.ndarray, np.ndarray]:
        """Return the arguments of `from_arrays`: observations, actions and ends. Weights and open actions are lost.

        ([H, W] each, [N, 2] or [N] for buttons, [N] bool)
        """
        observations = [step.grid.to_array(self.tokens) for step in self.steps]
        actions = [self.buttons.index(str(step.action)) if self.buttons else step.action for step in self.steps]
        ends = [s == len(item.steps) for item in self.items for s, _ in enumerate(item.steps, 1)]
        return observations, np.array(actions), np.array(ends)

    def __len__(self) -> int:
        return len(self.items)

    def __iter__(self) -> Iterator[Demonstration]:
        return iter(self.items)

    def _repr_html_(self) -> str:
        """Show the numbers, and the first steps of some demonstrations, in a notebook."""
        numbers = f"{len(self)} demonstrations, {len(self.won)} won, {len(self.steps)} steps"
        firsts = [(item.level or "", item.steps[0]) for item in self.items[:MAX_SHOWN]]
        boards = [(f"{level}: {action_to_text(step.action)}".removeprefix(": "), step.grid) for level, step in firsts]
        return boards_html(f"{self.game or 'task'}: {numbers}", boards)

    @property
    def steps(self) -> tuple[Step, ...]:
        """All steps of all demonstrations, in order."""
        return tuple(step for item in self.items for step in item.steps)

    @cached_property
    def digest(self) -> str:
        """Fingerprint of the steps, independent of level names, seeds and outcomes."""
        task = json.dumps([self.tokens.characters, list(self.buttons)], ensure_ascii=False)
        text = f"{task[:-1]}, [{', '.join(item.text for item in self.items)}]]"
        return hashlib.sha256(text.encode()).hexdigest()

    def __add__(self, other: Demonstrations) -> Demonstrations:
        """Return both sets together; raise BadInput if their tasks differ."""
        if (self.tokens, self.buttons, self.game) != (other.tokens, other.buttons, other.game):
            raise BadInput(
                f"these demonstrations are of different tasks ({self.game or self.tokens} and "
                f"{other.game or other.tokens}). Learn from one task at a time."
            )
        return Demonstrations(self.tokens, self.items + other.items, self.game, self.buttons)

    @property
    def won(self) -> Demonstrations:
        """The demonstrations that end with a win."""
        return self.select(i for i, item in enumerate(self.items) if item.outcome == "won")

    def select(self, indices: Iterable[int]) -> Demonstrations:
        """Return the demonstrations with these indices."""
        return Demonstrations(self.tokens, tuple(self.items[i] for i in indices), self.game, self.buttons)

    def to_json(self) -> dict[str, Any]:
        return demonstrations_to_json(self.items, self.tokens, self.game, self.buttons)

    @classmethod
    def from_json(cls, value: Any, where: str = "demonstrations") -> Demonstrations:
        """Return demonstrations from a JSON value; an error names the demonstration, step and cell that is wrong."""
        if not isinstance(value, dict) or value.get("schema") not in (SCHEMA, MARKED_SCHEMA):
            raise BadInput(f'{where}: not demonstrations: "schema" must be "{SCHEMA}".')
        tokens = tokens_from_json(value.get("tokens"), where)
        game = game_from_json(value.get("game"), where)
        buttons = names_from_json(value.get("buttons", []), f'{where}: "buttons"')
        items = value.get("demonstrations")
        if not isinstance(items, list):
            raise BadInput(f'{where}: "demonstrations" must be a list.')
        with at(f"{where}, "):
            return cls(tokens, tuple(_demonstration(item, d) for d, item in enumerate(items)), game, buttons)

    def save(self, path: str | Path) -> None:
        write_json(path, self.to_json())

    @classmethod
    def load(cls, path: str | Path) -> Demonstrations:
        return cls.from_json(read_json(path, "demonstrations"), str(path))


def demonstrations_to_json(
    items: Sequence[Demonstration], tokens: Tokens, game: str | None, buttons: tuple[str, ...]
) -> dict[str, Any]:
    """Return valid demonstrations of one task as the JSON value stored in files."""
    marked = any(step.marks for item in items for step in item.steps)
    value: dict[str, Any] = {"schema": MARKED_SCHEMA if marked else SCHEMA, "game": game, "tokens": tokens.characters}
    if buttons:
        value["buttons"] = list(buttons)
    return {**value, "demonstrations": [item.to_json() for item in items]}


def tokens_from_json(value: Any, where: str) -> Tokens:
    """Return tokens from `{"empty": ".", …}`."""
    if not isinstance(value, dict) or len(value) > 1000:
        raise BadInput(f'{where}: "tokens" must be an object such as {{"empty": "."}}.')
    with at(f"{where}: "):
        return Tokens(**value)


def game_from_json(value: Any, where: str) -> str | None:
    """Return the name of a game; it is printed on terminals, so it must be printable."""
    if value is not None and not (isinstance(value, str) and 0 < len(value) <= MAX_NAME and value.isprintable()):
        raise BadInput(f'{where}: "game" must be a name or null.')
    return value


def names_from_json(value: Any, where: str) -> tuple[str, ...]:
    """Return distinct names from a JSON list."""
    if not isinstance(value, list):
        raise BadInput(f"{where} must be a list of names.")
    check_buttons(value, where)
    return tuple(value)


def button_of(action: Any, buttons: Sequence[str], where: str = "") -> Any:
    """Return the button with this number; a name is returned unchanged.

    >>> button_of(1, ("up", "down"))
    'down'
    """
    if isinstance(action, str):
        return action
    if not isinstance(action, int | np.integer) or isinstance(action, bool) or not 0 <= action < len(buttons):
        raise BadInput(f"{where}action {action!r} is not a button number. Valid: 0 to {len(buttons) - 1}.")
    return buttons[int(action)]


def _demonstration(value: Any, d: int) -> Demonstration:
    where = f"demonstration {d}"
    if not isinstance(value, dict) or not isinstance(value.get("steps"), list):
        raise BadInput(f'{where}: must be an object with a list of "steps".')
    level, seed, outcome = value.get("level"), value.get("seed"), value.get("outcome", "unfinished")
    if level is not None and not (isinstance(level, str) and level.isprintable()):
        raise BadInput(f'{where}: "level" must be text on one line, or null.')
    if seed is not None and (not isinstance(seed, int) or isinstance(seed, bool) or not 0 <= seed < 2**63):
        raise BadInput(f'{where}: "seed" must be a whole number from 0 to 2^63, or null.')
    if outcome not in OUTCOMES:
        raise BadInput(f'{where}: "outcome" must be one of {", ".join(OUTCOMES)}, not {short(outcome)}.')
    steps = tuple(_step(step, f"{where}, step {s}, ") for s, step in enumerate(value["steps"]))
    return Demonstration(steps, level, seed, outcome)


def _step(value: Any, where: str) -> Step:
    if not isinstance(value, dict) or not isinstance(value.get("grid"), list):
        raise BadInput(f'{where}must be an object with a "grid" (a list of rows) and an "action".')
    with at(where):
        board = Grid(value["grid"])
    weight, opened, refused = value.get("weight", 1.0), value.get("open", []), value.get("refused", False)
    if isinstance(weight, bool) or not isinstance(weight, int | float):
        raise BadInput(f'{where}"weight" must be a number above 0.')
    if not isinstance(opened, list):
        raise BadInput(f'{where}"open" must be a list of actions.')
    if not isinstance(refused, bool):
        raise BadInput(f'{where}"refused" must be true or false.')
    action = action_from_json(value.get("action"), where)
    return Step(board, action, float(weight), tuple(action_from_json(a, f"{where}open ") for a in opened), refused)
