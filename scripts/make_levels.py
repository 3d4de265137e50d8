"""Writes the levels that come from the games' own generators: all of Nim, Checkmate Tactic and Reach for the Star, and
the training levels of Chase.

Eleven random levels may all miss what others need: an orientation, a star at the border. So training levels are chosen
for coverage, by rules that stand here and look at nothing but generated levels:

- Nim: the first eleven different ones, as they come.
- Checkmate Tactic and Reach for the Star: batches of eleven are drawn until one shows every orientation, or the whole
  range of heights and borders in both mirror images.
- Chase: what a teacher would do. The first level as it comes; each further one is the first on which a policy learned
  from those before it fails.

The nine test levels of the generated games are the first nine new ones from seeds of their own, taken as they come.
The seeds are triples of numbers, which no `random:SEED` is. The test levels of Chase, and all of Stop the Fall and
Fence In, are made by hand.

Run from the repository's root: `python scripts/make_levels.py`.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator
from itertools import count
from pathlib import Path

import numpy as np

from shown import Learner
from shown.grid import Grid
from shown.worlds import Game, Level, demonstrate, find, play

TRAIN, TEST = 11, 9
FOLDER = Path("src/shown/games/levels")


def main() -> None:
    shows_all: dict[str, Callable[[list[Grid]], bool]] = {
        "nim": lambda grids: True,
        "checkmate": shows_orientations,
        "reach-for-the-star": shows_ranges,
    }
    for name, enough in shows_all.items():
        game = find(name)
        train = next(grids for batch in count(1) if enough(grids := distinct(game, 2019, batch, TRAIN)))
        fresh = distinct(game, 2020, 1, TRAIN + TEST)
        write(name, "train", train)
        write(name, "test", [grid for grid in fresh if grid not in train][:TEST])
    write("chase", "train", not_yet_taught(find("chase"), drawn(find("chase"), 2019, 1)))


def write(name: str, which: str, grids: list[Grid]) -> None:
    text = "\n\n".join(grid.text for grid in grids) + "\n"
    (FOLDER / f"{name}-{which}.txt").write_text(text, encoding="utf-8")


def drawn(game: Game, year: int, batch: int) -> Iterator[Grid]:
    """The levels that the generator gives in a batch, without end."""
    return (game.generate(np.random.default_rng([year, i, batch])) for i in count())


def distinct(game: Game, year: int, batch: int, number: int) -> list[Grid]:
    """The first different levels of a batch."""
    grids: dict[Grid, None] = {}
    for grid in drawn(game, year, batch):
        grids[grid] = None
        if len(grids) == number:
            break
    return list(grids)


def not_yet_taught(game: Game, grids: Iterator[Grid]) -> list[Grid]:
    """The first grid, and then always the next one that a policy learned from those before it does not win."""
    levels = [Level("train:0", next(grids))]
    while len(levels) < TRAIN:
        policy = Learner().fit(demonstrate(game, levels)).policy_
        further = (Level(f"train:{len(levels)}", grid) for grid in grids)
        levels.append(next(level for level in further if not play(game, policy.act, level).won))
    return [level.grid for level in levels]


def shows_orientations(grids: list[Grid]) -> bool:
    """Whether the black king is at each of the four edges twice, and once among the first five levels."""
    ways = [tuple(np.subtract(grid.find("k"), grid.find("K")).tolist()) for grid in grids]
    return len(set(ways[:5])) == 4 and min(Counter(ways).values()) > 1


def shows_ranges(grids: list[Grid]) -> bool:
    """Whether the lowest and the highest star are there, and, in both mirror images, borders near and far.

    And in both, once at least, there is room for stairs on either side of the star: only then does it show in the
    clicks that they have to be on the robot's side. The first two levels are one of either image.
    """
    rises, images = set(), []
    for grid in grids:
        (robot_row, robot), (star_row, star) = grid.where("A")[0], grid.where("*")[0]
        rise, last = robot_row - star_row, grid.width - 1
        behind, beyond = (robot, last - star) if robot < star else (last - robot, star)
        rises.add(rise)
        images.append((robot < star, behind, beyond, beyond > rise))
    sides = [[image[1:] for image in images if image[0] == side] for side in (False, True)]
    return (
        {2, 9} <= rises
        and images[0][0] != images[1][0]
        and all(len(side) >= 5 and _shows_borders(side) for side in sides)
    )


def _shows_borders(side: list[tuple[int, int, bool]]) -> bool:
    behind, beyond, room = zip(*side, strict=True)
    return all(min(gaps) == 0 and max(gaps) >= 4 for gaps in (behind, beyond)) and any(room)


if __name__ == "__main__":
    main()
