"""Random programs on random grids: whatever computes them gives what the reference gives."""

from __future__ import annotations

import random
from pathlib import Path
from typing import Any

import numpy as np

from fuzz import mutate, sound
from fuzz.cases import expected
from shown.grid import Action, Grid, Tokens
from shown.language.phrases import say
from shown.language.plan import Plan, reference_columns
from shown.language.primitives import LANGUAGE
from shown.language.reference import View
from shown.language.terms import MAX_TEXT, parse


def make(rng: random.Random) -> Any:
    tokens, buttons, _ = sound.world(rng)
    depth, far = rng.choice((1, 2, 4, 8)), rng.choice((1, 2, 9))
    texts = [str(sound.term(rng, tokens, buttons, depth=depth, far=far)) for _ in range(rng.randint(1, 8))]
    return {
        "tokens": tokens.characters,
        "buttons": list(buttons),
        "programs": [text for text in texts if len(text) <= MAX_TEXT],
        "spoilt": mutate.text(rng, rng.choice(texts)),
        "grids": [list(sound.grid(rng, tokens, rng.choice((1, 3, 9))).rows) for _ in range(rng.choice((1, 2, 5, 70)))],
    }


def run(data: Any, folder: Path) -> None:
    tokens, buttons = Tokens(**data["tokens"]), tuple(data["buttons"])
    with expected():
        parse(data["spoilt"], LANGUAGE, tokens.values, buttons)
    terms = [parse(text, LANGUAGE, tokens.values, buttons) for text in data["programs"]]
    for text, term in zip(data["programs"], terms, strict=True):
        assert str(term) == text, f"{text!r} is printed as {str(term)!r}"
        assert say(term, LANGUAGE) != say(term, LANGUAGE, positive=False), f"{text!r} is said like its opposite"
    if not terms:
        return
    grids = [Grid(rows) for rows in data["grids"]]
    plan = Plan(terms, tokens, buttons, LANGUAGE)
    world = plan.world(grids)
    columns = plan.columns(world)
    for number, grid in enumerate(grids):
        actions: list[Action] = list(buttons) or list(grid.cells())
        places = [world.row(number, action) for action in actions]
        together = np.array([[int(column[word]) >> bit & 1 for word, bit in places] for column in columns])
        alone = plan.world_and_columns([grid])[1] & np.uint64(1)
        meant = reference_columns(terms, View(grid, tokens), buttons, LANGUAGE)
        for name, bits in (("among others", together), ("alone", alone)):
            wrong = np.argwhere(bits.astype(bool) != meant)
            assert not len(wrong), f"{name}: {terms[wrong[0][0]]} is wrong about {actions[wrong[0][1]]} on\n{grid}"
