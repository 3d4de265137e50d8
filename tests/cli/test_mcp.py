"""`shown mcp`, asked by the client of the MCP SDK over standard input and output: one server for all tests."""

import functools
import os
import sys

import pytest
from anyio.from_thread import start_blocking_portal
from mcp import Client, StdioServerParameters

from shown.policy import Policy
from shown.worlds import demonstrate, find

OWN_WORLD = "own_world:Corridor"
CORRIDOR = """
from shown import Grid, Tokens
from shown.worlds import Outcome, World

print("a world may print while it is imported")

class Corridor(World):
    name, title, goal = "own_world:Corridor", "Corridor", "Go right."
    tokens, buttons, max_steps = Tokens(empty=".", agent="A"), ("left", "right"), 9

    def reset(self, seed):
        self.at, self.size = 0, 3 + seed % 3
        return self.view()

    def step(self, action):
        self.at = max(0, self.at + (1 if action == "right" else -1))
        won = self.at == self.size - 1
        return Outcome(self.view(), won, won, float(won))

    def view(self):
        return Grid("." * self.at + "A" + "." * (self.size - 1 - self.at))
"""


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """The folder that the server runs in; it keeps policies in a folder inside."""
    folder = tmp_path_factory.mktemp("server")
    (folder / "own_world.py").write_text(CORRIDOR, "utf-8")
    (folder / "policies").mkdir()
    return folder


@pytest.fixture(scope="module")
def client(folder):
    words = ["-m", "shown", "mcp", "--policies", "policies", "--world", OWN_WORLD]
    server = StdioServerParameters(command=sys.executable, args=words, env=dict(os.environ), cwd=folder)
    with start_blocking_portal() as portal, portal.wrap_async_context_manager(Client(server)) as client:

        def ask(method, *arguments):
            return portal.call(functools.partial(getattr(client, method), *arguments))

        yield ask


@pytest.fixture(scope="module")
def call(client):
    """Calls a tool that must succeed; its structured answer."""

    def call(tool, **arguments):
        answer = client("call_tool", tool, arguments)
        assert not answer.is_error, answer.content[0].text
        return answer.structured_content

    return call


@pytest.fixture(scope="module")
def complaint(client):
    """Calls a tool that must fail; its message."""

    def call(tool, **arguments):
        answer = client("call_tool", tool, arguments)
        assert answer.is_error
        return answer.content[0].text

    return call


@pytest.fixture(scope="module")
def episodes():
    """The expert's episodes of Nim, as a language model would record them."""
    shown = demonstrate(find("nim"), "random:910000-910003")
    return [
        {"grids": [step.grid.rows for step in item.steps], "actions": [step.action for step in item.steps]}
        for item in shown
    ]


@pytest.fixture(scope="module")
def learned(call, episodes):
    return call("learn", episodes=episodes, world="nim", name="nim", practice=0)


def test_the_tools_say_what_they_take(client):
    tools = {tool.name: tool for tool in client("list_tools").tools}
    assert set(tools) == {"list_worlds", "learn", "evaluate", "explain", "act"}
    assert set(tools["act"].input_schema["required"]) == {"policy", "grid"}
    for tool in tools.values():
        assert all(f"{name}: " in tool.description for name in tool.input_schema["properties"]), tool.name


def test_worlds_are_listed_with_their_tokens_and_actions(call):
    listed = {world["game"]: world for world in call("list_worlds")["worlds"]}
    assert listed["nim"]["tokens"] == find("nim").tokens.characters
    assert listed[OWN_WORLD]["buttons"] == ["left", "right"]
    (lake,) = call("list_worlds", world="gym:FrozenLake-v1")["worlds"]
    assert lake["buttons"] == ["left", "down", "right", "up"]


def test_episodes_become_a_rule_that_wins_and_is_kept_under_its_name(call, learned, folder):
    assert learned["policy"] == "nim"
    assert "the clicked cell is a matchstick" in learned["report"]
    assert "written to" not in learned["report"]
    assert "nim" in call("list_worlds")["policies"]
    scored = call("evaluate", policy="nim", levels="random:900000-900019")
    assert (scored["levels"], scored["success"]) == (20, 1.0)
    assert Policy.load(folder / "policies" / "nim.policy.json").game == "nim"


def test_it_acts_and_explains_as_the_command_line_does(call, learned):
    grid = ["..", "|.", "||"]
    answer = call("act", policy="nim", grid=grid)
    assert answer["action"] == [1, 0]
    assert call("explain", policy="nim", grid=grid)["result"].startswith("click (1, 0): probability ")
    assert "no rule allows it" in call("explain", policy="nim", grid=grid, action=[0, 0])["result"]
    assert "click a cell if" in call("explain", policy="nim")["result"]


