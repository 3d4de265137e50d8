"""One rule where nothing can be played: it is sought on further grids, without actions."""

import json
from pathlib import Path

import pytest

from minesweeper import Minesweeper
from shown.cli import main
from shown.columns.resources import Resources
from shown.demonstrations import Demonstration, Demonstrations
from shown.teaching.practice.practice_scoring import GridScoring
from shown.teaching.teach import teach
from shown.worlds import demonstrate

MINES = Minesweeper()
STEPS = demonstrate(MINES, range(910_000, 910_004)).steps[::5][:12]
LOG = Demonstrations(MINES.tokens, tuple(Demonstration((step,)) for step in STEPS))
GRIDS = [step.grid for step in demonstrate(MINES, range(910_100, 910_104)).steps][:60]


@pytest.fixture(scope="module")
def learned():
    settings = {"language": "standard", "resources": Resources(threads=1)}
    return teach(LOG, **settings), teach(LOG, grids=GRIDS, **settings)


def test_one_rule_acts_if_it_does_what_all_rules_do_on_other_grids(learned):
    before, after = learned
    policy, count = after.policy, after.agreement
    assert before.agreement is None
    assert len(before.policy.components) > 1
    assert (count.of, count.what) == (20, "positions")
    assert count.won >= 19
    assert len(policy.components) == 1
    assert policy.vote == before.policy.components
    fresh = list(dict.fromkeys(GRIDS))[::3]
    assert GridScoring(None, None, grids=GRIDS, vote=before.policy).expectations([policy]) == [count]
    assert sum(a == b for a, b in zip(policy.act_many(fresh), policy.mixture.act_many(fresh), strict=True)) > 0


def test_the_rule_explains_all_demonstrations(learned):
    policy = learned[1].policy
    assert all(policy.act(step.grid) in (step.action, *step.open) for step in STEPS)


def test_grids_that_rate_the_rule_do_not_choose_it(learned):
    scoring = GridScoring(None, None, grids=GRIDS, vote=learned[0].policy)
    chosen_by = {grid for game in scoring.games_won(learned[0].policy) for grid in game}
    assert chosen_by == set(GRIDS) - set(list(dict.fromkeys(GRIDS))[::3])


def test_if_no_rule_comes_close_all_rules_act(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr("shown.teaching.practice.distillation.TOO_FAR", -1.0)
    taught = teach(LOG, grids=GRIDS, language="standard", resources=Resources(threads=1))
    policy = taught.policy
    assert policy.vote == ()
    assert policy.components[0].weight == 0.0
    assert policy.components[0].formula in [part.formula for part in policy.components[1:]]


def test_the_command_reads_grids_as_text_or_from_files(tmp_path: Path, capsys: pytest.CaptureFixture):
    demos, text, levels = (str(tmp_path / name) for name in ("log.json", "grids.txt", "levels.json"))
    LOG.save(demos)
    Path(text).write_text("\n\n".join(grid.text for grid in GRIDS))
    Path(levels).write_text(json.dumps({"game": None, "levels": [grid.text for grid in GRIDS]}))
    command = ["learn", demos, "--language", "standard", "--quiet"]
    told = []
    for file in (text, levels):
        assert main([*command, "--set", f"grids={file}"]) == 0
        told.append(next(line for line in capsys.readouterr().out.splitlines() if "rules together do" in line))
    assert told[0] == told[1]
    assert "of 20 grids this rule does what" in told[0]
    assert main([*command, "--programs", "20", "--set", f"grids={demos}"]) in (0, 1)
    Path(levels).write_text('{"levels": [3]}')
    assert main([*command, "--set", f"grids={levels}"]) == 2
    assert '"levels" must be a list of texts' in capsys.readouterr().err


def test_where_levels_can_be_generated_grids_are_refused(tmp_path: Path, capsys: pytest.CaptureFixture):
    assert main(["learn", "nim", "--set", f"grids={tmp_path / 'grids.txt'}"]) == 2
    assert "nim makes levels to practice on" in capsys.readouterr().err
