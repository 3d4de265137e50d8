"""Sharded evaluation equals that of one evaluator, for any cut and any reset workers."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from shown.engine.memory import Account
from shown.engine.planes import Planes
from shown.errors import ClusterLost, OutOfMemory
from shown.evaluation import resources as resources_module
from shown.evaluation import shards as module
from shown.evaluation.columns import Evaluator
from shown.evaluation.resources import Resources
from shown.evaluation.shards import InTurn, Sharded, ShardJob, ShardWorker, Span, cut
from shown.inference import fitting as fitting_module
from shown.inference.features import combine
from shown.inference.learner import Learner
from shown.language.grammar import paper_grammar
from shown.worlds import demonstrate, find, load_levels
from strategies import (
    BUTTONS,
    SMALL,
    TOKENS,
    deep_grammar,
    evaluated,
    examples,
    grids,
    planes_for,
    random_grids,
    same_features,
)


class Forgetful:
    """A crew some of whose workers forget before some shards, and whose shards go to anybody."""

    def __init__(self, workers, seed):
        self.workers, self._rng = workers, np.random.default_rng(seed)

    def pieces(self, job, shards):
        team = [ShardWorker(job) for _ in range(self.workers)]
        for shard in shards:
            worker = team[self._rng.integers(len(team))]
            if self._rng.random() < 0.3:
                worker.forget()
            yield worker.work(shard)


def both(states, tokens, grammar, programs, crew, buttons=()):
    blocks = list(grammar.blocks(programs))
    world = planes_for(blocks, states, tokens, grammar.language, buttons)
    plain = evaluated(Evaluator(world, grammar.language, Account(2**62)), blocks)
    return plain, evaluated(Sharded(world, grammar.language, Account(2**62), crew), blocks)


@given(
    states=st.lists(grids(SMALL, 4), min_size=1, max_size=3),
    programs=st.integers(1, 900),
    size=st.integers(1, 200),
    workers=st.integers(1, 4),
    seed=st.integers(0, 9),
    grammar=st.sampled_from([paper_grammar(SMALL), deep_grammar(SMALL)]),
)
@settings(max_examples=examples(60))
def test_shards_come_to_what_one_evaluator_finds(states, programs, size, workers, seed, grammar):
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(module, "SMALLEST", size)
        patch.setattr(module, "LARGEST", size)
        for crew in (InTurn(workers), Forgetful(workers, seed)):
            same_features(*both(states, SMALL, grammar, programs, crew))


def test_a_budget_may_cut_a_block_that_is_in_parts(monkeypatch):
    """Then the parts' workers also meet columns that only programs beyond the budget have."""
    monkeypatch.setattr(module, "SMALLEST", 3)
    monkeypatch.setattr(module, "LARGEST", 3)
    states = random_grids(0, 3, SMALL, 3)
    for programs in range(44, 52):
        same_features(*both(states, SMALL, paper_grammar(SMALL), programs, InTurn(1)))


@given(programs=st.integers(1, 900), size=st.integers(1, 200), seed=st.integers(0, 9))
@settings(max_examples=examples(20))
def test_shards_come_to_the_same_with_buttons(programs, size, seed):
    states = random_grids(seed, 66, SMALL, 3)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(module, "LARGEST", size)
        for grammar in (deep_grammar(SMALL, BUTTONS), paper_grammar(SMALL, BUTTONS)):
            same_features(*both(states, SMALL, grammar, programs, Forgetful(3, seed), BUTTONS))


def test_shards_of_a_game_come_to_the_same():
    chase = find("chase")
    states = list(dict.fromkeys(step.grid for step in demonstrate(chase, load_levels(chase, "train:0-3")).steps))
    same_features(*both(states, chase.tokens, paper_grammar(chase.tokens), 60_000, InTurn(3)))


@given(programs=st.integers(1, 3000), size=st.integers(1, 300), workers=st.integers(1, 5))
@settings(max_examples=examples(40))
def test_every_program_is_in_exactly_one_shard(programs, size, workers):
    grammar = paper_grammar(TOKENS)
    blocks = list(grammar.blocks(programs))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(module, "SMALLEST", size)
        shards = cut(blocks, grammar.language, Planes(random_grids(0, 2), TOKENS), workers)
    places = [span.block.start + span.places for shard in shards for span in shard]
    assert np.array_equal(np.sort(np.concatenate(places)), np.arange(programs))
    # Blocks come in order, so that they can be merged as they come.
    starts = [span.block.start for shard in shards for span in shard]
    assert starts == sorted(starts)


def test_work_that_was_begun_ahead_ends_and_begins_again():
    ended = []

    class Watched(InTurn):
        def pieces(self, job, shards):
            try:
                yield from super().pieces(job, shards)
            finally:
                ended.append(len(shards))

    grammar = deep_grammar(SMALL)
    blocks = list(grammar.blocks(20_000))
    states = random_grids(1, 5, SMALL, 4)
    world = planes_for(blocks, states, SMALL, grammar.language)
    sharded = Sharded(world, grammar.language, Account(2**62), Watched(2))
    sharded.expect(blocks)
    half = len(blocks) // 2
    for block in blocks[:half]:
        sharded.evaluate(block)
    sharded.close()
    assert len(ended) == 1
    for block in blocks[half:]:
        sharded.evaluate(block)
    same_features(evaluated(Evaluator(world, grammar.language, Account(2**62)), blocks), combine([sharded], blocks))


def test_a_worker_without_room_forgets_and_then_gives_up(monkeypatch):
    monkeypatch.setattr("shown.evaluation.distinct.LITTLE", 0)  # tables grow slowly
    grammar = paper_grammar(TOKENS)
    blocks = tuple(grammar.blocks(3_000))
    states = random_grids(3, 40)
    world = planes_for(blocks, states, TOKENS, grammar.language)
    job = ShardJob(tuple(states), TOKENS, (), world.margin, grammar.language, blocks)
    shards = [(Span(block),) for block in blocks]
    needed = Account(2**62)
    evaluated(Evaluator(world, grammar.language, needed), blocks)
    worker = ShardWorker(replace(job, memory=needed.held * 4 // 5))
    pieces = [worker.work(shard) for shard in shards]
    assert len({piece.worker for piece in pieces}) == 2
    with pytest.raises(OutOfMemory):
        ShardWorker(replace(job, memory=1000)).work(shards[-1])


def test_a_learner_whose_crew_is_lost_keeps_the_best_so_far(monkeypatch):
    class Lost(InTurn):
        def __init__(self, cluster):
            super().__init__(2)

        def pieces(self, job, shards):
            for number, piece in enumerate(super().pieces(job, shards)):
                if number == 6:
                    raise ClusterLost("no worker is left.")
                yield piece

    monkeypatch.setattr(resources_module, "OnCluster", Lost)
    monkeypatch.setattr(fitting_module, "WORTH_SHARING", 0)
    monkeypatch.setattr(module, "SMALLEST", 1000)
    nim = find("nim")
    learner = Learner(programs=16_000, resources=Resources(cluster="local")).fit(
        demonstrate(nim, load_levels(nim, "train:0-3"))
    )
    assert learner.stopped_ == "no worker is left."
    assert learner.candidates_
    assert 0 < len(learner.features_.of_program) < 16_000
