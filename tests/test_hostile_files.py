"""Files of others, damaged in any way: read and kept whole, or refused in one line."""

import io
import json
import os
import re
from collections.abc import Callable
from contextlib import chdir, redirect_stderr, redirect_stdout
from pathlib import Path
from typing import Any
from unittest.mock import patch

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hostile_files import FILES, ODD_TEXTS, lines, odd_values, spoiled
from shown.cli import main
from shown.demonstrations import Demonstrations
from shown.errors import ShownError
from shown.files import is_leftover, write_json
from shown.policy import Policy, uniform_policy
from shown.studio.project import Project
from shown.studio.workspace import Workspace
from shown.teaching.lessons.lesson_file import LessonFile, load_lesson
from shown.worlds import find, load_levels, tables
from shown_evidence.results.archive import pack, read
from strategies import BUTTONS, TOKENS, damaged, examples

pytestmark = pytest.mark.filterwarnings("ignore::shown.errors.NothingFits")


def accepted(load: Callable[[Path], Any], path: Path) -> Any:
    """Return what is in a file, or None if it is refused, which takes one line of a sensible length."""
    try:
        return load(path)
    except ShownError as error:
        assert re.fullmatch(".{1,10000}", str(error)), str(error)[:300]  # noqa: PT017
        return None


TABLE = (lambda path: tables.load(path, TOKENS, BUTTONS), tables.save, Demonstrations.to_json)
LEVELS = (
    lambda path: load_levels(find(path.stem), str(path)),
    lambda it, path: write_json(path, {"game": path.stem, "levels": [level.grid.text for level in it]}),
    lambda it: [level.grid for level in it],
)
FORMS = {
    "policy.json": (Policy.load, Policy.save, Policy.to_json),
    "demos.json": (Demonstrations.load, Demonstrations.save, Demonstrations.to_json),
    "lesson.json": (
        lambda path: load_lesson(path, find),
        lambda it, path: write_json(path, it.to_json()),
        LessonFile.to_json,
    ),
    "demos.jsonl.gz": (
        lambda path: read(path.parent),
        lambda it, path: pack(path.parent),
        lambda it: (it.rows, len(it.bad)),
    ),
    **{"rows.jsonl": TABLE, "rows.csv": TABLE},
}
"""How each kind of file is read and written, and what of it is compared."""


@pytest.mark.parametrize("name", FILES)
@given(data=st.data())
@settings(max_examples=examples(800))
def test_a_file_is_refused_in_one_line_or_read_and_written_whole(name, data, tmp_path_factory):
    load, save, plain = FORMS.get(name, LEVELS)
    path = tmp_path_factory.mktemp("files") / name
    path.write_bytes(data.draw(FILES[name]))
    value = accepted(load, path)
    if value is not None:
        save(value, path)
        assert plain(load(path)) == plain(value)
    assert not any(map(is_leftover, os.listdir(path.parent)))


def played(folder: Path) -> dict[str, Any]:
    """Open a project, play in it, and return what it says it has."""
    with Project(folder) as project:
        workspace = Workspace(project, find("nim"))
        workspace.expert()
        workspace.paint(None, load_levels(workspace.game, "train:0")[0].grid)
        workspace.click((0, 0))
        return workspace.view()


@given(data=st.data())
@settings(max_examples=examples(200))
def test_a_project_with_a_damaged_file_is_opened_and_kept_or_refused(data, tmp_path_factory):
    folder = tmp_path_factory.mktemp("projects") / "project"
    played(folder)
    path = data.draw(st.sampled_from(sorted(folder.rglob("*.json*"))))
    text = path.read_text("utf-8")
    values = [json.loads(text)] if path.suffix == ".json" else [json.loads(line) for line in text.splitlines()]
    path.write_bytes(data.draw(spoiled(lines(data.draw(damaged(values, odd_values))))))
    wanted = accepted(played, folder)
    if wanted is not None:
        with Project(folder) as project:
            project.settings()
            found = Workspace(project, find("nim")).view()
        assert all(found[part] == wanted[part] for part in ("table", "recordings", "painted"))


