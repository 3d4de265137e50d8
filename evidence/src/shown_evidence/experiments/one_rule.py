"""The printed rule beside the vote of all rules: levels won by each, who acts, length, and the front of rules."""

from __future__ import annotations

from collections.abc import Sequence
from statistics import fmean, median

from shown_evidence.analysis import statistics as stats
from shown_evidence.analysis.figures import STYLES, Axis, Line, Panel, Panels
from shown_evidence.analysis.statistics import GENERATED, games_among, grouped, measured, select, size, success
from shown_evidence.analysis.success_tables import Table
from shown_evidence.experiments.beyond import PLAYED, SIZES
from shown_evidence.experiments.experiment import Experiment, Plot, Scale
from shown_evidence.experiments.scripted_styles import LEARNED, USUAL, style_trials
from shown_evidence.results.row import Row
from shown_evidence.styles import EXPERT, styles_of
from shown_evidence.trials.demonstrators import STYLE
from shown_evidence.trials.trial import Trial
from shown_evidence.wording import MISSING_CELL, many, percent, title

PARTS = {"rule": "rule alone", "vote": "all rules"}
FAR = 0.05  # how far below the vote is far below
MOST_CONDITIONS = 25


class RuleBesideVote(Experiment):
    """Expert: 1, 2, 3 and 5 demonstrations; every other style: 3. Three sets of each number: trials of `styles`."""

    name = "one-rule"
    title = "Beyond the paper: one rule"
    question = "Does the rule that is printed win as much as all rules that fit together?"
    methods = ("shown-practice",)
    scored_on = (PLAYED,)

    def trials(self, scale: Scale) -> list[Trial]:
        return style_trials(scale, self.methods, (USUAL,), others=(USUAL,))

    def plots(self, rows: Sequence[Row]) -> list[Plot | Table]:
        games = games_among(rows, self.games)
        return [
            Plot(
                Panels(
                    [_panel(game, select(rows, game=game, demonstrations=f"{STYLE}{EXPERT}")) for game in games],
                    ["success, generated levels"],
                    Axis("demonstrations by the expert", SIZES, limits=(0.7, 5.3)),
                ),
                "New levels won by the printed rule alone and by all rules together; mean over sets.",
            ),
            Table(
                ("Game", "Style", "Shown", "Sets", "Rule", "Vote", "Acting", "Rule acts", "Conditions", "Front"),
                [line for game in games for line in _lines(game, select(rows, game=game))],
                "New levels won, mean over sets: by the printed rule alone, by all rules together, and by what acts; "
                "sets in which the rule acts; conditions of the printed rule, from the fewest to the most; the front "
                "of the first set: conditions of a rule, and what it is expected to win alone.",
            ),
        ]

    def text(self, rows: Sequence[Row]) -> list[str]:
        experts = select(rows, demonstrations=f"{STYLE}{EXPERT}")
        others = [row for row in rows if row not in experts]
        named = (("Expert", experts), ("Other styles", others))
        return [f"{name}: {_in_all(part)}" for name, part in named if part]


def _won(row: Row, part: str) -> float:
    return success(row, f"{part} {GENERATED}")


def _conditions(row: Row) -> int:
    return int(measured(row)["learned"].get("conditions", 0))


def _rule_acts(row: Row) -> bool:
    return bool(measured(row)["learned"].get("acts") == "rule")


def _panel(game: str, rows: Sequence[Row]) -> Panel:
    parts = grouped(rows, size)
    styles = {"rule": STYLES["shown"], "vote": STYLES["lpp"]}
    lines = [
        Line(sorted(parts), [fmean(_won(row, part) for row in parts[at]) for at in sorted(parts)], label, styles[part])
        for part, label in PARTS.items()
    ]
    return Panel(title(game), lines)


def _lines(game: str, rows: Sequence[Row]) -> list[list[str]]:
    """Return a line per style and number of demonstrations, in the order of their definition."""
    parts = grouped(rows, lambda row: (row.settings["demonstrations"].removeprefix(STYLE), size(row)))
    order = [style.name for style in styles_of(game)]
    known = sorted((key for key in parts if key[0] in order), key=lambda key: (order.index(key[0]), key[1]))
    return [[title(game), style, str(count), *_cells(parts[style, count])] for style, count in known]


def _cells(rows: Sequence[Row]) -> list[str]:
    sizes = sorted(map(_conditions, rows))
    front = measured(rows[0])["learned"].get("front", [])
    return [
        str(len(rows)),
        *(percent(fmean(_won(row, part) for row in rows)) for part in PARTS),
        percent(stats.mean_success(rows, GENERATED)),
        f"{sum(map(_rule_acts, rows))} of {len(rows)}",
        f"{sizes[0]}" if sizes[0] == sizes[-1] else f"{sizes[0]} to {sizes[-1]}",
        ", ".join(f"{conditions}: {won} of {of}" for conditions, won, of in front) or MISSING_CELL,
    ]


def _in_all(rows: Sequence[Row]) -> str:
    rule, vote = ([_won(row, part) for row in rows] for part in PARTS)
    behind = [together - alone for alone, together in zip(rule, vote, strict=True)]
    sizes = [_conditions(row) for row in rows]
    return (
        f"{many(len(rows), 'case')}; the rule wins {percent(fmean(rule))}, all rules {percent(fmean(vote))}, what acts "
        f"{percent(stats.mean_success(rows, GENERATED))}. The rule wins {percent(LEARNED)} or more in "
        f"{sum(won >= LEARNED for won in rule)}, is at most 2 points below the vote in "
        f"{sum(loss <= 0.02 + 1e-9 for loss in behind)} and more than {100 * FAR:.0f} below in "
        f"{sum(loss > FAR + 1e-9 for loss in behind)}; it acts in {sum(map(_rule_acts, rows))}. Conditions: median "
        f"{median(sizes):g}, at most {max(sizes)}; more than {MOST_CONDITIONS} in "
        f"{sum(number > MOST_CONDITIONS for number in sizes)}."
    )
