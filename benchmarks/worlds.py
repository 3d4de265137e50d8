"""Minigrid from a few demonstrations: how many of 60 new seeds are won, by language and with or without practice.

    python benchmarks/worlds.py                                  the table, some hours on one core
    python benchmarks/worlds.py --worlds LavaGapS7 --counts 5    a part of it

The expert that searches (`shown.worlds.minigrid.expert`) demonstrates on seeds 0, 1, …, and for further sets of
demonstrations on seeds 100, 101, … and so on; a figure is the mean over the sets. Language, view and expert were chosen
on seeds 1000 to 1059, and the table is of seeds 7000 to 7059, which were played for it alone. Each figure is written to
--out as soon as it is measured, with what was won seed by seed.
"""

from __future__ import annotations

import argparse
import json
import statistics
import time
from pathlib import Path

from shown.teaching.teach import teach
from shown.world import demonstrate, play_many, starts_of
from shown.worlds import find

WORLDS = ("Empty-Random-6x6", "LavaGapS7", "DoorKey-5x5", "DoorKey-8x8", "Unlock", "FourRooms")
COUNTS = (1, 3, 5, 10)
SETTINGS = ("standard/20/auto", "walking/20", "paper/20", "standard/0", "walking/0", "paper/0")
"""The language, the seconds of practice and, if not 10,000, the programs: "standard/20/auto"."""
SETS = 5
APART = 100
"""The demonstrations of one set begin so many seeds after those of the one before."""
JUDGE = range(7000, 7060)


def measure(name: str, count: int, setting: str, see: str, seeds: range, which: int) -> dict[str, object]:
    """Learns from `count` demonstrations and plays the seeds."""
    language, practise, programs = (*setting.split("/"), "10000")[:3]
    world = find(f"gym:MiniGrid-{name}-v0#{see}")
    start, processor = time.monotonic(), time.process_time()
    demonstrations = demonstrate(starts_of(world, range(APART * which, APART * which + count)))
    taught = teach(
        demonstrations,
        world,
        language=None if language == "any" else language,
        practise=float(practise),
        programs="auto" if programs == "auto" else int(programs),
    )
    seconds, processor = time.monotonic() - start, time.process_time() - processor
    episodes = play_many(starts_of(world, seeds), taught.policy)
    return {
        "world": name,
        "see": see,
        "setting": setting,
        "demonstrations": count,
        "set": which,
        "learned": taught.learned,
        "seeds": f"{seeds.start}-{seeds.stop - 1}",
        "won": "".join("01"[episode.won] for episode in episodes),
        "success": statistics.mean(episode.won for episode in episodes),
        "reward": statistics.mean(episode.reward for episode in episodes),
        "literals": len(taught.policy.components[0].formula.literals),
        "seconds": round(seconds, 1),
        "processor": round(processor, 1),
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--worlds", nargs="+", default=WORLDS, choices=WORLDS)
    parser.add_argument("--counts", nargs="+", type=int, default=COUNTS)
    parser.add_argument("--settings", nargs="+", default=SETTINGS, metavar="LANGUAGE/SECONDS[/PROGRAMS]")
    parser.add_argument("--see", default="turned", choices=("turned", "partial", "full"))
    parser.add_argument("--sets", type=int, default=SETS, help="sets of demonstrations, of which the mean is told")
    parser.add_argument("--first", type=int, default=JUDGE.start, help="the first of the 60 seeds")
    parser.add_argument("--out", type=Path, help="a file of JSON lines to add to")
    args = parser.parse_args()
    seeds = range(args.first, args.first + len(JUDGE))
    print(f"{'':18}{'':14}" + "".join(f"{count:>7}" for count in args.counts), flush=True)
    for setting in args.settings:
        for name in args.worlds:
            print(f"{name:18}{setting:14}", end="", flush=True)
            for count in args.counts:
                won = []
                for which in range(args.sets):
                    row = measure(name, count, setting, args.see, seeds, which)
                    won.append(float(str(row["success"])))
                    if args.out:
                        with args.out.open("a") as file:
                            file.write(json.dumps(row) + "\n")
                print(f"{statistics.mean(won):7.2f}", end="", flush=True)
            print(flush=True)


if __name__ == "__main__":
    main()
