"""Primitives, one module per family.

- `declaration.py`: the form of a declaration
- `paper.py`: the paper's primitives
- `counting.py`: primitives that count
- `ways.py`: primitives about walks
"""

from shown.language.primitives.counting import COUNTING
from shown.language.primitives.declaration import EVERYWHERE, Condition, Language, Primitive, check_reach
from shown.language.primitives.paper import CELL_IS_VALUE, LANGUAGE
from shown.language.primitives.ways import WAYS

__all__ = [
    "CELL_IS_VALUE", "COUNTING", "EVERYWHERE", "LANGUAGE", "WAYS", "Condition", "Language", "Primitive",
    "check_reach",
]  # fmt: skip
