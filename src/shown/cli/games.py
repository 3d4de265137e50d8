"""`shown games`: what there is to play."""

from __future__ import annotations

import argparse

from shown.cli.common import add_json, print_json
from shown.games import GAMES, find
from shown.games.levels import built_in


def configure(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("game", nargs="?", metavar="GAME", help="tell all about this one")
    add_json(parser)


def run(args: argparse.Namespace) -> int:
    games = [find(name) for name in ([args.game] if args.game else GAMES)]
    counts = [{which: len(built_in(game, which)) for which in ("train", "test")} for game in games]
    if args.json:
        print_json(
            [
                {
                    "game": game.name,
                    "title": game.title,
                    "goal": game.goal,
                    "tokens": game.tokens.characters,
                    "levels": count,
                }
                for game, count in zip(games, counts, strict=True)
            ]
        )
        return 0
    width = max(len(game.name) for game in games)
    for game, count in zip(games, counts, strict=True):
        print(f"  {game.name:{width}}  {game.goal}")
        if args.game:
            print(f"\n{type(game).__doc__}")
            for name, character in game.tokens.characters.items():
                print(f"    {character}  {name.replace('_', ' ')}")
            print(f"\n  levels: train:0-{count['train'] - 1}, test:0-{count['test'] - 1}, random:SEED-SEED")
    return 0
