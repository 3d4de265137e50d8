"""Every example in a docstring is true."""

import doctest
import pkgutil
from importlib import import_module

import pytest

import shown

CORE = sorted(
    module.name
    for module in pkgutil.walk_packages(shown.__path__, "shown.")
    if module.name.split(".")[1] not in ("baselines", "experiments", "studio", "__main__")
)
"""The core and the games; what needs extras is tested with them."""


@pytest.mark.parametrize("name", ["shown", *CORE])
def test_examples(name):
    result = doctest.testmod(import_module(name), optionflags=doctest.NORMALIZE_WHITESPACE)
    assert result.failed == 0


def test_there_are_examples():
    finder = doctest.DocTestFinder()
    examples = sum(len(test.examples) for name in CORE for test in finder.find(import_module(name)))
    assert examples > 60
