"""Atari Breakout, as in the paper's appendix: frames of the emulator as grids, and the reactive expert."""

from __future__ import annotations

from typing import Any, Protocol
from weakref import WeakKeyDictionary

import numpy as np

from shown.errors import BadInput, MissingExtra, did_you_mean
from shown.grid import Action, Grid, Tokens
from shown.world import Outcome, World
from shown.worlds.views import tokens_for

NAME = "atari:Breakout"

COLOURS = {
    0: "black",
    6: "grey",
    70: "red",
    54: "orange",
    38: "ochre",
    22: "olive",
    198: "green",
    134: "blue",
    182: "teal",
}
"""The colours of this game, by the emulator's numbers. A number stands for three of red, green and blue."""
RED = 70
"""Of the paddle, of the top row of bricks, and of the ball below the bricks; among these it has their row's colour."""

BRICKS, PADDLE, FIELD = 93, 190, slice(8, 152)
"""The first row below the bricks, a row of the paddle, and the columns between the walls."""
FLOOR = 189
"""The first row of the paddle: a ball that is lower is lost."""

NO_OPS = 30
"""At most so many frames pass before the ball is served."""

LENGTHS = {"": 500, "ball": 20_000, "game": 60_000}
"""How many frames an episode can take, by its name: the paper's 500; until the ball is lost; all five balls."""


class Sight(Protocol):
    """How two frames become a grid.

    Attributes:
        name: how it is called.
        frames: how many frames a step takes, which is also how far the two frames lie apart.
        column: the width of a cell in pixels.
        tokens: the values of its grids.
    """

    name: str
    frames: int
    column: int
    tokens: Tokens

    def grid(self, was: np.ndarray, now: np.ndarray) -> Grid:
        """Two frames, [210, 160] uint8 each, as one grid."""
        ...


class Pixels:
    """Every pixel is a cell; its value is the colour it had and the colour it has, as far as these are known."""

    name, frames, column = "", 1, 1

    def __init__(self, pairs: np.ndarray) -> None:
        """`pairs` are the values: numbers 256 × was + is."""
        self.tokens = tokens_for([_name(*divmod(int(pair), 256)) for pair in pairs])
        self._characters = np.array(list(self.tokens))[_nearest(pairs)]

    def grid(self, was: np.ndarray, now: np.ndarray) -> Grid:
        return _grid(self._characters[was.astype(np.int64) * 256 + now])


class Blocks:
    """Cells of 6 × 4 pixels between the bricks and the floor: where the ball is, where it was, and the paddle."""

    name, frames, column = "blocks", 4, 4
    tokens = Tokens(empty=".", paddle="=", ball="o", ball_before=",")

    def grid(self, was: np.ndarray, now: np.ndarray) -> Grid:
        before, here = _red_blocks(was), _red_blocks(now)
        characters = np.full(here.shape, self.tokens["empty"])
        characters[:-1][before[:-1]] = self.tokens["ball_before"]
        characters[:-1][here[:-1]] = self.tokens["ball"]
        characters[-1][here[-1]] = self.tokens["paddle"]
        return _grid(characters)


def _red_blocks(frame: np.ndarray) -> np.ndarray:
    """Which blocks have any red in them; the last row is the paddle's. [17, 36] bool"""
    part = frame[BRICKS : FLOOR + 6, FIELD] == RED
    cells: np.ndarray = part.reshape(17, 6, 36, 4).any(axis=(1, 3))
    return cells


def _grid(characters: np.ndarray) -> Grid:
    """[H, W] of single characters as a grid."""
    return Grid(tuple(np.ascontiguousarray(characters).view(f"<U{characters.shape[1]}")[:, 0].tolist()))


def _name(was: int, now: int) -> str:
    """
    >>> _name(70, 70), _name(0, 70)
    ('red', 'black_to_red')
    """
    old, new = (COLOURS.get(number, f"colour_{number}") for number in (was, now))
    return new if was == now else f"{old}_to_{new}"


def _nearest(pairs: np.ndarray) -> np.ndarray:
    """Which of some pairs of colours stands for each: itself, or else what it is now, or else the first. [65536]"""
    place = np.zeros(65536, dtype=np.int64)
    for number, pair in enumerate(pairs):
        if pair // 256 == pair % 256:
            place[pair % 256 :: 256] = number
    place[pairs] = np.arange(len(pairs))
    return place


