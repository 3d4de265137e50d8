"""Latency of the studio, measured in a real browser on this machine.

- first load: bytes that a first visit transfers, everything included;
- first rule: from the last click of the second demonstration of Nim to its rule on the screen;
- learning: in every game, after each of ten demonstrations, the time to its first rule and to the end of learning;
- a saved rule: from importing 60 games of Chase to a policy on disk;
- many demonstrations: the first rule from 200 games of Chase, how large the page is then, and how long one more takes:
  from a click on "Let the expert play" to the frame that counts it;
- click to repaint: from a click to the end of the frame that shows what came of it, with nothing else going on and
  while learning from 100 games with a budget of 100,000 programs is in progress. A person holds a button for 60 ms or
  more, and the page uses that time; both this and an instant click are measured, and the part of the server's answers.

Needs Chromium and the studio's extra. Run: python benchmarks/studio.py [--clicks N] [--json]
"""

from __future__ import annotations

import argparse
import json
import os
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from playwright.sync_api import Page, sync_playwright

from shown.grid import Cell, Grid
from shown.worlds import demonstrate, find, load_levels

FLAGS = (
    *("--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run"),
    *("--disable-background-networking", "--disable-component-update", "--disable-sync"),
)
MEASURE = "click-to-repaint"
PRESS = 60.0
BUSY = "reach-for-the-star"
GAMES = ("nim", "checkmate", "stop-the-fall", "fence-in", "reach-for-the-star", "chase")
TAUGHT, SAVED, MANY, AT_ONCE = 10, 60, 200, 100
"""Demonstrations: of each game, until a rule is saved, of the page with many, and while it learns."""
FIRST_SEED = 1000
ANSWERS = """performance.getEntriesByType('resource')
  .filter((entry) => /[/]api[/](peek|click)$/.test(entry.name))
  .map((entry) => entry.responseEnd - entry.startTime)"""
ASK = """async ([name, body]) => {
  const headers = {'Content-Type': 'application/json', 'Shown-Secret': sessionStorage.getItem('shown-secret')};
  const answer = await fetch(`/api/${name}`, {method: 'POST', headers, body});
  if (!answer.ok) throw new Error(await answer.text());
  await answer.json();
}"""

LEARNED = """(count) => new Promise((done) => {
  const [start, text] = [performance.now(), (id) => document.getElementById(id).textContent];
  let first = null;
  const look = () => {
    const taken = (performance.now() - start) / 1000;
    if (new RegExp(`From (\\\\d+ of )?${count} demonstration`).test(text('rule'))) first ??= taken;
    const ended = first !== null && ['done', 'no rule fits', 'failed'].includes(text('learn-state'));
    if (ended || taken > 120) done([first ?? taken, taken]);
    else requestAnimationFrame(look);
  };
  document.getElementById('expert').click();
  requestAnimationFrame(look);
})"""

ONE_MORE = """() => new Promise((done) => {
  const count = () => document.querySelector('.record-head h3').textContent;
  const [before, start] = [count(), performance.now()];
  const look = () => (count() === before ? requestAnimationFrame(look) : done(performance.now() - start));
  document.getElementById('expert').click();
  requestAnimationFrame(look);
})"""


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--clicks", type=int, default=100, help="clicks to measure (default 100)")
    parser.add_argument("--json", action="store_true", help="print JSON")
    args = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        result = measure(Path(folder) / "project", args.clicks)
    if args.json:
        print(json.dumps(result, indent=1))
        return
    many = result["many"]
    print(f"after each of {TAUGHT} demonstrations: seconds to the first rule (goal: 0.5) and to the end (goal: 10)")
    for game, times in result["learning_s"].items():
        first, done = zip(*times, strict=True)
        print(
            f"  {game:20} first {statistics.median(first):5.2f} median, {max(first):5.2f} worst; "
            f"done {statistics.median(done):5.2f} and {max(done):5.2f}"
        )
    print(f"{SAVED} games of Chase: a rule is saved after {result['saved_s']:.2f} s (goal: under 10)")
    print(f"first load            {result['first_load_kB']:7.0f} kB   (goal: under 350)")
    print(f"first rule for Nim    {result['first_rule_s']:7.2f} s    (goal: under 2)")
    print(f"{MANY} games of Chase: the first rule {many['first_rule_s']:.2f} s (goal: under 2)")
    print(f"  {many['nodes']:,} nodes, one more in {many['one_more_ms']:.0f} ms (goal: under 100)")
    print(f"click to repaint, {args.clicks} clicks each (goal while learning: median 20, 95th percentile 50)")
    for name, figures in result["click_to_repaint_ms"].items():
        asked = figures["answers"]
        print(
            f"  {name:28} {figures['median']:5.1f} ms median, {figures['p95']:5.1f} at the 95th percentile; "
            f"answers {asked['median']:.1f} and {asked['p95']:.1f}"
        )


