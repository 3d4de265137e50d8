"""The engine on a device: the same bits as the engine on the CPU.

Everything is tested with the kernels' twin, and on a GPU too where there is one.
"""

import copy
import json
import pickle
import sys
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gpu_twin import Twin
from shown.cli import main
from shown.columns import cuda as cuda_module
from shown.columns.cuda import Cuda
from shown.columns.device import DeviceColumns, DeviceDistinct, DeviceEvaluator, check_device, places_by_slot
from shown.columns.distinct import Distinct
from shown.columns.evaluator import Evaluator
from shown.columns.resources import Resources
from shown.engine.memory import Memory
from shown.engine.planes import Planes, at_first_many, scan_many, shift_many
from shown.engine.threads import ONE_THREAD
from shown.errors import BadInput, MissingExtra, OutOfMemory, ShownError
from shown.inference.features import combine
from shown.inference.learner import Learner
from shown.language.grammar import paper_grammar
from shown.language.standard import STANDARD
from shown.teaching.teach import teach
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

LIMIT = 2**32


def without_a_gpu():
    """Why there is no GPU to test on; None if there is one."""
    try:
        Cuda()
    except ShownError as error:
        return str(error)
    return None


@pytest.fixture(scope="module", params=["twin", "cuda"])
def kernels(request):
    if request.param == "twin":
        return Twin()
    reason = without_a_gpu()
    if reason is not None:
        pytest.skip(f"only the twin of the kernels is tested here: {reason}")
    return Cuda()


def test_the_kernels_are_found_without_a_gpu():
    source = cuda_module.kernel_source()
    for name in ("shift", "scan", "at_first", "fingerprint", "meet", "keep", "enter", "first_place", "signed_rows"):
        assert f"void {name}(" in source


def check_features(kernels, states, tokens, grammar, programs, buttons=()):
    """Assert that all inputs of the search are equal on both devices."""
    blocks = list(grammar.blocks(programs))
    world = planes_for(blocks, states, tokens, grammar.language, buttons)
    here = evaluated(Evaluator(world, grammar.language, Memory(LIMIT)), blocks)
    there = evaluated(DeviceEvaluator(world, grammar.language, Memory(LIMIT), ONE_THREAD, kernels), blocks)
    same_features(here, there)
    assert [str(term) for term in there.terms] == [str(term) for term in here.terms]


# --- planes -----------------------------------------------------------------------------------------------------------


@given(
    states=st.lists(grids(SMALL, 5), min_size=1, max_size=3),
    offset=st.tuples(st.integers(-7, 7), st.integers(-7, 7)).filter(any),
    margin=st.integers(0, 3),
    seed=st.integers(0, 10**6),
)
@settings(max_examples=examples(40))
def test_planes_are_those_of_the_cpu(kernels, states, offset, margin, seed):
    """Any planes, also such as no condition gives, and offsets that lead out of the frame at once."""
    world = Planes(states, SMALL, (), margin)
    check_planes(kernels, world, np.array([offset] * 6), seed)


@pytest.mark.parametrize("count", [62, 63, 150])
def test_planes_of_many_states_are_those_of_the_cpu(kernels, count):
    world = Planes(random_grids(3, count, TOKENS, 6), TOKENS, (), 2)
    strides = np.random.default_rng(count).integers(-3, 4, size=(40, 2))
    check_planes(kernels, world, strides[strides.any(axis=1)], count)


def check_planes(kernels, world, offsets, seed):
    rng, n = np.random.default_rng(seed), len(offsets)
    store = rng.integers(0, 2**64, size=(5, *world.shape), dtype=np.uint64)
    first, second = rng.integers(5, size=(2, n))
    values = rng.integers(len(world.values), size=n)
    put, fetch = kernels.put, kernels.fetch
    there = put(store)
    shifted = kernels.shift(there, put(offsets), put(first))
    assert np.array_equal(fetch(shifted), shift_many(world, store, offsets, first))
    scanned = kernels.scan(
        there, put(offsets), put(first), put(second), put(world.inside), put(world.somewhere)
    )  # fmt: skip
    assert np.array_equal(fetch(scanned), scan_many(world, store, offsets, first, second))
    at_first = kernels.at_first(there, put(values), put(first), put(places_by_slot(world)))
    assert np.array_equal(fetch(at_first), at_first_many(world, store, values, first))


# --- rows, each kept once ---------------------------------------------------------------------------------------------


class AllAlike(Twin):
    """Every row has the same mix, so that nothing but the words tells them apart."""

    def fingerprint(self, flat, places, mask, lowest):
        rows = super().fingerprint(flat, places, mask, lowest)
        return replace(rows, mixes=np.full_like(rows.mixes, 2**63 + 7))


