"""What the child processes can do: learn, play, think about a position, draw.

Policies are kept by key, a few at a time, so that a request need not carry one. A request about a policy that is not
there answers {"missing": true}; the server then sends it and asks again.
"""

from __future__ import annotations

import base64
import json
import os
import time
from collections import OrderedDict
from collections.abc import Callable, Generator
from dataclasses import asdict, replace
from functools import cache
from typing import TYPE_CHECKING, Any

from shown import world
from shown.demonstrations import Demonstration, Demonstrations, Step
from shown.errors import BadInput
from shown.games import find
from shown.games.episodes import Episode, demonstrate, play, play_many
from shown.games.levels import Level, load_levels
from shown.grid import Action, Grid
from shown.studio.forms import action_to_json, run_to_json
from shown.studio.lessons import policy_of
from shown.studio.places import Playable, find_playable, number_of
from shown.studio.remarks import PIN, STRIKE
from shown.studio.ways import WORDS, Way
from shown.teaching.differences import differences
from shown.teaching.next_level import doubt
from shown.teaching.readings import Reading
from shown.world import World

if TYPE_CHECKING:
    from shown.inference.conditioned import Contradiction
    from shown.policy import Policy
    from shown.rules import Formula, Literal
    from shown.teaching.advice import Advice, Click
    from shown.teaching.taught import Taught
    from shown.teaching.teach import Pupil

Request = dict[str, Any]
Answer = dict[str, Any]

KEPT = 4
POLICY_EVERY = 1.0
"""Seconds between two intermediate policies; the first comes as soon as there is one."""
DOZEN = 12
MAX_CANDIDATES = 25
MAX_TABLE = 12
TINY = 0.0005


