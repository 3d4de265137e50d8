"""`shown games`: the games and worlds, and the success rate of random play."""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from typing import Any

from shown.cli import options
from shown.cli.inputs import playable_named, style_provider
from shown.cli.output import print_json, say
from shown.errors import BadInput, printable
from shown.worlds import Game, Playable, is_world, load_levels
from shown.worlds.games import installed
from shown.worlds.games.floors import floor
from shown.worlds.games.levels import built_in

FLOORS = {"random:0-99": 1, "test": 10}
"""Levels on which floors are measured, and the number of games on each: about a hundred in total."""


def configure(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("game", nargs="?", metavar="GAME|WORLD", help="describe this game or world")
    parser.add_argument(
        "--floor", action="store_true", help="success rate of random clicks: on any cell, and on cells that respond"
    )
    parser.add_argument("--levels", metavar="SPEC", help="with --floor: play these levels, once each")
    options.add_seed(parser)
    options.add_json(parser)


def run(args: argparse.Namespace) -> int:
    if args.levels and not args.floor:
        raise BadInput("--levels: needs --floor, which is measured on these levels.")
    rules = None if not args.game or is_world(args.game) else playable_named(args.game).rules
    if args.game and rules is None:
        return _print_world(args)
    games, broken = installed() if rules is None else ([rules], [])
    for reason in broken:
        say(f"shown: {reason}")
    if args.floor:
        _print_floors(games, args)
    elif args.json:
        print_json([{**_describe(game), "levels": _level_counts(game)} for game in games])
    elif args.game:
        _print_game(games[0])
    else:
        width = max(len(game.name) for game in games)
        for game in games:
            print(f"  {game.name:{width}}  {game.goal}")
        print("\nGymnasium environments with discrete actions can be played as well: shown games gym:ID")
        print("So can Atari's Breakout: shown games atari:Breakout")
    return 0


def _print_game(game: Game) -> None:
    print(f"  {game.name}  {game.goal}\n\n{type(game).__doc__ or game.about}")
    _print_tokens(game)
    if game.buttons:
        print(f"\n  buttons: {', '.join(game.buttons)}")
    last = {name: number - 1 for name, number in _level_counts(game).items()}
    print(f"\n  levels: train:0-{last['train']}, test:0-{last['test']}, random:SEED-SEED")
    provider = style_provider(game.name)
    if provider is not None:
        styles = provider.describe(game.name)
        width = max(map(len, styles))
        print("\n  scripted styles, for shown demonstrate --style NAME:")
        for name, description in styles.items():
            print(f"    {name:{width}}  {description}")


def _print_world(args: argparse.Namespace) -> int:
    if args.floor:
        raise BadInput(f"--floor: {args.game} has no levels to measure it on.")
    world = playable_named(args.game)
    first = None if world.has_levels else world.level(0).grid
    if args.json:
        more = {"max_steps": world.max_steps, "symmetries": len(world.symmetries)}
        print_json([{**_describe(world), **more, "grid": None if first is None else list(first.rows)}])
        return 0
    print(f"  {printable(world.name)}  {printable(world.goal)}\n")
    _print_tokens(world)
    print(f"\n  buttons: {' · '.join(world.buttons)}")
    print(f"  seeds instead of levels; at most {world.max_steps:,} steps an episode. Seed 0 starts with\n\n{first}")
    return 0


def _print_tokens(place: Playable) -> None:
    for name, character in place.tokens.characters.items():
        print(f"    {character}  {name.replace('_', ' ')}")


def _describe(place: Playable) -> dict[str, Any]:
    return {
        "game": place.name,
        "title": place.title,
        "goal": place.goal,
        "tokens": place.tokens.characters,
        "buttons": list(place.buttons),
    }


def _level_counts(game: Game) -> dict[str, int]:
    return {which: len(built_in(game, which)) for which in ("train", "test")}


def _print_floors(games: list[Game], args: argparse.Namespace) -> None:
    levels = {args.levels: 1} if args.levels else FLOORS
    rows = _floors(games, levels, args.seed)
    if args.json:
        print_json(list(rows))
        return
    widths = max(len(game.name) for game in games), max(map(len, levels))
    print(f"  {'':{widths[0]}}  {'levels':{widths[1]}}  games  any cell  sensible")
    for row in rows:
        any_cell, sensible = (f"{100 * row[kind] / row['games']:.0f} %" for kind in ("any_cell", "sensible"))
        names = f"{row['game']:{widths[0]}}  {row['levels']:{widths[1]}}"
        print(f"  {names}  {row['games']:5}  {any_cell:>8}  {sensible:>8}", flush=True)


def _floors(games: list[Game], levels: dict[str, int], seed: int) -> Iterator[dict[str, Any]]:
    for game in games:
        for spec, times in levels.items():
            found = floor(game, load_levels(game, spec), seed, times)
            yield {
                "game": game.name,
                "levels": spec,
                "games": found.games,
                "any_cell": found.any_cell,
                "sensible": found.sensible,
            }
