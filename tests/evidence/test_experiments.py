import math

import pytest

from measuring import all_measured, measured
from shown.errors import BadInput
from shown.worlds import GAMES
from shown_evidence.analysis.statements import MISSING, NO, PARTLY, STATEMENTS, YES, Finding, Statement, judged
from shown_evidence.analysis.statistics import (
    curve,
    difference_text,
    first_perfect,
    mean_and_interval,
    mean_success,
    size,
    success,
)
from shown_evidence.experiments import EXPERIMENTS, arcade_games, find, minigrid_worlds
from shown_evidence.experiments.experiment import Scale, check
from shown_evidence.report.page import report
from shown_evidence.trials.demonstrators import seeds_named, training_sets
from shown_evidence.trials.learners import NETWORKS
from shown_evidence.trials.row import row_from
from shown_evidence.trials.trial import Trial
from shown_evidence.wording import percent

FULL = Scale(full=True)
NOT_IN_THE_PAPER = (
    *("floors", "released", "minigrid", "minatar", "beyond", "additions", "styles", "controls", "confidence"),
    *("one-rule", "network-settings"),
)
AWAY = ("breakout", "minigrid", "minatar")
"""In worlds that have seeds, not levels."""


@pytest.mark.parametrize("name", [name for name in EXPERIMENTS if name != "released"])  # it needs a folder
@pytest.mark.parametrize("full", [False, True])
def test_every_trial_of_an_experiment_belongs_to_it(name: str, full: bool):
    experiment = find(name)
    trials = experiment.trials(Scale(full=full))
    assert trials
    assert all(experiment.belongs(trial.settings) for trial in trials)
    assert {trial.method for trial in trials} == set(experiment.methods)
    assert {trial.game for trial in trials} == set(experiment.games)


def test_the_full_sizes_are_the_papers():
    demos = find("demos").trials(FULL)
    assert len(demos) == len({trial.key for trial in demos}) == 6 * 10 * (11 * 10 + 5 * 3)
    noise = find("noise").trials(FULL)
    assert {trial.options["noise"] for trial in noise} == {0.0, 1e-4, 1e-3, 1e-2, 1e-1, 1.0}
    assert {len(trial.levels.split(",")) for trial in noise} == set(range(2, 17))
    assert {trial.demonstrations for trial in noise} == {"perfect", "independent", "correlated"}
    efficiency = find("data-efficiency").trials(FULL)
    assert "random:1000000-1004999" in {trial.levels for trial in efficiency}
    assert max(trial.options["programs"] for trial in find("programs").trials(FULL)) == 5_000_000


def test_quick_is_a_small_part():
    quick = {trial.key for name in EXPERIMENTS for trial in find(name).trials(Scale())}
    full = {trial.key for name in EXPERIMENTS for trial in find(name).trials(FULL)}
    assert quick < full
    assert len(quick) < 1000
    networks = [trial for trial in find("demos").trials(Scale()) if trial.method in NETWORKS]
    assert len(networks) == 6 * 8 * 2
    assert {size(measured(trial)) for trial in networks} == {1, 6}


def test_the_same_trial_in_two_experiments_is_run_once():
    policies = {trial.key for trial in find("policies").trials(FULL)}
    programs = {trial.key for trial in find("programs").trials(FULL)}
    ablations = {trial.key for trial in find("ablations").trials(FULL)}
    assert len(policies & programs & ablations) == len(GAMES)


def seeds(levels: str) -> range:
    """Of generated levels."""
    first, _, last = levels.removeprefix("random:").removesuffix("/unseen").partition("-")
    return range(int(first), int(last or first) + 1)


def test_nothing_is_demonstrated_on_levels_that_are_scored():
    for name in EXPERIMENTS:
        for trial in find(name).trials(FULL) if name not in AWAY else ():
            shown = [part for part in trial.levels.split(",") if not part.startswith("train:")]
            assert all(part.startswith("random:") for part in shown)
            in_the_paper, beyond = ("test:0-8", "random:0-99"), ("random:2500000-2500099/unseen",)
            if name == "floors":
                assert trial.test in (in_the_paper, beyond)
            elif name != "network-settings":
                assert trial.test == (beyond if name in NOT_IN_THE_PAPER else in_the_paper)
            scored = seeds(trial.test[-1])
            assert all(set(seeds(part)).isdisjoint(scored) for part in shown)


def test_what_breakout_is_judged_on_is_not_shown():
    for trial in find("breakout").trials(FULL):
        assert arcade_games.ELSEWHERE in trial.test
        assert set(seeds_named(trial.levels)).isdisjoint(seeds_named(arcade_games.ELSEWHERE))
    assert len(find("breakout").trials(FULL)) == 9
    assert {trial.options["programs"] for trial in find("breakout").trials(Scale())} == {120_000, 100_000}
    assert find("breakout").trials(Scale(games=("nim",))) == []


