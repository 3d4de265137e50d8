"""An example of every primitive of a language."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import cycle, islice

from shown.grid import AREAS
from shown.language.primitives import Primitive
from shown.language.terms import Argument, Kind, Term

ATOMS: Mapping[Kind, tuple[Argument, ...]] = {
    Kind.VALUE: ("wall", "star"),
    Kind.OFFSET: ((0, 1), (1, 0)),
    Kind.NUMBER: (2, 3),
    Kind.BUTTON: ("left", "right"),
    Kind.AREA: AREAS,
}
"""Atoms used in the examples."""


def example(name: str, language: Mapping[str, Primitive]) -> Term | None:
    """Return a short term with the primitive; None if the language lacks a condition to put into it.

    >>> from shown.language.primitives import LANGUAGE
    >>> print(example("scanning", LANGUAGE))
    scanning((0, 1), cell_is_value(wall), cell_is_value(star))
    """
    primitive = language[name]
    pools = {kind: cycle(ATOMS.get(kind) or _conditions(language, primitive)) for kind in set(primitive.takes)}
    arguments = tuple(argument for kind in primitive.takes for argument in islice(pools[kind], 1))
    return Term(name, arguments) if len(arguments) == len(primitive.takes) else None


def _conditions(language: Mapping[str, Primitive], within: Primitive) -> tuple[Argument, ...]:
    """Return two conditions to use in an example, or none."""
    for name, primitive in language.items():
        if primitive.gives is Kind.CONDITION and Kind.CONDITION not in primitive.takes:
            found = [Term(name, tuple(ATOMS[kind][i] for kind in primitive.takes)) for i in range(2)]
            if Kind.VALUE in within.takes and "shifted" in language:
                # "The wall is a star" would make no sense.
                found = [Term("shifted", ((0, 1), condition)) for condition in reversed(found)]
            return tuple(found)
    return ()
