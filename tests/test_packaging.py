"""A wheel and an sdist are built, and the wheel works in a fresh environment."""

import os
import subprocess
import sys
import tarfile
import venv
import zipfile
from pathlib import Path

import pytest

from guides import ROOT


def run(*words, cwd):
    environment = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}
    ran = subprocess.run([str(word) for word in words], cwd=cwd, env=environment, capture_output=True, text=True)
    assert ran.returncode == 0, ran.stdout + ran.stderr
    return ran.stdout


def build(source, target):
    run(sys.executable, "-m", "hatchling", "build", "-d", target, cwd=source)
    return next(target.glob("*.whl")), next(target.glob("*.tar.gz"))


@pytest.fixture(scope="module")
def built(tmp_path_factory):
    return build(ROOT, tmp_path_factory.mktemp("dist"))


def test_the_wheel_has_all_that_is_in_the_package_and_nothing_else(built):
    wheel = {name for name in zipfile.ZipFile(built[0]).namelist() if name.startswith("shown/")}
    tracked = run("git", "ls-files", "--cached", "--others", "--exclude-standard", "src/shown", cwd=ROOT).splitlines()
    assert wheel == {name.removeprefix("src/") for name in tracked if (ROOT / name).exists()}


def test_a_wheel_built_from_the_sdist_is_the_same(built, tmp_path):
    with tarfile.open(built[1]) as packed:
        packed.extractall(tmp_path / "source", filter="data")
    (source,) = (tmp_path / "source").iterdir()
    again, _ = build(source, tmp_path / "dist")
    one, other = zipfile.ZipFile(built[0]), zipfile.ZipFile(again)
    assert {name: one.read(name) for name in one.namelist()} == {name: other.read(name) for name in other.namelist()}


@pytest.mark.slow
def test_installed_from_scratch_it_learns_and_plays(built, tmp_path):
    venv.create(tmp_path / "env", with_pip=True)
    folder = tmp_path / "env" / ("Scripts" if os.name == "nt" else "bin")
    run(folder / "python", "-m", "pip", "install", "--quiet", "--disable-pip-version-check", built[0], cwd=tmp_path)
    where = run(folder / "python", "-c", "import shown; print(shown.__file__)", cwd=tmp_path)
    assert Path(where.strip()).is_relative_to(tmp_path)
    run(folder / "shown", "learn", "nim", "--levels", "train:0-1", "--out", "policy.json", "--quiet", cwd=tmp_path)
    assert "9 of 9" in run(folder / "shown", "evaluate", "policy.json", "--levels", "test", cwd=tmp_path)
