import re
from html.parser import HTMLParser

import pytest

from measuring import all_measured, measured
from shown.experiments import EXPERIMENTS, find
from shown.experiments.experiment import Scale
from shown.experiments.paper import STATEMENTS
from shown.experiments.report import figure_files, report
from shown.experiments.rows import Row
from shown.experiments.trials import Trial


@pytest.fixture(scope="module")
def rows() -> list[Row]:
    trials = [trial for name in EXPERIMENTS for trial in find(name).trials(Scale(sets=1))]
    made = all_measured(trials, lambda trial: {"lpp": 1.0, "vpi": 0.3}.get(trial.method, 0.6))
    moves = {"rule": "click", "game": [{"grid": "|.", "action": [0, 0]}], "moves": [1] * 9, "expert_moves": [1] * 9}
    made += [measured(trial, 1.0, **moves) for trial in trials if trial.method == "lpp-told" and trial.game == "nim"]
    return [*made, Row(Trial("cnn", "nim", "train:0,train:1").settings, "failed", None, "<broken>", 1.0)]


@pytest.fixture(scope="module")
def page(rows: list[Row]) -> str:
    return report(rows, "my & results.sqlite")


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
    for name in EXPERIMENTS:
        section = page[page.index(f'<h2 id="{name}">') :]
        section = section[: section.index("<h2", 4)]
        assert "<svg" in section or "<table" in section
    assert page.count("<figcaption>") == page.count("<svg") >= 12


def test_every_claim_is_judged_and_names_are_escaped(page: str):
    assert page.count('<td class="verdict') == sum(map(len, STATEMENTS.values()))
    assert "my &amp; results.sqlite" in page
    assert "1 failed" in page


def test_the_same_rows_give_the_same_bytes(rows: list[Row]):
    few = [row for row in rows if find("data-efficiency").belongs(row.settings)]
    assert report(few, "r.sqlite") == report(list(reversed(few)), "r.sqlite")


def test_an_empty_store_gives_a_page_that_says_so():
    page = report([], "r.sqlite")
    assert "The store is empty." in page
    assert page.count("– not measured") == page.count('<td class="verdict')


def test_figures_are_files_too(rows: list[Row]):
    few = [row for row in rows if find("data-efficiency").belongs(row.settings)]
    made = dict(figure_files(few))
    stems = ("data-efficiency", "data-efficiency-narrow")
    assert list(made) == [f"{stem}.{form}" for stem in stems for form in ("svg", "pdf", "png")]
    begins = {"svg": b"<?xml", "pdf": b"%PDF", "png": b"\x89PNG"}
    assert all(content.startswith(begins[name.rpartition(".")[2]]) for name, content in made.items())
    assert dict(figure_files(few)) == made, "the same results give the same bytes"
