"""The layout language: the standard language with mirror images and first rows and columns (`arrangement.py`).

These primitives are not in the standard language, since their programs displace others there: with a share of 1 %, the
mean success rate of 24 fits of the six games falls from .84 to .82 (three demonstrations, no practice), in Chase from
.62 to .46.
"""

from __future__ import annotations

from fractions import Fraction

from shown.grid import Tokens
from shown.language.grammar import Grammar, Rule, uniform
from shown.language.primitives import ARRANGEMENT
from shown.language.standard import STANDARD, standard_grammar
from shown.language.terms import Kind

SHARE = Fraction(1, 20)
"""Probability of a program with one of the new primitives."""


def layout_grammar(tokens: Tokens, buttons: tuple[str, ...] = ()) -> Grammar:
    """Return the standard grammar with programs about mirror images and first lines.

    >>> grammar = layout_grammar(Tokens(empty=".", stone="o"))
    >>> next(str(term) for term, _ in grammar.programs() if "mirrored" in str(term))
    'at_action_cell(mirrored((0, 1), cell_is_value(empty)))'
    """
    start = Rule("P", "at_cell_with_value", ("V", "layout"), SHARE) if buttons else None
    return standard_grammar(tokens, buttons).extended(
        start or Rule("P", "at_action_cell", ("layout",), SHARE),
        Rule("layout", "mirrored", ("axis", "T"), Fraction(1, 2)),
        Rule("layout", "in_first", ("side", "D"), Fraction(1, 2)),
        leaves={
            "axis": uniform(Kind.OFFSET, ((0, 1), (1, 0), (1, 1), (1, -1))),
            "side": uniform(Kind.OFFSET, ((1, 0), (-1, 0), (0, 1), (0, -1))),
        },
        language=LAYOUT,
    )


LAYOUT = STANDARD.extended(*ARRANGEMENT, name="layout", grammar=layout_grammar)
"""The standard primitives and those of `arrangement.py`."""
