"""What was learned, to look at: a game that is won from as few demonstrations as the paper's, and a rule in words."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from shown.errors import ShownError
from shown.experiments.claims import Finding, graded, holding
from shown.experiments.experiment import Experiment, Picture, Pictures, Scale, Table
from shown.experiments.paper import PERFECT_FROM
from shown.experiments.rows import Row
from shown.experiments.statistics import games_among, has_standard_options, measured, select, size, success
from shown.experiments.teaching import training_sets
from shown.experiments.trials import Trial
from shown.experiments.words import by_game, many, title
from shown.games import find
from shown.grid import Grid
from shown.render import svg

SETS = 10
TESTED = 9
MOST = 8
"""So many moves of a game are drawn, evenly taken from it."""

RULE_OF = "stop-the-fall"
RULE = "The most probable policy from the demonstrations of the pictures, in words."
CLAUSE = ("the clicked cell is empty", "going up from the clicked cell, a parachuter comes before a")
"""What the paper's clause says of the cell to click first."""


class ToLookAt(Experiment):
    """As many demonstrations as the paper's pictures are from, ten sets of them; drawn is the first set that wins all
    test levels, or else the best."""

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

    def includes(self, settings: Mapping[str, Any]) -> bool:
        known = settings["game"] in PERFECT_FROM
        return (
            known
            and settings["demonstrations"] == "perfect"
            and settings["seed"] == 0
            and settings["levels"] in training_sets(PERFECT_FROM[settings["game"]], SETS)
            and has_standard_options(settings)
        )

    def plots(self, rows: Sequence[Row]) -> list[Pictures | Table]:
        chosen = _of_each_game(rows)
        games = [drawn for row in chosen.values() if (drawn := _drawn(row)) is not None]
        rules = [[title(game), _rule(row)] for game, row in chosen.items() if game == RULE_OF]
        return [*games, *([Table(("Game", "Rule"), rules, RULE)] if rules else [])]

    def text(self, rows: Sequence[Row]) -> list[str]:
        return []

    def findings(self, rows: Sequence[Row]) -> dict[str, Finding]:
        chosen = _of_each_game(rows)
        clause = {"clause": _clause(chosen[RULE_OF])} if RULE_OF in chosen else {}
        if len(chosen) < len(PERFECT_FROM):
            return clause
        return {"panels": _panels(chosen), "no idle actions": _idle(chosen), **clause}


EXPERIMENT = ToLookAt()


def _of_each_game(rows: Sequence[Row]) -> dict[str, Row]:
    games = games_among(rows, ToLookAt.games)
    return {game: best for game in games if (best := _chosen(select(rows, game=game))) is not None}


def _chosen(rows: Sequence[Row]) -> Row | None:
    """The first of the sets that wins most test levels."""
    order = {levels: i for i, levels in enumerate(training_sets(PERFECT_FROM[rows[0].settings["game"]], SETS))}
    told = [row for row in rows if _told(row)]
    return min(told, key=lambda row: (-success(row), order[row.settings["levels"]]), default=None)


def _told(row: Row) -> bool:
    """Whether a result tells of its policy: what is in a store may be anybody's."""
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
    """Some moves of a game, from the first to the last; None if they are none of this game's."""
    game, moves = find(row.settings["game"]), measured(row)["learned"]["game"]
    apart = max(1.0, (len(moves) - 1) / (MOST - 1))
    boards = []
    for place in dict.fromkeys(round(i * apart) for i in range(min(MOST, len(moves)))):
        try:
            grid, (row_of, column_of) = Grid.from_text(moves[place]["grid"]), map(int, moves[place]["action"])
            click = (row_of, column_of)
            drawing = svg(grid, game.tokens, game.name, click=click, cell=14, prefix=f"{game.name}-{place}-")
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
    """Whether a policy takes more moves than the expert does."""
    more, won = 0, 0
    for row in chosen.values():
        learned = measured(row)["learned"]
        for own, expert in zip(learned["moves"], learned["expert_moves"], strict=True):
            won += own is not None
            more += own is not None and own > expert
    return Finding(
        f"Of {many(won, 'test level')} won, {more} took more moves than the expert takes.",
        graded(more == 0, more <= won / 10),
    )


def _clause(row: Row) -> Finding:
    """Whether the rule has the paper's clause: an empty cell, with the parachutist somewhere above."""
    has = all(words in _rule(row) for words in CLAUSE)
    words = "the same condition" if has else "no such condition"
    return Finding(f"The rule, printed under Games and rules to look at, has {words}.", graded(has, False))