def test_breakout_is_reported_start_by_start():
    settings = find("breakout").trials(Scale())[0].settings
    got, expert = [3.0, 0.0, 0.0, 4.0], [3.0, 3.0, 0.0, 3.0]
    result = {
        **{"success": {}, "won": {}, "fit": 1.0, "demonstrations": 1},
        "steps": 500,
        "learned": {"found": True, "top_level_programs": 52},
        "reward": dict.fromkeys(arcade_games.STARTS, got),
        "expert": dict.fromkeys(arcade_games.STARTS, expert),
    }
    row = row_from({"settings": settings, "versions": {}, "result": result})
    shown = find("breakout").present([row])
    assert shown.exhibits[0].rows[1][-2:] == ["3 0 0 4 (mean 1.75)", "3 3 0 3 (mean 2.25)"]
    verdicts = {claim.measured: claim.verdict for claim in shown.claims}
    assert verdicts["At least the expert's reward on 2 of 3 starts with any reward."] == "partly"
    assert verdicts["1.75 on average, with a standard deviation of 1.79."] == "no"
    hostile = {**result, "reward": {"seeds:0": ["much"]}}
    with pytest.raises(BadInput, match="reward"):
        row_from({"settings": settings, "versions": {}, "result": hostile})


def test_what_minigrid_is_judged_on_is_not_shown_and_was_not_chosen_by():
    trials = find("minigrid").trials(FULL)
    assert len(trials) == len({trial.key for trial in trials}) == (10 * 6 + 7 * 10) * 3 * 3
    assert {trial.test for trial in trials} == {(minigrid_worlds.PLAYED,)}
    played = set(seeds_named(minigrid_worlds.PLAYED))
    shown = {seed for trial in trials for seed in seeds_named(trial.levels)}
    assert len(played) == 60
    assert len(shown) == 3 * 5
    assert played.isdisjoint(shown)
    assert min(played | shown) >= 10_000


def test_minigrid_is_reported_with_intervals():
    experiment = find("minigrid")
    scale = Scale(full=True, games=("gym:MiniGrid-Unlock-v0",), demos=(5,), sets=2)
    trials = [trial for trial in experiment.trials(scale) if trial.options.get("rounds") == 30]
    assert len(trials) == 2
    rows = [measured(trial, won / 60) for trial, won in zip(trials, (60, 59), strict=True)]
    shown = experiment.present(rows)
    (means,) = shown.exhibits
    assert means.rows == [["Unlock", "standard vocabulary, practiced", "–", "–", "99.2 % (98 to 100)"]]


def test_worlds_are_named_like_games():
    check(Scale(games=("nim", "gym:MiniGrid-LavaGapS7-v0")))
    with pytest.raises(BadInput, match="no environment called 'MiniGrid-LavaGap-v0'"):
        check(Scale(games=("gym:MiniGrid-LavaGap-v0",)))
    assert {trial.game for trial in find("minigrid").trials(Scale(games=("gym:MiniGrid-LavaGapS7-v0",)))} == {
        "gym:MiniGrid-LavaGapS7-v0"
    }
    assert find("minigrid").trials(Scale(games=("nim",))) == []


def test_a_scale_narrows():
    scale = Scale(full=True, games=("nim",), methods=("lpp",), demos=(2,), sets=3, programs=50, test=("test:0",))
    trials = find("demos").trials(scale)
    assert len(trials) == 3
    assert all(trial.options["programs"] == 50 and trial.test == ("test:0",) for trial in trials)


def test_unknown_experiments_are_refused():
    with pytest.raises(BadInput, match=r"no experiment called 'demo'. Did you mean 'demos'\?"):
        find("demo")


def test_without_results_no_claim_is_judged():
    for name in EXPERIMENTS:
        claims = find(name).present([]).claims
        assert bool(claims) == (name in STATEMENTS)
        assert all(claim.verdict == MISSING for claim in claims)


def test_every_statement_of_the_paper_is_counted():
    experiments = [name for name in STATEMENTS if name in EXPERIMENTS]
    assert experiments == [name for name in EXPERIMENTS if name not in NOT_IN_THE_PAPER]
    assert "breakout" in STATEMENTS
    everything = " ".join(statement.says for group in STATEMENTS.values() for statement in group.values())
    for words in ("120,000", "10 of 10", "8.80", "7.47", "six hours", "108", "13,506,156,000", "Minecraft", "clause"):
        assert words in everything
    page = report([], "results")
    count = sum(map(len, STATEMENTS.values()))
    assert f"Of {count} statements of the paper" in page
    assert f'<b class="missing">{count}</b>not measured' in page


