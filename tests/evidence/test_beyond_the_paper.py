"""Demonstrations in scripted styles, and the experiments that go beyond the paper."""

import json
from dataclasses import replace
from pathlib import Path

import pytest

from measuring import all_measured, measured
from shown.cli import main
from shown.demonstrations import Demonstrations
from shown.errors import BadInput
from shown.teaching.practice.ground import Ground
from shown.worlds import GAMES, Game, load_levels
from shown.worlds import find as find_game
from shown_evidence.analysis.exhibits import Table
from shown_evidence.analysis.statistics import found, interval, mean_and_interval, paired_difference, select
from shown_evidence.experiments import find
from shown_evidence.experiments.experiment import Scale
from shown_evidence.experiments.scripted_styles import chance_error
from shown_evidence.results.runner import attempt
from shown_evidence.styles import non_expert_styles, styles_of
from shown_evidence.trials.demonstrators import demonstrations
from shown_evidence.trials.learners import METHODS
from shown_evidence.trials.level_sets import CHOOSE, JUDGE, UNSEEN, replaced, scored_levels, seen
from shown_evidence.trials.trial import Trial, describe
from shown_evidence.wording import percent

TINY = Scale(games=("nim", "fence-in"), demos=(1, 3), sets=1, programs=200, test=("random:900000-900003",))


# --- scripted styles ----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("game", list(GAMES))
def test_a_styles_demonstrations_are_played_by_the_rules(game: str):
    rules = find_game(game)
    for style in non_expert_styles(game):
        demos = demonstrations(rules, "random:600000-600001", f"style:{style.name}")
        assert len(demos) == 2
        assert all(item.outcome == "won" for item in demos)
        assert [item.level for item in demos] == ["random:600000", "random:600001"]
        assert Demonstrations.from_json(demos.to_json()) == demos


def test_a_demonstration_depends_on_its_level_and_the_seed_alone():
    game = find_game("fence-in")
    kind = "style:ring-in-any-order"
    alone, among = demonstrations(game, "random:7", kind), demonstrations(game, "random:5-7", kind)
    assert alone.items == among.items[2:]
    seeds = {demonstrations(game, "random:5-7", kind, seed).digest for seed in range(5)}
    assert len(seeds) > 1


def test_a_trial_names_its_style():
    trial = Trial("lpp", "nim", "train:0", "style:slips")
    assert Trial.from_settings(trial.settings) == trial
    assert "in the style slips" in describe(trial.settings)
    with pytest.raises(BadInput, match=r"nim has no style called 'own-axis'"):
        Trial("lpp", "nim", "train:0", "style:own-axis")


def test_the_command_records_a_style(tmp_path: Path, capsys: pytest.CaptureFixture):
    out = str(tmp_path / "demos.json")
    assert main(["demonstrate", "nim", "--style", "points-first", "--levels", "train:0-1", "--out", out]) == 0
    assert Demonstrations.load(out) == demonstrations(find_game("nim"), "train:0-1", "style:points-first")
    assert main(["demonstrate", "nim", "--levels", "train:0", "--style", "point-first"]) == 2
    assert "nim has no style called 'point-first'. Did you mean 'points-first'?" in capsys.readouterr().err


def test_the_command_lists_styles(capsys: pytest.CaptureFixture):
    assert main(["games", "chase"]) == 0
    told = capsys.readouterr().out
    assert all(style.name in told and style.plays in told for style in styles_of("chase"))


# --- which levels are for what ------------------------------------------------------------------------------------


def seeds(levels: str) -> set[int]:
    first, _, last = levels.removeprefix("random:").removesuffix(UNSEEN).partition("-")
    return set(range(int(first), int(last or first) + 1))


def test_no_level_serves_two_purposes():
    used = []
    for reserved in (CHOOSE, JUDGE):
        used += [seeds(reserved.shown_levels(number, reserved.apart)) for number in range(100)]
        used.append(seeds(reserved.played_levels(1000)))
    assert sum(map(len, used)) == len(set().union(*used))


