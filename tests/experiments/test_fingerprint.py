"""A result knows the code that made it; other code makes it stale."""

import ast
import json
import os
import shutil
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest

import shown
from measuring import measured
from shown.experiments import fingerprint
from shown.experiments.fingerprint import PACKAGE, SOURCES, UNKNOWN, commit, levels_digest
from shown.experiments.store import Store
from shown.experiments.trials import METHODS, Trial, code_for, settings_key, trial_key
from shown.games import find, load_levels

TRIAL = Trial("lpp", "nim", "train:0")

HARMLESS = ("errors.py", "files.py", "version.py", "memory.py", "explain.py", "export.py", "__init__.py", "games/")
"""What methods import and what changes no policy: messages, files, limits. Games have a digest of their own."""


def test_the_key_holds_the_code():
    assert TRIAL.key == trial_key(TRIAL.settings, TRIAL.code)
    assert TRIAL.key != settings_key(TRIAL.settings)
    for part in ("engine", "game", "levels"):
        assert trial_key(TRIAL.settings, {**TRIAL.code, part: "other"}) != TRIAL.key


def imports(file: Path) -> set[Path]:
    """The files of the package that a file of the package imports, anywhere in it."""
    found = set()
    for node in ast.walk(ast.parse(file.read_text("utf-8"))):
        names = []
        if isinstance(node, ast.ImportFrom) and node.module:
            names = [node.module, *(f"{node.module}.{alias.name}" for alias in node.names)]
        elif isinstance(node, ast.Import):
            names = [alias.name for alias in node.names]
        for name in names:
            path = PACKAGE.parent / name.replace(".", "/")
            if name.split(".")[0] == "shown":
                found |= {file for file in (path.with_suffix(".py"), path / "__init__.py") if file.is_file()}
    return found


@pytest.mark.parametrize("module", sorted({method.factory.partition(":")[0] for method in METHODS.values()}))
def test_the_table_has_all_that_a_method_is_made_of(module: str):
    listed = {file for name in SOURCES[module] for file in fingerprint._files(PACKAGE / name)}
    assert all((PACKAGE / name).exists() for name in SOURCES[module]), "the table names what is not there"
    waiting, seen = {PACKAGE.parent / f"{module.replace('.', '/')}.py"}, set()
    while waiting:
        file = waiting.pop()
        seen.add(file)
        name = file.relative_to(PACKAGE).as_posix()
        if name.startswith(HARMLESS) or name.endswith("__init__.py"):
            continue
        assert file in listed, f"{module} is made of {name}, which is not in fingerprint.SOURCES"
        waiting |= imports(file) - seen


@pytest.fixture
def elsewhere(tmp_path: Path) -> Path:
    """The package, copied to another place."""
    shutil.copytree(PACKAGE, tmp_path / "src" / "shown", ignore=shutil.ignore_patterns("__pycache__", "static"))
    return tmp_path / "src"


def codes(source: Path) -> list[dict[str, str]]:
    """The fingerprints of some trials by a copy of the package, and proof that PyTorch was not needed."""
    program = (
        "import sys, json\n"
        "from shown.experiments.trials import Trial\n"
        "trials = [Trial(m, g, 'train:0,train:3') for m in ('lpp', 'cnn') for g in ('nim', 'chase')]\n"
        "print(json.dumps([trial.code for trial in trials]))\n"
        "assert 'torch' not in sys.modules and 'numba' not in sys.modules\n"
    )
    environment = {**os.environ, "PYTHONPATH": str(source), "PYTHONDONTWRITEBYTECODE": "1"}
    command = [sys.executable, "-c", program]
    ran = subprocess.run(command, capture_output=True, text=True, env=environment, cwd=source, check=True)
    return json.loads(ran.stdout)


def differences(before: list[dict[str, str]], after: list[dict[str, str]]) -> list[list[str]]:
    return [[part for part in a if a[part] != b[part]] for a, b in zip(before, after, strict=True)]


