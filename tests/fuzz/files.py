"""Files that may come from anyone: policies, demonstrations, levels and projects of the studio.

Each is read; what can be read is used as a user would use it, and read again from what is written of it.
"""

from __future__ import annotations

import json
import os
import random
import stat
import warnings
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from fuzz import mutate, sound
from fuzz.cases import expected
from shown.demonstrations import Demonstrations
from shown.errors import BadInput, NothingFits
from shown.evaluation.resources import Resources
from shown.explain import explain
from shown.inference.learner import Learner
from shown.policy import Policy
from shown.studio.project import LEVELS_SCHEMA, PROJECT_SCHEMA, Project
from shown.studio.workspace import Workspace
from shown.teaching.dialogue.recording import play_on
from shown.teaching.interpretation.interpretations import Interpretation
from shown.teaching.lessons.lesson import Lesson, begin_level, keep
from shown.teaching.lessons.lesson_file import LessonFile, load_lesson, policy_of
from shown.teaching.lessons.lesson_json import action_to_json, in_play_to_lines, lesson_to_json
from shown.teaching.lessons.preferences import Preferences
from shown.teaching.lessons.saved_policy import SCHEMA as LEARNED_SCHEMA
from shown.teaching.lessons.saved_policy import with_mark
from shown.worlds import GAMES, find, load_levels

PROGRAMS, CLICKS = 60, 6


def make(rng: random.Random) -> Any:
    kind = rng.choice(("policy", "policy", "demonstrations", "levels", "project", "lesson"))
    if kind == "policy":
        return {"kind": kind, "seed": rng.randrange(1000), "content": _file(rng, sound.policy(rng).to_json())}
    if kind == "demonstrations":
        return {"kind": kind, "content": _file(rng, sound.demonstrations(rng).to_json())}
    name = rng.choice(list(GAMES))
    if kind == "levels":
        return {"kind": kind, "game": name, "seed": rng.randrange(1000), "content": _file(rng, sound.levels(rng, name))}
    if kind == "lesson":
        return {"kind": kind, "content": _file(rng, _lesson(rng, name).to_json())}
    files = _project(rng, name)
    chosen = rng.choice(sorted(files))
    if rng.random() < 0.9:
        if chosen.endswith(".jsonl"):
            lines = mutate.damaged(rng, [json.loads(line) for line in files[chosen].splitlines()])
            files[chosen] = "".join(f"{json.dumps(line)}\n" for line in (lines if isinstance(lines, list) else [lines]))
        else:
            files[chosen] = _file(rng, json.loads(files[chosen]))
    special = {rng.choice(sorted(files)): rng.choice(("link", "folder", "pipe"))} if rng.random() < 0.15 else {}
    return {"kind": kind, "game": name, "files": files, "special": special}


def run(data: Any, folder: Path) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", NothingFits)
        with expected():
            _TRY[data["kind"]](data, folder)
    leftovers = [path for path in folder.rglob(".shown-*") if path.is_file()]
    assert not leftovers, f"left behind: {leftovers}"


def _try_policy(data: Any, folder: Path) -> None:
    path = _write(folder / "policy.json", data["content"])
    policy = Policy.load(path)
    policy.save(folder / "again.json")
    again = Policy.load(folder / "again.json")
    assert again.to_json() == policy.to_json(), "a policy is another one when it is read again"
    assert policy.table() == again.table()
    rng = random.Random(data["seed"])
    boards = [sound.grid(rng, policy.tokens) for _ in range(3)]
    together = policy.act_many(boards)
    for board, action in zip(boards, together, strict=True):
        assert policy.act(board) == action, "alone it acts otherwise than among others"
        total = float(policy.probabilities(board).sum())
        assert abs(total - 1) < 1e-6, f"probabilities add up to {total}"
        assert explain(policy, board, action, 3).text
    with expected():  # a game of somebody's own cannot be exported with primitives of their own
        compile(policy.to_python(), "exported.py", "exec")


def _try_demonstrations(data: Any, folder: Path) -> None:
    path = _write(folder / "demonstrations.json", data["content"])
    shown = Demonstrations.load(path)
    shown.save(folder / "again.json")
    again = Demonstrations.load(folder / "again.json")
    assert (again, again.digest) == (shown, shown.digest), "demonstrations are others when they are read again"
    if shown.items:
        learner = Learner(programs=PROGRAMS, trees=1, ensemble=3, resources=Resources(threads=1)).fit(shown)
        assert learner.policy_.act(shown.steps[0].grid) is not None
        assert Policy.from_json(json.loads(json.dumps(learner.policy_.to_json()))).table()


def _try_levels(data: Any, folder: Path) -> None:
    game, path = find(data["game"]), _write(folder / "levels.json", data["content"])
    rng, chances = random.Random(data["seed"]), np.random.default_rng(data["seed"])
    for level in load_levels(game, str(path))[:5]:
        board = level.grid
        for _ in range(CLICKS):
            outcome = game.step(board, rng.choice(list(board.cells())), chances)
            game.tokens.check(outcome.grid)
            board = outcome.grid
            if outcome.over:
                break


