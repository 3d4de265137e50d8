"""`shown mcp`: policies as tools of the Model Context Protocol, for language models.

Each tool runs a command in this process, one at a time, so checks, messages and JSON are those of the command line.
What a client sends is data: no tool imports a module or reads a file that the client names.
"""

from __future__ import annotations

import argparse
import contextlib
import functools
import io
import json
import os
import re
import tempfile
import threading
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from shown.cli import main
from shown.cli.inputs import trusted
from shown.demonstrations import SCHEMA
from shown.engine import compilation
from shown.errors import BadInput, MissingExtra, ShownError
from shown.files import encode_json
from shown.version import __version__

SUFFIX = ".policy.json"
"""End of the names of files in the folder of policies, which are the only ones read and written there."""

INSTRUCTIONS = "Learn a rule that a person can read from one to five successful episodes on a grid, and act by it."
_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9_-]{0,59}")
_LEVELS = re.compile(r"(?:(?:^|,)(?:train|test|random)(?::\d+(?:-\d+)?)?)+")


def configure(parser: argparse.ArgumentParser) -> None:
    parser.description = "Serve policies over standard input and output (Model Context Protocol)."
    parser.add_argument("--policies", type=Path, metavar="FOLDER", help="folder to keep policies in, each by its name")
    parser.add_argument(
        "--world",
        action="append",
        default=[],
        metavar="NAME",
        help="world that clients may name although it imports a module or starts a program; repeatable",
    )


def run(args: argparse.Namespace) -> int:
    if args.policies is not None and not args.policies.is_dir():
        raise BadInput(f"--policies {args.policies}: is not a folder. Make it first.")
    compilation.NOTICE_AFTER = compilation.NEVER
    server, tools = _server(), Tools(args.policies, args.world)
    for tool in (tools.list_worlds, tools.learn, tools.evaluate, tools.explain, tools.act):
        server.add_tool(tools.one_at_a_time(tool))
    server.run()
    return 0


def _server() -> Any:
    """Return a server that answers a failed call with the message of its command, or the argument that is wrong."""
    try:
        from mcp.server.mcpserver import MCPServer
        from mcp.server.mcpserver.exceptions import ToolError
        from mcp.types import CallToolResult, TextContent
        from pydantic import ValidationError
    except ImportError:
        raise MissingExtra("the MCP SDK, version 2", "mcp") from None

    class Server(MCPServer):
        async def call_tool(self, name: str, arguments: dict[str, Any], context: Any = None) -> Any:
            try:
                return await super().call_tool(name, arguments, context)
            except ToolError as error:
                match error.__cause__:
                    case ShownError() as cause:
                        text = str(cause)
                    case ValidationError() as cause:
                        wrong = cause.errors()[0]
                        text = f"{wrong['loc'][0]}: {wrong['msg']}."
                    case _:
                        raise
            return CallToolResult(content=[TextContent(type="text", text=text)], is_error=True)

    return Server("shown", instructions=INSTRUCTIONS, version=__version__, log_level="WARNING")


