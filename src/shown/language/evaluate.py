"""A fixed set of programs on any states, fast: what a learned policy does at every step."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

import numpy as np

from shown.errors import BadInput
from shown.grid import Grid, Tokens
from shown.language.attention import at_places, places_asked, shape_of
from shown.language.primitives import Primitive
from shown.language.reach import reach_of
from shown.language.reference import NOWHERE, View, run
from shown.language.terms import Argument, Kind, Term, names_by_kind
from shown.memory import Account
from shown.planes import Planes, frame, pack

SLOWER = 500
"""How many times longer the reference takes for one cell than a kernel does for a word."""


AT_PLACES = 50_000
"""How many words of planes could be computed in the time in which one program is asked at places."""

LARGE = 2**28
"""Bytes beyond which it is asked whether there is room."""


class Plan:
    """The order in which to compute some programs: conditions first, like with like, each once.

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
        self._conditions = sorted(inner, key=lambda t: (t.depth, t.primitive, str(t)))
        self._place = {term: i for i, term in enumerate(self._conditions)}
        self._steps = [
            (primitive, self._arguments(primitive, group), np.array([self._place[t] for t in group]))
            for primitive, group in self._groups(self._conditions)
        ]
        order = sorted(range(len(self.terms)), key=lambda i: self.terms[i].primitive)
        self._tops = []
        for primitive, group in self._groups([self.terms[i] for i in order]):
            places, order = order[: len(group)], order[len(group) :]
            self._tops.append((primitive, self._arguments(primitive, group), np.array(places)))
        self._shapes = [shape_of(term, language) for term in self.terms]
        self._asking = [shape for shape in self._shapes if shape.parts]

    def world(self, grids: Sequence[Grid]) -> Planes:
        """The states as planes with the margin that these programs need."""
        return Planes(grids, self.tokens, self.buttons, self.reach.margin(grids))

    def bytes(self, grids: Sequence[Grid]) -> int:
        """What the planes of these states, and of the conditions on them, take."""
        planes = len(self._conditions) + len(self.tokens.values) + 4
        return 8 * planes * math.prod(frame(grids, self.reach.margin(grids)))

    def world_and_columns(self, grids: Sequence[Grid]) -> tuple[Planes, np.ndarray]:
        """The rows of some states, and the programs' values there. [terms, R] uint64

        By planes; but where the grids are large and programs look at little of them, at places; and where programs look
        far beyond a small grid, nearly all cells of the planes would be computed in
        vain, so there the reference is asked, which looks only where it is sent. OutOfMemory if there is no room.
        """
        if self._look_at_little(frame(grids, self.reach.margin(grids))):
            world = self.world(grids)
            return world, self._columns_at_places(world)
        if len(grids) == 1 and self._mostly_margin(grids[0]):
            world = Planes(grids, self.tokens, self.buttons)
            values = reference_columns(self.terms, grids[0], self.tokens, self.buttons, self.language)
            return world, values.astype(np.uint64)
        needed = self.bytes(grids)
        if needed > LARGE:
            Account().take(needed, f"acting on a grid of {grids[0].height} × {grids[0].width}")
        world = self.world(grids)
        return world, self.columns(world)

    def _look_at_little(self, frame: tuple[int, int, int]) -> bool:
        """Whether to ask the programs at places takes less time than to compute planes."""
        planes = len(self._conditions) * math.prod(frame)
        if AT_PLACES * len(self._asking) >= planes:
            return False  # as on all small grids, where there is no time to think about it
        asked = [
            AT_PLACES + frame[2] * places_asked(shape, self.language, self.buttons, frame) for shape in self._asking
        ]
        return sum(asked) < planes

    def _columns_at_places(self, world: Planes) -> np.ndarray:
        """What `columns` gives."""
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

    def _mostly_margin(self, grid: Grid) -> bool:
        rows, columns, _ = frame([grid], self.reach.margin([grid]))
        actions = len(self.buttons) or grid.height * grid.width
        return len(self._conditions) * rows * columns > SLOWER * len(self.terms) * max(actions, 1) > 0

    def columns(self, world: Planes) -> np.ndarray:
        """The programs' values on all rows. [terms, R] uint64"""
        store = np.empty((len(self._conditions), *world.shape), dtype=np.uint64)
        for primitive, arguments, places in self._steps:
            store[places] = run_many(world, primitive, arguments, store)
        columns = np.empty((len(self.terms), len(world.row_words)), dtype=np.uint64)
        for primitive, arguments, places in self._tops:
            columns[places] = world.columns(run_many(world, primitive, arguments, store))
        return columns

    def _groups(self, terms: list[Term]) -> list[tuple[Primitive, list[Term]]]:
        groups: list[tuple[Primitive, list[Term]]] = []
        for term in terms:
            primitive = self.language[term.primitive]
            if groups and groups[-1][0] is primitive and groups[-1][1][-1].depth == term.depth:
                groups[-1][1].append(term)
            else:
                groups.append((primitive, [term]))
        return groups

    def _arguments(self, primitive: Primitive, terms: list[Term]) -> list[np.ndarray]:
        names = names_by_kind(self.tokens.values, self.buttons)

        def code(kind: Kind, argument: Argument) -> object:
            if isinstance(argument, Term):
                return self._place[argument]
            return names[kind].index(str(argument)) if kind in names else argument

        return [
            np.array([code(kind, term.arguments[i]) for term in terms], dtype=np.int64)
            for i, kind in enumerate(primitive.takes)
        ]


