"""Keys for buttons: which key of the keyboard presses which button of a world, in the terminal as in the browser."""

from __future__ import annotations

from collections.abc import Sequence

ARROWS = {
    "up": ("↑", ("up", "forward", "north")),
    "down": ("↓", ("down", "backward", "back", "south")),
    "left": ("←", ("left", "west")),
    "right": ("→", ("right", "east")),
}
"""The arrow keys, each as it is written, and the names of buttons that it presses."""


def arrow(key: str) -> str:
    """A key as it is written: arrows as such.

    >>> arrow("up"), arrow("p")
    ('↑', 'p')
    """
    return ARROWS[key][0] if key in ARROWS else key


def button_keys(buttons: Sequence[str]) -> dict[str, str]:
    """The key for each button: an arrow where its name is a direction, else a digit of its name, else a letter of it,
    else any that is free.

    >>> button_keys(["left", "right", "forward", "pickup", "toggle", "undo", "button_7"])
    {'left': 'left', 'right': 'right', 'up': 'forward', 'p': 'pickup', 't': 'toggle', 'n': 'undo', '7': 'button_7'}
    """
    keys: dict[str, str] = {}
    for name in buttons:
        arrows = [arrow for arrow, (_, names) in ARROWS.items() if name in names]
        digits = [digit for digit in name if digit in "0123456789"]
        letters = [letter for letter in name.lower() if letter.isalpha() and letter not in "ursq"]
        free = (key for key in (*arrows, *digits, *letters, *"123456789abcdefghijklmnoptvwxyz") if key not in keys)
        key = next(free, None)
        if key is not None:
            keys[key] = name
    return keys
