"""Learn a policy from a few demonstrations, as rules a person can read.

>>> import shown
>>> from shown.worlds import demonstrate, find
>>> demos = demonstrate(find("nim"), "train:0-4")
>>> policy = shown.Learner(programs=1000).fit(demos).policy_
>>> policy.act(shown.Grid(("..", "|.", "||")))
(1, 0)
"""

from __future__ import annotations

import sys
from importlib import import_module
from typing import TYPE_CHECKING, Any

from shown.version import __version__

if sys.platform == "win32":
    raise ImportError("shown runs on Linux and macOS. On Windows, install it in WSL.")

if TYPE_CHECKING:
    from shown.columns.resources import Resources
    from shown.demonstrations import Demonstration, Demonstrations, Step
    from shown.errors import BadInput, BadLevel, BadProgram, Contradicted, NothingFits, ShownError
    from shown.grid import OFF, Action, Cell, Grid, Tokens
    from shown.inference.learner import Learner, Progress
    from shown.language.checking import check_primitive
    from shown.language.grammar import Grammar, Rule, geometric, paper_grammar, paper_offsets, uniform
    from shown.language.primitives import LANGUAGE, Language, Primitive
    from shown.language.standard import STANDARD, standard_grammar
    from shown.language.terms import Kind, Term, parse
    from shown.policy import Component, Policy
    from shown.rules import Constraints, Formula, Literal
    from shown.symmetry import Transformation
    from shown.teaching.interpretation.interpretations import Interpretation
    from shown.teaching.result import Taught
    from shown.teaching.teach import teach

_HOME = {
    "shown.columns.resources": ("Resources",),
    "shown.demonstrations": ("Demonstration", "Demonstrations", "Step"),
    "shown.errors": ("BadInput", "BadLevel", "BadProgram", "Contradicted", "NothingFits", "ShownError"),
    "shown.grid": ("OFF", "Action", "Cell", "Grid", "Tokens"),
    "shown.inference.learner": ("Learner", "Progress"),
    "shown.language.checking": ("check_primitive",),
    "shown.language.grammar": ("Grammar", "Rule", "geometric", "paper_grammar", "paper_offsets", "uniform"),
    "shown.language.primitives": ("LANGUAGE", "Language", "Primitive"),
    "shown.language.standard": ("STANDARD", "standard_grammar"),
    "shown.language.terms": ("Kind", "Term", "parse"),
    "shown.policy": ("Component", "Policy"),
    "shown.rules": ("Constraints", "Formula", "Literal"),
    "shown.symmetry": ("Transformation",),
    "shown.teaching.interpretation.interpretations": ("Interpretation",),
    "shown.teaching.result": ("Taught",),
    "shown.teaching.teach": ("teach",),
}
_MODULE_OF = {name: module for module, names in _HOME.items() for name in names}

__all__ = [
    "LANGUAGE", "OFF", "STANDARD", "Action", "BadInput", "BadLevel", "BadProgram", "Cell", "Component",
    "Constraints", "Contradicted", "Demonstration", "Demonstrations", "Formula", "Grammar", "Grid",
    "Interpretation", "Kind", "Language", "Learner", "Literal", "NothingFits", "Policy", "Primitive", "Progress",
    "Resources", "Rule", "ShownError", "Step", "Taught", "Term", "Tokens", "Transformation", "__version__",
    "check_primitive", "geometric", "paper_grammar", "paper_offsets", "parse", "standard_grammar", "teach", "uniform",
]  # fmt: skip


def __getattr__(name: str) -> Any:
    """Load a public name on first use, so that `import shown` is fast."""
    if name in _MODULE_OF:
        return getattr(import_module(_MODULE_OF[name]), name)
    raise AttributeError(f"module 'shown' has no attribute {name!r}")


def __dir__() -> list[str]:
    return __all__
