"""A cluster of two nodes on this machine: the same results as without, in bounded memory, despite killed workers.

All of it is real: Ray's processes, a worker that is killed, a node that is taken away, results that go to disk.
"""

import json
import os
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time
from contextlib import suppress
from pathlib import Path

import pytest

from processes import children, still_running
from shown.demonstrations import Demonstrations
from shown.engine.memory import Account
from shown.errors import BadInput, ClusterLost, MissingExtra, OutOfMemory
from shown.evaluation import cluster as cluster_module
from shown.evaluation import crew as crew_module
from shown.evaluation import shards as shards_module
from shown.evaluation.cluster import Cluster
from shown.evaluation.columns import Evaluator
from shown.evaluation.crew import OnCluster
from shown.evaluation.resources import Resources
from shown.evaluation.shards import Sharded
from shown.inference import fitting as fitting_module
from shown.inference.learner import Learner
from shown.language.grammar import paper_grammar
from shown.worlds import demonstrate, find, load_levels
from strategies import evaluated, planes_for, same_features


@pytest.fixture(scope="module", autouse=True)
def _no_other_ray_runs(tmp_path_factory: pytest.TempPathFactory):
    """All tests here run on one worker (scheduling.py): the first to come writes its name down for all of them."""
    worker = os.environ.get("PYTEST_XDIST_WORKER")
    if worker is not None:
        name = tmp_path_factory.getbasetemp().parent / "ray"
        with suppress(FileExistsError), name.open("x") as file:
            file.write(worker)
        assert name.read_text() == worker


STORE = 80 * 2**20
"""Bytes that a node shares with its workers; Ray takes no less than 75 MB."""


@pytest.fixture(scope="module")
def nodes():
    """Two nodes of one core each, and what can add and remove further ones."""
    from ray.cluster_utils import Cluster as Nodes

    before = dict(os.environ)
    os.environ.update(RAY_USAGE_STATS_ENABLED="0", RAY_AUTH_MODE="disabled", RAY_DEDUP_LOGS="0")
    folder = tempfile.mkdtemp(prefix="shown-")  # short: the path of a socket is
    # Ray notes the last cluster in a folder of its own, which a machine that never ran it does not have.
    os.environ["RAY_TMPDIR"] = folder
    os.mkdir(os.path.join(folder, "ray"))
    options = {"num_cpus": 1, "object_store_memory": STORE, "include_dashboard": False}
    # A node that is gone is to be missed in a second, and not in a quarter of a minute.
    missed = {"health_check_initial_delay_ms": 500, "health_check_period_ms": 500, "health_check_failure_threshold": 3}
    nodes = Nodes(initialize_head=True, head_node_args={**options, "temp_dir": folder, "_system_config": missed})
    nodes.add_node(**options)
    nodes.folder, nodes.options = Path(folder), options
    yield nodes
    nodes.shutdown()
    shutil.rmtree(folder, ignore_errors=True)
    os.environ.clear()
    os.environ.update(before)


@pytest.fixture(scope="module")
def cluster(nodes):
    with Cluster(nodes.address) as cluster:
        yield cluster


@pytest.fixture
def shared(monkeypatch):
    """Even a few programs are worth sharing, a thousand at a time."""
    monkeypatch.setattr(fitting_module, "WORTH_SHARING", 0)
    monkeypatch.setattr(shards_module, "SMALLEST", 1000)
    monkeypatch.setattr(shards_module, "LARGEST", 1000)


@pytest.fixture(scope="module")
def shown_to_all() -> Demonstrations:
    chase = find("chase")
    return demonstrate(chase, load_levels(chase, "train:0-3"))


@pytest.fixture(scope="module")
def alone(shown_to_all) -> str:
    return policy_of(Learner(programs=20_000).fit(shown_to_all))


def policy_of(learner: Learner) -> str:
    return json.dumps(learner.policy_.to_json())


def workers(nodes, name="ray::RayWorker") -> list[int]:
    """The processes of the nodes that do some work."""
    raylets = [info.process.pid for node in nodes.list_all_nodes() for info in node.all_processes["raylet"]]
    return children(raylets, name)


def soon(what, seconds=60):
    """What comes true within some time."""
    until = time.monotonic() + seconds
    while not (found := what()):
        assert time.monotonic() < until, "it did not come true"
        time.sleep(0.05)
    return found


