"""The learner: the plain loop's result, the same bytes every time, and clean stops."""

import json
import math
import pickle
import re
from copy import deepcopy
from dataclasses import replace
from fractions import Fraction
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from shown.columns.evaluator import Evaluator
from shown.columns.resources import Resources
from shown.columns.rows import labels_of
from shown.demonstrations import Demonstration, Demonstrations, Step
from shown.engine import memory
from shown.errors import BadInput, NothingFits, OutOfMemory
from shown.grid import Grid, Tokens, grid
from shown.inference import fitting as module
from shown.inference.fitting import LearningPhase
from shown.inference.learner import Learner
from shown.inference.posterior import Posterior, log_likelihood, log_prior
from shown.inference.trees import clauses_of, plain_tree, tie_order
from shown.language.grammar import Grammar, Rule, paper_grammar, paper_offsets
from shown.language.primitives import LANGUAGE
from shown.language.reference import View, run
from shown.policy import Policy
from shown.provenance import NO_PROVENANCE
from shown.rules.bitwise import formula_bits
from shown.teaching.teach import teach
from shown.worlds import demonstrate, find, load_levels
from strategies import ALL, TOKENS, examples, grids


def shown_by_expert(name, levels):
    game = find(name)
    return demonstrate(game, load_levels(game, levels))


@pytest.fixture(scope="module")
def nim():
    return shown_by_expert("nim", "train:0-4")


@pytest.fixture(scope="module")
def fence():
    return shown_by_expert("fence-in", "train:0-2")


def one_step_each(*steps, tokens=TOKENS, buttons=()):
    return Demonstrations(tokens, tuple(Demonstration((Step(*step),)) for step in steps), buttons=buttons)


def text(policy):
    return json.dumps(policy.to_json(), ensure_ascii=False)


STARS = one_step_each((grid("#*."), (0, 1)), (grid("A.", ".*"), (1, 1)), (grid("*A#"), (0, 0)))
"""Click the star."""


# --- what is learned --------------------------------------------------------------------------------------------------


def test_click_the_star():
    learner = Learner(programs=300).fit(STARS)
    assert learner.policy_.act(grid("..#", "A*.")) == (1, 1)
    best = learner.policy_.components[0]
    assert str(best.formula) == "at_action_cell(cell_is_value(star))"
    assert best.log_prior == pytest.approx(math.log(1 / 2 * 1 / 2 * 1 / 2 * 1 / 5))
    assert best.log_likelihood == 0.0


def test_fit_returns_the_learner():
    learner = Learner(programs=10)
    assert learner.fit(STARS) is learner
    assert learner.add(STARS) is learner


def allowed_actions(formula, board, language=LANGUAGE):
    """By the book: the actions for which some clause has all its literals right."""
    return [
        action
        for action in board.cells()
        if any(
            all(run(x.term, View(board, NIM.tokens, action), language) == x.positive for x in clause)
            for clause in formula.clauses
        )
    ]


NIM = find("nim")


@pytest.mark.parametrize(
    "options",
    [{}, {"drop_literals": False}, {"noise": 0.05}, {"prior": "sparsity"}, {"prior": "uniform"}],
    ids=str,
)
def test_every_component_scores_what_it_should(nim, options):
    learner = Learner(programs=1000, **options).fit(nim)
    price = {str(term): p for term, p in paper_grammar(nim.tokens).programs(1000)}
    price = {t: {"sparsity": -math.log(2), "uniform": 0.0}.get(learner.prior, p) for t, p in price.items()}
    for component in learner.policy_.components:
        formula = component.formula
        assert component.log_prior == pytest.approx(sum(price[str(x.term)] for x in formula.literals))
        likelihood = 0.0
        for step in nim.steps:
            allowed = allowed_actions(formula, step.grid)
            chance = 1 / len(allowed) if step.action in allowed else 0.0
            cells = step.grid.height * step.grid.width
            likelihood += math.log((1 - learner.noise) * chance + learner.noise / cells)
        assert component.log_likelihood == pytest.approx(likelihood)


