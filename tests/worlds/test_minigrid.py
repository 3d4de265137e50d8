"""Minigrid, the real one: how it is seen, who shows it, and what is learned from that."""

import gymnasium
import pytest

from shown import Learner, teach
from shown.worlds import demonstrate, find, play, play_many, wrap
from shown_evidence.trials.trial import Trial, run_trial

WORLDS = (
    *("Empty-Random-6x6", "LavaGapS7", "DoorKey-5x5", "DoorKey-8x8", "FourRooms", "Unlock"),
    "Dynamic-Obstacles-6x6",
)


def world(name, view="turned"):
    return find(f"gym:MiniGrid-{name}-v0#{view}")


@pytest.mark.parametrize("name", WORLDS)
def test_the_expert_wins(name):
    episodes = [
        play(start, lambda _, start=start: start.expert(), seed) for start, seed in world(name).starts(range(12))
    ]
    assert all(episode.won and episode.reward > 0.5 for episode in episodes)


def test_buttons_have_minigrids_names():
    assert world("DoorKey-5x5").buttons == ("left", "right", "forward", "pickup", "drop", "toggle", "done")


def test_dynamic_obstacles_has_three_of_them_and_can_be_learned():
    crowded = world("Dynamic-Obstacles-6x6")
    assert crowded.buttons == ("left", "right", "forward")
    taught = teach(demonstrate(crowded, range(2)).won, crowded, programs=500, practice=0)
    assert taught.policy.buttons == crowded.buttons


def test_only_what_is_there_has_a_token():
    assert world("Empty-Random-6x6").tokens.names == ("empty", "wall", "goal", "agent")
    assert world("DoorKey-5x5").tokens.names == ("empty", "wall", "goal", "key", "locked_door", "agent")
    assert "closed_door" in world("MultiRoom-N2-S4").tokens.names
    assert {"box", "ball", "key"} <= set(world("ObstructedMaze-1Dlh").tokens.names)  # the key is in the box
    assert world("LavaGapS7", "partial").tokens.names == ("empty", "wall", "goal", "lava", "unseen", "agent")


def test_turned_is_the_whole_map_with_the_agent_looking_up():
    full, turned = world("DoorKey-8x8", "full"), world("DoorKey-8x8", "turned")
    for seed in range(8):
        plain, seen = full.reset(seed), turned.reset(seed)
        quarters = "^>v<".index(next(x for x in plain.text if x in "^>v<"))
        for _ in range(quarters):  # against the clock, once for every quarter that the agent is turned with it
            plain = type(plain)(tuple("".join(row) for row in zip(*plain.rows, strict=True))[::-1])
        assert seen.text == plain.text.translate(str.maketrans("^>v<", "AAAA"))


def test_to_go_forward_is_to_go_up_in_the_turned_view():
    place = world("Empty-Random-6x6")
    for seed in range(10):
        before = place.reset(seed)
        row, column = before.find("A")
        after = place.step("forward").grid
        if before[row - 1, column] == ".":
            assert after.find("A") == (row - 1, column)


def test_partial_is_what_minigrid_shows_the_agent():
    place = world("DoorKey-8x8", "partial")
    for seed in range(5):
        seen = place.reset(seed)
        image = place.env.unwrapped.gen_obs()["image"]
        assert seen.shape == (7, 7)
        assert seen[6, 3] == "A"
        for r, c in seen.cells():
            if (r, c) != (6, 3):
                assert (seen[r, c] == "?") == (image[c, r, 0] == 0)
                assert (seen[r, c] == "#") == (image[c, r, 0] == 2)


def test_a_key_that_is_carried_is_not_on_the_map_and_an_open_door_is_no_obstacle():
    place = world("DoorKey-5x5")
    episode = play(place, lambda _: place.expert(), 0)
    actions = [step.action for step in episode.steps]
    grids = [*(step.grid.text for step in episode.steps), episode.last.text]
    picked, opened = actions.index("pickup"), actions.index("toggle")
    assert all("k" in text for text in grids[: picked + 1])
    assert not any("k" in text for text in grids[picked + 1 :])
    assert all("D" in text for text in grids[: opened + 1])
    assert not any("D" in text for text in grids[opened + 1 :])


@pytest.mark.parametrize("view", ["full", "turned", "partial"])
def test_a_door_that_is_shut_again_is_still_seen(view):
    place = world("DoorKey-5x5", view)
    episode = play(place, lambda _: place.expert(), 0)
    place.reset(0)
    for step in episode.steps[: [step.action for step in episode.steps].index("toggle") + 1]:
        place.step(step.action)
    shut = place.step("toggle").grid
    place.tokens.check(shut)
    assert shut.text.count("D") == 1
    assert place.step("toggle").grid.text.count("D") == 0


@pytest.mark.parametrize("view", ["full", "turned", "partial"])
def test_worlds_beside_it_are_the_same_though_they_do_less(view):
    """What the agent sees itself is not worked out where nobody looks at it."""
    place = world("DoorKey-5x5", view)
    beside = place.copy()
    for seed in range(4):
        assert beside.reset(seed) == place.reset(seed)
        for button in ("left", "forward", "pickup", "right", "forward", "toggle", "drop", "forward"):
            assert beside.step(button) == place.step(button)
    assert beside.env.unwrapped.gen_obs()["image"].any() == (view == "partial")
    assert place.env.unwrapped.gen_obs()["image"].any()


