"""The walking language: its order of programs, and worlds that it rejects."""

import pytest

from shown.errors import BadInput
from shown.grid import Tokens
from shown.language.languages import find
from shown.language.standard import STANDARD, standard_grammar
from shown.language.walking import walking_grammar

TOKENS = Tokens(empty=".", wall="#", goal="G", agent="A")
BUTTONS = ("left", "right", "forward")


def test_it_has_the_standard_words_and_is_found_by_name():
    walking = find("walking")
    assert dict(walking) == dict(STANDARD)
    assert walking.grammar(TOKENS, BUTTONS).language.name == "walking"


def test_the_agents_steps_come_before_those_of_others():
    def first(grammar):
        program = "at_cell_with_value(agent, nearer((-1, 0), cell_is_value(goal), cell_is_value(empty)))"
        return next(i for i, (term, _) in enumerate(grammar.programs(20_000)) if str(term) == program)

    assert first(walking_grammar(TOKENS, BUTTONS)) < 200 < first(standard_grammar(TOKENS, BUTTONS))


def test_every_program_of_the_standard_grammar_is_still_there():
    standard = {term for term, _ in standard_grammar(TOKENS, BUTTONS).programs(500)}
    assert standard <= {term for term, _ in walking_grammar(TOKENS, BUTTONS).programs(700)}


@pytest.mark.parametrize(
    ("tokens", "buttons"), [(TOKENS, ()), (Tokens(empty=".", robot="R"), BUTTONS), (Tokens(agent="A"), BUTTONS)]
)
def test_where_nobody_walks_it_is_refused(tokens, buttons):
    with pytest.raises(BadInput, match="walking is for worlds with buttons, a token called agent"):
        find("walking").grammar(tokens, buttons)
