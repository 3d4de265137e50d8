"""Compare what methods learn with the record: `python scripts/recorded_learns.py [--record] [NAME ...]`.

The record, `tests/data/recorded_learns.json`, is the link between code and stored results: for every method that
results rest on and that trains no network, what it learns in a few small trials, as text. A learn that differs means
that stored rows no longer say what this code does: restore it, or raise the version of the method (game, levels,
demonstrator, judge) in `shown_evidence/methods.py`. After that, `--record` replaces the learns whose versions were
raised, and no others.
"""

from __future__ import annotations

import argparse
import json
import sys
import warnings
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from shown import NothingFits
from shown.policy import Policy
from shown.worlds import GAMES
from shown_evidence.methods import older, versions_of
from shown_evidence.trials.demonstrators import demonstrations
from shown_evidence.trials.learners import METHODS
from shown_evidence.trials.scoring import scores
from shown_evidence.trials.trial import Trial, describe, find_place

RECORDED = Path(__file__).parents[1] / "tests" / "data" / "recorded_learns.json"

WHOLE = 3  # rules recorded as text; of the others, which have little weight, the weights are enough

NINE, FEW = ("test:0-8",), ("test:0-2",)
EMPTY_ROOM = "gym:MiniGrid-Empty-Random-6x6-v0"

SMALL: Mapping[str, Mapping[str, Any]] = {
    "lpp-told": {"programs": 1000},
    "lpp-duplicates": {"programs": 300, "ensemble": 5},
    "lpp-details": {"programs": 300, "ensemble": 5},
    "no-prior": {"programs": 1000, "ensemble": 5},
    "no-prior-any": {"programs": 300, "ensemble": 5},
    "sparsity-prior": {"programs": 1000, "ensemble": 5},
    "vpi": {"programs": 1000, "ensemble": 5},
    "vpi-best": {"programs": 1000},
    "random": {},
    "random-sensible": {},
    "search": {"episodes": 600},
    "tree": {},
    "boosted": {"rounds": 10},
    "tree-programs": {"programs": 300},
    "boosted-programs": {"programs": 300, "rounds": 10},
}
"""Methods that learn Nim from two games, and their options."""


def trials() -> Iterator[Trial]:
    """Yield the recorded trials, those of one method one after the other."""
    for game in GAMES:
        yield Trial("lpp", game, "train:0-4", options={"ensemble": 5}, test=NINE)
    yield Trial("lpp", "nim", "train:0-4", "correlated", options={"ensemble": 5, "noise": 0.01}, test=NINE)
    yield Trial("lpp", "nim", "train:0-4", "independent", options={"ensemble": 5, "noise": 0.01}, test=NINE)
    for game in GAMES:
        words = {"programs": 3000, "clauses": True, "mirrored": True, "words": "standard"}
        yield Trial("lpp-with", game, "train:0-2", options=words, test=FEW)
    for game in GAMES:
        yield Trial("shown", game, "train:0-1", options={"programs": 1000}, test=NINE)
    for game, style in (("nim", "slips"), ("checkmate", "any-mate"), ("fence-in", "row-in-any-order")):
        yield Trial("shown", game, "random:200000-200002", f"style:{style}", options={"programs": 1000}, test=FEW)
    for game in GAMES:
        yield Trial("shown-practice", game, "train:0", options={"programs": 1000, "rounds": 2}, test=FEW)
    for method, options in SMALL.items():
        yield Trial(method, "nim", "train:0-1", options=options, test=FEW)
    world = {"options": {"programs": 1000, "rounds": 2}, "test": ("seeds:900000-900004",)}
    yield Trial("shown-world", EMPTY_ROOM, "seeds:0-1", **world)
    for method, rounds in (("tree-buttons", 0), ("boosted-buttons", 10)):
        yield Trial(method, EMPTY_ROOM, "seeds:0-1", options={"rounds": rounds}, test=("seeds:900000-900004",))
    frames = {"programs": 2000, "values": "red,black_to_red,red_to_black,black"}
    yield Trial("lpp-values", "atari:Breakout", "seeds:0", options=frames, test=("seeds:0",))


