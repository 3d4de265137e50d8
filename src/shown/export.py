"""A learned policy as one Python file that needs nothing but Python."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from shown.errors import BadInput
from shown.language.terms import Argument, Term
from shown.version import __version__

if TYPE_CHECKING:
    from shown.policy import Policy

BUILT_IN = ("cell_is_value", "shifted", "scanning", "at_action_cell", "at_cell_with_value", "action_is")

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
    actions = BUTTONS or [(r, c) for r in range(len(rows)) for c in range(len(rows[0]))]
    known = {{}}
    mixed = dict.fromkeys(actions, 0.0)
    for weight, clauses in COMPONENTS:
        allowed = [a for a in actions if any(all(_holds(p, rows, a, known) == want for p, want in c) for c in clauses)]
        share = 1.0 / len(allowed or actions)
        for action in allowed or actions:
            mixed[action] += weight * share
    return mixed


def _holds(program, rows, action, known):
    key = (program, action)
    if key not in known:
        known[key] = _run(program, rows, action, known)
    return known[key]


def _run(program, rows, action, known):
    name, *arguments = program
    if name == "action_is":
        return action == arguments[0]
    if name == "at_action_cell":
        return _check(arguments[0], rows, action, known)
    return _check(arguments[1], rows, _first(rows, arguments[0]), known)


def _check(condition, rows, cell, known):
    """A condition asked at a cell, each at most once; None is nowhere."""
    if condition[0] == "cell_is_value":
        return _value(rows, cell) == condition[1]
    key = (condition, cell)
    if key not in known:
        known[key] = _look(condition, rows, cell, known)
    return known[key]


def _look(condition, rows, cell, known):
    name, (down, right), *inner = condition
    if name == "shifted":
        return _check(inner[0], rows, cell and (cell[0] + down, cell[1] + right), known)
    while cell:
        cell = (cell[0] + down, cell[1] + right)
        if _check(inner[0], rows, cell, known):
            return True
        if _check(inner[1], rows, cell, known) or _value(rows, cell) == "OFF":
            return False
    return False


def _value(rows, cell):
    if cell and 0 <= cell[0] < len(rows) and 0 <= cell[1] < len(rows[0]):
        return TOKENS[rows[cell[0]][cell[1]]]
    return "OFF"


def _first(rows, value):
    for r, row in enumerate(rows):
        for c, character in enumerate(row):
            if TOKENS[character] == value:
                return r, c
    return None
'''


def standalone(policy: Policy) -> str:
    """The text of a module whose `act` and `probabilities` are those of the policy."""
    for component in policy.components:
        for literal in component.formula.literals:
            for term in literal.term.walk():
                if term.primitive not in BUILT_IN:
                    raise BadInput(
                        f"{term.primitive} is a primitive of your own, which a standalone file does not know. "
                        "Save the policy as JSON and load it with your language instead."
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
    )


def _tuple(term: Term) -> Any:
    def plain(argument: Argument) -> Any:
        return _tuple(argument) if isinstance(argument, Term) else argument

    return (term.primitive, *(plain(argument) for argument in term.arguments))


def _in_docstring(text: str) -> str:
    """Text that nothing can break out of: a policy file may call its game anything."""
    plain = "".join(character if character.isprintable() or character == "\n" else " " for character in text)
    return plain.replace("\\", "\\\\").replace('"""', "'''")
