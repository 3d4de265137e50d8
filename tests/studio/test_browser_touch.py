"""Edits of the rule in a real browser: keep, strike, write, undo."""

from __future__ import annotations

import re

from playwright.sync_api import expect


def taught(server, demonstrations=2):
    server.post("toured", toured=True)
    for _ in range(demonstrations):
        server.post("expert", game="nim")
    server.learned("nim")
    return server


def test_a_condition_is_struck_and_does_not_come_back_until_it_is_undone(studio, visit):
    visitor = visit(taught(studio))
    visitor.has_learned(2)
    phrase = visitor.at("#rule .phrase").nth(1)
    words = phrase.inner_text().removeprefix("and ")
    before = visitor.at("#rule .clauses").inner_text()
    phrase.get_by_role("button", name=f"Strike this condition: {words}").click()
    expect(visitor.at(".remark.strike")).to_contain_text(words.partition(" (")[0])
    expect(visitor.at("#rule .clauses")).not_to_contain_text(words)
    visitor.has_learned(2)
    visitor.at(".toast").get_by_role("button", name="Undo").click()
    expect(visitor.at(".remark")).to_have_count(0)
    expect(visitor.at("#rule .clauses")).to_have_text(before, use_inner_text=True)


def test_a_clause_is_kept_and_let_go(studio, visit):
    visitor = visit(taught(studio))
    visitor.has_learned(2)
    clicks = sum(card["clicks"] for card in studio.post("open", game="nim")["recordings"])
    words = visitor.at("#rule .clause").first.locator(".phrase").all_inner_texts()
    visitor.page.get_by_role("button", name="Keep this clause").first.click()
    expect(visitor.at("#rule .clause.pinned")).to_have_count(1)
    expect(visitor.at(".remark.pin")).to_have_count(1)
    assert visitor.at("#rule .clause.pinned .phrase").all_inner_texts() == words
    expect(visitor.at("#rule .clause.pinned .stands-for")).to_contain_text(
        f"your {clicks} clicks; first: game 1, click 1"
    )
    expect(visitor.at("#rule .clause.pinned .phrase .touch")).to_have_count(0)
    visitor.page.keyboard.press("Control+z")
    expect(visitor.at(".remark")).to_have_count(0)
    expect(visitor.at("#rule .clause.pinned")).to_have_count(0)
    visitor.page.keyboard.press("Control+Shift+z")
    kept = visitor.at("#rule .clause.pinned > .touch")
    expect(kept).to_have_attribute("aria-pressed", "true")
    kept.click()
    expect(visitor.at("#rule .clause.pinned")).to_have_count(0)


def test_a_clause_is_let_go_even_if_its_news_came_before_the_answer(studio, visit):
    visitor, held = visit(taught(studio)), []
    visitor.has_learned(2)
    visitor.page.get_by_role("button", name="Keep this clause").first.click()
    expect(visitor.at("#rule .clause.pinned")).to_have_count(1)
    visitor.has_learned(2)
    visitor.page.keyboard.press("Control+z")
    expect(visitor.at("#rule .clause.pinned")).to_have_count(0)
    visitor.page.route("**/api/redo", lambda route: held.append((route, route.fetch())))
    visitor.page.keyboard.press("Control+Shift+z")
    visitor.at("#rule .clause.pinned > .touch").click()
    expect(visitor.at("#rule .clause.pinned")).to_have_count(0)
    for route, response in held:
        route.fulfill(response=response)
    expect(visitor.at(".remark")).to_have_count(0)


def test_a_clause_is_written_from_menus(make_server, visit):
    server = taught(make_server())
    visitor = visit(server)
    visitor.has_learned(2)
    visitor.at("#write-rule").click()
    form = visitor.page.get_by_role("group", name="Write a clause")
    form.get_by_label("What", exact=True).select_option("matchstick")
    visitor.at("#writer-and").click()
    second = form.locator("[data-line='1']")
    expect(second.get_by_label("Where")).to_be_focused()
    second.get_by_label("Where").select_option("walk -1 0")
    second.get_by_label("Holds").select_option("no")
    expect(second.get_by_label("Holds")).to_be_focused()
    second.get_by_label("What", exact=True).select_option("empty")
    expect(visitor.at("#writer-said")).to_have_text(
        "Click a cell if the clicked cell is a matchstick, and going up from the clicked cell, there is no empty cell."
    )
    visitor.at("#writer-keep").click()
    expect(visitor.at("#writer")).to_be_hidden()
    expect(visitor.at(".remark.pin")).to_contain_text("going up from the clicked cell, there is no empty cell")
    expect(visitor.at("#rule .clause.pinned")).to_contain_text("going up from the clicked cell, there is no empty cell")
    # A new page, after a kill, shows the same.
    visitor.expecting_silence = True
    server.kill()
    server.start(server.port)
    again = visit(server)
    expect(again.at(".remark.pin")).to_have_count(1)
    expect(again.at("#rule .clause.pinned")).to_have_count(1)


def test_a_clause_that_contradicts_a_demonstration_says_where(studio, visit):
    visitor = visit(taught(studio))
    visitor.has_learned(2)
    visitor.at("#write-rule").click()
    visitor.at("#writer-keep").click()  # "the clicked cell is empty"
    note = visitor.at(".remark-against")
    expect(note).to_contain_text(re.compile(r"In demonstration 1, click 1, it would also allow row \d+, column \d+"))
    visitor.has_learned(2)
    note.get_by_role("button", name="Show").click()
    expect(visitor.at("#teach .replay .wrong")).to_be_attached()
    visitor.at(".remark").get_by_role("button").last.click()
    expect(visitor.at(".remark")).to_have_count(0)


def test_the_buttons_are_reached_with_the_keyboard(studio, visit):
    visitor = visit(taught(studio))
    visitor.has_learned(2)
    visitor.at("#rule .clause").first.focus()
    visitor.page.keyboard.press("Tab")
    expect(visitor.page.locator(":focus")).to_have_attribute("aria-label", re.compile("Strike this condition: "))
    visitor.page.keyboard.press("Enter")
    expect(visitor.at(".remark.strike")).to_have_count(1)
