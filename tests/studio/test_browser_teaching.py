"""Being understood, in a real browser: people who play in their own way, and what the page tells them and offers."""

from __future__ import annotations

import re

import numpy as np
import pytest
from playwright.sync_api import expect

from serving import until
from shown.demonstrations import Demonstrations
from shown.experiments.styles import find_style
from shown.games import find, load_levels, play
from shown.studio.places import curriculum
from visiting import PATIENCE, Visitor


def play_in_style(visitor: Visitor, name: str, style: str, games: int) -> None:
    """Plays so many games on the page as somebody who plays like this."""
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
    ("game", "style", "reading"),
    [
        ("nim", "points-first", "as clicked"),
        ("fence-in", "row-in-any-order", "in any order"),
        ("checkmate", "useless-click", "as clicked"),
    ],
)
def test_people_who_play_in_their_own_way_are_understood_from_two_games(game, style, reading, make_server, visit):
    visitor = visit(make_server())
    visitor.choose(game)
    play_in_style(visitor, game, style, 2)
    visitor.has_learned(2)
    expect(visitor.at("#learn-state")).to_have_text("done")
    expect(visitor.at("#expected")).to_contain_text("Expected to win about 12 of 12 new levels")
    expect(visitor.at("#reading option:checked")).to_have_text(f"found out: {reading}")
    expect(visitor.at("#rate")).to_have_text("It solves 12 of 12 levels nobody has shown it")


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
def test_people_whose_way_takes_more_games_are_understood_too(game, style, games, make_server, visit):
    visitor = visit(make_server())
    visitor.choose(game)
    play_in_style(visitor, game, style, games)
    expect(visitor.at("#learn-state")).to_have_text("done", timeout=3 * PATIENCE)  # it practises for up to 20 seconds
    visitor.has_learned(games)
    expect(visitor.at("#rate")).to_have_text("It solves 12 of 12 levels nobody has shown it")


def test_clicks_at_odds_are_shown_side_by_side_and_reading_them_otherwise_helps(make_server, visit):
    server = make_server()
    fence_in, row = find("fence-in"), find_style("fence-in", "row-in-any-order")
    levels = enumerate(load_levels(fence_in, "train:0-2"))
    runs = [play(fence_in, row.begin(level.grid, np.random.default_rng(i)), level) for i, level in levels]
    shown = Demonstrations(fence_in.tokens, tuple(run.demonstration for run in runs), "fence-in")
    server.post("import", game="fence-in", content=shown.to_json())
    server.learned("fence-in")
    server.post("learn", game="fence-in", programs=1000, reading={"same": "clicked", "order": "given"})
    visitor = visit(server)
    visitor.choose("fence-in")
    expect(visitor.at("#learn-state")).to_have_text("no rule fits")
    expect(visitor.at(".failure")).to_contain_text("The rule it had before stays, and goes on playing.")
    expect(visitor.at("#rule")).to_contain_text("From what you showed before.")
    expect(visitor.at("#rule .clause").first).to_be_visible()
    expect(visitor.at("#advice")).to_contain_text(re.compile(r"In game \d+, click \d+ was on the empty cell"))
    assert 1 <= visitor.at(".pair figure").count() <= 2
    visitor.at("#read-as").click()
    expect(visitor.at("#learn-state")).to_have_text("done")
    expect(visitor.at("#advice")).to_be_hidden()
    expect(visitor.at("#reading option:checked")).to_have_text("in any order")
    visitor.at("#reading").select_option("null")
    expect(visitor.at("#reading option:checked")).to_have_text(re.compile("found out: .*in any order"))
    assert server.post("open", game="fence-in")["learned"]["way"]["reading"] is None


def test_where_no_rule_tells_the_clicks_from_others_what_looks_the_same_will_do_and_it_says_so(make_server, visit):
    server = make_server()
    for _ in range(2):
        server.post("expert", game="nim")
    server.post("learn", game="nim", programs=3)
    visitor = visit(server)
    expect(visitor.at("#learn-state")).to_have_text("done")
    expect(visitor.at("#rule .clause").first).to_be_visible()
    expect(visitor.at("#reading option:checked")).to_have_text(
        re.compile("found out: .*, and what looks the same will do")
    )
    expect(visitor.at(".failure-lead")).to_have_text(re.compile("what looks the same will do, too"))
    expect(visitor.at("#advice")).to_be_visible()
    expect(visitor.at("#next")).to_contain_text("Correct it where it goes wrong.")
    visitor.at("#look-further").click()
    expect(visitor.at("#reading option:checked")).to_have_text("found out: as clicked")
    expect(visitor.at(".failure")).to_be_hidden()


def test_a_slip_is_taken_out_with_one_click(make_server, visit):
    server = make_server()
    server.post("correct", game="nim", level="test:0", rows=["|.", "|.", "|.", "||"])
    server.post("click", game="nim", action=[2, 0])
    server.post("learn", game="nim", programs=2, reading={"same": "clicked", "order": "given"})
    visitor = visit(server)
    visitor.at(".pair >> text=It was a slip").first.click()
    expect(visitor.at(".record")).to_have_count(0)
    visitor.at(".toast >> text=Undo").click()
    expect(visitor.at(".record")).to_have_count(1)


