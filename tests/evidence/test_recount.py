"""Recount of cells of the report's tables from the levels won in the stored rows.

It shares no code with the report: it reads the files, counts ones in the texts of wins and has its own rules for the
trials of a cell.
"""

import gzip
import json
import random
import re
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from guides import ROOT
from shown.worlds import GAMES
from shown.worlds import find as find_game
from shown_evidence.analysis.exhibits import Table
from shown_evidence.experiments import find
from shown_evidence.experiments.experiment import Scale
from shown_evidence.report.page import presented
from shown_evidence.results.archive import read
from shown_evidence.results.runner import run
from shown_evidence.trials.demonstrators import training_sets
from shown_evidence.trials.learners import METHODS

COMMITTED = ROOT / "results"
CELLS = 10
FLOORS = ("random", "random-sensible")
HEAD = re.compile(r"(?P<count>[\d,]+) shown, (?P<levels>test|generated) levels(?P<best>, best set)?")
CELL = re.compile(r"(?P<mean>[\d.]+) %( \((?P<low>\d+) to (?P<high>\d+)\))?")
PAPERS_LEVELS, JUDGED_LEVELS = ["test:0-8", "random:0-99"], ["random:2500000-2500099/unseen"]


@dataclass(frozen=True)
class Cell:
    """One cell of a table: of which experiment, game, method and column, and what it says."""

    experiment: str
    game: str
    method: str
    head: str
    says: str


def cells(path: Path) -> list[Cell]:
    """The cells on success of the report on a folder of results."""
    found = []
    for chapter in presented(read(path).rows.values()):
        for table in (item for item in chapter.exhibits if isinstance(item, Table)):
            for line in table.rows if chapter.experiment.name in EXPERIMENTS else ():
                for head, says in zip(table.head, line, strict=True):
                    if HEAD.fullmatch(head):
                        found.append(Cell(chapter.experiment.name, line[0], line[1], head, says))
    return found


# --- which trials a cell is about, and what was won in them -------------------------------------------------------


def wins(path: Path, cell: Cell) -> list[float]:
    """The share of levels won in each trial that a cell is about."""
    head = HEAD.fullmatch(cell.head)
    assert head is not None
    kind = {"test": "test:", "generated": "random:"}[head["levels"]]
    shares = []
    for file in path.glob("*.jsonl.gz"):
        for row in map(json.loads, gzip.decompress(file.read_bytes()).splitlines()):
            if about(row["settings"], cell, int(head["count"].replace(",", ""))):
                for levels, won in row["result"]["won"].items():
                    if levels.startswith(kind):
                        shares.append(won.count("1") / len(won))
    return shares


def about(settings: dict[str, Any], cell: Cell, count: int) -> bool:
    if settings["game"] not in GAMES or find_game(settings["game"]).title != cell.game:
        return False
    method, options = settings["method"], dict(settings["options"])
    scored = JUDGED_LEVELS if cell.experiment == "beyond" else PAPERS_LEVELS
    if method in FLOORS:
        return METHODS[method].label == cell.method and settings["test"] == scored
    return (
        method in find(cell.experiment).methods
        and METHODS[method].label == cell.method
        and options == METHODS[method].options
        and settings["demonstrations"] == ("style:expert" if cell.experiment == "beyond" else "perfect")
        and EXPERIMENTS[cell.experiment](settings["levels"], count)
    )


def of_the_ten(levels: str, count: int) -> bool:
    return levels in training_sets(count, 10)


def five_or_all(levels: str, count: int) -> bool:
    return levels == "train:0-10" if count == 11 else of_the_ten(levels, count)


def seeds(levels: str) -> tuple[int, int]:
    """Of generated levels: the first, and how many there are."""
    first, _, last = levels.removeprefix("random:").partition("-")
    return int(first), int(last or first) - int(first) + 1


def many_generated(levels: str, count: int) -> bool:
    return levels.startswith("random:") and "," not in levels and seeds(levels)[0] >= 1_000_000 and shown(levels, count)


def shown(levels: str, count: int) -> bool:
    return seeds(levels)[1] == count


def set_aside(levels: str, count: int) -> bool:
    return any(levels.startswith(f"random:{2_100_000 + 10 * i}") for i in range(10)) and shown(levels, count)


EXPERIMENTS = {
    "demos": of_the_ten,
    "ablations": five_or_all,
    "data-efficiency": many_generated,
    "beyond": set_aside,
}


# --- the recount --------------------------------------------------------------------------------------------------


def check(path: Path, cell: Cell) -> None:
    shares = wins(path, cell)
    if cell.says == "–":
        assert not shares or (cell.method in [METHODS[name].label for name in FLOORS] and "best" in cell.head)
        return
    said = CELL.fullmatch(cell.says)
    assert said is not None
    value = max(shares) if "best" in cell.head else sum(shares) / len(shares)
    rounding = 0.05 if "." in said["mean"] else 0.5
    assert abs(float(said["mean"]) - 100 * value) <= rounding + 0.001, cell
    if said["low"]:
        low, high = int(said["low"]), int(said["high"])
        again = random.Random(1)
        means = sorted(100 * sum(again.choices(shares, k=len(shares))) / len(shares) for _ in range(4000))
        assert means[20] - 0.51 <= low <= means[240] + 0.51, cell  # 0.5 % to 6 % of the draws are lower
        assert means[-241] - 0.51 <= high <= means[-21] + 0.51, cell


@pytest.fixture(scope="module")
def small(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Real trials of Nim: two methods, three sizes, three sets, and random play."""
    path = tmp_path_factory.mktemp("recount")
    scale = Scale(full=True, games=("nim",), methods=("lpp", "vpi", *FLOORS), demos=(1, 2, 3), sets=3)
    with ThreadPoolExecutor(1) as executor:
        done = run({name: find(name).trials(scale) for name in ("demos", "floors")}, path, executor)
    assert not done.failed
    return path


def test_ten_cells_of_a_small_store(small: Path):
    found = cells(small)
    told = [cell for cell in found if cell.says != "–"]
    assert {cell.method for cell in told} == {METHODS[name].label for name in ("lpp", "vpi", *FLOORS)}
    for cell in random.Random(15).sample(told, CELLS) + random.Random(16).sample(found, CELLS):
        check(small, cell)


@pytest.mark.slow
def test_ten_cells_of_the_committed_results():
    found = cells(COMMITTED)
    told = [cell for cell in found if cell.says != "–"]
    assert len(told) >= CELLS
    for cell in random.Random(15).sample(told, CELLS) + random.Random(16).sample(found, CELLS):
        check(COMMITTED, cell)


def test_the_recount_can_fail(small: Path):
    cell = next(cell for cell in cells(small) if cell.says != "–" and "best" not in cell.head)
    wrong = 50 if not cell.says.startswith("5") else 20
    with pytest.raises(AssertionError):
        check(small, Cell(cell.experiment, cell.game, cell.method, cell.head, f"{wrong} %"))
