"""The standard language: the paper's primitives and those of `counting.py` and `ways.py`.

Its grammar extends the paper's (`Grammar.extended`). The paper's rules for conditions do not change, so every program
of the paper is less probable by the same factor, and their order stays the same.

New programs are few and short, since each displaces one of the paper's. Formulas over the paper's programs cannot
express them:

* cells are counted (`K`) at the clicked cell (`X`) or one offset away, or its surroundings are tested (`Z`). At the
  first cell with a value (`Y`), such as an agent, steps are tested as well (`W`);
* the paper's `scanning` applies to the paper's conditions only;
* the counted condition (`D`) is a value, a count, or a value combined with another condition at the same cell (`S`);
* a walk leads over one value to another, one step up, down, left or right at a time;
* a line has a single value, three cells or more, and half of the time any direction;
* `as_many` is included only if a token is a digit.

The share of new programs was tuned on generated levels of the six games: with twice as many, some games need more
demonstrations. With buttons the share is larger, since the paper's primitives say little there.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction

from shown.grid import AREAS, Tokens
from shown.language.grammar import Grammar, Rule, foremost, geometric, paper_grammar, uniform
from shown.language.primitives import COUNTING, LANGUAGE, WAYS
from shown.language.terms import Kind

Share = tuple[str, int, str | None, tuple[str, ...]]
"""A rule with its relative frequency among the rules of its symbol: left, frequency, primitive, right."""

_IN_ALL: tuple[Share, ...] = (
    ("X", 8, None, ("K",)),
    ("X", 1, "shifted", ("O", "K")),
    ("X", 1, None, ("Z",)),
    ("Y", 4, None, ("K",)),
    ("Y", 5, None, ("W",)),
    ("Y", 1, None, ("Z",)),
    ("K", 3, "at_least", ("N", "area", "D")),
    ("K", 1, "in_a_line", ("L", "line", "T")),
    ("W", 6, "nearer", ("step", "T", "G")),
    ("W", 1, "nearer", ("step", "M", "G")),
    ("W", 3, "escape", ("V", "G")),
    ("Z", 1, "reachable", ("T", "G")),
    ("Z", 1, "enclosed", ("T",)),
    ("Z", 1, "nearest", ("V", "M")),
    ("D", 7, None, ("T",)),
    ("D", 1, None, ("K",)),
    ("D", 1, "both", ("T", "S")),
    ("D", 1, "but_not", ("T", "S")),
    ("S", 1, None, ("K",)),
    ("S", 1, None, ("M",)),
    ("M", 1, "shifted", ("O", "T")),
    ("T", 1, "cell_is_value", ("V",)),
    ("G", 1, "cell_is_value", ("ground",)),
    ("line", 1, None, ("any line",)),
    ("line", 1, None, ("one line",)),
)
_WITH_DIGITS: tuple[Share, ...] = (("K", 1, "as_many", ("near", "T")), ("D", 2, "as_many", ("near", "T")))


def standard_grammar(tokens: Tokens, buttons: tuple[str, ...] = ()) -> Grammar:
    """Return the grammar of the standard language for these tokens.

    >>> from shown.grid import Tokens
    >>> grammar = standard_grammar(Tokens(empty=".", stick="|"))
    >>> next(str(term) for term, _ in grammar.programs() if "at_least" in str(term))
    'at_action_cell(at_least(1, row, cell_is_value(empty)))'
    """
    digits = any(character in "0123456789" for character in tokens)
    return paper_grammar(tokens, buttons).extended(
        *(_WITH_BUTTONS if buttons else _WITH_CLICKS),
        *_in_proportion([*_IN_ALL, *(_WITH_DIGITS if digits else ())]),
        leaves={
            "N": geometric(),
            "L": uniform(Kind.NUMBER, (3, 4, 5)),
            "step": uniform(Kind.OFFSET, ((-1, 0), (1, 0), (0, -1), (0, 1))),
            "area": uniform(Kind.AREA, AREAS),
            "any line": uniform(Kind.AREA, ("lines",)),
            "one line": uniform(Kind.AREA, ("row", "column", "diagonals")),
            "ground": foremost(Kind.VALUE, tokens.values),
            "near": uniform(Kind.AREA, ("sides", "neighbors")),
        },
        language=STANDARD,
    )


_WITH_CLICKS = (
    Rule("P", "at_cell_with_value", ("V", "Y"), Fraction(5, 1000)),
    Rule("P", "at_action_cell", ("X",), Fraction(15, 1000)),
    Rule("P", "grid_has", ("N", "D"), Fraction(4, 1000)),
)
_WITH_BUTTONS = (
    Rule("P", "at_cell_with_value", ("V", "Y"), Fraction(30, 1000)),
    Rule("P", "grid_has", ("N", "D"), Fraction(10, 1000)),
)


def _in_proportion(shares: Sequence[Share]) -> list[Rule]:
    """Return rules whose probabilities add up to 1 for each symbol."""
    total = {symbol: sum(often for left, often, _, _ in shares if left == symbol) for symbol, *_ in shares}
    return [Rule(left, primitive, right, Fraction(often, total[left])) for left, often, primitive, right in shares]


STANDARD = LANGUAGE.extended(*COUNTING, *WAYS, name="standard", grammar=standard_grammar)
"""The paper's primitives and the library."""
