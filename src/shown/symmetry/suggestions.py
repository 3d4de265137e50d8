"""Detection of symmetries in demonstrations.

A demonstration *contradicts* a transformation if the image of one of its steps has a demonstrated grid but another
action. With a few demonstrations on large grids no grid occurs twice, so that almost nothing is ever contradicted. A
transformation that was not given as a candidate must therefore pass two more tests:

- *Its grids look familiar.* In a world with gravity, an inverted grid has unseen pairs of cells above each other. At
  most one pair of neighbors in 200 may be new.
- *More evidence for it than against it*, judged by the clicked cell and its eight neighbors. The image of a click
  supports the transformation if such a click was made, and opposes it if such cells were seen but never clicked. At
  least three clicks must support it, since one click and its image may be chance.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import combinations, pairwise

from shown.demonstrations import Demonstrations, Step
from shown.grid import Action, Cell, Grid, Tokens
from shown.language.terms import Offset
from shown.symmetry.images import fits, of_action, of_grid, of_step
from shown.symmetry.programs import of_offset
from shown.symmetry.transformation import MOTIONS, UNDO_THEMSELVES, Exchange, Transformation, closure

DIRECTIONS: tuple[dict[str, Offset], ...] = (
    {"left": (0, -1), "right": (0, 1), "up": (-1, 0), "down": (1, 0)},
    {"left": (0, -1), "right": (0, 1), "top": (-1, 0), "bottom": (1, 0)},
    {"west": (0, -1), "east": (0, 1), "north": (-1, 0), "south": (1, 0)},
)
"""Words in the names of tokens and buttons that a motion exchanges."""

LEAST_FOR_IT = 3
MOST_UNUSUAL = 1 / 200
MOST_PAIRS = 20
"""With more pairs of equally frequent tokens than this, frequency is no evidence."""

Patch = tuple[str, ...]
"""A cell and its eight neighbors as text; blanks are off the grid."""


def suggest_symmetries(
    demonstrations: Demonstrations, candidates: Iterable[Transformation] | None = None
) -> tuple[Transformation, ...]:
    """Return the transformations that may be symmetries of the demonstrations.

    Of given `candidates`, such as those of a game, all that nothing contradicts. Otherwise the seven motions of a grid
    are tried, with tokens exchanged by name ("left_arrow", "right_arrow") or by equal frequency, and tokens fixed that
    always lie in the same corner; those with enough evidence are returned. The result is consistent: nothing that it
    generates is contradicted.

    >>> from shown.grid import Tokens, grid
    >>> piles = [(".|", "||"), ("|.", "||"), (".|", ".|", "||"), ("|.", "|.", "||")]
    >>> runs = [[(grid(*rows), (len(rows) - 2, rows[0].index("|")))] for rows in piles]
    >>> tokens = Tokens(empty=".", stick="|")
    >>> [t.words for t in suggest_symmetries(Demonstrations.from_runs(tokens, runs))]
    ['mirrored left to right']
    >>> suggest_symmetries(Demonstrations.from_runs(tokens, runs[:1]))
    ()
    """
    chosen: list[Transformation] = []
    for transformation in _guessed(demonstrations) if candidates is None else candidates:
        transformation.check(demonstrations.tokens, demonstrations.buttons)
        if transformation.is_identity or transformation in closure(chosen):
            continue
        if any(t.stays for t in (*chosen, transformation)) and chosen:
            continue  # fixed tokens cannot be combined with other symmetries
        if not any(contradicts(demonstrations, t) for t in closure([*chosen, transformation])):
            chosen.append(transformation)
    return tuple(chosen)


def contradicts(demonstrations: Demonstrations, transformation: Transformation) -> bool:
    """Return whether the image of a step contradicts the demonstrations on a demonstrated grid.

    An image that shows an action does so if no step on that grid shows it or leaves it open; one that refuses an
    action, if a step shows it.
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
    """Return the number of distinct clicks, seen with their neighbors, for and against a transformation.

    The image of a click counts for it if such a click was made, against it if such cells were seen and never clicked.
    Clicks equal to their image, clicks with unseen images, and buttons do not count.
    """
    clicked: set[Patch] = set()
    pictures: set[Patch] = set()
    for step in demonstrations.steps:
        if isinstance(step.action, str) or step.refused:
            continue
        here = patch(step.grid, step.action)
        clicked.add(here)
        if fits(step.grid, transformation, demonstrations.tokens):
            image = of_step(step, transformation, demonstrations.tokens)
            there = patch(image.grid, _cell(image))
            if there != here:
                pictures.add(there)
    doubtful = pictures - clicked
    if doubtful:
        seen = {there for grid in _grids(demonstrations) for there in patches(grid)}
        doubtful &= seen
    return len(pictures & clicked), len(doubtful)


def unusual(demonstrations: Demonstrations, transformation: Transformation) -> float:
    """Return the share of neighboring pairs in the images of the grids that never occur in the grids themselves."""
    grids = _grids(demonstrations)
    known = {pair for grid in grids for pair in _neighbors(grid)}
    images = (of_grid(grid, transformation, demonstrations.tokens) for grid in grids)
    new = [pair not in known for image in images for pair in _neighbors(image)]
    return sum(new) / len(new)


