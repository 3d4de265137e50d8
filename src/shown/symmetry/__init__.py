"""Symmetry: images of grids, actions, programs and demonstrations under mirroring, turning and renaming.

- transformations: `Transformation`, `closure`, `compose`, `inverse`, `in_words`
- states, actions, demonstrations: `of_grid`, `of_action`, `of_step`, `images`
- programs and rules: `of_offset`, `of_value`, `of_term`, `fold`, `unfold`
- candidates: `by_name`, `proposed_for_buttons`, `suggest_symmetries`, `contradicts`
"""

from shown.symmetry.images import fits, images, of_action, of_cell, of_demonstration, of_grid, of_step
from shown.symmetry.programs import Folded, fold, of_button, of_clause, of_offset, of_term, of_value, unfold
from shown.symmetry.suggestions import by_name, confirmed, contradicts, proposed_for_buttons, suggest_symmetries
from shown.symmetry.transformation import IDENTITY, MOTIONS, Transformation, closure, compose, in_words, inverse

__all__ = [
    "IDENTITY", "MOTIONS", "Folded", "Transformation", "by_name", "closure", "compose", "confirmed", "contradicts",
    "fits", "fold", "images", "in_words", "inverse", "of_action", "of_button", "of_cell", "of_clause",
    "of_demonstration", "of_grid", "of_offset", "of_step", "of_term", "of_value", "proposed_for_buttons",
    "suggest_symmetries", "unfold",
]  # fmt: skip
