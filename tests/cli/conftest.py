"""Runs commands as a user does, in this process where that makes no difference."""

import contextlib
import fcntl
import os
import pty
import select
import struct
import subprocess
import sys
import termios
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


SIZE = 30, 80


class Terminal:
    """A real terminal with `shown` in it."""

    def __init__(self, *arguments):
        self.fd, inside = pty.openpty()
        fcntl.ioctl(inside, termios.TIOCSWINSZ, struct.pack("HHHH", *SIZE, 0, 0))
        command = [sys.executable, "-c", "from shown.cli import main; raise SystemExit(main())", *arguments]
        self.process = subprocess.Popen(command, stdin=inside, stdout=inside, stderr=inside, start_new_session=True)
        os.close(inside)
        self.seen = ""

    def until(self, text):
        """Reads until `text` is on the screen; a screen that never shows it fails the test."""
        while text not in self.seen:
            ready, _, _ = select.select([self.fd], [], [], 60)
            assert ready, f"{text!r} never came; last seen: {self.seen[-500:]!r}"
            try:
                data = os.read(self.fd, 65536)
            except OSError:
                data = b""
            assert data, f"it ended without {text!r}: {self.seen[-500:]!r}"
            self.seen += data.decode()
        self.seen = self.seen.split(text, 1)[1]

    def send(self, text):
        os.write(self.fd, text.encode())

    def modes(self):
        return termios.tcgetattr(self.fd)[3] & (termios.ECHO | termios.ICANON | termios.ISIG)

    def wait(self):
        """Reads to the end; the exit code."""
        with contextlib.suppress(OSError):
            while data := os.read(self.fd, 65536):
                self.seen += data.decode()
        return self.process.wait()

    def close(self):
        os.close(self.fd)
        self.process.kill()
        self.process.wait()


@pytest.fixture
def terminal(monkeypatch):
    monkeypatch.setenv("NO_COLOR", "1")
    started = []

    def start(*arguments):
        started.append(Terminal(*arguments))
        return started[-1]

    yield start
    for one in started:
        one.close()
