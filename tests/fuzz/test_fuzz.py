"""A few cases of each area, always the same; `make fuzz` tries more. And the fuzzers themselves find what is wrong."""

from __future__ import annotations

import json
import random
import time
from pathlib import Path

import pytest

from fuzz import cases, mutate, replay
from fuzz.cases import AREAS, Case, attempt, expected, load, make, save
from fuzz.limits import TooMuch, limited
from shown.errors import BadInput

SEED = 2019
COUNT = {
    "files": 300,
    "commands": 150,
    "requests": 60,
    "wire": 60,
    "store": 45,
    "export": 250,
    "programs": 250,
    "tables": 300,
    "plugins": 15,
}
SHARES = 5
"""Each area is several tests, so that they can run side by side; one of them runs in `make test`."""


@pytest.mark.parametrize("share", [0, *(pytest.param(share, marks=pytest.mark.slow) for share in range(1, SHARES))])
@pytest.mark.parametrize("area", AREAS)
def test_nothing_but_our_own_errors(area: str, share: int, tmp_path_factory: pytest.TempPathFactory) -> None:
    for number in range(share, COUNT[area], SHARES):
        case = make(area, SEED, number)
        why = attempt(case)
        assert why is None, f"{why}\npython -m fuzz.replay {save(case, why, tmp_path_factory.mktemp('fuzz'))}"


@pytest.mark.parametrize("area", AREAS)
def test_a_case_is_the_same_each_time_and_plain_data(area: str, tmp_path: Path) -> None:
    case = make(area, 1, 2)
    assert case == make(area, 1, 2)
    assert case.data != make(area, 1, 3).data or case.data != make(area, 2, 2).data
    assert load(save(case, "why not", tmp_path)) == case


class Area:
    """An area with one function for what it does."""

    def __init__(self, run) -> None:
        self.run = run


@pytest.fixture
def area(monkeypatch: pytest.MonkeyPatch):
    """Makes `attempt` try a function instead of an area."""

    def use(run) -> Case:
        monkeypatch.setattr(cases, "import_module", lambda name: Area(run))
        return Case("mine", 0, 0, {"a": 1})

    return use


def test_a_fault_is_found_saved_and_replayed(area, tmp_path: Path, capsys: pytest.CaptureFixture) -> None:
    def run(data, folder: Path) -> None:
        (folder / "file").write_text("left")
        raise KeyError(data["a"])

    case = area(run)
    why = attempt(case)
    assert why is not None
    assert "KeyError: 1" in why
    path = save(case, why, tmp_path)
    assert replay.main([str(path)]) == 1
    assert "KeyError: 1" in capsys.readouterr().out
    area(lambda data, folder: None)
    assert replay.main([str(path)]) == 0


def test_our_own_errors_are_no_faults_where_they_are_expected(area) -> None:
    def refuse(data, folder: Path, text: str = "no.") -> None:
        with expected():
            raise BadInput(text)

    assert attempt(area(refuse)) is None
    assert "an error of 20,000 characters" in (attempt(area(lambda d, f: refuse(d, f, "x" * 20_000))) or "")


def work_forever() -> None:
    while True:
        pass


def test_time_and_memory_are_limited() -> None:
    with pytest.raises(TooMuch, match="processor time"), limited(cpu=0.05):
        work_forever()
    with pytest.raises(TooMuch, match=r"more than 0\.05 s"), limited(wall=0.05):
        time.sleep(60)
    with pytest.raises(TooMuch, match="MiB"), limited(most=2**20):
        bytearray(64 * 2**20)


def test_damage_leaves_the_original_alone_and_is_mostly_something_else() -> None:
    sound = {"a": [1, 2, {"b": "text"}], "c": None}
    before = json.dumps(sound)
    damaged = [mutate.damaged(random.Random(seed), sound) for seed in range(200)]
    assert json.dumps(sound) == before
    assert sum(value != sound for value in damaged) > 150