class Tasks:
    """The tasks and the policies they are about."""

    def __init__(self) -> None:
        self.policies: OrderedDict[tuple[str, int], Policy] = OrderedDict()
        self.game = cache(find_playable)

    def table(self) -> dict[str, Callable[[Request], Any]]:
        return {
            "warm": self.warm,
            "learn": self.learn,
            "policy": self.policy,
            "check": self.check,
            "run": self._with(self.run),
            "runs": self._with(self.runs),
            "position": self._with(self.position),
            "why": self._with(self.why),
            "doubt": self._with(self.doubt),
            "sentence": self._with(sentence),
            "score": self._with(self.score),
            "posterior": self._with(self.posterior),
            "differ": self._with(self.differ),
            "python": self._with(lambda policy, request: {"text": policy.to_python()}),
            "gif": self._with(self.gif),
            "film": self.film,
        }

    def _with(self, task: Callable[[Policy, Request], Answer]) -> Callable[[Request], Answer]:
        def run(request: Request) -> Answer:
            key = (request["key"][0], request["key"][1])
            if key not in self.policies:
                return {"missing": True}
            self.policies.move_to_end(key)
            return task(self.policies[key], request)

        return run

    # --- learning ----------------------------------------------------------------------------------------------------

    def warm(self, request: Request) -> Answer:
        """Imports and compiles everything once, on a lesson of Nim."""
        from shown.explain import explain
        from shown.teaching.teach import teach

        nim = find("nim")
        levels = load_levels(nim, "train:0-1")
        policy = teach(demonstrate(nim, levels), nim, programs=500, practise=0.1).policy
        explain(policy, levels[0].grid, policy.act(levels[0].grid))
        return {}

    def learn(self, request: Request) -> Generator[Answer, bool | None, Answer]:
        """Learns what the teacher means; news are how far it is and, now and then, the best policy so far.

        The demonstrations come as text, which the server has of each of them already.
        """
        from shown.language.standard import STANDARD
        from shown.policy import Policy
        from shown.rules import Conditions
        from shown.teaching.many import iter_learn_many

        game, shown = self.game(request["game"]), Demonstrations.from_json(json.loads(request["demonstrations"]))
        conditions = Conditions.from_json(
            request.get("conditions", {}), game.tokens, game.buttons, STANDARD, "what was said of the rule"
        )
        # One processor stays free for the page and whoever else is at work.
        threads = max(1, (os.cpu_count() or 1) - 1)
        pupil = Way.from_json(request, "how to learn").pupil(game, conditions, threads)
        if request["before"] is not None:
            pupil.remember(Policy.from_json(request["before"], "the policy so far"))
        stages = iter_learn_many(pupil, shown)
        progress: Answer = {}
        sent, due, stopped = None, 0.0, True
        try:
            while True:
                stage = next(stages)
                progress = {"phase": stage.phase, "won": stage.won, "seconds": stage.seconds}
                news: Answer = {"progress": progress}
                if stage.best is not sent and stage.best is not None and time.monotonic() >= due:
                    sent, due = stage.best, time.monotonic() + POLICY_EVERY
                    news |= _policy(sent)
                if (yield news):
                    break
        except StopIteration:
            stopped = False
        except KeyboardInterrupt:
            pass
        stages.close()
        return {"stopped": stopped, "progress": progress, **_taught(pupil, shown)}

    # --- playing -----------------------------------------------------------------------------------------------------

    def policy(self, request: Request) -> Answer:
        """Takes a policy in; everything about it is checked here."""
        key = (request["key"][0], request["key"][1])
        policy = policy_of(self.game(key[0]), request["policy"], "the policy")
        self.policies[key] = policy
        while len(self.policies) > KEPT:
            self.policies.popitem(last=False)
        return {"summary": summary(policy)}

    def check(self, request: Request) -> Answer:
        """Looks at a policy that somebody has sent: an error if it is not one for the game."""
        policy_of(self.game(request["game"]), request["policy"], "the policy")
        return {}

    def run(self, policy: Policy, request: Request) -> Answer:
        """One whole run on a level."""
        game = self.game(request["game"])
        return run_to_json(game, _episode(game, policy, request))

    def runs(self, policy: Policy, request: Request) -> Answer:
        """Whole runs on several levels, played side by side."""
        levels = [_level(level) for level in request["levels"]]
        game = self.game(request["game"])
        if isinstance(game, World):
            starts = [(game.another(), number_of(level.name) or 0) for level in levels]
            episodes = world.play_many(starts, policy)
        else:
            episodes = play_many(game, policy, levels, request.get("seed", 0))
        return {"runs": [run_to_json(game, episode) for episode in episodes]}

    def position(self, policy: Policy, request: Request) -> Answer:
        """How likely every action is, and what each candidate would do."""
        grid = Grid(tuple(request["rows"]))
        shares = policy.component_probabilities(grid)
        mixed = policy.probabilities(grid)
        chosen = policy.act(grid)
        return {
            "chosen": action_to_json(chosen),
            "probabilities": _sparse(policy, grid, mixed),
            "disagreement": policy.disagreement(grid),
            "clauses": [
                _allowed(policy, grid, share) or [] for share in self._clauses(policy).component_probabilities(grid)
            ],
            "candidates": [
                {"weight": component.weight, "actions": _allowed(policy, grid, share)}
                for component, share in list(zip(policy.components, shares, strict=True))[:MAX_CANDIDATES]
            ],
        }

    @staticmethod
    def _clauses(policy: Policy) -> Policy:
        """The clauses of the best candidate as candidates of their own, to see which cells each one means."""
        best = policy.components[0]
        said = policy.speaker.sayings(best.formula)
        return replace(
            policy, components=tuple(replace(best, weight=1 / len(said), formula=one.formula) for one in said)
        )

    def why(self, policy: Policy, request: Request) -> Answer:
        """Why this action, or why not: the clauses of the weightiest candidate that allows it, or of the best."""
        from shown.explain import explain

        grid, action = Grid(tuple(request["rows"])), _action(request["action"])
        place = policy.buttons.index(str(action)) if policy.buttons else action
        shares = policy.component_probabilities(grid)
        allowing = [k for k, share in enumerate(shares) if share[place] > 0 and not (share > 0).all()]
        speaker = allowing[0] if allowing else 0
        alone = replace(policy, components=(replace(policy.components[speaker], weight=1.0),))
        view = explain(alone, grid, action).components[0]
        clauses = [asdict(clause) for clause in view.clauses]
        for clause in clauses:
            clause["literals"] = sorted(clause["literals"], key=lambda literal: literal["program"].count("("))
        return {
            "action": action_to_json(action),
            "probability": float(policy.probabilities(grid)[place]),
            "candidate": speaker,
            "weight": policy.components[speaker].weight,
            "allowing": len(allowing),
            "allowingWeight": sum(policy.components[k].weight for k in allowing),
            "candidates": len(policy.components),
            "clauses": clauses,
        }

    def doubt(self, policy: Policy, request: Request) -> Answer:
        """How much the candidates disagree on a level: the most on any position of a run."""
        level, game = _level(request), self.game(request["game"])
        return {"doubt": doubt(policy, level, game, number_of(level.name) or 0).disagreement}

    # --- for the researcher ------------------------------------------------------------------------------------------

    def score(self, policy: Policy, request: Request) -> Answer:
        """How many of some of the levels that are held out the policy wins."""
        from shown.studio.research import held_out_starts

        starts = held_out_starts(self.game(request["game"]), request["first"], request["count"])
        return {"won": sum(world.wins(starts, policy))}

    def posterior(self, policy: Policy, request: Request) -> Answer:
        """The weightiest candidates, and how many there are."""
        shown = policy.components[:MAX_TABLE]
        return {
            "components": [
                {
                    "weight": part.weight,
                    "log_prior": part.log_prior,
                    "log_likelihood": part.log_likelihood,
                    "literals": len(part.formula.literals),
                    "clauses": rule(policy, part.formula)["clauses"],
                }
                for part in shown
            ],
            "count": len(policy.components),
            "rest": max(0.0, 1.0 - sum(part.weight for part in shown)),
        }

    def differ(self, policy: Policy, request: Request) -> Answer:
        """Where on a level each of the weightiest candidates is farthest from the best."""
        few = replace(policy, components=policy.components[:MAX_TABLE])
        level = _level(request)
        found = differences(few, level, self.game(request["game"]), number_of(level.name) or 0)
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
        """A run on a level as a GIF."""
        game = self.game(request["game"])
        episode = _episode(game, policy, request)
        return _film(game, episode.demonstration, episode.last)

    def film(self, request: Request) -> Answer:
        """A recording as a GIF."""
        recording = request["recording"]
        steps = tuple(Step(Grid(tuple(s["rows"])), _action(s["action"])) for s in recording["steps"])
        demonstration = Demonstration(steps, outcome=recording["outcome"])
        return _film(self.game(request["game"]), demonstration, Grid(tuple(recording["last"])))


