"""The numbers of the documentation are those of the stored results."""

import pytest

from shown.errors import BadInput
from shown_evidence import numbers
from shown_evidence.analysis.statements import STATEMENTS
from shown_evidence.documented import VALUES
from shown_evidence.numbers import changed, main, marked, written
from shown_evidence.paper_table import lines

VALUE = {"won": "44 %", "table": "| a |\n|---|"}


def test_values_replace_what_stood_there():
    page = "LPP wins <!-- rows: won -->1 %<!-- / --> here,\n\n<!-- rows: table -->\nold\n<!-- / -->\n"
    assert written(page, VALUE, "page.md") == (
        "LPP wins <!-- rows: won -->44 %<!-- / --> here,\n\n<!-- rows: table -->\n| a |\n|---|\n<!-- / -->\n"
    )


def test_a_written_page_stays_and_a_page_without_markers_too():
    page = written("<!-- rows: won --><!-- / -->\n<!-- rows: table -->\n<!-- / -->", VALUE, "page.md")
    assert written(page, VALUE, "page.md") == page
    assert written("Nothing.", VALUE, "page.md") == "Nothing."


def test_differences_are_named():
    before = "<!-- rows: won -->1 %<!-- / --> <!-- rows: table -->\n| a |\n|---|\n<!-- / -->"
    assert changed(before, written(before, VALUE, "page.md")) == ["won"]


@pytest.mark.parametrize(
    ("page", "error"),
    [
        ("one\n<!-- rows: lost -->1<!-- / -->", "page.md:2: no value is called 'lost'."),
        ("one\ntwo <!-- rows: won -->1", "page.md:2: <!-- rows: won --> has no end."),
        ("<!-- rows: won -->1\n<!-- rows: table -->\n<!-- / -->", "page.md:1: <!-- rows: won --> has no end."),
        ("one\n\n<!-- / -->", "page.md:3: this marker ends nothing."),
    ],
)
def test_a_wrong_marker_is_one_line(page: str, error: str):
    with pytest.raises(BadInput) as raised:
        written(page, VALUE, "page.md")
    assert str(raised.value) == error


@pytest.fixture
def page(tmp_path, monkeypatch):
    """A page of a repository whose values are known."""
    file = tmp_path / "README.md"
    monkeypatch.setattr(numbers, "ROOT", tmp_path)
    monkeypatch.setattr(numbers, "stored_rows", list)
    monkeypatch.setattr(numbers, "values", lambda rows: VALUE)
    return file


def test_check_names_file_and_marker_and_writes_nothing(page, capsys):
    page.write_text("<!-- rows: won -->1 %<!-- / -->", "utf-8")
    assert main(["--check"]) == 1
    assert capsys.readouterr().out == "README.md: differs won\n"
    assert page.read_text("utf-8") == "<!-- rows: won -->1 %<!-- / -->"
    assert main([]) == 0
    assert page.read_text("utf-8") == "<!-- rows: won -->44 %<!-- / -->"
    assert main(["--check"]) == 0


def test_a_wrong_marker_ends_with_2_and_nothing_is_written(page, capsys):
    text = "<!-- rows: won -->1 %<!-- / -->\n<!-- rows: lost --><!-- / -->"
    page.write_text(text, "utf-8")
    assert main([]) == 2
    assert capsys.readouterr().err == "README.md:2: no value is called 'lost'.\n"
    assert page.read_text("utf-8") == text


def test_every_statement_of_the_paper_stands_in_the_table_once():
    named = [(line["of"], name) for line in lines() for name in line["names"]]
    assert sorted(named) == sorted((group, name) for group, names in STATEMENTS.items() for name in names)


def test_every_value_is_used():
    used = {part.name for file in numbers.pages() for part in marked(file.read_text("utf-8"), file.name)}
    assert used == VALUES.keys()


def test_the_pages_have_the_numbers_of_the_stored_results(capsys):
    assert main(["--check"]) == 0, capsys.readouterr().out
