"""What is learned stays the same, byte for byte, unless the recorded digests are replaced on purpose."""

import subprocess
import sys

import pytest

from guides import ROOT


@pytest.mark.parametrize("game", ["nim", pytest.param("all", marks=pytest.mark.slow)])
def test_recorded_learns_are_the_same(game):
    names = [] if game == "all" else [game]
    command = [sys.executable, str(ROOT / "scripts" / "recorded_learns.py"), *names]
    ran = subprocess.run(command, capture_output=True, text=True, check=False)
    assert ran.returncode == 0, ran.stdout + ran.stderr
    assert ran.stdout.count("same") == (24 if game == "all" else 4)