def test_the_mixture_is_sorted_normalized_and_without_repetition(nim):
    components = Learner(programs=3000, ensemble=10).fit(nim).policy_.components
    scores = np.array([c.log_prior + c.log_likelihood for c in components])
    assert len(components) == 10
    assert np.all(np.diff(scores) <= 0)
    expected = np.exp(scores - scores.max()) / np.exp(scores - scores.max()).sum()
    assert [c.weight for c in components] == pytest.approx(expected.tolist())
    assert len({frozenset(map(frozenset, c.formula.clauses)) for c in components}) == 10


@pytest.mark.parametrize("options", [{}, {"noise": 0.1}, {"uniform_if_empty": True}, {"prior": "sparsity"}], ids=str)
def test_the_learner_does_what_the_plain_loop_does(options):
    """Algorithm 1 by the book: for every prefix and every seed, grow a tree, score it, keep the best."""
    learner = Learner(
        programs=400,
        ensemble=10,
        trees=3,
        drop_literals=False,
        stop_early=False,
        resources=Resources(seed=4),
        **options,
    ).fit(shown_by_expert("nim", "train:0-2"))
    features, labels = learner.features_, labels_of(learner._fitting.rows, learner.demonstrations_.steps)
    prices = module.literal_prices(features.log_prior, learner.prior)
    posterior = Posterior(10)
    for length in range(len(features) + 1):
        for seed in (12, 13, 14):
            order = tie_order(len(features), seed)
            tree = plain_tree(features.columns[:length], labels.mask, labels.positive, order[:length])
            clauses = clauses_of(tree)
            allowed = formula_bits(clauses, features.columns, labels.mask)
            likelihood = log_likelihood(allowed, labels, learner.noise, learner.uniform_if_empty)
            posterior.offer(module.ScoredFormula(clauses, log_prior(clauses, prices), likelihood))
    assert [c.score for c in learner.formulas_] == pytest.approx([c.score for c in posterior.best])
    worst = posterior.bound
    assert {frozenset(c.clauses) for c in learner.formulas_ if c.score > worst} == {
        frozenset(c.clauses) for c in posterior.best if c.score > worst
    }


def test_without_noise_every_component_allows_everything_that_was_shown(nim):
    for component in Learner(programs=1000).fit(nim).policy_.components:
        assert all(step.action in allowed_actions(component.formula, step.grid) for step in nim.steps)


def test_one_state_may_be_shown_with_several_actions():
    both = one_step_each((grid("*.*"), (0, 0)), (grid("*.*"), (0, 2)), (grid("#*A"), (0, 1)))
    policy = Learner(programs=300).fit(both).policy_
    assert str(policy.components[0].formula) == "at_action_cell(cell_is_value(star))"
    assert policy.components[0].log_likelihood == pytest.approx(2 * math.log(1 / 2))
    assert policy.probabilities(grid("*.*"))[0, 1] < 0.1


def test_what_is_shown_twice_counts_twice():
    once = Learner(programs=300, noise=0.1).fit(STARS).policy_.components[0]
    twice = Learner(programs=300, noise=0.1).fit(STARS + STARS).policy_.components[0]
    assert twice.log_likelihood == pytest.approx(2 * once.log_likelihood)


# --- fragments, and more later ----------------------------------------------------------------------------------------


def test_fragments_are_as_good_as_whole_demonstrations(nim):
    whole = Learner(programs=1000).fit(nim).policy_
    fragments = one_step_each(*((step.grid, step.action) for step in nim.steps), tokens=nim.tokens)
    assert Learner(programs=1000).fit(fragments).policy_.components == whole.components


@pytest.mark.parametrize("name", ["nim", pytest.param("fence-in", marks=pytest.mark.slow)])
def test_adding_is_the_same_as_learning_from_all_at_once(name):
    demos = shown_by_expert(name, "train:0-4")
    at_once = Learner(programs=2000).fit(demos).policy_
    learner = Learner(programs=2000).fit(demos.select([0]))
    learner.add(demos.select([1, 2])).add(demos.select([3])).add(demos.select([4]))
    assert text(learner.policy_) == text(at_once)


