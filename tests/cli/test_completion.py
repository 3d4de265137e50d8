"""`shown completion`."""

import shutil
import subprocess
import sys

import pytest

from shown.cli import COMMANDS


@pytest.fixture
def completed(shown):
    """Returns what bash offers for the last of some words."""
    assert shutil.which("bash"), "these tests need bash"

    def complete(*words):
        script = shown("completion", "bash").out
        ask = f"COMP_WORDS=({' '.join(words)}); COMP_CWORD={len(words) - 1}; _shtab_shown; echo ${{COMPREPLY[@]}}"
        asked = f"{script}\n{ask}"
        return subprocess.run(["bash", "-c", asked], capture_output=True, text=True, check=True).stdout.split()

    return complete


@pytest.mark.parametrize(
    ("words", "offered"),
    [
        (["ev"], ["evaluate"]),
        (["learn", "chec"], ["checkmate"]),
        (["learn", "--prog"], ["--programs"]),
        (["learn", "nim", "--language", "stan"], ["standard"]),
        (["completion", "''"], ["bash", "zsh", "fish"]),
        (["evaluate", "nim"], []),
    ],
)
def test_bash_completes_commands_games_and_options(completed, words, offered):
    assert completed("shown", *words) == offered


def test_games_of_other_packages_are_completed(completed, elsewhere):
    elsewhere("twin = elsewhere:Twin", "$(touch owned) = elsewhere:Twin")
    assert completed("shown", "play", "twi") == ["twin"]


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_every_command_and_its_options_are_there(shown, shell):
    script = shown("completion", shell).out
    assert all(command in script for command in COMMANDS)
    assert "levels" in script
    assert "stop-the-fall" in script


def test_another_shell_is_refused(shown):
    assert "tcsh" in shown("completion", "tcsh").complaint


def test_without_shtab_the_error_names_the_extra(shown, monkeypatch):
    monkeypatch.setitem(sys.modules, "shtab", None)
    assert "[completion]" in shown("completion", "bash").complaint
