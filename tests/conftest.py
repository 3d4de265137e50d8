"""All tests are deterministic: hypothesis draws the same examples in every run and on every machine.

`make test` draws few examples and leaves out tests marked `slow`; `make test-all` draws many and runs everything.
"""

import os
import signal
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, settings

from shown.engine import compilation
from strategies import ALL

settings.register_profile(
    "shown",
    max_examples=100 if ALL else 15,
    derandomize=True,
    deadline=None,
    database=None,
    print_blob=False,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large],
)
settings.load_profile("shown")

# How long this machine takes to compile the engine must not show in what commands print.
compilation.NOTICE_AFTER = compilation.NEVER

# Whoever runs the tests in the background may have Ctrl-C ignored, and with it all commands that tests start.
if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_make_scheduler(config: pytest.Config, log: Any) -> Any:
    from scheduling import Together

    return Together(config, log)


LONGEST = ("tests/test_docs.py::test_the_page_runs", "tests/studio/", "tests/test_soak.py", "tests/worlds/")
"""The places of the longest tests. They come first, so that no worker is left alone with one of them at the end."""


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    items.sort(key=lambda item: not item.nodeid.startswith(LONGEST))


ELSEWHERE = """
import sys
import time

from shown.worlds import Game
from shown.worlds.games.nim import Nim

class Twin(Nim):
    name = "twin"
    title = "Twin"

class Aimless(Nim):
    name = "aimless"
    title = "Aimless"

    def expert(self, grid):
        raise RuntimeError("no idea")

class Sleepy(Nim):
    name = "sleepy"
    title = "Sleepy"

    def step(self, grid, action, rng):
        if grid[action] == ".":
            time.sleep(20)
        return super().step(grid, action, rng)

class Stuck(Nim):
    name = "stuck"
    title = "Stuck"

    def step(self, grid, action, rng):
        if sys.argv[1:] == ["5"]:  # the process that plays for the page
            time.sleep(60)
        return super().step(grid, action, rng)

class Climber(Nim):
    name = "../up"

class Nameless(Nim):
    name = None

class Quits(Nim):
    def __init__(self):
        raise SystemExit(0)

class Crowded(Nim):
    name = "odd"
    buttons = "x" * 10**6

class Doubled(Nim):
    name = "odd"
    buttons = ("left", "left")

class Leaving(Nim):
    name = "leaving"

    def expert(self, grid):
        raise SystemExit(0)

class Untitled(Nim):
    name = "odd"
    title = None

class Half(Game):
    name = "lost"

class NotAGame:
    name = "lost"
"""

WORDS = """
from shown import LANGUAGE, Kind, Primitive, Rule, geometric, paper_grammar


def _row_has(view, cell, least, value):
    if cell is None or not 0 <= cell[0] < view.grid.height:
        return False
    return sum(view.value((cell[0], c)) == value for c in range(view.grid.width)) >= least


ROW_HAS = Primitive(
    "row_has",
    (Kind.NUMBER, Kind.VALUE),
    Kind.CONDITION,
    _row_has,
    "the row of {cell} has at least {0} × {1:bare}",
    "the row of {cell} has fewer than {0} × {1:bare}",
)


def _grammar(tokens, buttons):
    rule = Rule("B", "row_has", ("N", "V"), 0.2)
    return paper_grammar(tokens, buttons).extended(rule, leaves={"N": geometric()}, language=COUNTING)


COUNTING = LANGUAGE.extended(ROW_HAS, grammar=_grammar)
TALLY = LANGUAGE.extended(ROW_HAS, name="tally", grammar=_grammar)
SILENT = LANGUAGE.extended(ROW_HAS)
BROKEN = LANGUAGE.extended(ROW_HAS, grammar=lambda tokens, buttons: tokens.nothing_of_the_kind)
FOREIGN = LANGUAGE.extended(grammar=_grammar)
"""
"""Some languages with a word of their own."""


@pytest.fixture
def elsewhere(
    tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch
) -> Iterator[Callable[..., None]]:
    """An installed package called `elsewhere`, which declares games by lines such as `twin = elsewhere:Twin`.

    Other things are declared after a line with their group, such as `[shown.languages]`.
    """
    place: Path = tmp_path_factory.mktemp("installed")

    def install(*lines: str) -> None:
        (place / "elsewhere.py").write_text(ELSEWHERE)
        (place / "counting_words.py").write_text(WORDS)
        (place / "broken.py").write_text("raise RuntimeError('two\\nlines')\n")
        declared = place / "elsewhere-1.0.dist-info"
        declared.mkdir()
        (declared / "METADATA").write_text("Metadata-Version: 2.1\nName: elsewhere\nVersion: 1.0\n")
        (declared / "entry_points.txt").write_text("\n".join(["[shown.games]", *lines, ""]))
        monkeypatch.syspath_prepend(place)
        before = os.environ.get("PYTHONPATH")
        monkeypatch.setenv("PYTHONPATH", f"{place}{os.pathsep}{before}" if before else str(place))

    yield install
    for module in ("elsewhere", "counting_words", "broken"):
        sys.modules.pop(module, None)
