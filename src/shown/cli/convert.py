"""`shown convert`: demonstrations from and to other forms: tables, and datasets of Minari."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING, Any

from shown.cli.common import check_writable, find_playable, is_playable, say, trusted
from shown.demonstrations import Demonstrations
from shown.errors import BadInput, ShownError
from shown.world import WORLDS

if TYPE_CHECKING:
    from shown.grid import Tokens
    from shown.tables import Table

MINARI = "minari:"
"""What the names of Minari's datasets begin with."""

FORMS = "a file (.json, .csv, .jsonl) or minari:ID"


def configure(parser: argparse.ArgumentParser) -> None:
    parser.description = (
        "Turns demonstrations of one form into another: .json, as every command takes them; .csv and .jsonl, tables "
        "with a row a step; minari:ID, a dataset of Minari on this machine."
    )
    parser.add_argument("source", metavar="SOURCE", help=FORMS)
    parser.add_argument("target", metavar="TARGET", help=FORMS)
    parser.add_argument(
        "--tokens", nargs="+", metavar="NAME=C", help="of a table: what its characters stand for, such as wall=#"
    )
    parser.add_argument("--buttons", metavar="NAMES", help="of a table: the actions, joined by commas, if not cells")
    parser.add_argument("--like", metavar="GAME|WORLD|FILE", help="of a table: tokens and buttons as there")
    parser.add_argument(
        "--columns", nargs="+", default=[], metavar="NAME=COLUMN", help="of a table: what its columns are called here"
    )


def run(args: argparse.Namespace) -> int:
    source, target = _form(args.source), _form(args.target)
    if target != MINARI:
        check_writable(args.target)
    about = {"--tokens": args.tokens, "--buttons": args.buttons, "--like": args.like, "--columns": args.columns}
    given = next((name for name, value in about.items() if value), None)
    if source not in _TABLES and given is not None:
        raise BadInput(f"{given} says what a table is about, and {args.source} says that itself. Leave it out.")
    demonstrations = _load(args, source)
    _save(demonstrations, args.target, target)
    say(f"{len(demonstrations)} demonstrations, {len(demonstrations.steps)} steps, written to {args.target}")
    return 0


_TABLES = (".csv", ".jsonl")


def _form(name: str) -> str:
    """How demonstrations are kept there, by the name."""
    if name.startswith(MINARI):
        return MINARI
    for form in (".json", *_TABLES):
        if name.lower().endswith(form):
            return form
    raise BadInput(f"{name}: by its name it is none of {FORMS}.")


def _load(args: argparse.Namespace, form: str) -> Demonstrations:
    if form == MINARI:
        from shown.worlds import minari

        name, _, see = args.source.removeprefix(MINARI).partition("#")
        return minari.read(name, see or None)
    if form == ".json":
        return Demonstrations.load(args.source)
    from shown import tables

    table = tables.read(args.source)
    columns = _pairs(args.columns, "--columns")
    tokens, buttons, game = _about(args, table, columns)
    return tables.from_rows(table, tokens, buttons, game, columns)


def _save(demonstrations: Demonstrations, name: str, form: str) -> None:
    if form == MINARI:
        from shown.worlds import minari

        minari.write(demonstrations, name.removeprefix(MINARI))
    elif form == ".json":
        demonstrations.save(name)
    else:
        from shown import tables

        tables.save(demonstrations, name)


def _about(
    args: argparse.Namespace, table: Table, columns: dict[str, str]
) -> tuple[Tokens, tuple[str, ...], str | None]:
    """Tokens, buttons and game: as the options say, or else as the game has them that the table names."""
    from shown.demonstrations import tokens_from_json

    if args.like is not None:
        if args.tokens or args.buttons:
            raise BadInput("--like says what the tokens and buttons are. Leave --tokens and --buttons out.")
        like = _like(args.like)
        return like.tokens, like.buttons, getattr(like, "name", getattr(like, "game", None))
    if args.tokens:
        buttons = tuple(args.buttons.split(",")) if args.buttons else ()
        return tokens_from_json(_pairs(args.tokens, "--tokens"), "--tokens"), buttons, None
    named = table.rows[0].get(columns.get("game", "game")) if table.rows else None
    try:
        place = find_playable(trusted(named, args.source) if named.startswith(WORLDS) else named) if named else None
    except ShownError:
        place = None
    if place is None:
        raise BadInput(f"{args.source}: {_unnamed(table, columns)}, or --like a game, world, policy or demonstrations.")
    return place.tokens, place.buttons, place.name


def _unnamed(table: Table, columns: dict[str, str]) -> str:
    """What to say of tokens without names: which characters there are."""
    grids = (row.get(columns.get("grid", "grid")) for row in table.rows if isinstance(row, dict))
    seen = dict.fromkeys(x for grid in grids if isinstance(grid, str) for x in grid if not x.isspace())
    names = " ".join(f"NAME={character}" for character in list(seen)[:20]) or "NAME=."
    return f"say what the characters of its grids stand for: --tokens {names}"


def _like(name: str) -> Any:
    """What has tokens and buttons: a game, a world, a policy or demonstrations."""
    if is_playable(name):
        return find_playable(name)
    from shown.files import read_json
    from shown.policy import Policy

    value = read_json(name, "demonstrations or policy")
    kind = value.get("schema") if isinstance(value, dict) else None
    if isinstance(kind, str) and kind.startswith("shown/policy/"):
        return Policy.from_json(value, name)
    return Demonstrations.from_json(value, name)


def _pairs(words: list[str], option: str) -> dict[str, str]:
    pairs = [word.partition("=") for word in words]
    wrong = next((word for word, (name, _, value) in zip(words, pairs, strict=True) if not (name and value)), None)
    if wrong is not None:
        raise BadInput(f"{option}: {wrong!r} is no pair such as wall=# or grid=board.")
    return {name: value for name, _, value in pairs}
