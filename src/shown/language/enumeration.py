"""Programs of a grammar in exactly non-increasing probability, each once, however many derivations it has.

A program's probability is the sum over its derivations. Three steps make that an ordinary best-first search:

1. **Normal form.** Rules without a primitive, `C → B`, are followed to their ends: every symbol then has, for each
   primitive it can begin with, some right-hand sides and how probable each is, over all ways to get there (ways round
   in circles too: their sum is that of a geometric series). Equal right-hand sides are one, their probabilities added.
2. **Prefixes, not derivations.** Programs are written from left to right, primitive by primitive, atom by atom. Of all
   derivations that agree with what is written so far, a node of the search keeps only what symbols are still to come,
   with the summed probability of those that leave just these. So a program is reached on one way only, and there the
   sum is its probability. In a grammar without ambiguity this is one sequence of symbols at each node.
3. **A bound that never promises too little.** `most[X]` is at least as probable as any single thing X derives: it is
   1 to begin with, and whatever X derives begins with some primitive, so the largest sum over one primitive's
   right-hand sides, with `most` for each symbol in them, is such a bound again, and a better one. What is still to come
   at a node is at most the sum over its sequences of the product of those. A node whose turn comes and where nothing is
   open is therefore at least as probable as all that follow it.

Where leaves meet that share atoms, the atoms are taken in groups that none of them tells apart (`SharedLevels`).
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
"""How probable each sequence of symbols is."""

ROUNDS = 100
"""So often the bounds are improved; most are exact after a few rounds."""
LONG = 512
"""Bits that a bound may have before it is rounded up."""


def enumerate_shapes(grammar: Grammar) -> Iterator[tuple[Fraction, Shape]]:
    """All shapes, most probable first, each with the probability of one program; endless where the grammar is."""
    return _Search(grammar).run()


class NormalForm:
    """A grammar without rules that only lead on, and without symbols that derive nothing.

    Attributes:
        heads: for each symbol, the primitives it can begin with, in the order of the rules, and what may follow each.
        atoms: for each symbol that stands for atoms, the leaves they come from and how probable each of these is.
        most: for each symbol, at least the probability of anything it derives.
        levels: the leaves' levels, by symbol; symbols with equal leaves count as one.
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
        # An entry: (-bound, choices so far, round of the leaves, prefix notation so far, what may follow). The choices
        # break ties, in the order of the rules, and are unique, so that later fields are never compared.
        self.heap: list[tuple[Fraction, tuple[int, ...], int, tuple[str | Hole, ...], Sums]] = []

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
        heapq.heappush(self.heap, (-self._bound(sums), choices, 0, prefix, sums))

    def _expand(self, choices: tuple[int, ...], prefix: tuple[str | Hole, ...], sums: Sums) -> None:
        """Writes each primitive that can come next."""
        following: dict[str, Sums] = {}
        for symbols, p in sums.items():
            for primitive, rights in self.form.heads[symbols[0]].items():
                after = following.setdefault(primitive, {})
                for right, q in rights.items():
                    _add(after, right + symbols[1:], p * q)
        for i, (primitive, after) in enumerate(following.items()):
            self._push((*choices, i), (*prefix, primitive), after)

    def _fill(self, choices: tuple[int, ...], number: int, prefix: tuple[str | Hole, ...], sums: Sums) -> None:
        """Writes the atoms of one round, and leaves the next round to come in its turn."""
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
            heapq.heappush(self.heap, (-_sum(later), choices, number + 1, prefix, sums))

    def _bound(self, sums: Sums) -> Fraction:
        """The most that anything which follows so can come to."""
        return _sum([p * self._product(symbols) for symbols, p in sums.items()])

    def _product(self, symbols: Symbols) -> Fraction:
        """The most that these symbols can come to together."""
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
    """How probable it is to get from one symbol to another by rules that only lead on, over all ways.

    Kleene's algorithm: symbol after symbol is allowed to be passed through, as often as one likes. A symbol that
    derives something is left for good at some time, so that each of the geometric series has an end.
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
    """The rules that end the ways from a symbol, in the order in which one would try them."""
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
    # Adding fractions is dear, and mostly there is nothing to add to.
    sums[key] = sums[key] + p if key in sums else p


def _sum(fractions: list[Fraction]) -> Fraction:
    return fractions[0] if len(fractions) == 1 else sum(fractions, Fraction(0))


def _round_up(bound: Fraction) -> Fraction:
    """The bound itself, or, where its fraction has become unwieldy, one a little greater."""
    if bound.denominator.bit_length() <= LONG or not bound:
        return bound
    shift = 64 + bound.denominator.bit_length() - bound.numerator.bit_length()
    return Fraction(math.ceil(bound * 2**shift), 2**shift)
