"""A short day of a studio that is killed and starved of room; `make soak` is a long one."""

from __future__ import annotations

import pytest

from soak import GAMES, Lost, Plan, Size, Soak, _check_one_step, check_growth, soak, studio_on


@pytest.mark.slow
def test_nothing_that_was_acknowledged_is_lost() -> None:
    plan = Plan(actions=200, seconds=60, seed=4, kills=2, child_kills=1, fills=1)
    counts = soak(plan, disk="quota").counts
    assert counts["actions"] == 200
    assert counts["kills"] == 3
    assert counts["kills in the middle of an action"] == 1
    assert counts["refused while the disk was full"] > 0
    assert counts["comparisons"] == 4 * len(GAMES)


def test_a_loss_would_be_noticed() -> None:
    with studio_on("quota") as (studio, disk, _):
        run = Soak(studio, disk, Plan(actions=10, seconds=60, seed=1, kills=0, child_kills=0, fills=0))
        run.look()
        studio.post("expert", game="nim")
        with pytest.raises(Lost, match="recordings"):
            run.look()


def test_of_an_action_that_was_cut_off_only_that_one_may_be_missing() -> None:
    def state(*numbers: int) -> dict:
        return {"table": {}, "painted": [], "recordings": [{"id": number} for number in numbers]}

    _check_one_step(state(1, 2), state(1, 2, 3))
    _check_one_step(state(1, 2), state(1))
    with pytest.raises(Lost):
        _check_one_step(state(1, 2, 3), state(1))


def test_growth_would_be_noticed() -> None:
    def life(memory: int, files: int = 20) -> list[Size]:
        return [Size(80 + n * memory // 40, 20 if n < 39 else files) for n in range(40)]

    check_growth(life(memory=10))
    check_growth([])
    with pytest.raises(Lost, match="memory"):
        check_growth(life(memory=200))
    with pytest.raises(Lost, match="files"):
        check_growth(life(memory=0, files=30))
