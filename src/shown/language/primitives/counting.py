"""Primitives that count cells, and primitives that combine two conditions at one cell.

Each is listed with a task that cannot be learned without it:

* `at_least(n, area, C)`: C holds at n or more cells of an area (`shown.grid.AREAS`). n = 1 expresses *some*: some
  neighbor is a wall, a queen is in the same row, column or diagonal. An order is stamped when it has three items; a
  queen is placed where none attacks.
* `as_many(area, C)`: the cell holds a digit equal to the number of cells of its area where C holds. Minesweeper: a
  number with as many flags around it makes its other neighbors safe, whatever the number.
* `in_a_line(n, area, C)`: the cell, counted in, completes n cells in a line where C holds. Connect Four: a piece played
  here makes four. C is not evaluated at the cell itself, since the piece is not there yet.
* `both(C, C)`, `but_not(C, C)`: two conditions at one cell. Formulas combine conditions on the clicked cell; these
  combine conditions on another cell: "beside it is a box with nothing in front".
* `grid_has(n, C)`: a program; C holds at n or more cells of the grid. A lorry leaves when three pallets are loaded.

Areas contain cells of the grid only, so these primitives need no margin. They cannot replace `shifted` and
`at_cell_with_value`, which attend to one cell that may be off the grid or nowhere.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from shown.engine import counts
from shown.engine.planes import ALL, Planes
from shown.grid import Cell
from shown.language.primitives.declaration import Condition, Primitive
from shown.language.reference import NOWHERE, View
from shown.language.terms import Argument, Kind, Term

# --- areas -----------------------------------------------------------------------------------------------------------


def cells_in(view: View, cell: Cell | None, area: str) -> list[Cell]:
    """Return the cells of the grid in an area of a cell, which may itself be off the grid; none if it is nowhere.

    >>> from shown.grid import Tokens, grid
    >>> view = View(grid("...", "..."), Tokens(empty="."))
    >>> cells_in(view, (0, 0), "sides"), cells_in(view, (1, 1), "diagonals")
    ([(0, 1), (1, 0)], [(0, 0), (0, 2), (1, 1)])
    """
    if cell is NOWHERE:
        return []
    rows, columns = range(view.grid.height), range(view.grid.width)
    if area in ("sides", "neighbors"):
        rows, columns = range(cell[0] - 1, cell[0] + 2), range(cell[1] - 1, cell[1] + 2)
    found = []
    for r in rows:
        for c in columns:
            down, right = abs(r - cell[0]), abs(c - cell[1])
            lies = {
                "row": down == 0,
                "column": right == 0,
                "diagonals": down == right,
                "lines": down == 0 or right == 0 or down == right,
                "sides": down + right == 1,
                "neighbors": max(down, right) == 1,
            }
            if lies[area] and view.inside((r, c)):
                found.append((r, c))
    return found


# --- counts ----------------------------------------------------------------------------------------------------------


def _at_least(view: View, cell: Cell | None, number: int, area: str, condition: Condition) -> bool:
    """Whether the condition holds at `number` or more cells of the area."""
    found = [other for other in cells_in(view, cell, area) if condition(view, other)]
    view.counted(found)
    return len(found) >= number


def _at_least_many(
    world: Planes, store: np.ndarray, numbers: np.ndarray, areas: np.ndarray, conditions: np.ndarray
) -> np.ndarray:
    everywhere = np.full((1, *world.shape), ALL, dtype=np.uint64)
    return counts.counts_within(
        world, store, areas, conditions, numbers[:, None], np.full((len(numbers), 1), -1), everywhere
    )


def _at_least_wording(number: int, area: str, condition: Term) -> tuple[str, str] | None:
    """Say "some" for 1, and put long conditions last, so that the area is not read as part of them."""
    few = ("{2:exists}", "{2:lacks}")
    many = ("there are at least {0} {2:plural}", "there are fewer than {0} {2:plural}")
    said = few if number == 1 else many
    plain = condition.primitive == "cell_is_value"
    phrase, negation = (f"{text} {{1}} {{cell}}" if plain else f"{{1}} {{cell}}, {text}" for text in said)
    return phrase, negation


def _as_many(view: View, cell: Cell | None, area: str, condition: Condition) -> bool:
    """Whether the cell holds a digit equal to the number of cells of the area where the condition holds."""
    digit = None if cell is NOWHERE else view.grid.get(cell)
    if digit is None or digit not in "0123456789":
        return False
    found = [other for other in cells_in(view, cell, area) if condition(view, other)]
    view.counted(found)
    return len(found) == int(digit)


def _as_many_many(world: Planes, store: np.ndarray, areas: np.ndarray, conditions: np.ndarray) -> np.ndarray:
    numbers, cells = _digits(world)
    least = np.tile(np.array(numbers, dtype=np.int64), (len(areas), 1))
    return counts.counts_within(world, store, areas, conditions, least, least + 1, cells)


def _digits(world: Planes) -> tuple[list[int], np.ndarray]:
    """Return the digits among the tokens, and the planes of these tokens. ([d], [d, rows, columns, words])"""
    shown = [v for v, character in enumerate(world.tokens) if character in "0123456789"]
    characters = list(world.tokens)
    return [int(characters[v]) for v in shown], world.of_values[shown]


def _as_many_image(arguments: tuple[Argument, ...], transformation: Any) -> Term | None:
    """Return no image where tokens are exchanged: other digits are other numbers."""
    return None if transformation.tokens else Term("as_many", arguments)


def _grid_has(view: View, number: int, condition: Condition) -> bool:
    """Whether the condition holds at `number` or more cells of the grid."""
    found = [cell for cell in view.grid.cells() if condition(view, cell)]
    view.counted(found)
    return len(found) >= number


def _grid_has_many(world: Planes, store: np.ndarray, numbers: np.ndarray, conditions: np.ndarray) -> np.ndarray:
    return counts.reaches(counts.count_on_grids(world, store, conditions), numbers)


def _grid_has_wording(number: int, condition: Term) -> tuple[str, str] | None:
    return ("there is {1:noun}", "there is no {1:bare}") if number == 1 else None


AT_LEAST = Primitive(
    name="at_least", takes=(Kind.NUMBER, Kind.AREA, Kind.CONDITION), gives=Kind.CONDITION,
    meaning=_at_least, many=_at_least_many,
    phrase="there are at least {0} {2:plural} {1} {cell}", negation="there are fewer than {0} {2:plural} {1} {cell}",
    wording=_at_least_wording, image=True,
)  # fmt: skip

AS_MANY = Primitive(
    name="as_many", takes=(Kind.AREA, Kind.CONDITION), gives=Kind.CONDITION,
    meaning=_as_many, many=_as_many_many,
    phrase="{cell} says how many {1:plural} there are {0} it",
    negation="{cell} does not say how many {1:plural} there are {0} it", image=_as_many_image,
)  # fmt: skip

GRID_HAS = Primitive(
    name="grid_has", takes=(Kind.NUMBER, Kind.CONDITION), gives=Kind.PROGRAM,
    meaning=_grid_has, many=_grid_has_many,
    phrase="there are at least {0} {1:plural}", negation="there are fewer than {0} {1:plural}",
    wording=_grid_has_wording, image=True,
)  # fmt: skip

# --- lines -----------------------------------------------------------------------------------------------------------


def _in_a_line(view: View, cell: Cell | None, number: int, area: str, condition: Condition) -> bool:
    """Whether the cell, counted in, and cells on both sides of it where the condition holds make a line of `number`."""
    if cell is NOWHERE or not view.inside(cell):
        return False
    straight, diagonal = [(0, 1), (1, 0)], [(1, 1), (1, -1)]
    axes = {"row": straight[:1], "column": straight[1:], "diagonals": diagonal, "sides": straight}
    for down, right in axes.get(area, straight + diagonal):
        line = [cell]
        for way in (1, -1):
            steps = 1
            while steps == 1 or (steps < number and area not in ("sides", "neighbors")):
                other = (cell[0] + way * steps * down, cell[1] + way * steps * right)
                if not view.inside(other) or not condition(view, other):
                    break
                line.append(other)
                steps += 1
        if len(line) >= number:
            view.counted(line)
            view.walked(sorted(line))
            return True
    return False


IN_A_LINE = Primitive(
    name="in_a_line", takes=(Kind.NUMBER, Kind.AREA, Kind.CONDITION), gives=Kind.CONDITION,
    meaning=_in_a_line, many=counts.lines_through,
    phrase="{cell} makes {0} {2:plural} in a line {1:along}",
    negation="{cell} does not make {0} {2:plural} in a line {1:along}", image=True,
)  # fmt: skip

# --- two conditions --------------------------------------------------------------------------------------------------


def _both(view: View, cell: Cell | None, first: Condition, second: Condition) -> bool:
    """Whether both conditions hold at the cell."""
    return first(view, cell) and second(view, cell)


def _both_many(world: Planes, store: np.ndarray, firsts: np.ndarray, seconds: np.ndarray) -> np.ndarray:
    return store[firsts] & store[seconds]


def _but_not(view: View, cell: Cell | None, first: Condition, second: Condition) -> bool:
    """Whether the first condition holds at the cell and the second does not."""
    return first(view, cell) and not second(view, cell)


def _but_not_many(world: Planes, store: np.ndarray, firsts: np.ndarray, seconds: np.ndarray) -> np.ndarray:
    return store[firsts] & ~store[seconds]


BOTH = Primitive(
    name="both", takes=(Kind.CONDITION, Kind.CONDITION), gives=Kind.CONDITION,
    meaning=_both, many=_both_many,
    phrase="{0} and {1}", negation="either {0:not} or {1:not}", image=True,
)  # fmt: skip

BUT_NOT = Primitive(
    name="but_not", takes=(Kind.CONDITION, Kind.CONDITION), gives=Kind.CONDITION,
    meaning=_but_not, many=_but_not_many,
    phrase="{0} but {1:not}", negation="either {0:not} or {1}", image=True,
)  # fmt: skip

COUNTING = (AT_LEAST, AS_MANY, GRID_HAS, IN_A_LINE, BOTH, BUT_NOT)
"""The primitives of this family."""
