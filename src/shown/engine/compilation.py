"""Compilation of inner loops with Numba on first use.

Importing Numba takes half a second and compiling a loop a few; neither may delay `shown --help` or look like a hang.
"""

from __future__ import annotations

import functools
import sys
import threading
from collections.abc import Callable
from typing import Any, TypeVar

from shown.engine import atomics

F = TypeVar("F", bound=Callable[..., Any])

NEVER = 86_400.0
NOTICE_AFTER = 2.0
"""Seconds after which the first call of a function announces, once, that it is being compiled."""


def compiled(function: F) -> F:
    """Compile `function` on its first call, cache the machine code on disk, and release the GIL while it runs.

    It may call other compiled functions of its file.

    >>> @compiled
    ... def double(x):
    ...     return x + x
    >>> double(3)
    6
    """
    lock = threading.Lock()
    ready: list[Callable[..., Any]] = []

    @functools.wraps(function)
    def call(*arguments: Any) -> Any:
        try:
            if not ready:
                with lock:
                    if not ready:
                        return _first_call(function, ready, arguments)
            return ready[0](*arguments)
        except SystemError as error:  # as Numba reports a Ctrl-C that arrives while it loads a loop
            if _interrupted(error):
                raise KeyboardInterrupt from None
            raise

    call.plain = function  # type: ignore[attr-defined]
    return call  # type: ignore[return-value]


def _interrupted(error: BaseException | None) -> bool:
    """Return whether an error was caused by Ctrl-C."""
    while error is not None and not isinstance(error, KeyboardInterrupt):
        error = error.__cause__ or error.__context__
    return error is not None


def _first_call(function: Callable, ready: list[Callable], arguments: tuple[Any, ...]) -> Any:
    notice = threading.Timer(NOTICE_AFTER, _announce)
    notice.daemon = True
    notice.start()
    try:
        loop = machine_code(function)
        result = loop(*arguments)
        ready.append(loop)
        return result
    finally:
        notice.cancel()


@functools.cache
def _announce() -> None:
    print("shown: compiling the engine for this machine (first run only) …", file=sys.stderr)


def machine_code(function: Callable[..., Any]) -> Any:
    """Return Numba's dispatcher of a function; it compiles on its first call, or takes what the cache has."""
    import numba

    _compile_popcount()
    atomics.teach_numba()
    _compile_called(function)
    options: dict[str, Any] = {"nogil": True, "error_model": "numpy"}  # no code for errors that no loop can raise
    try:
        return numba.njit(cache=True, **options)(function)
    except RuntimeError:
        # No source file, or no writable cache folder (in a read-only container, for example): compile for this run.
        return numba.njit(**options)(function)


def _compile_called(function: Callable[..., Any]) -> None:
    """Teach Numba to compile calls of other compiled functions of the same file.

    Code that calls one of another file would stay in the cache when that file changes.
    """
    for name in function.__code__.co_names:
        called = getattr(function.__globals__.get(name), "plain", None)
        if called is not None and called.__code__.co_filename == function.__code__.co_filename:
            _compile_called(called)
            _compile_calls_of(function.__globals__[name])


@functools.cache
def _compile_calls_of(call: Callable[..., Any]) -> None:
    from numba.extending import overload

    overload(call, strict=False, jit_options={"nogil": True, "error_model": "numpy"})(lambda *arguments: call.plain)  # type: ignore[attr-defined]


def popcount(word: int) -> int:
    """Return the number of ones in a word; a single instruction in compiled functions.

    >>> popcount(0b1011)
    3
    """
    return int(word).bit_count()


@functools.cache
def _compile_popcount() -> None:
    """Teach Numba to compile `popcount`."""
    from numba import types
    from numba.extending import lower_builtin, type_callable

    @lower_builtin(popcount, types.Integer)
    def code(context, builder, signature, arguments):  # type: ignore[no-untyped-def]
        word = context.cast(builder, arguments[0], signature.args[0], types.uint64)
        return builder.ctpop(word)

    type_callable(popcount)(lambda context: lambda word: types.int64)
