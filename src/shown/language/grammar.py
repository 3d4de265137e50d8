"""The probabilistic grammar over programs (the paper's appendix A), as data, and its enumeration.

Programs come in exactly non-increasing probability, in blocks: all programs of one derivation *shape* have the same
probability and differ only in values and directions. Probabilities are kept as fractions, so that equal ones are equal.
"""

from __future__ import annotations

import heapq
import math
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cached_property

from shown.errors import BadInput
from shown.grid import Tokens
from shown.language.primitives import LANGUAGE, Language
from shown.language.terms import Argument, Kind, Term

Level = tuple[Fraction, tuple[Argument, ...]]
"""Atoms that are equally probable, with the probability of each."""


@dataclass(frozen=True)
class Rule:
    """`left → primitive(right…)`, or, with no primitive, `left → right[0]`.

    A probability given as a decimal, such as 0.3, is taken for the fraction it means.
    """

    left: str
    primitive: str | None
    right: tuple[str, ...]
    probability: Fraction

    def __post_init__(self) -> None:
        if not isinstance(self.probability, Fraction):
            object.__setattr__(self, "probability", Fraction(self.probability).limit_denominator(10**9))

    def __str__(self) -> str:
        return f"{self.left} → {self.primitive or ''.join(self.right)}"


@dataclass(frozen=True)
class Leaves:
    """A symbol that stands for atoms: how they are grouped into levels of falling probability, perhaps without end."""

    kind: Kind
    levels: Callable[[], Iterator[Level]]


@dataclass(frozen=True)
class Hole:
    """A place in a shape that any of some equally probable atoms can fill."""

    kind: Kind
    atoms: tuple[Argument, ...]


@dataclass(frozen=True)
class Shape:
    """A term with holes."""

    primitive: str
    arguments: tuple[Shape | Hole, ...]

    @cached_property
    def _hash(self) -> int:
        return hash((self.primitive, self.arguments))

    def __hash__(self) -> int:
        return self._hash

    @cached_property
    def count(self) -> int:
        """The number of terms of this shape."""
        return math.prod(size(argument) for argument in self.arguments)

    def term(self, index: int) -> Term:
        """The term at `index` in the order in which the last hole changes fastest."""
        arguments: list[Argument] = []
        for argument in reversed(self.arguments):
            index, i = divmod(index, size(argument))
            arguments.append(argument.term(i) if isinstance(argument, Shape) else argument.atoms[i])
        return Term(self.primitive, tuple(reversed(arguments)))

    @cached_property
    def reach(self) -> int:
        """How many cells beyond the attended one the shape can look, not counting scans that stay on the grid."""
        own = [
            max(abs(x) for x in atom)
            for a in self.arguments
            if isinstance(a, Hole) and a.kind is Kind.OFFSET
            for atom in a.atoms
            if isinstance(atom, tuple)
        ]
        return max(own, default=0) + max((a.reach for a in self.arguments if isinstance(a, Shape)), default=0)

    @property
    def parts(self) -> tuple[Shape, ...]:
        return tuple(argument for argument in self.arguments if isinstance(argument, Shape))


def size(argument: Shape | Hole) -> int:
    """The number of ways to fill an argument."""
    return argument.count if isinstance(argument, Shape) else len(argument.atoms)


@dataclass(frozen=True)
class Block:
    """Consecutive programs of one shape.

    Attributes:
        shape: what they have in common.
        probability: of each of them.
        start: the number of programs before this block.
        count: how many of the shape's programs are in the block; less than all only where a budget ends.
    """

    shape: Shape
    probability: Fraction
    start: int
    count: int

    @cached_property
    def log_prior(self) -> float:
        return log(self.probability)