@pytest.mark.parametrize("game", list(GAMES))
def test_levels_that_judge_are_neither_practiced_on_nor_demonstrated(game: str):
    rules = find_game(game)
    practiced = [world.level(seed).grid for world, seed in Ground(rules).starts(0, 300)]
    shown = load_levels(rules, f"random:{JUDGE.shown}-{JUDGE.shown + 99}")
    others = {*practiced, *(level.grid for level in shown)}
    spec = f"random:900000-900099{UNSEEN}"
    played, named = scored_levels(rules, spec), load_levels(rules, spec.removesuffix(UNSEEN))
    assert len(played) == 100
    assert others.isdisjoint(level.grid for level in played)
    assert [level for level in named if level.grid not in others] == [level for level in played if level in named]
    assert replaced(spec, played) == sum(level.grid in others for level in named)
    assert seen(game) == others
    assert trained_and_scored_as_usual(rules)


def trained_and_scored_as_usual(rules: Game) -> bool:
    """Other names mean what they meant."""
    return scored_levels(rules, "random:0-4") == load_levels(rules, "random:0-4")


def test_a_row_says_how_many_levels_were_replaced():
    spec = f"random:900000-900019{UNSEEN}"
    row = attempt(Trial("random", "nim", "train:0", test=(spec,)).settings)
    assert row.result["replaced"] == {spec: replaced(spec, scored_levels(find_game("nim"), spec))}
    assert row.result["replaced"][spec] > 0
    assert len(row.result["won"][spec]) == 20


def test_a_larger_set_begins_with_the_smaller():
    assert seeds(CHOOSE.shown_levels(4, 2)) < seeds(CHOOSE.shown_levels(4, 5))
    with pytest.raises(ValueError, match="1 to 10 levels"):
        JUDGE.shown_levels(0, 11)


# --- the experiments ----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["beyond", "additions", "styles", "controls", "confidence", "one-rule"])
def test_the_experiment_runs_and_is_read_without_claims(name: str):
    experiment = find(name)
    trials = experiment.trials(replace(TINY, games=("nim",), demos=(1,)))
    assert {trial.levels for trial in trials} == {JUDGE.shown_levels(0, 1)}
    rows = [attempt(trial.settings) for trial in trials]
    assert [row.error for row in rows if row.error] == []
    shown = experiment.present(all_measured(experiment.trials(Scale(games=("nim",), sets=1))))
    assert shown.exhibits or name == "confidence", "results without an expectation"
    assert shown.claims == []


