"""`shown completion`: what a shell needs to complete our commands and their options."""

from __future__ import annotations

import argparse
from importlib import import_module

from shown.games import GAMES

SHELLS = ("bash", "zsh", "fish")

_BASH = """\
# Completion for shown. Try it:  source <(shown completion {shell})
{first}_shown() {{
    local word="${{COMP_WORDS[COMP_CWORD]}}" words
    if [ "$COMP_CWORD" -eq 1 ]; then
        words="{commands}"
    else
        case "${{COMP_WORDS[1]}}" in
{cases}
        esac
    fi
    if [ -n "${{words}}" ]; then
        COMPREPLY=( $(compgen -W "$words" -- "$word") )
    fi
}}
complete -o default -F _shown shown
"""


def configure(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("shell", choices=SHELLS, help="which shell the completion is for")


def run(args: argparse.Namespace) -> int:
    print(script(args.shell), end="")
    return 0


def script(shell: str) -> str:
    """The text that makes a shell complete `shown`.

    >>> "evaluate" in script("bash")
    True
    """
    from shown.cli import COMMANDS

    options = {name: _options(module) for name, (module, _) in COMMANDS.items()}
    if shell == "fish":
        return _fish({name: summary for name, (_, summary) in COMMANDS.items()}, options)
    cases = "\n".join(
        f'            {name}) words="{" ".join([*flags, *others])}" ;;' for name, (flags, others) in options.items()
    )
    first = "autoload -Uz bashcompinit && bashcompinit\n" if shell == "zsh" else ""
    return _BASH.format(shell=shell, first=first, commands=" ".join(COMMANDS), cases=cases)


def _options(module: str) -> tuple[list[str], list[str]]:
    """The options of a command, and the other words it may begin with: games, or the few it knows."""
    parser = argparse.ArgumentParser()
    import_module(module).configure(parser)
    flags: list[str] = []
    others: list[str] = []
    for action in parser._actions:
        flags += [flag for flag in action.option_strings if flag.startswith("--")]
        if not action.option_strings:
            others += map(str, action.choices or ())
            if "game" in f"{action.dest} {action.help}".lower():
                others += GAMES
    return flags, list(dict.fromkeys(others))


def _fish(summaries: dict[str, str], options: dict[str, tuple[list[str], list[str]]]) -> str:
    lines = ["# Completion for shown. Try it:  shown completion fish | source"]
    for name, summary in summaries.items():
        lines.append(f'complete -c shown -n __fish_use_subcommand -f -a {name} -d "{summary}"')
        given = f'-n "__fish_seen_subcommand_from {name}"'
        flags, others = options[name]
        lines += [f"complete -c shown {given} -l {flag[2:]}" for flag in flags]
        lines += [f'complete -c shown {given} -a "{" ".join(others)}"'] if others else []
    return "\n".join(lines) + "\n"