# --- what was learned ------------------------------------------------------------------------------------------------


def _taught(pupil: Pupil, shown: Demonstrations) -> Answer:
    """What came of learning, as an answer; nothing if it was stopped before there was anything."""
    kept = " and keeps to what you said of it" if pupil.conditions else ""
    nothing = f"No rule explains all that you have shown{kept}."
    taught = pupil.taught
    if taught is None:
        return {"tried": [], "lost": 0, "failure": None, "advice": None}
    return {
        "tried": [[tried.hypothesis.name, tried.fits, tried.score] for tried in taught.tried],
        "lost": len(taught.lost),
        "failure": None if taught.learned else nothing,
        "advice": _placed(_advice(pupil, taught, shown), shown),
        "contradictions": [_where(item, shown) for item in taught.contradictions],
        **(_policy(taught.policy) if taught.learned else {}),
    }


def _advice(pupil: Pupil, taught: Taught, shown: Demonstrations) -> Advice | None:
    """The advice, with demonstrations numbered as they were shown: of many only some are learned from. Where a rule
    fits, it is not known which two clicks to compare, and to look through many for them would take too long."""
    from shown.games.game import Game
    from shown.teaching.advice import advise
    from shown.teaching.readings import AS_CLICKED

    own, failure = pupil.demonstrations, taught.failure
    if taught.advice is None or own is None:
        return None
    numbers = [_number(item, shown) for item in own]
    if numbers == list(range(len(own))):
        return taught.advice
    if failure is None:
        return None
    items = dict(zip(numbers, own, strict=True))
    all_shown = replace(shown, items=tuple(items.get(i, one) for i, one in enumerate(shown)))
    here, there = numbers[failure.demonstration], numbers[failure.other_demonstration]
    reading = taught.failed.reading if taught.failed is not None else AS_CLICKED
    game = pupil.game if isinstance(pupil.game, Game) else None
    return advise(all_shown, replace(failure, demonstration=here, other_demonstration=there), game, reading)


