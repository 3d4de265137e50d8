"""Symmetries that the demonstrations do not contradict.

A demonstration *contradicts* a transformation if the image of one of its steps has a demonstrated grid but another
action. With a few demonstrations on large grids no grid occurs twice, so that almost nothing is ever contradicted:
candidates come from the game, from the user, or from the names of buttons.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from shown.demonstrations import Demonstrations
from shown.grid import Action, Grid, Tokens
from shown.language.terms import Offset
from shown.symmetry.images import fits, of_action, of_grid, of_step
from shown.symmetry.programs import of_offset
from shown.symmetry.transformation import Exchange, Transformation, closure

DIRECTIONS: tuple[dict[str, Offset], ...] = (
    {"left": (0, -1), "right": (0, 1), "up": (-1, 0), "down": (1, 0)},
    {"left": (0, -1), "right": (0, 1), "top": (-1, 0), "bottom": (1, 0)},
    {"west": (0, -1), "east": (0, 1), "north": (-1, 0), "south": (1, 0)},
)
"""Words in the names of tokens and buttons that a motion exchanges."""


def suggest_symmetries(
    demonstrations: Demonstrations, candidates: Iterable[Transformation]
) -> tuple[Transformation, ...]:
    """Return the candidates that nothing contradicts. The result is consistent: nothing that it generates is, either.

    >>> from shown.grid import Tokens, grid
    >>> runs = [[(grid(".|", "||"), (0, 1))], [(grid("|.", "||"), (0, 0))]]
    >>> demonstrations = Demonstrations.from_runs(Tokens(empty=".", stick="|"), runs)
    >>> [t.words for t in suggest_symmetries(demonstrations, [Transformation("left-right")])]
    ['mirrored left to right']
    """
    chosen: list[Transformation] = []
    for transformation in candidates:
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
