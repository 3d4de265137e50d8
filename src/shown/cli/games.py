"""`shown games`: what there is to play, and what those win who know nothing of it."""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from typing import Any

from shown.cli.common import Playable, add_json, add_seed, find_playable, is_world, print_json, say
from shown.errors import BadInput, printable
from shown.games import Game, find, installed, load_levels
from shown.games.levels import built_in
from shown.world import World
from shown.worlds.keyboard import arrow, button_keys

FLOORS = {"random:0-99": 1, "test": 10}
"""The levels of which floors are told, and how often each is played: about a hundred games of either."""


def configure(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("game", nargs="?", metavar="GAME|WORLD", help="tell all about this one")
    parser.add_argument(
        "--floor", action="store_true", help="what random clicks win, on any cell and on cells whose click counts"
    )
    parser.add_argument("--levels", metavar="SPEC", help="with --floor: on these levels, each played once")
    add_seed(parser)
    add_json(parser)


def run(args: argparse.Namespace) -> int:
    if args.levels and not args.floor:
        raise BadInput("--levels says where the floor is measured; give --floor too.")
    if args.game and is_world(args.game):
        return _tell_world(args)
    games, broken = ([find(args.game)], []) if args.game else installed()
    for reason in broken:
        say(f"shown: {reason}")
    if args.floor:
        return _tell_floors(games, args)
    if args.json:
        print_json([_described(game) for game in games])
        return 0
    width = max(len(game.name) for game in games)
    for game in games:
        print(f"  {game.name:{width}}  {game.goal}")
        if args.game:
            print(f"\n{type(game).__doc__}")
            for name, character in game.tokens.characters.items():
                print(f"    {character}  {name.replace('_', ' ')}")
            if game.buttons:
                print(f"\n  buttons: {', '.join(game.buttons)}")
            count = _counts(game)
            print(f"\n  levels: train:0-{count['train'] - 1}, test:0-{count['test'] - 1}, random:SEED-SEED")
            _tell_styles(game)
    if not args.game:
        print("\nAny environment of Gymnasium with discrete actions is a world to play, too: shown games gym:ID")
        print("So is Atari's Breakout: shown games atari:Breakout")
    return 0


def _tell_world(args: argparse.Namespace) -> int:
    """Of a world there is nothing but what can be seen and pressed."""
    if args.floor:
        raise BadInput(f"--floor: {args.game} has no levels to measure it on.")
    world = find_playable(args.game)
    first = world.reset(0) if isinstance(world, World) else None
    if args.json:
        rows = None if first is None else list(first.rows)
        print_json([{**_names(world), "max_steps": world.max_steps, "symmetries": len(world.symmetries), "grid": rows}])
        return 0
    print(f"  {printable(world.name)}  {printable(world.goal)}\n")
    for name, character in world.tokens.characters.items():
        print(f"    {character}  {name.replace('_', ' ')}")
    keys = " · ".join(f"{arrow(key)} {name}" for key, name in button_keys(world.buttons).items())
    print(f"\n  buttons, and the keys for them in shown play: {keys}")
    print(f"  no levels but seeds; an episode has at most {world.max_steps:,} steps. Seed 0 begins with\n\n{first}")
    return 0


def _tell_styles(game: Game) -> None:
    """How the scripted people play it, where there are some."""
    from shown.experiments.styles import styles_of

    styles = styles_of(game.name)
    if styles:
        width = max(len(style.name) for style in styles)
        print("\n  styles of play, for shown demonstrate --style NAME:")
        for style in styles:
            print(f"    {style.name:{width}}  {style.plays}")


def _described(game: Game) -> dict[str, Any]:
    return {**_names(game), "levels": _counts(game)}


def _names(place: Playable) -> dict[str, Any]:
    return {
        "game": place.name,
        "title": place.title,
        "goal": place.goal,
        "tokens": place.tokens.characters,
        "buttons": list(place.buttons),
    }


def _counts(game: Game) -> dict[str, int]:
    return {which: len(built_in(game, which)) for which in ("train", "test")}


def _tell_floors(games: list[Game], args: argparse.Namespace) -> int:
    where = {args.levels: 1} if args.levels else FLOORS
    floors = _floors(games, where, args.seed)
    if args.json:
        print_json(list(floors))
        return 0
    width = max(len(game.name) for game in games)
    wide = max(map(len, where))
    print(f"  {'':{width}}  {'levels':{wide}}  games  any cell  sensible")
    for told in floors:
        shares = (f"{told[kind] / told['games']:.0%}" for kind in ("any_cell", "sensible"))
        any_cell, sensible = (share.replace("%", " %") for share in shares)
        print(
            f"  {told['game']:{width}}  {told['levels']:{wide}}  {told['games']:5}  {any_cell:>8}  {sensible:>8}",
            flush=True,
        )
    return 0


def _floors(games: list[Game], where: dict[str, int], seed: int) -> Iterator[dict[str, Any]]:
    from shown.games.floors import floor

    for game in games:
        for levels, times in where.items():
            found = floor(game, load_levels(game, levels), seed, times)
            yield {
                "game": game.name,
                "levels": levels,
                "games": found.games,
                "any_cell": found.any_cell,
                "sensible": found.sensible,
            }
