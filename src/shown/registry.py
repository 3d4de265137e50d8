"""Things that are found by name: those of this package, and those that other installed packages declare.

A package declares what it has by entry points: `name = "module:Object"` in a group such as `shown.games`. Declared
things are loaded when they are asked for by name, never by being listed.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from importlib import import_module, metadata
from typing import Any, Generic, TypeVar

from shown.errors import BadInput, did_you_mean

_NAME = re.compile(r"[a-z0-9]+(-[a-z0-9]+)*")
_PLACE = re.compile(r"[^\W\d]\w*(\.[^\W\d]\w*)*:[^\W\d]\w*(\.[^\W\d]\w*)*")

T = TypeVar("T")


@dataclass(frozen=True)
class Registry(Generic[T]):
    """All things of one kind by name.

    Attributes:
        what: what one of them is called, as in "no game called 'nmi'".
        group: the group of entry points in which other packages declare theirs.
        built_in: where each of this package is, `module:Object`.
        made_of: the thing that a loaded object, found by a name, stands for, or None if it stands for none.
        wanted: what must be declared, as in "is not a shown.games.Game".
        called: the name a thing calls itself by.
    """

    what: str
    group: str
    built_in: Mapping[str, str]
    made_of: Callable[[Any, str], T | None]
    wanted: str
    called: Callable[[T], str | None]

    def find(self, name: str) -> T:
        """The thing called `name`; BadInput if there is none, or if the package that declares it cannot give it."""
        if name in self.built_in:
            module, _, attribute = self.built_in[name].partition(":")
            thing = self.made_of(getattr(import_module(module), attribute), name)
            assert thing is not None
            return thing
        for point in metadata.entry_points(group=self.group, name=name):
            return self._declared(point)
        raise BadInput(f"no {self.what} called {name!r}. {did_you_mean(name, self.places())}")

    def places(self) -> dict[str, str]:
        """Where each thing is, by name: those of this package, then those that other packages declare."""
        return dict(self.built_in) | {
            point.name: point.value
            for point in metadata.entry_points(group=self.group)
            if point.name not in self.built_in
        }

    def usable(self) -> tuple[list[T], list[str]]:
        """All things that can be loaded, and for each that cannot the reason, in one line."""
        things, reasons = [], []
        for name in self.places():
            try:
                things.append(self.find(name))
            except BadInput as error:
                reasons.append(str(error))
        return things, reasons

    def _declared(self, point: metadata.EntryPoint) -> T:
        """A thing of another package. Loading it runs that package's code, so anything may go wrong."""
        package = point.dist.name if point.dist else "another package"
        where = f"{self.what} {point.name!r}, declared by {package} as {point.value!r}"
        try:
            thing = self.made_of(point.load(), point.name)
        except Exception as error:
            raise BadInput(f"{where}, cannot be loaded ({reason(error)}). Update or uninstall {package}.") from error
        if thing is None:
            raise BadInput(f"{where}, is not {self.wanted}. Update or uninstall {package}.")
        called = self.called(thing)
        if not is_name(point.name) or called != point.name:
            raise BadInput(
                f"{where}, calls itself {called!r}. Both names must be the same: lower-case letters, digits and "
                "hyphens."
            )
        return thing


def is_name(text: str) -> bool:
    """Whether something can be called so. Names stand in commands, files and pages.

    >>> is_name("stop-the-fall"), is_name("../up")
    (True, False)
    """
    return _NAME.fullmatch(text) is not None


def is_place(text: str) -> bool:
    """Whether this says where an object is: `module:OBJECT`.

    >>> is_place("my_package.words:COUNTING"), is_place("paper")
    (True, False)
    """
    return _PLACE.fullmatch(text) is not None


def reason(error: Exception) -> str:
    """An error of somebody else's code, in one line.

    >>> reason(ValueError("two\\nlines"))
    'ValueError: two lines'
    """
    return " ".join(f"{type(error).__name__}: {error}".split())
