"""Policies: weighted formulas over programs that act on grids, and their form on disk."""

from __future__ import annotations

import html
import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np

from shown.demonstrations import Demonstrations, game_from_json, names_from_json, tokens_from_json
from shown.errors import BadInput
from shown.files import read_json, write_json
from shown.grid import Action, Cell, Grid, Tokens
from shown.inference.formulas import Packed, allowed_rows, first_best, mixture_probabilities, pack
from shown.inference.rows import Rows
from shown.language.evaluate import Plan
from shown.language.languages import named_in_file, the_language
from shown.language.primitives import LANGUAGE, Language
from shown.language.terms import Term
from shown.rules import NO_FACTS, Conditions, Facts, Formula, Literal, Speaker
from shown.rules.reading import read_program
from shown.symmetry import Folded, Transformation, of_clause, unfold

SCHEMA = "shown/policy/1"
MAX_COMPONENTS = 10_000
MAX_LITERALS = 100_000
MAX_TEXT = 2**19
"""Characters of the distinct programs of a policy, together: so much is read and acted upon within seconds."""
MAX_FILE = 2**24
"""Bytes of a policy file."""
BATCH_BYTES = 2**27
"""Grids are looked at together as long as their planes take no more than this."""


@dataclass(frozen=True, slots=True)
class Component:
    """One policy of the mixture: a formula, how probable it is, and why."""

    weight: float
    log_prior: float
    log_likelihood: float
    formula: Formula