@dataclass(frozen=True)
class Grammar:
    """A probabilistic context-free grammar over the programs of a language.

    Attributes:
        start: the symbol programs are derived from.
        rules: the productions; those of one symbol add up to probability 1.
        leaves: the symbols that stand for values, offsets, numbers and buttons.
        language: the primitives.
    """

    start: str
    rules: tuple[Rule, ...]
    leaves: Mapping[str, Leaves]
    language: Language = LANGUAGE

    def __post_init__(self) -> None:
        sums: dict[str, Fraction] = {}
        for rule in self.rules:
            name = f"rule {rule}"
            if rule.probability <= 0:
                raise BadInput(f"{name}: probability {rule.probability} must be greater than 0.")
            sums[rule.left] = sums.get(rule.left, Fraction(0)) + rule.probability
            if rule.primitive is None:
                if len(rule.right) != 1:
                    raise BadInput(f"{name}: a rule without a primitive has exactly one symbol on its right.")
            elif rule.primitive not in self.language:
                raise BadInput(f"{name}: the language has no primitive {rule.primitive!r}.")
            elif len(rule.right) != len(self.language[rule.primitive].takes):
                takes = ", ".join(self.language[rule.primitive].takes)
                raise BadInput(f"{name}: {rule.primitive} takes ({takes}), not {len(rule.right)} arguments.")
        for left, total in sums.items():
            if total != 1:
                raise BadInput(f"the rules for {left} add up to {float(total):g}; they must add up to 1.")
        for symbol in dict.fromkeys([self.start, *(s for rule in self.rules for s in rule.right)]):
            if (symbol in sums) == (symbol in self.leaves):
                raise BadInput(f"symbol {symbol} must have either rules or leaves, and not both.")
        self._check_kinds()

    def _check_kinds(self) -> None:
        """Raises BadInput where a rule has something else on its right than its primitive takes."""
        kinds: dict[str, set[Kind]] = {symbol: {leaves.kind} for symbol, leaves in self.leaves.items()}
        for _ in self.rules:
            for rule in self.rules:
                own = {self.language[rule.primitive].gives} if rule.primitive else kinds.get(rule.right[0], set())
                kinds.setdefault(rule.left, set()).update(own)
        for rule in self.rules:
            takes = () if rule.primitive is None else self.language[rule.primitive].takes
            for symbol, wanted in zip(rule.right, takes, strict=False):
                for kind in sorted(kinds[symbol] - {wanted}):
                    raise BadInput(
                        f"rule {rule}: {symbol} is of kind {kind}; {rule.primitive} takes kind {wanted} there."
                    )
        for kind in sorted(kinds[self.start] - {Kind.PROGRAM}):
            raise BadInput(f"the start symbol {self.start} is of kind {kind}; it must be of kind program.")

    def extended(
        self, *rules: Rule, leaves: Mapping[str, Leaves] | None = None, language: Language | None = None
    ) -> Grammar:
        """This grammar with further rules; the rules already there for the same symbols make room for them.

        >>> from shown.grid import Tokens
        >>> grammar = paper_grammar(Tokens(empty=".", stick="|"))
        >>> wider = grammar.extended(Rule("C", "scanning", ("O", "C", "C"), 0.2))
        >>> [(str(rule), float(rule.probability)) for rule in wider.rules if rule.left == "C"]
        [('C → shifted', 0.4), ('C → B', 0.4), ('C → scanning', 0.2)]

        Args:
            rules: the new productions, with their probabilities.
            leaves: new symbols that stand for atoms, such as the numbers of a primitive that counts.
            language: the primitives of all rules, if new ones are used.
        """
        taken: dict[str, Fraction] = {}
        for rule in rules:
            taken[rule.left] = taken.get(rule.left, Fraction(0)) + rule.probability
        room = [replace(rule, probability=rule.probability * (1 - taken.get(rule.left, 0))) for rule in self.rules]
        return Grammar(self.start, (*room, *rules), {**self.leaves, **(leaves or {})}, language or self.language)

    def shapes(self) -> Iterator[tuple[Fraction, Shape]]:
        """All shapes, most probable first, each with the probability of one program; endless where the grammar is.

        Best-first search over leftmost derivations: what is chosen so far, times the best that the rest can be.
        """
        by_left: dict[str, list[Rule]] = {}
        for rule in self.rules:
            by_left.setdefault(rule.left, []).append(rule)
        levels = {symbol: _Lazy(leaves.levels()) for symbol, leaves in self.leaves.items()}
        best = self._best(levels)
        if best[self.start] == 0:
            return
        # An entry: (-bound, choices so far, probability so far, prefix notation so far, symbols still open).
        # The choices break ties and are unique, so that later fields are never compared.
        Entry = tuple[Fraction, tuple[int, ...], Fraction, tuple[str | Hole, ...], tuple[str, ...]]
        heap: list[Entry] = [(-best[self.start], (), Fraction(1), (), (self.start,))]
        while heap:
            bound, choices, probability, prefix, todo = heapq.heappop(heap)
            if not todo:
                shape, _ = self._read(prefix)
                yield probability, shape
                continue
            symbol, rest = todo[0], todo[1:]
            if symbol in levels:
                # The last choice is the number of the level to take now; its next sibling waits in the heap.
                number = -choices[-1] - 1 if choices and choices[-1] < 0 else 0
                taken = choices[:-1] if choices and choices[-1] < 0 else choices
                level = levels[symbol].get(number)
                assert level is not None
                p, atoms = level
                hole = Hole(self.leaves[symbol].kind, atoms)
                heapq.heappush(heap, (bound, (*taken, number), probability * p, (*prefix, hole), rest))
                following = levels[symbol].get(number + 1)
                if following is not None:
                    heapq.heappush(heap, (bound / p * following[0], (*taken, -number - 2), probability, prefix, todo))
                continue
            for i, rule in enumerate(by_left[symbol]):
                chosen = -bound / best[symbol] * rule.probability * math.prod(best[s] for s in rule.right)
                if chosen:
                    head = () if rule.primitive is None else (rule.primitive,)
                    heapq.heappush(
                        heap,
                        (-chosen, (*choices, i), probability * rule.probability, prefix + head, rule.right + rest),
                    )

    def blocks(self, programs: int | None = None, finish_level: bool = False) -> Iterator[Block]:
        """Programs in blocks, most probable first; exactly `programs` of them, or, with `finish_level`, at least so
        many and on to the end of the last level of equal probability.

        >>> from shown.grid import Tokens
        >>> [block.count for block in paper_grammar(Tokens(empty=".", stick="|")).blocks(50)]
        [3, 9, 12, 12, 14]
        """
        start = 0
        last: Fraction | None = None
        for probability, shape in self.shapes():
            if programs is not None and start >= programs and not (finish_level and probability == last):
                return
            count = shape.count
            if programs is not None and not finish_level:
                count = min(count, programs - start)
            yield Block(shape, probability, start, count)
            start += count
            last = probability

    def programs(self, programs: int | None = None) -> Iterator[tuple[Term, float]]:
        """Programs one by one with their log probability, most probable first.

        >>> from shown.grid import Tokens
        >>> grammar = paper_grammar(Tokens(empty=".", stick="|"))
        >>> print(next(grammar.programs())[0])
        at_action_cell(cell_is_value(empty))
        """
        for block in self.blocks(programs):
            for i in range(block.count):
                yield block.shape.term(i), block.log_prior

    def _best(self, levels: Mapping[str, _Lazy]) -> dict[str, Fraction]:
        """The probability of the most probable thing each symbol derives."""
        best = {rule.left: Fraction(0) for rule in self.rules}
        for symbol, lazy in levels.items():
            first = lazy.get(0)
            best[symbol] = Fraction(0) if first is None else first[0]
        changed = True
        while changed:
            changed = False
            for rule in self.rules:
                value = rule.probability * math.prod(best[s] for s in rule.right)
                if value > best[rule.left]:
                    best[rule.left], changed = value, True
        return best

    def _read(self, prefix: tuple[str | Hole, ...]) -> tuple[Shape, tuple[str | Hole, ...]]:
        head, rest = prefix[0], prefix[1:]
        assert isinstance(head, str)
        arguments: list[Shape | Hole] = []
        for _ in self.language[head].takes:
            if isinstance(rest[0], Hole):
                arguments.append(rest[0])
                rest = rest[1:]
            else:
                shape, rest = self._read(rest)
                arguments.append(shape)
        return Shape(head, tuple(arguments)), rest


