"""Learned policies: their size, a game won from as few demonstrations as in the paper, and a rule in English."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from shown.errors import ShownError
from shown.grid import Grid
from shown.render import svg
from shown.worlds import find_game
from shown_evidence.analysis.exhibits import Exhibit, Pictures, Table
from shown_evidence.analysis.statements import PERFECT_FROM, POLICY_SIZES, Finding, graded, holding, within
from shown_evidence.analysis.statistics import LEAST_GAMES, games_among, learned, select, size, success
from shown_evidence.experiments.experiment import Design, Experiment
from shown_evidence.trials.demonstrators import TRAINING_LEVELS, training_sets
from shown_evidence.trials.row import Row
from shown_evidence.wording import MISSING_CELL, by_game, listed, many, percent, title

# --- their size (the table of MAP policies in the appendix) ---------------------------------------------------------

MEASURES = ("top_level_programs", "method_calls", "depth")


class PolicySizes(Experiment):
    """Programs, calls and depth of the most probable policies."""

    designs = (Design(("lpp",), (TRAINING_LEVELS,), options=[{"drop_literals": drop} for drop in (False, True)]),)

    def exhibits(self, rows: Sequence[Row]) -> list[Table]:
        return [
            Table(
                ("Game", "Paper", "Here", "test success", "Here, idle literals dropped", "test success"),
                [_sizes_line(game, select(rows, game=game)) for game in POLICY_SIZES],
                self.captions[0],
            )
        ]

    def findings(self, rows: Sequence[Row]) -> dict[str, Finding]:
        sizes = {row.settings["game"]: sizes_of(row) for row in _sized(rows, drop=False)}
        if len(sizes) < LEAST_GAMES:
            return {}
        return {"programs": _programs(sizes), "depth": _depth(sizes)}


def sizes_of(row: Row) -> tuple[int, ...]:
    """Return the measures of the most probable policy; empty if they are not reported."""
    policy = learned(row)
    return tuple(int(policy[name]) for name in MEASURES if name in policy)


def _sized(rows: Sequence[Row], drop: bool) -> list[Row]:
    return [row for row in select(rows, drop_literals=drop) if len(sizes_of(row)) == len(MEASURES)]


def _sizes_line(game: str, rows: Sequence[Row]) -> list[str]:
    cells = [title(game), " / ".join(map(str, POLICY_SIZES[game]))]
    for drop in (False, True):
        found = _sized(rows, drop)
        cells += [" / ".join(map(str, sizes_of(found[0]))), percent(success(found[0]))] if found else [MISSING_CELL] * 2
    return cells


def _programs(sizes: Mapping[str, tuple[int, ...]]) -> Finding:
    near = [within(own[0], POLICY_SIZES[game][0], 2) for game, own in sizes.items()]
    words = by_game({game: str(own[0]) for game, own in sizes.items()})
    return Finding(f"{words}. (Within a factor of 2 counts as agreeing.)", holding(near, least=3))


def _depth(sizes: Mapping[str, tuple[int, ...]]) -> Finding:
    depths = sorted({depth for _, _, depth in sizes.values()})
    calls = [number for _, number, _ in sizes.values()]
    agrees = set(depths) <= {3, 4} and min(calls) >= 16 and max(calls) <= 488
    words = f"Depth {listed([str(depth) for depth in depths])}; {min(calls)} to {max(calls)} method calls."
    return Finding(words, graded(agrees, True))


# --- pictures of games, and a rule ----------------------------------------------------------------------------------

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
        rules = [[title(game), learned(row)["rule"]] for game, row in chosen.items() if game == RULE_OF]
        return [*games, Table(("Game", "Rule"), rules, self.captions[0])]

    def findings(self, rows: Sequence[Row]) -> dict[str, Finding | None]:
        chosen = _best_by_game(rows)
        clause = _clause(learned(chosen[RULE_OF])["rule"]) if RULE_OF in chosen else None
        if len(chosen) < len(PERFECT_FROM):
            return {"clause": clause}
        return {"panels": _panels(chosen), "no idle actions": _idle(list(chosen.values())), "clause": clause}


def _best_by_game(rows: Sequence[Row]) -> dict[str, Row]:
    """Return the first of the best results of each game."""
    best = {}
    for game in games_among(rows, tuple(PERFECT_FROM)):
        order = training_sets(PERFECT_FROM[game], SETS)
        described = [row for row in select(rows, game=game) if _is_described(learned(row))]
        if described:
            best[game] = min(described, key=lambda row: (-success(row), order.index(row.settings["levels"])))
    return best


def _is_described(policy: Mapping[str, Any]) -> bool:
    """Return whether a result, which may come from anybody, describes its policy in the expected form."""
    counts: list[Any] = [policy.get(name) for name in ("moves", "expert_moves")]
    return (
        isinstance(policy.get("rule"), str)
        and isinstance(policy.get("game"), list)
        and all(isinstance(numbers, list) and len(numbers) == TESTED for numbers in counts)
        and all(isinstance(number, int | None) for numbers in counts for number in numbers)
    )


def _drawn(row: Row) -> Pictures | None:
    """Return some moves of a game from first to last; None if they are not moves of this game."""
    game, policy = find_game(row.settings["game"]), learned(row)
    moves = policy["game"]
    apart = max(1.0, (len(moves) - 1) / (MAX_MOVES - 1))
    boards = []
    for place in dict.fromkeys(round(i * apart) for i in range(min(MAX_MOVES, len(moves)))):
        try:
            grid, (r, c) = Grid.from_text(moves[place]["grid"]), map(int, moves[place]["action"])
            drawing = svg(grid, game.tokens, game.name, click=(r, c), cell=14, prefix=f"{game.name}-{place}-")
        except (ShownError, KeyError, TypeError, ValueError, IndexError):
            return None
        boards.append((drawing, f"move {place + 1}"))
    won = "won" if policy["moves"][0] is not None else "not won"
    caption = f"{title(game.name)}, from {many(size(row), 'demonstration')}: the first test level, {won}."
    return Pictures(boards, caption)


def _panels(chosen: Mapping[str, Row]) -> Finding:
    wins = {game: success(row) for game, row in chosen.items()}
    parts = by_game({game: f"{round(9 * share)} of 9" for game, share in wins.items()})
    words = f"Drawn under Games and rules to look at. Test levels won from the best of {SETS} sets: {parts}."
    return Finding(words, holding(share >= 1 for share in wins.values()))


def _idle(rows: Sequence[Row]) -> Finding:
    """Compare the numbers of moves with the expert's."""
    pairs = [zip(learned(row)["moves"], learned(row)["expert_moves"], strict=True) for row in rows]
    won = [(own, expert) for moves in pairs for own, expert in moves if own is not None]
    more = sum(own > expert for own, expert in won)
    text = f"Of {many(len(won), 'test level')} won, {more} took more moves than the expert takes."
    return Finding(text, graded(more == 0, more <= len(won) / 10))


def _clause(rule: str) -> Finding:
    """Look for the paper's clause: an empty cell with the parachutist somewhere above."""
    has = all(words in rule for words in CLAUSE)
    words = "the same condition" if has else "no such condition"
    return Finding(f"The rule, printed under Games and rules to look at, has {words}.", graded(has, False))
