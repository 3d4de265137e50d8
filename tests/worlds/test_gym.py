"""Environments of Gymnasium: how they are seen, and what is refused."""

import sys
from types import ModuleType

import gymnasium
import numpy as np
import pytest
from gymnasium import spaces
from hypothesis import given
from hypothesis import strategies as st

from shown.errors import BadInput, MissingExtra
from shown.grid import Grid
from shown.symmetry import Transformation, by_name, confirmed
from shown.teaching.teach import teach
from shown.worlds import ObservationPart, demonstrate, find, play, success_rate, wrap
from shown.worlds.views import Channels, Frames, Numbers, Objects, TextMap, most_common, patches


def test_frozen_lake_is_a_map():
    lake = find("gym:FrozenLake-v1")
    assert lake.reset(0).rows == ("Aiii", "iHiH", "iiiH", "HiiG")
    assert lake.tokens.names == ("ice", "hole", "goal", "agent")
    assert lake.buttons == ("left", "down", "right", "up")
    assert lake.max_steps == 100


def test_the_way_over_a_lake_that_does_not_slip():
    lake = wrap(gymnasium.make("FrozenLake-v1", is_slippery=False))
    way = iter(["down", "down", "right", "right", "down", "right"])
    episode = play(lake, lambda _: next(way))
    assert (episode.won, episode.reward, episode.last.rows[3]) == (True, 1.0, "HiiA")


def test_the_cliff_is_a_map_too():
    cliff = find("gym:CliffWalking-v1")
    assert cliff.reset(0).rows[2:] == ("............", "ACCCCCCCCCCG")
    assert cliff.step("up").grid.rows[2:] == ("A...........", ".CCCCCCCCCCG")


def test_whole_numbers_are_seen_by_themselves(corridor):
    world = wrap(corridor())
    assert world.tokens.names == ("value_0", "value_1", "value_2")
    assert world.reset(1) in (Grid("20100"), Grid("00102"))
    assert world.name == "gym:Corridor"
    assert world.buttons == ("button_0", "button_1")


def test_negative_numbers_have_names(corridor):
    world = wrap(corridor(lambda env: np.array([[-1, 0]]), space=spaces.Box(-1, 1, (1, 2), np.int64)))
    assert world.tokens.name(world.reset(0)[0, 0]) == "value_minus_1"


def test_channels_are_seen_by_themselves(corridor):
    def one_hot(env):
        return np.eye(3, dtype=np.int8)[np.array([[0, 1, 2, 0]])][:, :, 1:]

    world = wrap(corridor(one_hot, space=spaces.MultiBinary((1, 4, 2))))
    assert world.tokens.names == ("empty", "channel_0", "channel_1")
    assert world.reset(0) == Grid(".01.")


def test_the_first_action_need_not_be_number_0(corridor):
    env = corridor(actions=spaces.Discrete(2, start=1))
    world = wrap(env, view=Numbers(3), expert=lambda env: 2)
    world.reset(0)
    assert world.expert() == "button_1"
    assert world.step("button_0").grid[0, 3] == "1"  # number 1 goes right


BOARD = spaces.Box(0, 2, (1, 5), np.int64)
LEVEL = spaces.Box(0, 1, (1,), np.float32)


def in_parts(env):
    cells = np.zeros((1, 5), np.int64)
    cells[0, env.at] = 1
    return {"board": cells, "battery": np.ones(1, np.float32)}


def test_the_part_of_an_observation_that_is_a_grid_is_seen_by_itself(corridor):
    env = corridor(in_parts, space=spaces.Dict(board=BOARD, battery=LEVEL))
    assert wrap(env).reset(0) == Grid("00100")
    assert wrap(env, view="board").name == "gym:Corridor#board"
    named = wrap(env, view=ObservationPart("board", Numbers({0: "empty", 1: "agent"})))
    assert named.reset(0) == Grid("..A..")
    with pytest.raises(BadInput, match=r"the part 'battery' of its observations .* has no default view"):
        wrap(env, view="battery")
    with pytest.raises(BadInput, match=r"no view called 'bord'. Parts of its observations: board, battery"):
        wrap(env, view="bord")
    with pytest.raises(BadInput, match="gym:Corridor: the observation has no part 'board'"):
        wrap(corridor(), view=ObservationPart("board", Numbers(3))).reset(0)


