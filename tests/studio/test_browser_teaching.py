"""Interpretations and advice in a real browser, with scripted styles of play."""

from __future__ import annotations

import re

import numpy as np
import pytest
from playwright.sync_api import expect

from serving import until
from shown.demonstrations import Demonstrations
from shown.teaching.lessons.starts import curriculum
from shown.worlds import find, load_levels, play
from shown_evidence.styles import find_style
from visiting import PATIENCE, Visitor


def play_in_style(visitor: Visitor, name: str, style: str, games: int) -> None:
    """Play games on the page in a style."""
    game = find(name)
    for number in range(games):
        before = visitor.at(".record").count()
        level = visitor.at("#pick-level").inner_text()
        player = find_style(name, style).begin(visitor.board(game), np.random.default_rng(number))
        for _ in range(2 * game.max_steps):
            visitor.click(game, player(visitor.board(game)))
            if visitor.at(".record").count() > before:
                break
        expect(visitor.at("#pick-level")).not_to_have_text(level)
        expect(visitor.at("#teach .status:visible")).not_to_contain_text("Won in")


@pytest.mark.parametrize(
    ("game", "style", "interpretation"),
    [
        pytest.param("nim", "points-first", "exact clicks", marks=pytest.mark.slow),
        pytest.param("fence-in", "row-in-any-order", "exact clicks, in any order", marks=pytest.mark.slow),
        ("checkmate", "useless-click", "exact clicks"),
    ],
)
def test_two_games_in_a_style_are_enough(game, style, interpretation, studio, visit):
    visitor = visit(studio)
    visitor.choose(game)
    play_in_style(visitor, game, style, 2)
    visitor.has_learned(2)
    expect(visitor.at("#learn-state")).to_have_text("done")
    expect(visitor.at("#expected")).to_contain_text("12 of 12 new levels")
    expect(visitor.at("#interpretation option:checked")).to_have_text(f"automatic: {interpretation}")
    expect(visitor.at("#rate")).to_have_text("It wins 12 of 12 new levels")


@pytest.mark.slow
@pytest.mark.parametrize(
    ("game", "style", "games"),
    [
        ("checkmate", "any-mate", 3),
        ("stop-the-fall", "top-down", 4),
        ("reach-for-the-star", "tall-column-first", 5),
        ("chase", "waits-on-the-agent", 3),
        ("chase", "sideways-first", 3),
    ],
)
def test_some_styles_take_more_games(game, style, games, studio, visit):
    visitor = visit(studio)
    visitor.choose(game)
    play_in_style(visitor, game, style, games)
    expect(visitor.at("#learn-state")).to_have_text("done", timeout=3 * PATIENCE)  # it practices for up to 20 seconds
    visitor.has_learned(games)
    # Practice ends by the clock, so a busy machine may lose one of them.
    expect(visitor.at("#rate")).to_have_text(re.compile(r"It wins 1[12] of 12 new levels"))


@pytest.mark.slow
def test_conflicting_clicks_are_shown_and_another_interpretation_helps(studio, visit):
    fence_in, row = find("fence-in"), find_style("fence-in", "row-in-any-order")
    levels = enumerate(load_levels(fence_in, "train:0-2"))
    runs = [play(fence_in, row.begin(level.grid, np.random.default_rng(i)), level) for i, level in levels]
    shown = Demonstrations(fence_in.tokens, tuple(run.demonstration for run in runs), "fence-in")
    studio.post("import", game="fence-in", content=shown.to_json())
    studio.learned("fence-in")
    studio.post("learn", game="fence-in", programs=1000, interpretation={"clicks": "exact", "order": "given"})
    visitor = visit(studio)
    visitor.choose("fence-in")
    expect(visitor.at("#learn-state")).to_have_text("no rule fits")
    expect(visitor.at(".failure")).to_contain_text("The previous rule stays in use.")
    expect(visitor.at("#rule")).to_contain_text("From earlier demonstrations.")
    expect(visitor.at("#rule .clause").first).to_be_visible()
    expect(visitor.at("#advice")).to_contain_text(re.compile(r"In game \d+, click \d+ was on the empty cell"))
    assert 1 <= visitor.at(".pair figure").count() <= 2
    visitor.at("#read-as").click()
    expect(visitor.at("#learn-state")).to_have_text("done")
    expect(visitor.at("#advice")).to_be_hidden()
    expect(visitor.at("#interpretation option:checked")).to_have_text("exact clicks, in any order")
    visitor.open_details()
    visitor.at("#interpretation").select_option("null")
    expect(visitor.at("#interpretation option:checked")).to_have_text(re.compile("automatic: .*in any order"))
    assert studio.post("open", game="fence-in")["learned"]["preferences"]["interpretation"] is None


