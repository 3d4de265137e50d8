"""Which clicks the printed rule explains, which clause stands for which, and what is claimed of the others."""

from dataclasses import replace

import pytest

from shown.demonstrations import Demonstration, Demonstrations, Step
from shown.policy import Component, Policy
from shown.provenance import DemonstrationsRecord, Provenance
from shown.rules import Formula
from shown.rules.parsing import read_clause
from shown.teaching.coverage import coverage
from shown.worlds import demonstrate, find, load_levels
from shown_evidence.styles import find_style

QUEEN = "at_action_cell(cell_is_value(white_queen))"
KING = "at_action_cell(cell_is_value(white_king))"
BETWEEN = [
    f"at_action_cell(shifted(({down}, {right}), cell_is_value(black_king))) and "
    f"at_action_cell(shifted(({-down}, {-right}), cell_is_value(white_king))) and "
    "not at_cell_with_value(white_queen, cell_is_value(white_queen))"
    for down, right in ((-1, 0), (1, 0), (0, -1), (0, 1))
]
"""Between the kings, when the queen is selected."""


@pytest.fixture(scope="module")
def checkmate():
    return find("checkmate")


def rule(game, *clauses):
    read = tuple(read_clause(text, Policy.language, game.tokens, (), "test") for text in clauses)
    return Policy(game.tokens, (Component(1.0, 0.0, 0.0, Formula(read)),), game.name)


def shown_by(game, style, levels="random:910000-910002"):
    return find_style(game.name, style).demonstrate(load_levels(game, levels))


def test_each_clause_counts_its_clicks(checkmate):
    shown = demonstrate(checkmate, load_levels(checkmate, "train:0-2"))
    found = coverage(rule(checkmate, QUEEN, KING, *BETWEEN), shown, checkmate)
    assert found.notes[:2] == ["none of your clicks; found in practice", "3 of your 6 clicks; first: game 1, click 1"]
    assert found.allowed.sum(axis=0).tolist() == [1] * 6
    assert found.sentence == "It explains all of your 6 clicks."
    assert coverage(rule(checkmate, QUEEN), shown, checkmate).notes == []


def test_other_mates_are_not_explained_but_won_as_well(checkmate):
    found = coverage(rule(checkmate, QUEEN, *BETWEEN), shown_by(checkmate, "from-afar"), checkmate)
    assert found.sentence == "It explains 3 of your 6 clicks; for 3 it does something that wins as well."


def test_clicks_that_change_nothing_are_not_explained(checkmate):
    found = coverage(rule(checkmate, QUEEN, *BETWEEN), shown_by(checkmate, "useless-click"), checkmate)
    assert found.sentence == "It explains 6 of your 9 clicks; 3 changed nothing."


def test_what_does_not_win_is_not_claimed_to(checkmate):
    shown = shown_by(checkmate, "useless-click")
    mixed = coverage(rule(checkmate, QUEEN), shown, checkmate)
    assert mixed.sentence == "It explains 3 of your 9 clicks; 3 changed nothing; for 3 it does something else."
    unknown = coverage(rule(checkmate, QUEEN), shown)
    assert unknown.sentence == "It explains 3 of your 9 clicks; for 6 it does something else."


def test_refused_clicks_need_no_explanation(checkmate):
    (item, *_) = demonstrate(checkmate, load_levels(checkmate, "train:0")).items
    refused = Demonstration((Step(item.steps[0].grid, (0, 0), refused=True),))
    found = coverage(rule(checkmate, QUEEN), Demonstrations(checkmate.tokens, (refused, item), "checkmate"), checkmate)
    assert (len(found.steps), found.places[0]) == (2, (1, 0))


def test_the_headline_counts_the_clicks_that_the_rule_allows(checkmate):
    shown = shown_by(checkmate, "from-afar")
    provenance = Provenance(demonstrations=DemonstrationsRecord.of(shown))
    other = replace(rule(checkmate, QUEEN), provenance=provenance).taught_by(shown)
    assert "(3 of 6 steps explained)" in other.table()
