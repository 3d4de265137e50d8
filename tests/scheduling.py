"""Which worker of pytest-xdist runs which test."""

from xdist.scheduler import LoadScopeScheduling

RAY = ("tests/test_cluster.py::", "tests/test_docs.py::test_the_page_runs[scale.md]")
"""The tests that start a Ray."""


class OneRay(LoadScopeScheduling):
    """Any test anywhere, but those that start a Ray one after another: two Rays at once cost memory and time.

    Marks for groups would say the same, but xdist 3.8 writes them where pytest 9.2 no longer reads.
    """

    def _split_scope(self, nodeid: str) -> str:
        return "ray" if nodeid.startswith(RAY) else nodeid
