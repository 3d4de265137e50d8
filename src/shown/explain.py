"""Explanations of an action: the clauses, their literals and the cells that they read. Drawing is done elsewhere."""

from __future__ import annotations

import html
from collections.abc import Collection
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np

from shown.columns.rows import Rows, row_bits
from shown.components import Component
from shown.grid import Action, Cell, Grid, Tokens, check_action, plain_action
from shown.language.plan import Plan
from shown.language.reference import NOWHERE, LimitedView, TooManyLooksError, run
from shown.language.terms import Term
from shown.policy import Policy
from shown.rules import Formula, Literal

MAX_LOOKS = 10_000  # cells that one program may read while being watched, about 50 ms
MAX_TEXT = 2000  # characters of an explanation as text
MAX_ALL_LOOKS = 200_000  # cells that all programs of an explanation may read together


@dataclass(frozen=True, slots=True)
class LiteralView:
    """A literal in one state, for one action.

    Attributes:
        program: text of its program.
        positive: whether the program must hold, rather than fail.
        holds: whether the literal (with its sign) is satisfied.
        phrase: the literal in English.
        cells: cells that the program read, in order; some may be off the grid. For primitives that read many, such as
            those that count, only the decisive cells. Empty if the program reads more than `MAX_LOOKS` cells.
        paths: walks that the program took, start included.
    """

    program: str
    positive: bool
    holds: bool
    phrase: str
    cells: tuple[Cell, ...]
    paths: tuple[tuple[Cell, ...], ...]


@dataclass(frozen=True, slots=True)
class ClauseView:
    """A clause and whether all its literals hold."""

    holds: bool
    text: str
    literals: tuple[LiteralView, ...]


@dataclass(frozen=True, slots=True)
class ComponentView:
    """One policy of the mixture: its weight, its probability of the action, whether it allows it, and why."""

    weight: float
    probability: float
    allows: bool
    clauses: tuple[ClauseView, ...]


@dataclass(frozen=True, slots=True)
class Explanation:
    """Why a policy would take, or would not take, an action in a state.

    Attributes:
        action: the action.
        probability: its probability.
        components: the components, or the weightiest of them.
        allowed_by: the first component of all that allows the action; None if none does.
        grid: the state.
    """

    action: Action
    probability: float
    components: tuple[ComponentView, ...]
    allowed_by: ComponentView | None
    grid: Grid

    def to_json(self) -> dict[str, Any]:
        """Return plain data, without the state; tuples become lists in JSON."""
        value = asdict(self)
        del value["grid"]
        return value

    def _repr_html_(self) -> str:
        """Show the reasons and the board in a notebook."""
        return f"<pre>{html.escape(self.text)}</pre>{self.grid._repr_svg_()}"

    @property
    def text(self) -> str:
        """The reasons of the first component that allows the action, or the conditions that fail; below 2,000
        characters."""
        lines = [f"{_name(self.action)}: probability {self.probability:.2f}"]
        if self.allowed_by is not None:
            if not self.components[0].allows:
                lines.append(f"  not by the first rule, but by one of weight {self.allowed_by.weight:.1g},")
            clause = next(clause for clause in self.allowed_by.clauses if clause.holds)
            reasons = [literal.phrase for literal in clause.literals] or ["anything may be done"]
            lines += [f"  because {reasons[0]}", *(f"      and {reason}" for reason in reasons[1:])]
        else:
            lines.append("  no rule allows it")
            for clause in self.components[0].clauses:
                failing = [literal.phrase for literal in clause.literals if not literal.holds]
                lines.append(f"    it is not so that {' and that '.join(failing)}")
        return _shortened(lines)


def explain(policy: Policy, grid: Grid, action: Action, most: int | None = None) -> Explanation:
    """Explain why `policy` would take `action` on `grid`: every component (or the `most` weighty ones), by clause.

    The first component that allows the action is sought among all of them, whatever `most` is.

    >>> from shown.grid import grid
    >>> from shown.language.terms import Term
    >>> wall = Term("at_action_cell", (Term("cell_is_value", ("wall",)),))
    >>> policy = Policy(Tokens(empty=".", wall="#"), (Component(1.0, 0.0, 0.0, Formula(((Literal(wall),),))),))
    >>> print(explain(policy, grid(".#"), (0, 1)).text)
    click (0, 1): probability 1.00
      because the clicked cell is a wall
    """
    action = plain_action(action)
    check_action(action, grid, policy.buttons)
    place = policy.buttons.index(str(action)) if policy.buttons else action
    shares = [float(share[place]) for share in policy.component_probabilities(grid)]
    weighted = [component.weight * share for component, share in zip(policy.components, shares, strict=True)]
    probability = float(np.cumsum(weighted)[-1])  # added one by one, as the mixture is
    watched = _Watched(policy, grid, action)
    views = tuple(
        watched.component(component, share) for component, share in zip(policy.components[:most], shares, strict=False)
    )
    allowed_by = next((view for view in views if view.allows), None)
    if allowed_by is None:
        # A component that gives the action no probability does not allow it, so few have to be run.
        rest = list(zip(policy.components, shares, strict=True))[len(views) :]
        first = next(((c, share) for c, share in rest if share > 0 and watched.allows(c.formula)), None)
        allowed_by = None if first is None else watched.component(*first)
    return Explanation(action, probability, views, allowed_by, grid)


