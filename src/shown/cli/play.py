"""`shown play`: play a game in the terminal and keep what you did as a demonstration."""

from __future__ import annotations

import argparse
import textwrap
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from shown.cli.common import add_levels, add_seed, check_writable, say
from shown.errors import BadInput

if TYPE_CHECKING:
    from shown.cli.terminal import Event, Screen
    from shown.demonstrations import Demonstration
    from shown.games.game import Game
    from shown.games.recording import Recorder
    from shown.grid import Cell

KEYS = "arrows and Enter, or mouse: click · u undo · r redo · s start over · q quit"
_MOVES = {"up": (-1, 0), "down": (1, 0), "left": (0, -1), "right": (0, 1)}
_TOO_SMALL = 8, 16


def configure(parser: argparse.ArgumentParser) -> None:
    """Adds the command's options."""
    parser.description = (
        "Play a game in the terminal, with arrow keys or the mouse; your clicks become a demonstration."
    )
    parser.add_argument("game", help="the game's name, such as nim")
    add_levels(parser, "train:0", "what to play")
    add_seed(parser)
    parser.add_argument("--out", metavar="FILE", help="demonstrations file to add to; made if there is none")


def run(args: argparse.Namespace) -> int:
    """Plays the levels one after the other; what is kept is in the file before the next begins."""
    from shown.cli.terminal import Screen
    from shown.games import find
    from shown.games.levels import load_levels
    from shown.games.recording import Recorder

    game = find(args.game)
    levels = load_levels(game, args.levels)
    if args.out:
        # Whoever has played for five minutes must not hear only then that the file is of another game.
        check_writable(args.out)
        _add(args.out, game, None)
    for level in levels:
        session = Session(Recorder(game, level, args.seed), keeps=bool(args.out))
        try:
            with Screen() as screen:
                _play(session, screen)
        except (KeyboardInterrupt, SystemExit):
            # Stopped from outside. A game that was won is kept; of any other the player has not said so.
            session.handle("interrupt")
            _report(session, args.out)
            raise
        _report(session, args.out)
        if not session.goes_on:
            break
    return 0


