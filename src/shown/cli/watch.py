"""`shown watch`: a policy or an expert plays."""

from __future__ import annotations

import argparse
import os
import shutil
import sys
import textwrap
import time
from typing import Any

from shown.cli import options
from shown.cli.inputs import is_playable, load_policy, playable_named, playable_of, starts
from shown.cli.output import check_writable, count, print_json, say
from shown.cli.terminal import wants_color
from shown.demonstrations import Demonstrations, Step
from shown.errors import BadInput, printable
from shown.explain import explain
from shown.files import write_bytes
from shown.policy import Policy
from shown.render import film, gif, png, strip, text
from shown.worlds import Episode, Playable, play
from shown.worlds.episodes import play_expert

SECONDS_PER_STEP = 1.0


def configure(parser: argparse.ArgumentParser) -> None:
    parser.description = "Play levels and show every action; for a policy, also the reason. --gif and --png draw it."
    parser.add_argument(
        "player", metavar="POLICY|GAME|WORLD", help="policy file; or a game or world, whose expert plays"
    )
    options.add_language(parser)
    options.add_world(parser)
    options.add_starts(parser, "test:0", "0")
    options.add_seed(parser)
    parser.add_argument(
        "--speed", type=options.number(float, 0.001, 1000), default=1.0, metavar="X", help="playback speed (default: 1)"
    )
    parser.add_argument("--gif", metavar="FILE", help="write an animation instead of showing it")
    parser.add_argument("--png", metavar="FILE", help="write one picture per action side by side instead")
    parser.add_argument("--dark", action="store_true", help="draw pictures for a dark page")
    options.add_json(parser)


def run(args: argparse.Namespace) -> int:
    game, policy = _player(args.player, args.world, args.language)
    check_writable(args.gif)
    check_writable(args.png)
    quiet = bool(args.gif or args.png or args.json)
    episodes = []
    for world, seed in starts(game, args):
        episode = play(world, policy.act, seed=seed) if policy else play_expert(world, seed=seed)
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
    """Return a game or world and the policy that plays it, or None for the expert."""
    if is_playable(name):
        if language is not None:
            raise BadInput(f"--language is for policies; in {name} the expert plays. Omit the option.")
        return playable_named(name), None
    policy = load_policy(name, language)
    return playable_of(policy, name, world), policy


def _show(game: Playable, policy: Policy | None, episode: Episode, speed: float) -> None:
    """Print an episode: redrawn in place on a terminal, else one position below the other."""
    width, height = shutil.get_terminal_size()
    live, color, drawn = sys.stdout.isatty(), wants_color(), 0
    moves = live and os.environ.get("TERM") != "dumb" and 2 * episode.last.width < width
    print(f"{game.title} · {printable(episode.level.name)}\n")
    for number, step in enumerate(episode.steps, 1):
        board = text(step.grid, game.tokens, click=step.action, color=color).split("\n")
        lines = [*board, "", *_describe(number, step, policy, width), ""]
        # Lines that scrolled off the screen cannot be redrawn, so a board taller than the screen is printed below.
        print(f"\x1b[{drawn}A\x1b[J" if moves and 0 < drawn < height else "", end="")
        print("\n".join(lines), flush=True)
        drawn = len(lines)
        if live:
            time.sleep(SECONDS_PER_STEP / speed)
    print(f"\x1b[{drawn}A\x1b[J" if moves and 0 < drawn < height else "", end="")
    print(text(episode.last, game.tokens, color=color))
    outcome, steps = episode.demonstration.outcome, count(len(episode.steps), "step")
    print(f"\n{printable(episode.level.name)}: {outcome} after {steps}\n", flush=True)


def _describe(number: int, step: Step, policy: Policy | None, width: int) -> list[str]:
    """Return the lines on an action and, for a policy, its reasons."""
    if policy is None:
        action = step.action
        where = f"button {action}" if isinstance(action, str) else f"click row {action[0]}, column {action[1]}"
        return [f"{number}. {where}"]
    first, *reasons = explain(policy, step.grid, step.action).text.split("\n")
    lines = [f"{number}. {first}"]
    for reason in reasons:
        indent = " " * (len(reason) - len(reason.lstrip()))
        lines += textwrap.wrap(
            reason.strip(), max(20, width - 1), initial_indent=indent, subsequent_indent=indent + "  "
        )
    return lines


def _draw(game: Playable, episodes: list[Episode], args: argparse.Namespace) -> None:
    films = [film(episode.steps, episode.last, episode.demonstration.outcome) for episode in episodes]
    frames = [frame for one in films for frame in one]
    if args.gif:
        write_bytes(args.gif, gif(frames, game.tokens, game.name, dark=args.dark, speed=args.speed))
    if args.png:
        drawn = [frame for frame in frames if frame.click is not None or frame.outcome]
        write_bytes(args.png, png(strip(drawn, game.tokens, game.name, dark=args.dark)))
    say(f"wrote {' and '.join(name for name in (args.gif, args.png) if name)}")


def _to_json(game: Playable, policy: Policy | None, episodes: list[Episode]) -> dict[str, Any]:
    items = tuple(episode.demonstration for episode in episodes)
    runs = Demonstrations(game.tokens, items, game.name, game.buttons).to_json()["demonstrations"]
    for run_json, episode in zip(runs, episodes, strict=True):
        run_json["last"] = list(episode.last.rows)
        if policy is not None:
            for step, step_json in zip(episode.steps, run_json["steps"], strict=True):
                step_json["why"] = explain(policy, step.grid, step.action).text
    return {
        "game": game.name,
        "player": "policy" if policy else "expert",
        "won": sum(episode.won for episode in episodes),
        "of": len(episodes),
        "runs": runs,
    }
