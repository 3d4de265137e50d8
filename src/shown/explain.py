"""Why this action: the clauses, their literals, and the cells they looked at. Data only; drawing is done elsewhere."""

from __future__ import annotations

import html
from collections.abc import Collection
from dataclasses import asdict, dataclass
from typing import Any

from shown.grid import Action, Cell, Grid, Tokens, check_action, plain_action
from shown.language.reference import NOWHERE, View, run
from shown.language.terms import Term
from shown.policy import Component, Policy
from shown.rules import Formula, Literal


@dataclass(frozen=True, slots=True)
class LiteralView:
    """A literal, asked about one state and action.

    Attributes:
        program: its text.
        positive: whether the program must hold, rather than fail.
        holds: whether the literal (its sign counted) is satisfied.
        phrase: what it demands, in English.
        cells: the cells it looked at, in order; some may be off the grid. Of words that look at many, such as those
            that count, the cells that made the difference, if there were any.
        paths: the walks it took, start included.
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
    """Why a policy would take, or would not take, an action in a state.

    Attributes:
        action: the action.
        probability: how probable it is.
        components: what the components, or the weightiest of them, say about it.
        allowed_by: the first of all components that allows it, be it among those or not; None if none does.
        grid: the state.
    """

    action: Action
    probability: float
    components: tuple[ComponentView, ...]
    allowed_by: ComponentView | None
    grid: Grid

    def to_json(self) -> dict[str, Any]:
        """Plain data, without the state; tuples become lists in JSON."""
        told = asdict(self)
        del told["grid"]
        return told

    def _repr_html_(self) -> str:
        """What a notebook shows of an explanation: its reasons, and the board."""
        return f"<pre>{html.escape(self.text)}</pre>{self.grid._repr_svg_()}"

    @property
    def text(self) -> str:
        """The reasons of the first component that allows the action, or what speaks against it."""
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
        return "\n".join(lines)


def explain(policy: Policy, grid: Grid, action: Action, most: int | None = None) -> Explanation:
    """Why `policy` would take `action` on `grid`: every component (or the `most` weighty ones), clause by clause.

    Whatever `most` is, the first component that allows the action is looked for among all of them.

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
    probability = float(policy.probabilities(grid)[place])
    shares = [float(share[place]) for share in policy.component_probabilities(grid)]
    looks = _Looks(policy, grid, action)
    views = tuple(
        looks.component(component, share) for component, share in zip(policy.components[:most], shares, strict=False)
    )
    allowed_by = next((view for view in views if view.allows), None)
    if allowed_by is None:
        # What a component gives no probability to it does not allow, so that few have to be asked.
        rest = list(zip(policy.components, shares, strict=True))[len(views) :]
        first = next(((c, share) for c, share in rest if share > 0 and looks.allows(c.formula)), None)
        allowed_by = None if first is None else looks.component(*first)
    return Explanation(action, probability, views, allowed_by, grid)


class _Looks:
    """Runs each program once, watching where it looks."""

    def __init__(self, policy: Policy, grid: Grid, action: Action) -> None:
        self.policy, self.grid, self.action = policy, grid, action
        self.speaker = policy.speaker
        self._seen: dict[Term, tuple[bool, tuple[Cell, ...], tuple[tuple[Cell, ...], ...]]] = {}

    def component(self, component: Component, share: float) -> ComponentView:
        formula = self.speaker.canonical(component.formula)
        always = self.speaker.always(formula)
        views = tuple(self.clause(clause, always) for clause in formula.clauses)
        return ComponentView(component.weight, share, any(view.holds for view in views), views)

    def allows(self, formula: Formula) -> bool:
        return any(all(self._seen_by(x.term)[0] == x.positive for x in clause) for clause in formula.clauses)

    def clause(self, clause: tuple[Literal, ...], always: Collection[Literal]) -> ClauseView:
        views = tuple(self.literal(literal, always) for literal in clause)
        text = " and ".join(view.phrase for view in views) or "always"
        return ClauseView(all(view.holds for view in views), text, views)

    def literal(self, literal: Literal, always: Collection[Literal]) -> LiteralView:
        holds, cells, paths = self._seen_by(literal.term)
        phrase = self.speaker.phrase(literal, always)
        return LiteralView(str(literal.term), literal.positive, holds == literal.positive, phrase, cells, paths)

    def _seen_by(self, term: Term) -> tuple[bool, tuple[Cell, ...], tuple[tuple[Cell, ...], ...]]:
        """What a program says, the cells it looked at and the walks it took."""
        if term not in self._seen:
            view = _WatchedView(self.grid, self.policy.tokens, self.action)
            holds = run(term, view, self.policy.language)
            self._seen[term] = (holds, tuple(view.different or view.cells), tuple(view.paths))
        return self._seen[term]


class _WatchedView(View):
    """A view that remembers, in order and each once, the cells whose values were read, those of them that were said to
    have made the difference, and the walks that were taken."""

    def __init__(self, grid: Grid, tokens: Tokens, action: Action) -> None:
        super().__init__(grid, tokens, action)
        self.cells: dict[Cell, None] = {}
        self.different: dict[Cell, None] = {}
        self.paths: dict[tuple[Cell, ...], None] = {}

    def value(self, cell: Cell | None) -> str:
        if cell is not NOWHERE:
            self.cells[cell[0], cell[1]] = None
        return super().value(cell)

    def walked(self, path: list[Cell]) -> None:
        if len(path) > 1:
            self.paths[tuple(path)] = None

    def counted(self, cells: list[Cell]) -> None:
        self.different.update(dict.fromkeys(cells))


def _name(action: Action) -> str:
    return action if isinstance(action, str) else f"click {action}"