def test_what_was_expected_is_compared_with_what_was_won():
    trials = find("confidence").trials(Scale(full=True, games=("nim",)))
    rows = [measured(trial, 0.8, expected=0.9 if trial.method == "shown-practice" else 0.8) for trial in trials]
    shown = find("confidence").present(rows)
    assert ["0.000. Two" in shown.text[0], "0.100. Two" in shown.text[1]] == [True, True]
    (table,) = shown.exhibits
    half = str(len(trials) // 2)
    assert list(table.rows[8]) == ["0.8 to 0.9", half, "0.80", "0.80", "0", "–", "–"]
    assert list(table.rows[9]) == ["0.9 to 1.0", "0", "–", "–", half, "0.90", "0.80"]


def test_beyond_compares_the_papers_method_with_ours_with_and_without_practice():
    trials = find("beyond").trials(Scale(full=True, games=("nim",)))
    assert len(trials) == 4 * (10 + 10 + 10)
    assert {(trial.method, trial.options.get("rounds")) for trial in trials} == {
        ("lpp", None),
        ("shown", None),
        ("shown-practice", 18),
    }


def test_beyonds_tables_say_what_was_measured():
    rows = [
        measured(trial, 1.0 if trial.method == "shown-practice" else 0.5, top_level_programs=7)
        for trial in find("beyond").trials(Scale(full=True, games=("nim",)))
    ]
    tables = [plot for plot in find("beyond").present(rows).exhibits if isinstance(plot, Table)]
    assert list(tables[0].rows[0]) == ["Nim", "LPP", "40", *["50 %"] * 4]
    assert list(tables[0].rows[2]) == ["Nim", "shown + practice", "40", *["100 %"] * 4]
    assert list(tables[0].rows[3]) == ["Nim", METHODS["random"].label, "0", *["–"] * 4], "floors that were not run"


def test_additions_stand_beside_the_trials_of_beyond():
    few = find("beyond").trials(Scale(full=True, games=("nim",)))
    whole = {trial.key: trial for trial in find("additions").trials(Scale(full=True, games=("nim",)))}
    added = [trial for trial in whole.values() if trial.method == "lpp-with"]
    assert whole.keys() - {trial.key for trial in added} == {trial.key for trial in few}
    assert {trial.levels for trial in added} == {trial.levels for trial in few}
    rows = [measured(trial, 0.75 if trial.options.get("mirrored") else 0.5) for trial in (*few, *added)]
    assert all(find("additions").belongs(row.settings) for row in rows)
    assert not any(find("beyond").belongs(trial.settings) for trial in added)
    table = find("additions").present(rows).exhibits[0]
    assert [row[1:4] for row in table.rows[:5]] == [
        ["LPP", "40", "50 %"],
        ["LPP, mirrored too", "40", "75 %"],
        ["LPP, clause search", "40", "50 %"],
        ["LPP, standard vocabulary", "40", "50 %"],
        ["LPP, all three", "40", "75 %"],
    ]


def test_lpp_without_any_addition_is_lpp():
    game = find_game("checkmate")
    demos = demonstrations(game, "train:0-1")
    plain, added, mirrored = (
        METHODS[name].build(game, 0, {**METHODS[name].options, "programs": 2000, **own}).fit(demos).policy_
        for name, own in (("lpp", {}), ("lpp-with", {}), ("lpp-with", {"mirrored": True, "words": "standard"}))
    )
    assert added.components == plain.components
    assert mirrored.components != plain.components
    assert mirrored.language.name == "standard"


def test_one_rule_compares_the_printed_rule_with_all_rules():
    experiment = find("one-rule")
    (trial,) = experiment.trials(Scale(games=("nim",), demos=(1,), sets=1, programs=500, test=TINY.test))
    row = attempt(trial.settings)
    assert row.error is None
    spec, learned = trial.test[0], row.result["learned"]
    won = {part: row.result["success"][f"{part}{spec}"] for part in ("", "rule ", "vote ")}
    assert won[""] == won[f"{learned['acts']} "]
    assert learned["conditions"] > 0
    (table,) = experiment.exhibits([row])
    cells = dict(zip(table.head, table.rows[0], strict=True))
    assert (cells["Rule"], cells["Vote"]) == (percent(won["rule "]), percent(won["vote "]))
    assert (cells["Style"], cells["Shown"], cells["Conditions"]) == ("expert", "1", str(learned["conditions"]))
    assert cells["Rule acts"] == f"{int(learned['acts'] == 'rule')} of 1"


def test_one_rule_says_how_far_the_rule_is_behind():
    rows = []
    for trial in find("one-rule").trials(Scale(full=True, games=("nim",))):
        row = measured(trial, 0.9, conditions=30, acts="vote", front=[[4, 90, 100]])
        parts = {f"rule {trial.test[0]}": 0.8, f"vote {trial.test[0]}": 0.9}
        rows.append(replace(row, result={**row.result, "success": {**row.result["success"], **parts}}))
    assert len(rows) == 3 * (4 + len(non_expert_styles("nim")))
    expert, others = find("one-rule").present(rows).text
    assert expert.startswith("Expert: 12 cases; the rule wins 80 %, all rules 90 %")
    assert "more than 5 below in 12; it acts in 0. Conditions: median 30, at most 30; more than 25 in 12." in expert
    assert others.startswith(f"Other styles: {3 * len(non_expert_styles('nim'))} cases")


def test_styles_are_counted_without_the_expert():
    experiment = find("styles")
    trials = experiment.trials(Scale(full=True, games=("nim",)))
    assert len(trials) == 3 * len(styles_of("nim")) * 4 * 3
    learned = ("style:slips", "style:starts-above")

    def success(trial: Trial) -> float:
        return 0.95 if trial.demonstrations in learned and trial.method == "shown-practice" else 0.5

    rows = [
        measured(trial, success(trial), found=trial.demonstrations != "style:clicks-twice")
        for trial in {trial.key: trial for trial in trials}.values()
    ]
    shown = experiment.present(rows)
    others = len(non_expert_styles("nim"))
    figure, summary, styles = shown.exhibits
    assert [line.label for line in figure.panels["Nim"]] == ["LPP", "shown", "shown + practice"]
    assert list(summary.rows[0][:5]) == ["Nim", str(others), f"0 of {others}", "50 %", f"3 of {3 * others}"]
    assert [summary.rows[0][place] for place in (5, 8)] == [f"0 of {others}", f"2 of {others}"]
    assert [row[1] for row in styles.rows] == [style.name for style in styles_of("nim")]
    assert f"2 of {others} styles are learned" in " ".join(shown.text)


def test_what_is_tiny_is_narrowed():
    trials = find("styles").trials(TINY)
    assert {trial.test for trial in trials} == {("random:900000-900003",)}
    assert {trial.options["programs"] for trial in trials} == {200}
    assert {trial.game for trial in trials} == {"nim", "fence-in"}


# --- what is counted ----------------------------------------------------------------------------------------------


def test_a_mean_has_an_interval_that_does_not_depend_on_the_order():
    values = [0.0, 0.2, 0.9, 1.0, 1.0]
    low, high = interval(values)
    assert 0 < low < sum(values) / 5 < high <= 1
    assert interval(reversed(values)) == (low, high)
    assert str(interval([])) == "(nan, nan)"


def test_differences_are_paired_by_demonstrations():
    trials = find("beyond").trials(Scale(full=True, games=("nim", "chase"), sets=3))
    better = {"lpp": 0.0, "shown": 0.1, "shown-practice": 0.3}
    rows = all_measured(trials, lambda trial: better[trial.method] + int(trial.levels[7:14]) % 100 / 100)
    lpp, practiced = (select(rows, method=method) for method in ("lpp", "shown-practice"))
    mean, low, high = paired_difference(practiced, lpp, "random")
    assert (round(mean, 6), round(low, 6), round(high, 6)) == (0.3, 0.3, 0.3), "which sets are hard does not matter"
    assert paired_difference(practiced[:-1], lpp[1:], "random")[0] == pytest.approx(0.3)
    table = [plot for plot in find("beyond").present(rows).exhibits if isinstance(plot, Table)][1]
    assert table.rows[1] == ["shown + practice − LPP", *["+30 (+30 to +30)"] * 5]
    assert table.rows[2][0] == "shown + practice − shown"


def test_overlapping_sets_have_wider_intervals():
    values = [0.1, 0.2, 0.3, 0.2]
    apart, half = mean_and_interval(values), mean_and_interval(values, overlap=0.5)
    assert apart[0] == half[0]
    assert (half[2] - half[0]) / (apart[2] - apart[0]) == pytest.approx(5**0.5), "(1/4 + 1) / (1/4)"
    assert str(mean_and_interval([0.5])) == "(0.5, nan, nan)"


def test_calibration_has_a_floor():
    trials = find("confidence").trials(Scale(full=True, games=("nim",), methods=("shown",), sets=1))
    rows = [measured(trial, 0.5, expected=0.5, expected_of=100) for trial in trials]
    mean, most = chance_error(rows, draws=200)
    assert 0 < mean < most < 0.1
    few = [measured(trial, 0.5, expected=0.5, expected_of=5) for trial in trials]
    assert chance_error(few, draws=200)[0] > mean


def test_whether_a_rule_was_found_is_known():
    trial = Trial("lpp", "nim", "train:0")
    assert found(measured(trial))
    assert not found(measured(trial, found=False))


def test_rows_of_styles_are_json():
    row = attempt(
        Trial("shown", "nim", "random:910000", "style:slips", options={"programs": 50}, test=("test:0",)).settings
    )
    assert row.error is None
    assert json.loads(row.to_json())["settings"]["demonstrations"] == "style:slips"
