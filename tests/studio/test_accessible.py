"""Accessibility: axe-core finds no violation in any state and either theme."""

from __future__ import annotations

import pytest

from states import STATES, back, taught_game, taught_studio
from visiting import violations


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
