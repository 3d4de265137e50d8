"""Nothing on the page surprises: addresses, Undo, runs and rules that stay put while it learns, in a real browser."""

from __future__ import annotations

import re

from playwright.sync_api import Page, expect

from serving import Server
from shown.worlds import demonstrate, find
from visiting import Visitor

WATCH = """([selector, what]) => {
  window.seen = [];
  setInterval(() => window.seen.push(Number(document.querySelector(selector)[what])), 20);
}"""


def watch(page: Page, selector: str, what: str) -> None:
    """Record a number on the page from now on."""
    page.evaluate(WATCH, [selector, what])


def begin_chase(studio: Server) -> None:
    """Learn a game that takes seconds."""
    studio.post("level", game="chase", level="train:8")
    studio.post("expert", game="chase")


def test_the_address_names_the_game(studio, visit):
    visitor = visit(studio)
    visitor.choose("chase")
    expect(visitor.page).to_have_url(re.compile("#chase$"))
    other = visitor.tab()
    expect(other.locator("#game-chase")).to_have_attribute("aria-current", "")
    other.locator("#game-nim").click()
    expect(other).to_have_url(re.compile("#nim$"))
    visitor.page.reload()
    expect(visitor.at("#game-chase")).to_have_attribute("aria-current", "")
    visitor.choose("fence-in")
    visitor.page.go_back()
    expect(visitor.at("#teach .cells")).to_have_attribute("aria-label", re.compile(" of Chase, "))
    visitor.page.go_forward()
    expect(visitor.at("#teach .cells")).to_have_attribute("aria-label", re.compile(" of Fence In, "))
    visitor.at(".skip").press("Enter")
    expect(visitor.page).to_have_url(re.compile("#fence-in$"))
    assert visitor.page.evaluate("document.activeElement.closest('#teach .cells') !== null")


def test_undo_says_that_it_takes_back_a_demonstration(studio, visit):
    visitor = visit(studio)
    game = visitor.choose("nim")
    visitor.win(game)
    visitor.at("#undo").click()
    expect(visitor.at(".toast")).to_contain_text("Took back 1 demonstration.")
    expect(visitor.at(".record")).to_have_count(0)
    visitor.at(".toast").get_by_role("button", name="Redo").click()
    expect(visitor.at(".record")).to_have_count(1)


def test_an_import_says_what_it_adds_to_and_can_be_undone(studio, visit, tmp_path):
    studio.post("expert", game="nim")
    demonstrate(find("nim"), "train:3-4").save(tmp_path / "more.json")
    visitor = visit(studio)
    visitor.choose("nim")
    visitor.at("#open-export").click()
    visitor.at("#bring").set_input_files(tmp_path / "more.json")
    expect(visitor.at(".record")).to_have_count(3)
    expect(visitor.at(".toast")).to_contain_text("Added 2 demonstrations to yours.")
    visitor.at(".toast").get_by_role("button", name="Undo").click()
    expect(visitor.at(".record")).to_have_count(1)


def playing(studio: Server, visit) -> Visitor:
    """A page on which the computer plays a level of Nim, slowly."""
    studio.post("expert", game="nim")
    studio.learned("nim")
    visitor = visit(studio)
    visitor.at("#watch .transport select").select_option("0.5")
    visitor.choose("nim")
    expect(visitor.at("#watch-play")).to_have_attribute("aria-label", "Pause")
    return visitor


def test_a_run_is_played_to_its_end_whatever_is_learned_meanwhile(studio, visit):
    visitor = playing(studio, visit)
    end = int(visitor.at("#watch .slider").get_attribute("max"))
    watch(visitor.page, "#watch .slider", "value")
    for count in (2, 3):
        studio.post("expert", game="nim")
        expect(visitor.at("#rule")).to_contain_text(f"From {count} demonstrations")
    visitor.page.wait_for_function("end => window.seen.includes(end)", arg=end)
    seen = visitor.page.evaluate("window.seen")
    first = seen[: seen.index(end)]
    assert first == sorted(first)


def test_a_rule_that_a_demonstration_leaves_as_it_was_says_so(studio, visit):
    visitor = visit(studio, reduced_motion="reduce")
    visitor.choose("nim")
    clauses, same = None, False
    for count in range(1, 9):
        studio.post("expert", game="nim")
        before, clauses = clauses, studio.learned("nim")["summary"]["clauses"]
        same = same or clauses == before
        visitor.has_learned(count)
        said = visitor.at("#rule").get_by_text("It already fitted your last demonstration.")
        expect(said).to_have_count(int(clauses == before))
    assert same


def test_a_run_that_is_looked_at_stays_and_a_newer_rule_is_offered(studio, visit):
    visitor = playing(studio, visit)
    visitor.at("#watch-play").click()
    at = visitor.at("#watch .slider").input_value()
    expect(visitor.at("#watch-newer")).to_be_hidden()
    studio.post("expert", game="nim")
    expect(visitor.at("#watch-newer")).to_be_visible()
    expect(visitor.at("#rule")).to_contain_text("From 2 demonstrations")
    assert visitor.at("#watch .slider").input_value() == at
    visitor.at("#watch-newer").click()
    expect(visitor.at("#watch-newer")).to_be_hidden()
    expect(visitor.at("#watch-play")).to_have_attribute("aria-label", "Pause")


