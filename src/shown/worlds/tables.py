"""Demonstrations as tables with one row per step: CSV files, `datasets`, pandas and others.

A row maps column names to values. These columns have a meaning; others are ignored:

    grid       the grid: text with spaces or line breaks between rows, a list of rows, or an array of token numbers
    action     the action: a cell, "3,5" or [3, 5]; with buttons, a button's name or number
    episode    rows with equal values belong to one demonstration, in order; without it every row is one
    level, seed, outcome, game    about the demonstration, optional
    weight, open, refused         about the step, optional; open actions are separated by ";"
"""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import Any, TypeVar

import numpy as np

from shown.demonstrations import OUTCOMES, Demonstration, Demonstrations, Step, button_of, game_from_json
from shown.errors import BadInput, short
from shown.files import encode_text, parse_json, read_text, write_bytes
from shown.grid import Action, Grid, Tokens, action_from_text, action_to_text, check_action, plain_action

COLUMNS = ("game", "episode", "level", "seed", "outcome", "grid", "action", "weight", "open", "refused")
FORMATS = (".csv", ".jsonl")
"""File formats: CSV, and one JSON object per line."""
MAX_NAMED = 20  # columns that an error lists

T = TypeVar("T")


@dataclass(frozen=True)
class StepTable:
    """Rows with their places, which errors name.

    Attributes:
        rows: mappings from column names to values.
        places: the place of each row, such as "log.csv, line 7".
    """

    rows: tuple[Mapping[str, Any], ...]
    places: tuple[str, ...]

    def __post_init__(self) -> None:
        for row, place in zip(self.rows, self.places, strict=True):
            if not isinstance(row, Mapping):
                raise BadInput(f"{place}: a row must be a mapping from columns to values, not {type(row).__name__}.")


def to_rows(demonstrations: Demonstrations) -> list[dict[str, Any]]:
    """Return one row per step, of plain values; the inverse of `from_rows`.

    >>> tokens = Tokens(empty=".", stick="|")
    >>> to_rows(Demonstrations.from_runs(tokens, [[(Grid("|.\\n||"), (0, 0))]], "nim"))[0]["grid"]
    '|. ||'
    """
    marked = {name for step in demonstrations.steps for name in step.marks}
    return [
        {
            "game": demonstrations.game,
            "episode": d,
            "level": item.level,
            "seed": item.seed,
            "outcome": item.outcome,
            "grid": " ".join(step.grid.rows),
            "action": action_to_text(step.action),
            **_marks(step, marked),
        }
        for d, item in enumerate(demonstrations)
        for step in item.steps
    ]


def from_rows(
    rows: Iterable[Mapping[str, Any]] | StepTable,
    tokens: Tokens,
    buttons: Sequence[str] = (),
    game: str | None = None,
    columns: Mapping[str, str] | None = None,
) -> Demonstrations:
    """Return demonstrations from rows: a `datasets.Dataset`, `frame.to_dict("records")`, or others.

    >>> tokens = Tokens(empty=".", lift="L", call="!")
    >>> log = [{"shaft": "L . !", "pressed": "down", "run": 7}, {"shaft": ". L !", "pressed": "down", "run": 7}]
    >>> names = {"grid": "shaft", "action": "pressed", "episode": "run"}
    >>> demos = from_rows(log, tokens, ("up", "down"), columns=names)
    >>> len(demos), [step.action for step in demos.steps]
    (1, ['down', 'down'])

    Args:
        rows: one per step, or a `StepTable`.
        tokens: the values of the cells.
        buttons: the names of the actions, if they are not clicks on cells.
        game: the name of the game or world; by default that of the column `game`.
        columns: other names of columns, such as `{"grid": "observation"}`.
    """
    table = rows if isinstance(rows, StepTable) else _numbered(rows)
    reader = _Reader(tokens, tuple(buttons), _renamed(columns))
    runs: dict[Any, _Run] = {}
    for place, row in zip(table.places, table.rows, strict=True):
        reader.read(row, place, runs)
    items = tuple(
        Demonstration(tuple(run.steps), run.level, run.seed, run.outcome or OUTCOMES[-1]) for run in runs.values()
    )
    return Demonstrations(tokens, items, game or reader.game, tuple(buttons))