def test_a_finding_about_nothing_the_paper_says_is_an_error():
    with pytest.raises(KeyError, match="no statement called 'green'"):
        judged({"blue": Statement("The sky is blue.")}, {"green": Finding("It is green.", NO)})


def test_a_reason_is_given_only_where_it_does_not_agree():
    sky = {"sky": Statement("The sky is blue.", "There were clouds.")}
    assert judged(sky, {"sky": Finding("It is.", YES)})[0].why == ""
    assert judged(sky, {"sky": Finding("Half of it.", PARTLY, "Not in the west.")})[0].why == (
        "Not in the west. There were clouds."
    )


def test_levels_that_were_not_played_count_for_nothing():
    rows = [measured(Trial("lpp", "nim", f"train:{i}", test=("test:0",)), 0.5) for i in (0, 1)]
    assert math.isnan(success(rows[0], "random"))
    assert math.isnan(mean_success(rows, "random"))
    assert curve(rows, size, "random") == ([], [])
    assert mean_success(rows) == 0.5
    assert percent(mean_success(rows, "random")) == "–"


def test_a_figure_without_results_is_left_out():
    noise = find("noise").trials(Scale(games=("nim",), demos=(2,), sets=1))
    rows = [row for row in all_measured(noise) if find("demos").belongs(row.settings)]
    assert rows, "perfect demonstrations of the noise experiment are trials of the other one too"
    assert find("demos").present(rows).exhibits == []


def test_claims_follow_the_measurements():
    demos = find("demos")
    trials = demos.trials(Scale(full=True, methods=("lpp",), sets=1))

    def perfect_from(least: int):
        rows = all_measured(trials, lambda trial: 1.0 if len(trial.levels.split(",")) >= least else 0.5)
        return {claim.paper: claim for claim in demos.present(rows).claims}

    says = "At most 5 demonstrations are needed for a perfect policy in every game."
    assert perfect_from(4)[says].verdict == YES
    assert perfect_from(7)[says].verdict == NO
    nim = "Nim: a policy that wins every test level from 2 demonstrations."
    assert perfect_from(2)[nim].verdict == YES
    assert perfect_from(3)[nim].verdict == NO
    assert "From 3" in perfect_from(3)[nim].measured


def test_sets_beyond_the_ten_are_reported_separately():
    demos = find("demos")
    scale = Scale(full=True, methods=("lpp",), games=("checkmate",), demos=(5, 6))
    ten = demos.trials(scale)
    more = [Trial("lpp", "checkmate", levels) for count in (5, 6) for levels in training_sets(count, 14)]
    assert all(demos.belongs(trial.settings) for trial in more)
    extra = {trial.key for trial in more if len(trial.levels.split(",")) == 5} - {trial.key for trial in ten}
    rows = all_measured(more, lambda trial: 1.0 if trial.key in extra or trial.levels.count(",") == 5 else 0.5)
    claim = next(claim for claim in demos.present(rows).claims if claim.paper.startswith("Checkmate"))
    assert claim.verdict == PARTLY
    assert "From 6, with the best of 10 sets" in claim.measured
    assert "Of 14 sets of 5 tried, 4 give such a policy." in claim.measured


def test_the_networks_needs_follow_the_measurements():
    efficiency = find("data-efficiency")
    need = {"lpp": 5, "fcn": 100, "cnn": 1000}
    trials = efficiency.trials(Scale(full=True, demos=(5, 10, 100, 1000), sets=2))

    def enough(trial: Trial) -> float:
        first, _, last = trial.levels.partition(":")[2].partition("-")
        return 1.0 if int(last or first) - int(first) + 1 >= need[trial.method] else 0.5

    claims = {claim.paper: claim for claim in efficiency.present(all_measured(trials, enough)).claims}
    assert claims["FCN needs 100 demonstrations of Nim for success 1."].verdict == YES
    assert claims["CNN needs 1,000 demonstrations of Nim for success 1."].verdict == YES
    ratio = claims["LPP is 20 to 1,000 times as data-efficient as these networks."]
    assert "FCN in Nim 20 (100 / 5), FCN in Checkmate Tactic 20 (100 / 5), CNN in Nim 200 (1,000 / 5)" in ratio.measured


def test_a_need_that_only_the_best_set_meets_agrees_in_part():
    efficiency = find("data-efficiency")
    trials = efficiency.trials(Scale(full=True, methods=("lpp", "fcn"), games=("nim",), demos=(5, 100, 5000), sets=2))
    rows = all_measured(trials, lambda trial: 1.0 if trial.seed == 0 and not trial.levels.endswith("4") else 0.25)
    shown = efficiency.present(rows)
    claim = next(claim for claim in shown.claims if claim.paper.startswith("FCN needs 100 demonstrations of Nim"))
    assert claim.verdict == PARTLY
    assert "100 with the best of 2 sets, never with every set (with 5,000 a mean of 62 %)" in claim.measured
    assert claim.why.startswith("2 of 4 starts never learn, and all count.")