def test_of_two_parts_one_has_to_be_named(corridor):
    env = corridor(in_parts, space=spaces.Dict(board=BOARD, other=BOARD))
    with pytest.raises(BadInput, match=r"Or name a part: #board or #other\."):
        wrap(env)
    assert wrap(env, view="board").reset(0) == Grid("00100")


def test_a_view_of_ones_own_is_named_by_its_module(corridor, monkeypatch):
    module = ModuleType("my_views")
    module.VIEW, module.WRONG = Numbers({0: "empty", 1: "agent", 2: "goal"}), print
    monkeypatch.setitem(sys.modules, "my_views", module)
    world = wrap(corridor(), view="my_views:VIEW")
    assert (world.name, world.tokens.names) == ("gym:Corridor#my_views:VIEW", ("empty", "agent", "goal"))
    for view, complaint in (
        ("my_views:WRONG", "my_views:WRONG is not a view: it needs tokens"),
        ("my_views:NONE", r"cannot be loaded \(AttributeError"),
        ("no_views:VIEW", r"cannot be loaded \(ModuleNotFoundError"),
    ):
        with pytest.raises(BadInput, match=complaint):
            wrap(corridor(), view=view)


def test_actions_are_named_as_the_environment_does(corridor):
    env = corridor()
    env.get_action_meanings = lambda: ["Go left", "go-right"]
    assert wrap(env).buttons == ("go_left", "go_right")


@given(st.integers(1, 3), st.integers(1, 3), st.integers(1, 4), st.randoms(use_true_random=False))
def test_the_most_common_color_is_as_counted(height, width, block, random):
    palette = [(0, 0, 0), (255, 0, 0), (0, 0, 255)]
    frame = np.array(
        [[random.choice(palette) for _ in range(width * block)] for _ in range(height * block)], dtype=np.uint8
    )
    found = most_common(frame, block)
    for r in range(height):
        for c in range(width):
            cell = frame[r * block : (r + 1) * block, c * block : (c + 1) * block].reshape(-1, 3).tolist()
            assert cell.count(found[r, c].tolist()) == max(cell.count(color) for color in cell)


def test_frames_by_blocks_with_colors_of_one_episode(corridor):
    def painted(env):
        frame = np.zeros((4, 20, 3), np.uint8)
        frame[:, 4 * env.goal : 4 * env.goal + 4] = (0, 255, 0)
        frame[:, 4 * env.at : 4 * env.at + 4] = (255, 0, 0)
        return frame

    world = wrap(corridor(painted, space=spaces.Box(0, 255, (4, 20, 3), np.uint8)), view="blocks-4")
    assert world.name == "gym:Corridor#blocks-4"
    assert world.tokens.names == ("color_0", "color_1", "color_2")
    seen = world.reset(0)
    assert seen.shape == (1, 5)
    assert seen.rows[0].count("0") == 3
    assert wrap(corridor(painted), view="blocks-4").reset(0) == seen


def test_colors_are_named_from_the_most_frequent_on():
    lake = find("gym:FrozenLake-v1#blocks-64:ice")
    assert lake.name == "gym:FrozenLake-v1#blocks-64:ice"
    assert lake.tokens.names == ("ice", "color_1")
    with pytest.raises(BadInput, match=r"there are \d+ colors, and 9 names for them\."):
        find("gym:FrozenLake-v1#blocks-64:a,b,c,d,e,f,g,h,i")


def test_a_frame_that_is_drawn_is_seen_too():
    lake = find("gym:FrozenLake-v1#blocks-64")
    assert lake.reset(0).shape == (4, 4)
    assert lake.buttons[0] == "left"


