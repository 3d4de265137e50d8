"""Functions are compiled once, on their first call."""

from concurrent.futures import ThreadPoolExecutor

import numba
import numpy as np
import pytest

from shown.engine import compilation as module
from shown.engine.compilation import compiled, popcount


def total(values):
    result = 0.0
    for x in values:
        result += x
    return result


def test_the_plain_function_stays_at_hand():
    loop = compiled(total)
    assert loop.plain is total
    assert loop(np.array([1.0, 2.0])) == loop.plain([1.0, 2.0]) == 3.0
    assert loop.__name__ == "total"


def test_many_threads_may_call_first():
    loop = compiled(total)
    with ThreadPoolExecutor(4) as pool:
        results = list(pool.map(lambda k: loop(np.full(10, float(k))), range(20)))
    assert results == [10.0 * k for k in range(20)]


def test_an_error_in_the_first_call_does_not_spoil_the_second():
    loop = compiled(total)
    with pytest.raises(Exception, match="float"):
        loop("text")
    assert loop(np.array([4.0])) == 4.0


def test_where_nothing_can_be_written_code_is_compiled_for_this_run(monkeypatch):
    njit = numba.njit

    def read_only(*, cache=False, **options):
        if cache:
            raise RuntimeError("cannot cache function 'total': no locator available")
        return njit(**options)

    monkeypatch.setattr(numba, "njit", read_only)
    assert compiled(total)(np.array([1.0, 2.0])) == 3.0


def test_a_long_wait_is_announced(monkeypatch, capsys):
    class Impatient:
        """A timer that fires as soon as it is started."""

        def __init__(self, seconds, function):
            assert seconds == module.NOTICE_AFTER
            self.start = function

        def cancel(self):
            pass

    monkeypatch.setattr(module.threading, "Timer", Impatient)
    module._announce.cache_clear()
    for _ in range(2):  # each of them is compiled, but one line is enough
        assert compiled(total)(np.array([1.0])) == 1.0
    captured = capsys.readouterr()
    assert captured.out == ""
    assert captured.err == "shown: compiling the engine for this machine (first run only) …\n"


def ones(words):
    count = 0
    for word in words:
        count += popcount(word)
    return count


def test_the_population_count_is_compiled():
    words = np.random.default_rng(0).integers(0, 2**64, 100, dtype=np.uint64, endpoint=False)
    words[:2] = 0, 2**64 - 1
    assert compiled(ones)(words) == ones(words) == np.bitwise_count(words).sum()


@pytest.mark.parametrize(("cause", "raised"), [(KeyboardInterrupt(), KeyboardInterrupt), (None, SystemError)])
def test_ctrl_c_that_arrives_inside_numba_is_an_interrupt(monkeypatch, cause, raised):
    """Found by the soak (seed 20261119): Stop ended in "an internal error (SystemError)"."""

    def loading(*_):
        raise SystemError("_numba_unpickle returned a result with an exception set") from cause

    monkeypatch.setattr(module, "machine_code", lambda function: loading)
    with pytest.raises(raised):
        compiled(total)(np.array([1.0]))
