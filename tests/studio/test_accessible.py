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


def found_in_both_themes(visitor) -> list[str]:
    """What axe-core finds in the light theme, and the contrast in the dark one; the light one is left on."""
    light = violations(visitor)
    visitor.page.emulate_media(color_scheme="dark", reduced_motion="reduce")
    dark = violations(visitor, "{runOnly: ['color-contrast']}")
    visitor.page.emulate_media(color_scheme="light", reduced_motion="reduce")
    return [*light, *(f"dark: {line}" for line in dark)]


@pytest.mark.slow
def test_axe_finds_nothing_in_either_theme(taught, visit):
    visitor = visit(taught, reduced_motion="reduce", color_scheme="light")
    found = {"first visit": found_in_both_themes(visitor)}
    visitor.at("#tour-close").click()
    visitor.choose("nim")
    taught_game(visitor)
    found["taught"] = found_in_both_themes(visitor)
    for state in STATES:
        state(visitor)
        found[state.__name__] = found_in_both_themes(visitor)
        back(visitor)
    assert {where: lines for where, lines in found.items() if lines} == {}
