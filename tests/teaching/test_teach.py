"""Teaching as a whole: hypotheses, practice, and what is told of them."""

import json
import math
import time
from dataclasses import replace

import numpy as np
import pytest

from shown.columns.resources import Resources
from shown.demonstrations import Demonstration, Demonstrations, Step
from shown.errors import BadInput, NothingFits, OutOfMemory
from shown.grid import grid
from shown.inference import clauses
from shown.inference.clauses import Effort, renumbered
from shown.policy import uniform_policy
from shown.provenance import SuccessRate
from shown.rules.bitwise import clause_bits, formula_bits
from shown.symmetry import images
from shown.teaching.interpretation.equivalence import Effects
from shown.teaching.interpretation.fitter import QUICK, Fitter
from shown.teaching.interpretation.hypotheses import Hypothesis, flattened, hypothesis_of
from shown.teaching.interpretation.interpretations import EXACT_CLICKS, Interpretation
from shown.teaching.practice.counterexamples import CounterexampleSearch
from shown.teaching.practice.game_tree import GameTree
from shown.teaching.practice.ground import Ground, Variation
from shown.teaching.practice.practice_search import vary
from shown.teaching.practice.selection import Selection
from shown.teaching.result import TeachingPhase
from shown.teaching.task import Task
from shown.teaching.teach import does, iter_teach, teach, without_idle_steps
from shown.worlds import demonstrate, find, load_levels, play_many, play_starts, success_rate, wins
from shown_evidence.trials.demonstrators import demonstrations as shown_by
from strategies import allowed


def explains(fitted, clauses):
    """Whether a formula over the features allows all that was shown."""
    evidence = fitted.pinned.rest
    return bool(evidence.shows(formula_bits(clauses, fitted.features.columns, evidence.mask)).all())


COVER = clauses.cover
NIM, STOP, FENCE = find("nim"), find("stop-the-fall"), find("fence-in")
FRESH = "random:600000-600039"


def expert(game, levels):
    return demonstrate(game, load_levels(game, levels))


# --- the whole --------------------------------------------------------------------------------------------------------


def test_nim_is_learned_from_one_game():
    taught = teach(expert(NIM, "random:200001"), NIM, programs=3000)
    assert taught.hypothesis == Hypothesis(EXACT_CLICKS, NIM.symmetries)
    assert taught.practice == (120, 120)
    assert success_rate(NIM, taught.policy, load_levels(NIM, FRESH)) == 1.0


def test_memory_that_runs_out_after_something_was_found_ends_learning_with_the_best_so_far(monkeypatch):
    """Learning failed where the columns of a fit in practice did not fit into memory."""

    def refuse(*args):
        raise OutOfMemory("the columns would need 100 MiB.")

    monkeypatch.setattr(Selection, "distill", refuse)
    taught = teach(expert(NIM, "random:910000"), NIM, programs=2000)
    assert (taught.learned, taught.stopped) == (True, "the columns would need 100 MiB.")
    monkeypatch.setattr(Selection, "compare", refuse)
    with pytest.raises(OutOfMemory):
        teach(expert(NIM, "random:910000"), NIM, programs=2000)


@pytest.mark.slow  # teaching.md learns it in `make test`
def test_cells_in_any_order_are_understood_as_that():
    demos = shown_by(FENCE, "random:200000,random:200001,random:200002", "style:row-in-any-order")
    taught = teach(demos, FENCE)
    assert taught.hypothesis.interpretation.order == "any"
    assert success_rate(FENCE, taught.policy, load_levels(FENCE, FRESH)) >= 0.9


def test_the_same_seed_gives_the_same_policy():
    demos = expert(STOP, "random:200003")
    first, *others = (
        teach(demos, STOP, programs=1000, rounds=5, practice=math.inf, resources=Resources(threads=n))
        for n in (1, 2, 5)
    )
    assert first.practice[0] < first.practice[1]  # otherwise there was no practice
    for other in others:
        assert json.dumps(other.policy.to_json()) == json.dumps(first.policy.to_json())
        assert other.tried == first.tried


def test_practice_never_loses_a_demonstration():
    for levels in ("random:200003", "random:200005-200006"):
        demos = expert(STOP, levels)
        policy = teach(demos, STOP, programs=2000, rounds=4).policy
        for i in range(len(policy.components)):
            assert all(allowed(policy, demos.steps, i))


