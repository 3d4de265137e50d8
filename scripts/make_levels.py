"""Writes the training and test levels of the three generated games: Nim, Checkmate Tactic and Reach for the Star.

The levels come from the games' own generators, so from the paper's ranges. Their seeds are sequences of three numbers,
which no `random:SEED` is. Run from the repository's root: `python scripts/make_levels.py`. The other three games'
levels are made by hand.
"""

from __future__ import annotations

from itertools import count
from pathlib import Path

import numpy as np

from shown.games import find
from shown.games.game import Game
from shown.grid import Grid

BATCHES = {"nim": 1, "checkmate": 3, "reach-for-the-star": 1}
"""The first batch of each game whose training and test levels both show every orientation."""

TRAIN, TEST = 11, 9
FOLDER = Path("src/shown/games/levels")


def main() -> None:
    for name, batch in BATCHES.items():
        grids = distinct(find(name), batch, TRAIN + TEST)
        for which, part in (("train", grids[:TRAIN]), ("test", grids[TRAIN:])):
            text = "\n\n".join(grid.text for grid in part) + "\n"
            (FOLDER / f"{name}-{which}.txt").write_text(text, encoding="utf-8")


def distinct(game: Game, batch: int, number: int) -> list[Grid]:
    """The first different levels that the generator gives in a batch."""
    grids: list[Grid] = []
    for i in count():
        grid = game.generate(np.random.default_rng([2019, i, batch]))
        if grid not in grids:
            grids.append(grid)
        if len(grids) == number:
            return grids
    raise AssertionError("count() never ends")


if __name__ == "__main__":
    main()
