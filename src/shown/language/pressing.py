"""Keys on the board: tokens that are clicked to make something happen, and that look at nothing.

An arrow at the edge of a board, a button below it: to press one when the time has come is one rule, and where it lies,
or what lies beside it, says nothing. A grammar that knows the keys asks of the clicked cell whether it is one of them,
and never looks at them otherwise, which leaves more programs for the rest of the board.
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
"""How often a program asks which key is clicked: about as often as the paper's ask which token is."""


def can_press(language: Language) -> bool:
    """Whether the words of a language are enough to say that a key is clicked."""
    return {"at_action_cell", "cell_is_value"} <= set(language)


def pressing_grammar(language: Language, tokens: Tokens, keys: Sequence[str]) -> Grammar:
    """A language's grammar for a game with these keys.

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
    """Whether a program, or all of one shape, can tell when to press a key: it does not look around from the clicked
    cell.

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
