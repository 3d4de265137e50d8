"""`shown completion`: a shell-completion script."""

from __future__ import annotations

import argparse
from collections.abc import Iterable
from importlib import import_module
from typing import Any

from shown.cli import all_commands
from shown.errors import MissingExtra
from shown.language.languages import all_languages
from shown.registry import is_name
from shown.worlds import all_games

SHELLS = ("bash", "zsh", "fish")


def configure(parser: argparse.ArgumentParser) -> None:
    parser.epilog = "In bash, for example: source <(shown completion bash)"
    parser.add_argument("shell", choices=SHELLS, help="shell that the script is for")


def run(args: argparse.Namespace) -> int:
    print(script(args.shell))
    return 0


def script(shell: str) -> str:
    """Return a script that completes commands, options, files, and the installed games and vocabularies.

    >>> "evaluate" in script("bash")
    True
    """
    try:
        import shtab
    except ImportError:
        raise MissingExtra("shtab", "completion") from None
    by_metavar = {
        "GAME": _names_or_files("games", all_games()),
        "VOCABULARY": _names_or_files("vocabularies", all_languages()),
        "DIR": shtab.DIRECTORY,
        **dict.fromkeys(("FILE", "POLICY", "LESSON", "SOURCE", "TARGET"), shtab.FILE),
    }
    parser = argparse.ArgumentParser("shown")
    commands = parser.add_subparsers()
    for name, (module, summary) in all_commands().items():
        command = commands.add_parser(name, help=summary)
        import_module(module).configure(command)
        for action in command._actions:
            kind = next((part for part in str(action.metavar).split("|") if part in by_metavar), None)
            if kind is not None:
                action.complete = by_metavar[kind]  # type: ignore[attr-defined]
    return str(shtab.complete(parser, shell))


def _names_or_files(kind: str, names: Iterable[str]) -> dict[str, Any]:
    """Return the completion, as shtab describes it, of an argument that is a name or a file."""
    # Any package can declare names as entry points: only plain ones go into a shell script.
    words = " ".join(filter(is_name, names))
    function = f"_shown_{kind}"
    return {
        "bash": function,
        "zsh": function,
        "fish": f"{words} (__fish_complete_path (commandline -ct))",
        "preamble": {
            "bash": f'{function}() {{ compgen -W "{words}" -- "$1"; compgen -f -- "$1"; }}\n',
            "zsh": f"{function}() {{ _alternative '{kind}:{kind}:({words})' 'files:file:_files' }}\n",
        },
    }
