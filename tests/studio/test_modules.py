"""The studio's modules form layers: each imports only those before it."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

import shown.studio

ORDER = (
    *("folder", "project", "children", "policy_summary", "learning_task", "tasks"),
    *("isolated", "catalog", "worker"),
    *("learning", "learning_queue", "processes", "workspace", "news", "session", "commands", "downloads"),
    *("guard", "connections", "app", "server"),
)
FOLDER = Path(shown.studio.__path__[0])


def imported(path: Path) -> set[str]:
    """Return the studio's modules that a file imports, lazily or for types as well."""
    nodes = (node for node in ast.walk(ast.parse(path.read_text())) if isinstance(node, ast.ImportFrom))
    return {(node.module or "").removeprefix("shown.studio.") for node in nodes} & set(ORDER)


def test_every_module_has_its_place():
    assert {path.stem for path in FOLDER.glob("*.py")} - {"__init__"} == set(ORDER)


@pytest.mark.parametrize("name", ORDER)
def test_a_module_imports_only_those_before_it(name):
    assert imported(FOLDER / f"{name}.py") <= set(ORDER[: ORDER.index(name)])


def test_lessons_do_not_know_the_studio():
    lessons = FOLDER.parent / "teaching" / "lessons"
    assert not any("shown.studio" in path.read_text() for path in lessons.glob("*.py"))
