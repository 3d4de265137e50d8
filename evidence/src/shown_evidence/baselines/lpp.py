"""LPP and its variants: No Prior and Sparsity Prior (the option `prior`), with additions, with few values."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any

from shown.columns.resources import Resources
from shown.demonstrations import Demonstrations
from shown.errors import BadInput, did_you_mean
from shown.grid import Tokens
from shown.inference.features import Features
from shown.inference.learner import Learner
from shown.inference.posterior import ScoredFormula
from shown.language.grammar import Grammar, paper_grammar, uniform
from shown.language.terms import Kind, Term
from shown.policy import Component, Policy, uniform_policy
from shown.provenance import NO_PROVENANCE, Provenance
from shown.rules import Formula
from shown.rules.bitwise import over_programs
from shown.symmetry import Transformation, images
from shown.version import __version__
from shown.worlds import Game, Playable, load_levels, play, play_many
from shown_evidence.baselines import Imitator


class MixturePolicy(Imitator):
    """Acts by the mixture of formulas `policy_`."""

    policy_: Policy

    def describe(self) -> dict[str, Any]:
        """Return the size of the most probable component, counted as in the paper's Table 3."""
        best, provenance = self.policy_.components[0], self.policy_.provenance
        account = {
            "found": provenance != NO_PROVENANCE,
            "components": len(self.policy_.components),
            "weight": round(best.weight, 6),
            "log_prior": round(best.log_prior, 4),
            "clauses": len(best.formula.clauses),
            "top_level_programs": len(best.formula.literals),
            "method_calls": best.formula.method_calls,
            "depth": best.formula.depth,
            "programs": provenance.programs,
            "distinct": provenance.distinct,
            # A printed part of a long rule has likelihood 0.
            "log_likelihood": round(best.log_likelihood, 4) if math.isfinite(best.log_likelihood) else None,
        }
        return {name: value for name, value in account.items() if value is not None}


def mixed(
    found: Iterable[tuple[ScoredFormula, float]], terms: Sequence[Term], demos: Demonstrations, features: Features
) -> Policy:
    """Return the policy with these candidates over `terms` and their weights; a uniform one without any."""
    components = tuple(
        Component(weight, each.log_prior, each.log_likelihood, Formula(over_programs(each.clauses, terms.__getitem__)))
        for each, weight in found
    )
    if not components:
        return uniform_policy(demos.tokens, demos.game, demos.buttons)
    provenance = Provenance(version=__version__, programs=len(features.of_program), distinct=len(features))
    return Policy(demos.tokens, components, demos.game, demos.buttons, provenance)


class LppPolicy(MixturePolicy):
    """LPP, fitted to the demonstrations and, if there are symmetries, to their images."""

    def __init__(self, learner: Learner, symmetries: tuple[Transformation, ...] = ()) -> None:
        self.learner, self.symmetries = learner, symmetries

    def fit(self, demos: Demonstrations) -> LppPolicy:
        for _ in self.learner.iter_fit(images(demos, self.symmetries)):
            pass  # unlike `fit`, this does not warn if nothing fits: in a trial that is a result
        self.policy_ = self.learner.policy_
        return self


class NarratedPolicy(LppPolicy):
    """LPP that describes itself by its rule in English, one game move by move, and the length of its games.

    >>> from shown.worlds import find
    >>> from shown_evidence.trials.demonstrators import demonstrations
    >>> nim = find("nim")
    >>> policy = NarratedPolicy(nim, Learner(programs=300)).fit(demonstrations(nim, "train:0-3"))
    >>> account = policy.describe()
    >>> len(account["moves"]) == len(account["expert_moves"]) == 9, account["game"][0].keys()
    (True, dict_keys(['grid', 'action']))
    """

    def __init__(self, game: Game, learner: Learner) -> None:
        super().__init__(learner)
        self.game = game

    def describe(self) -> dict[str, Any]:
        levels = load_levels(self.game, "test:0-8")
        games = play_many(self.game, self, levels)
        return {
            **super().describe(),
            "rule": self.policy_.english(),
            "game": [{"grid": step.grid.text, "action": list(step.action)} for step in games[0].steps],
            "moves": [len(game.steps) if game.won else None for game in games],
            "expert_moves": [len(play(self.game, self.game.expert, level).steps) for level in levels],
        }


def learner(game: Game, seed: int, options: Mapping[str, Any]) -> LppPolicy:
    """Build LPP; one thread, because trials run side by side."""
    return LppPolicy(Learner(resources=Resources(threads=1, seed=seed), **options))


def narrated(game: Game, seed: int, options: Mapping[str, Any]) -> NarratedPolicy:
    """Build LPP as published, with a description for the pictures of the report."""
    return NarratedPolicy(game, replace(Learner.published(), resources=Resources(threads=1, seed=seed), **options))


def with_additions(game: Game, seed: int, options: Mapping[str, Any]) -> LppPolicy:
    """Build LPP with additions.

    Options: `mirrored` adds images under the game's symmetries, `clauses` searches clauses too and drops idle literals,
    and `words` names the language.
    """
    made = Learner(
        programs=options["programs"],
        search="clauses" if options["clauses"] else "trees",
        drop_literals=options["clauses"],
        language=options["words"],
        resources=Resources(threads=1, seed=seed),
    )
    return LppPolicy(made, tuple(game.symmetries) if options["mirrored"] else ())


def with_few_values(game: Playable, seed: int, options: Mapping[str, Any]) -> LppPolicy:
    """Build LPP as published with programs over some values only; `values` are names joined by commas, or empty."""
    own = dict(options)
    values = tuple(filter(None, own.pop("values").split(",")))
    grammar = grammar_over(values, game.tokens, game.buttons) if values else None
    return LppPolicy(replace(Learner.published(), resources=Resources(seed=seed), grammar=grammar, **own))


def grammar_over(values: tuple[str, ...], tokens: Tokens, buttons: tuple[str, ...]) -> Grammar:
    """Return the paper's grammar over these values alone.

    >>> tokens = Tokens(empty=".", ball="o", paddle="=")
    >>> [str(term) for term, _ in grammar_over(("ball",), tokens, ("left",)).programs(2)]
    ['action_is(left)', 'at_cell_with_value(ball, cell_is_value(ball))']
    """
    for value in values:
        if value not in tokens.values:
            raise BadInput(f"no value called {value!r}. {did_you_mean(value, tokens.values)}")
    grammar = paper_grammar(tokens, buttons)
    return replace(grammar, leaves={**grammar.leaves, "V": uniform(Kind.VALUE, values)})
