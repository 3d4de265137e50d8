"""Policies: mixtures of formulas over programs that act on grids."""

from __future__ import annotations

import html
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import Any, TypeVar

import numpy as np

from shown.columns.rows import Rows, row_bits
from shown.components import Component, ComponentReader, RatedRule, component_to_json, rated_to_json
from shown.demonstrations import Demonstrations, Step, game_from_json, names_from_json, tokens_from_json
from shown.engine.planes import Planes
from shown.errors import BadInput
from shown.files import read_json, write_json
from shown.grid import Action, Cell, Grid, Tokens
from shown.language.languages import named_in_file, the_language
from shown.language.plan import Plan
from shown.language.primitives import LANGUAGE, Language
from shown.language.terms import Term
from shown.provenance import NO_PROVENANCE, MeanReturn, Provenance
from shown.rules import NO_FACTS, Constraints, Facts, Formula, Literal, Speaker, canonical
from shown.rules.bitwise import Clause, Clauses, Packed, allowed_rows, over_columns
from shown.rules.mixtures import Mixtures, mixture_probabilities, most_probable
from shown.symmetry import Transformation, unfold

__all__ = ["Component", "Policy", "Together", "uniform_policy"]

SCHEMA = "shown/policy/2"
OLD_SCHEMAS = ("shown/policy/1",)
MAX_FILE = 2**24  # bytes of a policy file
BATCH_BYTES = 2**27  # bytes of planes up to which grids are evaluated together

_A = TypeVar("_A")
_B = TypeVar("_B")
_R = TypeVar("_R", Component, RatedRule)


