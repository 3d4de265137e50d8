"""MkDocs hooks: pages outside `docs/` join the site, and links between them are adapted."""

from __future__ import annotations

import re
from pathlib import Path

from mkdocs.config.defaults import MkDocsConfig
from mkdocs.structure.files import File, Files
from mkdocs.structure.pages import Page

ROOT = Path(__file__).resolve().parents[1]
PAGES = (
    *("CONTRIBUTING.md", "SECURITY.md", "CHANGELOG.md", "LICENSE", "CITATION.cff"),
    *("results/README.md", "evidence/protocol.md", "evidence/notes.md"),
)
OUTSIDE = re.compile(rf"((?:\.\./)*)\.\./(?={'|'.join(map(re.escape, PAGES))})")


def on_files(files: Files, config: MkDocsConfig) -> Files:
    """Add the README as the first page, and the pages that others link to."""
    files.append(File.generated(config, "index.md", abs_src_path=str(ROOT / "README.md")))
    for name in PAGES:
        if (ROOT / name).exists():
            files.append(File.generated(config, name, abs_src_path=str(ROOT / name)))
    return files


def on_page_markdown(markdown: str, page: Page, config: MkDocsConfig, files: Files) -> str:
    """Adapt links to the layout of the site, where `docs/` is the root."""
    if page.file.src_uri.count("/") == 0 or page.file.src_uri.startswith("results/"):
        return re.sub(r"(\]\(|srcset=\"|src=\")((?:\.\./)?)docs/", r"\1\2", markdown)
    return OUTSIDE.sub(r"\1", markdown)
