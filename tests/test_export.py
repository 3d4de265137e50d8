"""The standalone module: no dependency, the same policy."""

import ast
import importlib.util
import json
import subprocess
import sys

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from shown.errors import BadInput
from shown.grid import Tokens, grid
from shown.inference.learner import Learner
from shown.language.languages import LANGUAGES
from shown.language.languages import find as find_language
from shown.language.primitives import LANGUAGE, Language, Primitive
from shown.language.primitives.ways import WAYS
from shown.language.terms import Kind, Term
from shown.policy import Component, Formula, Literal, Policy
from shown.worlds import demonstrate, find, load_levels
from strategies import BUTTONS, TOKENS, any_term, examples, grids, nested_scans, policies, random_grids, tokens

OWN_WORDS = {name: word for language in LANGUAGES for name, word in find_language(language).items()}
OWN_WORDS |= {word.name: word for word in WAYS}
FEW_WORDS = ("action_is", "at_action_cell", "at_cell_with_value", "cell_is_value")
DIGITS = Tokens(empty=".", wall="#", one="1", two="2")
WALL = Literal(Term("at_action_cell", (Term("cell_is_value", ("wall",)),)))


def module_of(policy):
    """The exported module, run."""
    names = {"__name__": "exported"}
    exec(compile(policy.to_python(), "exported.py", "exec"), names)
    return names


def same(policy, boards):
    """Not nearly the same: the same to the last bit, so that no tie is broken differently."""
    module = module_of(policy)
    for board in boards:
        rows = list(board.rows)
        assert module["act"](rows) == policy.act(board)
        assert list(module["probabilities"](rows).values()) == policy.probabilities(board).ravel().tolist()


@pytest.mark.parametrize("buttons", [(), BUTTONS])
@given(data=st.data())
@settings(max_examples=examples(60))
def test_any_policy_acts_identically(buttons, data):
    policy = data.draw(policies(buttons=buttons))
    same(policy, data.draw(st.lists(grids(), min_size=1, max_size=3)))


@given(st.data())
@settings(max_examples=examples(60))
def test_any_characters(data):
    world = data.draw(tokens())
    policy = data.draw(policies(of=world, most=2))
    same(policy, [data.draw(grids(world))])


@pytest.mark.parametrize("buttons", [(), BUTTONS])
@pytest.mark.parametrize("word", OWN_WORDS)
@given(data=st.data())
@settings(max_examples=examples(16))
def test_every_word_of_this_package_acts_identically(word, buttons, data):
    """Its meaning is copied, so what can go wrong is what it needs beside itself: helpers, constants, the view."""
    if OWN_WORDS[word].needs == ("click" if buttons else "button"):
        return
    language = Language(OWN_WORDS[name] for name in dict.fromkeys((*FEW_WORDS, word)))
    terms = any_term(language, DIGITS, buttons).filter(lambda term: word in {part.primitive for part in term.walk()})
    clauses = tuple((Literal(data.draw(terms), data.draw(st.booleans())),) for _ in range(3))
    policy = Policy(DIGITS, (Component(1.0, 0.0, 0.0, Formula(clauses)),), None, buttons, language=language)
    same(policy, random_grids(7, 12, DIGITS))
    ast.parse(policy.to_python(), feature_version=(3, 6))


def test_words_of_others_are_refused_by_name():
    mine = Primitive("mine", (), Kind.PROGRAM, len, "it is mine", "it is not mine")
    formula = Formula(((WALL, Literal(Term("mine", ()))),))
    policy = Policy(TOKENS, (Component(1.0, 0.0, 0.0, formula),), language=LANGUAGE.extended(mine))
    with pytest.raises(BadInput, match=r"^mine is a custom primitive, which cannot be exported\. Save"):
        policy.to_python()


@pytest.mark.parametrize("name", ["nim", "chase", "fence-in"])
def test_a_learned_policy_acts_identically(name):
    game = find(name)
    levels = load_levels(game, "train:0-2")
    policy = Learner(programs=3000).fit(demonstrate(game, levels)).policy_
    same(policy, [level.grid for level in load_levels(game, "test:0-2")] + random_grids(1, 20, game.tokens, 6))


