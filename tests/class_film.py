"""A film of a class of four on the teacher's screen: pupils join, play, the computer learns, and two are compared."""

from __future__ import annotations

import io
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
from PIL import Image
from playwright.sync_api import Browser, expect

from serving import Server, until
from shown.grid import Grid
from shown_evidence.styles import find_style
from states import join, open_page
from visiting import Visitor

PUPILS = {
    "Anna": ("fence-in", "expert"),
    "Ben": ("fence-in", "clockwise-ring"),
    "Chloe": ("chase", "expert"),
    "Deniz": ("nim", "expert"),
}
GAMES = 2  # that each of them wins
SIZE = {"width": 800, "height": 600}
BEAT = 1600  # milliseconds after which the teacher's page has seen what happened
MOST_COLORS = 48
CAPTION = """(text) => {
  let bar = document.getElementById("film-caption");
  if (!bar) {
    bar = document.createElement("p");
    bar.id = "film-caption";
    Object.assign(bar.style, {position: "fixed", inset: "auto 0 0 0", margin: 0, padding: "12px 20px", zIndex: 99,
      background: "#1f2430", color: "#fff", font: "600 18px system-ui, sans-serif", textAlign: "center"});
  }
  bar.textContent = text;
  (document.querySelector("dialog[open]") ?? document.body).append(bar);
}"""


@dataclass
class Reel:
    """The frames so far, with the milliseconds that each is shown."""

    visitor: Visitor
    frames: list[Image.Image] = field(default_factory=list)
    durations: list[int] = field(default_factory=list)

    def take(self, milliseconds: int) -> None:
        picture = Image.open(io.BytesIO(self.visitor.page.screenshot(animations="disabled"))).convert("RGB")
        if self.frames and picture.tobytes() == self.frames[-1].tobytes():
            self.durations[-1] += milliseconds
            return
        self.frames.append(picture)
        self.durations.append(milliseconds)

    def say(self, text: str) -> None:
        self.visitor.page.evaluate(CAPTION, text)

    def save(self, path: Path) -> None:
        """Save a looping GIF in colors that all frames share, so that nothing flickers."""
        whole = Image.new("RGB", (SIZE["width"], SIZE["height"] * len(self.frames)))
        for i, frame in enumerate(self.frames):
            whole.paste(frame, (0, SIZE["height"] * i))
        palette = whole.quantize(MOST_COLORS, dither=Image.Dither.NONE)
        first, *rest = [frame.quantize(palette=palette, dither=Image.Dither.NONE) for frame in self.frames]
        path.parent.mkdir(parents=True, exist_ok=True)
        first.save(path, save_all=True, append_images=rest, duration=self.durations, loop=0, optimize=True)


def class_film(browser: Browser, project: Path, folder: Path) -> None:
    """Save class.gif."""
    server = Server(project, words=("--class",))
    try:
        visitor = Visitor(browser, server, viewport=SIZE)
        reel = Reel(visitor)
        _play(server, reel)
        _compare(visitor, reel)
        reel.save(folder / "class.gif")
        visitor.leave()
    finally:
        server.stop()


def _play(server: Server, reel: Reel) -> None:
    page = reel.visitor.page
    reel.say("Your screen: pupils open the address and type the code.")
    reel.take(2500)
    players, pages = [], []
    for name, (game, style) in PUPILS.items():
        pupil = join(server, name)
        pupil.post("open", game=game)
        pages.append(open_page(pupil))
        players.append(_player(pupil, game, style))
        page.wait_for_timeout(BEAT)
        reel.take(700)
    reel.say("Everybody plays a game. Their boards are live.")
    while True in [click() for click in players]:
        page.wait_for_timeout(BEAT)
        reel.take(450)
    reel.say("From the games they win, the computer works out each pupil's rule, and tests it on new levels.")
    until(lambda: all(one["state"] == "done" for one in server.post_to("/class/wall")["pupils"]), "all are learned")
    page.wait_for_timeout(BEAT)
    reel.take(4000)
    for line in pages:
        line.close()


def _player(pupil: Server, game: str, style: str) -> Callable[[], bool]:
    """Return a function that makes one click, and returns whether there was one left to make."""
    found, moves, won = find_style(game, style), [], 0

    def click() -> bool:
        nonlocal moves, won
        if won == GAMES:
            return False
        table: dict[str, Any] = pupil.post("open", game=game)["table"]
        grid = Grid(tuple(table["rows"]))
        if not moves:
            moves = [found.begin(grid, np.random.default_rng(won))]
        answer = pupil.post("click", game=game, action=list(moves[0](grid)))
        if answer["happened"] in ("won", "lost"):
            moves, won = [], won + (answer["happened"] == "won")
            if answer["happened"] == "lost":
                pupil.post("restart", game=game)
        return True

    return click


def _compare(visitor: Visitor, reel: Reel) -> None:
    visitor.at("#open-compare").click()
    expect(visitor.at("#compare .sheet-side")).to_have_count(2)
    reel.say("Anna builds a wall; Ben puts a ring around the sheep.")
    reel.take(1500)
    visitor.page.get_by_role("button", name="Play again").click()
    for _ in range(14):
        visitor.page.wait_for_timeout(150)
        reel.take(350)
    reel.take(1500)
    reel.say("Both rules can be read, side by side.")
    visitor.at("#compare").evaluate("(dialog) => dialog.scrollTo(0, dialog.scrollHeight)")
    visitor.page.wait_for_timeout(300)
    reel.take(5000)
