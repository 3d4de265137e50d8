"""Entailment that holds on every grid: a small theory of the paper's methods.

A *place* is a position that a program reads: the clicked cell or the first cell with a value, plus an offset. Every
place has exactly one value, so a clause restricts each place to a set of values. The theory knows:

- the clicked cell is on the grid; exactly one button is pressed
- the first wall is a wall, or there is none: then every place relative to it is off the grid
- grids are rectangles: cells beyond a cell off the grid are off the grid
- a scan that meets its target in its first step succeeds, and one that is stopped there fails; of two values only one
  comes first
- a value that is somewhere exists; one that does not exist is nowhere
- what the world declares: of some things, such as a king that may be selected, every grid has exactly one cell

The theory is sound but not complete. Other methods are opaque: they hold or they do not.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from typing import NamedTuple

from shown.grid import OFF
from shown.language.terms import Offset, Term
from shown.rules.formula import Literal

CLICKED, BUTTON = "at_action_cell", "action_is"
SOMETHING_ELSE = "…"
"""Stands for all values that are not mentioned, if the values are unknown."""
_OFF = frozenset((OFF,))


class Place(NamedTuple):
    """A position that a program reads.

    Attributes:
        start: the clicked cell, the button (which is not on the grid), or a value, for the first cell that has it.
        by: offset from there.
    """

    start: str
    by: Offset = (0, 0)

    def moved(self, offset: Offset) -> Place:
        return Place(self.start, (self.by[0] + offset[0], self.by[1] + offset[1]))


class Is(NamedTuple):
    """A place has a value."""

    place: Place
    value: str


class Finds(NamedTuple):
    """A scan from a place meets a value before another; before the end of the grid, if the other is OFF.

    Attributes:
        place: where it starts.
        way: offset of a step.
        value: the value sought.
        unless: the value that stops it.
        at: offset, from each cell of the way, of the cell that is asked for the value.
        stops_at: the same for the value that stops it.
    """

    place: Place
    way: Offset
    value: str
    unless: str
    at: Offset = (0, 0)
    stops_at: Offset = (0, 0)

    @property
    def first_step(self) -> Place:
        return self.place.moved(self.way)

    @property
    def first_asked(self) -> Place:
        """The first place that is asked for the value."""
        return self.first_step.moved(self.at)

    @property
    def first_stop(self) -> Place:
        """The first place that is asked for the value that stops the scan."""
        return self.first_step.moved(self.stops_at)

    @property
    def is_plain(self) -> bool:
        """Whether it only looks at the cells of its way."""
        return self.at == self.stops_at == (0, 0)


class Other(NamedTuple):
    """An opaque program."""

    term: Term


Atom = Is | Finds | Other


@lru_cache(maxsize=2**14)
def atom_of(term: Term) -> Atom:
    """Return the statement of a program about a place.

    >>> from shown.language.primitives import LANGUAGE
    >>> from shown.language.terms import parse
    >>> atom_of(parse("at_action_cell(shifted((0, 1), cell_is_value(wall)))", LANGUAGE, ["wall"]))
    Is(place=Place(start='at_action_cell', by=(0, 1)), value='wall')
    """
    match term:
        case Term("action_is", (str(button),)):
            return Is(Place(BUTTON), button)
        case Term("at_action_cell", (Term() as condition,)):
            place = Place(CLICKED)
        case Term("at_cell_with_value", (str(value), Term() as condition)):
            place = Place(value)
        case Term("grid_has", (1, Term("cell_is_value", (str(value),)))) if value != OFF:
            return Is(Place(value), value)
        case _:
            return Other(term)
    by, condition = _moved(condition)
    place = place.moved(by)
    match condition:
        case Term("cell_is_value", (str(value),)):
            return Is(place, value)
        case Term("scanning", (tuple(way), Term() as until, Term() as unless)):
            (at, until), (stops_at, unless) = _moved(until), _moved(unless)
            if until.primitive != "cell_is_value" or unless.primitive != "cell_is_value":
                return Other(term)
            if (stops_at, unless) == (at, until):
                # The end of the grid stops every scan, and a scan that has met its target is over.
                return Finds(place, way, str(until.arguments[0]), OFF, at)
            return Finds(place, way, str(until.arguments[0]), str(unless.arguments[0]), at, stops_at)
        case _:
            return Other(term)


def _moved(condition: Term) -> tuple[Offset, Term]:
    """Return a condition without `shifted`, and the offset at which it is asked."""
    by = Place("")
    while condition.primitive == "shifted":
        offset, condition = condition.arguments  # type: ignore[assignment]
        by = by.moved(offset)  # type: ignore[arg-type]
    return by.by, condition


@dataclass
class Known:
    """Knowledge about places and scans.

    Attributes:
        values: possible values of each place.
        true: truth values of other atoms.
    """

    values: dict[Place, frozenset[str]]
    true: dict[Finds | Other, bool] = field(default_factory=dict)

    def says(self, literal: Literal) -> bool | None:
        """Return the truth value of a literal, or None if it is unknown."""
        atom = atom_of(literal.term)
        if isinstance(atom, Is):
            left = self.values[atom.place]
            holds = None if atom.value in left and len(left) > 1 else atom.value in left
        else:
            holds = self.true.get(atom)
        return None if holds is None else holds == literal.positive

    def decides(self, literal: Literal) -> bool:
        """Return whether a literal is about one cell: a scan is if it cannot go beyond its first step."""
        atom = atom_of(literal.term)
        return not isinstance(atom, Finds) or self.stops(atom)

    def stops(self, walk: Finds) -> bool:
        """Return whether a scan cannot go beyond its first step, unless it meets its value there."""
        step, stop = self.values[walk.first_step], self.values[walk.first_stop]
        return step == _OFF or stop == {walk.unless} or (stop <= {walk.unless, OFF} and walk.stops_at == (0, 0))


class _Contradiction(Exception):
    pass


class Theory:
    """The theory for some literals.

    Args:
        literals: all literals that will be queried.
        values: values of the cells, OFF included; empty if unknown.
        buttons: buttons of the world; empty if unknown or absent.
        pieces: things of which every grid has exactly one cell, each as the values that it may have.
    """

    def __init__(
        self,
        literals: Iterable[Literal],
        values: Collection[str] = (),
        buttons: Collection[str] = (),
        pieces: Collection[Sequence[str]] = (),
    ) -> None:
        atoms = dict.fromkeys(atom_of(literal.term) for literal in literals)
        self._walks = [atom for atom in atoms if isinstance(atom, Finds)]
        self._asked = {walk: walk.first_asked for walk in self._walks}
        places = [atom.place for atom in atoms if isinstance(atom, Is)]
        for walk in self._walks:
            places += walk.place, walk.first_step, walk.first_asked, walk.first_stop
        places += [Place(place.start) for place in places]
        named = {place.start for place in places} | _named(atoms, False)
        self._pieces = [tuple(piece) for piece in pieces if not named.isdisjoint(piece)]
        places += [Place(value) for piece in self._pieces for value in piece]
        self._buttons = frozenset(buttons) or _named(atoms, True)
        self._values = frozenset(values) or _named(atoms, False)
        self._nothing = {place: self._at_first(place) for place in dict.fromkeys(places)}
        self._cells = [place for place in self._nothing if place.start != BUTTON]
        self._seen_from = {place.start: [p for p in self._cells if p.start == place.start] for place in self._cells}

    def _at_first(self, place: Place) -> frozenset[str]:
        if place.start == BUTTON:
            return self._buttons
        if place.start == OFF:
            return frozenset((OFF,))
        if place.by != (0, 0):
            return self._values
        return self._values - {OFF} if place.start == CLICKED else frozenset((place.start, OFF))

    def known(self, literals: Iterable[Literal]) -> Known | None:
        """Return everything that follows if these literals hold together; None if they are contradictory.

        >>> from shown.language.primitives import LANGUAGE
        >>> from shown.language.terms import parse
        >>> neither = [Literal(parse(f"action_is({b})", LANGUAGE, [], [b]), False) for b in ("left", "right")]
        >>> known = Theory(neither, buttons=["left", "right", "pick"]).known(neither)
        >>> [set(values) for values in known.values.values()]
        [{'pick'}]
        """
        known = Known(dict(self._nothing))
        try:
            for literal in literals:
                atom = atom_of(literal.term)
                if isinstance(atom, Is):
                    values = known.values[atom.place]
                    _narrow(known, atom.place, values & {atom.value} if literal.positive else values - {atom.value})
                else:
                    _settle(known, atom, literal.positive)
            before = None
            while before != (now := (sum(map(len, known.values.values())), len(known.true))):
                before = now
                self._presence(known)
                self._existence(known)
                self._identity(known)
                self._edges(known)
                self._steps(known)
        except _Contradiction:
            return None
        return known

    def _presence(self, known: Known) -> None:
        """Infer that the start of a place on the grid exists, and that places from a missing value are off the grid."""
        for place, values in list(known.values.items()):
            if place.start in (CLICKED, BUTTON):
                continue
            if OFF not in values:
                _narrow(known, Place(place.start), known.values[Place(place.start)] - {OFF})
            if known.values[Place(place.start)] == {OFF}:
                _narrow(known, place, frozenset((OFF,)))

    def _existence(self, known: Known) -> None:
        """Infer that what is somewhere exists, that what is missing is nowhere, and that each piece exists once."""
        values = known.values
        seen = {value for place in self._cells if len(values[place]) == 1 for value in values[place]}
        seen |= {walk.value for walk in self._walks if known.true.get(walk)}
        seen -= _OFF
        missing = {place.start for place in self._cells if values[place] == _OFF and place.by == (0, 0)} - _OFF
        for place in self._cells:
            if missing and not missing.isdisjoint(values[place]):
                _narrow(known, place, values[place] - missing)
            if place.by == (0, 0) and place.start in seen and OFF in values[place]:
                _narrow(known, place, values[place] - _OFF)
        for walk in self._walks:
            if walk.value in missing:
                _settle(known, walk, False)
        for piece in self._pieces:
            there = [value for value in piece if OFF not in values[Place(value)]]
            left = there or [value for value in piece if values[Place(value)] != _OFF]
            if len(there) > 1 or not left:
                raise _Contradiction
            for value in piece:
                if value not in left:
                    _narrow(known, Place(value), values[Place(value)] & _OFF)
                elif len(left) == 1:
                    _narrow(known, Place(value), values[Place(value)] - _OFF)

    def _identity(self, known: Known) -> None:
        """Equate what is seen from the only cell of a piece with what is seen from a place that is that cell."""
        values = known.values
        for piece in self._pieces:
            tokens = frozenset(piece)
            cells = [place for place in self._cells if len(values[place]) == 1 and values[place] <= tokens]
            for cell in cells:
                for place in self._seen_from[cell.start]:
                    if place.by != cell.by and not tokens.isdisjoint(values[place]):
                        _narrow(known, place, values[place] - tokens)
                for other in cells:
                    down, right = other.by[0] - cell.by[0], other.by[1] - cell.by[1]
                    for place in self._seen_from[cell.start] if other is not cell else ():
                        twin = values.get(Place(other.start, (place.by[0] + down, place.by[1] + right)))
                        if twin is not None and not values[place] <= twin:
                            _narrow(known, place, values[place] & twin)

    def _edges(self, known: Known) -> None:
        """Propagate the edges: a place is off the grid if and only if its row or its column is."""
        for start in dict.fromkeys(place.start for place in known.values if place.start != BUTTON):
            if OFF in known.values.get(Place(start), {OFF}):
                continue  # possibly nowhere
            mine = [(place, values) for place, values in known.values.items() if place.start == start]
            inside, outside = {(0, 0), (1, 0)}, set()
            for place, values in mine:
                if OFF not in values:
                    inside |= {(axis, n) for axis, by in enumerate(place.by) for n in range(min(0, by), max(0, by) + 1)}
            for place, values in mine:
                if values == {OFF}:
                    maybe = [(axis, by) for axis, by in enumerate(place.by) if (axis, by) not in inside]
                    if not maybe:
                        raise _Contradiction
                    if len(maybe) == 1:
                        outside.add(maybe[0])
            for place, values in mine:
                lines = list(enumerate(place.by))
                if all(line in inside for line in lines):
                    _narrow(known, place, values - {OFF})
                elif any(
                    axis == a and by * far > 0 and abs(by) >= abs(far) for axis, by in lines for a, far in outside
                ):
                    _narrow(known, place, frozenset((OFF,)))

    def _steps(self, known: Known) -> None:
        for walk in self._walks:
            here = known.values[Place(walk.place.start)]
            asked, holds = known.values[self._asked[walk]], known.true.get(walk)
            if here == _OFF:
                _settle(known, walk, False)
            elif holds is True:
                if walk.place.start != CLICKED:
                    _narrow(known, Place(walk.place.start), here - {OFF})
                self._first_step(known, walk)
                self._follow(known, walk)
            elif holds is False:
                if walk.value != OFF or OFF not in here:
                    _narrow(known, walk.first_asked, asked - {walk.value})
            elif OFF not in here and asked == {walk.value}:
                _settle(known, walk, True)
            elif walk.value not in asked and known.stops(walk):
                _settle(known, walk, False)

    def _first_step(self, known: Known, walk: Finds) -> None:
        """Infer from a successful scan that its first step meets the value, or at least nothing that stops it."""
        asked = known.values[walk.first_asked]
        if known.stops(walk):
            _narrow(known, walk.first_asked, asked & {walk.value})
        elif walk.value not in asked:
            _narrow(known, walk.first_stop, known.values[walk.first_stop] - {walk.unless})
            _narrow(known, walk.first_step, known.values[walk.first_step] - {OFF})
        elif walk.is_plain:
            _narrow(known, walk.first_step, asked - ({walk.unless, OFF} - {walk.value}))

    def _follow(self, known: Known, walk: Finds) -> None:
        """Apply the consequences of a successful scan to other scans in the same direction."""
        for other in self._walks:
            if (other.place, other.way) != (walk.place, walk.way):
                continue
            exchanged = (walk.unless, walk.value, walk.stops_at, walk.at)
            if other[2:] == exchanged and walk.is_plain and walk.unless != walk.value:
                _settle(known, other, False)
            elif other[2:] == (walk.value, OFF, walk.at, (0, 0)):
                _settle(known, other, True)


def _named(atoms: Iterable[Atom], buttons: bool) -> frozenset[str]:
    """Return the values (or buttons) that are mentioned, and one that stands for all others."""
    named = {SOMETHING_ELSE} if buttons else {SOMETHING_ELSE, OFF}
    for atom in atoms:
        match atom:
            case Is(place, value) if (place.start == BUTTON) == buttons:
                named |= {value} if buttons or place.start == CLICKED else {value, place.start}
            case Finds(place=place, value=value, unless=unless) if not buttons:
                named |= {value, unless} if place.start == CLICKED else {value, unless, place.start}
    return frozenset(named)


def _narrow(known: Known, place: Place, values: frozenset[str]) -> None:
    if not values:
        raise _Contradiction
    known.values[place] = values


def _settle(known: Known, atom: Finds | Other, holds: bool) -> None:
    if known.true.setdefault(atom, holds) != holds:
        raise _Contradiction
