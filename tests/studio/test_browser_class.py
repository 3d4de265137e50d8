"""A class in a real browser: the door, the wall, and what the teacher's settings do to a pupil's page."""

from __future__ import annotations

import re

import pytest
from playwright.sync_api import expect

from serving import Server, until
from shown.worlds import find
from states import join


@pytest.fixture
def room(tmp_path):
    server = Server(tmp_path / "class", words=("--class",))
    yield server
    server.stop()


def in_new_tab(visitor, click) -> object:
    with visitor.context.expect_page() as opened:
        click()
    expect(opened.value.locator("html[data-ready]")).to_be_attached()
    return opened.value


def test_a_lesson_of_a_class(room, visit):
    teacher = visit(room)
    expect(teacher.at("#wall-title")).to_have_text("No pupil has joined yet.")
    code = teacher.at(".class-code").inner_text()

    # Anna joins at the address for everybody.
    anna = visit(room.as_holder_of(""))
    anna.at("#door-name").fill("Anna")
    anna.at("#door-code").fill(code.lower())
    anna.at("#join").click()
    expect(anna.at("#member")).to_have_text("Anna")
    anna.at("#tour-close").click()
    anna.at("#expert").click()
    anna.has_learned(1)
    tile = teacher.at("#pupil-1")
    expect(tile).to_contain_text(re.compile("of 12.*Nim: 1 game", re.DOTALL))
    expect(tile.locator(".mini")).to_be_visible()

    # The teacher pauses, and turns hints off.
    teacher.at("#pause").click()
    expect(anna.at("#banner")).to_contain_text("paused the class")
    assert anna.page.evaluate("document.getElementById('teach').inert")
    teacher.at("#pause").click()
    expect(anna.at("#banner")).to_be_hidden()
    teacher.at("#hints").uncheck()
    expect(anna.at("#hint")).to_be_hidden()
    teacher.at("#open-chase").uncheck()
    expect(anna.at("#game-chase")).to_have_count(0)
    expect(anna.at("#member")).to_have_text("Anna")

    # Ben joins with a second tab of the same browser: both stay who they are.
    tab = anna.context.new_page()
    tab.goto(f"{room.origin}/")
    expect(tab.get_by_role("button", name="Anna")).to_be_visible()
    tab.locator("#door-name").fill("anna")
    tab.locator("#door-code").fill(code)
    anna.expecting_silence = True
    tab.locator("#join").click()
    expect(tab.locator("#door-problem")).to_contain_text("own link")
    tab.locator("#door-name").fill("Ben")
    tab.locator("#join").click()
    expect(tab.locator("#member")).to_have_text("Ben")
    anna.page.reload()
    expect(anna.at("#member")).to_have_text("Anna")

    # The teacher looks at one, and helps the other.
    view = in_new_tab(teacher, lambda: tile.get_by_role("button", name="Look at").click())
    expect(view.locator("#banner")).to_contain_text("looking at the workspace of Anna")
    help_ = in_new_tab(teacher, lambda: teacher.at("#pupil-2").get_by_role("button", name="Help Ben").click())
    expect(help_.locator("#banner")).to_contain_text("helping Ben")
    help_.locator("#expert").click()
    expect(tab.locator(".record")).to_have_count(1)  # Ben sees it
    expect(anna.at(".record")).to_have_count(1)
    expect(view.locator(".record")).to_have_count(1)
    expect(teacher.at("#pupil-2")).to_contain_text(re.compile("of 12.*Nim: 1 game", re.DOTALL))

    # Rules of the class.
    teacher.at("#open-sheet").click()
    expect(teacher.at("#sheet .sheet-pupil")).to_have_count(2)
    expect(teacher.at("#sheet .sheet-rule").first).to_be_visible()
    teacher.at("#sheet").get_by_role("button", name="Close").click()
    teacher.at("#open-compare").click()
    expect(teacher.at("#compare .sheet-side")).to_have_count(2)


def hold_first(page, path: str) -> list:
    """Have the server answer the next request to a path, and hold that answer back; later ones are let through."""
    held: list = []

    def handle(route) -> None:
        if held:
            route.continue_()
        else:
            held.append((route, route.fetch()))

    page.route(path, handle)
    return held


def test_settings_that_change_while_a_page_loads_are_not_lost(room, visit):
    anna = visit(join(room, "Anna"))
    held = hold_first(anna.page, "**/api/open")
    anna.page.reload()
    until(lambda: anna.page.evaluate("true") and held, "the page asks for its game")
    room.post_to("/class/settle", locked=["chase"], hints=False)
    anna.page.wait_for_timeout(300)
    route, answer = held[0]
    route.fulfill(response=answer)
    expect(anna.at("#game-nim")).to_be_visible()
    expect(anna.at("#game-chase")).to_have_count(0)


