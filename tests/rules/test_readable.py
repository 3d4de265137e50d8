"""Rules that were learned, in English: would a ten-year-old understand the sentences?

Programs are abbreviated: `@` is at_action_cell, `first` is at_cell_with_value, and `=` is cell_is_value.
"""

import re

import pytest

from shown.language.languages import the_language
from shown.policy import Component, Policy
from shown.rules import Facts, Formula
from shown.rules.parsing import read_clause, read_literal
from shown.symmetry import Folded, closure, unfold
from shown.worlds import find

LONG = {"@(": "at_action_cell(", "first(": "at_cell_with_value(", "=(": "cell_is_value("}


def whole(text):
    for short, name in LONG.items():
        text = text.replace(short, name)
    return text


EXAMPLES = """\
nim paper
- @(shifted((0, -1), =(empty))) and not @(shifted((1, 1), scanning((0, -1), =(empty), =(empty)))) | left-right
always: not @(shifted((1, 1), scanning((0, -1), =(empty), =(empty))))
always: not @(shifted((1, -1), scanning((0, 1), =(empty), =(empty))))

click a cell if
  the cell left of the clicked cell is empty
    and starting at the cell below the clicked cell and going left, there is no empty
        cell *
    (or mirrored left to right)
  * always so in what was shown

---

checkmate paper
- @(=(white_queen))
- not first(white_queen, =(white_queen)) and @(shifted((-1, 0), =(white_king))) and @(shifted((1, 0),
    =(black_king))) | counter-clockwise clockwise half-turn

click a cell if
  the clicked cell is the white queen, or if
  the cell above the clicked cell is the black king
    and the cell below the clicked cell is the white king
    and the white queen is selected
    (or turned in any way)

---

checkmate standard
- @(=(white_queen))
- @(shifted((0, -1), =(OFF))) and not first(black_king, shifted((0, -1), =(empty))) and @(at_least(1, lines,
    =(selected_white_queen))) and not @(at_least(1, neighbors, =(black_king))) | half-turn clockwise
    counter-clockwise
always: not @(at_least(1, neighbors, =(black_king)))

click a cell if
  the clicked cell is the white queen, or if
  the clicked cell is at the top edge
    and the cell above the black king is not empty
    and the selected white queen is in line with the clicked cell
    and there is no black king around the clicked cell *
    (or turned in any way)
  * always so in what was shown

---

fence-in paper
- @(shifted((0, -1), =(sheep))) and not @(scanning((-1, -1), =(empty), shifted((1, 1), =(empty))))
- @(shifted((0, 1), =(sheep))) and not @(shifted((1, 1), =(empty)))
- @(shifted((1, 0), =(sheep))) and @(scanning((1, 0), shifted((-1, 0), =(empty)), =(sheep)))
- @(shifted((-1, 0), =(sheep))) and not @(scanning((-1, 1), =(empty), shifted((1, -1), =(empty)))) and not
    first(sheep, scanning((0, 1), shifted((-1, -1), =(empty)), =(fence)))
always: @(scanning((1, 0), shifted((-1, 0), =(empty)), =(sheep)))
always: @(=(empty))

click a cell if
  the clicked cell is empty *
    and the cell below the clicked cell is the sheep, or if
  the cell above the clicked cell is the sheep
    and going diagonally up and right from the clicked cell, an empty cell does not come
        before a cell diagonally up and right of an empty cell
    and the cell above the sheep is not empty, or if
  the cell left of the clicked cell is the sheep
    and going diagonally up and left from the clicked cell, an empty cell does not come
        before a cell diagonally up and left of an empty cell, or if
  the cell right of the clicked cell is the sheep
    and the cell diagonally down and right of the clicked cell is not empty
  * always so in what was shown

---

stop-the-fall standard
- @(=(green_button)) and first(new_block, shifted((-1, -1), =(empty))) and not first(new_block, shifted((-1, 1),
    =(fire))) | left-right
- not @(=(new_block)) and not @(shifted((1, 0), =(empty))) and @(at_least(1, column, =(parachuter))) and
    @(at_least(1, sides, =(fire)))
always: not @(=(new_block))

click a cell if
  the clicked cell is the green button
    and the cell diagonally up and left of the first new block is empty
    and the cell diagonally up and right of the first new block is not a fire
    (or mirrored left to right), or if
  the clicked cell is not a new block *
    and the cell below the clicked cell is not empty
    and the parachuter is in the column of the clicked cell
    and there is a fire beside the clicked cell
  * always so in what was shown

---

chase standard
- @(=(agent)) and first(rabbit, escape(agent, =(empty)))
- @(=(up_arrow)) and first(new_wall, =(new_wall)) and first(agent, nearer((-1, 0), =(rabbit), =(empty))) | up-down
- not @(at_least(1, lines, =(new_wall))) and @(at_least(1, sides, =(rabbit))) and not first(rabbit, escape(agent,
    =(empty))) and @(shifted((1, 0), scanning((-1, 0), =(rabbit), =(wall)))) | up-down
- @(=(left_arrow)) and first(new_wall, shifted((-1, 0), =(rabbit))) and not first(agent, shifted((-1, 0), =(empty)))
    and first(rabbit, shifted((0, -1), =(wall))) | left-right up-down half-turn
single: new_wall

click a cell if
  the clicked cell is the agent
    and one can step from the rabbit to an empty cell without coming nearer to the
        agent, or if
  the clicked cell is the left arrow
    and the cell above the new wall is the rabbit
    and the cell left of the rabbit is a wall
    and the cell above the agent is not empty
    (or mirrored in any way), or if
  the clicked cell is the up arrow
    and there is a new wall
    and a step up from the agent shortens the walk over empty cells to the rabbit
    (or mirrored top to bottom), or if
  starting at the clicked cell and going down, the rabbit comes before a wall
    and the rabbit is beside the clicked cell
    and there is no new wall in line with the clicked cell
    and every step from the rabbit to an empty cell leads nearer to the agent
    (or mirrored top to bottom)

---

chase standard
- @(=(agent)) and first(rabbit, escape(agent, =(empty)))
- @(=(up_arrow)) and first(new_wall, =(new_wall)) and first(agent, nearer((-1, 0), =(rabbit), =(empty))) | up-down
- @(shifted((0, 1), =(rabbit))) and first(rabbit, shifted((0, -1), =(empty))) and not first(rabbit, escape(agent,
    =(empty))) | left-right
- @(=(right_arrow)) and first(new_wall, =(new_wall)) and not first(rabbit, shifted((-1, -1), =(wall))) and not
    first(agent, nearer((1, 0), =(rabbit), =(empty))) | left-right up-down half-turn
- @(=(right_arrow)) and first(new_wall, shifted((-1, 0), =(wall))) and first(agent, shifted((0, 1), =(empty))) and
    first(rabbit, shifted((0, 1), =(wall))) and not first(agent, shifted((-1, 1), =(wall))) | left-right up-down
    half-turn
single: new_wall

click a cell if
  the clicked cell is empty
    and the cell left of the clicked cell is the rabbit
    and every step from the rabbit to an empty cell leads nearer to the agent
    (or mirrored left to right), or if
  the clicked cell is the agent
    and one can step from the rabbit to an empty cell without coming nearer to the
        agent, or if
  there is a new wall, and either
    the clicked cell is the left arrow
      and the cell diagonally up and right of the rabbit is not a wall
      and a step down from the agent does not shorten the walk over empty cells to the
          rabbit
      (or mirrored in any way), or
    the clicked cell is the up arrow
      and a step up from the agent shortens the walk over empty cells to the rabbit
      (or mirrored top to bottom), or if
  the clicked cell is the left arrow
    and the cell left of the agent is empty
    and the cell above the new wall is a wall
    and the cell left of the rabbit is a wall
    and the cell diagonally up and left of the agent is not a wall
    (or mirrored in any way)

---

reach-for-the-star standard
- @(=(left_arrow)) and not first(star, scanning((1, 1), =(empty), =(empty))) | left-right
- @(=(empty)) and not @(shifted((0, 1), =(OFF))) and @(shifted((-1, -1), =(empty))) and not @(shifted((-1, 1),
    =(empty))) and first(robot, shifted((1, 1), =(block))) and @(at_least(1, diagonals, =(star)))
- @(=(empty)) and not @(shifted((-1, -1), =(empty))) and not @(shifted((-1, -1), =(OFF))) and not first(robot,
    shifted((1, 0), =(block))) and @(at_least(1, diagonals, =(star)))
always: not @(shifted((-1, -1), =(OFF)))

click a cell if
  the clicked cell is empty
    and the star is on the diagonals of the clicked cell, and either
      the cell diagonally up and left of the clicked cell is empty
        and the cell diagonally down and right of the robot is a block
        and the clicked cell is not at the right edge
        and the cell diagonally up and right of the clicked cell is not empty, or
      the cell diagonally up and left of the clicked cell is neither off the grid * nor
            empty
        and the cell below the robot is not a block, or if
  the clicked cell is the left arrow
    and going diagonally down and right from the star, there is no empty cell
    (or mirrored left to right)
  * always so in what was shown
"""
"""The game and the vocabulary; the clauses, with the motions of the images that they stand for; the literals that
were always so, and other tokens that occur once; the English."""

