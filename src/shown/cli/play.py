"""`shown play`: play a game by typing its actions, and record a demonstration."""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Iterator, Sequence

from shown.cli import options
from shown.cli.inputs import playable_named, starts
from shown.cli.output import check_writable, count, say
from shown.demonstrations import Demonstration, Demonstrations
from shown.errors import BadInput, did_you_mean, printable
from shown.grid import Action, action_from_text
from shown.render import text
from shown.teaching.dialogue.recording import Attempt, begin, play_on
from shown.worlds import Playable, World

COMMANDS = ("undo", "save", "quit")


def configure(parser: argparse.ArgumentParser) -> None:
    parser.description = "Play a game or world by typing cells or buttons, and record a demonstration."
    parser.add_argument("game", metavar="GAME|WORLD", help="game such as nim, or world such as gym:FrozenLake-v1")
    options.add_starts(parser, "train:0", "0")
    options.add_seed(parser)
    parser.add_argument("--out", metavar="FILE", help="demonstrations file to create or add to")


def run(args: argparse.Namespace) -> int:
    game = playable_named(args.game)
    begins = starts(game, args)
    if args.out:  # report a file that cannot be used before anybody plays
        check_writable(args.out)
        add_to(args.out, game)
    for world, seed in begins:
        kept = play_level(world, begin(world.level(seed), seed))
        if kept is None:
            break
        if args.out:
            number = add_to(args.out, game, kept.demonstration)
            say(f"saved in {args.out}, which now holds {count(number, 'demonstration')}")
        else:
            say("To save demonstrations, give a file: --out demos.json")
    return 0


def play_level(world: World, start: Attempt) -> Attempt | None:
    """Have a level played until it is won or saved, and return the attempt; None if the player quits."""
    attempts = [start]
    commands = [name for name in COMMANDS if name not in world.buttons]
    how = " · ".join(world.buttons) or "row,column of a cell, such as 2,5"
    print(printable(f"{world.title} · {start.level.name}"))
    print(f"{printable(world.goal)}\nType {how} · {' · '.join(commands)}")
    _show(world, start)
    for word in typed_words():
        try:
            chosen = choice(word, (*world.buttons, *commands))
            if chosen not in commands:
                attempts.append(_after(world, attempts[-1], chosen))
            elif chosen == "undo":
                attempts = attempts[:-1] or [start]
            elif chosen == "quit":
                return None
            elif attempts[-1].steps:
                return attempts[-1]
        except BadInput as error:
            print(printable(str(error)))
            continue
        _show(world, attempts[-1])
        if attempts[-1].won:
            return attempts[-1]
    return None


def typed_words() -> Iterator[str]:
    """Yield what is typed, word by word, to the end of the input."""
    while True:
        try:
            yield from input("> ").split()
        except EOFError:
            return


def choice(word: str, choices: Sequence[str]) -> Action:
    """Return the action or command that a word stands for: a cell, a name, or an unambiguous beginning of a name.

    >>> choice("2,5", COMMANDS), choice("s", COMMANDS), choice("up", ("up", "undo"))
    ((2, 5), 'save', 'up')
    """
    action = action_from_text(word)
    if not isinstance(action, str) or action in choices:
        return action
    found = [name for name in choices if name.startswith(word)]
    if len(found) != 1:
        several = f"{word!r} could be {' or '.join(found)}."
        raise BadInput(several if found else f"nothing is called {word!r}. {did_you_mean(word, choices)}")
    return found[0]


def _after(world: World, attempt: Attempt, action: Action) -> Attempt:
    then = play_on(world, attempt, action)
    if then is attempt:
        raise BadInput("That action has no effect and is not recorded.")
    return then


def board(world: World, attempt: Attempt) -> str:
    """Return the position as text; where actions are clicks, with the numbers of rows and columns."""
    color = sys.stdout.isatty() and not os.environ.get("NO_COLOR") and os.environ.get("TERM") != "dumb"
    lines = text(attempt.grid, world.tokens, color=color).split("\n")
    if world.buttons:
        return "\n".join(lines)
    columns = range(attempt.grid.width)
    tens = ["".join(f"{c // 10 or '':>2}" for c in columns)] if len(columns) > 10 else []
    ones = "".join(f"{c % 10:>2}" for c in columns)
    return "\n".join([*(f"   {line}" for line in (*tens, ones)), *(f"{r:>3}{line}" for r, line in enumerate(lines))])


def _show(world: World, attempt: Attempt) -> None:
    """Print the position and how the game stands."""
    played = count(len(attempt.steps), "step" if world.buttons else "click")
    lost = f"Lost after {played}: undo the last, or save." if attempt.over else f"{played} so far."
    print(f"\n{board(world, attempt)}\n{f'You won in {played}!' if attempt.won else lost}")


def add_to(path: str, game: Playable, demonstration: Demonstration | None = None) -> int:
    """Add to a demonstrations file and return the number in it; without a demonstration, only check the file."""
    new = Demonstrations(game.tokens, (demonstration,) if demonstration else (), game.name, game.buttons)
    if os.path.exists(path):
        old = Demonstrations.load(path)
        if (old.game, old.tokens, old.buttons) != (new.game, new.tokens, new.buttons):
            raise BadInput(f"{path}: holds demonstrations of {old.game or 'another task'}, not of {game.name}.")
        new = old + new
    if demonstration is not None:
        new.save(path)
    return len(new)
