"""The methods of the paper's Table 1."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

import numpy as np

from shown.engine import planes
from shown.engine.places import Places
from shown.engine.planes import Planes
from shown.grid import OFF, Cell, Tokens
from shown.language.primitives.declaration import Condition, Language, Primitive
from shown.language.reference import NOWHERE, View
from shown.language.terms import Kind, Offset, Term

if TYPE_CHECKING:
    from shown.language.grammar import Grammar

AtPlaces = Callable[[Places], np.ndarray]
"""Conditions evaluated at places: [n, S, words] uint64."""

# --- conditions ------------------------------------------------------------------------------------------------------


def _cell_is_value(view: View, cell: Cell | None, value: str) -> bool:
    """Whether the attended cell has the value."""
    return view.value(cell) == value


def _planes_of_values(world: Planes, store: np.ndarray, values: np.ndarray) -> np.ndarray:
    return world.of_values[values]


def _shifted(view: View, cell: Cell | None, offset: Offset, condition: Condition) -> bool:
    """Move attention by the offset, then evaluate the condition."""
    return condition(view, NOWHERE if cell is NOWHERE else (cell[0] + offset[0], cell[1] + offset[1]))


def _shifted_at_places(places: Places, offsets: np.ndarray, condition: AtPlaces) -> np.ndarray:
    return np.concatenate([condition(places.moved(offset)) for offset in offsets])


def _scanning(view: View, cell: Cell | None, offset: Offset, until: Condition, unless: Condition) -> bool:
    """Walk from the cell by the offset: whether `until` holds before `unless` does and before the grid ends."""
    path = [] if cell is NOWHERE else [cell]
    found = False
    while cell is not NOWHERE:
        cell = (cell[0] + offset[0], cell[1] + offset[1])
        path.append(cell)
        found = until(view, cell)
        if found or unless(view, cell) or not view.inside(cell):
            break
    view.walked(path)
    return found


def _scanning_at_places(places: Places, offsets: np.ndarray, until: AtPlaces, unless: AtPlaces) -> np.ndarray:
    ways = [places.ahead(offset) for offset in offsets]
    return np.concatenate([places.walking(way, until(way), unless(way)) for way in ways])


def _scanning_wording(offset: Offset, until: Term, unless: Term) -> tuple[str, str] | None:
    """Name no second condition where only the end of the grid can stop the walk."""
    edge = Term("cell_is_value", (OFF,))
    if until == unless or (unless == edge and until.primitive == "cell_is_value"):
        return "going {0} from {cell}, there is {1:noun}", "going {0} from {cell}, there is no {1:bare}"
    return None


CELL_IS_VALUE = Primitive(
    name="cell_is_value", takes=(Kind.VALUE,), gives=Kind.CONDITION,
    meaning=_cell_is_value, many=_planes_of_values, at_places=Places.holding,
    phrase="{cell} is {0}", negation="{cell} is not {0}", image=True,
)  # fmt: skip

SHIFTED = Primitive(
    name="shifted", takes=(Kind.OFFSET, Kind.CONDITION), gives=Kind.CONDITION,
    meaning=_shifted, many=planes.shift_many, at_places=_shifted_at_places,
    phrase="{1}", negation="{1:not}", at="the cell {0:beside} {cell}", image=True,
)  # fmt: skip

SCANNING = Primitive(
    name="scanning", takes=(Kind.OFFSET, Kind.CONDITION, Kind.CONDITION), gives=Kind.CONDITION,
    meaning=_scanning, many=planes.scan_many, at_places=_scanning_at_places, walks=True,
    phrase="going {0} from {cell}, {1:the} comes before {2:the}",
    negation="going {0} from {cell}, {1:the} does not come before {2:the}", wording=_scanning_wording, image=True,
)  # fmt: skip

# --- programs --------------------------------------------------------------------------------------------------------


def _at_action_cell(view: View, condition: Condition) -> bool:
    """Attend to the clicked cell."""
    assert not isinstance(view.action, str)
    return condition(view, view.action)


def _planes_themselves(world: Planes, store: np.ndarray, conditions: np.ndarray) -> np.ndarray:
    first, count = conditions[0], len(conditions)
    if np.array_equal(conditions, np.arange(first, first + count)):
        return store[first : first + count]  # a view: the planes need not be copied
    return store[conditions]


def _at_cell_with_value(view: View, value: str, condition: Condition) -> bool:
    """Attend to the first cell with the value, in reading order; nowhere if there is none."""
    return condition(view, view.first(value))


def _at_first_places(world: Planes, values: np.ndarray, condition: AtPlaces) -> np.ndarray:
    return np.concatenate([condition(Places.first(world, int(value)))[:, 0] for value in values])


def _at_cell_with_value_wording(value: str, condition: Term) -> tuple[str, str] | None:
    """Say "there is a wall" for a first wall that is a wall."""
    if condition == Term("cell_is_value", (value,)) and value != OFF:
        return "there is {0:some}", "there is no {0:bare}"
    if condition == Term("cell_is_value", (OFF,)) and value != OFF:
        return "there is no {0:bare}", "there is {0:some}"
    return None


def _action_is(view: View, button: str) -> bool:
    """Whether the action is this button."""
    return view.action == button


AT_ACTION_CELL = Primitive(
    name="at_action_cell", takes=(Kind.CONDITION,), gives=Kind.PROGRAM,
    meaning=_at_action_cell, many=_planes_themselves,
    phrase="{0}", negation="{0:not}", at="the clicked cell", needs="click", image=True,
)  # fmt: skip


AT_CELL_WITH_VALUE = Primitive(
    name="at_cell_with_value", takes=(Kind.VALUE, Kind.CONDITION), gives=Kind.PROGRAM,
    meaning=_at_cell_with_value, many=planes.at_first_many, at_places=_at_first_places,
    phrase="{1}", negation="{1:not}", wording=_at_cell_with_value_wording, at="{0:the}", image=True,
)  # fmt: skip

ACTION_IS = Primitive(
    name="action_is", takes=(Kind.BUTTON,), gives=Kind.PROGRAM,
    meaning=_action_is, kernel=Planes.of_button,
    phrase="the action is {0}", negation="the action is not {0}", needs="button", image=True,
)  # fmt: skip


def _grammar(tokens: Tokens, buttons: tuple[str, ...]) -> Grammar:
    # grammar.py imports this module.
    from shown.language.grammar import paper_grammar

    return paper_grammar(tokens, buttons)


LANGUAGE = Language(
    [CELL_IS_VALUE, SHIFTED, SCANNING, AT_ACTION_CELL, AT_CELL_WITH_VALUE, ACTION_IS], "paper", _grammar
)
"""The language of the paper."""
