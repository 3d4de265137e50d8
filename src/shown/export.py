"""A learned policy as one Python file that needs nothing but Python.

What the words mean is not written a second time: the file holds the source of the meanings that the policy uses, as
they stand in `shown/language/primitives`, without their annotations, and a small view for them to look at.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from shown.errors import BadInput
from shown.language.terms import Argument, Term
from shown.sources import sources
from shown.version import __version__

if TYPE_CHECKING:
    from shown.policy import Policy

OWN = "shown.language.primitives."
"""Where the meanings are that can be written into a file."""

_TEMPLATE = '''"""{title}

Learned from demonstrations by shown {version}. Needs nothing but Python:

    from this_module import act
    act([{example}])    # a list of rows, one character a cell; gives {gives}

The rules, best first ({kept} of {total}):

{rules}
"""

TOKENS = {tokens}
BUTTONS = {buttons}
# (weight, clauses); a clause is a list of (program, must it hold).
COMPONENTS = {components}


def act(rows):
    """The most probable action; the first in reading order among equals."""
    probability = probabilities(rows)
    return max(probability, key=probability.get)


def probabilities(rows):
    """The probability of every action, in reading order."""
    view = View(rows)
    actions = BUTTONS or list(view.grid.cells())
    mixed = dict.fromkeys(actions, 0.0)
    for weight, clauses in RULES:
        allowed = [action for action in actions if view.allows(clauses, action)]
        share = 1.0 / len(allowed or actions)
        for action in allowed or actions:
            mixed[action] += weight * share
    return mixed


class Grid:
    """The rows as words see them. A cell is (row, column)."""

    def __init__(self, rows):
        self.rows, self.height, self.width = rows, len(rows), len(rows[0])

    def inside(self, cell):
        return 0 <= cell[0] < self.height and 0 <= cell[1] < self.width

    def get(self, cell):
        return self.rows[cell[0]][cell[1]] if self.inside(cell) else None

    def cells(self):
        return ((r, c) for r in range(self.height) for c in range(self.width))


class View:
    """A state as words see it; `action` is the one that is asked about. The cell None is nowhere."""

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
        """Words that walk say where, for those who watch; here nobody does."""

    counted = walked

    def allows(self, clauses, action):
        self.action = action
        return any(all(ask(self) == want for ask, want in clause) for clause in clauses)


# What the words mean.

{meanings}


WORDS = {words}


def bind(term, bound):
    """A term as a function of a view and, if it is a condition, of a cell; it answers no question twice."""
    if term not in bound:
        meaning = WORDS[term[0]]
        arguments = [bind(x, bound) if isinstance(x, tuple) and isinstance(x[0], str) else x for x in term[1:]]

        def ask(view, *cell):
            question = ask, cell or view.action
            if question not in view.known:
                view.known[question] = bool(meaning(view, *cell, *arguments))
            return view.known[question]

        bound[term] = ask
    return bound[term]


def bind_all(components):
    """The components with functions for programs, equal ones made once."""
    bound = {{}}
    return [(w, [[(bind(program, bound), want) for program, want in c] for c in clauses]) for w, clauses in components]


RULES = bind_all(COMPONENTS)
'''


def standalone(policy: Policy) -> str:
    """The text of a module whose `act` and `probabilities` are those of the policy."""
    terms = (literal.term for component in policy.components for literal in component.formula.literals)
    used = {part.primitive for term in terms for part in term.walk()}
    words = {name: policy.language[name].meaning for name in policy.language if name in used}
    for name, meaning in words.items():
        if not meaning.__module__.startswith(OWN):
            raise BadInput(
                f"{name} is a word of your own, which a standalone file does not know. Save the policy as JSON and "
                "load it with your language instead."
            )
    components = ",\n    ".join(
        f"({component.weight!r}, [\n        "
        + ",\n        ".join(
            "[" + ", ".join(f"({_tuple(x.term)!r}, {x.positive!r})" for x in clause) + "]"
            for clause in component.formula.clauses
        )
        + "\n    ])"
        for component in policy.components
    )
    rules = "\n".join(f"    {line}" for line in policy.table(most=1).splitlines()[2:])
    return _TEMPLATE.format(
        title=_in_docstring(" ".join(f"A policy for {policy.game or 'a grid world'}.".split())),
        version=__version__,
        example="...",
        gives="the name of a button" if policy.buttons else "(row, column)",
        kept=1,
        total=len(policy.components),
        rules=_in_docstring(rules),
        tokens=repr({character: name for name, character in policy.tokens.characters.items()}),
        buttons=repr(list(policy.buttons)),
        components=f"[\n    {components},\n]",
        meanings=sources(words.values()),
        words="{" + ", ".join(f'"{name}": {meaning.__name__}' for name, meaning in words.items()) + "}",
    )


def _tuple(term: Term) -> Any:
    def plain(argument: Argument) -> Any:
        return _tuple(argument) if isinstance(argument, Term) else argument

    return (term.primitive, *(plain(argument) for argument in term.arguments))


def _in_docstring(text: str) -> str:
    """Text that nothing can break out of: a policy file may call its game anything."""
    plain = "".join(character if character.isprintable() or character == "\n" else " " for character in text)
    return plain.replace("\\", "\\\\").replace('"""', "'''")