@dataclass(frozen=True)
class Policy:
    """A mixture of formulas that acts.

    Each component spreads its probability evenly over the actions it allows (over all, where it allows none); the
    components are averaged by weight; `act` takes the most probable action, the first in reading order among equals.

    Attributes:
        tokens: values of the cells it understands.
        components: best first; their weights add up to 1.
        game: name of the game it is for, or None.
        buttons: the actions, in worlds with buttons.
        provenance: what it was learned from, and how.
        language: primitives of its programs.
        facts: facts about the demonstrations that its rules in English rely on.
        vote: the mixture that its only rule stands for; empty if the components are the mixture.
        front: the rules that win more than all shorter ones, the shortest first; empty if none were sought.
    """

    tokens: Tokens
    components: tuple[Component, ...]
    game: str | None = None
    buttons: tuple[str, ...] = ()
    provenance: Provenance = NO_PROVENANCE
    language: Language = LANGUAGE
    facts: Facts = NO_FACTS
    vote: tuple[Component, ...] = ()
    front: tuple[RatedRule, ...] = ()

    @property
    def deterministic(self) -> bool:
        """True: the action depends on the grid alone, so players ask once about each grid."""
        return True

    def act(self, grid: Grid) -> Action:
        """Return the most probable action."""
        return self.act_many([grid])[0]

    def act_many(self, grids: Sequence[Grid]) -> list[Action]:
        """Return the most probable action on each of several grids, computed together.

        >>> policy = uniform_policy(Tokens(empty=".", wall="#"))
        >>> policy.act_many([Grid(("..",)), Grid(("#", "."))])
        [(0, 0), (0, 0)]
        """
        return self._alone.act_many(grids, [0] * len(grids))

    def click(self, grid: Grid) -> Cell:
        """Return the most probable cell, where actions are clicks."""
        action = self.act(grid)
        if isinstance(action, str):
            raise BadInput(f"this policy presses buttons ({', '.join(self.buttons)}). Use `press` or `act`.")
        return action

    def press(self, grid: Grid) -> str:
        """Return the name of the most probable button, in worlds with buttons."""
        action = self.act(grid)
        if not isinstance(action, str):
            raise BadInput("this policy clicks cells. Use `click` or `act`.")
        return action

    def probabilities(self, grid: Grid) -> np.ndarray:
        """Return the probability of every action. [H, W] float64, or [buttons]"""
        return self.probabilities_of([grid])[0]

    def probabilities_of(self, grids: Sequence[Grid]) -> list[np.ndarray]:
        """Return the `probabilities` on each of several grids, computed together."""

        def shares(some: Sequence[Grid], _: Sequence[Grid]) -> list[np.ndarray]:
            rows, allowed = self.allowed(some)
            mixed = mixture_probabilities(allowed, rows.worlds[0], self._weights)
            order = np.argsort(rows.state_of_row, axis=None, kind="stable")
            flat = mixed.reshape(-1)[order[np.count_nonzero(rows.state_of_row < 0) :]]
            parts = np.split(flat, np.cumsum(rows.actions)[:-1])
            return [self._shaped(grid, part) for grid, part in zip(some, parts, strict=True)]

        distinct = list(dict.fromkeys(grids))
        found = dict(zip(distinct, in_batches(shares, distinct, distinct, self._plan), strict=True))
        return [found[grid] for grid in grids]

    def component_probabilities(self, grid: Grid) -> np.ndarray:
        """Return the probability of every action under each component. [K, H, W] float64, or [K, buttons]"""
        return self._shaped(grid, self._shares(grid))

    def disagreement(self, grid: Grid) -> float:
        """Return the mean total variation distance of the rules that vote from their average; 0 if all agree."""
        shares, weights = self.mixture._shares(grid), self.mixture._weights
        return float(weights @ np.abs(shares - weights @ shares).sum(axis=1) / 2)

    @property
    def map_policy(self) -> Policy:
        """The first component alone: the rule that is printed."""
        return replace(self, components=(replace(self.components[0], weight=1.0),))

    @cached_property
    def mixture(self) -> Policy:
        """The policy in which all rules vote, also if a single rule stands for them or is printed without a vote."""
        voters = self.vote or tuple(component for component in self.components if component.weight)
        return self if voters == self.components else replace(self, components=voters, vote=())

    def with_rule(self, conditions: int) -> Policy:
        """Return the policy in which the rule of the front with this number of conditions acts.

        Its expected success is that of the rule.
        """
        for rated in self.front:
            if rated.conditions == conditions:
                only = Component(1.0, 0.0, 0.0, rated.formula)
                unknown = self.provenance.explaining(None)
                provenance = replace(unknown, practice=None, expectation=rated.rate, alone=None)
                return replace(self, components=(only,), vote=self.vote or self.components, provenance=provenance)
        lengths = ", ".join(str(rated.conditions) for rated in self.front)
        known = f"There are rules with {lengths} conditions." if lengths else "No rules of other lengths were sought."
        raise BadInput(f"no rule with {conditions} conditions. {known}")

    def keeps_to(self, constraints: Constraints) -> bool:
        """Return whether every rule has the pinned clauses and none has a struck program."""
        world = (self.tokens.values, self.buttons, self.language)
        return all(constraints.hold_of(component.formula, *world) for component in self.components)

    def taught_by(
        self,
        demonstrations: Demonstrations,
        symmetries: Sequence[Transformation] = (),
        pieces: Sequence[tuple[str, ...]] = (),
    ) -> Policy:
        """Return the policy with the facts about its demonstrations that its rules in English rely on.

        Args:
            demonstrations: what it was learned from.
            symmetries: transformations under which the demonstrations were taken to hold as well.
            pieces: the world's declaration, `Playable.pieces`.
        """
        declared = {name for piece in pieces for name in piece}
        grids = {step.grid for step in demonstrations.steps}
        single = [
            name
            for name, character in self.tokens.characters.items()
            if name in declared or max((grid.text.count(character) for grid in grids), default=0) == 1
        ]
        shown = [step for step in demonstrations.steps if not step.refused]
        every = self._with_all_rules(tuple(pieces))
        columns = every._programs_hold(shown)
        always = [
            Literal(term, positive)
            for term, held in columns.items()
            for positive in (True, False)
            if len(shown) and bool((held == positive).all())
        ]
        facts = Facts(tuple(single), tuple(always), tuple(symmetries), tuple(pieces))

        def in_order(rules: Sequence[_R]) -> tuple[_R, ...]:
            # Mirror images stand together, as in files, so that a policy read back equals the policy saved.
            folded = [facts.folded(rule.formula.clauses, self.language) for rule in rules]
            formulas = [Formula(unfold(clauses, self.language)) for clauses in folded]
            return tuple(replace(rule, formula=formula) for rule, formula in zip(rules, formulas, strict=True))

        explained = int(_allows(self.components[0].formula, columns, len(shown)).sum())
        return replace(
            self,
            facts=facts,
            components=in_order(self.components),
            vote=in_order(self.vote),
            front=in_order(self.front),
            provenance=self.provenance.explaining(explained),
        )

    @property
    def by_clause(self) -> Policy:
        """The policy whose components are the clauses of the printed rule, each with its mirror images."""
        best = self.components[0]
        said = self.speaker.sayings(best.formula)
        return replace(self, components=tuple(replace(best, weight=1 / len(said), formula=one.formula) for one in said))

    def clauses_allow(self, steps: Sequence[Step]) -> np.ndarray:
        """Return whether each clause of the printed rule (see `by_clause`) allows each step. [clauses, N] bool"""
        each = self.by_clause
        columns = each._programs_hold(steps)
        found = [_allows(component.formula, columns, len(steps)) for component in each.components]
        return np.array(found, dtype=np.bool_).reshape(len(found), len(steps))

    def _with_all_rules(self, pieces: tuple[tuple[str, ...], ...]) -> Policy:
        """Return the policy with all its rules as components, those that are printed also in canonical form.

        It does not act.
        """
        printed = (self.components[0].formula, *(rated.formula for rated in self.front))
        said = [canonical(formula, self.tokens.values, self.buttons, pieces) for formula in printed]
        more = tuple(Component(0.0, 0.0, 0.0, formula) for formula in (*printed, *said))
        return replace(self, components=self.components + self.vote + more)

    def _repr_html_(self) -> str:
        """Show the rules in a notebook."""
        return f"<pre>{html.escape(self.table())}</pre>"

    def __repr__(self) -> str:
        return f"<Policy {_headline(self)}>"

    def __getstate__(self) -> dict[str, Any]:
        # Compiled programs can be compiled again, and take more room than the policy.
        return {name: getattr(self, name) for name in self.__dataclass_fields__}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state)

    # --- on bits ------------------------------------------------------------------------------------------------------

    def allowed(self, grids: Sequence[Grid]) -> tuple[Rows, np.ndarray]:
        """Return the rows (state, action) of some grids, and those that each component allows. [K, R] uint64"""
        world, allowed = self._alone.allowed(grids)
        return Rows([world]), allowed

    def _programs_hold(self, steps: Sequence[Step]) -> dict[Term, np.ndarray]:
        """Return the value of each program for the grid and action of each step. [N] bool each"""

        def hold(some: Sequence[Grid], chosen: Sequence[Action]) -> list[np.ndarray]:
            world, columns = self._plan.world_and_columns(some)
            rows = Rows([world])
            return list(row_bits(columns, *rows.places(range(len(chosen)), chosen)).T)

        bits = in_batches(hold, [step.grid for step in steps], [step.action for step in steps], self._plan)
        columns = np.array(bits, dtype=np.bool_).reshape(len(steps), len(self._plan.terms)).T
        return dict(zip(self._plan.terms, columns, strict=True))

    def _shares(self, grid: Grid) -> np.ndarray:
        """Return the probability of every action, in order, under each component. [K, A] float64"""
        rows, allowed = self.allowed([grid])
        alone = np.ones(1)
        shares = [mixture_probabilities(part[None], rows.worlds[0], alone)[:, 0] for part in allowed]
        return np.array(shares)

    def _shaped(self, grid: Grid, flat: np.ndarray) -> np.ndarray:
        """Return [..., A] as [..., H, W]; unchanged in worlds with buttons."""
        return flat if self.buttons else flat.reshape(*flat.shape[:-1], *grid.shape)

    @cached_property
    def _weights(self) -> np.ndarray:
        return np.array([component.weight for component in self.components])

    @cached_property
    def _alone(self) -> Together:
        return Together([self])

    @property
    def _plan(self) -> Plan:
        return self._alone.plan

    # --- in English ---------------------------------------------------------------------------------------------------

    @property
    def speaker(self) -> Speaker:
        """The speaker that puts its rules into English."""
        return Speaker(self.language, self.tokens.values, self.buttons, self.facts)

    def english(self, component: int = 0, notes: Sequence[str] = ()) -> str:
        """Return the rule of a component, by default the best, as a sentence of several lines.

        >>> uniform_policy(Tokens(empty=".", wall="#")).english()
        'click a cell, whichever'

        Args:
            component: number of the component.
            notes: a note for each clause, in the order of `by_clause`.
        """
        return self.speaker.english(self.components[component].formula, notes)

    def table(self, most: int = 1, notes: Sequence[str] = ()) -> str:
        """Return the best components with their rules in English, and the weight of all others together.

        A rule that is printed without voting has no weight.

        Args:
            most: maximum number of components.
            notes: a note for each clause of the first rule.
        """
        lines, first = [_headline(self), ""], self.english(0, notes)
        if self.vote:
            return "\n".join([*lines, *(f"  {line}" for line in first.splitlines()), *self._front_lines()])
        lines.append("  weight   rule")
        for i, component in enumerate(self.components[:most]):
            rule = (self.english(i) if i else first).splitlines()
            weight = f"{component.weight:6.2f}" if component.weight else "  none"
            lines.append(f"{'▸' if i == 0 else ' '} {weight}    {rule[0]}")
            lines += [f"            {line}" for line in rule[1:]]
        if len(self.components) > most:
            rest = sum(component.weight for component in self.components[most:])
            lines.append(f"  {rest:6.2f}    in {len(self.components) - most} more")
        return "\n".join([*lines, *self._front_lines()])

    def _front_lines(self) -> list[str]:
        """Return the rules of all lengths as lines, the printed one marked; none if there is only one."""
        if len(self.front) < 2:
            return []
        printed = self.components[0].formula
        by_return = isinstance(self.front[0].rate, MeanReturn)
        lines = ["", f"  conditions   {'expected return' if by_return else 'expected to win'} alone"]
        for rated in self.front:
            mark, rate = "▸" if rated.formula == printed else " ", rated.rate
            about = rate.text if isinstance(rate, MeanReturn) else f"{round(12 * rate.share):2} of 12 new levels"
            lines.append(f"{mark} {rated.conditions:10}   {about}")
        return lines

    def to_python(self) -> str:
        """Return a Python module without dependencies that acts like this policy."""
        from shown.export import standalone

        return standalone(self)

    # --- on disk ------------------------------------------------------------------------------------------------------

    def to_json(self) -> dict[str, Any]:
        """Return the policy as plain data."""
        spoken = self.facts, self.language
        return {
            "schema": SCHEMA,
            "game": self.game,
            "language": self.language.name,
            "tokens": self.tokens.characters,
            "buttons": list(self.buttons),
            "components": [component_to_json(part, *spoken) for part in self.components],
            **({"vote": [component_to_json(part, *spoken) for part in self.vote]} if self.vote else {}),
            **({"rules": [rated_to_json(part, *spoken) for part in self.front]} if self.front else {}),
            **({"facts": self.facts.to_json()} if self.facts != NO_FACTS else {}),
            "provenance": self.provenance.to_json(),
        }

    @classmethod
    def from_json(cls, value: Any, where: str = "policy", language: Language | str | None = None) -> Policy:
        """Read a policy from plain data; checks everything, executes nothing. See `load` for the language."""
        if isinstance(value, dict) and value.get("schema") in OLD_SCHEMAS:
            raise BadInput(f"{where}: this policy was saved by an earlier version of shown. Learn it again.")
        if not isinstance(value, dict) or value.get("schema") != SCHEMA:
            raise BadInput(f'{where}: not a policy: "schema" must be "{SCHEMA}".')
        tokens = tokens_from_json(value.get("tokens"), where)
        buttons = names_from_json(value.get("buttons", []), f'{where}: "buttons"')
        game = game_from_json(value.get("game"), where)
        provenance = Provenance.from_json(value.get("provenance", {}), f'{where}: "provenance"')
        spoken = named_in_file(value.get("language"), where) if language is None else the_language(language)
        reader = ComponentReader(spoken, tokens, buttons)
        components = reader.read_all(value.get("components"), where)
        vote = reader.read_all(value["vote"], f"{where}, vote") if "vote" in value else ()
        front = reader.read_rules(value.get("rules", []), where)
        facts = Facts.from_json(value.get("facts", {}), where, tokens, buttons, reader.literal)
        return cls(tokens, components, game, buttons, provenance, spoken, facts, vote, front)

    def save(self, path: str | Path) -> None:
        """Write the policy as JSON, whole or not at all."""
        write_json(path, self.to_json(), MAX_FILE)

    @classmethod
    def load(cls, path: str | Path, language: Language | str | None = None) -> Policy:
        """Read a policy from a file.

        The name of its language in the file is looked up among the installed ones; nothing else is imported. Pass a
        language that is not installed: itself, or its location (`module:OBJECT`).
        """
        return cls.from_json(read_json(path, "policy", MAX_FILE), str(path), language)


