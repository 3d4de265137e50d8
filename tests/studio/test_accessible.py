"""Nobody is shut out: axe-core finds nothing wrong with the page, in both themes and whatever stands on it."""

from __future__ import annotations

from importlib.resources import files
from typing import Any

import pytest
from playwright.sync_api import expect

AXE = (files("axe_playwright_python") / "axe.min.js").read_text("utf-8")
WORLD = "gym:MiniGrid-Empty-Random-6x6-v0"


def violations(visitor, rules: str = "") -> list[str]:
    """What axe-core finds, a line each; by all its rules, or by those named."""
    if not visitor.page.evaluate("'axe' in globalThis"):
        visitor.page.evaluate(AXE)  # not as a script of the page, which would be refused, as it should be
    found: Any = visitor.page.evaluate(f"axe.run({rules})")
    assert found["passes"], "it looked at nothing"
    return [f"{one['id']}: {node['target']}" for one in found["violations"] for node in one["nodes"]]


@pytest.fixture(scope="module")
def taught(tmp_path_factory):
    """A studio in which Nim and a world were taught."""
    from serving import Server

    studio = Server(tmp_path_factory.mktemp("accessible") / "project", words=("--world", WORLD))
    for _ in range(13):
        studio.post("expert", game="fence-in")
    for game in (WORLD, "nim"):
        for _ in range(2):
            studio.post("expert", game=game)
    studio.learned("nim")
    studio.post("paint", game="nim", id=None, rows=["|."])
    yield studio
    studio.stop()


def taught_game(visitor):
    expect(visitor.at("#rate")).to_contain_text("It solves")
    expect(visitor.at("#sure")).to_contain_text("Do its rules agree?")


def many(visitor):
    visitor.choose("fence-in")
    expect(visitor.at("#records-shown")).to_be_visible()


def levels(visitor):
    visitor.at("#pick-level").click()
    expect(visitor.at("#levels")).to_be_visible()


def correcting(visitor):
    taught_game(visitor)
    visitor.at("#watch .slider").fill("0")
    visitor.at("#correct").click()
    expect(visitor.at("#pick-level")).to_contain_text("Correcting")


def replaying(visitor):
    visitor.at(".record-open").first.click()
    expect(visitor.at(".replay")).to_be_visible()


def painting(visitor):
    visitor.at("#open-paint").click()
    expect(visitor.at("#paint-status")).to_be_visible()


def exporting(visitor):
    visitor.at("#open-export").click()
    expect(visitor.at("#export")).to_be_visible()


def details(visitor):
    visitor.at("text=How it got there").click()
    visitor.at("text=How it works").click()


def world(visitor):
    visitor.at("#games button").last.click()
    expect(visitor.at("#presses button").first).to_be_visible()
    expect(visitor.at("#watch-presses button").first).to_be_visible()


def touching(visitor):
    visitor.at("#rule .phrase .touch").nth(1).click()
    expect(visitor.at(".remark.strike")).to_be_visible()
    visitor.at("#write-rule").click()
    visitor.at("#writer-and").click()
    visitor.at("[data-line='1'] select").first.select_option("walk 1 0")
    visitor.at("#writer-keep").click()
    expect(visitor.at(".remark.pin")).to_be_visible()
    visitor.at("#write-rule").click()
    expect(visitor.at("#writer-said")).to_contain_text("Click a cell if")


def researching(visitor):
    if not visitor.at("#open-research").is_visible():
        visitor.at("text=How it got there").click()
    visitor.at("#open-research").click()
    expect(visitor.at("#posterior-table")).to_be_visible()
    expect(visitor.at("#score-table")).to_be_attached()
    visitor.at("#research-score summary").click()


STATES = (levels, correcting, replaying, painting, exporting, details, many, world, researching, touching)


def test_axe_finds_nothing_in_either_theme(taught, visit):
    visitor = visit(taught, reduced_motion="reduce", color_scheme="light")
    found: dict[tuple[str, str], list[str]] = {}

    def look(state: str) -> None:
        found[state, "light"] = violations(visitor)
        visitor.page.emulate_media(color_scheme="dark", reduced_motion="reduce")
        found[state, "dark"] = violations(visitor, "{runOnly: ['color-contrast']}")
        visitor.page.emulate_media(color_scheme="light", reduced_motion="reduce")

    look("first visit")
    visitor.at("#tour-close").click()
    visitor.choose("nim")
    taught_game(visitor)
    look("taught")
    for state in STATES:
        state(visitor)
        look(state.__name__)
        back(visitor)
    assert {where: lines for where, lines in found.items() if lines} == {}


def back(visitor):
    """To the board of Nim, whatever stands in its place."""
    visitor.page.keyboard.press("Escape")
    for button in ("#close-replay", "#close-paint", "#onward"):
        if visitor.at(button).is_visible():
            visitor.at(button).click()
    visitor.choose("nim")
