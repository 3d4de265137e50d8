"""A visitor of the studio's page: a real browser, with the actions of a person."""

from __future__ import annotations

import contextlib
import re
import shutil
from collections.abc import Iterator
from importlib.resources import files
from typing import Any
from urllib.parse import urlsplit

from playwright.sync_api import (
    Browser,
    ConsoleMessage,
    Error,
    Locator,
    Page,
    Request,
    Response,
    expect,
    sync_playwright,
)

from serving import Server, until
from shown.grid import Cell, Grid
from shown.worlds import Game, find

PATIENCE = 40_000
VIEWPORT = {"width": 1500, "height": 950}
CELL = re.compile(r"row (\d+), column (\d+), ([a-z ]+?)(, chance .*)?")

# Flags for Debian's Chromium without a screen, and without requests to its maker's servers.
CHROMIUM_FLAGS = (
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
)

expect.set_options(timeout=PATIENCE)


@contextlib.contextmanager
def chromium() -> Iterator[Browser]:
    """A real browser; an error where there is none."""
    path = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)
    if path is None:
        raise RuntimeError("The page is seen with Chromium. On Debian: apt-get install chromium (or run `make test`).")
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=path, args=list(CHROMIUM_FLAGS))
        yield browser
        browser.close()


def as_a_person(game: Game, grid: Grid) -> Cell:
    """Play as the expert does, but wait at varying walls, as people do."""
    cell = game.expert(grid)
    walls = grid.where("#")
    return walls[len(grid.where(".")) * 7 % len(walls)] if game.name == "chase" and grid[cell] == "#" else cell


class Window:
    """A browser window for one visitor after another: to open a new one costs as much as to load the page."""

    EMULATED = frozenset({"viewport", "reduced_motion", "color_scheme"})
    """The options that an open window can take on. For others, and for two visitors at once, use new windows."""

    def __init__(self, browser: Browser) -> None:
        self._browser = browser
        self._page: Page | None = None
        self._free = True

    def take(self, options: dict[str, Any]) -> Page | None:
        """Return the empty page of the window with these options, or None if it is in use or cannot have them."""
        if not self._free or not self.EMULATED.issuperset(options):
            return None
        if self._page is None:
            self._page = self._browser.new_context(viewport=VIEWPORT).new_page()
        usual: dict[str, Any] = {"viewport": VIEWPORT, "reduced_motion": "no-preference", "color_scheme": "light"}
        wanted = {**usual, **options}
        self._page.set_viewport_size(wanted.pop("viewport"))
        self._page.emulate_media(**wanted)
        self._free = False
        return self._page

    def give_back(self) -> None:
        """Empty the window: no other tabs, nothing stored, no routes. Where that fails, close it."""
        assert self._page is not None
        page, context = self._page, self._page.context
        self._free = True
        try:
            for tab in context.pages:
                if tab is not page:
                    tab.close()
            page.unroute_all()
            page.evaluate("localStorage.clear(); sessionStorage.clear()")
            page.goto("about:blank")
            context.clear_cookies()
            context.clear_permissions()
        except Error:  # a test has closed it, or left it on a page of the browser's own
            context.close()
            self._page = None


