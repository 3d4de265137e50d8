"""Evaluation of blocks of programs only at the cells they attend to (see `engine/places.py`).

`lands_on_little` selects the shapes for which this pays off, `at_places` evaluates them. The result is one bit per
state, as for all programs that do not depend on the action.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping

import numpy as np

from shown.engine.places import Places
from shown.engine.planes import Planes
from shown.errors import BadInput, did_you_mean
from shown.language.primitives import Primitive
from shown.language.shapes import Hole, Shape, size
from shown.language.terms import Term, names_by_kind

CHUNK_BYTES = 2**26
"""Bytes of results held at a time, unless a single choice of the first argument has more."""


def lands_on_little(
    shape: Shape, language: Mapping[str, Primitive], buttons: tuple[str, ...], frame: tuple[int, int, int]
) -> bool:
    """Return whether the programs of a shape read no more places than a plane has cells, in a world with buttons."""
    return places_asked(shape, language, buttons, frame) <= frame[0] * frame[1]


def places_asked(
    shape: Shape, language: Mapping[str, Primitive], buttons: tuple[str, ...], frame: tuple[int, int, int]
) -> float:
    """Return an upper bound on the places at which a condition of the shape is evaluated.

    Infinity if places cannot be used: cells are clicked, or a primitive does not support them.
    """
    if not (buttons and shape.arguments and isinstance(shape.arguments[0], Hole)):
        return math.inf
    return size(shape.arguments[0]) * _asked(shape, language, max(frame[:2]))


def _asked(shape: Shape, language: Mapping[str, Primitive], side: int) -> float:
    """Return an upper bound on the places at which an inner condition is evaluated, per place of the shape itself."""
    primitive = language[shape.primitive]
    if primitive.at_places is None:
        return math.inf
    inner = max((_asked(part, language, side) for part in shape.parts), default=1)
    return inner * (side if primitive.walks else 1)


def at_places(world: Planes, shape: Shape, language: Mapping[str, Primitive], count: int) -> Iterator[np.ndarray]:
    """Yield the values of the first `count` programs of a shape on the states, in order, in chunks. [n, words] uint64

    >>> from shown.grid import Tokens, grid
    >>> from shown.language.grammar import paper_grammar
    >>> tokens = Tokens(empty=".", ball="o")
    >>> grammar = paper_grammar(tokens, ("left", "right"))
    >>> block = list(grammar.blocks(60))[2]
    >>> print(block.shape.term(1))
    at_cell_with_value(empty, shifted((-1, 0), cell_is_value(ball)))
    >>> world = Planes([grid("o.", ".."), grid("..", ".o")], tokens, ("left", "right"))
    >>> np.concatenate(list(at_places(world, block.shape, grammar.language, block.count)))[:6, 0].tolist()
    [0, 0, 3, 3, 0, 0]
    """
    program = language[shape.primitive].at_places
    assert program is not None
    first, *others = _choices(world, shape, language)
    each = shape.count // len(first)
    needed = -(-count // each)
    chunk = max(1, CHUNK_BYTES // (8 * each * world.shape[2]))
    for start in range(0, needed, chunk):
        yield program(world, first[start : min(needed, start + chunk)], *others)[: count - start * each]


def _choices(world: Planes, shape: Shape, language: Mapping[str, Primitive]) -> list:
    """Return, for each argument, the codes of its atoms, or a function of places."""
    return [
        _asked_of(world, argument, language) if isinstance(argument, Shape) else codes_of(argument, world)
        for argument in shape.arguments
    ]


def _asked_of(world: Planes, shape: Shape, language: Mapping[str, Primitive]) -> Callable[[Places], np.ndarray]:
    """Return a shape of conditions as a function from places to bits."""
    condition, choices = language[shape.primitive].at_places, _choices(world, shape, language)
    assert condition is not None
    return lambda places: condition(places, *choices)


def codes_of(hole: Shape | Hole, world: Planes) -> np.ndarray:
    """Return the codes of a hole's atoms: numbers, of a name its index among all names; or offsets. [n] or [n, 2]"""
    assert isinstance(hole, Hole)
    known = names_by_kind(world.values, world.buttons).get(hole.kind)
    if known is not None:
        for atom in hole.atoms:
            if atom not in known:
                near = did_you_mean(str(atom), known)
                raise BadInput(f"the grammar has a {hole.kind} {atom!r} that the demonstrations lack. {near}")
        return np.array([known.index(str(atom)) for atom in hole.atoms])
    return np.array(hole.atoms, dtype=np.int64)


def shape_of(term: Term, language: Mapping[str, Primitive]) -> Shape:
    """Return the shape that has this term only."""
    return Shape(
        term.primitive,
        tuple(
            shape_of(argument, language) if isinstance(argument, Term) else Hole(kind, (argument,))
            for kind, argument in zip(language[term.primitive].takes, term.arguments, strict=True)
        ),
    )
