"""The documentation stays true: its code runs, its commands exist, what it says is printed is printed."""

import re
import sys
from pathlib import Path

import pytest

from guides import ROOT, blocks, compare, run_page
from shown.cli import COMMANDS

PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md"))]
RUN_ELSEWHERE = {"adding-a-game.md"}
"""tests/games/test_guide.py runs this page: its file goes into the package first."""

LINK = re.compile(r"!?\[[^]]*\]\((?P<target>[^)\s]+)\)|(?:src|srcset|href)=\"(?P<attribute>[^\"]+)\"")
LARGEST_PICTURE = 200_000


@pytest.mark.parametrize("page", [p for p in PAGES if p.name not in RUN_ELSEWHERE], ids=lambda page: page.name)
def test_the_page_runs(page: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "path", [*sys.path])  # commands may look for languages in this folder
    run_page(page)


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_what_it_links_to_is_there(page: Path):
    text = page.read_text("utf-8")
    for match in LINK.finditer(text):
        target, _, part = (match["target"] or match["attribute"]).partition("#")
        if "://" in target:
            continue
        file = page.parent / target if target else page
        assert file.exists(), f"{page.name} links to {target}"
        if part and file.suffix == ".md":
            assert part in anchors(file), f"{page.name} links to {target}#{part}"


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_its_lines_are_short(page: Path):
    prose = re.sub(r"^```.*?^```$", "", page.read_text("utf-8"), flags=re.MULTILINE | re.DOTALL)
    long = [line for line in prose.splitlines() if len(line) > 120 and not line.startswith("|")]
    assert not long


def test_pictures_are_small():
    pictures = [file for file in (ROOT / "docs" / "images").iterdir() if file.is_file()]
    assert pictures
    assert not [file.name for file in pictures if file.stat().st_size > LARGEST_PICTURE]


def test_the_readme_names_every_command_and_every_page():
    readme = (ROOT / "README.md").read_text("utf-8")
    assert not [name for name in COMMANDS if f"`shown {name}" not in readme]
    assert not [page.name for page in PAGES[1:] if f"docs/{page.name}" not in readme]


def anchors(page: Path) -> set[str]:
    """What the headings of a page can be linked by."""
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