def test_starts_that_never_learn_are_reported_separately():
    demos = find("demos")
    trials = demos.trials(Scale(full=True, methods=("fcn",), games=("nim",), demos=(5,)))
    rows = all_measured(trials, lambda trial: 0.0 if trial.seed == 3 else 1.0)
    claim = next(claim for claim in demos.present(rows).claims if claim.paper.startswith("The FCN fits"))
    assert claim.verdict == PARTLY
    assert claim.measured == (
        "It repeats 90 % of the demonstrated actions and wins 90 % of the demonstrated levels. 1 of 10 starts never "
        "learn: they repeat less than half. The others repeat 100 % and win 100 %."
    )


def test_a_baseline_that_is_ahead_if_taken_otherwise_is_named():
    wins = {"lpp": 0.5, "vpi": 0.25, "lln-highest": 0.75}
    trials = find("demos").trials(Scale(methods=tuple(wins), games=("nim",), demos=(1,), sets=1))
    shown = find("demos").present(all_measured(trials, lambda trial: wins[trial.method]))
    ahead = next(claim for claim in shown.claims if claim.paper.startswith("LPP markedly"))
    assert ahead.measured.endswith("a baseline is ahead in: Nim 75 % (LLN, highest score).")


def test_without_the_prior_is_worse_only_if_it_is_whichever_policies_are_kept():
    ablations = find("ablations")
    trials = ablations.trials(Scale(methods=("lpp", "no-prior", "no-prior-any", "features-nn"), sets=1))

    def verdict(any_that_fit: float) -> tuple[str, str]:
        wins = {"lpp": 0.75, "no-prior": 0.5, "no-prior-any": any_that_fit, "features-nn": 0.75}
        shown = ablations.present(all_measured(trials, lambda trial: wins[trial.method]))
        claims = {claim.paper: claim for claim in shown.claims}
        claim = claims["Without the prior (No Prior) LPP does worse."]
        return claim.verdict, claim.measured

    assert verdict(0.5)[0] == YES
    assert verdict(0.75)[0] == PARTLY
    assert "(LPP is not ahead on the generated levels of Nim, Checkmate Tactic" in verdict(0.75)[1]


def test_the_first_perfect_point_is_by_best_or_mean():
    rows = [measured(Trial("lpp", "nim", levels), value) for levels, value in
            (("train:0", 0.5), ("train:0-1", 1.0), ("train:1-2", 0.5), ("train:0-2", 1.0))]  # fmt: skip
    assert first_perfect(rows, size) == 2
    assert first_perfect(rows, size, pool=lambda values: sum(values) / len(values)) == 3
    assert success(rows[0], "random") == 0.5


def test_a_later_loss_of_success_is_reported():
    experiment = find("programs")
    trials = experiment.trials(Scale(full=True, methods=("lpp",), games=("chase",), sets=1))

    def success(trial: Trial) -> float:
        return 1.0 if 500 <= trial.options["programs"] < 10_000 else 0.75

    shown = experiment.present(all_measured(trials, success))
    claim = next(claim for claim in shown.claims if claim.paper.startswith("Chase"))
    assert (claim.measured, claim.verdict) == ("500 are enough (but with 10,000 only 75 %).", YES)


def test_differences_of_the_papers_sets_are_corrected_for_their_overlap():
    trials = find("demos").trials(Scale(full=True, methods=("lpp", "vpi"), games=("nim",), demos=(1, 5), sets=4))
    better = {"lpp": 0.4, "vpi": 0.2}
    rows = all_measured(
        trials, lambda trial: better[trial.method] + 0.1 * (trial.levels[-1] in "13579") * (trial.method == "lpp")
    )
    table = next(plot for plot in find("demos").present(rows).exhibits if "Difference" in getattr(plot, "head", ()))
    (line,) = table.rows
    assert line[0] == "LPP − VPI"
    pairs = [
        [success(row, "random") for row in rows if row.settings["method"] == name and size(row) == 5] for name in better
    ]
    plain = mean_and_interval([own - other for own, other in zip(*pairs, strict=True)])
    wide = mean_and_interval([own - other for own, other in zip(*pairs, strict=True)], overlap=5 / 11)
    assert line[1 + table.head[1:].index("5 shown")] == difference_text(wide)
    assert plain[0] == wide[0]
    assert wide[2] - wide[1] > plain[2] - plain[1] > 0