@given(
    seed=st.integers(0, 10**6),
    words=st.sampled_from([1, 2, 40]),
    sizes=st.lists(st.integers(1, 90), min_size=1, max_size=4),
    up_to_negation=st.booleans(),
    same_mix=st.booleans(),
)
@settings(max_examples=examples(40))
def test_rows_get_the_numbers_that_the_cpu_gives(kernels, seed, words, sizes, up_to_negation, same_mix):
    if same_mix:
        kernels = AllAlike()
    rng = np.random.default_rng(seed)
    mask = rng.integers(1, 2**64, size=words, dtype=np.uint64)
    kinds = rng.integers(0, 2**64, size=(60, words + 3), dtype=np.uint64)
    kinds[0] = 0
    places = rng.permutation(words + 3)[:words]
    here, there = Distinct(mask, Memory(LIMIT), "rows", up_to_negation), Memory(LIMIT)
    if up_to_negation:
        device = DeviceColumns(kernels, mask, there, Memory(LIMIT), "rows")
    else:
        device = DeviceDistinct(kernels, mask, there, "rows")
    for size in sizes:
        rows = kinds[rng.integers(60, size=size)] ^ (
            rng.integers(0, 2, size=(size, 1), dtype=np.uint64) * ~np.uint64(0)
        )
        before = len(here)
        ids, flips = here.add(rows, places)
        own_ids, own_flips = device.add(kernels.put(rows), places)
        assert np.array_equal(kernels.fetch(own_ids), ids)
        assert np.array_equal(kernels.fetch(own_flips), flips)
        if up_to_negation:
            order = rng.integers(size, size=2 * size)
            numbers = here.settle(before, ids[order], flips[order])
            places_there = kernels.put(order)
            own = device.settle(before, own_ids[places_there], own_flips[places_there])
            assert np.array_equal(kernels.fetch(own), numbers)
            assert np.array_equal(device.array, here.array)
            assert np.array_equal(device.turned, here.turned)
        else:
            assert np.array_equal(kernels.fetch(device.array), here.array)


# --- features ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("grammar", [paper_grammar(SMALL), deep_grammar(SMALL)], ids=["paper", "deep"])
@given(states=st.lists(grids(SMALL, 4), min_size=1, max_size=3), programs=st.integers(1, 1500))
@settings(max_examples=examples(10))
def test_features_are_those_of_the_cpu(kernels, grammar, states, programs):
    check_features(kernels, states, SMALL, grammar, programs)


@pytest.mark.parametrize("grammar", [paper_grammar, deep_grammar], ids=["paper", "deep"])
def test_features_over_several_words_are_those_of_the_cpu(kernels, grammar):
    check_features(kernels, random_grids(7, 130), TOKENS, grammar(TOKENS), 20_000)


@pytest.mark.parametrize("grammar", [paper_grammar, deep_grammar], ids=["paper", "deep"])
def test_features_with_buttons_are_those_of_the_cpu(kernels, grammar):
    check_features(kernels, random_grids(2, 66, SMALL, 4), SMALL, grammar(SMALL, BUTTONS), 5_000, BUTTONS)


def test_planes_that_do_not_fit_are_left_to_places(monkeypatch):
    asked = []
    attentive = DeviceEvaluator._attentive
    monkeypatch.setattr(DeviceEvaluator, "_attentive", lambda self, *args: asked.append(args) or attentive(self, *args))
    states, grammar = random_grids(2, 66, SMALL, 12), paper_grammar(SMALL, BUTTONS)
    check_features(Twin(2**24), states, SMALL, grammar, 5_000, BUTTONS)
    assert not asked
    check_features(Twin(2**17), states, SMALL, grammar, 5_000, BUTTONS)
    assert asked


@pytest.mark.parametrize("buttons", [(), BUTTONS])
def test_words_that_the_device_does_not_have_are_run_here(kernels, buttons):
    grammar = STANDARD.grammar(SMALL, buttons)
    blocks = list(grammar.blocks(3000))
    assert {block.shape.primitive for block in blocks} - set(paper_grammar(SMALL).language)
    check_features(kernels, random_grids(5, 20, SMALL, 4), SMALL, grammar, 3000, buttons)


def test_features_found_in_small_chunks_are_those_of_the_cpu():
    check_features(Twin(2**22), random_grids(13, 70), TOKENS, deep_grammar(TOKENS), 3000)


def test_a_device_that_is_too_small_says_so():
    states, grammar = random_grids(13, 70), deep_grammar(TOKENS)
    with pytest.raises(OutOfMemory, match=r"on the device would need .* but the limit is"):
        check_features(Twin(2**19), states, TOKENS, grammar, 20_000)


class Full(Twin):
    """Its memory is less than it says."""

    def scan(self, *arguments):
        raise MemoryError("Out of memory allocating 2,147,483,648 bytes")


