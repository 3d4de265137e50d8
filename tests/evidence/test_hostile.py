"""Results are shared: what is in a results file may be anybody's."""

import gzip
import json
import re
import subprocess
import sys
from dataclasses import replace
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import pytest

from measuring import all_measured, failed, measured
from shown.cli import main
from shown.errors import BadInput, printable
from shown_evidence.experiments import EXPERIMENTS, find
from shown_evidence.experiments.experiment import Scale
from shown_evidence.report.page import POLICY, report
from shown_evidence.results.archive import append, pack, read
from shown_evidence.trials.row import Row, row_from
from shown_evidence.trials.trial import Trial
from strategies import some

TRIAL = Trial("lpp", "nim", "train:0")
OTHER = Trial("lpp", "nim", "train:1")
SCRIPT = "<script>alert(1)</script>\"'><img src=x onerror=alert(1)>&{0}"
ESCAPES = "\x1b]0;owned\x07\x1b[2J\x9b31m\r\u202e"


# --- the report ---------------------------------------------------------------------------------------------------


class Tags(HTMLParser):
    def __init__(self) -> None:
        super().__init__()
        self.found: list[tuple[str, dict[str, str | None]]] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.found.append((tag, dict(attrs)))


def hostile_rows() -> list[Row]:
    """Rows with markup wherever there is text, as no check had been made."""
    trials = [trial for name in EXPERIMENTS for trial in find(name).trials(Scale(games=("nim",), sets=1))]
    rows = [replace(row, finished=SCRIPT, commit=SCRIPT, machine=SCRIPT) for row in all_measured(trials)]
    for name in ("method", "game", "levels", "demonstrations"):
        rows.append(replace(measured(TRIAL), settings={**TRIAL.settings, name: SCRIPT}))
    options = {**TRIAL.settings["options"], SCRIPT: SCRIPT}
    rows.append(replace(measured(TRIAL), settings={**TRIAL.settings, "options": options, "test": [SCRIPT]}))
    result = {**(measured(TRIAL).result or {}), "learned": {SCRIPT: SCRIPT}, "won": {SCRIPT: SCRIPT}}
    rows.append(replace(measured(TRIAL), result={**result, "success": {SCRIPT: 1.0}}, versions={SCRIPT: SCRIPT}))
    rows.append(Row(TRIAL.settings, {}, None, SCRIPT, finished=SCRIPT))
    return rows


def test_no_script_gets_into_the_report():
    page = report(hostile_rows(), SCRIPT, bad=1)
    assert "<script" not in page
    assert "<img" not in page
    assert "&lt;script&gt;" in page
    tags = Tags()
    tags.feed(page)
    assert not [tag for tag, attributes in tags.found if tag in ("script", "img", "iframe", "object", "base", "form")]
    assert not [name for _, attributes in tags.found for name in attributes if name.startswith("on")]
    links = [attributes[name] or "" for _, attributes in tags.found for name in attributes if name.endswith("href")]
    assert all(link.startswith("#") for link in links)


def test_the_report_forbids_scripts_before_anything_else():
    tags = Tags()
    tags.feed(report([measured(TRIAL)], "results"))
    policies = [i for i, (_, each) in enumerate(tags.found) if each.get("http-equiv") == "Content-Security-Policy"]
    assert len(policies) == 1
    assert tags.found[policies[0]][1]["content"] == POLICY
    assert [tag for tag, _ in tags.found[: policies[0]]] == ["html", "meta"]
    assert "default-src 'none'" in POLICY
    assert "script-src" not in POLICY


# --- bad rows -----------------------------------------------------------------------------------------------------


def changed(*path: str, value: Any) -> dict[str, Any]:
    """A good result as JSON, but for one value."""
    row: dict[str, Any] = json.loads(measured(TRIAL).to_json())
    part = row
    for name in path[:-1]:
        part = part[name]
    if value is None:
        del part[path[-1]]
    else:
        part[path[-1]] = value
    return row


