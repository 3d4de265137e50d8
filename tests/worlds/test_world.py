"""What a world is: it is played in one way, be it a game or an environment."""

from types import SimpleNamespace

import pytest

from shown import Learner
from shown.policy import uniform_policy
from shown.teaching.dialogue.corrections import position_at, show_from
from shown.teaching.dialogue.recording import begin, play_on, take_back
from shown.teaching.practice.ground import Ground
from shown.teaching.teach import teach
from shown.worlds import World, demonstrate, load_levels, play, play_many, wins, wrap
from shown.worlds import find as find_game
from shown.worlds.games.game import LevelWorld
from shown.worlds.views import Numbers
from shown.worlds.world import PRACTICE_SEEDS

NAMES = {0: "empty", 1: "agent", 2: "goal"}


def right_way(env):
    return int(env.unwrapped.goal == 4)


def world(corridor):
    return wrap(corridor(), view=Numbers(NAMES), expert=right_way)


def test_the_same_seed_is_the_same_world(corridor):
    first, second = world(corridor), world(corridor).copy()
    assert [first.reset(seed) for seed in range(6)] == [second.reset(seed) for seed in range(6)]
    assert len({first.reset(seed) for seed in range(6)}) == 2


def test_an_episode_adds_up_its_rewards(corridor):
    place = world(corridor)
    good = play(place, lambda _: place.expert(), seed=1)
    assert (good.won, good.over, good.reward, len(good.steps)) == (True, True, 1.0, 2)
    assert (good.level.name, good.demonstration.outcome, good.demonstration.seed) == ("seed:1", "won", 1)
    bad = play(place, lambda _: "button_0" if place.expert() == "button_1" else "button_1", seed=1)
    assert (bad.won, bad.over, bad.reward, bad.demonstration.outcome) == (False, True, 0.0, "lost")


def test_an_episode_that_takes_too_long_is_not_won(corridor):
    place = world(corridor)
    turns = iter(["button_0", "button_1"] * 9)
    idle = play(place, lambda _: next(turns), seed=0)
    assert (len(idle.steps), idle.won, idle.over) == (9, False, True)  # the environment truncates it
    turns = iter(["button_0", "button_1"] * 9)
    cut = play(place, lambda _: next(turns), seed=0, max_steps=4)
    assert (len(cut.steps), cut.over, cut.demonstration.outcome) == (4, False, "unfinished")


def test_side_by_side_is_one_after_the_other(corridor):
    place = world(corridor)
    policy = Learner(programs=300).fit(demonstrate(place, range(4))).policy_
    together = play_many(place, policy, range(20))
    assert together == [play(place, policy.act, seed) for seed in range(20)]
    assert all(episode.won for episode in together)
    assert wins(place.starts(range(20)), policy) == [True] * 20


def test_a_level_of_a_game_is_a_world():
    chase = find_game("chase")
    level = load_levels(chase, "train:0")[0]
    episode = play(LevelWorld(chase, level), chase.expert, seed=3)
    assert (episode.level, episode.won, episode.reward) == (level, True, 1.0)


def test_worlds_are_practiced_on_with_seeds_nobody_names(corridor):
    place = world(corridor)
    starts = Ground(place, seed=1).starts(0, 3)
    assert [seed for _, seed in starts] == [PRACTICE_SEEDS + 1000, PRACTICE_SEEDS + 1001, PRACTICE_SEEDS + 1002]
    assert len({id(one) for one, _ in starts}) == 3
    taught = teach(demonstrate(place, range(2)), place, programs=300)
    assert taught.practice == (120, 120)


def test_recording_in_a_world_can_be_taken_back(corridor):
    place = world(corridor)
    start = begin(place.level(1), 1)
    good = place.expert()
    won = play_on(place, start, good, good)
    assert won.won
    before = take_back(place, won)
    assert (before.over, len(before.steps)) == (False, 1)
    assert play_on(place, before, good).demonstration == play(world(corridor), lambda _: good, 1).demonstration


def test_a_world_is_corrected_where_it_went_wrong(corridor):
    place = world(corridor)
    clueless = uniform_policy(place.tokens, place.name, place.buttons)
    seed = next(seed for seed in range(9) if not play(place, clueless.act, seed).won)
    position = position_at(place, clueless.act, 1, seed)
    fix = show_from(place, position, "button_1", "button_1", "button_1")
    assert fix.outcome == "won"
    assert fix.steps[0].grid == play(place, clueless.act, seed).steps[1].grid


def test_where_not_all_is_seen_every_action_counts(corridor):
    blind = wrap(corridor(shown=lambda env: [[0]]), view=Numbers({0: "fog"}))
    attempt = play_on(blind, begin(blind.level(0), 0), "button_0")
    assert attempt.steps[0].grid == attempt.grid


class Slow(World):
    """Another world, in which a step takes half a second of a clock that nobody waits for."""

    def __init__(self, fast, clock):
        self.fast, self.clock = fast, clock
        self.name, self.tokens, self.buttons, self.max_steps = fast.name, fast.tokens, fast.buttons, fast.max_steps

    def reset(self, seed):
        return self.fast.reset(seed)

    def step(self, action):
        self.clock.now += 0.5
        return self.fast.step(action)

    def copy(self):
        return Slow(self.fast.copy(), self.clock)


@pytest.fixture
def clock(monkeypatch):
    clock = SimpleNamespace(now=0.0)
    clock.monotonic = lambda: clock.now
    for module in ("shown.worlds.episodes", "shown.teaching.practice.ground", "shown.teaching.teach"):
        monkeypatch.setattr(f"{module}.time", clock)
    return clock


def test_a_slow_world_is_practiced_on_for_the_time_there_is(corridor, clock):
    place = world(corridor)
    demos = demonstrate(place, range(2))
    taught = teach(demos, Slow(place, clock), programs=300, practice=10)
    won, played = taught.practice
    assert won == played == 10  # of the 120 levels, a second each
    assert taught.expectation.of == 3
    assert clock.now == 10 + 3
    assert all(episode.won for episode in play_many(place, taught.policy, range(10)))


def test_what_a_slow_world_has_left_out_is_no_victory(corridor, clock):
    place = world(corridor)
    policy = Learner(programs=300).fit(demonstrate(place, range(2))).policy_
    ground = Ground(Slow(place, clock), allowance=3)
    assert ground.score(policy, 12) == 3 / 4
    assert ground.over
    ground.go_on(1 / 3)
    assert ground.results(policy, 12) == [True] * 4
    assert Ground(Slow(place, clock)).score(policy, 12) == 1
    assert wins(Slow(place, clock).starts(range(3)), policy, deadline=clock.now + 0.5) == []
