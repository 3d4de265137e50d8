"""Enumeration of programs in exactly non-increasing probability, each once, whatever its number of derivations.

The probability of a program is the sum over its derivations. Three steps reduce this to best-first search:

1. **Normal form.** Chains of rules without a primitive, such as `C → B`, are followed to their ends. Every symbol then
   has, for each primitive it can start with, right-hand sides and their total probability over all chains; cycles are
   geometric series. Equal right-hand sides are merged.
2. **Prefixes, not derivations.** Programs are written from left to right, one primitive or atom at a time. A node of
   the search keeps the sequences of symbols that may follow, each with the total probability of the derivations that
   leave it. Every program is thus reached once, with its full probability. In an unambiguous grammar each node has one
   sequence.
3. **An upper bound.** `most[X]` bounds the probability of any single program derived from X. It starts at 1. The
   largest sum over the right-hand sides of one primitive, with `most` for their symbols, is a tighter bound, and so on.
   A node is bounded by the sum over its sequences of the product of these bounds. A complete node at the top of the
   queue is therefore at least as probable as all nodes after it.

Where several leaves that share atoms meet, atoms are taken in groups that none of them distinguishes (`SharedLevels`).
"""

from __future__ import annotations

import heapq
import math
from collections.abc import Iterator
from fractions import Fraction
from typing import TYPE_CHECKING, TypeVar

from shown.language.leaves import LazyLevels, SharedLevels
from shown.language.shapes import Hole, Shape

if TYPE_CHECKING:
    from shown.language.grammar import Grammar, Rule

Key = TypeVar("Key")
Symbols = tuple[str, ...]
Sums = dict[Symbols, Fraction]
"""Probability of each sequence of symbols."""
_Bound = tuple[float, Fraction]

ROUNDS = 100
"""Maximum number of rounds in which the bounds are tightened; most are exact after a few."""
LONG = 512
"""Bits of a bound above which it is rounded up."""


def enumerate_shapes(grammar: Grammar) -> Iterator[tuple[Fraction, Shape]]:
    """Yield all shapes, most probable first, each with the probability of one program; endless if the grammar is."""
    return _Search(grammar).run()


class NormalForm:
    """A grammar without chain rules and without symbols that derive nothing.

    Attributes:
        heads: for each symbol, the primitives it can start with, in the order of the rules, and their right-hand sides.
        atoms: for each symbol that derives atoms, its leaves and their probabilities.
        most: for each symbol, an upper bound on the probability of anything it derives.
        levels: levels of the leaves, by symbol; symbols with equal leaves are merged.
    """

    def __init__(self, grammar: Grammar) -> None:
        same = {
            leaf: next(symbol for symbol, others in grammar.leaves.items() if others == leaves)
            for leaf, leaves in grammar.leaves.items()
        }
        self.levels = {leaf: LazyLevels(grammar.leaves[leaf]) for leaf in dict.fromkeys(same.values())}
        productive = {leaf for leaf in grammar.leaves if self.levels[same[leaf]].get(0) is not None}
        for _ in grammar.rules:
            productive |= {rule.left for rule in grammar.rules if productive.issuperset(rule.right)}
        rules = [rule for rule in grammar.rules if productive.issuperset(rule.right)]
        symbols = list(dict.fromkeys(rule.left for rule in rules))
        ways = _ways(symbols, [(rule.left, rule.right[0], rule.probability) for rule in rules if not rule.primitive])
        self.heads: dict[str, dict[str, Sums]] = {symbol: {} for symbol in symbols}
        self.atoms: dict[str, dict[str, Fraction]] = {
            leaf: {same[leaf]: Fraction(1)} for leaf in grammar.leaves if leaf in productive
        }
        for symbol in symbols:
            for end in _in_order(symbol, rules):
                if end.primitive is not None:
                    sums = self.heads[symbol].setdefault(end.primitive, {})
                    _add(sums, end.right, ways[symbol, end.left] * end.probability)
                elif end.right[0] in grammar.leaves:
                    shares = self.atoms.setdefault(symbol, {})
                    _add(shares, same[end.right[0]], ways[symbol, end.left] * end.probability)
        self.most = self._most()

    def _most(self) -> dict[str, Fraction]:
        first = {leaf: level[0] for leaf, levels in self.levels.items() if (level := levels.get(0)) is not None}
        most = {symbol: Fraction(1) for symbol in (*self.heads, *self.atoms)}
        for _ in range(ROUNDS):
            better = {
                **{
                    symbol: max(
                        sum(p * math.prod(most[s] for s in right) for right, p in sums.items())
                        for sums in choices.values()
                    )
                    for symbol, choices in self.heads.items()
                    if choices
                },
                **{s: sum(p * first[leaf] for leaf, p in shares.items()) for s, shares in self.atoms.items()},
            }
            rounded = {symbol: min(most[symbol], _round_up(Fraction(better[symbol]))) for symbol in most}
            if rounded == most:
                break
            most = rounded
        return most


