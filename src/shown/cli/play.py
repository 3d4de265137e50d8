"""`shown play`: play a game in the terminal and record a demonstration."""

from __future__ import annotations

import argparse
import os
import textwrap
from dataclasses import dataclass

from shown.cli import options
from shown.cli.inputs import playable_named, starts
from shown.cli.output import check_writable, count, say
from shown.cli.terminal import Screen, wants_color
from shown.demonstrations import Demonstration, Demonstrations
from shown.errors import BadInput
from shown.grid import Action, Cell, Grid
from shown.render import text
from shown.teaching.dialogue.recording import Attempt, Recorder
from shown.worlds import Episode, Playable
from shown.worlds.keyboard import arrow, button_keys

OTHER_KEYS = "u undo · r redo · s start over · q quit"
KEYS = f"arrows and Enter, or mouse: click · {OTHER_KEYS}"
_MOVES = {"up": (-1, 0), "down": (1, 0), "left": (0, -1), "right": (0, 1)}
_TOO_SMALL = 8, 16
_ON, _BACK = ("enter", "space", "right", "down"), ("left", "up", "b")  # while watching


def configure(parser: argparse.ArgumentParser) -> None:
    parser.description = "Play a game or world in the terminal with keys or mouse, and record a demonstration."
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
        session = Session(Recorder(world, world.level(seed), seed), keeps=bool(args.out))
        run_session(session, args.out)
        if not session.goes_on:
            break
    return 0


