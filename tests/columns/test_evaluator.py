"""Columns of programs: correct, merged where equal, within the memory limit."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from shown.columns import evaluator as module
from shown.columns.distinct import CONSTANT
from shown.columns.evaluator import Evaluator
from shown.columns.rows import Rows
from shown.engine.memory import Memory
from shown.engine.planes import Planes
from shown.engine.threads import Threads
from shown.grid import grid
from shown.inference import features as features_module
from shown.inference.features import combine, evaluate
from shown.language.grammar import paper_grammar
from shown.language.plan import Plan
from shown.language.primitives import LANGUAGE
from shown.language.reach import margin_for
from strategies import (
    BUTTONS,
    SMALL,
    TOKENS,
    deep_grammar,
    evaluated,
    examples,
    features_agree,
    grids,
    planes_for,
    random_grids,
    reference_rows,
    same_features,
)


@pytest.mark.parametrize("grammar", [paper_grammar(SMALL), deep_grammar(SMALL)], ids=["paper", "deep"])
@given(states=st.lists(grids(SMALL, 4), min_size=1, max_size=3))
@settings(max_examples=examples(10))
def test_columns_are_what_the_reference_says(grammar, states):
    features_agree(states, grammar, 500, SMALL)


def test_columns_with_buttons_are_what_the_reference_says():
    features_agree(random_grids(2, 66, SMALL, 3), deep_grammar(SMALL, BUTTONS), 400, SMALL, BUTTONS)


@pytest.mark.parametrize("grammar", [paper_grammar(TOKENS), deep_grammar(TOKENS)], ids=["paper", "deep"])
def test_columns_over_several_words_are_what_single_programs_give(grammar):
    states = random_grids(7, 130, most=5)
    terms = [term for term, _ in grammar.programs(3000)]
    world, features = evaluate(states, TOKENS, grammar, 3000)
    plan = Plan(terms, TOKENS, (), LANGUAGE)
    plan.margin = world.margin
    expected = plan.columns(plan.world(states))
    for i, column in enumerate(expected):
        feature = features.of_program[i]
        if feature == CONSTANT:
            assert np.array_equal(column, features.mask if features.negates[i] else np.zeros_like(features.mask))
        else:
            found = features.columns[feature]
            assert np.array_equal(~found & features.mask if features.negates[i] else found, column)


@pytest.fixture(scope="module")
def example():
    grammar = paper_grammar(TOKENS)
    states = random_grids(11, 20)
    return grammar, states, evaluate(states, TOKENS, grammar, 2000)[1]


def test_no_two_features_are_equal_or_opposite(example):
    _, _, features = example
    seen = {column.tobytes() for column in features.columns}
    assert len(seen) == len(features)
    assert not any((~column & features.mask).tobytes() in seen for column in features.columns)
    assert not any(not column.any() or np.array_equal(column, features.mask) for column in features.columns)


def test_a_feature_is_the_most_probable_program_of_its_column(example):
    grammar, _, features = example
    programs = list(grammar.programs(2000))
    assert np.all(np.diff(features.first) > 0)
    for f, place in enumerate(features.first.tolist()):
        assert features.terms[f] == programs[place][0]
        assert features.log_prior[f] == programs[place][1]
        assert np.flatnonzero(features.of_program == f)[0] == place
        assert not features.negates[place]


def test_most_programs_repeat_an_earlier_one(example):
    _, _, features = example
    assert len(features) < 2000 * 0.6


def test_a_shorter_run_has_the_first_features_of_a_longer_one(example):
    grammar, states, long = example
    _, short = evaluate(states, TOKENS, grammar, 700)
    assert [str(term) for term in short.terms] == [str(long.terms[f]) for f in range(len(short))]
    assert np.array_equal(short.of_program, long.of_program[:700])


def test_threads_change_nothing(example):
    grammar, states, one = example
    for threads in (2, 4):
        same_features(evaluate(states, TOKENS, grammar, 2000, threads=threads)[1], one)


@pytest.mark.parametrize("threads", [1, 3])
def test_blocks_in_demand_are_worked_on_together_and_change_nothing(example, monkeypatch, threads):
    grammar, states, _ = example
    blocks = list(grammar.blocks(5000))
    world = planes_for(blocks, states, TOKENS, LANGUAGE)
    apart = Evaluator(world, grammar.language, Memory(2**30))
    apart.expect(blocks)
    monkeypatch.setattr(module, "TOGETHER", 1500)
    together = Evaluator(world, grammar.language, Memory(2**30), Threads(threads))
    together.expect(blocks)
    rounds, add = [], Evaluator._add_together
    monkeypatch.setattr(Evaluator, "_add_together", lambda self, *args: rounds.append(self) or add(self, *args))
    for place, block in enumerate(blocks):
        if place in (0, len(blocks) - 2):
            together.demand(len(blocks) - 2 if place == 0 else len(blocks))  # the last two are in demand later
        apart.evaluate(block)
        together.evaluate(block)
        assert np.array_equal(together.of_program[-1], apart.of_program[-1])
        assert np.array_equal(together.flipped[-1], apart.flipped[-1])
        named = 1 + max(int(ids.max()) for ids in apart.of_program)
        assert np.array_equal(together.columns[:named], apart.columns[:named])
        assert len(together.columns) == named or place == len(blocks) - 1  # a cut block has columns of no program
    assert rounds.count(apart) == len(blocks) > 2 * rounds.count(together)
    assert together._memory.held == apart._memory.held


def test_blocks_that_might_not_fit_together_are_worked_on_one_after_another(example):
    grammar, states, whole = example
    blocks = list(grammar.blocks(2000))
    world = planes_for(blocks, states, TOKENS, LANGUAGE)
    apart = Memory(2**30)
    evaluated(Evaluator(world, grammar.language, apart), blocks)
    evaluator = Evaluator(world, grammar.language, Memory(apart.held + apart.held // 2), threads=Threads(2))
    evaluator.expect(blocks)
    evaluator.demand(len(blocks))
    for block in blocks:
        evaluator.evaluate(block)
    same_features(combine([evaluator], blocks), whole)


def test_working_in_small_pieces_changes_nothing(example, monkeypatch):
    grammar, states, whole = example
    monkeypatch.setattr(module, "CHUNK_BYTES", 1)
    same_features(evaluate(states, TOKENS, grammar, 2000)[1], whole)


@given(st.integers(0, 10**6), st.lists(st.integers(1, 5), min_size=2, max_size=3))
@settings(max_examples=examples(10))
def test_batches_together_are_one_batch(seed, sizes):
    grammar = paper_grammar(TOKENS)
    blocks = list(grammar.blocks(600))
    states = random_grids(seed, sum(sizes))
    _, together = evaluate(states, TOKENS, grammar, 600)
    evaluators = []
    for start, size in zip(np.cumsum([0, *sizes[:-1]]), sizes, strict=True):
        margin = margin_for((block.shape for block in blocks), LANGUAGE, states)
        world = Planes(states[start : start + size], TOKENS, margin=margin)
        evaluators.append(Evaluator(world, grammar.language, Memory(2**30)))
        evaluated(evaluators[-1], blocks)
    apart = combine(evaluators, blocks)
    assert np.array_equal(apart.of_program, together.of_program)
    assert np.array_equal(apart.negates, together.negates)
    rows_of = Rows([evaluator.world for evaluator in evaluators])
    terms = [term for term, _ in grammar.programs(600)]
    for f in range(0, len(apart), 25):
        rows = reference_rows([terms[apart.first[f]]], states, TOKENS, (), LANGUAGE)[0]
        for s, board in enumerate(states):
            places = [rows_of.place(s, cell) for cell in board.cells()]
            assert [bool(int(apart.columns[f][word]) >> bit & 1) for word, bit in places] == rows[s]


def test_programs_that_say_the_same_everywhere_are_no_features():
    _, features = evaluate([grid("."), grid(".")], SMALL, paper_grammar(SMALL), 300)
    assert len(features) == 0
    assert set(features.of_program.tolist()) == {CONSTANT}


def test_a_cut_block_is_evaluated_as_far_as_it_is_asked_for(monkeypatch):
    grammar = paper_grammar(TOKENS)
    states = random_grids(5, 10)
    blocks = list(grammar.blocks(20_000))
    cut = next(b for b in blocks if b.shape.count > 600 and len(b.shape.parts) == 1)
    asked = []
    run_many = module.run_many
    monkeypatch.setattr(module, "run_many", lambda w, p, a, s: asked.append(module.how_many(a)) or run_many(w, p, a, s))
    world = Planes(states, TOKENS, margin=4)
    evaluator = Evaluator(world, grammar.language, Memory(2**30))
    evaluator.expect([cut])
    evaluator.evaluate(type(cut)(cut.shape, cut.probability, 0, 30))
    assert sum(asked) < 300
    whole = Evaluator(world, grammar.language, Memory(2**30))
    whole.evaluate(type(cut)(cut.shape, cut.probability, 0, cut.shape.count))
    assert np.array_equal(evaluator.of_program[0], whole.of_program[0][:30])
    assert np.array_equal(evaluator.flipped[0], whole.flipped[0][:30])


@given(st.integers(0, 10**6), st.lists(st.integers(1, 4), min_size=1, max_size=2))
@settings(max_examples=examples(15))
def test_features_on_some_rows_are_those_that_differ_there(seed, sizes):
    grammar = paper_grammar(TOKENS)
    blocks = list(grammar.blocks(300))
    states = random_grids(seed, sum(sizes))
    evaluators = []
    for start, size in zip(np.cumsum([0, *sizes[:-1]]), sizes, strict=True):
        world = Planes(
            states[start : start + size], TOKENS, margin=margin_for((block.shape for block in blocks), LANGUAGE, states)
        )
        evaluators.append(Evaluator(world, grammar.language, Memory(2**30)))
        for block in blocks:
            evaluators[-1].evaluate(block)
    every = combine(evaluators, blocks)
    rng = np.random.default_rng(seed)
    mask = every.mask & rng.integers(0, 2**64, size=len(every.mask), dtype=np.uint64)
    if not mask.any():
        return
    some = combine(evaluators, blocks, mask=mask)
    values = [
        (every.columns[f] if f != CONSTANT else np.zeros_like(mask)) ^ (every.mask if negated else np.uint64(0))
        for f, negated in zip(every.of_program, every.negates, strict=True)
    ]
    for value, f, negated in zip(values, some.of_program, some.negates, strict=True):
        found = some.columns[f] if f != CONSTANT else np.zeros_like(mask)
        assert np.array_equal(found ^ (mask if negated else np.uint64(0)), value & mask)
    keys = {min(c.tobytes(), (~c & mask).tobytes()) for c in some.columns}
    assert len(keys) == len(some)
    assert not any(not c.any() or np.array_equal(c, mask) for c in some.columns)
    assert np.all(np.diff(some.first) > 0)


@given(st.integers(0, 10**6), st.integers(0, 3))
def test_merging_compiled_is_merging_plainly(seed, words):
    rng = np.random.default_rng(seed)
    kinds = rng.integers(0, 4, size=(6, words), dtype=np.uint64)
    columns, mask = kinds[rng.integers(6, size=20)], rng.integers(1, 4, size=words, dtype=np.uint64)
    columns = np.where(rng.random(20)[:, None] < 0.5, columns, ~columns)
    found = []
    for loop in (features_module._merge_loop, features_module._merge_loop.plain):
        ids, flips, slots = np.empty(20, np.int32), np.empty(20, bool), np.full(64, CONSTANT, np.int32)
        with np.errstate(over="ignore"):
            kept = loop(columns, np.arange(words), mask, slots, ids, flips)
        found.append((kept.tolist(), ids.tolist(), flips.tolist()))
    assert found[0] == found[1]
    same = {}
    for column, number, flip in zip(columns & mask, *found[0][1:], strict=True):
        key = (column ^ mask if flip else column).tobytes()
        assert same.setdefault(key, number) == number
        assert (number == CONSTANT) == (not any(key))
    assert len(set(same.values()) - {CONSTANT}) == len(found[0][0])


# --- memory -----------------------------------------------------------------------------------------------------------


def test_the_memory_counted_is_what_is_held(example, monkeypatch):
    monkeypatch.setattr("shown.columns.distinct.LITTLE", 0)  # tables grow slowly
    grammar, states, _ = example
    blocks = list(grammar.blocks(2000))
    memory = Memory(2**30)
    evaluator = Evaluator(planes_for(blocks, states, TOKENS, LANGUAGE), grammar.language, memory)
    evaluated(evaluator, blocks)
    stores = (evaluator._columns, evaluator._planes, evaluator._states)
    held = sum(store.array.nbytes for store in stores)
    assert held + 5 * 2000 <= memory.held <= 3 * held + 20 * 2000
