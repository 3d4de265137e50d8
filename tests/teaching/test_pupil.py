"""A pupil goes on learning: corrections are learned at once, and what was won stays won."""

from dataclasses import replace

import pytest

from shown.columns.evaluator import Evaluator
from shown.demonstrations import Demonstrations
from shown.errors import BadInput
from shown.inference.failure import Failure
from shown.policy import Policy, uniform_policy
from shown.provenance import Provenance, SuccessRate
from shown.symmetry import Transformation
from shown.teaching.dialogue.corrections import show_from
from shown.teaching.dialogue.recording import begin
from shown.teaching.interpretation.equivalence import Effects
from shown.teaching.interpretation.fitter import Fitter
from shown.teaching.interpretation.hypotheses import Hypothesis, hypothesis_of
from shown.teaching.interpretation.interpretations import EXACT_CLICKS, Interpretation, interpret
from shown.teaching.practice.cross_validation import cross_validate
from shown.teaching.practice.ground import Ground
from shown.teaching.practice.practice_scoring import Scoring
from shown.teaching.result import Taught, TeachingPhase
from shown.teaching.task import Task
from shown.teaching.teach import Pupil, teach
from shown.worlds import Level, demonstrate, find, load_levels, play, success_rate, wins
from shown.worlds.games.game import LevelWorld
from strategies import allowed

NIM, STOP, CHASE = find("nim"), find("stop-the-fall"), find("chase")


def expert(game, levels):
    return demonstrate(game, load_levels(game, levels))


def correction(game, policy, levels):
    """What the expert would have done where the policy first does something else and loses, and on which level."""
    for level in load_levels(game, levels):
        episode = play(game, policy.act, level)
        for step in episode.steps if not episode.won else ():
            if game.expert(step.grid) != step.action:
                here = Level(level.name, step.grid)
                fix = show_from(LevelWorld(game, here), begin(here), game.expert(step.grid))
                return Demonstrations(game.tokens, (fix,), game.name, game.buttons)
    raise AssertionError("it wins everything")


def formulas(policy):
    return [(component.weight, str(component.formula)) for component in policy.components]


# --- refits -----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "hypothesis", [Hypothesis(EXACT_CLICKS), Hypothesis(Interpretation("exact", "any"), STOP.symmetries)]
)
def test_a_refit_after_a_correction_equals_a_fit_from_scratch(hypothesis):
    first, more = expert(STOP, "random:200003"), expert(STOP, "random:200004-200005")
    grown = Fitter(Task(first, programs=2000))
    grown.fit(hypothesis, interpret(first, hypothesis.interpretation, STOP))
    for item in more:
        grown.add(replace(more, items=(item,)))
    shown = first + more
    again = grown.fit(hypothesis, interpret(shown, hypothesis.interpretation, STOP))
    anew = Fitter(Task(shown, programs=2000)).fit(hypothesis, interpret(shown, hypothesis.interpretation, STOP))
    assert formulas(again.policy) == formulas(anew.policy)
    assert formulas(again.grown) == formulas(anew.grown)


def test_without_practice_a_pupil_learns_what_it_would_have_learned_from_all_at_once():
    demos = expert(STOP, "random:200003-200005")
    pupil = Pupil(STOP, programs=2000, practice=0.0)
    for i in range(3):
        pupil.learn(demos.select([i]))
    assert formulas(pupil.taught.policy) == formulas(teach(demos, STOP, programs=2000, practice=0.0).policy)


def test_no_program_is_evaluated_again_where_it_was_before(monkeypatch):
    seen = []
    evaluate = Evaluator.evaluate

    def counted(self, block):
        seen.extend((grid, block.start) for grid in self.world.grids)
        return evaluate(self, block)

    monkeypatch.setattr(Evaluator, "evaluate", counted)
    pupil = Pupil(None, programs=500)
    for spec in ("train:0", "train:1", "train:2"):
        pupil.learn(expert(NIM, spec))
    assert len(seen) == len(set(seen))


# --- corrections ------------------------------------------------------------------------------------------------------


def test_a_corrected_click_is_done_at_once_and_everything_shown_before_still_is():
    pupil = Pupil(CHASE, programs=3000, practice=0.0)
    shown = expert(CHASE, "random:200000")
    pupil.learn(shown)
    fix = correction(CHASE, pupil.taught.policy, "random:200100-200140")
    taught = pupil.correct(fix)
    assert taught.learned
    assert taught.policy.act(fix.steps[0].grid) == fix.steps[0].action
    for i in range(len(taught.policy.components)):
        assert all(allowed(taught.policy, shown.steps, i))
    assert pupil.demonstrations == shown + fix


