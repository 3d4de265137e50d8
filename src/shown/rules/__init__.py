"""Rules as a person reads them.

- `formula.py`: literals, clauses, formulas
- `logic.py`: what follows from what, on every grid
- `canonical.py`: a formula without what says nothing, in an order that reads well
- `facts.py`: what saying a rule needs to know of the demonstrations
- `telling.py`: the formula in English
- `reading.py`: literals and clauses from their text
- `conditions.py`: what a teacher says of the rule itself: what stays, and what was an accident
"""

from shown.rules.canonical import canonical
from shown.rules.conditions import NO_CONDITIONS, Conditions
from shown.rules.facts import NO_FACTS, Facts
from shown.rules.formula import Formula, Literal
from shown.rules.telling import Saying, Speaker

__all__ = [
    "NO_CONDITIONS", "NO_FACTS", "Conditions", "Facts", "Formula", "Literal", "Saying", "Speaker", "canonical",
]  # fmt: skip
