"""The errors a user can meet: each is one line that says what is wrong, where, and what to do."""

from __future__ import annotations

import difflib
import json
from collections.abc import Iterable


class ShownError(Exception):
    """Anything the user can mend. The command line prints it on one line and exits with 2."""


class BadInput(ShownError):
    """A value, a file or a part of one is not what it should be."""


class BadLevel(BadInput):
    """A level is not legal for its game."""


class BadProgram(BadInput):
    """A program's text does not parse, or does not make sense in this language."""


class NothingFits(UserWarning):
    """No formula over the programs tried explains what was demonstrated; the policy knows nothing."""


class Contradicted(UserWarning):
    """A pinned rule allows what was ruled out by what was shown; it is left out."""


class OutOfMemory(ShownError):
    """A run would need more memory than it may take."""


class ClusterLost(ShownError):
    """The machines that a run was working on are gone, or cannot do their part of it."""


class MissingExtra(ShownError):
    """A part of the package needs a library that is not installed."""

    def __init__(self, library: str, extra: str) -> None:
        super().__init__(f"this needs {library}, which is not installed. {_how_to_install(extra)}")


def _how_to_install(extra: str) -> str:
    """What works here: a package that was installed from a clone gets its extras from the clone."""
    from importlib import metadata

    try:
        source = json.loads(metadata.distribution("shown").read_text("direct_url.json") or "{}").get("url", "")
    except (metadata.PackageNotFoundError, ValueError):
        source = ""
    if source.startswith("file://"):
        return f"In the folder that shown was installed from: pip install '.[{extra}]'"
    return f"Install it with: pip install 'shown[{extra}]'"


def did_you_mean(given: str, known: Iterable[str]) -> str:
    """A sentence that offers the nearest known name, or all of them when none is near.

    >>> did_you_mean("nmi", ["nim", "chase"])
    "Did you mean 'nim'?"
    >>> did_you_mean("xyz", ["nim", "chase"])
    'Known: nim, chase.'
    """
    known = list(known)
    near = difflib.get_close_matches(given, known, n=1, cutoff=0.5)
    return f"Did you mean {near[0]!r}?" if near else f"Known: {', '.join(known)}."


def printable(text: str) -> str:
    r"""Text that does nothing to a terminal but show: control characters, and others nobody sees, as escapes.

    For whatever others have written: names of files, errors in shared results. One line stays one line.

    >>> print(printable("red: \x1b[31m, a bell: \a, café"))
    red: \x1b[31m, a bell: \x07, café
    """
    return "".join(c if c.isprintable() else c.encode("unicode_escape").decode("ascii") for c in text)