def test_an_old_answer_does_not_undo_a_setting_on_the_teacher_s_page(room, visit):
    teacher = visit(room)
    held = hold_first(teacher.page, "**/class/wall")
    until(lambda: teacher.page.evaluate("true") and held, "the page looks at the class")
    teacher.at("#pause").click()
    expect(teacher.at("#pause")).to_have_text("Let everyone go on")
    # From now on, every state of the button is noted.
    teacher.page.evaluate("""() => {
        window.seen = [];
        const note = () => seen.push(document.getElementById("pause").textContent);
        new MutationObserver(note).observe(document.getElementById("rules-of-class"), { childList: true });
    }""")
    route, answer = held[0]
    with teacher.page.expect_response("**/class/wall"):  # of the next look
        route.fulfill(response=answer)
    teacher.page.wait_for_timeout(100)
    assert "Pause everyone" not in teacher.page.evaluate("seen")


def focus(visitor, selector: str) -> None:
    """Press Tab until an element has the focus."""
    for _ in range(120):
        if visitor.page.evaluate("(selector) => document.activeElement.matches(selector)", selector):
            return
        visitor.page.keyboard.press("Tab")
    raise AssertionError(f"the tab key does not reach {selector}")


def walk(visitor, goal: tuple[int, int]) -> None:
    """Move the focus of the board to a cell with the arrow keys."""
    for axis, (back, forth) in enumerate((("ArrowUp", "ArrowDown"), ("ArrowLeft", "ArrowRight"))):
        label = visitor.page.evaluate("document.activeElement.getAttribute('aria-label')")
        distance = goal[axis] + 1 - int(re.findall(r"\d+", label)[axis])
        for _ in range(abs(distance)):
            visitor.page.keyboard.press(forth if distance > 0 else back)


def test_a_lesson_with_the_keyboard_alone(room, visit):
    anna = visit(room.as_holder_of(""), reduced_motion="reduce")
    keys, game = anna.page.keyboard, find("nim")
    focus(anna, "#door-name")
    keys.type("Anna")
    keys.press("Tab")
    keys.type(room.post_to("/class/wall")["code"])
    keys.press("Enter")
    expect(anna.at("#member")).to_have_text("Anna")
    focus(anna, "#tour-close")
    keys.press("Enter")
    focus(anna, "#teach .cell")
    while not anna.at(".record").count():
        walk(anna, game.expert(anna.board(game)))
        count = anna.settled()
        keys.press("Enter")
        anna.wait_settled(count + 1)
    anna.has_learned(1)
    expect(anna.at("#rate")).to_contain_text("It wins")
    # A correction: the rule's first click is changed.
    focus(anna, "#correct")
    keys.press("Enter")
    expect(anna.at("#pick-level")).to_contain_text("Correcting")
    focus(anna, "#teach .cell")
    walk(anna, game.expert(anna.board(game)))
    keys.press("Enter")
    expect(anna.at(".record")).to_have_count(2)
    anna.has_learned(2)


def test_a_lesson_on_a_phone(room, visit):
    phone = {"viewport": {"width": 390, "height": 844}, "has_touch": True, "is_mobile": True}
    anna = visit(room.as_holder_of(""), reduced_motion="reduce", **phone)
    anna.at("#door-name").fill("Anna")
    anna.at("#door-code").fill(room.post_to("/class/wall")["code"])
    anna.at("#join").tap()
    anna.at("#tour-close").tap()
    for number, name in enumerate(("nim", "fence-in")):
        anna.at(f"#game-{name}").tap()
        expect(anna.at("#teach .cells:visible")).to_have_attribute("aria-label", re.compile(find(name).title))
        # The sheep is seen, though the board is wider than the screen.
        rarest = anna.at("#teach .cell[aria-label$=sheep]") if number else anna.at("#teach .cell").first
        left = rarest.bounding_box()["x"]
        assert 0 <= left <= 390
        game, before = find(name), anna.at(".record").count()
        while anna.at(".record").count() == before:
            count = anna.settled()
            anna.cell(game, game.expert(anna.board(game))).tap()
            anna.wait_settled(count + 1)
        expect(anna.at("#rule .clause").first).to_be_visible()
        anna.at("#so-far").get_by_role("button", name="See its rule").tap()
        expect(anna.at("#rule")).to_be_in_viewport()
        assert anna.page.evaluate("document.documentElement.scrollWidth") <= 390


def test_the_teacher_s_page_without_its_secret_says_what_to_do(room, visit):
    visitor = visit(room)
    visitor.expecting_silence = True
    visitor.page.evaluate("sessionStorage.clear()")
    visitor.page.goto(f"{room.origin}/teacher")
    expect(visitor.at("#banner")).to_contain_text("teacher's link")
