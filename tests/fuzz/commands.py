"""The command line with wrong words and wrong files: an answer, or one line that says what is wrong."""

from __future__ import annotations

import contextlib
import io
import json
import os
import random
import warnings
from pathlib import Path
from typing import Any
from unittest.mock import patch

from fuzz import mutate, sound
from shown.cli import main
from shown.errors import NothingFits
from shown.worlds import GAMES
from shown_evidence.results.archive import append
from shown_evidence.results.row import row_from

SMALL = ("--programs", "40", "--practice", "0", "--trees", "1", "--ensemble", "2", "--threads", "1", "--quiet")
COMMANDS: dict[str, tuple[tuple[str, ...], tuple[str, ...]]] = {
    # what is always given; what may be given besides
    "learn": (
        ("{source}", *SMALL),
        ("--json", "--out={out}", "--levels={levels}", "--noise={number}", "--seed={number}"),
    ),
    "evaluate": (("{policy}", "--levels={levels}"), ("--json", "--rule-only", "--seed={number}")),
    "explain": (("{policy}",), ("--json", "--programs", "--most={number}", "--levels={levels}", "--seed={number}")),
    "demonstrate": (("{game}", "--levels={levels}"), ("--json", "--out={out}", "--seed={number}")),
    "export": (("{policy}",), ("--json", "--out={out}")),
    "games": ((), ("{game}", "--json")),
    "play": (("{game}", "--levels={levels}"), ("--out={out}", "--seed={number}")),
    "results": (("--results={results}",), ("--json", "--add={lines}", "--method={word}", "--stale")),
    "report": (("--results={results}",), ("--out={out}", "--figures={out}")),
    "reproduce": (("{experiment}", "--list"), ("--games={game}", "--methods={word}", "--demos={number}", "--full")),
    "studio": (("--no-browser", "--host=192.0.2.1"), ("--port={number}", "--project={out}")),
}
"""The studio would serve for ever, so it is only asked to listen at an address that is nobody's (RFC 5737); trials are
only ever listed."""


def make(rng: random.Random) -> Any:
    name = rng.choice(list(COMMANDS))
    needed, more = COMMANDS[name]
    words = [*needed, *rng.sample(more, rng.randint(0, min(3, len(more))))]
    game = rng.choice(list(GAMES))
    files: dict[str, str] = {}
    filled = [_fill(rng, word, game, files) for word in words]
    kind = rng.randrange(8)
    if kind == 0 and name != "reproduce":
        filled.insert(rng.randint(0, len(filled)), rng.choice(mutate.TEXTS))
    elif kind == 1 and name not in ("learn", "reproduce", "studio"):  # these must keep what bounds them
        filled.pop(rng.randrange(len(filled))) if filled else None
    elif kind == 2:
        name = mutate.text(rng, name)
    # No argument of a process has a zero or half a pair of surrogates in it.
    clean = [word.replace("\x00", "0").replace("\ud800", "") for word in (name, *filled)]
    return {"words": clean, "files": files, "rows": sound.rows(rng) if name in ("results", "report") else []}


def run(data: Any, folder: Path) -> None:
    for name, content in data["files"].items():
        (folder / name).write_bytes(content.encode("latin-1"))
    if data["rows"]:
        for row in data["rows"]:
            append(folder / "mine", "demos", row_from(row))
    out, err = io.StringIO(), io.StringIO()
    given = set(os.listdir(folder))
    with (
        contextlib.redirect_stdout(out),
        contextlib.redirect_stderr(err),
        patch("sys.stdin", io.StringIO()),
        warnings.catch_warnings(),
    ):
        warnings.simplefilter("ignore", NothingFits)
        try:
            code = main(data["words"])
        except SystemExit as stop:  # --help and --version
            code = stop.code if isinstance(stop.code, int) else 0
    told = err.getvalue()
    assert code in (0, 1, 2), f"exit code {code}: {told}"
    if code == 2:
        last = told.splitlines()[-1] if told else ""
        assert last.startswith("shown: "), f"wrong use is not told in a line: {told!r}"
        assert len(last) < 10_000, f"a line of {len(last)} characters"
    for name, text in (("stdout", out.getvalue()), ("stderr", told)):
        unseen = {c for c in text if not c.isprintable()} - {"\n"}
        assert not unseen, f"{name} has {unseen} in it"
    if "--json" in data["words"] and code == 0 and out.getvalue() and "--help" not in data["words"]:
        json.loads(out.getvalue())
    left = [name for name in set(os.listdir(folder)) - given if name.startswith(".")]
    assert not left, f"left behind: {left}"


def _fill(rng: random.Random, word: str, game: str, files: dict[str, str]) -> str:
    """A word with what it asks for in the place of `{…}`."""
    if "{" not in word:
        return word
    start, _, rest = word.partition("{")
    what = rest.removesuffix("}")
    return start + _FILLING[what](rng, game, files)


def _file(rng: random.Random, files: dict[str, str], name: str, value: Any, spoil: float = 0.5) -> str:
    """Adds a file, often a spoilt one; its name."""
    content = mutate.as_file(rng, value) if rng.random() < spoil else json.dumps(value).encode()
    files[name] = content.decode("latin-1")
    return name


def _policy(rng: random.Random, game: str, files: dict[str, str]) -> str:
    value = sound.policy(rng).to_json()
    return _file(rng, files, "policy.json", value) if rng.random() < 0.9 else rng.choice(mutate.TEXTS)


def _demos(rng: random.Random, game: str, files: dict[str, str]) -> str:
    return _file(rng, files, "demos.json", sound.demonstrations(rng).to_json())


def _levels(rng: random.Random, game: str, files: dict[str, str]) -> str:
    kind = rng.randrange(4)
    if kind == 0:
        return _file(rng, files, rng.choice(("levels.json", "levels\x1b[2J.json")), sound.levels(rng, game))
    specs = (
        "train:0",
        "test:0-1",
        "random:3",
        "random:0-1",
        "train:99",
        "test:3-1",
        "random:0-999999999999",
        "x:0",
        ",",
    )
    return rng.choice(specs) if kind < 3 else rng.choice(mutate.TEXTS)


def _lines(rng: random.Random, game: str, files: dict[str, str]) -> str:
    files["theirs.jsonl"] = "".join(f"{json.dumps(mutate.damaged(rng, row))}\n" for row in sound.rows(rng))
    return "theirs.jsonl"


def _number(rng: random.Random, game: str, files: dict[str, str]) -> str:
    return rng.choice(
        ("0", "1", "2", "0.5", "-1", "1_000", "7,5", str(rng.choice(mutate.NUMBERS)), "x", "nan", "inf", "")
    )


_FILLING = {
    "policy": _policy,
    "source": lambda rng, game, files: game if rng.random() < 0.3 else _demos(rng, game, files),
    "game": lambda rng, game, files: game if rng.random() < 0.8 else rng.choice(mutate.TEXTS),
    "levels": _levels,
    "lines": _lines,
    "number": _number,
    "results": lambda rng, game, files: rng.choice(
        ("mine", "mine", "new", "x" * 300, ".", "missing/x", "/dev/null", "policy.json")
    ),
    "out": lambda rng, game, files: rng.choice(
        ("out", "out.json", "missing/out", ".", "/dev/null", "x" * 300, "\x1b[1m")
    ),
    "word": lambda rng, game, files: rng.choice(("lpp", "vpi", "ok", "failed", *mutate.TEXTS)),
    "experiment": lambda rng, game, files: rng.choice(("demos", "noise", "policies", "all", "programs", *mutate.TEXTS)),
}
