"""What is right, to begin with: worlds, grids, programs, policies, demonstrations, lessons, results."""

from __future__ import annotations

import json
import random
from functools import cache
from typing import Any

from measuring import measured
from shown.demonstrations import Demonstration, Demonstrations, Step
from shown.grid import Grid, Tokens
from shown.language.primitives import LANGUAGE, Language
from shown.language.standard import STANDARD
from shown.language.terms import Kind, Term, names_by_kind
from shown.policy import Component, Formula, Literal, Policy
from shown.provenance import NO_PROVENANCE, Provenance
from shown.worlds import GAMES, demonstrate, find, load_levels
from shown_evidence.trials.trial import Trial
from strategies import BUTTONS, TOKENS

NAMES = ("a", "empty", "wall", "wall_2", "x" * 40, "of", "the_end", "off", "def", "none")
MANY_BUTTONS = tuple(f"b{i}" for i in range(1000))
CHARACTERS = ".#*|A\"'\\{}%é😀~^01"


def world(rng: random.Random) -> tuple[Tokens, tuple[str, ...], str | None]:
    """Tokens, buttons and a game's name: of a game, of the tests' world, or made up."""
    kind = rng.randrange(3)
    if kind == 0:
        game = find(rng.choice(list(GAMES)))
        return game.tokens, game.buttons, game.name
    buttons = rng.choice(((), (), BUTTONS, ("a",), ("not_this", "OFF"), MANY_BUTTONS[: rng.randint(2, 1000)]))
    if kind == 1:
        return TOKENS, buttons, None
    count = rng.randint(1, 6)
    names, characters = rng.sample(NAMES, count), rng.sample(CHARACTERS, count)
    return Tokens(**dict(zip(names, characters, strict=True))), buttons, rng.choice((None, "mine", "it's {mine}"))


def grid(rng: random.Random, tokens: Tokens, most: int = 7) -> Grid:
    height, width = rng.randint(1, most), rng.randint(1, most)
    return Grid(tuple("".join(rng.choices(list(tokens), k=width)) for _ in range(height)))


def term(
    rng: random.Random,
    tokens: Tokens,
    buttons: tuple[str, ...],
    kind: Kind = Kind.PROGRAM,
    depth: int = 4,
    far: int = 3,
    language: Language = LANGUAGE,
) -> Term:
    """Any program that the language can say in this world, nested up to `depth`."""
    usable = [
        primitive
        for primitive in language.values()
        if primitive.gives is kind
        and primitive.needs in (None, "button" if buttons else "click")
        and (depth > 0 or Kind.CONDITION not in primitive.takes)
    ]
    primitive = rng.choice(usable)
    atoms = names_by_kind(tokens.values, buttons)

    def argument(kind: Kind) -> Any:
        if kind is Kind.CONDITION:
            return term(rng, tokens, buttons, kind, depth - 1 if rng.random() < 0.8 else 0, far, language)
        return rng.choice(atoms[kind]) if kind in atoms else _number_or_offset(rng, kind, far)

    return Term(primitive.name, tuple(map(argument, primitive.takes)))


def _number_or_offset(rng: random.Random, kind: Kind, far: int) -> int | tuple[int, int]:
    if kind is Kind.NUMBER:
        return rng.choice((0, 1, 2, 3, 7))
    offset = (0, 0)
    while offset == (0, 0):
        offset = (rng.randint(-far, far), rng.randint(-far, far))
    return offset


def policy(rng: random.Random, far: int = 3) -> Policy:
    """A mixture of formulas in any world; now and then large, or looking far."""
    tokens, buttons, game = world(rng)
    components, literals = rng.choice((1, 1, 2, 3, 30)), rng.choice((1, 2, 3, 8))
    depth = rng.choice((1, 3, 3, 6, 12))
    language = rng.choice((LANGUAGE, LANGUAGE, STANDARD))
    pool = [term(rng, tokens, buttons, depth=depth, far=rng.choice((1, far, 40)), language=language) for _ in range(6)]
    shares = [rng.randint(0, 9) for _ in range(components - 1)]
    whole = sum(shares) + 1

    def formula() -> Formula:
        return Formula(
            tuple(
                tuple(Literal(rng.choice(pool), rng.random() < 0.5) for _ in range(rng.randint(0, literals)))
                for _ in range(rng.randint(0, 4))
            )
        )

    parts = tuple(Component(share / whole, -1.5, -0.5, formula()) for share in (*shares, 1))
    provenance = rng.choice((NO_PROVENANCE, Provenance(programs=10, distinct=4, settings={"seed": 3})))
    return Policy(tokens, parts, game, buttons, provenance, language)


@cache
def shown_by_expert(name: str, levels: str = "train:0-2") -> Demonstrations:
    game = find(name)
    return demonstrate(game, load_levels(game, levels))


def demonstrations(rng: random.Random) -> Demonstrations:
    """Of a game by its expert, or of a made-up world at random."""
    if rng.random() < 0.5:
        return shown_by_expert(rng.choice(list(GAMES)))
    tokens, buttons, game = world(rng)

    def step() -> Step:
        board = grid(rng, tokens, 4)
        actions: list[Any] = list(buttons) or list(board.cells())
        marks: dict[str, Any] = {}
        if rng.random() < 0.2:
            marks = {"weight": rng.choice((0.5, 2.0)), "refused": rng.random() < 0.5, "open": (rng.choice(actions),)}
        return Step(board, rng.choice(actions), **marks)

    items = tuple(Demonstration(tuple(step() for _ in range(rng.randint(1, 4)))) for _ in range(rng.randint(1, 4)))
    return Demonstrations(tokens, items, game, buttons)


def levels(rng: random.Random, name: str) -> dict[str, Any]:
    """A levels file."""
    spec = rng.choice(("train:0", "test:0-2", "random:5-6"))
    return {"game": name, "levels": [level.grid.text for level in load_levels(find(name), spec)]}


def rows(rng: random.Random) -> list[dict[str, Any]]:
    """Results as JSON."""
    trials = [
        Trial("lpp", "nim", "train:0"),
        Trial("vpi", "chase", "train:0-4"),
        Trial("lpp", "nim", "train:1", seed=3),
    ]
    return [json.loads(measured(trial).to_json()) for trial in rng.sample(trials, rng.randint(1, 3))]