def load(
    path: str | Path,
    tokens: Tokens,
    buttons: Sequence[str] = (),
    game: str | None = None,
    columns: Mapping[str, str] | None = None,
) -> Demonstrations:
    """Return demonstrations from a file, `.csv` or `.jsonl`; see `from_rows`."""
    return from_rows(read(path), tokens, buttons, game, columns)


def save(demonstrations: Demonstrations, path: str | Path) -> None:
    """Write a file, `.csv` or `.jsonl`."""
    rows = to_rows(demonstrations)
    if _format(path) == ".jsonl":
        text = "".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows)
    else:
        out = io.StringIO()
        writer = csv.DictWriter(out, list(rows[0]) if rows else COLUMNS[:7], lineterminator="\n")
        writer.writeheader()
        writer.writerows(rows)
        text = out.getvalue()
    write_bytes(path, encode_text(text.removesuffix("\n"), str(path)))


def read(path: str | Path) -> StepTable:
    """Return the rows of a file."""
    kind, text = _format(path), read_text(path, "table").removeprefix("\ufeff")
    found = list(_json_lines(text, path) if kind == ".jsonl" else _csv_lines(text, path))
    return StepTable(tuple(row for _, row in found), tuple(f"{path}, line {line}" for line, _ in found))


def _format(path: str | Path) -> str:
    kind = Path(path).suffix.lower()
    if kind not in FORMATS:
        raise BadInput(f"{path}: unknown format. The names of tables end in {' or '.join(FORMATS)}.")
    return kind


def _csv_lines(text: str, path: str | Path) -> Iterator[tuple[int, dict[str, Any]]]:
    heading = text.partition("\n")[0]
    lines = csv.DictReader(io.StringIO(text, newline=""), delimiter=max(",;\t", key=heading.count), strict=True)
    try:
        for row in lines:
            if None in row:
                raise BadInput(f"{path}, line {lines.line_num}: has more cells than there are columns.")
            yield lines.line_num, row
    except csv.Error as error:
        raise BadInput(f"{path}, line {lines.reader.line_num}: not CSV ({error}).") from None


def _json_lines(text: str, path: str | Path) -> Iterator[tuple[int, Any]]:
    for number, line in enumerate(text.split("\n"), 1):
        if line.strip():
            yield number, parse_json(line, f"{path}, line {number}")


def _numbered(rows: Iterable[Mapping[str, Any]]) -> StepTable:
    if not isinstance(rows, Iterable):
        raise BadInput(f"rows must be mappings from columns to values, not {type(rows).__name__}.")
    listed = tuple(rows)
    return StepTable(listed, tuple(f"row {i}" for i in range(len(listed))))


def _renamed(columns: Mapping[str, str] | None) -> dict[str, str]:
    for name in columns or {}:
        if name not in COLUMNS:
            raise BadInput(f"columns: {name!r} has no meaning. Columns: {', '.join(COLUMNS)}.")
    return {name: name for name in COLUMNS} | dict(columns or {})


def _marks(step: Step, marked: set[str]) -> dict[str, Any]:
    """Return the optional values of a step that some step of the table has."""
    said = {"weight": step.weight, "open": ";".join(map(action_to_text, step.open)), "refused": step.refused}
    return {name: value for name, value in said.items() if name in marked}


@dataclass
class _Run:
    """The rows of one demonstration so far."""

    steps: list[Step]
    level: str | None = None
    seed: int | None = None
    outcome: str | None = None


