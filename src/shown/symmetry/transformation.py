"""Transformations as data: the motion of cells, exchanged tokens and buttons, fixed tokens.

A rectangle can be mapped onto a rectangle in eight ways. A transformation is one of them, together with the tokens and
buttons that it renames: where left and right are exchanged, `<` becomes `>`.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from shown.errors import BadInput, at, did_you_mean, short
from shown.grid import OFF, Tokens

Exchange = tuple[tuple[str, str], ...]
"""Pairs (name, new name)."""

_MATRICES = {
    "same": (1, 0, 0, 1),
    "left-right": (1, 0, 0, -1),
    "up-down": (-1, 0, 0, 1),
    "half-turn": (-1, 0, 0, -1),
    "transpose": (0, 1, 1, 0),
    "clockwise": (0, 1, -1, 0),
    "counter-clockwise": (0, -1, 1, 0),
    "anti-transpose": (0, -1, -1, 0),
}
"""(a, b, c, d) maps an offset (down, right) to (a·down + b·right, c·down + d·right)."""

_NAMES = {matrix: name for name, matrix in _MATRICES.items()}

MOTIONS = tuple(_MATRICES)
"""The eight motions of cells; `transpose` exchanges rows and columns, `clockwise` is a quarter turn."""

UNDO_THEMSELVES = ("same", "left-right", "up-down", "half-turn")
"""Motions that keep the shape of every grid and are their own inverse."""

MOST = 384
"""Larger groups of transformations are rejected."""


def _names(names: Iterable[str]) -> tuple[str, ...]:
    if isinstance(names, str) or not all(isinstance(name, str) for name in names):
        raise BadInput(f"{short(names)} must be names of tokens, such as ('left_arrow', 'right_arrow').")
    return tuple(str(name) for name in names)


def _closed(pairs: Exchange, what: str) -> Exchange:
    """Return the pairs in order, chains closed to cycles, without names that stay the same."""
    if isinstance(pairs, str) or not all(isinstance(pair, tuple | list) and len(pair) == 2 for pair in pairs):
        raise BadInput(f"{what} {short(pairs)} must be pairs of names, such as (('left_arrow', 'right_arrow'),).")
    for pair in pairs:
        _names(pair)
    becomes = {str(name): str(other) for name, other in pairs}
    comes_from = {other: name for name, other in becomes.items()}
    if len(becomes) < len(pairs) or len(comes_from) < len(becomes):
        raise BadInput(f"{what} {short(pairs)}: each name can become only one other, and no two the same.")
    for start in [name for name in becomes if name not in comes_from]:
        end = start
        while end in becomes:
            end = becomes[end]
        becomes[end] = start
    return tuple(sorted((name, other) for name, other in becomes.items() if name != other))


@dataclass(frozen=True, slots=True)
class Transformation:
    """A mirroring or rotation of a grid, with some names exchanged.

    >>> mirror = Transformation("left-right", tokens=(("left_arrow", "right_arrow"),))
    >>> mirror.words, mirror.tokens
    ('mirrored left to right', (('left_arrow', 'right_arrow'), ('right_arrow', 'left_arrow')))

    Fixed tokens: a cell that holds one keeps it, and the cell it would move to keeps its content, so that nothing is
    lost. All other cells move. In Reach for the Star the arrow keys stay in the ground while everything above them is
    mirrored; a click on one key becomes a click on the other.

    Attributes:
        cells: motion of the cells, one of `MOTIONS`.
        tokens: exchanged tokens, as pairs (name, new name). A chain is closed: `(("left", "right"),)` exchanges both,
            and
            `up → right → down → left` is a rotation.
        stays: fixed tokens. Only for motions that keep the shape; of exchanged tokens either all or none are fixed.
        buttons: exchanged buttons, in worlds without clicks.
    """

    cells: str = "same"
    tokens: Exchange = ()
    stays: tuple[str, ...] = ()
    buttons: Exchange = ()

    def __post_init__(self) -> None:
        if self.cells not in _MATRICES:
            raise BadInput(
                f"no motion of cells is called {short(self.cells)}. {did_you_mean(str(self.cells), MOTIONS)}"
            )
        object.__setattr__(self, "tokens", _closed(self.tokens, "tokens"))
        object.__setattr__(self, "buttons", _closed(self.buttons, "buttons"))
        object.__setattr__(self, "stays", tuple(sorted(set(_names(self.stays)))))
        if OFF in self.stays or OFF in dict(self.tokens):
            raise BadInput(f"{OFF} is the value outside the grid: it can neither stay in place nor be exchanged.")
        if self.stays and self.cells not in UNDO_THEMSELVES:
            raise BadInput(
                f"{self.cells} changes the shape of a grid, so no token can stay in place. "
                f"Motions that keep the shape: {', '.join(UNDO_THEMSELVES[1:])}."
            )
        for name, other in self.tokens:
            if (name in self.stays) != (other in self.stays):
                raise BadInput(f"{name} and {other} are exchanged, so either both stay in place or neither does.")

    @property
    def matrix(self) -> tuple[int, int, int, int]:
        """(a, b, c, d): an offset (down, right) becomes (a·down + b·right, c·down + d·right)."""
        return _MATRICES[self.cells]

    @property
    def turns(self) -> bool:
        """Whether rows become columns."""
        return self.matrix[0] == 0

    @property
    def is_identity(self) -> bool:
        """Whether nothing changes."""
        return self.cells == "same" and not self.tokens and not self.buttons

    @property
    def words(self) -> str:
        """English, as in "or mirrored left to right"."""
        if self.cells == "same" and not self.is_identity:
            return f"with {_told(self.tokens + self.buttons)} exchanged"
        return _WORDS[self.cells]

    def check(self, tokens: Tokens, buttons: tuple[str, ...] = ()) -> None:
        """Raise BadInput if it names a token or a button that this world lacks."""
        for name in (*dict(self.tokens), *self.stays):
            if name not in tokens.names:
                raise BadInput(
                    f"symmetry {self.cells}: {short(name)} is not a token. {did_you_mean(name, tokens.names)}"
                )
        for name in dict(self.buttons):
            if name not in buttons:
                raise BadInput(f"symmetry {self.cells}: {short(name)} is not a button. {did_you_mean(name, buttons)}")

    def to_json(self) -> dict[str, Any]:
        value: dict[str, Any] = {"cells": self.cells, "tokens": dict(self.tokens), "stays": list(self.stays)}
        value["buttons"] = dict(self.buttons)
        return {key: part for key, part in value.items() if part}

    @classmethod
    def from_json(cls, value: Any, where: str = "symmetry") -> Transformation:
        """Return the transformation in a JSON value; raise BadInput with its place if it is invalid."""
        if not isinstance(value, dict) or not set(value) <= {"cells", "tokens", "stays", "buttons"}:
            raise BadInput(f'{where}: must be an object such as {{"cells": "left-right"}}.')
        tokens, buttons, stays = value.get("tokens", {}), value.get("buttons", {}), value.get("stays", [])
        for key, exchange in (("tokens", tokens), ("buttons", buttons)):
            if not isinstance(exchange, dict) or len(exchange) > 1000:
                raise BadInput(f'{where}: "{key}" must be an object such as {{"left_arrow": "right_arrow"}}.')
        if not isinstance(stays, list) or len(stays) > 1000 or not isinstance(value.get("cells", "same"), str):
            raise BadInput(f'{where}: "cells" must be a name and "stays" a list of names.')
        with at(f"{where}: "):
            return cls(value.get("cells", "same"), tuple(tokens.items()), tuple(stays), tuple(buttons.items()))


IDENTITY = Transformation()

_WORDS = {
    "same": "as it is",
    "left-right": "mirrored left to right",
    "up-down": "mirrored top to bottom",
    "clockwise": "turned clockwise",
    "half-turn": "turned by 180°",
    "counter-clockwise": "turned counter-clockwise",
    "anti-transpose": "mirrored and turned clockwise",
    "transpose": "mirrored and turned counter-clockwise",
}
"""English for each motion, the simplest first."""

SIMPLEST = tuple(_WORDS)
"""The motions, the simplest to imagine first."""

TURNS = frozenset(("same", "half-turn", "clockwise", "counter-clockwise"))
"""Motions that do not mirror."""

_TOGETHER = {
    frozenset(UNDO_THEMSELVES): "mirrored in any way",
    TURNS: "turned in any way",
    frozenset(MOTIONS): "turned and mirrored in any way",
}


def in_words(transformations: Iterable[Transformation]) -> str:
    """Return English for a set of transformations, to follow "or"; empty for the identity alone.

    >>> in_words([IDENTITY, Transformation("left-right")])
    'mirrored left to right'
    >>> in_words(closure([Transformation("left-right"), Transformation("up-down")]))
    'mirrored in any way'
    """
    group = tuple(transformations)
    together = _TOGETHER.get(frozenset(t.cells for t in group))
    if together is not None:
        return together
    return ", or ".join(dict.fromkeys(t.words for t in group if not t.is_identity))


def inverse(transformation: Transformation) -> Transformation:
    """Return the inverse of a transformation.

    >>> inverse(Transformation("clockwise")).cells
    'counter-clockwise'
    """
    a, b, c, d = transformation.matrix
    return Transformation(
        _NAMES[a, c, b, d],
        tuple((other, name) for name, other in transformation.tokens),
        transformation.stays,
        tuple((other, name) for name, other in transformation.buttons),
    )


def compose(first: Transformation, second: Transformation) -> Transformation:
    """Return the transformation that applies `first`, then `second`.

    Raises BadInput if one has fixed tokens, unless they are inverse: other cells than either says would have to stay.

    >>> compose(Transformation("left-right"), Transformation("up-down")).cells
    'half-turn'
    """
    if first.is_identity or second.is_identity:
        return second if first.is_identity else first
    if second == inverse(first):
        return IDENTITY
    if first.stays or second.stays:
        raise BadInput("a symmetry with tokens that stay in place cannot be combined with another. Use it by itself.")
    (a, b, c, d), (e, f, g, h) = first.matrix, second.matrix
    cells = _NAMES[e * a + f * c, e * b + f * d, g * a + h * c, g * b + h * d]
    return Transformation(
        cells,
        _one_after_the_other(first.tokens, second.tokens),
        (),
        _one_after_the_other(first.buttons, second.buttons),
    )


def closure(transformations: Iterable[Transformation]) -> tuple[Transformation, ...]:
    """Return the group that the transformations generate, the identity first.

    >>> [t.cells for t in closure([Transformation("clockwise")])]
    ['same', 'clockwise', 'half-turn', 'counter-clockwise']
    """
    generators = tuple(t for t in transformations if not t.is_identity)
    group = [IDENTITY]
    found = {IDENTITY}
    for done in group:  # the list grows during the loop
        for generator in generators:
            further = compose(done, generator)
            if further not in found:
                found.add(further)
                group.append(further)
        if len(group) > MOST:
            raise BadInput(f"these symmetries generate more than {MOST} transformations. Exchange fewer tokens.")
    return tuple(group)


def _one_after_the_other(first: Exchange, second: Exchange) -> Exchange:
    before, after = dict(first), dict(second)
    names = before.keys() | after.keys()
    return tuple((name, after.get(before.get(name, name), before.get(name, name))) for name in names)


def _told(exchange: Exchange) -> str:
    names = [name.replace("_", " ") for name in dict.fromkeys(name for name, _ in exchange)]
    return f"{', '.join(names[:-1])} and {names[-1]}"
