"""Tries saved cases again: `python -m fuzz.replay FILE …`."""

from __future__ import annotations

import sys
from pathlib import Path

from fuzz.cases import attempt, load


def main(paths: list[str]) -> int:
    failed = 0
    for path in paths:
        why = attempt(load(Path(path)))
        failed += why is not None
        print(f"{path}: {'holds' if why is None else 'fails'}\n{why or ''}".rstrip())
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
