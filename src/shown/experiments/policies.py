"""The size of the learned policies (the paper's table of MAP policies in the appendix)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from shown.experiments.experiment import (
    ALL_DEMONSTRATIONS,
    MISSING,
    NO,
    PARTLY,
    YES,
    Claim,
    Experiment,
    Reading,
    Scale,
    Table,
    listed,
    of,
    percent,
    success,
    title,
    usual,
)
from shown.experiments.store import Row
from shown.experiments.trials import Trial

PAPER = {
    "nim": (11, 32, 4),
    "checkmate": (23, 60, 3),
    "chase": (97, 244, 3),
    "stop-the-fall": (17, 50, 4),
    "reach-for-the-star": (34, 151, 4),
    "fence-in": (9, 40, 3),
}
"""Top-level programs, method calls and greatest depth of each MAP policy, says the paper."""

MEASURES = ("top_level_programs", "method_calls", "depth")


class Policies(Experiment):
    """All 11 demonstrations and 10,000 programs, with and without dropping literals that change nothing."""

    name = "policies"
    title = "The size of the learned policies"
    question = "How complex are the policies that are found?"
    methods = ("lpp",)

    def trials(self, scale: Scale) -> list[Trial]:
        return [
            Trial(method, game, ALL_DEMONSTRATIONS, "perfect", 0, scale.options(method, drop_literals=drop), scale.test)
            for method in scale.methods_of(self.methods)
            for game in scale.games_of(self.games)
            for drop in (False, True)
        ]

    def belongs(self, settings: Mapping[str, Any]) -> bool:
        return (
            settings["method"] == "lpp"
            and settings["levels"] == ALL_DEMONSTRATIONS
            and settings["demonstrations"] == "perfect"
            and settings["seed"] == 0
            and usual(settings, "drop_literals")
        )

    def read(self, rows: Sequence[Row]) -> Reading:
        body = []
        for game, paper in PAPER.items():
            cells = [title(game), " / ".join(map(str, paper))]
            for drop in (False, True):
                found = of(rows, game=game, drop_literals=drop)
                cells += [" / ".join(map(str, _sizes(found[0]))), percent(success(found[0]))] if found else ["–", "–"]
            body.append(cells)
        table = Table(
            ("Game", "Paper", "Here", "test success", "Here, idle literals dropped", "test success"),
            body,
            "Top-level programs / method calls / greatest depth of the most probable policy, from all 11 "
            "demonstrations and 10,000 programs. A literal is idle if leaving it out changes no bit of the fit.",
        )
        return Reading([table], _text(rows), _claims(rows))


EXPERIMENT = Policies()


def _sizes(row: Row) -> tuple[int, int, int]:
    assert row.result is not None
    learned = row.result["learned"]
    a, b, c = (int(learned[name]) for name in MEASURES)
    return a, b, c


def _text(rows: Sequence[Row]) -> list[str]:
    before, after = of(rows, drop_literals=False), of(rows, drop_literals=True)
    if not before or not after:
        return []
    a, b = (sum(_sizes(row)[0] for row in part) for part in (before, after))
    return [
        f"With idle literals dropped the policies have {b} top-level programs in all instead of {a}. Both repeat the "
        "demonstrations exactly; what they do elsewhere can differ, and the success columns say how much."
    ]


def _claims(rows: Sequence[Row]) -> list[Claim]:
    found = {row.settings["game"]: _sizes(row) for row in of(rows, drop_literals=False)}
    claims = []
    says = (
        "Nim 11, Checkmate Tactic 23, Chase 97, Stop the Fall 17, Reach for the Star 34, Fence In 9 top-level programs."
    )
    if len(found) < len(PAPER):
        claims.append(Claim(says, f"Measured for {len(found)} of 6 games only.", MISSING))
    else:
        far = [title(g) for g, paper in PAPER.items() if not paper[0] / 2 <= found[g][0] <= paper[0] * 2]
        measured = ", ".join(f"{title(g)} {found[g][0]}" for g in PAPER) + "."
        verdict = YES if not far else PARTLY if len(far) < 4 else NO
        claims.append(
            Claim(says, f"{measured} (Within a factor of 2 counts as agreeing.)", verdict, _WHY if far else "")
        )
    says = "The greatest depth is 3 or 4 in all games; 32 to 244 method calls."
    if len(found) < len(PAPER):
        claims.append(Claim(says, f"Measured for {len(found)} of 6 games only.", MISSING))
    else:
        depths = sorted({sizes[2] for sizes in found.values()})
        calls = [sizes[1] for sizes in found.values()]
        verdict = YES if set(depths) <= {3, 4} and min(calls) >= 16 and max(calls) <= 488 else PARTLY
        measured = f"Depth {listed([str(d) for d in depths])}; {min(calls)} to {max(calls)} method calls."
        claims.append(Claim(says, measured, verdict, _WHY if verdict != YES else ""))
    return claims


_WHY = (
    "The levels differ, and so does the search: the published code tries every tenth or hundredth prefix of the "
    "program list, here every one is tried, which finds smaller policies."
)
