"""Several tabs, several games and the studio's secret, in a real browser."""

from __future__ import annotations

import re
import threading
from http.server import BaseHTTPRequestHandler, HTTPServer

import pytest
from playwright.sync_api import Page, expect

from hostile_files import shown_by_expert
from serving import until
from strategies import ALL

TABS = 10 if ALL else 7  # a browser allows six connections to a server


@pytest.mark.slow
def test_many_tabs_load_answer_and_hear_the_news(studio, visit):
    studio.post("toured", toured=True)
    visitor = visit(studio)
    game = visitor.choose("nim")
    tabs = [visitor.page, *(visitor.tab() for _ in range(TABS - 1))]

    def follows(page: Page) -> bool:
        visitor.page = page
        return list(visitor.board(game).rows) == studio.post("open", game="nim")["table"]["rows"]

    for page in tabs:  # each continues where the one before it has stopped
        until(lambda page=page: follows(page), "a tab hears of a click in another")
        visitor.click(game, game.expert(visitor.board(game)))
    for page in tabs:
        until(lambda page=page: follows(page), "every tab follows")
    visitor.page = tabs[0]
    assert len(visitor.context.pages) == TABS
    for content in (None, shown_by_expert("nim", "train:0").to_json()):
        studio.post("import", game="nim", content=content) if content else studio.post("expert", game="nim")
        count = len(studio.post("open", game="nim")["recordings"])
        for page in tabs:
            expect(page.locator(".record")).to_have_count(count)
            expect(page.locator("#learn-state")).to_have_text("done")


def test_undo_in_a_message_acts_on_the_game_it_was_made_in(studio, visit):
    for game in ("stop-the-fall", "nim"):
        studio.post("expert", game=game)
    visitor = visit(studio)
    counts = {game: len(studio.post("open", game=game)["recordings"]) for game in ("stop-the-fall", "nim")}
    visitor.choose("stop-the-fall")
    visitor.page.get_by_role("button", name="Delete demonstration 1", exact=True).click()
    expect(visitor.at(".toast")).to_contain_text("Demonstration deleted.")
    visitor.choose("nim")
    visitor.at(".toast >> text=Undo").click()
    expect(visitor.at(".toast")).to_have_text("Undone in Stop the Fall.")
    for game, count in counts.items():
        assert len(studio.post("open", game=game)["recordings"]) == count
    visitor.choose("stop-the-fall")
    expect(visitor.at(".record")).to_have_count(counts["stop-the-fall"])


def test_undo_is_offered_until_the_game_changes_again(studio, visit):
    studio.post("expert", game="nim")
    visitor = visit(studio)
    game = visitor.choose("nim")
    visitor.page.get_by_role("button", name="Delete demonstration 1", exact=True).click()
    expect(visitor.at(".toast")).to_be_visible()
    visitor.click(game, game.expert(visitor.board(game)))
    expect(visitor.at(".toast")).to_have_count(0)


def test_a_second_game_waits_for_the_first_and_each_is_stopped_by_itself(studio, visit):
    visitor = visit(studio)
    visitor.choose("chase")
    other = visitor.tab()
    studio.post("level", game="chase", level="train:8")
    studio.post("expert", game="chase")
    expect(visitor.at("#learn-state")).to_have_text("learning")
    first, visitor.page = visitor.page, other
    visitor.choose("fence-in")
    studio.post("expert", game="fence-in")
    expect(visitor.at("#practice")).to_have_text("Waiting for Chase to finish learning.")
    expect(visitor.at("#learn-state")).to_have_text("waiting")
    visitor.page = first
    visitor.at("#stop").click()
    expect(visitor.at("#learn-state")).to_have_text("stopped")
    visitor.page = other
    expect(visitor.at("#learn-state")).to_have_text(re.compile("learning|done"))
    if visitor.at("#stop").is_visible():
        visitor.page.evaluate("document.getElementById('stop').click()")  # it may be gone by the time it is found
    expect(visitor.at("#learn-state")).to_have_text(re.compile("done|stopped"))
    visitor.page = first


def test_the_secret_reaches_no_other_server_of_this_machine(studio, visit):
    """Browsers send cookies to every port of 127.0.0.1."""
    heard: list[str] = []

    class Neighbor(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            heard.append(f"{self.path} {self.headers}")
            self.send_response(200)
            self.end_headers()

        def log_message(self, *words: object) -> None: ...

    neighbor = HTTPServer(("127.0.0.1", 0), Neighbor)
    threading.Thread(target=neighbor.serve_forever, daemon=True).start()
    visitor = visit(studio)
    assert visitor.page.url == f"{studio.origin}/#nim"
    visitor.context.new_page().goto(f"http://127.0.0.1:{neighbor.server_port}/")
    neighbor.shutdown()
    assert heard
    assert not [request for request in heard if studio.secret in request]
    assert not visitor.context.cookies()


def test_an_address_without_its_secret_says_what_to_do(studio, browser):
    context = browser.new_context()
    page = context.new_page()
    for address in (f"{studio.origin}/", f"{studio.origin}/#secret=wrong"):
        page.goto(address)
        expect(page.locator("#locked")).to_contain_text("Copy the whole link from the terminal")
    # The right link, pasted over that page, changes only the fragment.
    page.goto(studio.address)
    expect(page.locator("html[data-ready]")).to_be_attached()
    # A new tab with the plain address takes the secret from the tabs that are open.
    other = context.new_page()
    other.goto(f"{studio.origin}/")
    expect(other.locator("html[data-ready]")).to_be_attached()
    context.close()


def test_without_shared_workers_a_page_hears_the_news_itself(studio, visit):
    visitor = visit(studio, before_load="delete globalThis.SharedWorker")
    visitor.choose("checkmate")
    studio.post("expert", game="checkmate")
    expect(visitor.at(".record")).to_have_count(1)
