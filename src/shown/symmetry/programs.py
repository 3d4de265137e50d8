"""What programs and rules become under a transformation, and rules that are said once for all their images."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Generic, Protocol, TypeVar

from shown.grid import OFF, Grid, Tokens
from shown.language.terms import Argument, Kind, Offset, Term
from shown.symmetry.images import of_cell, of_grid
from shown.symmetry.transformation import IDENTITY, TURNS, Transformation, closure, in_words

if TYPE_CHECKING:
    from shown.language.primitives import Primitive


def of_offset(offset: Offset, transformation: Transformation) -> Offset:
    """Where an offset points afterwards.

    >>> of_offset((-1, 2), Transformation("left-right")), of_offset((-1, 0), Transformation("clockwise"))
    ((-1, -2), (0, 1))
    """
    a, b, c, d = transformation.matrix
    down, right = offset
    return a * down + b * right, c * down + d * right


def of_value(value: str, transformation: Transformation) -> str:
    """What a token (or `OFF`) becomes."""
    return dict(transformation.tokens).get(value, value)


def of_button(button: str, transformation: Transformation) -> str:
    """What a button becomes."""
    return dict(transformation.buttons).get(button, button)


def of_area(area: str, transformation: Transformation) -> str:
    """What an area becomes: where a grid is turned, a row becomes a column.

    >>> of_area("row", Transformation("clockwise")), of_area("row", Transformation("left-right"))
    ('column', 'row')
    """
    return {"row": "column", "column": "row"}.get(area, area) if transformation.turns else area


def of_term(term: Term, transformation: Transformation, language: Mapping[str, Primitive]) -> Term | None:
    """The program that says of the image of a state and action what `term` says of the original.

    Offsets, values, buttons and areas are transformed, at whatever depth. That is exact for programs about the clicked
    cell (or the button). `at_cell_with_value` attends to the first such cell in reading order, and the image of the
    first need not be the first of the image: `exact_on` tells. With tokens that stay in place it is a proposal only,
    to be checked on the states it is meant for.

    None if a primitive does not say how it is transformed (`Primitive.image`), or says that it cannot be.

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


def exact_on(term: Term, grids: Iterable[Grid], tokens: Tokens, transformation: Transformation) -> bool:
    """Whether `of_term` is exact on these grids, for certain: the image says of their images what `term` says of them.

    So it is for programs about the clicked cell, everywhere. A program about the first cell with a value is exact where
    the image of that cell is the first again, as it is if the value occurs once; or if it asks only what that cell
    holds. Where a token that stays in place occurs, nothing is certain.

    >>> from shown.grid import grid
    >>> from shown.language.primitives import LANGUAGE
    >>> from shown.language.terms import parse
    >>> tokens = Tokens(empty=".", wall="#")
    >>> term = parse("at_cell_with_value(wall, shifted((0, 1), cell_is_value(empty)))", LANGUAGE, tokens.values)
    >>> [exact_on(term, [board], tokens, Transformation("left-right")) for board in (grid(".#."), grid("#.#"))]
    [True, False]
    """
    attended = term.arguments[0] if term.primitive == "at_cell_with_value" and _looks_on(term) else OFF
    for grid in grids:
        if any(grid.find(tokens[name]) is not None for name in transformation.stays):
            return False
        first = None if attended == OFF else grid.find(tokens[str(attended)])
        if first is not None:
            image = of_grid(grid, transformation, tokens)
            after = image.find(tokens[of_value(str(attended), transformation)])
            if after != of_cell(first, transformation, grid.shape):
                return False
    return True


def _looks_on(term: Term) -> bool:
    """Whether a program about a cell asks for more than what that cell holds."""
    return term.parts[0].primitive != "cell_is_value"


# --- rules -----------------------------------------------------------------------------------------------------------


class LiteralLike(Protocol):
    """A frozen dataclass with a field `term`, such as `shown.Literal`."""

    @property
    def term(self) -> Term: ...


L = TypeVar("L", bound=LiteralLike)
Clause = Sequence[L]
"""Literals that must all hold. Their order does not matter."""


@dataclass(frozen=True, slots=True)
class Folded(Generic[L]):
    """A clause that stands for its images too.

    Attributes:
        clause: the literals.
        under: the transformations whose images of it count, the identity first.
    """

    clause: tuple[L, ...]
    under: tuple[Transformation, ...]

    @property
    def words(self) -> str:
        """What is to be said after the clause, such as "mirrored"; nothing if it stands for itself only."""
        return in_words(self.under)


def of_clause(clause: Clause[L], transformation: Transformation, language: Mapping[str, Primitive]) -> Any:
    """The literals' images, a `tuple[L, ...]`; or None if one has none."""
    terms = [of_term(literal.term, transformation, language) for literal in clause]
    if None in terms:
        return None
    return tuple(replace(literal, term=term) for literal, term in zip(clause, terms, strict=True))  # type: ignore


def fold(
    clauses: Iterable[Clause[L]], transformations: Iterable[Transformation], language: Mapping[str, Primitive]
) -> tuple[Folded[L], ...]:
    """Fewer clauses whose images give all of them: what is there in several images is kept once.

    Nothing is added: a clause stands for those of its images that were there, and for no others.

    >>> from shown.language.primitives import LANGUAGE
    >>> from shown.language.terms import parse
    >>> from shown.policy import Literal
    >>> text = "at_action_cell(shifted((0, {}), cell_is_value(empty)))"
    >>> sides = [(Literal(parse(text.format(right), LANGUAGE, ["empty"])),) for right in (-1, 1)]
    >>> for folded in fold(sides, [Transformation("left-right")], LANGUAGE):
    ...     print(*folded.clause, "and", folded.words)
    at_action_cell(shifted((0, -1), cell_is_value(empty))) and mirrored
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
    """For each image one of the transformations that give it: the simplest, or turns if these alone give all four."""
    turns = tuple(t for same in ways for t in same if t.cells in TURNS)
    if len(ways) == len(turns) == len(TURNS):
        return turns
    return tuple(min(same, key=lambda t: (not t.is_identity, len(t.words))) for same in ways)


def unfold(folded: Iterable[Folded[L]], language: Mapping[str, Primitive]) -> tuple[tuple[L, ...], ...]:
    """All clauses that folded ones stand for, each once."""
    found: dict[frozenset[L], tuple[L, ...]] = {}
    for one in folded:
        for transformation in one.under:
            image = of_clause(one.clause, transformation, language)
            if image is not None:
                found.setdefault(frozenset(image), image)
    return tuple(found.values())


def is_symmetric(
    clauses: Iterable[Clause[L]], transformations: Iterable[Transformation], language: Mapping[str, Primitive]
) -> bool:
    """Whether a rule, a set of clauses, has all its images: then it can be said once, "… and mirrored"."""
    kept = {frozenset(clause) for clause in clauses}
    images = (of_clause(tuple(c), t, language) for c in kept for t in closure(transformations) if t != IDENTITY)
    return all(image is not None and frozenset(image) in kept for image in images)
