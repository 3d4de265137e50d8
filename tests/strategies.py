"""What the tests draw from: tokens, grids, offsets, programs, demonstrations, policies."""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from copy import deepcopy
from fractions import Fraction
from functools import reduce
from itertools import chain
from operator import getitem
from typing import Any

import numpy as np
import pytest
from hypothesis import strategies as st
from hypothesis.strategies import SearchStrategy

from shown.columns.evaluator import Evaluator
from shown.demonstrations import OUTCOMES, Demonstration, Demonstrations, Step
from shown.engine.planes import Planes
from shown.grid import OFF, Grid, Tokens
from shown.inference.features import Features, combine, evaluate
from shown.language.grammar import Block, Grammar, Leaves, Rule, uniform
from shown.language.plan import Plan
from shown.language.primitives import Language, Primitive
from shown.language.reach import margin_for
from shown.language.reference import View, run
from shown.language.terms import Kind, Term, names_by_kind
from shown.policy import Component, Formula, Literal, Policy
from shown.provenance import NO_PROVENANCE, Provenance
from shown.symmetry import of_cell, of_grid, of_value

TOKENS = Tokens(empty=".", wall="#", agent="A", star="*")
BUTTONS = ("left", "right", "fire")
SMALL = Tokens(empty=".", wall="#")

names = st.from_regex(r"[a-z][a-z0-9_]{0,8}", fullmatch=True)
characters = st.characters(min_codepoint=33, exclude_categories=["C", "Z", "M"]).filter(str.isprintable)


ALL = os.environ.get("SHOWN_TESTS") == "all"
"""Whether this is `make test-all`."""