class Breakout(World):
    """Keep the ball in play, and hit bricks with it.

    Description: `BreakoutNoFrameskip-v4` of the Arcade Learning Environment, with what three wrappers do that are usual
        for it: an episode ends when the ball is lost, the ball is served at reset, and some frames pass before that.
    Observation: two frames, the present one and the one before it. Each pixel's 3 × 2 numbers are one value: `red`
        where it was and is red, `black_to_red` where it has become so. 210 × 160 cells; the values are those of one
        episode of the expert, 15. By blocks: 17 × 36 cells of 6 × 4 pixels, from the bricks to the floor, with the
        values empty, paddle, ball and ball_before; the frames lie 4 apart, and a step takes 4.
    Actions: the buttons noop, fire, right and left.
    Rewards: 1 a brick.
    End of episode: the ball is lost (`game`: all five are), or 500 frames are over (`ball` and `game`: many more).
        Won is to have the ball in play after all these frames.
    Levels: seeds. From seed n, 1 + n mod 30 frames pass before the ball is served, as in the paper. The machine has
        just four ways to serve it, which take turns; so seeds 0 to 3 are all there is, until, from seed 30 on, left or
        right is held meanwhile, so that the paddle begins elsewhere.
    """

    title = "Breakout"
    goal = "Keep the ball in play and hit bricks with it."
    buttons = ("noop", "fire", "right", "left")

    def __init__(self, sight: Sight, length: str = "", machine: _Machine | None = None) -> None:
        self.name = NAME + "#" * bool(sight.name or length) + ",".join(filter(None, (sight.name, length)))
        self.sight, self.length, self.tokens = sight, length, sight.tokens
        self.max_steps = LENGTHS[length] // sight.frames
        self._machine = machine or _Machine()

    def reset(self, seed: int) -> Grid:
        self._machine.reset(self)
        self._frames = [self._machine.screen]
        held = "noop" if seed < NO_OPS else ("left", "right")[int(np.random.default_rng(seed).integers(2))]
        for _ in range(1 + seed % NO_OPS):
            self._press(held)
        self._serve()
        self._balls, self._steps = self._machine.balls, 0
        return self._seen()

    def step(self, action: Action) -> Outcome:
        bricks, lost = 0, False
        for _ in range(self.sight.frames):
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
        """Moves the way the ball moves, unless the paddle is on that side of the ball already."""
        was, now = (frame[BRICKS:FLOOR, FIELD] == RED for frame in self._two)
        paddle = np.flatnonzero(self._two[1][PADDLE, FIELD] == RED)
        if not (was.any() and now.any() and len(paddle)):
            return "noop"
        before, ball = (np.flatnonzero(field.any(axis=0))[0] for field in (was, now))
        before, ball, left, right = (x // self.sight.column for x in (before, ball, paddle[0], paddle[-1]))
        if ball < before and not left < ball:
            return "left"
        if ball > before and not right > ball:
            return "right"
        return "noop"

    def another(self) -> Breakout:
        return Breakout(self.sight, self.length, self._machine)

    @property
    def _two(self) -> tuple[np.ndarray, np.ndarray]:
        """The earlier frame and the present one. [210, 160] uint8 each"""
        return self._frames[0], self._frames[-1]

    def _seen(self) -> Grid:
        return self.sight.grid(*self._two)

    def _press(self, button: str) -> bool:
        """One frame; whether a brick was hit."""
        hit = self._machine.press(self, self.buttons.index(button))
        self._frames = [*self._frames[-self.sight.frames :], self._machine.screen]
        return hit

    def _serve(self) -> None:
        """As the usual wrapper does it: fire, then right."""
        self._press("fire")
        self._press("right")


class _Machine:
    """The emulator. It has no chances of its own: the same buttons lead to the same frames.

    Several worlds that are played side by side share one, since to start it takes longer than to play an episode; each
    gets its game back when its turn comes.
    """

    def __init__(self) -> None:
        self._ale = _emulator()
        self._player: Breakout | None = None
        self._games: WeakKeyDictionary[Breakout, Any] = WeakKeyDictionary()

    def reset(self, player: Breakout) -> None:
        self._turn_to(player, begins=True)
        self._ale.reset_game()

    def press(self, player: Breakout, button: int) -> bool:
        """One frame; whether a brick was hit."""
        self._turn_to(player)
        return bool(self._ale.act(self._ale.getMinimalActionSet()[button]) > 0)

    @property
    def screen(self) -> np.ndarray:
        """The colours' numbers, right after `reset` or `press`. [210, 160] uint8"""
        screen: np.ndarray = self._ale.getScreen()
        return screen

    @property
    def balls(self) -> int:
        """How many are left, right after `reset` or `press`."""
        return int(self._ale.lives())

    def _turn_to(self, player: Breakout, begins: bool = False) -> None:
        if self._player is not player:
            if self._player is not None:
                self._games[self._player] = self._ale.cloneState()
            if not begins:
                self._ale.restoreState(self._games[player])
            self._player = player


def _emulator() -> Any:
    """As `BreakoutNoFrameskip-v4` sets it up."""
    try:
        import ale_py
        from ale_py import roms
    except ImportError:
        raise MissingExtra("ale-py, the Arcade Learning Environment", "atari") from None
    ale_py.ALEInterface.setLoggerMode(ale_py.LoggerMode.Error)  # it would talk on stderr
    emulator = ale_py.ALEInterface()
    emulator.setFloat("repeat_action_probability", 0.0)
    path = roms.get_rom_path("breakout")
    if path is None:
        raise BadInput(f"{NAME}: ale-py has no ROM of the game. Its wheel brings one: install it anew.")
    emulator.loadROM(path)
    return emulator


def pixels() -> Pixels:
    """Pixels, with the values that occur in the expert's episode from seed 0, the most frequent first."""
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
    """The world of that name: `atari:Breakout`, with `#blocks`, `#ball`, `#game` or two of these joined by a comma.

    >>> game = find("atari:Breakout#blocks,game")
    >>> game.name, game.reset(0).shape
    ('atari:Breakout#blocks,game', (17, 36))
    """
    title, _, words = name.partition("#")
    if title != NAME:
        raise BadInput(f"no world called {name!r}. Of Atari's games there is {NAME}.")
    blocks, length = False, ""
    for word in filter(None, words.split(",")):
        if word in LENGTHS and not length:
            length = word
        elif word == Blocks.name and not blocks:
            blocks = True
        else:
            raise BadInput(f"{NAME}: no {word!r} after the #. {did_you_mean(word, ['blocks', 'ball', 'game'])}")
    return Breakout(Blocks() if blocks else pixels(), length)