def test_the_file_runs_alone(tmp_path):
    """In a fresh interpreter, outside the package's reach and with nothing installed."""
    game = find("nim")
    policy = Learner(programs=1000).fit(demonstrate(game, load_levels(game, "train:0-4"))).policy_
    (tmp_path / "nim_policy.py").write_text(policy.to_python(), "utf-8")
    boards = [level.grid for level in load_levels(game, "test")]
    script = (
        "import json, sys, nim_policy\n"
        "boards = json.load(sys.stdin)\n"
        "assert 'numpy' not in sys.modules and 'shown' not in sys.modules\n"
        "print(json.dumps([nim_policy.act(rows) for rows in boards]))\n"
    )
    result = subprocess.run(
        [sys.executable, "-I", "-S", "-c", f"import sys; sys.path.insert(0, {str(tmp_path)!r})\n{script}"],
        input=json.dumps([board.rows for board in boards]),
        capture_output=True,
        text=True,
        check=True,
    )
    assert [tuple(action) for action in json.loads(result.stdout)] == [policy.act(board) for board in boards]


def test_the_file_can_be_imported_and_read(tmp_path):
    policy = Policy(TOKENS, (Component(1.0, 0.0, 0.0, Formula(((WALL,),))),), "mine")
    path = tmp_path / "mine.py"
    path.write_text(policy.to_python(), "utf-8")
    spec = importlib.util.spec_from_file_location("mine", path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    assert module.__doc__.startswith("A policy for mine.\n")
    assert "    # the clicked cell is a wall\n" in path.read_text("utf-8")
    assert module.act([".#"]) == (0, 1)
    imported = [node for node in ast.walk(ast.parse(path.read_text("utf-8"))) if isinstance(node, ast.Import)]
    assert imported == []


@pytest.mark.parametrize(
    "name",
    [
        '"""\nraise SystemExit(3)\n"""',
        '"',
        '""',
        '"""',
        '""""',
        "\\",
        '\\"""',
        "{x}",
        "%s",
        "\x00",
        "\r",
        "'''",
        "\\N{x}",
    ],
)
def test_nothing_breaks_out_of_the_docstring(name):
    policy = Policy(TOKENS, (Component(1.0, 0.0, 0.0, Formula(((WALL,),))),), name)
    names = module_of(policy)
    assert names["act"]([".#"]) == (0, 1)
    tree = ast.parse(policy.to_python())
    assert {type(node) for node in tree.body} == {ast.Expr, ast.Assign, ast.FunctionDef, ast.ClassDef}
    assert sum(isinstance(node, ast.Expr) for node in tree.body) == 1


def test_characters_that_need_care():
    world = Tokens(empty=".", wall="😀", quote='"', tick="'", slash="\\", brace="{")
    wall = Literal(Term("at_action_cell", (Term("cell_is_value", ("wall",)),)))
    policy = Policy(world, (Component(1.0, 0.0, 0.0, Formula(((wall,),))),))
    same(policy, [grid(".😀", "\"'", "\\{")])


def test_scans_inside_scans_ask_each_cell_once():
    program, board = nested_scans(14), grid(*[".#..A.#."] * 8)
    policy = Policy(TOKENS, (Component(1.0, 0.0, 0.0, Formula(((Literal(program, positive=False), WALL),))),))
    module = module_of(policy)
    asked = []

    class Counted(module["View"]):
        def value(self, cell):
            asked.append(cell)
            return super().value(cell)

    module["View"] = Counted
    assert module["act"](list(board.rows)) == policy.act(board) == (0, 1)
    assert len(asked) <= 3 * 14 * (board.height + 2) * (board.width + 2) * (board.width + 1)
    same(policy, [board])


def test_a_word_that_only_the_canonical_form_has_is_exported():
    """A scan that only walls could end is, where nothing else is on the board, a look at one cell."""
    wall = Term("cell_is_value", ("wall",))
    scan = Literal(Term("at_action_cell", (Term("scanning", ((-10, -13), wall, wall)),)), positive=False)
    policy = Policy(Tokens(wall="0"), (Component(1.0, 0.0, 0.0, Formula(((scan,),))),))
    assert "shifted" in policy.to_python()
    same(policy, [grid("0", "0"), grid("000", "000")])
