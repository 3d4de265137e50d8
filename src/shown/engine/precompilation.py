"""Compilation in other processes, of loops that every learn needs, while this one compiles and runs the first of them.

Numba compiles one function at a time, and a first learn needs about thirty. `precompiled.txt` lists them with the types
of their arguments, in the order of their first use (`python scripts/record_loops.py` writes it). Helpers start when the
first listed loop is not in Numba's cache. They compile the list from its end and leave the code in the cache, where
this process finds it when it gets there.
"""

from __future__ import annotations

import functools
import importlib
import os
import re
import subprocess
import sys
from collections.abc import Iterator
from importlib.resources import files
from typing import Any

MOST_HELPERS = 4  # each takes a second to start, as long as some loops take to be compiled

_SCALAR = r"(?:u?int(?:8|16|32|64)|float64|bool)"
_TYPE = re.compile(rf"(?P<scalar>{_SCALAR})(?:\[(?P<dimensions>\d)\])?$|\((?P<parts>.*)\)$")


def listed() -> list[tuple[str, str, tuple[str, ...]]]:
    """Return the module, name and argument types of each listed loop, in the order of their first use."""
    lines = files("shown.engine").joinpath("precompiled.txt").read_text("utf-8").splitlines()
    loops = (line.split() for line in lines if line and not line.startswith("#"))
    return [(module, name, tuple(types)) for module, name, *types in loops]


@functools.cache
def compile_ahead(threads: int) -> None:
    """From now on, start up to `threads` - 1 helpers when the first listed loop has to be compiled."""
    if threads < 2 or not sys.executable:
        return
    from numba.core import event

    class Start(event.Listener):
        def on_start(self, event: Any) -> None:
            function, stats = event.data["dispatcher"].py_func, event.data["dispatcher"].stats
            if stats.cache_path is not None and (function.__module__, function.__qualname__) in names:
                _helpers(min(threads - 1, MOST_HELPERS))

        def on_end(self, event: Any) -> None:
            pass

    names = {(module, name) for module, name, _ in listed()}
    event.register("numba:compile", Start())


@functools.cache
def _helpers(count: int) -> list[subprocess.Popen[bytes]]:
    """Start processes that compile the listed loops and end."""
    command = [sys.executable, "-m", "shown.engine.precompilation", str(os.getpid()), str(count)]
    quiet: dict[str, Any] = dict.fromkeys(("stdin", "stdout", "stderr"), subprocess.DEVNULL)
    try:
        return [subprocess.Popen([*command, str(number)], **quiet) for number in range(count)]
    except OSError:  # no process can be started: this one compiles everything
        return []


def help_with(parent: int, count: int, number: int) -> None:
    """Compile every `count`-th listed loop from the end on, or find it in the cache, until the parent has ended."""
    from shown.engine.compilation import machine_code

    for module, name, types in listed()[::-1][number::count]:
        if os.getppid() != parent:
            return
        loop = getattr(importlib.import_module(module), name)
        machine_code(loop.plain).compile(tuple(map(numba_type, types)))


def numba_type(text: str) -> Any:
    """Return Numba's type for a listed one: a scalar, a C-contiguous array, or a tuple of these.

    >>> str(numba_type("(uint64[2],int64)"))
    'Tuple(array(uint64, 2d, C), int64)'
    """
    from numba import types

    found = _TYPE.match(text)
    if found is None:
        raise ValueError(f"{text!r} is no type of a listed loop.")
    if found["parts"] is not None:
        return types.BaseTuple.from_types(tuple(map(numba_type, _split(found["parts"]))))
    scalar = getattr(types, found["scalar"])
    return types.Array(scalar, int(found["dimensions"]), "C") if found["dimensions"] else scalar


def _split(parts: str) -> Iterator[str]:
    """Split the parts of a tuple, none of which is a tuple itself."""
    return filter(None, parts.split(","))


if __name__ == "__main__":
    help_with(*map(int, sys.argv[1:4]))
