"""Rows of a log that look like slips."""

import json
from pathlib import Path

import numpy as np
import pytest

from minesweeper import Minesweeper
from shown.cli import main
from shown.columns.resources import Resources
from shown.demonstrations import Demonstration, Demonstrations, Step
from shown.grid import Cell
from shown.policy import Policy
from shown.teaching.practice.outliers import without
from shown.teaching.result import Taught
from shown.teaching.teach import teach
from shown.worlds import demonstrate
from strategies import some

MINES = Minesweeper()


def log(rows: int, *slips: int, seed: int = 0) -> Demonstrations:
    """Single positions of several games, with a click on another covered cell in some of them."""
    rng = np.random.default_rng(seed)
    steps = demonstrate(MINES, range(910_000 + 10 * seed, 910_006 + 10 * seed)).steps
    steps = [step for step in (steps[i] for i in rng.permutation(len(steps))) if unsafe(step)][:rows]
    for row in slips:
        cells = unsafe(steps[row])
        steps[row] = Step(steps[row].grid, cells[rng.integers(len(cells))])
    return Demonstrations(MINES.tokens, tuple(Demonstration((step,)) for step in steps))


def unsafe(step: Step) -> list[Cell]:
    """The covered cells that are no good."""
    covered = [cell for cell in step.grid.cells() if step.grid[cell] == step.grid[step.action]]
    return [cell for cell in covered if cell not in (step.action, *step.open)]


def learn(demonstrations: Demonstrations, **settings: object) -> Taught:
    return teach(demonstrations, language="standard", resources=Resources(threads=1), **settings)


def right(policy: Policy) -> float:
    """The share of new positions in which a policy opens a safe cell."""
    steps = demonstrate(MINES, range(5000, 5010)).steps
    pairs = zip(policy.act_many([step.grid for step in steps]), steps, strict=True)
    return float(np.mean([action in (step.action, *step.open) for action, step in pairs]))


@pytest.mark.parametrize("slips", some([(0,), (19,), (3, 12)], (0,)))
def test_slips_in_a_log_are_found_and_left_out(slips: tuple[int, ...]):
    taught = learn(log(20, *slips))
    assert sorted(outlier.row for outlier in taught.outliers) == [row + 1 for row in slips]
    assert right(taught.policy) == 1.0
    first = taught.outliers[0]
    assert first.conditions[1] < first.conditions[0]
    assert f"row {first.row} looks like a slip: the rule for the other 19 rows has" in first.text
    shown = taught.policy.provenance.demonstrations
    assert (shown.explained, shown.steps) == (20 - len(slips), 20)


def test_without_a_slip_nothing_changes():
    taught, kept = (learn(log(20, seed=1), keep_all=keep_all) for keep_all in (False, True))
    assert taught.outliers == ()
    assert taught.policy == kept.policy


def test_all_rows_can_be_kept():
    taught = learn(log(20, 7), keep_all=True)
    assert taught.outliers == ()
    shown = taught.policy.provenance.demonstrations
    assert shown.explained == shown.steps == 20


def test_the_command_names_a_slip_and_can_keep_it(tmp_path: Path, capsys: pytest.CaptureFixture):
    demos = str(tmp_path / "log.json")
    log(20, 7).save(demos)
    command = ["learn", demos, "--language", "standard", "--quiet"]
    assert main(command) == 0
    told = capsys.readouterr().out
    assert "row 8 looks like a slip" in told
    assert "It was left out. To keep it: --set keep-all=yes" in told
    assert main([*command, "--json"]) == 0
    (outlier,) = json.loads(capsys.readouterr().out)["outliers"]
    assert (outlier["row"], outlier["others"]) == (8, 19)
    assert main([*command, "--set", "keep-all=yes"]) == 0
    assert "slip" not in capsys.readouterr().out


def test_steps_are_left_out_by_their_places():
    steps = demonstrate(MINES, [0]).items[0].steps
    items = tuple(Demonstration(part) for part in (steps[:3], steps[3:4], steps[4:6]))
    shown = Demonstrations(MINES.tokens, items)
    assert [item.steps for item in without(shown, [(0, 1), (1, 0)])] == [(steps[0], steps[2]), steps[4:6]]
