"""The methods of the paper's Table 1, one declaration each: meaning, bit kernel, English.

A primitive is declared once; printing, parsing, enumeration, evaluation and explanation read the declaration.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Final, Literal

import numpy as np

from shown import planes
from shown.errors import BadInput
from shown.grid import OFF, Cell
from shown.language.reference import NOWHERE, View
from shown.language.terms import Kind, Offset, Term
from shown.planes import Planes

Condition = Callable[[View, Cell | None], bool]
EVERYWHERE: Final = math.inf
"""The reach of a primitive that may ask its conditions as far off the grid as the grid's larger side."""
FARTHEST = 10**6
_WORD = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")


@dataclass(frozen=True)
class Primitive:
    """All there is to know about one method of the language.

    Attributes:
        name: how it is written.
        takes: the kinds of its arguments.
        gives: CONDITION or PROGRAM.
        meaning: for a condition `(view, cell, *arguments) -> bool`, for a program `(view, *arguments) -> bool`;
            condition arguments are functions `(view, cell) -> bool`. The cell may be off the grid, or NOWHERE, where
            the answer must not depend on the grid. A condition's answer must not depend on the action.
        kernel: the same for all states at once: `(planes, *arguments) -> array`, where condition arguments are arrays
            `[rows, columns, words]` and so is a condition's result. A program gives such an array too if it depends on
            the clicked cell, `[words]` if it does not depend on the action, `[buttons, words]` if it depends on the
            button. None: `meaning` is asked cell by cell, which is slow.
        many: a compiled twin of `kernel` for many argument tuples at once, or None: `(planes, store, *arguments)`,
            where conditions are numbers of planes in `store`, values and buttons are their numbers, and offsets pairs.
        phrase: how it is said. `{cell}` is the cell it is asked at, `{0}` … its arguments.
        negation: how its opposite is said.
        at: if given, how the cell is called at which the condition arguments are asked.
        wording: if given, another phrase and negation for some arguments, or None for the usual ones.
        reach: how many cells further off the grid it may ask its conditions than it is asked itself, not counting its
            offsets: 0 if at the same cell or on the grid only, 1 if at the neighbours, and so on; `EVERYWHERE` if up to
            a whole grid further; or a function of its other arguments that says so. What it reads through `view` does
            not count. A primitive that asks further than it says is computed wrongly.
        needs: "click" if it makes sense only where cells are clicked, "button" if only where actions are buttons (as it
            is for all that take one), None if in all worlds.
    """

    name: str
    takes: tuple[Kind, ...]
    gives: Kind
    meaning: Callable[..., bool]
    phrase: str
    negation: str
    kernel: Callable[..., np.ndarray] | None = None
    many: Callable[..., np.ndarray] | None = None
    at: str | None = None
    wording: Callable[..., tuple[str, str] | None] | None = None
    reach: float | Callable[..., float] = 0
    needs: Literal["click", "button"] | None = None

    def __post_init__(self) -> None:
        if not _WORD.fullmatch(self.name):
            raise BadInput(f"primitive {self.name!r} needs a name of letters, digits and underscores.")
        if self.gives not in (Kind.PROGRAM, Kind.CONDITION):
            raise BadInput(f"primitive {self.name} gives a {self.gives}; it must give a program or a condition.")
        if Kind.PROGRAM in self.takes:
            raise BadInput(f"primitive {self.name} takes a program; programs are combined by formulas, not primitives.")
        if not callable(self.reach):
            check_reach(self.reach, self.name)
        if self.needs is None and Kind.BUTTON in self.takes:
            object.__setattr__(self, "needs", "button")
        if self.needs not in (None, "click", "button"):
            raise BadInput(f"primitive {self.name} needs {self.needs!r}; it can need a 'click' or a 'button'.")

    def check_actions(self, buttons: tuple[str, ...], where: str = "") -> None:
        """Raises BadInput if this primitive makes no sense in a world with (or, if there are none, without) buttons."""
        if self.needs == "click" and buttons:
            raise BadInput(
                f"{where}{self.name} is about the clicked cell, but here actions are buttons: {', '.join(buttons)}. "
                "Use action_is and at_cell_with_value, as paper_grammar(tokens, buttons) does."
            )
        if self.needs == "button" and not buttons:
            raise BadInput(
                f"{where}{self.name} is about buttons, but here cells are clicked. "
                "Use at_action_cell, or say what the buttons are where the demonstrations are made."
            )


def check_reach(reach: float, name: str) -> None:
    """Raises BadInput unless this can be a primitive's reach."""
    if reach != EVERYWHERE and reach not in range(FARTHEST + 1):
        raise BadInput(
            f"primitive {name}: reach {reach!r} must be a whole number from 0 to {FARTHEST:,}, or EVERYWHERE."
        )


class Language(Mapping[str, Primitive]):
    """A set of primitives by name. `LANGUAGE.extended(MINE)` adds to it."""

    def __init__(self, primitives: Iterable[Primitive]) -> None:
        self._table = {primitive.name: primitive for primitive in primitives}

    def __getitem__(self, name: str) -> Primitive:
        return self._table[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._table)

    def __len__(self) -> int:
        return len(self._table)

    def __hash__(self) -> int:
        return hash(frozenset(self._table))

    def __repr__(self) -> str:
        return f"Language({', '.join(self._table)})"

    def extended(self, *primitives: Primitive) -> Language:
        return Language([*self.values(), *primitives])