@given(st.lists(grids(most=3), min_size=2, max_size=4), st.data())
@settings(max_examples=examples(25))
def test_adding_anything_is_the_same_as_learning_from_all_at_once(boards, data):
    steps = [(board, data.draw(st.sampled_from(list(board.cells())))) for board in boards for _ in range(2)]
    demos = one_step_each(*steps)
    cut = data.draw(st.integers(1, len(steps) - 1))
    options = {"programs": 150, "trees": 2, "ensemble": 4, "noise": 0.01}
    at_once = Learner(**options).fit(demos)
    learner = Learner(**options).fit(demos.select(range(cut))).add(demos.select(range(cut, len(steps))))
    assert text(learner.policy_) == text(at_once.policy_)


def test_old_states_are_not_evaluated_again(nim, monkeypatch):
    calls = []
    evaluate = Evaluator.evaluate

    def counted(self, block):
        calls.append(self.world.grids)
        return evaluate(self, block)

    monkeypatch.setattr(Evaluator, "evaluate", counted)
    learner = Learner(programs=500).fit(nim.select([0]))
    old, calls[:] = set(calls[0]), []
    learner.add(nim.select([1]))
    assert calls
    assert not any(old & set(grids_of_call) for grids_of_call in calls)
    calls[:] = []
    learner.add(nim.select([0]))
    assert calls == []


def test_adding_to_nothing_is_learning(nim):
    assert text(Learner(programs=500).add(nim).policy_) == text(Learner(programs=500).fit(nim).policy_)


def test_fitting_again_forgets(nim):
    learner = Learner(programs=500).fit(shown_by_expert("nim", "train:5-7"))
    assert text(learner.fit(nim).policy_) == text(Learner(programs=500).fit(nim).policy_)


def test_another_task_cannot_be_added(nim, fence):
    learner = Learner(programs=300).fit(nim)
    before = text(learner.policy_)
    with pytest.raises(BadInput, match="different tasks"):
        learner.add(fence)
    assert text(learner.policy_) == before
    assert text(learner.add(nim).policy_) == text(Learner(programs=300).fit(nim + nim).policy_)


# --- the same bytes ---------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["nim", "chase"])
def test_the_same_seed_gives_the_same_bytes_whatever_the_number_of_threads(name, tmp_path):
    demos = shown_by_expert(name, "train:0-3")
    written = []
    for threads in (1, 2, 4, 1):
        path = tmp_path / "policy.json"
        Learner(programs=3000, resources=Resources(threads=threads, seed=7)).fit(demos).policy_.save(path)
        written.append(path.read_bytes())
    assert len(set(written)) == 1


def test_different_seeds_may_differ():
    demos = shown_by_expert("chase", "train:0-1")
    found = {
        text(without_provenance(Learner(programs=1000, resources=Resources(seed=seed)).fit(demos).policy_))
        for seed in range(3)
    }
    assert len(found) > 1


def without_provenance(policy):
    return replace(policy, provenance=NO_PROVENANCE)


def test_the_number_of_programs_between_reports_does_not_matter(nim, monkeypatch):
    expected = text(Learner(programs=2000, stop_early=False).fit(nim).policy_)
    monkeypatch.setattr(module, "CHECKPOINTS", (50, 77, 78, 400, 1999))
    assert text(Learner(programs=2000, stop_early=False).fit(nim).policy_) == expected


# --- settings ---------------------------------------------------------------------------------------------------------


def test_exactly_as_many_programs_as_asked_for(nim):
    learner = Learner(programs=777).fit(nim)
    assert len(learner.features_.of_program) == 777
    assert learner.policy_.provenance.programs == 777


