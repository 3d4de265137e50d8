"""Errors and warnings that users meet: each is one line that names the fault, the place and the remedy."""

from __future__ import annotations

import contextlib
import difflib
import json
from collections.abc import Iterable, Iterator


class ShownError(Exception):
    """Base class of errors that a user can fix. The command line prints it on one line and exits with 2."""


class BadInput(ShownError):
    """Invalid value or file."""


@contextlib.contextmanager
def at(place: str) -> Iterator[None]:
    """Begin the text of a BadInput that is raised inside with its place.

    >>> with at("policy.json: "):
    ...     raise BadInput("no tokens.")
    Traceback (most recent call last):
    shown.errors.BadInput: policy.json: no tokens.
    """
    try:
        yield
    except BadInput as error:
        raise BadInput(f"{place}{error}") from None


class NoAnswer(BadInput):
    """Code of another package has not answered in time."""


class BadLevel(BadInput):
    """Level that is illegal in its game."""


class BadProgram(BadInput):
    """Program text that does not parse, or is ill-typed in the given language."""


class NothingFits(UserWarning):
    """No formula over the enumerated programs explains the demonstrations; the policy is uniform."""


class Contradicted(UserWarning):
    """A pinned rule allows an action that the demonstrations rule out; the rule is dropped."""


class OutOfMemory(ShownError):
    """A run would exceed its memory limit."""


class MissingExtra(ShownError):
    """An optional dependency is not installed."""

    def __init__(self, library: str, extra: str) -> None:
        from importlib import metadata

        try:
            source = json.loads(metadata.distribution("shown").read_text("direct_url.json") or "{}").get("url", "")
        except (metadata.PackageNotFoundError, ValueError):
            source = ""
        how = f"Install it with: pip install 'shown[{extra}]'"
        if source.startswith("file://"):  # it was installed from a clone
            how = f"In the folder that shown was installed from: pip install '.[{extra}]'"
        super().__init__(f"this needs {library}, which is not installed. {how}")


def did_you_mean(given: str, known: Iterable[str]) -> str:
    """Return a sentence that suggests the closest known name, or lists all of them if none is close.

    >>> did_you_mean("nmi", ["nim", "chase"])
    "Did you mean 'nim'?"
    >>> did_you_mean("xyz", ["nim", "chase"])
    'Known: nim, chase.'
    """
    known = list(known)
    near = difflib.get_close_matches(given, known, n=1, cutoff=0.5)
    return f"Did you mean {near[0]!r}?" if near else f"Known: {', '.join(known)}."


def short(value: object) -> str:
    """Return a value on one line, shortened, for error messages.

    >>> short("a" * 100)
    "'aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa…"
    """
    text = " ".join(repr(value).split())
    return text if len(text) <= 60 else f"{text[:60]}…"


def printable(text: str) -> str:
    r"""Return text with control characters and other invisible ones escaped, so that it is safe to print.

    For untrusted text, such as file names and errors in shared results. One line stays one line.

    >>> print(printable("red: \x1b[31m, a bell: \a, café"))
    red: \x1b[31m, a bell: \x07, café
    """
    return "".join(c if c.isprintable() else c.encode("unicode_escape").decode("ascii") for c in text)