def test_a_device_that_is_out_of_memory_says_so():
    with pytest.raises(
        OutOfMemory, match=r"the device is out of memory \(Out of memory allocating .*\)\. Use fewer programs"
    ):
        check_features(Full(), random_grids(13, 5), TOKENS, paper_grammar(TOKENS), 2000)


class Broken(Twin):
    """It fails."""

    faults = (ArithmeticError,)

    def scan(self, *arguments):
        raise ArithmeticError("unspecified launch failure\nand many lines more")


def test_a_device_that_fails_is_one_line():
    with pytest.raises(ShownError) as error:
        check_features(Broken(), random_grids(13, 5), TOKENS, paper_grammar(TOKENS), 2000)
    assert str(error.value) == ("the device failed (unspecified launch failure). Try again, or use the device cpu.")


@pytest.mark.parametrize("copied", [copy.deepcopy, lambda evaluator: pickle.loads(pickle.dumps(evaluator))])
def test_a_copy_goes_on_as_the_evaluator_would(kernels, copied):
    states, grammar = random_grids(13, 20), paper_grammar(TOKENS)
    blocks = list(grammar.blocks(5000))
    world = planes_for(blocks, states, TOKENS, grammar.language)
    evaluator = DeviceEvaluator(world, grammar.language, Memory(LIMIT), ONE_THREAD, kernels)
    evaluator.expect(blocks)
    for block in blocks[:12]:
        evaluator.evaluate(block)
    another = copied(evaluator)
    for one in (evaluator, another):
        for block in blocks[12:]:
            one.evaluate(block)
    same_features(combine([evaluator], blocks), combine([another], blocks))


# --- learning ---------------------------------------------------------------------------------------------------------


@pytest.fixture
def some_device(kernels, monkeypatch):
    """--device cuda with these kernels."""
    monkeypatch.setattr(cuda_module, "Cuda", lambda: kernels)


@pytest.mark.parametrize("name", ["nim", "chase"])
def test_the_policy_is_the_same_byte_for_byte(some_device, name):
    game = find(name)
    first, more = (demonstrate(game, load_levels(game, f"train:{part}")) for part in ("0-2", "3"))
    policies = []
    for device in ("cpu", "cuda"):
        learner = Learner(programs=5000, resources=Resources(threads=1, device=device)).fit(first)
        policies.append([json.dumps(p.to_json()) for p in (learner.policy_, learner.add(more).policy_)])
    assert policies[0] == policies[1]


def test_what_is_taught_is_the_same(some_device):
    game = find("nim")
    shown = demonstrate(game, load_levels(game, "train:0-1"))
    learned = [
        teach(shown, game, programs=1000, practice=0, resources=Resources(threads=1, device=device)).policy.to_json()
        for device in ("cpu", "cuda")
    ]
    assert learned[0] == learned[1]


def test_the_command_takes_a_device(some_device, tmp_path, capsys):
    written = []
    for device in ("cpu", "cuda"):
        out = tmp_path / f"{device}.json"
        command = ["learn", "nim", "--levels", "train:0-2", "--published", "--programs", "1000", "--quiet"]
        assert main([*command, "--set", f"device={device}", "--out", str(out)]) == 0
        written.append(out.read_bytes())
    capsys.readouterr()
    assert written[0] == written[1]


def test_a_device_that_is_not_known_is_an_error():
    with pytest.raises(BadInput, match="device 'cud': programs are evaluated on cpu or cuda"):
        check_device("cud")
    with pytest.raises(BadInput, match="device 'gpu'"):
        Resources(device="gpu")


def test_without_cupy_there_is_one_line_that_says_so(monkeypatch, capsys):
    monkeypatch.setitem(sys.modules, "cupy", None)
    with pytest.raises(MissingExtra, match=r"CuPy.*gpu"):
        check_device("cuda")
    assert main(["learn", "nim", "--set", "device=cuda", "--published"]) == 2
    assert capsys.readouterr().err.startswith("shown: this needs CuPy, which is not installed.")


def test_without_a_gpu_there_is_one_line_that_says_so(monkeypatch, capsys):
    class Absent(Exception):
        pass

    def no_device():
        raise Absent("no CUDA-capable device is detected")

    runtime = type("runtime", (), {"CUDARuntimeError": Absent})
    cupy = type("cupy", (), {"cuda": type("cuda", (), {"Device": staticmethod(no_device), "runtime": runtime})})
    monkeypatch.setitem(sys.modules, "cupy", cupy)
    assert main(["learn", "nim", "--set", "device=cuda", "--published"]) == 2
    said = capsys.readouterr().err
    assert said == ("shown: device cuda: no usable GPU (no CUDA-capable device is detected). Use the device cpu.\n")
