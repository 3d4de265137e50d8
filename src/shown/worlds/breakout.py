"""Atari Breakout, as in the paper's appendix: two views of the frames, and the reactive expert."""

from __future__ import annotations

from typing import Any
from weakref import WeakKeyDictionary

import numpy as np

from shown.errors import BadInput, MissingExtra, did_you_mean
from shown.grid import Action, Cell, Grid, Tokens
from shown.worlds.views import tokens_for
from shown.worlds.world import Outcome, World

NAME = "atari:Breakout"

COLORS = {
    0: "black", 6: "grey", 70: "red", 54: "orange", 38: "ochre", 22: "olive", 198: "green", 134: "blue", 182: "teal",
}  # fmt: skip
"""The colors of this game, by the emulator's numbers."""
RED = 70
"""The color of the paddle, of the top row of bricks, and of the ball below the bricks."""

BRICKS, PADDLE, FIELD = 93, 190, slice(8, 152)
"""The first row below the bricks, a row of the paddle, and the columns between the walls."""
FLOOR = 189  # first row of the paddle: a ball below it is lost

MAX_WAIT = 30  # frames before the ball is served

LENGTHS = {"": 500, "ball": 5_000, "game": 25_000}
"""The frames of an episode, by its name: the paper's 500; one ball; all five balls."""


class Pixels:
    """A view of two frames in which every pixel is a cell.

    Its value is the pair of its previous and present color, or the nearest known pair.

    Attributes:
        name: its name in the world's name.
        frames: frames per step, which is also the distance between the two frames.
        column: the width of a cell in pixels.
        tokens: the values of the cells.
    """

    name, frames, column = "", 1, 1

    def __init__(self, pairs: np.ndarray) -> None:
        """`pairs` are the known values: 256 × previous + present color."""
        self.tokens = tokens_for([_name(*divmod(int(pair), 256)) for pair in pairs])
        self._characters = np.array(list(self.tokens))[_nearest(pairs)]

    def grid(self, was: np.ndarray, now: np.ndarray) -> Grid:
        """Return two frames, [210, 160] uint8 each, as one grid."""
        return _grid(self._characters[was.astype(np.int64) * 256 + now])


