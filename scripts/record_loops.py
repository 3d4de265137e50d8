"""List the loops that learning and practicing Nim compiles: `python scripts/record_loops.py`.

Writes `src/shown/engine/precompiled.txt`, which is needed when such a loop, or the types of its arguments, change.
"""

from __future__ import annotations

import os
import tempfile
from pathlib import Path
from typing import Any

LIST = Path(__file__).parents[1] / "src" / "shown" / "engine" / "precompiled.txt"
HEADER = "# Loops that every learn needs, in the order of their first use: module, function, types of the arguments.\n"


def listed_type(kind: Any) -> str:
    """Return how a type is listed; the inverse of `precompilation.numba_type`."""
    from numba import types

    if isinstance(kind, types.BaseTuple):
        return f"({','.join(map(listed_type, kind))})"
    return f"{kind.dtype}[{kind.ndim}]" if isinstance(kind, types.Array) else str(kind)


def compiled_loops() -> list[str]:
    """Return a line for each loop that is compiled when nothing is cached."""
    from numba.core import event

    from shown import teach
    from shown.columns.resources import Resources
    from shown.worlds import demonstrate, find, load_levels

    class Recorder(event.Listener):
        depth = 0  # of loops that other loops call

        def on_start(self, event: Any) -> None:
            function, types = event.data["dispatcher"].py_func, event.data["args"]
            if not self.depth:
                lines.append(" ".join([function.__module__, function.__qualname__, *map(listed_type, types)]))
            self.depth += 1

        def on_end(self, event: Any) -> None:
            self.depth -= 1

    lines: list[str] = []
    nim, recorder = find("nim"), Recorder()
    event.register("numba:compile", recorder)
    teach(demonstrate(nim, load_levels(nim, "train:0-2")), nim, practice=1e5, rounds=1, resources=Resources(threads=1))
    event.unregister("numba:compile", recorder)
    return lines


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as folder:
        os.environ["NUMBA_CACHE_DIR"] = folder  # before Numba is imported
        LIST.write_text(HEADER + "".join(f"{line}\n" for line in compiled_loops()), encoding="utf-8")
