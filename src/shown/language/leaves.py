"""Leaves of programs: values, offsets, numbers and buttons, with their probabilities.

Leaves come in *levels* of equally probable atoms, most probable first, possibly without end.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction

from shown.errors import BadInput
from shown.language.terms import Argument, Kind

Level = tuple[Fraction, tuple[Argument, ...]]
"""Equally probable atoms, with the probability of each."""

MAX_LEVELS = 1000
"""Levels searched for an atom of leaves without a method `probability`."""


@dataclass(frozen=True)
class Leaves:
    """A symbol that stands for atoms.

    Attributes:
        kind: kind of the atoms.
        levels: function that returns levels of decreasing probability, each atom once. The built-in ones are frozen
            dataclasses with `__call__`, so that leaves can be compared, copied and sent to other processes. If it has a
            method `probability(atom)` as well, it may be endless even where a grammar derives the same programs by
            other leaves.
    """

    kind: Kind
    levels: Callable[[], Iterator[Level]]


def uniform(kind: Kind, atoms: tuple[Argument, ...]) -> Leaves:
    """Return equally probable leaves, such as the paper's values."""
    return Leaves(kind, FixedLevels(tuple(atoms)))


def foremost(kind: Kind, atoms: tuple[Argument, ...]) -> Leaves:
    """Return leaves of which the first is as probable as all others together."""
    return Leaves(kind, FixedLevels(tuple(atoms[:1]), tuple(atoms[1:])))


def geometric(kind: Kind = Kind.NUMBER, stay: Fraction = Fraction(1, 2)) -> Leaves:
    """Return the numbers 1, 2, …, each `stay` times as probable as the previous one."""
    return Leaves(kind, Geometric(stay))


def paper_offsets() -> Leaves:
    """Return the paper's rules for O, N and ℕ: 1/4 per axis, 1/2 diagonal; signs 1/2; i with 0.99 · 0.01^(i−1)."""
    return Leaves(Kind.OFFSET, PaperOffsets())


@dataclass(frozen=True)
class FixedLevels:
    """One level of equally probable atoms, or two of which each is as probable as the other."""

    first: tuple[Argument, ...]
    others: tuple[Argument, ...] = ()

    def __call__(self) -> Iterator[Level]:
        levels = [atoms for atoms in (self.first, self.others) if atoms]
        for atoms in levels:
            yield Fraction(1, len(levels) * len(atoms)), atoms


@dataclass(frozen=True)
class Geometric:
    """One number per level, endlessly."""

    stay: Fraction

    def __call__(self) -> Iterator[Level]:
        number, probability = 1, 1 - self.stay
        while True:
            yield probability, (number,)
            number, probability = number + 1, probability * self.stay

    def probability(self, atom: Argument) -> Fraction:
        return (1 - self.stay) * self.stay ** (atom - 1) if isinstance(atom, int) and atom > 0 else Fraction(0)


@dataclass(frozen=True)
class PaperOffsets:
    """For i = 1, 2, …: the offsets of i cells along an axis, then the diagonal ones of i + 1 cells in total."""

    step = Fraction(99, 100) / 2
    more = Fraction(1, 100)

    def __call__(self) -> Iterator[Level]:
        i = 1
        while True:
            axis = ((-i, 0), (i, 0), (0, -i), (0, i))
            yield self.probability(axis[0]), axis
            pairs = [(a, i + 1 - a) for a in range(1, i + 1)]
            diagonal = tuple((s * a, t * b) for a, b in pairs for s in (-1, 1) for t in (-1, 1))
            yield self.probability(diagonal[0]), diagonal
            i += 1

    def probability(self, atom: Argument) -> Fraction:
        if not isinstance(atom, tuple) or atom == (0, 0):
            return Fraction(0)
        down, right = abs(atom[0]), abs(atom[1])
        if down and right:
            return Fraction(1, 2) * self.step**2 * self.more ** (down + right - 2)
        return Fraction(1, 4) * self.step * self.more ** (down + right - 1)


class LazyLevels:
    """Levels, read on demand."""

    def __init__(self, leaves: Leaves) -> None:
        self._levels = leaves.levels
        self._coming = leaves.levels()
        self._read: list[Level] = []
        self._places: dict[Argument, int] = {}

    def get(self, index: int) -> Level | None:
        """Return the level at `index`, or None past the last one."""
        while len(self._read) <= index:
            level = next(self._coming, None)
            if level is None:
                return None
            if not 0 < level[0] <= (self._read[-1][0] if self._read else 1):
                raise BadInput("the levels of leaves must have decreasing probabilities of at most 1.")
            for atom in level[1]:
                if atom in self._places:
                    raise BadInput(f"leaves have {atom!r} twice. List each atom once, with its total probability.")
                self._places[atom] = len(self._read)
            self._read.append(level)
        return self._read[index]

    def probability(self, atom: Argument) -> Fraction:
        """Return the probability of one atom; 0 if it is not among the leaves."""
        if atom not in self._places:
            if hasattr(self._levels, "probability"):
                return self._levels.probability(atom)  # type: ignore[no-any-return]
            if self.get(MAX_LEVELS) is not None:
                raise BadInput(
                    f"the grammar derives some programs in several ways, by leaves of which one has more than "
                    f"{MAX_LEVELS:,} levels and no probability for {atom!r}. Give its levels a method "
                    "`probability(atom)`, or use the same symbol in all these rules."
                )
        place = self._places.get(atom)
        return Fraction(0) if place is None else self._read[place][0]


Group = tuple[tuple[Fraction, ...], tuple[Argument, ...]]
"""Atoms that are equally probable under each of several leaves, with those probabilities."""


class SharedLevels:
    """Atoms of several leaves that meet at one place of a program, each once, in rounds.

    Round n has the atoms of every level n that have not occurred before, in groups that no leaves distinguish. With a
    single set of leaves a round is a level.
    """

    def __init__(self, leaves: Sequence[LazyLevels]) -> None:
        self._leaves = tuple(leaves)
        self._rounds: list[list[Group]] = []
        self._seen: set[Argument] = set()

    def bound(self, number: int) -> tuple[Fraction, ...]:
        """Return, for each of the leaves, an upper bound on the probability of an atom of this round or a later one."""
        levels = [lazy.get(number) for lazy in self._leaves]
        return tuple(Fraction(0) if level is None else level[0] for level in levels)

    def round(self, number: int) -> list[Group]:
        while len(self._rounds) <= number:
            self._rounds.append(self._next())
        return self._rounds[number]

    def _next(self) -> list[Group]:
        levels = [lazy.get(len(self._rounds)) for lazy in self._leaves]
        if len(levels) == 1:
            return [] if levels[0] is None else [((levels[0][0],), levels[0][1])]
        groups: dict[tuple[Fraction, ...], list[Argument]] = {}
        for level in levels:
            for atom in () if level is None else level[1]:
                if atom not in self._seen:
                    self._seen.add(atom)
                    groups.setdefault(tuple(lazy.probability(atom) for lazy in self._leaves), []).append(atom)
        return [(probabilities, tuple(atoms)) for probabilities, atoms in groups.items()]
