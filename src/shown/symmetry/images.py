"""Images of grids, actions and demonstrations under a transformation."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from functools import lru_cache

from shown.demonstrations import Demonstration, Demonstrations, Step
from shown.errors import BadInput
from shown.grid import Action, Cell, Grid, Tokens
from shown.symmetry.transformation import Transformation, closure


def of_grid(grid: Grid, transformation: Transformation, tokens: Tokens) -> Grid:
    """Return the image of a grid: cells moved, tokens exchanged, fixed tokens put back.

    >>> from shown.grid import grid
    >>> tokens = Tokens(empty=".", robot="A", block="#", left_arrow="<", right_arrow=">")
    >>> board, arrows = grid("A...", "##<>"), ("left_arrow", "right_arrow")
    >>> of_grid(board, Transformation("left-right", tokens=(arrows,)), tokens).rows
    ('...A', '<>##')
    >>> of_grid(board, Transformation("left-right", tokens=(arrows,), stays=arrows), tokens).rows
    ('...A', '##<>')
    """
    down, right = _signs(transformation)
    rows = grid.rows
    if transformation.turns:
        rows = tuple("".join(column) for column in zip(*rows, strict=True))
    if down < 0:
        rows = rows[::-1]
    if right < 0:
        rows = tuple(row[::-1] for row in rows)
    if transformation.tokens:
        table = _characters(transformation, tokens)
        rows = tuple(row.translate(table) for row in rows)
    moved = Grid(rows)
    return moved.with_cells({cell: grid[cell] for cell in kept_cells(grid, transformation, tokens)})


def of_cell(cell: Cell, transformation: Transformation, shape: tuple[int, int]) -> Cell:
    """Return the image of a cell of a grid of some shape, ignoring fixed tokens.

    >>> of_cell((0, 0), Transformation("clockwise"), (2, 3))
    (0, 1)
    """
    a, b, c, d = transformation.matrix
    row, column = cell
    height, width = shape[::-1] if transformation.turns else shape
    down, right = _signs(transformation)
    return (
        a * row + b * column + (height - 1 if down < 0 else 0),
        c * row + d * column + (width - 1 if right < 0 else 0),
    )


def kept_cells(grid: Grid, transformation: Transformation, tokens: Tokens) -> frozenset[Cell]:
    """Return the cells that do not move: those with a fixed token, and those that these would have moved to."""
    if not transformation.stays:
        return frozenset()
    holders = grid.where("".join(tokens[name] for name in transformation.stays))
    return frozenset(holders) | {of_cell(cell, transformation, grid.shape) for cell in holders}


def of_action(action: Action, transformation: Transformation, grid: Grid, tokens: Tokens) -> Action:
    """Return the image of an action on `grid`.

    A button becomes its partner, a click moves with its cell. A click on a cell that does not move stays, unless its
    token is exchanged: the click on the first such token becomes the click on the first of the other token, and so on
    in reading order. Raises BadInput if their numbers differ; `fits` tests for this.

    >>> from shown.grid import grid
    >>> tokens = Tokens(empty=".", robot="A", block="#", left_arrow="<", right_arrow=">")
    >>> arrows = ("left_arrow", "right_arrow")
    >>> mirror = Transformation("left-right", tokens=(arrows,), stays=arrows)
    >>> board = grid("A...", "##<>")
    >>> [of_action(click, mirror, board, tokens) for click in ((0, 0), (1, 3), (1, 2), (1, 0))]
    [(0, 3), (1, 2), (1, 3), (1, 0)]
    """
    if isinstance(action, str):
        return dict(transformation.buttons).get(action, action)
    if action not in kept_cells(grid, transformation, tokens):
        return of_cell(action, transformation, grid.shape)
    name = tokens.name(grid[action])
    other = dict(transformation.tokens).get(name, name)
    if other == name or name not in transformation.stays:
        return action
    here, there = grid.where(tokens[name]), grid.where(tokens[other])
    if len(here) != len(there):
        raise BadInput(
            f"{name} and {other} stay in place and are exchanged, but there are {len(here)} and {len(there)} of them."
        )
    return there[here.index(action)]


def fits(grid: Grid, transformation: Transformation, tokens: Tokens) -> bool:
    """Return whether every action on `grid` has an image: fixed tokens that are exchanged must be equally many."""
    exchanged = [(name, other) for name, other in transformation.tokens if name in transformation.stays]
    return all(len(grid.where(tokens[name])) == len(grid.where(tokens[other])) for name, other in exchanged)


def of_step(step: Step, transformation: Transformation, tokens: Tokens) -> Step:
    """Return the step with its grid, action and open actions transformed; its weight stays the same."""
    return replace(
        step,
        grid=of_grid(step.grid, transformation, tokens),
        action=of_action(step.action, transformation, step.grid, tokens),
        open=tuple(of_action(action, transformation, step.grid, tokens) for action in step.open),
    )


def of_demonstration(
    demonstration: Demonstration, transformation: Transformation, tokens: Tokens
) -> Demonstration | None:
    """Return the image of a demonstration, or None if one of its grids does not fit.

    The level is renamed and the seed dropped, since the random events of the game would differ.
    """
    if transformation.is_identity:
        return demonstration
    if not all(fits(step.grid, transformation, tokens) for step in demonstration.steps):
        return None
    steps = tuple(of_step(step, transformation, tokens) for step in demonstration.steps)
    level = demonstration.level and f"{demonstration.level}, {transformation.words}"
    return Demonstration(steps, level, None, demonstration.outcome)


def images(demonstrations: Demonstrations, transformations: Iterable[Transformation]) -> Demonstrations:
    """Return the demonstrations, followed by their images under the group that the transformations generate.

    A demonstration and its images share its weight. Equal images occur once. Images never overrule demonstrations: a
    step of an image that contradicts a demonstrated or refused action on the same grid is dropped.

    >>> from shown.grid import grid
    >>> stick = Demonstrations.from_runs(Tokens(empty=".", stick="|"), [[(grid("|.", "||"), (0, 0))]])
    >>> for step in images(stick, [Transformation("left-right")]).steps:
    ...     print(step.grid.rows, step.action, step.weight)
    ('|.', '||') (0, 0) 0.5
    ('.|', '||') (0, 1) 0.5
    """
    group = closure(transformations)
    for transformation in group:
        transformation.check(demonstrations.tokens, demonstrations.buttons)
    tokens, said = demonstrations.tokens, {(step.grid, step.action): step.refused for step in demonstrations.steps}
    shared = []
    for item in demonstrations:
        dropped = [
            (transformation, place)
            for transformation, image in _orbit(item, group, tokens)[1:]
            for place, step in enumerate(image.steps)
            if said.get((step.grid, step.action), step.refused) != step.refused
        ]
        shared.append(_sharing(item, group, tokens, frozenset(dropped)))
    originals = tuple(orbit[group[0]] for orbit in shared)
    others = tuple(orbit[t] for t in group[1:] for orbit in shared if t in orbit and orbit[t].steps)
    return replace(demonstrations, items=originals + others)


@lru_cache(maxsize=256)  # a hypothesis is fitted to the same demonstrations many times
def _orbit(
    item: Demonstration, group: tuple[Transformation, ...], tokens: Tokens
) -> tuple[tuple[Transformation, Demonstration], ...]:
    """Return the distinct images of a demonstration, itself first."""
    found: dict[tuple[Step, ...], tuple[Transformation, Demonstration]] = {}
    for transformation in group:
        image = of_demonstration(item, transformation, tokens)
        if image is not None:
            # Steps whose open actions differ only in order are equal.
            seen = tuple(replace(step, open=tuple(sorted(step.open, key=repr))) for step in image.steps)
            found.setdefault(seen, (transformation, image))
    return tuple(found.values())


@lru_cache(maxsize=256)
def _sharing(
    item: Demonstration,
    group: tuple[Transformation, ...],
    tokens: Tokens,
    dropped: frozenset[tuple[Transformation, int]],
) -> dict[Transformation, Demonstration]:
    """Return the images without dropped steps, each step with its share of the weight."""
    orbit = _orbit(item, group, tokens)
    parts = [sum((t, place) not in dropped for t, _ in orbit) for place in range(len(item.steps))]
    shared = {}
    for t, image in orbit:
        kept = [(step, parts[place]) for place, step in enumerate(image.steps) if (t, place) not in dropped]
        shared[t] = replace(image, steps=tuple(replace(step, weight=step.weight / part) for step, part in kept))
    return shared


def _signs(transformation: Transformation) -> tuple[int, int]:
    """Return -1 for rows and for columns of the image that run backwards, else 1."""
    a, b, c, d = transformation.matrix
    return a + b, c + d


@lru_cache(maxsize=256)
def _characters(transformation: Transformation, tokens: Tokens) -> dict[int, str]:
    return str.maketrans({tokens[name]: tokens[other] for name, other in transformation.tokens})
