"""`shown correct`: watch a policy play, and show it what to do where it goes wrong."""

from __future__ import annotations

import argparse
import os
from typing import TYPE_CHECKING

from shown.cli.common import (
    Playable,
    add_language,
    add_seed,
    add_starts,
    add_world,
    check_writable,
    load_policy,
    natural,
    playable_of,
    print_json,
    say,
    starts,
)
from shown.cli.play import Session, add_to, count, report, show
from shown.errors import BadInput
from shown.grid import action_from_text

if TYPE_CHECKING:
    from shown.demonstrations import Demonstration
    from shown.grid import Action, Cell, Grid
    from shown.policy import Policy
    from shown.world import Episode, Start

_ON, _BACK = ("enter", "space", "right", "down"), ("left", "up", "b")


def configure(parser: argparse.ArgumentParser) -> None:
    """Adds the command's options."""
    parser.description = (
        "Lets a policy play, step by step, and you step in where it goes wrong: what you do there becomes a "
        "demonstration. With --at and --action, without a terminal."
    )
    parser.add_argument("policy", metavar="POLICY", help="a policy file")
    add_language(parser)
    add_world(parser)
    add_starts(parser, "random:0-23", "0-23", "what it plays; those it wins are left out, unless there is only one")
    add_seed(parser)
    parser.add_argument(
        "--demos", metavar="FILE", help="demonstrations to begin with (default: those in --out, if any)"
    )
    parser.add_argument("--out", metavar="FILE", help="demonstrations file to add to; made if there is none")
    parser.add_argument(
        "--learn", metavar="FILE", help="learn each correction at once, and write the amended policy there"
    )
    parser.add_argument("--at", type=natural, metavar="STEP", help="the step that was wrong, from 0")
    parser.add_argument(
        "--action",
        action="append",
        metavar="R,C",
        help="what to do there instead, a cell or a button; give it again for what to do after that",
    )


def run(args: argparse.Namespace) -> int:
    """Writes each correction before the next level is played."""

    if (args.at is None) != (args.action is None):
        raise BadInput("--at and --action go together: the step that was wrong, and what to do there.")
    if args.at is None and not args.out:
        raise BadInput("corrections need a file to be kept in. Give one: --out demos.json")
    policy = load_policy(args.policy, args.language)
    game = playable_of(policy, args.policy, args.world)
    begins = starts(game, args)
    if args.at is not None and len(begins) > 1:
        raise BadInput(f"--at speaks of one level, and these are {len(begins)}. Name one.")
    if args.out:
        _check_files(args.demos, args.out, game)
    learning = _Learning(args, game, policy, begins) if args.learn else None
    if args.at is not None:
        return _correct_one(args, game, policy, begins[0], learning)
    return _correct_by_hand(args, game, policy, begins, learning)


class _Learning:
    """Learns each correction as it comes, and writes what comes of it."""

    def __init__(self, args: argparse.Namespace, game: Playable, policy: Policy, begins: list[Start]) -> None:
        from shown.demonstrations import Demonstrations
        from shown.teaching.teach import Pupil

        check_writable(args.learn)
        self.path, self.game = args.learn, game
        self.pupil = Pupil(game, keep=begins, seed=args.seed)
        begun = args.out if args.out and os.path.exists(args.out) else args.demos
        self.pupil.remember(policy, Demonstrations.load(begun) if begun else None)

    def __call__(self, fix: Demonstration) -> Policy:
        from shown.demonstrations import Demonstrations

        shown = Demonstrations(self.game.tokens, (fix,), self.game.name, self.game.buttons)
        taught = self.pupil.correct(shown)
        if not taught.learned:
            raise BadInput(f"nothing fits this correction and what was shown before; {self.path} was not written.")
        taught.policy.save(self.path)
        lost = f"; it no longer wins {', '.join(taught.lost)}" if taught.lost else ""
        say(f"learned, and written to {self.path}{lost}")
        return taught.policy


def _check_files(demos: str | None, out: str, game: Playable) -> None:
    """Whoever has found a mistake must not hear only then that it cannot be kept."""
    check_writable(out)
    if demos is not None and os.path.exists(out) and not (os.path.exists(demos) and os.path.samefile(demos, out)):
        raise BadInput(f"{out}: is there already. Leave out --demos to add to it, or give another name.")
    add_to(out, game, start=demos)


