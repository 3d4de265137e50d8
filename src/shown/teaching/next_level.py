"""The most useful level to show next: the one on which the candidate rules disagree most.

Where all candidates want the same, showing it teaches nothing. Where they disagree, what was shown so far leaves open
what was meant.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from shown.games.episodes import LevelWorld
from shown.games.game import Game
from shown.games.levels import Level
from shown.grid import Grid
from shown.world import Start, World, play, play_many

if TYPE_CHECKING:
    from shown.demonstrations import Demonstrations
    from shown.policy import Policy

AGREED = 0.02
"""Candidates that disagree less than this agree: what is left comes from rules that hardly count."""


@dataclass(frozen=True, slots=True)
class Doubt:
    """How much the candidates disagree on a level.

    Attributes:
        level: the level.
        disagreement: the most on any position looked at; 0 if all candidates want the same, at most 1.
        step: how many steps into the game that position is.
        grid: the position.
    """

    level: Level
    disagreement: float
    step: int
    grid: Grid


def doubt(policy: Policy, level: Level, game: Game | World | None = None, seed: int = 0) -> Doubt:
    """Where on `level` (in a world: from `seed`) the candidates disagree most: on the way of the policy's own game, or,
    with no rules to play by, on the first position.
    """
    if game is None:
        return _worst(policy, level, [level.grid])
    world = game if isinstance(game, World) else LevelWorld(game, level)
    return _worst(policy, level, [step.grid for step in play(world, policy.act, seed).steps])


def _worst(policy: Policy, level: Level, grids: Sequence[Grid]) -> Doubt:
    # Of equal positions, and of positions equally in doubt, the first counts; the last digits are chance.
    first = {grid: step for step, grid in reversed(list(enumerate(grids)))}
    disagreement = {grid: round(policy.disagreement(grid), 9) for grid in first}
    worst = max(first, key=lambda grid: (disagreement[grid], -first[grid]))
    return Doubt(level, disagreement[worst], first[worst], worst)


def by_use(
    policy: Policy,
    levels: Iterable[Level],
    game: Game | None = None,
    shown: Demonstrations | None = None,
    seed: int = 0,
    agreed: float = AGREED,
) -> tuple[Doubt, ...]:
    """The levels worth showing, the most useful first; none on which the candidates agree, none shown before."""
    before = _begun(shown)
    return _ranked((doubt(policy, level, game, seed) for level in levels if level.grid not in before), agreed)


def by_use_from(
    policy: Policy, starts: Iterable[Start], shown: Demonstrations | None = None, agreed: float = AGREED
) -> tuple[Doubt, ...]:
    """As `by_use`, of episodes about to begin: so worlds are asked about, which have seeds and no levels."""
    before = _begun(shown)
    new = [(world, seed) for world, seed in starts if world.level(seed).grid not in before]
    episodes = play_many(new, policy)
    return _ranked((_worst(policy, one.level, [step.grid for step in one.steps]) for one in episodes), agreed)


def _begun(shown: Demonstrations | None) -> set[Grid]:
    """The positions that demonstrations began with."""
    return {item.steps[0].grid for item in shown} if shown is not None else set()


def _ranked(doubts: Iterable[Doubt], agreed: float) -> tuple[Doubt, ...]:
    return tuple(sorted((x for x in doubts if x.disagreement >= agreed), key=lambda x: -x.disagreement))


def most_useful(
    policy: Policy,
    levels: Iterable[Level],
    game: Game | None = None,
    shown: Demonstrations | None = None,
    seed: int = 0,
    agreed: float = AGREED,
) -> Doubt | None:
    """The most useful level to show next, or None if the candidates agree on all that were not shown before.

    Two candidates, "click a star" and "click a wall", agree (and guess) where there is neither:

    >>> from shown import LANGUAGE, Tokens, parse
    >>> from shown.grid import grid
    >>> from shown.policy import Component, Formula, Literal, Policy
    >>> tokens = Tokens(empty=".", star="*", wall="#")
    >>> terms = [parse(f"at_action_cell(cell_is_value({x}))", LANGUAGE, tokens.values) for x in ("star", "wall")]
    >>> policy = Policy(tokens, tuple(Component(0.5, 0.0, 0.0, Formula(((Literal(term),),))) for term in terms))
    >>> levels = [Level("bare", grid("..")), Level("full", grid("*#"))]
    >>> most_useful(policy, levels).level.name
    'full'
    >>> most_useful(policy, levels[:1]) is None
    True

    Args:
        policy: what was learned so far.
        levels: the levels to choose from.
        game: whose rules to play by; without one only the first position of each level is looked at.
        shown: the demonstrations so far; levels that one of them begins with are left out.
        seed: of the game's own chances.
        agreed: a disagreement below this counts as none.
    """
    useful = by_use(policy, levels, game, shown, seed, agreed)
    return useful[0] if useful else None
