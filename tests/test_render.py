"""Pictures: well-formed, the same in every format, told apart without color, ready for games nobody has drawn for."""

import builtins
import io
import itertools
import re
import xml.etree.ElementTree as ET

import numpy as np
import pytest
from PIL import Image, ImageSequence

from shown import render
from shown.demonstrations import Step
from shown.errors import BadInput, MissingExtra
from shown.grid import Grid, Tokens, grid
from shown.render.glyphs import GLYPHS, letters
from shown.render.palette import COLORS, color, ground, variable
from shown.render.raster import tile
from shown.render.sprites import SPRITES, drawings, labels
from shown.render.vector_shapes import Path, circle, element, line, moved, outlines, shape
from shown.worlds import GAMES, find
from shown.worlds.games.levels import built_in

SVG = "{http://www.w3.org/2000/svg}"
TOKENS = Tokens(empty=".", matchstick="|")
BOARD = grid("|.", "||")
STRANGE = Tokens(empty=".", tree="T", deep_water="≈", dry_wood="木", wall="#")


def grey(shapes, name, size, dark):
    picture = Image.fromarray(tile(shapes, color(ground(name)[0], dark), size, dark))
    return np.asarray(picture.convert("L")).astype(int)


# --- sprites ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("dark", [False, True])
@pytest.mark.parametrize("size", [24, 96])
@pytest.mark.parametrize("name", GAMES)
def test_every_two_tokens_of_a_game_differ_without_color(name, size, dark):
    tokens = find(name).tokens
    tiles = {tokens.name(character): grey(shapes, name, size, dark) for character, shapes in drawings(tokens).items()}
    for (a, one), (b, other) in itertools.combinations(tiles.items(), 2):
        assert (np.abs(one - other) > 40).mean() > 0.05, f"{a} and {b} look alike"


@pytest.mark.parametrize("name", GAMES)
def test_every_token_of_the_six_games_has_a_drawing_of_its_own(name):
    assert set(find(name).tokens.names) <= set(SPRITES)


def test_every_color_used_is_in_the_palette():
    used = {c for shapes in SPRITES.values() for shape in shapes for c in (shape.fill, shape.stroke) if c}
    assert used <= set(COLORS)
    assert all(re.fullmatch(r"#[0-9a-f]{6}", value) for pair in COLORS.values() for value in pair)


def test_tokens_without_a_sprite_get_lettered_tiles_that_differ():
    drawn = drawings(STRANGE)
    assert drawn["."] == ()
    assert drawn["#"] == SPRITES["wall"]
    assert labels(STRANGE) == [".", "T", "DW", "3", "#"]  # 木 would be DW again, so its number is written
    tiles = [grey(drawn[character], None, 24, False) for character in "T≈木"]
    assert all((np.abs(a - b) > 40).mean() > 0.04 for a, b in itertools.combinations(tiles, 2))


def test_a_tile_keeps_its_color_when_tokens_are_added():
    before, after = drawings(Tokens(empty=".", tree="T")), drawings(Tokens(empty=".", tree="T", sea="S"))
    assert before["T"] == after["T"]


def test_there_is_a_glyph_for_every_visible_ascii_character():
    assert {chr(code) for code in range(33, 127)} <= set(GLYPHS)
    assert letters("é", 0, 6, 6, "ink", 1) == letters("?", 0, 6, 6, "ink", 1)


# --- shapes -----------------------------------------------------------------------------------------------------------


def test_curves_begin_and_end_where_they_say():
    ((points, closed),) = outlines(Path("M0 0C0 10 10 10 10 0C15 -5 15 -5 20 0"))
    assert (points[0], points[-1], closed) == ((0, 0), (20, 0), False)
    assert max(y for _, y in points) == pytest.approx(7.5)


def test_moving_scales_the_pen_too():
    path = moved(line((0, 0), (1, 2), stroke="ink", width=3), 10, 20, 2)
    assert (path.d, path.width) == ("M10 20L12 24", 6)


@pytest.mark.parametrize("name", ["fence", "goal", "robot"])
def test_an_element_is_read_back(name):
    for one in SPRITES[name]:
        assert shape(dict(ET.fromstring(element(one, variable)).items())) == one


def test_elements():
    assert element(Path("M0 0L1 0L0 1.25Z", fill="ink"), str) == '<path d="M0 0L1 0L0 1.25Z" fill="ink"/>'
    assert 'fill-opacity="0.5"' in element(circle(1, 2, 3, fill="ink", opacity=0.5), str)


# --- text -------------------------------------------------------------------------------------------------------------


def test_text_marks_the_click_with_brackets():
    assert render.text(BOARD, TOKENS, click=(1, 1)) == " | .\n |[|]"
    assert render.text(BOARD, TOKENS) == " | .\n | |"


def test_colored_text_is_the_same_text():
    colored = render.text(BOARD, TOKENS, click=(0, 0), color=True)
    assert "\x1b[" in colored
    assert re.sub(r"\x1b\[[0-9;]*m", "", colored) == render.text(BOARD, TOKENS, click=(0, 0))