def test_levels_that_were_won_stay_won_or_are_named():
    levels = load_levels(STOP, "random:600000-600019")
    pupil = Pupil(STOP, programs=2000, rounds=2, keep=[(LevelWorld(STOP, level), 0) for level in levels])
    pupil.learn(expert(STOP, "random:200003"))
    before = wins(STOP.starts(levels), pupil.taught.policy)
    for _ in range(2):
        try:
            fix = correction(STOP, pupil.taught.policy, "random:200100-200140")
        except AssertionError:
            break
        practiced = pupil.taught.practice[0]
        taught = pupil.learn(fix)
        after = wins(STOP.starts(levels), taught.policy)
        lost = {level.name for level, b, a in zip(levels, before, after, strict=True) if b and not a}
        assert lost <= set(taught.lost)
        assert taught.practice[0] >= practiced or taught.lost
        before = after


def test_a_correction_loses_no_shown_level_that_the_amended_policy_keeps():
    """However many practice levels another policy wins."""
    levels = load_levels(STOP, "random:900000-900011")
    pupil = Pupil(STOP, programs=1000, rounds=1, keep=[(LevelWorld(STOP, level), 0) for level in levels])
    pupil.learn(expert(STOP, "random:910000"))
    before = wins(pupil.task.keep, pupil.taught.policy)
    assert 0 < sum(before) < len(levels)
    fix = correction(STOP, pupil.taught.policy, "random:910100-910140")
    amended = None
    for stage in pupil.iter_learn(fix):
        if stage.phase is TeachingPhase.CORRECTED:
            amended = wins(pupil.task.keep, stage.best)
    after = wins(pupil.task.keep, pupil.taught.policy)
    assert amended is not None
    assert pupil.taught.policy.act(fix.steps[0].grid) == fix.steps[0].action
    for now in (amended, after):
        assert all(won for won, earlier in zip(now, before, strict=True) if earlier)


def test_keeping_what_was_won_comes_before_winning_more():
    kept = [(LevelWorld(NIM, level), 0) for level in load_levels(NIM, "random:900000-900003")]
    good = teach(expert(NIM, "train:0-4"), NIM, programs=2000).policy
    poor = uniform_policy(NIM.tokens, "nim")
    scoring = Scoring(NIM, Ground(NIM), kept)
    lost = wins(kept, poor).count(False)
    assert lost > 0
    assert scoring.score(good) == 1.0
    assert scoring.score(poor) < 1 - lost
    assert scoring.not_kept(good) == ()


def test_a_policy_that_wins_all_is_kept_when_it_does_what_is_shown():
    pupil = Pupil(NIM, programs=3000)
    first = pupil.learn(expert(NIM, "train:0-4"))
    stages = list(pupil.iter_learn(expert(NIM, "train:5")))
    assert [stage.phase for stage in stages] == [TeachingPhase.CORRECTED]
    assert formulas(pupil.taught.policy) == formulas(first.policy)
    assert pupil.taught.lost == ()


def test_who_stops_has_what_there_was():
    pupil = Pupil(NIM, programs=1000)
    stages = pupil.iter_learn(expert(NIM, "train:0"))
    next(stages)
    stages.close()
    assert pupil.taught is None
    taught = pupil.learn()
    assert taught.learned
    stages = pupil.iter_learn(expert(NIM, "train:1"))
    stage = next(stages)
    stages.close()
    assert (stage.phase, pupil.taught.policy.components) == (TeachingPhase.CORRECTED, stage.best.components)


def test_another_s_policy_can_be_gone_on_from():
    demos = expert(NIM, "train:0-4")
    policy = Policy.from_json(teach(demos, NIM, programs=3000).policy.to_json())
    pupil = Pupil(NIM, programs=3000)
    pupil.remember(policy, demos)
    taught = pupil.correct(expert(NIM, "train:6"))
    assert success_rate(NIM, taught.policy, load_levels(NIM, "random:600000-600019")) == 1.0
    assert len(pupil.demonstrations) == 6


def test_without_any_demonstration_there_is_nothing_to_learn():
    with pytest.raises(BadInput, match="no demonstrations"):
        Pupil(NIM).learn()
    with pytest.raises(BadInput, match='programs must be "auto" or a whole number'):
        Pupil(NIM, programs=0)


@pytest.mark.parametrize("interpretation", [None, {}, {"clicks": "no"}, {"other": "x"}])
def test_an_unknown_interpretation_is_taken_as_exact_clicks(interpretation):
    policy = replace(uniform_policy(NIM.tokens), provenance=Provenance(interpretation=interpretation))
    assert hypothesis_of(policy) == Hypothesis(EXACT_CLICKS)


def test_how_a_policy_was_understood_is_read_back():
    provenance = Provenance(
        interpretation={"clicks": "equivalent", "order": "any"}, symmetries=(Transformation("left-right"),)
    )
    found = hypothesis_of(replace(uniform_policy(NIM.tokens), provenance=provenance))
    assert found == Hypothesis(Interpretation("equivalent", "any"), (Transformation("left-right"),))


# --- how far to look --------------------------------------------------------------------------------------------------