def _neighbors(grid: Grid) -> Iterator[tuple[bool, str, str]]:
    """Yield all horizontal and vertical pairs of cells, the edge included."""
    rows = _padded(grid)
    for row in rows:
        yield from ((True, *pair) for pair in pairwise(row))
    for above, below in pairwise(rows):
        yield from ((False, *pair) for pair in zip(above, below, strict=True))


def patch(grid: Grid, cell: Cell) -> Patch:
    """Return a cell and its eight neighbors."""
    rows = _padded(grid)
    r, c = cell
    return tuple(row[c : c + 3] for row in rows[r : r + 3])


def patches(grid: Grid) -> Iterator[Patch]:
    """Yield every cell with its eight neighbors."""
    rows = _padded(grid)
    for r in range(grid.height):
        for c in range(grid.width):
            yield tuple(row[c : c + 3] for row in rows[r : r + 3])


def _grids(demonstrations: Demonstrations) -> list[Grid]:
    """Return the demonstrated grids, each once."""
    return list(dict.fromkeys(step.grid for step in demonstrations.steps))


def _padded(grid: Grid) -> list[str]:
    edge = " " * (grid.width + 2)
    return [edge, *(f" {row} " for row in grid.rows), edge]


def _cell(step: Step) -> Cell:
    assert not isinstance(step.action, str)
    return step.action


# --- guesses ---------------------------------------------------------------------------------------------------------


def _guessed(demonstrations: Demonstrations) -> Iterator[Transformation]:
    """Yield, for each motion, the guess with the most support, if it is enough and its grids look familiar."""
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
    """Yield a motion with possible exchanges, the most plausible first."""
    tokens, buttons = demonstrations.tokens, demonstrations.buttons
    motion = Transformation(cells)
    named = exchange_by_name(tokens.names, motion)
    exchanges = [named] if named else [(), *(((pair,)) for pair in _equally_often(demonstrations))]
    fixed = _in_a_corner(demonstrations) if cells in UNDO_THEMSELVES else ()
    for exchange in exchanges:
        for stays in dict.fromkeys(((), fixed)):
            if all((name in stays) == (other in stays) for name, other in exchange):
                yield Transformation(cells, exchange, stays, exchange_by_name(buttons, motion))


def by_name(motions: Iterable[str], tokens: Tokens, buttons: Sequence[str] = ()) -> tuple[Transformation, ...]:
    """Return motions that exchange the tokens and buttons whose names say so.

    >>> (mirror,) = by_name(["left-right"], Tokens(empty=".", agent="A"), ("left", "right", "stay"))
    >>> mirror.buttons
    (('left', 'right'), ('right', 'left'))
    """
    moved = [Transformation(cells) for cells in motions]
    return tuple(
        Transformation(motion.cells, exchange_by_name(tokens.names, motion), (), exchange_by_name(buttons, motion))
        for motion in moved
    )


def proposed_for_buttons(demonstrations: Demonstrations) -> tuple[Transformation, ...]:
    """Return the mirrorings that exchange buttons by their names and contradict no demonstration."""
    mirrors = by_name(("left-right", "up-down"), demonstrations.tokens, demonstrations.buttons)
    return suggest_symmetries(demonstrations, [mirror for mirror in mirrors if mirror.buttons])


def confirmed(demonstrations: Demonstrations, transformation: Transformation) -> float:
    """Return the share of distinct demonstrated steps whose image was demonstrated as well, and is another one."""
    shown = {(step.grid, step.action): step for step in demonstrations.steps if not step.refused}
    images = {key: of_step(step, transformation, demonstrations.tokens) for key, step in shown.items()}
    found = [key for key, image in images.items() if (image.grid, image.action) in shown and image.grid != key[0]]
    return len(found) / max(len(shown), 1)


def exchange_by_name(names: Iterable[str], motion: Transformation) -> Exchange:
    """Return the names that a motion exchanges according to the words in them; none if a partner is missing.

    >>> exchange_by_name(["wall", "go_left", "go_right"], Transformation("left-right"))
    (('go_left', 'go_right'), ('go_right', 'go_left'))
    """
    known = list(names)
    for ways in DIRECTIONS:
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
    """Return pairs of clicked tokens that occur equally often in every grid."""
    tokens, grids = demonstrations.tokens, _grids(demonstrations)
    clicked = {tokens.name(s.grid[s.action]) for s in demonstrations.steps if not isinstance(s.action, str)}
    counts = {name: [grid.text.count(tokens[name]) for grid in grids] for name in tokens.names if name in clicked}
    pairs = [(a, b) for a, b in combinations(counts, 2) if counts[a] == counts[b]]
    return pairs if len(pairs) <= MOST_PAIRS else []


def _in_a_corner(demonstrations: Demonstrations) -> tuple[str, ...]:
    """Return tokens that occur once per grid at a fixed distance from one corner, in grids of several sizes."""
    tokens, grids = demonstrations.tokens, _grids(demonstrations)
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
