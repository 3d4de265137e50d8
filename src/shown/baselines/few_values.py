"""LPP with programs about some of a world's values only, as the paper does it in Breakout."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any, Protocol

from shown.baselines.lpp import LppPolicy
from shown.errors import BadInput, did_you_mean
from shown.grid import Tokens
from shown.inference.learner import Learner
from shown.language.grammar import Grammar, paper_grammar, uniform
from shown.language.terms import Kind


class Seen(Protocol):
    """What a grammar must know of a game or world."""

    tokens: Tokens
    buttons: tuple[str, ...]


def learner(game: Seen, seed: int, options: Mapping[str, Any]) -> LppPolicy:
    """The published method with these options; `values` are names joined by commas, all there are if empty."""
    own = dict(options)
    values = tuple(filter(None, own.pop("values").split(",")))
    grammar = grammar_about(values, game.tokens, game.buttons) if values else None
    return LppPolicy(replace(Learner.published(), seed=seed, grammar=grammar, **own))


def grammar_about(values: tuple[str, ...], tokens: Tokens, buttons: tuple[str, ...]) -> Grammar:
    """The paper's grammar with these values alone.

    >>> tokens = Tokens(empty=".", ball="o", paddle="=")
    >>> [str(term) for term, _ in grammar_about(("ball",), tokens, ("left",)).programs(2)]
    ['action_is(left)', 'at_cell_with_value(ball, cell_is_value(ball))']
    """
    for value in values:
        if value not in tokens.values:
            raise BadInput(f"no value called {value!r}. {did_you_mean(value, tokens.values)}")
    grammar = paper_grammar(tokens, buttons)
    return replace(grammar, leaves={**grammar.leaves, "V": uniform(Kind.VALUE, values)})
