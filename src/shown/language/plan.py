"""Plans: a fixed set of programs evaluated on any states, as a learned policy needs at every step."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from contextlib import suppress
from functools import cached_property

import numpy as np

from shown.engine.memory import refuse_above
from shown.engine.planes import Planes, frame
from shown.grid import Action, Grid, Tokens
from shown.language.attention import at_places, places_asked, shape_of
from shown.language.kernels import argument_codes, run_many
from shown.language.primitives import Primitive
from shown.language.primitives.paper import AT_ACTION_CELL
from shown.language.reach import reach_of
from shown.language.reference import LimitedView, TooManyLooksError, View, bind
from shown.language.shapes import Shape
from shown.language.terms import Kind, Term, names_by_kind

SLOWER = 500
"""Time of the reference interpreter for one cell, in units of the time of a kernel for one word."""

AT_PLACES = 50_000
"""Words of planes computed in the time that evaluating one program at places takes."""

WORDS_A_LOOK = 100
"""Words of planes computed in the time that one look of the reference interpreter takes."""

LARGE = 2**28
"""Bytes above which the memory limit is checked."""


class Plan:
    """An order in which to evaluate programs: conditions first, grouped by primitive, each once.

    >>> from shown.grid import grid
    >>> from shown.language.primitives import LANGUAGE
    >>> from shown.language.terms import parse
    >>> tokens = Tokens(empty=".", stick="|")
    >>> program = parse("at_action_cell(shifted((0, 1), cell_is_value(empty)))", LANGUAGE, tokens.values)
    >>> plan = Plan([program], tokens, (), LANGUAGE)
    >>> plan.columns(plan.world([grid("|.", "..")])).tolist()
    [[1, 0, 1, 0]]
    """

    def __init__(
        self, terms: Sequence[Term], tokens: Tokens, buttons: tuple[str, ...], language: Mapping[str, Primitive]
    ) -> None:
        self.terms, self.tokens, self.buttons, self.language = tuple(terms), tokens, buttons, language
        self.reach = reach_of(terms, language)
        inner = {part for term in terms for part in term.walk() if language[part.primitive].gives is Kind.CONDITION}
        depth = {term: term.depth for term in (*inner, *terms)}
        self._conditions = sorted(inner, key=lambda t: (depth[t], t.primitive, str(t)))
        self._place = {term: i for i, term in enumerate(self._conditions)}
        self._steps = [
            # The conditions of a group stand together.
            (primitive, self._arguments(primitive, group), slice(self._place[group[0]], self._place[group[-1]] + 1))
            for primitive, group in self._groups(self._conditions, depth)
        ]
        tops: dict[str, list[int]] = {}
        for i, term in enumerate(self.terms):
            tops.setdefault(term.primitive, []).append(i)
        self._tops = [
            (language[name], self._arguments(language[name], [self.terms[i] for i in places]), np.array(places))
            for name, places in tops.items()
        ]
        self._asking = [i for i, term in enumerate(self.terms) if term.parts]

    @cached_property
    def _shapes(self) -> list[Shape]:
        """The terms as shapes, which only large grids need."""
        return [shape_of(term, self.language) for term in self.terms]

    def world(self, grids: Sequence[Grid]) -> Planes:
        """Return the states as planes with the margin that these programs need."""
        return Planes(grids, self.tokens, self.buttons, self.reach.margin(grids))

    def bytes(self, grids: Sequence[Grid]) -> int:
        """Return the size of the planes of these states and of the conditions on them."""
        return self._bytes(frame(grids, self.reach.margin(grids)))

    def _bytes(self, frame: tuple[int, int, int]) -> int:
        return 8 * (len(self._conditions) + len(self.tokens.values) + 4) * math.prod(frame)

    def world_and_columns(self, grids: Sequence[Grid]) -> tuple[Planes, np.ndarray]:
        """Return the rows of some states, and the values of the programs on them. [terms, R] uint64

        Uses planes by default; places, if the grids are large and the programs read few cells; and the reference
        interpreter, if the programs look far beyond a small grid, since planes would be mostly margin. Raises
        OutOfMemory above the limit.
        """
        framed = frame(grids, self.reach.margin(grids))
        if self._look_at_little(framed):
            world = self.world(grids)
            return world, self._columns_at_places(world)
        words = len(self._conditions) * math.prod(framed)
        if len(grids) == 1 and words > SLOWER * len(self.terms) * (len(self.buttons) or math.prod(grids[0].shape)):
            world = Planes(grids, self.tokens, self.buttons)
            view = LimitedView(grids[0], self.tokens, None, words // WORDS_A_LOOK)
            with suppress(TooManyLooksError):
                values = reference_columns(self.terms, view, self.buttons, self.language)
                return world, values.astype(np.uint64)
        needed = self._bytes(framed)
        if needed > LARGE:
            refuse_above(needed, f"acting on a grid of {grids[0].height} × {grids[0].width}")
        world = self.world(grids)
        return world, self.columns(world)

    def _look_at_little(self, frame: tuple[int, int, int]) -> bool:
        """Return whether evaluating at places is faster than computing planes."""
        planes = len(self._conditions) * math.prod(frame)
        if AT_PLACES * len(self._asking) >= planes:
            return False  # all small grids, where an estimate would take too long
        asked = (places_asked(self._shapes[i], self.language, self.buttons, frame) for i in self._asking)
        return sum(AT_PLACES + frame[2] * places for places in asked) < planes

    def _columns_at_places(self, world: Planes) -> np.ndarray:
        """Return the same as `columns`."""
        columns = np.empty((len(self.terms), len(world.row_words)), dtype=np.uint64)
        no_planes = np.empty((0, *world.shape), dtype=np.uint64)
        for i, (term, shape) in enumerate(zip(self.terms, self._shapes, strict=True)):
            primitive = self.language[shape.primitive]
            if shape.parts:
                results = next(at_places(world, shape, self.language, 1))
            else:
                results = run_many(world, primitive, self._arguments(primitive, [term]), no_planes)
            columns[i] = world.columns(results)[0]
        return columns

    def columns(self, world: Planes) -> np.ndarray:
        """Return the values of the programs on all rows. [terms, R] uint64"""
        store = np.empty((len(self._conditions), *world.shape), dtype=np.uint64)
        for primitive, arguments, group in self._steps:
            store[group] = run_many(world, primitive, arguments, store)
        columns = np.empty((len(self.terms), len(world.row_words)), dtype=np.uint64)
        for primitive, arguments, places in self._tops:
            if primitive is AT_ACTION_CELL:  # the conditions themselves, which need not be copied
                world.fill_columns(columns, places, store, arguments[0])
            else:
                world.fill_columns(columns, places, run_many(world, primitive, arguments, store))
        return columns

    def _groups(self, terms: list[Term], depth: Mapping[Term, int]) -> list[tuple[Primitive, list[Term]]]:
        groups: list[tuple[Primitive, list[Term]]] = []
        for term in terms:
            primitive = self.language[term.primitive]
            if groups and groups[-1][0] is primitive and depth[groups[-1][1][-1]] == depth[term]:
                groups[-1][1].append(term)
            else:
                groups.append((primitive, [term]))
        return groups

    def _arguments(self, primitive: Primitive, terms: list[Term]) -> list[np.ndarray]:
        names = names_by_kind(self.tokens.values, self.buttons)
        return argument_codes(primitive, terms, names, self._place.__getitem__)


def reference_columns(
    terms: Sequence[Term], view: View, buttons: tuple[str, ...], language: Mapping[str, Primitive]
) -> np.ndarray:
    """Return what `Plan.columns` gives for the state of a view, by the reference interpreter. [terms, actions] bool"""
    actions: list[Action] = list(buttons) if buttons else list(view.grid.cells())
    values = np.empty((len(terms), len(actions)), dtype=bool)
    for row, term in zip(values, terms, strict=True):
        program = bind(term, language)
        for i, action in enumerate(actions):
            view.action = action
            row[i] = program(view)
    return values
