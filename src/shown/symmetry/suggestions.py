"""Which symmetries do demonstrations have? What they contradict is out; what is guessed needs something for it.

A demonstration *contradicts* a transformation if the image of one of its steps says otherwise than what was done: the
same grid, but another action. With a few demonstrations of large grids no grid comes twice, so that hardly anything is
ever contradicted, and it would be rash to take all the rest for symmetries. A transformation that nobody named must
therefore pass two more tests:

- *Its grids look as usual.* In a world with gravity, a grid upside down has things above and below each other that never
  were so. At most one pair of neighbours in 200 may be new.
- *More is for it than against it*, by what clicks look like from near: the clicked cell and the eight around it. The
  image of a click is for it if such a click was made, and against it if such cells were seen but never clicked. One
  click and its own image may be chance, so that three must be for it.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import combinations, pairwise

from shown.demonstrations import Demonstrations, Step
from shown.grid import Action, Cell, Grid, Tokens
from shown.language.terms import Offset
from shown.symmetry.images import fits, of_action, of_grid, of_step
from shown.symmetry.programs import of_offset
from shown.symmetry.transformation import (
    MOTIONS,
    UNDO_THEMSELVES,
    Exchange,
    Transformation,
    closure,
)

WAYS: tuple[dict[str, Offset], ...] = (
    {"left": (0, -1), "right": (0, 1), "up": (-1, 0), "down": (1, 0)},
    {"left": (0, -1), "right": (0, 1), "top": (-1, 0), "bottom": (1, 0)},
    {"west": (0, -1), "east": (0, 1), "north": (-1, 0), "south": (1, 0)},
)
"""Words in the names of tokens and buttons by which one sees that they are exchanged."""

LEAST_FOR_IT = 3
MOST_UNUSUAL = 1 / 200
MOST_PAIRS = 20
"""If more pairs of tokens than this occur equally often, that tells nothing."""

View = tuple[str, ...]
"""A cell and the eight around it, as text; blanks are off the grid."""


def suggest_symmetries(
    demonstrations: Demonstrations, candidates: Iterable[Transformation] | None = None
) -> tuple[Transformation, ...]:
    """The transformations that may be symmetries of what was demonstrated; none if nothing speaks for any.

    Of `candidates`, such as a game's own, all that nothing contradicts. Without them, the seven ways to mirror and turn
    a grid, with tokens exchanged that are called so ("left_arrow", "right_arrow") or always occur equally often, and
    tokens kept in place that always lie in the same corner; of these, the ones that have enough for them (see above).
    Either way those suggested are compatible: nothing that they generate together is contradicted.

    >>> from shown.grid import grid
    >>> piles = [(".|", "||"), ("|.", "||"), (".|", ".|", "||"), ("|.", "|.", "||")]
    >>> runs = [[(grid(*rows), (len(rows) - 2, rows[0].index("|")))] for rows in piles]
    >>> tokens = Tokens(empty=".", stick="|")
    >>> [t.words for t in suggest_symmetries(Demonstrations.from_runs(tokens, runs))]
    ['mirrored']
    >>> suggest_symmetries(Demonstrations.from_runs(tokens, runs[:1]))
    ()
    """
    chosen: list[Transformation] = []
    for transformation in _guessed(demonstrations) if candidates is None else candidates:
        transformation.check(demonstrations.tokens, demonstrations.buttons)
        if transformation.is_identity or transformation in closure(chosen):
            continue
        if any(t.stays for t in (*chosen, transformation)) and chosen:
            continue  # one with tokens that stay in place stands by itself
        if not any(contradicts(demonstrations, t) for t in closure([*chosen, transformation])):
            chosen.append(transformation)
    return tuple(chosen)


def contradicts(demonstrations: Demonstrations, transformation: Transformation) -> bool:
    """Whether the image of a step says otherwise about a demonstrated grid than the demonstrations do.

    An image that shows an action contradicts the steps on the same grid if none of them shows it or leaves it open; one
    that refuses an action, if one of them shows it.
    """
    tokens = demonstrations.tokens
    shown: dict[Grid, set[Action]] = {}
    allowed: dict[Grid, set[Action]] = {}
    refused: dict[Grid, set[Action]] = {}
    for step in demonstrations.steps:
        (refused if step.refused else shown).setdefault(step.grid, set()).add(step.action)
        if not step.refused:
            allowed.setdefault(step.grid, set()).update((step.action, *step.open))
    for step in demonstrations.steps:
        if not fits(step.grid, transformation, tokens):
            return True
        grid = of_grid(step.grid, transformation, tokens)
        action = of_action(step.action, transformation, step.grid, tokens)
        if step.refused:
            if action in shown.get(grid, ()):
                return True
        elif action in refused.get(grid, ()) or (grid in allowed and action not in allowed[grid]):
            return True
    return False


def support(demonstrations: Demonstrations, transformation: Transformation) -> tuple[int, int]:
    """How many different clicks, as they look from near, are for a transformation and how many against it.

    The image of a click is for it if such a click was made too, against it if such cells were seen and never clicked.
    Clicks that look the same as their image, and those whose image was never seen, say nothing. Nor do buttons.
    """
    clicked: set[View] = set()
    seen: set[View] = set()
    pictures: set[View] = set()
    for step in demonstrations.steps:
        if isinstance(step.action, str) or step.refused:
            continue
        here = view(step.grid, step.action)
        clicked.add(here)
        if fits(step.grid, transformation, demonstrations.tokens):
            image = of_step(step, transformation, demonstrations.tokens)
            there = view(image.grid, _cell(image))
            if there != here:
                pictures.add(there)
    for grid in dict.fromkeys(step.grid for step in demonstrations.steps):
        seen.update(views(grid))
    return len(pictures & clicked), len((pictures & seen) - clicked)


def unusual(demonstrations: Demonstrations, transformation: Transformation) -> float:
    """The share of neighbours in the images of the grids that were never such neighbours in the grids themselves."""
    grids = list(dict.fromkeys(step.grid for step in demonstrations.steps))
    known = {pair for grid in grids for pair in _neighbours(grid)}
    images = (of_grid(grid, transformation, demonstrations.tokens) for grid in grids)
    new = [pair not in known for image in images for pair in _neighbours(image)]
    return sum(new) / len(new)


def _neighbours(grid: Grid) -> Iterator[tuple[bool, str, str]]:
    """All pairs of cells side by side, and all above each other, the edge included."""
    rows = _padded(grid)
    for row in rows:
        yield from ((True, *pair) for pair in pairwise(row))
    for above, below in pairwise(rows):
        yield from ((False, *pair) for pair in zip(above, below, strict=True))


def view(grid: Grid, cell: Cell) -> View:
    """A cell and the eight around it."""
    rows = _padded(grid)
    r, c = cell
    return tuple(row[c : c + 3] for row in rows[r : r + 3])


def views(grid: Grid) -> Iterator[View]:
    """What every cell looks like from near."""
    rows = _padded(grid)
    for r in range(grid.height):
        for c in range(grid.width):
            yield tuple(row[c : c + 3] for row in rows[r : r + 3])


def _padded(grid: Grid) -> list[str]:
    edge = " " * (grid.width + 2)
    return [edge, *(f" {row} " for row in grid.rows), edge]


def _cell(step: Step) -> Cell:
    assert not isinstance(step.action, str)
    return step.action


# --- guesses ---------------------------------------------------------------------------------------------------------


def _guessed(demonstrations: Demonstrations) -> Iterator[Transformation]:
    """For each motion the guess that has most for it, if that is enough and its grids look as usual."""
    for cells in MOTIONS[1:]:
        best, most = None, 0
        for guess in _guesses(demonstrations, cells):
            for_it, against = support(demonstrations, guess)
            if for_it < LEAST_FOR_IT or unusual(demonstrations, guess) > MOST_UNUSUAL:
                continue
            if for_it - against > most:
                best, most = guess, for_it - against
        if best is not None:
            yield best


def _guesses(demonstrations: Demonstrations, cells: str) -> Iterator[Transformation]:
    """A motion with the exchanges that come into question, the likeliest first."""
    tokens, buttons = demonstrations.tokens, demonstrations.buttons
    motion = Transformation(cells)
    named = exchange_by_name(tokens.names, motion)
    exchanges = [named] if named else [(), *(((pair,)) for pair in _equally_often(demonstrations))]
    fixed = _in_a_corner(demonstrations) if cells in UNDO_THEMSELVES else ()
    for exchange in exchanges:
        for stays in dict.fromkeys(((), fixed)):
            if all((name in stays) == (other in stays) for name, other in exchange):
                yield Transformation(cells, exchange, stays, exchange_by_name(buttons, motion))


def exchange_by_name(names: Iterable[str], motion: Transformation) -> Exchange:
    """Which names a motion exchanges, if one goes by the words in them; none where a partner is missing.

    >>> exchange_by_name(["wall", "go_left", "go_right"], Transformation("left-right"))
    (('go_left', 'go_right'), ('go_right', 'go_left'))
    """
    known = list(names)
    for ways in WAYS:
        word_of = {offset: word for word, offset in ways.items()}
        becomes = {
            name: "_".join(word_of[of_offset(ways[p], motion)] if p in ways else p for p in name.split("_"))
            for name in known
        }
        changed = tuple((name, other) for name, other in becomes.items() if name != other)
        if changed and all(other in known for _, other in changed):
            return changed
    return ()


def _equally_often(demonstrations: Demonstrations) -> list[tuple[str, str]]:
    """Pairs of tokens that are clicked, and occur equally often in every grid."""
    tokens: Tokens = demonstrations.tokens
    grids = list(dict.fromkeys(step.grid for step in demonstrations.steps))
    clicked = {tokens.name(s.grid[s.action]) for s in demonstrations.steps if not isinstance(s.action, str)}
    counts = {name: [grid.text.count(tokens[name]) for grid in grids] for name in tokens.names if name in clicked}
    pairs = [(a, b) for a, b in combinations(counts, 2) if counts[a] == counts[b]]
    return pairs if len(pairs) <= MOST_PAIRS else []


def _in_a_corner(demonstrations: Demonstrations) -> tuple[str, ...]:
    """Tokens that are once in every grid, always at the same distance from the same corner, in grids of two widths."""
    tokens = demonstrations.tokens
    grids = list(dict.fromkeys(step.grid for step in demonstrations.steps))
    if len({grid.width for grid in grids}) < 2 or len({grid.height for grid in grids}) < 2:
        return ()
    return tuple(name for name in tokens.names if _is_in_a_corner(grids, tokens[name]))


def _is_in_a_corner(grids: list[Grid], character: str) -> bool:
    found = [grid.where(character) for grid in grids]
    if any(len(cells) != 1 for cells in found):
        return False
    places = [(cells[0], grid.shape) for cells, grid in zip(found, grids, strict=True)]
    rows = any(len({r - last * height for (r, _), (height, _) in places}) == 1 for last in (0, 1))
    columns = any(len({c - last * width for (_, c), (_, width) in places}) == 1 for last in (0, 1))
    return rows and columns
