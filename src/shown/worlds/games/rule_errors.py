"""Errors of a game's rules and expert, in positions that cannot occur or in their own code."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator

import numpy as np

from shown.errors import BadInput, NoAnswer, ShownError
from shown.grid import Action, Grid
from shown.registry import reason
from shown.worlds.games.game import Game
from shown.worlds.world import Outcome

MISSING_PIECE = (AssertionError, LookupError, StopIteration, ValueError)
"""Errors of rules that look for a piece and do not find it. Any other error is a mistake in their code."""

RULE_ERRORS = (
    *(ArithmeticError, AssertionError, AttributeError, LookupError, RuntimeError, StopIteration, TypeError),
    ValueError,
)
"""Errors of rules and experts in positions that cannot occur in the game, such as painted ones."""


def outcome_of(game: Game, grid: Grid, action: Action, rng: np.random.Generator) -> Outcome:
    """Return the outcome of `action`; raise BadInput if the rules fail on `grid`, such as one without its rabbit."""
    with rules_explained(game.title):
        return game.step(grid, action, rng)


@contextlib.contextmanager
def rules_explained(title: str) -> Iterator[None]:
    """Raise BadInput where rules fail: for a piece that they do not find, or for a mistake in their code."""
    try:
        yield
    except ShownError:
        raise
    except MISSING_PIECE as error:
        raise BadInput(
            f"{title} cannot be played from this position; a piece that every level has may be missing "
            f"({' '.join(str(error).split()) or type(error).__name__})."
        ) from error
    except Exception as error:
        raise BadInput(f"{title}: its rules failed ({reason(error)}).") from error


def check_playable(game: Game, grid: Grid) -> None:
    """Raise BadInput if no action at all can be played in `grid`."""
    refused: BadInput | None = None
    for action in game.buttons or grid.cells():
        try:
            outcome_of(game, grid, action, np.random.default_rng(0))
            return
        except NoAnswer:  # nor will it answer about the other actions
            raise
        except BadInput as error:
            refused = error
    if refused is not None:
        raise refused
