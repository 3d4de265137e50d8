"""Runs the pages of the documentation.

The word after a fence decides how its block is used:

    ```python              is executed, in one namespace per page; a ```text block right after it is its output
    ```python file=NAME    is written to that file
    ```console             commands after "$ ", each followed by its output; without output, it only has to succeed
    ```sh                  commands for the reader: not run, but their options and targets must exist

In outputs, "…" stands for any text on a line, and a line with only "…" for any lines.
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

from shown.cli import all_commands, main

ROOT = Path(__file__).parents[1]
_BLOCK = re.compile(r"^```(?P<kind>\w+)(?: (?P<note>[^\n]+))?\n(?P<code>.*?)^```$", re.MULTILINE | re.DOTALL)
_NOTICE = "shown: compiling the engine"


@dataclass(frozen=True)
class Block:
    """A fenced block of a page.

    Attributes:
        kind: the word after the fence.
        note: the rest of that line, or None.
        code: the lines inside.
        line: number of the first line inside, from 1.
        follows: whether only blank lines separate it from the block before.
    """

    kind: str
    note: str | None
    code: str
    line: int
    follows: bool


def blocks(page: Path, kind: str | None = None) -> list[Block]:
    """Return the fenced blocks of a page, or those of one kind."""
    text = page.read_text("utf-8")
    found, end = [], 0
    for match in _BLOCK.finditer(text):
        line = text.count("\n", 0, match.start("code")) + 1
        follows = end > 0 and not text[end : match.start()].strip()
        found.append(Block(match["kind"], match["note"], match["code"], line, follows))
        end = match.end()
    return [block for block in found if kind in (None, block.kind)]


def run_page(page: Path) -> None:
    """Run all blocks of a page in the current folder, and compare their outputs with the page."""
    namespace: dict[str, Any] = {"__name__": "guide"}
    before: Block | None = None
    printed = ""
    for block in blocks(page):
        where = f"{page.name}, line {block.line}"
        if block.kind == "python" and (block.note or "").startswith("file="):
            Path(str(block.note).removeprefix("file=")).write_text(block.code, encoding="utf-8")
        elif block.kind == "python":
            assert block.note is None, f"{where}: unknown note {block.note!r}"
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


def check_page(page: Path) -> None:
    """Check what can be checked of a page without running it: its Python is Python, and its options exist."""
    for block in blocks(page):
        where = f"{page.name}, line {block.line}"
        if block.kind == "python":
            compile(block.code, where, "exec")
        for command, _ in commands(block) if block.kind == "console" else []:
            check_usage(command, where)


def commands(block: Block) -> list[tuple[str, str]]:
    """Return the commands of a console block, each with its output."""
    found: list[tuple[str, str]] = []
    for line in block.code.replace("\\\n", "").splitlines():
        if line.startswith("$ "):
            found.append((line[2:], ""))
        else:
            assert found, f"line {block.line}: a console block begins with a command"
            found[-1] = found[-1][0], f"{found[-1][1]}{line}\n"
    return found


def check_usage(command: str, where: str) -> None:
    """Assert that the options of a `shown` command, or the targets of a `make` command, exist."""
    match shlex.split(command):
        case ["shown", name, *options]:
            commands = all_commands()
            assert name in commands, f"{where}: there is no `shown {name}`"
            parser = argparse.ArgumentParser(prog=f"{where}: shown {name}", exit_on_error=False)
            import_module(commands[name][0]).configure(parser)
            parser.parse_args(options)
        case ["make", *targets]:
            makefile = (ROOT / "Makefile").read_text("utf-8")
            for target in targets:
                assert re.search(rf"^{re.escape(target)}:", makefile, re.MULTILINE), f"{where}: no `make {target}`"


def compare(expected: str, printed: str, where: str) -> None:
    """Assert that an output matches the expected one."""
    wanted, given = (
        "".join(f"{line.rstrip()}\n" for line in text.strip("\n").splitlines()) for text in (expected, printed)
    )
    lines = [
        "(?:.*\n)*?" if line == "…" else ".*?".join(map(re.escape, line.split("…"))) + "\n"
        for line in wanted.splitlines()
    ]
    assert re.fullmatch("".join(lines), given), f"{where}: the page says\n\n{wanted}\nbut the output is\n\n{given}"


def _execute(block: Block, page: Path, namespace: dict[str, Any]) -> str:
    # Leading blank lines make errors name the line of the page.
    code = compile("\n" * (block.line - 1) + block.code, str(page), "exec")
    stream = io.StringIO()
    with redirect_stdout(stream):
        exec(code, namespace)
    return stream.getvalue()


def _run(command: str, where: str, may_fail: bool) -> str:
    """Return the output of a command, messages included."""
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
