"""Colors by name, light and dark, and the ground of each game."""

from __future__ import annotations

import tomllib
from importlib.resources import files

PREFIX = "--shown-"
"""Prefix of the CSS variables."""

COLORS: dict[str, tuple[str, str]] = {
    name: (light, dark)
    for name, (light, dark) in tomllib.loads(files("shown.render").joinpath("palette.toml").read_text("utf-8")).items()
}
"""The light and the dark color of each name."""
TILES = 8

GROUNDS: dict[str, tuple[str, str]] = {
    "checkmate": ("board_a", "board_b"),
    "stop-the-fall": ("sky_a", "sky_b"),
    "reach-for-the-star": ("sky_a", "sky_b"),
    "fence-in": ("grass_a", "grass_b"),
}
PLAIN = ("paper_a", "paper_b")


def ground(game: str | None) -> tuple[str, str]:
    """Return the names of the two colors of a game's board."""
    return GROUNDS.get(game or "", PLAIN)


def color(name: str, dark: bool = False) -> str:
    """Return the color as #rrggbb.

    >>> color("page"), color("page", dark=True)
    ('#ffffff', '#15171c')
    """
    return COLORS[name][dark]


def variable(name: str) -> str:
    """Return the color as a CSS variable with the light color as fallback, for drawings that follow the theme."""
    return f"var({PREFIX}{name},{COLORS[name][0]})"


def stylesheet() -> str:
    """Return CSS that sets the variables for a light page, a dark page, and by the system unless a theme is chosen.

    To choose a theme, a page sets `data-theme="light"` or `"dark"` on its root.
    """
    day = "".join(f"{PREFIX}{name}:{light};" for name, (light, _) in COLORS.items())
    night = "".join(f"{PREFIX}{name}:{dark};" for name, (light, dark) in COLORS.items() if light != dark)
    system = f"@media (prefers-color-scheme:dark){{:root:not([data-theme]){{{night}}}}}\n"
    return f":root{{{day}}}\n:root[data-theme=dark]{{{night}}}\n{system}"
