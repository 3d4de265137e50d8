"""What is promised about versions: the lowest that work, and that exported files run on older Pythons."""

from __future__ import annotations

import importlib.util
import json
import subprocess
import sys
import tomllib
from types import ModuleType

import pytest

from guides import ROOT
from shown.inference.learner import Learner
from shown.worlds import demonstrate, find, load_levels


def load() -> ModuleType:
    spec = importlib.util.spec_from_file_location("versions", ROOT / "scripts" / "versions.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


versions = load()
FOUND = versions.pythons()


def test_the_lowest_versions_are_those_that_are_promised():
    lowest = dict(line.split("==") for line in versions.lowest())
    assert set(lowest) == {"numpy", "numba", "gymnasium", "pillow", "starlette", "uvicorn"}
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
    assert f"numpy>={lowest['numpy']}" in project["dependencies"]


def test_the_oldest_python_is_the_one_that_is_promised():
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
    assert project["requires-python"] == f">={versions.OURS[0]}"
    assert f"{sys.version_info[0]}.{sys.version_info[1]}" in FOUND


def test_the_tests_it_runs_are_there():
    assert all((ROOT / path).exists() for path in versions.QUICK)


@pytest.fixture(scope="module")
def exported(tmp_path_factory):
    """A policy of Nim as a module, and what it does on the test levels."""
    game = find("nim")
    policy = Learner(programs=1000).fit(demonstrate(game, load_levels(game, "train:0-4"))).policy_
    folder = tmp_path_factory.mktemp("exported")
    (folder / "nim_policy.py").write_text(policy.to_python(), "utf-8")
    boards = [level.grid for level in load_levels(game, "test")]
    return folder, boards, [list(policy.act(board)) for board in boards]


@pytest.mark.parametrize("version", FOUND)
def test_an_exported_policy_acts_alike_on_every_python_here(version, exported):
    folder, boards, wanted = exported
    script = (
        f"import json, sys; sys.path.insert(0, {str(folder)!r}); import nim_policy; "
        "print(json.dumps([nim_policy.act(rows) for rows in json.load(sys.stdin)]))"
    )
    given = json.dumps([list(board.rows) for board in boards])
    command = [FOUND[version], "-I", "-S", "-B", "-c", script]
    ran = subprocess.run(command, input=given, capture_output=True, text=True, check=True)
    assert json.loads(ran.stdout) == wanted
