"""Hypotheses about a teacher: an interpretation of the clicks, with or without mirror images."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace

import numpy as np

from shown.demonstrations import Demonstrations
from shown.errors import BadInput
from shown.language.primitives import LANGUAGE, Language
from shown.policy import Policy
from shown.symmetry import Transformation, images
from shown.symmetry.transformation import TURNS
from shown.teaching.interpretation.interpretations import EXACT_CLICKS, Interpretation

TEMPERATURE = 3.0  # flattens the weights of a mixture; from 1 (the posterior) to 10 results hardly differ


@dataclass(frozen=True)
class Hypothesis:
    """One way to understand a teacher.

    Attributes:
        interpretation: meaning of a click.
        symmetries: transformations under which the demonstrations hold as well; none, or the game's.
        language: vocabulary of the rules; None for the fitter's.
        keys: tokens that act as keys (`language/key_presses.py`), whose places do not matter.
        lenient: whether actions that no program distinguishes from a shown one are open. Then something always fits.
    """

    interpretation: Interpretation
    symmetries: tuple[Transformation, ...] = ()
    language: Language | None = None
    keys: tuple[str, ...] = ()
    lenient: bool = False

    @property
    def name(self) -> str:
        """The hypothesis in words: "exact clicks, plus mirror images"."""
        parts = [self.interpretation.name]
        if self.symmetries:
            parts.append(f"plus {_images_in_words(self.symmetries)}")
        if self.keys:
            parts.append("wherever the keys are")
        if self.language is not None:
            parts.append(f"in the {self.language.name or 'given'} vocabulary")
        if self.lenient:
            parts.append("plus look-alike actions")
        return ", ".join(parts)


def _images_in_words(symmetries: Iterable[Transformation]) -> str:
    motions = {transformation.cells for transformation in symmetries} - {"same"}
    kinds = ["rotated"] * bool(motions & {"clockwise", "counter-clockwise"} or motions == {"half-turn"})
    kinds += ["mirror"] * bool(motions - TURNS)
    return f"{' and '.join(kinds)} images" if kinds else "images with tokens exchanged"


def with_images(demonstrations: Demonstrations, symmetries: tuple[Transformation, ...]) -> Demonstrations:
    """Return the demonstrations, followed by their images if there are symmetries."""
    return images(demonstrations, symmetries) if symmetries else demonstrations


def flattened(policy: Policy) -> Policy:
    """Return the policy with the logarithms of its weights divided by `TEMPERATURE`.

    The posterior is overconfident in its best formula; flattened, the second and third count as well.
    """
    scores = np.array([c.log_prior + c.log_likelihood for c in policy.components]) / TEMPERATURE
    weights = np.exp(scores - scores.max())
    weights /= weights.sum()
    components = (replace(c, weight=float(w)) for c, w in zip(policy.components, weights, strict=True))
    return replace(policy, components=tuple(components))


def hypothesis_of(policy: Policy) -> Hypothesis:
    """Return the hypothesis that a policy was learned under; exact clicks if its provenance has none.

    >>> from shown.grid import Tokens
    >>> from shown.policy import uniform_policy
    >>> hypothesis_of(uniform_policy(Tokens(empty="."))).name
    'exact clicks'
    """
    found = policy.provenance
    language = None if policy.language == LANGUAGE else policy.language
    try:
        interpretation = (
            EXACT_CLICKS if found.interpretation is None else Interpretation.from_json(found.interpretation)
        )
    except BadInput:  # written by another version, or by hand
        return Hypothesis(EXACT_CLICKS, (), language)
    keys = tuple(name for name in policy.tokens.names if name in found.keys)
    return Hypothesis(interpretation, found.symmetries, language, keys, found.lenient)
