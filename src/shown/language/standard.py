"""The standard language: the paper's words and those that other grid worlds need; the paper's programs come first.

The grammar is the paper's with room made for new programs beside it (`Grammar.extended`). The paper's rules for
conditions stay as they are, so that every program of the paper is less probable by the same factor, 1 less what the new
ones take, and the paper's programs keep their order among themselves.

New programs are few and short, since each takes the place of one of the paper's. They are such as formulas over the
paper's programs cannot replace:

* a count (`K`) or a way (`W`) is asked at the clicked cell or at the first cell with a value, a count also one offset
  away (`X`); the paper's `scanning` is left to the paper's conditions;
* what is counted (`D`) is a value, a count again, or a value and something else about the same cell (`S`). Of the
  clicked cell, formulas say two things already, and no cell has two values;
* a walk goes over one value to another, a step at a time up, down, left or right;
* a line is one of a single value, has three cells or more, and half of the time may go any way;
* `as_many` is there only if a token is a digit.
"""

from __future__ import annotations

from fractions import Fraction

from shown.grid import AREAS, Tokens
from shown.language.grammar import Grammar, Rule, geometric, paper_grammar, uniform
from shown.language.primitives import COUNTING, LANGUAGE, WAYS
from shown.language.terms import Kind

AT_ACTION, AT_VALUE, ON_GRID = Fraction(4, 100), Fraction(6, 1000), Fraction(1, 100)
"""How probable it is that a program asks a new condition at the clicked cell, or at the first cell with a value, or
counts on the whole grid. Chosen on generated levels: with twice as much, the six games need more demonstrations."""


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
    tenth = Fraction(1, 10)
    return paper_grammar(tokens, buttons).extended(
        *tops,
        Rule("P", "grid_has", ("N", "D"), ON_GRID),
        Rule("X", None, ("K",), 5 * tenth),
        Rule("X", None, ("W",), 4 * tenth),
        Rule("X", "shifted", ("O", "K"), tenth),
        *_in_proportion("K", _counts(tokens)),
        Rule("D", None, ("T",), 7 * tenth),
        Rule("D", None, ("K",), tenth),
        Rule("D", "both", ("T", "S"), tenth),
        Rule("D", "but_not", ("T", "S"), tenth),
        Rule("S", None, ("M",), 5 * tenth),
        Rule("S", None, ("K",), 5 * tenth),
        *_in_proportion("W", _WAYS),
        Rule("M", "shifted", ("O", "T"), 1),
        Rule("T", "cell_is_value", ("V",), 1),
        Rule("line", None, ("any line",), 5 * tenth),
        Rule("line", None, ("one line",), 5 * tenth),
        leaves={
            "N": geometric(),
            "L": uniform(Kind.NUMBER, (3, 4, 5)),
            "step": uniform(Kind.OFFSET, ((-1, 0), (1, 0), (0, -1), (0, 1))),
            "area": uniform(Kind.AREA, AREAS),
            "any line": uniform(Kind.AREA, ("lines",)),
            "one line": uniform(Kind.AREA, ("row", "column", "diagonals")),
            "near": uniform(Kind.AREA, ("sides", "neighbours")),
        },
        language=STANDARD,
    )


Weights = dict[tuple[str, tuple[str, ...]], int]
"""How often each word is used among others, with the symbols that follow it."""

_WAYS: Weights = {
    ("nearer", ("step", "T", "T")): 12,
    ("toward", ("step", "V")): 4,
    ("reachable", ("T", "T")): 4,
    ("enclosed", ("T",)): 4,
    ("nearest", ("V", "M")): 1,
}


def _counts(tokens: Tokens) -> Weights:
    weights: Weights = {("at_least", ("N", "area", "D")): 3, ("in_a_line", ("L", "line", "T")): 1}
    if any(character in "0123456789" for character in tokens):
        weights["as_many", ("near", "T")] = 4
    return weights


def _in_proportion(left: str, weights: Weights) -> list[Rule]:
    total = sum(weights.values())
    return [Rule(left, name, right, Fraction(weight, total)) for (name, right), weight in weights.items()]


STANDARD = LANGUAGE.extended(*COUNTING, *WAYS, name="standard", grammar=standard_grammar)
"""The paper's language and the library."""
