"""Practice on the machines of a cluster (Ray): levels are cut into parts, each played somewhere by all candidates.

Who plays a part, and who dies of it, changes nothing: the same policies play the same levels with the same chances.
"""

from __future__ import annotations

import time
from collections.abc import Sequence

from shown.cluster import DEATHS, Cluster, check_version, first_line, import_ray, is_death, plainly
from shown.errors import ClusterLost
from shown.policy import Policy, Together
from shown.version import __version__
from shown.world import Start, wins_of_each

WORTH_SHARING = 600
"""So many games are worth being carried elsewhere: a hundred levels, say, by six candidates."""

PARTS = 2
"""Into so many parts for each core levels are cut: games are not equally long."""

Part = tuple[str, str, list[list[bool]]]
"""Which version played, on which node, and what each policy has won."""


class Elsewhere:
    """Has the games of practice played on a cluster, where there are enough of them.

    Args:
        cluster: where.
    """

    def __init__(self, cluster: Cluster) -> None:
        self._cluster = cluster

    def __call__(self, starts: Sequence[Start], policies: Sequence[Policy], seconds: float) -> list[list[bool]]:
        """`wins_of_each`, in so many seconds."""
        if len(starts) * len(policies) < WORTH_SHARING:
            return here(starts, policies, seconds)
        ray, parts = self._cluster.open(), PARTS * max(1, self._cluster.cores)
        # Workers that wait for the next learn keep their cores, and have nothing to do now.
        task = ray.remote(num_cpus=0, max_retries=DEATHS, scheduling_strategy="SPREAD")(play_part)
        cut = [starts[i * len(starts) // parts : (i + 1) * len(starts) // parts] for i in range(parts)]
        asked, all_of_them = [part for part in cut if part], ray.put(tuple(policies))
        # None of them is ever cancelled: each ends by itself when time is over, and Ray (2.60) sometimes ends this
        # process when what it cancels is just done.
        refs = [task.remote(part, all_of_them, seconds) for part in asked]
        won: list[list[bool]] = [[] for _ in policies]
        try:
            for part, ref in zip(asked, refs, strict=True):
                version, node, of_each = ray.get(ref)
                check_version(version, node)
                for whole, of_one in zip(won, of_each, strict=True):
                    whole += of_one
                if len(of_each[0]) < len(part):  # time was over, and what comes after a gap does not count
                    break
        except ray.exceptions.RayTaskError as error:
            raise plainly(error) from None
        except Exception as error:
            if not is_death(ray, error):
                raise
            raise ClusterLost(f"{DEATHS + 1} workers died of practice, the last since: {first_line(error)}.") from None
        return won


def here(starts: Sequence[Start], policies: Sequence[Policy], seconds: float) -> list[list[bool]]:
    """The same in this process."""
    return wins_of_each(starts, Together(policies), len(policies), until=time.monotonic() + seconds)


def play_part(starts: Sequence[Start], policies: Sequence[Policy], seconds: float) -> Part:
    """The same in a process of the cluster."""
    return __version__, str(import_ray().util.get_node_ip_address()), here(starts, policies, seconds)
