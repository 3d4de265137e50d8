"""Where candidates disagree, and differ from the best one."""

import numpy as np

from shown.inference.learner import Learner
from shown.policy import uniform_policy
from shown.teaching.dialogue.disagreement import differences, doubt
from shown.worlds import demonstrate, find, load_levels, play

STOP = find("stop-the-fall")


def test_each_candidate_is_compared_where_it_is_farthest_from_the_best():
    policy = Learner(programs=1000, ensemble=6).fit(demonstrate(STOP, load_levels(STOP, "train:0-1"))).policy_
    level = load_levels(STOP, "random:17")[0]
    found = differences(policy, level, STOP)
    assert [item.component for item in found] == list(range(1, len(policy.components)))
    grids = [step.grid for step in play(STOP, policy.act, level).steps]
    assert any(item.distance > 0 for item in found)
    for item in found:
        apart = [
            float(np.abs(shares[item.component] - shares[0]).sum() / 2)
            for shares in map(policy.component_probabilities, grids)
        ]
        assert np.isclose(item.distance, max(apart))
        assert grids[item.step] == item.grid
        shares = policy.component_probabilities(item.grid)
        for actions, share in ((item.best, shares[0]), (item.other, shares[item.component])):
            assert [cell for cell in item.grid.cells() if share[cell] > 0] == list(actions)


def test_one_rule_alone_differs_from_nothing():
    assert differences(uniform_policy(STOP.tokens), load_levels(STOP, "train:0")[0], STOP) == ()


def test_the_doubt_of_a_level_is_the_largest_disagreement_of_its_episode():
    policy = Learner(programs=1000, ensemble=6).fit(demonstrate(STOP, load_levels(STOP, "train:0-1"))).policy_
    level = load_levels(STOP, "random:17")[0]
    found = doubt(policy, level, STOP)
    assert np.isclose(found, max(policy.disagreement(step.grid) for step in play(STOP, policy.act, level).steps))
    assert found > 0
    assert doubt(policy.map_policy, level, STOP) == 0
