"""The paper's six games, learned from all eleven training demonstrations and 10,000 programs."""

import pytest

from shown.inference.learner import Learner
from shown.worlds import GAMES, demonstrate, find, load_levels, success_rate

# Top-level programs of the best policy before literals are dropped: the paper's, and how far from it we may be.
SIZES = {
    "nim": (3, 11),
    "checkmate": (15, 35),
    "chase": (60, 150),
    "stop-the-fall": (10, 30),
    "reach-for-the-star": (20, 55),
    "fence-in": (4, 18),
}


@pytest.fixture(scope="module", params=GAMES)
def game(request):
    game = find(request.param)
    return game, demonstrate(game, load_levels(game, "train"))


def test_eleven_demonstrations_teach_all_nine_tests_and_nearly_all_generated_levels(game):
    rules, demonstrations = game
    tests = load_levels(rules, "test")
    assert (len(demonstrations), len(tests)) == (11, 9)
    policy = Learner().fit(demonstrations).policy_
    assert success_rate(rules, policy, tests) == 1.0
    assert success_rate(rules, policy, load_levels(rules, "random:0-99")) >= 0.95


def test_policies_are_about_as_large_as_in_the_paper(game):
    rules, demonstrations = game
    best = Learner(drop_literals=False).fit(demonstrations).policy_.components[0].formula
    least, most = SIZES[rules.name]
    assert least <= len(best.literals) <= most
