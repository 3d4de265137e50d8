"""Atomic operations on array elements, for compiled loops that several threads run at once.

Each is written twice: as plain Python, for `.plain` twins of compiled functions, and as one machine instruction.
"""

from __future__ import annotations

import functools
from typing import Any

import numpy as np


def load(array: np.ndarray, place: Any) -> Any:
    """Return an element together with everything that was written before it was stored."""
    return array[place]


def store(array: np.ndarray, place: Any, value: Any) -> None:
    """Set an element after everything that was written so far."""
    array[place] = value


def replace(array: np.ndarray, place: Any, old: Any, new: Any) -> bool:
    """Set an element if it has the value `old`; return whether it had.

    >>> slots = np.array([-1, 7])
    >>> replace(slots, 0, -1, 5), replace(slots, 1, -1, 5), slots.tolist()
    (True, False, [5, 7])
    """
    if array[place] != old:
        return False
    array[place] = new
    return True


def add(array: np.ndarray, place: Any, amount: Any) -> Any:
    """Add to an element and return its value before."""
    before = array[place]
    array[place] += amount
    return before


@functools.cache
def teach_numba() -> None:
    """Let Numba compile these functions, each as one instruction; called before anything is compiled."""
    from numba import types
    from numba.extending import lower_builtin, type_callable

    kinds = (types.Array, types.Integer)

    @lower_builtin(load, *kinds)
    def load_code(context, builder, signature, arguments):  # type: ignore[no-untyped-def]
        pointer, size, _ = _element(context, builder, signature, arguments)
        return builder.load_atomic(pointer, "acquire", size)

    @lower_builtin(store, *kinds, types.Integer)
    def store_code(context, builder, signature, arguments):  # type: ignore[no-untyped-def]
        pointer, size, (value,) = _element(context, builder, signature, arguments)
        builder.store_atomic(value, pointer, "release", size)
        return context.get_dummy_value()

    @lower_builtin(replace, *kinds, types.Integer, types.Integer)
    def replace_code(context, builder, signature, arguments):  # type: ignore[no-untyped-def]
        pointer, _, values = _element(context, builder, signature, arguments)
        return builder.extract_value(builder.cmpxchg(pointer, *values, "acq_rel", "acquire"), 1)

    @lower_builtin(add, *kinds, types.Integer)
    def add_code(context, builder, signature, arguments):  # type: ignore[no-untyped-def]
        pointer, _, (amount,) = _element(context, builder, signature, arguments)
        return builder.atomic_rmw("add", pointer, amount, "acq_rel")

    type_callable(load)(lambda context: lambda array, place: array.dtype)
    type_callable(store)(lambda context: lambda array, place, value: types.none)
    type_callable(replace)(lambda context: lambda array, place, old, new: types.boolean)
    type_callable(add)(lambda context: lambda array, place, amount: array.dtype)


def _element(context, builder, signature, arguments):  # type: ignore[no-untyped-def]
    """Return the address of an array's element, the bytes of one, and the other arguments as elements."""
    from numba import types
    from numba.core import cgutils
    from numba.np.arrayobj import make_array

    kind, at, *others = signature.args
    array = make_array(kind)(context, builder, arguments[0])
    place = context.cast(builder, arguments[1], at, types.intp)
    values = [context.cast(builder, x, t, kind.dtype) for x, t in zip(arguments[2:], others, strict=True)]
    return cgutils.get_item_pointer(context, builder, kind, array, [place]), kind.dtype.bitwidth // 8, values