# --- conditions ------------------------------------------------------------------------------------------------------


def _cell_is_value(view: View, cell: Cell | None, value: str) -> bool:
    """Whether the attended cell has the value."""
    return view.value(cell) == value


def _plane_of_value(world: Planes, value: str) -> np.ndarray:
    return world.of_value(value)


def _planes_of_values(world: Planes, store: np.ndarray, values: np.ndarray) -> np.ndarray:
    return world.of_values[values]


def _shifted(view: View, cell: Cell | None, offset: Offset, condition: Condition) -> bool:
    """Moves attention by the offset, then asks the condition."""
    return condition(view, NOWHERE if cell is NOWHERE else (cell[0] + offset[0], cell[1] + offset[1]))


def _scanning(view: View, cell: Cell | None, offset: Offset, until: Condition, unless: Condition) -> bool:
    """Walks from the cell by the offset; 1 if `until` holds before `unless` does and before the grid ends."""
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


def _scanning_wording(offset: Offset, until: Term, unless: Term) -> tuple[str, str] | None:
    """Where only the end of the grid can stop the walk, no second thing need be named."""
    edge = Term("cell_is_value", (OFF,))
    if until == unless or (unless == edge and until.primitive == "cell_is_value"):
        return "going {0} from {cell}, there is {1:noun}", "going {0} from {cell}, there is no {1:bare}"
    return None


CELL_IS_VALUE = Primitive(
    name="cell_is_value",
    takes=(Kind.VALUE,),
    gives=Kind.CONDITION,
    meaning=_cell_is_value,
    kernel=_plane_of_value,
    many=_planes_of_values,
    phrase="{cell} is {0}",
    negation="{cell} is not {0}",
)

SHIFTED = Primitive(
    name="shifted",
    takes=(Kind.OFFSET, Kind.CONDITION),
    gives=Kind.CONDITION,
    meaning=_shifted,
    kernel=planes.shift,
    many=planes.shift_many,
    phrase="{1}",
    negation="{1:not}",
    at="the cell {0:beside} {cell}",
)

SCANNING = Primitive(
    name="scanning",
    takes=(Kind.OFFSET, Kind.CONDITION, Kind.CONDITION),
    gives=Kind.CONDITION,
    meaning=_scanning,
    kernel=planes.scan,
    many=planes.scan_many,
    phrase="going {0} from {cell}, {1:noun} comes before {2:noun}",
    negation="going {0} from {cell}, {1:noun} does not come before {2:noun}",
    wording=_scanning_wording,
)

# --- programs --------------------------------------------------------------------------------------------------------


def _at_action_cell(view: View, condition: Condition) -> bool:
    """Attends to the clicked cell."""
    assert not isinstance(view.action, str)
    return condition(view, view.action)


def _plane_itself(world: Planes, condition: np.ndarray) -> np.ndarray:
    return condition


def _planes_themselves(world: Planes, store: np.ndarray, conditions: np.ndarray) -> np.ndarray:
    return store[conditions]


def _at_cell_with_value(view: View, value: str, condition: Condition) -> bool:
    """Attends to the first cell with the value, in reading order; nowhere if there is none."""
    return condition(view, view.first(value))


def _at_cell_with_value_wording(value: str, condition: Term) -> tuple[str, str] | None:
    """To ask whether the first wall is a wall is to ask whether there is one."""
    if condition == Term("cell_is_value", (value,)) and value != OFF:
        return "there is {0:some}", "there is no {0:bare}"
    if condition == Term("cell_is_value", (OFF,)) and value != OFF:
        return "there is no {0:bare}", "there is {0:some}"
    return None


def _action_is(view: View, button: str) -> bool:
    """Whether the action is this button."""
    return view.action == button


def _rows_of_button(world: Planes, button: str) -> np.ndarray:
    return world.of_button(button)


AT_ACTION_CELL = Primitive(
    name="at_action_cell",
    takes=(Kind.CONDITION,),
    gives=Kind.PROGRAM,
    meaning=_at_action_cell,
    kernel=_plane_itself,
    many=_planes_themselves,
    phrase="{0}",
    negation="{0:not}",
    at="the clicked cell",
    needs="click",
)


AT_CELL_WITH_VALUE = Primitive(
    name="at_cell_with_value",
    takes=(Kind.VALUE, Kind.CONDITION),
    gives=Kind.PROGRAM,
    meaning=_at_cell_with_value,
    kernel=planes.at_first,
    many=planes.at_first_many,
    phrase="{1}",
    negation="{1:not}",
    at="the first {0:bare}",
    wording=_at_cell_with_value_wording,
)

ACTION_IS = Primitive(
    name="action_is",
    takes=(Kind.BUTTON,),
    gives=Kind.PROGRAM,
    meaning=_action_is,
    kernel=_rows_of_button,
    phrase="the action is {0}",
    negation="the action is not {0}",
    needs="button",
)

LANGUAGE = Language([CELL_IS_VALUE, SHIFTED, SCANNING, AT_ACTION_CELL, AT_CELL_WITH_VALUE, ACTION_IS])
"""The language of the paper."""