def test_fingerprints_depend_on_the_sources_and_on_nothing_else(elsewhere: Path):
    here = codes(PACKAGE.parent)
    assert codes(elsewhere) == here
    for file in (elsewhere / "shown").rglob("*.py"):
        file.write_bytes(file.read_bytes().replace(b"\n", b"\r\n"))
    assert codes(elsewhere) == here
    (elsewhere / "shown/inference/trees.py").open("a").write("\n# another thought\n")
    changed = codes(elsewhere)
    assert differences(here, changed) == [["engine"], ["engine"], [], []]
    (elsewhere / "shown/games/chase.py").open("a").write("\n# another thought\n")
    assert differences(changed, codes(elsewhere)) == [[], ["game"], [], ["game"]]


def test_levels_count_by_their_text(tmp_path: Path):
    levels = tmp_path / "mine.json"
    nim = find("nim")
    one, other = (load_levels(nim, name)[0].grid.text for name in ("random:1", "random:2"))
    levels.write_text(json.dumps({"game": "nim", "levels": [one]}))
    first = levels_digest("nim", [str(levels)])
    assert first == levels_digest("nim", ["random:1"])
    levels.write_text(json.dumps({"game": "nim", "levels": [other]}))
    second = levels_digest("nim", [str(levels)])
    assert len({first, second, UNKNOWN}) == 3
    levels.unlink()
    assert levels_digest("nim", [str(levels)]) == UNKNOWN
    assert levels_digest("nim", ["train:0", "test:0"]) != levels_digest("nim", ["test:0", "train:0"])
    assert levels_digest("nim", ["train:0,train:1"]) == levels_digest("nim", ["train:0", "train:1"])


def test_what_is_not_here_has_no_fingerprint_and_no_crash():
    settings = TRIAL.settings
    assert code_for({**settings, "method": "magic"}) == dict.fromkeys(("engine", "game", "levels"), UNKNOWN)
    assert code_for({**settings, "game": "go"})["game"] == UNKNOWN
    assert code_for({**settings, "levels": "train:99"})["levels"] == UNKNOWN


def test_the_commit_is_noted_with_a_mark_for_changes(elsewhere: Path):
    program = "from shown.experiments.fingerprint import commit; print(commit())"

    def say() -> str:
        environment = {**os.environ, "PYTHONPATH": str(elsewhere), "GIT_CEILING_DIRECTORIES": str(elsewhere.parent)}
        command = [sys.executable, "-c", program]
        return subprocess.run(command, capture_output=True, text=True, env=environment, check=True).stdout.strip()

    def git(*words: str) -> str:
        names = ("-c", "user.name=a", "-c", "user.email=a@b.c", "-c", "commit.gpgsign=false")
        command = ["git", "-C", str(elsewhere), *names, *words]
        return subprocess.run(command, capture_output=True, text=True, check=True).stdout.strip()

    assert say() == f"version {shown.__version__}"
    git("init", "-q")
    assert say() == f"version {shown.__version__}", "somebody else's clone is not ours"
    git("add", "shown")
    git("commit", "-qm", "first")
    head = git("rev-parse", "HEAD")
    assert say() == head
    (elsewhere / "shown/grid.py").open("a").write("\n# another thought\n")
    assert say() == f"{head}+"
    assert commit()


def test_a_result_of_other_code_is_stale_and_gives_way(tmp_path: Path):
    fresh = measured(TRIAL, 0.5)
    old = replace(measured(TRIAL, 0.9), code={**TRIAL.code, "engine": "0123"})
    unknown = replace(measured(TRIAL, 0.9), code=None)
    assert (fresh.stale, old.stale, unknown.stale) == (False, True, True)
    with Store(tmp_path / "r.sqlite") as store:
        store.add(unknown)
        assert store.done() == {settings_key(TRIAL.settings)}, "so it is not taken for this trial"
        assert store.add_many([old]) == 0
        assert store.add_many([fresh]) == 1
        assert store.add_many([old, unknown]) == 0
        assert store.rows() == [fresh]
        assert store.done() == {TRIAL.key}
