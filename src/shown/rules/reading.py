"""Rules as a person or a file writes them: literals and clauses from their text, checked."""

from __future__ import annotations

from shown.errors import BadInput, BadProgram
from shown.grid import Tokens
from shown.language.primitives import Language
from shown.language.reach import margin_for
from shown.language.terms import Term, parse
from shown.rules.formula import Clause, Literal

MAX_REACH = 250
"""No program may look further away than so many cells."""
MAX_CLAUSE = 100
"""Literals of a clause that somebody writes."""
AND, NOT = " and ", "not "


def read_program(text: str, language: Language, tokens: Tokens, buttons: tuple[str, ...], where: str) -> Term:
    """A program from its text; BadInput, which begins with `where`, if it makes no sense in this world."""
    try:
        term = parse(text, language, tokens.values, buttons)
    except BadProgram as error:
        raise BadInput(f"{where}: {error}") from None
    language[term.primitive].check_actions(buttons, f"{where}: program {text!r}: ")
    if margin_for([term], language, []) > MAX_REACH:
        raise BadInput(f"{where}: program {text!r} looks more than {MAX_REACH} cells away.")
    return term


def read_literal(text: str, language: Language, tokens: Tokens, buttons: tuple[str, ...], where: str) -> Literal:
    """A program, or with "not " before it its opposite."""
    positive = not text.startswith(NOT)
    return Literal(read_program(text.removeprefix(NOT), language, tokens, buttons, where), positive)


def read_clause(text: str, language: Language, tokens: Tokens, buttons: tuple[str, ...], where: str) -> Clause:
    """Literals joined by "and", as a formula is printed, each once.

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
