"""The states of the studio's page, for axe-core (test_accessible.py) and for pictures (pictures.py).

A state is a function that leads there from the board of Nim; `back` returns to it.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np
from playwright.sync_api import expect

from serving import Server, until
from shown.demonstrations import Demonstrations
from shown.worlds import find, load_levels, play
from shown_evidence.styles import find_style
from visiting import Visitor

WORLD = "gym:MiniGrid-Empty-Random-6x6-v0"


def taught_studio(folder: Path) -> Server:
    """Start a studio in which Nim, a world and Fence In were taught; no rule explains all of Fence In."""
    studio = Server(folder, words=("--world", WORLD))
    teach_at_odds(studio)
    for game in (WORLD, "nim"):
        for _ in range(2):
            studio.post("expert", game=game)
    studio.learned("nim")
    studio.post("paint", game="nim", id=None, rows=["|."])
    return studio


def teach_at_odds(studio: Server, games: int = 13) -> None:
    """Teach Fence In with fences in any order, and then interpret their order as exact."""
    fence_in, row = find("fence-in"), find_style("fence-in", "row-in-any-order")
    levels = enumerate(load_levels(fence_in, f"random:0-{games - 1}"))
    runs = [play(fence_in, row.begin(level.grid, np.random.default_rng(i)), level) for i, level in levels]
    shown = Demonstrations(fence_in.tokens, tuple(run.demonstration for run in runs), "fence-in")
    studio.post("import", game="fence-in", content=shown.to_json())
    until(lambda: studio.post("open", game="fence-in")["learned"]["hasPolicy"], "there is a first rule")
    studio.post("learn", game="fence-in", programs=1000, interpretation={"clicks": "exact", "order": "given"})
    assert studio.learned("fence-in")["state"] == "failed"


def taught_game(visitor: Visitor) -> None:
    expect(visitor.at("#rate")).to_contain_text("It wins")
    expect(visitor.at("#sure")).to_contain_text("Do its candidate rules agree?")


def at_odds(visitor: Visitor) -> None:
    visitor.choose("fence-in")
    expect(visitor.at("#records-shown")).to_be_visible()
    expect(visitor.at("#advice")).to_be_visible()


def levels(visitor: Visitor) -> None:
    visitor.at("#pick-level").click()
    expect(visitor.at("#levels")).to_be_visible()


def correcting(visitor: Visitor) -> None:
    taught_game(visitor)
    visitor.at("#watch .slider").fill("0")
    visitor.at("#correct").click()
    expect(visitor.at("#pick-level")).to_contain_text("Correcting")


def replaying(visitor: Visitor) -> None:
    visitor.at(".record-open").first.click()
    expect(visitor.at(".replay")).to_be_visible()


def painting(visitor: Visitor) -> None:
    visitor.at("#open-paint").click()
    expect(visitor.at("#paint-status")).to_be_visible()


def exporting(visitor: Visitor) -> None:
    visitor.at("#open-export").click()
    expect(visitor.at("#export")).to_be_visible()


def details(visitor: Visitor) -> None:
    visitor.open_details()
    visitor.at("text=How it works").click()


def world(visitor: Visitor) -> None:
    visitor.at("#games button").last.click()
    expect(visitor.at("#presses button").first).to_be_visible()
    expect(visitor.at("#watch-presses button").first).to_be_visible()


def touching(visitor: Visitor) -> None:
    if not visitor.at("#remarks .remark").count():
        visitor.at("#rule .phrase .touch").nth(1).click()
        expect(visitor.at(".remark.strike")).to_be_visible()
        visitor.at("#write-rule").click()
        visitor.at("#writer-and").click()
        visitor.at("[data-line='1'] select").first.select_option("walk 1 0")
        visitor.at("#writer-keep").click()
        expect(visitor.at(".remark.pin")).to_be_visible()
    visitor.at("#write-rule").click()
    expect(visitor.at("#writer-said")).to_contain_text("Click a cell if")


def researching(visitor: Visitor) -> None:
    visitor.open_details()
    visitor.at("#open-research").click()
    expect(visitor.at("#posterior-table")).to_be_visible()
    expect(visitor.at("#score-table")).to_be_attached()
    visitor.at("#research-score summary").click()


STATES = (levels, correcting, replaying, painting, exporting, details, at_odds, world, researching, touching)


def back(visitor: Visitor) -> None:
    """Return to the board of Nim."""
    visitor.page.keyboard.press("Escape")
    for button in ("#close-replay", "#close-paint", "#onward"):
        if visitor.at(button).is_visible():
            visitor.at(button).click()
    visitor.choose("nim")
