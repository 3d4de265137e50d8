"""The probabilistic grammar over programs (the paper's appendix A), as data.

Programs are enumerated in exactly non-increasing probability, in blocks: all programs of one *shape* have the same
probability and differ only in values and directions. Probabilities are fractions, so that equal ones compare equal.
See `enumeration.py`.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from fractions import Fraction

from shown.errors import BadInput
from shown.grid import Tokens
from shown.language.enumeration import enumerate_shapes
from shown.language.leaves import Leaves, foremost, geometric, paper_offsets, uniform
from shown.language.primitives import LANGUAGE, Language
from shown.language.shapes import Block
from shown.language.terms import Kind, Term

__all__ = ["Block", "Grammar", "Leaves", "Rule", "foremost", "geometric", "paper_grammar", "paper_offsets", "uniform"]


@dataclass(frozen=True, init=False)
class Rule:
    """`left → primitive(right…)` or, without a primitive, `left → right[0]`.

    A decimal probability such as 0.3 is converted to the exact fraction.
    """

    left: str
    primitive: str | None
    right: tuple[str, ...]
    probability: Fraction

    def __init__(self, left: str, primitive: str | None, right: Iterable[str], probability: Fraction | float) -> None:
        fields = {
            "left": left,
            "primitive": primitive,
            "right": (right,) if isinstance(right, str) else tuple(right),
            "probability": _fraction(probability, f"rule {left} → {primitive or right}"),
        }
        for name, value in fields.items():
            object.__setattr__(self, name, value)

    def __str__(self) -> str:
        return f"{self.left} → {self.primitive or ''.join(self.right)}"


def _fraction(probability: Fraction | float, what: str) -> Fraction:
    if isinstance(probability, Fraction):
        return probability
    try:
        return Fraction(probability).limit_denominator(10**9)
    except (TypeError, ValueError, OverflowError):
        raise BadInput(f"{what}: probability {probability!r} must be a number such as 0.2.") from None


@dataclass(frozen=True)
class Grammar:
    """A probabilistic context-free grammar over the programs of a language.

    Attributes:
        start: start symbol.
        rules: the productions; those of one symbol have total probability 1.
        leaves: symbols that stand for values, offsets, numbers and buttons.
        language: the primitives.
    """

    start: str
    rules: tuple[Rule, ...]
    leaves: Mapping[str, Leaves]
    language: Language = LANGUAGE

    def __post_init__(self) -> None:
        object.__setattr__(self, "rules", tuple(self.rules))
        object.__setattr__(self, "leaves", dict(self.leaves))
        sums: dict[str, Fraction] = {}
        for rule in self.rules:
            name = f"rule {rule}"
            if rule.probability <= 0:
                raise BadInput(f"{name}: probability {rule.probability} must be greater than 0.")
            sums[rule.left] = sums.get(rule.left, Fraction(0)) + rule.probability
            if rule.primitive is None:
                if len(rule.right) != 1:
                    raise BadInput(f"{name}: a rule without a primitive must have exactly one symbol on its right.")
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
        """Raise BadInput where the right-hand side of a rule does not match what its primitive takes."""
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

    def check_actions(self, buttons: tuple[str, ...]) -> None:
        """Raise BadInput if a rule needs clicks in a world with buttons, or buttons in one without.

        >>> from shown.grid import Tokens
        >>> paper_grammar(Tokens(empty=".")).check_actions(("left", "right"))  # doctest: +ELLIPSIS
        Traceback (most recent call last):
        shown.errors.BadInput: rule P → at_action_cell: at_action_cell needs a clicked cell, but here actions are ...
        """
        used = {self.start}
        for _ in self.rules:
            used |= {symbol for rule in self.rules if rule.left in used for symbol in rule.right}
        for rule in self.rules:
            if rule.left in used and rule.primitive is not None:
                self.language[rule.primitive].check_actions(buttons, f"rule {rule}: ")

    def extended(
        self, *rules: Rule, leaves: Mapping[str, Leaves] | None = None, language: Language | None = None
    ) -> Grammar:
        """Return this grammar with further rules; existing rules for the same symbols are scaled down to make room.

        >>> from shown.grid import Tokens
        >>> grammar = paper_grammar(Tokens(empty=".", stick="|"))
        >>> wider = grammar.extended(Rule("C", "scanning", ("O", "C", "C"), 0.2))
        >>> [(str(rule), float(rule.probability)) for rule in wider.rules if rule.left == "C"]
        [('C → shifted', 0.4), ('C → B', 0.4), ('C → scanning', 0.2)]

        Args:
            rules: new productions, with their probabilities.
            leaves: new symbols for atoms, such as the numbers of a primitive that counts.
            language: primitives of all rules, if the new rules need others.
        """
        taken: dict[str, Fraction] = {}
        for rule in rules:
            taken[rule.left] = taken.get(rule.left, Fraction(0)) + rule.probability
        room = [replace(rule, probability=rule.probability * (1 - taken.get(rule.left, 0))) for rule in self.rules]
        return Grammar(self.start, (*room, *rules), {**self.leaves, **(leaves or {})}, language or self.language)

    def blocks(self, programs: int | None = None, finish_level: bool = False) -> Iterator[Block]:
        """Yield programs in blocks, most probable first.

        There are exactly `programs` of them; with `finish_level`, also the rest of the last level of equal probability.
        A program with several derivations occurs once, with the sum of their probabilities.

        >>> from shown.grid import Tokens
        >>> [block.count for block in paper_grammar(Tokens(empty=".", stick="|")).blocks(50)]
        [3, 9, 12, 12, 14]
        """
        start = 0
        last: Fraction | None = None
        for probability, shape in enumerate_shapes(self):
            if programs is not None and start >= programs and not (finish_level and probability == last):
                return
            count = shape.count
            if programs is not None and not finish_level:
                count = min(count, programs - start)
            yield Block(shape, probability, start, count)
            start += count
            last = probability

    def programs(self, programs: int | None = None) -> Iterator[tuple[Term, float]]:
        """Yield programs one by one with their log probability, most probable first.

        >>> from shown.grid import Tokens
        >>> grammar = paper_grammar(Tokens(empty=".", stick="|"))
        >>> print(next(grammar.programs())[0])
        at_action_cell(cell_is_value(empty))
        """
        for block in self.blocks(programs):
            for i in range(block.count):
                yield block.shape.term(i), block.log_prior


def paper_grammar(tokens: Tokens, buttons: tuple[str, ...] = ()) -> Grammar:
    """Return the paper's grammar for these tokens; in worlds with buttons, `action_is` replaces `at_action_cell`.

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