# --- SVG --------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("dark", [False, True, None])
@pytest.mark.parametrize("name", GAMES)
def test_svg_is_well_formed_and_complete(name, dark):
    game = find(name)
    board = built_in(game, "train")[0].grid
    text = render.svg(board, game.tokens, name, click=(0, 0), caption="a < b & c", dark=dark)
    assert text.count("http") == 1  # the name space; nothing is loaded from anywhere
    root = ET.fromstring(text)
    uses = root.findall(f"{SVG}use")
    things = sum(bool(drawings(game.tokens)[character]) for row in board.rows for character in row)
    assert len(uses) == things
    ids = {symbol.get("id") for symbol in root.iter(f"{SVG}symbol")}
    assert {use.get("href")[1:] for use in uses} == ids
    assert root.find(f"{SVG}title").text.startswith(f"{name}, {board.height} rows")


def test_svg_without_a_click_draws_no_pointer():
    assert color("click") not in render.svg(BOARD, TOKENS)
    assert color("click") in render.svg(BOARD, TOKENS, click=(0, 0))


def test_marks_off_the_grid_make_room_for_themselves():
    plain = ET.fromstring(render.svg(BOARD, TOKENS))
    marked = ET.fromstring(render.svg(BOARD, TOKENS, highlight=[(-1, 0)], paths=[[(1, 1), (0, 1), (-1, 1)]]))
    assert int(marked.get("width")) > int(plain.get("width"))
    far = ET.fromstring(render.svg(BOARD, TOKENS, highlight=[(-99, 0)]))
    assert len(far.findall(f"{SVG}g")) == 0


def test_heat_is_written_as_percent_and_checked():
    array = np.array([[0.62, 0.0], [0.38, 0.0]])
    assert render.svg(BOARD, TOKENS, heat=array) == render.svg(BOARD, TOKENS, heat={(0, 0): 0.62, (1, 0): 0.38})
    with pytest.raises(BadInput, match="shape"):
        render.svg(BOARD, TOKENS, heat=np.zeros((3, 2)))


def test_symbols_cover_the_tokens_grounds_and_marks():
    root = ET.fromstring(render.symbols(find("chase").tokens, "chase", prefix="x-"))
    ids = {symbol.get("id") for symbol in root.iter(f"{SVG}symbol")}
    assert ids == {f"x-{name}" for name in (*find("chase").tokens.names, "ground-0", "ground-1", "click", "look")}


def test_symbols_that_follow_the_page_use_only_defined_variables():
    sheet = render.symbols(find("chase").tokens, "chase")
    used = set(re.findall(r"var\((--[a-z0-9_-]+),#[0-9a-f]{6}\)", sheet))
    assert used
    assert used <= set(re.findall(r"(--[a-z0-9_-]+):", render.stylesheet()))
    assert "var(" not in render.symbols(find("chase").tokens, "chase", dark=True)


@pytest.mark.parametrize("bad", [{"click": (2, 0)}, {"outcome": "drawn"}, {"cell": 0}])
def test_nonsense_is_refused(bad):
    with pytest.raises(BadInput):
        render.svg(BOARD, TOKENS, **bad)


def test_a_character_that_is_no_token_is_refused_with_its_place():
    with pytest.raises(BadInput, match="row 0, column 1: 'x'"):
        render.image(grid("|x"), TOKENS)


# --- pixels -----------------------------------------------------------------------------------------------------------


def test_png_has_the_size_of_its_cells():
    picture = render.image(BOARD, TOKENS, cell=50)
    assert picture.size == (118, 118)  # two cells of 50 and 9 on either side
    read = Image.open(io.BytesIO(render.png(picture)))
    assert (read.format, read.size, read.mode) == ("PNG", (118, 118), "RGB")


@pytest.mark.parametrize("name", GAMES)
def test_svg_and_pixels_have_the_same_size_and_board(name):
    game = find(name)
    board = built_in(game, "train")[0].grid
    root = ET.fromstring(render.svg(board, game.tokens, name, caption="x", highlight=[(-1, 0)]))
    picture = render.image(board, game.tokens, name, caption="x", highlight=[(-1, 0)])
    assert picture.size == (int(root.get("width")), int(root.get("height")))


def test_the_same_input_gives_the_same_bytes():
    frames = render.film([Step(BOARD, (0, 0))], grid("..", "||"), "won")
    tile.cache_clear()
    first = render.png(render.image(BOARD, TOKENS, click=(0, 0))), render.gif(frames, TOKENS), render.svg(BOARD, TOKENS)
    tile.cache_clear()
    again = render.png(render.image(BOARD, TOKENS, click=(0, 0))), render.gif(frames, TOKENS), render.svg(BOARD, TOKENS)
    assert first == again


