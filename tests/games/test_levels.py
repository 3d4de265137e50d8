import json

import numpy as np
import pytest

from shown.errors import BadInput, BadLevel
from shown.grid import Grid, grid
from shown.worlds import GAMES, find, load_levels
from shown.worlds.games.levels import generated, parse_level, shipped
from shown.worlds.games.nim import Nim
from strategies import some

NIM, CHASE, FENCE_IN = find("nim"), find("chase"), find("fence-in")


@pytest.mark.parametrize("name", GAMES)
def test_eleven_levels_to_train_and_nine_to_test_all_different(name: str):
    train, test = load_levels(find(name), "train"), load_levels(find(name), "test")
    assert (len(train), len(test)) == (11, 9)
    assert len({level.grid for level in train + test}) == 20
    assert [level.name for level in test] == [f"test:{i}" for i in range(9)]


def test_ranges_and_lists():
    names = [level.name for level in load_levels(NIM, "train:3-5, test:8,random:7,random:1000-1001")]
    assert names == ["train:3", "train:4", "train:5", "test:8", "random:7", "random:1000", "random:1001"]
    assert len(load_levels(NIM, "random")) == 100


@pytest.mark.parametrize("name", GAMES)
def test_a_seed_always_gives_the_same_level_and_other_seeds_others(name: str):
    game = find(name)
    levels = load_levels(game, "random:0-49")
    assert levels == load_levels(game, "random:0-49")
    assert len({level.grid for level in levels}) > 40


@pytest.mark.parametrize("name", some(GAMES, "nim", "checkmate"))
def test_no_training_or_test_level_is_among_the_generated_ones(name: str):
    game = find(name)
    levels = load_levels(game, "random:0-999,random:50000-50099,random:70000-70099,random:900000-900004")
    assert not shipped(game) & {level.grid for level in levels}


def test_a_level_that_ships_is_drawn_again():
    """Among Nim's 2,660 levels, some seeds' first draw is a training level."""
    firsts = [NIM.generate(np.random.default_rng(seed)) for seed in range(100)]
    taken = [seed for seed, first in enumerate(firsts) if first in shipped(NIM)]
    assert taken
    for seed, first in enumerate(firsts):
        assert (generated(NIM, seed).grid == first) == (seed not in taken)
        assert generated(NIM, seed) == generated(NIM, seed, shipped(NIM))


def test_a_game_with_hardly_any_levels_repeats_them():
    class Narrow(Nim):
        name = "narrow"

        def generate(self, rng: np.random.Generator) -> Grid:
            return Grid(("|.", "||")) if rng.random() < 0.5 else Grid((".|", "||"))

    game = Narrow()
    assert [len(load_levels(game, which)) for which in ("train", "test")] == [11, 9]
    assert generated(game, 5) == generated(game, 5)


@pytest.mark.parametrize(
    ("spec", "complaint"),
    [
        ("trian:0", r"no levels called 'trian'\. Did you mean 'train'\?"),
        ("trian", r"no levels called 'trian'\. Did you mean 'train'\? Write train:0-4"),
        ("train:11", r"nim has train levels 0 to 10; there is no train:11\."),
        ("test:5-9", r"there is no test:9\."),
        ("random:5-2", r"is backwards\. Write random:2-5\."),
        ("random:0-100000", "more than 100,000 levels"),
        ("missing.json", r"missing\.json: no such file"),
        ("", "no levels called ''"),
    ],
)
def test_unknown_levels(spec: str, complaint: str):
    with pytest.raises(BadInput, match=complaint):
        load_levels(NIM, spec)


def test_a_level_as_text():
    (level,) = load_levels(NIM, "|.\n||\n")
    assert level.grid.rows == ("|.", "||")


def write(path, value) -> str:
    path.write_text(json.dumps(value))
    return str(path)


def test_a_file_of_levels(tmp_path):
    spec = write(tmp_path / "mine.json", {"game": "nim", "levels": ["|.\n||", ".|\n||"]})
    assert [level.name for level in load_levels(NIM, spec)] == ["mine.json:0", "mine.json:1"]


