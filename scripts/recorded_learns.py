"""Compare 24 recorded learns with what this code learns: `python scripts/recorded_learns.py [--record]`.

A refactoring keeps every policy byte for byte, apart from its provenance. The digests are in
`tests/data/recorded_learns.json`; `--record` replaces them, which is right only where the meaning changed on purpose.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import sys
import warnings
from collections.abc import Iterator
from pathlib import Path

import numpy as np

from shown import Demonstrations, Learner, NothingFits, Policy, teach
from shown.evaluation.resources import Resources
from shown.worlds import GAMES, demonstrate, find, load_levels, play
from shown_evidence.styles import non_expert_styles

RECORDED = Path(__file__).parents[1] / "tests" / "data" / "recorded_learns.json"
UNCHECKED = ("schema", "origin", "provenance")


def learns(names: list[str]) -> Iterator[tuple[str, Policy]]:
    """Learn each game four ways: as published, by clauses, taught by the expert, and taught by a scripted style."""
    for name in names:
        game = find(name)
        shown = {count: demonstrate(game, load_levels(game, f"train:0-{count - 1}")) for count in (2, 3, 5)}
        yield f"published/{name}", Learner.published().fit(shown[5]).policy_
        clauses = Learner(programs=3000, search="clauses", language="standard", resources=Resources(seed=1))
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", NothingFits)  # in Reach for the Star nothing fits, which is recorded too
            yield f"clauses/{name}", clauses.fit(shown[3]).policy_
        yield f"teach/{name}", teach(shown[2], game, programs=1000, practice=1e5, rounds=2).policy
        style, rng = non_expert_styles(name)[0], np.random.default_rng(0)
        games = [play(game, style.begin(level.grid, rng), level) for level in load_levels(game, "train:0-2")]
        own = Demonstrations(game.tokens, tuple(episode.demonstration for episode in games), name)
        yield f"style/{name}", teach(own, game, programs=1000, practice=0).policy


def digest(policy: Policy) -> str:
    """Return the SHA-256 digest of everything in a policy's file but its provenance."""
    body = {key: value for key, value in policy.to_json().items() if key not in UNCHECKED}
    return hashlib.sha256(json.dumps(body, sort_keys=True).encode()).hexdigest()


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--record", action="store_true", help="replace the recorded digests")
    parser.add_argument("games", nargs="*", metavar="GAME", help="only these games")
    args = parser.parse_args()
    found = {}
    recorded = json.loads(RECORDED.read_text()) if RECORDED.exists() else {}
    for name, policy in learns(args.games or list(GAMES)):
        found[name] = digest(policy)
        print(f"{'same' if found[name] == recorded.get(name) else 'DIFFERENT':9} {name}", flush=True)
    if args.record:
        RECORDED.parent.mkdir(exist_ok=True)
        RECORDED.write_text(json.dumps(recorded | found, indent=1) + "\n")
        return 0
    return int(any(recorded.get(name) != value for name, value in found.items()))


if __name__ == "__main__":
    sys.exit(main())