class _Lazy:
    """A list that is read from an iterator as far as it is asked for."""

    def __init__(self, items: Iterator[Level]) -> None:
        self._items, self._read = items, list[Level]()

    def get(self, index: int) -> Level | None:
        while len(self._read) <= index:
            item = next(self._items, None)
            if item is None:
                return None
            if not 0 < item[0] <= (self._read[-1][0] if self._read else 1):
                raise BadInput("the levels of leaves must come in falling probability, from at most 1.")
            self._read.append(item)
        return self._read[index]


def log(probability: Fraction) -> float:
    """The natural logarithm of a fraction that may be far below the smallest float."""
    return math.log(probability.numerator) - math.log(probability.denominator)


def uniform(kind: Kind, atoms: tuple[Argument, ...]) -> Leaves:
    """Leaves that are all equally probable: the paper's values."""
    level = (Fraction(1, max(1, len(atoms))), atoms)
    return Leaves(kind, lambda: iter([level] if atoms else []))


def geometric(kind: Kind = Kind.NUMBER, stay: Fraction = Fraction(1, 2)) -> Leaves:
    """The numbers 1, 2, …, each `stay` times as probable as the one before."""

    def levels() -> Iterator[Level]:
        number, probability = 1, 1 - stay
        while True:
            yield probability, (number,)
            number, probability = number + 1, probability * stay

    return Leaves(kind, levels)


