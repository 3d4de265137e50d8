"""Loops that every learn needs are compiled by several processes."""

import importlib
import inspect
import os
import subprocess
import sys
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest
from numba import typeof
from numba.core import event

from shown.engine import precompilation as module
from shown.engine.compilation import machine_code
from shown.engine.precompilation import compile_ahead, help_with, listed, numba_type

ROOT = Path(__file__).parents[1]


def test_listed_types_are_those_of_arrays_and_numbers():
    table = (np.zeros(2, dtype=np.uint64), np.uint64(1), np.zeros((2, 2), dtype=np.bool_), 3)
    assert numba_type("(uint64[1],uint64,bool[2],int64)") == typeof(table)
    assert numba_type("float64[3]") == typeof(np.zeros((1, 1, 1)))
    with pytest.raises(ValueError, match="complex"):
        numba_type("complex128")


@pytest.mark.parametrize(("source", "name", "types"), listed(), ids=[f"{m}.{name}" for m, name, _ in listed()])
def test_each_listed_loop_takes_the_listed_arguments(source, name, types):
    """Code in the cache is loaded, so this is quick; any other type would be an error or a warning of Numba."""
    plain = getattr(importlib.import_module(source), name).plain
    assert len(types) == len(inspect.signature(plain).parameters)
    machine_code(plain).compile(tuple(map(numba_type, types)))


@pytest.mark.slow
def test_the_list_has_all_loops_of_a_learn(tmp_path):
    """If not, `python scripts/record_loops.py` writes it again."""
    copy = tmp_path / "repository"
    for part in ("src", "scripts"):
        (copy / part).parent.mkdir(exist_ok=True)
        subprocess.run(["cp", "-r", ROOT / part, copy / part], check=True)
    script = copy / "scripts" / "record_loops.py"
    subprocess.run([sys.executable, script], env=os.environ | {"PYTHONPATH": str(copy / "src")}, check=True)
    written = copy / "src/shown/engine/precompiled.txt"
    assert written.read_text() == (ROOT / "src/shown/engine/precompiled.txt").read_text()


def test_a_helper_compiles_its_share_and_ends_with_its_parent(monkeypatch):
    compiled = []
    plain = SimpleNamespace(compile=compiled.append)
    monkeypatch.setattr("shown.engine.compilation.machine_code", lambda function: plain)
    everything = [tuple(map(numba_type, types)) for _, _, types in listed()]
    help_with(os.getppid(), 2, 0)
    help_with(os.getppid(), 2, 1)
    assert sorted(map(str, compiled)) == sorted(map(str, everything))
    assert compiled[0] == everything[-1]
    help_with(-1, 1, 0)
    assert len(compiled) == len(everything)


@pytest.mark.parametrize(("threads", "started"), [(1, 0), (2, 1), (64, module.MOST_HELPERS)])
def test_helpers_start_once_when_a_listed_loop_is_compiled(monkeypatch, threads, started):
    listeners, commands = [], []
    monkeypatch.setattr(event, "register", lambda kind, listener: listeners.append(listener))
    monkeypatch.setattr(module.subprocess, "Popen", lambda command, **_: commands.append(command))
    for cached in (compile_ahead, module._helpers):
        monkeypatch.setattr(module, cached.__name__, module.functools.cache(cached.__wrapped__))
    module.compile_ahead(threads)
    assert bool(listeners) == bool(started)
    name, loop, _ = listed()[0]
    function = getattr(importlib.import_module(name), loop).plain
    for known, path in ((test_listed_types_are_those_of_arrays_and_numbers, "cache"), (function, None)):
        for listener in listeners:  # other functions, and code that cannot be cached
            listener.on_start(SimpleNamespace(data={"dispatcher": dispatcher(known, path)}))
    assert not commands
    for _ in range(2):
        for listener in listeners:
            listener.on_start(SimpleNamespace(data={"dispatcher": dispatcher(function, "cache")}))
    assert [command[1:3] for command in commands] == [["-m", "shown.engine.precompilation"]] * started
    assert [int(command[-1]) for command in commands] == list(range(started))


def dispatcher(function, cache_path):
    return SimpleNamespace(py_func=function, stats=SimpleNamespace(cache_path=cache_path))
