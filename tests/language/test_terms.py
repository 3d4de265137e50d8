"""Terms: print, parse, measure."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from shown.errors import BadProgram
from shown.language.primitives import LANGUAGE
from shown.language.terms import MAX_DEPTH, MAX_OFFSET, MAX_TEXT, Kind, Term, parse
from strategies import BUTTONS, TOKENS, conditions, programs


def read(text, kind=Kind.PROGRAM, buttons=()):
    return parse(text, LANGUAGE, TOKENS.values, buttons, kind)


@given(programs())
def test_a_program_is_read_back_from_its_text(program):
    assert read(str(program)) == program


@given(conditions(most=12))
def test_a_condition_is_read_back_from_its_text(condition):
    assert read(str(condition), Kind.CONDITION) == condition


@given(programs(buttons=BUTTONS))
def test_programs_about_buttons_too(program):
    assert read(str(program), buttons=BUTTONS) == program


@given(programs(), st.sampled_from(["", " ", "\n  "]))
def test_space_between_the_pieces_does_not_matter(program, space):
    text = str(program)
    for mark in "(),":
        text = text.replace(mark, f"{space}{mark}{space}")
    assert read(f"{space}{text}{space}") == program


def test_size_and_depth_count_method_calls():
    term = read("at_action_cell(shifted((0, 1), scanning((1, 0), cell_is_value(wall), cell_is_value(OFF))))")
    assert (term.size, term.depth) == (5, 4)
    assert [part.primitive for part in term.walk()] == [
        "at_action_cell", "shifted", "scanning", "cell_is_value", "cell_is_value",
    ]  # fmt: skip


@given(programs())
def test_every_part_is_smaller_than_the_whole(program):
    assert program.size == len(list(program.walk()))
    assert all(part.size < program.size and part.depth < program.depth for part in program.parts)


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("", "unexpected end"),
        ("   ", "unexpected end"),
        ("at_action_cell", "unexpected end"),
        ("at_action_cell(", "unexpected end"),
        ("at_action_cell()", r"there is no primitive '\)'"),
        ("at_action_cell(cell_is_value(wall)", "unexpected end"),
        ("at_action_cell(cell_is_value(wall)))", "unexpected text after its end"),
        ("at_action_cell(cell_is_value(wall)) x", "unexpected text after its end"),
        ("at_action_cell(cell_is_value(wal))", r"'wal' is not a value here\. Did you mean 'wall'\?"),
        ("at_action_cell(cell_is_valu(wall))", "Did you mean 'cell_is_value'"),
        ("cell_is_value(wall)", "is a condition, but a program is needed"),
        ("at_action_cell(at_action_cell(cell_is_value(wall)))", "is a program, but a condition is needed"),
        ("at_action_cell(shifted((1, 0), cell_is_value(wall), cell_is_value(wall)))", r"'\)' expected, ',' found"),
        ("at_action_cell(shifted(1, cell_is_value(wall)))", r"'\(' expected, '1' found"),
        ("at_action_cell(shifted((1, x), cell_is_value(wall)))", "an integer expected, 'x' found"),
        ("at_action_cell(shifted((1.5, 0), cell_is_value(wall)))", "unexpected text from '.5, 0"),
        ("at_action_cell(shifted((0, 0), cell_is_value(wall)))", r"the offset \(0, 0\) is not allowed"),
        (f"at_action_cell(shifted((0, {MAX_OFFSET + 1}), cell_is_value(wall)))", "is too large; at most"),
        ("at_action_cell(shifted((0, 99999999999), cell_is_value(wall)))", "the number \\d+ is too large"),
        ("action_is(left)", "'left' is not a button here"),
        ("at_action_cell(cell_is_value(wall)) # and more", "unexpected text from ' # and more'"),
        ("__import__('os')", "unexpected text from"),
        (
            "at_action_cell(" + "shifted((0, 1), " * (MAX_DEPTH + 1) + "cell_is_value(wall)" + ")" * (MAX_DEPTH + 2),
            "deep",
        ),
        ("x" * (MAX_TEXT + 1), "longer than"),
    ],
)
def test_what_does_not_parse_says_why(text, reason):
    with pytest.raises(BadProgram, match=reason):
        read(text)


@given(st.text(st.sampled_from("()[],+-01 at_cion_wellvuOF.#\n\u0663é"), max_size=60))
def test_no_text_breaks_the_parser(text):
    try:
        assert read(str(read(text))) == read(text)
    except BadProgram as error:
        assert "\n" not in str(error)  # noqa: PT017


@given(programs(), st.data())
def test_damaged_programs_are_refused_or_read_as_what_they_say(program, data):
    text = str(program)
    cut = data.draw(st.integers(0, len(text)))
    broken = text[:cut] + data.draw(st.text("(),01 az", max_size=2)) + text[cut + data.draw(st.integers(0, 2)) :]
    try:
        term = read(broken)
    except BadProgram:
        return
    assert read(str(term)) == term


def test_terms_are_values():
    term = Term("cell_is_value", ("wall",))
    assert term == Term("cell_is_value", ("wall",))
    assert hash(term) == hash(Term("cell_is_value", ("wall",)))
    with pytest.raises(AttributeError):
        term.primitive = "shifted"
