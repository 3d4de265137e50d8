"""Prior, likelihood and mixture, by hand."""

import math
import sys
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from shown.columns.rows import Labels
from shown.inference.posterior import Posterior, ScoredFormula, literal_prices, log_likelihood, log_prior
from strategies import examples

LOG = math.log


def labels(steps, actions=(2, 3), weights=None, refused=0):
    """Return evidence of states with these numbers of actions and of the demonstrated (state, action) pairs."""
    starts = np.cumsum([0, *actions])
    state_of_row = np.full((1, 64), -1, dtype=np.int32)
    for state, (a, b) in enumerate(pairwise(starts)):
        state_of_row[0, a:b] = state
    shown = [int(starts[state] + action) for state, action in steps]
    return Labels(
        mask=np.array([2 ** int(starts[-1]) - 1], dtype=np.uint64),
        positive=np.array([sum({1 << row for row in shown})], dtype=np.uint64),
        word=np.zeros(len(steps), dtype=np.int64),
        bit=np.array(shown),
        state=np.array([state for state, _ in steps]),
        state_of_row=state_of_row,
        actions=np.array(actions),
        weight=np.ones(len(steps)) if weights is None else np.array(weights),
        refused=np.array([refused], dtype=np.uint64),
    )


def rows(text):
    """Which rows are allowed, from left to right; spaces between states do not count."""
    return np.array([int(text.replace(" ", "")[::-1], 2)], dtype=np.uint64)


# --- likelihood -------------------------------------------------------------------------------------------------------

SHOWN = labels([(0, 0), (1, 1)])


@pytest.mark.parametrize(
    ("allowed", "expected"),
    [
        ("10 010", 0.0),
        ("11 010", LOG(1 / 2)),
        ("10 110", LOG(1 / 2)),
        ("11 111", LOG(1 / 2) + LOG(1 / 3)),
        ("01 010", -math.inf),
        ("10 000", -math.inf),
        ("00 000", -math.inf),
    ],
)
def test_each_state_spreads_its_probability_over_what_is_allowed(allowed, expected):
    assert log_likelihood(rows(allowed), SHOWN) == pytest.approx(expected)


@pytest.mark.parametrize(
    ("allowed", "expected"),
    [
        ("10 010", LOG(0.9 + 0.1 / 2) + LOG(0.9 + 0.1 / 3)),
        ("11 010", LOG(0.9 / 2 + 0.1 / 2) + LOG(0.9 + 0.1 / 3)),
        ("01 010", LOG(0.1 / 2) + LOG(0.9 + 0.1 / 3)),
        ("00 000", LOG(0.1 / 2) + LOG(0.1 / 3)),
    ],
)
def test_with_noise_every_action_has_a_chance(allowed, expected):
    assert log_likelihood(rows(allowed), SHOWN, noise=0.1) == pytest.approx(expected)


def test_pure_noise_makes_all_policies_alike():
    assert log_likelihood(rows("01 101"), SHOWN, noise=1.0) == pytest.approx(LOG(1 / 2) + LOG(1 / 3))


@pytest.mark.parametrize(
    ("allowed", "expected"),
    [
        ("10 000", LOG(1) + LOG(1 / 3)),
        ("00 000", LOG(1 / 2) + LOG(1 / 3)),
        ("01 000", -math.inf),
        ("10 010", 0.0),
    ],
)
def test_as_an_option_a_policy_that_allows_nothing_guesses(allowed, expected):
    assert log_likelihood(rows(allowed), SHOWN, uniform_if_empty=True) == pytest.approx(expected)


def test_noise_and_guessing_together():
    found = log_likelihood(rows("10 000"), SHOWN, noise=0.1, uniform_if_empty=True)
    assert found == pytest.approx(LOG(0.9 + 0.1 / 2) + LOG(0.9 / 3 + 0.1 / 3))


def test_a_step_shown_twice_counts_twice():
    twice = labels([(0, 0), (0, 0), (1, 1)])
    assert log_likelihood(rows("11 010"), twice) == pytest.approx(2 * LOG(1 / 2))


