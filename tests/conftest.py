"""All tests are deterministic: hypothesis draws the same examples in every run and on every machine."""

import os
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings

from shown import compiled

settings.register_profile(
    "shown",
    derandomize=True,
    deadline=None,
    database=None,
    print_blob=False,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large],
)
settings.load_profile("shown")

# How long this machine takes to compile the engine must not show in what commands print.
compiled.NOTICE_AFTER = 86_400.0

ELSEWHERE = """
from shown.games.game import Game
from shown.games.nim import Nim

class Twin(Nim):
    name = "twin"
    title = "Twin"

class Climber(Nim):
    name = "../up"

class Half(Game):
    name = "lost"

class NotAGame:
    name = "lost"
"""


@pytest.fixture
def elsewhere(
    tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch
) -> Iterator[Callable[..., None]]:
    """An installed package called `elsewhere`, which declares games by lines such as `twin = elsewhere:Twin`."""
    place: Path = tmp_path_factory.mktemp("installed")

    def install(*lines: str) -> None:
        (place / "elsewhere.py").write_text(ELSEWHERE)
        (place / "broken.py").write_text("raise RuntimeError('two\\nlines')\n")
        declared = place / "elsewhere-1.0.dist-info"
        declared.mkdir()
        (declared / "METADATA").write_text("Metadata-Version: 2.1\nName: elsewhere\nVersion: 1.0\n")
        (declared / "entry_points.txt").write_text("\n".join(["[shown.games]", *lines, ""]))
        monkeypatch.syspath_prepend(place)
        before = os.environ.get("PYTHONPATH")
        monkeypatch.setenv("PYTHONPATH", f"{place}{os.pathsep}{before}" if before else str(place))

    yield install
    for module in ("elsewhere", "broken"):
        sys.modules.pop(module, None)