class Visitor:
    """One browser window. It notes every error in its pages, and every request to another host."""

    def __init__(
        self, browser: Browser, server: Server, before_load: str = "", window: Window | None = None, **options: Any
    ) -> None:
        """`before_load` is JavaScript that runs before the scripts of each page; `window` is used if it can be."""
        self.server = server
        page = window.take(options) if window and not before_load else None
        self._window = window if page else None
        self.context = page.context if page else browser.new_context(**{"viewport": VIEWPORT, **options})
        self.context.set_default_timeout(PATIENCE)
        if before_load:
            self.context.add_init_script(before_load)
        self.problems: list[str] = []
        self.foreign: list[str] = []
        self.refused: list[str] = []
        self.expecting_silence = False
        self._listeners = {
            "console": self._hear_message,
            "pageerror": self._hear_error,
            "request": self._see,
            "response": self._read,
        }
        self._first = self.page = self.tab(page)

    def open_details(self) -> None:
        """Show everything about the rule that only some users need, if it is not shown."""
        if self.at("#more").get_attribute("open") is None:
            self.at("#more > summary").click()

    def tab(self, page: Page | None = None) -> Page:
        """Open the studio in a new tab, or in this one."""
        page = page or self.context.new_page()
        for event, listener in self._listeners.items():
            page.on(event, listener)  # type: ignore[call-overload]
        page.goto(self.server.address)
        expect(page.locator("html[data-ready]")).to_be_attached()
        return page

    def _hear_message(self, message: ConsoleMessage) -> None:
        self._hear(message.type, message.text)

    def _hear_error(self, error: Error) -> None:
        self._hear("error", str(error))

    def _hear(self, kind: str, text: str) -> None:
        # A killed server does not answer, a closing one refuses work, and a new one refuses the old secret. The browser
        # logs all three as errors.
        expected = self.expecting_silence and any(words in text for words in ("net::ERR_", " 503 ", " 403 "))
        if kind in ("error", "warning") and not expected:
            self.problems.append(f"{kind}: {text}")

    def _read(self, response: Response) -> None:
        if response.status >= 400:
            asked = response.request
            self.refused.append(f"{response.status} to {asked.method} {asked.url} {(asked.post_data or '')[:200]}")

    def _see(self, request: Request) -> None:
        parts = urlsplit(request.url)
        if parts.scheme not in ("data", "blob") and parts.netloc != f"127.0.0.1:{self.server.port}":
            self.foreign.append(request.url)

    def leave(self) -> None:
        """Close the window or give it back, and fail if there were errors in it."""
        if self._window:
            for event, listener in self._listeners.items():
                self._first.remove_listener(event, listener)
            self._window.give_back()
        else:
            self.context.close()
        assert not self.foreign, f"the page talked to others: {self.foreign}"
        assert not self.problems, f"the browser complained: {self.problems} {self.refused}"

    def at(self, selector: str) -> Locator:
        return self.page.locator(selector)

    def choose(self, game: str) -> Game:
        self.at(f"#game-{game}").click()
        found = find(game)
        expect(self.at(f"#game-{game}")).to_have_attribute("aria-current", "")
        expect(self.at("#teach .cells:visible")).to_have_attribute("aria-label", re.compile(f" of {found.title}, "))
        return found

    def board(self, game: Game, part: str = "teach") -> Grid:
        """Return the position on a board, from the names of its cells."""
        visible = "cells => cells.filter(c => c.offsetParent).map(c => c.getAttribute('aria-label'))"
        # A board that is being drawn anew has no cells for a moment.
        names = until(lambda: self.page.eval_on_selector_all(f"#{part} .cell", visible), "there is a board")
        cells: dict[Cell, str] = {}
        for name in names:
            match = CELL.fullmatch(name)
            assert match, f"a cell is called {name!r}"
            cells[int(match[1]) - 1, int(match[2]) - 1] = game.tokens[match[3].replace(" ", "_")]
        height, width = 1 + max(r for r, _ in cells), 1 + max(c for _, c in cells)
        return Grid(tuple("".join(cells[r, c] for c in range(width)) for r in range(height)))

    def cell(self, game: Game, cell: Cell, part: str = "teach") -> Locator:
        """Find a cell by its accessible name."""
        token = game.tokens.name(self.board(game, part)[cell]).replace("_", " ")
        name = re.compile(rf"^row {cell[0] + 1}, column {cell[1] + 1}, {token}(, chance .*)?$")
        return self.at(f"#{part} .board-host:visible").get_by_role("button", name=name)

    def click(self, game: Game, cell: Cell) -> None:
        """Click a cell of the teacher's board, and wait for the result."""
        count = self.settled()
        self.cell(game, cell).click()
        self.wait_settled(count + 1)

    def settled(self) -> int:
        """Return the number of answered clicks."""
        return int(self.page.evaluate("performance.getEntriesByName('click-settled').length"))

    def wait_settled(self, count: int) -> None:
        self.page.wait_for_function("n => performance.getEntriesByName('click-settled').length >= n", arg=count)

    def win(self, game: Game) -> None:
        """Win the level in play, and wait for the next one."""
        before = self.at(".record").count()
        level = self.at("#pick-level").inner_text()
        for _ in range(game.max_steps):
            self.click(game, as_a_person(game, self.board(game)))
            if self.at(".record").count() > before:
                break
        expect(self.at("#teach .status:visible")).to_contain_text("Won in")
        expect(self.at("#pick-level")).not_to_have_text(level)
        expect(self.at("#teach .status:visible")).not_to_contain_text("Won in")

    def stop_practicing(self) -> None:
        """Wait for a first rule, and stop learning."""
        expect(self.at("#rule .clause").first).to_be_visible()
        expect(self.at("#learn-state")).to_have_text(re.compile("learning|done"))
        if self.at("#stop").is_visible():
            expect(self.at("#rule")).to_contain_text("demonstration")
            self.page.evaluate("document.getElementById('stop').click()")  # it may be gone by the time it is found

    def has_learned(self, demonstrations: int) -> None:
        noun = "demonstration" if demonstrations == 1 else "demonstrations"
        expect(self.at("#learn-state")).to_have_text(re.compile("done|stopped"))
        expect(self.at("#rule")).to_contain_text(re.compile(f"From (\\d+ of )?{demonstrations} {noun}"))
        expect(self.at("#rule .clause").first).to_be_visible()


def violations(visitor: Visitor, rules: str = "") -> list[str]:
    """Return the violations found by axe-core, with all its rules or those given."""
    if not visitor.page.evaluate("'axe' in globalThis"):
        axe = (files("axe_playwright_python") / "axe.min.js").read_text("utf-8")
        visitor.page.evaluate(axe)  # the page's policy refuses it as a script
    found: Any = visitor.page.evaluate(f"axe.run({rules})")
    assert found["passes"], "axe-core checked nothing"
    return [f"{one['id']}: {node['target']}" for one in found["violations"] for node in one["nodes"]]
