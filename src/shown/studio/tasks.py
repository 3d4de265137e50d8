"""The tasks of the child processes: learn, play, explain a position, draw.

A few policies are kept by key, so that a request need not carry one. A request about a policy that is not there gets
{"missing": true}; the server then sends the policy and asks again.
"""

from __future__ import annotations

import base64
from collections import OrderedDict
from collections.abc import Callable, Generator
from dataclasses import asdict, replace
from functools import cache
from typing import Any

from shown.demonstrations import Demonstration, Step
from shown.explain import explain
from shown.grid import Grid, action_from_json, action_to_json
from shown.policy import Policy
from shown.studio.learning_task import Pupils, level_of
from shown.studio.policy_summary import clicks, other_rule, sentence_remark, summary
from shown.teaching.dialogue.disagreement import differences, doubt
from shown.teaching.lessons.lesson_file import policy_of
from shown.teaching.lessons.lesson_json import run_to_json
from shown.teaching.lessons.scores import held_out_starts
from shown.teaching.teach import teach
from shown.worlds import Playable, demonstrate, find, find_game, load_levels, play, play_many, wins

Request = dict[str, Any]
Answer = dict[str, Any]

MAX_CANDIDATES = 25  # whose actions in a position are reported
MAX_POLICIES = 16  # that are kept
MAX_COMPARED = 12  # candidates in the table and in comparisons
MIN_PROBABILITY = 0.0005  # of a reported action


