"""Keys on the board: tokens that are clicked to trigger something, such as arrows at the edge of a board.

The position of a key and its neighbors carry no information. A grammar with keys tests whether the clicked cell is a
key and mentions keys nowhere else, which leaves more programs for the rest of the board.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction

from shown.grid import Tokens
from shown.language.grammar import Grammar, Rule
from shown.language.leaves import uniform
from shown.language.primitives import Language
from shown.language.shapes import Shape
from shown.language.terms import Kind, Term

PRESSED = Fraction(1, 16)
"""Probability of a program that tests for a clicked key: about that of the paper's tests for a clicked token."""


def can_press(language: Language) -> bool:
    """Return whether the language can express that a key is clicked."""
    return {"at_action_cell", "cell_is_value"} <= set(language)


def pressing_grammar(language: Language, tokens: Tokens, keys: Sequence[str]) -> Grammar:
    """Return the grammar of a language for a game with these keys.

    >>> from shown.language.primitives import LANGUAGE
    >>> grammar = pressing_grammar(LANGUAGE, Tokens(empty=".", agent="A", go=">"), ["go"])
    >>> [str(term) for term, _ in grammar.programs(1000) if "go" in str(term)]
    ['at_action_cell(cell_is_value(go))']
    """
    others = Tokens(**{name: character for name, character in tokens.characters.items() if name not in keys})
    grammar = language.grammar(others, ())
    return grammar.extended(
        Rule(grammar.start, "at_action_cell", ("a key is clicked",), PRESSED),
        Rule("a key is clicked", "cell_is_value", ("key",), Fraction(1)),
        leaves={"key": uniform(Kind.VALUE, tuple(keys))},
    )


def tells_when_to_press(program: Term | Shape, language: Language) -> bool:
    """Return whether a program, or every program of a shape, ignores the surroundings of the clicked cell.

    >>> from shown.language.primitives import LANGUAGE
    >>> from shown.language.terms import parse
    >>> values = ("empty", "agent")
    >>> [
    ...     tells_when_to_press(parse(text, LANGUAGE, values), LANGUAGE)
    ...     for text in (
    ...         "at_action_cell(cell_is_value(agent))",
    ...         "at_cell_with_value(agent, shifted((0, 1), cell_is_value(empty)))",
    ...         "at_action_cell(shifted((0, 1), cell_is_value(empty)))",
    ...     )
    ... ]
    [True, True, False]
    """
    asked = program.arguments[0] if program.arguments else None
    whether_it_is_one = isinstance(asked, Term | Shape) and asked.primitive == "cell_is_value"
    return language[program.primitive].needs != "click" or whether_it_is_one
