"""Languages by name: `find("paper")` is the paper's, `find("standard")` has the words of the library too.

A language is found by its name, if it is one of this package or of another installed one (an entry point in the group
`shown.languages`, `name = "module:OBJECT"`), or by its place, `module:OBJECT`. See docs/languages.md.
"""

from __future__ import annotations

import hashlib
from importlib import import_module
from typing import TYPE_CHECKING, Any

from shown.errors import BadInput, did_you_mean
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
"""Where each language of this package is defined. Loaded when first asked for."""

ENTRY_POINTS = "shown.languages"
"""The group of entry points in which other packages declare their languages: `name = "module:OBJECT"`."""


def _made(declared: Any, name: str) -> Language | None:
    if not isinstance(declared, Language):
        return None
    return declared if declared.name is not None else declared.called(name)


_REGISTRY = Registry("language", ENTRY_POINTS, LANGUAGES, _made, "a shown.Language", lambda language: language.name)


def find(name: str) -> Language:
    """The language called `name`, or the one at `module:OBJECT`, whose module is then imported. BadInput if none is.

    It is called what it was found by, so that a policy in it says how to find it again.

    >>> find("paper").name
    'paper'
    >>> find("papr")
    Traceback (most recent call last):
    shown.errors.BadInput: no language called 'papr'. Did you mean 'paper'?
    """
    return _at(name).called(name) if is_place(name) else _REGISTRY.find(name)


def all_languages() -> dict[str, str]:
    """Where each language is defined: those of this package, then those that other installed packages declare."""
    return _REGISTRY.places()


def installed() -> tuple[list[Language], list[str]]:
    """All languages that can be used, and for each that cannot the reason, in one line.

    >>> languages, reasons = installed()
    >>> languages[0].name
    'paper'
    """
    return _REGISTRY.usable()


def named_in_file(name: Any, where: str) -> Language:
    """The language that a file says it is in. Nothing is imported that its reader has not installed.

    >>> named_in_file("some_module:WORDS", "policy.json")  # doctest: +ELLIPSIS
    Traceback (most recent call last):
    shown.errors.BadInput: policy.json: it is in the language some_module:WORDS, which is code that only you can ...
    """
    if name is None:
        raise BadInput(
            f"{where}: it is in a language without a name, so say which: --language module:OBJECT, or in Python "
            "Policy.load(…, language=…)."
        )
    if not isinstance(name, str) or not 0 < len(name) <= 200:
        raise BadInput(f'{where}: "language" must be a name or null.')
    if is_place(name):
        raise BadInput(
            f"{where}: it is in the language {name}, which is code that only you can allow to run. If you trust it: "
            f"--language {name}, or in Python Policy.load(…, language={name!r})."
        )
    if name not in LANGUAGES and name not in all_languages():
        raise BadInput(
            f"{where}: no language called {name!r} is installed. {did_you_mean(name, all_languages())} If you have "
            "it elsewhere, say where: --language module:OBJECT, or in Python Policy.load(…, language=…)."
        )
    try:
        return find(name)
    except BadInput as error:
        raise BadInput(f"{where}: {error}") from None


def the_language(given: Language | str | None) -> Language:
    """A language as users may give it: itself, its name, or None for the paper's.

    >>> the_language(None) is the_language("paper") is LANGUAGE
    True
    """
    if given is None:
        return LANGUAGE
    if isinstance(given, str):
        return find(given)
    if not isinstance(given, Language):
        raise BadInput(f"language={given!r}: must be a Language, or the name of one such as 'paper'.")
    return given


def with_more_words(language: Language, tokens: Tokens, buttons: tuple[str, ...] = ()) -> str | None:
    """Which language to try in a world where the paper's words are not enough; None where others are used already.

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
    """The grammar to learn with in a world, and what to call it where it is noted what a policy came from: by the
    language that gives it or, if it was given itself, by a fingerprint of its rules.

    >>> from shown.grid import Tokens
    >>> grammar, name = grammar_for(Tokens(empty="."), ())
    >>> grammar.language.name, name
    ('paper', 'paper')
    """
    if grammar is not None and language is not None:
        raise BadInput("give either a language or a grammar: a grammar has its language with it.")
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
    """The language at `module:OBJECT`. Its module is code of somebody else, so anything may go wrong."""
    module, _, path = place.partition(":")
    try:
        found: Any = import_module(module)
    except Exception as error:
        raise BadInput(
            f"language {place!r}: module {module!r} cannot be imported ({reason(error)}). "
            "It must be installed, or be in a folder that Python looks in."
        ) from error
    for attribute in path.split("."):
        if not hasattr(found, attribute):
            known = [name for name, value in vars(import_module(module)).items() if isinstance(value, Language)]
            offer = did_you_mean(attribute, known) if known else f"There is no language in {module}."
            raise BadInput(f"language {place!r}: module {module!r} has no {path!r}. {offer}")
        found = getattr(found, attribute)
    if not isinstance(found, Language):
        raise BadInput(f"language {place!r}: is not a shown.Language but a {type(found).__name__}.")
    return found
