"""The guide to adding a game is run as it stands: its file is written, its line is added, its examples are executed."""

import re
import sys
import tomllib
from collections.abc import Iterator
from pathlib import Path

import pytest

import shown.games
from shown.games import ENTRY_POINTS, GAMES, find
from shown.games.game import Game

GUIDE = Path(__file__).parents[2] / "docs" / "adding-a-game.md"
BLOCK = re.compile(r"^```(?P<kind>\w+)(?: (?P<note>[^\n]+))?\n(?P<code>.*?)^```", re.MULTILINE | re.DOTALL)


def blocks(kind: str) -> list[tuple[str | None, str]]:
    """The code blocks of a kind, each with what stands beside the kind."""
    matches = BLOCK.finditer(GUIDE.read_text("utf-8"))
    return [(match["note"], match["code"]) for match in matches if match["kind"] == kind]


@pytest.fixture
def lamps(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """The guide's file and line, put where the guide says, and taken away again."""
    ((_, code),) = [block for block in blocks("python") if block[0] == "file=lamps.py"]
    ((_, line),) = [block for block in blocks("python") if block[0] == "line"]
    (tmp_path / "lamps.py").write_text(code, encoding="utf-8")
    monkeypatch.setattr(shown.games, "__path__", [*shown.games.__path__, str(tmp_path)])
    entry = re.fullmatch(r'GAMES\["(?P<name>[a-z-]+)"\] = "(?P<place>[\w.:]+)"\n', line)
    monkeypatch.setitem(GAMES, entry["name"], entry["place"])
    yield
    sys.modules.pop("shown.games.lamps", None)


def test_the_examples_run(lamps: None):
    examples = "\n".join(code for note, code in blocks("python") if note is None)
    assert examples.count("assert") >= 8
    exec(compile(examples, str(GUIDE), "exec"), {"__name__": "guide"})


def test_the_line_is_written_as_it_stands_in_the_table():
    assert '`"lamps": "shown.games.lamps:Lamps",`' in GUIDE.read_text("utf-8")


def test_the_guides_game_is_complete(lamps: None):
    game = find("lamps")
    assert isinstance(game, Game)
    for section in ("Description:", "Observation:", "Actions:", "Rewards:", "End of episode:", "Levels:"):
        assert section in type(game).__doc__


def test_the_entry_point_is_the_one_that_is_read():
    ((_, text),) = blocks("toml")
    assert tomllib.loads(text)["project"]["entry-points"][ENTRY_POINTS] == {"lamps": "your_package.lamps:Lamps"}