def name_of(trial: Trial) -> str:
    """Return the name of a recorded trial, which begins with its method.

    >>> name_of(Trial("lpp", "nim", "train:0-1"))
    'lpp: LPP nim from train:0-1'
    """
    return f"{trial.method}: {describe(trial.settings)}"


def learn(trial: Trial) -> dict[str, Any]:
    """Run a trial; return the levels won, and its policy's rules with their weights, or else its actions."""
    place = find_place(trial.game)
    demos = demonstrations(place, trial.levels, trial.demonstrations, trial.seed)
    imitator = METHODS[trial.method].build(place, trial.start, trial.options)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", NothingFits)  # which is recorded, too
        imitator.fit(demos)
    won = scores(place, imitator, demos, trial.levels, trial.test)["won"]
    policy = getattr(imitator, "policy_", None)
    if not isinstance(policy, Policy):
        actions = imitator.act_many([step.grid for step in demos.steps])
        return {"won": won, "acts": " ".join(map(_text, actions))}
    components = policy.to_json()["components"]
    others = " ".join(f"{component['weight']:.9f}" for component in components[WHOLE:])
    return {"won": won, "rules": [_rule(component) for component in components[:WHOLE]], "other_weights": others}


def _rule(component: Mapping[str, Any]) -> str:
    """Return a component as its weight and clauses."""
    clauses = [clause if isinstance(clause, dict) else {"clause": clause} for clause in component["clauses"]]
    texts = [
        " and ".join(each["clause"]) + (f" [images: {json.dumps(each['images'])}]" if "images" in each else "")
        for each in clauses
    ]
    return f"{component['weight']:.9f}: {' or '.join(texts)}"


def _text(action: Any) -> str:
    return action if isinstance(action, str) else ",".join(map(str, action))


def difference(trial: Trial, recorded: Mapping[str, Any] | None, learned: Mapping[str, Any]) -> str:
    """Return what is wrong with a learn, or an empty text."""
    versions = versions_of(trial.settings)
    if recorded is None:
        return "not recorded yet: run python scripts/recorded_learns.py --record"
    raised = older(recorded["versions"], versions)
    if raised:
        return f"recorded before {raised[0]} {versions[raised[0]]}: run python scripts/recorded_learns.py --record"
    if learned == recorded["learned"]:
        return ""
    parts = [part for part in learned if learned[part] != recorded["learned"].get(part)]
    before, after = (
        json.dumps({part: source.get(part) for part in parts}) for source in (recorded["learned"], learned)
    )
    return (
        f"this changes what {trial.method} {versions[f'method {trial.method}']} learns.\n  before {before}\n"
        f"  after  {after}\nRestore it, or raise its version in evidence/src/shown_evidence/methods.py."
    )


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--record", action="store_true", help="replace what is missing or has a raised version")
    parser.add_argument("names", nargs="*", metavar="NAME", help="only trials whose names begin so, such as lpp:")
    args = parser.parse_args()
    recorded: dict[str, Any] = json.loads(RECORDED.read_text()) if RECORDED.exists() else {}
    known = {name_of(trial): trial for trial in trials()}
    wrong = 0
    for name, trial in known.items():
        if args.names and not name.startswith(tuple(args.names)):
            continue
        learned = learn(trial)
        problem = difference(trial, recorded.get(name), learned)
        if args.record and problem.endswith("--record"):
            recorded[name] = {"versions": versions_of(trial.settings), "learned": learned}
            problem = ""
        print(f"{name}: {problem or 'same'}", flush=True)
        wrong += bool(problem)
    if args.record:
        kept = {name: recorded[name] for name in known if name in recorded}
        RECORDED.write_text(json.dumps(kept, indent=1) + "\n")
    return int(wrong > 0)


if __name__ == "__main__":
    sys.exit(main())
