"""Keys for the buttons of a world, in the browser."""

from __future__ import annotations

from collections.abc import Sequence

ARROWS = {
    "up": ("up", "forward", "north"),
    "down": ("down", "backward", "back", "south"),
    "left": ("left", "west"),
    "right": ("right", "east"),
}
"""The arrow keys, and the names of the buttons that they press."""


def button_keys(buttons: Sequence[str]) -> dict[str, str]:
    """Return the button of each key: an arrow for directions, else a digit or letter of its name, else any free key.

    >>> button_keys(["left", "right", "forward", "pickup", "toggle", "undo", "button_7"])
    {'left': 'left', 'right': 'right', 'up': 'forward', 'p': 'pickup', 't': 'toggle', 'u': 'undo', '7': 'button_7'}
    """
    keys: dict[str, str] = {}
    for name in buttons:
        arrows = [arrow for arrow, names in ARROWS.items() if name in names]
        digits = [digit for digit in name if digit in "0123456789"]
        letters = [letter for letter in name.lower() if letter.isalpha()]
        free = (key for key in (*arrows, *digits, *letters, *"123456789abcdefghijklmnopqrstuvwxyz") if key not in keys)
        key = next(free, None)
        if key is not None:
            keys[key] = name
    return keys
