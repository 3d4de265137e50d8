"""Files that may come from anyone: sound ones of every kind, and the same damaged."""

import csv
import gzip
import io
import json
from functools import cache, reduce
from typing import Any

from hypothesis import strategies as st
from hypothesis.strategies import SearchStrategy

from measuring import measured
from shown.demonstrations import Demonstration, Demonstrations, Step
from shown.teaching.lessons.lesson import Lesson, begin_level, keep
from shown.teaching.lessons.lesson_file import LessonFile
from shown.worlds import GAMES, demonstrate, find, load_levels
from shown.worlds.tables import to_rows
from shown_evidence.trials.trial import Trial
from strategies import BUTTONS, TOKENS, damaged, demonstrations, grids, json_values, policies

ODD_TEXTS = (
    *("", " ", "\n", "\x00", "\ud800", "a" * 300, "\x1b[31mred", "\u202eleft", "😀", "²", "NaN", "1e999", "1_0", "7,5"),
    *("../../etc/passwd", "/dev/zero", "<b>{0}", "__proto__", "--help", "train:0", "random:0-999999999", "OFF", "nim"),
)
ODD_NUMBERS = (0, -1, 65, 4097, 2**31, 2**53, 2**63, 10**20, 10**400, -(10**20), 1e308, float("nan"), float("inf"))
DEEP = reduce(lambda inner, _: [inner], range(200), [])
SPOILERS = (
    *(b"\x00", b"\xff\xfe", b'"', b"{", b"[" * 100_000, b"9" * 5000, b"NaN,", b'{"a": 1, "a": 2}', rb"\ud800", b"\n"),
)
"""Bytes that make a file no JSON, or no text."""

odd_values = json_values | st.sampled_from([*ODD_TEXTS, *ODD_NUMBERS, DEEP])


@st.composite
def spoiled(draw: Any, data: bytes) -> bytes:
    """Bytes with a bit flipped, a part gone or there twice, something else put in, or as they are."""
    start = draw(st.integers(0, 2**20)) % max(1, len(data))
    end = start + draw(st.sampled_from([1, 10, len(data)]))
    match draw(st.sampled_from(["as it is", "as it is", "flip", "cut", "repeat", "insert"])):
        case "flip" if data:
            return data[:start] + bytes([data[start] ^ 1 << draw(st.integers(0, 7))]) + data[start + 1 :]
        case "cut":
            return data[:start] + data[end:]
        case "repeat":
            return data[:end] + data[start:]
        case "insert":
            return data[:start] + draw(st.sampled_from(SPOILERS)) + data[start:]
    return data


def written(value: Any) -> bytes:
    """Return a value as JSON."""
    return json.dumps(value).encode()


def lines(value: Any) -> bytes:
    """Return a list as a file with one JSON value a line."""
    return b"".join(written(item) + b"\n" for item in (value if isinstance(value, list) else [value]))


def sheet(value: Any) -> bytes:
    """Return the rows of a table as CSV."""
    rows = [row for row in value if isinstance(row, dict)] if isinstance(value, list) else []
    out = io.StringIO()
    csv.writer(out).writerows([rows[0] if rows else [], *(row.values() for row in rows)])
    return out.getvalue().encode("utf-8", "surrogatepass")


@st.composite
def hostile(draw: Any, values: SearchStrategy[Any], form: Any = written) -> bytes:
    """A file with a value, damaged in the value or in the bytes, or not at all."""
    value = draw(values)
    for _ in range(draw(st.integers(0, 2))):
        value = draw(damaged(value, odd_values))
    return draw(spoiled(form(value)))


@cache
def shown_by_expert(name: str, levels: str = "train:0-1") -> Demonstrations:
    """Return an expert's demonstrations of a game."""
    return demonstrate(find(name), load_levels(find(name), levels))


def lesson_of(name: str) -> Any:
    """Return a lesson with an expert's demonstrations and a painted level."""
    game, shown = find(name), shown_by_expert(name)
    lesson = Lesson((), begin_level(load_levels(game, "train:3")[0], 4000), 1)
    for item in shown:
        lesson = keep(lesson, "shown", item, item.steps[-1].grid)
    return LessonFile(game, lesson.recordings, (shown.steps[0].grid,)).to_json()


def levels_of(name: str) -> Any:
    """Return a file of levels."""
    return {"game": name, "levels": [level.grid.text for level in load_levels(find(name), "train:0-2")]}


games = st.sampled_from(list(GAMES))
steps = st.builds(Step, grids(), st.sampled_from(BUTTONS), st.sampled_from([1.0, 0.5]), st.just(BUTTONS[:1]))
runs = st.lists(steps, min_size=1, max_size=3).map(lambda run: Demonstration(tuple(run)))
rows = st.lists(runs, max_size=3).map(lambda items: to_rows(Demonstrations(TOKENS, tuple(items), None, BUTTONS)))
measurements = [measured(Trial(method, "nim", "train:0")) for method in ("lpp", "vpi")]
results = st.just([json.loads(row.to_json()) for row in measurements])

FILES = {
    "policy.json": hostile((policies() | policies(buttons=BUTTONS)).map(lambda policy: policy.to_json())),
    "demos.json": hostile((demonstrations() | games.map(shown_by_expert)).map(lambda demos: demos.to_json())),
    **{f"{name}.json": hostile(st.just(levels_of(name))) for name in GAMES},
    "lesson.json": hostile(games.map(lesson_of)),
    "rows.jsonl": hostile(rows, lines),
    "rows.csv": hostile(rows, sheet),
    "demos.jsonl.gz": hostile(results, lambda value: gzip.compress(lines(value), mtime=0)),
}
"""Strategies for hostile files, by names they may have: levels have that of their game, results of an experiment."""