def test_unknown_colors_are_the_nearest_known():
    black, white = np.zeros((2, 2, 3), np.uint8), np.full((2, 2, 3), 255, np.uint8)
    look = Frames(Frames.colors([black, black, white], 2), 2)
    assert look(None, np.full((2, 2, 3), 30, np.uint8)) == Grid("0")
    assert look(None, np.full((2, 2, 3), 200, np.uint8)) == Grid("1")


def test_later_channels_are_on_top_unless_an_order_is_given():
    both = np.ones((1, 1, 2), int)
    assert Channels(["wall", "goal"])(None, both) == Grid("G")
    assert Channels(["wall", "goal"], order=["goal", "wall"])(None, both) == Grid("#")
    with pytest.raises(BadInput, match="order: must have each of wall, goal once, not wall"):
        Channels(["wall", "goal"], order=["wall"])


def test_several_channels_can_be_one_token():
    one_each = np.eye(4, dtype=int)[None]
    look = Channels(["slow", "wall", "fast", "goal"], merge={"car": ["slow", "fast"]})
    assert look.tokens.names == ("empty", "car", "wall", "goal")
    assert look(None, one_each) == Grid("0#0G")
    both = np.array([[[0, 1, 1, 0]]])
    assert look(None, both) == Grid("#")
    above = Channels(4, order=["channel_1", "channel_3", "car"], merge={"car": ["channel_0", "channel_2"]})
    assert above(None, both) == Grid(above.tokens["car"])
    assert Channels(["slow", "fast"], merge={"fast": ["slow", "fast"]}).tokens.names == ("empty", "fast")


@pytest.mark.parametrize(
    ("merge", "complaint"),
    [
        ({"car": ["slow", "fest"]}, r"merge: car has 'fest', which is no channel\. Channels: slow, fast, wall"),
        ({"car": ["slow"], "cart": ["slow"]}, "merge: cart has 'slow', which is merged already"),
        ({"wall": ["slow", "fast"]}, r"merge: wall is another channel\. Choose another name"),
        ({"car": []}, "merge: car has no channels"),
    ],
)
def test_channels_that_cannot_be_merged_are_named(merge, complaint):
    with pytest.raises(BadInput, match=complaint):
        Channels(["slow", "fast", "wall"], merge=merge)


@pytest.mark.parametrize("kind", [np.bool_, np.float32, np.uint8])
def test_channels_of_any_type_are_seen_with_the_rarest_on_top(corridor, kind):
    """As in MinAtar, whose ball would be hidden by the bricks that it hits."""

    def ball_and_bricks(env):
        channels = np.zeros((1, 5, 2), kind)
        channels[0, env.at, 0], channels[0, :, 1] = 1, 1
        return channels

    world = wrap(corridor(ball_and_bricks, space=spaces.Box(0, 1, (1, 5, 2), kind)))
    assert world.tokens.names == ("empty", "channel_0", "channel_1")
    assert world.reset(0) == Grid("11011")


def test_pictures_of_floats_are_no_channels(corridor):
    with pytest.raises(BadInput, match="have no default view"):
        wrap(corridor(space=spaces.Box(0, 1, (5, 5, 3), np.float32)))
    half = wrap(corridor(lambda env: np.full((1, 5, 2), 0.5, np.float32)), view=Channels(2))
    with pytest.raises(BadInput, match="values other than 0 and 1"):
        half.reset(0)