class Blocks:
    """The same, in cells of 4 × 4 pixels from the bricks to the floor, with the ball, its last place and the paddle.

    The ball is one cell, that of its first pixel, so that it moves from cell to cell.
    """

    name, frames, column = "blocks", 4, 4
    tokens = Tokens(empty=".", paddle="=", ball="o", ball_before=",")

    def grid(self, was: np.ndarray, now: np.ndarray) -> Grid:
        side = self.column
        characters = np.full(((FLOOR - BRICKS) // side + 1, (FIELD.stop - FIELD.start) // side), self.tokens["empty"])
        for frame, token in ((was, "ball_before"), (now, "ball")):
            ball = _ball(frame)
            if ball is not None:
                characters[ball[0] // side, ball[1] // side] = self.tokens[token]
        characters[-1, _paddle(now) // side] = self.tokens["paddle"]
        return _grid(characters)


def _ball(frame: np.ndarray) -> Cell | None:
    """Return the first row and column of the ball, from below the bricks and from the wall; None if it is hidden."""
    rows, columns = np.nonzero(frame[BRICKS:FLOOR, FIELD] == RED)
    return (int(rows.min()), int(columns.min())) if len(rows) else None


def _paddle(frame: np.ndarray) -> np.ndarray:
    """Return the columns of the paddle, from the wall."""
    return np.flatnonzero(frame[PADDLE, FIELD] == RED)


def _grid(characters: np.ndarray) -> Grid:
    """Return an array of single characters, [H, W], as a grid."""
    return Grid(tuple(np.ascontiguousarray(characters).view(f"<U{characters.shape[1]}")[:, 0].tolist()))


def _name(was: int, now: int) -> str:
    """
    >>> _name(70, 70), _name(0, 70)
    ('red', 'black_to_red')
    """
    old, new = (COLORS.get(number, f"color_{number}") for number in (was, now))
    return new if was == now else f"{old}_to_{new}"


def _nearest(pairs: np.ndarray) -> np.ndarray:
    """Return the index of the pair that represents each pair of colors: itself, its present color, or the first."""
    place = np.zeros(65536, dtype=np.int64)
    for number, pair in enumerate(pairs):
        if pair // 256 == pair % 256:
            place[pair % 256 :: 256] = number
    place[pairs] = np.arange(len(pairs))
    return place


class Breakout(World):
    """Keep the ball in play, and hit bricks with it.

    Description: `BreakoutNoFrameskip-v4` of the Arcade Learning Environment with the usual wrappers: an episode ends
        when the ball is lost, the ball is served at reset, and some frames pass before that.
    Observation: the present frame and the one before it. Each pixel's pair of colors is one value: `red` where it was
        and is red, `black_to_red` where it has become red. 210 × 160 cells; 15 values, those of one episode of the
        expert. By blocks: 25 × 36 cells of 4 × 4 pixels, from the bricks to the floor, with the values empty, paddle,
        ball and ball_before; the frames lie 4 apart, and a step takes 4.
    Actions: the buttons noop, fire, right and left.
    Rewards: 1 for each brick.
    End of episode: the ball is lost (`game`: all five are), or 500 frames have passed (`ball` and `game`: many more).
        An episode is won if the ball is in play at the end.
    Levels: seeds. From seed n, 1 + n mod 30 frames pass before the ball is served, as in the paper. The machine serves
        in only four ways, by turns, so seeds 0 to 3 cover all of them. From seed 30 on, left or right is held while
        waiting, so that the paddle starts elsewhere.
    """

    title = "Breakout"
    goal = "Keep the ball in play and hit bricks with it."
    buttons = ("noop", "fire", "right", "left")

    def __init__(self, view: Pixels | Blocks, length: str = "", machine: _Machine | None = None) -> None:
        self.name = NAME + "#" * bool(view.name or length) + ",".join(filter(None, (view.name, length)))
        self.view, self.length, self.tokens = view, length, view.tokens
        self.max_steps = LENGTHS[length] // view.frames
        self._machine = machine or _Machine()

    def reset(self, seed: int) -> Grid:
        self._machine.reset(self)
        self._frames = [self._machine.screen]
        held = "noop" if seed < MAX_WAIT else ("left", "right")[int(np.random.default_rng(seed).integers(2))]
        for _ in range(1 + seed % MAX_WAIT):
            self._press(held)
        self._serve()
        self._balls, self._steps = self._machine.balls, 0
        return self._seen()

    def step(self, action: Action) -> Outcome:
        bricks, lost = 0, False
        for _ in range(self.view.frames):
            bricks += self._press(str(action))
            lost = self._machine.balls < self._balls
            if lost:
                break
        if lost and self.length == "game" and self._machine.balls:
            self._balls, lost = self._machine.balls, False
            self._serve()
        self._steps += 1
        won = not lost and self._steps >= self.max_steps
        return Outcome(self._seen(), won, lost or won, float(bricks))

    def expert(self) -> Action:
        """Follow the ball's direction, unless the paddle is on that side of the ball already."""
        was, now, paddle = _ball(self._two[0]), _ball(self._two[1]), _paddle(self._two[1])
        if was is None or now is None or not len(paddle):
            return "noop"
        before, ball, left, right = (int(x) // self.view.column for x in (was[1], now[1], paddle[0], paddle[-1]))
        if ball < before and not left < ball:
            return "left"
        if ball > before and not right > ball:
            return "right"
        return "noop"

    def copy(self) -> Breakout:
        return Breakout(self.view, self.length, self._machine)

    @property
    def _two(self) -> tuple[np.ndarray, np.ndarray]:
        """The previous frame and the present one. [210, 160] uint8 each"""
        return self._frames[0], self._frames[-1]

    def _seen(self) -> Grid:
        return self.view.grid(*self._two)

    def _press(self, button: str) -> bool:
        """Play one frame and return whether a brick was hit."""
        hit = self._machine.press(self, self.buttons.index(button))
        self._frames = [*self._frames[-self.view.frames :], self._machine.screen]
        return hit

    def _serve(self) -> None:
        """Serve like the usual wrapper: fire, then right."""
        self._press("fire")
        self._press("right")


class _Machine:
    """The emulator, which is deterministic.

    Worlds that are played side by side share one, since starting it takes longer than an episode; each gets its game
    back on its turn.
    """

    def __init__(self) -> None:
        self._ale = _emulator()
        self._player: Breakout | None = None
        self._games: WeakKeyDictionary[Breakout, Any] = WeakKeyDictionary()

    def reset(self, player: Breakout) -> None:
        self._turn_to(player, begins=True)
        self._ale.reset_game()

    def press(self, player: Breakout, button: int) -> bool:
        """Play one frame and return whether a brick was hit."""
        self._turn_to(player)
        return bool(self._ale.act(self._ale.getMinimalActionSet()[button]) > 0)

    @property
    def screen(self) -> np.ndarray:
        """The numbers of the colors, right after `reset` or `press`. [210, 160] uint8"""
        screen: np.ndarray = self._ale.getScreen()
        return screen

    @property
    def balls(self) -> int:
        """The number of balls left, right after `reset` or `press`."""
        return int(self._ale.lives())

    def _turn_to(self, player: Breakout, begins: bool = False) -> None:
        if self._player is not player:
            if self._player is not None:
                self._games[self._player] = self._ale.cloneState()
            if not begins:
                self._ale.restoreState(self._games[player])
            self._player = player


def _emulator() -> Any:
    """Return an emulator, set up like `BreakoutNoFrameskip-v4`."""
    try:
        import ale_py
        from ale_py import roms
    except ImportError:
        raise MissingExtra("ale-py, the Arcade Learning Environment", "atari") from None
    ale_py.ALEInterface.setLoggerMode(ale_py.LoggerMode.Error)  # otherwise it prints to stderr
    emulator = ale_py.ALEInterface()
    emulator.setFloat("repeat_action_probability", 0.0)
    path = roms.get_rom_path("breakout")
    if path is None:
        raise BadInput(f"{NAME}: ale-py has no ROM of the game. Reinstall it: its wheel has one.")
    emulator.loadROM(path)
    return emulator


def pixels() -> Pixels:
    """Return the view of pixels, with the values of the expert's episode from seed 0, the most frequent first."""
    counts = np.zeros(65536, dtype=np.int64)
    watched = Breakout(Pixels(np.array([0])))
    watched.reset(0)
    over = False
    while not over:
        was, now = watched._two
        counts += np.bincount((was.astype(np.int64) * 256 + now).reshape(-1), minlength=65536)
        over = watched.step(watched.expert()).over
    seen = np.flatnonzero(counts)
    return Pixels(seen[np.argsort(-counts[seen], kind="stable")])


def find(name: str) -> Breakout:
    """Return the world called `atari:Breakout`, with `#blocks`, `#ball`, `#game` or two of them joined by a comma.

    >>> game = find("atari:Breakout#blocks,game")
    >>> game.name, game.reset(0).shape
    ('atari:Breakout#blocks,game', (25, 36))
    """
    title, _, words = name.partition("#")
    if title != NAME:
        raise BadInput(f"no world called {name!r}. The only Atari game is {NAME}.")
    blocks, length = False, ""
    for word in filter(None, words.split(",")):
        if word in LENGTHS and not length:
            length = word
        elif word == Blocks.name and not blocks:
            blocks = True
        else:
            raise BadInput(f"{NAME}: no {word!r} after the #. {did_you_mean(word, ['blocks', 'ball', 'game'])}")
    return Breakout(Blocks() if blocks else pixels(), length)
