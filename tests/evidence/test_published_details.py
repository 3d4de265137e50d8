"""The details in which LPP differs from the published code, each as in that code."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from shown import Learner
from shown.columns.rows import row_bits
from shown.inference.trees import Tree, impurity
from shown.language.primitives import LANGUAGE
from shown.language.reference import View, run
from shown.worlds import find
from shown_evidence.baselines.every_prefix import EveryPrefix, _TreesByChance, unmerged
from shown_evidence.baselines.program_values import ProgramValues
from shown_evidence.experiments.released_levels import DETAILS, OURS
from shown_evidence.trials.demonstrators import demonstrations
from shown_evidence.trials.learners import METHODS

NIM = find("nim")
DEMOS = demonstrations(NIM, "train:0-2")


@pytest.fixture(scope="module")
def values() -> ProgramValues:
    return ProgramValues.of_demonstrated(DEMOS, 400)


def test_with_our_details_it_is_the_published_setting_of_the_learner():
    found = EveryPrefix(programs=400, **OURS).fit(DEMOS).policy_
    expected = replace(Learner.published(), programs=400, drop_literals=False).fit(DEMOS).policy_
    scores = [component.log_prior + component.log_likelihood for component in expected.components]
    assert [component.log_prior + component.log_likelihood for component in found.components] == pytest.approx(scores)
    assert found.components[0].formula == expected.components[0].formula


def test_one_detail_differs_in_each_variant_and_all_in_the_last():
    defaults = METHODS["lpp-details"].options
    changed = [
        {name for name, ours in OURS.items() if {**defaults, **options}[name] != ours} for options in DETAILS.values()
    ]
    assert changed == [set(), {"merged"}, {"one_order"}, {"duplicates"}, {"every"}, {"divided"}, set(OURS)]


def test_unmerged_features_are_the_programs_that_are_not_constant(values):
    features, grids = unmerged(values.features), values.rows.grids
    assert len(features) > 2 * len(values.features)
    assert (np.diff(features.first) > 0).all()
    assert (np.diff(features.log_prior) <= 1e-12).all()
    rows = [values.rows.row(int(word), int(bit)) for word, bit in zip(values.word, values.bit, strict=True)]
    views = [View(grids[state], NIM.tokens, action) for state, action in rows]
    for f in range(0, len(features), 7):
        got = row_bits(features.columns[f], values.word, values.bit)
        assert got.tolist() == [run(features.terms[f], view, LANGUAGE) for view in views], str(features.terms[f])
        assert 0 < got.sum() < len(got)


def test_chance_breaks_ties_between_the_best_splits_only(values):
    features, evidence = unmerged(values.features), values.evidence(DEMOS)
    grower = _TreesByChance(features.columns, evidence)
    trees = [grower.tree(len(features), evidence.mask, np.random.default_rng(seed)) for seed in range(8)]
    assert len({tree.feature for tree in trees}) > 1

    def check(tree: Tree, mask: np.ndarray) -> None:
        rows, positives = np.bitwise_count(mask).sum(), np.bitwise_count(mask & evidence.positive).sum()
        if tree.no is None or tree.yes is None:
            assert positives in (0, rows)
            assert tree.answer == (positives > 0)
            return
        inside = features.columns & mask
        ones = np.bitwise_count(inside).sum(axis=1, dtype=np.int64)
        positive_ones = np.bitwise_count(inside & evidence.positive).sum(axis=1, dtype=np.int64)
        score = impurity(ones, positive_ones, int(rows), int(positives))
        assert score[tree.feature] == score.min()
        check(tree.no, mask & ~features.columns[tree.feature])
        check(tree.yes, mask & features.columns[tree.feature])

    for tree in trees:
        check(tree, evidence.mask)


@pytest.mark.parametrize("options", DETAILS.values(), ids=DETAILS)
def test_every_variant_repeats_the_demonstrations(options):
    fitted = EveryPrefix(**{**METHODS["lpp-details"].options, "programs": 200, **options}).fit(DEMOS)
    shown = {step.grid: set() for step in DEMOS.steps}
    for step in DEMOS.steps:
        shown[step.grid].add(step.action)
    assert all(action in shown[grid] for grid, action in zip(shown, fitted.act_many(list(shown)), strict=True))


def test_undivided_votes_count_formulas_whatever_else_they_allow():
    fitted = EveryPrefix(programs=200, **{**OURS, "divided": False}).fit(DEMOS)
    for step in DEMOS.steps:
        allowed = fitted.policy_.component_probabilities(step.grid) > 0
        weights = np.array([component.weight for component in fitted.policy_.components])
        row, column = fitted.act_many([step.grid])[0]
        votes = (weights[:, None, None] * allowed).sum(axis=0)
        assert votes[row, column] == pytest.approx(votes.max())
