"""What methods learn stays as recorded, or their version is raised on purpose."""

import importlib.util
import json
from types import ModuleType

import pytest

from guides import ROOT
from shown.language import grammar
from shown.language.terms import Kind
from shown_evidence import methods
from shown_evidence.methods import METHODS
from shown_evidence.results.replay import BY_THE_CLOCK, TRAINED
from shown_evidence.trials.trial import Trial


@pytest.fixture(scope="session")
def script() -> ModuleType:
    spec = importlib.util.spec_from_file_location("recorded_learns", ROOT / "scripts" / "recorded_learns.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def recorded() -> dict:
    return json.loads((ROOT / "tests" / "data" / "recorded_learns.json").read_text())


QUICK = (
    "LPP nim",
    "LPP checkmate",
    "LPP with additions fence-in",
    "shown nim",
    "shown checkmate",
    "shown + practice nim",
)
"""Beginnings of the names of learns that every run of the tests repeats, beside one of each other method."""

SLOW = ("lpp", "lpp-with", "lpp-values", "shown", "shown-practice", "search")


def _names() -> list:
    return [
        pytest.param(name, marks=[] if _is_quick(name) else pytest.mark.slow, id=name.partition(": ")[2][:60])
        for name in recorded()
    ]


def _is_quick(name: str) -> bool:
    method, _, rest = name.partition(": ")
    return method not in SLOW or rest.startswith(QUICK)


@pytest.mark.parametrize("name", _names())
def test_a_recorded_learn_is_the_same(name: str, script: ModuleType):
    (trial,) = (trial for trial in script.trials() if script.name_of(trial) == name)
    assert script.difference(trial, recorded()[name], script.learn(trial)) == ""


def test_every_method_that_can_be_recorded_is(script: ModuleType):
    assert {script.name_of(trial) for trial in script.trials()} == set(recorded())
    assert {trial.method for trial in script.trials()} == set(METHODS) - set(TRAINED) - set(BY_THE_CLOCK)


NIM = Trial("lpp", "nim", "train:0-4", options={"ensemble": 5}, test=("test:0-8",))


def test_a_changed_constant_is_caught_by_name(script: ModuleType, monkeypatch: pytest.MonkeyPatch):
    """All eight directions become equally probable, instead of half as probable sideways as diagonally."""
    eight = [(row, column) for row in (-1, 0, 1) for column in (-1, 0, 1) if row or column]
    monkeypatch.setattr(grammar, "paper_offsets", lambda: grammar.uniform(Kind.OFFSET, eight))
    before = recorded()[script.name_of(NIM)]
    problem = script.difference(NIM, before, script.learn(NIM))
    assert problem.startswith("this changes what lpp 1 learns.\n  before {")
    assert before["learned"]["rules"][0] in problem
    assert problem.endswith("Restore it, or raise its version in evidence/src/shown_evidence/methods.py.")


@pytest.mark.parametrize("raised", ["METHODS lpp", "GAMES nim", "LEVELS train", "DEMONSTRATORS perfect", "JUDGES wins"])
def test_after_a_version_was_raised_the_learn_is_recorded_anew(
    raised: str, script: ModuleType, monkeypatch: pytest.MonkeyPatch
):
    table, name = raised.split()
    monkeypatch.setitem(getattr(methods, table), name, (2, "something"))
    before = recorded()[script.name_of(NIM)]
    assert f" {name} 2: run python scripts/recorded_learns.py --record" in script.difference(NIM, before, {})
    assert "not recorded yet" in script.difference(NIM, None, {})
