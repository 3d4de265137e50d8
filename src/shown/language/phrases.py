"""English for programs, built from the phrases that primitives declare."""

from __future__ import annotations

from collections.abc import Collection, Mapping

from shown.errors import BadProgram
from shown.grid import OFF
from shown.language.primitives import Primitive
from shown.language.terms import Argument, Kind, Offset, Term

_WAYS = {(-1, 0): "up", (1, 0): "down", (0, -1): "left", (0, 1): "right"}
_IN_AREA = {
    "row": "in the row of", "column": "in the column of", "diagonals": "on the diagonals of",
    "lines": "in line with", "sides": "beside", "neighbors": "around",
}  # fmt: skip
_ALONG_AREA = {
    "row": "along its row", "column": "along its column", "diagonals": "along a diagonal",
    "lines": "straight or diagonally", "sides": "among the cells beside it", "neighbors": "among the cells around it",
}  # fmt: skip
_LIKE_EMPTY = (
    "empty", "covered", "floor", "grass", "ground", "ice", "lava", "mud", "open", "sand", "snow", "unseen", "water",
)  # fmt: skip
"""Names used as adjectives or mass nouns: "is lava", "a lava cell", "lava cells"."""
_PLURALS = {
    "child": "children", "deer": "deer", "fish": "fish", "foot": "feet", "goose": "geese", "hero": "heroes",
    "knife": "knives", "leaf": "leaves", "loaf": "loaves", "man": "men", "mouse": "mice", "ox": "oxen",
    "person": "people", "potato": "potatoes", "sheep": "sheep", "shelf": "shelves", "thief": "thieves",
    "tomato": "tomatoes", "tooth": "teeth", "wolf": "wolves", "woman": "women",
}  # fmt: skip
_BESIDE = {(-1, 0): "above", (1, 0): "below", (0, -1): "left of", (0, 1): "right of"}
_EDGES = {(-1, 0): "top", (1, 0): "bottom", (0, -1): "left", (0, 1): "right"}


def say(
    term: Term, language: Mapping[str, Primitive], positive: bool = True, cell: str = "it", single: Collection[str] = ()
) -> str:
    """Return a program (or, at `cell`, a condition) or its negation as an English clause.

    Values in `single` occur at most once per grid: "the rabbit", not "the first rabbit".

    >>> from shown.language.primitives import LANGUAGE
    >>> from shown.language.terms import parse
    >>> scan = "at_action_cell(scanning((-1, 0), cell_is_value(bird), cell_is_value(wall)))"
    >>> say(parse(scan, LANGUAGE, ["bird", "wall"]), LANGUAGE)
    'going up from the clicked cell, a bird comes before a wall'
    >>> beside = "at_action_cell(shifted((0, 1), cell_is_value(empty)))"
    >>> say(parse(beside, LANGUAGE, ["empty"]), LANGUAGE, positive=False)
    'the cell right of the clicked cell is not empty'
    """
    if term.primitive == "shifted" and (said := _say_shifted(term, language, positive, cell, single)):
        return said
    primitive = language[term.primitive]
    parts = list(zip(term.arguments, primitive.takes, strict=True))
    arguments = [_Said(argument, kind, language, cell, single) for argument, kind in parts]
    if primitive.at is not None:
        inner = primitive.at.format(*arguments, cell=cell)
        arguments = [_Said(argument, kind, language, inner, single) for argument, kind in parts]
    wording = primitive.wording(*term.arguments) if primitive.wording else None
    phrase, negation = wording or (primitive.phrase, primitive.negation)
    return (phrase if positive else negation).format(*arguments, cell=cell)


def _say_shifted(
    term: Term, language: Mapping[str, Primitive], positive: bool, cell: str, single: Collection[str]
) -> str | None:
    """Return in few words that a cell is at an edge, or that a scan starts at a nearer cell than the one before it."""
    match term.arguments:
        case tuple(offset), Term("cell_is_value", ("OFF",)) if offset in _EDGES:
            return f"{cell} is {'' if positive else 'not '}at the {_EDGES[offset]} edge"
        case tuple(offset), Term("scanning", (tuple(way), _, _)) as walk:
            first = offset[0] + way[0], offset[1] + way[1]
            if _steps(first) < _steps(offset):
                start = f"the cell {_beside(first)} {cell}" if any(first) else cell
                said = say(walk, language, positive, cell, single)
                return said.replace(f"going {_way(way)} from {cell}", f"starting at {start} and going {_way(way)}", 1)
    return None


def _steps(offset: Offset) -> int:
    return abs(offset[0]) + abs(offset[1])


def say_briefly(offset: Offset, start: str, value: str, positive: bool = True, single: Collection[str] = ()) -> str:
    """Return in few words that the cell at an offset from a place has a value, or lacks it.

    >>> say_briefly((-1, 0), "the rabbit", "wall"), say_briefly((0, 2), "this cell", "empty", positive=False)
    ('above the rabbit is a wall', '2 to the right of this cell is no empty cell')
    """
    there = f"{_beside(offset)} {start} is"
    if value == OFF:
        return f"{there} {'' if positive else 'not '}the edge of the grid"
    if value in single:
        return f"{there} {'' if positive else 'not '}the {_bare(value)}"
    return f"{there} {_some(value) if positive else f'no {_bare(value)}'}"