BAD = {
    "no fields": changed("result", value={}),
    "no success": changed("result", "success", value=None),
    "success over 1": changed("result", "success", "test:0-8", value=7),
    "success as text": changed("result", "success", "test:0-8", value="all"),
    "half a demonstration": changed("result", "demonstrations", value=0.5),
    "sizes as text": changed("result", "learned", "depth", value="deep"),
    "a seed of 20 digits": changed("settings", "seed", value=10**20),
    "a seed below 0": changed("settings", "seed", value=-1),
    "no levels": changed("settings", "levels", value=None),
    "levels as a number": changed("settings", "levels", value=3),
    "no options": changed("settings", "options", value=None),
    "a list of options": changed("settings", "options", value=[1]),
    "a list of versions": changed("versions", value=[1]),
    "options in options": changed("settings", "options", "programs", value=[1]),
    "tested on a word": changed("settings", "test", value="test"),
    "endless levels": changed("settings", "levels", value="train:0," * 50_000),
    "no versions": changed("versions", value=None),
    "a script as a version": changed("versions", "method lpp", value=SCRIPT),
    "a script as a date": changed("finished", value=SCRIPT),
    "a script as a commit": changed("commit", value=SCRIPT),
    "endless work": changed("work", "learn_seconds", value=10**400),
    "true work": changed("work", "learn_seconds", value=True),
    "an unknown part": changed("status", value="fine"),
    "neither result nor error": {**changed("result", value=None)},
    "a result and an error": changed("error", value="no luck"),
}


@pytest.mark.parametrize("name", list(BAD))
def test_a_bad_result_is_refused(name: str):
    with pytest.raises(BadInput) as problem:
        row_from(BAD[name])
    assert str(problem.value).startswith("not a result: ")


def test_a_good_result_is_read_as_it_was_written():
    for row in (measured(TRIAL), failed(TRIAL)):
        assert row_from(json.loads(row.to_json())) == row


LINES = {
    "no JSON": b"{",
    "of nobody": b"{}",
    "a number": b"7",
    "two keys of one name": b'{"settings": {}, "settings": {}}',
    "not UTF-8": b"\xff\xfe",
    "half a character": json.dumps({"settings": {"method": "\ud800"}}).encode(),
    "a huge seed": json.dumps(BAD["a seed of 20 digits"]).encode(),
    "work without end": measured(TRIAL).to_json().replace("0.25", "9e999").encode(),
    "deep": b"[" * 5000 + b"]" * 5000,
}


@pytest.mark.parametrize("name", list(LINES))
def test_a_bad_line_is_named_and_left_out(name: str, tmp_path: Path, capsys: pytest.CaptureFixture):
    path = tmp_path / "demos.jsonl.gz"
    path.write_bytes(gzip.compress(LINES[name] + b"\n" + measured(OTHER).to_json().encode()))
    assert main(["results", "--results", str(tmp_path), "--json"]) == 0
    printed = capsys.readouterr()
    assert [row["settings"]["levels"] for row in json.loads(printed.out)] == ["train:1"]
    assert f"skipped: {path}:1: " in printed.err
    append(tmp_path, "demos", measured(Trial("lpp", "nim", "train:2")))  # it can still be written to
    pack(tmp_path)
    assert len(read(tmp_path).rows) == 2
    assert (tmp_path / "demos.journal.jsonl").read_bytes().startswith(LINES[name][:1000])


def test_a_line_too_long_to_be_a_row_is_refused(tmp_path: Path):
    path = tmp_path / "demos.jsonl.gz"
    path.write_bytes(gzip.compress(b"{}\n" + b" " * 2**30))  # a megabyte that unpacks to a thousand
    with pytest.raises(BadInput) as problem:
        read(tmp_path)
    assert f"{path}:2: longer than" in str(problem.value)


def test_a_file_without_end_is_refused(tmp_path: Path):
    (tmp_path / "demos.journal.jsonl").symlink_to("/dev/zero")
    with pytest.raises(BadInput) as problem:
        read(tmp_path)
    assert "demos.journal.jsonl: not a file on disk" in str(problem.value)


