"""The documentation as a web site."""

import re
import subprocess
import sys

from guides import ROOT


def test_every_page_is_built_and_asks_no_other_host(tmp_path):
    command = [sys.executable, str(ROOT / "scripts" / "site.py"), str(tmp_path / "site")]
    ran = subprocess.run(command, capture_output=True, text=True)
    assert ran.returncode == 0, ran.stderr
    built = {page.stem for page in (tmp_path / "site").glob("*.html")}
    assert built >= {"index", *(page.stem for page in (ROOT / "docs").glob("*.md"))}
    for page in (tmp_path / "site").glob("*.html"):
        fetched = re.findall(
            r"<(?:script|img|link|iframe)\b[^>]*(?:src|href)=\"(\w+:)?//[^\"]+\"", page.read_text("utf-8")
        )
        assert not fetched, f"{page.name} fetches from {fetched}"