def test_one_state_with_two_actions():
    both = labels([(0, 0), (0, 1)])
    assert log_likelihood(rows("11 000"), both) == pytest.approx(2 * LOG(1 / 2))
    assert log_likelihood(rows("10 000"), both) == -math.inf


def test_a_step_counts_as_much_as_its_weight():
    half = labels([(0, 0), (1, 1)], weights=[0.5, 2.0])
    assert log_likelihood(rows("11 110"), half) == pytest.approx(0.5 * LOG(1 / 2) + 2.0 * LOG(1 / 2))
    assert log_likelihood(rows("01 010"), half) == -math.inf


def test_what_the_teacher_refused_must_not_be_allowed():
    refusing = labels([(0, 0)], refused=0b00010)
    assert log_likelihood(rows("10 000"), refusing) == 0.0
    assert log_likelihood(rows("11 000"), refusing) == -math.inf
    found = log_likelihood(rows("11 000"), refusing, noise=0.1)
    assert found == pytest.approx(LOG(0.9 / 2 + 0.1 / 2) + LOG(0.1 / 2))


# --- prior ------------------------------------------------------------------------------------------------------------

PRICES = np.array([-1.0, -2.5, -4.0])


def test_every_literal_of_every_clause_pays_as_often_as_it_occurs_negated_or_not():
    assert log_prior((((0, True), (1, False)), ((0, False), (2, True))), PRICES) == -1.0 - 2.5 - 1.0 - 4.0


def test_never_and_always_are_no_policies():
    assert log_prior(((),), PRICES) == -math.inf
    assert log_prior((), PRICES) == -math.inf


def test_other_priors_count_literals_or_nothing():
    assert literal_prices(PRICES, "grammar").tolist() == PRICES.tolist()
    assert literal_prices(PRICES, "sparsity").tolist() == [-LOG(2)] * 3
    assert literal_prices(PRICES, "uniform").tolist() == [0.0] * 3


# --- mixture ----------------------------------------------------------------------------------------------------------


def candidate(number, score):
    return ScoredFormula((((number, True),),), score, 0.0)


offers = st.lists(st.tuples(st.integers(0, 12), st.integers(-6, 0)), max_size=40)


@given(offers, st.integers(1, 6))
@settings(max_examples=examples(200))
def test_the_mixture_holds_the_best_different_candidates(given_offers, size):
    score_of = {}
    posterior = Posterior(size)
    for number, score in given_offers:
        posterior.offer(candidate(number, float(score_of.setdefault(number, score))))
    expected = sorted(score_of.items(), key=lambda item: -item[1])[:size]
    assert [c.clauses[0][0][0] for c in posterior.best] == [number for number, _ in expected]
    assert posterior.bound == (min(s for _, s in expected) if len(expected) == size else -math.inf)


def test_the_same_formula_in_another_order_is_the_same():
    posterior = Posterior(5)
    posterior.offer(ScoredFormula((((0, True), (1, False)), ((2, True),)), -1.0, 0.0))
    posterior.offer(ScoredFormula((((2, True),), ((1, False), (0, True))), -1.0, 0.0))
    assert len(posterior.best) == 1


def test_a_formula_that_has_left_is_forgotten():
    """Sets of the literals of every formula that had been held took 88 MiB."""
    posterior, literal = Posterior(1), (len("abc"), True)
    references = sys.getrefcount(literal)
    posterior.offer(ScoredFormula(((literal,),), -2.0, 0.0))
    posterior.offer(candidate(0, -1.0))
    assert sys.getrefcount(literal) == references


def test_what_cannot_be_is_not_held():
    posterior = Posterior(5)
    posterior.offer(ScoredFormula((), -1.0, -math.inf))
    assert posterior.best == []
    assert posterior.bound == -math.inf


def test_weights_are_posteriors_normalized():
    posterior = Posterior(3)
    for number, score in enumerate((-1000.0, -1001.0, -1003.0)):
        posterior.offer(candidate(number, score))
    total = 1 + math.exp(-1) + math.exp(-3)
    assert posterior.weights.tolist() == pytest.approx([1 / total, math.exp(-1) / total, math.exp(-3) / total])
    assert posterior.weights.sum() == pytest.approx(1.0)
