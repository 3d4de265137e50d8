"""Rules as a person reads them.

- `formula.py`: literals, clauses, formulas
- `logic.py`: what follows from what, on every grid
- `canonical.py`: a formula without what says nothing, in an order that reads well
- `facts.py`: what saying a rule needs to know of the demonstrations
- `telling.py`: the formula in English
"""

from shown.rules.canonical import canonical
from shown.rules.facts import NO_FACTS, Facts
from shown.rules.formula import Formula, Literal
from shown.rules.telling import Saying, Speaker

__all__ = ["NO_FACTS", "Facts", "Formula", "Literal", "Saying", "Speaker", "canonical"]
