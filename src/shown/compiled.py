"""Compiling the few inner loops with Numba, when first used and not before.

Importing Numba takes half a second and compiling a loop a few; neither may delay `shown --help` or look like a hang.
"""

from __future__ import annotations

import functools
import sys
import threading
from collections.abc import Callable
from typing import Any, TypeVar

F = TypeVar("F", bound=Callable[..., Any])

NOTICE_AFTER = 2.0
"""Seconds after which the first call of a loop says that it is being compiled."""


def compiled(function: F) -> F:
    """Compiles `function` on its first call, keeps the machine code on disk, and releases the GIL while it runs.

    >>> @compiled
    ... def double(x):
    ...     return x + x
    >>> double(3)
    6
    """
    lock = threading.Lock()
    machine_code: list[Callable[..., Any]] = []

    @functools.wraps(function)
    def call(*arguments: Any) -> Any:
        if not machine_code:
            with lock:
                if not machine_code:
                    result = _first_call(function, machine_code, arguments)
                    return result
        return machine_code[0](*arguments)

    call.plain = function  # type: ignore[attr-defined]
    return call  # type: ignore[return-value]


def _first_call(function: Callable, machine_code: list[Callable], arguments: tuple[Any, ...]) -> Any:
    notice = threading.Timer(
        NOTICE_AFTER,
        lambda: print("shown: loading the engine; the first time it is compiled for this machine …", file=sys.stderr),
    )
    notice.daemon = True
    notice.start()
    try:
        loop = _machine_code(function)
        result = loop(*arguments)
        machine_code.append(loop)
        return result
    finally:
        notice.cancel()


def _machine_code(function: Callable[..., Any]) -> Callable[..., Any]:
    import numba

    try:
        return numba.njit(cache=_can_cache(function), nogil=True)(function)  # type: ignore[no-any-return]
    except RuntimeError:
        # No folder to keep machine code in can be written to (a read-only container, say): compile for this run only.
        return numba.njit(nogil=True)(function)  # type: ignore[no-any-return]


def _can_cache(function: Callable[..., Any]) -> bool:
    """Numba keeps machine code beside the source file; a function typed at a prompt has none."""
    return not function.__code__.co_filename.startswith("<")
