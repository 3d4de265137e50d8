"""Results are shared: what is in a results file may be anybody's."""

import json
import re
import sqlite3
import subprocess
import sys
from dataclasses import replace
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import pytest

from measuring import all_measured, measured
from shown.cli import main
from shown.errors import BadInput, printable
from shown_evidence.experiments import EXPERIMENTS, find
from shown_evidence.experiments.experiment import Scale
from shown_evidence.report.page import POLICY, report
from shown_evidence.results.row import Row, checked
from shown_evidence.results.store import APPLICATION_ID, SCHEMA, Store
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
    rows = [replace(row, version=SCRIPT, finished=SCRIPT, commit=SCRIPT) for row in all_measured(trials)]
    for name in ("method", "game", "levels", "demonstrations"):
        rows.append(replace(measured(TRIAL), settings={**TRIAL.settings, name: SCRIPT}, version=SCRIPT))
    options = {**TRIAL.settings["options"], SCRIPT: SCRIPT}
    rows.append(replace(measured(TRIAL), settings={**TRIAL.settings, "options": options, "test": [SCRIPT]}))
    result = {**(measured(TRIAL).result or {}), "learned": {SCRIPT: SCRIPT}, "won": {SCRIPT: SCRIPT}}
    rows.append(replace(measured(TRIAL), result={**result, "success": {SCRIPT: 1.0}}, code={SCRIPT: SCRIPT}))
    rows.append(Row(TRIAL.settings, "failed", None, SCRIPT, 1.0, version=SCRIPT, finished=SCRIPT))
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
    tags.feed(report([measured(TRIAL)], "r.sqlite"))
    policies = [i for i, (_, each) in enumerate(tags.found) if each.get("http-equiv") == "Content-Security-Policy"]
    assert len(policies) == 1
    assert tags.found[policies[0]][1]["content"] == POLICY
    assert [tag for tag, _ in tags.found[: policies[0]]] == ["html", "meta"]
    assert "default-src 'none'" in POLICY
    assert "script-src" not in POLICY


# --- bad rows -----------------------------------------------------------------------------------------------------


def changed(*path: str, value: Any) -> dict[str, Any]:
    """A good result as JSON, but for one value."""
    row = json.loads(json.dumps(measured(TRIAL).to_json()))
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
    "no seconds": changed("result", "seconds", "learn", value=None),
    "half a demonstration": changed("result", "demonstrations", value=0.5),
    "sizes as text": changed("result", "learned", "depth", value="deep"),
    "a seed of 20 digits": changed("settings", "seed", value=10**20),
    "a seed below 0": changed("settings", "seed", value=-1),
    "no levels": changed("settings", "levels", value=None),
    "levels as a number": changed("settings", "levels", value=3),
    "no options": changed("settings", "options", value=None),
    "options as a list": changed("settings", "options", value=[1]),
    "tested on a word": changed("settings", "test", value="test"),
    "endless levels": changed("settings", "levels", value="train:0," * 50_000),
    "a script as a date": changed("finished", value=SCRIPT),
    "a script as a version": changed("version", value=SCRIPT),
    "a script as a commit": changed("commit", value=SCRIPT),
    "a script as code": changed("code", "engine", value=SCRIPT),
    "endless seconds": changed("seconds", value=10**400),
    "true seconds": changed("seconds", value=True),
    "another status": changed("status", value="fine"),
    "failed without a word": {**changed("status", value="failed"), "result": None},
    "a deep policy": changed("result", "learned", "deep", value=json.loads("[" * 20 + "]" * 20)),
}


@pytest.mark.parametrize("name", list(BAD))
def test_a_bad_result_is_neither_read_nor_kept(name: str, tmp_path: Path):
    with pytest.raises(BadInput, match="theirs: not "):
        checked(Row(**BAD[name]), "theirs")
    with pytest.raises(BadInput), Store(tmp_path / "mine.sqlite") as opened:
        opened.add(Row(**BAD[name]))


CELLS = {
    "settings that are no JSON": ("settings", "{"),
    "settings of nobody": ("settings", "{}"),
    "settings as a number": ("settings", 7),
    "a result that is no JSON": ("result", "nonsense"),
    "a result without fields": ("result", "{}"),
    "a result in bytes": ("result", b"\xff\xfe"),
    "a result too long to be one": ("result", "[" + " " * 2**21 + "]"),
    "a huge seed": ("settings", json.dumps(BAD["a seed of 20 digits"]["settings"])),
    "another's key": ("key", "0" * 64),
    "time without end": ("seconds", 9e999),
    "text that is none": ("error", b"\xff".decode("latin-1").encode("latin-1")),
    "code of no kind": ("code", "[]"),
}