class _Said:
    """An argument that a phrase can format in several forms."""

    def __init__(
        self, argument: Argument, kind: Kind, language: Mapping[str, Primitive], cell: str, single: Collection[str]
    ) -> None:
        self.argument, self.kind, self.language, self.cell, self.single = argument, kind, language, cell, single

    def __format__(self, form: str) -> str:
        match self.argument:
            case Term():
                return self._condition(self.argument, form)
            case tuple():
                return (_beside if form == "beside" else _way)(self.argument)
            case str() if self.kind is Kind.VALUE:
                return self._of_value(self.argument, form)
            case str() if self.kind is Kind.AREA and form in ("", "along"):
                return (_ALONG_AREA if form else _IN_AREA)[self.argument]
        if form not in ("", "bare"):
            raise BadProgram(f"a phrase uses the form {form!r} of {self.argument!r}, which does not exist.")
        return str(self.argument)

    def _condition(self, term: Term, form: str) -> str:
        match form:
            case "noun":
                return _noun(term, self.language)
            case "bare":
                return _bare_noun(term, self.language)
            case "the":
                return _noun(term, self.language, self.single)
            case "plural":
                return _plural_noun(term, self.language)
            case "exists" | "lacks":
                return self._existence(term, form == "exists")
        return say(term, self.language, form != "not", self.cell, self.single)

    def _existence(self, term: Term, exists: bool) -> str:
        """Return "there is a wall", or "the rabbit is" if there is only ever one; or "there is no wall"."""
        noun = _noun(term, self.language, self.single)
        if not exists:
            return f"there is no {_bare_noun(term, self.language)}"
        return f"{noun} is" if noun.startswith("the ") else f"there is {noun}"

    def _of_value(self, name: str, form: str) -> str:
        match form:
            case "the":
                return the_first(name, self.single)
            case "nearest":
                return f"the {'' if name in self.single else 'nearest '}{_bare(name)}"
            case "bare":
                return _bare(name)
            case "some":
                return _some(name)
        return f"the {_bare(name)}" if name in self.single else _value(name)


def the_first(value: str, single: Collection[str] = ()) -> str:
    """Return the name of the first cell with a value: "the rabbit" if there is only ever one."""
    return f"the {'' if value in single else 'first '}{_bare(value)}"


def _value(name: str) -> str:
    """Return the predicate for a cell with the value: "empty", "a wall", "off the grid"."""
    if name == OFF:
        return "off the grid"
    words = name.replace("_", " ")
    return words if name in _LIKE_EMPTY else f"{_article(words)} {words}"


def _some(name: str) -> str:
    """Return a noun with article for a cell with the value: "an empty cell", "a wall", "the edge of the grid"."""
    words = _bare(name)
    return "the edge of the grid" if name == OFF else f"{_article(words)} {words}"


def _bare(name: str) -> str:
    words = name.replace("_", " ")
    return "cell off the grid" if name == OFF else f"{words} cell" if name in _LIKE_EMPTY else words


def _noun(condition: Term, language: Mapping[str, Primitive], single: Collection[str] = ()) -> str:
    """Return a noun with article for a condition: "a wall", "the edge of the grid", "a cell left of a wall".

    Values in `single` get "the".
    """
    match condition:
        case Term("cell_is_value", (str(value),)):
            return f"the {_bare(value)}" if value in single else _some(value)
        case Term("shifted", (tuple(offset), Term("cell_is_value", (str(value),)) as there)) if value != OFF:
            return f"a cell {_beside((-offset[0], -offset[1]))} {_noun(there, language, single)}"
        case Term("shifted", (tuple(offset), Term("cell_is_value", (str(value),)))):
            return f"a cell where the cell {_beside(offset)} it is {_value(value)}"  # it may be off the grid itself
    return f"a cell where {say(condition, language, single=single)}"


def _bare_noun(condition: Term, language: Mapping[str, Primitive]) -> str:
    """Return the noun without article, for use after "no"."""
    if condition.primitive == "cell_is_value":
        value = str(condition.arguments[0])
        return "edge of the grid" if value == OFF else _bare(value)
    return _noun(condition, language).removeprefix("a ")


def _plural_noun(condition: Term, language: Mapping[str, Primitive]) -> str:
    """Return the plural: "walls", "empty cells", "cells left of a wall"."""
    if condition.primitive == "cell_is_value":
        value = str(condition.arguments[0])
        return "cells off the grid" if value == OFF else _plural(_bare(value))
    return _noun(condition, language).replace("a cell", "cells", 1)


def _plural(words: str) -> str:
    *before, last = words.split(" ")
    if last in _PLURALS:
        return " ".join([*before, _PLURALS[last]])
    if words.endswith("y") and words[-2:-1] not in tuple("aeiou"):
        return f"{words[:-1]}ies"
    return f"{words}es" if words.endswith(("s", "x", "z", "ch", "sh")) else f"{words}s"


def _article(words: str) -> str:
    return "an" if words.startswith(tuple("aeiou")) and not words.startswith(("one", "uni", "use")) else "a"


def _way(offset: Offset) -> str:
    if offset in _WAYS:
        return _WAYS[offset]
    down, right = offset
    parts = [
        _WAYS[sign] if size == 1 else f"{size} {_WAYS[sign]}"
        for size, sign in ((abs(down), (_sign(down), 0)), (abs(right), (0, _sign(right))))
        if size
    ]
    if not parts:
        return "nowhere"
    if abs(down) == abs(right) == 1:
        return f"diagonally {' and '.join(parts)}"
    return f"in steps of {' and '.join(parts)}"


def _beside(offset: Offset) -> str:
    if offset in _BESIDE:
        return _BESIDE[offset]
    down, right = offset
    if abs(down) == abs(right) == 1:
        return f"diagonally {_WAYS[(down, 0)]} and {_WAYS[(0, right)]} of"
    parts = []
    if down:
        parts.append(f"{abs(down)} {_BESIDE[(_sign(down), 0)]}")
    if right:
        parts.append(f"{abs(right)} to the {_WAYS[(0, _sign(right))]} of")
    return " and ".join(parts) or "at"


def _sign(x: int) -> int:
    return (x > 0) - (x < 0)