def test_finishing_the_level(nim):
    learner = Learner(programs=777, finish_level=True, stop_early=False).fit(nim)
    blocks = list(paper_grammar(nim.tokens).blocks(777, finish_level=True))
    assert len(learner.features_.of_program) == sum(block.count for block in blocks) > 777


def test_where_the_policy_came_from(nim):
    provenance = Learner(programs=300, noise=0.01, resources=Resources(seed=3)).fit(nim).policy_.provenance
    assert provenance.to_json()["demonstrations"] == {
        "digest": nim.digest,
        "count": 5,
        "steps": len(nim.steps),
        "explained": len(nim.steps),
        "levels": [f"train:{i}" for i in range(5)],
    }
    assert provenance.settings["noise"] == 0.01
    assert provenance.settings["seed"] == 3
    assert provenance.distinct < provenance.programs == 300
    assert provenance.vocabulary == "paper"
    other = paper_grammar(nim.tokens).extended(Rule("C", "scanning", ("O", "C", "C"), Fraction(1, 5)))
    named = {Learner(programs=300, grammar=g).fit(nim).policy_.provenance.vocabulary for g in (other, other, None)}
    assert len(named) == 2


def test_guessing_inside_the_likelihood_is_an_option():
    """Decision 5: a formula that allows nothing in a state does not explain what was shown there."""
    shown = one_step_each((grid("#.#."), (0, 2)), (grid("*A"), (0, 0)))
    with pytest.warns(NothingFits):
        strict = Learner(programs=5).fit(shown)
    assert strict.formulas_ == []
    best = Learner(programs=5, uniform_if_empty=True).fit(shown).policy_.components[0]
    assert str(best.formula) == "at_action_cell(cell_is_value(star))"
    assert best.log_likelihood == pytest.approx(math.log(1 / 4))


def test_never_is_no_policy_even_where_all_is_noise(nim):
    """The paper's footnote: the number of literals is at least 1."""
    policy = Learner(programs=300, noise=1.0).fit(nim).policy_
    assert all(component.formula.literals for component in policy.components)


# --- when nothing fits ------------------------------------------------------------------------------------------------

CONTRADICTORY = one_step_each((grid("#.#."), (0, 2)))
"""Programs that only look at the clicked cell cannot tell one wall from the other."""


def test_when_nothing_fits_python_is_warned():
    with pytest.warns(NothingFits, match="nothing fits demonstration 0, step 0.*acts at random"):
        learner = Learner(programs=5).fit(CONTRADICTORY)
    assert learner.failure_.action == (0, 2)
    assert learner.explained_ == 0
    with pytest.warns(NothingFits):
        learner.add(CONTRADICTORY)


def test_no_warning_speaks_of_flags_of_the_command_line():
    with pytest.warns(NothingFits) as caught:
        Learner(programs=5).fit(CONTRADICTORY)
    assert "--" not in str(caught[0].message)


def test_what_fits_is_not_warned_of(recwarn):
    learner = Learner(programs=300).fit(STARS)
    assert learner.failure_ is None
    assert not [w for w in recwarn if issubclass(w.category, NothingFits)]


def test_how_much_of_what_was_shown_is_explained_is_told(nim):
    assert Learner(programs=300).fit(STARS).explained_ == 3
    learner = Learner(programs=5, noise=0.05)
    last = list(learner.iter_fit(STARS + one_step_each((grid("*#"), (0, 1)))))[-1]
    assert learner.explained_ == last.explained == 3
    assert learner.policy_.provenance.demonstrations.explained == 3
    assert "(3 of 4 steps explained)" in learner.policy_.table()


# --- copies -----------------------------------------------------------------------------------------------------------


def test_learners_with_the_same_settings_are_equal(nim):
    assert Learner() == Learner() != Learner(resources=Resources(seed=1))
    assert Learner(programs=300).fit(nim) == Learner(programs=300)
    assert len(repr(Learner(programs=300).fit(nim))) < 500


