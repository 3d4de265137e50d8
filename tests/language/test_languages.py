"""Languages by name and by place, and imports that must not happen."""

import pickle
import sys
import tomllib

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from guides import ROOT, blocks
from shown import LANGUAGE, Language, Learner, Policy, teach
from shown.errors import BadInput
from shown.explain import explain
from shown.grid import Tokens
from shown.language.examples import example
from shown.language.languages import ENTRY_POINTS, LANGUAGES, all_languages, find, grammar_for, installed, named_in_file
from shown.language.phrases import say
from shown.language.terms import Kind, parse
from shown.worlds import demonstrate, find_game
from strategies import BUTTONS, agree, any_term, examples, grids
from strategies import TOKENS as PEOPLED

TOKENS = Tokens(empty=".", wall="#")


@pytest.fixture
def declared(elsewhere):
    """An installed package that declares languages."""
    return lambda *lines: elsewhere("[shown.languages]", *lines)


@pytest.fixture(scope="module")
def demos():
    return demonstrate(find_game("nim"), "train:0-1")


# --- found by name ----------------------------------------------------------------------------------------------------


WALKED = Tokens(empty=".", agent="A")


@pytest.mark.parametrize("name", LANGUAGES)
def test_the_languages_of_this_package_know_their_names_and_give_grammars(name):
    language = find(name)
    assert language.name == name
    for buttons in ((), ("left", "right")) if name != "walking" else (("left", "right"),):
        grammar = language.grammar(WALKED, buttons)
        assert grammar.language is language
        assert len(list(grammar.programs(50))) == 50
        grammar.check_actions(buttons)


@pytest.mark.parametrize("name", LANGUAGES)
def test_they_travel_with_their_names_and_grammars(name):
    again = pickle.loads(pickle.dumps(find(name)))
    assert (again, again.name) == (find(name), name)
    assert again.grammar(WALKED, ("left",)) == find(name).grammar(WALKED, ("left",))


def test_the_paper_is_the_default():
    assert find("paper") is LANGUAGE
    grammar, name = grammar_for(TOKENS, ())
    assert (grammar.language, name) == (LANGUAGE, "paper")


def test_other_packages_declare_languages(declared):
    declared("counting = counting_words:COUNTING", "tally = counting_words:TALLY", "paper = counting_words:TALLY")
    assert list(all_languages()) == [*LANGUAGES, "counting", "tally"]
    assert [language.name for language in installed()[0]] == [*LANGUAGES, "counting", "tally"]
    assert find("counting").name == "counting", "one without a name is called what it is declared as"
    assert find("paper") is LANGUAGE, "the languages of this package cannot be replaced"
    with pytest.raises(BadInput, match=r"no language called 'taly'\. Did you mean 'tally'\?"):
        find("taly")


@pytest.mark.parametrize(
    ("line", "complaint"),
    [
        ("lost = nowhere:LOST", r"cannot be loaded \(ModuleNotFoundError: No module named 'nowhere'\)\."),
        ("lost = broken:LOST", r"cannot be loaded \(RuntimeError: two lines, at \S*broken\.py:1\)\."),
        ("lost = counting_words:ROW_HAS", r"is not a shown.Language\."),
        ("lost = counting_words:TALLY", r"calls itself 'tally'\. Both names must be the same"),
    ],
)
def test_a_declaration_that_does_not_hold_is_one_line(declared, line, complaint):
    declared("counting = counting_words:COUNTING", line)
    with pytest.raises(BadInput, match=rf"^language 'lost', declared by elsewhere as '[\w:]+', {complaint}"):
        find("lost")
    found, reasons = installed()
    assert [language.name for language in found] == [*LANGUAGES, "counting"], "the others are not harmed"
    assert len(reasons) == 1
    assert "\n" not in reasons[0]


def test_by_its_place(declared):
    declared()
    language = find("counting_words:COUNTING")
    assert language.name == "counting_words:COUNTING", "it is called what it was found by"
    assert find("counting_words:TALLY").name == "counting_words:TALLY"
    assert language.grammar(TOKENS).language is language


