"""Grids as text: plain, or with the colors of a terminal."""

from __future__ import annotations

from shown.grid import Action, Grid, Tokens

# Terminal colors, which respect the user's theme. Other tokens take turns among TURNS.
STYLES: dict[str, str] = {
    **{"empty": "2", "static_block": "2;37", "matchstick": "1;33", "star": "1;33", "fire": "1;31", "sheep": "1;37"},
    **{"black_king": "1;35", "white_king": "1;36", "white_queen": "1;36", "rabbit": "1;35", "green_button": "1;32"},
    **dict.fromkeys(("selected_white_king", "selected_white_queen"), "1;33;4"),
    **dict.fromkeys(("agent", "parachuter", "robot"), "1;34"),
    **dict.fromkeys(("left_arrow", "right_arrow", "up_arrow", "down_arrow"), "36"),
    **dict.fromkeys(("new_wall", "new_block", "block", "fence"), "33"),
    "wall": "31",
}
TURNS = ("34", "33", "32", "35", "36", "31")
MARK = "1;7"
"""The style of the clicked cell: bold and reversed."""


def text(grid: Grid, tokens: Tokens, *, click: Action | None = None, color: bool = False) -> str:
    """Return one line per row, two columns per cell, so that cells are about square; brackets mark the click."""
    tokens.check(grid)
    styles = {
        character: STYLES.get(name, TURNS[index % len(TURNS)])
        for index, (name, character) in enumerate(tokens.characters.items())
    }
    lines = []
    for r, row in enumerate(grid.rows):
        line = ""
        for c, character in enumerate(row):
            left = "[" if click == (r, c) else "]" if click == (r, c - 1) else " "
            shown = f"\x1b[{MARK if click == (r, c) else styles[character]}m{character}\x1b[0m" if color else character
            line += left + shown
        lines.append(line + ("]" if click == (r, grid.width - 1) else ""))
    return "\n".join(lines)
