"""Blocks of programs, evaluated only where their attention can land (`places.py` says why).

`lands_on_little` says for which shapes that is worth it, `at_places` evaluates them. What comes out is one bit a state,
as for all programs that do not depend on the action; another engine can stand behind these two names.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor

import numpy as np

from shown.errors import BadInput, did_you_mean
from shown.language.primitives import Primitive
from shown.language.shapes import Hole, Shape, size
from shown.language.terms import Kind, Term, names_by_kind
from shown.places import Places
from shown.planes import Planes

CHUNK_BYTES = 2**26
"""How much of the results is held at a time, unless a single choice of the first argument has more."""


def lands_on_little(
    shape: Shape, language: Mapping[str, Primitive], buttons: tuple[str, ...], frame: tuple[int, int, int]
) -> bool:
    """Whether the programs of a shape ask no more places than a plane has cells, in a world with buttons."""
    return places_asked(shape, language, buttons, frame) <= frame[0] * frame[1]


def places_asked(
    shape: Shape, language: Mapping[str, Primitive], buttons: tuple[str, ...], frame: tuple[int, int, int]
) -> float:
    """At how many places, at most, some condition of a shape of programs is asked; infinity if that cannot be done:
    where cells are clicked, or a primitive does not know places."""
    if not (buttons and shape.arguments and isinstance(shape.arguments[0], Hole) and _know_places(shape, language)):
        return math.inf
    return size(shape.arguments[0]) * _asked(shape, language, max(frame[:2]))


def _know_places(shape: Shape, language: Mapping[str, Primitive]) -> bool:
    return language[shape.primitive].at_places is not None and all(_know_places(p, language) for p in shape.parts)


def _asked(shape: Shape, language: Mapping[str, Primitive], side: int) -> int:
    """At how many places, at most, some condition inside is asked, for each at which the shape itself is."""
    inner = max((_asked(part, language, side) for part in shape.parts), default=1)
    return inner * (side if language[shape.primitive].walks else 1)


def at_places(
    world: Planes, shape: Shape, language: Mapping[str, Primitive], count: int, threads: int = 1
) -> Iterator[np.ndarray]:
    """The values of the first `count` programs of a shape on the states, in order, some at a time. [n, words] uint64

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
    chunk = max(threads, CHUNK_BYTES // (8 * each * world.shape[2]))
    for start in range(0, needed, chunk):
        some = first[start : min(needed, start + chunk)]
        if threads == 1 or len(some) == 1:
            values = program(world, some, *others)
        else:
            # Loops that Numba has compiled let other threads run: each takes some choices of the first argument.
            with ThreadPoolExecutor(threads) as pool:
                cuts = np.array_split(some, min(threads, len(some)))
                values = np.concatenate(list(pool.map(lambda part: program(world, part, *others), cuts)))
        yield values[: count - start * each]


def _choices(world: Planes, shape: Shape, language: Mapping[str, Primitive]) -> list:
    return [
        _choice_of_atoms(world, argument) if isinstance(argument, Hole) else _asked_of(world, argument, language)
        for argument in shape.arguments
    ]


def _choice_of_atoms(world: Planes, hole: Hole) -> np.ndarray:
    """[n], or for offsets [n, 2]"""
    codes = codes_of(hole, world)
    return np.array(hole.atoms, dtype=np.int64).reshape(-1, 2) if hole.kind is Kind.OFFSET else codes


def _asked_of(world: Planes, shape: Shape, language: Mapping[str, Primitive]) -> Callable[[Places], np.ndarray]:
    """A shape of conditions as a function from places to bits."""
    condition, choices = language[shape.primitive].at_places, _choices(world, shape, language)
    assert condition is not None
    return lambda places: condition(places, *choices)


def codes_of(hole: Shape | Hole, world: Planes) -> np.ndarray:
    """Numbers that stand for a hole's atoms: of names their places, of offsets the places in the hole."""
    assert isinstance(hole, Hole)
    known = names_by_kind(world.values, world.buttons).get(hole.kind)
    if known is not None:
        for atom in hole.atoms:
            if atom not in known:
                near = did_you_mean(str(atom), known)
                raise BadInput(f"the grammar has a {hole.kind} {atom!r} that the demonstrations have not. {near}")
        return np.array([known.index(str(atom)) for atom in hole.atoms])
    return np.arange(len(hole.atoms)) if hole.kind is Kind.OFFSET else np.array(hole.atoms)


def shape_of(term: Term, language: Mapping[str, Primitive]) -> Shape:
    """The shape whose only term this is."""
    return Shape(
        term.primitive,
        tuple(
            shape_of(argument, language) if isinstance(argument, Term) else Hole(kind, (argument,))
            for kind, argument in zip(language[term.primitive].takes, term.arguments, strict=True)
        ),
    )