@dataclass(frozen=True)
class Policy:
    """A mixture of formulas that acts.

    Each component spreads its probability evenly over the actions it allows (over all, where it allows none); the
    components are averaged by weight; `act` takes the most probable action, the first in reading order among equals.

    Attributes:
        tokens: the values of the cells it understands.
        components: best first; their weights add up to 1.
        game: the name of the game it is for, or None.
        buttons: the actions, in worlds with buttons.
        origin: where it came from: the demonstrations' digest, settings, version.
        language: the primitives its programs use.
        facts: what was so in everything it was learned from, as far as its rules are said by it.
    """

    tokens: Tokens
    components: tuple[Component, ...]
    game: str | None = None
    buttons: tuple[str, ...] = ()
    origin: dict[str, Any] | None = None
    language: Language = LANGUAGE
    facts: Facts = NO_FACTS

    def act(self, grid: Grid) -> Action:
        """The most probable action."""
        return self.act_many([grid])[0]

    def act_many(self, grids: Sequence[Grid]) -> list[Action]:
        """The most probable action on each of several grids, computed together: each as `act` gives it.

        >>> policy = uniform_policy(Tokens(empty=".", wall="#"))
        >>> policy.act_many([Grid(("..",)), Grid(("#", "."))])
        [(0, 0), (0, 0)]
        """
        plan = self._compiled[0]
        if len(grids) > 1 and plan.bytes(grids) > BATCH_BYTES:
            half = len(grids) // 2
            return self.act_many(grids[:half]) + self.act_many(grids[half:])
        rows, allowed = self._allowed(grids)
        mixed = mixture_probabilities(allowed, rows.state_of_row, rows.actions, self._weights)
        words = first_best(mixed, rows.state_of_row, len(grids))
        return [rows.worlds[0].action_of_word(int(word)) for word in words]

    def allows_many(self, grids: Sequence[Grid], actions: Sequence[Action]) -> list[bool]:
        """Whether the best component allows each of some actions, one a grid."""
        rows, allowed = self.map_policy._allowed(grids)
        places = [rows.place(state, action) for state, action in enumerate(actions)]
        return [bool(int(allowed[0, word]) >> bit & 1) for word, bit in places]

    def click(self, grid: Grid) -> Cell:
        """`act`, where actions are clicks: the cell, for those who want a row and a column."""
        action = self.act(grid)
        if isinstance(action, str):
            raise BadInput(f"this policy presses buttons ({', '.join(self.buttons)}). Ask for `press` or `act`.")
        return action

    def press(self, grid: Grid) -> str:
        """`act`, in worlds with buttons: the button's name."""
        action = self.act(grid)
        if not isinstance(action, str):
            raise BadInput("this policy clicks cells. Ask for `click` or `act`.")
        return action

    def probabilities(self, grid: Grid) -> np.ndarray:
        """The probability of every action. [H, W] float64, or [buttons]"""
        rows, allowed = self._allowed([grid])
        mixed = mixture_probabilities(allowed, rows.state_of_row, rows.actions, self._weights)
        return self._shaped(grid, mixed[:, 0])

    def component_probabilities(self, grid: Grid) -> np.ndarray:
        """The probability of every action under each component. [K, H, W] float64, or [K, buttons]"""
        return self._shaped(grid, self._shares(grid))

    def disagreement(self, grid: Grid) -> float:
        """How far the components are from their average here: mean total variation distance, 0 if all agree."""
        shares = self._shares(grid)
        return float(self._weights @ np.abs(shares - self._weights @ shares).sum(axis=1) / 2)

    @property
    def map_policy(self) -> Policy:
        """The most probable component alone."""
        return replace(self, components=(replace(self.components[0], weight=1.0),))

    def keeps_to(self, conditions: Conditions) -> bool:
        """Whether all its rules have what is pinned, and none has what is struck."""
        world = (self.tokens.values, self.buttons, self.language)
        return all(conditions.hold_of(component.formula, *world) for component in self.components)

    def taught_by(self, demonstrations: Demonstrations, symmetries: Sequence[Transformation] = ()) -> Policy:
        """The policy with what saying its rules needs to know of the demonstrations it was learned from.

        Args:
            demonstrations: what was shown.
            symmetries: under which that was taken to hold as well.
        """
        grids = {step.grid for step in demonstrations.steps}
        single = [
            name
            for name, character in self.tokens.characters.items()
            if max((grid.text.count(character) for grid in grids), default=0) == 1
        ]
        shown = [step for step in demonstrations.steps if not step.refused]
        holds = self._programs_hold([step.grid for step in shown], [step.action for step in shown])
        always = [
            Literal(term, positive)
            for term, held in zip(self._compiled[0].terms, holds.T, strict=True)
            for positive in (True, False)
            if len(shown) and bool((held == positive).all())
        ]
        facts = Facts(tuple(single), tuple(always), tuple(symmetries))
        # Images stand together, as they are stored: a policy read back is the same policy.
        formulas = [unfold(facts.folded(c.formula.clauses, self.language), self.language) for c in self.components]
        components = (replace(c, formula=Formula(f)) for c, f in zip(self.components, formulas, strict=True))
        return replace(self, components=tuple(components), facts=facts)

    def _repr_html_(self) -> str:
        """What a notebook shows of a policy: its rules."""
        return f"<pre>{html.escape(self.table())}</pre>"

    def __repr__(self) -> str:
        return f"<Policy {_headline(self)}>"

    def __getstate__(self) -> dict[str, Any]:
        # What was worked out for acting can be worked out again, and takes more room than the policy.
        return {name: getattr(self, name) for name in self.__dataclass_fields__}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state)

    # --- on bits ------------------------------------------------------------------------------------------------------

    def _allowed(self, grids: Sequence[Grid]) -> tuple[Rows, np.ndarray]:
        """The rows (state, action) of some grids, and those that each component allows. [K, R] uint64"""
        for grid in grids:
            self.tokens.check(grid)
        plan, formulas = self._compiled
        world, columns = plan.world_and_columns(grids)
        rows = Rows([world])
        return rows, allowed_rows(formulas, columns, rows.mask)

    def _programs_hold(self, grids: Sequence[Grid], actions: Sequence[Action]) -> np.ndarray:
        """What each program says of some actions, one a grid. [N, terms] bool"""
        plan = self._compiled[0]
        if len(grids) > 1 and plan.bytes(grids) > BATCH_BYTES:
            half = len(grids) // 2
            halves = (grids[:half], actions[:half]), (grids[half:], actions[half:])
            return np.concatenate([self._programs_hold(*part) for part in halves])
        world, columns = plan.world_and_columns(grids)
        rows = Rows([world])
        places = [rows.place(state, action) for state, action in enumerate(actions)]
        bits = [columns[:, word] >> np.uint64(bit) & np.uint64(1) for word, bit in places]
        return np.array(bits, dtype=np.bool_).reshape(len(actions), len(plan.terms))

    def _shares(self, grid: Grid) -> np.ndarray:
        """The probability of every action, in order, under each component. [K, A] float64"""
        _, allowed = self._allowed([grid])
        chosen = (allowed & np.uint64(1)).astype(np.float64)
        counts = chosen.sum(axis=1, keepdims=True)
        return np.where(counts == 0, 1.0 / chosen.shape[1], chosen / np.maximum(counts, 1))

    def _shaped(self, grid: Grid, flat: np.ndarray) -> np.ndarray:
        """[..., A] → [..., H, W], or as it is in worlds with buttons."""
        return flat if self.buttons else flat.reshape(*flat.shape[:-1], *grid.shape)

    @cached_property
    def _weights(self) -> np.ndarray:
        return np.array([component.weight for component in self.components])

    @cached_property
    def _compiled(self) -> tuple[Plan, Packed]:
        plan, (formulas,) = compiled_together([self])
        return plan, formulas

    # --- to read ------------------------------------------------------------------------------------------------------

    @property
    def speaker(self) -> Speaker:
        """Who says the rules: in its language, about its world, knowing its facts."""
        return Speaker(self.language, self.tokens.values, self.buttons, self.facts)

    @property
    def subject(self) -> str:
        """What the rules tell one to do."""
        return self.speaker.subject

    def english(self, component: int = 0) -> str:
        """The rule of a component, the best if none is named, as a sentence of several lines.

        >>> uniform_policy(Tokens(empty=".", wall="#")).english()
        'click a cell, whichever'
        """
        return self.speaker.english(self.components[component].formula)

    def table(self, most: int = 1) -> str:
        """The best components with their rules in English, and the weight of all others together."""
        lines = [_headline(self), "", "  weight   rule"]
        for i, component in enumerate(self.components[:most]):
            rule = self.english(i).splitlines()
            lines.append(f"{'▸' if i == 0 else ' '} {component.weight:6.2f}    {rule[0]}")
            lines += [f"            {line}" for line in rule[1:]]
        if len(self.components) > most:
            rest = sum(component.weight for component in self.components[most:])
            lines.append(f"  {rest:6.2f}    in {len(self.components) - most} more")
        return "\n".join(lines)

    def to_python(self) -> str:
        """A Python module without dependencies that acts like this policy."""
        from shown.export import standalone

        return standalone(self)

    # --- on disk ------------------------------------------------------------------------------------------------------

    def to_json(self) -> dict[str, Any]:
        return {
            "schema": SCHEMA,
            "game": self.game,
            "language": self.language.name,
            "tokens": self.tokens.characters,
            "buttons": list(self.buttons),
            "components": [
                {
                    "weight": component.weight,
                    "log_prior": component.log_prior,
                    "log_likelihood": component.log_likelihood,
                    "clauses": [
                        _clause_to_json(one) for one in self.facts.folded(component.formula.clauses, self.language)
                    ],
                }
                for component in self.components
            ],
            **({"facts": self.facts.to_json()} if self.facts != NO_FACTS else {}),
            "origin": self.origin or {},
        }

    @classmethod
    def from_json(cls, value: Any, where: str = "policy", language: Language | str | None = None) -> Policy:
        """Checks everything, executes nothing. See `load` for the language."""
        if not isinstance(value, dict) or value.get("schema") != SCHEMA:
            raise BadInput(f'{where}: not a policy: "schema" must be "{SCHEMA}".')
        tokens = tokens_from_json(value.get("tokens"), where)
        buttons = names_from_json(value.get("buttons", []), f'{where}: "buttons"')
        game = game_from_json(value.get("game"), where)
        origin, items = value.get("origin", {}), value.get("components")
        if not isinstance(origin, dict):
            raise BadInput(f'{where}: "origin" must be an object.')
        if not isinstance(items, list) or not 0 < len(items) <= MAX_COMPONENTS:
            raise BadInput(f'{where}: "components" must be a list of 1 to {MAX_COMPONENTS:,}.')
        # Files had no language before there was a second one.
        spoken = named_in_file(value.get("language", "paper"), where) if language is None else the_language(language)
        reader = _ComponentReader(spoken, tokens, buttons)
        components = tuple(reader.read(item, f"{where}, component {i}") for i, item in enumerate(items))
        if not math.isclose(sum(component.weight for component in components), 1.0, rel_tol=1e-6):
            raise BadInput(f"{where}: the weights of the components must add up to 1.")
        facts = Facts.from_json(value.get("facts", {}), where, tokens, buttons, reader.literal)
        return cls(tokens, components, game, buttons, origin, spoken, facts)

    def save(self, path: str | Path) -> None:
        """Writes the policy as JSON, whole or not at all."""
        write_json(path, self.to_json(), MAX_FILE)

    @classmethod
    def load(cls, path: str | Path, language: Language | str | None = None) -> Policy:
        """Reads a policy back.

        Its language is found by the name in the file among those that are installed; nothing else is imported. A
        language that is not installed has to be given: itself, or where it is (`module:OBJECT`).
        """
        return cls.from_json(read_json(path, "policy", MAX_FILE), str(path), language)