class Tools:
    """The tools. Their docstrings are what a client reads. Policies are kept in `folder`; the user allows `worlds`."""

    def __init__(self, folder: Path | None, worlds: Sequence[str]) -> None:
        self._folder, self._worlds = folder, tuple(worlds)
        self._files = Path()  # folder of the call's own files
        self._lock = threading.Lock()

    def one_at_a_time(self, tool: Callable[..., Any]) -> Callable[..., Any]:
        """Return a tool that answers one call at a time, each with a folder for its files, which no message names."""

        @functools.wraps(tool)
        def call(**arguments: Any) -> Any:
            with self._lock, tempfile.TemporaryDirectory() as folder:
                self._files = Path(folder)
                try:
                    return tool(**arguments)
                except ShownError as error:
                    raise BadInput(str(error).replace(f"{folder}{os.sep}", "")) from None

        return call

    def list_worlds(self, world: str | None = None) -> dict[str, Any]:
        """List the games and worlds to learn in, with their tokens and actions, and the names of kept policies.

        Args:
            world: describe this one only, which may also be a Gymnasium environment: "gym:FrozenLake-v1".
        """
        if world is not None:
            return {"worlds": [self._described(world)]}
        known = _data("games") + [self._described(name) for name in self._worlds]
        kept = [] if self._folder is None else sorted(self._folder.glob(f"*{SUFFIX}"))
        return {"worlds": known, "policies": [path.name.removesuffix(SUFFIX) for path in kept]}

    def learn(
        self,
        episodes: list[dict[str, Any]] | None = None,
        tokens: dict[str, str] | None = None,
        buttons: list[str] | None = None,
        demonstrations: dict[str, Any] | None = None,
        world: str | None = None,
        name: str | None = None,
        practice: float | None = None,
    ) -> dict[str, Any]:
        """Learn a policy from successful episodes. Returns the rule in English, and the policy or its name.

        Args:
            episodes: one object each: {"grids": [["#..", "#A."], …], "actions": ["right", …], "outcome": "won"}, with
                the grid before each action as rows of text. An action is a button's name, or a cell [row, column].
            tokens: name of each character of the grids: {"empty": ".", "wall": "#", "agent": "A"}; by default those of
                the world. Rules are worded with these names.
            buttons: names of all actions, if actions are not cells; by default those of the world.
            demonstrations: instead of episodes, the content of a demonstrations file of shown.
            world: name of the game or world, if it is a known one. It is then practiced on.
            name: keep the policy under this name, instead of returning it.
            practice: time limit of practice in seconds, 0 for none; by default 3 in games and 4.5 in other worlds.
        """
        if demonstrations is None:
            if tokens is None and world is not None:
                known = self._described(world)
                tokens, buttons = known["tokens"], known["buttons"]
            task = {"schema": SCHEMA, "game": world, "tokens": tokens, "buttons": buttons or []}
            items = [_demonstration(episode, number) for number, episode in enumerate(episodes or [])]
            demonstrations = {**task, "demonstrations": items}
        source = self._file("demonstrations.json", demonstrations)
        out = self._files / "policy.json" if name is None else self._kept(name)
        options = [f"--out={out}", *self._world_option(world)]
        options += [] if practice is None else [f"--practice={practice}"]
        report = _output("learn", source, "--quiet", *options).replace(f"; written to {out}", "")
        return {"report": report, "policy": json.loads(out.read_bytes()) if name is None else name}

    def evaluate(
        self, policy: str | dict[str, Any], world: str | None = None, levels: str | None = None
    ) -> dict[str, Any]:
        """Play episodes with a policy in a known world. Returns its success rate and mean reward, and each episode.

        Args:
            policy: name of a kept policy, or the policy itself.
            world: name of the game or world; by default the one that the policy was learned in.
            levels: levels of a game, such as "test" or "random:0-99", or seeds of a world, such as "0-99".
        """
        options = self._world_option(world)
        if levels is not None:
            named = _LEVELS.fullmatch(levels)
            if not named and not levels[:1].isdigit():  # it might name a file
                raise BadInput(f"no levels called {levels[:40]!r}. Write test:0-8, random:0-99, or seeds such as 0-99.")
            options.append(f"--{'levels' if named else 'seeds'}={levels}")
        return _data("evaluate", self._policy(policy), *options)

    def explain(
        self, policy: str | dict[str, Any], grid: list[str] | None = None, action: str | list[int] | None = None
    ) -> str:
        """Explain why a policy takes an action on a grid, or does not. Without a grid, return its rules.

        Args:
            policy: name of a kept policy, or the policy itself.
            grid: rows of text.
            action: a button's name, or a cell [row, column]; by default the policy's own.
        """
        options = [] if grid is None else [f"--grid={self._grid(grid)}"]
        if action is not None:
            options.append(f"--action={action if isinstance(action, str) else ','.join(map(str, action))}")
        return _output("explain", self._policy(policy), *options)

    def act(self, policy: str | dict[str, Any], grid: list[str]) -> dict[str, Any]:
        """Return the action of a policy on a grid, and its probability.

        Args:
            policy: name of a kept policy, or the policy itself.
            grid: rows of text.
        """
        (answer,) = _data("act", self._policy(policy), self._grid(grid))
        return answer

    def _described(self, world: str) -> dict[str, Any]:
        (found,) = _data("games", self._allowed(world))
        return found

    def _allowed(self, world: str) -> str:
        if world.startswith("-"):  # an option
            raise BadInput(f"no world called {world!r}.")
        return world if world in self._worlds else trusted(world, "world")

    def _world_option(self, world: str | None) -> list[str]:
        return [] if world is None else [f"--world={self._allowed(world)}"]

    def _policy(self, policy: str | dict[str, Any]) -> str:
        return str(self._kept(policy)) if isinstance(policy, str) else self._file("policy.json", policy)

    def _kept(self, name: str) -> Path:
        if self._folder is None:
            raise BadInput(
                "no policies are kept by name. Pass the policy itself, or start shown mcp --policies FOLDER."
            )
        if not _NAME.fullmatch(name):
            raise BadInput(f"{name[:60]!r} is not a name. Use up to 60 letters, digits, hyphens and underscores.")
        return self._folder / f"{name}{SUFFIX}"

    def _grid(self, rows: list[str]) -> str:
        return self._file("grid.json", {"levels": ["\n".join(rows)]})

    def _file(self, name: str, value: Any) -> str:
        (self._files / name).write_bytes(encode_json(value, name))
        return str(self._files / name)


def _demonstration(episode: dict[str, Any], number: int) -> dict[str, Any]:
    """Return an episode as in a demonstrations file, which `shown learn` checks. A last grid has no action."""
    grids, actions = episode.get("grids"), episode.get("actions")
    if not isinstance(grids, list) or not isinstance(actions, list) or len(grids) - len(actions) not in (0, 1):
        raise BadInput(f'episode {number}: needs "grids" and "actions": the grid before each action.')
    steps = [{"grid": grid, "action": action} for grid, action in zip(grids, actions, strict=False)]
    return {"steps": steps, "outcome": episode.get("outcome", "unfinished")}


def _output(*words: str) -> str:
    """Run a command and return what it prints; raise BadInput with its message if it fails."""
    out, err = io.StringIO(), io.StringIO()
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
        failed = main(words)
    if failed:
        raise BadInput(err.getvalue().strip().removeprefix("shown: "))
    return out.getvalue().strip()


def _data(*words: str) -> Any:
    """Run a command and return its JSON. The code of a world may print something before and after it."""
    text = _output(*words, "--json")
    begin = re.search(r"^[\[{]$", text, re.MULTILINE)
    return json.JSONDecoder().raw_decode(text, begin.start() if begin else 0)[0]
