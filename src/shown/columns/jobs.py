"""Work on the programs of a block, and its distribution to threads."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

Span = tuple[int, int]


class Added(NamedTuple):
    """Results of programs that were added to a table.

    Attributes:
        ids: number of each result in the table. [..., n] int32
        flips: whether it was looked up as its negation. [..., n] bool
        of_states: whether the table has one bit per state, not one per row.
    """

    ids: Any
    flips: Any
    of_states: bool = False


class Pieces(NamedTuple):
    """Work that is cut into pieces, which threads may do in any order.

    Attributes:
        work: does one piece.
        spans: where the argument tuples are cut.
    """

    work: Callable[[Span], Added]
    spans: Sequence[Span]


class Batch(NamedTuple):
    """Argument tuples that one compiled loop takes, together with those of other jobs.

    Attributes:
        add: adds the results of argument tuples to a table, on all threads. [n] each → [n]
        arguments: the argument tuples, for each condition the ways to choose the others. [n] each
        ways: number of these ways.
    """

    add: Callable[..., Added]
    arguments: Sequence[Any]
    ways: int = 1


class Job(NamedTuple):
    """Work on the programs of a block.

    Attributes:
        task: what there is to do.
        expand: index of each program's result among those of the task. [count]
    """

    task: Pieces | Batch
    expand: Any


def results(np: Any, jobs: Sequence[Job], run: Callable[..., list[Added]]) -> list[Added]:
    """Return the results of jobs; `run` maps a function over the pieces of all those that are cut."""
    batches = [job.task for job in jobs if isinstance(job.task, Batch)]
    done = {}
    for add in dict.fromkeys(batch.add for batch in batches):
        same = [batch for batch in batches if batch.add == add]
        done[add] = iter(_split(np, add, same))
    pieces = [(job.task.work, span) for job in jobs if isinstance(job.task, Pieces) for span in job.task.spans]
    # The largest begin, so that threads end at the same time.
    order = sorted(range(len(pieces)), key=lambda i: pieces[i][1][0] - pieces[i][1][1])
    added = dict(zip(order, run(lambda i: pieces[i][0](pieces[i][1]), order), strict=True))
    cut = (added[i] for i in range(len(pieces)))
    return [
        next(done[job.task.add]) if isinstance(job.task, Batch) else joined(np, [next(cut) for _ in job.task.spans])
        for job in jobs
    ]


def _split(np: Any, add: Callable[..., Added], batches: Sequence[Batch]) -> list[Added]:
    """Return the results of batches of one loop, which takes them together. [ways, n] each"""
    found = add(*(np.concatenate(parts) for parts in zip(*(batch.arguments for batch in batches), strict=True)))
    cuts = np.cumsum([len(batch.arguments[0]) for batch in batches])[:-1]
    return [
        Added(ids.reshape(-1, batch.ways).T, flips.reshape(-1, batch.ways).T, found.of_states)
        for batch, ids, flips in zip(batches, np.split(found.ids, cuts), np.split(found.flips, cuts), strict=True)
    ]


def joined(np: Any, parts: Sequence[Added]) -> Added:
    """Return parts as one, along their last axis."""
    if len(parts) == 1:
        return parts[0]
    ids, flips = (np.concatenate(some, axis=-1) for some in list(zip(*parts, strict=True))[:2])
    return Added(ids, flips, parts[0].of_states)
