import pytest

from shown.errors import BadInput
from shown.games import demonstrate, find, load_levels, play, success_rate
from shown.games.levels import Level
from shown.grid import grid

NIM, CHASE = find("nim"), find("chase")


def test_the_same_seed_gives_the_same_episode():
    (level,) = load_levels(CHASE, "train:10")
    assert play(CHASE, CHASE.expert, level, 3) == play(CHASE, CHASE.expert, level, 3)


def test_an_episode_ends_when_the_steps_run_out():
    level = Level("mine", grid("|.", "||"))
    episode = play(NIM, lambda board: (0, 1), level, max_steps=5)
    assert len(episode.steps) == 5
    assert not episode.over
    assert episode.demonstration.outcome == "unfinished"
    assert len(play(NIM, lambda board: (0, 1), level).steps) == 60


def test_a_lost_game_is_a_lost_demonstration():
    episode = play(NIM, lambda board: (1, 0), Level("mine", grid("|.", "||")))
    assert episode.over
    assert episode.demonstration.outcome == "lost"


def test_a_click_off_the_grid_is_an_error():
    with pytest.raises(BadInput, match="off the grid"):
        play(NIM, lambda board: (9, 9), Level("mine", grid("|.", "||")))


def test_demonstrations_can_be_played_again_from_their_seeds():
    levels = load_levels(CHASE, "train")
    demonstrations = demonstrate(CHASE, levels, seed=5)
    assert all(item.outcome == "won" for item in demonstrations)
    for level, item in zip(levels, demonstrations, strict=True):
        assert play(CHASE, CHASE.expert, level, item.seed).demonstration == item


def test_each_level_has_its_own_chances():
    levels = [Level(f"copy:{i}", grid("||", "||", "||", "||", "||", "|.")) for i in range(20)]
    replies = {play(NIM, NIM.expert, level).steps[1].grid for level in levels}
    assert len(replies) > 5


def test_a_levels_demonstration_does_not_depend_on_the_others():
    together = demonstrate(NIM, load_levels(NIM, "train:0-5"))
    alone = demonstrate(NIM, load_levels(NIM, "train:5"))
    assert together.items[5] == alone.items[0]


def test_success_rate():
    levels = load_levels(NIM, "test")
    assert success_rate(NIM, NIM.expert, levels) == 1.0
    assert success_rate(NIM, lambda board: (0, 0), levels) < 0.5
