"""Check of a primitive: its parts are compared on random grids.

A primitive has a meaning, a kernel, a compiled twin, a reach and phrases that must agree. An error names the arguments,
the grid and the cell at which two parts differ, and the value of each.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np

from shown.engine.planes import Planes, shift
from shown.errors import BadInput, ShownError
from shown.grid import AREAS, OFF, Action, Cell, Grid, Tokens
from shown.language.kernels import argument_codes, run_cell_by_cell, run_many
from shown.language.phrases import say
from shown.language.primitives import CELL_IS_VALUE, LANGUAGE, Language, Primitive
from shown.language.reach import Reach, reach_of
from shown.language.reference import View, check
from shown.language.terms import Argument, Kind, Term, names_by_kind

BEYOND = 2
"""Conditions are also evaluated this many cells off the grid."""
TOGETHER = 3
"""Number of argument tuples passed to a compiled twin at once."""
OFFSETS = ((-1, 0), (1, 0), (0, -1), (0, 1), (1, 1), (-1, 1), (1, -2), (0, 3))


def check_primitive(
    primitive: Primitive,
    tokens: Tokens | None = None,
    buttons: tuple[str, ...] = ("left", "right"),
    trials: int = 10,
    seed: int = 0,
) -> None:
    """Raise BadInput, naming a counterexample, if the parts of a primitive disagree.

    >>> from shown.language.primitives import LANGUAGE
    >>> check_primitive(LANGUAGE["scanning"])
    >>> check_primitive(replace(LANGUAGE["shifted"], kernel=lambda world, offset, plane: plane))  # doctest: +ELLIPSIS
    Traceback (most recent call last):
    shown.errors.BadInput: primitive shifted: its kernel and its meaning differ. For shifted((...), ...) at row ...

    Args:
        primitive: the primitive.
        tokens: tokens of the game, if the primitive is made for one.
        buttons: buttons of the world, likewise.
        trials: number of sets of random grids, each with new arguments.
        seed: seed of the random choices.
    """
    tokens = tokens or Tokens(empty=".", wall="#", agent="A", two="2")
    rng = np.random.default_rng(seed)
    worlds = [w for w, no in (((), "button"), (buttons, "click")) if primitive.needs != no]
    for trial in range(trials):
        for world in worlds if primitive.gives is Kind.PROGRAM or Kind.BUTTON in primitive.takes else worlds[:1]:
            many = trial == trials - 1  # more states than fit into one word
            sizes = rng.integers(1, 3 if many else 6, size=(70 if many else 4, 2))
            grids = [Grid(tuple("".join(row) for row in rng.choice(list(tokens), size=size))) for size in sizes]
            _Trial(primitive, tokens, world, grids, rng).run()


class _Trial:
    """One set of grids and some argument tuples."""

    def __init__(
        self, primitive: Primitive, tokens: Tokens, buttons: tuple[str, ...], grids: list[Grid], rng: Any
    ) -> None:
        self.primitive, self.tokens, self.buttons, self.grids, self.rng = primitive, tokens, buttons, grids, rng
        self.language: Language = LANGUAGE.extended(primitive, replacing=True)
        kinds = primitive.takes
        self.terms = [Term(primitive.name, tuple(map(self._argument, kinds))) for _ in range(TOGETHER)]

    def run(self) -> None:
        for term in self.terms:
            for positive in (True, False):
                self._try("its phrase", term, partial(say, term, self.language, positive))
        for term in self.terms:
            for grid in self.grids[:4]:
                self._ask(term, grid)
        self._compare()

    # --- arguments ---------------------------------------------------------------------------------------------------

    def _argument(self, kind: Kind) -> Argument:
        choices: Sequence[Any] = {
            Kind.VALUE: self.tokens.values,
            Kind.BUTTON: self.buttons,
            Kind.AREA: AREAS,
            Kind.OFFSET: OFFSETS,
            Kind.NUMBER: range(1, 5),
            Kind.CONDITION: (False, True),
        }[kind]
        choice = choices[int(self.rng.integers(len(choices)))]
        if kind is not Kind.CONDITION:
            return choice  # type: ignore[no-any-return]
        value = Term(CELL_IS_VALUE.name, (self._argument(Kind.VALUE),))
        return Term("shifted", (self._argument(Kind.OFFSET), value)) if choice else value

    # --- the meaning, alone ------------------------------------------------------------------------------------------

    def _ask(self, term: Term, grid: Grid) -> None:
        """Evaluate the meaning everywhere, checking where it evaluates its conditions."""
        if self.primitive.gives is Kind.PROGRAM:
            for action in self.buttons or grid.cells():
                self._answer(term, View(grid, self.tokens, action), (0, 0), f"for {_named(action)} on")
            return
        view = _WithoutAction(self.primitive, grid, self.tokens)
        for r in range(-BEYOND, grid.height + BEYOND):
            for c in range(-BEYOND, grid.width + BEYOND):
                self._answer(term, view, (r, c), f"at {_named((r, c))} of", (r, c))

    def _answer(self, term: Term, view: View, start: Cell, where: str, *cell: Cell) -> None:
        reach = _without_conditions(term, self.language)
        allowed = _off(start, view.grid) + reach.margin([view.grid])

        def bound(argument: Argument) -> Any:
            def condition(view: View, asked: Cell | None) -> bool:
                if asked is not None and _off(asked, view.grid) > allowed:
                    raise BadInput(
                        f"primitive {self.primitive.name}: its meaning looks further off the grid than its reach "
                        f"allows. {term} {where} {_on(view.grid)} looks at {_named(asked)}. Declare a greater reach."
                    )
                return check(argument, view, asked, self.language)  # type: ignore[arg-type]

            return condition if isinstance(argument, Term) else argument

        arguments = [bound(argument) for argument in term.arguments]
        answer = self._try(
            f"its meaning, {where} {_on(view.grid)},", term, lambda: self.primitive.meaning(view, *cell, *arguments)
        )
        if answer not in (True, False):
            raise BadInput(f"primitive {self.primitive.name}: its meaning returns {answer!r} for {term}, not a bool.")

    # --- the kernel and its twin -------------------------------------------------------------------------------------

    def _compare(self) -> None:
        reach = reach_of(self.terms, self.language)
        world = Planes(self.grids, self.tokens, self.buttons, reach.margin(self.grids) + BEYOND)
        conditions = [a for term in self.terms for a in term.parts]
        store = np.stack([_plane(world, condition) for condition in conditions] or [world.inside])
        names = names_by_kind(world.values, world.buttons)
        codes = argument_codes(self.primitive, self.terms, names, conditions.index)
        terms = self.terms if codes else self.terms[:1]
        meant = [self._meant(term, world) for term in terms]
        for part, twin in (("kernel", replace(self.primitive, many=None)), ("compiled twin", self.primitive)):
            if (twin.kernel if part == "kernel" else twin.many) is None:
                continue
            found = self._try(f"its {part}", terms[0], partial(run_many, world, twin, codes, store))
            self._check_shape(part, found, len(terms), world)
            for term, plane, expected in zip(terms, found, meant, strict=True):
                self._check_equal(part, term, world, plane, expected)

    def _meant(self, term: Term, world: Planes) -> np.ndarray:
        arguments = [_plane(world, a) if isinstance(a, Term) else a for a in term.arguments]
        return self._try(  # type: ignore[no-any-return]
            "its meaning, where attention is nowhere or far off the grid,",
            term,
            lambda: run_cell_by_cell(world, self.primitive, arguments),
        )

    def _check_shape(self, part: str, found: Any, count: int, world: Planes) -> None:
        program = self.primitive.gives is Kind.PROGRAM
        words = world.shape[2]
        shapes: list[tuple[int, ...]] = [(len(world.buttons), words)] if program and world.buttons else [world.shape]
        shapes += [(words,)] if program else []
        if isinstance(found, np.ndarray) and found.dtype == np.uint64 and found.shape in [(count, *s) for s in shapes]:
            return
        what = f"{found.dtype} {list(found.shape[1:])}" if isinstance(found, np.ndarray) else type(found).__name__
        wanted = " or ".join(f"uint64 {list(shape)}" for shape in shapes)
        raise BadInput(f"primitive {self.primitive.name}: its {part} returns {what} instead of {wanted}.")

    def _check_equal(self, part: str, term: Term, world: Planes, found: np.ndarray, meant: np.ndarray) -> None:
        if self.primitive.gives is Kind.PROGRAM:
            columns, expected = world.columns(found[None])[0], world.columns(meant[None])[0]
            for state, grid in enumerate(self.grids):
                for action in self.buttons or grid.cells():
                    word, bit = world.row(state, action)
                    self._same(part, term, columns[word], expected[word], bit, f"for {_named(action)} on {_on(grid)}")
            return
        nowhere = 63
        for place in np.ndindex(world.shape[:2]):
            self._same(part, term, found[place][-1], meant[place][-1], nowhere, "where attention is nowhere")
        for state, grid in enumerate(self.grids):
            word, bit = divmod(int(world.slot[state]), 64)
            for r in range(-BEYOND, grid.height + BEYOND):
                for c in range(-BEYOND, grid.width + BEYOND):
                    place = (r + world.margin, c + world.margin, word)
                    self._same(part, term, found[place], meant[place], bit, f"at {_named((r, c))} of {_on(grid)}")

    def _same(self, part: str, term: Term, found: np.uint64, meant: np.uint64, bit: int, where: str) -> None:
        says, should = (bool(int(word) >> bit & 1) for word in (found, meant))
        if says != should:
            raise BadInput(
                f"primitive {self.primitive.name}: its {part} and its meaning differ. For {term} {where}, the meaning "
                f"is {'yes' if should else 'no'}, the {part} {'yes' if says else 'no'}."
            )

    def _try(self, part: str, term: Term, work: Callable[[], Any]) -> Any:
        """Run the author's code; report an error together with the arguments."""
        try:
            return work()
        except ShownError:
            raise
        except Exception as error:
            raise BadInput(
                f"primitive {self.primitive.name}: {part} fails on {term}: {type(error).__name__}: {error}"
            ) from error