class Tasks:
    """All tasks of a process, and the pupils and policies that they are about."""

    def __init__(self) -> None:
        self.pupils = Pupils()
        self.policies: OrderedDict[tuple[Any, ...], Policy] = OrderedDict()
        self.game = cache(find)

    def table(self) -> dict[str, Callable[[Request], Any]]:
        plain = (self.warm, self.learn, self.policy, self.check, self.film)
        of_policy: dict[str, Callable[[Policy, Request], Answer]] = {
            **{task.__name__: task for task in (self.run, self.runs, self.position, self.why, self.doubt)},
            **{task.__name__: task for task in (self.score, self.posterior, self.differ, self.gif)},
            "sentence": sentence_remark,
            "rule": other_rule,
            "clicks": lambda policy, request: clicks(policy, request, self.game(request["game"])),
            "python": lambda policy, request: {"text": policy.to_python()},
        }
        named: dict[str, Callable[[Request], Any]] = {task.__name__: task for task in plain}
        return named | {name: self._with(task) for name, task in of_policy.items()}

    def _with(self, task: Callable[[Policy, Request], Answer]) -> Callable[[Request], Answer]:
        def run(request: Request) -> Answer:
            key = tuple(request["key"])
            if key not in self.policies:
                return {"missing": True}
            self.policies.move_to_end(key)
            return task(self.policies[key], request)

        return run

    # --- learning ----------------------------------------------------------------------------------------------------

    def warm(self, request: Request) -> Answer:
        """Compile everything once, on a lesson of Nim."""
        nim = find_game("nim")
        levels = load_levels(nim, "train:0-1")
        policy = teach(demonstrate(nim, levels), nim, programs=500, practice=0.1).policy
        explain(policy, levels[0].grid, policy.act(levels[0].grid))
        return {}

    def learn(self, request: Request) -> Generator[Answer, bool | None, Answer]:
        return self.pupils.learn(self.game(request["game"]), request)

    # --- playing -----------------------------------------------------------------------------------------------------

    def policy(self, request: Request) -> Answer:
        """Check a policy and keep it."""
        key = tuple(request["key"])
        policy = policy_of(self.game(request["game"]), request["policy"], "the policy")
        self.policies[key] = policy
        while len(self.policies) > MAX_POLICIES:
            self.policies.popitem(last=False)
        return {"summary": summary(policy)}

    def check(self, request: Request) -> Answer:
        """Check that this is a policy for the game."""
        policy_of(self.game(request["game"]), request["policy"], "the policy")
        return {}

    def run(self, policy: Policy, request: Request) -> Answer:
        """Play a level, and return the whole run."""
        game = self.game(request["game"])
        return run_to_json(game, play(game, policy.act, level_of(request), request.get("seed", 0)))

    def runs(self, policy: Policy, request: Request) -> Answer:
        """Play several levels side by side."""
        levels = [level_of(level) for level in request["levels"]]
        game = self.game(request["game"])
        episodes = play_many(game, policy, levels, request.get("seed", 0))
        return {"runs": [run_to_json(game, episode) for episode in episodes]}

    def position(self, policy: Policy, request: Request) -> Answer:
        """Return the probability of every action, and the actions that each candidate allows."""
        grid = Grid(tuple(request["rows"]))
        vote = policy.mixture
        shares = vote.component_probabilities(grid)
        return {
            "chosen": action_to_json(policy.act(grid)),
            "probabilities": _sparse(policy, grid, policy.probabilities(grid)),
            "clauses": [
                _allowed(policy, grid, share) or [] for share in policy.by_clause.component_probabilities(grid)
            ],
            "candidates": [
                {"weight": component.weight, "actions": _allowed(policy, grid, share)}
                for component, share in list(zip(vote.components, shares, strict=True))[:MAX_CANDIDATES]
                if component.weight > 0  # one that is only printed does not vote
            ],
        }

    def why(self, policy: Policy, request: Request) -> Answer:
        """Explain an action by the clauses of the weightiest candidate that allows it, or else of the best."""
        grid, action = Grid(tuple(request["rows"])), action_from_json(request["action"])
        place = policy.buttons.index(str(action)) if policy.buttons else action
        shares = policy.component_probabilities(grid)
        allowing = [k for k, share in enumerate(shares) if share[place] > 0 and not (share > 0).all()]
        speaker = allowing[0] if allowing else 0
        alone = replace(policy, components=(replace(policy.components[speaker], weight=1.0),))
        view = explain(alone, grid, action).components[0]
        clauses = [asdict(clause) for clause in view.clauses]
        for clause in clauses:
            clause["literals"] = sorted(clause["literals"], key=lambda literal: literal["program"].count("("))
        return {"candidate": speaker, "allowing": len(allowing), "clauses": clauses}

    def doubt(self, policy: Policy, request: Request) -> Answer:
        """Return the largest disagreement of the candidates on any position of a run."""
        return {"doubt": doubt(policy, level_of(request), self.game(request["game"]))}

    # --- for the researcher ------------------------------------------------------------------------------------------

    def score(self, policy: Policy, request: Request) -> Answer:
        """Return how many of some held-out levels the policy wins."""
        starts = held_out_starts(self.game(request["game"]), request["first"], request["count"])
        return {"won": sum(wins(starts, policy))}

    def posterior(self, policy: Policy, request: Request) -> Answer:
        """Return the candidates with the largest weights, and the number of all."""
        policy = policy.mixture
        shown = policy.components[:MAX_COMPARED]
        return {
            "components": [
                {
                    "weight": part.weight,
                    "log_prior": part.log_prior,
                    "log_likelihood": part.log_likelihood,
                    "literals": len(part.formula.literals),
                    "clauses": [list(one.whole) for one in policy.speaker.sayings(part.formula)],
                }
                for part in shown
            ],
            "count": len(policy.components),
            "rest": max(0.0, 1.0 - sum(part.weight for part in shown)),
        }

    def differ(self, policy: Policy, request: Request) -> Answer:
        """Return where on a level each candidate differs most from the best."""
        few = replace(policy.mixture, components=policy.mixture.components[:MAX_COMPARED])
        found = differences(few, level_of(request), self.game(request["game"]))
        return {
            "differences": [
                {
                    "component": item.component,
                    "distance": item.distance,
                    "step": item.step,
                    "rows": list(item.grid.rows),
                    "best": [action_to_json(action) for action in item.best],
                    "other": [action_to_json(action) for action in item.other],
                }
                for item in found
            ]
        }

    # --- drawing -----------------------------------------------------------------------------------------------------

    def gif(self, policy: Policy, request: Request) -> Answer:
        """Play a level, and return a GIF of it."""
        game = self.game(request["game"])
        episode = play(game, policy.act, level_of(request), request.get("seed", 0))
        return _film(game, episode.demonstration, episode.last)

    def film(self, request: Request) -> Answer:
        """Return a GIF of a recording."""
        recording = request["recording"]
        steps = tuple(Step(Grid(tuple(s["rows"])), action_from_json(s["action"])) for s in recording["steps"])
        demonstration = Demonstration(steps, outcome=recording["outcome"])
        return _film(self.game(request["game"]), demonstration, Grid(tuple(recording["last"])))


def _film(game: Playable, demonstration: Demonstration, last: Grid) -> Answer:
    from shown.render import film, gif  # needs an extra

    frames = film(demonstration.steps, last, demonstration.outcome)
    picture = gif(frames, game.tokens, game.name, cell=None)
    return {"gif": base64.b64encode(picture).decode()}


def _sparse(policy: Policy, grid: Grid, shares: Any) -> list[list[Any]]:
    """Return the actions that are not negligible, as [row, column, p] or [button, p]."""
    if policy.buttons:
        return [[name, float(p)] for name, p in zip(policy.buttons, shares, strict=True) if p >= MIN_PROBABILITY]
    return [[r, c, round(float(shares[r, c]), 4)] for r, c in grid.cells() if shares[r, c] >= MIN_PROBABILITY]


def _allowed(policy: Policy, grid: Grid, share: Any) -> list[Any] | None:
    """Return the actions a candidate allows, or None where it allows none and would guess."""
    actions: list[Any] = list(policy.buttons) or [list(cell) for cell in grid.cells()]
    allowed = [action for action, p in zip(actions, share.reshape(-1), strict=True) if p > 0]
    return None if len(allowed) == len(actions) else allowed