@pytest.mark.parametrize(
    ("place", "complaint"),
    [
        (
            "nowhere:X",
            r"module 'nowhere' cannot be imported \(ModuleNotFoundError: No module named 'nowhere'\)\. It must",
        ),
        ("broken:X", r"module 'broken' cannot be imported \(RuntimeError: two lines, at \S*broken\.py:1\)\."),
        ("counting_words:COUNTNG", r"module 'counting_words' has no 'COUNTNG'\. Did you mean 'COUNTING'\?"),
        ("os:X", r"module 'os' has no 'X'\. There is no language in os\."),
        ("os:path", "is a module, not a shown.Language"),
        ("counting_words:ROW_HAS", "is a Primitive, not a shown.Language"),
    ],
)
def test_a_place_where_there_is_none(declared, place, complaint):
    declared()
    with pytest.raises(BadInput, match=rf"^language '{place}': {complaint}") as caught:
        find(place)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize("name", ["../up", "Mine", "a b", "", "a:", ":b", "a:b:c", "a-:b"])
def test_names_can_stand_in_commands_and_files(name):
    with pytest.raises(BadInput, match="needs a name of lower-case letters, digits and hyphens"):
        Language(LANGUAGE.values(), name)
    with pytest.raises(BadInput, match="no language called"):
        find(name)


# --- grammars ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("name", "complaint"),
    [
        ("SILENT", r"language 'counting_words:SILENT' has no grammar to learn with\. Create it with"),
        (
            "BROKEN",
            r"language 'counting_words:BROKEN': its grammar cannot be created \(AttributeError: .*nothing_of_the_",
        ),
        ("FOREIGN", r"language 'counting_words:FOREIGN': rule B → row_has: the language has no primitive 'row_has'\."),
    ],
)
def test_a_language_without_a_sound_grammar(declared, demos, name, complaint):
    declared()
    with pytest.raises(BadInput, match=f"^{complaint}"):
        Learner(language=f"counting_words:{name}").fit(demos)


def test_a_language_or_a_grammar_but_not_both(demos):
    with pytest.raises(BadInput, match="give either a language or a grammar"):
        Learner(language="paper", grammar=LANGUAGE.grammar(demos.tokens)).fit(demos)
    with pytest.raises(BadInput, match=r"language=5: must be a Language or a name such as 'paper'\."):
        Learner(language=5).fit(demos)


def test_what_was_learned_says_in_which_language(declared, demos, tmp_path):
    declared("tally = counting_words:TALLY")
    for language, name in (("tally", "tally"), (find("tally"), "tally"), ("counting_words:COUNTING",) * 2):
        for policy in (
            Learner(programs=300, language=language).fit(demos).policy_,
            teach(demos, programs=300, practice=0, language=language).policy,
        ):
            assert policy.language == find("tally")
            assert policy.language.name == policy.to_json()["language"] == policy.provenance.vocabulary == name
    assert Learner(programs=300, language="paper").fit(demos).policy_.to_json() == (
        Learner(programs=300).fit(demos).policy_.to_json()
    )


def test_a_nameless_language_is_told_by_its_rules(declared, demos):
    declared()
    language = sys.modules.get("counting_words") or __import__("counting_words")
    names = [
        Learner(programs=200, language=language.COUNTING).fit(demos).policy_.provenance.vocabulary,
        teach(demos, programs=200, practice=0, language=language.COUNTING).policy.provenance.vocabulary,
        Learner(programs=200, grammar=language.COUNTING.grammar(demos.tokens)).fit(demos).policy_.provenance.vocabulary,
    ]
    assert len(set(names)) == 1
    assert len(names[0]) == 64


# --- files ------------------------------------------------------------------------------------------------------------


def test_an_installed_language_is_found_by_the_name_in_the_file(declared, demos, tmp_path):
    declared("tally = counting_words:TALLY")
    policy = Learner(programs=500, language="tally").fit(demos).policy_
    policy.save(tmp_path / "policy.json")
    again = Policy.load(tmp_path / "policy.json")
    assert again == policy
    assert again.language.name == "tally"
    board = demos.steps[0].grid
    assert explain(again, board, again.act(board)).text


