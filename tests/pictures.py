"""Pictures of the studio's page, taken in a real browser.

python -m pictures states build/pictures      every state, both themes, three widths
python -m pictures docs docs/images           the pictures of the documentation
"""

from __future__ import annotations

import argparse
import contextlib
import io
import re
import tempfile
from collections.abc import Callable
from pathlib import Path

from PIL import Image
from playwright.sync_api import Browser, Locator, Page, expect

from serving import Server
from states import STATES, back, taught_game, taught_studio, teach_at_odds
from visiting import Visitor, chromium

SIZES = ((390, 844), (900, 1000), (1440, 900))
THEMES = ("light", "dark")
COLORS = 255


def states(browser: Browser, project: Path, folder: Path) -> None:
    """Save a fresh project, a learning one and every state of states.py as state-width-theme.png."""
    with contextlib.ExitStack() as stack:
        fresh, taught = Server(project / "fresh"), taught_studio(project / "taught")
        for studio in (fresh, taught):
            stack.callback(studio.stop)
        _look_at_all(browser, fresh, taught, folder)


def _look_at_all(browser: Browser, fresh: Server, taught: Server, folder: Path) -> None:
    def look(visitor: Visitor, name: str) -> None:
        visitor.page.evaluate("scrollTo(0, 0)")
        whole = not visitor.at("dialog[open], :popover-open").count()  # these are fixed to the window
        for theme in THEMES:
            visitor.page.emulate_media(color_scheme=theme, reduced_motion="reduce")  # type: ignore[arg-type]
            size = visitor.page.viewport_size
            assert size is not None
            keep(visitor.page, folder / f"{name}-{size['width']}-{theme}.png", full_page=whole)

    for width, height in SIZES:
        visitor = Visitor(browser, fresh, viewport={"width": width, "height": height}, reduced_motion="reduce")
        visitor.choose("nim")
        look(visitor, "fresh")
        visitor.choose("chase")
        visitor.at("#expert").click()
        expect(visitor.at("#rule .clause").first).to_be_visible()
        look(visitor, "learning")
        fresh.post("delete", game="chase", id=fresh.post("open", game="chase")["recordings"][-1]["id"])
        visitor.leave()
    for width, height in SIZES:
        visitor = Visitor(browser, taught, viewport={"width": width, "height": height}, reduced_motion="reduce")
        if visitor.at("#tour-close").is_visible():
            visitor.at("#tour-close").click()
        visitor.choose("nim")
        taught_game(visitor)
        look(visitor, "taught")
        for state in STATES:
            state(visitor)
            look(visitor, state.__name__)
            back(visitor)
        visitor.leave()


def docs(browser: Browser, project: Path, folder: Path) -> None:
    """The pictures of docs/guides/studio.md."""
    studio = Server(project)
    try:
        studio.post("toured", toured=True)
        for name, take in (("studio-advice", advice), ("studio-touch", touch), ("studio", whole)):
            take(browser, studio, lambda node, name=name, **options: keep(node, folder / f"{name}.png", **options))
        whole(browser, studio, lambda node, **options: keep(node, folder / "studio-dark.png", **options), "dark")
    finally:
        studio.stop()


def advice(browser: Browser, studio: Server, take: Callable[..., None]) -> None:
    """Two conflicting clicks, side by side."""
    teach_at_odds(studio, games=3)
    visitor = Visitor(browser, studio, viewport={"width": 1500, "height": 1000}, reduced_motion="reduce")
    visitor.choose("fence-in")
    expect(visitor.at("#advice")).to_be_visible()
    take(visitor.at("#learn"))
    visitor.leave()


def touch(browser: Browser, studio: Server, take: Callable[..., None]) -> None:
    """A condition that was struck, a clause that is kept, and one that was written."""
    for _ in range(2):
        studio.post("expert", game="nim")
    studio.learned("nim")
    visitor = Visitor(browser, studio, viewport={"width": 1440, "height": 1000}, reduced_motion="reduce")
    visitor.choose("nim")
    visitor.has_learned(2)
    visitor.at("#rule .phrase .touch").nth(1).click()
    expect(visitor.at(".remark.strike")).to_be_visible()
    visitor.has_learned(2)
    visitor.page.get_by_role("button", name="Keep this clause").first.click()
    expect(visitor.at("#rule .clause.pinned")).to_have_count(1)
    visitor.has_learned(2)
    visitor.at("#write-rule").click()
    first, second = visitor.at("[data-line='0']"), visitor.at("[data-line='1']")
    first.get_by_label("What", exact=True).select_option("matchstick")
    visitor.at("#writer-and").click()
    second.get_by_label("Where").select_option("walk -1 0")
    second.get_by_label("Holds").select_option("no")
    second.get_by_label("What", exact=True).select_option("empty")
    visitor.at("#writer-keep").click()
    expect(visitor.at("#rule .clause.pinned")).to_have_count(2)
    visitor.has_learned(2)
    expect(visitor.at("#expected")).to_be_visible()
    visitor.page.mouse.move(0, 0)
    take(visitor.at("#learn"))
    visitor.leave()


def whole(browser: Browser, studio: Server, take: Callable[..., None], theme: str = "light") -> None:
    """The page after two games of Reach for the Star, while a condition is pointed at."""
    star = "reach-for-the-star"
    while len(studio.post("open", game=star)["recordings"]) < 2:
        studio.post("expert", game=star)
    assert studio.learned(star)["state"] == "done"
    size = {"width": 1500, "height": 1000}
    visitor = Visitor(browser, studio, viewport=size, reduced_motion="reduce", color_scheme=theme)
    visitor.choose(star)
    taught_game(visitor)
    visitor.at("#watch .slider").fill("2")
    expect(visitor.at("#watch-status")).to_have_text(re.compile("Click 3"))
    expect(visitor.at("#watch .heat-tint").first).to_be_attached()
    expect(visitor.at("#next")).not_to_be_empty()
    visitor.at(".literal").last.hover()
    expect(visitor.at("#watch .look, #watch .scan").first).to_be_attached()
    take(visitor.page)
    visitor.leave()


def keep(seen: Page | Locator, path: Path, **options: bool) -> None:
    """Save a picture of a page or a part of it, in its commonest colors: a third of the size."""
    picture = Image.open(io.BytesIO(seen.screenshot(animations="disabled", **options))).convert("RGB")
    path.parent.mkdir(parents=True, exist_ok=True)
    colors = sorted(picture.getcolors(picture.width * picture.height), reverse=True)[:COLORS]
    palette = Image.new("P", (1, 1))
    palette.putpalette([part for _, color in colors for part in color])
    picture.quantize(palette=palette, dither=Image.Dither.NONE).save(path, optimize=True)


def main() -> None:
    parser = argparse.ArgumentParser(description="Pictures of the studio's page.")
    parser.add_argument("what", choices=("states", "docs"))
    parser.add_argument("folder", type=Path)
    args = parser.parse_args()
    take = {"states": states, "docs": docs}[args.what]
    with tempfile.TemporaryDirectory(prefix="shown-pictures-") as project, chromium() as browser:
        take(browser, Path(project) / "project", args.folder)


if __name__ == "__main__":
    main()
