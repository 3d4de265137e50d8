import numpy as np
import pytest

from shown.errors import BadInput, BadLevel
from shown.grid import Tokens, grid
from shown.worlds import GAMES, Game, all_games, find
from shown.worlds.games import installed
from shown.worlds.games.game import require_one, settle


def test_loose_things_fall_onto_what_does_not():
    assert settle(grid("a", ".", "#", "."), "a") == grid(".", "a", "#", ".")


def test_loose_things_fall_to_the_bottom_and_keep_their_order():
    assert settle(grid("a", ".", "b", ".", "."), "ab") == grid(".", ".", ".", "a", "b")


def test_each_column_falls_alone():
    assert settle(grid("ab", "#.", ".."), "ab") == grid("a.", "#.", ".b")


def test_what_rests_stays_the_same_grid():
    before = grid("..", "a#")
    assert settle(before, "a") is before


def test_loose_characters_may_mean_something_in_patterns():
    assert settle(grid("]^", "..", "--"), "]^-") == grid("..", "]^", "--")


@pytest.mark.parametrize("name", GAMES)
def test_every_game_tells_about_itself(name: str):
    game = find(name)
    assert game.name == name
    assert game.title
    assert game.goal.endswith(".")
    sections = ("Description:", "Observation:", "Actions:", "Rewards:", "End of episode:", "Levels:")
    places = [type(game).__doc__.index(f"    {section}") for section in sections]
    assert places == sorted(places)
    for character in game.tokens:
        assert f"`{character}`" in type(game).__doc__


LEGENDS = {
    "nim": ".|",
    "checkmate": ".kKQLR",
    "chase": ".#%AR<>^v",
    "stop-the-fall": ".P#%FG",
    "reach-for-the-star": ".A*#<>",
    "fence-in": ".S#",
}


@pytest.mark.parametrize("name", GAMES)
def test_legends(name: str):
    assert "".join(find(name).tokens) == LEGENDS[name]


def test_unknown_games_are_corrected():
    with pytest.raises(BadInput, match=r"no game called 'nmi'\. Did you mean 'nim'\?"):
        find("nmi")
    with pytest.raises(BadInput, match=r"Known: .*fence-in"):
        find("zzzzzz")


def test_require_one_names_the_second():
    tokens = Tokens(empty=".", white_rabbit="R")
    assert require_one(grid(".R"), tokens, "white_rabbit") == (0, 1)
    with pytest.raises(BadLevel, match=r"there is no white rabbit \('R'\)"):
        require_one(grid(".."), tokens, "white_rabbit")
    with pytest.raises(BadLevel, match="row 1, column 0: a second white rabbit"):
        require_one(grid(".R", "R."), tokens, "white_rabbit")


def test_other_packages_declare_games(elsewhere):
    elsewhere("twin = elsewhere:Twin", "nim = elsewhere:Twin")
    assert find("twin").title == "Twin"
    assert find("nim").title == "Nim", "the games of this package cannot be replaced"
    assert list(all_games()) == [*GAMES, "twin"]
    with pytest.raises(BadInput, match="Did you mean 'twin'"):
        find("twn")


@pytest.mark.parametrize(
    ("line", "complaint"),
    [
        ("lost = nowhere:Lost", r"cannot be loaded \(ModuleNotFoundError: No module named 'nowhere'\)\."),
        ("lost = elsewhere:Lost", r"cannot be loaded \(AttributeError: .*Lost.*\)\."),
        ("lost = broken:Lost", r"cannot be loaded \(RuntimeError: two lines, at \S*broken\.py:1\)\."),
        ("lost = elsewhere:Half", r"cannot be loaded \(TypeError: .*abstract.*\)\."),
        ("lost = elsewhere:NotAGame", r"is not a shown\.worlds\.Game\."),
        ("lost = elsewhere:Twin", r"calls itself 'twin'\. Both names must be the same"),
    ],
)
def test_a_declaration_that_does_not_hold_says_whose_it_is_and_what_failed(elsewhere, line: str, complaint: str):
    elsewhere("twin = elsewhere:Twin", line)
    value = line.split(" = ")[1]
    with pytest.raises(BadInput, match=rf"^game 'lost', declared by elsewhere as '{value}', {complaint}"):
        find("lost")
    games, reasons = installed()
    assert [game.name for game in games] == [*GAMES, "twin"], "the others are not harmed"
    (reason,) = reasons
    assert "'lost'" in reason
    assert "\n" not in reason


def test_names_of_games_can_stand_in_files_and_pages(elsewhere):
    elsewhere("../up = elsewhere:Climber")
    with pytest.raises(BadInput, match="lower-case letters, digits and hyphens"):
        find("../up")


def test_games_are_pure():
    """The same grid, click and seed lead to the same outcome, and the grid given is left alone."""
    for name in GAMES:
        game: Game = find(name)
        before = game.generate(np.random.default_rng(3))
        rows = before.rows
        for click in before.cells():
            first, second = (game.step(before, click, np.random.default_rng(1)) for _ in range(2))
            assert first == second
            assert not first.won or first.over
        assert before.rows == rows