def test_the_rule_box_never_shrinks_while_it_learns_and_learning_goes_on_after_stop(studio, visit):
    visitor = visit(studio)
    visitor.choose("chase")
    begin_chase(studio)
    expect(visitor.at("#rule .clause").first).to_be_visible()
    watch(visitor.page, "#rule", "offsetHeight")
    expect(visitor.at("#practice")).to_contain_text(re.compile(r"about \d+ of 12 won"))
    heights = visitor.page.evaluate("window.seen")
    assert heights == sorted(heights)
    stop = visitor.at("#stop").bounding_box()
    visitor.at("#stop").click()
    expect(visitor.at("#learn-state")).to_have_text("stopped")
    expect(visitor.at("#expected")).to_contain_text(
        re.compile(r"Stopped before it was done\. It wins \d+ of \d+ new levels")
    )
    assert abs(visitor.at("#go-on").bounding_box()["y"] - stop["y"]) < 12
    visitor.at("#go-on").click()
    expect(visitor.at("#learn-state")).to_have_text(re.compile("learning|done"))
    expect(visitor.at("#rule .clause").first).to_be_visible()


def test_a_rule_from_before_an_edit_is_called_out_of_date_and_not_exported(studio, visit):
    for _ in range(2):
        studio.post("expert", game="nim")
    studio.learned("nim")
    visitor = visit(studio)
    visitor.choose("nim")
    begin_chase(studio)  # which Nim then waits for
    visitor.at("#rule .phrase .touch").first.click()
    expect(visitor.at("#outdated")).to_have_text("Out of date: this is the rule from before your last edit.")
    expect(visitor.at("#watch .stage")).to_contain_text("This is how the rule from before your last edit plays.")
    visitor.at("#open-export").click()
    expect(visitor.at("#export")).to_contain_text("Out of date until a new rule is learned.")
    expect(visitor.at("#take-policy-json")).to_have_count(0)
    visitor.page.keyboard.press("Escape")
    studio.post("stop", game="chase")
    visitor.has_learned(2)
    expect(visitor.at("#outdated")).to_have_count(0)


STICKS = "[...document.querySelectorAll('#teach .cell')].filter(c => c.ariaLabel.includes('matchstick')).length"


def test_the_reply_of_an_opponent_is_shown_after_the_click(studio, visit):
    """Otherwise one click seems to take the opponent's matches as well."""
    studio.post("level", game="nim", level="train:8")
    for motion, counts in (("no-preference", 3), ("reduce", 2)):
        visitor = visit(studio, reduced_motion=motion)
        game = visitor.choose("nim")
        before = visitor.board(game)
        visitor.page.evaluate(
            f"""window.seen = [{STICKS}];
            new MutationObserver(() => window.seen.push({STICKS})).observe(
                document.querySelector("#teach"), {{ subtree: true, childList: true, attributes: true }})"""
        )
        visitor.click(game, before.where("|")[0])
        visitor.page.wait_for_function("n => new Set(window.seen).size >= n", arg=counts)
        seen = list(dict.fromkeys(visitor.page.evaluate("window.seen")))
        assert len(seen) == counts
        assert seen[:2] == [len(before.where("|")), len(before.where("|")) - 1] or motion == "reduce"
        visitor.at("#restart").click()
        expect(visitor.at("#restart")).to_be_disabled()


def test_quick_clicks_do_not_wait_for_the_reply(studio, visit):
    visitor = visit(studio)
    visitor.choose("chase")
    studio.post("level", game="chase", level="train:8")
    expect(visitor.at("#pick-level")).to_contain_text("Lesson")
    visitor.at("#teach .cell").first.focus()
    settled = visitor.settled()
    for key in ("ArrowUp", "ArrowDown", "ArrowUp", "ArrowDown"):
        visitor.page.keyboard.press(key)
    visitor.wait_settled(settled + 4)


def test_the_tour_shows_what_it_speaks_of_and_its_buttons_stay(studio, visit):
    for _ in range(2):
        studio.post("expert", game="nim")
    studio.learned("nim")
    visitor = visit(studio, viewport={"width": 900, "height": 700}, reduced_motion="reduce")
    visitor.choose("nim")
    visitor.at("#open-tour").click()
    places = set()
    while visitor.at("#tour").is_visible():
        visitor.page.wait_for_timeout(50)
        box = visitor.at("#tour-close").bounding_box()
        places.add((round(box["x"]), round(box["y"] - visitor.at("#tour").bounding_box()["y"])))
        target = visitor.at(".toured").bounding_box()
        assert target["y"] < 700
        assert target["y"] + target["height"] > 0
        expect(visitor.at("#tour-next")).to_be_in_viewport()
        visitor.at("#tour-next").click()
    assert len(places) == 1


def test_on_a_phone_the_board_has_the_screen_and_says_what_was_learned(studio, visit):
    visitor = visit(studio, viewport={"width": 390, "height": 844}, reduced_motion="reduce")
    visitor.at("#tour-close").click()
    game = visitor.choose("nim")
    assert visitor.at(".top").bounding_box()["height"] < 0.13 * 844
    visitor.win(game)
    expect(visitor.at("#so-far")).to_contain_text("It has learned from 1 demonstration.")
    visitor.at("#so-far").get_by_role("button", name="See its rule").click()
    expect(visitor.at("#rule")).to_be_in_viewport()
    for game in ("nim", "reach-for-the-star", "stop-the-fall"):
        levels = next(about for about in studio.post("hello")["games"] if about["name"] == game)["lessons"]
        widest = max(levels, key=lambda level: len(level["rows"]) + len(level["rows"][0]))
        studio.post("level", game=game, level=widest["name"])
        visitor.choose(game)
        assert visitor.at("#teach .cell").first.bounding_box()["width"] >= 28
        assert visitor.page.evaluate("document.documentElement.scrollWidth") <= 390
