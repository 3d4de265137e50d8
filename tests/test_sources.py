"""Functions of this package as text that runs on its own."""

import math
from collections import deque

import pytest

from shown import sources as module
from shown.grid import OFF
from shown.sources import plain, sources

HERE = (1, [2], {"three": 3})


def _helper(x: int) -> int:
    """Helps.

    >>> _helper(1)
    2
    """
    return x + len(OFF) - 2


def uses_much(a: "int | None", *rest: list[int], b: dict[str, "tuple[int, ...]"] | None = None) -> float:
    """é: a docstring."""
    half: float = 0.5  # stays: it harms nobody
    inner = lambda HERE: HERE + half  # noqa: E731
    return math.floor(inner(_helper(a or 0))) + len(deque(rest)) + (b or HERE)[0]


def run(text, name):
    names = {}
    exec(compile(text, "alone.py", "exec"), names)
    return names[name]


@pytest.fixture(autouse=True)
def _tests_are_the_package(monkeypatch):
    monkeypatch.setattr(module, "PACKAGE", __name__.split(".")[0])


def test_what_a_function_needs_comes_with_it():
    text = sources([uses_much])
    assert text.splitlines()[:4] == [
        "from collections import deque",
        "import math",
        "HERE = (1, [2], {'three': 3})",
        "OFF = 'OFF'",
    ]
    assert run(text, "uses_much")(3, 1, 2) == uses_much(3, 1, 2)
    assert run(text, "uses_much")(None, b=[7]) == uses_much(None, b=[7])


def test_annotations_and_examples_are_left_out_and_the_rest_stays():
    text = sources([uses_much])
    assert 'def uses_much(a, *rest, b = None):\n    """é: a docstring."""\n    half: float = 0.5  # stays' in text
    assert 'def _helper(x):\n    """Helps."""\n    return x + len(OFF) - 2' in text


@pytest.mark.parametrize(
    ("source", "expected"),
    [
        ("def f(): ...", "def f(): ..."),
        (
            "def f(\n    a: int,\n    b: str = '->',\n) -> dict[\n    str, int\n]: ...",
            "def f(\n    a,\n    b = '->',\n): ...",
        ),
        (
            "def f(a: int = 3, /, *, é: str) -> None:\n    def g(x: X) -> X: ...",
            "def f(a = 3, /, *, é):\n    def g(x): ...",
        ),
    ],
)
def test_annotations_wherever_they_stand(source, expected):
    assert plain(source) == expected


def _unknown() -> object:
    return pytest


def test_what_cannot_be_written_is_refused():
    with pytest.raises(ValueError, match="_unknown uses pytest, which cannot be written into a file"):
        sources([_unknown])


def test_two_functions_of_one_name_are_refused():
    def _helper() -> None: ...

    with pytest.raises(ValueError, match="two functions are called _helper"):
        sources([uses_much, _helper])