def kill_one(nodes, name="ray::RayWorker") -> None:
    pid = soon(lambda: workers(nodes, name))[0]
    os.kill(pid, signal.SIGKILL)
    soon(lambda: not still_running([pid]))


class Watched(OnCluster):
    """A crew to whom something happens before some of the pieces are merged."""

    def __init__(self, cluster, happens):
        super().__init__(cluster)
        self._happens, self.names = happens, []

    def pieces(self, job, shards):
        for number, piece in enumerate(super().pieces(job, shards)):
            self._happens.get(number, lambda: None)()
            self.names.append(piece.worker)
            yield piece


def both(crew, shown_to_all, programs, memory=None):
    """The features that one evaluator finds, and those that a crew does."""
    grammar = paper_grammar(shown_to_all.tokens)
    blocks = list(grammar.blocks(programs))
    states = list(dict.fromkeys(step.grid for step in shown_to_all.steps))
    world = planes_for(blocks, states, shown_to_all.tokens, grammar.language)
    plain = evaluated(Evaluator(world, grammar.language, Account(2**62)), blocks)
    return plain, evaluated(Sharded(world, grammar.language, Account(2**62), crew, memory), blocks)


def test_a_learner_finds_the_same_on_a_cluster(nodes, cluster, shared, shown_to_all, alone):
    for _ in range(2):
        assert policy_of(Learner(programs=20_000, resources=Resources(cluster=cluster)).fit(shown_to_all)) == alone
        waiting = workers(nodes)
        assert waiting  # for the next, whom they serve without loading the engine again
    cluster.dismiss()
    soon(lambda: not still_running(waiting))


def test_a_worker_that_is_killed_changes_nothing(nodes, cluster, shared, shown_to_all):
    crew = Watched(cluster, {2: lambda: kill_one(nodes), 9: lambda: kill_one(nodes)})
    same_features(*both(crew, shown_to_all, 20_000))
    assert len(set(crew.names)) > 1


@pytest.mark.slow
def test_a_node_that_is_taken_away_changes_nothing(nodes, cluster, shared, shown_to_all, alone):
    extra = nodes.add_node(**nodes.options)
    soon(lambda: cluster.cores == 3)
    gone = []
    for progress in (learner := Learner(programs=20_000, resources=Resources(cluster=cluster))).iter_fit(shown_to_all):
        if progress.programs > 3_000 and not gone:
            gone.append(extra)
            nodes.remove_node(extra, allow_graceful=False)
    assert policy_of(learner) == alone
    assert gone
    soon(lambda: cluster.cores == 2)


def test_no_more_is_out_than_the_window_holds(cluster, shared, shown_to_all, monkeypatch):
    """Workers wait for a slow merge."""
    given = []
    give = crew_module._Team._give

    def watched(team, first):
        give(team, first)
        given.append(len(team._given) + len(team._done))

    monkeypatch.setattr(crew_module._Team, "_give", watched)
    same_features(*both(Watched(cluster, {3: lambda: time.sleep(1.5)}), shown_to_all, 20_000))
    assert max(given) <= 2 * crew_module.WINDOW
    assert max(given) > 1


@pytest.mark.slow
def test_what_does_not_fit_into_memory_goes_to_disk(nodes, cluster, monkeypatch, shown_to_all):
    """Unmerged results wait: here twice the size of a node's shared memory."""
    monkeypatch.setattr(shards_module, "SMALLEST", 30_000)
    monkeypatch.setattr(crew_module, "WINDOW", 40)
    monkeypatch.setattr(crew_module, "QUEUED", 40)
    spilled = []

    def wait_for_disk():
        spilled.extend(soon(lambda: list(nodes.folder.glob("session_*/ray_spilled_objects*/*"))))

    chase = find("chase")
    shown = demonstrate(chase, load_levels(chase, "train"))
    same_features(*both(Watched(cluster, {0: wait_for_disk}), shown, 400_000))
    assert spilled


def test_a_worker_without_memory_says_so(cluster, shared, shown_to_all):
    with pytest.raises(OutOfMemory, match=r"^the .* would need .* but the limit is .*allow more memory\.$"):
        both(OnCluster(cluster), shown_to_all, 20_000, memory=100_000)