@pytest.mark.parametrize(
    ("value", "complaint"),
    [
        ([], "must be an object such as"),
        ({"game": "nim", "levels": "|."}, "must be an object such as"),
        ({"game": "chase", "levels": []}, "levels of 'chase', but 'nim' was asked for"),
        ({"game": "nim", "levels": []}, "contains no levels"),
        ({"game": "nim", "levels": ["|.\n||", 3]}, "level 1: must be text"),
        ({"game": "nim", "levels": ["|.\n||", "|.\n|"]}, "level 1, row 1 has 1 cells but row 0 has 2"),
        ({"game": "nim", "levels": ["|.\n|x"]}, r"level 0, row 1, column 1: 'x' is not a token of nim\. Tokens: \. \|"),
        ({"game": "nim", "levels": [""]}, "level 0: the grid is empty"),
        ({"game": "nim", "levels": ["|.\n.|"]}, "level 0, row 0, column 0: a matchstick must not float"),
    ],
)
def test_bad_files(tmp_path, value, complaint: str):
    with pytest.raises(BadInput, match=complaint):
        load_levels(NIM, write(tmp_path / "mine.json", value))


@pytest.mark.parametrize(
    ("game", "text", "complaint"),
    [
        (CHASE, "####\n#AR#\n#R.#\n<>^v", r"^level, row 2, column 1: a second rabbit"),
        (FENCE_IN, "...\n...\n...", r"^level: there is no sheep"),
        (FENCE_IN, "...\n.S\n...", r"^level, row 1 has 2 cells but row 0 has 3"),
        (FENCE_IN, "...\n.S?\n...", r"^level, row 1, column 2: '\?' is not a token of fence-in"),
    ],
)
def test_illegal_levels_say_why_and_where(game, text: str, complaint: str):
    with pytest.raises(BadLevel, match=complaint):
        parse_level(game, text)


def test_a_game_without_level_files_has_generated_ones():
    class Bare(Nim):
        name = "bare"

    train, test = load_levels(Bare(), "train"), load_levels(Bare(), "test")
    assert (len(train), len(test)) == (11, 9)
    assert train == load_levels(Bare(), "train")
    assert len({level.grid for level in train + test}) == 20


@pytest.mark.parametrize(
    ("name", "rows", "reason"),
    [
        ("nim", ("|||", "|||"), "2 columns, not 3"),
        ("nim", ("|.", ".|"), "row 0, column 0: a matchstick must not float"),
        ("nim", ("|.", "|."), "both columns need at least one"),
        ("nim", ("||", "||"), "both columns have 2 matchsticks"),
        ("checkmate", ("k..", "...", "..K"), "there is no white queen"),
        ("checkmate", ("k..", "Q..", "..."), "there is no white king"),
        ("checkmate", ("K..", "Q..", "..."), r"there is no black king \('k'\)"),
        ("checkmate", ("k.k", "...", "K.Q"), "row 0, column 2: a second black king"),
        ("checkmate", ("k..", "...", "K.L", "Q.."), "row 2, column 2: a second white king"),
        ("checkmate", ("k..", "Q..", "..K", "..R"), "row 3, column 2: a second white queen"),
        ("checkmate", ("k..", "...", "L.R"), "row 2, column 2: both white pieces are selected"),
        ("checkmate", ("k..", ".K.", "..Q"), "row 0, column 0: the black king stands next to the white king"),
        ("chase", ("<>^v", "#A.#"), r"there is no rabbit \('R'\)"),
        ("chase", ("<>^v", "#R.#"), r"there is no agent \('A'\)"),
        ("chase", ("<>^v", "AR.R"), "row 1, column 3: a second rabbit"),
        ("chase", ("<>^#", "#AR#"), r"there is no down arrow \('v'\)"),
        ("chase", ("<>^v<", "##AR#"), "row 0, column 4: a second left arrow"),
        ("stop-the-fall", ("P..", "..."), r"there is no green button \('G'\)"),
        ("stop-the-fall", ("..G", "..."), r"there is no parachuter \('P'\)"),
        ("stop-the-fall", ("PPG", "..."), "row 0, column 1: a second parachuter"),
        ("stop-the-fall", ("P.G", "..G"), "row 1, column 2: a second green button"),
        ("reach-for-the-star", ("..", "A.", "<>"), r"there is no star \('\*'\)"),
        ("reach-for-the-star", (".*", "..", "<>"), r"there is no robot \('A'\)"),
        ("reach-for-the-star", (".*", "A*", "<>"), "row 1, column 1: a second star"),
        ("reach-for-the-star", (".*", "A.", "<."), r"there is no right arrow \('>'\)"),
        ("fence-in", ("...", "...", "..."), r"there is no sheep \('S'\)"),
        ("fence-in", ("....", ".SS.", "...."), "row 1, column 2: a second sheep"),
        ("fence-in", ("...", "..S", "..."), "row 1, column 2: the sheep stands on the border"),
        ("fence-in", (".#.", "#S#", ".#."), "the sheep is enclosed already"),
    ],
)
def test_illegal_levels_are_refused_with_the_reason(name, rows, reason):
    with pytest.raises(BadLevel, match=reason):
        find(name).check(grid(*rows))
