"""The walking language: the standard language with a grammar for worlds in which an agent is steered by buttons.

In such worlds the steps of the agent matter most: whether one shortens the walk to something over empty ground, or
leads onto something. The standard grammar derives such programs late, among those about other tokens and other ground.
Here a fifth of the probability is theirs. The agent must be the token `agent`, the ground the token `empty`.
"""

from __future__ import annotations

from fractions import Fraction

from shown.errors import BadInput
from shown.grid import Tokens
from shown.language.grammar import Grammar, Rule, uniform
from shown.language.standard import STANDARD, standard_grammar
from shown.language.terms import Kind

AT_AGENT = Fraction(1, 5)
"""Probability of a program about a step of the agent. Tuned on Minigrid, seeds 1000 to 1059; 0.1 to 0.3 do as well."""


def walking_grammar(tokens: Tokens, buttons: tuple[str, ...] = ()) -> Grammar:
    """Return the standard grammar with programs about the agent's steps first.

    >>> grammar = walking_grammar(Tokens(empty=".", wall="#", goal="G", agent="A"), ("left", "right", "forward"))
    >>> next(str(term) for term, _ in grammar.programs() if "nearer" in str(term))
    'at_cell_with_value(agent, nearer((-1, 0), cell_is_value(empty), cell_is_value(empty)))'
    """
    if not buttons or not {"agent", "empty"} <= set(tokens.names):
        raise BadInput("walking is for worlds with buttons, a token called agent and one called empty. Try standard.")
    half = Fraction(1, 2)
    return standard_grammar(tokens, buttons).extended(
        Rule("P", "at_cell_with_value", ("agent", "agent's step"), AT_AGENT),
        Rule("agent's step", "nearer", ("side", "aim", "open ground"), half),
        Rule("agent's step", "shifted", ("side", "aim"), half),
        Rule("aim", "cell_is_value", ("V",), 1),
        Rule("open ground", "cell_is_value", ("empty",), 1),
        leaves={
            "agent": uniform(Kind.VALUE, ("agent",)),
            "empty": uniform(Kind.VALUE, ("empty",)),
            "side": uniform(Kind.OFFSET, ((-1, 0), (1, 0), (0, -1), (0, 1))),
        },
    )


WALKING = STANDARD.extended(name="walking", grammar=walking_grammar)
"""The standard primitives with this grammar."""
