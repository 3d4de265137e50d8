"""Formulas on bits: evaluated, counted, shortened, mixed; each compiled loop beside its plain twin."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from shown.columns.rows import Rows
from shown.engine.planes import Planes
from shown.grid import Grid
from shown.rules import bitwise as module
from shown.rules import mixtures
from shown.rules.bitwise import (
    Packed,
    Shortener,
    allowed_rows,
    clause_bits,
    count_by_state,
    formula_bits,
    needed_clauses,
)
from shown.rules.mixtures import Mixtures, mixture_probabilities, most_probable
from strategies import TOKENS, examples, random_grids


def formula_bits_plain(clauses, columns, mask):
    allowed = np.zeros_like(mask)
    for clause in clauses:
        bits = mask.copy()
        for column, positive in clause:
            bits &= columns[column] if positive else ~columns[column]
        allowed |= bits
    return allowed


def needed_clauses_plain(bits):
    """Each clause against all others together."""
    keep = np.ones(len(bits), dtype=np.bool_)
    for i in range(len(bits)):
        others = bits[keep & (np.arange(len(bits)) != i)]
        if len(others) and not np.any(bits[i] & ~np.bitwise_or.reduce(others, axis=0)):
            keep[i] = False
    return keep


def shortened(clauses, columns, mask, prices):
    return Shortener()(clauses, columns, mask, prices)


def price(clauses, prices):
    return sum(prices[f] for clause in clauses for f, _ in clause)


@st.composite
def fitted(draw):
    """A formula over random columns."""
    seed = draw(st.integers(0, 10**6))
    rng = np.random.default_rng(seed)
    features, words = draw(st.integers(1, 6)), draw(st.integers(1, 3))
    mask = rng.integers(0, 2**64, size=words, dtype=np.uint64)
    columns = rng.integers(0, 2**64, size=(features, words), dtype=np.uint64) & mask
    for _ in range(draw(st.integers(0, 2))):
        columns[rng.integers(features)] &= columns[rng.integers(features)]
    literal = st.tuples(st.integers(0, features - 1), st.booleans())
    clause = st.lists(literal, max_size=4, unique_by=lambda x: x[0]).map(tuple)
    clauses = tuple(draw(st.lists(clause, max_size=4)))
    return clauses, columns, mask, -rng.random(features) * 10


@given(fitted())
def test_dropping_literals_changes_no_bit_of_the_fit(case):
    clauses, columns, mask, prices = case
    shorter = shortened(clauses, columns, mask, prices)
    assert np.array_equal(formula_bits(shorter, columns, mask), formula_bits(clauses, columns, mask))
    assert sum(map(len, shorter)) <= sum(map(len, clauses))
    assert price(shorter, prices) >= price(clauses, prices)


@given(fitted())
def test_nothing_more_can_be_dropped(case):
    clauses, columns, mask, prices = case
    shorter = shortened(clauses, columns, mask, prices)
    allowed = formula_bits(shorter, columns, mask)
    for i, clause in enumerate(shorter):
        others = (*shorter[:i], *shorter[i + 1 :])
        if others:  # the last clause stays, even if it holds nowhere
            assert not np.array_equal(formula_bits(others, columns, mask), allowed)
        for j in range(len(clause)) if len(clause) > 1 else ():
            without = (*others, (*clause[:j], *clause[j + 1 :]))
            assert not np.array_equal(formula_bits(without, columns, mask), allowed)


@given(fitted(), st.randoms(use_true_random=False))
def test_the_order_of_clauses_and_literals_does_not_matter(case, random):
    clauses, columns, mask, prices = case
    shuffled = [tuple(random.sample(clause, len(clause))) for clause in clauses]
    random.shuffle(shuffled)
    assert shortened(tuple(shuffled), columns, mask, prices) == shortened(clauses, columns, mask, prices)


def test_the_dearest_literal_is_dropped_first():
    same = np.array([[0b0011], [0b0011]], dtype=np.uint64)
    mask = np.array([0b1111], dtype=np.uint64)
    assert shortened((((0, True), (1, True)),), same, mask, np.array([-9.0, -1.0])) == (((1, True),),)
    assert shortened((((0, True), (1, True)),), same, mask, np.array([-1.0, -9.0])) == (((0, True),),)


@given(fitted())
def test_no_clause_loses_its_last_literal(case):
    clauses, columns, mask, prices = case
    clauses = tuple(clause for clause in clauses if clause)
    shorter = shortened(clauses, columns, mask, prices)
    assert all(shorter)
    assert bool(shorter) == bool(clauses)


@given(st.lists(fitted(), min_size=2, max_size=4))
@settings(max_examples=examples(25))
def test_what_a_shortener_remembers_changes_nothing(cases):
    _, columns, mask, prices = cases[0]
    known, forgetful = Shortener(), Shortener(most=0)
    for clauses, _, _, _ in cases:
        inside = tuple(tuple((f % len(columns), sign) for f, sign in clause) for clause in clauses)
        inside = tuple(clause for clause in inside if len({f for f, _ in clause}) == len(clause))
        expected = shortened(inside, columns, mask, prices)
        assert known(inside, columns, mask, prices) == expected
        assert forgetful(inside, columns, mask, prices) == expected


# --- evaluated and counted --------------------------------------------------------------------------------------------


@given(st.lists(fitted(), min_size=1, max_size=3))
def test_formulas_together_are_what_each_is_by_itself(cases):
    _, columns, mask, _ = cases[0]
    formulas = [
        tuple(tuple((f % len(columns), sign) for f, sign in clause) for clause in clauses) for clauses, *_ in cases
    ]
    found = allowed_rows(Packed.of(formulas), columns, mask)
    for bits, clauses in zip(found, formulas, strict=True):
        assert np.array_equal(bits, formula_bits_plain(clauses, columns, mask))
        assert np.array_equal(bits, formula_bits(clauses, columns, mask))
        each = clause_bits(clauses, columns, mask)
        assert np.array_equal(np.bitwise_or.reduce(each, axis=0) if len(each) else np.zeros_like(mask), bits)


@given(st.integers(0, 10**6), st.integers(0, 8), st.integers(1, 3))
def test_clauses_that_others_cover_are_left_out(seed, clauses, words):
    rng = np.random.default_rng(seed)
    bits = rng.integers(0, 2**64, size=(clauses, words), dtype=np.uint64)
    bits &= rng.integers(0, 2**64, size=(clauses, words), dtype=np.uint64)
    assert np.array_equal(needed_clauses(bits), needed_clauses_plain(bits))


STATES = np.full((2, 64), -1, dtype=np.int32)
STATES[0, :2], STATES[1, :1], STATES[1, 1:4] = 0, 0, 1
"""State 0 has three actions, state 1 has three."""


def test_allowed_actions_are_counted_by_state():
    allowed = np.array([[0b11, 0b0010], [0b00, 0b1110]], dtype=np.uint64)
    assert count_by_state(allowed, STATES, 2).tolist() == [[2, 1], [0, 3]]


def mixture_plain(allowed, rows, weights):
    """Each formula spreads evenly over what it allows in a state, or over all its actions."""
    mixed = np.zeros(rows.state_of_row.shape)
    bits = np.unpackbits(allowed.view(np.uint8), axis=1, bitorder="little").reshape(len(allowed), -1, 64) != 0
    for state, actions in enumerate(rows.actions.tolist()):
        here = rows.state_of_row == state
        for formula, weight in zip(bits, weights, strict=True):
            count = np.count_nonzero(formula & here)
            mixed[formula & here if count else here] += weight * (1.0 / (count or actions))
    return mixed


def test_components_spread_evenly_and_guess_where_they_allow_nothing():
    world = Planes([Grid("...")], TOKENS)
    mixed = mixture_probabilities(np.array([[1, 1, 0], [0, 0, 0]], dtype=np.uint64), world, np.array([0.75, 0.25]))
    assert mixed[:, 0].tolist() == pytest.approx([0.75 / 2 + 0.25 / 3, 0.75 / 2 + 0.25 / 3, 0.25 / 3])
    assert not mixed[:, 1:].any()


@given(st.integers(0, 10**6), st.integers(1, 4), st.integers(0, 4))
def test_the_most_probable_row_is_the_first_with_the_highest_probability(seed, formulas, sparse):
    rng = np.random.default_rng(seed)
    world = Planes(random_grids(seed, 70), TOKENS)
    rows, allowed = Rows([world]), np.tile(world.row_mask, (2 * formulas, 1))
    for _ in range(sparse):
        allowed &= rng.integers(0, 2**64, size=allowed.shape, dtype=np.uint64)
    weights, states = rng.choice([0.0, 0.25, 0.5], 2 * formulas), rng.integers(0, 70, size=40)
    both = Mixtures(weights, np.array([formulas, 2 * formulas]))
    mixed = [mixture_plain(allowed[own], rows, weights[own]) for own in (np.s_[:formulas], np.s_[formulas:])]
    assert np.array_equal(mixture_probabilities(allowed[:formulas], world, weights[:formulas]), mixed[0])
    which = rng.integers(0, 2, size=40)
    expected = [
        np.where(rows.state_of_row == s, mixed[m], -1).max(axis=1).argmax() for s, m in zip(states, which, strict=True)
    ]
    assert most_probable(allowed, world, states, which, both).tolist() == expected


def test_compiled_loops_do_what_their_python_says():
    rng = np.random.default_rng(4)
    full = np.full(2, 2**64 - 1, dtype=np.uint64)
    columns = rng.integers(0, 2**64, size=(4, 2), dtype=np.uint64)
    clause = ((0, True), (1, False), (2, True), (3, False))
    packed = Packed.of([(clause,)])
    forbidden = rng.integers(0, 2**64, size=2, dtype=np.uint64) & ~formula_bits((clause,), columns, full)
    allowed = rng.integers(0, 16, size=(2, 2), dtype=np.uint64) & np.array([3, 15], dtype=np.uint64)
    states = np.array([1, 3]), np.array([2, 2]), np.array([0, 1]), np.array([0.5, 0.5]), np.array([1, 2])
    arguments = {
        "_shorten_loop": (
            columns,
            packed.columns,
            packed.signs,
            packed.clause_ends,
            forbidden,
            np.ones(4, dtype=bool),
        ),
        "_count_loop": (allowed, STATES, np.zeros((2, 2), dtype=np.int64)),
        "_cover_loop": (columns, np.arange(2), np.zeros((2, 64), dtype=np.int32), np.ones(4, dtype=bool)),
        "_mix_loop": (allowed, full, np.zeros(2, np.int64), *states, np.zeros((2, 64)), np.zeros(2, np.int64)),
    }
    for name, given_arguments in arguments.items():
        compiled = [array.copy() for array in given_arguments]
        plain = [array.copy() for array in given_arguments]
        loop = getattr(mixtures if name == "_mix_loop" else module, name)
        loop(*compiled)
        loop.plain(*plain)
        assert np.array_equal(compiled[-1], plain[-1]), name