def measure(folder: Path, clicks: int) -> dict[str, Any]:
    command = [sys.executable, "-m", "shown", "studio", "--no-browser", "--port", "0", "--project", str(folder)]
    server = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
    try:
        assert server.stdout is not None
        address = server.stdout.readline().strip()
        with sync_playwright() as playwright:
            path = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)
            if path is None:
                sys.exit("benchmarks/studio.py: needs Chromium (on Debian: apt-get install chromium).")
            browser = playwright.chromium.launch(executable_path=path, args=list(FLAGS))
            page = browser.new_page(viewport={"width": 1500, "height": 950})
            page.set_default_timeout(120_000)  # the first run on a machine compiles
            load = first_load(page, address)
            rule = first_rule(page)
            learning = {game: learning_times(page, game) for game in GAMES}
            saved = saved_rule(page, folder)
            many = many_demonstrations(page)
            figures = {
                "idle": repaint(page, BUSY, clicks),
                "idle, instant press": repaint(page, BUSY, clicks, press=0),
                **while_learning(page, clicks),
            }
            browser.close()
    finally:
        server.terminate()
        server.wait()
    return {
        "first_load_kB": load / 1000,
        "first_rule_s": rule,
        "learning_s": learning,
        "saved_s": saved,
        "many": many,
        "load": os.getloadavg()[0],
        "click_to_repaint_ms": figures,
    }


def first_load(page: Page, address: str) -> int:
    """Return the bytes of all answers until the page is ready, headers included."""
    sizes: list[int] = []

    def count(response: Any) -> None:
        if "/news" not in response.url:
            total = response.request.sizes()
            sizes.append(total["responseBodySize"] + total["responseHeadersSize"])

    finished: list[Any] = []
    page.on("requestfinished", lambda request: finished.append(request))
    page.goto(address)
    page.wait_for_selector("html[data-ready]", state="attached")
    page.wait_for_load_state("load")
    for request in list(finished):
        count(request.response())
    return sum(sizes)


def first_rule(page: Page) -> float:
    """Return the seconds from the last click of Nim's second demonstration to the rule."""
    time.sleep(3)  # a person needs longer than that to find the board; the child processes get ready meanwhile
    choose(page, "nim")
    nim = find("nim")
    for games in (1, 2):
        while page.locator(".record").count() < games:
            start = time.perf_counter()
            click(page, nim.expert(board(page, "nim")))
        page.wait_for_selector(f"#rule:has-text('From {games} demonstration')")
        taken = time.perf_counter() - start
        page.wait_for_selector("#teach .status:has-text('Won in')", state="detached")
    return taken


def learning_times(page: Page, game: str) -> list[tuple[float, float]]:
    """Return the seconds to the first rule and to the end of learning after each demonstration of the expert."""
    choose(page, game)
    return [tuple(page.evaluate(LEARNED, count)) for count in range(page.locator(".record").count() + 1, TAUGHT + 1)]


def saved_rule(page: Page, folder: Path) -> float:
    """Return the seconds from importing many games of Chase to a policy on disk that was learned from them."""
    policy, last = folder / "chase" / "policy.json", time.time()
    start = time.perf_counter()
    page.evaluate(ASK, ["import", games_of("chase", SAVED)])
    while not policy.exists() or policy.stat().st_mtime < last:
        time.sleep(0.05)
    return time.perf_counter() - start


def choose(page: Page, game: str) -> None:
    page.click(f"#game-{game}")
    page.wait_for_selector(f"#teach .cells[aria-label*=' of {find(game).title}']")