def test_levels_and_options_of_others_break_no_experiment():
    strange = [
        "random:",
        "random:x",
        "random:1-",
        "train:",
        "train:0,,",
        ",",
        "random:99999999999999999999",
        "a\nb",
        "",
    ]
    for name in EXPERIMENTS:
        for levels in strange:
            for method in ("lpp", "vpi", "fcn", "magic"):
                settings = {**TRIAL.settings, "levels": levels, "method": method, "options": {}}
                assert find(name).belongs(settings) in (True, False)


@pytest.mark.slow
def test_good_rows_with_strange_numbers_break_no_report():
    rows = []
    for name in ("demos", "programs", "policies"):
        for trial in find(name).trials(Scale(games=("nim",), methods=("lpp", "vpi"), sets=1)):
            for programs in ("many", None, True, 0, 1e18, -3, 10**18):
                settings = {**trial.settings, "options": {**trial.settings["options"], "programs": programs}}
                rows.append(replace(measured(trial), settings=settings))
            for count in (0, 10**9):
                result = {**(measured(trial).result or {}), "demonstrations": count, "success": {}, "learned": {}}
                rows.append(replace(measured(trial), result=result))
    assert all(row_from(json.loads(row.to_json())) for row in rows)
    assert "The paper’s evidence" in report(rows, "results")


def test_games_of_others_are_in_no_experiment():
    settings = {**TRIAL.settings, "game": "go"}
    assert not any(find(name).belongs(settings) for name in EXPERIMENTS)


# --- the terminal -------------------------------------------------------------------------------------------------


def test_printable_text_is_shown_and_does_nothing():
    assert printable("café 3 × 4 ✓ {x}") == "café 3 × 4 ✓ {x}"
    shown_as = printable(ESCAPES)
    assert shown_as.isprintable()
    assert shown_as == r"\x1b]0;owned\x07\x1b[2J\x9b31m\r\u202e"
    assert printable("\udcff\n") == r"\udcff\n"


def controls(text: str) -> list[str]:
    return [c for c in text.replace("\n", "") if not c.isprintable()]


@pytest.mark.parametrize("form", [[], ["--json"]])
def test_no_escapes_reach_the_terminal_through_results(form: list[str], tmp_path: Path, capsys: pytest.CaptureFixture):
    folder = tmp_path / f"r{ESCAPES.replace('/', '')}"
    settings = {**TRIAL.settings, "game": f"nim{ESCAPES}", "levels": f"{ESCAPES}.json", "method": f"lpp{ESCAPES}"}
    for row in (Row(settings, {}, None, f"no luck{ESCAPES}"), measured(OTHER)):
        append(folder, "demos", row)
    with (folder / "demos.journal.jsonl").open("a") as file:
        file.write(json.dumps({ESCAPES: ESCAPES}) + "\n")
    assert main(["results", "--results", str(folder), *form]) == 0
    printed = capsys.readouterr()
    assert "no luck" in printed.out
    assert controls(printed.out) == []
    assert controls(printed.err) == []
    assert r"\x1b" in printed.err
    if form == ["--json"]:
        assert "no luck" in json.loads(printed.out)[1]["error"]


@pytest.mark.parametrize(
    "command",
    [
        ["results", "--results", "missing{}"],
        ["learn", "missing{}.json"],
        ["{}"],
        *some(
            [
                ["report", "--results", "missing{}"],
                ["reproduce", "{}"],
                ["explain", "missing{}.json"],
                ["results", "--{}"],
            ]
        ),
    ],
)
def test_no_escapes_reach_the_terminal_through_messages(command: list[str]):
    words = [word.format(ESCAPES) for word in command]
    program = "import sys; from shown.cli import main; sys.exit(main(sys.argv[1:]))"
    ran = subprocess.run([sys.executable, "-c", program, *words], capture_output=True)
    talk = ran.stderr.decode()
    assert ran.returncode == 2
    assert re.match(r"shown: .+\n\Z", talk)
    assert controls(talk) == []
