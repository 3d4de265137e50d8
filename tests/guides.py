"""Pages of documentation are run as they stand.

What stands in a fence decides what is done with it:

    ```python              is executed, all of a page in one namespace; a ```text block right after it is what it prints
    ```python file=NAME    is written to that file
    ```console             commands after "$ ", each followed by what it prints; nothing below it: it only must succeed
    ```sh                  commands for the reader: not run, but its options and make's targets must exist

In what is printed, "…" stands for anything on a line, and a line of its own for any lines.
"""

from __future__ import annotations

import argparse
import io
import re
import shlex
import subprocess
import sys
from contextlib import redirect_stderr, redirect_stdout
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path
from typing import Any

from shown.cli import COMMANDS, main

ROOT = Path(__file__).parents[1]
_BLOCK = re.compile(r"^```(?P<kind>\w+)(?: (?P<note>[^\n]+))?\n(?P<code>.*?)^```$", re.MULTILINE | re.DOTALL)
_NOTICE = "shown: loading the engine"


@dataclass(frozen=True)
class Block:
    """A fenced block of a page.

    Attributes:
        kind: the word after the fence.
        note: what follows that word, or None.
        code: what is inside.
        line: the number of the first line inside, counted from 1.
        follows: only blank lines stand between this block and the one before.
    """

    kind: str
    note: str | None
    code: str
    line: int
    follows: bool


def blocks(page: Path, kind: str | None = None) -> list[Block]:
    """The fenced blocks of a page, in order; those of one kind, if it is given."""
    text = page.read_text("utf-8")
    found, end = [], 0
    for match in _BLOCK.finditer(text):
        line = text.count("\n", 0, match.start("code")) + 1
        follows = end > 0 and not text[end : match.start()].strip()
        found.append(Block(match["kind"], match["note"], match["code"], line, follows))
        end = match.end()
    return [block for block in found if kind in (None, block.kind)]


def run_page(page: Path) -> None:
    """Runs all blocks of a page in the current folder, and holds what is printed against what the page says."""
    namespace: dict[str, Any] = {"__name__": "guide"}
    before: Block | None = None
    printed = ""
    for block in blocks(page):
        where = f"{page.name}, line {block.line}"
        if block.kind == "python" and (block.note or "").startswith("file="):
            Path(str(block.note).removeprefix("file=")).write_text(block.code, encoding="utf-8")
        elif block.kind == "python":
            assert block.note is None, f"{where}: what is {block.note!r} to mean?"
            printed = _execute(block, page, namespace)
        elif block.kind == "text" and block.follows and before is not None and before.kind == "python":
            compare(block.code, printed, where)
        elif block.kind == "console":
            for command, expected in commands(block):
                output = _run(command, where, may_fail=expected.startswith("shown: "))
                if expected:
                    compare(expected, output, f"{where}: $ {command}")
        elif block.kind == "sh":
            for line in block.code.splitlines():
                check_usage(line.partition(" #")[0].strip(), where)
        before = block


def commands(block: Block) -> list[tuple[str, str]]:
    """The commands of a console block, each with what is printed below it."""
    found: list[tuple[str, str]] = []
    for line in block.code.replace("\\\n", "").splitlines():
        if line.startswith("$ "):
            found.append((line[2:], ""))
        else:
            assert found, f"line {block.line}: a console block begins with a command"
            found[-1] = found[-1][0], f"{found[-1][1]}{line}\n"
    return found


def check_usage(command: str, where: str) -> None:
    """Asserts that a command could be given: `shown`'s options and `make`'s targets exist."""
    match shlex.split(command):
        case ["shown", name, *options]:
            assert name in COMMANDS, f"{where}: there is no `shown {name}`"
            parser = argparse.ArgumentParser(prog=f"{where}: shown {name}", exit_on_error=False)
            import_module(COMMANDS[name][0]).configure(parser)
            parser.parse_args(options)
        case ["make", *targets]:
            makefile = (ROOT / "Makefile").read_text("utf-8")
            for target in targets:
                assert re.search(rf"^{re.escape(target)}:", makefile, re.MULTILINE), f"{where}: no `make {target}`"


def compare(expected: str, printed: str, where: str) -> None:
    """Asserts that something like `expected` was printed."""
    wanted, given = (
        "".join(f"{line.rstrip()}\n" for line in text.strip("\n").splitlines()) for text in (expected, printed)
    )
    lines = [
        "(?:.*\n)*?" if line == "…" else ".*?".join(map(re.escape, line.split("…"))) + "\n"
        for line in wanted.splitlines()
    ]
    assert re.fullmatch("".join(lines), given), f"{where}: the page says\n\n{wanted}\nbut what is printed is\n\n{given}"


def _execute(block: Block, page: Path, namespace: dict[str, Any]) -> str:
    # Blank lines in front, so that an error names the line of the page.
    code = compile("\n" * (block.line - 1) + block.code, str(page), "exec")
    stream = io.StringIO()
    with redirect_stdout(stream):
        exec(code, namespace)
    return stream.getvalue()


def _run(command: str, where: str, may_fail: bool) -> str:
    """What a command prints, talk included."""
    words = shlex.split(command)
    if words[0] == "shown":
        stream = io.StringIO()
        with redirect_stdout(stream), redirect_stderr(stream):
            code = main(words[1:])
        output = stream.getvalue()
    else:
        assert words[0] == "python", f"{where}: only shown and python are run; put {words[0]} into a sh block"
        done = subprocess.run([sys.executable, *words[1:]], capture_output=True, text=True, check=False)
        code, output = done.returncode, done.stdout + done.stderr
    assert may_fail or code == 0, f"{where}: $ {command} ended with {code}:\n{output}"
    return "".join(line for line in output.splitlines(keepends=True) if not line.startswith(_NOTICE))
