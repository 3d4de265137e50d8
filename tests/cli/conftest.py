"""Runs commands as a user does, in this process where that makes no difference."""

from dataclasses import dataclass

import pytest

from shown.cli import main
from shown.inference.learner import Learner
from shown.worlds import demonstrate, find, load_levels


@dataclass(frozen=True)
class Ran:
    """The result of a command."""

    code: int
    out: str
    err: str

    @property
    def complaint(self) -> str:
        """The message of an error: one line on stderr, exit code 2, nothing on stdout."""
        assert (self.code, self.out) == (2, "")
        assert self.err.startswith("shown: ")
        assert self.err.count("\n") == 1
        assert self.err.endswith("\n")
        return self.err.removeprefix("shown: ").rstrip("\n")


@pytest.fixture
def shown(capsys, tmp_path, monkeypatch):
    """Runs `shown …` in an empty folder."""
    monkeypatch.chdir(tmp_path)

    def run(*words):
        capsys.readouterr()
        try:
            code = main([str(word) for word in words])
        except SystemExit as stop:
            code = stop.code or 0
        captured = capsys.readouterr()
        return Ran(code, captured.out, captured.err)

    return run


@pytest.fixture(scope="session")
def nim_demos():
    nim = find("nim")
    return demonstrate(nim, load_levels(nim, "train:0-4"))


@pytest.fixture(scope="session")
def nim_policy(nim_demos):
    return Learner(programs=1000).fit(nim_demos).policy_
