"""The limits and tests that SECURITY.md names."""

import re

from guides import ROOT
from shown import components, files, policy
from shown.grid import MAX_BUTTONS
from shown.inference import fitting
from shown.studio import connections, guard, session
from shown.studio.isolated import ANSWER_SECONDS, START_SECONDS

PAGE = (ROOT / "SECURITY.md").read_text("utf-8")


def test_the_tests_it_names_are_there():
    named = re.findall(r"`(tests/[\w/]+\.py)`", PAGE)
    assert len(named) >= 8
    assert not [name for name in named if not (ROOT / name).exists()]


def test_the_limits_it_names_are_the_limits():
    assert f"headers ({connections.IDLE_SECONDS:.0f} s) and bodies ({guard.BODY_SECONDS:.0f} s)" in PAGE
    assert f"({connections.MAX_OPEN:,}, or half" in PAGE


def test_the_sizes_it_names_are_the_sizes():
    assert f"{files.MAX_BYTES >> 20} MiB a file, {policy.MAX_FILE >> 20} MiB a policy; {MAX_BUTTONS:,} buttons" in PAGE
    assert f"{components.MAX_TEXT:,}\n  characters" in PAGE
    assert f"at most {fitting.MAX_STEPS:,} steps, and {fitting.MAX_ROWS:,} actions" in PAGE
    assert f"take {ANSWER_SECONDS:.0f} s at most, once it is loaded ({START_SECONDS:.0f} s)" in PAGE
    assert f"given up after {session.ASK_SECONDS:.0f} s" in PAGE


def test_its_lines_are_short():
    assert not [line for line in PAGE.splitlines() if len(line) > 120 and not line.startswith("|")]
