"""Resources are checked when they are made."""

import os

import pytest

from shown.columns.resources import DEFAULT_RESOURCES, Resources
from shown.errors import BadInput


@pytest.mark.parametrize(
    ("options", "reason"),
    [
        ({"threads": 0}, "threads must be a whole number of at least 1, not 0"),
        ({"threads": 1.5}, "threads must be"),
        ({"memory_limit": 0}, "memory_limit must be"),
        ({"seed": -1}, "seed must be a whole number of at least 0, not -1"),
        ({"seed": None}, "seed must be"),
        ({"seed": True}, "seed must be"),
    ],
)
def test_resources_out_of_range_are_refused(options, reason):
    with pytest.raises(BadInput, match=reason):
        Resources(**options)


def test_defaults():
    assert Resources() == DEFAULT_RESOURCES
    assert DEFAULT_RESOURCES.thread_count == (os.cpu_count() or 1)
    assert Resources(threads=3).thread_count == 3
