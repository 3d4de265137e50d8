"""The documentation as a web site."""

import re
import subprocess
import sys

from guides import ROOT


def test_every_page_is_built_and_asks_no_other_host(tmp_path):
    site = tmp_path / "site"
    command = [sys.executable, "-m", "mkdocs", "build", "--quiet", "--strict", "--site-dir", str(site)]
    ran = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert ran.returncode == 0, ran.stderr
    pages = [page.relative_to(ROOT / "docs").with_suffix(".html") for page in (ROOT / "docs").rglob("*.md")]
    assert not [page for page in ("index.html", "CONTRIBUTING.html", *pages) if not (site / page).exists()]
    assert "Learner" in (site / "reference" / "python.html").read_text("utf-8")
    for page in site.rglob("*.html"):
        loaded = re.findall(
            r"<(?:script|img|link|iframe)\b[^>]*(?:src|href)=\"(\w+:)?//[^\"]+\"", page.read_text("utf-8")
        )
        assert not loaded, f"{page.name} loads from {loaded}"
