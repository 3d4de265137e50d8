"""Reach for the Star: build stairs and walk up them."""

from __future__ import annotations

import numpy as np

from shown.grid import Action, Cell, Grid, Tokens
from shown.symmetry import Transformation
from shown.worlds.games.game import EMPTY, Game, clicked, settle, the
from shown.worlds.world import Outcome

ROBOT, STAR, BLOCK, LEFT, RIGHT = "A", "*", "#", "<", ">"
FREE = (EMPTY, STAR)


class ReachForTheStar(Game):
    """Take the robot to the star by building stairs of falling blocks.

    Description: after every action, robot and blocks fall until something is below them. Clicking an empty cell makes a
        block there. An arrow key moves the robot one cell to that side, if it is free, or on top of a block there: it
        climbs one block, not two. The star hangs in the air; blocks rest on it, and the robot takes it by walking,
        climbing or falling into it.
    Observation: a grid; `A` robot, `*` star, `#` block, `<` `>` arrow keys, `.` empty.
    Actions: a click on a cell. Clicks on anything but an empty cell or an arrow key only let time pass.
    Rewards: 1 for reaching the star, otherwise 0.
    End of episode: the robot has reached the star.
    Levels: generated; the star 2 to 11 above the robot, 0 to 5 columns from the border; the robot 0 to 5 columns from
        the foot of the stairs; 0 to 5 spare rows above and columns behind the robot; mirrored half the time. The arrow
        keys are in the ground at the right end, so that they do not give away the side of the star. Heights 10 and 11
        would take more than 60 steps, so they are drawn again: 2 to 9 remain. The training levels cover low and high
        stars, near and far borders, and room for stairs on either side.
    """

    name = "reach-for-the-star"
    title = "Reach for the Star"
    goal = "Take the robot to the star. Click empty cells to drop blocks. The arrow keys walk and climb one block."
    tokens = Tokens(empty=EMPTY, robot=ROBOT, star=STAR, block=BLOCK, left_arrow=LEFT, right_arrow=RIGHT)
    pieces = (("robot",), ("star",), ("left_arrow",), ("right_arrow",))
    max_shape = (16, 26)
    symmetries = (  # the keys stay in place when the rest is mirrored
        Transformation("left-right", tokens=(("left_arrow", "right_arrow"),), stays=("left_arrow", "right_arrow")),
    )

    def step(self, grid: Grid, action: Action, rng: np.random.Generator) -> Outcome:
        cell = clicked(action)
        token = grid[cell]
        if token == EMPTY:
            grid = grid.with_cells({cell: BLOCK})
        elif token in (LEFT, RIGHT):
            robot = the(grid, ROBOT)
            target = _walk(grid, robot, -1 if token == LEFT else 1)
            if target is not None and grid[target] == STAR:
                return _reached(grid, robot, target)
            if target is not None:
                grid = grid.with_cells({robot: EMPTY, target: ROBOT})
        grid = settle(grid, loose=ROBOT + BLOCK)
        robot = the(grid, ROBOT)
        below = robot[0] + 1, robot[1]
        return _reached(grid, robot, below) if grid.get(below) == STAR else Outcome(grid)

    def expert(self, grid: Grid) -> Cell:
        """Build stairs that end beside the star, the highest step first, then walk up.

        The steps lie on the diagonal from the star down towards the robot; drop blocks there until they reach it.
        """
        (r, c), (_, robot_column) = the(grid, STAR), the(grid, ROBOT)
        side = -1 if robot_column < c else 1
        step = (r + 1, c + side)
        while grid.inside(step):
            if grid[step] == EMPTY:
                return step
            step = step[0] + 1, step[1] + side
        return the(grid, RIGHT if side < 0 else LEFT)

    def generate(self, rng: np.random.Generator) -> Grid:
        while True:
            rise = int(rng.integers(2, 12))
            beyond, above, walk, behind = (int(n) for n in rng.integers(0, 6, size=4))
            if stairs_steps(rise, walk) <= self.max_steps:
                break
        robot = (above + rise, behind)
        star = (above, behind + walk + rise + 1)
        width = star[1] + 1 + beyond
        air = Grid((EMPTY * width,) * (robot[0] + 1)).with_cells({robot: ROBOT, star: STAR}).rows
        if not rng.integers(2):
            air = tuple(row[::-1] for row in air)
        return Grid((*air, BLOCK * (width - 2) + LEFT + RIGHT))


def stairs_steps(rise: int, walk: int) -> int:
    """Return the number of actions to a star `rise` above the robot: the blocks, the way to them, the way up."""
    return rise * (rise + 1) // 2 + walk + rise + 1


def _walk(grid: Grid, robot: Cell, side: int) -> Cell | None:
    """Return the cell that an arrow key takes the robot to, before it falls."""
    r, c = robot
    beside, above = (r, c + side), (r - 1, c + side)
    if grid.get(beside) in FREE:
        return beside
    return above if grid.get(beside) == BLOCK and grid.get(above) in FREE else None


def _reached(grid: Grid, robot: Cell, star: Cell) -> Outcome:
    grid = grid.with_cells({robot: EMPTY, star: ROBOT})
    return Outcome(settle(grid, loose=BLOCK), won=True, over=True)
