"""Learned policies as pictures: a game won from as few demonstrations as in the paper, and a rule in English."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from shown.errors import ShownError
from shown.grid import Grid
from shown.render import svg
from shown.worlds import find_game
from shown_evidence.analysis.claims import Finding, graded, holding
from shown_evidence.analysis.statements import PERFECT_FROM
from shown_evidence.analysis.statistics import games_among, measured, select, size, success
from shown_evidence.analysis.success_tables import Table
from shown_evidence.experiments.experiment import Experiment, Picture, Pictures, Scale
from shown_evidence.results.row import Row
from shown_evidence.trials.demonstrators import training_sets
from shown_evidence.trials.trial import Trial
from shown_evidence.wording import by_game, many, title

SETS = 10
TESTED = 9
MAX_MOVES = 8  # moves drawn of a game, evenly spaced

RULE_OF = "stop-the-fall"
RULE = "The most probable policy from the demonstrations of the pictures, in English."
CLAUSE = ("the clicked cell is empty", "going up from the clicked cell, a parachuter comes before a")
"""The paper's clause, in our words."""


class PicturesOfPolicies(Experiment):
    """As many demonstrations as in the paper's pictures, ten sets of them; the first set that wins all test levels is
    drawn, or else the best."""

    name = "pictures"
    title = "Games and rules to look at"
    question = "What does a learned policy look like, and how does it play?"
    methods = ("lpp-told",)

    def trials(self, scale: Scale) -> list[Trial]:
        return [
            Trial(method, game, levels, options=scale.options(method), test=scale.test)
            for method in scale.methods_of(self.methods)
            for game in scale.games_of(self.games)
            for levels in training_sets(PERFECT_FROM[game], scale.repeats(SETS, 3))
        ]

    def plots(self, rows: Sequence[Row]) -> list[Pictures | Table]:
        chosen = _best_by_game(rows)
        games = [drawn for row in chosen.values() if (drawn := _drawn(row)) is not None]
        rules = [[title(game), _rule(row)] for game, row in chosen.items() if game == RULE_OF]
        return [*games, *([Table(("Game", "Rule"), rules, RULE)] if rules else [])]

    def findings(self, rows: Sequence[Row]) -> dict[str, Finding | None]:
        chosen = _best_by_game(rows)
        clause = _clause(chosen[RULE_OF]) if RULE_OF in chosen else None
        if len(chosen) < len(PERFECT_FROM):
            return {"clause": clause}
        return {"panels": _panels(chosen), "no idle actions": _idle(chosen), "clause": clause}


def _best_by_game(rows: Sequence[Row]) -> dict[str, Row]:
    """Return the first of the best results of each game."""
    best = {}
    for game in games_among(rows, PicturesOfPolicies.games):
        order = {levels: i for i, levels in enumerate(training_sets(PERFECT_FROM[game], SETS))}
        described = [row for row in select(rows, game=game) if _is_described(row)]
        if described:
            best[game] = min(described, key=lambda row: (-success(row), order[row.settings["levels"]]))
    return best


def _is_described(row: Row) -> bool:
    """Return whether a result, which may come from anybody, describes its policy in the expected form."""
    learned = measured(row)["learned"]
    counts = [learned.get(name) for name in ("moves", "expert_moves")]
    return (
        isinstance(learned.get("rule"), str)
        and isinstance(learned.get("game"), list)
        and all(isinstance(numbers, list) and len(numbers) == TESTED for numbers in counts)
        and all(isinstance(number, int | None) for numbers in counts for number in numbers)
    )


def _rule(row: Row) -> str:
    return str(measured(row)["learned"]["rule"])


def _drawn(row: Row) -> Pictures | None:
    """Return some moves of a game from first to last; None if they are not moves of this game."""
    game, moves = find_game(row.settings["game"]), measured(row)["learned"]["game"]
    apart = max(1.0, (len(moves) - 1) / (MAX_MOVES - 1))
    boards = []
    for place in dict.fromkeys(round(i * apart) for i in range(min(MAX_MOVES, len(moves)))):
        try:
            grid, (r, c) = Grid.from_text(moves[place]["grid"]), map(int, moves[place]["action"])
            drawing = svg(grid, game.tokens, game.name, click=(r, c), cell=14, prefix=f"{game.name}-{place}-")
        except (ShownError, KeyError, TypeError, ValueError, IndexError):
            return None
        boards.append(Picture(drawing, f"move {place + 1}"))
    won = "won" if measured(row)["learned"]["moves"][0] is not None else "not won"
    caption = f"{title(game.name)}, from {many(size(row), 'demonstration')}: the first test level, {won}."
    return Pictures(boards, caption)


def _panels(chosen: Mapping[str, Row]) -> Finding:
    wins = {game: success(row) for game, row in chosen.items()}
    words = by_game({game: f"{round(9 * share)} of 9" for game, share in wins.items()})
    measured = f"Drawn under Games and rules to look at. Test levels won from the best of {SETS} sets: {words}."
    return Finding(measured, holding(share >= 1 for share in wins.values()))


def _idle(chosen: Mapping[str, Row]) -> Finding:
    """Compare the numbers of moves with the expert's."""
    learned = [measured(row)["learned"] for row in chosen.values()]
    pairs = [pair for each in learned for pair in zip(each["moves"], each["expert_moves"], strict=True)]
    won = [(own, expert) for own, expert in pairs if own is not None]
    more = sum(own > expert for own, expert in won)
    text = f"Of {many(len(won), 'test level')} won, {more} took more moves than the expert takes."
    return Finding(text, graded(more == 0, more <= len(won) / 10))


def _clause(row: Row) -> Finding:
    """Look for the paper's clause: an empty cell with the parachutist somewhere above."""
    has = all(words in _rule(row) for words in CLAUSE)
    words = "the same condition" if has else "no such condition"
    return Finding(f"The rule, printed under Games and rules to look at, has {words}.", graded(has, False))