def test_without_rules_the_most_plausible_hypothesis_that_fits_is_taken():
    demos = expert(NIM, "train:0-4")
    taught = teach(demos, None, programs=2000)
    assert taught.hypothesis == Hypothesis(EXACT_CLICKS)
    assert (taught.practice, taught.expectation) == (None, SuccessRate(15, 15, "positions"))
    assert teach(demos.select([0]), None, programs=2000).expectation is None
    assert success_rate(NIM, taught.policy, load_levels(NIM, "test")) == 1.0


def test_interpretations_and_symmetries_can_be_forced():
    demos = expert(NIM, "train:0-2")
    forced = teach(demos, NIM, programs=1000, interpretations=[Interpretation("exact", "any")], symmetries=())
    assert {tried.hypothesis for tried in forced.tried} == {Hypothesis(Interpretation("exact", "any"))}
    only = teach(demos, NIM, programs=1000, interpretations=[EXACT_CLICKS], symmetries=NIM.symmetries, practice=0.0)
    assert {tried.hypothesis.symmetries for tried in only.tried} == {NIM.symmetries}


def test_when_nothing_fits_the_reason_is_given():
    alike = Demonstrations.from_runs(NIM.tokens, [[(grid("|.|."), (0, 2))]])
    taught = teach(alike, None, programs=3)
    assert taught.hypothesis is None
    assert taught.failure.action == (0, 2)
    assert not any(tried.fits for tried in taught.tried)
    with pytest.raises(BadInput, match="no demonstrations"):
        teach(Demonstrations(NIM.tokens, ()), None)


def test_teach_warns_if_nothing_fits():
    alike = Demonstrations.from_runs(NIM.tokens, [[(grid("|||"), (0, 1))]])
    with pytest.warns(NothingFits, match=r"nothing fits demonstration 0, step 0"):
        assert not teach(alike, None, programs=3).learned


def test_does_agrees_with_the_evidence_about_refused_steps():
    """The actions left open by a refused step are not refused, and the last word about an action counts."""
    demos = expert(NIM, "train:0")
    policy = teach(demos, NIM, programs=1000, practice=0).policy
    step = demos.items[0].steps[0]
    done = policy.act(step.grid)
    other = next(cell for cell in step.grid.cells() if cell != done)

    def agrees(*steps):
        return does(policy, Demonstrations(NIM.tokens, (Demonstration(steps),), "nim"))

    assert agrees(Step(step.grid, other, refused=True, open=(done,)))
    assert not agrees(Step(step.grid, done, refused=True))
    assert not agrees(Step(step.grid, done), Step(step.grid, done, refused=True))
    assert agrees(Step(step.grid, done, refused=True), Step(step.grid, done))
    assert agrees(Step(step.grid, other, open=(done,)))
    assert not agrees(Step(step.grid, other))


def test_images_are_computed_once_and_not_at_every_refit():
    demos, more = expert(NIM, "train:0-1"), expert(NIM, "train:2")
    fitter, hypothesis = Fitter(Task(demos, programs=300)), Hypothesis(EXACT_CLICKS, NIM.symmetries)
    fitter.fit(hypothesis, demos)
    before = images(demos, NIM.symmetries)
    fitter.fit(hypothesis, demos, more=more.steps)
    with_more = images(demos + more, NIM.symmetries)
    assert all(any(item is other for other in with_more) for item in before)


def test_progress_has_the_phase_and_the_best_so_far():
    stages = list(iter_teach(expert(STOP, "random:200003"), STOP, programs=1000, rounds=2))
    assert stages[0].phase is TeachingPhase.FITTING
    assert stages[0].best is None
    assert stages[-1].best is not None
    assert {stage.phase for stage in stages} <= {*TeachingPhase} - {TeachingPhase.CORRECTED}
    assert [stage.seconds for stage in stages] == sorted(stage.seconds for stage in stages)
    won = [stage.won for stage in stages if stage.won is not None]
    assert won == sorted(won)


def test_a_caller_that_stops_practice_has_the_best_so_far():
    run = iter_teach(expert(STOP, "random:200003"), STOP, programs=1000, rounds=12, practice=600)
    stages = [stage for stage in run if stage.phase is TeachingPhase.PRACTICING]
    assert stages[0].won < stages[-1].won
    ground = Ground(STOP)
    assert stages[-1].won in [ground.score(stages[-1].best, levels) for levels in (12, 40, 120)]


def test_what_was_learned_before_is_a_candidate_if_it_still_explains_all():
    perfect = teach(expert(NIM, "train:0-4"), NIM, programs=3000).policy
    poor = expert(NIM, "random:200001")
    kept = teach(poor, NIM, programs=20, before=perfect, rounds=1)
    assert success_rate(NIM, kept.policy, load_levels(NIM, FRESH)) == 1.0
    stubborn = replace(perfect, components=uniform_policy(NIM.tokens).components)
    assert teach(poor, NIM, programs=3000, before=stubborn).practice == (120, 120)


