"""The 3-D view in a real browser: the same board, click for click."""

from __future__ import annotations

import re

import pytest
from playwright.sync_api import expect

from pretending import pretend
from processes import still_running
from serving import until
from shown.grid import Cell, Grid
from shown.worlds import Game, load_levels
from visiting import PATIENCE, Visitor

UNDER = """cells => cells.filter(cell => cell.offsetParent).map(cell => {
  const {x, y, width, height} = cell.getBoundingClientRect();
  return document.elementFromPoint(x + width / 2, y + height / 2)?.closest(".cell") === cell;
})"""
"""Whether the middle of each cell belongs to that cell."""

LOOKS = "cells => cells.filter(cell => cell.offsetParent).map(cell => cell.querySelector('use').getAttribute('href'))"


def open_in_depth(visitor: Visitor, name: str = "fence-in") -> Game:
    game = visitor.choose(name)
    visitor.at("#depth").click()
    expect(visitor.at("#depth")).to_have_attribute("aria-pressed", "true")
    expect(visitor.at("#teach .board.deep")).to_be_visible()
    return game


def looks(visitor: Visitor, grid: Grid) -> dict[Cell, str]:
    return dict(zip(grid.cells(), visitor.page.eval_on_selector_all("#teach .cell", LOOKS), strict=True))


def test_a_level_is_played_in_3_d(studio, visit):
    visitor = visit(studio)
    game = visitor.choose("fence-in")
    flat = visitor.board(game)
    open_in_depth(visitor)
    assert visitor.board(game) == flat
    visitor.win(game)
    expect(visitor.at(".record")).to_have_count(1)
    visitor.stop_practicing()
    expect(visitor.at("#watch .board.deep")).to_be_visible()


def test_pointing_at_a_tile_means_its_cell(studio, visit):
    visitor = visit(studio)
    for name in ("fence-in", "chase"):
        visitor.choose(name)
        if name == "fence-in":
            visitor.at("#depth").click()
        visitor.at("#teach .board.deep").scroll_into_view_if_needed()
        assert all(visitor.page.eval_on_selector_all("#teach .cell", UNDER)), name
    game = visitor.choose("fence-in")
    grid = visitor.board(game)
    target = game.expert(grid)
    box = visitor.cell(game, target).bounding_box()
    count = visitor.settled()
    visitor.page.mouse.click(box["x"] + box["width"] / 2, box["y"] + box["height"] / 2)
    visitor.wait_settled(count + 1)
    assert visitor.board(game) == grid.with_cells({target: "#"})


def test_a_token_belongs_to_its_cell(studio, visit):
    """Also where it hides the cells behind it."""
    visitor = visit(studio)
    game = open_in_depth(visitor)
    fence = visitor.board(game).where("#")[0]
    box = visitor.cell(game, fence).bounding_box()
    meant = visitor.page.evaluate(
        "([x, y]) => document.elementFromPoint(x, y).closest('.cell').getAttribute('aria-label')",
        [box["x"] + box["width"] / 2, box["y"] - box["height"] / 6],
    )
    assert meant == f"row {fence[0] + 1}, column {fence[1] + 1}, fence"


def test_the_keyboard_walks_and_builds(studio, visit):
    visitor = visit(studio)
    game = open_in_depth(visitor)
    grid = visitor.board(game)
    target = next(cell for cell in grid.where(".") if cell > (2, 3))
    visitor.at("#teach .cell[tabindex='0']").focus()
    visitor.page.keyboard.press("Home")
    visitor.page.keyboard.press("PageUp")
    for key, times in (("ArrowDown", target[0]), ("ArrowRight", target[1])):
        for _ in range(times):
            visitor.page.keyboard.press(key)
    name = f"row {target[0] + 1}, column {target[1] + 1}, empty"
    expect(visitor.at("#teach .cell:focus")).to_have_attribute("aria-label", name)
    count = visitor.settled()
    visitor.page.keyboard.press("Enter")
    visitor.wait_settled(count + 1)
    assert visitor.board(game) == grid.with_cells({target: "#"})


