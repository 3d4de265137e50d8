"""What is in a figure, and how it is drawn."""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from measuring import measured
from shown_evidence.analysis.drawing import STYLE, WIDTH, dodged, draw, svg_file
from shown_evidence.analysis.exhibits import (
    HUNDRED,
    NINE,
    Axis,
    LevelView,
    Line,
    Plot,
    games,
    methods,
    success_plot,
)
from shown_evidence.analysis.statistics import TEST
from shown_evidence.experiments import EXPERIMENTS, find
from shown_evidence.trials.row import Row
from shown_evidence.trials.trial import Trial

ACROSS = Axis("demonstrations", (1, 2, 3))


@pytest.fixture
def rows() -> list[Row]:
    """LPP in two games, with one set fewer of two demonstrations in Chase and none of three."""
    shown = {"nim": ("train:0", "train:0-1", "train:1-2", "train:0-2"), "chase": ("train:0", "train:0-1")}
    success = {"train:0-1": 0.75}
    return [
        measured(Trial("lpp", game, levels), success.get(levels, 0.5))
        for game, sets in shown.items()
        for levels in sets
    ]


def test_no_figure_has_two_lines_that_look_the_same():
    styles = list(STYLE["axes.prop_cycle"])
    assert len({style["color"] for style in styles}) == len(styles)
    assert len({(style["marker"], style["linestyle"]) for style in styles}) == len(styles), "the same without color"
    for experiment in map(find, EXPERIMENTS):
        assert not experiment.views or len(experiment.series) <= len(styles), experiment.name


def test_a_line_has_a_point_for_every_number_with_results(rows: list[Row]):
    plot = success_plot(rows, games(["nim", "chase"]), methods(["lpp", "vpi"]), NINE, ACROSS, "")
    nim, chase = plot.panels.values()
    assert [(line.label, line.xs, line.ys) for line in nim] == [("LPP", [1, 2, 3], [0.5, 0.625, 0.5])], "VPI has none"
    assert [(line.label, line.xs, line.ys) for line in chase] == [("LPP", [1, 2], [0.5, 0.75])]
    low, high = (ends[1] for ends in nim[0].band)
    assert 0.5 <= low < 0.625 < high <= 0.75
    best = success_plot(rows, games(["nim"]), methods(["lpp"]), LevelView("", "best", TEST, max), ACROSS, "")
    assert best.panels["Nim"][0].ys == [0.5, 0.75, 0.5]
    assert best.panels["Nim"][0].band == ([], [])
    text = re.sub(r"<!--.*?-->", "", svg_file(plot).decode())
    assert ">LPP<" in text
    assert ">VPI<" not in text


def test_a_method_has_its_color_in_every_panel(rows: list[Row]):
    more = [*rows, measured(Trial("vpi", "chase", "train:0"))]
    plot = success_plot(more, games(["nim", "chase"]), methods(["vpi", "lpp"]), HUNDRED, ACROSS, "")
    nim, chase = ([(line.get_label(), line.get_color()) for line in axes.lines] for axes in draw(plot).axes)
    assert nim == chase


def test_a_figure_without_results_is_empty(rows: list[Row]):
    assert success_plot(rows, games(["nim"]), methods(["vpi"]), NINE, ACROSS, "").empty
    assert not success_plot(rows, games(["nim"]), methods(["lpp"]), NINE, ACROSS, "").empty


def test_values_are_drawn_at_their_height_and_moved_sideways_only():
    """Six methods that win everything lie at 1.0, at six places of the page."""
    lines = [Line(str(i), [1, 2], [1.0, 1.0]) for i in range(6)]
    (axes,) = draw(Plot({"Nim": lines}, "success", ACROSS, "", "")).axes
    assert [list(line.get_ydata()) for line in axes.lines] == [[1.0, 1.0]] * 6
    places = [line.get_transform().transform((1, 1.0)) for line in axes.lines]
    assert len({round(x, 3) for x, _ in places}) == 6
    assert len({round(y, 3) for _, y in places}) == 1


@given(st.integers(1, 12))
def test_marks_at_one_place_stay_near_it(count: int):
    moved = dodged(count)
    assert len(set(moved)) == count
    assert max(moved) - min(moved) <= 9
    assert sum(moved) == pytest.approx(0)


def test_print_is_as_wide_as_the_page_and_large_enough_to_read(rows: list[Row]):
    plot = success_plot(rows, games(["nim", "chase"]), methods(["lpp"]), NINE, ACROSS, "")
    drawn = svg_file(plot).decode()
    (points,) = re.findall(r'<svg [^>]*width="([\d.]+)pt"', drawn)
    assert float(points) == pytest.approx(72 * WIDTH)
    sizes = [float(found) for found in re.findall(r"font(?:-size)?: ([\d.]+)px", drawn)]
    assert sizes
    assert min(sizes) >= 7
