"""The command line as a whole: help, version, mistakes, quick answers."""

import json
import os
import subprocess
import sys

import pytest

from shown.cli import COMMANDS
from shown.version import __version__


def test_version(shown):
    assert shown("--version").out == f"shown {__version__}\n"


@pytest.mark.parametrize("words", [[], ["--help"], ["-h"]])
def test_help_names_every_command(shown, words):
    ran = shown(*words)
    assert (ran.code, ran.err) == (0, "")
    assert all(f"\n  {name} " in ran.out for name in COMMANDS)


@pytest.mark.parametrize("name", COMMANDS)
def test_every_command_has_help(shown, name):
    ran = shown(name, "--help")
    assert ran.code == 0
    assert ran.out.startswith(f"usage: shown {name}")


@pytest.mark.parametrize(
    ("words", "complaint"),
    [
        (["lern"], "no command called 'lern'. Did you mean 'learn'?"),
        ([""], "no command called ''."),
        (["--verbose"], "unrecognized arguments: --verbose. See shown --help"),
        (["learn"], "the following arguments are required: GAME|WORLD|FILE. See shown learn --help"),
        (["learn", "nim", "--program", "x"], "argument --programs: expected a whole number of at least 1, not 'x'."),
        (["evaluate"], "the following arguments are required: POLICY."),
        (["games", "nmi"], "no game called 'nmi'. Did you mean 'nim'?"),
    ],
)
def test_wrong_use_is_one_line(shown, words, complaint):
    assert shown(*words).complaint.startswith(complaint)


def run_python(script, *words, **environment):
    return subprocess.run(
        [sys.executable, "-c", script, *words],
        capture_output=True,
        text=True,
        check=False,
        env={**os.environ, **environment},
    )


@pytest.mark.parametrize("words", [["--help"], ["--version"], []])
def test_help_loads_nothing_heavy(words):
    script = (
        "import sys\n"
        "from shown.cli import main\n"
        "try: main(sys.argv[1:])\n"
        "except SystemExit: pass\n"
        "print(sorted({'numpy', 'numba', 'gymnasium', 'torch', 'PIL', 'starlette'} & set(sys.modules)))\n"
    )
    assert run_python(script, *words).stdout.endswith("[]\n")


@pytest.mark.parametrize("words", [["games"], ["evaluate", "policy.json"], ["learn", "--help"]])
def test_reading_commands_do_not_load_the_extras(words, nim_policy, tmp_path):
    nim_policy.save(tmp_path / "policy.json")
    script = (
        "import sys, os\n"
        "from shown.cli import main\n"
        f"os.chdir({str(tmp_path)!r})\n"
        "try: main(sys.argv[1:])\n"
        "except SystemExit: pass\n"
        "print(sorted({'gymnasium', 'torch', 'PIL', 'starlette', 'matplotlib', 'sklearn'} & set(sys.modules)))\n"
    )
    assert run_python(script, *words).stdout.endswith("[]\n")


def test_a_ctrl_c_inside_a_finalizer_is_not_lost():
    """Python prints and drops an exception that a finalizer raises, and most of the engine is finalized some time."""
    code = """
import os, signal, sys, time
from shown import cli

class Finalized:
    def __del__(self):
        os.kill(os.getpid(), signal.SIGINT)
        time.sleep(1)

def run(argv):
    Finalized()
    print("went on", flush=True)
    time.sleep(60)

cli._run = run
sys.exit(cli.main([]))
"""
    ran = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False, timeout=50)
    assert (ran.returncode, ran.stdout, ran.stderr) == (130, "went on\n", "shown: stopped.\n")


def test_python_m_shown_is_shown():
    ran = subprocess.run(
        [sys.executable, "-m", "shown", "evaluate", "missing.json"], capture_output=True, text=True, check=False
    )
    assert (ran.returncode, ran.stdout) == (2, "")
    assert ran.stderr == "shown: missing.json: no such file. Give the path of a policy file.\n"


def test_a_reader_that_leaves_early_is_no_error(tmp_path, nim_policy):
    nim_policy.save(tmp_path / "policy.json")
    command = f"'{sys.executable}' -m shown explain policy.json --json | head -c 1"
    ran = subprocess.run(["sh", "-c", command], capture_output=True, text=True, check=False, cwd=tmp_path)
    assert (ran.stdout, ran.stderr) == ("{", "")


def test_a_terminal_without_every_character_still_gets_an_answer(tmp_path, nim_policy):
    nim_policy.save(tmp_path / "policy.json")
    script = "import sys; from shown.cli import main; sys.exit(main(sys.argv[1:]))"
    ran = run_python(script, "explain", str(tmp_path / "policy.json"), PYTHONIOENCODING="ascii")
    assert (ran.returncode, ran.stderr) == (0, "")
    ran = run_python(script, "games", "--json", PYTHONIOENCODING="ascii")
    assert json.loads(ran.stdout)


@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="needs a device that is always full")
@pytest.mark.parametrize("words", [["games"], ["games", "--json"], ["games", "nim"]])
def test_output_that_cannot_be_written_is_one_line(words):
    with open("/dev/full", "w") as full:
        ran = subprocess.run(
            [sys.executable, "-m", "shown", *words], stdout=full, stderr=subprocess.PIPE, text=True, check=False
        )
    assert ran.returncode == 1
    assert ran.stderr == "shown: the output cannot be written (No space left on device).\n"
