"""`shown watch`: see a policy, or a game's expert, play."""

from __future__ import annotations

import argparse
import os
import shutil
import sys
import textwrap
import time
from typing import TYPE_CHECKING, Any

from shown.cli.common import (
    Playable,
    add_json,
    add_language,
    add_seed,
    add_starts,
    add_world,
    check_writable,
    find_playable,
    is_playable,
    load_policy,
    playable_of,
    print_json,
    say,
    starts,
)
from shown.errors import BadInput, printable

if TYPE_CHECKING:
    from shown.demonstrations import Step
    from shown.policy import Policy
    from shown.world import Episode, Player, World

SECONDS_A_STEP = 1.0


def configure(parser: argparse.ArgumentParser) -> None:
    """Adds the command's options."""
    parser.description = (
        "Plays levels and shows every click; for a policy, also why. With --gif or --png: as a picture."
    )
    parser.add_argument(
        "player", metavar="POLICY.json|GAME|WORLD", help="a learned policy, or a game or world to see its expert play"
    )
    add_language(parser)
    add_world(parser)
    add_starts(parser, "test:0", "0")
    add_seed(parser)
    parser.add_argument("--speed", type=_speed, default=1.0, metavar="S", help="2 is twice as fast (default 1)")
    parser.add_argument("--gif", metavar="FILE", help="write it as an animation instead of showing it")
    parser.add_argument("--png", metavar="FILE", help="write it as one picture, click by click, instead of showing it")
    parser.add_argument("--dark", action="store_true", help="pictures for a dark page")
    add_json(parser)


def run(args: argparse.Namespace) -> int:
    """Plays each level once, and shows or writes it."""
    from shown.world import play

    game, policy = _player(args.player, args.world, args.language)
    for path in filter(None, (args.gif, args.png)):
        check_writable(path)
    quiet = bool(args.gif or args.png or args.json)
    episodes = []
    for world, seed in starts(game, args):
        episode = play(world, policy.act if policy else _expert(world), seed)
        episodes.append(episode)
        if not quiet:
            _show(game, policy, episode, args.speed)
    if args.gif or args.png:
        _draw(game, episodes, args)
    if args.json:
        print_json(_to_json(game, policy, episodes))
    elif quiet or len(episodes) > 1:
        say(f"{game.title}: {sum(episode.won for episode in episodes)} of {len(episodes)} levels won")
    return 0


def _player(name: str, world: str | None, language: str | None) -> tuple[Playable, Policy | None]:
    """A game or world and the policy that plays it, or None for the expert."""
    if is_playable(name):
        if language is not None:
            raise BadInput(f"--language is for policies, and {name} is a game, whose expert plays. Leave it out.")
        return find_playable(name), None
    policy = load_policy(name, language)
    return playable_of(policy, name, world), policy


def _expert(world: World) -> Player:
    return lambda _: world.expert()


def _show(game: Playable, policy: Policy | None, episode: Episode, speed: float) -> None:
    """On a terminal, one picture that changes; otherwise all positions, one below the other."""
    from shown.cli.terminal import wants_colour
    from shown.render import text

    width, height = shutil.get_terminal_size()
    live, colour, drawn = sys.stdout.isatty(), wants_colour(), 0
    moves = live and os.environ.get("TERM") != "dumb" and 2 * episode.last.width < width
    print(f"{game.title} · {printable(episode.level.name)}\n")
    for number, step in enumerate(episode.steps, 1):
        board = text(step.grid, game.tokens, click=step.action, colour=colour).split("\n")
        lines = [*board, "", *_say(number, step, policy, width), ""]
        # What has scrolled off the screen cannot be drawn over, so a block too tall for it is followed by the next.
        print(f"\x1b[{drawn}A\x1b[J" if moves and 0 < drawn < height else "", end="")
        print("\n".join(lines), flush=True)
        drawn = len(lines)
        if live:
            time.sleep(SECONDS_A_STEP / speed)
    print(f"\x1b[{drawn}A\x1b[J" if moves and 0 < drawn < height else "", end="")
    print(text(episode.last, game.tokens, colour=colour))
    print(f"\n{_outcome(episode)}\n", flush=True)


def _say(number: int, step: Step, policy: Policy | None, width: int) -> list[str]:
    """What is done, and for a policy why."""
    if policy is None:
        action = step.action
        where = f"button {action}" if isinstance(action, str) else f"click row {action[0]}, column {action[1]}"
        return [f"{number}. {where}"]
    from shown.explain import explain

    first, *reasons = explain(policy, step.grid, step.action).text.split("\n")
    lines = [f"{number}. {first}"]
    for reason in reasons:
        indent = " " * (len(reason) - len(reason.lstrip()))
        lines += textwrap.wrap(
            reason.strip(), max(20, width - 1), initial_indent=indent, subsequent_indent=indent + "  "
        )
    return lines


def _outcome(episode: Episode) -> str:
    clicks = f"{len(episode.steps)} {'step' if len(episode.steps) == 1 else 'steps'}"
    return f"{printable(episode.level.name)}: {episode.demonstration.outcome} after {clicks}"


def _draw(game: Playable, episodes: list[Episode], args: argparse.Namespace) -> None:
    from shown.files import write_bytes
    from shown.render import film, gif, png, strip

    films = [film(episode.steps, episode.last, episode.demonstration.outcome) for episode in episodes]
    frames = [frame for one in films for frame in one]
    if args.gif:
        write_bytes(args.gif, gif(frames, game.tokens, game.name, dark=args.dark, speed=args.speed))
    if args.png:
        told = [frame for frame in frames if frame.click is not None or frame.outcome]
        write_bytes(args.png, png(strip(told, game.tokens, game.name, dark=args.dark)))
    say(f"wrote {' and '.join(name for name in (args.gif, args.png) if name)}")


def _to_json(game: Playable, policy: Policy | None, episodes: list[Episode]) -> dict[str, Any]:
    from shown.demonstrations import Demonstrations

    demonstrations = Demonstrations(
        game.tokens, tuple(episode.demonstration for episode in episodes), game.name, game.buttons
    )
    runs = demonstrations.to_json()["demonstrations"]
    for one, episode in zip(runs, episodes, strict=True):
        one["last"] = list(episode.last.rows)
        if policy is not None:
            from shown.explain import explain

            for step, told in zip(episode.steps, one["steps"], strict=True):
                told["why"] = explain(policy, step.grid, step.action).text
    return {
        "game": game.name,
        "player": "policy" if policy else "expert",
        "won": sum(episode.won for episode in episodes),
        "of": len(episodes),
        "runs": runs,
    }


def _speed(text: str) -> float:
    try:
        value = float(text)
    except ValueError:
        value = 0.0
    if not 0 < value <= 1000:
        raise argparse.ArgumentTypeError(f"{text!r} is not a speed: a number above 0 and up to 1000, such as 2")
    return value