class Together:
    """Several policies of one world and language that act side by side; shared programs are evaluated once.

    >>> tokens = Tokens(empty=".", wall="#")
    >>> both = Together([uniform_policy(tokens), uniform_policy(tokens)])
    >>> both.act_many([Grid(("..",)), Grid(("#", ".")), Grid(("..",))], [0, 0, 1])
    [(0, 0), (0, 0), (0, 0)]

    Attributes:
        plan: the distinct programs of all policies.
    """

    def __init__(self, policies: Sequence[Policy]) -> None:
        first = policies[0]
        mixtures = [[component.formula for component in policy.components] for policy in policies]
        terms = dict.fromkeys(literal.term for own in mixtures for formula in own for literal in formula.literals)
        self.plan = Plan(list(terms), first.tokens, first.buttons, first.language)
        numbers = {term: i for i, term in enumerate(terms)}
        # The distinct clauses over the programs, and the formulas of each policy over the clauses: most share theirs.
        place: dict[Clause, int] = {}

        def over_clauses(formula: Formula) -> Clauses:
            clauses = over_columns(formula.clauses, numbers)
            return tuple(((place.setdefault(clause, len(place)), True),) for clause in clauses)

        self._formulas = Packed.of([over_clauses(formula) for own in mixtures for formula in own])
        self._clauses = Packed.of([(clause,) for clause in place])
        weights = np.concatenate([policy._weights for policy in policies])
        self._mixtures = Mixtures(weights, np.cumsum([len(own) for own in mixtures]))

    def act_many(self, grids: Sequence[Grid], who: Sequence[int]) -> list[Action]:
        """Return the action of policy number `who[i]` on `grids[i]`, for every i."""
        return in_batches(self._act, grids, who, self.plan)

    def _act(self, grids: Sequence[Grid], who: Sequence[int]) -> list[Action]:
        state: dict[Grid, int] = {}
        numbers = np.array([state.setdefault(grid, len(state)) for grid in grids])
        world, allowed = self.allowed(list(state))
        return world.actions_of_words(most_probable(allowed, world, numbers, np.array(who), self._mixtures))

    def allowed(self, grids: Sequence[Grid]) -> tuple[Planes, np.ndarray]:
        """Return some grids as planes, and the rows that the rules allow, policy after policy. [K, R] uint64"""
        world, columns = self.plan.world_and_columns(grids)
        return world, allowed_rows(self._formulas, allowed_rows(self._clauses, columns, world.row_mask), world.row_mask)