@pytest.mark.slow
def test_programs_that_kill_everybody_are_given_up(cluster, shared, shown_to_all, monkeypatch):
    give = crew_module._Team._give

    def deadly(team, first):
        give(team, first)
        for member, _, _ in team._given.values():
            team._ray.kill(member.actor)

    monkeypatch.setattr(crew_module._Team, "_give", deadly)
    monkeypatch.setattr(crew_module, "QUERY_EVERY", 0.1)
    with pytest.raises(ClusterLost, match="4 workers died on the same programs"):
        both(OnCluster(cluster), shown_to_all, 20_000)


@pytest.mark.slow
def test_another_version_on_a_worker_is_refused(cluster, shared, shown_to_all, monkeypatch):
    monkeypatch.setattr(cluster_module, "__version__", "99.0")
    with pytest.raises(BadInput, match=r"^the worker on .* has shown .*; this machine has 99\.0\. Install the same"):
        Learner(programs=20_000, resources=Resources(cluster=cluster)).fit(shown_to_all)


@pytest.fixture(scope="module")
def mute():
    """The address of a socket that accepts connections and never answers."""
    with socket.create_server(("127.0.0.1", 0)) as line:
        yield f"127.0.0.1:{line.getsockname()[1]}"


@pytest.mark.parametrize(
    ("where", "why"),
    [
        ("nonsense", r"^cluster 'nonsense': give local, auto or the address of the head node, as HOST:PORT\.$"),
        ("ray://10.0.0.1:10001", "give local, auto or the address"),
        (
            "127.0.0.1:1",
            r"^cluster 127\.0\.0\.1:1: no cluster answers there \(.*refused\)\. Start one with: ray start --head$",
        ),
        ("mute", r"no cluster answers there \(timed out\)"),
        (
            "local",
            r"^cluster local: this process is connected to the cluster .*\. Use that \(auto\), or close it first$",
        ),
    ],
)
def test_a_cluster_that_cannot_be_had_is_named(cluster, mute, where, why, monkeypatch):
    monkeypatch.setattr(cluster_module, "ANSWER_TIMEOUT", 0.5)
    with pytest.raises(BadInput, match=why):
        Cluster(mute if where == "mute" else where).open()


def test_without_ray_one_line_says_how_to_get_it(monkeypatch):
    monkeypatch.setitem(sys.modules, "ray", None)
    with pytest.raises(MissingExtra, match=r"this needs Ray, which is not installed\. .*\[ray\]"):
        Cluster("local").open()


def descendants(pid: int) -> list[int]:
    found = children([pid], "")
    return [*found, *(inner for child in found for inner in descendants(child))]


@pytest.mark.slow
def test_ctrl_c_keeps_the_best_so_far_and_leaves_nothing_running(tmp_path):
    words = "--published --levels train:0-3 --programs 3000000 --cluster local --out found.json"
    run = subprocess.Popen(
        [sys.executable, "-m", "shown", "learn", "chase", *words.split()],
        cwd=tmp_path, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, start_new_session=True,
    )  # fmt: skip
    try:
        for line in run.stderr:
            if ", best " in line:
                break
        begun = descendants(run.pid)
        assert begun
        os.killpg(run.pid, signal.SIGINT)  # as a terminal does: to all of them
        _, said = run.communicate(timeout=60)
    finally:
        run.kill()
    assert run.returncode == 130, said
    assert "stopped; keeping the best so far" in said
    assert json.loads((tmp_path / "found.json").read_text())["components"]
    soon(lambda: not still_running(begun))


@pytest.mark.slow
def test_a_killed_command_leaves_nothing_of_its_cluster(tmp_path):
    code = (
        "from shown.evaluation.cluster import Cluster; c = Cluster('local', 1); print(c.cores, c._folder, flush=True)"
    )
    run = subprocess.Popen(
        [sys.executable, "-c", f"{code}; input()"], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    )
    try:
        assert run.stdout is not None
        cores, folder = run.stdout.readline().split()
        time.sleep(2)  # its agents start a little later
        begun = descendants(run.pid)
        assert (cores, len(begun) > 3, Path(folder).is_dir()) == ("1", True, True)
    finally:
        run.kill()
    run.wait()
    soon(lambda: not still_running(begun) and not Path(folder).exists(), seconds=15)
