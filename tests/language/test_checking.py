"""check_primitive finds and names the mistakes that authors make."""

from dataclasses import replace

import numpy as np
import pytest

from shown import check_primitive
from shown.engine.planes import shift
from shown.errors import BadInput
from shown.grid import Tokens
from shown.language.primitives import LANGUAGE, Primitive
from shown.language.reference import NOWHERE
from shown.language.standard import STANDARD
from shown.language.terms import Kind


@pytest.mark.parametrize("name", STANDARD)
def test_every_word_of_the_library_passes(name):
    check_primitive(STANDARD[name], trials=3)


def beside(view, cell, condition):
    """Whether the condition holds left or right."""
    return cell is not NOWHERE and any(condition(view, (cell[0], cell[1] + way)) for way in (-1, 1))


def beside_planes(world, condition):
    return (shift(world, (0, -1), condition) | shift(world, (0, 1), condition)) & world.somewhere


def beside_many(world, store, conditions):
    return np.stack([beside_planes(world, store[i]) for i in conditions])


BESIDE = Primitive(
    "beside",
    (Kind.CONDITION,),
    Kind.CONDITION,
    beside,
    "beside {cell} is {0:noun}",
    "beside {cell} is no {0:bare}",
    kernel=beside_planes,
    many=beside_many,
    reach=1,
)
FIRST_IS = Primitive(
    "first_is",
    (Kind.VALUE,),
    Kind.PROGRAM,
    lambda view, value: view.value((0, 0)) == value,
    "the first cell is {0}",
    "the first cell is not {0}",
)


def test_what_is_right_passes():
    check_primitive(BESIDE)
    check_primitive(FIRST_IS)
    check_primitive(replace(BESIDE, many=None))
    check_primitive(replace(BESIDE, kernel=None))


def one_way_only(world, condition):
    return shift(world, (0, -1), condition) & world.somewhere


@pytest.mark.parametrize(
    ("wrong", "reason"),
    [
        (
            replace(BESIDE, kernel=one_way_only),
            r"^primitive beside: its kernel and its meaning differ\. For beside\(\S+ ?\S*\) at row -?\d, column -?\d "
            r"of the grid '.*', the meaning is (yes, the kernel no|no, the kernel yes)\.$",
        ),
        (
            replace(BESIDE, many=lambda world, store, conditions: store[conditions]),
            "its compiled twin and its meaning differ",
        ),
        (
            replace(
                BESIDE, kernel=lambda world, plane: ~(~shift(world, (0, -1), plane) & ~shift(world, (0, 1), plane))
            ),
            "where attention is nowhere, the meaning is no, the kernel yes",
        ),
        (replace(BESIDE, reach=0), r"looks further off the grid than its reach allows\. .* Declare a greater reach"),
        (
            replace(BESIDE, kernel=lambda world, plane: plane[0]),
            r"its kernel returns uint64 \[\d+, \d+\] instead of uint64 \[\d+, \d+, \d+\]",
        ),
        (replace(BESIDE, kernel=lambda world, plane: plane > 0), "its kernel returns bool"),
        (replace(BESIDE, kernel=lambda world, plane: plane[99]), r"its kernel fails on beside\(.*\): IndexError"),
        (replace(BESIDE, meaning=lambda view, cell, condition: None), "returns None for beside"),
        (
            replace(BESIDE, meaning=lambda view, cell, condition: condition(view, (cell[0], cell[1]))),
            "its meaning, where attention is nowhere or far off the grid, fails on beside.*TypeError",
        ),
        (
            replace(BESIDE, meaning=lambda view, cell, condition: condition(view, view.action)),
            "reads the action. A condition must not",
        ),
        (
            replace(BESIDE, meaning=lambda view, cell, condition: view.grid.height > 2, kernel=None, many=None),
            "looks at the grid although attention is nowhere",
        ),
        (replace(BESIDE, negation="beside {cell} is no {1}"), "its phrase fails on beside.*IndexError"),
        (
            replace(FIRST_IS, kernel=lambda world, value: np.bitwise_or.reduce(world.of_value(value), axis=(0, 1))),
            r"its kernel and its meaning differ\. For first_is\(\w+\) for row 0, column 0 on the grid",
        ),
    ],
)
def test_what_is_wrong_is_named(wrong, reason):
    with pytest.raises(BadInput, match=reason):
        check_primitive(wrong)


def test_a_program_about_buttons_is_asked_about_them():
    press = LANGUAGE["action_is"]
    with pytest.raises(BadInput, match=r"for fire on the grid .* the meaning is (yes|no), the kernel"):
        check_primitive(replace(press, kernel=lambda world, button: ~world.of_button(button)), buttons=("fire",))


def test_a_primitive_may_be_for_one_game_only():
    def shows_a_knight(view, cell):
        return view.value(cell) == "knight"

    knight = Primitive(
        "knight", (), Kind.CONDITION, shows_a_knight, "a knight", "none", kernel=lambda world: world.of_value("knight")
    )
    check_primitive(knight, Tokens(empty=".", knight="N"))


# --- replacing -------------------------------------------------------------------------------------------------------


def test_a_word_is_not_replaced_in_silence():
    with pytest.raises(BadInput, match=r"already has a primitive shifted\. .* replacing=True"):
        LANGUAGE.extended(replace(BESIDE, name="shifted"))
    with pytest.raises(BadInput, match="two primitives called beside"):
        LANGUAGE.extended(BESIDE, BESIDE)


def test_a_word_can_be_replaced_and_keeps_its_place():
    other = replace(LANGUAGE["shifted"], phrase="{1}, over there")
    assert list(LANGUAGE.extended(other, replacing=True)) == list(LANGUAGE)
    assert LANGUAGE.extended(other, replacing=True)["shifted"] is other
