"""A result knows the code that made it; different code makes it stale."""

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
from shown.worlds import GAMES, find, load_levels
from shown_evidence.results.store import Store
from shown_evidence.trials import fingerprint
from shown_evidence.trials.fingerprint import PACKAGES, UNKNOWN, commit, game_digest, levels_digest, modules_of
from shown_evidence.trials.methods import METHODS
from shown_evidence.trials.trial import Trial, code_for, settings_key, trial_key

TRIAL = Trial("lpp", "nim", "train:0")


def test_the_key_covers_the_code():
    assert TRIAL.key == trial_key(TRIAL.settings, TRIAL.code)
    assert TRIAL.key != settings_key(TRIAL.settings)
    for part in ("engine", "game", "levels"):
        assert trial_key(TRIAL.settings, {**TRIAL.code, part: "other"}) != TRIAL.key


def test_an_engine_covers_every_module_it_loads():
    """Imports made at run time, lazily or through `__init__`, are among the modules that the digest covers."""
    program = (
        "import sys\n"
        "from shown_evidence.trials.trial import Trial, run_trial\n"
        "run_trial(Trial('shown', 'nim', 'train:0', options={'programs': 50}, test=('test:0',)).settings)\n"
        "print(' '.join(name for name in sys.modules if name.startswith('shown.')))\n"
    )
    ran = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    learning = ("shown.engine.", "shown.language.", "shown.symmetry", "shown.rules", "shown.evaluation.")
    learning += ("shown.inference.", "shown.teaching.", "shown.policy", "shown.grid", "shown.demonstrations")
    loaded = {name for name in ran.stdout.split() if name.startswith(learning)}
    assert len(loaded) > 30
    assert loaded <= set(modules_of([METHODS["shown"].module]))


def test_engines_cover_symmetry_and_memory_but_no_particular_game():
    for method in ("lpp", "shown"):
        modules = set(modules_of([METHODS[method].module]))
        assert {"shown.symmetry", "shown.symmetry.images", "shown.engine.memory", "shown.language.walking"} <= modules
        assert not modules & {place.partition(":")[0] for place in GAMES.values()}
        assert not [name for name in modules if name.startswith(("shown.studio", "shown.cli"))]


def test_a_game_covers_its_rules_and_no_other_game(monkeypatch: pytest.MonkeyPatch):
    hashed = []
    monkeypatch.setattr(fingerprint, "_contents", lambda modules: hashed.append(modules) or [])
    game_digest.__wrapped__("chase")
    (modules,) = hashed
    assert {"shown.worlds.games.chase", "shown.worlds.episodes", "shown_evidence.trials.scoring"} <= set(modules)
    assert not {"shown.worlds.games.nim", "shown_evidence.styles", "shown.inference.learner"} & set(modules)


def test_a_style_makes_only_its_own_results_stale():
    expert, scripted = (Trial("lpp", "nim", "train:0", kind).code for kind in ("perfect", "style:slips"))
    assert expert["game"] == game_digest("nim")
    assert scripted["game"] == game_digest("nim", scripted=True) != expert["game"]
    assert {**expert, "game": ""} == {**scripted, "game": ""}


@pytest.fixture
def elsewhere(tmp_path: Path) -> Path:
    """A copy of both packages."""
    for name, folder in PACKAGES.items():
        ignored = shutil.ignore_patterns("__pycache__", "static")
        shutil.copytree(folder, tmp_path / "src" / name, ignore=ignored)
    return tmp_path / "src"


def codes(source: Path) -> list[dict[str, str]]:
    """Fingerprints of four trials by a copy of the packages, made without PyTorch and Numba."""
    program = (
        "import sys, json\n"
        "from shown_evidence.trials.trial import Trial\n"
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


def test_fingerprints_depend_on_the_sources_alone(elsewhere: Path):
    here = [Trial(m, g, "train:0,train:3").code for m in ("lpp", "cnn") for g in ("nim", "chase")]
    for file in (elsewhere / "shown").rglob("*.py"):
        file.write_bytes(file.read_bytes().replace(b"\n", b"\r\n"))
    assert codes(elsewhere) == here
    for name in ("inference/trees.py", "symmetry/images.py"):
        with (elsewhere / "shown" / name).open("a") as file:
            file.write("\n# another thought\n")
    changed = codes(elsewhere)
    assert [part for part in differences(here, changed) if "engine" in part][:2] == differences(here, changed)[:2]
    with (elsewhere / "shown/worlds/games/chase.py").open("a") as file:
        file.write("\n# another thought\n")
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


def test_parts_that_are_not_installed_have_no_fingerprint():
    settings = TRIAL.settings
    assert code_for({**settings, "method": "magic"}) == dict.fromkeys(("engine", "game", "levels"), UNKNOWN)
    assert code_for({**settings, "game": "go"})["game"] == UNKNOWN
    assert code_for({**settings, "levels": "train:99"})["levels"] == UNKNOWN


def test_the_commit_is_marked_if_files_have_changed(elsewhere: Path):
    program = "from shown_evidence.trials.fingerprint import commit; print(commit())"

    def say() -> str:
        environment = {**os.environ, "PYTHONPATH": str(elsewhere), "GIT_CEILING_DIRECTORIES": str(elsewhere.parent)}
        command = [sys.executable, "-c", program]
        return subprocess.run(command, capture_output=True, text=True, env=environment, check=True).stdout.strip()

    def git(*words: str) -> str:
        names = ("-c", "user.name=a", "-c", "user.email=a@b.c", "-c", "commit.gpgsign=false")
        command = ["git", "-C", str(elsewhere), *names, *words]
        return subprocess.run(command, capture_output=True, text=True, check=True).stdout.strip()

    git("init", "-q")
    assert say() == f"version {shown.__version__}", "another project's clone"
    git("add", "shown")
    git("commit", "-qm", "first")
    head = git("rev-parse", "HEAD")
    assert say() == head
    with (elsewhere / "shown/grid.py").open("a") as file:
        file.write("\n# another thought\n")
    assert say() == f"{head}+"
    assert commit()


def test_a_stale_result_gives_way_to_a_fresh_one(tmp_path: Path):
    fresh = measured(TRIAL, 0.5)
    old = replace(measured(TRIAL, 0.9), code={**TRIAL.code, "engine": "0123"})
    unknown = replace(measured(TRIAL, 0.9), code=None)
    assert (fresh.stale, old.stale, unknown.stale) == (False, True, True)
    with Store(tmp_path / "r.sqlite") as store:
        store.add(unknown)
        assert [row.key for row in store.rows()] == [settings_key(TRIAL.settings)] != [TRIAL.key]
        assert store.add_many([old]) == 0
        assert store.add_many([fresh]) == 1
        assert store.add_many([old, unknown]) == 0
        assert store.rows() == [fresh]
