"""Keys for buttons: which key of the keyboard presses which button of a world, in the terminal as in the browser."""

from __future__ import annotations

from collections.abc import Sequence

ARROWS = {
    "up": ("up", "forward", "north"),
    "down": ("down", "backward", "back", "south"),
    "left": ("left", "west"),
    "right": ("right", "east"),
}
"""The arrow keys, and the names of buttons that they press."""


def button_keys(buttons: Sequence[str]) -> dict[str, str]:
    """The key for each button: an arrow where its name is a direction, else a letter of its name, else a digit.

    >>> button_keys(["left", "right", "forward", "pickup", "toggle", "undo"])
    {'left': 'left', 'right': 'right', 'up': 'forward', 'p': 'pickup', 't': 'toggle', 'n': 'undo'}
    """
    keys: dict[str, str] = {}
    for name in buttons:
        arrows = [arrow for arrow, names in ARROWS.items() if name in names]
        letters = [letter for letter in name.lower() if letter.isalpha() and letter not in "ursq"]
        free = (key for key in (*arrows, *letters, *"123456789abcdefghijklmnoptvwxyz") if key not in keys)
        key = next(free, None)
        if key is not None:
            keys[key] = name
    return keys