@pytest.mark.parametrize(
    ("view", "observation", "complaint"),
    [
        (Numbers(3), {"image": 1}, "must be an array of integers, [rows, columns], not dict"),
        (Numbers(3), np.zeros((2, 2)), "not float64 of shape (2, 2)"),
        (Numbers(3), [[0, 1], [0]], "differ in length"),
        (Numbers(3), np.zeros(4, int), "not int64 of shape (4,)"),
        (Numbers(3), np.array([[7]]), "contains 7, which is no token. Known: 0, 1, 2."),
        (Numbers(3, (1, 2)), np.zeros((1, 3), int), "changed from (1, 2) to (1, 3)"),
        (Channels(2), np.zeros((1, 1, 3), int), "has 3 channels, not 2"),
        (TextMap(["SG"], {"S": "ice", "G": "goal"}), 2, "2 is off the map, which has 1 × 2 cells"),
        (TextMap(["SG"], {"S": "ice", "G": "goal"}), "x", "must be the number of a cell, not str"),
        (Frames(np.zeros((1, 3)), 9), np.zeros((4, 4, 3), np.uint8), "blocks of 9 pixels are larger than the frame"),
    ],
)
def test_observations_that_are_no_grids(corridor, view, observation, complaint):
    world = wrap(corridor(lambda env: observation), view=view)
    with pytest.raises(BadInput) as refused:
        world.reset(0)
    assert str(refused.value).startswith("gym:Corridor: ")
    assert complaint in str(refused.value)


def test_without_an_environment_frames_are_checked_and_not_rendered():
    with pytest.raises(BadInput, match=r"must be an array of integers, \[height, width, 3\]"):
        Frames(np.zeros((1, 3)), 2)(None, np.zeros((4, 4), np.uint8))


@pytest.mark.parametrize(
    ("name", "complaint"),
    [
        ("gym:FrozenLak-v1", "no environment called 'FrozenLak-v1'. Did you mean 'FrozenLake-v1'?"),
        ("gym:FrozenLake-v99", "no environment called 'FrozenLake-v99'"),
        ("gym:no_such_module:Thing-v0", "cannot be made"),
        ("gym:CartPole-v1", "have no default view"),
        ("gym:MountainCarContinuous-v0", "must be discrete"),
        ("gym:FrozenLake-v1#partial", "no view called 'partial'"),
        ("gym:MiniGrid-Empty-5x5-v0#turnd", "no view called 'turnd'. Did you mean 'turned'?"),
        ("gym:", "gym:: cannot be made (Malformed environment ID"),
        ("gym:Taxi-v3", "cannot be made (Environment version v3 for `Taxi` is deprecated. Please use `Taxi-v4`"),
        ("gym:Qqqqqqqq-v0", "no environment called 'Qqqqqqqq-v0'. gymnasium.pprint_registry() lists them. Your own"),
        ("atari:Pong", "no world called 'atari:Pong'"),
    ],
)
def test_names_that_lead_nowhere(name, complaint):
    with pytest.raises(BadInput) as refused:
        find(name)
    assert complaint in str(refused.value)
    assert "\n" not in str(refused.value)


def test_vector_environments_are_refused_in_words():
    several = gymnasium.make_vec("FrozenLake-v1", num_envs=2)
    for env in (several, lambda: several):
        with pytest.raises(
            BadInput, match=r"^gym:FrozenLake-v1: a vector environment plays several episodes at once\."
        ):
            wrap(env)


def test_a_missing_extra_is_named(monkeypatch):
    monkeypatch.setitem(__import__("sys").modules, "minigrid", None)
    with pytest.raises(MissingExtra, match=r"needs Minigrid, .*\[worlds\]"):
        find("gym:MiniGrid-Empty-5x5-v0")


def test_experts_that_give_no_action(corridor):
    for wrong, complaint in (
        (7, "returned 7; actions are 0 to 1"),
        ("left", "returned 'left', not the number of an action"),
    ):
        world = wrap(corridor(), expert=lambda env, wrong=wrong: wrong)
        world.reset(0)
        with pytest.raises(BadInput, match=complaint):
            world.expert()
    lost = wrap(corridor(), expert=lambda env: {}["way"])
    with pytest.raises(
        BadInput, match=r"^gym:Corridor: the expert failed \(KeyError: 'way', at worlds/test_gym\.py:\d+\)\.$"
    ):
        lost.expert()
    with pytest.raises(BadInput, match="there is no expert"):
        wrap(corridor()).expert()


