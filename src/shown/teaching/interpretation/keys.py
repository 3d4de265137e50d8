"""Tokens that act as keys, inferred from demonstrations."""

from __future__ import annotations

from shown.demonstrations import Demonstrations


def keys_of(demonstrations: Demonstrations) -> tuple[str, ...]:
    """Return the tokens that act like keys: clicked, once on every board, and never moved.

    A token counts only if it stays while the position changes.

    >>> from shown.worlds import demonstrate, find, load_levels
    >>> chase, nim = find("chase"), find("nim")
    >>> keys_of(demonstrate(chase, load_levels(chase, "train:0-2")))
    ('left_arrow', 'right_arrow', 'up_arrow', 'down_arrow')
    >>> keys_of(demonstrate(nim, load_levels(nim, "train:0-2")))
    ()
    """
    if demonstrations.buttons:
        return ()
    clicked = {step.grid[step.action] for step in demonstrations.steps if not isinstance(step.action, str)}
    return tuple(
        name
        for name, character in demonstrations.tokens.characters.items()
        if character in clicked and _stays(demonstrations, character)
    )


def _stays(demonstrations: Demonstrations, character: str) -> bool:
    """Return whether the token stays in one cell throughout each run."""
    places = [{step.grid.where(character) for step in item.steps} for item in demonstrations]
    seen_twice = any(len({step.grid for step in item.steps}) > 1 for item in demonstrations)
    return seen_twice and all(len(cells) == 1 and len(next(iter(cells))) == 1 for cells in places if cells)