class Session:
    """A level being played, independent of the terminal.

    Attributes:
        keeps: whether demonstrations are kept.
        cursor: the cell that Enter clicks.
        done: the player has finished this level.
        goes_on: the player wants the next level.
        interrupted: the player, or a signal, stopped the session.
        kept: the demonstration to keep once done, or None.
    """

    def __init__(self, recorder: Recorder, keeps: bool = True) -> None:
        self.recorder, self.game, self.keeps = recorder, recorder.game, keeps
        self._keys = button_keys(recorder.game.buttons)
        self.cursor: Cell = (self.grid.height // 2, self.grid.width // 2)
        self.message = "Your turn."
        self.done = False
        self.goes_on = False
        self.interrupted = False
        self.kept: Demonstration | None = None
        self._asking = False

    @property
    def attempt(self) -> Attempt:
        return self.recorder.attempt

    @property
    def grid(self) -> Grid:
        return self.attempt.grid

    @property
    def heading(self) -> str:
        return f"{self.game.title} · {self.attempt.level.name}"

    @property
    def choices(self) -> str:
        """Keys that can be pressed now."""
        if self._asking:
            return "y keep · n discard · Esc continue"
        if self.attempt.over:
            return "Enter next · u undo · s start over · q quit"
        buttons = (f"{arrow(key)} {name}" for key, name in self._keys.items())
        return " · ".join((*buttons, OTHER_KEYS)) if self._keys else KEYS

    def handle(self, event: str) -> None:
        """Handle a key by its name."""
        if event == "interrupt":
            self.interrupted = True
            self._finish(keep=self.attempt.won)
        elif self._asking:
            self._answer(event)
        elif event in self._keys:
            self._act(self._keys[event])
        elif event in _MOVES:
            (r, c), (dr, dc), (height, width) = self.cursor, _MOVES[event], self.grid.shape
            self.cursor = (r + dr) % height, (c + dc) % width
        elif event in ("enter", "space"):
            if self.attempt.over:
                self._finish(keep=self.attempt.won, goes_on=True)
            elif not self._keys:
                self.click(self.cursor)
        elif event == "u":
            self.message = "Undone." if self.recorder.undo() else "Nothing to undo."
        elif event == "r":
            self.message = self._standing() if self.recorder.redo() else "Nothing to redo."
        elif event == "s":
            self.message = (
                f"Back at the start (r redoes the {self._thing}s)." if self.recorder.restart() else self._standing()
            )
        elif event in ("q", "escape"):
            self._quit()

    def click(self, cell: Cell) -> None:
        """Click a cell; clicks outside the grid are ignored."""
        if self._asking or not self.grid.inside(cell):
            return
        self.cursor = cell
        if not self._keys:
            self._act(cell)

    def _act(self, action: Action) -> None:
        over, before = self.attempt.over, self.grid
        if self.recorder.act(action):
            changed = self.grid != before or self.attempt.over
            self.message = self._standing() if changed else f"{self._standing()} Nothing changed; u undoes it."
        elif not over:
            self.message = "That action has no effect and is not recorded."

    @property
    def _thing(self) -> str:
        return "step" if self._keys else "click"

    @property
    def clicks(self) -> str:
        return count(len(self.attempt.steps), self._thing)

    def _standing(self) -> str:
        if self.attempt.won:
            return f"You won in {self.clicks}!"
        if self.attempt.over:
            return f"Lost after {self.clicks}. u undoes the last one."
        return f"{self.clicks} so far." if self.attempt.steps else "Your turn."

    def _quit(self) -> None:
        if self.attempt.won or not self.keeps or not self.attempt.steps:
            self._finish(keep=self.attempt.won)
        else:
            self._asking = True
            what = "lost" if self.attempt.over else "not won yet"
            self.message = f"This game is {what}. Keep its {self.clicks} as a demonstration?"

    def _answer(self, event: str) -> None:
        if event in ("y", "n"):
            self._finish(keep=event == "y")
        elif event == "escape":
            self._asking, self.message = False, self._standing()

    def _finish(self, keep: bool, goes_on: bool = False) -> None:
        self.done, self.goes_on = True, goes_on
        self.kept = self.recorder.demonstration if keep else None


class Watching:
    """An episode of a policy, viewed step by step until the viewer takes over.

    Attributes:
        skipped: the viewer wants the next level.
        stepped_in: the step at which the viewer takes over, or None.
        clicked: the cell that the viewer clicked to take over, or None.
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
            return f"Ended after {count(len(steps), 'step')}: {ended}. Go back to the step that was wrong."
        what = f"presses {action}" if isinstance(action, str) else f"clicks row {action[0]}, column {action[1]}"
        return f"Step {self.at} of {len(steps)}: it {what}."

    @property
    def choices(self) -> str:
        step_in = "" if self._action is None else "t take over · "
        how = "" if self.game.buttons or self._action is None else " (or click the correct cell)"
        return f"Enter forward · b back · {step_in}n next level · q quit{how}"

    def handle(self, event: str) -> None:
        """Handle a key by its name."""
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
        """Take over with a click on this cell."""
        if self._action is not None and not self.game.buttons and self.grid.inside(cell):
            self.clicked = cell
            self.handle("t")

    @property
    def _action(self) -> Action | None:
        steps = self.episode.steps
        return steps[self.at].action if self.at < len(steps) else None


@dataclass(frozen=True, slots=True)
class Layout:
    """The lines on the screen, the first line of the board, its first visible cell, and its visible shape."""

    lines: list[str]
    top: int
    corner: Cell
    shape: tuple[int, int]

    def cell(self, line: int, column: int) -> Cell | None:
        """Return the cell at a position of the screen."""
        r, c = line - self.top, column // 2
        inside = 0 <= r < self.shape[0] and 0 <= c < self.shape[1]
        return (r + self.corner[0], c + self.corner[1]) if inside else None


def lay_out(session: Session | Watching, size: tuple[int, int], color: bool = False) -> Layout:
    """Lay a session out on a screen of `size` lines and columns; a large board scrolls with the cursor."""
    game, grid, (r, c) = session.game, session.grid, session.cursor
    if size[0] < _TOO_SMALL[0] or size[1] < _TOO_SMALL[1]:
        return Layout(["Please enlarge the window."[: size[1]]], 0, (0, 0), (0, 0))
    head = [session.heading, *_wrap(game.goal, size[1]), ""]
    foot = ["", *_wrap(session.message, size[1]), *_wrap(session.choices, size[1])]
    if len(head) + len(foot) + min(grid.height, 3) > size[0]:
        head, foot = head[:1], foot[1:3]
    rows = min(grid.height, size[0] - len(head) - len(foot))
    columns = min(grid.width, (size[1] - 1) // 2)
    top, left = _scroll(r, rows, grid.height), _scroll(c, columns, grid.width)
    part = Grid(tuple(row[left : left + columns] for row in grid.rows[top : top + rows]))
    cursor = None if game.buttons else (r - top, c - left)
    board = text(part, game.tokens, click=cursor, color=color).split("\n")
    head[0] = head[0][: size[1]]
    return Layout([*head, *board, *foot], len(head), (top, left), (rows, columns))


def show(session: Session | Watching, screen: Screen) -> None:
    """Show a session on the screen and pass keys and clicks to it until it is done."""
    color = wants_color()

    def redraw() -> None:
        screen.draw(lay_out(session, screen.size, color).lines)

    while not session.done:
        redraw()
        for event in screen.wait(redraw):
            if session.done:
                break
            if isinstance(event, str):
                session.handle(event)
            elif (cell := lay_out(session, screen.size).cell(event.line, event.column)) is not None:
                session.click(cell)


def run_session(session: Session, out: str | None, start: str | None = None) -> None:
    """Show a session, report the outcome, and save the demonstration to keep in `out` (see `add_to`)."""
    try:
        with Screen() as screen:
            show(session, screen)
    except (KeyboardInterrupt, SystemExit):
        session.handle("interrupt")  # keeps a game that was won
        _report(session, out, start)
        raise
    _report(session, out, start)


def _report(session: Session, out: str | None, start: str | None) -> None:
    attempt, name, clicks = session.attempt, session.attempt.level.name, session.clicks
    ended = f"{name}: won in {clicks}" if attempt.won else f"{name}: {attempt.outcome} after {clicks}"
    if session.kept is not None and out:
        number = add_to(out, session.game, session.kept, start)
        ended += f"; saved in {out}, which now holds {count(number, 'demonstration')}"
    elif attempt.won:
        ended += ". To save demonstrations, give a file: --out demos.json"
    say(ended)


def add_to(path: str, game: Playable, demonstration: Demonstration | None = None, start: str | None = None) -> int:
    """Add to a demonstrations file and return the number in it; without a demonstration, only check the file.

    A new file starts with the demonstrations in the file `start`.
    """
    new = Demonstrations(game.tokens, (demonstration,) if demonstration else (), game.name, game.buttons)
    begun = path if os.path.exists(path) else start
    if begun is not None:
        old = Demonstrations.load(begun)
        if (old.game, old.tokens, old.buttons) != (new.game, new.tokens, new.buttons):
            raise BadInput(f"{begun}: holds demonstrations of {old.game or 'another task'}, not of {game.name}.")
        new = old + new
    if demonstration is not None:
        new.save(path)
    return len(new)


def _wrap(line: str, width: int) -> list[str]:
    return textwrap.wrap(line, max(10, width - 1)) or [""]


def _scroll(at: int, shown: int, total: int) -> int:
    """Return the first of `shown` lines out of `total`, with line `at` in the middle where possible."""
    return max(0, min(at - shown // 2, total - shown))