@pytest.mark.parametrize(
    "copy", [deepcopy, lambda learner: pickle.loads(pickle.dumps(learner))], ids=["copy", "pickle"]
)
def test_a_copy_goes_on_as_the_learner_would(nim, copy):
    learner = Learner(programs=500).fit(nim.select([0, 1]))
    other = copy(learner)
    assert other == learner
    assert text(other.policy_) == text(learner.policy_)
    assert text(other.add(nim.select([2])).policy_) == text(learner.add(nim.select([2])).policy_)


def test_dropping_literals_finds_policies_at_least_as_probable(fence):
    shorter = Learner(programs=2000).fit(fence).formulas_
    longer = Learner(programs=2000, drop_literals=False).fit(fence).formulas_
    assert shorter[0].score >= longer[0].score


def test_stopping_early_changes_nothing_but_the_work(monkeypatch):
    monkeypatch.setattr(module, "CHECKPOINTS", tuple(range(20, 3000, 20)))
    options = {"programs": 3000, "ensemble": 2, "drop_literals": False}
    early = Learner(**options).fit(STARS)
    full = Learner(**options, stop_early=False).fit(STARS)
    assert len(early.features_.of_program) < len(full.features_.of_program) == 3000
    assert early.policy_.components == full.policy_.components
    following = list(paper_grammar(TOKENS).programs(len(early.features_.of_program) + 1))[-1][1]
    assert following < min(c.log_prior + c.log_likelihood for c in early.policy_.components)


@pytest.mark.parametrize("prior", ["sparsity", "uniform"])
def test_programs_that_cost_little_under_another_prior_do_not_stop_it(prior, monkeypatch):
    monkeypatch.setattr(module, "CHECKPOINTS", tuple(range(20, 3000, 20)))
    options = {"programs": 1000, "ensemble": 2, "drop_literals": False, "prior": prior}
    shown = one_step_each((grid("#*.#"), (0, 1)), (grid("A.", "**"), (1, 1)), (grid("*A*"), (0, 2)))
    early = Learner(**options).fit(shown)
    full = Learner(**options, stop_early=False).fit(shown)
    assert early.policy_.components == full.policy_.components


@pytest.mark.parametrize(
    ("options", "reason"),
    [
        ({"programs": 0}, "programs must be a whole number of at least 1, not 0"),
        ({"programs": 10.5}, "programs must be a whole number"),
        ({"ensemble": 0}, "ensemble must be a whole number of at least 1, not 0"),
        ({"trees": -1}, "trees must be"),
        ({"noise": -0.1}, "noise must be from 0 to 1, not -0.1"),
        ({"noise": 1.1}, "noise must be from 0 to 1, not 1.1"),
        ({"noise": math.nan}, "noise must be from 0 to 1, not nan"),
        ({"prior": "flat"}, "prior must be one of grammar, sparsity, uniform, not 'flat'"),
    ],
)
def test_settings_out_of_range_are_refused(options, reason):
    with pytest.raises(BadInput, match=re.escape(reason)):
        Learner(**options).fit(STARS)


def test_there_must_be_something_to_learn_from():
    with pytest.raises(BadInput, match="no demonstrations to learn from"):
        Learner().fit(Demonstrations(TOKENS, ()))


def test_a_grammar_that_derives_nothing_is_refused():
    endless = (Rule("P", "at_action_cell", ("C",), Fraction(1)), Rule("C", "shifted", ("O", "C"), Fraction(1)))
    with pytest.raises(BadInput, match="derives no program"):
        Learner(grammar=Grammar("P", endless, {"O": paper_offsets()})).fit(STARS)


# --- progress and stopping --------------------------------------------------------------------------------------------


@pytest.fixture(params=[math.inf, 0.0], ids=["quick", "slow"])
def pace(request, monkeypatch):
    """Report after every block, or never within a chunk."""
    monkeypatch.setattr(module, "TELL_EVERY", request.param)