def test_fences_join_their_neighbors(studio, visit):
    visitor = visit(studio)
    game = open_in_depth(visitor)
    for _ in range(2):
        visitor.click(game, game.expert(visitor.board(game)))
    grid = visitor.board(game)
    for (r, c), look in looks(visitor, grid).items():
        if grid[r, c] == "#":
            sides = {"n": (r - 1, c), "w": (r, c - 1), "s": (r + 1, c), "e": (r, c + 1)}
            joins = "".join(f"-{side}" for side, cell in sides.items() if grid.get(cell) == "#")
            assert look == f"#deep-fence-in-fence{joins}"
        else:
            assert look == ("#deep-fence-in-sheep" if grid[r, c] == "S" else "")


def test_the_choice_is_remembered_and_can_be_taken_back(studio, visit):
    visitor = visit(studio, color_scheme="dark")
    game = open_in_depth(visitor)
    visitor.page.reload()
    expect(visitor.page.locator("html[data-ready]")).to_be_attached()
    expect(visitor.at("#depth")).to_have_attribute("aria-pressed", "true")
    expect(visitor.at("#teach .board.deep")).to_be_visible()
    grid = visitor.board(game)
    visitor.at("#depth").click()
    expect(visitor.at("#teach .board.deep")).to_have_count(0)
    assert visitor.board(game) == grid
    assert set(looks(visitor, grid).values()) == {"", "#fence-in-fence", "#fence-in-sheep"}


def test_games_without_a_3_d_view_do_not_offer_it(studio, visit):
    visitor = visit(studio)
    open_in_depth(visitor, "chase")
    for name in ("nim", "checkmate", "stop-the-fall", "reach-for-the-star"):
        visitor.choose(name)
        expect(visitor.at("#depth")).to_be_hidden()
        expect(visitor.at("#teach .board")).not_to_have_class(re.compile("deep"))


def test_the_board_stays_in_its_column(studio, visit):
    for width in (900, 1440, 2560):
        visitor = visit(studio, viewport={"width": width, "height": 950})
        open_in_depth(visitor)
        column, *cells = visitor.page.eval_on_selector_all(
            "#teach .board-host, #teach .board.deep .cell",
            "nodes => nodes.map(node => node.getBoundingClientRect()).map(box => [box.left, box.right])",
        )
        assert min(left for left, _ in cells) >= column[0] - 1
        assert max(right for _, right in cells) <= column[1] + 1


@pytest.mark.slow
def test_fence_in_is_watched_in_minecraft_in_3_d(make_server, visit, tmp_path, monkeypatch):
    pretend(tmp_path, monkeypatch)
    clicks = tmp_path / "clicks"
    clicks.write_text("1")
    monkeypatch.setenv("FAKE", "held")
    monkeypatch.setenv("FAKE_CLICKS", str(clicks))
    server = make_server(words=("--world", "minecraft"))
    for _ in range(2):
        server.post("expert", game="fence-in")
    server.learned("fence-in")
    visitor = visit(server, reduced_motion="reduce")
    game = visitor.choose("fence-in")
    expect(visitor.at("#rate")).to_contain_text("It wins")
    expect(visitor.at("#watch-there")).to_have_text("Watch Fence In in Minecraft")
    visitor.at("#watch-there").click()
    expect(visitor.at("#watch-status")).to_have_text(re.compile("^Fence In in Minecraft, click 2: row"))
    expect(visitor.at("#watch .board")).to_have_class(re.compile("deep"))
    first, here = load_levels(game, "test:0")[0].grid, visitor.board(game, "watch")
    assert len(here.where("#")) == len(first.where("#")) + 1  # what the bot has built so far
    with visitor.page.expect_response("**/api/stop-live"):
        visitor.at("#watch-there").click()
    clicks.write_text("100")  # it stops after the click that it is at
    expect(visitor.at("#watch-there")).to_have_text("Watch Fence In in Minecraft")
    expect(visitor.at("#watch-status")).to_contain_text("Not won in")

    # Played to its end it is a run like any other, to be gone through click by click.
    visitor.at("#watch-there").click()
    expect(visitor.at("#watch-status")).to_contain_text("Won in", timeout=3 * PATIENCE)
    visitor.at("#watch-back").click()
    expect(visitor.at("#watch-status")).to_contain_text("Click ")
    visitor.choose("nim")
    server.post("expert", game="nim")
    expect(visitor.at("#rate")).to_contain_text("It wins")
    expect(visitor.at("#watch-there")).to_be_hidden()
    visitor.expecting_silence = True
    assert server.stop() == 0
    until(lambda: not still_running(map(int, (tmp_path / "pids").read_text().split())), "the server and the bot end")
