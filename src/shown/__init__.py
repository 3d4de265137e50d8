"""Learn a policy from a few demonstrations, as rules a person can read.

>>> import shown
>>> nim = shown.games.find("nim")
>>> demos = shown.games.demonstrate(nim, shown.games.load_levels(nim, "train:0-4"))
>>> policy = shown.Learner(programs=1000).fit(demos).policy_
>>> policy.act(shown.Grid(("..", "|.", "||")))
(1, 0)
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

from shown.version import __version__

if TYPE_CHECKING:
    from shown import games
    from shown.cluster import Cluster
    from shown.demonstrations import Demonstration, Demonstrations, Step
    from shown.errors import BadInput, BadLevel, BadProgram, Contradicted, NothingFits, ShownError
    from shown.grid import OFF, Grid, Tokens
    from shown.inference.learner import Learner, Progress
    from shown.language.checking import check_primitive
    from shown.language.grammar import Grammar, Rule, geometric, paper_grammar, paper_offsets, uniform
    from shown.language.primitives import LANGUAGE, Language, Primitive
    from shown.language.standard import STANDARD, standard_grammar
    from shown.language.terms import Kind, Term, parse
    from shown.policy import Component, Policy
    from shown.rules import Conditions, Formula, Literal
    from shown.symmetry import Transformation
    from shown.teaching.readings import Reading
    from shown.teaching.teach import Taught, teach

_HOME = {
    "shown.cluster": ("Cluster",),
    "shown.demonstrations": ("Demonstration", "Demonstrations", "Step"),
    "shown.errors": ("BadInput", "BadLevel", "BadProgram", "Contradicted", "NothingFits", "ShownError"),
    "shown.grid": ("OFF", "Grid", "Tokens"),
    "shown.inference.learner": ("Learner", "Progress"),
    "shown.language.checking": ("check_primitive",),
    "shown.language.grammar": ("Grammar", "Rule", "geometric", "paper_grammar", "paper_offsets", "uniform"),
    "shown.language.primitives": ("LANGUAGE", "Language", "Primitive"),
    "shown.language.standard": ("STANDARD", "standard_grammar"),
    "shown.language.terms": ("Kind", "Term", "parse"),
    "shown.policy": ("Component", "Policy"),
    "shown.rules": ("Conditions", "Formula", "Literal"),
    "shown.symmetry": ("Transformation",),
    "shown.teaching.readings": ("Reading",),
    "shown.teaching.teach": ("Taught", "teach"),
}
_MODULE_OF = {name: module for module, names in _HOME.items() for name in names}

__all__ = [
    "LANGUAGE", "OFF", "STANDARD", "BadInput", "BadLevel", "BadProgram", "Cluster", "Component", "Conditions",
    "Contradicted", "Demonstration", "Demonstrations", "Formula", "Grammar", "Grid", "Kind", "Language",
    "Learner", "Literal", "NothingFits", "Policy", "Primitive", "Progress", "Reading", "Rule", "ShownError",
    "Step", "Taught", "Term", "Tokens", "Transformation", "__version__", "check_primitive", "games",
    "geometric", "paper_grammar", "paper_offsets", "parse", "standard_grammar", "teach", "uniform",
]  # fmt: skip


def __getattr__(name: str) -> Any:
    """Loads what is asked for when it is asked for: `import shown` costs next to nothing."""
    if name in _MODULE_OF:
        return getattr(import_module(_MODULE_OF[name]), name)
    if name == "games":
        return import_module("shown.games")
    raise AttributeError(f"module 'shown' has no attribute {name!r}")


def __dir__() -> list[str]:
    return __all__