class _Search:
    def __init__(self, grammar: Grammar) -> None:
        self.grammar = grammar
        self.form = NormalForm(grammar)
        self._shared: dict[Symbols, SharedLevels] = {}
        self._ahead: dict[Symbols, Fraction] = {(): Fraction(1)}
        # An entry: (-bound, choices so far, round of the leaves, prefix so far, continuations). Choices break ties in
        # the order of the rules and are unique, so that later fields are never compared.
        self.heap: list[tuple[_Bound, tuple[int, ...], int, tuple[str | Hole, ...], Sums]] = []

    def run(self) -> Iterator[tuple[Fraction, Shape]]:
        start = self.grammar.start
        if start in self.form.most:
            self._push((), (), {(start,): Fraction(1)})
        while self.heap:
            _, choices, number, prefix, sums = heapq.heappop(self.heap)
            if () in sums:
                yield sums[()], self._read(prefix)[0]
            elif next(iter(sums))[0] in self.form.atoms:
                self._fill(choices, number, prefix, sums)
            else:
                self._expand(choices, prefix, sums)

    def _push(self, choices: tuple[int, ...], prefix: tuple[str | Hole, ...], sums: Sums) -> None:
        heapq.heappush(self.heap, (_descending(self._bound(sums)), choices, 0, prefix, sums))

    def _expand(self, choices: tuple[int, ...], prefix: tuple[str | Hole, ...], sums: Sums) -> None:
        """Append each primitive that can come next."""
        following: dict[str, Sums] = {}
        for symbols, p in sums.items():
            for primitive, rights in self.form.heads[symbols[0]].items():
                after = following.setdefault(primitive, {})
                for right, q in rights.items():
                    _add(after, right + symbols[1:], p * q)
        for i, (primitive, after) in enumerate(following.items()):
            self._push((*choices, i), (*prefix, primitive), after)

    def _fill(self, choices: tuple[int, ...], number: int, prefix: tuple[str | Hole, ...], sums: Sums) -> None:
        """Append the atoms of one round, and queue the next round."""
        after: dict[str, Sums] = {}
        for symbols, p in sums.items():
            for leaf, share in self.form.atoms[symbols[0]].items():
                _add(after.setdefault(leaf, {}), symbols[1:], p * share)
        leaves = tuple(after)
        if leaves not in self._shared:
            self._shared[leaves] = SharedLevels([self.form.levels[leaf] for leaf in leaves])
        shared = self._shared[leaves]
        kind = self.grammar.leaves[leaves[0]].kind
        for j, (probabilities, atoms) in enumerate(shared.round(number)):
            filled: Sums = {}
            for q, by_rest in zip(probabilities, after.values(), strict=True):
                for rest, p in by_rest.items() if q else ():
                    _add(filled, rest, p * q)
            self._push((*choices, number, j), (*prefix, Hole(kind, atoms)), filled)
        later = [q * self._bound(by_rest) for q, by_rest in zip(shared.bound(number + 1), after.values(), strict=True)]
        if any(later):
            heapq.heappush(self.heap, (_descending(_sum(later)), choices, number + 1, prefix, sums))

    def _bound(self, sums: Sums) -> Fraction:
        """Return an upper bound on the probability of anything that may follow."""
        return _sum([p * self._product(symbols) for symbols, p in sums.items()])

    def _product(self, symbols: Symbols) -> Fraction:
        """Return an upper bound on the probability of anything derived from these symbols."""
        if symbols not in self._ahead:
            self._ahead[symbols] = self.form.most[symbols[0]] * self._product(symbols[1:])
        return self._ahead[symbols]

    def _read(self, prefix: tuple[str | Hole, ...]) -> tuple[Shape, tuple[str | Hole, ...]]:
        head, rest = prefix[0], prefix[1:]
        assert isinstance(head, str)
        arguments: list[Shape | Hole] = []
        for _ in self.grammar.language[head].takes:
            if isinstance(rest[0], Hole):
                arguments.append(rest[0])
                rest = rest[1:]
            else:
                shape, rest = self._read(rest)
                arguments.append(shape)
        return Shape(head, tuple(arguments)), rest


def _ways(symbols: list[str], steps: list[tuple[str, str, Fraction]]) -> dict[tuple[str, str], Fraction]:
    """Return the total probability of all chains from one symbol to another.

    Kleene's algorithm: symbol by symbol, chains may pass through it any number of times. A symbol that derives
    something leaves every cycle with positive probability, so that the geometric series converge.
    """
    ways: dict[tuple[str, str], Fraction] = {}
    for left, right, p in steps:
        _add(ways, (left, right), p)
    for via in symbols:
        round_trips = 1 / (1 - ways.get((via, via), Fraction(0)))
        before = {left: p for (left, right), p in ways.items() if right == via}
        after = {right: p for (left, right), p in ways.items() if left == via}
        for left, p in before.items():
            for right, q in after.items():
                _add(ways, (left, right), p * round_trips * q)
    for symbol in symbols:
        _add(ways, (symbol, symbol), Fraction(1))
    return ways


def _in_order(symbol: str, rules: list[Rule]) -> Iterator[Rule]:
    """Yield the rules that end the chains from a symbol, depth first."""
    by_left: dict[str, list[Rule]] = {}
    for rule in rules:
        by_left.setdefault(rule.left, []).append(rule)
    seen = {symbol}

    def follow(symbol: str) -> Iterator[Rule]:
        for rule in by_left[symbol]:
            if rule.primitive is not None or rule.right[0] not in by_left:
                yield rule
            elif rule.right[0] not in seen:
                seen.add(rule.right[0])
                yield from follow(rule.right[0])

    return follow(symbol)


def _add(sums: dict[Key, Fraction], key: Key, p: Fraction) -> None:
    # Adding fractions is slow, and most keys are new.
    sums[key] = sums[key] + p if key in sums else p


def _sum(fractions: list[Fraction]) -> Fraction:
    return fractions[0] if len(fractions) == 1 else sum(fractions, Fraction(0))


def _descending(bound: Fraction) -> _Bound:
    """Return a key that sorts bounds, the largest first: rounded, which is quick to compare, then exactly."""
    return -float(bound), -bound


def _round_up(bound: Fraction) -> Fraction:
    """Return the bound, or a slightly larger one if its fraction has become unwieldy."""
    if bound.denominator.bit_length() <= LONG or not bound:
        return bound
    shift = 64 + bound.denominator.bit_length() - bound.numerator.bit_length()
    return Fraction(math.ceil(bound * 2**shift), 2**shift)
