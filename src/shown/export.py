"""Export of a policy as one Python file that needs nothing but Python.

The file contains the source of the primitives' meanings that the policy uses, from `shown/language/primitives`, without
annotations, and a small view for them to read.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from shown.errors import BadInput
from shown.language.terms import Argument, Term
from shown.policy import Policy
from shown.rules import Formula, Literal
from shown.rules.formula import Clause
from shown.sources import sources
from shown.version import __version__

OWN = "shown.language.primitives."  # package of the meanings that can be exported

_TEMPLATE = '''"""{title}

Learned from demonstrations by shown {version}. Needs nothing but Python:

    from this_module import act
    act([...])    # a list of rows, one character a cell; gives {gives}

{about}
"""

TOKENS = {tokens}
BUTTONS = {buttons}


{rules}


def act(rows):
    """Return the most probable action; the first in reading order among equals."""
    probability = probabilities(rows)
    return max(probability, key=probability.get)


def probabilities(rows):
    """Return the probability of every action, in reading order."""
    view = View(rows)
    actions = BUTTONS or list(view.grid.cells())
    mixed = dict.fromkeys(actions, 0.0)
    for weight, rule in RULES:
        allowed = [action for action in actions if view.allows(rule, action)]
        share = 1.0 / len(allowed or actions)
        for action in allowed or actions:
            mixed[action] += weight * share
    return mixed


class Grid:
    """The rows as primitives see them. A cell is (row, column)."""

    def __init__(self, rows):
        self.rows, self.height, self.width = rows, len(rows), len(rows[0])

    def inside(self, cell):
        return 0 <= cell[0] < self.height and 0 <= cell[1] < self.width

    def get(self, cell):
        return self.rows[cell[0]][cell[1]] if self.inside(cell) else None

    def cells(self):
        return ((r, c) for r in range(self.height) for c in range(self.width))


class View:
    """A state and an action as primitives see them. The cell None is nowhere."""

    def __init__(self, rows):
        self.grid, self.action, self.known, self.found = Grid(rows), None, {{}}, {{}}
        for r, c in self.grid.cells():
            self.found.setdefault(TOKENS[rows[r][c]], []).append((r, c))

    def value(self, cell):
        return TOKENS[self.grid.rows[cell[0]][cell[1]]] if self.inside(cell) else "OFF"

    def inside(self, cell):
        return cell is not None and self.grid.inside(cell)

    def first(self, value):
        return self.found[value][0] if value in self.found else None

    def where(self, value):
        return tuple(self.found.get(value, ()))

    def walked(self, path):
        """Primitives report their walks here; nothing uses them."""

    counted = walked

    def allows(self, rule, action):
        self.action = action
        return rule(lambda *program: bind(program)(self))


# The meanings of the primitives.

{meanings}


WORDS = {words}


BOUND = {{}}


def bind(term):
    """Return a term as a function of a view and, if it is a condition, of a cell; answers are kept."""
    if term not in BOUND:
        meaning = WORDS[term[0]]
        arguments = [bind(x) if isinstance(x, tuple) and isinstance(x[0], str) else x for x in term[1:]]

        def ask(view, *cell):
            question = ask, cell or view.action
            if question not in view.known:
                view.known[question] = bool(meaning(view, *cell, *arguments))
            return view.known[question]

        BOUND[term] = ask
    return BOUND[term]


# Each rule with its weight.
RULES = {weights}
'''


def standalone(policy: Policy) -> str:
    """Return the text of a module with the policy's `act` and `probabilities`."""
    terms = (literal.term for component in policy.components for literal in component.formula.literals)
    used = {part.primitive for term in terms for part in term.walk()}
    words = {name: policy.language[name].meaning for name in policy.language if name in used}
    for name, meaning in words.items():
        if not meaning.__module__.startswith(OWN):
            raise BadInput(
                f"{name} is a custom primitive, which cannot be exported. Save the policy as JSON and load it with "
                "your language instead."
            )
    count = len(policy.components)
    names = [f"rule_{i + 1}" for i in range(count)] if count > 1 else ["rule"]
    texts = [_rule(names[0], "the rule" if count == 1 else "the rule that is printed", _said(policy))]
    others = zip(names[1:], policy.components[1:], strict=True)
    texts += [_rule(name, "a rule", _plain(part.formula)) for name, part in others]
    weights = ", ".join(f"({part.weight!r}, {name})" for name, part in zip(names, policy.components, strict=True))
    return _TEMPLATE.format(
        title=_in_docstring(" ".join(f"A policy for {policy.game or 'a grid world'}.".split())),
        version=__version__,
        gives="the name of a button" if policy.buttons else "(row, column)",
        about=f"{count} rules vote; the first one is the most probable." if count > 1 else "One rule decides.",
        rules="\n\n\n".join(texts),
        tokens=repr({character: name for name, character in policy.tokens.characters.items()}),
        buttons=repr(list(policy.buttons)),
        meanings=sources(words.values()),
        words="{" + ", ".join(f'"{name}": {meaning.__name__}' for name, meaning in words.items()) + "}",
        weights=f"[{weights}]",
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
        lines += [f"    # {'and ' if k else ''}{_in_comment(phrase)}" for k, phrase in enumerate(phrases)]
        either = "\n        or ".join(" and ".join(map(_asked, clause)) or "True" for clause in clauses)
        lines += ["    if (", f"        {either}", "    ):", "        return True"]
    return "\n".join([*lines, "    return False"])


def _asked(literal: Literal) -> str:
    asked = f"ask{_tuple(literal.term)!r}"
    return asked if literal.positive else f"not {asked}"


def _tuple(term: Term) -> Any:
    def plain(argument: Argument) -> Any:
        return _tuple(argument) if isinstance(argument, Term) else argument

    return (term.primitive, *(plain(argument) for argument in term.arguments))


def _in_comment(text: str) -> str:
    """Return text on one line: a policy file may call its tokens anything."""
    return " ".join(_in_docstring(text).split())


def _in_docstring(text: str) -> str:
    """Escape text for a docstring: a policy file may call its game anything."""
    plain = "".join(character if character.isprintable() or character == "\n" else " " for character in text)
    return plain.replace("\\", "\\\\").replace('"""', "'''")