RULES = re.split("\n+---\n+", EXAMPLES)


def policy(text):
    """The policy that a text describes."""
    first, *lines = text.replace("\n    ", " ").splitlines()
    name, vocabulary = first.split()
    parts = [re.split(": |- ", line, maxsplit=1) for line in lines]
    said = {kind: [whole(part) for key, part in parts if key == kind] for kind in ("", "always", "single")}
    game, language = find(name), the_language(vocabulary)
    world = language, game.tokens, game.buttons, "test"
    group = {transformation.cells: transformation for transformation in closure(game.symmetries)}
    clauses = [clause.partition(" | ") for clause in said[""]]
    folded = [
        Folded(read_clause(clause, *world), tuple(group[cells] for cells in ("same", *images.split())))
        for clause, _, images in clauses
    ]
    pieces = [token for piece in game.pieces for token in piece]
    symmetries = game.symmetries if any(images for *_, images in clauses) else ()
    held = tuple(read_literal(text, *world) for text in said["always"])
    facts = Facts((*pieces, *said["single"]), held, symmetries, game.pieces)
    formula = Formula(unfold(folded, language))
    return Policy(game.tokens, (Component(1.0, 0.0, 0.0, formula),), name, language=language, facts=facts)


@pytest.mark.parametrize("rule", RULES, ids=[f"{rule.split()[0]}-{i}" for i, rule in enumerate(RULES)])
def test_the_rule_reads_well(rule):
    described, _, english = rule.rstrip("\n").partition("\n\n")
    assert policy(described).english() == english