def test_a_policy_travels_as_json_and_so_do_demonstrations(call):
    shown = demonstrate(find("nim"), "random:910000-910001")
    policy = call("learn", demonstrations=shown.to_json(), practice=0)["policy"]
    assert Policy.from_json(policy).provenance.demonstrations.count == 2
    assert call("act", policy=policy, grid=["|.", "||"])["probability"] > 0


def test_buttons_of_an_unknown_world(call):
    walks = [["A..!", ".A.!", "..A!"], ["A.!", ".A!"]]
    episodes = [{"grids": [[row] for row in walk], "actions": ["right"] * (len(walk) - 1) + ["take"]} for walk in walks]
    tokens = {"empty": ".", "agent": "A", "prize": "!"}
    policy = call("learn", episodes=episodes, tokens=tokens, buttons=["right", "take"])["policy"]
    assert call("act", policy=policy, grid=["....A!.."])["action"] == "take"
    assert call("act", policy=policy, grid=["A......!"])["action"] == "right"


def test_a_world_that_the_user_allows_is_practiced_on_and_played(call):
    episode = {"grids": [["A.."], [".A."], ["..A"]], "actions": ["right", "right"], "outcome": "won"}
    learned = call("learn", episodes=[episode], world=OWN_WORLD, practice=1)
    assert "expected to win about 12 of 12" in learned["report"]
    assert call("evaluate", policy=learned["policy"], world=OWN_WORLD, levels="0-5")["success"] == 1.0


@pytest.mark.parametrize(
    ("tool", "arguments", "message"),
    [
        ("act", {"policy": "nim", "grid": ["|x", "||"]}, "row 0, column 1: 'x' is not a token. Tokens: . |"),
        ("act", {"policy": "nim", "grid": ["|.", "", "||"]}, "row 1 has 0 cells but row 0 has 2."),
        ("act", {"policy": {"schema": 1}, "grid": ["."]}, 'policy.json: not a policy: "schema" must be'),
        ("act", {"policy": "other", "grid": ["."]}, "other.policy.json: no such file."),
        ("act", {"policy": "../nim", "grid": ["."]}, "'../nim' is not a name."),
        ("explain", {"policy": "nim", "action": [0, 0]}, "--action: needs --grid"),
        ("explain", {"policy": "nim", "grid": ["|."], "action": "up"}, "action 'up' must be a cell"),
        ("evaluate", {"policy": "nim", "levels": "own_world.py"}, "no levels called 'own_world.py'."),
        ("evaluate", {"policy": "nim", "levels": "0-9"}, "--seeds: nim has levels."),
        ("evaluate", {"policy": "nim", "world": "chase"}, "the policy and chase have different tokens"),
        ("evaluate", {"policy": "nim", "world": "antigravity:Fly"}, "imports a module. To allow that: --world"),
        ("list_worlds", {"world": "gym:antigravity:Fly-v0"}, "imports a module. To allow that: --world"),
        ("list_worlds", {"world": "nmi"}, "Did you mean 'nim'?"),
        ("list_worlds", {"world": "--help"}, "no world called '--help'."),
        ("evaluate", {"policy": "nim", "levels": "--help"}, "no levels called '--help'."),
        ("explain", {"policy": "nim", "grid": ["|."], "action": "--help"}, "action '--help' must be a cell"),
        ("act", {"policy": "nim", "grid": 3}, "grid: Input should be a valid list."),
        ("act", {"policy": "nim"}, "grid: Field required."),
        ("learn", {}, '"tokens" must be an object'),
        ("learn", {"world": "nim", "episodes": [{"grids": [["|."]]}]}, 'episode 0: needs "grids" and "actions"'),
        (
            "learn",
            {"world": "nim", "episodes": [{"grids": [["|."]], "actions": [[5, 5]]}]},
            "demonstrations.json, demonstration 0, step 0, action (5, 5) is off the grid",
        ),
        ("learn", {"world": "nim", "practice": -1}, "argument --practice: expected a number from 0"),
    ],
)
def test_errors_are_the_messages_of_the_command_line(complaint, learned, tool, arguments, message):
    said = complaint(tool, **arguments)
    assert message in said
    assert "\n" not in said
    assert "/tmp" not in said.replace("--world", "")


def test_what_nothing_explains_is_an_error_with_the_reason(complaint):
    episodes = [{"grids": [["ab"], ["ab"]], "actions": [[0, 0], [0, 1]]}]
    said = complaint("learn", episodes=episodes, tokens={"one": "a", "other": "b"}, practice=0)
    assert said.startswith("nothing fits the demonstrations")


def test_the_folder_must_exist(shown):
    assert shown("mcp", "--policies", "nowhere").complaint == "--policies nowhere: is not a folder. Make it first."


def test_without_the_sdk_it_names_the_extra(shown, monkeypatch):
    monkeypatch.setitem(sys.modules, "mcp.server.mcpserver", None)
    assert "this needs the MCP SDK" in shown("mcp").complaint
