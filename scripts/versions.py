"""Quick tests on every Python that is found here, with the highest and the lowest versions of everything else.

    python scripts/versions.py            all of it: minutes, and a virtual environment each under build/versions
    python scripts/versions.py --list     only say which Pythons were found, and what the lowest versions are

Needs nothing but Python. An interpreter is looked for on the PATH and among those of pyenv; more can be named in the
variable PYTHONS. The lowest versions are those that pyproject.toml promises. The standalone module that `shown export`
writes promises to need nothing, so it is run on older Pythons too.
"""

from __future__ import annotations

import argparse
import os
import re
import shutil
import subprocess
import sys
import tomllib
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
BUILD = ROOT / "build" / "versions"
OURS = ("3.11", "3.12", "3.13", "3.14")
OLDER = ("3.6", "3.7", "3.8", "3.9", "3.10")
"""Of these only the exported module is asked."""
EXTRAS = ("games", "studio")
FOR_TESTS = ("pytest", "pytest-xdist", "hypothesis", "scikit-learn")
QUICK = (
    *("tests/language", "tests/rules", "tests/inference", "tests/games"),
    *(
        "tests/test_grid.py",
        "tests/test_files.py",
        "tests/test_policy.py",
        "tests/test_export.py",
        "tests/test_render.py",
    ),
)
"""Tests that need neither a browser nor the evidence, whose libraries take gigabytes."""


def pythons() -> dict[str, str]:
    """The interpreters found, by version such as "3.12"."""
    found: dict[str, str] = {}
    pyenv = Path(os.environ.get("PYENV_ROOT", Path.home() / ".pyenv")) / "versions"
    named = os.environ.get("PYTHONS", "").split()
    for version in (*OLDER, *OURS):
        candidates = [*named, sys.executable, shutil.which(f"python{version}")]
        candidates += sorted(map(str, pyenv.glob(f"{version}.*/bin/python")), reverse=True)
        for python in filter(None, candidates):
            if _version(python) == version:
                found[version] = python
                break
    return found


def _version(python: str) -> str:
    script = "import sys; print('%d.%d' % sys.version_info[:2])"
    ran = subprocess.run([python, "-c", script], capture_output=True, text=True)
    return ran.stdout.strip()


def lowest() -> list[str]:
    """What pyproject.toml promises to work with at least, as constraints: `numpy==2.0` and so on."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
    wanted = [*project["dependencies"], *(one for extra in EXTRAS for one in project["optional-dependencies"][extra])]
    matches = (re.fullmatch(r"([\w-]+)>=([\d.]+)(?:,<[\d.]+)?", one) for one in wanted)
    return [f"{match[1]}=={match[2]}" for match in matches if match]


def run_tests(version: str, python: str, constraints: list[str]) -> bool:
    """Makes an environment and runs the quick tests in it."""
    name = f"{version}-{'lowest' if constraints else 'highest'}"
    folder = BUILD / name
    if not folder.exists():
        subprocess.run([python, "-m", "venv", str(folder)], check=True)
    (BUILD / f"{name}.txt").write_text("\n".join(constraints) + "\n")
    pip = [
        str(folder / "bin" / "python"),
        "-m",
        "pip",
        "install",
        "--quiet",
        "--disable-pip-version-check",
        "--upgrade",
    ]
    pip += ["-c", str(BUILD / f"{name}.txt"), "-e", f".[{','.join(EXTRAS)}]", *FOR_TESTS]
    print(f"{name}: installing …", flush=True)
    if subprocess.run(pip, cwd=ROOT).returncode:
        print(f"{name}: cannot be installed", flush=True)
        return False
    tests = [str(folder / "bin" / "python"), "-m", "pytest", "-n", "2", *QUICK]
    # Machine code is kept apart: beside the sources, that of two versions would be in each other's way.
    environment = {**os.environ, "NUMBA_CACHE_DIR": str(folder / "numba")}
    passed = subprocess.run(tests, cwd=ROOT, env=environment).returncode == 0
    print(f"{name}: {'passed' if passed else 'FAILED'}", flush=True)
    return passed


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--list", action="store_true", help="only say what would be done")
    args = parser.parse_args()
    found = pythons()
    ours = {version: python for version, python in found.items() if version in OURS}
    older = [version for version in found if version not in ours]
    print(f"Pythons to test on: {', '.join(ours)}; for the exported module also: {', '.join(older)}")
    print(f"lowest versions: {', '.join(lowest())}", flush=True)
    if args.list:
        return 0
    BUILD.mkdir(parents=True, exist_ok=True)
    first = next(iter(ours))
    passed = [run_tests(first, ours[first], lowest()), *(run_tests(v, python, []) for v, python in ours.items())]
    return 0 if all(passed) else 1


if __name__ == "__main__":
    sys.exit(main())
