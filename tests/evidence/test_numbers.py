"""The numbers of the documentation are those of the stored results."""

import pytest

from shown.errors import BadInput
from shown_evidence import numbers
from shown_evidence.documented import VALUES
from shown_evidence.numbers import different, main, written

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
    assert different(before, written(before, VALUE, "page.md")) == ["won"]


@pytest.mark.parametrize(
    ("page", "error"),
    [
        ("one\n<!-- rows: lost -->1<!-- / -->", "page.md:2: no value is called 'lost'."),
        ("one\ntwo <!-- rows: won -->1", "page.md:2: <!-- rows: won --> has no other end."),
        ("<!-- rows: won -->1\n<!-- rows: table -->\n<!-- / -->", "page.md:1: <!-- rows: won --> has no other end."),
        ("one\n\n<!-- / -->", "page.md:3: <!-- / --> has no other end."),
    ],
)
def test_a_wrong_marker_is_one_line(page: str, error: str):
    with pytest.raises(BadInput) as raised:
        written(page, VALUE, "page.md")
    assert str(raised.value) == error


@pytest.fixture
def page(tmp_path, monkeypatch):
    """A page of a repository whose values are known."""
    monkeypatch.setattr(numbers, "ROOT", tmp_path)
    monkeypatch.setattr(numbers, "stored", dict)
    monkeypatch.setattr(numbers, "FIGURES", {})
    monkeypatch.setattr(numbers, "VALUES", {name: lambda _, text=text: text for name, text in VALUE.items()})
    return tmp_path / "README.md"


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


@pytest.fixture(scope="module")
def results():
    return numbers.stored()


def test_the_numbers_of_the_documentation_are_those_of_the_results(capsys, monkeypatch, results):
    monkeypatch.setattr(numbers, "stored", lambda: results)
    assert main(["--check"]) == 0, f"run make numbers: {capsys.readouterr().out}"


def test_every_value_stands_in_the_documentation():
    pages = [numbers.ROOT / "README.md", *(numbers.ROOT / "docs").rglob("*.md")]
    text = "".join(page.read_text("utf-8") for page in pages)
    assert [name for name in VALUES if f"<!-- rows: {name} -->" not in text] == []


def test_the_figures_of_the_documentation_are_those_of_the_results(results):
    for path, content in numbers._figures(results).items():
        assert path.read_bytes() == content, f"run make numbers: {path.name}"


def test_every_statement_of_the_paper_stands_in_the_table(results):
    text = VALUES["statements"](results)
    assert all(claim.paper in text for chapter in results.values() for claim in chapter.claims)
    assert text.count("\n") == 2 + 1 + sum(len(chapter.claims) for chapter in results.values())