def test_light_and_dark_differ():
    light, dark = (np.asarray(render.image(BOARD, TOKENS, dark=d)).mean() for d in (False, True))
    assert light - dark > 100


def test_marks_change_only_their_cell():
    plain, marked = (np.asarray(render.image(BOARD, TOKENS, cell=50, **k)).astype(int) for k in ({}, {"click": (0, 1)}))
    changed = np.argwhere((plain != marked).any(axis=2))
    assert len(changed)
    assert changed.min(axis=0).tolist() >= [9, 59]
    assert changed[:, 0].max() < 59


@pytest.mark.parametrize("shape", [(1, 1), (1, 400), (700, 3), (2500, 2500)])
def test_large_grids_are_made_small_enough(shape):
    board = Grid(("|" * shape[1],) * shape[0])
    assert max(render.image(board, TOKENS).size) <= 960
    assert max(render.image(board, TOKENS, cell=1000).size) <= 4096


def test_a_grid_too_large_for_svg_says_what_to_do():
    with pytest.raises(BadInput, match="PNG"):
        render.svg(Grid(("|" * 400,) * 400), TOKENS)


def test_without_pillow_the_error_says_what_to_install(monkeypatch):
    from shown.render import raster

    real = builtins.__import__

    def no_pillow(name, *args, **kwargs):
        if name == "PIL":
            raise ImportError(name)
        return real(name, *args, **kwargs)

    raster._pillow.cache_clear()
    monkeypatch.setattr(builtins, "__import__", no_pillow)
    with pytest.raises(MissingExtra, match=r"Pillow.*\[games\]"):
        render.image(BOARD, TOKENS)
    monkeypatch.undo()
    assert render.image(BOARD, TOKENS).size


# --- films ------------------------------------------------------------------------------------------------------------


def durations(film):
    return [frame.info["duration"] for frame in ImageSequence.Iterator(film)]


def test_a_gif_shows_each_position_each_click_and_the_end():
    steps = [Step(BOARD, (0, 0)), Step(grid("..", "||"), (1, 1))]
    frames = render.film(steps, grid("..", "|."), "lost")
    film = Image.open(io.BytesIO(render.gif(frames, TOKENS, "nim")))
    assert film.info["loop"] == 0
    assert durations(film) == [450, 550, 450, 550, 2500]


def test_speed_shortens_a_gif_and_nonsense_is_refused():
    frames = render.film([Step(BOARD, (0, 0))], BOARD, "unfinished")
    film = Image.open(io.BytesIO(render.gif(frames, TOKENS, speed=5)))
    assert film.info["duration"] == 90
    for speed in (0, -1, float("nan")):
        with pytest.raises(BadInput, match="speed"):
            render.gif(frames, TOKENS, speed=speed)
    with pytest.raises(BadInput, match="frames"):
        render.gif([], TOKENS)


def test_where_frames_would_be_too_short_to_be_seen_some_are_left_out():
    frames = [render.Frame(BOARD, caption=str(i), seconds=0.5) for i in range(60)]
    frames.append(render.Frame(BOARD, outcome="won", seconds=2.5))
    film = Image.open(io.BytesIO(render.gif(frames, TOKENS, cell=20, speed=80)))
    assert film.n_frames == 18 + 1  # 375 ms, at most one picture in 20; and how it ended
    assert min(durations(film)) >= 20
    assert abs(sum(durations(film)) - 1000 * (60 * 0.5 + 2.5) / 80) <= 20


def test_the_colors_of_a_gif_do_not_shift():
    frames = render.film([Step(BOARD, (0, 0))], BOARD, "won")
    film = Image.open(io.BytesIO(render.gif(frames, TOKENS, cell=40)))
    assert film.convert("RGB").getpixel((0, 0)) == (255, 255, 255)
    still = np.asarray(render.image(BOARD, TOKENS, cell=40, caption="1 of 1")).astype(int)
    assert np.abs(np.asarray(film.convert("RGB")).astype(int) - still).mean() < 1


def test_won_lost_and_unfinished_look_different_without_color():
    seen = [
        np.asarray(render.image(BOARD, TOKENS, outcome=outcome, caption=" ").convert("L")).astype(int)[-40:]
        for outcome in ("won", "lost", "unfinished")
    ]
    assert all((np.abs(a - b) > 40).sum() > 20 for a, b in itertools.combinations(seen, 2))


def test_levels_of_different_size_share_a_film():
    frames = [*render.film([], BOARD, "won"), *render.film([], grid("|.." * 3), "lost")]
    film = Image.open(io.BytesIO(render.gif(frames, TOKENS, cell=20)))
    assert film.n_frames == 2
    assert film.size[0] >= 9 * 20


def test_button_worlds_write_the_button_below_the_board():
    frames = render.film([Step(BOARD, "left")], BOARD, "unfinished")
    assert [frame.click for frame in frames] == ["left", None]
    assert render.svg(BOARD, TOKENS, click="left") != render.svg(BOARD, TOKENS, click="fire")