def test_whether_it_holds_mirrored_is_one_click(make_server, visit):
    server = make_server()
    server.post("expert", game="nim")
    visitor = visit(server)
    expect(visitor.at("#mirrored option:checked")).to_have_text("found out: yes")
    visitor.at("#mirrored").select_option("false")
    expect(visitor.at("#learn-state")).to_have_text("done")
    until(lambda: server.learned("nim")["summary"]["mirrored"] is False, "it is learned without")
    visitor.choose("fence-in")
    expect(visitor.at("#mirrored")).to_be_hidden()


def test_in_which_words_the_rule_is_said_is_told_and_can_be_chosen(make_server, visit):
    server = make_server()
    server.post("expert", game="nim")
    visitor = visit(server)
    visitor.at("text=How it got there").click()
    expect(visitor.at("#language option:checked")).to_have_text("found out: of the paper")
    visitor.at("#language").select_option('"standard"')
    expect(visitor.at("#learn-state")).to_have_text("done")
    until(lambda: server.learned("nim")["summary"]["language"] == "standard", "it is learned in those words")


@pytest.mark.parametrize("width", [900, 1360, 1440])
def test_the_board_comes_into_view_and_its_head_has_room(make_server, visit, width):
    # With more than the usual games the top of the page is taller.
    server = make_server(words=("--world", "gym:FrozenLake-v1", "--world", "gym:MiniGrid-Empty-Random-6x6-v0"))
    server.post("expert", game="nim")
    server.learned("nim")
    visitor = visit(server, viewport={"width": width, "height": 620}, reduced_motion="reduce")
    visitor.choose("nim")
    expect(visitor.at("#rate")).to_contain_text("It solves")
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
    """Whether a board can be seen: all of it, or as much as fits below the top of the page."""
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


def test_the_arrow_keys_walk_where_a_game_has_them(make_server, visit):
    visitor = visit(make_server())
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


def test_a_loss_says_why(make_server, visit):
    visitor = visit(make_server())
    game = visitor.choose("stop-the-fall")
    visitor.click(game, visitor.board(game).find(game.tokens["green_button"]))
    lost = visitor.board(game)
    expect(visitor.at("#teach .status:visible")).to_contain_text("Lost. There was fire beside")
    visitor.click(game, (0, 0))  # a click after the end is nothing to complain of
    expect(visitor.at("#teach .status:visible")).to_contain_text("Lost. There was fire beside")
    assert visitor.board(game) == lost
    expect(visitor.at(".toast")).to_have_count(0)


def test_a_level_that_is_lost_has_its_cross_at_once(make_server, visit):
    server = make_server()
    server.post("level", game="chase", level="train:8")
    server.post("expert", game="chase")
    visitor = visit(server)
    visitor.choose("chase")
    # A better rule may come while one looks: what is said and what is drawn must agree at some moment.
    visitor.page.wait_for_function(
        """() => {
            const said = document.querySelector("#rate").innerText.match(/It solves (\\d+) of 12/);
            const drawn = (kind) => document.querySelectorAll(`.badge[data-kind="${kind}"]`).length;
            return said && drawn("won") === Number(said[1]) && drawn("lost") === 12 - Number(said[1]);
        }"""
    )
    visitor.at("#stop").click()


def test_a_new_project_opens_on_nim_with_its_shortest_lesson(make_server, visit):
    visitor = visit(make_server())
    expect(visitor.at("#game-nim")).to_have_attribute("aria-current", "")
    expect(visitor.at("#pick-level")).to_have_text("Lesson 1")
    assert visitor.board(find("nim")) == curriculum(find("nim"))[0].grid


def test_in_another_game_the_tour_begins_again(make_server, visit):
    server = make_server()
    for _ in range(2):
        server.post("expert", game="nim")
    visitor = visit(server)
    for _ in range(3):
        visitor.at("#tour-next").click()
    expect(visitor.at("#tour")).to_contain_text("It plays a level nobody has shown it")
    visitor.choose("chase")
    expect(visitor.at("#tour")).to_contain_text("Play a game; the computer watches")
    visitor.choose("nim")
    expect(visitor.at("#tour")).to_contain_text("It works out your rule")


def test_the_list_shows_what_fits_and_the_rest_a_page_at_a_time(make_server, visit):
    server = make_server()
    for _ in range(15):
        server.post("expert", game="nim")
    visitor = visit(server)
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


def test_one_more_demonstration_leaves_the_cards_of_the_others_where_they_are(make_server, visit):
    server = make_server()
    for _ in range(12):
        server.post("expert", game="nim")
    visitor = visit(server)
    expect(visitor.at(".record")).to_have_count(12)
    visitor.page.evaluate(
        """window.moved = [];
        const note = ({addedNodes, removedNodes}) => moved.push([addedNodes.length, removedNodes.length]);
        new MutationObserver((changes) => changes.forEach(note))
          .observe(document.querySelector(".record-list"), {childList: true})"""
    )
    server.post("expert", game="nim")
    expect(visitor.at(".record-title").last).to_have_text(re.compile("^13\\. "))
    expect(visitor.at(".record-title").first).to_have_text(re.compile("^2\\. "))
    assert visitor.page.evaluate("moved") == [[0, 1], [1, 0]]


def test_the_same_message_is_said_once(make_server, visit):
    visitor = visit(make_server())
    for _ in range(3):
        visitor.page.evaluate("import('/js/toast.js').then(({toast}) => toast('Twice?'))")
    expect(visitor.at(".toast >> text=Twice?")).to_have_count(1)