def run_many(world: Planes, primitive: Primitive, arguments: Sequence[np.ndarray], store: np.ndarray) -> np.ndarray:
    """A primitive on many argument tuples: conditions as numbers of planes in `store`, names as numbers.

    By the primitive's compiled twin if it has one, else by its kernel, else cell by cell. [n, ...]
    """
    if primitive.many is not None:
        return primitive.many(world, store, *arguments)

    names = names_by_kind(world.values, world.buttons)

    def argument(kind: Kind, code: np.ndarray) -> Argument | np.ndarray:
        if kind is Kind.CONDITION:
            return store[code]
        if kind is Kind.OFFSET:
            return int(code[0]), int(code[1])
        return names[kind][int(code)] if kind in names else int(code)

    results = []
    for i in range(how_many(arguments)):
        chosen = [argument(kind, codes[i]) for kind, codes in zip(primitive.takes, arguments, strict=True)]
        if primitive.kernel is not None:
            results.append(primitive.kernel(world, *chosen))
        else:
            results.append(run_cell_by_cell(world, primitive, chosen))
    return np.stack(results)


def how_many(arguments: Sequence[np.ndarray]) -> int:
    """The number of argument tuples: one, the empty tuple, for a primitive that takes nothing."""
    return len(arguments[0]) if arguments else 1


def run_cell_by_cell(world: Planes, primitive: Primitive, arguments: Sequence[Argument | np.ndarray]) -> np.ndarray:
    """What a kernel would give, by asking the primitive's meaning about every cell of every state. Slow.

    A program gives a value for every action: a plane, or `[buttons, words]` in worlds with buttons.
    """
    rows, columns, words = world.shape
    void, nowhere, margin = words * 64 - 2, words * 64 - 1, world.margin
    state_at = {int(slot): state for state, slot in enumerate(world.slot)}
    one_cell = Grid((next(iter(world.tokens)),))

    def condition(plane: np.ndarray, bit: int) -> object:
        def holds(view: View, cell: tuple[int, int] | None) -> bool:
            if bit == nowhere and cell is not NOWHERE:
                raise _looks_from_nowhere(primitive)
            r, c, at = (0, 0, nowhere) if cell is NOWHERE else (cell[0] + margin, cell[1] + margin, bit)
            if not (0 <= r < rows and 0 <= c < columns):
                r, c, at = 0, 0, void
            return bool(int(plane[r, c, at // 64]) >> (at % 64) & 1)

        return holds

    places = [(r, c) for r in range(rows) for c in range(columns)]
    program = primitive.gives is Kind.PROGRAM
    width = (len(world.buttons),) if program and world.buttons else (rows, columns)
    bits = np.zeros((words * 64, *width), dtype=bool)
    for bit in range(words * 64):
        real = bit in state_at
        grid = world.grids[state_at[bit]] if real else one_cell
        bound = [condition(a, bit) if isinstance(a, np.ndarray) else a for a in arguments]
        if program and real and world.buttons:
            for place, button in enumerate(world.buttons):
                bits[bit, place] = primitive.meaning(View(grid, world.tokens, button), *bound)
        elif program and real:
            # Only cells are clicked: a meaning need not know what to do elsewhere.
            for r, c in grid.cells():
                bits[bit, r + margin, c + margin] = primitive.meaning(View(grid, world.tokens, (r, c)), *bound)
        elif program:
            continue
        elif real:
            view = View(grid, world.tokens)
            for r, c in places:
                bits[bit, r, c] = primitive.meaning(view, (r - margin, c - margin), *bound)
        else:
            # The void has no cell on its grid; a cell out of sight of a small grid sees the same.
            far = (-2 * margin - 2, -2 * margin - 2)
            view = _NoView(primitive, world.tokens) if bit == nowhere else View(one_cell, world.tokens)
            bits[bit] = primitive.meaning(view, NOWHERE if bit == nowhere else far, *bound)
    return pack(bits)


class _NoView(View):
    """What there is to see from nowhere. All states share this one, so no meaning may look at the grid from there."""

    def __init__(self, primitive: Primitive, tokens: Tokens) -> None:
        self._primitive, self.tokens, self.action = primitive, tokens, None

    @property
    def grid(self) -> Grid:  # type: ignore[override]
        raise _looks_from_nowhere(self._primitive)


def _looks_from_nowhere(primitive: Primitive) -> BadInput:
    return BadInput(
        f"primitive {primitive.name} looks at the grid although attention is nowhere. Let its meaning begin with "
        "`if cell is NOWHERE: return False`, or give another answer there that is the same for all states."
    )


def reference_columns(
    terms: Sequence[Term], grid: Grid, tokens: Tokens, buttons: tuple[str, ...], language: Mapping[str, Primitive]
) -> np.ndarray:
    """What `Plan.columns` gives for one state, by the reference interpreter. [terms, actions] bool"""
    actions = list(buttons) if buttons else list(grid.cells())
    return np.array(
        [[run(term, View(grid, tokens, action), language) for action in actions] for term in terms], dtype=bool
    ).reshape(len(terms), len(actions))