@dataclass(frozen=True, slots=True)
class _Run:
    holds: bool
    cells: tuple[Cell, ...] = ()
    paths: tuple[tuple[Cell, ...], ...] = ()


class _Watched:
    """Runs each program once in the reference interpreter, recording the cells it reads."""

    def __init__(self, policy: Policy, grid: Grid, action: Action) -> None:
        self._policy, self._grid, self._action = policy, grid, action
        self._speaker, self._looks_left = policy.speaker, MAX_ALL_LOOKS
        self._runs: dict[Term, _Run] = {}

    def component(self, component: Component, share: float) -> ComponentView:
        formula = self._speaker.canonical(component.formula)
        always = self._speaker.always(formula)
        views = tuple(self._clause(clause, always) for clause in formula.clauses)
        return ComponentView(component.weight, share, any(view.holds for view in views), views)

    def allows(self, formula: Formula) -> bool:
        return any(all(self._run(x.term).holds == x.positive for x in clause) for clause in formula.clauses)

    def _clause(self, clause: tuple[Literal, ...], always: Collection[Literal]) -> ClauseView:
        views = tuple(self.literal(literal, always) for literal in clause)
        text = " and ".join(view.phrase for view in views) or "always"
        return ClauseView(all(view.holds for view in views), text, views)

    def literal(self, literal: Literal, always: Collection[Literal]) -> LiteralView:
        found = self._run(literal.term)
        phrase = self._speaker.phrase(literal, always)
        holds = found.holds == literal.positive
        return LiteralView(str(literal.term), literal.positive, holds, phrase, found.cells, found.paths)

    def _run(self, term: Term) -> _Run:
        if term not in self._runs:
            looks = min(MAX_LOOKS, self._looks_left)
            view = _WatchedView(self._grid, self._policy.tokens, self._action, looks)
            try:
                holds = run(term, view, self._policy.language)
                self._runs[term] = _Run(holds, tuple(view.decisive or view.cells), tuple(view.paths))
            except TooManyLooksError:
                self._runs[term] = _Run(self._compiled(term))
            self._looks_left -= looks - max(view.looks, 0)
        return self._runs[term]

    def _compiled(self, term: Term) -> bool:
        """Return whether a program holds, by its kernels: they compute every cell, each once."""
        plan = Plan([term], self._policy.tokens, self._policy.buttons, self._policy.language)
        world = plan.world([self._grid])
        return bool(row_bits(plan.columns(world), *Rows([world]).place(0, self._action))[0])


class _WatchedView(LimitedView):
    """A view that records, in order and each once, the cells read, the decisive ones among them, and the walks."""

    def __init__(self, grid: Grid, tokens: Tokens, action: Action, looks: int) -> None:
        super().__init__(grid, tokens, action, looks)
        self.cells: dict[Cell, None] = {}
        self.decisive: dict[Cell, None] = {}
        self.paths: dict[tuple[Cell, ...], None] = {}

    def value(self, cell: Cell | None) -> str:
        if cell is not NOWHERE:
            self.cells[cell[0], cell[1]] = None
        return super().value(cell)

    def walked(self, path: list[Cell]) -> None:
        if len(path) > 1:
            self.paths[tuple(path)] = None

    def counted(self, cells: list[Cell]) -> None:
        self.decisive.update(dict.fromkeys(cells))


def _shortened(lines: list[str]) -> str:
    """Return lines as text of less than MAX_TEXT characters, if necessary without the ends of long lines and the rest.

    >>> _shortened(["up", "because"])
    'up\\nbecause'
    """
    text = "\n".join(lines)
    if len(text) < MAX_TEXT:
        return text
    width, room = MAX_TEXT // 5, MAX_TEXT - 30
    text = "\n".join(line if len(line) <= width else f"{line[: width - 1]}…" for line in lines)
    end = len(text) if len(text) < MAX_TEXT else text.rindex("\n", 0, room)
    more = text[end:].count("\n")
    return f"{text[:end]}\n  … and {more:,} more" if more else text


def _name(action: Action) -> str:
    return action if isinstance(action, str) else f"click {action}"