def _correct_one(
    args: argparse.Namespace, game: Playable, policy: Policy, start: Start, learning: _Learning | None
) -> int:
    from shown.demonstrations import Demonstrations
    from shown.teaching.corrections import position_at, show_from

    actions = [_action(text, game) for text in args.action]
    world, seed = start
    fix = show_from(world, position_at(world, policy.act, args.at, seed), *actions)
    if args.out:
        number = add_to(args.out, game, fix, args.demos)
        say(f"{fix.level}: step {args.at} corrected; {args.out} now holds {count(number, 'demonstration')}")
    elif learning is None:
        print_json(Demonstrations(game.tokens, (fix,), game.name, game.buttons).to_json())
    if learning is not None:
        learning(fix)
    return 0


def _correct_by_hand(
    args: argparse.Namespace, game: Playable, policy: Policy, begins: list[Start], learning: _Learning | None
) -> int:
    from shown.cli.terminal import Screen
    from shown.teaching.corrections import stepping_in
    from shown.teaching.recording import Recorder
    from shown.world import play

    played = [(world, play(world, policy.act, seed)) for world, seed in begins]
    wrong = [(world, episode) for world, episode in played if not episode.won] if len(played) > 1 else played
    if not wrong:
        say(f"{game.title}: all {len(begins)} levels won; there is nothing to correct. Try others with --levels.")
        return 0
    for world, before in wrong:
        episode = before if learning is None else play(world, policy.act, before.seed)
        if episode.won and not before.won:
            continue  # a correction has put it right
        watching = Watching(game, episode)
        with Screen() as screen:
            show(watching, screen)
        if watching.stepped_in is None:
            if watching.skipped:
                continue
            break
        position = stepping_in(episode, watching.stepped_in)
        session = Session(Recorder(world, position.level, position.seed, position.before))
        session.message = "Show it what to do here."
        if watching.clicked is not None:
            session.click(watching.clicked)
        try:
            with Screen() as screen:
                show(session, screen)
        except (KeyboardInterrupt, SystemExit):
            session.handle("interrupt")
            report(session, args.out, args.demos)
            raise
        report(session, args.out, args.demos)
        if session.interrupted:
            break
        if learning is not None and session.kept is not None:
            policy = learning(session.kept)
    return 0


class Watching:
    """A policy's game, gone through step by step, until somebody steps in.

    Attributes:
        cursor: what the computer did next.
        done: the viewer has seen enough.
        skipped: the viewer wants to see the next level.
        stepped_in: the step at which the viewer steps in, or None.
        clicked: the cell that was clicked to do so, or None.
    """

    def __init__(self, game: Playable, episode: Episode) -> None:
        self.game, self.episode = game, episode
        self.at = 0
        self.done = self.skipped = False
        self.stepped_in: int | None = None
        self.clicked: Cell | None = None

    @property
    def grid(self) -> Grid:
        steps = self.episode.steps
        return steps[self.at].grid if self.at < len(steps) else self.episode.last

    @property
    def heading(self) -> str:
        return f"{self.game.title} · {self.episode.level.name} · the computer plays"

    @property
    def cursor(self) -> Cell:
        action = self._action
        return action if isinstance(action, tuple) else (self.grid.height // 2, self.grid.width // 2)

    @property
    def message(self) -> str:
        steps, action = self.episode.steps, self._action
        if action is None:
            ended = self.episode.demonstration.outcome
            return f"It ended after {count(len(steps), 'step')}: {ended}. Go back to where it went wrong."
        what = f"presses {action}" if isinstance(action, str) else f"clicks row {action[0]}, column {action[1]}"
        return f"Step {self.at} of {len(steps)}: here it {what}."

    @property
    def choices(self) -> str:
        step_in = "" if self._action is None else "t step in here · "
        how = "" if self.game.buttons or self._action is None else " (or click what it should do)"
        return f"Enter on · b back · {step_in}n next level · q quit{how}"

    def handle(self, event: str) -> None:
        """A key, by its name."""
        if event in _ON:
            self.at = min(self.at + 1, len(self.episode.steps))
        elif event in _BACK:
            self.at = max(self.at - 1, 0)
        elif event == "t" and self._action is not None:
            self.stepped_in, self.done = self.at, True
        elif event == "n":
            self.skipped = self.done = True
        elif event in ("q", "escape", "interrupt"):
            self.done = True

    def click(self, cell: Cell) -> None:
        """To click a cell is to step in with that click."""
        if self._action is not None and not self.game.buttons and self.grid.inside(cell):
            self.clicked = cell
            self.handle("t")

    @property
    def _action(self) -> Action | None:
        steps = self.episode.steps
        return steps[self.at].action if self.at < len(steps) else None


def _action(text: str, game: Playable) -> Action:
    """An action as it is written on the command line."""
    action = action_from_text(text)
    if isinstance(action, str) and not game.buttons:
        raise BadInput(f"--action {text!r}: a cell is a row and a column from 0, such as 2,5.")
    return action