def compiled_together(policies: Sequence[Policy]) -> tuple[Plan, list[Packed]]:
    """The programs of some policies of one world and language, each once, and every policy's formulas over them."""
    formulas = [[component.formula for component in policy.components] for policy in policies]
    terms = list(dict.fromkeys(literal.term for own in formulas for formula in own for literal in formula.literals))
    place = {term: i for i, term in enumerate(terms)}
    packed = [
        pack([tuple(tuple((place[x.term], x.positive) for x in clause) for clause in f.clauses) for f in own])
        for own in formulas
    ]
    first = policies[0]
    return Plan(terms, first.tokens, first.buttons, first.language), packed


class Together:
    """Several policies of one world and language that act side by side: what their programs see is computed once.

    >>> tokens = Tokens(empty=".", wall="#")
    >>> both = Together([uniform_policy(tokens), uniform_policy(tokens)])
    >>> both.act_many([Grid(("..",)), Grid(("#", ".")), Grid(("..",))], [0, 0, 1])
    [(0, 0), (0, 0), (0, 0)]
    """

    def __init__(self, policies: Sequence[Policy]) -> None:
        self._plan, self._formulas = compiled_together(policies)
        self._weights = [np.array([component.weight for component in policy.components]) for policy in policies]

    def act_many(self, grids: Sequence[Grid], who: Sequence[int]) -> list[Action]:
        """What policy number `who[i]` does on `grids[i]`: as its own `act` gives it."""
        seen = list(dict.fromkeys(grids))
        if len(seen) > 1 and self._plan.bytes(seen) > BATCH_BYTES:
            half = len(grids) // 2
            return self.act_many(grids[:half], who[:half]) + self.act_many(grids[half:], who[half:])
        world, columns = self._plan.world_and_columns(seen)
        rows = Rows([world])
        state = {grid: i for i, grid in enumerate(seen)}
        words = {one: self._best_words(one, rows, columns, len(seen)) for one in dict.fromkeys(who)}
        return [world.action_of_word(int(words[one][state[grid]])) for grid, one in zip(grids, who, strict=True)]

    def _best_words(self, one: int, rows: Rows, columns: np.ndarray, states: int) -> np.ndarray:
        allowed = allowed_rows(self._formulas[one], columns, rows.mask)
        mixed = mixture_probabilities(allowed, rows.state_of_row, rows.actions, self._weights[one])
        return first_best(mixed, rows.state_of_row, states)