class Session:
    """What playing is, without a terminal: a cursor, a recorder, a line that says how things stand.

    Attributes:
        recorder: the game and what was done in it.
        cursor: the cell that Enter would click.
        message: how things stand, for the player.
        done: the player has finished with this level.
        goes_on: the player wants the next one.
        kept: the demonstration to keep, once done; None for none.
    """

    def __init__(self, recorder: Recorder, keeps: bool = True) -> None:
        self.recorder = recorder
        self.keeps = keeps
        self.cursor: Cell = (recorder.grid.height // 2, recorder.grid.width // 2)
        self.message = "Your turn."
        self.done = False
        self.goes_on = False
        self.kept: Demonstration | None = None
        self._asking = False

    @property
    def choices(self) -> str:
        """What can be pressed now."""
        if self._asking:
            return "y keep · n throw away · Esc play on"
        if self.recorder.over:
            return "Enter next · u undo · s start over · q quit"
        buttons = " · ".join(f"{i + 1} {name}" for i, name in enumerate(self.recorder.game.buttons[:9]))
        return f"{buttons} · u undo · r redo · s start over · q quit" if buttons else KEYS

    def handle(self, event: str) -> None:
        """A key, by its name."""
        if event == "interrupt":
            self._finish(keep=self.recorder.won)
        elif self._asking:
            self._answer(event)
        elif event in _MOVES:
            (r, c), (dr, dc), (height, width) = self.cursor, _MOVES[event], self.recorder.grid.shape
            self.cursor = (r + dr) % height, (c + dc) % width
        elif event in ("enter", "space"):
            if self.recorder.over:
                self._finish(keep=self.recorder.won, goes_on=True)
            else:
                self.click(self.cursor)
        elif event == "u":
            self.message = "Taken back." if self.recorder.undo() else "There is nothing to take back."
        elif event == "r":
            self.message = self._standing() if self.recorder.redo() else "There is nothing to do again."
        elif event == "s":
            self.message = (
                "Back at the start (r does the clicks again)." if self.recorder.restart() else self._standing()
            )
        elif event in ("q", "escape"):
            self._quit()
        elif event.isdigit() and 0 < int(event) <= len(self.recorder.game.buttons):
            self._act(self.recorder.game.buttons[int(event) - 1])

    def click(self, cell: Cell) -> None:
        """A click on a cell; one outside the grid is none."""
        if self._asking or not self.recorder.grid.inside(cell):
            return
        self.cursor = cell
        if not self.recorder.game.buttons:
            self._act(cell)

    def _act(self, action: Cell | str) -> None:
        over = self.recorder.over
        if self.recorder.act(action):
            self.message = self._standing()
        elif not over:
            self.message = "That changes nothing, so it is not recorded."

    def _standing(self) -> str:
        clicks = _count(len(self.recorder.steps))
        if self.recorder.won:
            return f"You won in {clicks}!"
        if self.recorder.over:
            return f"Lost after {clicks}. u takes the last one back."
        return f"{clicks} so far." if self.recorder.steps else "Your turn."

    def _quit(self) -> None:
        if self.recorder.won or not self.keeps or not self.recorder.steps:
            self._finish(keep=self.recorder.won)
        else:
            self._asking = True
            what = "lost" if self.recorder.over else "not won yet"
            self.message = f"This game is {what}. Keep its {_count(len(self.recorder.steps))} as a demonstration?"

    def _answer(self, event: str) -> None:
        if event in ("y", "n"):
            self._finish(keep=event == "y")
        elif event == "escape":
            self._asking, self.message = False, self._standing()

    def _finish(self, keep: bool, goes_on: bool = False) -> None:
        self.done, self.goes_on = True, goes_on
        self.kept = self.recorder.demonstration if keep else None


@dataclass(frozen=True, slots=True)
class View:
    """What is on the screen: its lines, and where the board is in them.

    Attributes:
        lines: as they are shown.
        top: the line the board begins on.
        corner: the cell at the board's top left, where the board is too large to be seen whole.
        shape: the rows and columns of the board that are seen.
    """

    lines: list[str]
    top: int
    corner: Cell
    shape: tuple[int, int]

    def cell(self, line: int, column: int) -> Cell | None:
        """The cell at a place of the screen."""
        r, c = line - self.top, column // 2
        inside = 0 <= r < self.shape[0] and 0 <= c < self.shape[1]
        return (r + self.corner[0], c + self.corner[1]) if inside else None


def view(session: Session, size: tuple[int, int], colour: bool = False) -> View:
    """Lays a session out on a screen of so many lines and columns; a large board scrolls with the cursor."""
    from shown.grid import Grid
    from shown.render import text

    game, grid, (r, c) = session.recorder.game, session.recorder.grid, session.cursor
    if size[0] < _TOO_SMALL[0] or size[1] < _TOO_SMALL[1]:
        return View(["Please make the window larger."[: size[1]]], 0, (0, 0), (0, 0))
    head = [f"{game.title} · {session.recorder.level.name}", *_wrap(game.goal, size[1]), ""]
    foot = ["", *_wrap(session.message, size[1]), *_wrap(session.choices, size[1])]
    if len(head) + len(foot) + min(grid.height, 3) > size[0]:
        head, foot = head[:1], foot[1:3]
    rows = min(grid.height, size[0] - len(head) - len(foot))
    columns = min(grid.width, (size[1] - 1) // 2)
    top, left = _scroll(r, rows, grid.height), _scroll(c, columns, grid.width)
    part = Grid(tuple(row[left : left + columns] for row in grid.rows[top : top + rows]))
    board = text(part, game.tokens, click=(r - top, c - left), colour=colour).split("\n")
    head[0] = head[0][: size[1]]
    return View([*head, *board, *foot], len(head), (top, left), (rows, columns))


def _play(session: Session, screen: Screen) -> None:
    from shown.cli.terminal import wants_colour

    colour = wants_colour()

    def redraw() -> None:
        screen.draw(view(session, screen.size, colour).lines)

    while not session.done:
        redraw()
        for event in screen.wait(redraw):
            if not session.done:
                _pass_on(session, event, view(session, screen.size))


def _pass_on(session: Session, event: Event, seen: View) -> None:
    if isinstance(event, str):
        session.handle(event)
    elif (cell := seen.cell(event.line, event.column)) is not None:
        session.click(cell)


def _report(session: Session, out: str | None) -> None:
    """Says how it ended and keeps what is to be kept."""
    recorder = session.recorder
    name, clicks = recorder.level.name, _count(len(recorder.steps))
    ended = f"{name}: won in {clicks}" if recorder.won else f"{name}: {recorder.outcome} after {clicks}"
    if session.kept is not None and out:
        number = _add(out, recorder.game, session.kept)
        ended += f"; saved in {out}, which now holds {_count(number, 'demonstration')}"
    elif recorder.won:
        ended += ". To keep a demonstration, give a file: --out demos.json"
    say(ended)


def _add(path: str, game: Game, demonstration: Demonstration | None) -> int:
    """Adds to a demonstrations file, made if there is none, and says how many are in it now. With None, only checks."""
    from shown.demonstrations import Demonstrations

    new = Demonstrations(game.tokens, (demonstration,) if demonstration else (), game.name, game.buttons)
    if Path(path).exists():
        old = Demonstrations.load(path)
        if (old.game, old.tokens, old.buttons) != (new.game, new.tokens, new.buttons):
            raise BadInput(f"{path}: holds demonstrations of {old.game or 'another task'}, not of {game.name}.")
        new = old + new
    if demonstration is not None:
        new.save(path)
    return len(new)


def _wrap(text: str, width: int) -> list[str]:
    return textwrap.wrap(text, max(10, width - 1)) or [""]


def _scroll(at: int, shown: int, total: int) -> int:
    """The first of `shown` lines out of `total` that keeps line `at` in the middle where possible."""
    return max(0, min(at - shown // 2, total - shown))


def _count(number: int, thing: str = "click") -> str:
    return f"{number} {thing}{'' if number == 1 else 's'}"
