"""The page in a real browser. Every test also fails on console errors and on requests to other hosts."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest
from playwright.sync_api import expect

from shown.demonstrations import Demonstrations
from shown.policy import Policy
from shown.studio.project import Project
from shown.worlds import load_levels, play
from strategies import some


@pytest.mark.parametrize(
    "name", ["nim", *(pytest.param(name, marks=pytest.mark.slow) for name in ("chase", "fence-in"))]
)
def test_the_whole_story(name, make_server, visit, tmp_path):
    server = make_server()
    visitor = visit(server)
    game = visitor.choose(name)
    expect(visitor.at("#tour")).to_contain_text("Win a level")

    # Play twice.
    visitor.win(game)
    visitor.win(game)
    visitor.stop_practicing()
    visitor.has_learned(2)
    expect(visitor.at("#watch-status")).to_contain_text(re.compile("Won in .* on a new level"))
    expect(visitor.at("#rate")).to_have_text(re.compile(r"It wins \d+ of 12 new levels"))
    expect(visitor.at("#tour")).to_contain_text("It works out your rule")
    visitor.at("#tour-close").click()

    watch_step_by_step(visitor)
    ask_why(visitor, game)
    correct(visitor, game)
    take_the_most_useful_level(visitor)
    paint_a_level(visitor, game)
    take_it_home(visitor, game, tmp_path)
    kill_the_server_and_come_back(visitor, game)


def watch_step_by_step(visitor):
    visitor.at(".tile").nth(1).click()
    expect(visitor.at(".tile").nth(1)).to_have_attribute("aria-pressed", "true")
    visitor.at("#watch .transport select").select_option("8")
    visitor.at("#watch-play").click()
    visitor.at("#watch-back").click()
    slider = visitor.at("#watch .slider")
    slider.fill("0")
    expect(visitor.at("#watch-status")).to_contain_text("Click 1:")
    visitor.at("#watch-step").click()
    expect(visitor.at("#watch-status")).not_to_contain_text("Click 1:")
    visitor.at("#watch-back").click()
    expect(visitor.at("#watch-status")).to_contain_text("Click 1:")


def lit_by_the_rule(visitor):
    """Return how many cells each clause of the rule marks."""
    means = []
    for i in range(visitor.at("#rule .clause").count()):
        visitor.at("#rule .clause").nth(i).hover()
        means.append(visitor.at("#watch .lit").count())
    return means


def ask_why(visitor, game):
    lead = visitor.at("#why-lead")
    expect(lead).to_contain_text("It clicks row")
    expect(visitor.at("#watch .heat-tint").first).to_be_attached()
    expect(visitor.at("#sure")).to_contain_text("Do its candidate rules agree?")
    # Point at a condition, and the cells it examines are marked.
    visitor.at(".literal").first.hover()
    expect(visitor.at("#watch .look, #watch .scan").first).to_be_attached()
    visitor.at("#why-title").hover()
    expect(visitor.at("#watch .look")).to_have_count(0)
    # Point at another action, and it is explained instead.
    own = lead.inner_text()
    board = visitor.board(game, "watch")
    other = next(c for c in board.cells() if f"row {c[0] + 1}, column {c[1] + 1} " not in own)
    visitor.cell(game, other, "watch").hover()
    expect(lead).to_contain_text(f"row {other[0] + 1}, column {other[1] + 1} ")
    expect(visitor.at("#reasons .literal").first).to_be_visible()
    # Pin it, and it stays until it is let go.
    visitor.cell(game, other, "watch").click()
    visitor.at("#why-title").hover()
    expect(lead).to_contain_text(f"row {other[0] + 1}, column {other[1] + 1} ")
    visitor.at("text=Back to its choice").click()
    expect(lead).to_have_text(own)
    # Point at the rule, and the cells it means light up.
    # Where another rule of the mixture knew what to do, this one may mean nothing: then a click later.
    for _ in range(8):
        means = lit_by_the_rule(visitor)
        if any(means):
            break
        visitor.at("#watch-step").click()
    assert any(means)
    # Point at the candidates, and what they would do lights up.
    expect(visitor.at("#sure")).to_be_hidden()
    visitor.open_details()
    visitor.at("#sure .candidates li").first.hover()
    expect(visitor.at("#watch .lit").first).to_be_attached()


def correct(visitor, game):
    before = visitor.at(".record").count()
    position = visitor.board(game, "watch")
    visitor.at("#correct").click()
    expect(visitor.at("#teach .status:visible")).to_have_text("What should it have done here? Click it.")
    assert visitor.board(game) == position
    visitor.click(game, game.expert(position))
    expect(visitor.at(".record")).to_have_count(before + 1)
    expect(visitor.at(".record").last).to_contain_text("correction")
    expect(visitor.at("#rule")).to_contain_text(f"From {before + 1} demonstrations")
    visitor.stop_practicing()
    visitor.has_learned(before + 1)
    visitor.at("#undo").click()
    expect(visitor.at(".record")).to_have_count(before)
    visitor.at("#redo").click()
    expect(visitor.at(".record")).to_have_count(before + 1)
    visitor.at("#onward").click()
    expect(visitor.at("#pick-level")).to_have_text("Lesson 3")


def take_the_most_useful_level(visitor):
    visitor.stop_practicing()
    visitor.has_learned(3)
    if visitor.at("#take-next").count():
        level = visitor.at(".next-text strong").inner_text()
        visitor.at("#take-next").click()
        expect(visitor.at("#pick-level")).to_have_text(level)


def paint_a_level(visitor, game):
    visitor.at("#open-paint").click()
    canvas = visitor.board(game)
    # Two more rows at the top are two more rows, and a mistake is a mistake with a reason.
    visitor.at("#grow-top").click()
    visitor.at("#grow-top").click()
    assert visitor.board(game).height == canvas.height + 2
    visitor.at("#shrink-top").click()
    visitor.at("#shrink-top").click()
    assert visitor.board(game) == canvas
    for tool in ("#flip-x", "#flip-x", "#flip-y", "#flip-y", "#rotate", "#rotate", "#rotate", "#rotate"):
        visitor.at(tool).click()
    assert visitor.board(game) == canvas
    visitor.page.keyboard.press("1")
    visitor.at("#tool-fill").click()
    thing = next(c for c in canvas.cells() if canvas[c] != game.tokens["empty"])
    visitor.cell(game, thing).click()
    assert visitor.board(game)[thing] == game.tokens["empty"]
    visitor.at("#paint-undo").click()
    assert visitor.board(game) == canvas
    # Without its rabbit, sheep or second column it is not a level.
    visitor.at("#tool-brush").click()
    for cell in _essential(game, canvas):
        visitor.cell(game, cell).click()
    expect(visitor.at("#paint-status")).to_contain_text("Not legal yet:")
    expect(visitor.at("#teach-painted")).to_be_disabled()
    for _ in _essential(game, canvas):
        visitor.at("#paint-undo").click()
    expect(visitor.at("#paint-status")).to_contain_text("The level is legal.")
    visitor.at("#try-painted").click()
    expect(visitor.at("#watch-tools")).to_contain_text("Painted level 1")
    visitor.at("#teach-painted").click()
    expect(visitor.at("#pick-level")).to_have_text("Painted level 1")


def _essential(game, grid):
    """Cells without which a level is not legal."""
    token = {"nim": "matchstick", "chase": "rabbit", "fence-in": "sheep"}[game.name]
    found = [c for c in grid.cells() if grid[c] == game.tokens[token]]
    return found if game.name != "nim" else [c for c in found if c[1] == found[-1][1]]


def take_it_home(visitor, game, tmp_path):
    visitor.at("#open-export").click()
    for what in ("policy.json", "policy.py", "demonstrations.json", "levels.json"):
        with visitor.page.expect_download() as download:
            visitor.at(f"#take-{what.replace('.', '-')}").click()
        name = download.value.suggested_filename
        download.value.save_as(tmp_path / name)
        assert name.endswith(what) or name.endswith(what.replace("-", "_"))
    snippet = visitor.at("#snippet").inner_text()
    assert len(snippet.splitlines()) == 6
    visitor.page.keyboard.press("Escape")
    with visitor.page.expect_download() as download:
        visitor.at("#run-gif").click()
    assert Path(download.value.path()).read_bytes().startswith(b"GIF8")
    policy = Policy.load(tmp_path / f"{game.name}-policy.json")
    demonstrations = Demonstrations.load(tmp_path / f"{game.name}-demonstrations.json")
    assert policy.provenance.demonstrations.digest == demonstrations.digest
    levels = load_levels(game, str(tmp_path / f"{game.name}-levels.json"))
    assert play(game, policy.act, levels[0]).steps
    # The six lines do what they say, where the files are.
    lines: list[str] = []
    folder = str(tmp_path / f"{game.name}-policy.json")
    code = snippet.replace(f'"{game.name}-policy.json"', repr(folder)).replace("random:0-9", "random:0-1")
    exec(compile(code, "snippet", "exec"), {"print": lambda *words: lines.append(" ".join(words))})
    assert [line.split()[0] for line in lines] == ["random:0", "random:1"]


def kill_the_server_and_come_back(visitor, game):
    visitor.click(game, game.expert(visitor.board(game)))
    position, records = visitor.board(game), visitor.at(".record").count()
    visitor.expecting_silence = True
    visitor.server.kill()
    expect(visitor.at("#banner")).to_contain_text("Everything you did is saved")
    expect(visitor.at("#banner")).to_contain_text(f"--project {visitor.server.folder}")
    expect(visitor.at("#banner")).to_contain_text(f"--port {visitor.server.port}")
    visitor.server.start(visitor.server.port)
    # A new run has a new secret. Its link, opened anywhere in the browser, brings back the pages that were open.
    visitor.tab().close()
    expect(visitor.at("#banner")).to_be_hidden()
    visitor.page.reload()
    expect(visitor.at("html[data-ready]")).to_be_attached()
    visitor.expecting_silence = False
    expect(visitor.at(f"#game-{game.name}")).to_have_attribute("aria-current", "")
    expect(visitor.at(".record")).to_have_count(records)
    assert visitor.board(game) == position
    visitor.has_learned(records)
    expect(visitor.at(".tile")).to_have_count(12)
    expect(visitor.at("#tour")).to_be_hidden()


def test_a_summary_made_before_the_first_news_is_shown(studio, visit):
    visitor = visit(studio)
    game = visitor.choose("nim")
    visitor.win(game)
    visitor.stop_practicing()
    visitor.has_learned(1)

    answers = []

    def without_words(route):
        answer = route.fetch()
        body = answer.json()
        if not answers:
            body["learned"]["summary"] = None
        answers.append(body)
        route.fulfill(response=answer, json=body)

    visitor.page.route("**/api/open", without_words)
    visitor.page.reload()
    visitor.has_learned(1)
    assert answers[0]["learned"]["summary"] is None  # so the words came by themselves, or were asked for


def test_replay_edit_and_delete_recorded_clicks(studio, visit):
    studio.post("level", game="nim", level="train:0")
    visitor = visit(studio)
    game = visitor.choose("nim")
    visitor.at("#expert").click()
    expect(visitor.at("#close-replay")).to_be_visible()
    visitor.at("#close-replay").click()
    visitor.at(".record-open").first.click()
    visitor.at("[aria-label='Next click']").click()
    expect(visitor.at("#teach .status:visible")).to_contain_text("Click 2 of")
    recorded, board = visitor.at("#teach .status:visible").inner_text(), visitor.board(game)
    visitor.at("#change-click").click()
    row, column = next(c for c in board.where("|") if f"row {c[0] + 1}, column {c[1] + 1} " not in recorded)
    visitor.cell(game, (row, column)).click()
    expect(visitor.at("#teach .status:visible")).to_contain_text(f"row {row + 1}, column {column + 1}")
    expect(visitor.at(".record-note").first).to_contain_text("edited")
    count = int(visitor.at(".record-note").first.inner_text().split()[0])
    visitor.at("#delete-click").click()
    expect(visitor.at(".record-note").first).to_contain_text(f"{count - 1} click")
    visitor.at(".toast >> text=Undo").last.click()
    expect(visitor.at(".record-note").first).to_contain_text(f"{count} click")
    visitor.at("#close-replay").click()
    visitor.at(".record input[type=checkbox]").first.uncheck()
    expect(visitor.at("#recordings h3")).to_have_text("Demonstrations (0)")
    expect(visitor.at("#rule")).to_contain_text("the inferred rule will appear here")
    visitor.at("[aria-label='Delete demonstration 1']").click()
    expect(visitor.at(".record")).to_have_count(0)


def test_a_game_is_played_with_the_keyboard_alone(studio, visit):
    visitor = visit(studio)
    game = visitor.choose("nim")
    keys = visitor.page.keyboard
    visitor.at("#teach").focus()
    for _ in range(30):
        keys.press("Tab")
        if visitor.page.evaluate("document.activeElement.classList.contains('cell')"):
            break
    at = _focused(visitor)
    while not visitor.at(".record").count():
        goal = game.expert(visitor.board(game))
        while at != goal:
            step = (
                "ArrowDown"
                if at[0] < goal[0]
                else "ArrowUp"
                if at[0] > goal[0]
                else "ArrowRight"
                if at[1] < goal[1]
                else "ArrowLeft"
            )
            keys.press(step)
            at = _focused(visitor)
        count = visitor.settled()
        keys.press("Enter")
        visitor.wait_settled(count + 1)
    # The focus is seen, and only one cell of the board is a tab stop.
    assert visitor.page.evaluate("getComputedStyle(document.activeElement).outlineStyle") == "solid"
    assert visitor.at("#teach .cell[tabindex='0']:visible").count() == 1
    keys.press("Control+z")
    expect(visitor.at(".record")).to_have_count(0)
    keys.press("Control+Shift+Z")
    expect(visitor.at(".record")).to_have_count(1)


def _focused(visitor):
    name = visitor.page.evaluate("document.activeElement.getAttribute('aria-label')")
    match = re.match(r"row (\d+), column (\d+)", name)
    return int(match[1]) - 1, int(match[2]) - 1


def test_with_reduced_motion_nothing_plays_by_itself(studio, visit):
    studio.post("expert", game="nim")
    studio.learned("nim")
    visitor = visit(studio, reduced_motion="reduce")
    expect(visitor.at("#rate")).to_contain_text("It wins")
    expect(visitor.at("#watch-play")).to_have_attribute("aria-label", "Play")
    expect(visitor.at("#watch-status")).to_contain_text("Click 1:")
    assert visitor.page.evaluate("document.getAnimations().length") == 0


@pytest.mark.slow
def test_clicks_that_no_rule_explains_are_shown(studio, visit):
    studio.post("correct", game="nim", level="test:0", rows=["|.", "|.", "|.", "||"])
    studio.post("click", game="nim", action=[2, 0])
    studio.post("learn", game="nim", programs=2, interpretation={"clicks": "exact", "order": "given"})
    assert studio.learned("nim")["state"] == "failed"
    visitor = visit(studio)
    visitor.choose("nim")
    expect(visitor.at("#learn-state")).to_have_text("no rule fits")
    expect(visitor.at(".failure")).to_contain_text("In game 1, click 1 was on the matchstick")
    expect(visitor.at(".pair figure .wrong")).to_be_attached()
    visitor.at(".pair >> text=Show").first.click()
    expect(visitor.at("#teach .wrong")).to_be_attached()
    expect(visitor.at("#teach .status:visible")).to_contain_text("looks identical to")
    visitor.open_details()
    visitor.at("#programs").select_option("10000")
    visitor.has_learned(1)
    expect(visitor.at(".failure")).to_be_hidden()


def test_learning_is_stopped_from_the_page(studio, visit):
    studio.post("level", game="chase", level="train:8")
    studio.post("expert", game="chase")
    visitor = visit(studio)
    visitor.choose("chase")
    expect(visitor.at("#rule .clause").first).to_be_visible()
    expect(visitor.at("#practice")).to_contain_text(re.compile(r"about \d+ of 12 won"))
    visitor.at("#stop").click()
    expect(visitor.at("#learn-state")).to_have_text("stopped")
    expect(visitor.at("#rule .clause").first).to_be_visible()


def test_the_theme_is_the_system_s_until_it_is_chosen(studio, visit):
    visitor = visit(studio, color_scheme="dark")
    background = "getComputedStyle(document.body).backgroundColor"
    dark = visitor.page.evaluate(background)
    assert sum(map(int, re.findall(r"\d+", dark))) < 150
    visitor.at("#theme").click()
    assert sum(map(int, re.findall(r"\d+", visitor.page.evaluate(background)))) > 600
    visitor.page.reload()
    expect(visitor.at("html[data-ready]")).to_be_attached()
    assert sum(map(int, re.findall(r"\d+", visitor.page.evaluate(background)))) > 600


@pytest.mark.parametrize("width", some([900, 1280, 1920, 3840], 900))
def test_no_width_needs_horizontal_scrolling(server, visit, width):
    visitor = visit(server, viewport={"width": width, "height": 900})
    for name in ("nim", "checkmate", "chase", "stop-the-fall", "reach-for-the-star", "fence-in"):
        visitor.choose(name)
        assert visitor.page.evaluate("document.documentElement.scrollWidth") <= width
        small = visitor.page.eval_on_selector_all("#teach .cell", "cells => Math.min(...cells.map(c => c.offsetWidth))")
        assert small >= 16


ATTACK = """async (base) => {
  const json = {"Content-Type": "application/json"};
  const loaded = (tag, set) => new Promise((done, fail) => {
    const node = document.createElement(tag);
    set(node);
    node.onload = () => done("loaded");
    node.onerror = () => fail(new Error("refused"));
    document.head.append(node);
  });
  const tries = {
    read: () => fetch(base + "api/open", {method: "POST", headers: json, body: '{"game":"nim"}'}).then((r) => r.text()),
    command: () => fetch(base + "api/delete", {method: "POST", headers: json, body: '{"game":"nim","id":1}'}),
    plain: () => fetch(base + "api/delete", {method: "POST", mode: "no-cors", body: '{"game":"nim","id":1}'}),
    get: () => fetch(base + "export/demonstrations.json?game=nim").then((r) => r.text()),
    news: () => new Promise((done, fail) => {
      const source = new EventSource(base + "news");
      source.onopen = done;
      source.onerror = () => fail(new Error("refused"));
    }),
    script: () => loaded("script", (node) => { node.type = "module"; node.src = base + "js/main.js"; }),
    style: () => loaded("link", (node) => { node.rel = "stylesheet"; node.href = base + "css/base.css"; }),
  };
  const result = {};
  for (const [name, attempt] of Object.entries(tries)) {
    result[name] = await attempt().then(() => "worked", () => "refused");
  }
  return result;
}"""


def test_another_site_in_the_same_browser_gets_nothing(studio, browser):
    """A page of another origin tries fetch, a plain request, the news, a script and a style."""
    studio.post("expert", game="nim")
    context = browser.new_context()
    page = context.new_page()
    page.route(
        "http://evil.example/*",
        lambda route: route.fulfill(body="<!doctype html><title>evil</title>", content_type="text/html"),
    )
    page.goto("http://evil.example/")
    attempts = page.evaluate(ATTACK, f"{studio.origin}/")
    context.close()
    # A "plain" request is sent blind: the other site cannot see that it was refused too.
    assert {name for name, outcome in attempts.items() if outcome == "worked"} <= {"plain"}
    assert len(studio.post("open", game="nim")["recordings"]) == 1


def test_a_game_with_broken_files_says_so_and_can_be_set_aside(tmp_path, make_server, visit):
    folder = tmp_path / "broken"
    (folder / "chase").mkdir(parents=True)
    (folder / "chase" / "lesson.json").write_text("{")
    visitor = visit(make_server(folder), viewport={"width": 1200, "height": 800})
    visitor.at("#game-chase").click()
    expect(visitor.at("#banner")).to_contain_text("lesson.json")
    visitor.choose("nim")
    expect(visitor.at("#banner")).to_be_hidden()
    visitor.at("#game-chase").click()
    visitor.at("#set-aside").click()
    expect(visitor.at("#banner")).to_be_hidden()
    visitor.choose("chase")
    assert (folder / "chase.set-aside-1" / "lesson.json").read_text() == "{"
    # The browser notes each answer that was an error; those two were.
    visitor.problems = [problem for problem in visitor.problems if "400" not in problem]


def test_the_page_opened_at_start_leads_into_the_studio(server, browser, tmp_path):
    with Project(tmp_path / "project") as project, project.link(server.address) as link:
        context = browser.new_context()
        page = context.new_page()
        page.goto(link.as_uri())
        expect(page.locator("html[data-ready]")).to_be_attached()
        # The secret has left the address bar.
        assert page.url.startswith(f"{server.origin}/#")
        assert "secret" not in page.url
        context.close()


def test_what_was_set_aside_is_named_on_the_page(tmp_path, make_server, visit):
    folder = tmp_path / "spoilt"
    (folder / "chase").mkdir(parents=True)
    (folder / "chase" / "table.jsonl").write_text("{}\n")
    visitor = visit(make_server(folder))
    visitor.at("#game-chase").click()
    expect(visitor.at("#banner")).to_contain_text("table.set-aside-1.jsonl")
    visitor.choose("nim")
    expect(visitor.at("#banner")).to_be_hidden()


def test_files_are_imported(studio, visit, tmp_path):
    studio.post("expert", game="nim")
    content = studio.get("/export/demonstrations.json?game=nim")
    path = tmp_path / "demonstrations.json"
    path.write_bytes(content)
    visitor = visit(studio)
    visitor.choose("nim")
    visitor.at("#open-export").click()
    visitor.at("#bring").set_input_files(path)
    expect(visitor.at(".record")).to_have_count(2)
    expect(visitor.at(".toast").last).to_contain_text("Added 1 demonstration to yours.")
    path.write_text("not json")
    visitor.at("#open-export").click()
    visitor.at("#bring").set_input_files(path)
    expect(visitor.at("#bring-problem")).to_contain_text("not valid JSON")
    assert json.loads(content)["game"] == "nim"


def test_the_studio_ends_silently_while_a_page_listens(make_server, visit, tmp_path):
    said = tmp_path / "said"
    with said.open("w") as log:
        server = make_server(log=log)
        visitor = visit(server)
        server.post("expert", game="chase")
        visitor.choose("chase")
        expect(visitor.at("#learn-state")).to_have_text("learning")
        before = len(said.read_text())
        visitor.expecting_silence = True
        assert server.stop() == 0
        assert said.read_text()[before:] == ""
    expect(visitor.at("#banner")).to_contain_text("The studio has stopped.")
