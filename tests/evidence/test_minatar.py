"""MinAtar: what the scripted experts do, and how returns are reported. The games themselves need minatar."""

from dataclasses import replace
from types import SimpleNamespace

import numpy as np
import pytest

from measuring import measured
from shown.worlds import demonstrate, find
from shown.worlds.episodes import play_expert
from shown_evidence.experiments import arcade_games
from shown_evidence.experiments import find as find_experiment
from shown_evidence.experiments.experiment import Scale
from shown_evidence.minatar_worlds import GAMES, STEPS, collects, crosses, returns_the_ball, shoots, world_name
from shown_evidence.trials.demonstrators import seeds_named


@pytest.mark.parametrize(
    ("cars", "letter"),
    [
        ([[9, 4, 1, 1]], "u"),
        ([[4, 4, 1, 1]], "n"),
        ([[3, 4, 1, 1]], "n"),
        ([[3, 4, 1, -1]], "u"),
        ([[4, 4, 1, 1], [3, 5, 1, 1]], "d"),
        ([[4, 4, 1, 1], [3, 5, 1, 1], [5, 6, 1, -1]], "n"),
    ],
)
def test_the_chicken_waits_for_cars(cars, letter):
    assert crosses(SimpleNamespace(pos=5, cars=cars)) == letter


@pytest.mark.parametrize(
    ("x", "y", "way", "letter"), [(0, 3, 2, "r"), (9, 3, 3, "n"), (1, 6, 3, "l"), (0, 5, 0, "l"), (4, 7, 1, "n")]
)
def test_the_paddle_goes_where_the_ball_lands(x, y, way, letter):
    assert returns_the_ball(SimpleNamespace(ball_x=x, ball_y=y, ball_dir=way, pos=4)) == letter


def invaders(aliens, bullets, pos=5):
    maps = np.zeros((2, 10, 10))
    for number, cells in enumerate((aliens, bullets)):
        for cell in cells:
            maps[number][cell] = 1
    return SimpleNamespace(alien_map=maps[0], e_bullet_map=maps[1], pos=pos)


def test_the_cannon_dodges_shoots_and_goes_below_aliens():
    assert shoots(invaders([(0, 5)], [])) == "f"
    assert shoots(invaders([(0, 7)], [])) == "r"
    assert shoots(invaders([(0, 7)], [(8, 6)])) == "n"
    assert shoots(invaders([(0, 5)], [(8, 5)])) == "l"
    assert shoots(invaders([(0, 5)], [(8, 5), (8, 4)])) == "r"
    assert shoots(invaders([(0, 5)], [(1, 5)])) == "f"


@pytest.mark.parametrize(
    ("entities", "letter"),
    [
        ([[5, 2, True, True]], "u"),
        ([[5, 2, True, True], [4, 4, True, False]], "n"),
        ([[9, 5, False, True]], "r"),
        ([[4, 5, True, False]], "u"),
        ([[4, 5, True, False], [5, 4, True, False]], "d"),
        ([[9, 7, False, True], [0, 2, True, True]], "d"),
        ([], "n"),
    ],
)
def test_the_collector_takes_gold_and_avoids_enemies(entities, letter):
    assert collects(SimpleNamespace(player_x=5, player_y=5, entities=[None, *entities])) == letter


def test_what_minatar_is_judged_on_is_not_shown():
    trials = find_experiment("minatar").trials(Scale(full=True))
    assert len(trials) == len({trial.key for trial in trials}) == 4 * 2 * 3
    assert {trial.test for trial in trials} == {(arcade_games.PLAYED,)}
    shown = {seed for trial in trials for seed in seeds_named(trial.levels)}
    assert len(seeds_named(arcade_games.PLAYED)) == 60
    assert shown.isdisjoint(seeds_named(arcade_games.PLAYED))
    assert len(find_experiment("minatar").trials(Scale())) == 4 * 2


def test_returns_are_reported_beside_the_experts_and_random_play():
    experiment, game = find_experiment("minatar"), world_name("Asterix")
    rows = []
    played = arcade_games.PLAYED
    for trial in experiment.trials(Scale(full=True, games=(game,), sets=1)):
        reward = {played: [6.0, 10.0], f"rule {played}": [3.0, 4.0], f"random {played}": [0.0, 1.0]}
        expert = {played: [10.0, 10.0]}
        row = measured(trial)
        rows.append(replace(row, result={**row.result, "reward": reward, "expert": expert}))
    shown = experiment.present(rows)
    assert shown.exhibits[0].rows == [
        ["Asterix", "1", "1", "8.0", "3.5", "–", "0.5", "10.0"],
        ["Asterix", "5", "1", "8.0", "3.5", "–", "0.5", "10.0"],
    ]


@pytest.mark.parametrize("game", GAMES)
def test_a_game_is_never_won_and_begins_again_as_before(game):
    world = find(world_name(game))
    first, second = (demonstrate(world, [7]).items[0] for _ in range(2))
    assert first == second
    assert first.outcome != "won"
    episode = play_expert(world, seed=8)
    assert episode.reward > 0
    assert len(episode.steps) <= STEPS
