"""Literals and clauses from text."""

from __future__ import annotations

from shown.errors import BadInput, at
from shown.grid import Tokens
from shown.language.primitives import Language
from shown.language.reach import margin_for
from shown.language.terms import Term, parse
from shown.rules.formula import Clause, Literal

MAX_REACH = 250
"""Maximum distance in cells at which a program may read."""
MAX_CLAUSE = 100
"""Maximum number of literals in a clause."""
AND, NOT = " and ", "not "


def read_program(text: str, language: Language, tokens: Tokens, buttons: tuple[str, ...], where: str) -> Term:
    """Return the program that a text stands for; raise BadInput, prefixed by `where`, if it is invalid here."""
    with at(f"{where}: "):
        term = parse(text, language, tokens.values, buttons)
    language[term.primitive].check_actions(buttons, f"{where}: program {text!r}: ")
    if margin_for([term], language, []) > MAX_REACH:
        raise BadInput(f"{where}: program {text!r} reads more than {MAX_REACH} cells away.")
    return term


def read_literal(text: str, language: Language, tokens: Tokens, buttons: tuple[str, ...], where: str) -> Literal:
    """Return the literal that a text stands for: a program, or "not " and a program."""
    program, positive = split_literal(text)
    return Literal(read_program(program, language, tokens, buttons, where), positive)


def split_literal(text: str) -> tuple[str, bool]:
    """Return the program text of a literal, and whether the literal is positive.

    >>> split_literal("not action_is(left)")
    ('action_is(left)', False)
    """
    return text.removeprefix(NOT), not text.startswith(NOT)


def read_clause(text: str, language: Language, tokens: Tokens, buttons: tuple[str, ...], where: str) -> Clause:
    """Return the distinct literals of a text in which they are joined by "and".

    >>> from shown.language.primitives import LANGUAGE
    >>> clause = "at_action_cell(cell_is_value(wall)) and not at_cell_with_value(wall, cell_is_value(OFF))"
    >>> [str(literal) for literal in read_clause(clause, LANGUAGE, Tokens(wall="#"), (), "rule")]
    ['at_action_cell(cell_is_value(wall))', 'not at_cell_with_value(wall, cell_is_value(OFF))']
    """
    parts = text.split(AND)
    if len(parts) > MAX_CLAUSE:
        raise BadInput(f"{where}: more than {MAX_CLAUSE} conditions in one rule.")
    literals = (read_literal(part.strip(), language, tokens, buttons, where) for part in parts)
    return tuple(dict.fromkeys(literals))
