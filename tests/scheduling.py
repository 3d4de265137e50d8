"""Which worker of pytest-xdist runs which test."""

from functools import cache
from pathlib import Path

from xdist.scheduler import LoadScopeScheduling


class Together(LoadScopeScheduling):
    """Any test on any worker, but tests of a file with fixtures of its own stay together.

    So each fixture is made once. Marks for groups would say the same, but xdist 3.8 writes them where pytest 9.2 no
    longer reads.
    """

    def _split_scope(self, nodeid: str) -> str:
        file = nodeid.partition("::")[0]
        return file if _has_fixtures(file) else nodeid


@cache
def _has_fixtures(file: str) -> bool:
    return 'scope="module"' in (Path(__file__).parents[1] / file).read_text("utf-8")
