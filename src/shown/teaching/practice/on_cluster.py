"""Practice on several cores or a Ray cluster: levels are split into parts, and all candidates play each part somewhere.

Results do not depend on which worker plays a part, or on workers that die: policies, levels and seeds are the same.
"""

from __future__ import annotations

import time
from collections.abc import Sequence

from shown.engine.forks import forked
from shown.errors import ClusterLost
from shown.evaluation.cluster import (
    MAX_DEATHS,
    Cluster,
    as_local_error,
    check_version,
    first_line,
    import_ray,
    is_death,
)
from shown.policy import Policy, Together
from shown.version import __version__
from shown.worlds import Start
from shown.worlds.episodes import wins_of_each

MIN_GAMES = 600  # fewer games, such as a hundred levels by six candidates, are played in this process
GAMES_PER_PROCESS = 60  # fewer games take no longer than starting a process
PARTS_PER_CORE = 2  # more than one, because games differ in length

Part = tuple[str, str, list[list[bool]]]
"""Version and node of the worker, and the levels won by each policy."""


class ClusterPlayers:
    """Plays practice levels on a cluster if there are enough of them.

    Args:
        cluster: the cluster.
    """

    def __init__(self, cluster: Cluster) -> None:
        self._cluster = cluster

    def __call__(self, starts: Sequence[Start], policies: Sequence[Policy], seconds: float) -> list[list[bool]]:
        """Return the levels won by each policy within some seconds."""
        if len(starts) * len(policies) < MIN_GAMES:
            return play_here(starts, policies, seconds)
        ray, parts = self._cluster.open(), PARTS_PER_CORE * max(1, self._cluster.cores)
        # num_cpus=0: workers that wait for the next learn still hold their cores, but are idle.
        task = ray.remote(num_cpus=0, max_retries=MAX_DEATHS, scheduling_strategy="SPREAD")(play_part)
        cut = [starts[i * len(starts) // parts : (i + 1) * len(starts) // parts] for i in range(parts)]
        asked, all_of_them = [part for part in cut if part], ray.put(tuple(policies))
        # Tasks end by themselves when time is over. Canceling them is unsafe: Ray 2.60 may end this process when the
        # task has just finished.
        refs = [task.remote(part, all_of_them, seconds) for part in asked]
        won: list[list[bool]] = [[] for _ in policies]
        try:
            for part, ref in zip(asked, refs, strict=True):
                version, node, of_each = ray.get(ref)
                check_version(version, node)
                for whole, of_one in zip(won, of_each, strict=True):
                    whole += of_one
                if len(of_each[0]) < len(part):  # time was over; levels after a gap do not count
                    break
        except ray.exceptions.RayTaskError as error:
            raise as_local_error(error) from None
        except Exception as error:
            if not is_death(ray, error):
                raise
            raise ClusterLost(
                f"{MAX_DEATHS + 1} workers died in practice; the last error: {first_line(error)}."
            ) from None
        return won


def play_here(
    starts: Sequence[Start], policies: Sequence[Policy], seconds: float, processes: int = 1
) -> list[list[bool]]:
    """Return the levels won by each policy within some seconds, played on this machine."""
    together = policies[0].alone if len(policies) == 1 else Together(policies)
    count, deadline = len(policies), time.monotonic() + seconds
    parts = max(1, min(processes, len(starts) * count // GAMES_PER_PROCESS, len(starts)))
    found = forked(
        lambda part: wins_of_each(part, together, count, deadline=deadline),
        [starts[k::parts] for k in range(parts)],
        parts,
    )
    # Levels after one that was not finished in time do not count.
    finished = min((k + parts * len(found[k][0]) for k in range(parts)), default=0)
    return [[found[i % parts][who][i // parts] for i in range(min(finished, len(starts)))] for who in range(count)]


def play_part(starts: Sequence[Start], policies: Sequence[Policy], seconds: float) -> Part:
    """Return the levels won by each policy within some seconds, with the worker's version and node."""
    return __version__, str(import_ray().util.get_node_ip_address()), play_here(starts, policies, seconds)
