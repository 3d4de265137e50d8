"""Datasets of Minari, the real ones: written, read, and read though others recorded them."""

import itertools
import json
import sys
import warnings
from types import SimpleNamespace

import gymnasium
import minari
import numpy as np
import pytest
from gymnasium import spaces
from gymnasium.envs.registration import EnvSpec
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from minari.data_collector import EpisodeBuffer

from shown.cli import main
from shown.demonstrations import OUTCOMES, Demonstration, Demonstrations, Step
from shown.errors import BadInput, MissingExtra
from shown.grid import Grid, grid
from shown.worlds import demonstrate, find, wrap
from shown.worlds.gym import make
from shown.worlds.minari import KEY, read, write
from shown.worlds.views import Numbers
from strategies import BUTTONS, TOKENS, examples


@pytest.fixture(autouse=True)
def datasets_of_this_test(tmp_path, monkeypatch):
    monkeypatch.setenv("MINARI_DATASETS_PATH", str(tmp_path / "datasets"))


def is_of_one_shape(demos):
    return len({step.grid.shape for step in demos.steps}) == 1


NUMBERS = itertools.count()


@st.composite
def of_one_shape(draw):
    """Demonstrations on boards of one shape, with all that steps can say."""
    buttons, shape = draw(st.sampled_from([(), BUTTONS])), (draw(st.integers(1, 3)), draw(st.integers(1, 3)))
    row = st.text(st.sampled_from(list(TOKENS)), min_size=shape[1], max_size=shape[1])
    grids = st.lists(row, min_size=shape[0], max_size=shape[0]).map(Grid)
    actions = st.sampled_from(buttons or [(r, c) for r in range(shape[0]) for c in range(shape[1])])
    opened = st.lists(actions, max_size=2, unique=True).map(tuple)
    steps = st.builds(Step, grids, actions, st.sampled_from([1.0, 0.5]), opened, st.booleans())
    items = st.builds(
        Demonstration,
        st.lists(steps, min_size=1, max_size=3).map(tuple),
        st.none() | st.sampled_from(["train:3", "näher"]),
        st.none() | st.integers(0, 2**63 - 1),
        st.sampled_from(OUTCOMES),
    )
    found = draw(st.lists(items, min_size=1, max_size=3))
    return Demonstrations(TOKENS, tuple(found), draw(st.none() | st.just("mine")), buttons)