def _try_lesson(data: Any, folder: Path) -> None:
    """Opened whole or not at all; what was opened is sent on as it came."""
    path = _write(folder / "lesson.json", data["content"])
    shared = load_lesson(path, find)
    with expected():
        policy_of(shared.game, shared.policy, "the policy")
    value = json.loads(json.dumps(shared.to_json()))
    again = LessonFile.from_json(value, find, "again")
    assert again.to_json() == shared.to_json(), "a lesson changes when it is sent on"
    with Project(folder / "project") as project:
        workspace = Workspace(project, shared.game)
        before = workspace.view()
        try:
            workspace.add_lesson(replace(shared, levels=()), with_remarks=False)
        except BadInput:
            assert workspace.view() == before
            raise
        assert Workspace(project, shared.game).lesson.recordings == workspace.lesson.recordings


def _try_project(data: Any, folder: Path) -> None:
    outside = folder / "outside"
    outside.write_text("precious")
    for name, content in data["files"].items():
        path = folder / "project" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        kind = data["special"].get(name)
        if kind == "link":
            path.symlink_to(outside)
        elif kind == "folder":
            path.mkdir()
        elif kind == "pipe":
            os.mkfifo(path)
        else:
            _write(path, content)
    try:
        _use(folder / "project", data["game"])
    finally:
        assert outside.read_text() == "precious", "a link was followed"
        for name, kind in data["special"].items():
            # It may have been set aside under another name, but it is still there.
            around = (folder / "project" / name).parent
            assert any(map(_KINDS[kind], map(_mode, around.iterdir()))), f"a {kind} was replaced"


_KINDS = {"link": stat.S_ISLNK, "folder": stat.S_ISDIR, "pipe": stat.S_ISFIFO}


def _mode(path: Path) -> int:
    return os.lstat(path).st_mode


def _use(folder: Path, name: str) -> None:
    """Opens a project, teaches something, and opens it again: what was acknowledged is there."""
    with Project(folder) as project:
        with expected():
            project.settings()
        workspace = Workspace(project, find(name))
        workspace.view()
        with expected():
            project.learned(workspace.game)
        with expected():
            workspace.expert()
        with expected():
            workspace.click(workspace.game.expert(workspace.lesson.in_play.attempt.grid))
        with expected():
            workspace.paint(None, workspace.starts.lessons[0].grid)
        wanted = workspace.view()
    with Project(folder) as project:
        found = Workspace(project, find(name)).view()
    for part in ("table", "recordings", "painted"):
        assert found[part] == wanted[part], f"{part}: {found[part]} was found, {wanted[part]} was acknowledged"


_TRY = {
    **{"policy": _try_policy, "demonstrations": _try_demonstrations, "levels": _try_levels},
    **{"project": _try_project, "lesson": _try_lesson},
}


def _file(rng: random.Random, value: Any) -> str:
    """A file's content as text that any JSON can hold: a character a byte."""
    return mutate.as_file(rng, value).decode("latin-1")


def _write(path: Path, content: str) -> Path:
    path.write_bytes(content.encode("latin-1"))
    return path


def _kept(rng: random.Random, lesson: Lesson, name: str) -> Lesson:
    """A lesson with what the expert shows."""
    for item in sound.shown_by_expert(name):
        lesson = keep(lesson, rng.choice(("shown", "expert", "imported")), item, item.steps[-1].grid)
    return lesson


def _lesson(rng: random.Random, name: str) -> LessonFile:
    """A sound lesson to send."""
    game = find(name)
    recordings = _kept(rng, Lesson((), begin_level(load_levels(game, "train:3")[0], 4000), 1), name).recordings
    levels = tuple(item.steps[0].grid for item in sound.shown_by_expert(name))
    preferences = Preferences(100, rng.choice((None, Interpretation("equivalent", "any"))), rng.choice((None, True)))
    return LessonFile(game, recordings, levels, preferences, rng.choice((None, sound.policy(rng).to_json())))


def _project(rng: random.Random, name: str) -> dict[str, str]:
    """The files of a sound project."""
    game, shown = find(name), sound.shown_by_expert(name)
    table = begin_level(load_levels(game, "train:3")[0], 4000)
    lesson = _kept(rng, Lesson((), table, 1), name)
    attempt = play_on(game, table.attempt, game.expert(table.attempt.grid))
    lines = in_play_to_lines(begin_level(table.attempt.level, 4000)) + [
        json.dumps(action_to_json(step.action)) for step in attempt.steps
    ]
    painted = [{"id": i + 1, "rows": list(item.steps[0].grid.rows)} for i, item in enumerate(shown)]
    policy = with_mark(sound.policy(rng).to_json())
    about = {"schema": LEARNED_SCHEMA, "digest": shown.digest, "tried": [["exact clicks", True, 0.5]]}
    settings = {
        "schema": PROJECT_SCHEMA,
        "game": name,
        "toured": True,
        "preferences": {name: {"programs": 100, "mirrored": True}},
    }
    return {
        "project.json": json.dumps(settings),
        f"{name}/lesson.json": json.dumps(lesson_to_json(game, lesson.recordings, lesson.next_id)),
        f"{name}/table.jsonl": "".join(f"{line}\n" for line in lines),
        f"{name}/levels.json": json.dumps({"schema": LEVELS_SCHEMA, "game": name, "levels": painted}),
        f"{name}/policy.json": json.dumps(policy),
        f"{name}/learned.json": json.dumps(about),
    }
