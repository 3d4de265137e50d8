"""`shown languages`, and `--language` wherever a policy is learned or read."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

from conftest import WORDS
from shown.grid import Grid
from shown.language.languages import LANGUAGES, find
from shown.policy import Policy

READERS = ["explain", "evaluate", "export"]


@pytest.fixture
def words(shown, monkeypatch):
    """A module with languages, in the folder where commands are run."""
    Path("words_here.py").write_text(WORDS)
    monkeypatch.setattr(sys, "path", [*sys.path])
    yield "words_here:COUNTING"
    sys.modules.pop("words_here", None)


@pytest.fixture
def learned(shown, words):
    ran = shown("learn", "nim", "--levels", "train:0-1", "--programs", "500", "--practice", "0", "--quiet",
                "--language", words, "--out", "policy.json")  # fmt: skip
    assert ran.code == 0, ran.err
    return "policy.json"


# --- shown languages --------------------------------------------------------------------------------------------------


def test_languages_are_listed(shown):
    out = shown("languages").out
    assert all(f"  {name} " in out for name in LANGUAGES)
    assert f"{len(find('paper'))} primitives  shown.language.primitives:LANGUAGE\n" in out


def test_the_words_of_one_in_english(shown):
    out = shown("languages", "paper").out
    assert (
        "  scanning(offset, condition, condition): condition\n"
        "      going right from the cell, a wall comes before a star\n"
        "      going right from the cell, a wall does not come before a star\n"
    ) in out
    assert "      the cell right of the first wall is a star\n" in out


def test_languages_as_json(shown):
    told = json.loads(shown("languages", "--json").out)
    assert [one["language"] for one in told] == list(LANGUAGES)
    for one in told:
        assert [word["word"] for word in one["words"]] == list(find(one["language"]))
        assert all(word["example"] and word["says"] != word["opposite"] for word in one["words"])
    (paper,) = json.loads(shown("languages", "paper", "--json").out)
    assert paper["words"][-1] == {
        "word": "action_is",
        "takes": ["button"],
        "gives": "program",
        "needs": "button",
        "example": "action_is(left)",
        "says": "the action is left",
        "opposite": "the action is not left",
    }


def test_those_of_other_packages_and_broken_ones_are_one_line(shown, elsewhere):
    elsewhere("[shown.languages]", "tally = counting_words:TALLY", "lost = nowhere:LOST")
    ran = shown("languages")
    assert ran.code == 0
    assert "  tally       7 primitives  counting_words:TALLY\n" in ran.out
    assert ran.err == (
        "shown: language 'lost', declared by elsewhere as 'nowhere:LOST', cannot be loaded "
        "(ModuleNotFoundError: No module named 'nowhere'). Update or uninstall elsewhere.\n"
    )
    assert "the row of the cell has at least 2 × wall\n" in shown("languages", "tally").out


def test_those_in_the_folder(shown, words):
    assert "the row of the cell has at least 2 × wall\n" in shown("languages", words).out


# --- --language -------------------------------------------------------------------------------------------------------


def test_a_policy_is_learned_and_read_in_a_language_of_ones_own(shown, learned, words):
    assert json.loads(Path(learned).read_text())["language"] == words
    assert "row_has" in Path(learned).read_text()
    for command in READERS:
        ran = shown(*command.split()[:1], learned, *command.split()[1:], "--language", words)
        if command == "export":
            assert ran.complaint.startswith("row_has is a custom primitive, which cannot be exported.")
        else:
            assert ran.code == 0, f"{command}: {ran.err}"
            assert ran.out


def test_a_file_alone_runs_no_code(shown, learned, words):
    """Its module is at hand and would be imported, were it not for the user's word that is missing."""
    sys.modules.pop("words_here", None)
    for command in READERS:
        complaint = shown(*command.split()[:1], learned, *command.split()[1:]).complaint
        assert complaint.startswith(f"policy.json: its language {words} is code, which only you can")
        assert f"--language {words}" in complaint
    assert "words_here" not in sys.modules


