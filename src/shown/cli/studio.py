"""`shown studio`: teach in the browser."""

from __future__ import annotations

import argparse
import contextlib
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING

from shown.cli.options import number

if TYPE_CHECKING:
    from shown.teaching.lessons.lesson_file import LessonFile
    from shown.worlds import World

DEFAULT_PORT = 7469  # S-H-O-W on a telephone


def configure(parser: argparse.ArgumentParser) -> None:
    parser.description = "Open a page in the browser on which you teach a game by playing it."
    parser.add_argument("lessons", nargs="*", metavar="LESSON", help="lesson files to open")
    parser.add_argument(
        "--port", type=number(int, 0, 65535), default=DEFAULT_PORT, metavar="N", help="port to listen on (0: any)"
    )
    parser.add_argument("--no-browser", action="store_true", help="do not open the browser")
    parser.add_argument(
        "--project",
        metavar="DIR",
        default="shown-studio",
        help="folder to save everything in (default: shown-studio)",
    )
    parser.add_argument(
        "--world",
        action="append",
        default=[],
        metavar="NAME",
        help="world to teach besides the games, such as gym:FrozenLake-v1; repeatable",
    )
    parser.add_argument("--host", default="127.0.0.1", help="address to listen on (default: this machine only)")


def run(args: argparse.Namespace) -> int:
    from shown.errors import BadInput
    from shown.studio.isolated import IsolatedWorld
    from shown.studio.server import serve
    from shown.worlds.world import WORLDS

    for name in args.world:
        if not name.startswith(WORLDS):
            raise BadInput(f"--world {name}: not a world to teach. Worlds are gym:ID and atari:Breakout.")
    with contextlib.ExitStack() as stack:
        worlds = [stack.enter_context(IsolatedWorld(name)) for name in args.world]
        here: dict[str, World] = {world.name: world for world in worlds}
        with contextlib.ExitStack() as reading:
            lessons = [_lesson(path, here, reading) for path in args.lessons]
        serve(args.project, args.host, args.port, not args.no_browser, worlds, lessons)
    return 0


def _lesson(path: str, worlds: Mapping[str, World], reading: contextlib.ExitStack) -> LessonFile:
    """Load a lesson and check its policy before the page opens.

    A game of another package runs in a child process, which ends with `reading`.
    """
    from shown.errors import BadInput
    from shown.studio.isolated import IsolatedGame
    from shown.teaching.lessons.lesson_file import load_lesson, policy_of
    from shown.worlds import GAMES, Playable, all_games, find_game

    def find(name: str) -> Playable:
        if name in worlds:
            return worlds[name]
        if name in GAMES or name not in all_games():
            return find_game(name)
        return reading.enter_context(IsolatedGame(name))

    if path in GAMES and not Path(path).exists():
        raise BadInput(f"{path} is a game: choose it on the page. Expected a lesson file.")
    shared = load_lesson(path, find)
    if shared.policy is not None:
        policy_of(shared.game, shared.policy, f"{path}, policy")
    return shared
