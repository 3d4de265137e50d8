"""The guide to adding a game is run as it stands: its file is written, its line is added, its examples are executed."""

import re
import sys
import tomllib
from collections.abc import Iterator
from pathlib import Path

import pytest

import shown.worlds.games
from guides import ROOT, blocks
from shown.cli import main
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


def test_a_game_in_a_file_of_ones_own_needs_no_package(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys):
    (file,) = [block for block in blocks(GUIDE, "python") if block.note == "file=lamps.py"]
    (tmp_path / "lamps.py").write_text(file.code, encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "path", [*sys.path])
    try:
        assert main(["games", "lamps:Lamps"]) == 0
        assert "Switch off all lamps" in capsys.readouterr().out
        short = ("--programs", "300", "--practice", "0", "--quiet")
        assert main(["demonstrate", "lamps:Lamps", "--levels", "random:0-2", "--out", "demos.json"]) == 0
        assert main(["learn", "demos.json", "--world", "lamps:Lamps", *short, "--out", "policy.json"]) == 0
        assert main(["evaluate", "policy.json", "--levels", "random:10-14"]) == 2  # a file may not import a module
        assert "no game called 'lamps'" in capsys.readouterr().err
        assert main(["evaluate", "policy.json", "--world", "lamps:Lamps", "--levels", "random:10-14"]) == 0
        assert "5 of 5 levels won" in capsys.readouterr().out
        assert main(["games", "lamps:Lamp"]) == 2
        assert "lamps:Lamp: cannot be loaded (AttributeError" in capsys.readouterr().err
        assert main(["games", "lamps:np"]) == 2
        assert "lamps:np: is neither a shown.worlds.Game nor a shown.worlds.World." in capsys.readouterr().err
    finally:
        sys.modules.pop("lamps", None)


def test_the_entry_point_is_the_one_that_is_read():
    (block,) = blocks(GUIDE, "toml")
    assert tomllib.loads(block.code)["project"]["entry-points"][ENTRY_POINTS] == {"lamps": "your_package.lamps:Lamps"}