def test_an_environment_may_be_given_instead_of_its_id():
    env = gymnasium.make("MiniGrid-LavaGapS7-v0")
    assert wrap(env).reset(4) == world("LavaGapS7").reset(4)
    assert wrap(env).name == "gym:MiniGrid-LavaGapS7-v0"


def test_five_demonstrations_of_lava_gap_are_enough_even_in_the_papers_language():
    place = world("LavaGapS7")
    policy = Learner(programs=10_000).fit(demonstrate(place, range(5))).policy_
    episodes = play_many(place, policy, range(2000, 2030))
    assert sum(episode.won for episode in episodes) >= 28


@pytest.mark.slow
def test_a_trial_is_a_pure_function_of_its_settings_practice_and_all():
    world, played = "gym:MiniGrid-Empty-Random-6x6-v0", "seeds:2000-2007"
    options = {"language": "standard", "programs": 300, "rounds": 2}
    trial = Trial("shown-world", world, "seeds:0-1", "perfect", 0, options, (played,))
    first, second = run_trial(trial.settings), run_trial(trial.settings)
    assert {**first, "work": None} == {**second, "work": None}
    assert set(first["success"]) == {played, "train"}
    assert len(first["won"][played]) == len(first["reward"][played]) == 8
    assert first["success"][played] > 0.5
    assert first["learned"]["found"]
    assert min(first["expert"][played]) > 0.5


# --- missions ---------------------------------------------------------------------------------------------------------

MISSIONS = (
    *("BabyAI-GoToObj", "BabyAI-GoToLocal", "BabyAI-PickupLoc", "BabyAI-OpenDoor", "BabyAI-UnlockLocal"),
    *("MiniGrid-RedBlueDoors-6x6", "MiniGrid-Fetch-5x5-N2", "MiniGrid-KeyCorridorS3R1", "MiniGrid-UnlockPickup"),
    *("MiniGrid-GoToDoor-5x5", "MiniGrid-GoToObject-6x6-N2", "MiniGrid-PutNear-6x6-N2", "MiniGrid-LockedRoom"),
)


@pytest.mark.parametrize("name", MISSIONS)
def test_the_expert_does_what_the_mission_says(name):
    place = find(f"gym:{name}-v0")
    assert "target" in place.tokens.names
    assert all(play(start, lambda _, start=start: start.expert(), seed).won for start, seed in place.starts(range(6)))


def test_the_target_is_what_the_mission_names_and_nothing_else():
    place = find("gym:MiniGrid-Fetch-8x8-N3-v0#full")
    for seed in range(10):
        grid, env = place.reset(seed), place.env.unwrapped
        named = f"{env.targetColor} {env.targetType}"
        for row, column in grid.cells():
            thing = env.grid.get(column, row)
            is_named = thing is not None and f"{thing.color} {thing.type}" == named
            assert (grid[row, column] == "X") == (is_named and (column, row) != tuple(env.agent_pos))


def test_a_place_named_by_where_it_was_at_first_stays_the_target():
    place = find("gym:BabyAI-PickupLoc-v0#full")
    for seed in range(8):
        grid = place.reset(seed)
        targets = [cell for cell in grid.cells() if grid[cell] == "X"]
        assert targets
        turned = place.step("left").grid
        assert [cell for cell in turned.cells() if turned[cell] == "X"] == targets


def test_of_two_doors_the_target_is_the_one_to_open_next():
    place = find("gym:MiniGrid-RedBlueDoors-6x6-v0#full")
    grid, env = place.reset(1), place.env.unwrapped

    def at(cell):
        return env.grid.get(*cell[::-1])

    assert at(grid.find("X")) is env.red_door
    while not env.red_door.is_open:
        grid = place.step(place.expert()).grid
    assert at(grid.find("X")) is env.blue_door


def test_the_target_is_seen_in_the_agents_own_cells():
    whole, own = find("gym:BabyAI-GoToLocal-v0"), find("gym:BabyAI-GoToLocal-v0#partial")
    seen = [("X" in whole.reset(seed).text, "X" in own.reset(seed).text) for seed in range(20)]
    assert all(everywhere for everywhere, _ in seen)
    assert any(ahead for _, ahead in seen)
    assert not all(ahead for _, ahead in seen)


@pytest.mark.parametrize("view", ["turned", "turned+last"])
def test_levels_that_babyai_rejects_are_not_printed(capsys, view):
    place = find(f"gym:BabyAI-PickupLoc-v0#{view}")
    for seed in range(20):
        place.reset(seed)
    assert not capsys.readouterr().out


def test_missions_differ_from_seed_to_seed_so_the_goal_is_none_of_them():
    assert find("gym:BabyAI-GoToLocal-v0").goal == "Do what the mission says with the target."
    assert world("DoorKey-5x5").goal == "Use the key to open the door and then get to the goal."


@pytest.mark.parametrize("name", ["BabyAI-GoToLocal", "MiniGrid-Fetch-5x5-N2"])
def test_five_demonstrations_of_a_mission_are_enough(name):
    place = find(f"gym:{name}-v0")
    taught = teach(demonstrate(place, range(5)), place, language="standard", programs=3000, practice=1e5, rounds=4)
    assert sum(episode.won for episode in play_many(place, taught.policy, range(1000, 1030))) >= 28