def _number(item: Demonstration, shown: Demonstrations) -> int:
    """Which of those that were shown this is, without its idle clicks: the shortest that has all its steps."""
    own = {(step.grid, step.action) for step in item.steps}
    whole = (i for i, one in enumerate(shown) if own <= {(step.grid, step.action) for step in one.steps})
    return min(whole, key=lambda i: len(shown.items[i].steps))


def _placed(advice: Advice | None, shown: Demonstrations) -> Answer | None:
    """The advice, with the places of its two clicks among all that was shown, idle clicks included."""

    def place(click: Click) -> list[int] | None:
        steps = shown.items[click.demonstration].steps if click.demonstration < len(shown) else ()
        at = [s for s, step in enumerate(steps) if (step.grid, step.action) == (click.grid, click.action)]
        return [click.demonstration, at[0]] if at else None

    if advice is None:
        return None
    places = [place(advice.here), place(advice.there)]
    return {**advice.to_json(), "places": places} if None not in places else None


def _where(item: Contradiction, shown: Demonstrations) -> Answer:
    """A contradiction, with its place among all that was shown, idle clicks included; without, if only a mirror image
    says so."""
    places = [
        [d, s]
        for d, one in enumerate(shown)
        for s, step in enumerate(one.steps)
        if (step.grid, step.action) == (item.grid, item.action)
    ]
    found = {key: item.to_json()[key] for key in ("rule", "action", "other")}
    return {**found, "place": places[0] if places else None}


def _policy(policy: Policy) -> Answer:
    return {"policy": policy.to_json(), "summary": summary(policy)}


def summary(policy: Policy) -> Answer:
    """The policy's rules in English: the best candidate's clauses, how many others there are, and where it is from."""
    best = policy.components[0]
    return {
        **understood(policy.origin or {}),
        "subject": policy.subject,
        **rule(policy, best.formula),
        "weight": best.weight,
        "components": len(policy.components),
        "literals": len(best.formula.literals),
    }


def understood(origin: dict[str, Any]) -> Answer:
    """How the teacher was understood and what is expected of it, as far as a policy's origin says so.

    >>> understood({"expected": {"won": 59, "of": 100}})["expected"]
    {'won': 7, 'of': 12, 'more_or_less': 2}
    """
    match origin.get("expected"):
        case {"won": int(won), "of": int(of)} if 0 <= won <= of:
            expected: Answer | None = _expected(won, of)
        case _:
            expected = None
    match origin.get("demonstrations"):
        case {"count": int(count)}:
            seen: int | None = count
        case _:
            seen = None
    return {
        "seen": seen,
        "reading": Reading.from_json(origin["reading"]).name if "reading" in origin else None,
        "lenient": origin.get("lenient") is True,
        "mirrored": bool(origin.get("symmetry")),
        "language": origin.get("grammar") if origin.get("grammar") in WORDS else None,
        **{key: x if isinstance(x := origin.get(key), int) else None for key in ("programs", "distinct")},
        "expected": expected,
    }


def _expected(won: int, of: int) -> Answer:
    """Of a dozen new levels: so many, more or less so many (a standard deviation)."""
    from shown.teaching.taught import Expectation

    found = Expectation(won, of)
    variance = DOZEN * found.share * (1 - found.share) + DOZEN * (DOZEN - 1) * found.spread**2
    return {"won": round(DOZEN * found.share), "of": DOZEN, "more_or_less": round(variance**0.5)}


