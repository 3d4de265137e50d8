"""Colors by name, light and dark, and the ground of each game."""

from __future__ import annotations

PREFIX = "--shown-"
"""Prefix of the CSS variables."""

# name: (light, dark)
COLORS: dict[str, tuple[str, str]] = {
    # the page and what is written on it
    "page": ("#ffffff", "#15171c"),
    "text": ("#2f333b", "#dfe2e8"),
    "frame": ("#cfc9ba", "#434955"),
    "off": ("#f1f1ef", "#1b1e24"),
    # grounds: two shades each, so that cells can be counted
    "paper_a": ("#f8f5ee", "#262a32"),
    "paper_b": ("#f0ece2", "#2b3039"),
    "sky_a": ("#e6f2fb", "#1d2b3c"),
    "sky_b": ("#dcecf8", "#213145"),
    "grass_a": ("#d9edc0", "#33523a"),
    "grass_b": ("#cfe6b2", "#395a40"),
    "board_a": ("#f3e7d0", "#a39a88"),
    "board_b": ("#d3b88f", "#7d7464"),
    # things
    "ink": ("#2b2e36", "#0d0f13"),
    "cord": ("#2b2e36", "#b9c0cc"),
    "white": ("#ffffff", "#f2f3f5"),
    "shade": ("#d9dce2", "#b9bec8"),
    "wood": ("#d9a566", "#c08c50"),
    "wood_light": ("#ecc48f", "#dbad74"),
    "wood_dark": ("#8f5f2c", "#6f4a22"),
    "red": ("#dd4b3e", "#e2574a"),
    "red_dark": ("#a93026", "#a93026"),
    "brick": ("#a9523f", "#94493a"),
    "mortar": ("#6f3226", "#4f251d"),
    "fresh": ("#f0c9a8", "#e0b793"),
    "fresh_edge": ("#8a4a33", "#6b3727"),
    "skin": ("#f2c49b", "#e6b68c"),
    "blue": ("#3f7fd1", "#4c8be0"),
    "blue_dark": ("#234f8c", "#1f4174"),
    "hair": ("#5a3a22", "#3d2818"),
    "fur": ("#f4efe9", "#ece6df"),
    "pink": ("#ec9aa5", "#e58d99"),
    "key_top": ("#ffffff", "#4a5160"),
    "key_side": ("#b4b9c4", "#2f343f"),
    "key_edge": ("#6a707d", "#15181e"),
    "key_mark": ("#2b2e36", "#f2f3f5"),
    "stone": ("#8d939e", "#7c828e"),
    "stone_light": ("#b3b8c1", "#9aa0ab"),
    "stone_dark": ("#5f6570", "#4b505a"),
    "orange": ("#f08c2e", "#f28f33"),
    "yellow": ("#ffd34d", "#ffd75e"),
    "yellow_dark": ("#b07a10", "#8a5f0c"),
    "green": ("#3fa95a", "#49b866"),
    "green_dark": ("#1f6b35", "#17512a"),
    "green_light": ("#a6e0b0", "#b5ebbf"),
    "steel": ("#9fb3c8", "#8ea3b9"),
    "steel_dark": ("#48586b", "#374556"),
    "wool": ("#fdfbf7", "#f3f0ea"),
    "dark_piece": ("#33363f", "#1c1e24"),
    "select": ("#ffe27a", "#e8c75a"),
    "select_edge": ("#8a5a00", "#3f2a00"),
    # marks laid over the board
    "click": ("#d6246e", "#ff5c9a"),
    "look": ("#1769d1", "#6fb1ff"),
    "heat": ("#e8590c", "#ff8a3d"),
    "won": ("#2b8a3e", "#51cf66"),
    "lost": ("#c92a2a", "#ff6b6b"),
    "unfinished": ("#868e96", "#868e96"),
    # tiles of tokens that have no sprite
    "tile_0": ("#cfe3fb", "#2f4f7a"),
    "tile_1": ("#fbd9c5", "#7a442a"),
    "tile_2": ("#d3efd0", "#2f6138"),
    "tile_3": ("#f6d3e6", "#71345a"),
    "tile_4": ("#fbeab0", "#6b5714"),
    "tile_5": ("#ddd6f7", "#4a3f86"),
    "tile_6": ("#c9eeea", "#1f5e5a"),
    "tile_7": ("#e4e0d8", "#57534b"),
    "tile_mark": ("#23262d", "#ffffff"),
    "tile_edge": ("#8b8f99", "#0d0f13"),
}
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


def stylesheet(light: str = ":root", dark: str = ":root[data-theme=dark]") -> str:
    """Return CSS that sets the variables under `light`, under `dark`, and by the system unless a theme is chosen.

    To choose a theme, a page sets `data-theme="light"` or `"dark"` on its root.
    """
    day = "".join(f"{PREFIX}{name}:{pair[0]};" for name, pair in COLORS.items())
    night = "".join(f"{PREFIX}{name}:{pair[1]};" for name, pair in COLORS.items() if pair[0] != pair[1])
    chosen = f"{dark}{{{night}}}\n" if dark else ""
    system = f"@media (prefers-color-scheme:dark){{{light}:not([data-theme]){{{night}}}}}\n"
    return f"{light}{{{day}}}\n{chosen}{system}"
