"""Primitives, one file a family: `paper.py` has the paper's. `declaration.py` says what a primitive is."""

from shown.language.primitives.declaration import EVERYWHERE, Condition, Language, Primitive, check_reach
from shown.language.primitives.paper import CELL_IS_VALUE, LANGUAGE

__all__ = ["CELL_IS_VALUE", "EVERYWHERE", "LANGUAGE", "Condition", "Language", "Primitive", "check_reach"]