@given(of_one_shape())
@settings(max_examples=examples(15), suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_round_trip(demos):
    name = f"mine/round-v{next(NUMBERS)}"
    write(demos, name)
    assert read(name) == demos


def test_what_others_read_in_it():
    lava = find("gym:MiniGrid-LavaGapS7-v0")
    demos = demonstrate(lava, [0, 1])
    dataset = write(demos, "mine/lava-v0")
    assert (dataset.total_episodes, dataset.total_steps) == (2, len(demos.steps))
    episode = dataset[0]
    assert episode.observations.shape == (len(demos.items[0].steps) + 1, 7, 7)
    assert Grid.from_array(episode.observations[0], lava.tokens) == demos.steps[0].grid
    assert lava.buttons[episode.actions[0]] == demos.steps[0].action
    assert (episode.rewards[-1], bool(episode.terminations[-1])) == (1.0, True)


def recorded(name, observations, actions, **settings):
    """A dataset that somebody else made, of one episode that was won."""
    ends = [*[False] * (len(actions) - 1), True]
    buffer = EpisodeBuffer(
        id=0, seed=5, observations=observations, actions=actions, rewards=[float(end) for end in ends],
        terminations=ends, truncations=[False] * len(ends),
    )  # fmt: skip
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return minari.create_dataset_from_buffers(name, [buffer], data_format="arrow", **settings)


def test_a_lake_that_others_crossed():
    env = gymnasium.make("FrozenLake-v1", is_slippery=False)
    recorded("lake/crossed-v0", [0, 4, 8, 9, 13, 14, 15], [1, 1, 2, 1, 2, 2], env=env)
    demos = read("lake/crossed-v0")
    lake = find("gym:FrozenLake-v1")
    assert (demos.game, demos.tokens, demos.buttons) == (lake.name, lake.tokens, lake.buttons)
    assert demos.steps[1].grid == grid("iiii", "AHiH", "iiiH", "HiiG")
    assert [step.action for step in demos.steps] == ["down", "down", "right", "down", "right", "right"]
    assert (demos.items[0].outcome, demos.items[0].seed, demos.items[0].level) == ("won", 5, "episode:0")


def test_minigrid_is_seen_as_the_agent_saw_it():
    seen, env = [], make("MiniGrid-DoorKey-5x5-v0")
    world = wrap(env, view="partial")
    demos = demonstrate(world, [7])
    observations = [env.reset(seed=7)[0]]
    for step in demos.steps:
        observations.append(env.step(world.buttons.index(step.action))[0])
    for key in ("image", "direction"):
        seen.append((key, [observation[key] for observation in observations]))
    space = spaces.Dict({"image": env.observation_space["image"], "direction": env.observation_space["direction"]})
    actions = [world.buttons.index(step.action) for step in demos.steps]
    recorded("minigrid/door-v0", dict(seen), actions, env=env, observation_space=space)
    found = read("minigrid/door-v0")
    assert found.steps == demos.steps
    assert found.game == "gym:MiniGrid-DoorKey-5x5-v0#partial"
    with pytest.raises(
        BadInput, match="minari:minigrid/door-v0: a dataset has the agent's observations only, not the view 'full'"
    ):
        read("minigrid/door-v0", "full")


def test_an_environment_that_is_not_here():
    box = spaces.Box(0, 2, (1, 3), np.int64)
    frames = [np.array([[1, 0, 2]]), np.array([[0, 1, 2]]), np.array([[0, 0, 1]])]
    recorded("mine/walk-v0", frames, [1, 1], observation_space=box, action_space=spaces.Discrete(2))
    demos = read("mine/walk-v0")
    assert demos.tokens.names == ("value_0", "value_1", "value_2")
    assert (demos.game, demos.buttons, demos.steps[0].grid) == (None, ("button_0", "button_1"), Grid("102"))
    named = read("mine/walk-v0", Numbers({0: "empty", 1: "agent", 2: "goal"}))
    assert named.steps[0].grid == Grid("A.G")
    with pytest.raises(BadInput, match="minari:mine/walk-v0: episode 0, step 0: the observation contains 1"):
        read("mine/walk-v0", Numbers({0: "empty", 2: "goal"}))


def test_a_dataset_has_nothing_imported():
    made = recorded("hostile/x-v0", [0, 4], [1], observation_space=spaces.Discrete(16), action_space=spaces.Discrete(4))
    for name in ("Innocent-v0", "antigravity:Env-v0"):
        spec = EnvSpec("Innocent-v0", "antigravity:Env").to_json().replace("Innocent-v0", name)
        file = made.storage.data_path / "metadata.json"
        file.write_text(json.dumps(json.loads(file.read_text()) | {"env_spec": spec}))
        with pytest.raises(BadInput, match="have no default view"):
            read("hostile/x-v0")
        assert "antigravity" not in sys.modules


def test_what_is_refused(monkeypatch):
    shapes = Demonstrations.from_runs(find("gym:FrozenLake-v1").tokens, [[(grid("A"), (0, 0)), (grid("Ai"), (0, 0))]])
    with pytest.raises(BadInput, match="observations of one shape, but these grids have several"):
        write(shapes, "mine/x-v0")
    with pytest.raises(BadInput, match="minari:mine/x-v0: no demonstrations to write"):
        write(shapes.select([]), "mine/x-v0")
    with pytest.raises(
        BadInput, match=r"minari:no/such-v0: not found on this machine. Fetch it: minari download no/such-v0"
    ):
        read("no/such-v0")
    one = Demonstrations.from_runs(shapes.tokens, [[(grid("A"), (0, 0))]])
    with pytest.raises(BadInput, match="minari:nonsense: is not the id of a dataset"):
        write(one, "nonsense")
    write(one, "mine/x-v0")
    with pytest.raises(BadInput, match="minari:mine/x-v0: cannot be written"):
        write(one, "mine/x-v0")
    half = np.array([0.5], np.float32)
    recorded(
        "mine/box-v0",
        [half, half],
        [half],
        observation_space=spaces.Box(0, 1, (1,)),
        action_space=spaces.Box(0, 1, (1,)),
    )
    with pytest.raises(BadInput, match=r"minari:mine/box-v0: its actions .* must be discrete"):
        read("mine/box-v0")
    monkeypatch.setitem(sys.modules, "minari", None)
    with pytest.raises(MissingExtra, match=r"this needs Minari, .*\[minari\]"):
        read("mine/x-v0")


def episodes_of(metadata, said, **episode):
    """A dataset with one episode, in memory."""
    storage = SimpleNamespace(metadata=metadata, get_episode_metadata=lambda numbers: [said])
    more = {"rewards": [], "terminations": [], "truncations": [], "infos": {}}
    return type(
        "Dataset",
        (),
        {
            "id": "any/thing-v0",
            "observation_space": spaces.Box(0, 1, (1, 2), np.int64),
            "action_space": spaces.Discrete(2),
            "env_spec": None,
            "episode_indices": np.arange(1),
            "storage": storage,
            "__getitem__": lambda self, number: SimpleNamespace(**more, **episode),
        },
    )()


def test_a_dataset_of_frames_without_its_environment_says_so():
    frames = episodes_of({}, {}, observations=np.array([[[0, 1]]]), actions=np.array([0]))
    with pytest.raises(BadInput, match=r"^minari:any/thing-v0: blocks-8 collects colors by playing"):
        read(frames, "blocks-8")


def test_a_dataset_that_is_damaged_is_one_line():
    about, said = {"tokens": {"empty": "."}, "buttons": []}, {KEY: json.dumps({"marks": 7})}
    damaged = episodes_of(
        {KEY: json.dumps(about)}, said, observations=np.zeros((2, 1, 1), int), actions=np.array([[0, 0]])
    )
    with pytest.raises(BadInput, match=r"^minari:any/thing-v0: is damaged \(TypeError"):
        read(damaged)


def test_convert_from_the_command_line(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    assert main(["demonstrate", "gym:MiniGrid-Empty-5x5-v0", "--seeds", "0-1", "--out", "demos.json"]) == 0
    assert main(["convert", "demos.json", "minari:mine/empty-v0"]) == 0
    assert main(["convert", "minari:mine/empty-v0", "again.json"]) == 0
    assert Demonstrations.load("again.json") == Demonstrations.load("demos.json")
    capsys.readouterr()
    assert main(["convert", "minari:no/such-v0", "again.json"]) == 2
    assert capsys.readouterr().err.startswith("shown: minari:no/such-v0: not found on this machine.")


@pytest.mark.parametrize("name", ["../../out-v0", "/tmp/out-v0", "mine/../../out-v0", "mine//x-v0", "mine", ""])
def test_an_id_that_leads_elsewhere_is_refused(name, tmp_path, monkeypatch):
    monkeypatch.setenv("MINARI_DATASETS_PATH", str(tmp_path / "deep" / "datasets"))
    for use in (lambda: write(demonstrate(find("gym:FrozenLake-v1"), [0]), name), lambda: read(name)):
        with pytest.raises(BadInput, match="is not the id of a dataset"):
            use()
    assert list(tmp_path.iterdir()) == []