class _WithoutAction(View):
    """View without an action, for conditions."""

    def __init__(self, primitive: Primitive, grid: Grid, tokens: Tokens) -> None:
        self.grid, self.tokens, self._primitive = grid, tokens, primitive

    @property
    def action(self) -> Action | None:  # type: ignore[override]
        raise BadInput(
            f"primitive {self._primitive.name}: its meaning reads the action. A condition must not: make it a "
            "program, or use it at the clicked cell with at_action_cell."
        )


def _without_conditions(term: Term, language: Language) -> Reach:
    """Return the reach of the outermost primitive alone."""
    blank = Term(CELL_IS_VALUE.name, (OFF,))
    own = tuple(blank if isinstance(argument, Term) else argument for argument in term.arguments)
    return reach_of([Term(term.primitive, own)], language)


def _plane(world: Planes, condition: Term) -> np.ndarray:
    """Return the plane of a condition drawn by `_argument`."""
    if condition.primitive == CELL_IS_VALUE.name:
        return world.of_value(str(condition.arguments[0]))
    offset, inner = condition.arguments
    return shift(world, offset, _plane(world, inner))  # type: ignore[arg-type]


def _off(cell: Cell, grid: Grid) -> int:
    """Return the distance of a cell from the grid; 0 on the grid."""
    return max(0, -cell[0], -cell[1], cell[0] - grid.height + 1, cell[1] - grid.width + 1)


def _named(action: Action) -> str:
    return action if isinstance(action, str) else f"row {action[0]}, column {action[1]}"


def _on(grid: Grid) -> str:
    return f"the grid {', '.join(map(repr, grid.rows))}"