def in_batches(
    work: Callable[[Sequence[Grid], Sequence[_A]], list[_B]], grids: Sequence[Grid], others: Sequence[_A], plan: Plan
) -> list[_B]:
    """Return `work(grids, others)`, done in halves while the planes of the distinct grids take too much memory."""
    if plan.bytes(grids) > BATCH_BYTES:
        seen = list(dict.fromkeys(grids))
        if len(seen) > 1 and plan.bytes(seen) > BATCH_BYTES:
            half = len(grids) // 2
            parts = (slice(half), slice(half, None))
            return [done for part in parts for done in in_batches(work, grids[part], others[part], plan)]
    return work(grids, others) if grids else []


def uniform_policy(
    tokens: Tokens, game: str | None = None, buttons: tuple[str, ...] = (), language: Language = LANGUAGE
) -> Policy:
    """Return the policy that gives every action the same probability."""
    return Policy(tokens, (Component(1.0, 0.0, 0.0, Formula(((),))),), game, buttons, language=language)


def _allows(formula: Formula, columns: Mapping[Term, np.ndarray], count: int) -> np.ndarray:
    """Return whether a formula allows each of some actions, from the values of its programs for them. [N] bool"""
    allowed = np.zeros(count, dtype=np.bool_)
    for clause in formula.clauses:
        allowed |= np.all([~np.zeros_like(allowed), *(columns[x.term] == x.positive for x in clause)], axis=0)
    return allowed


def _headline(policy: Policy) -> str:
    provenance = policy.provenance
    count, shown = sum(component.weight > 0 for component in policy.components), provenance.demonstrations
    text = f"{policy.game or 'policy'}: {count} {'rule' if count == 1 else 'rules'}"
    if shown is not None:
        steps = f"{shown.steps} step{'' if shown.steps == 1 else 's'}"
        if shown.explained is not None:
            steps = f"{shown.explained} of {steps} explained"
        text += f" from {shown.count} demonstration{'' if shown.count == 1 else 's'} ({steps})"
    if provenance.programs is not None and provenance.distinct is not None:
        text += f", {provenance.programs:,} programs, {provenance.distinct:,} distinct"
    return text
