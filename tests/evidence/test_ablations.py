import pytest
import torch

from shown.language.grammar import paper_grammar
from shown.language.reference import View, run
from shown.policy import uniform_policy
from shown.worlds import GAMES, find, load_levels, success_rate
from shown_evidence.baselines import lpp
from shown_evidence.baselines.features_nn import FeaturesPolicy, _Perceptron
from shown_evidence.baselines.program_values import ProgramValues
from shown_evidence.trials.demonstrators import demonstrations

NIM = find("nim")


@pytest.mark.parametrize("name", list(GAMES))
def test_many_grids_at_once_are_acted_on_as_one_by_one(name: str):
    game = find(name)
    fitted = lpp.learner(game, 0, {"programs": 400}).fit(demonstrations(game, "train:0-1"))
    grids = [level.grid for level in load_levels(game, "train,test,random:0-59")]
    assert fitted.act_many(grids) == [fitted.policy_.act(grid) for grid in grids]


def test_a_policy_without_programs_acts_on_many_too():
    fitted = lpp.learner(NIM, 0, {})
    fitted.policy_ = uniform_policy(NIM.tokens)
    assert fitted.act_many([level.grid for level in load_levels(NIM, "test")]) == [(0, 0)] * 9
    assert not fitted.describe()["found"]


def test_lpp_reports_the_size_of_its_best_policy():
    fitted = lpp.learner(NIM, 0, {"programs": 1000}).fit(demonstrations(NIM, "train:0-10"))
    described = fitted.describe()
    formula = fitted.policy_.components[0].formula
    assert described["top_level_programs"] == len(formula.literals)
    assert described["method_calls"] > described["top_level_programs"]
    assert described["depth"] in (3, 4)
    assert success_rate(NIM, fitted, "test") == 1


def test_the_priors_of_the_ablations_are_used():
    demos = demonstrations(NIM, "train:0-5")
    priors = {
        prior: lpp.learner(NIM, 0, {"programs": 500, "prior": prior}).fit(demos).policy_.components[0].log_prior
        for prior in ("grammar", "sparsity", "uniform")
    }
    assert priors["uniform"] == 0
    assert priors["grammar"] < priors["sparsity"] < 0


def test_merged_programs_give_the_same_network_as_all_of_them():
    count = 150
    grammar = paper_grammar(NIM.tokens)
    grids = [level.grid for level in load_levels(NIM, "train:0-3")]
    values = ProgramValues.of(grids, NIM.tokens, count)
    rng = torch.Generator().manual_seed(1)
    sizes = ((count, 100), (100,), (100, 100), (100,), (100, 1), (1,))
    layers = [torch.randn(size, generator=rng) / 10 for size in sizes]
    merged = _Perceptron(values, "cpu").scores(torch.from_numpy(values.bits.T).float(), layers)

    programs = [term for term, _ in grammar.programs(count)]
    for k in range(0, len(values.word), 7):
        state, action = values.rows.row(int(values.word[k]), int(values.bit[k]))
        view = View(grids[state], NIM.tokens, action)
        inputs = torch.tensor([float(run(term, view, grammar.language)) for term in programs])
        hidden = torch.relu(inputs @ layers[0] + layers[1])
        plain = torch.relu(hidden @ layers[2] + layers[3]) @ layers[4] + layers[5]
        assert float(merged[k]) == pytest.approx(float(plain), abs=1e-3)


@pytest.mark.parametrize("l1", [0.0, 1e-4])
def test_a_perceptron_on_programs_learns_nim(l1: float):
    fitted = FeaturesPolicy(300, l1=l1, epochs=60).fit(demonstrations(NIM, "train:0-10"))
    assert success_rate(NIM, fitted, "test") >= 7 / 9
    assert fitted.describe()["training"]["epochs"] <= 60


def test_l1_makes_most_weights_small():
    demos = demonstrations(NIM, "train:0-3")
    plain, sparse = (FeaturesPolicy(200, l1=l1, epochs=80).fit(demos).describe() for l1 in (0.0, 1e-3))
    assert sparse["near_zero"] > 0.5 > plain["near_zero"]