def test_an_environment_that_cannot_be_copied_is_made_by_a_function(corridor):
    def make():
        env = corridor()
        env.handle = (x for x in ())  # generators cannot be copied
        return env

    with pytest.raises(BadInput, match=r"gym:Corridor: a second one cannot be made .*wrap\(lambda: …\)"):
        wrap(make()).copy()
    assert wrap(make).copy().reset(3) == wrap(corridor()).reset(3)


def test_an_environment_in_a_wrapper_of_ones_own_is_copied():
    class Plain(gymnasium.Wrapper):
        """Does not record its arguments, so its specification cannot make another."""

        def __init__(self, env, extra):
            super().__init__(env)

    lake = wrap(Plain(gymnasium.make("FrozenLake-v1", is_slippery=False), extra=1))
    other = lake.copy()
    lake.reset(0)
    lake.step("down")
    assert other.reset(0).rows == ("Aiii", "iHiH", "iiiH", "HiiG")
    assert len(lake.starts([0, 1])) == 2


def test_an_environment_that_cannot_be_rendered(corridor):
    gymnasium.register("Corridor-v0", entry_point=corridor)
    try:
        with pytest.raises(BadInput, match=r"gym:Corridor-v0: renders no frames, since its constructor takes no"):
            find("gym:Corridor-v0#blocks-8")
    finally:
        del gymnasium.registry["Corridor-v0"]


def test_an_expert_that_gives_up_names_the_seed_and_what_to_do(corridor):
    def lost(env):
        raise BadInput("I see no way.")

    world = wrap(corridor(), expert=lost)
    world.reset(7)
    with pytest.raises(BadInput, match=r"^gym:Corridor, seed 7: I see no way\. Leave this seed out, .* shown play gym"):
        world.expert()


# --- symmetries -------------------------------------------------------------------------------------------------------


@pytest.fixture
def named_corridor(corridor):
    """A corridor whose buttons are called left and right, and demonstrations in which the goal is at the right."""

    class Named(corridor):
        def get_action_meanings(self):
            return ["left", "right"]

    def make(**options):
        return wrap(Named, view=Numbers({0: "empty", 1: "agent", 2: "goal"}), expert=towards, **options)

    def towards(env):
        return int(env.unwrapped.goal > env.unwrapped.at)

    seeds = [seed for seed in range(20) if make().reset(seed).rows[0].endswith("G")][:3]
    return make, demonstrate(make(), seeds)


def won(world, taught):
    return success_rate(world, taught.policy, range(100, 120))


def test_a_declared_symmetry_of_buttons_shows_the_other_side(named_corridor):
    make, shown = named_corridor
    mirrored = make(symmetries=["left-right"])
    assert mirrored.symmetries[0].buttons == (("left", "right"), ("right", "left"))
    assert mirrored.copy().symmetries == mirrored.symmetries
    assert won(mirrored, teach(shown, mirrored, programs=300, practice=0)) == 1.0
    plain = make()
    assert won(plain, teach(shown, plain, programs=300, practice=0)) < 1.0


def test_a_symmetry_of_buttons_is_proposed_where_practice_can_judge_it(named_corridor):
    make, shown = named_corridor
    taught = teach(shown, make(), programs=300, rounds=1, practice=60)
    assert won(make(), taught) == 1.0
    assert taught.hypothesis.name == "exact clicks, plus mirror images, in the standard vocabulary"


def test_a_symmetry_that_the_demonstrations_confirm_is_tried_first(named_corridor):
    make, one_side = named_corridor
    both_sides = demonstrate(make(), range(20))
    (mirror,) = by_name(["left-right"], both_sides.tokens, both_sides.buttons)
    assert confirmed(one_side, mirror) == 0.0
    assert confirmed(both_sides, mirror) == 1.0
    for shown, first in ((one_side, "exact clicks"), (both_sides, "exact clicks, plus mirror images")):
        taught = teach(shown, make(), programs=300, rounds=1, practice=60)
        assert taught.tried[0].hypothesis.name == f"{first}, in the standard vocabulary"