def examples(count: int) -> int:
    """Return the number of random examples to draw: all in `make test-all`, an eighth in `make test`."""
    return count if ALL else max(8, count // 8)


def some(values: Iterable[Any], *quick: Any) -> list[Any]:
    """Return parameters of which `make test` uses the quick ones, and `make test-all` all."""
    return [value if value in quick else pytest.param(value, marks=pytest.mark.slow) for value in values]


@st.composite
def tokens(draw: Any, least: int = 1, most: int = 5) -> Tokens:
    """Any names with any visible characters."""
    chosen = draw(st.lists(names, min_size=least, max_size=most, unique=True))
    shown = draw(st.lists(characters, min_size=len(chosen), max_size=len(chosen), unique=True))
    return Tokens(**dict(zip(chosen, shown, strict=True)))


@st.composite
def grids(draw: Any, of: Tokens = TOKENS, most: int = 5) -> Grid:
    """Any rectangle, from a single cell on."""
    height, width = draw(st.integers(1, most)), draw(st.integers(1, most))
    row = st.text(st.sampled_from(list(of)), min_size=width, max_size=width)
    return Grid(tuple(draw(st.lists(row, min_size=height, max_size=height))))


def random_grids(seed: int, count: int, of: Tokens = TOKENS, most: int = 5) -> list[Grid]:
    """Many grids of mixed shapes at once; cheaper to draw than `grids`, for batches of more than one word."""
    rng = np.random.default_rng(seed)
    alphabet = list(of)
    return [
        Grid(tuple("".join(rng.choice(alphabet, size=width)) for _ in range(height)))
        for height, width in rng.integers(1, most + 1, size=(count, 2)).tolist()
    ]


def deep_grammar(tokens: Tokens, buttons: tuple[str, ...] = ()) -> Grammar:
    """Soon nests scans in shifts in scans, with long and slanted strides, as the paper's would only much later."""
    half, quarter = Fraction(1, 2), Fraction(1, 4)
    strides = [(Fraction(1, 3), ((0, 1), (-1, 0))), (Fraction(1, 6), ((2, -1), (-3, 3)))]
    first = Rule("P", "action_is", ("A",), half) if buttons else Rule("P", "at_action_cell", ("C",), half)
    return Grammar(
        "P",
        (
            first,
            Rule("P", "at_cell_with_value", ("V", "C"), half),
            Rule("C", "shifted", ("O", "C"), quarter),
            Rule("C", "scanning", ("O", "C", "C"), half),
            Rule("C", "cell_is_value", ("V",), quarter),
        ),
        {
            "V": uniform(Kind.VALUE, tokens.values),
            "O": Leaves(Kind.OFFSET, lambda: iter(strides)),
            **({"A": uniform(Kind.BUTTON, buttons)} if buttons else {}),
        },
    )


def offsets(most: int = 3) -> SearchStrategy[tuple[int, int]]:
    """Straight and diagonal, near and far, but not (0, 0), which leads nowhere."""
    return st.tuples(st.integers(-most, most), st.integers(-most, most)).filter(any)


def conditions(of: Tokens = TOKENS, most: int = 6) -> SearchStrategy[Term]:
    """Conditions nested in any way, deeper than any grammar would soon derive."""
    leaves = st.sampled_from(of.values).map(lambda value: Term("cell_is_value", (value,)))
    return st.recursive(
        leaves,
        lambda inner: st.one_of(
            st.tuples(offsets(), inner).map(lambda arguments: Term("shifted", arguments)),
            st.tuples(offsets(), inner, inner).map(lambda arguments: Term("scanning", arguments)),
        ),
        max_leaves=most,
    )


def programs(of: Tokens = TOKENS, buttons: tuple[str, ...] = (), most: int = 6) -> SearchStrategy[Term]:
    """Programs about the clicked cell (or the button) and about the first cell with a value, be there one or not."""
    at_value = st.tuples(st.sampled_from(of.values), conditions(of, most)).map(lambda a: Term("at_cell_with_value", a))
    if buttons:
        return st.one_of(st.sampled_from(buttons).map(lambda name: Term("action_is", (name,))), at_value)
    return st.one_of(conditions(of, most).map(lambda inner: Term("at_action_cell", (inner,))), at_value)


@st.composite
def any_term(
    draw: Any,
    language: Language,
    of: Tokens = TOKENS,
    buttons: tuple[str, ...] = (),
    kind: Kind = Kind.PROGRAM,
    depth: int = 3,
) -> Term:
    """Any program that a language can say in a world, nested up to `depth`."""
    word = draw(
        st.sampled_from(
            [
                word
                for word in language.values()
                if word.gives is kind
                and word.needs in (None, "button" if buttons else "click")
                and (depth or Kind.CONDITION not in word.takes)
            ]
        )
    )
    atoms = names_by_kind(of.values, buttons)

    def argument(kind: Kind) -> Any:
        if kind is Kind.CONDITION:
            return draw(any_term(language, of, buttons, kind, depth - 1))
        if kind in atoms:
            return draw(st.sampled_from(atoms[kind]))
        return draw(st.integers(0, 7) if kind is Kind.NUMBER else offsets())

    return Term(word.name, tuple(map(argument, word.takes)))


@st.composite
def demonstrations(draw: Any, most: int = 3) -> Demonstrations:
    """Demonstrations of any world, with clicks or with buttons."""
    world = draw(tokens())
    buttons = draw(st.sampled_from([(), BUTTONS]))

    def step() -> Step:
        grid = draw(grids(world, 3))
        return Step(grid, draw(st.sampled_from(buttons or list(grid.cells()))))

    items = tuple(
        Demonstration(
            tuple(step() for _ in range(draw(st.integers(1, 3)))),
            draw(st.none() | st.text(characters, max_size=8)),
            draw(st.none() | st.integers(0, 2**63 - 1)),
            draw(st.sampled_from(OUTCOMES)),
        )
        for _ in range(draw(st.integers(0, most)))
    )
    return Demonstrations(world, items, draw(st.none() | st.text(characters, min_size=1, max_size=8)), buttons)


@st.composite
def formulas(draw: Any, of: Tokens = TOKENS, buttons: tuple[str, ...] = ()) -> Formula:
    """Formulas in disjunctive normal form; "never" and "always" among them."""
    literal = st.builds(Literal, programs(of, buttons, most=3), st.booleans())
    clause = st.lists(literal, max_size=3).map(tuple)
    return Formula(tuple(draw(st.lists(clause, max_size=3))))


@st.composite
def policies(draw: Any, of: Tokens = TOKENS, buttons: tuple[str, ...] = (), most: int = 4) -> Policy:
    """Mixtures whose weights add up to 1."""
    chosen = draw(st.lists(formulas(of, buttons), min_size=1, max_size=most))
    shares = [draw(st.integers(1, 9)) for _ in chosen]
    finite = st.floats(-1e6, 0)
    parts = [
        Component(share / sum(shares), draw(finite), draw(finite), formula)
        for share, formula in zip(shares, chosen, strict=True)
    ]
    return Policy(
        of,
        tuple(parts),
        draw(st.none() | names),
        buttons,
        draw(st.sampled_from([NO_PROVENANCE, Provenance(programs=3)])),
    )


json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=8), inner, max_size=3),
    max_leaves=8,
)
"""Anything that JSON can hold."""


@st.composite
def damaged(draw: Any, value: Any, by: SearchStrategy[Any] = json_values) -> Any:
    """A JSON value of which one part, however deep inside, is replaced, renamed, gone or there twice."""
    box = [deepcopy(value)]
    # Of parts of one kind, such as the steps of a demonstration, one is as good as another.
    kinds = {tuple(key if isinstance(key, str) else 0 for key in place): place for place in _places(box)}
    *path, key = draw(st.sampled_from(list(kinds.values())))
    holder = reduce(getitem, path, box)
    match draw(st.integers(0, 9)), holder[key]:
        case 0, _ if path:
            del holder[key]
        case 1, part if path and isinstance(holder, list):
            holder[key:key] = [part] * draw(st.sampled_from([1, 70]))
        case 2, _ if isinstance(holder, dict):
            holder[draw(st.text(max_size=8))] = holder.pop(key)
        case 3 | 4, str(text) if text:
            cut = draw(st.integers(0, len(text)))
            holder[key] = text[:cut] + draw(st.text(max_size=3)) + text[cut + draw(st.integers(0, 2)) :]
        case _:
            holder[key] = draw(by)
    return box[0]


