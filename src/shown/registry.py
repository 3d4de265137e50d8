"""Named objects: those built into this package and those that other installed packages declare as entry points.

An entry point is `name = "module:Object"` in a group such as `shown.games`. Listing names loads nothing; an object is
loaded when it is looked up by name.
"""

from __future__ import annotations

import re
import traceback
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from importlib import import_module, metadata
from pathlib import PurePath
from typing import Any, Generic, TypeVar

from shown.errors import BadInput, did_you_mean

_NAME = re.compile(r"[a-z0-9]+(-[a-z0-9]+)*")
_PLACE = re.compile(r"[^\W\d]\w*(\.[^\W\d]\w*)*:[^\W\d]\w*(\.[^\W\d]\w*)*")
_PACKAGE = str(PurePath(__file__).parent)

T = TypeVar("T")


@dataclass(frozen=True)
class Registry(Generic[T]):
    """All objects of one kind, by name.

    Attributes:
        what: noun for the kind, as in "no game called 'nmi'".
        group: entry-point group in which other packages declare theirs.
        built_in: place (`module:Object`) of each object of this package.
        made_of: function of a loaded object and its name that returns the registered object, or None if it is unfit.
        wanted: required type, as in "is not a shown.worlds.games.Game".
        called: function that returns the object's own name.
    """

    what: str
    group: str
    built_in: Mapping[str, str]
    made_of: Callable[[Any, str], T | None]
    wanted: str
    called: Callable[[T], str | None]

    def find(self, name: str) -> T:
        """Return the object called `name`; raise BadInput if there is none or it cannot be loaded."""
        if name in self.built_in:
            module, _, attribute = self.built_in[name].partition(":")
            thing = self.made_of(getattr(import_module(module), attribute), name)
            assert thing is not None
            return thing
        for point in metadata.entry_points(group=self.group, name=name):
            return self._declared(point)
        raise BadInput(f"no {self.what} called {name[:80]!r}. {did_you_mean(name, self.places())}")

    def places(self) -> dict[str, str]:
        """Return the place of each object by name, those of this package first."""
        return dict(self.built_in) | {
            point.name: point.value
            for point in metadata.entry_points(group=self.group)
            if point.name not in self.built_in
        }

    def usable(self) -> tuple[list[T], list[str]]:
        """Return all objects that can be loaded, and a one-line reason for each that cannot."""
        things, reasons = [], []
        for name in self.places():
            try:
                things.append(self.find(name))
            except BadInput as error:
                reasons.append(str(error))
        return things, reasons

    def _declared(self, point: metadata.EntryPoint) -> T:
        """Load an object of another package. This runs that package's code, so any error is possible."""
        package = point.dist.name if point.dist else "another package"
        where = f"{self.what} {point.name!r}, declared by {package} as {point.value!r}"
        try:
            thing = self.made_of(point.load(), point.name)
            called = None if thing is None else self.called(thing)
        except (Exception, SystemExit) as error:
            raise BadInput(f"{where}, cannot be loaded ({reason(error)}). Update or uninstall {package}.") from error
        if thing is None:
            raise BadInput(f"{where}, is not {self.wanted}. Update or uninstall {package}.")
        if not is_name(point.name) or called != point.name:
            raise BadInput(
                f"{where}, calls itself {called!r}. Both names must be the same: lower-case letters, digits and "
                "hyphens."
            )
        return thing


def is_name(text: str) -> bool:
    """Return whether `text` can be a name in commands, files and pages.

    >>> is_name("stop-the-fall"), is_name("../up")
    (True, False)
    """
    return _NAME.fullmatch(text) is not None


def is_place(text: str) -> bool:
    """Return whether `text` names the place of an object: `module:OBJECT`.

    >>> is_place("my_package.words:COUNTING"), is_place("paper")
    (True, False)
    """
    return _PLACE.fullmatch(text) is not None


def reason(error: BaseException) -> str:
    """Return an error of other people's code on one line, with the file and line that raised it.

    >>> reason(ValueError("two\\nlines"))
    'ValueError: two lines'
    """
    where = f", at {place}" if (place := foreign_place(error)) else ""
    return " ".join(f"{type(error).__name__}: {error}{where}".split())


def foreign_place(error: BaseException) -> str | None:
    """Return the file and line that raised an error; None if this package did."""
    frames = [frame for frame in traceback.extract_tb(error.__traceback__) if "importlib" not in frame.filename]
    if not frames or frames[-1].filename.startswith(_PACKAGE):
        return None
    return f"{'/'.join(PurePath(frames[-1].filename).parts[-2:])}:{frames[-1].lineno}"
