"""Layout of rules in English."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from shown.inference.learner import Learner
from shown.language.primitives import LANGUAGE
from shown.language.terms import parse
from shown.rules import Facts, Formula, Literal, Speaker, english
from shown.rules.english import SCREEN, WIDTH
from shown.symmetry import MOTIONS, Transformation
from shown.teaching.teach import teach
from shown.worlds import GAMES, demonstrate, find, load_levels
from strategies import BUTTONS, TOKENS, examples, formulas

SPEAKER = Speaker(LANGUAGE, TOKENS.values)
MIRRORED = Speaker(LANGUAGE, TOKENS.values, facts=Facts(symmetries=(Transformation("left-right"),)))


def clicked(value, *by, positive=True):
    inner = f"cell_is_value({value})"
    text = f"at_action_cell({f'shifted({by}, {inner})' if by else inner})"
    return Literal(parse(text, LANGUAGE, TOKENS.values), positive)


WALL, STAR = clicked("wall"), clicked("star")
LEFT, RIGHT, UP, DOWN = (clicked("star", *by) for by in ((0, -1), (0, 1), (-1, 0), (1, 0)))


def test_what_clauses_share_is_said_once():
    assert SPEAKER.english(Formula(((WALL, LEFT), (STAR,), (WALL, UP, RIGHT)))).splitlines() == [
        "click a cell if",
        "  the clicked cell is a wall, and either",
        "    the cell above the clicked cell is a star",
        "      and the cell right of the clicked cell is a star, or",
        "    the cell left of the clicked cell is a star, or if",
        "  the clicked cell is a star",
    ]


def test_cases_do_not_look_like_what_they_share():
    assert SPEAKER.english(Formula(((WALL, LEFT, UP), (WALL, LEFT, RIGHT)))).splitlines()[1:] == [
        "  the clicked cell is a wall",
        "    and the cell left of the clicked cell is a star, and either",
        "      the cell above the clicked cell is a star, or",
        "      the cell right of the clicked cell is a star",
    ]


def test_mirror_images_are_said_once():
    both = Formula(((WALL, LEFT), (WALL, RIGHT), (WALL, UP)))
    assert MIRRORED.english(both).splitlines()[1:] == [
        "  the clicked cell is a wall, and either",
        "    the cell above the clicked cell is a star, or",
        "    the cell left of the clicked cell is a star",
        "      (or mirrored left to right)",
    ]
    last = MIRRORED.sayings(both)[-1]
    assert list(last.phrases) == ["the clicked cell is a wall", "the cell left of the clicked cell is a star"]
    assert last.images == "or mirrored left to right"


def test_what_is_mirrored_is_not_said_before_the_cases():
    """It would be said of one side, and meant of both."""
    f = Formula(((WALL, LEFT, UP), (WALL, RIGHT, UP), (WALL, LEFT, DOWN), (WALL, RIGHT, DOWN)))
    assert MIRRORED.english(f).splitlines()[1] == "  the clicked cell is a wall, and either"


def test_what_a_cell_is_not_is_said_in_one_breath():
    f = Formula(((clicked("wall", 0, 1, positive=False), clicked("OFF", 0, 1, positive=False)),))
    assert SPEAKER.english(f) == (
        "click a cell if\n  the cell right of the clicked cell is neither off the grid nor a wall"
    )


def test_never_and_always():
    assert SPEAKER.english(Formula(())) == SPEAKER.english(Formula(((WALL, STAR),))) == "never click a cell"
    assert SPEAKER.english(Formula(((),))) == "click a cell, whichever"
    assert Speaker(buttons=BUTTONS).english(Formula(())) == "never take the action"


@pytest.mark.parametrize("buttons", [(), BUTTONS], ids=["clicks", "buttons"])
@given(data=st.data())
@settings(max_examples=examples(60), deadline=None)
def test_sayings_are_all_of_the_formula_and_lines_are_short(buttons, data):
    f = data.draw(formulas(buttons=buttons))
    ways = data.draw(st.sets(st.sampled_from(MOTIONS[1:]), max_size=2))
    always = data.draw(st.sets(st.sampled_from(f.literals or (WALL,)), max_size=3))
    facts = Facts(("wall",), tuple(always), tuple(Transformation(way) for way in sorted(ways)))
    speaker = Speaker(LANGUAGE, TOKENS.values, buttons, facts)
    said = [clause for one in speaker.sayings(f) for clause in one.formula.clauses]
    assert sorted(map(sorted_texts, said)) == sorted(map(sorted_texts, speaker.canonical(f).clauses))
    assert all(len(line) <= WIDTH for line in speaker.english(f).splitlines())


def sorted_texts(clause):
    return sorted(map(str, clause))


@given(st.data())
def test_a_long_rule_says_every_condition(data):
    f = data.draw(formulas())
    facts = Facts(("wall",))
    speaker = Speaker(LANGUAGE, TOKENS.values, (), facts)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(english, "SCREEN", 0)
        text = " ".join(speaker.english(f).split())
    for clause in speaker.canonical(f).clauses:
        if not clause:
            assert text == "click a cell, whichever"
        for literal in clause:
            said = speaker.phrase(literal, brief=True).replace("the clicked cell", "this cell")
            # Two that deny something of one cell are said in one breath.
            what, _, value = said.partition(" is not ")
            assert said in text or (f"{what} is neither " in text and value in text)


@pytest.mark.parametrize("shown", [3, pytest.param(11, marks=pytest.mark.slow)])
@pytest.mark.parametrize("name", GAMES)
def test_the_rule_of_every_game_fits_on_a_screen(name, shown):
    game = find(name)
    demos = demonstrate(game, load_levels(game, f"train:0-{shown - 1}"))
    for search in ("trees", "clauses"):
        policy = Learner(programs=10_000, search=search).fit(demos).policy_
        lines = policy.english().splitlines()
        assert policy.components
        assert len(lines) <= SCREEN + 2 == 24
        assert max(map(len, lines)) <= WIDTH


@pytest.mark.parametrize(
    "name",
    ["nim", "stop-the-fall", *(pytest.param(name, marks=pytest.mark.slow) for name in ("checkmate", "fence-in"))],
)
def test_a_rule_fits_on_a_screen(name):
    game = find(name)
    taught = teach(demonstrate(game, load_levels(game, "train:0-2")), game, programs=3000, rounds=2)
    lines = taught.policy.table().splitlines()[2:]
    assert taught.learned
    assert len(lines) <= SCREEN + 2
    assert max(map(len, lines)) <= 100