def test_an_installed_language_is_found_by_the_name_in_the_file(shown, elsewhere):
    elsewhere("[shown.languages]", "tally = counting_words:TALLY")
    for plain in ([], ["--set", "ensemble=5"]):
        assert shown("learn", "nim", "--levels", "train:0-1", "--programs", "500", "--practice", "0", "--quiet",
                     "--language", "tally", "--out", "policy.json", *plain).code == 0  # fmt: skip
        assert json.loads(Path("policy.json").read_text())["language"] == "tally"
        assert shown("evaluate", "policy.json").code == 0


def test_the_standard_language_is_learned_evaluated_and_exported(shown):
    assert shown("learn", "nim", "--levels", "train:0-1", "--programs", "2000", "--practice", "0", "--quiet",
                 "--language", "standard", "--out", "policy.json").code == 0  # fmt: skip
    assert Policy.load("policy.json").language is find("standard")
    assert shown("evaluate", "policy.json").code == 0
    assert shown("export", "policy.json", "--out", "policy.py").code == 0
    rows = ["..", "|.", "||"]
    script = f"import policy; print(list(policy.act({rows})))"
    done = subprocess.run([sys.executable, "-S", "-c", script], capture_output=True, text=True, check=True)
    assert json.loads(done.stdout) == list(Policy.load("policy.json").act(Grid(rows)))


def test_a_module_in_the_folder_hides_no_installed_one(shown, elsewhere, monkeypatch):
    monkeypatch.setattr(sys, "path", [*sys.path])
    elsewhere()
    Path("counting_words.py").write_text("raise SystemExit('the wrong one')\n")
    assert shown("languages", "counting_words:COUNTING").code == 0


@pytest.mark.parametrize(
    ("language", "complaint"),
    [
        ("papr", "no language called 'papr'. Did you mean 'paper'?"),
        ("standrad", "no language called 'standrad'. Did you mean 'standard'?"),
        ("", "no language called ''."),
        ("nowhere:X", "language 'nowhere:X': module 'nowhere' cannot be imported (ModuleNotFoundError: No module"),
        ("words_here:X", "language 'words_here:X': module 'words_here' has no 'X'."),
        ("words_here:COUNTNG", "language 'words_here:COUNTNG': module 'words_here' has no 'COUNTNG'. Did you mean"),
        ("words_here:ROW_HAS", "language 'words_here:ROW_HAS': is a Primitive, not a shown.Language."),
        ("bad_here:X", "language 'bad_here:X': module 'bad_here' cannot be imported (SyntaxError: "),
    ],
)
@pytest.mark.parametrize("command", ["learn nim", "languages", "explain policy.json", "evaluate policy.json"])
def test_bad_languages_are_one_line(shown, words, nim_policy, command, language, complaint):
    nim_policy.save("policy.json")
    Path("bad_here.py").write_text("this is no Python\n")
    words = [language] if command == "languages" else ["--language", language]
    assert shown(*command.split(), *words).complaint.startswith(complaint)


@pytest.mark.parametrize(
    ("name", "complaint"),
    [
        ("SILENT", "language 'words_here:SILENT' has no grammar to learn with. Create it with Language(…, grammar=…)."),
        ("BROKEN", "language 'words_here:BROKEN': its grammar cannot be created (AttributeError: "),
        ("FOREIGN", "language 'words_here:FOREIGN': rule B → row_has: the language has no primitive 'row_has'."),
    ],
)
@pytest.mark.parametrize("plain", [[], ["--set", "ensemble=5"]])
def test_a_grammar_that_does_not_come_is_one_line(shown, words, plain, name, complaint):
    ran = shown("learn", "nim", "--levels", "train:0", "--quiet", "--language", f"words_here:{name}", *plain)
    assert ran.complaint.startswith(complaint)


def test_what_goes_not_with_a_language(shown):
    assert shown("learn", "nim", "--published", "--language", "standard").complaint == (
        "--published uses the vocabulary paper, not standard. Omit one of the options."
    )


def test_words_that_a_language_lacks_are_named(shown, learned):
    complaint = shown("explain", learned, "--language", "paper").complaint
    assert "there is no primitive 'row_has'" in complaint
