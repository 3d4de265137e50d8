"""Success on unseen levels against the number of demonstrations: LPP and four baselines (the paper's Figure 4)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from statistics import fmean
from typing import TYPE_CHECKING, Any

from shown.experiments.experiment import (
    MISSING,
    NO,
    PARTLY,
    YES,
    Claim,
    Experiment,
    Plot,
    Reading,
    Scale,
    curve,
    first_perfect,
    listed,
    of,
    percent,
    size,
    success,
    title,
    usual,
)
from shown.experiments.store import Row
from shown.experiments.teaching import training_sets
from shown.experiments.trials import METHODS, NETWORKS, Trial

if TYPE_CHECKING:
    from matplotlib.figure import Figure

NEEDED = {
    "nim": 2,
    "checkmate": 5,
    "chase": 4,
    "stop-the-fall": 3,
    "reach-for-the-star": 5,
    "fence-in": 1,
}
"""From how many demonstrations the paper shows a policy that wins every test level."""

SETS = 10


class Demos(Experiment):
    """1 to 10 of the 11 training demonstrations, 10 different sets of each number."""

    name = "demos"
    title = "Success against demonstrations"
    question = "How many demonstrations does each method need before it wins levels it has not seen?"
    methods = ("lpp", "vpi", "lln", "fcn", "cnn")

    def trials(self, scale: Scale) -> list[Trial]:
        """Full: 10 sizes, 10 sets each. Quick: three sets, and of the slow networks one."""
        wanted = []
        for method in scale.methods_of(self.methods):
            slow = method in NETWORKS
            sizes = scale.sizes(range(1, 11), (1, 5) if slow else (1, 2, 3, 5, 8))
            sets = scale.sets or (SETS if scale.full else 1 if slow else 3)
            for game in scale.games_of(self.games):
                for count in sizes:
                    for levels in training_sets(count, sets):
                        wanted.append(Trial(method, game, levels, options=scale.options(method), test=scale.test))
        return wanted

    def belongs(self, settings: Mapping[str, Any]) -> bool:
        levels = settings["levels"].split(",")
        return (
            settings["method"] in self.methods
            and settings["demonstrations"] == "perfect"
            and settings["seed"] == 0
            and len(levels) <= 10
            and all(level.startswith("train:") and "-" not in level for level in levels)
            and usual(settings)
        )

    def read(self, rows: Sequence[Row]) -> Reading:
        every = rows
        rows = [row for row in rows if row.settings["levels"] in training_sets(size(row), SETS)]
        games = [game for game in self.games if of(rows, game=game)]
        plots = [
            Plot(
                lambda: _figure(rows, games, (("test", max, "best set"), ("test", fmean, "mean"))),
                "Success on the 9 test levels. Above: the best of the training sets of each size, as if a teacher had "
                "chosen well. Below: their mean, as if the demonstrations had been drawn at random.",
            ),
            Plot(
                lambda: _figure(rows, games, (("random", fmean, "mean"),)),
                "The same policies on 100 generated levels of each game, mean over training sets: 9 levels are few.",
            ),
        ]
        return Reading(plots, _text(rows, games), [*_needed(rows, every), *_baselines(rows, games)])


EXPERIMENT = Demos()


def _figure(rows: Sequence[Row], games: Sequence[str], lines: Sequence[tuple[str, Any, str]]) -> Figure:
    from shown.experiments import figures

    figure, axes = figures.panels(len(lines), len(games))
    for r, (kind, pool, label) in enumerate(lines):
        for c, game in enumerate(games):
            panel = axes[r][c]
            for method in Demos.methods:
                found = of(rows, game=game, method=method)
                if found:
                    panel.plot(*curve(found, size, kind, pool), label=METHODS[method].label, **figures.STYLES[method])
            figures.success_axis(panel, f"success ({label})" if c == 0 else None)
            panel.set_xticks(range(1, 11, 3))
            panel.set_xlim(0.6, 10.4)
            if r == 0:
                panel.set_title(title(game))
            if r == len(lines) - 1:
                panel.set_xlabel("demonstrations")
    fullest = max((panel for row in axes for panel in row), key=lambda panel: len(panel.lines))
    figures.legend(figure, fullest)
    return figure


def _text(rows: Sequence[Row], games: Sequence[str]) -> list[str]:
    text = []
    for kind, levels in (("test", "the 9 test levels"), ("random", "the 100 generated levels")):
        parts = []
        for method in Demos.methods:
            found = [row for row in of(rows, method=method) if size(row) >= 5]
            if found:
                parts.append(f"{METHODS[method].label} {percent(fmean(success(row, kind) for row in found))}")
        if parts:
            text.append(f"With 5 demonstrations or more, over all games, on {levels}: {', '.join(parts)}.")
    sets = {
        method: min((len(of(rows, method=method, game=g)) for g in games if of(rows, method=method, game=g)), default=0)
        for method in Demos.methods
    }
    text.append(
        "Trials a game: " + ", ".join(f"{METHODS[m].label} {n}" for m, n in sets.items() if n) + " (the paper: 100)."
    )
    return text


def _needed(rows: Sequence[Row], every: Sequence[Row]) -> list[Claim]:
    """The claims about how few demonstrations LPP needs: with ten sets of each size, and with all that were tried."""
    claims = []
    least: dict[str, int | None] = {}
    taught: dict[str, int | None] = {}
    for game, paper in NEEDED.items():
        found = of(rows, game=game, method="lpp")
        says = f"{title(game)}: a policy that wins every test level from {paper} demonstration{'s' * (paper > 1)}."
        if not found:
            claims.append(Claim(says, "No LPP trials of this game in the store.", MISSING))
            continue
        least[game] = here = first_perfect(found, size)
        more = of(every, game=game, method="lpp")
        taught[game] = chosen = first_perfect(more, size)
        also = first_perfect(found, size, "random")
        if here is None:
            best = max(success(row) for row in found)
            claims.append(Claim(says, f"Never: the best policy wins {percent(best)}.", NO, _OTHER_LEVELS))
            continue
        measured = f"From {here}, with the best of {SETS} sets" + (
            f"; on all 100 generated levels from {also}." if also else "; never on all 100 generated levels."
        )
        if chosen is not None and chosen < here:
            tried = [row for row in more if size(row) == chosen]
            perfect = sum(success(row) >= 1 for row in tried)
            measured += f" Of {len(tried)} sets of {chosen} tried, {perfect} give{'s' * (perfect == 1)} such a policy."
        verdict = YES if here <= paper else PARTLY if chosen is not None and chosen <= paper else NO
        claims.append(Claim(says, measured, verdict, "" if verdict == YES else _OTHER_LEVELS))
    says = "At most 5 demonstrations are needed for a perfect policy in every game."
    if len(least) < len(NEEDED):
        return [Claim(says, f"Measured for {len(least)} of 6 games only.", MISSING), *claims]
    late = [game for game, here in least.items() if here is None or here > 5]
    measured = (
        f"At most {max(here or 0 for here in least.values())}, in every game."
        if not late
        else f"With the best of {SETS} sets more than 5, or never, in {listed([title(game) for game in late])}."
    )
    verdict = NO if late else YES
    if late and all(0 < (taught[game] or 99) <= 5 for game in late):
        verdict = PARTLY
        measured += " With sets chosen among all that were tried, at most 5 there too."
    return [Claim(says, measured, verdict, _OTHER_LEVELS if late else ""), *claims]


_OTHER_LEVELS = (
    "The paper's text does not give its levels; ours are made anew within its ranges. Which levels are shown matters "
    "more than how many, and ten sets are a small part of all."
)


def _baselines(rows: Sequence[Row], games: Sequence[str]) -> list[Claim]:
    """What the paper says of the baselines with so few demonstrations."""
    return [_ahead(rows, games), *_cnn(rows), *_fcn(rows, games), *_cannot_fit(rows)]


def _mean(rows: Sequence[Row], kind: str = "test") -> float:
    return fmean(success(row, kind) for row in rows)


def _ahead(rows: Sequence[Row], games: Sequence[str]) -> Claim:
    says = "LPP markedly outperforms all baselines, most of all on the more difficult games."
    gaps = {}
    for game in games:
        ours = of(rows, game=game, method="lpp")
        means = {m: _mean(of(rows, game=game, method=m)) for m in Demos.methods[1:] if of(rows, game=game, method=m)}
        if ours and means:
            best = max(means, key=lambda m: means[m])
            gaps[game] = (_mean(ours), METHODS[best].label, means[best])
    if len(gaps) < len(games) or not gaps:
        return Claim(says, "Too few trials of LPP and the baselines in the store.", MISSING)
    measured = "Mean over all sizes and sets, LPP against the best baseline: " + ", ".join(
        f"{title(g)} {percent(a)} / {percent(b)} ({label})" for g, (a, label, b) in gaps.items()
    )
    behind = [title(game) for game, (a, _, b) in gaps.items() if a < b]
    verdict = YES if not behind else PARTLY if len(behind) < len(gaps) else NO
    return Claim(says, measured + ".", verdict, f"Not ahead in {listed(behind)}. {_SIMPLE}" if behind else "")


_SIMPLE = (
    "Some games ask for little. The cells that decide in Nim and Checkmate Tactic are next to the one to click, and so "
    "all that an LLN sees; as it clicks the cell it scores highest, it can even say “the queen, or else between the "
    "kings”. In Fence In, clicking allowed cells in reading order builds a fence from left to right by itself."
)


def _cnn(rows: Sequence[Row]) -> list[Claim]:
    says = "The CNN wins all training games, and fails to generalise."
    found = of(rows, method="cnn")
    if not found:
        return [Claim(says, "No CNN trials in the store.", MISSING)]
    train, test = _mean(found, "train"), _mean(found)
    measured = f"It wins {percent(train)} of the levels it was shown and {percent(test)} of the test levels."
    verdict = YES if train > 0.95 and test < 0.2 else PARTLY if train > 0.8 and test < 0.5 else NO
    return [Claim(says, measured, verdict, "" if verdict == YES else _CHANCE)]


_CHANCE = (
    "A learned policy meets other chances (the opponent's moves) when it plays a shown level again than the "
    "demonstration did, and then sees states that were not shown."
)


def _fcn(rows: Sequence[Row], games: Sequence[str]) -> list[Claim]:
    says = "The FCN fits the training data almost perfectly."
    found = of(rows, method="fcn")
    claims = []
    if not found:
        claims.append(Claim(says, "No FCN trials in the store.", MISSING))
    else:
        assert all(row.result for row in found)
        fit = fmean(row.result["fit"] for row in found if row.result)
        verdict = YES if fit > 0.95 else PARTLY if fit > 0.8 else NO
        measured = f"It repeats {percent(fit)} of the demonstrated actions and wins {percent(_mean(found, 'train'))} "
        claims.append(Claim(says, measured + "of the shown levels.", verdict))
    says = "The FCN generalises better than the CNN in Nim, Checkmate Tactic, Reach for the Star and Fence In."
    better: dict[str, bool] = {}
    parts = []
    for game in ("nim", "checkmate", "reach-for-the-star", "fence-in"):
        fcn, cnn = of(rows, game=game, method="fcn"), of(rows, game=game, method="cnn")
        if fcn and cnn:
            better[game] = _mean(fcn) > _mean(cnn)
            parts.append(f"{title(game)} {percent(_mean(fcn))} / {percent(_mean(cnn))}")
    if len(better) < 4:
        claims.append(Claim(says, "Too few trials of both networks in the store.", MISSING))
    else:
        verdict = YES if all(better.values()) else PARTLY if any(better.values()) else NO
        claims.append(Claim(says, f"FCN / CNN on the test levels: {', '.join(parts)}.", verdict))
    return claims


def _cannot_fit(rows: Sequence[Row]) -> list[Claim]:
    """LLN and VPI, which the paper finds too weak to fit the demonstrations."""
    claims = []
    for method, reason in (
        (
            "lln",
            "Here a network clicks the cell it scores highest, so a filter that cannot say whether a cell is to be "
            "clicked can still rank the right one first; the paper may have asked for more.",
        ),
        (
            "vpi",
            "A short policy that allows every shown action often wins although it allows others too: among equals the "
            "first cell in reading order is clicked, and in some games that order is a good one.",
        ),
    ):
        label = METHODS[method].label
        says = f"{label} cannot fit the demonstrations: beyond Nim it wins close to none of the levels it was shown."
        found = of(rows, method=method)
        others = [game for game in NEEDED if game != "nim" and of(found, game=game)]
        if len(others) < 5:
            claims.append(Claim(says, f"Too few {label} trials in the store.", MISSING))
            continue
        means = {game: _mean(of(found, game=game), "train") for game in others}
        high = [title(game) for game, mean in means.items() if mean > 0.1]
        measured = "Of the shown levels: " + ", ".join(f"{title(g)} {percent(m)}" for g, m in means.items()) + "."
        verdict = YES if not high else PARTLY if len(high) < len(means) else NO
        claims.append(Claim(says, measured, verdict, reason if high else ""))
    return claims
