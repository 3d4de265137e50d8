"""Languages by name: `find("paper")` is the paper's, `find("standard")` adds the library's primitives.

A language is found by name, if it belongs to this package or to another installed one (an entry point in the group
`shown.languages`, `name = "module:OBJECT"`), or by place, `module:OBJECT`. See docs/guides/vocabularies.md.
"""

from __future__ import annotations

import hashlib
from importlib import import_module
from pkgutil import resolve_name
from typing import TYPE_CHECKING, Any

from shown.errors import BadInput, at, did_you_mean
from shown.language.primitives import LANGUAGE, Language
from shown.registry import Registry, is_place, reason

if TYPE_CHECKING:
    from shown.grid import Tokens
    from shown.language.grammar import Grammar

LANGUAGES: dict[str, str] = {
    "paper": "shown.language.primitives:LANGUAGE",
    "standard": "shown.language.standard:STANDARD",
    "walking": "shown.language.walking:WALKING",
}
"""Place of each language of this package, loaded on first use."""

ENTRY_POINTS = "shown.languages"
"""Entry-point group in which other packages declare their languages: `name = "module:OBJECT"`."""


def _made(declared: Any, name: str) -> Language | None:
    if not isinstance(declared, Language):
        return None
    return declared if declared.name is not None else declared.called(name)


_REGISTRY = Registry("language", ENTRY_POINTS, LANGUAGES, _made, "a shown.Language", lambda language: language.name)
all_languages, installed = _REGISTRY.places, _REGISTRY.usable


def find(name: str) -> Language:
    """Return the language called `name`, or the one at `module:OBJECT`, importing its module; raise BadInput if there
    is none.

    The language is named after what it was found by, so that a policy can be loaded again.

    >>> find("paper").name
    'paper'
    >>> find("papr")
    Traceback (most recent call last):
    shown.errors.BadInput: no language called 'papr'. Did you mean 'paper'?
    """
    return _at(name).called(name) if is_place(name) else _REGISTRY.find(name)


def named_in_file(name: Any, where: str) -> Language:
    """Return the language named in a file. Imports nothing that the reader has not installed.

    >>> named_in_file("some_module:WORDS", "policy.json")  # doctest: +ELLIPSIS
    Traceback (most recent call last):
    shown.errors.BadInput: policy.json: its language some_module:WORDS is code, which only you can allow to run. ...
    """
    if name is None:
        raise BadInput(
            f"{where}: its language has no name. Name it with --language module:OBJECT, or in Python with "
            "Policy.load(…, language=…)."
        )
    if not isinstance(name, str) or not 0 < len(name) <= 200:
        raise BadInput(f'{where}: "language" must be a name or null.')
    if is_place(name):
        raise BadInput(
            f"{where}: its language {name} is code, which only you can allow to run. If you trust it, pass "
            f"--language {name}, or in Python Policy.load(…, language={name!r})."
        )
    if name not in LANGUAGES and name not in all_languages():
        raise BadInput(
            f"{where}: no language called {name!r} is installed. {did_you_mean(name, all_languages())} If it "
            "is elsewhere, pass --language module:OBJECT, or in Python Policy.load(…, language=…)."
        )
    with at(f"{where}: "):
        return find(name)


def the_language(given: Language | str | None) -> Language:
    """Return a language given as itself, by name, or as None for the paper's.

    >>> the_language(None) is the_language("paper") is LANGUAGE
    True
    """
    if given is None:
        return LANGUAGE
    if isinstance(given, str):
        return find(given)
    if not isinstance(given, Language):
        raise BadInput(f"language={given!r}: must be a Language or a name such as 'paper'.")
    return given


def with_more_words(language: Language, tokens: Tokens, buttons: tuple[str, ...] = ()) -> str | None:
    """Return the language to try where the paper's primitives are not enough; None if another is used already.

    >>> from shown.grid import Tokens
    >>> tokens = Tokens(empty=".", agent="A")
    >>> with_more_words(LANGUAGE, tokens), with_more_words(LANGUAGE, tokens, ("left", "right"))
    ('standard', 'walking')
    """
    if language != LANGUAGE:
        return None
    try:
        find("walking").grammar(tokens, buttons)
    except BadInput:
        return "standard"
    return "walking"


def grammar_for(
    tokens: Tokens, buttons: tuple[str, ...], language: Language | str | None = None, grammar: Grammar | None = None
) -> tuple[Grammar, str]:
    """Return the grammar to learn with, and its name for a policy's provenance.

    The name is that of the language or, for a grammar given by itself, a fingerprint of its rules.

    >>> from shown.grid import Tokens
    >>> grammar, name = grammar_for(Tokens(empty="."), ())
    >>> grammar.language.name, name
    ('paper', 'paper')
    """
    if grammar is not None and language is not None:
        raise BadInput("give either a language or a grammar, not both: a grammar includes its language.")
    name = None
    if grammar is None:
        own = the_language(language)
        grammar, name = own.grammar(tokens, buttons), own.name
    grammar.check_actions(buttons)
    return grammar, name or _fingerprint(grammar)


def _fingerprint(grammar: Grammar) -> str:
    text = "\n".join(f"{rule.left} {rule.primitive} {rule.right} {rule.probability}" for rule in grammar.rules)
    return hashlib.sha256(text.encode()).hexdigest()


def _at(place: str) -> Language:
    """Return the language at `module:OBJECT`. Importing runs foreign code, so any error is possible."""
    module, _, path = place.partition(":")
    try:
        home = import_module(module)
    except Exception as error:
        raise BadInput(
            f"language {place!r}: module {module!r} cannot be imported ({reason(error)}). "
            "It must be installed, or be in a folder on Python's path."
        ) from error
    try:
        found = resolve_name(place)
    except AttributeError:
        known = [name for name, value in vars(home).items() if isinstance(value, Language)]
        offer = did_you_mean(path, known) if known else f"There is no language in {module}."
        raise BadInput(f"language {place!r}: module {module!r} has no {path!r}. {offer}") from None
    if not isinstance(found, Language):
        raise BadInput(f"language {place!r}: is a {type(found).__name__}, not a shown.Language.")
    return found
