"""Programs read from the planes of their conditions.

`at_action_cell` and `at_cell_with_value` read a condition at some cells. They read `shifted(offset, condition)` from
the plane of the condition itself, at cells an offset further, so that no plane of the shifted condition is written.
"""

from __future__ import annotations

import numpy as np

from shown.engine.compilation import compiled
from shown.engine.planes import Planes
from shown.language.primitives import LANGUAGE

AT_ACTION_CELL, AT_CELL_WITH_VALUE, SHIFTED, SCANNING = (
    LANGUAGE[name] for name in ("at_action_cell", "at_cell_with_value", "shifted", "scanning")
)


def shifts_of(world: Planes, offsets: np.ndarray) -> np.ndarray | None:
    """Return how many words of a flattened plane lie between a cell and the one at an offset. [n, 2] → [n]

    None if a cell of a grid has no such cell in the frame.
    """
    if np.abs(offsets).max(initial=0) > world.margin:
        return None
    return (offsets[:, 0] * world.shape[1] + offsets[:, 1]) * world.shape[2]


def at_first_shifted(
    world: Planes, flat: np.ndarray, values: np.ndarray, conditions: np.ndarray, shifts: np.ndarray
) -> np.ndarray:
    """Return planes at the cells a shift away from the first cell with a value. [values × conditions, words]

    Args:
        world: the states.
        flat: flattened planes. [any, words of a plane]
        values: numbers of values.
        conditions, shifts: rows of `flat`, and the shift of each. [n]
    """
    out = np.empty((len(values), len(conditions), world.shape[2]), dtype=np.uint64)
    starts, sources, targets, masks, nowhere = world.first_reads
    _at_first_loop(flat, values, conditions, shifts, starts, sources, targets, masks, nowhere, out)
    return out.reshape(-1, world.shape[2])


@compiled
def _at_first_loop(flat, values, conditions, shifts, starts, sources, targets, masks, nowhere, out):  # type: ignore[no-untyped-def]  # noqa: PLR0913
    """The twin of this loop is `planes.at_first_many` of the planes of `planes.shift_many`."""
    words = out.shape[2]
    for i in range(len(conditions)):
        plane, shift = flat[conditions[i]], shifts[i]
        lost = np.uint64(0) - (plane[words - 1] >> np.uint64(63))
        for v in range(len(values)):
            value, row = values[v], out[v, i]
            for w in range(words):
                row[w] = nowhere[value, w] & lost
            for k in range(starts[value], starts[value + 1]):
                row[targets[k]] |= plane[np.uint64(sources[k] + shift)] & masks[k]
