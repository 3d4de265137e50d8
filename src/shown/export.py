"""Export of a policy as one Python file that needs nothing but Python.

The file contains the source of the primitives' meanings that the policy uses, from `shown/language/primitives`, without
annotations, and a small view for them to read (`standalone.py.txt`).
"""

from __future__ import annotations

from collections.abc import Sequence
from importlib.resources import files
from typing import Any

from shown.errors import BadInput
from shown.language.terms import Term
from shown.policy import Policy
from shown.rules import Formula, Literal
from shown.rules.formula import Clause
from shown.sources import sources
from shown.version import __version__

OWN = "shown.language.primitives."  # package of the meanings that can be exported


def standalone(policy: Policy) -> str:
    """Return the text of a module with the policy's `act` and `probabilities`."""
    branches = [_said(policy), *(_plain(component.formula) for component in policy.components[1:])]
    written = [clause for rule in branches for _, clauses in rule for clause in clauses]
    used = {part.primitive for clause in written for literal in clause for part in literal.term.walk()}
    words = {name: policy.language[name].meaning for name in policy.language if name in used}
    for name, meaning in words.items():
        if not meaning.__module__.startswith(OWN):
            raise BadInput(
                f"{name} is a custom primitive, which cannot be exported. Save the policy as JSON and load it with "
                "your language instead."
            )
    count = len(policy.components)
    names = [f"rule_{i + 1}" for i in range(count)] if count > 1 else ["rule"]
    first = "the rule" if count == 1 else "the rule that is printed"
    texts = [_rule(name, "a rule" if i else first, branches[i]) for i, name in enumerate(names)]
    weights = ", ".join(f"({part.weight!r}, {name})" for name, part in zip(names, policy.components, strict=True))
    return (
        files("shown")
        .joinpath("standalone.py.txt")
        .read_text("utf-8")
        .format(
            title=_in_docstring(" ".join(f"A policy for {policy.game or 'a grid world'}.".split())),
            version=__version__,
            gives="the name of a button" if policy.buttons else "(row, column)",
            about="One rule decides." if count == 1 else f"{count - (not policy.components[0].weight)} rules vote.",
            rules="\n\n\n".join(texts),
            tokens=repr({character: name for name, character in policy.tokens.characters.items()}),
            buttons=repr(list(policy.buttons)),
            meanings=sources(words.values()),
            words="{" + ", ".join(f'"{name}": {meaning.__name__}' for name, meaning in words.items()) + "}",
            weights=f"[{weights}]",
        )
    )


_Branch = tuple[tuple[str, ...], tuple[Clause, ...]]
"""Phrases in English, and the clauses that they stand for."""


def _said(policy: Policy) -> list[_Branch]:
    """Return the clauses of the first rule in English; a clause stands for its images as well."""
    formula = policy.components[0].formula
    return [(one.whole, one.formula.clauses) for one in policy.speaker.sayings(formula)] or _plain(formula)


def _plain(formula: Formula) -> list[_Branch]:
    return [((), (clause,)) for clause in formula.clauses]


def _rule(name: str, what: str, branches: Sequence[_Branch]) -> str:
    """Return a rule as a function with one `if` for each clause."""
    lines = [f"def {name}(ask):", f'    """Return whether {what} allows the action that `ask` asks about."""']
    for phrases, clauses in branches:
        said = [" ".join(_in_docstring(phrase).split()) for phrase in phrases]  # tokens may be called anything
        lines += [f"    # {'and ' if k else ''}{phrase}" for k, phrase in enumerate(said)]
        either = "\n        or ".join(" and ".join(map(_asked, clause)) or "True" for clause in clauses)
        lines += ["    if (", f"        {either}", "    ):", "        return True"]
    return "\n".join([*lines, "    return False"])


def _asked(literal: Literal) -> str:
    asked = f"ask{_tuple(literal.term)!r}"
    return asked if literal.positive else f"not {asked}"


def _tuple(term: Term) -> tuple[Any, ...]:
    return (term.primitive, *(_tuple(each) if isinstance(each, Term) else each for each in term.arguments))


def _in_docstring(text: str) -> str:
    """Escape text for a docstring: a policy file may call its game anything."""
    plain = "".join(character if character.isprintable() or character == "\n" else " " for character in text)
    return plain.replace("\\", "\\\\").replace('"""', "'''")
