"""Primitives, one file a family: `paper.py` has the paper's, `counting.py` those that count, `ways.py` those about
walks. `declaration.py` says what a primitive is."""

from shown.language.primitives.counting import COUNTING
from shown.language.primitives.declaration import EVERYWHERE, Condition, Language, Primitive, check_reach
from shown.language.primitives.paper import CELL_IS_VALUE, LANGUAGE
from shown.language.primitives.ways import WAYS

__all__ = [
    "CELL_IS_VALUE",
    "COUNTING",
    "EVERYWHERE",
    "LANGUAGE",
    "WAYS",
    "Condition",
    "Language",
    "Primitive",
    "check_reach",
]