class _ComponentReader:
    def __init__(self, language: Language, tokens: Tokens, buttons: tuple[str, ...]) -> None:
        self.language, self.tokens, self.buttons = language, tokens, buttons
        self.literals_left, self.text_left = MAX_LITERALS, MAX_TEXT
        self.known: dict[str, Term] = {}

    def read(self, item: Any, where: str) -> Component:
        if not isinstance(item, dict):
            raise BadInput(f"{where}: must be an object.")
        weight, prior, likelihood = (
            _number(item.get(key), f'{where}: "{key}"') for key in ("weight", "log_prior", "log_likelihood")
        )
        if not 0 <= weight <= 1:
            raise BadInput(f'{where}: "weight" must be from 0 to 1, not {weight}.')
        clauses = item.get("clauses")
        if not isinstance(clauses, list):
            raise BadInput(f'{where}: "clauses" must be a list of lists of programs.')
        read = [clause for item in clauses for clause in self._clauses(item, where)]
        return Component(weight, prior, likelihood, Formula(tuple(read)))

    def _clauses(self, item: Any, where: str) -> Iterator[tuple[Literal, ...]]:
        """A clause, and those of its images that the file has only this one for."""
        images = item.get("images") if isinstance(item, dict) else []
        texts = item.get("clause") if isinstance(item, dict) else item
        if not isinstance(images, list) or not isinstance(texts, list) or not all(isinstance(t, str) for t in texts):
            raise BadInput(f'{where}: "clauses" must be a list of lists of programs.')
        self.literals_left -= len(texts) * (1 + len(images))
        if self.literals_left < 0:
            raise BadInput(f"{where}: more than {MAX_LITERALS:,} programs in all.")
        clause = tuple(self.literal(text, where) for text in texts)
        yield clause
        for image in images:
            transformation = Transformation.from_json(image, where)
            transformation.check(self.tokens, self.buttons)
            found = of_clause(clause, transformation, self.language)
            if found is None:
                raise BadInput(f"{where}: a clause has no image {transformation.words}.")
            yield tuple(self.literal(str(literal), where) for literal in found)

    def literal(self, text: str, where: str) -> Literal:
        positive = not text.startswith("not ")
        program = text if positive else text[4:]
        if program not in self.known:
            self.text_left -= len(program)
            if self.text_left < 0:
                raise BadInput(f"{where}: different programs of more than {MAX_TEXT:,} characters in all.")
            self.known[program] = read_program(program, self.language, self.tokens, self.buttons, where)
        return Literal(self.known[program], positive)


