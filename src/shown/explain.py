"""Why this action: the clauses, their literals, and the cells they looked at. Data only; drawing is done elsewhere."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any

from shown.grid import Action, Cell, Grid, Tokens, check_action
from shown.language.phrases import say
from shown.language.primitives import Primitive
from shown.language.reference import NOWHERE, View, run
from shown.language.terms import Term
from shown.policy import Literal, Policy


@dataclass(frozen=True, slots=True)
class LiteralView:
    """A literal, asked about one state and action.

    Attributes:
        program: its text.
        positive: whether the program must hold, rather than fail.
        holds: whether the literal (its sign counted) is satisfied.
        phrase: what it demands, in English.
        cells: the cells it looked at, in order; some may be off the grid.
        paths: the walks its scans took, start included.
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
    """One policy of the mixture: its weight, the probability it gives the action, whether it allows it, and why."""

    weight: float
    probability: float
    allows: bool
    clauses: tuple[ClauseView, ...]


@dataclass(frozen=True, slots=True)
class Explanation:
    """Why a policy would take, or would not take, an action in a state."""

    action: Action
    probability: float
    components: tuple[ComponentView, ...]

    def to_json(self) -> dict[str, Any]:
        """Plain data; tuples become lists in JSON."""
        return asdict(self)

    @property
    def text(self) -> str:
        """The reasons of the first component that allows the action, or what speaks against it."""
        lines = [f"{_name(self.action)}: probability {self.probability:.2f}"]
        views = [view for view in self.components if view.allows]
        if views:
            if not self.components[0].allows:
                lines.append(f"  not by the first rule, but by one of weight {views[0].weight:.1g},")
            clause = next(clause for clause in views[0].clauses if clause.holds)
            reasons = [literal.phrase for literal in clause.literals] or ["anything may be done"]
            lines += [f"  because {reasons[0]}", *(f"      and {reason}" for reason in reasons[1:])]
        else:
            lines.append("  no rule allows it")
            for clause in self.components[0].clauses:
                failing = [literal.phrase for literal in clause.literals if not literal.holds]
                lines.append(f"    it is not so that {' and that '.join(failing)}")
        return "\n".join(lines)


def explain(policy: Policy, grid: Grid, action: Action, most: int | None = None) -> Explanation:
    """Why `policy` would take `action` on `grid`: every component (or the `most` weighty ones), clause by clause.

    >>> from shown.grid import grid
    >>> from shown.language.terms import Term
    >>> from shown.policy import Component, Formula
    >>> wall = Term("at_action_cell", (Term("cell_is_value", ("wall",)),))
    >>> policy = Policy(Tokens(empty=".", wall="#"), (Component(1.0, 0.0, 0.0, Formula(((Literal(wall),),))),))
    >>> print(explain(policy, grid(".#"), (0, 1)).text)
    click (0, 1): probability 1.00
      because the clicked cell is a wall
    """
    check_action(action, grid, policy.buttons)
    place = policy.buttons.index(str(action)) if policy.buttons else action
    probability = float(policy.probabilities(grid)[place])
    shares = policy.component_probabilities(grid)
    looks = _Looks(policy, grid, action)
    components = tuple(
        looks.component(component.weight, component.formula.clauses, float(share[place]))
        for component, share in zip(policy.components[:most], shares, strict=False)
    )
    return Explanation(action, probability, components)


class _Looks:
    """Runs each program once, watching where it looks."""

    def __init__(self, policy: Policy, grid: Grid, action: Action) -> None:
        self.policy, self.grid, self.action = policy, grid, action
        self._seen: dict[Term, tuple[bool, tuple[Cell, ...], tuple[tuple[Cell, ...], ...]]] = {}

    def component(self, weight: float, clauses: tuple[tuple[Literal, ...], ...], share: float) -> ComponentView:
        views = tuple(self.clause(clause) for clause in clauses)
        return ComponentView(weight, share, any(view.holds for view in views), views)

    def clause(self, clause: tuple[Literal, ...]) -> ClauseView:
        views = tuple(self.literal(literal) for literal in clause)
        text = " and ".join(view.phrase for view in views) or "always"
        return ClauseView(all(view.holds for view in views), text, views)

    def literal(self, literal: Literal) -> LiteralView:
        language: Mapping[str, Primitive] = self.policy.language
        if literal.term not in self._seen:
            view = _WatchedView(self.grid, self.policy.tokens, self.action)
            holds = run(literal.term, view, language)
            self._seen[literal.term] = (holds, tuple(dict.fromkeys(view.cells)), tuple(view.paths))
        holds, cells, paths = self._seen[literal.term]
        phrase = say(literal.term, language, literal.positive)
        return LiteralView(str(literal.term), literal.positive, holds == literal.positive, phrase, cells, paths)


class _WatchedView(View):
    """A view that remembers the cells whose values were read and the walks that were taken."""

    def __init__(self, grid: Grid, tokens: Tokens, action: Action) -> None:
        super().__init__(grid, tokens, action)
        self.cells: list[Cell] = []
        self.paths: list[tuple[Cell, ...]] = []

    def value(self, cell: Cell | None) -> str:
        if cell is not NOWHERE:
            self.cells.append(cell)
        return super().value(cell)

    def walked(self, path: list[Cell]) -> None:
        if len(path) > 1:
            self.paths.append(tuple(path))


def _name(action: Action) -> str:
    return action if isinstance(action, str) else f"click {tuple(int(x) for x in action)}"
