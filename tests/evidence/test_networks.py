from dataclasses import replace

import numpy as np
import pytest
import torch

from shown.errors import BadInput
from shown.grid import Grid
from shown.worlds import GAMES, find, load_levels, success_rate
from shown_evidence.baselines.network_policy import NetworkPolicy, largest_shape
from shown_evidence.baselines.networks import ARCHITECTURES, OFF_GRID, encode, examples_of
from shown_evidence.trials.demonstrators import demonstrations

NIM = find("nim")


def policy(network: str, **options: object) -> NetworkPolicy:
    loss = "choice" if network == "cnn" else "cells"
    return NetworkPolicy(network, largest_shape(NIM), **{"loss": loss, "seed": 0, **options})


@pytest.mark.parametrize(("network", "seed"), [("lln", 0), ("fcn", 1), ("cnn", 0)])
def test_each_network_learns_what_it_is_shown_in_nim(network: str, seed: int):
    """But for those starts of the FCN that die, of which the seed 0 is one."""
    demos = demonstrations(NIM, "train:0-4")
    fitted = policy(network, steps=1500, seed=seed).fit(demos)
    acts = fitted.act_many([step.grid for step in demos.steps])
    assert acts == [step.action for step in demos.steps]
    assert fitted.training_["fit"] == 1.0


def test_what_an_lln_learns_of_nim_carries_over():
    fitted = policy("lln", steps=2000).fit(demonstrations(NIM, "train:0-10"))
    assert success_rate(NIM, fitted, "test:0-8,random:0-19") > 0.5


@pytest.mark.parametrize("network", ["lln", "fcn"])
def test_what_it_says_of_a_grid_does_not_depend_on_the_padding(network: str):
    grid = Grid(("..", "|.", "||"))
    kind = replace(ARCHITECTURES[network], tokens=len(NIM.tokens))
    parameters = kind.initial(seed=5)
    scores = []
    for shape in ((3, 2), (9, 7)):
        said = kind.scores(parameters, *kind.one_hot(encode(NIM.tokens, [grid], shape))).reshape(shape)
        scores.append(said[:3, :2])
    assert torch.allclose(scores[0], scores[1], atol=1e-6)


def test_the_layers_are_the_papers():
    shapes = {name: replace(network, tokens=3, shape=(20, 2)).weights for name, network in ARCHITECTURES.items()}
    assert shapes["lln"] == [(1, 3, 3, 3)]
    assert [shape[:2] for shape in shapes["fcn"]] == [(8, 3), (4, 8), *[(4, 4)] * 5, (1, 4)]
    assert shapes["cnn"] == [(64, 3, 3, 3), (64, 64 * 40), (40, 64)]


def test_repeated_decisions_are_kept_once_with_their_weight():
    demos = demonstrations(NIM, "train:0,train:0,train:1")
    _, actions, weights = examples_of(demos, NIM.max_shape)
    assert len(actions) == len(weights) == len({(step.grid, step.action) for step in demos.steps})
    assert weights.sum() == pytest.approx(1)
    assert weights.max() >= 2 / len(demos.steps)


def test_grids_are_numbered_padded_and_cut():
    numbers = encode(NIM.tokens, [Grid(("|.", "||"))], (3, 2))[0]
    assert numbers.tolist() == [[2, 1], [2, 2], [OFF_GRID, OFF_GRID]]
    assert encode(NIM.tokens, [Grid(("|.", "||"))], (1, 1))[0].tolist() == [[2]]


def test_more_examples_than_a_batch_are_learned_too():
    demos = demonstrations(NIM, "random:1000-1039")
    fitted = policy("cnn", batch=16, steps=600).fit(demos)
    assert fitted.training_["fit"] > 0.95


def test_a_grid_larger_than_the_network_is_still_acted_on():
    fitted = policy("cnn", steps=50).fit(demonstrations(NIM, "train:0"))
    tall = Grid(("..",) * 29 + ("||",))
    row, column = fitted.act(tall)
    assert tall.inside((row, column))


@pytest.mark.parametrize("name", list(GAMES))
def test_every_level_fits_the_networks_shape(name: str):
    game = find(name)
    height, width = largest_shape(game)
    for level in load_levels(game, "train,test,random:0-49"):
        assert level.grid.height <= height
        assert level.grid.width <= width


def test_the_seed_decides():
    demos = demonstrations(NIM, "train:0-1")
    first, same, other = (policy("fcn", steps=30, seed=seed).fit(demos) for seed in (0, 0, 1))
    assert all(map(torch.equal, first.parameters_, same.parameters_))
    assert not torch.allclose(first.parameters_[0], other.parameters_[0])


def test_an_lln_that_classifies_clicks_any_cell_that_it_says_is_to_be_clicked():
    demos = demonstrations(NIM, "train:0-2")
    classifies = policy("lln", steps=300, choice="classified").fit(demos)
    highest = policy("lln", steps=300).fit(demos)
    assert not classifies.deterministic
    assert highest.deterministic
    there = np.ones((3, 4), dtype=bool)
    said = np.array([[-1.0, 2.0, -1.0, 0.5], [-1.0, -2.0, -3.0, -4.0], [-1.0, -2.0, -3.0, 1.0]])
    chosen = np.array([classifies._chosen(said, there) for _ in range(200)])
    assert [set(cells) for cells in chosen.T] == [{1, 3}, {0, 1, 2, 3}, {3}]
    assert highest._chosen(said, there) == [1, 0, 3]
    assert classifies.act(demos.steps[0].grid) in set(demos.steps[0].grid.cells())


def test_an_unknown_network_is_refused():
    with pytest.raises(BadInput, match=r"no network called 'fnc'. Did you mean 'fcn'\?"):
        policy("fnc").fit(demonstrations(NIM, "train:0"))
