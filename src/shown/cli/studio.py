"""`shown studio`: teach in the browser."""

from __future__ import annotations

import argparse
import contextlib
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from shown.cli.options import number

if TYPE_CHECKING:
    from shown.teaching.lessons.lesson_file import LessonFile
    from shown.worlds import World

DEFAULT_PORT = 7469  # S-H-O-W on a telephone


def configure(parser: argparse.ArgumentParser) -> None:
    parser.description = "Open a page in the browser on which you teach a game by playing it."
    parser.add_argument("lessons", nargs="*", metavar="LESSON", help="lesson files to open; with --class, a class file")
    parser.add_argument(
        "--class",
        dest="classroom",
        action="store_true",
        help="open a class: pupils of this network join with a code, and a page for the teacher shows them all",
    )
    parser.add_argument(
        "--port", type=number(int, 0, 65535), default=DEFAULT_PORT, metavar="N", help="port to listen on (0: any)"
    )
    parser.add_argument("--no-browser", action="store_true", help="do not open the browser")
    parser.add_argument(
        "--project",
        metavar="DIR",
        help="folder to save everything in (default: shown-studio, or shown-class with --class)",
    )
    parser.add_argument(
        "--world",
        action="append",
        default=[],
        metavar="NAME",
        help="world to teach besides the games, such as gym:FrozenLake-v1, or minecraft to watch Fence In there; "
        "repeatable",
    )
    parser.add_argument("--host", help="address to listen on (default: this machine only; with --class, all networks)")


def run(args: argparse.Namespace) -> int:
    from shown.studio.isolated import IsolatedWorld
    from shown.studio.server import serve, serve_class
    from shown.worlds import find_world
    from shown.worlds.world import WORLDS

    with contextlib.ExitStack() as stack:
        # Environments run in child processes. Any other world only shows a game that is played here.
        stages = [(find_world(name), name) for name in args.world if not name.startswith(WORLDS)]
        worlds = [stack.enter_context(IsolatedWorld(name)) for name in args.world if name.startswith(WORLDS)]
        if args.classroom:
            folder, host = args.project or "shown-class", args.host or "0.0.0.0"
            serve_class(folder, host, args.port, not args.no_browser, worlds, _class_file(args.lessons, stages))
            return 0
        here: dict[str, World] = {world.name: world for world in worlds}
        with contextlib.ExitStack() as reading:
            lessons = [_lesson(path, here, reading) for path in args.lessons]
        folder, host = args.project or "shown-studio", args.host or "127.0.0.1"
        serve(folder, host, args.port, not args.no_browser, worlds, lessons, stages)
    return 0


def _class_file(paths: Sequence[str], stages: Sequence[object]) -> Any:
    """Return the content of the class file among the arguments, or None if there is none."""
    from shown.errors import BadInput
    from shown.files import read_json
    from shown.studio.class_session import is_class_file

    if stages or len(paths) > 1:
        raise BadInput("--class takes one class file and no world to watch; give lessons to a class on its page.")
    value = read_json(paths[0], "class") if paths else None
    if paths and not is_class_file(value):
        raise BadInput(f"{paths[0]}: not a class file. Give a lesson to a class on the teacher's page.")
    return value


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
