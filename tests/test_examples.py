"""The examples run, learn the rule that they are about, and use nothing but public names."""

import ast
from importlib import import_module
from pathlib import Path

import pytest

import shown
from shown import worlds

FILES = sorted((Path(__file__).parents[1] / "examples").glob("*.py"))
PRINTED = {
    "connect_four": ("the clicked cell makes 4 own pieces in a line", "positions: 98%"),
    "minesweeper": ("a cell where it says how many flags there are", "won: 100%"),
    "pushing": ("shortens the walk over floor cells to a cell left of a", "done: 100%"),
    "warehouse": ("a step up from the loaded robot shortens the walk over floor cells to the dock", "done: 100%"),
}


@pytest.mark.parametrize("name", [pytest.param(n, marks=[pytest.mark.slow] * (n == "pushing")) for n in PRINTED])
def test_its_rule_is_learned(name, capsys):
    import_module(name).main()
    printed = " ".join(capsys.readouterr().out.split())
    assert all(part in printed for part in PRINTED[name])


@pytest.mark.parametrize("file", FILES, ids=lambda file: file.stem)
def test_it_uses_public_names_only(file):
    public = {"shown": shown.__all__, "shown.worlds": worlds.__all__}
    for node in ast.walk(ast.parse(file.read_text())):
        if isinstance(node, ast.ImportFrom) and str(node.module).partition(".")[0] == "shown":
            assert {alias.name for alias in node.names} <= set(public[str(node.module)])


def test_every_example_is_run():
    assert [file.stem for file in FILES] == sorted(PRINTED)
