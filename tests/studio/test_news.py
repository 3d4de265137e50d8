"""Every change of a lesson is told to all pages, whichever command makes it."""

from __future__ import annotations

import pytest

from hostile_files import shown_by_expert
from serving import Tab, check_heard

DEMOS = shown_by_expert("nim", "train:0").to_json()
LEVELS = {"game": "nim", "levels": ["|.\n||"]}


@pytest.mark.parametrize(
    ("command", "request_"),
    [
        ("expert", {}),
        ("paint", {"id": None, "rows": ["|.", "||"]}),
        ("unpaint", {"id": 1}),
        ("import", {"content": DEMOS}),
        ("import", {"content": LEVELS}),
    ],
    ids=["expert", "paint", "unpaint", "demonstrations", "levels"],
)
def test_ten_tabs_hear_of_a_change_that_one_of_them_makes(studio, command, request_):
    studio.post("paint", game="nim", id=None, rows=["|.", "||"])
    tabs = [Tab(studio) for _ in range(10)]
    before = studio.post("open", game="nim")["revision"]
    studio.post(command, game="nim", page="one of them", **request_)
    after = studio.post("open", game="nim")["revision"]
    assert after > before
    check_heard(tabs, {"nim": after})
