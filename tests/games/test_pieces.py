"""What games declare about their pieces is so, and rules put into words with it allow the same."""

from itertools import islice

import numpy as np
import pytest

from shown.language.standard import STANDARD
from shown.policy import Component, Policy
from shown.rules import Formula, Literal, canonical
from shown.worlds import GAMES, find, load_levels, play
from strategies import examples, some
from warehouse import Warehouse

DECLARING = [name for name in GAMES if find(name).pieces]


def positions(place, seeds, steps=25, expert=True):
    """Positions to act in; with `expert`, two of three actions are the expert's, and otherwise all are random."""
    rng = np.random.default_rng(0)
    for seed in seeds:
        for world, start in place.starts([seed]):
            grid = world.reset(start)
            for step in range(steps):
                yield grid
                actions = list(world.buttons or grid.cells())
                outcome = world.step(world.expert() if expert and step % 3 else actions[rng.integers(len(actions))])
                if outcome.over:
                    break
                grid = outcome.grid


def check(place, grids):
    for grid in grids:
        for piece in place.pieces:
            assert sum(grid.text.count(place.tokens[name]) for name in piece) == 1, (piece, grid.text)


@pytest.mark.parametrize("name", DECLARING)
def test_every_position_has_one_cell_of_each_piece(name):
    game = find(name)
    check(game, [level.grid for split in ("train", "test") for level in load_levels(game, split)])
    check(game, positions(game, range(900000, 900000 + examples(80))))


def test_the_warehouse_has_one_robot():
    check(Warehouse(), positions(Warehouse(), range(examples(80)), steps=60))


@pytest.mark.parametrize("seed", [0, 3, 208])  # in the last two, a parcel once closed the way to the dock
def test_every_warehouse_can_be_emptied(seed):
    warehouse = Warehouse()
    assert play(warehouse, lambda _: warehouse.expert(), seed).demonstration.outcome == "won"


@pytest.mark.parametrize("name", some(DECLARING, "fence-in"))
def test_rules_in_canonical_form_allow_the_same_in_every_position(name):
    game, rng = find(name), np.random.default_rng(1)
    programs = [term for term, _ in islice(STANDARD.grammar(game.tokens, ()).programs(), 3000)]
    grids, shorter = list(positions(game, range(900100, 900104), steps=12)), 0
    for _ in range(examples(400)):
        few = rng.integers(len(programs), size=6)
        chosen = [[Literal(programs[few[i]], bool(rng.integers(2))) for i in rng.integers(6, size=4)] for _ in range(3)]
        formula = Formula(tuple(tuple(dict.fromkeys(clause)) for clause in chosen))
        said = canonical(formula, game.tokens.values, (), game.pieces)
        shorter += len(said.literals) < len(canonical(formula, game.tokens.values).literals)
        rules = [Policy(game.tokens, (Component(1.0, 0.0, 0.0, f),), language=STANDARD) for f in (formula, said)]
        for before, after in zip(*(rule.probabilities_of(grids) for rule in rules), strict=True):
            assert np.array_equal(before, after), (formula, said)
    assert shorter