def test_auto_stops_when_all_is_won_and_says_so():
    taught = teach(expert(NIM, "train:0-4"), NIM, programs="auto")
    assert (taught.practice, taught.stopped) == ((120, 120), "all practice levels are won")


def test_auto_goes_on_while_it_gets_better_and_says_why_it_stopped():
    taught = teach(expert(STOP, "random:200003"), None, programs="auto")
    assert "programs nothing got better" in taught.stopped
    assert taught.policy.provenance.programs > 10_000
    plain = teach(expert(STOP, "random:200003"), None)
    assert plain.stopped is None
    assert taught.policy.components[0].log_prior >= plain.policy.components[0].log_prior


def test_many_programs_are_told_of_while_they_are_evaluated(monkeypatch):
    monkeypatch.setattr("shown.teaching.interpretation.fitter.AT_ONCE", 100)
    pupil = Pupil(None, programs=3000)
    stages = list(pupil.iter_learn(expert(NIM, "train:0-2")))
    told = [stage for stage in stages if stage.total == 3000]
    assert len(told) > 2
    assert told[-1].best is not None
    monkeypatch.undo()
    assert formulas(Pupil(None, programs=3000).learn(expert(NIM, "train:0-2")).policy) == formulas(pupil.taught.policy)


# --- what is told -----------------------------------------------------------------------------------------------------


def test_a_rule_memorizes_if_it_is_expected_to_lose_or_is_as_long_as_what_was_shown():
    long = Taught(teach(expert(NIM, "train:0"), None, programs=500).policy, None, (), True, steps=1)
    assert long.memorizes
    assert not replace(long, steps=100).memorizes
    assert not replace(long, expectation=SuccessRate(90, 100)).memorizes
    assert replace(long, steps=100, expectation=SuccessRate(10, 100)).memorizes


def test_when_nothing_fits_the_teacher_is_told_which_clicks_are_at_odds():
    from shown_evidence.trials.demonstrators import demonstrations as shown_by

    fence = find("fence-in")
    demos = shown_by(fence, "train:0-1", "style:row-in-any-order")
    taught = teach(demos, fence, programs=2000, interpretations=[EXACT_CLICKS], language="paper")
    assert not taught.learned
    assert taught.advice.interpretation == Interpretation("exact", "any")
    assert "In game 1" in taught.advice.text


def test_advice_is_about_the_interpretation_that_does_not_fit():
    from shown_evidence.trials.demonstrators import demonstrations as shown_by

    star, changed = find("reach-for-the-star"), Interpretation("changed")
    demos = shown_by(star, "train:0", "style:low-step-dropped")
    interpreted = interpret(demos, changed, Effects(star))
    pairs = zip(demos.steps, interpreted.steps, strict=True)
    step = next(i for i, (clicked, counted) in enumerate(pairs) if clicked.action != counted.action)
    failure = Failure(0, step, interpreted.steps[step].action, (0, 0), 0, step, 3)
    lenient, failed = Hypothesis(EXACT_CLICKS, lenient=True), Hypothesis(changed)
    taught = Taught(uniform_policy(star.tokens), lenient, (), True, failure=failure, failed=failed)
    pupil = Pupil(star, practice=0)
    pupil.task = replace(pupil.task, demonstrations=demos)
    assert pupil._advised(taught).advice is not None


# --- without rules ----------------------------------------------------------------------------------------------------


def test_without_rules_cross_validation_selects_the_interpretation():
    from shown_evidence.trials.demonstrators import demonstrations as shown_by

    demos = shown_by(STOP, "random:200010-200012", "style:any-order", seed=1)
    taught = teach(demos, None, programs=5000)
    assert [tried.fits for tried in taught.tried] == [True, True]
    assert taught.hypothesis.interpretation == Interpretation("exact", "any")
    assert taught.expectation.what == "positions"
    in_order = teach(expert(STOP, "random:200000-200002"), None, programs=3000)
    assert in_order.hypothesis.interpretation == EXACT_CLICKS


def test_what_is_left_out_has_no_part_in_what_explains_it():
    demos = expert(NIM, "train:0-2")
    fitter = Fitter(Task(demos, programs=1000))
    hypothesis = Hypothesis(EXACT_CLICKS)
    found = cross_validate(fitter, hypothesis, demos)
    done = 0
    for k in range(3):
        others = demos.select([i for i in range(3) if i != k])
        policy = Fitter(Task(others, programs=1000)).fit(hypothesis, others).policy
        done += sum(policy.act(step.grid) == step.action for step in demos.items[k].steps)
    assert found.expectation == SuccessRate(done, len(demos.steps), "positions")
    assert found.explained == pytest.approx(done / len(demos.steps))
    assert cross_validate(fitter, hypothesis, demos.select([0])) is None


def test_what_is_expected_in_positions_is_told_so():
    told = SuccessRate(59, 100, "positions").in_words()
    assert told == "expected to do as you would in about 7 of 12 new positions"
