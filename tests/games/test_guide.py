"""The guide to adding a game is run as it stands: its file is written, its line is added, its examples are executed."""

import re
import sys
import tomllib
from collections.abc import Iterator
from pathlib import Path

import pytest

import shown.worlds.games
from guides import ROOT, blocks
from shown.worlds import GAMES, Game, find
from shown.worlds.games import ENTRY_POINTS

GUIDE = ROOT / "docs" / "guides" / "your-own-game.md"


@pytest.fixture
def lamps(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """The guide's file and line, put where the guide says, and taken away again."""
    (file,) = [block for block in blocks(GUIDE, "python") if block.note == "file=lamps.py"]
    (line,) = [block for block in blocks(GUIDE, "python") if block.note == "line"]
    (tmp_path / "lamps.py").write_text(file.code, encoding="utf-8")
    monkeypatch.setattr(shown.worlds.games, "__path__", [*shown.worlds.games.__path__, str(tmp_path)])
    entry = re.fullmatch(r'GAMES\["(?P<name>[a-z-]+)"\] = "(?P<place>[\w.:]+)"\n', line.code)
    monkeypatch.setitem(GAMES, entry["name"], entry["place"])
    yield
    sys.modules.pop("shown.worlds.games.lamps", None)


def test_the_examples_run(lamps: None):
    examples = "\n".join(block.code for block in blocks(GUIDE, "python") if block.note is None)
    assert examples.count("assert") >= 8
    exec(compile(examples, str(GUIDE), "exec"), {"__name__": "guide"})


def test_the_line_is_written_as_it_stands_in_the_table():
    assert '`"lamps": "shown.worlds.games.lamps:Lamps",`' in GUIDE.read_text("utf-8")


def test_the_guides_game_is_complete(lamps: None):
    game = find("lamps")
    assert isinstance(game, Game)
    for section in ("Description:", "Observation:", "Actions:", "Rewards:", "End of episode:", "Levels:"):
        assert section in type(game).__doc__


def test_the_entry_point_is_the_one_that_is_read():
    (block,) = blocks(GUIDE, "toml")
    assert tomllib.loads(block.code)["project"]["entry-points"][ENTRY_POINTS] == {"lamps": "your_package.lamps:Lamps"}
