"""The provenance of a policy: everything is written, everything is checked when it is read, nothing is dropped."""

import json
from contextlib import suppress
from dataclasses import replace

import pytest
from hypothesis import given

from shown import policy as module
from shown.errors import BadInput
from shown.policy import Policy, uniform_policy
from shown.provenance import NO_PROVENANCE, ConstraintsRecord, DemonstrationsRecord, Provenance, SuccessRate
from shown.symmetry import Transformation
from strategies import TOKENS, json_values

WHOLE = Provenance(
    version="0.1.0",
    demonstrations=DemonstrationsRecord("ab", 2, 7, 6, ("train:0", None)),
    programs=300,
    distinct=0,
    vocabulary="paper",
    settings={"programs": "auto", "noise": 0.5, "drop_literals": False},
    interpretation={"same": "open", "order": "any"},
    symmetries=(Transformation("left-right"),),
    keys=("left",),
    lenient=True,
    constraints=ConstraintsRecord(("a and not b",), ("c",)),
    practice=SuccessRate(3, 4),
    expectation=SuccessRate(59, 100, "positions"),
    alone=SuccessRate(50, 100, "positions"),
    saved_by="studio",
)


@pytest.mark.parametrize("provenance", [NO_PROVENANCE, WHOLE, Provenance(programs=3)])
def test_what_is_written_is_read_back(provenance):
    again = Provenance.from_json(json.loads(json.dumps(provenance.to_json())))
    assert again == provenance
    assert hash(again) == hash(provenance)
    assert again.to_json() == provenance.to_json()


def test_only_what_applies_is_written():
    assert NO_PROVENANCE.to_json() == {}
    assert set(WHOLE.to_json()) == set(Provenance.__dataclass_fields__)


@pytest.mark.parametrize(
    ("wrong", "complaint"),
    [
        ([], "provenance must be an object"),
        ({"origin": 3}, "provenance has an unknown field 'origin'"),
        ({"programs": True}, 'provenance: "programs" must be a whole number'),
        ({"programs": -1}, 'provenance: "programs" must be a whole number'),
        ({"version": 3}, 'provenance: "version" must be text on one line'),
        ({"vocabulary": "a\x1b[2J"}, 'provenance: "vocabulary" must be text on one line'),
        ({"lenient": 1}, 'provenance: "lenient" must be true or false'),
        ({"settings": {"seed": []}}, 'provenance: "settings": "seed" must be a number, a text'),
        ({"interpretation": {"same": 3}}, 'provenance: "interpretation": "same" must be text'),
        ({"symmetries": [3]}, 'provenance: "symmetries": must be an object such as'),
        ({"keys": "left"}, 'provenance: "keys" must be a list of at most 1,000'),
        ({"demonstrations": {"digest": "a", "count": 1}}, 'provenance: "demonstrations" must have a field "steps"'),
        ({"practice": {"won": 5, "of": 4}}, 'provenance: "practice": count levels or positions'),
        ({"expectation": {"won": 1, "of": 4, "what": "x"}}, 'provenance: "expectation": count levels or positions'),
    ],
)
def test_every_field_is_checked(wrong, complaint):
    with pytest.raises(BadInput) as caught:
        Provenance.from_json(wrong)
    assert str(caught.value).startswith(complaint)


@given(json_values)
def test_any_json_is_read_or_refused(value):
    with suppress(BadInput):
        assert Provenance.from_json(value).to_json().items() <= value.items()


def test_a_policy_of_an_earlier_version_is_refused_with_advice():
    old = {**uniform_policy(TOKENS).to_json(), "schema": module.OLD_SCHEMAS[0], "origin": {}}
    with pytest.raises(BadInput, match="saved by an earlier version of shown"):
        Policy.from_json(old)


def test_policies_can_be_hashed():
    policy = replace(uniform_policy(TOKENS), provenance=WHOLE)
    assert {policy: 1}[Policy.from_json(policy.to_json())] == 1