# --- its parts --------------------------------------------------------------------------------------------------------


def test_clicks_that_change_nothing_show_nothing():
    run = [(grid("|.", "||"), (0, 1)), (grid("|.", "||"), (0, 0)), (grid("..", "||"), (0, 0))]
    demos = Demonstrations.from_runs(NIM.tokens, [run, run[:1]], "nim")
    kept = without_idle_steps(demos, Effects(NIM))
    assert [step.action for step in kept.steps] == [(0, 0)]
    assert len(kept) == 1
    nothing = Demonstrations.from_runs(NIM.tokens, [run[:1]], "nim")
    assert without_idle_steps(nothing, Effects(NIM)) == nothing


def test_refusals_are_never_idle():
    step = Step(grid("|.", "||"), (0, 1), refused=True)
    demos = Demonstrations(NIM.tokens, (Demonstration((step,)),), "nim")
    assert without_idle_steps(demos, Effects(NIM)) == demos


def test_every_interpretation_is_tried_with_symmetries_first():
    demos = expert(NIM, "random:200001")
    found = [tried.hypothesis for tried in teach(demos, NIM, programs=3, practice=0).tried]
    assert found[:2] == [Hypothesis(EXACT_CLICKS, NIM.symmetries), Hypothesis(EXACT_CLICKS)]
    assert [h.name for h in found[:2]] == ["exact clicks, plus mirror images", "exact clicks"]
    given = teach(demos, NIM, programs=3, practice=0, symmetries=NIM.symmetries).tried
    assert {tried.hypothesis.symmetries for tried in given} == {NIM.symmetries}


def test_a_hypothesis_with_images_explains_the_images_too():
    demos = expert(NIM, "random:200001")
    fitted = Fitter(Task(demos, programs=2000)).fit(Hypothesis(EXACT_CLICKS, NIM.symmetries), demos)
    assert len(fitted.pinned.rest.word) >= 2 * len(demos.steps) - 1
    assert fitted.pinned.rest.weight.sum() == pytest.approx(len(demos.steps))
    assert all(explains(fitted, candidate.clauses) for candidate in fitted.formulas)
    assert not explains(fitted, ())


def test_a_flattened_mixture_keeps_its_order_and_adds_up():
    demos = expert(NIM, "train:0-2")
    policy = Fitter(Task(demos, programs=1000)).fit(Hypothesis(EXACT_CLICKS), demos).policy
    flat = flattened(policy)
    weights = [c.weight for c in flat.components]
    assert sum(weights) == pytest.approx(1.0)
    assert weights == sorted(weights, reverse=True)
    assert weights[0] < policy.components[0].weight
    assert [c.formula for c in flat.components] == [c.formula for c in policy.components]


def test_giving_up_on_circles_agrees_with_playing_to_the_end():
    demos = expert(STOP, "train:0-1")
    policy = Fitter(Task(demos, programs=1000)).fit(Hypothesis(EXACT_CLICKS), demos).policy
    levels = load_levels(STOP, "random:600000-600029")
    assert wins(STOP.starts(levels), policy) == [episode.won for episode in play_many(STOP, policy, levels)]


def test_leniently_everything_shown_is_allowed_and_nothing_that_can_be_told_from_it():
    demos = shown_by(FENCE, "train:0-1", "style:row-in-any-order")
    fitter = Fitter(Task(demos, programs=1000))
    exact = fitter.fit(Hypothesis(EXACT_CLICKS), demos)
    assert exact.policy is None
    lenient = fitter.fit(Hypothesis(EXACT_CLICKS, lenient=True), demos)
    assert allowed(lenient.policy, demos.steps) == [True] * 12
    opened = exact.pinned.rest.mask & ~lenient.pinned.rest.mask
    for column in exact.features.columns:  # each row that was opened looks like some shown one
        held = {bool(v) for v in exact.pinned.rest.shows(column)}
        assert True in held or not (opened & column).any()
        assert False in held or not (opened & ~column).any()
    rows_allowed = formula_bits(lenient.formulas[0].clauses, lenient.features.columns, lenient.pinned.rest.mask)
    assert not (rows_allowed & ~lenient.pinned.rest.positive).any()


