"""The child processes, seen from the server: replaced without loss, dead without end."""

from __future__ import annotations

import asyncio
import os
import signal
from concurrent.futures import ThreadPoolExecutor

import pytest

from shown.studio import children as children
from shown.studio.children import ChildDied, ChildProcess


def with_child(work):
    async def run():
        child = ChildProcess("plays", 0)
        child.start()
        while child._process is None:
            await asyncio.sleep(0.01)
        try:
            return await work(child)
        finally:
            await child.close()

    # In a thread of its own: where a browser is driven, the main one has an event loop already.
    with ThreadPoolExecutor(1) as thread:
        return thread.submit(lambda: asyncio.run(asyncio.wait_for(run(), 60))).result()


MISSING = {"key": ["", "nim", 1], "rows": ["|.", "||"]}


def test_a_process_that_is_replaced_takes_no_other_request_along():
    async def work(child):
        _, hung = child.begin("warm")
        _, other = child.begin("position", **MISSING)
        before = child._process.pid
        hung.cancel()
        child.replace()
        _, late = child.begin("position", **MISSING)
        answers = [await other, await late]
        return answers, before != child._process.pid

    assert with_child(work) == ([{"missing": True}, {"missing": True}], True)


@pytest.mark.slow
def test_replacing_is_not_dying(monkeypatch):
    monkeypatch.setattr(children, "REST_SECONDS", 3600.0)

    async def work(child):
        for _ in range(2 * children.MAX_DEATHS):
            child.replace()
            assert await child.ask("position", **MISSING) == {"missing": True}

    with_child(work)


def test_one_that_dies_often_is_given_a_rest_and_comes_back(monkeypatch):
    monkeypatch.setattr(children, "REST_SECONDS", 0.5)

    async def work(child):
        for _ in range(children.MAX_DEATHS + 1):
            assert await child.ask("position", **MISSING) == {"missing": True}
            _, answer = child.begin("warm")
            os.kill(child._process.pid, signal.SIGKILL)
            with pytest.raises(ChildDied):
                await answer
        return await child.ask("position", **MISSING)

    assert with_child(work) == {"missing": True}
