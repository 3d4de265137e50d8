"""Mixtures of formulas: the probability of each action, and the most probable one.

Each formula spreads its probability evenly over the actions it allows in a state, or over all actions if it allows
none; formulas are averaged by weight.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from shown.engine.compilation import compiled, popcount
from shown.engine.planes import Planes


@dataclass(frozen=True)
class Mixtures:
    """Several mixtures of formulas.

    Attributes:
        weights: weight of each formula, mixture after mixture. [K] float64
        ends: number of formulas up to the end of each mixture. [M] int64
    """

    weights: np.ndarray
    ends: np.ndarray


def mixture_probabilities(allowed: np.ndarray, world: Planes, weights: np.ndarray) -> np.ndarray:
    """Return the probability of each row under a mixture of formulas. [R, 64] float64, 0 where a bit is no row

    Args:
        allowed: rows that each formula allows. [K, R] uint64
        world: the states and their rows.
        weights: weights of the formulas. [K] float64
    """
    mixed = np.zeros((len(world.row_mask), 64))
    states = np.arange(world.states)
    _mix(allowed, world, states, np.zeros_like(states), Mixtures(weights, np.array([len(weights)])), mixed)
    return mixed


def most_probable(
    allowed: np.ndarray, world: Planes, states: np.ndarray, which: np.ndarray, mixtures: Mixtures
) -> np.ndarray:
    """Return the word of the first row of a state with the highest probability under a mixture. [S] int64

    Args:
        allowed: rows that each formula allows. [K, R] uint64
        world: the states and their rows.
        states: numbers of the states. [S] int64
        which: number of the mixture for each of them. [S] int64
        mixtures: the mixtures; see `mixture_probabilities`.
    """
    return _mix(allowed, world, states, which, mixtures, np.empty((0, 64)))


def _mix(
    allowed: np.ndarray,
    world: Planes,
    states: np.ndarray,
    which: np.ndarray,
    mixtures: Mixtures,
    mixed: np.ndarray,
) -> np.ndarray:
    best, asked = np.empty(len(states), dtype=np.int64), (world.slot[states], world.actions[states], which)
    rows = world.row_mask, world.row_words % world.shape[2]
    _mix_loop(allowed, *rows, *asked, mixtures.weights, mixtures.ends, mixed, best)
    return best


@compiled
def _mix_loop(allowed, mask, block, slots, actions, which, weights, ends, mixed, best):  # type: ignore[no-untyped-def]  # noqa: C901, PLR0913
    """Sum in the order of the formulas, so that other implementations can match the result bit by bit.

    Only for the states asked about; word r is about the 64 states of block[r]. All rows of a state that no formula
    allows have the same sum: only the first of them can be the best.
    """
    one, blocks = np.uint64(1), np.int64(0)
    for r in range(len(block)):  # loops, since functions and assignments of whole arrays take seconds to compile
        blocks = max(blocks, block[r] + 1)
    for s in range(len(slots)):
        blocks = max(blocks, (slots[s] >> 6) + 1)
    asked, left, some = np.empty(blocks, np.uint64), np.empty(blocks, np.uint64), np.empty(len(mask), np.uint64)
    number, of, chosen = np.empty(64 * blocks, np.int64), np.empty(len(slots), np.int64), np.empty(len(slots), np.int64)
    guess, highest = np.empty(len(slots), np.float64), np.empty(len(slots), np.float64)
    for m in range(len(ends)):
        first, end, states = ends[m - 1] if m else 0, ends[m], 0
        for w in range(blocks):
            asked[w] = 0
        for s in range(len(slots)):
            if which[s] == m:
                number[slots[s]], of[states], guess[states], highest[states] = states, actions[s], 0.0, -1.0
                asked[slots[s] >> 6] |= one << np.uint64(slots[s] & 63)
                states += 1
        for r in range(len(mask)):
            some[r] = 0
        counts = np.zeros((end - first, states), np.int64)
        shares = np.empty((end - first, states), np.float64)
        for k in range(end - first):
            for r in range(len(mask)):
                bits = allowed[first + k, r] & asked[block[r]]
                some[r] |= bits
                while bits:
                    counts[k, number[64 * block[r] + popcount((bits & (~bits + one)) - one)]] += 1
                    bits &= bits - one
            for s in range(states):
                shares[k, s] = weights[first + k] * (1.0 / (counts[k, s] or of[s]))
                guess[s] += shares[k, s] if counts[k, s] == 0 else 0.0
        for w in range(blocks):
            left[w] = asked[w]
        for r in range(len(mask)):
            bits = mask[r] & (left[block[r]] | (some[r] & asked[block[r]]))
            if len(mixed) == 0:
                left[block[r]] &= ~bits | some[r]
            while bits:
                b = np.uint64(popcount((bits & (~bits + one)) - one))
                s = number[64 * block[r] + np.int64(b)]
                total = guess[s]
                if (some[r] >> b) & one:
                    total = 0.0
                    for k in range(end - first):
                        if counts[k, s] == 0 or (allowed[first + k, r] >> b) & one:
                            total += shares[k, s]
                if len(mixed):
                    mixed[r, np.int64(b)] = total
                if total > highest[s]:
                    highest[s], chosen[s] = total, r
                bits &= bits - one
        for s in range(len(slots)):
            if which[s] == m:
                best[s] = chosen[number[slots[s]]]
