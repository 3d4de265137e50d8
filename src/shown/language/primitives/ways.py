"""Primitives about walks: distances, directions and reachability.

A walk moves up, down, left and right over cells of the grid where a condition holds; its first and last cell are
exempt. Nothing depends on reading order, so the image of a rule under a symmetry is exactly the rule for the image of
the world. Each primitive is listed with a task that cannot be learned without it:

* `nearer(step, C, over)`: the step shortens the walk to where C holds. A robot finds its way around walls.
* `reachable(C, over)`: there is such a walk. The switch to press is the one in a room that can be entered.
* `enclosed(C)`: no walk leads off the grid without crossing C. A hole that is fenced in, among trees, is filled.
* `escape(value, C)`: some step leads away from the nearest cell with the value. A dog barks when the sheep has none.
* `nearest(value, C)`: C holds at the nearest cell with the value, instead of the first in reading order. A lorry leaves
  when the light of the nearest gate is on.
"""

from __future__ import annotations

from shown.engine import floods
from shown.grid import Cell
from shown.language.primitives.declaration import Condition, Primitive
from shown.language.reference import NOWHERE, View
from shown.language.terms import Kind, Offset, Term


def _shortest_way(view: View, cell: Cell, aim: Condition, over: Condition) -> list[Cell] | None:
    """Return the cells of a shortest walk from a cell to one where `aim` holds, both included, or None."""
    came_from = {cell: cell}
    line = [cell]
    for here in line:
        if aim(view, here):
            way = [here]
            while way[-1] != cell:
                way.append(came_from[way[-1]])
            return way[::-1]
        if here == cell or (view.inside(here) and over(view, here)):
            for down, right in ((-1, 0), (1, 0), (0, -1), (0, 1)):
                there = (here[0] + down, here[1] + right)
                if there not in came_from:
                    came_from[there] = here
                    line.append(there)
    return None


def _went(view: View, way: list[Cell]) -> None:
    """Report the cells of a walk, rather than all cells that the search visited."""
    view.walked(way)
    view.counted(way)


def _nearer(view: View, cell: Cell | None, offset: Offset, aim: Condition, over: Condition) -> bool:
    """Whether the cell at `offset` is walkable and has a shorter walk to an aim."""
    if cell is NOWHERE:
        return False
    there = (cell[0] + offset[0], cell[1] + offset[1])
    if not (aim(view, there) or (view.inside(there) and over(view, there))):
        return False
    after = _shortest_way(view, there, aim, over)
    before = None if after is None else _shortest_way(view, cell, aim, over)
    if after is None:
        return False
    if before is not None and len(before) <= len(after):
        _went(view, before)
        return False
    _went(view, [cell] + after)  # noqa: RUF005
    return True


def _reachable(view: View, cell: Cell | None, aim: Condition, over: Condition) -> bool:
    """Whether a walk leads from the cell to one where `aim` holds."""
    way = None if cell is NOWHERE else _shortest_way(view, cell, aim, over)
    if way is None:
        return False
    _went(view, way)
    return True


def _enclosed(view: View, cell: Cell | None, by: Condition) -> bool:
    """Whether every walk from the cell off the grid crosses a cell where `by` holds."""
    if cell is NOWHERE:
        return False
    way = _shortest_way(view, cell, lambda view, here: not view.inside(here), lambda view, here: not by(view, here))
    if way is not None:
        _went(view, way)
    return way is None


def _steps(cell: Cell, there: Cell) -> int:
    """Return the number of steps between two cells, ignoring obstacles."""
    return abs(cell[0] - there[0]) + abs(cell[1] - there[1])


def _nearest_of(view: View, cell: Cell, others: tuple[Cell, ...]) -> list[Cell]:
    """Return the cells nearest to a cell, ignoring obstacles."""
    fewest = min((_steps(cell, other) for other in others), default=0)
    nearest = [other for other in others if _steps(cell, other) == fewest]
    for other in nearest:
        view.value(other)  # pictures frame the cells that are read: only these
    return nearest


def _escape(view: View, cell: Cell | None, value: str, over: Condition) -> bool:
    """Whether some step leads to a cell of the grid where `over` holds, and no nearer to the nearest with the value."""
    if cell is NOWHERE:
        return False
    others = view.where(value)
    fewest = min((_steps(cell, other) for other in _nearest_of(view, cell, others)), default=0)
    for down, right in ((-1, 0), (1, 0), (0, -1), (0, 1)):
        there = (cell[0] + down, cell[1] + right)
        free = view.inside(there) and over(view, there)
        if free and all(_steps(there, other) >= fewest for other in others):
            view.walked([cell, there])
            return True
    return False


def _nearest(view: View, cell: Cell | None, value: str, condition: Condition) -> bool:
    """Whether the condition holds at a nearest cell with the value, the cell itself included; nowhere if there is none.

    Of several equally near ones, any may satisfy it.
    """
    nearest = [] if cell is NOWHERE else _nearest_of(view, cell, view.where(value))
    if not nearest:
        return condition(view, NOWHERE)
    return any(condition(view, other) for other in nearest)


def _reachable_wording(aim: Term, over: Term) -> tuple[str, str] | None:
    """Name no walk where the first step has to lead to the aim."""
    return ("{cell} is or touches {0:the}", "{cell} neither is nor touches {0:the}") if aim == over else None


NEARER = Primitive(
    name="nearer", takes=(Kind.OFFSET, Kind.CONDITION, Kind.CONDITION), gives=Kind.CONDITION,
    meaning=_nearer, many=floods.nearer_many,
    phrase="a step {0} from {cell} shortens the walk over {2:plural} to {1:the}",
    negation="a step {0} from {cell} does not shorten the walk over {2:plural} to {1:the}", reach=1, image=True,
)  # fmt: skip

REACHABLE = Primitive(
    name="reachable", takes=(Kind.CONDITION, Kind.CONDITION), gives=Kind.CONDITION,
    meaning=_reachable, many=floods.reachable_many,
    phrase="one can walk from {cell} over {1:plural} to {0:the}",
    negation="one cannot walk from {cell} over {1:plural} to {0:the}", wording=_reachable_wording, reach=1, image=True,
)  # fmt: skip

ENCLOSED = Primitive(
    name="enclosed", takes=(Kind.CONDITION,), gives=Kind.CONDITION,
    meaning=_enclosed, many=floods.enclosed_many,
    phrase="{cell} is enclosed by {0:plural}", negation="{cell} is not enclosed by {0:plural}", image=True,
)  # fmt: skip

ESCAPE = Primitive(
    name="escape", takes=(Kind.VALUE, Kind.CONDITION), gives=Kind.CONDITION,
    meaning=_escape, many=floods.escape_many,
    phrase="one can step from {cell} to {1:noun} without coming nearer to {0:nearest}",
    negation="every step from {cell} to {1:noun} leads nearer to {0:nearest}", image=True,
)  # fmt: skip

NEAREST = Primitive(
    name="nearest", takes=(Kind.VALUE, Kind.CONDITION), gives=Kind.CONDITION,
    meaning=_nearest, many=floods.nearest_many,
    phrase="{1}", negation="{1:not}", at="the {0:bare} nearest to {cell}", image=True,
)  # fmt: skip

WAYS = (NEARER, REACHABLE, ENCLOSED, ESCAPE, NEAREST)
"""The primitives of this family."""
