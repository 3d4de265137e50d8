"""What users write passes the strictest type checker, and what cannot work does not."""

import subprocess
import sys
from pathlib import Path

import pytest

from guides import ROOT, blocks

USE = """\
from fractions import Fraction

from shown import Demonstrations, Grid, Kind, Learner, Primitive, Rule, Tokens, geometric, paper_grammar
from shown.explain import explain
from shown.grid import Action, Cell
from shown.language.primitives import EVERYWHERE, LANGUAGE, Condition
from shown.language.reference import NOWHERE, View


def beside(view: View, cell: Cell | None, condition: Condition) -> bool:
    return cell is not NOWHERE and condition(view, (cell[0], cell[1] + 1))


near = Primitive("beside", (Kind.CONDITION,), Kind.CONDITION, beside, "it is so", "it is not so", reach=1)
far = Primitive("far", (Kind.CONDITION,), Kind.CONDITION, beside, "it is so", "it is not so", reach=EVERYWHERE)
tokens = Tokens(empty=".", stick="|")
grammar = paper_grammar(tokens).extended(
    Rule("B", "beside", ("B",), 0.2),
    Rule("C", "far", ["B"], Fraction(1, 5)),
    leaves={"N": geometric()},
    language=LANGUAGE.extended(near, far),
)
grammar.check_actions(())
boards = [Grid(["|.", "||"]), Grid("|.\\n||"), Grid(("|.", "||"))]
demos = Demonstrations.from_runs(tokens, [[(board, (0, 0))] for board in boards])
policy = Learner(grammar=grammar).fit(demos).policy_
action: Action = policy.act(boards[0])
r, c = policy.click(boards[0])
actions: list[Action] = policy.act_many(boards)
share: Fraction = grammar.rules[0].probability
print(explain(policy, boards[0], action).text)
"""

MISUSE = """\
from shown import Grid, Rule

Rule("B", "scanning", ("O", "B", "B"), "a lot")
Grid(3)
"""


@pytest.fixture(scope="module")
def complaints(tmp_path_factory: pytest.TempPathFactory) -> list[str]:
    """What `mypy --strict` says about files of users. It reads the package, as if installed, but does not judge it."""
    folder = tmp_path_factory.mktemp("typing")
    guide = blocks(ROOT / "docs/guides/your-own-game.md", "python")
    (lamps,) = [block.code for block in guide if block.note == "file=lamps.py"]
    for name, code in (("use.py", USE), ("misuse.py", MISUSE), ("lamps.py", lamps)):
        (folder / name).write_text(code, "utf-8")
    options = ["--strict", "--config-file=", "--follow-imports=silent", f"--cache-dir={folder / 'cache'}"]
    done = subprocess.run(
        [sys.executable, "-m", "mypy", *options, "use.py", "misuse.py", "lamps.py"],
        env={"MYPYPATH": str(ROOT / "src"), "PATH": str(Path(sys.executable).parent)},
        cwd=folder,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 1, done.stdout + done.stderr
    return [line for line in done.stdout.splitlines() if ": error:" in line]


@pytest.mark.slow
def test_what_users_write_is_well_typed(complaints: list[str]):
    assert [line for line in complaints if not line.startswith("misuse.py")] == []


@pytest.mark.slow
def test_mistakes_are_seen(complaints: list[str]):
    lines = [line.split(":")[1] for line in complaints if line.startswith("misuse.py")]
    assert lines == ["3", "4"]