class _Reader:
    """Reads rows one by one; errors name the row and the column."""

    def __init__(self, tokens: Tokens, buttons: tuple[str, ...], names: Mapping[str, str]) -> None:
        self.tokens, self.buttons, self.names = tokens, buttons, names
        self.game: str | None = None

    def read(self, row: Mapping[str, Any], place: str, runs: dict[Any, _Run]) -> None:
        """Add the row's step to its run."""
        for column in ("grid", "action"):
            if self.names[column] not in row:
                known = ", ".join(map(short, islice(row, MAX_NAMED)))
                raise BadInput(
                    f"{place}: there is no column {self.names[column]!r}. Columns: {known}. Say which one it is: "
                    f"--columns {column}=NAME (in Python columns={{{column!r}: NAME}})."
                )

        def value_of(column: str, reader: Callable[[Any], T]) -> T:
            value = row.get(self.names[column])
            if isinstance(value, np.ndarray | np.generic):
                value = value.tolist()
            try:
                return reader(None if _is_missing(value) else value)
            except BadInput as error:
                raise BadInput(f"{place}, column {self.names[column]!r}: {error}") from None

        grid = value_of("grid", self._grid)
        action = value_of("action", lambda value: self._action(value, grid))
        opened = value_of("open", lambda value: self._open(value, grid))
        weight, refused = value_of("weight", _weight), value_of("refused", _truth)
        key = value_of("episode", _key) if self.names["episode"] in row else (place,)
        run = runs.setdefault(key, _Run([]))
        run.level = value_of("level", lambda value: _same(_level(value), run.level))
        run.seed = value_of("seed", lambda value: _same(_seed(value), run.seed))
        run.outcome = value_of("outcome", lambda value: _same(_outcome(value), run.outcome))
        self.game = value_of("game", lambda value: _same(game_from_json(value, "it"), self.game))
        run.steps.append(Step(grid, action, weight, opened, refused))

    def _grid(self, value: Any) -> Grid:
        if value is None:
            raise BadInput("the grid is missing.")
        if isinstance(value, str):
            value = value.split()
        if isinstance(value, list | tuple) and not all(isinstance(row, str) for row in value):
            return Grid.from_array(value, self.tokens)
        grid = Grid(value)
        self.tokens.check(grid, "of the grid, ")
        return grid

    def _action(self, value: Any, grid: Grid) -> Action:
        if value is None:
            raise BadInput("the action is missing.")
        if isinstance(value, str):
            value = value.strip()
            action: Any = action_from_text(value)
            if self.buttons and value.isdecimal():
                action = button_of(int(value[:9]), self.buttons)
        else:
            action = button_of(_whole(value), self.buttons) if self.buttons else plain_action(value)
        check_action(action, grid, self.buttons)
        return action

    def _open(self, value: Any, grid: Grid) -> tuple[Action, ...]:
        if value is None:
            return ()
        given = [part for part in value.split(";") if part.strip()] if isinstance(value, str) else value
        if not isinstance(given, Iterable):
            raise BadInput('open actions are a list, or text with ";" between them.')
        return tuple(self._action(action, grid) for action in given)


def _is_missing(value: Any) -> bool:
    """Return whether a value is None, blank, or pandas' NaN."""
    return (
        value is None or (isinstance(value, str) and not value.strip()) or (isinstance(value, float) and value != value)
    )


def _whole(value: Any) -> Any:
    """Return a float such as 3.0 as an integer, and any other value unchanged."""
    return int(value) if isinstance(value, float) and value.is_integer() else value


def _key(value: Any) -> Any:
    if value is None:
        raise BadInput("is empty, so the row belongs to no episode.")
    try:
        hash(value)
    except TypeError:
        raise BadInput(f"an episode is a number or a name, not {type(value).__name__}.") from None
    return value


def _same(value: T | None, before: T | None) -> T | None:
    """Return the value of a run, given by one of its rows or by an earlier one; they must not differ."""
    if value is not None and before is not None and value != before:
        raise BadInput(f"is {short(value)} here and {short(before)} in an earlier row.")
    return before if value is None else value


def _level(value: Any) -> str | None:
    if value is not None and not (isinstance(value, str) and value.isprintable()):
        raise BadInput("must be text on one line.")
    return value


def _seed(value: Any) -> int | None:
    if value is None:
        return None
    number = _whole(int(value[:20]) if isinstance(value, str) and value.strip().isdecimal() else value)
    if isinstance(number, bool) or not isinstance(number, int) or not 0 <= number < 2**63:
        raise BadInput(f"a seed is an integer from 0 to 2^63, not {str(value)[:40]!r}.")
    return number


def _outcome(value: Any) -> str | None:
    if value is not None and value not in OUTCOMES:
        raise BadInput(f"must be one of {', '.join(OUTCOMES)}, not {str(value)[:40]!r}.")
    return value


def _weight(value: Any) -> float:
    try:
        number = 1.0 if value is None else float(value)
    except (TypeError, ValueError, OverflowError):
        number = 0.0
    if not 0 < number < 1e6:
        raise BadInput(f"a weight is a number above 0, not {str(value)[:40]!r}.")
    return number


def _truth(value: Any) -> bool:
    said = str(value).strip().lower()
    if value is not None and said not in ("true", "false", "1", "0"):
        raise BadInput(f"must be true or false, not {str(value)[:40]!r}.")
    return value is not None and said in ("true", "1")
