"""Accessibility: axe-core finds no violation in any state and either theme."""

from __future__ import annotations

from importlib.resources import files
from typing import Any

import pytest

from states import STATES, back, taught_game, taught_studio

AXE = (files("axe_playwright_python") / "axe.min.js").read_text("utf-8")


def violations(visitor, rules: str = "") -> list[str]:
    """Return the violations found by axe-core, with all its rules or those given."""
    if not visitor.page.evaluate("'axe' in globalThis"):
        visitor.page.evaluate(AXE)  # the page's policy refuses it as a script
    found: Any = visitor.page.evaluate(f"axe.run({rules})")
    assert found["passes"], "axe-core checked nothing"
    return [f"{one['id']}: {node['target']}" for one in found["violations"] for node in one["nodes"]]


@pytest.fixture(scope="module")
def taught(tmp_path_factory):
    studio = taught_studio(tmp_path_factory.mktemp("accessible") / "project")
    yield studio
    studio.stop()


@pytest.mark.slow
def test_axe_finds_nothing_in_either_theme(taught, visit):
    visitor = visit(taught, reduced_motion="reduce", color_scheme="light")
    found: dict[tuple[str, str], list[str]] = {}

    def look(state: str) -> None:
        found[state, "light"] = violations(visitor)
        visitor.page.emulate_media(color_scheme="dark", reduced_motion="reduce")
        found[state, "dark"] = violations(visitor, "{runOnly: ['color-contrast']}")
        visitor.page.emulate_media(color_scheme="light", reduced_motion="reduce")

    look("first visit")
    visitor.at("#tour-close").click()
    visitor.choose("nim")
    taught_game(visitor)
    look("taught")
    for state in STATES:
        state(visitor)
        look(state.__name__)
        back(visitor)
    assert {where: lines for where, lines in found.items() if lines} == {}