def games_of(name: str, games: int, first: int = FIRST_SEED) -> str:
    """Return a request that imports a number of the expert's games at once."""
    game = find(name)
    shown = demonstrate(game, load_levels(game, f"random:{first}-{first + games - 1}"))
    return json.dumps({"game": name, "content": shown.to_json()})


def many_demonstrations(page: Page) -> dict[str, Any]:
    """Measure Chase with many demonstrations: seconds to the first rule, page size, milliseconds to add one more."""
    choose(page, "chase")
    games = games_of("chase", MANY - SAVED - TAUGHT, FIRST_SEED + SAVED)
    start = time.perf_counter()
    page.evaluate(ASK, ["import", games])
    brought = time.perf_counter() - start
    page.wait_for_selector(f"#rule:has-text('of {MANY} demonstrations')")
    rule = time.perf_counter() - start
    height = page.evaluate("document.documentElement.scrollHeight")
    nodes = page.evaluate("document.querySelectorAll('*').length")
    times = [page.evaluate(ONE_MORE) for _ in range(5)]
    page.evaluate(ASK, ["stop", json.dumps({"game": "chase"})])
    return {
        "first_rule_s": rule,
        "brought_s": brought,
        "nodes": nodes,
        "height": height,
        "one_more_ms": statistics.median(times),
    }


def while_learning(page: Page, clicks: int) -> dict[str, Any]:
    choose(page, BUSY)
    page.evaluate(ASK, ["import", games_of(BUSY, AT_ONCE)])

    def keep_learning() -> None:
        if page.locator("#learn-state.running").count() == 0:
            page.evaluate(ASK, ["learn", json.dumps({"game": BUSY, "programs": 100_000})])
            page.wait_for_selector("#learn-state.running")

    return {
        "learning": repaint(page, BUSY, clicks, keep_learning),
        "learning, instant press": repaint(page, BUSY, clicks, keep_learning, press=0),
    }


def repaint(
    page: Page, game: str, clicks: int, before_each: Callable[[], None] = lambda: None, press: float = PRESS
) -> dict[str, Any]:
    """Return the milliseconds of clicks that change the board, and of the server's answers."""
    choose(page, game)
    page.evaluate("performance.clearMeasures(); performance.clearResourceTimings()")
    page.evaluate("performance.setResourceTimingBufferSize(100000)")
    empty = find(game).tokens["empty"]
    measured: list[float] = []
    while len(measured) < clicks:
        before_each()
        grid = board(page, game)
        spots = [cell for cell in grid.cells() if grid[cell] == empty]
        click(page, spots[7 * len(measured) % len(spots)], press)
        measured = page.evaluate(f"performance.getEntriesByName('{MEASURE}').map((entry) => entry.duration)")
        if page.locator(".board.lost").count() or len(spots) < 5:
            page.click("#restart")
    return {**summary(measured), "answers": summary(page.evaluate(ANSWERS))}


def click(page: Page, cell: Cell, press: float = 0) -> None:
    settled = "performance.getEntriesByName('click-settled').length"
    count = page.evaluate(settled)
    page.click(f"#teach [aria-label^='row {cell[0] + 1}, column {cell[1] + 1},']", delay=press)
    page.wait_for_function(f"(n) => {settled} > n", arg=count)


def board(page: Page, game: str) -> Grid:
    """Return the board, read from the names of its cells."""
    names = page.eval_on_selector_all("#teach .cell", "cells => cells.map((cell) => cell.getAttribute('aria-label'))")
    tokens = find(game).tokens
    cells = {}
    for name in names:
        row, column, token = name.split(", ")[:3]
        cells[int(row[4:]) - 1, int(column[7:]) - 1] = tokens[token.replace(" ", "_")]
    height, width = 1 + max(r for r, _ in cells), 1 + max(c for _, c in cells)
    return Grid(tuple("".join(cells[r, c] for c in range(width)) for r in range(height)))


def summary(times: list[float]) -> dict[str, float]:
    ordered = sorted(times)
    return {
        "median": statistics.median(ordered),
        "p95": ordered[int(0.95 * (len(ordered) - 1))],
        "worst": ordered[-1],
        "clicks": len(ordered),
    }


if __name__ == "__main__":
    main()
