"""Measure the size and shape of the code: `python scripts/house.py [REVISION …]`, one column a revision and the tree.

Prints lines of Python, function lengths, parameter lists and cyclomatic complexity (as ruff counts them), names of
modules and public classes that occur twice, and phrases that the style guide rules out. Functions compiled by Numba are
exempt: a loop cut into pieces there is slower, not clearer. `--list` names every function that breaks a limit.
"""

from __future__ import annotations

import ast
import io
import re
import subprocess
import sys
import tarfile
import tempfile
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).parents[1]
EVIDENCE = re.compile(r"evidence/|src/shown/(baselines|experiments)/|src/shown/cli/(reproduce|results|report)\.py")
PHRASES = re.compile(r"\bso many\b|\bcomes? to the same\b|\b(is|are) (told|said)\b|\bcomes (to|of)\b", re.IGNORECASE)
COMPILED = {"compiled", "njit", "jit", "vectorize", "intrinsic"}
MAX_PARAMETERS, MAX_LINES, MAX_COMPLEXITY = 7, 50, 12

Function = ast.FunctionDef | ast.AsyncFunctionDef


def functions(tree: ast.Module) -> Iterator[Function]:
    """Yield the functions of a module that Numba does not compile, methods and nested ones included."""
    for node in ast.walk(tree):
        if isinstance(node, Function):
            marks = [mark for decorator in node.decorator_list for mark in ast.walk(decorator)]
            names = {getattr(mark, "id", getattr(mark, "attr", "")) for mark in marks}
            if not names & COMPILED:
                yield node


def lines(function: Function) -> int:
    """Return the number of lines of a function's body, its docstring not counted."""
    body = function.body[1:] if ast.get_docstring(function) else function.body
    return (function.end_lineno or 0) - body[0].lineno + 1 if body else 0


def breaches(folder: Path, rule: str, plain: dict[str, set[int]]) -> list[str]:
    """Return ruff's lines for one rule, without compiled functions."""
    command = [sys.executable, "-m", "ruff", "check", "--isolated", "--no-cache", "--output-format=concise", "--quiet"]
    command += ["--ignore-noqa", f"--select={rule}", f"--config=lint.mccabe.max-complexity={MAX_COMPLEXITY}"]
    command += [f"--config=lint.pylint.max-args={MAX_PARAMETERS}", "."]
    found = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False).stdout.splitlines()
    places = [(line, *line.split(":", 2)[:2]) for line in found if line.count(":") > 2]
    return [line for line, name, row in places if int(row) in plain.get(name, ())]


def measure(folder: Path, names: list[str]) -> tuple[dict[str, str], list[str]]:
    """Return the figures of a tree and the functions that break a limit."""
    texts = {name: (folder / name).read_text("utf-8") for name in names}
    evidence = [name for name in names if EVIDENCE.match(name)]
    package = [name for name in names if name.startswith("src/") and name not in evidence]
    tests = [name for name in names if name.startswith("tests/")]
    trees = {name: ast.parse(texts[name]) for name in (*package, *evidence)}
    plain = {name: {function.lineno for function in functions(tree)} for name, tree in trees.items()}
    complex_ones, wide = breaches(folder, "C901", plain), breaches(folder, "PLR0913", plain)
    long = [
        f"{name}:{function.lineno}: {function.name} has {lines(function)} lines"
        for name, tree in trees.items() for function in functions(tree) if lines(function) > MAX_LINES
    ]  # fmt: skip
    modules = Counter(Path(name).name for name in package if "/cli/" not in name and "__init__" not in name)
    bodies = (node for name in package for node in trees[name].body)
    classes = Counter(node.name for node in bodies if isinstance(node, ast.ClassDef) and node.name[0] != "_")
    figures = {
        "lines of Python, package": sum(texts[name].count("\n") for name in package),
        "lines of Python, evidence": sum(texts[name].count("\n") for name in evidence),
        "lines of Python, tests": sum(texts[name].count("\n") for name in tests),
        "files of over 500 lines": sum(texts[name].count("\n") > 500 for name in trees),
        f"functions of over {MAX_PARAMETERS} parameters": len(wide),
        f"functions of over {MAX_LINES} lines": len(long),
        f"functions of complexity over {MAX_COMPLEXITY}": len(complex_ones),
        "module names used twice": sum(count > 1 for count in modules.values()),
        "public class names used twice": sum(count > 1 for count in classes.values()),
        "phrases the style guide rules out": sum(len(PHRASES.findall(texts[name])) for name in trees),
    }
    twice = [f"class {name}: {count} times" for name, count in classes.items() if count > 1]
    return {row: f"{value:,}" for row, value in figures.items()}, [*complex_ones, *wide, *long, *twice]


def git(*arguments: str) -> bytes:
    """Return what a git command prints."""
    return subprocess.run(["git", *arguments], cwd=ROOT, capture_output=True, check=True).stdout


def main() -> int:
    columns = []
    for revision in (word for word in sys.argv[1:] if not word.startswith("-")):
        with tempfile.TemporaryDirectory() as name, tarfile.open(fileobj=io.BytesIO(git("archive", revision))) as files:
            files.extractall(name, [item for item in files if item.name.endswith(".py")], filter="data")
            found = sorted(path.relative_to(name).as_posix() for path in Path(name).rglob("*.py"))
            columns.append((revision, measure(Path(name), found)[0]))
    tracked = [name for name in git("ls-files", "*.py").decode().splitlines() if (ROOT / name).exists()]
    now, broken = measure(ROOT, tracked)
    columns.append(("now", now))
    width = max(map(len, now))
    print(" " * width + "".join(f"  {name[:10]:>10}" for name, _ in columns))
    for row in now:
        print(f"{row:{width}}" + "".join(f"  {figures[row]:>10}" for _, figures in columns))
    if "--list" in sys.argv:
        print(*broken, sep="\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
