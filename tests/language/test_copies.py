"""Languages, grammars and shapes can be copied and pickled."""

import copy
import pickle
import subprocess
import sys
from fractions import Fraction

import pytest

from shown.grid import Tokens
from shown.language.grammar import Leaves, Rule, geometric, paper_grammar, paper_offsets, uniform
from shown.language.primitives import LANGUAGE, Language, Primitive
from shown.language.standard import STANDARD
from shown.language.terms import Kind, parse
from shown.language.walking import WALKING

TWO = Tokens(empty=".", stick="|")
GRAMMAR = paper_grammar(TWO)
WIDER = GRAMMAR.extended(Rule("C", "scanning", ("O", "C", "C"), 0.2))
BLOCKS = list(GRAMMAR.blocks(500))


def sent(value):
    return pickle.loads(pickle.dumps(value))


@pytest.mark.parametrize("carry", [sent, copy.deepcopy, copy.copy], ids=["pickle", "deepcopy", "copy"])
@pytest.mark.parametrize(
    "value",
    [
        *LANGUAGE.values(),
        LANGUAGE,
        LANGUAGE["scanning"],
        uniform(Kind.VALUE, TWO.values),
        geometric(),
        geometric(stay=Fraction(1, 3)),
        paper_offsets(),
        GRAMMAR,
        WIDER,
        paper_grammar(TWO, ("left", "right")),
        BLOCKS[-1],
        BLOCKS[-1].shape,
        parse("at_action_cell(shifted((0, 1), cell_is_value(empty)))", LANGUAGE, TWO.values),
        Rule("B", "cell_is_value", ("V",), 0.3),
    ],
    ids=lambda value: type(value).__name__,
)
def test_a_copy_is_equal(value, carry):
    again = carry(value)
    assert again == value
    assert type(again) is type(value)


@pytest.mark.parametrize("carry", [sent, copy.deepcopy], ids=["pickle", "deepcopy"])
@pytest.mark.parametrize("grammar", [GRAMMAR, WIDER, paper_grammar(TWO, ("left", "right"))])
def test_a_copied_grammar_derives_the_same(grammar, carry):
    again = carry(grammar)
    assert list(again.blocks(2000)) == list(grammar.blocks(2000))
    # Also after it has been used.
    assert list(carry(again).blocks(100)) == list(grammar.blocks(100))


def test_equal_leaves_are_equal_and_others_are_not():
    assert paper_offsets() == paper_offsets()
    assert geometric() == geometric() != geometric(stay=Fraction(1, 3))
    assert uniform(Kind.VALUE, ("a",)) == uniform(Kind.VALUE, ("a",)) != uniform(Kind.VALUE, ("b",))
    assert paper_grammar(TWO) == paper_grammar(TWO) != paper_grammar(Tokens(empty="."))
    assert LANGUAGE.called("mine") == LANGUAGE != Language([LANGUAGE["shifted"]], grammar=paper_grammar)
    assert hash(LANGUAGE.called("mine")) == hash(LANGUAGE)


def test_languages_with_equal_words_and_other_grammars_differ():
    assert dict(STANDARD) == dict(WALKING)
    assert STANDARD != WALKING
    assert len({STANDARD: 0, WALKING: 1}) == 2


def test_a_shape_is_found_again_in_another_process(tmp_path):
    """There the same text has another hash, so nothing that was computed from one may travel."""
    shapes = {block.shape: block.start for block in BLOCKS}
    (tmp_path / "shapes.pickle").write_bytes(pickle.dumps((shapes, GRAMMAR)))
    script = (
        "import pickle, sys\n"
        "shapes, grammar = pickle.load(open(sys.argv[1], 'rb'))\n"
        "print([shapes[block.shape] for block in grammar.blocks(500)])\n"
    )
    for seed in ("1", "2"):
        done = subprocess.run(
            [sys.executable, "-c", script, str(tmp_path / "shapes.pickle")],
            env={"PYTHONHASHSEED": seed, "PYTHONPATH": ":".join(sys.path)},
            capture_output=True,
            text=True,
            check=False,
        )
        assert done.stdout == f"{[block.start for block in BLOCKS]}\n", done.stderr


def test_functions_without_a_name_are_for_python_to_refuse():
    mine = Primitive("mine", (), Kind.PROGRAM, lambda view: True, "it is so", "it is not so")
    with pytest.raises((pickle.PicklingError, AttributeError)):
        pickle.dumps(LANGUAGE.extended(mine))
    with pytest.raises((pickle.PicklingError, AttributeError)):
        pickle.dumps(Leaves(Kind.VALUE, lambda: iter([])))
