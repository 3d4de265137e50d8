"""Cases: made from a seed, tried within limits, saved if they fail."""

from __future__ import annotations

import contextlib
import json
import os
import random
import tempfile
import traceback
from collections.abc import Callable, Iterator
from dataclasses import asdict, dataclass
from importlib import import_module
from pathlib import Path
from typing import Any

from fuzz.limits import TooMuch, limited
from shown.errors import ShownError

AREAS = ("files", "commands", "requests", "wire", "store", "export", "programs", "tables", "plugins")
MAX_MESSAGE = 10_000
"""Characters of an error's text: one line, and not a file in full."""


@dataclass(frozen=True)
class Case:
    """One thing to try. Its data alone decide what happens; seed and number only say where it came from."""

    area: str
    seed: int
    number: int
    data: Any

    @property
    def name(self) -> str:
        return f"{self.area}-{self.seed}-{self.number}"


def make(area: str, seed: int, number: int) -> Case:
    """The case of that number; the same on every machine."""
    rng = random.Random(f"{area} {seed} {number}")
    data = import_module(f"fuzz.{area}").make(rng)
    # What is saved is what is tried.
    return Case(area, seed, number, json.loads(json.dumps(data)))


def attempt(case: Case) -> str | None:
    """Tries a case; what went wrong, or None."""
    run: Callable[[Any, Path], None] = import_module(f"fuzz.{case.area}").run
    try:
        with tempfile.TemporaryDirectory(prefix="shown-fuzz-") as folder, _inside(folder), limited():
            run(case.data, Path(folder))
    except TooMuch as reason:
        return str(reason)
    except Exception:
        return traceback.format_exc()
    return None


def save(case: Case, why: str, folder: Path) -> Path:
    """Writes a case to a file that `fuzz.replay` reads."""
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / f"{case.name}.json"
    path.write_text(json.dumps({**asdict(case), "why": why}, indent=1) + "\n", "utf-8")
    return path


def load(path: Path) -> Case:
    value = json.loads(path.read_text("utf-8"))
    return Case(value["area"], value["seed"], value["number"], value["data"])


@contextlib.contextmanager
def expected() -> Iterator[None]:
    """Inside, our own errors are as good as success, if each is one line of a sensible length."""
    try:
        yield
    except ShownError as error:
        text = str(error)
        assert text, "an error says nothing"
        assert len(text) <= MAX_MESSAGE, f"an error of {len(text):,} characters: {text[:200]}"


@contextlib.contextmanager
def _inside(folder: str) -> Iterator[None]:
    before = os.getcwd()
    os.chdir(folder)
    try:
        yield
    finally:
        os.chdir(before)