def test_symmetries_that_do_not_exist_are_refused(named_corridor):
    make, _ = named_corridor
    with pytest.raises(BadInput, match=r"no motion of cells is called 'left'\. Did you mean 'left-right'"):
        make(symmetries=["left"])
    with pytest.raises(BadInput, match="'jump' is not a button"):
        make(symmetries=[Transformation("left-right", buttons=(("left", "jump"),))])


# --- objects ----------------------------------------------------------------------------------------------------------


@given(st.integers(1, 6), st.integers(1, 6), st.randoms(use_true_random=False))
def test_patches_are_what_filling_finds(height, width, random):
    frame = np.array([[[random.randrange(2)] * 3 for _ in range(width)] for _ in range(height)], np.uint8)
    expected = np.full((height, width), -1)
    for cell in np.ndindex(height, width):
        if expected[cell] >= 0:
            continue
        edge = [cell]
        while edge:
            r, c = edge.pop()
            inside = 0 <= r < height and 0 <= c < width
            if inside and expected[r, c] < 0 and (frame[r, c] == frame[cell]).all():
                expected[r, c] = cell[0] * width + cell[1]
                edge += [(r - 1, c), (r + 1, c), (r, c - 1), (r, c + 1)]
    assert patches(frame).tolist() == expected.tolist()


@given(st.integers(0, 12), st.integers(0, 28), st.integers(1, 4), st.integers(1, 4))
def test_a_small_object_is_one_cell_wherever_it_is(top, left, height, width):
    frame = np.zeros((16, 32, 3), np.uint8)
    frame[top : top + height, left : left + width] = (255, 0, 0)
    look = Objects(np.array([(0, 0, 0), (255, 0, 0)]), 4)
    seen = look(None, frame)
    assert seen.where("1") == (((2 * top + height) // 8, (2 * left + width) // 8),)


def test_large_things_are_seen_by_blocks_and_small_ones_before_them():
    frame = np.zeros((8, 16, 3), np.uint8)
    frame[4:, :] = (0, 0, 255)  # a floor
    frame[3:6, 6:9] = (255, 0, 0)  # stands half before it, half in the air, and in two blocks
    palette = np.array([(0, 0, 0), (0, 0, 255), (255, 0, 0)])
    assert Objects(palette, 4)(None, frame) == Grid(["0000", "1211"])
    assert Objects(palette, 4).name == "objects-4"
    assert Frames(palette, 4)(None, frame) == Grid(["0000", "1111"])


def test_a_block_full_of_small_things_has_the_background_behind_them():
    frame = np.zeros((4, 8, 3), np.uint8)
    frame[:, 4:6], frame[:, 6:] = (255, 0, 0), (0, 255, 0)
    seen = Objects(np.array([(0, 0, 0), (255, 0, 0), (0, 255, 0)]), 4)(None, frame)
    assert seen == Grid("02")  # both are in one cell, and equally large: the later one is seen


def test_the_colors_of_objects_are_learned_from_one_episode(corridor):
    def painted(env):
        frame = np.zeros((8, 40, 3), np.uint8)
        frame[3, 8 * env.goal + 3] = (0, 255, 0)
        frame[2:5, 8 * env.at + 3 : 8 * env.at + 6] = (255, 0, 0)
        return frame

    world = wrap(corridor(painted, space=spaces.Box(0, 255, (8, 40, 3), np.uint8)), view="objects-8")
    assert world.name == "gym:Corridor#objects-8"
    assert len(world.tokens) == 3
    seen = world.reset(0)
    assert seen.shape == (1, 5)
    assert seen.rows[0].count("0") == 3
    by_blocks = wrap(corridor(painted), view="blocks-8").reset(0)
    assert set(by_blocks.text) == {"0"}  # where most pixels of a block are black, nothing is to be seen
