"""What is in a figure, and how it is put on paper."""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from measuring import measured
from shown_evidence.analysis.drawing import DOUBLE, SINGLE, dodged, draw, files
from shown_evidence.analysis.figures import (
    HUNDRED,
    NINE,
    STYLES,
    Axis,
    Line,
    Panel,
    Panels,
    games,
    methods,
    success_panels,
    with_sets,
)
from shown_evidence.analysis.statistics import FLOORS, size
from shown_evidence.experiments.additions import ADDED
from shown_evidence.results.row import Row
from shown_evidence.trials.methods import METHODS
from shown_evidence.trials.trial import Trial

ACROSS = Axis("demonstrations", (1, 2, 3))


@pytest.fixture
def rows() -> list[Row]:
    """LPP in two games, with one set fewer of two demonstrations in Chase and none of three."""
    shown = {"nim": ("train:0", "train:0-1", "train:1-2", "train:0-2"), "chase": ("train:0", "train:0-1")}
    learned = [measured(Trial("lpp", game, levels), 0.5) for game, sets in shown.items() for levels in sets]
    return [*learned, *(measured(Trial("random", game, "train:0"), 0.1) for game in shown)]


def test_every_method_has_a_style_of_its_own():
    in_no_figure_or_several = {
        "lpp-values",
        "lpp-told",
        "lpp-details",
        "shown-world",
        "shown-timed",
        "lpp-with",
        "search",
    }
    assert set(METHODS) - in_no_figure_or_several <= set(STYLES), "these have no color"
    colors = [style["color"] for style in (*STYLES.values(), *(series.style for series in ADDED))]
    assert len(colors) == len(set(colors))
    marks = [(style.get("marker"), style["linestyle"]) for style in STYLES.values()]
    assert len(marks) == len(set(marks)), "two methods look the same without color"


def test_what_is_missing_is_marked(rows: list[Row]):
    figure = success_panels(rows, size, games(["nim", "chase"]), methods(["lpp", "vpi"]), (NINE,), ACROSS)
    nim, chase = (panel.lines[0] for panel in figure.panels)
    assert (nim.xs, nim.fewer, nim.missing) == ([1, 2, 3], [False, False, False], [])
    assert (chase.xs, chase.fewer, chase.missing) == ([1, 2], [False, True], [3])
    drawn = files(figure, ("svg",))["svg"].decode()
    text = re.sub(r"<!--.*?-->", "", drawn)
    assert all(f">{words}<" in text for words in ("LPP", "Random cell", "fewer trials", "no trials here"))
    assert "VPI" not in text
    assert "sensible" not in text


def test_floors_are_of_the_game_and_the_levels(rows: list[Row]):
    more = [*rows, measured(Trial("random", "nim", "train:0", seed=1), 0.3)]
    figure = success_panels(more, size, games(["nim", "chase"]), methods(["lpp"]), (HUNDRED,), ACROSS)
    assert [[line.height for line in panel.floors] for panel in figure.panels] == [[0.2], [0.1]]


def test_a_line_of_fewer_sets_than_others_says_so(rows: list[Row]):
    more = [*rows, measured(Trial("vpi", "nim", "train:0-1")), measured(Trial("vpi", "chase", "train:0-1"))]
    assert [each.label for each in with_sets(methods(["lpp", "vpi", "fcn"]), more)] == ["LPP", "VPI, 1 set", "FCN"]


def test_floors_alone_are_no_figure(rows: list[Row]):
    alone = [row for row in rows if row.settings["method"] in FLOORS]
    assert success_panels(alone, size, games(["nim"]), methods(["lpp"]), (NINE,), ACROSS).empty
    assert not success_panels(rows, size, games(["nim"]), methods(["lpp"]), (NINE,), ACROSS).empty


def test_values_are_drawn_at_their_height_and_moved_sideways_only():
    """Six methods that win everything lie at 1.0, at six places of the page."""
    lines = [Line([1, 2], [1.0, 1.0], str(i), STYLES["lpp"]) for i in range(6)]
    figure = Panels([Panel("Nim", lines)], ["success"], ACROSS)
    (axes,) = draw(figure).axes
    drawn = [line for line in axes.lines if len(line.get_xdata()) == 2]
    assert [list(line.get_ydata()) for line in drawn] == [[1.0, 1.0]] * 6
    places = [line.get_transform().transform((1, 1.0)) for line in drawn]
    assert len({round(x, 3) for x, _ in places}) == 6
    assert len({round(y, 3) for _, y in places}) == 1


@given(st.lists(st.booleans(), min_size=1, max_size=12), st.sampled_from([SINGLE, DOUBLE]))
def test_marks_at_one_place_stay_near_it_and_points_without_a_line_stay(are_lines: list[bool], width: float):
    lines = [Line([1], [1.0], "", {} if line else {"linestyle": ""}) for line in are_lines]
    moved = dodged(lines, width)
    drawn = [points for points, line in zip(moved, are_lines, strict=True) if line]
    assert all(points == 0 for points, line in zip(moved, are_lines, strict=True) if not line)
    assert len(set(drawn)) == len(drawn)
    assert not drawn or max(drawn) - min(drawn) <= 9
    assert sum(drawn) == pytest.approx(0)


@pytest.mark.parametrize("width", [SINGLE, DOUBLE])
def test_print_is_as_wide_as_the_column_and_large_enough_to_read(rows: list[Row], width: float):
    figure = success_panels(rows, size, games(["nim", "chase"]), methods(["lpp"]), (NINE,), ACROSS)
    drawn = files(figure, ("svg",), width)["svg"].decode()
    (points,) = re.findall(r'<svg [^>]*width="([\d.]+)pt"', drawn)
    assert float(points) == pytest.approx(72 * width)
    sizes = [float(found) for found in re.findall(r"font(?:-size)?: ([\d.]+)px", drawn)]
    assert sizes
    assert min(sizes) >= 7