@pytest.mark.parametrize("name", list(CELLS))
def test_a_bad_row_is_named_left_out_and_can_be_removed(name: str, tmp_path: Path, capsys: pytest.CaptureFixture):
    path = tmp_path / "r.sqlite"
    with Store(path) as store:
        store.add_many([measured(TRIAL), measured(OTHER)])
    column, value = CELLS[name]
    with sqlite3.connect(path) as database:
        database.execute(f"UPDATE trials SET {column} = ? WHERE settings LIKE '%train:0\"%'", [value])
    database.close()
    assert main(["results", "--store", str(path), "--json"]) == 0
    printed = capsys.readouterr()
    assert [row["settings"]["levels"] for row in json.loads(printed.out)] == ["train:1"]
    assert "1 bad row skipped; --remove-bad deletes them" in printed.err
    assert "row 1" in printed.err
    if column == "key":  # each report takes as long as everything else here
        out = str(tmp_path / "report.html")
        assert main(["report", "--store", str(path), "--out", out]) == 0
        assert "1 bad row" in Path(out).read_text()
    with Store(path) as store:
        store.add(measured(Trial("lpp", "nim", "train:2")))  # it can still be written to
    capsys.readouterr()
    assert main(["results", "--store", str(path), "--remove-bad"]) == 0
    talk = capsys.readouterr().err
    assert "1 bad row deleted" in talk
    assert "skipped" not in talk
    with Store(path, writing=False) as store:
        assert len(store.read().rows) == 2
        assert store.read().bad == []


@pytest.mark.parametrize(
    "statements",
    [
        "CREATE VIEW trials AS WITH RECURSIVE n(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM n) "
        "SELECT x AS asked, x AS key, '{}' AS settings, '' AS method, '' AS game, 0 AS seed, '' AS version, "
        "'' AS finished, 0 AS seconds, 'ok' AS status, NULL AS error, NULL AS result, NULL AS code, '' AS source, "
        "'' AS machine FROM n",
        "CREATE TABLE trials (asked, key AS (hex(zeroblob(100000000))), settings, status, result, error, seconds)",
        "CREATE TABLE other (a); CREATE VIEW more AS SELECT 1",
    ],
)
@pytest.mark.parametrize("writing", [False, True])
def test_a_file_with_other_things_in_it_is_refused(statements: str, writing: bool, tmp_path: Path):
    path = tmp_path / "r.sqlite"
    with sqlite3.connect(path) as database:
        database.executescript(
            f"PRAGMA application_id = {APPLICATION_ID}; PRAGMA user_version = {SCHEMA}; {statements};"
        )
    database.close()
    with pytest.raises(BadInput, match="not a results file of shown"):
        Store(path, writing=writing)


def test_a_trigger_in_a_store_is_refused(tmp_path: Path):
    path = tmp_path / "r.sqlite"
    Store(path).close()
    with sqlite3.connect(path) as database:
        database.execute("CREATE TRIGGER t AFTER INSERT ON trials BEGIN DELETE FROM trials; END")
    database.close()
    with pytest.raises(BadInput, match="other objects in it"):
        Store(path)


def test_a_file_without_end_is_refused(tmp_path: Path):
    database = tmp_path / "zero.sqlite"
    database.symlink_to("/dev/zero")
    with pytest.raises(BadInput, match="not a file on disk"):
        Store(database, writing=False)


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
    assert all(checked(row, "row") for row in rows)
    assert "The paper’s evidence" in report(rows, "r.sqlite")


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


@pytest.mark.parametrize("form", [[], ["--csv"], ["--json"]])
def test_no_escapes_reach_the_terminal_through_results(form: list[str], tmp_path: Path, capsys: pytest.CaptureFixture):
    path = tmp_path / f"r{ESCAPES.replace('/', '')}.sqlite"
    settings = {**TRIAL.settings, "game": f"nim{ESCAPES}", "levels": f"{ESCAPES}.json", "method": f"lpp{ESCAPES}"}
    with Store(path) as store:
        store.add_many([Row(settings, "failed", None, f"no luck{ESCAPES}", 0.1), measured(OTHER)])
    with sqlite3.connect(path) as database:
        database.execute("UPDATE trials SET version = ? WHERE status = 'ok'", [ESCAPES])
    database.close()
    assert main(["results", "--store", str(path), *form]) == 0
    printed = capsys.readouterr()
    assert "no luck" in printed.out
    assert controls(printed.out) == []
    assert controls(printed.err) == []
    assert r"\x1b" in printed.err
    if form == ["--json"]:
        assert json.loads(printed.out)[0]["error"] == f"no luck{ESCAPES}"


@pytest.mark.parametrize(
    "command",
    [
        ["results", "--store", "missing{}.sqlite"],
        ["learn", "missing{}.json"],
        ["{}"],
        *some(
            [
                ["report", "--store", "missing{}.sqlite"],
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