@pytest.mark.slow
def test_identical_looking_cells_are_accepted_and_mentioned(studio, visit):
    for _ in range(2):
        studio.post("expert", game="nim")
    studio.post("learn", game="nim", programs=3)
    visitor = visit(studio)
    expect(visitor.at("#learn-state")).to_have_text("done")
    expect(visitor.at("#rule .clause").first).to_be_visible()
    expect(visitor.at("#interpretation option:checked")).to_have_text(
        re.compile("automatic: .*, or a cell that looks identical")
    )
    expect(visitor.at(".failure-lead")).to_have_text(re.compile("so it accepts those as well"))
    expect(visitor.at("#advice")).to_be_visible()
    expect(visitor.at("#next")).to_contain_text("Correct it where it goes wrong.")
    visitor.at("#look-further").click()
    expect(visitor.at("#interpretation option:checked")).to_have_text("automatic: exact clicks")
    expect(visitor.at(".failure")).to_be_hidden()


def test_a_mistake_is_deleted_with_one_click(studio, visit):
    studio.post("correct", game="nim", level="test:0", rows=["|.", "|.", "|.", "||"])
    studio.post("click", game="nim", action=[2, 0])
    studio.post("learn", game="nim", programs=2, interpretation={"clicks": "exact", "order": "given"})
    visitor = visit(studio)
    visitor.at(".pair >> text=Leave out this click").first.click()
    expect(visitor.at(".record")).to_have_count(0)
    visitor.at(".toast >> text=Undo").click()
    expect(visitor.at(".record")).to_have_count(1)


def test_mirror_images_are_chosen_with_one_click(studio, visit):
    studio.post("expert", game="nim")
    visitor = visit(studio)
    expect(visitor.at("#mirrored option:checked")).to_have_text("automatic: yes")
    visitor.open_details()
    visitor.at("#mirrored").select_option("false")
    expect(visitor.at("#learn-state")).to_have_text("done")
    until(lambda: studio.learned("nim")["summary"]["mirrored"] is False, "it is learned without")
    visitor.choose("fence-in")
    expect(visitor.at("#mirrored")).to_be_hidden()


def test_the_vocabulary_is_shown_and_can_be_chosen(studio, visit):
    studio.post("expert", game="nim")
    visitor = visit(studio)
    visitor.open_details()
    expect(visitor.at("#language option:checked")).to_have_text("automatic: paper")
    visitor.at("#language").select_option('"standard"')
    expect(visitor.at("#learn-state")).to_have_text("done")
    until(lambda: studio.learned("nim")["summary"]["language"] == "standard", "it is learned in those words")


@pytest.mark.slow
@pytest.mark.parametrize("width", [900, 1360, 1440])
def test_the_board_comes_into_view_and_its_head_has_room(make_server, visit, width):
    # With more than the usual games the top of the page is taller.
    server = make_server(words=("--world", "gym:FrozenLake-v1", "--world", "gym:MiniGrid-Empty-Random-6x6-v0"))
    server.post("expert", game="nim")
    server.learned("nim")
    visitor = visit(server, viewport={"width": width, "height": 620}, reduced_motion="reduce")
    visitor.choose("nim")
    expect(visitor.at("#rate")).to_contain_text("It wins")
    visitor.at(".tile").last.scroll_into_view_if_needed()
    visitor.at(".tile").last.click()
    assert in_view(visitor, "#watch .board")
    visitor.at("#correct").click()
    expect(visitor.at("#pick-level")).to_contain_text("Correcting:")
    until(lambda: in_view(visitor, "#teach .board"), "the board is in view")
    sticking_out = "e => e.scrollWidth - e.clientWidth"
    for i in range(visitor.at(".card-head").count()):
        assert visitor.at(".card-head").nth(i).evaluate(sticking_out) <= 0
    visitor.at("#onward").click()


def in_view(visitor: Visitor, selector: str) -> bool:
    """Whether all of a board is visible, or as much as fits below the header."""
    return bool(
        visitor.page.evaluate(
            """selector => {
              const {top, bottom} = document.querySelector(selector).getBoundingClientRect();
              const head = document.querySelector(".top").getBoundingClientRect().bottom;
              const tall = bottom - top > innerHeight - head;
              return tall ? top < innerHeight && bottom > head : top >= head - 1 && bottom <= innerHeight + 1;
            }""",
            selector,
        )
    )


