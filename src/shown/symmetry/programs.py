"""Images of programs and rules under a transformation, and rules folded with their images."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Generic, Protocol, TypeVar

from shown.language.terms import Argument, Kind, Offset, Term
from shown.symmetry.transformation import SIMPLEST, TURNS, Transformation, closure, in_words

if TYPE_CHECKING:
    from shown.language.primitives import Primitive


def of_offset(offset: Offset, transformation: Transformation) -> Offset:
    """Return the image of an offset.

    >>> of_offset((-1, 2), Transformation("left-right")), of_offset((-1, 0), Transformation("clockwise"))
    ((-1, -2), (0, 1))
    """
    a, b, c, d = transformation.matrix
    down, right = offset
    return a * down + b * right, c * down + d * right


def of_value(value: str, transformation: Transformation) -> str:
    """Return the image of a token (or `OFF`)."""
    return dict(transformation.tokens).get(value, value)


def of_button(button: str, transformation: Transformation) -> str:
    """Return the image of a button."""
    return dict(transformation.buttons).get(button, button)


def of_area(area: str, transformation: Transformation) -> str:
    """Return the image of an area: a quarter turn exchanges rows and columns.

    >>> of_area("row", Transformation("clockwise")), of_area("row", Transformation("left-right"))
    ('column', 'row')
    """
    return {"row": "column", "column": "row"}.get(area, area) if transformation.turns else area


def of_term(term: Term, transformation: Transformation, language: Mapping[str, Primitive]) -> Term | None:
    """Return the program whose value on the image of a state and action is that of `term` on the original.

    Offsets, values, buttons and areas are transformed at every depth. This is exact for programs about the clicked cell
    or the button. `at_cell_with_value` attends to the first such cell in reading order, whose image need not be the
    first in the image. With fixed tokens the result is only a candidate, to be checked on states.

    Returns None if a primitive declares no image (`Primitive.image`).

    >>> from shown.language.primitives import LANGUAGE
    >>> from shown.language.terms import parse
    >>> term = parse("at_action_cell(shifted((1, -1), cell_is_value(empty)))", LANGUAGE, ["empty"])
    >>> str(of_term(term, Transformation("left-right"), LANGUAGE))
    'at_action_cell(shifted((1, 1), cell_is_value(empty)))'
    """
    primitive = language[term.primitive]
    arguments: list[Argument] = []
    for argument, kind in zip(term.arguments, primitive.takes, strict=True):
        image = _of_argument(argument, kind, transformation, language)
        if image is None:
            return None
        arguments.append(image)
    if primitive.image is True or transformation.is_identity:
        return Term(term.primitive, tuple(arguments))
    return primitive.image(tuple(arguments), transformation) if callable(primitive.image) else None


def _of_argument(
    argument: Argument, kind: Kind, transformation: Transformation, language: Mapping[str, Primitive]
) -> Argument | None:
    match argument, kind:
        case Term(), _:
            return of_term(argument, transformation, language)
        case tuple(), _:
            return of_offset(argument, transformation)
        case str(), Kind.VALUE:
            return of_value(argument, transformation)
        case str(), Kind.BUTTON:
            return of_button(argument, transformation)
        case str(), Kind.AREA:
            return of_area(argument, transformation)
        case _:
            return argument


# --- rules -----------------------------------------------------------------------------------------------------------


class LiteralLike(Protocol):
    """A frozen dataclass with a field `term`, such as `shown.Literal`."""

    @property
    def term(self) -> Term: ...


L = TypeVar("L", bound=LiteralLike)
Clause = Sequence[L]
"""Literals that must all hold, in any order."""


@dataclass(frozen=True, slots=True)
class Folded(Generic[L]):
    """A clause that stands for its images as well.

    Attributes:
        clause: the literals.
        under: transformations whose images are included, the identity first.
    """

    clause: tuple[L, ...]
    under: tuple[Transformation, ...]

    @property
    def words(self) -> str:
        """English for the images, such as "mirrored left to right"; empty if the clause stands for itself only."""
        return in_words(self.under)


def of_clause(clause: Clause[L], transformation: Transformation, language: Mapping[str, Primitive]) -> Any:
    """Return the images of the literals, a `tuple[L, ...]`, or None if one has none."""
    if transformation.is_identity:
        return tuple(clause)
    terms = [of_term(literal.term, transformation, language) for literal in clause]
    if None in terms:
        return None
    return tuple(replace(literal, term=term) for literal, term in zip(clause, terms, strict=True))  # type: ignore


def fold(
    clauses: Iterable[Clause[L]], transformations: Iterable[Transformation], language: Mapping[str, Primitive]
) -> tuple[Folded[L], ...]:
    """Return fewer clauses whose images are exactly the given ones.

    >>> from shown.language.primitives import LANGUAGE
    >>> from shown.language.terms import parse
    >>> from shown.policy import Literal
    >>> text = "at_action_cell(shifted((0, {}), cell_is_value(empty)))"
    >>> sides = [(Literal(parse(text.format(right), LANGUAGE, ["empty"])),) for right in (-1, 1)]
    >>> for folded in fold(sides, [Transformation("left-right")], LANGUAGE):
    ...     print(*folded.clause, "or", folded.words)
    at_action_cell(shifted((0, -1), cell_is_value(empty))) or mirrored left to right
    """
    group = closure(transformations)
    left = {frozenset(clause): tuple(clause) for clause in clauses}
    folded: list[Folded[L]] = []
    while left:
        clause = next(iter(left.values()))
        ways: dict[frozenset[L], list[Transformation]] = {}
        for transformation in group:
            image = of_clause(clause, transformation, language)
            if image is not None and frozenset(image) in left:
                ways.setdefault(frozenset(image), []).append(transformation)
        left = {key: other for key, other in left.items() if key not in ways}
        folded.append(Folded(clause, _best_said(list(ways.values()))))
    return tuple(folded)


def _best_said(ways: Sequence[Sequence[Transformation]]) -> tuple[Transformation, ...]:
    """Return one transformation per image: the simplest, or rotations if these alone give all four."""
    turns = tuple(t for same in ways for t in same if t.cells in TURNS)
    if len(ways) == len(turns) == len(TURNS):
        return turns
    return tuple(min(same, key=lambda t: (not t.is_identity, SIMPLEST.index(t.cells))) for same in ways)


def unfold(folded: Iterable[Folded[L]], language: Mapping[str, Primitive]) -> tuple[tuple[L, ...], ...]:
    """Return all clauses that folded ones stand for, each once."""
    found: dict[frozenset[L], tuple[L, ...]] = {}
    for one in folded:
        for transformation in one.under:
            image = of_clause(one.clause, transformation, language)
            if image is not None:
                found.setdefault(frozenset(image), image)
    return tuple(found.values())
