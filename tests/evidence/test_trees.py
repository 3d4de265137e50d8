"""Trees on windows and on programs, networks with mirrored data, and the search without demonstrations."""

import numpy as np
import pytest
import torch

from shown.demonstrations import Demonstrations
from shown.symmetry import images
from shown.worlds import find, load_levels, play_many
from shown_evidence.baselines.cell_trees import CellTrees
from shown_evidence.baselines.linear_search import LinearSearch
from shown_evidence.baselines.program_values import ProgramValues
from shown_evidence.trials.demonstrators import demonstrations
from shown_evidence.trials.learners import METHODS


def test_a_programs_value_does_not_depend_on_the_other_grids():
    """Which programs are equal, constant or negated does."""
    game = find("checkmate")
    grids = [level.grid for level in load_levels(game, "random:910000-910003")]
    programs = np.arange(400)
    together = ProgramValues.of(grids, game.tokens, 400).program_rows(programs)
    alone = [ProgramValues.of([grid], game.tokens, 400).program_rows(programs) for grid in grids]
    assert sorted(map(bytes, together)) == sorted(bytes(row) for part in alone for row in part)
    assert 0 < together.mean() < 1


@pytest.mark.parametrize("method", ["tree", "boosted", "tree-programs", "boosted-programs"])
def test_trees_repeat_demonstrations_and_programs_help(method: str):
    game = find("checkmate")
    demos = demonstrations(game, "train:0-4")
    own = {name: min(value, 500) for name, value in METHODS[method].options.items()}
    policy = METHODS[method].build(game, 0, own).fit(demos)
    assert isinstance(policy, CellTrees)
    assert policy.act_many([step.grid for step in demos.steps]) == [step.action for step in demos.steps]


def test_mirrored_networks_learn_from_images():
    game = find("reach-for-the-star")
    demos = demonstrations(game, "train:0")
    few = {"steps": 20, "batch": 8}
    plain, mirrored = (
        METHODS[name].build(game, 1, {**METHODS[name].options, **few}).fit(given)
        for name, given in (("fcn", images(demos, game.symmetries)), ("fcn-mirrored", demos))
    )
    assert len(images(demos, game.symmetries)) > len(demos)
    assert all(map(torch.equal, plain.parameters_, mirrored.parameters_))


def test_a_search_wins_nim_without_demonstrations():
    nim = find("nim")
    search = LinearSearch(nim, seed=1, episodes=6000).fit(Demonstrations(nim.tokens, (), nim.name))
    won = [episode.won for episode in play_many(nim, search, load_levels(nim, "random:900000-900019"))]
    assert sum(won) >= 15
    assert search.played_ <= 6000