def _places(value: Any, here: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    """Yield the path to each part of a JSON value."""
    for key, inner in value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ():
        yield (*here, key)
        yield from _places(inner, (*here, key))


def plainly(term: Term, view: View, language: Mapping[str, Primitive], *cell: Any) -> bool:
    """What a term says, as literally as it can be computed: nothing is kept, everything is asked again."""
    arguments = [
        (lambda view, cell, inner=a: plainly(inner, view, language, cell)) if isinstance(a, Term) else a
        for a in term.arguments
    ]
    return bool(language[term.primitive].meaning(view, *cell, *arguments))


def nested_scans(depth: int) -> Term:
    """A short program which, taken literally, asks about many times more cells with each level of depth."""
    condition = nothing = Term("cell_is_value", ("star",))
    for level in range(depth):
        way = [(0, 1), (1, 0), (0, -1), (-1, 0)][level % 4]
        condition = Term("scanning", (way, condition, nothing))
    return Term("at_action_cell", (condition,))


def reference_rows(
    terms: list[Term], states: list[Grid], of: Tokens, buttons: tuple[str, ...], language: Mapping[str, Primitive]
) -> list[list[list[bool]]]:
    """What each program says about each action of each state, by the interpreter that defines the meaning."""
    return [
        [[run(term, View(grid, of, action), language) for action in buttons or grid.cells()] for grid in states]
        for term in terms
    ]


def on_rows(column: np.ndarray, world: Planes) -> list[bool]:
    """The values of a program, by its column: state after state, action after action."""
    places = [world.row(s, a) for s, board in enumerate(world.grids) for a in world.buttons or board.cells()]
    return [bool(int(column[word]) >> bit & 1) for word, bit in places]


def agree(
    terms: list[Term],
    states: list[Grid],
    language: Mapping[str, Primitive],
    of: Tokens = TOKENS,
    buttons: tuple[str, ...] = (),
) -> None:
    """Assert that programs, computed on planes, have the values that the interpreter gives them."""
    plan = Plan(terms, of, buttons, language)
    world = plan.world(states)
    for column, rows in zip(plan.columns(world), reference_rows(terms, states, of, buttons, language), strict=True):
        assert on_rows(column, world) == list(chain(*rows))


def features_agree(
    states: list[Grid], grammar: Grammar, count: int, of: Tokens = TOKENS, buttons: tuple[str, ...] = ()
) -> None:
    """Assert that features have the values of their programs, and that programs without one are constant."""
    world, features = evaluate(states, of, grammar, count, buttons)
    terms = [term for term, _ in grammar.programs(count)]
    for i, rows in enumerate(reference_rows(terms, states, of, buttons, grammar.language)):
        expected, negated = list(chain(*rows)), bool(features.negates[i])
        if features.of_program[i] < 0:
            assert set(expected) == {negated}, terms[i]
        else:
            found = on_rows(features.columns[features.of_program[i]], world)
            assert [value != negated for value in found] == expected, terms[i]


def planes_for(
    blocks: Sequence[Block], states: Sequence[Grid], of: Tokens, language: Language, buttons: tuple[str, ...] = ()
) -> Planes:
    """States as planes, with the margin that these programs need."""
    return Planes(states, of, buttons, margin_for((block.shape for block in blocks), language, states))


def evaluated(evaluator: Evaluator, blocks: Sequence[Block]) -> Features:
    """The features of these programs."""
    evaluator.expect(blocks)
    for block in blocks:
        evaluator.evaluate(block)
    return combine([evaluator], blocks)


def same_features(one: Features, other: Features) -> None:
    """Assert that two searches would start from the same."""
    for name in ("first", "log_prior", "columns", "of_program", "negates", "mask"):
        mine, theirs = getattr(one, name), getattr(other, name)
        assert mine.dtype == theirs.dtype, name
        assert np.array_equal(mine, theirs), name


def allowed(policy: Policy, steps: Sequence[Step], component: int = 0) -> list[bool]:
    """Whether a component of a policy allows the action of each step, by the reference interpreter."""

    def holds(literal: Literal, step: Step) -> bool:
        return run(literal.term, View(step.grid, policy.tokens, step.action), policy.language) == literal.positive

    clauses = policy.components[component].formula.clauses
    return [any(all(holds(literal, step) for literal in clause) for clause in clauses) for step in steps]


def is_exact(term, board, tokens, transformation):
    """Whether the image of a program is certainly exact: the first cell with its value is the first in the image."""
    if term.primitive != "at_cell_with_value" or term.parts[0].primitive == "cell_is_value":
        return True
    value = term.arguments[0]
    first = None if value == OFF else board.find(tokens[value])
    if first is None:
        return True
    after = of_grid(board, transformation, tokens).find(tokens[of_value(value, transformation)])
    return after == of_cell(first, transformation, board.shape)


def both_ways(text: str) -> tuple[str, str]:
    """A phrase and its negation, written as one: "it is [not ]empty", "there [is a|is no] wall"."""
    choice = re.compile(r"\[(?:([^]|]*)\|)?([^]]*)\]")
    return choice.sub(lambda found: found[1] or "", text), choice.sub(lambda found: found[2], text)
