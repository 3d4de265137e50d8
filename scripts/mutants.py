"""Count the small faults that the tests notice: `python scripts/mutants.py [--count 300] [--seed 1] [--jobs 2]`.

Each mutant changes one operator, constant, condition or return value of the lower layers, the interpretation, files and
the server, in a copy of the repository; the tests that TESTS names for its package are run until one fails. Prints one
line a mutant as JSON, and at the end the share that was killed.
"""

from __future__ import annotations

import argparse
import ast
import json
import os
import random
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from queue import Queue

ROOT = Path(__file__).parents[1]
LEARNS = "tests/test_recorded_learns.py"
TESTS = {
    "engine": ["tests/test_planes.py", "tests/test_threads.py", "tests/columns", "tests/language", LEARNS],
    "language": ["tests/language", "tests/inference", LEARNS],
    "columns": ["tests/columns", "tests/inference", LEARNS],
    "symmetry": ["tests/test_symmetry.py", "tests/inference", "tests/teaching/test_interpretations.py", LEARNS],
    "rules": ["tests/rules", "tests/inference", "tests/test_explain.py", "tests/test_export.py", LEARNS],
    "inference": ["tests/inference", "tests/rules", "tests/test_estimator.py", LEARNS],
    "teaching/interpretation": ["tests/teaching/test_interpretations.py", "tests/teaching/test_teach.py", LEARNS],
    "files": ["tests/test_files.py", "tests/test_demonstrations.py", "tests/test_policy.py", "tests/test_grid.py"],
    "studio": ["tests/studio/test_[!ab]*.py"],  # all that need no browser
}
FILES = {"files": ["files.py", "grid.py", "demonstrations.py", "policy.py", "components.py", "provenance.py"]}
SWAPS = {
    **{ast.Lt: ast.LtE, ast.LtE: ast.Lt, ast.Gt: ast.GtE, ast.GtE: ast.Gt, ast.Eq: ast.NotEq, ast.NotEq: ast.Eq},
    **{ast.In: ast.NotIn, ast.NotIn: ast.In, ast.Is: ast.IsNot, ast.IsNot: ast.Is, ast.And: ast.Or, ast.Or: ast.And},
    **{ast.Add: ast.Sub, ast.Sub: ast.Add, ast.Mult: ast.Add, ast.BitAnd: ast.BitOr, ast.BitOr: ast.BitAnd},
}
LIMIT = 300  # seconds of a run of tests, after which the mutant counts as killed


def mutations(tree: ast.Module) -> Iterator[tuple[ast.AST, str, object]]:
    """Yield each place of a module that can be changed: node, field, and the new value."""
    annotations = {id(part) for node in ast.walk(tree) for part in _annotations(node)}
    for node in ast.walk(tree):
        if id(node) in annotations:
            continue
        if isinstance(node, ast.Compare) and type(node.ops[0]) in SWAPS:
            yield node, "ops", [SWAPS[type(node.ops[0])](), *node.ops[1:]]
        elif isinstance(node, ast.BinOp | ast.BoolOp | ast.AugAssign) and type(node.op) in SWAPS:
            yield node, "op", SWAPS[type(node.op)]()
        elif isinstance(node, ast.If | ast.While | ast.IfExp):
            yield node, "test", ast.UnaryOp(ast.Not(), node.test)
        elif isinstance(node, ast.Constant) and type(node.value) in (int, bool):
            yield node, "value", not node.value if node.value in (True, False) else node.value + 1
        elif isinstance(node, ast.Return) and node.value is not None and not isinstance(node.value, ast.Constant):
            yield node, "value", ast.Constant(None)


def _annotations(node: ast.AST) -> Iterator[ast.AST]:
    """Yield the parts of a node's annotations, which no test runs."""
    for part in (getattr(node, "annotation", None), getattr(node, "returns", None)):
        if part is not None:
            yield from ast.walk(part)


def draw(count: int, seed: int) -> list[tuple[str, Path, int]]:
    """Return package, file and number of the change of each mutant."""
    places = []
    for package in TESTS:
        folder = ROOT / "src" / "shown"
        own = [folder / name for name in FILES.get(package, ())] or folder.joinpath(package).rglob("*.py")
        for file in sorted(file for file in own if file.exists()):
            changes = range(sum(1 for _ in mutations(ast.parse(file.read_text()))))
            places += [(package, file.relative_to(ROOT), number) for number in changes]
    return random.Random(seed).sample(places, count)


def run(package: str, file: Path, number: int, copy: Path, ignored: list[str]) -> dict[str, object]:
    """Return whether the tests notice a mutant, and what it changes; `ignored` are options of pytest."""
    source, stamp = (copy / file).read_text(), (copy / file).stat()
    tree = ast.parse(source)
    node, field, value = list(mutations(tree))[number]
    before = ast.unparse(node)
    setattr(node, field, value)
    (copy / file).write_text(ast.unparse(ast.fix_missing_locations(tree)))
    path = os.pathsep.join(str(copy / part) for part in ("src", "evidence/src"))
    environment = {**os.environ, "PYTHONPATH": path, "OMP_NUM_THREADS": "1", "NUMBA_NUM_THREADS": "2"}
    tests = [str(test.relative_to(copy)) for name in TESTS[package] for test in sorted(copy.glob(name))]
    command = [sys.executable, "-m", "pytest", "-x", "-q", "-p", "no:xdist", *ignored, *tests]
    try:
        code = subprocess.run(command, cwd=copy, env=environment, capture_output=True, timeout=LIMIT).returncode
    except subprocess.TimeoutExpired:
        code = 1
    (copy / file).write_text(source)
    os.utime(copy / file, ns=(stamp.st_atime_ns, stamp.st_mtime_ns))
    line = getattr(node, "lineno", 0)
    return {"killed": code != 0, "place": f"{file}:{line}", "before": before[:200], "after": ast.unparse(node)[:200]}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    for name, default in (("count", 300), ("seed", 1), ("jobs", 2), ("skip", 0)):
        parser.add_argument(f"--{name}", type=int, default=default)
    parser.add_argument("--deselect", action="append", default=[], metavar="TEST", help="a test that fails anyway")
    args = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder, ThreadPoolExecutor(args.jobs) as pool:
        copies: Queue[Path] = Queue()
        for job in range(args.jobs):
            ignored = shutil.ignore_patterns(".git", ".venv", "build", "results", "__pycache__")
            copies.put(Path(shutil.copytree(ROOT, Path(folder) / str(job), ignore=ignored)))

        def judge(mutant: tuple[str, Path, int]) -> dict[str, object]:
            copy = copies.get()
            try:
                return run(*mutant, copy, [f"--deselect={test}" for test in args.deselect])
            finally:
                copies.put(copy)

        found = []
        for one in pool.map(judge, draw(args.count, args.seed)[args.skip :]):
            found.append(one)
            print(json.dumps(one), flush=True)
    killed = sum(bool(one["killed"]) for one in found)
    print(f"{killed} of {len(found)} mutants killed ({killed / len(found):.1%})")


if __name__ == "__main__":
    main()