SMALL = "--programs 40 --practice 0 --trees 1 --ensemble 2 --threads 1 --quiet"
AS_TABLE = "convert FILE out.json --tokens empty=. wall=# agent=A star=* --buttons left,right,fire"
COMMANDS = {
    "policy.json": ("explain FILE --most 1", "explain FILE --json", "evaluate FILE --json", "export FILE --out out.py"),
    "demos.json": (f"learn FILE {SMALL} --out out.json", f"learn FILE {SMALL} --json", "convert FILE out.csv"),
    "nim.json": ("demonstrate nim --levels FILE --out out.json", "evaluate sound.json --levels FILE --json"),
    "lesson.json": (f"learn FILE {SMALL} --out out.json",),
    **{"rows.jsonl": (AS_TABLE,), "rows.csv": (AS_TABLE,), "demos.jsonl.gz": ("results --results . --json",)},
}
ODD_COMMANDS = (
    *("WORD", "games WORD", "learn WORD", "demonstrate WORD", "explain WORD", "export sound.json --out WORD"),
    *(f"learn nim {SMALL} --levels WORD", f"learn nim {SMALL} --levels train:0 --noise WORD"),
    *("evaluate sound.json --levels WORD", "evaluate sound.json --levels test:0 --seed WORD"),
    *("explain sound.json --most WORD", "explain sound.json WORD", "convert sound.json WORD"),
    *("results --results WORD", "reproduce WORD --list", "reproduce demos --list --games nim --demos WORD"),
    "studio --no-browser --host 192.0.2.1 --port WORD",  # an address that is nobody's (RFC 5737), so nothing is served
)


def check_command(words: list[str], folder: Path) -> None:
    """Run a command in a folder: it answers, or says in one line what is wrong, and writes no half of a file."""
    uniform_policy(find("nim").tokens, "nim").save(folder / "sound.json")
    out, err, before = io.StringIO(), io.StringIO(), set(os.listdir(folder))
    with chdir(folder), redirect_stdout(out), redirect_stderr(err), patch("sys.stdin", io.StringIO()):
        try:
            code = main(words)
        except SystemExit as stop:  # --help
            code = stop.code or 0
    told, new = err.getvalue(), set(os.listdir(folder)) - {*before, ".lock"}  # of results
    assert code in (0, 1, 2), told
    assert all(c.isprintable() or c == "\n" for c in out.getvalue() + told), "an escape code reaches the terminal"
    assert not any(map(is_leftover, new))
    if code == 2:
        assert re.fullmatch("shown: .{1,10000}\n", told), told[:300]
        assert not new
    elif "--json" in words:
        json.loads(out.getvalue())
    if "out.json" in new:
        json.loads((folder / "out.json").read_text("utf-8"))


@pytest.mark.parametrize("name", COMMANDS)
@given(data=st.data())
@settings(max_examples=examples(150))
def test_a_command_answers_or_refuses_a_file_in_one_line(name, data, tmp_path_factory):
    folder = tmp_path_factory.mktemp("commands")
    (folder / name).write_bytes(data.draw(FILES[name]))
    check_command(data.draw(st.sampled_from(COMMANDS[name])).replace("FILE", name).split(), folder)


@given(command=st.sampled_from(ODD_COMMANDS), word=st.sampled_from(ODD_TEXTS) | st.text(max_size=20))
@settings(max_examples=examples(400))
def test_a_command_answers_or_refuses_an_odd_word_in_one_line(command, word, tmp_path_factory):
    folder = tmp_path_factory.mktemp("words")
    word = word.encode("utf-8", "replace").decode().replace("\0", "")  # no argument of a process has these
    check_command([word if each == "WORD" else each for each in command.split()], folder)
