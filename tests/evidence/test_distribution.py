"""The core brings none of the evidence; installing the evidence adds its commands."""

import os
import re
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

from guides import ROOT

HEAVY = {"matplotlib", "torch", "scikit-learn"}


@pytest.fixture(scope="module")
def wheels(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    """The wheels of both distributions."""
    folder = tmp_path_factory.mktemp("wheels")
    found = {}
    for name, source in (("shown", ROOT), ("shown_evidence", ROOT / "evidence")):
        command = [sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", str(folder)]
        subprocess.run(command, cwd=source, check=True, capture_output=True)
        found[name] = next(folder.glob(f"{name}-*.whl"))
    return found


def requirements(wheel: Path) -> set[str]:
    """The distributions that a wheel requires, extras included."""
    with zipfile.ZipFile(wheel) as packed:
        name = next(name for name in packed.namelist() if name.endswith(".dist-info/METADATA"))
        lines = packed.read(name).decode().splitlines()
    return {re.split(r"[\s;<>=\[!~]", line.removeprefix("Requires-Dist: "))[0] for line in lines if "Requires-" in line}


def test_the_core_requires_and_contains_nothing_of_the_evidence(wheels: dict[str, Path]):
    assert not requirements(wheels["shown"]) & HEAVY
    assert not [name for name in zipfile.ZipFile(wheels["shown"]).namelist() if "evidence" in name]
    assert requirements(wheels["shown_evidence"]) >= HEAVY


def test_the_evidence_contains_its_sources_and_data_and_nothing_else(wheels: dict[str, Path]):
    names = {name for name in zipfile.ZipFile(wheels["shown_evidence"]).namelist() if ".dist-info/" not in name}
    sources = {file for file in (ROOT / "evidence/src/shown_evidence").rglob("*") if file.is_file()}
    kept = {file.relative_to(ROOT / "evidence/src").as_posix() for file in sources if "__pycache__" not in file.parts}
    assert names == kept
    assert {"shown_evidence/report/page.html", "shown_evidence/analysis/statements.toml"} <= names


def test_the_commands_appear_with_the_evidence(wheels: dict[str, Path], tmp_path: Path):
    def commands(*installed: str) -> str:
        for name in installed:
            zipfile.ZipFile(wheels[name]).extractall(tmp_path)
        program = "import sys; from shown.cli import main; sys.exit(main(['--help']))"
        environment = {**os.environ, "PYTHONPATH": str(tmp_path)}
        ran = subprocess.run(
            [sys.executable, "-S", "-c", program], cwd=tmp_path, env=environment, capture_output=True, text=True
        )
        assert ran.returncode == 0, ran.stderr
        return ran.stdout

    assert "reproduce" not in commands("shown")
    printed = commands("shown_evidence")
    assert all(f"\n  {name} " in printed for name in ("reproduce", "results", "report"))
