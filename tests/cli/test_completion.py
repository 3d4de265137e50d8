"""`shown completion`."""

import shutil
import subprocess

import pytest

from shown.cli import COMMANDS


def completed(script, *words):
    """What bash offers for the last of these words."""
    asked = f"{script}\nCOMP_WORDS=({' '.join(words)}); COMP_CWORD={len(words) - 1}; _shown; echo ${{COMPREPLY[@]}}"
    return subprocess.run(["bash", "-c", asked], capture_output=True, text=True, check=True).stdout.split()


def test_bash_completes_commands_games_and_options(shown):
    assert shutil.which("bash"), "these tests need bash"
    script = shown("completion", "bash").out
    assert completed(script, "shown", "ev") == ["evaluate"]
    assert completed(script, "shown", "learn", "chec") == ["checkmate"]
    assert completed(script, "shown", "learn", "--prog") == ["--programs"]
    assert completed(script, "shown", "completion", "") == ["--help", "bash", "zsh", "fish"]
    assert completed(script, "shown", "evaluate", "policy") == []  # bash then offers files


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_every_command_and_its_options_are_there(shown, shell):
    script = shown("completion", shell).out
    for command in COMMANDS:
        assert command in script
    assert "levels" in script
    assert shell in script


def test_another_shell_is_refused(shown):
    assert "tcsh" in shown("completion", "tcsh").complaint
