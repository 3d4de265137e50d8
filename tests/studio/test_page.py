"""The page's files, without a browser."""

from __future__ import annotations

import re
from importlib.resources import files

import pytest

from shown.studio.app import load_assets
from shown.studio.catalog import catalog
from shown.teaching.result import TeachingPhase

STATIC = files("shown.studio").joinpath("static")
SCRIPTS = sorted(item.name for item in STATIC.joinpath("js").iterdir())
STYLES = sorted(item.name for item in STATIC.joinpath("css").iterdir())


def text(name: str) -> str:
    return STATIC.joinpath(name).read_text("utf-8")


def test_every_file_has_an_address_and_nothing_else_does():
    names = {
        "/",
        "/icon.svg",
        "/sprites.css",
        *(f"/js/{name}" for name in SCRIPTS),
        *(f"/css/{name}" for name in STYLES),
    }
    assert set(load_assets(catalog())) == names


@pytest.mark.parametrize("name", ["index.html", *(f"js/{n}" for n in SCRIPTS), *(f"css/{n}" for n in STYLES)])
def test_no_file_is_long_or_speaks_of_another_host(name):
    content = text(name)
    assert len(content.splitlines()) <= 500
    addresses = re.findall(r"[a-z]+://[^\s\"'`)]+", content)
    assert set(addresses) <= {"http://www.w3.org/2000/svg"}


@pytest.mark.parametrize("name", SCRIPTS)
def test_scripts_build_no_markup_from_text(name):
    """Texts from files and levels are shown as text."""
    assert not re.search(
        r"innerHTML|outerHTML|insertAdjacentHTML|document\.write|\beval\b|new Function", text(f"js/{name}")
    )


def test_the_page_has_nothing_inline_that_its_policy_would_forbid():
    page = load_assets(catalog())["/"].content.decode()
    assert not re.search(r"<style|style=|<script(?![^>]* src=)|\son\w+=", page)


@pytest.mark.parametrize("state", ["idle", "waiting", "running", "done", "stopped", "failed", "broken"])
def test_no_style_is_named_like_a_state_of_learning(state):
    """The pill has its state as a class."""
    assert not any(re.search(rf"(^|[\s,}}])\.{state}\b", text(f"css/{name}")) for name in STYLES)


def table(name: str) -> set[str]:
    """The keys of a table of words."""
    found = re.search(rf"export const {name} = {{(.*?)}};", text("js/words.js"), re.DOTALL)
    assert found
    return set(re.findall(r"(\w+):", found[1]))


def test_every_phase_of_learning_has_words():
    assert table("PHASES") == {"starting", *(phase.value for phase in TeachingPhase)}


def themes() -> list[dict[str, str]]:
    """The colors of the light and of the dark theme."""
    pairs = re.findall(r"(--[\w-]+): light-dark\((#[0-9a-f]{6}), (#[0-9a-f]{6})\);", text("css/base.css"))
    return [{name: colors[dark] for name, *colors in pairs} for dark in (0, 1)]


def contrast(one: str, other: str) -> float:
    def luminance(color: str) -> float:
        parts = [int(color[i : i + 2], 16) / 255 for i in (1, 3, 5)]
        r, g, b = (x / 12.92 if x <= 0.04045 else ((x + 0.055) / 1.055) ** 2.4 for x in parts)
        return 0.2126 * r + 0.7152 * g + 0.0722 * b

    high, low = sorted((luminance(one), luminance(other)), reverse=True)
    return (high + 0.05) / (low + 0.05)


@pytest.mark.parametrize("theme", themes(), ids=["light", "dark"])
def test_text_can_be_read(theme):
    """At least 4.5 to 1, as the accessibility guidelines ask for."""
    grounds = {
        "--ink": ("--bg", "--card", "--raised", "--sunk", "--you-soft", "--it-soft", "--bad-soft"),
        "--muted": ("--bg", "--card", "--raised", "--sunk"),
        "--you": ("--card", "--you-soft"),
        "--it": ("--card", "--it-soft"),
        "--good": ("--card", "--good-soft"),
        "--bad": ("--card", "--bad-soft"),
        "--you-ink": ("--you",),
        "--it-ink": ("--it",),
    }
    weak = [
        (ink, ground, round(contrast(theme[ink], theme[ground]), 2))
        for ink, places in grounds.items()
        for ground in places
        if contrast(theme[ink], theme[ground]) < 4.5
    ]
    assert not weak
