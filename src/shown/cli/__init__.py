"""The `shown` command line: one module per command, imported when the command runs."""

from __future__ import annotations

import argparse
import errno
import io
import os
import signal
import sys
import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from importlib import import_module
from importlib.metadata import entry_points

from shown.errors import ShownError, did_you_mean, printable
from shown.registry import foreign_place, reason
from shown.version import __version__

COMMANDS: dict[str, tuple[str, str]] = {
    "learn": ("shown.cli.learn", "learn a policy from demonstrations"),
    "evaluate": ("shown.cli.evaluate", "play levels with a policy and report its success rate"),
    "act": ("shown.cli.act", "print the actions of a policy on grids from a file or a pipe"),
    "explain": ("shown.cli.explain", "print the rules of a policy, or the reasons for its actions"),
    "demonstrate": ("shown.cli.demonstrate", "record demonstrations by the built-in expert"),
    "play": ("shown.cli.play", "play a game by typing its actions and record a demonstration"),
    "studio": ("shown.cli.studio", "teach in the browser"),
    "games": ("shown.cli.games", "list the games, their tokens and levels"),
    "languages": ("shown.cli.languages", "list the vocabularies, or the primitives of one"),
    "convert": ("shown.cli.convert", "convert demonstrations to and from tables and Minari datasets"),
    "export": ("shown.cli.export", "export a policy as a Python file without dependencies"),
}
"""Module and summary of each command. A module has `configure(parser)` and `run(args) -> exit code`."""

ENTRY_POINTS = "shown.commands"
"""Entry point group for commands of other packages: a mapping of the same form as `COMMANDS`."""

USAGE, FAILURE, INTERRUPTED = 2, 1, 130
_CANNOT_PRINT = (errno.EPIPE, errno.ENOSPC, errno.EFBIG, errno.EIO)


def main(argv: Sequence[str] | None = None) -> int:
    """Run one command and return its exit code: 0, 1 (failure), 2 (usage error) or 130 (interrupted)."""
    argv = list(sys.argv[1:] if argv is None else argv)
    _replace_unprintable_characters()
    try:
        with _interrupts_repeated():
            return _run(argv)
    except ShownError as error:
        print(f"shown: {printable(' '.join(str(error).split()))}", file=sys.stderr)
        return USAGE
    except KeyboardInterrupt:
        print("shown: stopped.", file=sys.stderr)
        return INTERRUPTED
    except MemoryError:
        print("shown: out of memory. Use a smaller input, or allow more memory.", file=sys.stderr)
        return USAGE
    except OSError as error:
        if error.errno not in _CANNOT_PRINT:
            raise
        # Discard the remaining output, so that Python does not report it again at exit.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        if error.errno != errno.EPIPE:  # a reader such as head or less may close the pipe early
            print(f"shown: the output cannot be written ({error.strerror}).", file=sys.stderr)
        return FAILURE


def _run(argv: list[str]) -> int:
    if not argv or argv[0].startswith("-"):
        return _top(argv)
    name = argv[0]
    known = COMMANDS if name in COMMANDS else all_commands()
    if name not in known:
        raise ShownError(f"no command called {name!r}. {did_you_mean(name, known)}")
    module_name, summary = known[name]
    module = import_module(module_name)
    parser = _Parser(prog=f"shown {name}", description=f"{summary[0].upper()}{summary[1:]}.")
    module.configure(parser)
    args = parser.parse_args(argv[1:])
    try:
        result: int = module.run(args)
    except SystemExit as stop:
        if foreign_place(stop) is None:
            raise
        raise ShownError(f"code of another package ended the command ({reason(stop)}).") from stop
    sys.stdout.flush()
    return result


def all_commands() -> dict[str, tuple[str, str]]:
    """Return the commands of this package and of other installed packages.

    >>> all_commands()["learn"][0]
    'shown.cli.learn'
    """
    found = dict(COMMANDS)
    for point in entry_points(group=ENTRY_POINTS):
        for name, command in point.load().items():
            found.setdefault(name, command)
    return found


def _top(argv: list[str]) -> int:
    known = all_commands()
    width = max(map(len, known))
    commands = "\n".join(f"  {name:{width}}  {summary}" for name, (_, summary) in known.items())
    parser = _Parser(
        prog="shown",
        usage="shown COMMAND …",
        description="Learn a policy from one to five demonstrations, as rules a person can read.",
        epilog=f"commands:\n{commands}\n\nRun `shown COMMAND --help` for the options of a command.",
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("--version", action="version", version=f"shown {__version__}")
    parser.parse_args(argv)
    parser.print_help()
    return 0


def _replace_unprintable_characters() -> None:
    """Print a question mark for a character that the terminal's encoding lacks, instead of failing."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="replace")


@contextmanager
def _interrupts_repeated() -> Iterator[None]:
    """Repeat a Ctrl-C that arrives inside a finalizer, where Python prints the exception and drops it."""
    before = sys.unraisablehook

    def repeat(unraisable: sys.UnraisableHookArgs) -> None:
        if unraisable.exc_type is not KeyboardInterrupt:
            return before(unraisable)
        main_thread = threading.main_thread().ident or 0
        again = threading.Timer(0.05, signal.pthread_kill, (main_thread, signal.SIGINT))
        again.daemon = True
        again.start()

    sys.unraisablehook = repeat
    try:
        yield
    finally:
        sys.unraisablehook = before


class _Parser(argparse.ArgumentParser):
    """A parser that reports usage errors on one line, like every other error."""

    def error(self, message: str) -> None:  # type: ignore[override]
        raise ShownError(f"{message}. See {self.prog} --help")
