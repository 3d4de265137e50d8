"""The standard language: the paper's words and those that other grid worlds need; the paper's programs come first.

The grammar is the paper's with room made for new programs beside it (`Grammar.extended`). The paper's rules for
conditions stay as they are, so that every program of the paper is less probable by the same factor, 1 less what the new
ones take, and the paper's programs keep their order among themselves.

New programs are few and short, since each takes the place of one of the paper's. They are such as formulas over the
paper's programs cannot replace:

* a new condition (`K`) is asked at the clicked cell, at the first cell with a value, or one offset away (`X`); the
  paper's `scanning` is left to the paper's conditions;
* what is counted (`D`) is a value, a new condition, or a value and something else about the same cell (`S`). Of the
  clicked cell, formulas say two things already, and no cell has two values;
* a line is one of a single value, has three cells or more, and half of the time may go any way;
* `as_many` is there only if a token is a digit.
"""

from __future__ import annotations

from fractions import Fraction

from shown.grid import AREAS, Tokens
from shown.language.grammar import Grammar, Rule, geometric, paper_grammar, uniform
from shown.language.primitives import LANGUAGE
from shown.language.primitives.counting import COUNTING
from shown.language.terms import Kind

STANDARD = LANGUAGE.extended(*COUNTING)
"""The paper's language and the library."""

AT_ACTION, AT_VALUE, ON_GRID = Fraction(3, 100), Fraction(3, 1000), Fraction(1, 100)
"""How probable it is that a program asks a new condition at the clicked cell, or at the first cell with a value, or
counts on the whole grid. Chosen on generated levels: more of them, and the six games need more demonstrations."""


def standard_grammar(tokens: Tokens, buttons: tuple[str, ...] = ()) -> Grammar:
    """The grammar of the standard language with this game's values.

    >>> from shown.grid import Tokens
    >>> grammar = standard_grammar(Tokens(empty=".", stick="|"))
    >>> next(str(term) for term, _ in grammar.programs() if "at_least" in str(term))
    'at_action_cell(at_least(1, row, cell_is_value(empty)))'
    """
    if buttons:
        tops = [Rule("P", "at_cell_with_value", ("V", "X"), AT_ACTION)]
    else:
        tops = [Rule("P", "at_cell_with_value", ("V", "X"), AT_VALUE), Rule("P", "at_action_cell", ("X",), AT_ACTION)]
    half, tenth = Fraction(1, 2), Fraction(1, 10)
    return paper_grammar(tokens, buttons).extended(
        *tops,
        Rule("P", "grid_has", ("N", "D"), ON_GRID),
        Rule("X", "shifted", ("O", "K"), tenth),
        Rule("X", None, ("K",), 1 - tenth),
        *_conditions(tokens),
        Rule("D", None, ("T",), 7 * tenth),
        Rule("D", None, ("K",), tenth),
        Rule("D", "both", ("T", "S"), tenth),
        Rule("D", "but_not", ("T", "S"), tenth),
        Rule("S", "shifted", ("O", "T"), half),
        Rule("S", None, ("K",), half),
        Rule("T", "cell_is_value", ("V",), 1),
        Rule("line", None, ("any line",), half),
        Rule("line", None, ("one line",), half),
        leaves={
            "N": geometric(),
            "L": uniform(Kind.NUMBER, (3, 4, 5)),
            "area": uniform(Kind.AREA, AREAS),
            "any line": uniform(Kind.AREA, ("lines",)),
            "one line": uniform(Kind.AREA, ("row", "column", "diagonals")),
            "near": uniform(Kind.AREA, ("sides", "neighbours")),
        },
        language=STANDARD,
    )


def _conditions(tokens: Tokens) -> list[Rule]:
    """The rules for new conditions, in proportion to their weights."""
    weights = {("at_least", ("N", "area", "D")): 3, ("in_a_line", ("L", "line", "T")): 1}
    if any(character in "0123456789" for character in tokens):
        weights["as_many", ("near", "T")] = 4
    total = sum(weights.values())
    return [Rule("K", name, right, Fraction(weight, total)) for (name, right), weight in weights.items()]