def test_progress_is_told(nim, pace):
    reports = list(Learner(programs=3000, ensemble=5, stop_early=False).iter_fit(nim))
    assert [r.programs for r in reports] == sorted(r.programs for r in reports)
    assert reports[-1].programs == reports[-1].total == 3000
    assert all(r.distinct <= r.programs for r in reports)
    assert reports[0].best is None
    assert reports[0].score is None
    assert reports[-1].best.startswith("click a cell if\n  ")
    scores = [r.score for r in reports if r.score is not None]
    assert scores == sorted(scores)
    assert reports[-1].components == 5
    assert {r.phase for r in reports} == set(LearningPhase)
    assert all(a.seconds <= b.seconds for a, b in pairwise(reports))


def test_one_may_stop_after_any_report_and_has_a_policy(nim, pace):
    total = len(list(Learner(programs=3000).iter_fit(nim)))
    board = nim.steps[0].grid
    for stop in range(1, total + 1, 1 if ALL else total // 4):
        learner = Learner(programs=3000)
        run_of = learner.iter_fit(nim)
        report = [next(run_of) for _ in range(stop)][-1]
        run_of.close()
        assert learner.policy_.probabilities(board).sum() == pytest.approx(1.0)
        assert bool(learner.formulas_) == (report.score is not None)
        if report.best is not None:
            assert learner.policy_.english() == report.best


def test_before_anything_fits_the_policy_is_uniform(nim):
    learner = Learner()
    next(learner.iter_fit(nim))
    board = nim.steps[0].grid
    assert len(set(learner.policy_.probabilities(board).ravel().tolist())) == 1


def test_after_a_stop_one_may_go_on_with_more(nim):
    learner = Learner(programs=2000)
    run_of = learner.iter_fit(nim.select([0, 1]))
    next(run_of)
    run_of.close()
    assert text(learner.add(nim.select([2, 3, 4])).policy_) == text(Learner(programs=2000).fit(nim).policy_)


# --- memory -----------------------------------------------------------------------------------------------------------


@pytest.fixture
def slow_growth(monkeypatch):
    """Tables grow slowly, so that limits can be exact."""
    monkeypatch.setattr("shown.columns.distinct.LITTLE", 0)


def test_what_was_found_before_a_limit_was_reached_is_kept(slow_growth):
    demos = shown_by_expert("fence-in", "train:0-1")
    limit = Learner(programs=2000).fit(demos)._fitting.memory.held
    learner = Learner(resources=Resources(memory_limit=limit))
    last = list(learner.iter_fit(demos))[-1]
    seen = len(learner.features_.of_program)
    assert 0 < seen < 10_000
    assert "but the limit is" in last.stopped
    assert learner.formulas_
    again = Learner(programs=seen, stop_early=False).fit(demos).policy_
    assert without_provenance(learner.policy_) == without_provenance(again)
    more = demos.select([0])
    assert len(learner.add(more).features_.of_program) == seen


def test_nothing_found_and_no_memory_says_what_would_fit(slow_growth):
    demos = shown_by_expert("reach-for-the-star", "train")
    enough = Learner(programs=300)
    for _ in enough.iter_fit(demos):
        pass
    assert enough.failure_ is not None
    limit = enough._fitting.memory.held
    with pytest.raises(OutOfMemory, match=r"the limit is .* MiB\. .* About [0-9,]+ programs fit\."):
        Learner(trees=1, resources=Resources(memory_limit=2 * limit)).fit(demos)


def test_without_a_limit_fewer_programs_are_refused_unless_their_number_is_open(monkeypatch, slow_growth):
    demos = shown_by_expert("fence-in", "train:0-1")
    limit = Learner(programs=2000).fit(demos)._fitting.memory.held
    monkeypatch.setattr(memory, "default_limit", lambda: limit)
    with pytest.raises(OutOfMemory, match="but the limit is"):
        Learner().fit(demos)
    monkeypatch.setattr("shown.inference.fitting.PROGRAM_BYTES", 0)  # a million of them would not fit either
    assert "but the limit is" in list(Learner(programs="auto").iter_fit(demos))[-1].stopped


def test_what_cannot_fit_is_not_even_begun(monkeypatch):
    def never(*_):
        raise AssertionError("memory was taken before it was asked for")

    monkeypatch.setattr(module, "Planes", never)
    with pytest.raises(OutOfMemory, match="the demonstrated states and the list of programs would need"):
        Learner(resources=Resources(memory_limit=1000)).fit(STARS)
    monkeypatch.setattr(memory, "default_limit", lambda: 10**6)
    with pytest.raises(OutOfMemory, match="the demonstrated states and the list of programs would need"):
        Learner(programs=100_000).fit(STARS)


def test_the_limit_is_for_all_batches_together(slow_growth):
    batches = [shown_by_expert("nim", levels) for levels in ("random:0-9", "random:10-19")]
    held = [Learner(programs=500).fit(demos)._fitting.memory.held for demos in batches]
    learner = Learner(programs=500, resources=Resources(memory_limit=sum(held) - 1)).fit(batches[0])
    with pytest.raises(OutOfMemory, match="but the limit is"):
        learner.add(batches[1])
    assert learner._fitting.memory.held < sum(held)
    Learner(programs=500, resources=Resources(memory_limit=2 * sum(held))).fit(batches[0]).add(batches[1])


def test_what_does_not_fit_is_not_added():
    learner = Learner(programs=50, resources=Resources(memory_limit=2**20)).fit(STARS)
    before = text(learner.policy_)
    large = one_step_each((STARS.steps[0].grid, (0, 0)), (Grid(("." * 300,) * 300), (0, 0)))
    with pytest.raises(OutOfMemory, match="the demonstrated states and the list of programs would need"):
        learner.add(large)
    assert text(learner.policy_) == before
    assert learner.demonstrations_ == STARS
    assert text(learner.add(STARS).policy_) == text(Learner(programs=50).fit(STARS + STARS).policy_)


# --- a world with buttons ---------------------------------------------------------------------------------------------

STRIP = Tokens(floor=".", agent="A", star="*")
GO = ("left", "right", "grab")


def strip(board):
    """Walk to the star and grab it: the star and the agent never share a cell, so grab beside it."""
    agent, star = board.find("A")[1], board.find("*")[1]
    return "grab" if abs(agent - star) == 1 else "right" if agent < star else "left"


def test_a_world_with_buttons_is_learned_saved_and_exported(tmp_path):
    boards = [grid(x) for x in ("A..*", "*..A.", ".A*.", "*A..", ".A..*.", "..*..A.", "A.*.", "*.A", ".*A.", ".A*")]
    shown = one_step_each(*((board, strip(board)) for board in boards), tokens=STRIP, buttons=GO)
    policy = Learner(programs=3000).fit(shown).policy_
    tests = [
        grid("".join("A" if c == a else "*" if c == s else "." for c in range(9)))
        for a in range(9)
        for s in range(9)
        if a != s
    ]
    assert [policy.act(board) for board in tests] == [strip(board) for board in tests]
    assert policy.probabilities(tests[0]).shape == (3,)
    policy.save(tmp_path / "strip.json")
    assert Policy.load(tmp_path / "strip.json") == policy
    exported = {}
    exec(compile(policy.to_python(), "strip.py", "exec"), exported)
    assert [exported["act"](list(board.rows)) for board in tests] == [strip(board) for board in tests]


@pytest.mark.parametrize("learn", [Learner().fit, teach], ids=["one fit", "taught"])
def test_more_than_can_be_learned_from_in_minutes_is_refused_at_once(learn):
    tokens = Tokens(empty=".", wall="#")
    step = (Grid(("..", ".#")), (1, 1))
    with pytest.raises(BadInput, match=r"100,001 demonstrated steps; the limit is 100,000\."):
        learn(Demonstrations.from_runs(tokens, [[step] * 100_001]))
    with pytest.raises(BadInput, match=r"2,250,000 actions together; the limit is 1,000,000\."):
        learn(Demonstrations.from_runs(tokens, [[(Grid(("." * 1500,) * 1500), (0, 0))]]))
