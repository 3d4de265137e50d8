"""Builds the documentation as a web site: `python scripts/site.py OUT`.

The pages are those of `docs/`, with the README as the first one. Links that lead nowhere end the build.
"""

from __future__ import annotations

import re
import shutil
import sys
import tempfile
from pathlib import Path

from mkdocs.commands.build import build
from mkdocs.config import load_config
from mkdocs.exceptions import Abort, MkDocsException

ROOT = Path(__file__).resolve().parents[1]
BESIDE = ("CHANGELOG.md", "SECURITY.md", "LICENSE", "results/README.md", "results/report.html", "results/figures")
"""What the pages link to and is not in `docs/`."""
SECTIONS = {
    "Start": ("tutorial.md", "studio.md", "teaching.md", "gallery.md"),
    "Extend": ("languages.md", "adding-a-primitive.md", "adding-a-game.md", "worlds.md", "adding-a-world.md"),
    "Understand": ("ideas.md", "results.md", "scale.md"),
}
"""In which order the pages come; the others follow."""


def main(out: str) -> int:
    with tempfile.TemporaryDirectory() as folder:
        pages = Path(folder) / "pages"
        gather(pages)
        config = load_config(
            config_file=str(_settings(Path(folder), pages)), site_dir=str(Path(out).resolve()), strict=True
        )
        try:
            build(config)
        except (Abort, MkDocsException) as error:
            print(f"site: {error}", file=sys.stderr)
            return 1
    print(f"{out}/index.html")
    return 0


def gather(pages: Path) -> None:
    """Copies all pages into one folder, the README as `index.md`, and turns links to where things are then."""
    shutil.copytree(ROOT / "docs", pages)
    for name in BESIDE:
        source, target = ROOT / name, pages / name.removeprefix("results/")
        if name == "results/README.md":
            target = pages / "results-folder.md"
        if source.is_dir():
            shutil.copytree(source, target)
        elif source.exists():
            shutil.copy(source, target)
    (pages / "index.md").write_text((ROOT / "README.md").read_text("utf-8"), "utf-8")
    for page in pages.glob("*.md"):
        text = page.read_text("utf-8").replace("../results/README.md", "results-folder.md")
        text = re.sub(r"(\]\(|srcset=\"|src=\")(?:\.\./results/|\.\./docs/|\.\./|docs/)", r"\1", text)
        page.write_text(text, "utf-8")


def _settings(folder: Path, pages: Path) -> Path:
    file = folder / "mkdocs.yml"
    # No highlighting by script: the theme would fetch it from another host.
    lines = ["site_name: shown", f"docs_dir: {pages}", "use_directory_urls: false"]
    lines += ["theme:", "  name: readthedocs", "  highlightjs: false", "  navigation_depth: 2"]
    lines += ["validation:", "  anchors: warn", "nav:", "  - Home: index.md"]
    rest = {page.name for page in pages.glob("*.md")} - {"index.md"}
    for section, names in SECTIONS.items():
        lines += [f"  - {section}:", *(f"    - {name}" for name in names if name in rest)]
        rest -= set(names)
    lines += ["  - About:", *(f"    - {name}" for name in sorted(rest))]
    file.write_text("\n".join(lines) + "\n", "utf-8")
    return file


if __name__ == "__main__":
    sys.exit(main(sys.argv[1] if len(sys.argv) > 1 else "build/site"))
