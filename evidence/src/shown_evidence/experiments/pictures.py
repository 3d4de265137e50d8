"""Learned policies as pictures: a game won from as few demonstrations as in the paper, and a rule in English."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from shown.errors import ShownError
from shown.grid import Grid
from shown.render import svg
from shown.worlds import find_game
from shown_evidence.analysis.statements import PERFECT_FROM, Finding, graded, holding
from shown_evidence.analysis.statistics import games_among, measured, select, size, success
from shown_evidence.analysis.success_tables import Table
from shown_evidence.experiments.experiment import Design, Exhibit, Experiment, Pictures
from shown_evidence.results.row import Row
from shown_evidence.trials.demonstrators import training_sets
from shown_evidence.wording import by_game, many, title

SETS = 10
TESTED = 9
MAX_MOVES = 8  # moves drawn of a game, evenly spaced

RULE_OF = "stop-the-fall"
CLAUSE = ("the clicked cell is empty", "going up from the clicked cell, a parachuter comes before a")
"""The paper's clause, in our words."""


class PicturesOfPolicies(Experiment):
    """Games and rules of learned policies."""

    designs = tuple(Design(("lpp-told",), (count,), SETS, games=(game,)) for game, count in PERFECT_FROM.items())

    def exhibits(self, rows: Sequence[Row]) -> list[Exhibit]:
        chosen = _best_by_game(rows)
        games = [drawn for row in chosen.values() if (drawn := _drawn(row)) is not None]
        rules = [[title(game), _learned(row)["rule"]] for game, row in chosen.items() if game == RULE_OF]
        return [*games, Table(("Game", "Rule"), rules, self.captions[0])]

    def findings(self, rows: Sequence[Row]) -> dict[str, Finding | None]:
        chosen = _best_by_game(rows)
        clause = _clause(_learned(chosen[RULE_OF])["rule"]) if RULE_OF in chosen else None
        if len(chosen) < len(PERFECT_FROM):
            return {"clause": clause}
        return {"panels": _panels(chosen), "no idle actions": _idle(list(chosen.values())), "clause": clause}


def _learned(row: Row) -> Mapping[str, Any]:
    learned: Mapping[str, Any] = measured(row)["learned"]
    return learned


def _best_by_game(rows: Sequence[Row]) -> dict[str, Row]:
    """Return the first of the best results of each game."""
    best = {}
    for game in games_among(rows, tuple(PERFECT_FROM)):
        order = training_sets(PERFECT_FROM[game], SETS)
        described = [row for row in select(rows, game=game) if _is_described(_learned(row))]
        if described:
            best[game] = min(described, key=lambda row: (-success(row), order.index(row.settings["levels"])))
    return best


def _is_described(learned: Mapping[str, Any]) -> bool:
    """Return whether a result, which may come from anybody, describes its policy in the expected form."""
    counts: list[Any] = [learned.get(name) for name in ("moves", "expert_moves")]
    return (
        isinstance(learned.get("rule"), str)
        and isinstance(learned.get("game"), list)
        and all(isinstance(numbers, list) and len(numbers) == TESTED for numbers in counts)
        and all(isinstance(number, int | None) for numbers in counts for number in numbers)
    )


def _drawn(row: Row) -> Pictures | None:
    """Return some moves of a game from first to last; None if they are not moves of this game."""
    game, learned = find_game(row.settings["game"]), _learned(row)
    moves = learned["game"]
    apart = max(1.0, (len(moves) - 1) / (MAX_MOVES - 1))
    boards = []
    for place in dict.fromkeys(round(i * apart) for i in range(min(MAX_MOVES, len(moves)))):
        try:
            grid, (r, c) = Grid.from_text(moves[place]["grid"]), map(int, moves[place]["action"])
            drawing = svg(grid, game.tokens, game.name, click=(r, c), cell=14, prefix=f"{game.name}-{place}-")
        except (ShownError, KeyError, TypeError, ValueError, IndexError):
            return None
        boards.append((drawing, f"move {place + 1}"))
    won = "won" if learned["moves"][0] is not None else "not won"
    caption = f"{title(game.name)}, from {many(size(row), 'demonstration')}: the first test level, {won}."
    return Pictures(boards, caption)


def _panels(chosen: Mapping[str, Row]) -> Finding:
    wins = {game: success(row) for game, row in chosen.items()}
    parts = by_game({game: f"{round(9 * share)} of 9" for game, share in wins.items()})
    words = f"Drawn under Games and rules to look at. Test levels won from the best of {SETS} sets: {parts}."
    return Finding(words, holding(share >= 1 for share in wins.values()))


def _idle(rows: Sequence[Row]) -> Finding:
    """Compare the numbers of moves with the expert's."""
    pairs = [zip(_learned(row)["moves"], _learned(row)["expert_moves"], strict=True) for row in rows]
    won = [(own, expert) for moves in pairs for own, expert in moves if own is not None]
    more = sum(own > expert for own, expert in won)
    text = f"Of {many(len(won), 'test level')} won, {more} took more moves than the expert takes."
    return Finding(text, graded(more == 0, more <= len(won) / 10))


def _clause(rule: str) -> Finding:
    """Look for the paper's clause: an empty cell with the parachutist somewhere above."""
    has = all(words in rule for words in CLAUSE)
    words = "the same condition" if has else "no such condition"
    return Finding(f"The rule, printed under Games and rules to look at, has {words}.", graded(has, False))
