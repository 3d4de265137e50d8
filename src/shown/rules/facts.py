"""Facts about the demonstrations that the wording of a rule uses."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from shown.errors import BadInput, at
from shown.grid import Tokens
from shown.language.primitives import Primitive
from shown.rules.formula import Clause, Literal
from shown.symmetry import IDENTITY, Folded, Transformation, closure, fold

MOST_SYMMETRIES = 16
MOST_FOLDED = 100_000
"""Maximum number of images of literals compared to fold clauses."""


@dataclass(frozen=True)
class Facts:
    """Facts that hold in all demonstrations.

    Attributes:
        single: values that occur at most once per grid: "the rabbit", not "the first rabbit".
        always: literals of the policy that hold for every demonstrated action.
        pieces: things of which the world declares that every grid has exactly one cell (`Playable.pieces`).
        symmetries: symmetries under which the demonstrations were extended: "or mirrored left to right".
    """

    single: tuple[str, ...] = ()
    always: tuple[Literal, ...] = ()
    symmetries: tuple[Transformation, ...] = ()
    pieces: tuple[tuple[str, ...], ...] = ()

    def folded(self, clauses: Sequence[Clause], language: Mapping[str, Primitive]) -> tuple[Folded[Literal], ...]:
        """Return the clauses, one for each set of images; unchanged without symmetries or with too many clauses."""
        size = sum(map(len, clauses)) * len(closure(self.symmetries))
        if self.symmetries and size <= MOST_FOLDED:
            return fold(clauses, self.symmetries, language)
        return tuple(Folded(clause, (IDENTITY,)) for clause in clauses)

    def to_json(self) -> dict[str, Any]:
        value = {
            "single": list(self.single),
            "always": [str(literal) for literal in self.always],
            "symmetries": [transformation.to_json() for transformation in self.symmetries],
            "pieces": [list(piece) for piece in self.pieces],
        }
        return {key: part for key, part in value.items() if part}

    @classmethod
    def from_json(
        cls, value: Any, where: str, tokens: Tokens, buttons: tuple[str, ...], literal: Callable[[str, str], Literal]
    ) -> Facts:
        """Return the facts in a JSON value; `literal` parses a literal."""
        where = f'{where}: "facts"'
        if not isinstance(value, dict):
            raise BadInput(f"{where} must be an object.")
        single, always, symmetries, pieces = (
            value.get(key, []) for key in ("single", "always", "symmetries", "pieces")
        )
        if not isinstance(pieces, list) or len(pieces) > len(tokens):
            raise BadInput(f'{where}: "pieces" must be a list of lists of tokens.')
        for key, texts in (("single", single), ("always", always), *(("pieces", piece) for piece in pieces)):
            if not isinstance(texts, list) or not all(isinstance(text, str) for text in texts):
                raise BadInput(f'{where}: "{key}" must be a list of texts.')
        named = [name for piece in pieces for name in piece]
        if len(set(named)) < len(named) or not all(pieces):
            raise BadInput(f'{where}: "pieces" must be tokens, each once.')
        for name in (*single, *named):
            if name not in tokens.names:
                raise BadInput(f"{where}: {name[:40]!r} is not a token.")
        if not isinstance(symmetries, list) or len(symmetries) > MOST_SYMMETRIES:
            raise BadInput(f'{where}: "symmetries" must be a list of at most {MOST_SYMMETRIES}.')
        read = tuple(Transformation.from_json(item, where) for item in symmetries)
        for transformation in read:
            transformation.check(tokens, buttons)
        with at(f"{where}: "):
            closure(read)
        literals = tuple(literal(text, where) for text in always)
        return cls(tuple(single), literals, read, tuple(map(tuple, pieces)))


NO_FACTS = Facts()
"""No known facts."""
