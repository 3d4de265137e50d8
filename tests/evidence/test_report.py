import re
from html.parser import HTMLParser

import pytest

from measuring import all_measured, measured
from shown_evidence.analysis.statements import STATEMENTS
from shown_evidence.experiments import EXPERIMENTS, find
from shown_evidence.experiments.experiment import Scale
from shown_evidence.report.page import figure_files, report
from shown_evidence.trials.row import Row
from shown_evidence.trials.trial import Trial


@pytest.fixture(scope="module")
def rows() -> list[Row]:
    trials = [trial for name in EXPERIMENTS for trial in find(name).trials(Scale(sets=1))]
    made = all_measured(trials, lambda trial: {"lpp": 1.0, "vpi": 0.3}.get(trial.method, 0.6))
    moves = {"rule": "click", "game": [{"grid": "|.", "action": [0, 0]}], "moves": [1] * 9, "expert_moves": [1] * 9}
    made += [measured(trial, 1.0, **moves) for trial in trials if trial.method == "lpp-told" and trial.game == "nim"]
    made += [
        measured(trial, 0.6, expected=0.7) for trial in trials if trial.method == "shown" and trial.game == "chase"
    ]
    return [*made, Row(Trial("cnn", "nim", "train:0,train:1").settings, "failed", None, "<broken>", 1.0)]


@pytest.fixture(scope="module")
def page(rows: list[Row]) -> str:
    return report(rows, "my & results")


class Balance(HTMLParser):
    """Checks that every element that is opened is closed, in order."""

    VOID = ("meta", "br", "img", "link")

    def __init__(self) -> None:
        super().__init__()
        self.open: list[str] = []
        self.ids: list[str] = []

    def handle_starttag(self, tag: str, attrs: list) -> None:
        self.ids += [value for name, value in attrs if name == "id"]
        if tag not in self.VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag: str, attrs: list) -> None:
        self.ids += [value for name, value in attrs if name == "id"]

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag


def test_the_page_is_whole_and_needs_nothing_else(page: str):
    balance = Balance()
    balance.feed(page)
    assert balance.open == []
    assert len(balance.ids) == len(set(balance.ids)), "two elements share an id"
    targets = re.findall(r'href="([^"]*)"', page)
    assert all(target.startswith("#") for target in targets)
    assert {target[1:] for target in targets} <= set(balance.ids)
    assert "<script" not in page
    assert not re.search(r'(src|url\()\s*=?\s*["\']?https?:', page)


def test_every_experiment_has_its_figure_or_table(page: str):
    for name in EXPERIMENTS.keys() - {"released"}:  # it needs a folder of others' levels
        section = page[page.index(f'<h2 id="{name}">') :]
        section = section[: section.index("<h2", 4)]
        assert "<svg" in section or "<table" in section
    plots = [view for name in EXPERIMENTS for view in find(name).views if name != "released"]
    assert page.count("<figcaption>") == len(plots) + 1, "and the boards of one game"


def test_every_claim_is_judged_and_names_are_escaped(page: str):
    assert page.count('<td class="verdict') == sum(map(len, STATEMENTS.values()))
    assert "my &amp; results" in page
    assert "1 failed" in page
    assert "&lt;broken&gt;" not in page


def test_it_opens_with_a_figure_and_a_table(page: str):
    opening = page[: page.index('<h2 id="claims">')]
    assert opening.count("<svg") == opening.count("<figcaption>") == opening.count("<table") == 1
    nim = re.search(r"<td>Nim</td>(.*?)</tr>", opening)
    assert nim is not None
    assert re.findall("<td>(.*?)</td>", nim[1]) == ["100 / – / 100 / – %", *["60 / – / 60 / – %"] * 2, "60 %"]
    assert page.count("Its figure is at the top of the page.") == 1


def test_the_tally_counts_the_verdicts(page: str):
    counts = dict(re.findall(r'<li><b class="(\w+)">(\d+)</b>', page))
    assert counts.keys() == {"yes", "partly", "no", "missing"}
    assert all(page.count(f'<td class="verdict {verdict}">') == int(number) for verdict, number in counts.items())


def test_the_page_says_where_its_rows_are_from(rows: list[Row]):
    page = report(rows, "results", bad=2)
    assert f"{len(rows):,} trials, run between" in page
    assert re.search(r"Left out: 1 failed, .*2 bad rows;", page)


def test_the_same_rows_give_the_same_bytes(rows: list[Row]):
    few = [row for row in rows if find("data-efficiency").belongs(row.settings)]
    assert report(few, "results") == report(list(reversed(few)), "results")


def test_an_empty_store_gives_a_page_that_says_so():
    page = report([], "results")
    assert "There are no results." in page
    assert page.count("– not measured") == page.count('<td class="verdict')


def test_figures_are_files_too(rows: list[Row]):
    few = [row for row in rows if find("data-efficiency").belongs(row.settings)]
    made = dict(figure_files(few))
    assert list(made) == ["data-efficiency-nine.svg", "data-efficiency-generated.svg"]
    assert all(content.startswith(b"<?xml") for content in made.values())
    assert dict(figure_files(few)) == made, "the same results give the same bytes"
