"""The command line: one file a command, loaded when it is called."""

from __future__ import annotations

import argparse
import errno
import io
import os
import sys
from collections.abc import Sequence
from importlib import import_module

from shown.errors import ShownError, did_you_mean, printable
from shown.version import __version__

COMMANDS: dict[str, tuple[str, str]] = {
    "learn": ("shown.cli.learn", "learn a policy from demonstrations"),
    "evaluate": ("shown.cli.evaluate", "let a policy play levels and count what it wins"),
    "act": ("shown.cli.act", "what a policy does on grids from a file or a pipe"),
    "explain": ("shown.cli.explain", "print a policy's rules, or why it acts as it does"),
    "demonstrate": ("shown.cli.demonstrate", "record the built-in expert's demonstrations"),
    "play": ("shown.cli.play", "play a game in the terminal and record it"),
    "watch": ("shown.cli.watch", "watch a policy or the expert play"),
    "next": ("shown.cli.next_level", "find the level that would teach most"),
    "correct": ("shown.cli.correct", "step in where a policy goes wrong"),
    "studio": ("shown.cli.studio", "teach by showing, in the browser"),
    "games": ("shown.cli.games", "list the games, their tokens and levels"),
    "languages": ("shown.cli.languages", "list the languages, and the words of one"),
    "convert": ("shown.cli.convert", "turn tables and Minari's datasets into demonstrations, and back"),
    "export": ("shown.cli.export", "turn a policy into a Python file without dependencies"),
    "reproduce": ("shown.cli.reproduce", "run the paper's experiments"),
    "results": ("shown.cli.results", "list and export experiment results"),
    "report": ("shown.cli.report", "write the report on the experiments"),
    "completion": ("shown.cli.completion", "print what a shell needs to complete these commands"),
}
"""Where each command lives. A module has `configure(parser)` and `run(args) -> exit code`."""

USAGE, FAILURE, INTERRUPTED = 2, 1, 130
_CANNOT_PRINT = (errno.EPIPE, errno.ENOSPC, errno.EFBIG, errno.EIO)


def main(argv: Sequence[str] | None = None) -> int:
    """Runs one command; returns 0, 1 (it did not work out), 2 (wrong use) or 130 (interrupted)."""
    argv = list(sys.argv[1:] if argv is None else argv)
    _never_fail_to_print()
    try:
        name = next((word for word in argv if not word.startswith("-")), None)
        if name is None or (argv and argv[0].startswith("-")):
            return _top(argv)
        if name not in COMMANDS:
            raise ShownError(f"no command called {name!r}. {did_you_mean(name, COMMANDS)}")
        module_name, summary = COMMANDS[name]
        module = import_module(module_name)
        parser = _Parser(prog=f"shown {name}", description=_sentence(summary))
        module.configure(parser)
        result: int = module.run(parser.parse_args(argv[1:]))
        sys.stdout.flush()
        return result
    except ShownError as error:
        print(f"shown: {printable(' '.join(str(error).split()))}", file=sys.stderr)
        return USAGE
    except KeyboardInterrupt:
        print("shown: stopped.", file=sys.stderr)
        return INTERRUPTED
    except MemoryError:
        print("shown: there is not enough memory for this. Give it less at once, or allow more.", file=sys.stderr)
        return USAGE
    except OSError as error:
        if error.errno not in _CANNOT_PRINT:
            raise
        # What is still to be printed goes nowhere, so that Python does not complain at exit.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        if error.errno != errno.EPIPE:  # then the reader of our output (head, less) has seen enough
            print(f"shown: the output cannot be written ({error.strerror}).", file=sys.stderr)
        return FAILURE


def _top(argv: list[str]) -> int:
    width = max(map(len, COMMANDS))
    commands = "\n".join(f"  {name:{width}}  {summary}" for name, (_, summary) in COMMANDS.items())
    parser = _Parser(
        prog="shown",
        usage="shown COMMAND …",
        description="Learn a policy from one to five demonstrations, as rules a person can read.",
        epilog=f"commands:\n{commands}\n\n`shown COMMAND --help` tells more about one.",
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("--version", action="version", version=f"shown {__version__}")
    parser.parse_args(argv)
    parser.print_help()
    return 0


def _never_fail_to_print() -> None:
    """A terminal that lacks a character shows a question mark instead of ending the run."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="replace")


class _Parser(argparse.ArgumentParser):
    """Wrong use gives one line, like every other error."""

    def error(self, message: str) -> None:  # type: ignore[override]
        raise ShownError(f"{message}. See {self.prog} --help")


def _sentence(text: str) -> str:
    return text[0].upper() + text[1:] + "."