def paper_offsets() -> Leaves:
    """The paper's rules for O, N and ℕ: along an axis 1/4 each, diagonal 1/2; signs 1/2; i with 0.99 · 0.01^(i−1)."""
    step, more = Fraction(99, 100) / 2, Fraction(1, 100)

    def levels() -> Iterator[Level]:
        i = 1
        while True:
            axis = ((-i, 0), (i, 0), (0, -i), (0, i))
            yield Fraction(1, 4) * step * more ** (i - 1), axis
            pairs = [(a, i + 1 - a) for a in range(1, i + 1)]
            diagonal = tuple((s * a, t * b) for a, b in pairs for s in (-1, 1) for t in (-1, 1))
            yield Fraction(1, 2) * step**2 * more ** (i - 1), diagonal
            i += 1

    return Leaves(Kind.OFFSET, levels)


def paper_grammar(tokens: Tokens, buttons: tuple[str, ...] = ()) -> Grammar:
    """The grammar of the paper with this game's values; in worlds with buttons, with `action_is` for `at_action_cell`.

    >>> from shown.grid import Tokens
    >>> grammar = paper_grammar(Tokens(empty=".", stick="|"))
    >>> [(str(term), round(p, 2)) for term, p in grammar.programs(4)][3]
    ('at_cell_with_value(empty, cell_is_value(empty))', -4.28)
    """
    half = Fraction(1, 2)
    if buttons:
        # The paper gives each of its identity checks and at_cell_with_value the same probability.
        equal = Fraction(1, len(buttons) + 1)
        top = [Rule("P", "at_cell_with_value", ("V", "C"), equal), Rule("P", "action_is", ("A",), 1 - equal)]
    else:
        top = [Rule("P", "at_cell_with_value", ("V", "C"), half), Rule("P", "at_action_cell", ("C",), half)]
    return Grammar(
        start="P",
        rules=(
            *top,
            Rule("C", "shifted", ("O", "B"), half),
            Rule("C", None, ("B",), half),
            Rule("B", "cell_is_value", ("V",), half),
            Rule("B", "scanning", ("O", "C", "C"), half),
        ),
        leaves={
            "V": uniform(Kind.VALUE, tokens.values),
            "O": paper_offsets(),
            **({"A": uniform(Kind.BUTTON, buttons)} if buttons else {}),
        },
    )
