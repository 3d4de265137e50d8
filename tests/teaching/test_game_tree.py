"""Games of many policies: results are those of playing each alone, with every step computed."""

from __future__ import annotations

from dataclasses import replace

import pytest

from shown import Learner
from shown.policy import uniform_policy
from shown.teaching.practice import game_tree
from shown.teaching.practice.game_tree import GameTree
from shown.worlds import demonstrate, find, load_levels, play_starts, wins

GAMES = ["nim", "checkmate", "chase", "stop-the-fall", "reach-for-the-star", "fence-in"]


def rules_of(game):
    """Return policies of a single rule each, good and bad ones."""
    shown = demonstrate(game, load_levels(game, "train:0"))
    found = Learner(programs=3000, language="standard").fit(shown).policy_
    single = [replace(found, components=(replace(part, weight=1.0),)) for part in found.components[:6]]
    return [uniform_policy(game.tokens, game.name, language=found.language), *single]


@pytest.mark.parametrize("most", [0, game_tree.MAX_POSITIONS])
@pytest.mark.parametrize("name", GAMES)
def test_results_are_those_of_playing_alone(name, most, monkeypatch):
    monkeypatch.setattr(game_tree, "MAX_POSITIONS", most)
    game = find(name)
    policies, tree = rules_of(game), GameTree(game)
    assert len(policies) > 2
    starts = [game.practice_start(number, 5) for number in range(8)]
    expected = [[episode.won for episode in play_starts(starts, policy)] for policy in policies]
    assert [wins(starts, policy) for policy in policies] == expected
    assert tree.wins(starts, policies) == expected
    assert tree.wins(starts[3:], policies[2:]) == [won[3:] for won in expected[2:]]
    assert tree.wins([], policies) == [[] for _ in policies]


def counted(name):
    """Return a game that notes its steps, and the list of them."""
    calls = []

    class Counted(type(find(name))):
        def step(self, grid, action, rng):
            calls.append((grid, action))
            return super().step(grid, action, rng)

    return Counted(), calls


def test_a_step_is_computed_once():
    game, calls = counted("chase")
    tree, policies = GameTree(game), rules_of(game)
    starts = [game.practice_start(number) for number in range(4)]
    won = tree.wins(starts, policies)
    computed = len(calls)
    assert tree.wins(starts[::-1], policies[::-1]) == [own[::-1] for own in won[::-1]]
    assert len(calls) == computed > 0


def test_a_player_that_repeats_itself_without_chance_has_lost():
    game, calls = counted("reach-for-the-star")
    starts, policy = [game.practice_start(0)], uniform_policy(game.tokens)
    won = GameTree(game).wins(starts, [policy])
    assert len(calls) < game.max_steps
    assert won == [wins(starts, policy)]


def test_at_the_deadline_only_levels_before_the_first_unfinished_one_count(monkeypatch):
    game, clock = find("stop-the-fall"), [0.0]

    def tick():
        clock[0] += 1.0
        return clock[0]

    policies, starts = rules_of(game), [game.practice_start(number) for number in range(6)]
    whole = GameTree(game).wins(starts, policies)
    monkeypatch.setattr(game_tree.time, "monotonic", tick)
    for deadline in (0.5, 3.5, 9.5, 1000.0):
        clock[0] = 0.0
        found = GameTree(game).wins(starts, policies, deadline)
        length = len(found[0])
        assert found == [won[:length] for won in whole]
        assert length == {0.5: 0, 1000.0: 6}.get(deadline, length)
