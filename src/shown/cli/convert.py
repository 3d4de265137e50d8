"""`shown convert`: demonstrations to and from tables and Minari datasets."""

from __future__ import annotations

import argparse
from typing import Any

from shown.cli.inputs import is_playable, playable_named, trusted
from shown.cli.output import check_writable, count, say
from shown.demonstrations import Demonstrations, tokens_from_json
from shown.errors import BadInput, ShownError
from shown.files import read_json
from shown.grid import Tokens
from shown.policy import Policy
from shown.worlds import minari, tables
from shown.worlds.tables import StepTable

MINARI = "minari:"
TABLES = (".csv", ".jsonl")
FORMATS = "a file (.json, .csv, .jsonl) or minari:ID"


def configure(parser: argparse.ArgumentParser) -> None:
    parser.description = (
        "Convert demonstrations between formats: .json, which every command reads; .csv and .jsonl, tables with one "
        "row per step; minari:ID, a local Minari dataset."
    )
    parser.add_argument("source", metavar="SOURCE", help=FORMATS)
    parser.add_argument("target", metavar="TARGET", help=FORMATS)
    table = parser.add_argument_group("options for tables")
    table.add_argument("--tokens", nargs="+", metavar="NAME=C", help="names of the characters, such as wall=#")
    table.add_argument("--buttons", metavar="NAMES", help="names of the actions, joined by commas, if not cells")
    table.add_argument("--like", metavar="GAME|WORLD|FILE", help="use the tokens and buttons of this one")
    table.add_argument(
        "--columns", nargs="+", default=[], metavar="NAME=COLUMN", help="columns of the table, such as grid=board"
    )


def run(args: argparse.Namespace) -> int:
    source, target = _format(args.source), _format(args.target)
    if target != MINARI:
        check_writable(args.target)
    table_options = {"--tokens": args.tokens, "--buttons": args.buttons, "--like": args.like, "--columns": args.columns}
    given = next((name for name, value in table_options.items() if value), None)
    if source not in TABLES and given is not None:
        raise BadInput(f"{given} is for tables; {args.source} contains that information. Omit the option.")
    demonstrations = _load(args, source)
    _save(demonstrations, args.target, target)
    steps = count(len(demonstrations.steps), "step")
    say(f"{count(len(demonstrations), 'demonstration')}, {steps}, written to {args.target}")
    return 0


def _format(name: str) -> str:
    if name.startswith(MINARI):
        return MINARI
    for suffix in (".json", *TABLES):
        if name.lower().endswith(suffix):
            return suffix
    raise BadInput(f"{name}: unknown format. Expected {FORMATS}.")


def _load(args: argparse.Namespace, form: str) -> Demonstrations:
    if form == MINARI:
        name, _, view = args.source.removeprefix(MINARI).partition("#")
        return minari.read(name, view or None)
    if form == ".json":
        return Demonstrations.load(args.source)
    table = tables.read(args.source)
    columns = _pairs(args.columns, "--columns")
    tokens, buttons, game = _task(args, table, columns)
    return tables.from_rows(table, tokens, buttons, game, columns)


def _save(demonstrations: Demonstrations, name: str, form: str) -> None:
    if form == MINARI:
        minari.write(demonstrations, name.removeprefix(MINARI))
    elif form == ".json":
        demonstrations.save(name)
    else:
        tables.save(demonstrations, name)


def _task(
    args: argparse.Namespace, table: StepTable, columns: dict[str, str]
) -> tuple[Tokens, tuple[str, ...], str | None]:
    """Return tokens, buttons and game: from the options, else from the game that the table names."""
    if args.like is not None:
        if args.tokens or args.buttons:
            raise BadInput("--like gives tokens and buttons. Omit --tokens and --buttons.")
        like = _load_like(args.like)
        return like.tokens, like.buttons, getattr(like, "name", getattr(like, "game", None))
    if args.tokens:
        buttons = tuple(args.buttons.split(",")) if args.buttons else ()
        return tokens_from_json(_pairs(args.tokens, "--tokens"), "--tokens"), buttons, None
    name = table.rows[0].get(columns.get("game", "game")) if table.rows else None
    try:
        place = playable_named(trusted(name, args.source)) if name else None
    except ShownError:
        place = None
    if place is None:
        names = " ".join(f"NAME={character}" for character in _characters(table, columns)) or "NAME=."
        raise BadInput(f"{args.source}: name the characters of its grids: --tokens {names}, or use --like.")
    return place.tokens, place.buttons, place.name


def _characters(table: StepTable, columns: dict[str, str]) -> list[str]:
    """Return the first 20 characters that occur in the grids of a table."""
    grids = (row.get(columns.get("grid", "grid")) for row in table.rows)
    seen = dict.fromkeys(x for grid in grids if isinstance(grid, str) for x in grid if not x.isspace())
    return list(seen)[:20]


def _load_like(name: str) -> Any:
    """Return a game, world, policy or demonstrations: each has tokens and buttons."""
    if is_playable(name):
        return playable_named(name)
    value = read_json(name, "demonstrations or policy")
    schema = value.get("schema") if isinstance(value, dict) else None
    if isinstance(schema, str) and schema.startswith("shown/policy/"):
        return Policy.from_json(value, name)
    return Demonstrations.from_json(value, name)


def _pairs(words: list[str], option: str) -> dict[str, str]:
    pairs = {}
    for word in words:
        name, _, value = word.partition("=")
        if not (name and value):
            raise BadInput(f"{option}: expected pairs such as wall=# or grid=board, not {word!r}.")
        pairs[name] = value
    return pairs
