"""Rules as a person reads them.

- `formula.py`: literals, clauses, formulas
- `bitwise.py`: formulas over columns of bits
- `mixtures.py`: mixtures of such formulas
- `logic.py`: entailment that holds on every grid
- `canonical.py`: a formula without redundancy, in readable order
- `facts.py`: facts about the demonstrations that the wording uses
- `english.py`: formulas in English
- `parsing.py`: literals and clauses from text
- `constraints.py`: pinned clauses and struck programs
"""

from shown.rules.canonical import canonical
from shown.rules.constraints import NO_CONSTRAINTS, Constraints
from shown.rules.english import Saying, Speaker
from shown.rules.facts import NO_FACTS, Facts
from shown.rules.formula import Formula, Literal

__all__ = [
    "NO_CONSTRAINTS", "NO_FACTS", "Constraints", "Facts", "Formula", "Literal", "Saying", "Speaker", "canonical",
]  # fmt: skip
