"""The documentation: its code runs, its commands exist, its outputs and links are right."""

import re
import sys
from pathlib import Path

import pytest

from guides import ROOT, blocks, check_page, compare, run_page
from shown.cli import COMMANDS

PAGES = [ROOT / "README.md", ROOT / "CONTRIBUTING.md", *sorted((ROOT / "docs").rglob("*.md"))]
RUN_ELSEWHERE = {"your-own-game.md"}
"""Run by tests/games/test_guide.py, which puts the page's file into the package first."""

SLOW = {"environments.md"}
"""This page learns several worlds. `make test` only checks its code and options."""

LINK = re.compile(r"!?\[[^]]*\]\((?P<target>[^)\s]+)\)|(?:src|srcset|href)=\"(?P<attribute>[^\"]+)\"")
LARGEST_PICTURE = 200_000


@pytest.mark.parametrize(
    "page",
    [
        pytest.param(page, marks=[pytest.mark.slow] if page.name in SLOW else [])
        for page in PAGES
        if page.name not in RUN_ELSEWHERE
    ],
    ids=lambda page: page.name,
)
def test_the_page_runs(page: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "path", [*sys.path, str(tmp_path)])  # as in a script or a notebook there
    run_page(page)


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_its_code_and_its_options_are_valid(page: Path):
    check_page(page)


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_its_links_work(page: Path):
    text = page.read_text("utf-8")
    for match in LINK.finditer(text):
        target, _, part = (match["target"] or match["attribute"]).partition("#")
        if "://" in target:
            continue
        file = page.parent / target if target else page
        assert file.exists(), f"{page.name} links to {target}"
        if part and file.suffix == ".md":
            assert part in anchors(file), f"{page.name} links to {target}#{part}"


def test_pictures_are_small():
    pictures = [file for file in (ROOT / "docs" / "images").iterdir() if file.is_file()]
    assert pictures
    assert not [file.name for file in pictures if file.stat().st_size > LARGEST_PICTURE]


def test_the_reference_names_every_command():
    page = (ROOT / "docs" / "reference" / "command-line.md").read_text("utf-8")
    assert not [name for name in COMMANDS if f"`shown {name}" not in page]


def test_the_readme_links_to_every_page():
    readme = (ROOT / "README.md").read_text("utf-8")
    assert not [page.name for page in PAGES[2:] if str(page.relative_to(ROOT)) not in readme]


@pytest.mark.parametrize("page", ["CONTRIBUTING.md", "docs/explanation/how-it-works.md"])
def test_the_files_that_its_tables_name_exist(page: str):
    rows = [line for line in (ROOT / page).read_text("utf-8").splitlines() if line.startswith("|")]
    named = {name for row in rows for name in re.findall(r"`((?:\w+/)+(?:\w+\.(?:py|cu|md))?)`", row)}
    roots = (ROOT, ROOT / "src" / "shown", ROOT / "evidence" / "src" / "shown_evidence")
    assert named
    assert not [name for name in named if not any((root / name).exists() for root in roots)]


def anchors(page: Path) -> set[str]:
    """Return the anchors of the headings of a page."""
    headings = re.findall(r"^#+ (.+)$", page.read_text("utf-8"), re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-") for heading in headings}


def test_dots_stand_for_anything():
    compare("a …\n…\nz\n", "a b c\nd\ne\nz\n", "here")
    compare("…\nz\n", "z\n", "here")
    with pytest.raises(AssertionError, match="here: the page says"):
        compare("a\nz\n", "a\nb\nz\n", "here")


def test_blocks_know_where_they_are(tmp_path: Path):
    page = tmp_path / "page.md"
    page.write_text("# Page\n\n```python file=x.py\n1\n```\n\n```text\n2\n```\n\nWords.\n\n```sh\n3\n```\n", "utf-8")
    found = [(block.kind, block.note, block.code, block.line, block.follows) for block in blocks(page)]
    assert found == [
        ("python", "file=x.py", "1\n", 4, False),
        ("text", None, "2\n", 8, True),
        ("sh", None, "3\n", 14, False),
    ]
