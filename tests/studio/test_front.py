"""The best rule of each length: listed under the rule, and taken by a click, over HTTP and in a real browser."""

from __future__ import annotations

import json
import re
from dataclasses import replace
from typing import Any

import pytest
from playwright.sync_api import expect

from serving import Refused, Server
from shown.components import RatedRule
from shown.policy import Policy
from shown.provenance import SuccessRate
from shown.rules import Formula
from shown.studio.policy_summary import summary

WON_ALONE = SuccessRate(40, 100)


def lesson_with_a_front(studio: Server) -> tuple[dict[str, Any], Policy]:
    """Learn Nim, and return the lesson with a shorter rule in the policy's front."""
    for _ in range(2):
        studio.post("expert", game="nim")
    studio.learned("nim")
    lesson = json.loads(studio.get("/export/lesson.json?game=nim"))
    learned = Policy.from_json(lesson["policy"])
    acting = learned.components[0].formula
    shorter = RatedRule(Formula((acting.clauses[0][:1],)), 1, WON_ALONE)
    policy = replace(learned, front=(shorter, RatedRule(acting, 2, SuccessRate(100, 100))))
    studio.reset()
    return {**lesson, "policy": policy.to_json()}, policy


def opened(studio: Server, lesson: dict[str, Any]) -> dict[str, Any]:
    studio.post("import", game="nim", content=lesson)
    studio.post("run", game="nim", level="train:0", seed=0)  # the player reads the policy, and says what is in it
    return studio.post("open", game="nim")["learned"]


def saved(studio: Server) -> Policy:
    return Policy.from_json(json.loads((studio.folder / "nim" / "policy.json").read_text()))


@pytest.mark.slow
def test_another_rule_is_taken_and_saved_like_a_learned_one(make_server):
    server = make_server()
    lesson, policy = lesson_with_a_front(server)
    learned = opened(server, lesson)
    rules = [{"conditions": 1, "won": 5, "of": 12}, {"conditions": 2, "won": 12, "of": 12}]
    assert learned["summary"]["front"] == [{**rules[0], "chosen": False}, {**rules[1], "chosen": True}]
    assert (learned["summary"]["votes"], learned["summary"]["voting"]) == (len(policy.vote), False)

    taken = server.post("take-rule", game="nim", conditions=1, version=learned["version"])["learned"]
    assert [rule["chosen"] for rule in taken["summary"]["front"]] == [True, False]
    assert (taken["state"], taken["summary"]["expected"]["won"]) == ("done", 5)
    assert taken["version"] > learned["version"]
    assert taken["summary"]["votes"] == len(policy.vote)
    assert saved(server).components == policy.with_rule(1).components
    assert saved(server).provenance.expectation == WON_ALONE
    assert Policy.from_json(json.loads(server.get("/export/policy.json?game=nim"))) == policy.with_rule(1)

    late = server.post("take-rule", game="nim", conditions=2, version=learned["version"])
    assert "the rule has changed" in late["forgotten"].lower()
    assert saved(server).components == policy.with_rule(1).components
    for wrong in (7, -1, "2", None):
        with pytest.raises(Refused, match="400"):
            server.post("take-rule", game="nim", conditions=wrong, version=taken["version"])
    server.kill()
    server.start()
    server.post("run", game="nim", level="train:0", seed=0)
    assert server.post("open", game="nim")["learned"]["summary"]["front"] == taken["summary"]["front"]


def test_a_rule_that_breaks_an_edit_is_never_taken(studio):
    lesson, policy = lesson_with_a_front(studio)
    (literal,) = policy.front[0].formula.literals
    strike = {"kind": "strike", "programs": [str(literal.term)], "words": ["x"]}
    learned = opened(studio, {**lesson, "remarks": [strike]})
    with pytest.raises(Refused, match="breaks your edits of the rule"):
        studio.post("take-rule", game="nim", conditions=1, version=learned["version"])
    assert studio.post("open", game="nim")["learned"]["version"] == learned["version"]


def test_a_vote_says_what_it_gains(studio):
    _, policy = lesson_with_a_front(studio)
    alone = policy.with_rule(1)
    provenance = replace(policy.provenance, alone=WON_ALONE)
    components = (replace(alone.components[0], weight=0.0), *policy.vote)
    voting = replace(alone, components=components, vote=(), provenance=provenance)
    found = summary(voting)
    assert (found["votes"], found["voting"], found["alone"]) == (len(policy.vote), True, 5)
    assert summary(voting.with_rule(1))["votes"] == len(policy.vote)
    assert summary(replace(policy, front=policy.front[1:]))["front"] == []


def test_a_click_takes_another_rule_on_every_page(studio, visit):
    lesson, _ = lesson_with_a_front(studio)
    opened(studio, lesson)
    visitor = visit(studio, viewport={"width": 390, "height": 844}, reduced_motion="reduce")
    visitor.at("#tour-close").click()
    visitor.choose("nim")
    expect(visitor.at("#front")).to_be_hidden()
    visitor.open_details()
    other = visitor.tab()
    expect(other.locator("#front")).to_be_visible()  # open details are remembered
    rules = visitor.page.get_by_role("list", name="Rules of other lengths").get_by_role("button")
    expect(rules).to_have_text(["1 condition: wins about 5 of 12", "2 conditions: wins about 12 of 12"])
    expect(rules.nth(1)).to_have_attribute("aria-pressed", "true")
    rules.first.focus()
    visitor.page.keyboard.press("Enter")
    expect(rules.first).to_have_attribute("aria-pressed", "true")
    expect(rules.first).to_be_focused()
    for page in (visitor.page, other):
        expect(page.locator("#front [aria-pressed=true]")).to_have_text("1 condition: wins about 5 of 12")
        expect(page.locator("#rule .phrase")).to_have_count(1)
        expect(page.locator("#expected")).to_have_text(re.compile(r"Expected to win \d to \d of 12 new levels\."))
    assert visitor.page.evaluate("document.documentElement.scrollWidth") <= 390