def _clause_to_json(folded: Folded[Literal]) -> Any:
    """A clause; if others are its images, it stands for them."""
    texts = [str(literal) for literal in folded.clause]
    images = [transformation.to_json() for transformation in folded.under[1:]]
    return {"clause": texts, "images": images} if images else texts


def uniform_policy(
    tokens: Tokens, game: str | None = None, buttons: tuple[str, ...] = (), language: Language = LANGUAGE
) -> Policy:
    """The policy that knows nothing."""
    return Policy(tokens, (Component(1.0, 0.0, 0.0, Formula(((),))),), game, buttons, language=language)


def _number(value: Any, what: str) -> float:
    if isinstance(value, bool) or not isinstance(value, int | float):
        given = f", not {value[:40]!r}" if isinstance(value, str) else ""
        raise BadInput(f"{what} must be a number{given}.")
    if not abs(value) < 1e300:
        raise BadInput(f"{what} is not a number of a sensible size.")
    return float(value)


def _headline(policy: Policy) -> str:
    origin = policy.origin or {}
    shown = origin.get("demonstrations", {}) if isinstance(origin.get("demonstrations"), dict) else {}
    count = len(policy.components)
    parts = [f"{policy.game or 'policy'}: {count} {'policy' if count == 1 else 'policies'}"]
    # A file may claim anything about where it came from; only numbers are believed to be numbers.
    match shown:
        case {"count": int(demonstrations), "steps": int(steps)}:
            several = "" if demonstrations == 1 else "s"
            explained = shown.get("explained")
            of = f"{explained} of {steps}" if isinstance(explained, int) else f"{steps}"
            parts[0] += f" from {demonstrations} demonstration{several} ({of} step{'' if steps == 1 else 's'}"
            parts[0] += " explained)" if isinstance(explained, int) else ")"
    match origin:
        case {"programs": int(programs), "distinct": int(distinct)}:
            parts.append(f"{programs:,} programs, {distinct:,} distinct")
    return ", ".join(parts)
