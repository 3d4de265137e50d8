"""The layers of the package: every module imports from its own layer and the layers below, and module names are unique.

Lazy imports and those under TYPE_CHECKING count as well.
"""

from __future__ import annotations

import ast
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]

LAYERS = (
    ("errors", "files", "grid", "demonstrations", "registry", "version"),
    ("engine",),
    ("language",),
    ("symmetry",),
    ("rules",),
    ("columns",),
    ("policy", "components", "explain", "export", "provenance", "sources"),
    ("inference",),
    ("render",),
    ("worlds",),
    ("teaching",),
    ("studio", "cli"),
    ("shown_evidence",),
)
"""Top-level modules and packages, lowest layer first."""

RANK = {name: rank for rank, names in enumerate(LAYERS) for name in names}

ENTRY = {"shown", "shown.__main__"}
"""Modules on top of all layers: the public names and `python -m shown`. No module may import them."""

RENDER_MAY_IMPORT = {*LAYERS[0], "render"}


def modules() -> dict[str, Path]:
    """Return the file of each module by dotted name."""
    found = {}
    for source in (ROOT / "src", ROOT / "evidence" / "src"):
        for path in sorted(source.rglob("*.py")):
            parts = path.relative_to(source).with_suffix("").parts
            found[".".join(parts[:-1] if parts[-1] == "__init__" else parts)] = path
    return found


MODULES = modules()


def imports(path: Path) -> Iterator[str]:
    """Yield the modules of this repository that a file imports anywhere in its code."""
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            names = [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            assert not node.level, f"{path}: relative import"
            inner = [f"{node.module}.{alias.name}" for alias in node.names]
            names = [name if name in MODULES else str(node.module) for name in inner]
        else:
            continue
        yield from (name for name in names if name in MODULES)


def part_of(module: str) -> str:
    """Return the name in `LAYERS` that a module belongs to."""
    package, _, rest = module.partition(".")
    return rest.partition(".")[0] if package == "shown" else package


def upward(module: str) -> list[str]:
    """Return the imports of a module that lead to a higher layer."""
    rank = RANK[part_of(module)]
    return [
        name
        for name in dict.fromkeys(imports(MODULES[module]))
        if name in ENTRY - {"shown"}
        or (name == "shown" and part_of(module) != "shown_evidence")
        or (name != "shown" and RANK[part_of(name)] > rank)
    ]


@pytest.mark.parametrize("module", sorted(MODULES.keys() - ENTRY))
def test_no_module_imports_from_a_higher_layer(module: str) -> None:
    assert upward(module) == []


def test_render_uses_only_grids_and_demonstrations() -> None:
    used = {part_of(name) for module, path in MODULES.items() if part_of(module) == "render" for name in imports(path)}
    assert used <= RENDER_MAY_IMPORT


def test_no_two_modules_share_a_file_name() -> None:
    places = defaultdict(list)
    for module, path in MODULES.items():
        if path.name != "__init__.py" and ".cli." not in module and module.startswith("shown."):
            places[path.name].append(module)
    assert {name: where for name, where in places.items() if len(where) > 1} == {}
