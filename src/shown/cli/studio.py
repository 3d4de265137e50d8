"""`shown studio`: teach by showing, in the browser."""

from __future__ import annotations

import argparse
import contextlib
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from shown.studio.lessons import Shared
    from shown.world import World

DEFAULT_PORT = 7469


def configure(parser: argparse.ArgumentParser) -> None:
    """Adds the command's options."""
    parser.description = "Opens a page in the browser on which you teach the computer a game by playing it."
    parser.add_argument("lessons", nargs="*", metavar="LESSON", help="lessons that somebody has sent, to be opened")
    parser.add_argument("--port", type=_port, default=DEFAULT_PORT, help="port to listen on (0: any free one)")
    parser.add_argument("--no-browser", action="store_true", help="do not open the browser")
    parser.add_argument("--project", default="shown-studio", metavar="DIR", help="folder everything is saved in")
    parser.add_argument(
        "--world",
        action="append",
        default=[],
        metavar="NAME",
        help="a world to teach beside the games, such as gym:FrozenLake-v1, or minecraft, to watch Fence In there; may "
        "be given again",
    )
    parser.add_argument(
        "--host",
        default="127.0.0.1",
        help="address to listen on; by default this machine only",
    )


def run(args: argparse.Namespace) -> int:
    """Runs until interrupted."""
    from shown.studio.apart import Apart
    from shown.studio.server import serve
    from shown.world import WORLDS
    from shown.worlds import find

    with contextlib.ExitStack() as stack:
        # Environments have processes of their own; what else there is only looks on at a game.
        stages = [(find(name), name) for name in args.world if not name.startswith(WORLDS)]
        worlds = [stack.enter_context(Apart(name)) for name in args.world if name.startswith(WORLDS)]
        here: dict[str, World] = {world.name: world for world in worlds}
        lessons = [_lesson(path, here) for path in args.lessons]
        serve(args.project, args.host, args.port, not args.no_browser, worlds, lessons, stages)
    return 0


def _lesson(path: str, worlds: Mapping[str, World]) -> Shared:
    """A lesson that somebody has sent, checked before anything is opened."""
    from shown.errors import BadInput
    from shown.games import GAMES, find
    from shown.studio.lessons import load_lesson, policy_of

    if path in GAMES and not Path(path).exists():
        raise BadInput(f"{path} is a game: choose it on the page. What is given here are lessons that were sent.")
    shared = load_lesson(path, lambda name: worlds[name] if name in worlds else find(name))
    if shared.policy is not None:
        policy_of(shared.game, shared.policy, f"{path}, policy")
    return shared


def _port(text: str) -> int:
    if not text.isascii() or not text.isdigit() or int(text) > 65535:
        raise argparse.ArgumentTypeError(f"{text!r} is not a port: a whole number from 0 to 65535")
    return int(text)