def test_where_nothing_fits_practice_tries_it_leniently_and_says_so():
    demos = expert(NIM, "train:0-1")
    taught = teach(demos, NIM, programs=3, rounds=2)
    assert taught.learned
    assert taught.hypothesis.lenient
    assert taught.hypothesis.name.endswith(", plus look-alike actions")
    assert hypothesis_of(taught.policy) == taught.hypothesis
    assert taught.failure is not None
    assert taught.advice is not None
    assert not teach(demos, NIM, programs=3, practice=0).learned
    assert not teach(demos, NIM, programs=3, interpretations=[EXACT_CLICKS]).learned


@pytest.mark.parametrize("game", [NIM, STOP], ids=lambda game: game.name)
def test_candidates_that_play_side_by_side_win_what_each_wins_alone(game):
    demos = expert(game, "train:0-1")
    found = Fitter(Task(demos, programs=1000)).fit(Hypothesis(EXACT_CLICKS), demos)
    tried = [found.policy, found.policy.map_policy, uniform_policy(game.tokens), flattened(found.policy)]
    together, alone = Ground(game), Ground(game)
    together.results(tried[1], 10)  # has played some of it before
    assert together.scores([*tried, tried[0]], 30) == [alone.score(policy, 30) for policy in [*tried, tried[0]]]
    assert [together.results(policy, 30) for policy in tried] == [alone.results(policy, 30) for policy in tried]


def test_what_had_no_time_to_be_played_side_by_side_counts_as_far_as_it_was():
    demos = expert(STOP, "train:0")
    policy = Fitter(Task(demos, programs=300)).fit(Hypothesis(EXACT_CLICKS), demos).policy
    ground = Ground(STOP, allowance=0.0)
    assert ground.scores([policy, policy.map_policy], 30) == [0.0, 0.0]
    ground.allowance = math.inf
    ground.go_on()
    assert ground.scores([policy, policy.map_policy], 30) == [
        Ground(STOP).score(p, 30) for p in (policy, policy.map_policy)
    ]


def test_practice_levels_are_no_generated_levels():
    ground = Ground(NIM)
    levels = [world.level(seed) for world, seed in ground.starts(0, 5)]
    assert all(level.name.startswith("practice:") for level in levels)
    assert ground.starts(0, 5)[2] is ground.starts(2, 3)[0]
    assert [world.level(seed) for world, seed in Ground(NIM, 1).starts(0, 5)] != levels


def test_committees_get_no_worse_and_explain_all():
    demos = expert(STOP, "random:200003")
    fitted = Fitter(Task(demos, programs=2000)).fit(Hypothesis(EXACT_CLICKS, STOP.symmetries), demos)
    variation = Variation(fitted, Ground(STOP), np.random.default_rng(0))
    scores = [variation.step() for _ in range(3)]
    assert scores == sorted(scores)
    assert all(explains(fitted, formula) for committee in variation.tried for formula in committee)
    for policy in variation.best():
        assert sum(c.weight for c in policy.components) == pytest.approx(1.0)


def test_suspecting_lost_games_gets_no_worse_and_never_suspects_the_teacher():
    demos = expert(NIM, "random:200018")
    fitter = Fitter(Task(demos, programs=2000))
    fitted = fitter.fit(Hypothesis(EXACT_CLICKS, NIM.symmetries), demos)
    suspicion = CounterexampleSearch(fitter, fitted, Ground(NIM), np.random.default_rng(0))
    scores = list(vary([suspicion], 4))
    assert scores == sorted(scores)
    shown = {(step.grid, step.action) for step in demos.steps}
    assert not shown & {(step.grid, step.action) for step in suspicion.refused}


def test_committees_of_the_best_fit_are_tried_in_between_and_who_is_behind_on_a_few_levels_is_not_tried_on_more(
    monkeypatch,
):
    demos = expert(STOP, "random:200003")
    fitter = Fitter(Task(demos, programs=2000))
    fitted = fitter.fit(Hypothesis(EXACT_CLICKS, STOP.symmetries), demos)
    monkeypatch.setattr("shown.teaching.practice.counterexamples.VARY", 1.0)
    suspicion = CounterexampleSearch(fitter, fitted, Ground(STOP), np.random.default_rng(0), levels=30)
    score, _ = suspicion.best[-1]
    scores = [suspicion.step() for _ in range(3)]
    assert not suspicion.refused
    assert score <= scores[0] <= scores[-1] == suspicion.ground.score(suspicion.best[-1][1], 30)
    assert not suspicion._take(uniform_policy(STOP.tokens), list(range(10)))
    assert len(suspicion.ground._results[uniform_policy(STOP.tokens).components]) == 10
    for _, policy in suspicion.best:
        assert all(allowed(policy, demos.steps))