def test_the_arrow_keys_walk_where_a_game_has_them(studio, visit):
    visitor = visit(studio)
    game = visitor.choose("chase")
    start = visitor.board(game)
    row, column = start.find(game.tokens["agent"])
    free = [(key, way) for key, way in WAYS.items() if start.get((row + way[0], column + way[1])) == "."]
    key, way = free[0]
    visitor.cell(game, (0, 0)).focus()
    count = visitor.settled()
    visitor.page.keyboard.press(key)
    visitor.wait_settled(count + 1)
    assert visitor.board(game)[row + way[0], column + way[1]] == game.tokens["agent"]
    visitor.page.keyboard.press("Shift+ArrowRight")
    name = visitor.page.evaluate("document.activeElement.getAttribute('aria-label')")
    assert name.startswith("row 1, column 2,")


WAYS = {"ArrowUp": (-1, 0), "ArrowDown": (1, 0), "ArrowLeft": (0, -1), "ArrowRight": (0, 1)}


def test_a_loss_says_why(studio, visit):
    visitor = visit(studio)
    game = visitor.choose("stop-the-fall")
    visitor.click(game, visitor.board(game).find(game.tokens["green_button"]))
    lost = visitor.board(game)
    expect(visitor.at("#teach .status:visible")).to_contain_text("Lost. The parachuter landed next to fire.")
    visitor.click(game, (0, 0))  # a click after the end is nothing to complain of
    expect(visitor.at("#teach .status:visible")).to_contain_text("Lost. The parachuter landed next to fire.")
    assert visitor.board(game) == lost
    expect(visitor.at(".toast")).to_have_count(0)


def test_a_level_that_is_lost_has_its_cross_at_once(studio, visit):
    studio.post("level", game="chase", level="train:8")
    studio.post("expert", game="chase")
    visitor = visit(studio)
    visitor.choose("chase")
    # A better rule may come while one looks: what is said and what is drawn must agree at some moment.
    visitor.page.wait_for_function(
        """() => {
            const said = document.querySelector("#rate").innerText.match(/It wins (\\d+) of 12/);
            const drawn = (kind) => document.querySelectorAll(`.badge[data-kind="${kind}"]`).length;
            return said && drawn("won") === Number(said[1]) && drawn("lost") === 12 - Number(said[1]);
        }"""
    )
    visitor.at("#stop").click()


def test_a_new_project_opens_on_nim_with_its_shortest_lesson(studio, visit):
    visitor = visit(studio)
    expect(visitor.at("#game-nim")).to_have_attribute("aria-current", "")
    expect(visitor.at("#pick-level")).to_have_text("Lesson 1")
    assert visitor.board(find("nim")) == curriculum(find("nim"))[0].grid


def test_in_another_game_the_tour_begins_again(studio, visit):
    for _ in range(2):
        studio.post("expert", game="nim")
    visitor = visit(studio)
    for _ in range(3):
        visitor.at("#tour-next").click()
    expect(visitor.at("#tour")).to_contain_text("It plays a new level")
    visitor.choose("chase")
    expect(visitor.at("#tour")).to_contain_text("Win a level")
    visitor.choose("nim")
    expect(visitor.at("#tour")).to_contain_text("It works out your rule")


def test_demonstrations_are_listed_in_pages(studio, visit):
    for _ in range(15):
        studio.post("expert", game="nim")
    visitor = visit(studio)
    expect(visitor.at(".record")).to_have_count(12)
    expect(visitor.at(".record-title").first).to_have_text(re.compile("^4\\. "))
    visitor.at("#earlier-records").click()
    expect(visitor.at(".record")).to_have_count(12)
    expect(visitor.at(".record-title").first).to_have_text(re.compile("^1\\. "))
    expect(visitor.at("#records-shown")).to_have_text("1 to 12")
    expect(visitor.at("#later-records")).to_be_focused()
    visitor.at("#latest-records").click()
    expect(visitor.at("#records-shown")).to_have_text("4 to 15")
    expect(visitor.at("#latest-records")).to_be_disabled()


def test_one_more_demonstration_redraws_no_other_card(studio, visit):
    for _ in range(12):
        studio.post("expert", game="nim")
    visitor = visit(studio)
    expect(visitor.at(".record")).to_have_count(12)
    visitor.page.evaluate(
        """window.moved = [];
        const note = ({addedNodes, removedNodes}) => moved.push([addedNodes.length, removedNodes.length]);
        new MutationObserver((changes) => changes.forEach(note))
          .observe(document.querySelector(".record-list"), {childList: true})"""
    )
    studio.post("expert", game="nim")
    expect(visitor.at(".record-title").last).to_have_text(re.compile("^13\\. "))
    expect(visitor.at(".record-title").first).to_have_text(re.compile("^2\\. "))
    assert visitor.page.evaluate("moved") == [[0, 1], [1, 0]]


def test_a_repeated_message_is_shown_once(studio, visit):
    visitor = visit(studio)
    for _ in range(3):
        visitor.page.evaluate("import('/js/toast.js').then(({toast}) => toast('Twice?'))")
    expect(visitor.at(".toast >> text=Twice?")).to_have_count(1)
