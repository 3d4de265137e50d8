"""The examples in docstrings."""

import doctest
import pkgutil
from importlib import import_module

import pytest

import shown
import shown_evidence

MODULES = sorted(
    module.name
    for package in (shown, shown_evidence)
    for module in pkgutil.walk_packages(package.__path__, f"{package.__name__}.")
    if not module.name.endswith(".__main__")
)


@pytest.mark.parametrize("name", ["shown", *MODULES])
def test_examples(name):
    result = doctest.testmod(import_module(name), optionflags=doctest.NORMALIZE_WHITESPACE)
    assert result.failed == 0


def test_there_are_examples():
    finder = doctest.DocTestFinder()
    examples = sum(len(test.examples) for name in MODULES for test in finder.find(import_module(name)))
    assert examples > 60