def test_a_refit_starts_from_the_clauses_that_are_still_exact():
    demos = expert(STOP, "random:200003")
    fitter, hypothesis = Fitter(Task(demos, programs=2000)), Hypothesis(EXACT_CLICKS, STOP.symmetries)
    first = fitter.fit(hypothesis, demos, effort=QUICK)
    start = STOP.starts("random:900000")[0]
    (lost,) = play_starts([start], uniform_policy(STOP.tokens))
    step = replace(lost.steps[0], refused=True)
    again = fitter.fit(hypothesis, demos, Effort(trees=0, tries=1, covers=5), first, [step])
    known = renumbered(first.pool.clauses, first.features, again.features)
    assert len(known) == len(first.pool.clauses)
    named = [{(first.features.terms[f], sign) for f, sign in clause} for clause in first.pool.clauses]
    assert [{(again.features.terms[f], sign) for f, sign in clause} for clause in known] == named
    against = again.pinned.rest.mask & ~again.pinned.rest.positive
    bits = clause_bits(known, again.features.columns, against)
    exact = [clause for clause, wrong in zip(known, bits.any(axis=1), strict=True) if not wrong]
    assert exact
    assert {frozenset(clause) for clause in exact} <= {frozenset(clause) for clause in again.pool.clauses}
    assert all(explains(again, candidate.clauses) for candidate in again.formulas)


def test_the_hardest_levels_are_those_that_fewest_win():
    good, bad = teach(expert(NIM, "train:0"), NIM, programs=1000).policy, uniform_policy(NIM.tokens)
    ground = Ground(NIM)
    won = ground.results(bad, 20)
    ground.results(good, 20)
    assert sorted(ground.hardest(20, 20)) == list(range(20))
    assert [won[number] for number in ground.hardest(20, 20)] == sorted(won)
    lost = won.index(False)
    assert ground.winner(lost) is good
    assert ground.results(good, [lost, 25]) == [True, ground.results(good, 26)[25]]


def test_no_round_is_begun_that_would_not_end_in_time(monkeypatch):
    demos = expert(NIM, "random:200018")
    fitter = Fitter(Task(demos, programs=300))
    fitted = fitter.fit(Hypothesis(EXACT_CLICKS), demos)
    search = CounterexampleSearch(fitter, fitted, Ground(NIM), np.random.default_rng(0), seconds=2.0)
    clock = [0.0]

    def step():
        clock[0] += 3.0
        return 0.5

    monkeypatch.setattr(time, "monotonic", lambda: clock[0])
    monkeypatch.setattr(search, "step", step)
    assert list(vary([search], 9, until=1.9)) == []
    assert list(vary([search], 9, until=8.0)) == [0.5, 0.5]
    assert (clock[0], search.seconds) == (6.0, 2.75)


@pytest.mark.parametrize("seconds_of_a_fit", [0.05, 0.7])
def test_learning_ends_when_it_says(monkeypatch, seconds_of_a_fit):
    clock, fit, play = [0.0], Fitter.iter_fit, GameTree.wins

    def slow_fit(*arguments):
        clock[0] += seconds_of_a_fit
        return (yield from fit(*arguments))

    def slow_play(tree, starts, policies, deadline):
        clock[0] += 0.002 * len(policies) * len(starts)
        return play(tree, starts, policies)

    monkeypatch.setattr(time, "monotonic", lambda: clock[0])
    monkeypatch.setattr(Fitter, "iter_fit", slow_fit)
    monkeypatch.setattr(GameTree, "wins", slow_play)
    demos, one = expert(STOP, "random:200003"), Resources(threads=1)
    taught = teach(demos, STOP, programs=1000, practice=2.0, rounds=100, resources=one)
    assert taught.learned
    assert 2.0 < clock[0] < 1.1 * Task(practice=2.0).max_seconds


def test_a_fit_makes_do_with_what_it_has_found_when_time_is_up(monkeypatch):
    demos, tried = expert(STOP, "random:200003"), []
    monkeypatch.setattr(clauses, "cover", lambda *given: tried.append(1) or COVER(*given))
    fitter, late = Fitter(Task(demos, programs=1000), Resources(threads=1)), replace(QUICK, until=-1.0)
    assert fitter.fit(Hypothesis(EXACT_CLICKS), demos, effort=late).policy is not None
    assert len(tried) == 1


def test_the_expectation_is_that_of_what_was_won():
    assert SuccessRate(50, 100).share == 0.5
    assert SuccessRate(100, 100).share == pytest.approx(101 / 102)
    assert SuccessRate(0, 0).share == 0.5
    assert 0.04 < SuccessRate(50, 100).spread < 0.06
    assert SuccessRate(100, 100).in_words() == "expected to win about 12 of 12 new levels"
