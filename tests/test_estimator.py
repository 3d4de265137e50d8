"""Learning as scikit-learn has it."""

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.model_selection import cross_val_score

from shown.errors import BadInput
from shown.inference.estimator import GridClassifier
from shown.worlds import demonstrate, find, load_levels

NIM = find("nim")
DEMOS = demonstrate(NIM, load_levels(NIM, "train:0-5"))
X, Y, _ = DEMOS.to_arrays()


def test_it_learns_what_the_learner_learns_and_scores_it():
    model = GridClassifier(values=NIM.tokens.names, programs=1000).fit(X, Y)
    assert model.score(X, Y) == 1
    assert model.predict(X).tolist() == [list(step.action) for step in DEMOS.steps]
    new = demonstrate(NIM, load_levels(NIM, "test")).to_arrays()
    assert model.score(new[0], new[1]) == 1
    assert "matchstick" in model.policy_.english()


def test_it_can_be_cloned_set_and_searched_with():
    model = GridClassifier(programs=300, search="clauses")
    again = clone(model)
    assert again.get_params() == model.get_params()
    assert again.set_params(programs=200).programs == 200
    boards = np.array([[[1, 0, 0]], [[0, 1, 0]], [[0, 0, 1]], [[1, 0, 0]]] * 2)
    cells = np.array([[0, 0], [0, 1], [0, 2], [0, 0]] * 2)
    assert cross_val_score(again, boards, cells, cv=2).tolist() == [1, 1]


def test_buttons_are_names():
    boards = [[[1, 0]], [[0, 1]]]
    model = GridClassifier(values=("floor", "robot"), buttons=("left", "right"), programs=100)
    assert model.fit(boards, ["right", "left"]).predict(boards).tolist() == ["right", "left"]


@pytest.mark.parametrize(
    ("make", "why"),
    [
        (lambda: GridClassifier().predict(X), "is not fitted"),
        (lambda: GridClassifier().fit([], []), "no grids"),
        (lambda: GridClassifier(values=["empty"]).fit(X, Y), "1 names for 2 values"),
        (lambda: GridClassifier(buttons=("left",)).fit([[[1, 0]]], ["up"]), "up"),
    ],
)
def test_mistakes_are_told(make, why):
    with pytest.raises(BadInput, match=why):
        make()