def rule(policy: Policy, formula: Formula) -> Answer:
    """A formula's clauses as English phrases (the last one says if a clause stands for its mirror images too), and for
    those that stay because somebody has said so, what was said."""
    sayings = policy.speaker.sayings(formula)
    pinned = _pinned(policy)
    kept = [[pinned.get(frozenset(clause)) for clause in one.formula.clauses] for one in sayings]
    return {
        "clauses": [list(one.phrases) for one in sayings],
        "pinned": [texts[0] if None not in texts else None for texts in kept],
    }


def _pinned(policy: Policy) -> dict[frozenset[Literal], str]:
    """What was pinned when the policy was learned, clause by clause, as it is said; and as it was pinned."""
    from shown.language.standard import STANDARD
    from shown.rules import Conditions, Formula

    found = (policy.origin or {}).get("conditions")
    if found is None:
        return {}
    try:
        said = Conditions.from_json(found, policy.tokens, policy.buttons, STANDARD, "the policy")
    except BadInput:  # a file may claim anything about where it came from
        return {}
    return {
        frozenset(as_said): " and ".join(map(str, clause))
        for clause in said.pinned
        for as_said in policy.speaker.canonical(Formula((clause,))).clauses
    }


def sentence(policy: Policy, request: Request) -> Answer:
    """A sentence of the best rule, or one phrase of it, as a remark: what is to stay, or what was an accident.

    A sentence that stands for its mirror images is kept with them, and a condition is struck with its own.
    """
    from shown.symmetry import closure, of_term

    sayings = policy.speaker.sayings(policy.components[0].formula)
    number, phrase = request["clause"], request["phrase"]
    if number >= len(sayings) or not sayings[number].clause:
        raise BadInput("there is no such sentence.")
    saying = sayings[number]
    if phrase is None:
        clauses = [" and ".join(map(str, clause)) for clause in saying.formula.clauses]
        # What happened to be so always when it was pinned need not be so later: that is left unsaid.
        plain = replace(policy.speaker, facts=replace(policy.facts, always=()))
        words = plain.sayings(policy.components[0].formula)[number].phrases
        return {"remark": {"kind": PIN, "programs": clauses, "words": list(words)}}
    if phrase >= len(saying.told):
        raise BadInput("there is no such condition.")
    literals = saying.told[phrase]
    images = (of_term(x.term, t, policy.language) for x in literals for t in closure(policy.facts.symmetries))
    programs = list(dict.fromkeys(str(image) for image in images if image is not None))
    return {"remark": {"kind": STRIKE, "programs": programs, "words": [policy.speaker.phrase(x) for x in literals]}}


def _episode(game: Playable, policy: Policy, request: Request) -> Episode:
    level = _level(request)
    if isinstance(game, World):
        return world.play(game, policy.act, number_of(level.name) or 0)
    return play(game, policy.act, level, request.get("seed", 0))


def _level(request: Request) -> Level:
    return Level(request["name"], Grid(tuple(request["rows"])))


def _film(game: Playable, demonstration: Demonstration, last: Grid) -> Answer:
    from shown.render import film, gif

    frames = film(demonstration.steps, last, demonstration.outcome)
    picture = gif(frames, game.tokens, game.name, cell=None)
    return {"gif": base64.b64encode(picture).decode()}


def _action(value: Any) -> Action:
    return value if isinstance(value, str) else (value[0], value[1])


def _sparse(policy: Policy, grid: Grid, shares: Any) -> list[list[Any]]:
    """The actions with more than a trace of probability, as [row, column, p] or [button, p]."""
    if policy.buttons:
        return [[name, float(p)] for name, p in zip(policy.buttons, shares, strict=True) if p >= TINY]
    return [[r, c, round(float(shares[r, c]), 4)] for r, c in grid.cells() if shares[r, c] >= TINY]


def _allowed(policy: Policy, grid: Grid, share: Any) -> list[Any] | None:
    """The actions a candidate allows, or None where it allows none and would guess."""
    actions: list[Any] = list(policy.buttons) or [list(cell) for cell in grid.cells()]
    flat = share.reshape(-1)
    allowed = [action for action, p in zip(actions, flat, strict=True) if p > 0]
    return None if len(allowed) == len(actions) else allowed
