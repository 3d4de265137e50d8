"""The child processes, seen from the server: replaced without loss, dead without end."""

from __future__ import annotations

import asyncio
import os
import signal
from concurrent.futures import ThreadPoolExecutor

import pytest

from shown.studio import helpers
from shown.studio.helpers import Helper, HelperDied


def with_helper(work):
    async def run():
        helper = Helper("plays", 0)
        await helper.start()
        try:
            return await work(helper)
        finally:
            await helper.close()

    # In a thread of its own: where a browser is driven, the main one has an event loop already.
    with ThreadPoolExecutor(1) as thread:
        return thread.submit(lambda: asyncio.run(asyncio.wait_for(run(), 60))).result()


MISSING = {"key": ["nim", 1], "rows": ["|.", "||"]}


def test_a_process_that_is_replaced_takes_no_other_request_along():
    async def work(helper):
        _, hung = helper.begin("warm")
        _, other = helper.begin("position", **MISSING)
        before = helper.pid
        hung.cancel()
        helper.replace()
        _, late = helper.begin("position", **MISSING)
        answers = [await other, await late]
        return answers, before != helper.pid

    assert with_helper(work) == ([{"missing": True}, {"missing": True}], True)


def test_replacing_is_not_dying(monkeypatch):
    monkeypatch.setattr(helpers, "REST", 3600.0)

    async def work(helper):
        for _ in range(2 * helpers.PATIENCE):
            helper.replace()
            assert await helper.ask("position", **MISSING) == {"missing": True}

    with_helper(work)


def test_one_that_dies_often_is_given_a_rest_and_comes_back(monkeypatch):
    monkeypatch.setattr(helpers, "REST", 0.5)

    async def work(helper):
        for _ in range(helpers.PATIENCE + 1):
            assert await helper.ask("position", **MISSING) == {"missing": True}
            _, answer = helper.begin("warm")
            os.kill(helper.pid, signal.SIGKILL)
            with pytest.raises(HelperDied):
                await answer
        return await helper.ask("position", **MISSING)

    assert with_helper(work) == {"missing": True}
