"""Plugins: an error in their own code is reported with its place, and never ends the command."""

from __future__ import annotations

import sys
from operator import attrgetter
from pathlib import Path
from typing import Any

import pytest

from shown.errors import BadInput
from shown.registry import Registry, reason

PLUGIN = """
class Nameless:
    pass

class Quits:
    def __init__(self):
        raise SystemExit(0)

class Faulty:
    name = "faulty"

    def __init__(self):
        self.missing.attribute
"""


@pytest.fixture
def registry(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Any:
    (tmp_path / "faulty_plugin.py").write_text(PLUGIN)
    info = tmp_path / "faulty_plugin-1.0.dist-info"
    info.mkdir()
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: faulty-plugin\nVersion: 1.0\n")
    names = ("Nameless", "Quits", "Faulty")
    (info / "entry_points.txt").write_text(
        "\n".join(["[shown.test]", *(f"{name.lower()} = faulty_plugin:{name}" for name in names), ""])
    )
    monkeypatch.syspath_prepend(tmp_path)
    yield Registry("piece", "shown.test", {}, lambda declared, name: declared(), "a piece", attrgetter("name"))
    sys.modules.pop("faulty_plugin", None)


@pytest.mark.parametrize(
    ("name", "complaint"),
    [
        ("nameless", "AttributeError: 'Nameless' object has no attribute 'name'"),
        ("quits", r"SystemExit: 0, at \S*faulty_plugin\.py:7"),
        ("faulty", r"AttributeError: 'Faulty' object has no attribute 'missing', at \S*faulty_plugin\.py:13"),
    ],
)
def test_an_error_of_a_plugin_is_reported_with_its_place(registry: Any, name: str, complaint: str) -> None:
    with pytest.raises(BadInput, match=rf"declared by faulty-plugin .* cannot be loaded \({complaint}\)\.") as caught:
        registry.find(name)
    assert caught.value.__cause__ is not None, "the traceback is chained"


def test_faulty_plugins_do_not_end_a_listing(registry: Any) -> None:
    things, reasons = registry.usable()
    assert things == []
    assert len(reasons) == 3


def test_errors_of_this_package_have_no_place() -> None:
    with pytest.raises(BadInput) as caught:
        Registry("piece", "shown.test", {}, lambda declared, name: declared, "", str).find("none")
    assert "registry.py" not in reason(caught.value)