def test_reading_a_file_imports_nothing_that_was_not_installed_or_named(declared, demos, tmp_path, monkeypatch):
    """The module is there for the taking; the file asks for it; only its reader may say so."""
    declared("tally = counting_words:TALLY")
    policy = Learner(programs=300).fit(demos).policy_
    marker = tmp_path / "marker"
    (tmp_path / "trap_words.py").write_text(
        f"open({str(marker)!r}, 'w').close()\nfrom counting_words import COUNTING\n"
    )
    monkeypatch.syspath_prepend(tmp_path)
    for name in ("trap_words:COUNTING", "trap_words", "trap-words", "trap_words:COUNTING.x", "../trap_words:COUNTING"):
        value = policy.to_json() | {"language": name}
        with pytest.raises(BadInput, match=r"^file: "):
            Policy.from_json(value, "file")
    assert not marker.exists()
    assert "trap_words" not in sys.modules
    with pytest.raises(BadInput) as caught:
        Policy.from_json(policy.to_json() | {"language": "trap_words:COUNTING"}, "file")
    assert "--language trap_words:COUNTING, or in Python Policy.load(…, language='trap_words:COUNTING')" in str(
        caught.value
    )
    named = Policy.from_json(policy.to_json() | {"language": "trap_words:COUNTING"}, "file", "trap_words:COUNTING")
    assert marker.exists()
    assert named.language.name == "trap_words:COUNTING"
    sys.modules.pop("trap_words")


def test_a_file_in_no_language_that_is_installed(declared, demos):
    declared("tally = counting_words:TALLY")
    value = Learner(programs=300, language="tally").fit(demos).policy_.to_json()
    for name in all_languages():
        assert named_in_file(name, "file").name == name
    with pytest.raises(BadInput, match=r"^file: no language called 'taly' is installed\. Did you mean 'tally'\? If it"):
        Policy.from_json(value | {"language": "taly"}, "file")
    assert Policy.from_json(value | {"language": "taly"}, "file", "tally").language.name == "tally"


def test_a_broken_language_is_the_files_complaint(declared):
    declared("lost = broken:LOST")
    with pytest.raises(BadInput, match=r"^file: language 'lost', declared by elsewhere as 'broken:LOST', cannot be"):
        named_in_file("lost", "file")


def test_the_guide_declares_what_is_read():
    (block,) = blocks(ROOT / "docs" / "guides" / "vocabularies.md", "toml")
    assert tomllib.loads(block.code)["project"]["entry-points"] == {
        ENTRY_POINTS: {"shipping": "shipping_words:SHIPPING"}
    }


# --- words ------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", LANGUAGES)
def test_every_word_has_an_example_that_can_be_said(name):
    language = find(name)
    for word, primitive in language.items():
        term = example(word, language)
        assert [type(a).__name__ for a in term.arguments] == [
            {Kind.OFFSET: "tuple", Kind.NUMBER: "int", Kind.CONDITION: "Term"}.get(kind, "str")
            for kind in primitive.takes
        ]
        assert say(term, language) != say(term, language, positive=False)


@pytest.mark.parametrize("buttons", [(), BUTTONS])
@pytest.mark.parametrize("name", LANGUAGES)
@given(data=st.data())
@settings(max_examples=examples(100))
def test_any_program_is_read_as_it_is_printed_and_computed_as_it_is_meant(name, buttons, data):
    language = find(name)
    terms = data.draw(st.lists(any_term(language, PEOPLED, buttons), min_size=1, max_size=4))
    for term in terms:
        assert parse(str(term), language, PEOPLED.values, buttons) == term
        assert say(term, language) != say(term, language, positive=False)
    agree(terms, data.draw(st.lists(grids(), min_size=1, max_size=3)), language, PEOPLED, buttons)


def test_a_language_without_conditions_has_no_examples_of_those_that_take_some():
    bare = Language([LANGUAGE["at_action_cell"], LANGUAGE["action_is"]])
    assert example("at_action_cell", bare) is None
    assert str(example("action_is", bare)) == "action_is(left)"
