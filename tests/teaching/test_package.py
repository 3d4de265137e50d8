"""What teaching stands on."""

import re
from pathlib import Path

import shown.teaching


def test_teaching_knows_nothing_of_terminals_or_pages():
    """The studio and the command line call it, never the other way round."""
    for file in Path(shown.teaching.__file__).parent.glob("*.py"):
        imported = re.findall(r"^\s*(?:from|import) (shown[\w.]*)", file.read_text("utf-8"), re.MULTILINE)
        assert imported
        for module in imported:
            assert module.split(".")[1] not in ("cli", "studio", "experiments", "baselines", "render"), file.name
