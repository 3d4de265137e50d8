"""Arcade games: the reward in Atari Breakout, as in the paper's appendix and beyond, and in games of MinAtar."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from statistics import fmean, pstdev

from shown_evidence.analysis.exhibits import Table
from shown_evidence.analysis.statements import PARTLY, Finding, graded
from shown_evidence.analysis.statistics import learned, measured, of_size, select
from shown_evidence.experiments.experiment import Design, Experiment
from shown_evidence.minatar_worlds import GAMES as MINATAR
from shown_evidence.minatar_worlds import world_name
from shown_evidence.trials.level_sets import LevelSets
from shown_evidence.trials.row import Row
from shown_evidence.wording import MISSING_CELL

# --- Atari Breakout -------------------------------------------------------------------------------------------------

FRAMES, BLOCKS = "atari:Breakout", "atari:Breakout#blocks,game"
VALUES = "red,black_to_red,red_to_black,black"
"""Four of the 15 values: three with the color of paddle and ball, and the background."""

SERVES, ELSEWHERE = "seeds:0-3", "seeds:200-209"
"""The four serves of the machine, and ten starts with the paddle elsewhere, which are never demonstrated."""
TO_THE_END = f"{FRAMES}#ball {ELSEWHERE}"
STARTS = {
    SERVES: "the 4 serves, 500 frames",
    ELSEWHERE: "10 other starts, 500 frames",
    TO_THE_END: "10 other starts, until the ball is lost",
}
WHOLE_GAMES = {SERVES: "the 4 serves, five balls", ELSEWHERE: "10 other starts, five balls"}
SHOWN = ("seeds:0", "seeds:1", "seeds:3")
"""The serves that the expert returns; it loses the third."""
TOGETHER = ("seeds:0,1", "seeds:0,1,3")
"""Seeds of whole games in blocks. On seeds 2, 3 and 100 to 105 the first set was enough, and the second worse."""

_lpp = partial(Design, ("lpp-values",), (1,))
_frames = partial(_lpp, sets=3, shown=lambda number, size: SHOWN[number], games=(FRAMES,), played=tuple(STARTS))
_blocks = partial(_lpp, shown=lambda number, size: TOGETHER[number], games=(BLOCKS,), played=tuple(WHOLE_GAMES))


class AtariBreakout(Experiment):
    """Rewards in Atari Breakout."""

    designs = (
        _frames(options=[{"programs": 120_000, "values": VALUES}]),
        _frames(options=[{"programs": 5_000_000}], long=True),
        _blocks(options=[{"programs": 100_000}]),
        _blocks(sets=2, options=[{"programs": 1_000_000}], long=True),
    )

    def exhibits(self, rows: Sequence[Row]) -> list[Table]:
        head = ("Shown", "Programs", "Values", "Literals", "Played", "Reward from each start", "The expert's")
        ordered = sorted(rows, key=lambda row: (row.settings["options"]["programs"], row.settings["levels"]))
        return [
            Table(head, [line for row in select(ordered, game=game) for line in _lines(row, starts)], caption)
            for game, starts, caption in zip((FRAMES, BLOCKS), (STARTS, WHOLE_GAMES), self.captions, strict=True)
        ]

    def findings(self, rows: Sequence[Row]) -> dict[str, Finding]:
        published = select(rows, game=FRAMES, values=VALUES)
        fitted = [row for row in published if learned(row).get("found") and _rewards(row, TO_THE_END)]
        if not fitted:
            return {}
        rewards = [reward for row in fitted for reward in _rewards(row, TO_THE_END)]
        words = f"A rule that fits was found from {len(fitted)} of {len(published)} demonstrations."
        return {
            "programs": Finding(words, PARTLY, "Whether fewer programs would do was not measured."),
            "500 frames": _in_500_frames(fitted),
            "to the end": Finding(
                f"{fmean(rewards):.2f} on average, with a standard deviation of {pstdev(rewards):.2f}.",
                graded(fmean(rewards) >= 8.8, fmean(rewards) >= 3),
            ),
        }


def _in_500_frames(rows: Sequence[Row]) -> Finding:
    pairs = [
        pair for row in rows for pair in zip(_rewards(row, ELSEWHERE), _rewards(row, ELSEWHERE, "expert"), strict=False)
    ]
    good = [mine >= expert for mine, expert in pairs if expert > 0]
    words = f"At least the expert's reward on {sum(good)} of {len(good)} starts with any reward."
    return Finding(words, graded(all(good), sum(good) >= len(good) / 2))


def _lines(row: Row, starts: Mapping[str, str]) -> Iterator[list[str]]:
    """Yield a line of the table per set of starts."""
    options, policy = row.settings["options"], learned(row)
    values = str(len(options["values"].split(","))) if options["values"] else "all"
    literals = str(policy["top_level_programs"]) if policy.get("found") else "nothing fits"
    about = [row.settings["levels"].removeprefix("seeds:"), f"{options['programs']:,}", values, literals]
    for spec, words in starts.items():
        if spec in measured(row).get("reward", {}):
            yield [*about, words, *(_rewards_text(_rewards(row, spec, whose)) for whose in ("reward", "expert"))]


def _rewards_text(rewards: Sequence[float]) -> str:
    return f"{' '.join(f'{reward:.0f}' for reward in rewards)} (mean {fmean(rewards):.2f})" if rewards else MISSING_CELL


def _rewards(row: Row, spec: str, whose: str = "reward") -> Sequence[float]:
    return [float(reward) for reward in measured(row).get(whose, {}).get(spec, ())]


# --- MinAtar --------------------------------------------------------------------------------------------------------

SIZES = (1, 5)

RESERVED = LevelSets(shown=40_000, played=50_000, apart=100, prefix="seeds")
"""Views, experts and practice were chosen on other seeds, from 900,000 on."""

PLAYED = RESERVED.played_levels(60)

PLAYERS = {"what acts": "", "the rule": "rule ", "all rules": "vote ", "random play": "random "}
"""Players, and the names under which results hold their returns."""


class MinAtarGames(Experiment):
    """Returns in games of MinAtar."""

    designs = (
        Design(
            ("shown-timed",), SIZES, 3, RESERVED.shown_levels, games=tuple(map(world_name, MINATAR)), played=(PLAYED,)
        ),
    )

    def exhibits(self, rows: Sequence[Row]) -> list[Table]:
        head = ("Game", "Shown", "Sets", *(words.capitalize() for words in PLAYERS), "The expert")
        return [Table(head, [line for game in MINATAR for line in _returns(game, rows)], self.captions[0])]


def _returns(game: str, rows: Sequence[Row]) -> Iterator[list[str]]:
    """Yield the line of each number of demonstrations that has results."""
    for count in SIZES:
        mine = of_size(select(rows, game=world_name(game)), count)
        if mine:
            returns = [*(_mean(mine, "reward", prefix) for prefix in PLAYERS.values()), _mean(mine, "expert")]
            cells = [MISSING_CELL if one is None else f"{one:.1f}" for one in returns]
            yield [game, str(count), str(len(mine)), *cells]


def _mean(rows: Sequence[Row], whose: str, prefix: str = "") -> float | None:
    """Return the mean return over rows and played seeds; None if there is none."""
    found = [
        reward for row in rows for spec in row.settings["test"] for reward in _rewards(row, f"{prefix}{spec}", whose)
    ]
    return fmean(found) if found else None
