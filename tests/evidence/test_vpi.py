import itertools
import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from shown.demonstrations import Demonstration, Demonstrations, Step
from shown.errors import BadInput
from shown.grid import Tokens, grid
from shown.language.grammar import paper_grammar
from shown.language.reference import View, run
from shown.worlds import find
from shown_evidence.baselines.vpi import UNIT, VpiPolicy, policies, sets
from shown_evidence.trials.demonstrators import demonstrations

NIM = find("nim")
HALF = math.log(0.5)


def log_probability(clauses: tuple, priors: list[float]) -> float:
    """Straight from the grammar: each clause, literal and sign costs a half, each program its own probability."""
    return sum(HALF + sum(HALF + HALF + priors[program] for program, _ in clause) for clause in clauses)


def all_policies(priors: list[float], least: float) -> dict[frozenset, float]:
    """Every set of sets of literals with at least this log probability, by trying all."""
    literals = [(i, sign) for i in range(len(priors)) for sign in (True, False)]
    clauses = [c for n in range(1, len(literals) + 1) for c in itertools.combinations(literals, n)]
    costs = {clause: log_probability((clause,), priors) for clause in clauses}
    found: dict[frozenset, float] = {}

    def extend(chosen: tuple, start: int, total: float) -> None:
        for k in range(start, len(clauses)):
            more = total + costs[clauses[k]]
            if more >= least:
                found[frozenset(map(frozenset, (*chosen, clauses[k])))] = more
                extend((*chosen, clauses[k]), k + 1, more)

    extend((), 0, 0.0)
    return found


@given(st.lists(st.floats(-3, -0.2), min_size=1, max_size=3))
def test_policies_come_in_order_of_probability_each_once(priors: list[float]):
    priors = sorted(priors, reverse=True)
    least = -9.0
    expected = all_policies(priors, least)
    found: dict[frozenset, float] = {}
    last = 0.0
    for cost, clauses in policies(priors):
        value = -cost * UNIT
        assert value <= last + 1e-7
        last = value
        if value < least - 1e-6:
            break
        key = frozenset(map(frozenset, clauses))
        assert key not in found
        assert value == pytest.approx(log_probability(clauses, priors), abs=1e-6)
        found[key] = value
    near = {key for key, value in expected.items() if value < least + 1e-6}
    assert set(expected) - near <= set(found)
    assert set(found) <= set(expected) | {key for key, value in found.items() if value < least + 1e-6}


def test_sets_of_a_finite_stream_end():
    found = list(sets(iter([(1, "a"), (2, "b"), (4, "c")]), each=1))
    assert len(found) == 7
    assert [cost for cost, _ in found] == sorted(cost for cost, _ in found)


def test_the_mixture_is_the_best_of_what_the_reference_scores():
    tokens = Tokens(empty=".", stick="|")
    boards = [(grid("..", "|.", "||"), (1, 0)), (grid(".|", "||"), (0, 1)), (grid("|.", "|."), (0, 0))]
    demos = Demonstrations(tokens, tuple(Demonstration((Step(board, action),)) for board, action in boards))
    budget, size = 400, 6
    fitted = VpiPolicy(programs=budget, ensemble=size).fit(demos)

    grammar = paper_grammar(tokens)
    programs = list(grammar.programs(budget))
    scored = []
    for cost, clauses in itertools.islice(policies([p for _, p in programs]), budget):
        likelihood = 0.0
        for board, action in boards:
            allowed = [
                cell
                for cell in board.cells()
                if any(
                    all(run(programs[i][0], View(board, tokens, cell), grammar.language) == sign for i, sign in clause)
                    for clause in clauses
                )
            ]
            likelihood += -math.log(len(allowed)) if action in allowed else -math.inf
        scored.append(-cost * UNIT + likelihood)
    best = sorted(scored, reverse=True)[:size]
    mine = [c.log_prior + c.log_likelihood for c in fitted.policy_.components]
    assert mine == pytest.approx(best, abs=1e-6)
    weights = np.exp(np.array(best) - max(best))
    assert [c.weight for c in fitted.policy_.components] == pytest.approx((weights / weights.sum()).tolist())


def test_in_nim_it_finds_that_matchsticks_are_to_be_clicked():
    fitted = VpiPolicy(programs=100).fit(demonstrations(NIM, "train:0-10"))
    assert {fitted.policy_.english(i) for i in (0, 1)} == {"click a cell if\n  the clicked cell is a matchstick"}
    assert fitted.describe()["found"]


def test_with_nothing_found_it_knows_nothing():
    board = grid("..", "..")
    tokens = Tokens(empty=".", stick="|")
    contrary = Demonstrations(tokens, (Demonstration((Step(board, (0, 0)), Step(board, (1, 1)))),))
    fitted = VpiPolicy(programs=1).fit(contrary)
    assert fitted.policy_.probabilities(board).tolist() == [[0.25, 0.25], [0.25, 0.25]]


def test_a_first_policy_that_explains_nothing_leaves_a_uniform_one():
    fitted = VpiPolicy(programs=1).fit(demonstrations(find("nim"), "train:0-10"))
    assert fitted.policy_.components[0].formula.clauses == ((),)


def test_no_demonstrations_and_buttons_are_refused():
    with pytest.raises(BadInput, match="no demonstrations"):
        VpiPolicy().fit(Demonstrations(NIM.tokens, ()))
    pressed = Demonstrations(Tokens(empty="."), (Demonstration((Step(grid("."), "left"),)),), buttons=("left",))
    with pytest.raises(BadInput, match="press buttons"):
        VpiPolicy().fit(pressed)
