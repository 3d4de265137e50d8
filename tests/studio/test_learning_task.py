"""Learning in the child process: what it reports keeps to the teacher's remarks, however early it is stopped."""

from __future__ import annotations

import json
from dataclasses import replace

import pytest

from shown.demonstrations import Demonstrations
from shown.policy import Policy
from shown.rules import Constraints
from shown.studio import learning_task
from shown.studio.learning_task import MAX_PUPILS, Pupils
from shown.teaching.lessons.preferences import Preferences
from shown.teaching.many_demonstrations import SelectivePupil
from shown.worlds import demonstrate, find, load_levels, wins

NIM = find("nim")
SHOWN = demonstrate(NIM, "train:0-7")


def asked(shown: Demonstrations, before: dict | None = None, **more: object) -> dict:
    """A request to learn; `before` is the answer to an earlier one."""
    return {
        "demonstrations": json.dumps(shown.to_json()),
        "before": before and before["policy"],
        "used": before["used"] if before else [],
        **Preferences(programs=2000).to_json(),
        **more,
    }


def answer(pupils: Pupils, request: dict) -> dict:
    task = pupils.learn(NIM, request)
    while True:
        try:
            next(task)
        except StopIteration as end:
            return end.value


def reports(constraints: Constraints, news: int) -> list[dict]:
    """What the task reports if it is stopped after so much news, its answer last."""
    task = Pupils().learn(NIM, asked(SHOWN, constraints=constraints.to_json()))
    found = [next(task) for _ in range(news)]
    try:
        while True:
            found.append(task.send(True))
    except StopIteration as end:
        return [*found, end.value]


def policies(messages: list[dict]) -> list[Policy]:
    return [Policy.from_json(message["policy"]) for message in messages if "policy" in message]


@pytest.mark.parametrize("news", [1, 2])
def test_a_policy_with_a_struck_condition_is_never_reported(news):
    (first, *_) = policies(reports(Constraints(), 1))
    struck = first.components[0].formula.literals[0].term
    constraints = Constraints(struck=(struck,), language=first.language)
    found = reports(constraints, news)
    assert found[-1]["stopped"]
    assert all(policy.keeps_to(constraints) for policy in policies(found))


def test_not_even_if_the_learner_offers_one(monkeypatch):
    (first, *_) = policies(reports(Constraints(), 1))
    constraints = Constraints(struck=(first.components[0].formula.literals[0].term,), language=first.language)

    class Careless(SelectivePupil):
        def iter_learn(self, demonstrations):
            for progress in super().iter_learn(demonstrations):
                yield replace(progress, best=first)

    monkeypatch.setattr(learning_task, "SelectivePupil", Careless)
    assert policies(reports(constraints, 2)[:-1]) == []


# --- pupils ----------------------------------------------------------------------------------------------------------


def some(first: int, last: int) -> Demonstrations:
    return demonstrate(NIM, f"train:{first}-{last}")


def test_a_further_demonstration_is_added_to_what_the_pupil_knows():
    pupils = Pupils()
    first = answer(pupils, asked(some(0, 1)))
    kept = pupils.kept["nim"]
    answer(pupils, asked(some(0, 2), first))
    assert pupils.kept["nim"] is kept
    assert len(kept.pupil.demonstrations) == 3


@pytest.mark.parametrize("many", [2, 9])
def test_a_new_pupil_with_the_last_policy_learns_the_same(many):
    """So it does not matter whether one was dropped, because of Undo or for want of memory."""
    kept, before = Pupils(), None
    for last in (many, many + 1):
        request = asked(some(0, last), before)
        before, known = answer(kept, request), before
    fresh = answer(Pupils(), asked(some(0, many + 1), known))
    assert fresh["policy"]["components"] == before["policy"]["components"]
    assert fresh["used"] == before["used"]


@pytest.mark.parametrize(
    "other",
    [
        asked(some(1, 3)),
        asked(some(0, 0)),
        asked(some(0, 1)),
        asked(some(0, 2), programs=1000),
        asked(some(0, 2), constraints={"pinned": [], "struck": ["at_action_cell(cell_is_value(empty))"]}),
    ],
    ids=["another demonstration", "one taken back", "the same, afresh", "another setting", "a constraint"],
)
def test_anything_else_takes_a_new_pupil(other):
    pupils = Pupils()
    answer(pupils, asked(some(0, 1)))
    kept = pupils.kept["nim"]
    found = answer(pupils, other)
    assert pupils.kept["nim"] is not kept
    assert found["policy"] == answer(Pupils(), other)["policy"]


def test_an_interrupted_pupil_is_not_kept():
    class Interrupting(Pupils):
        def take(self, *words):
            pupil = super().take(*words)
            learn = pupil.pupil.iter_learn

            def iter_learn(more):
                yield next(learn(more))
                raise KeyboardInterrupt

            pupil.pupil.iter_learn = iter_learn
            return pupil

    pupils = Interrupting()
    assert answer(pupils, asked(some(0, 1)))["stopped"]
    assert not pupils.kept


def test_few_pupils_are_kept_and_none_where_memory_is_short(monkeypatch):
    pupils = Pupils()
    for number in range(MAX_PUPILS + 2):
        pupils.keep(f"game {number}", SelectivePupil(None))
    assert list(pupils.kept) == [f"game {number}" for number in range(2, MAX_PUPILS + 2)]
    monkeypatch.setattr(learning_task, "resident_memory", lambda: 2**40)
    pupils.keep("nim", SelectivePupil(None))
    assert not pupils.kept


def test_levels_to_keep_stay_won_and_do_not_make_a_new_pupil():
    pupils, levels = Pupils(), load_levels(NIM, "test:0-8")
    first = answer(pupils, asked(some(0, 0)))
    pupil = pupils.kept["nim"]
    kept = [{"name": level.name, "rows": list(level.grid.rows)} for level in levels]
    second = answer(pupils, asked(some(0, 1), first, keep=kept))
    assert pupils.kept["nim"] is pupil
    assert len(pupil.pupil.task.keep) == len(levels)
    before, after = (wins(NIM.starts(levels), one) for one in policies([first, second]))
    assert all(now or not earlier for earlier, now in zip(before, after, strict=True))
