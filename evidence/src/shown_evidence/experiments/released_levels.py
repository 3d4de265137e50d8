"""The paper's questions on the levels of the authors' published code."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import replace
from statistics import fmean
from typing import Any

from shown_evidence.analysis.claims import NO, PARTLY, YES, Claim, judged
from shown_evidence.analysis.statements import PERFECT_FROM, POLICY_SIZES, PROGRAMS_BELOW, STATEMENTS
from shown_evidence.analysis.statistics import first_perfect, measured, programs, select, size
from shown_evidence.analysis.success_tables import Table
from shown_evidence.experiments.demos import SIZES, Demos
from shown_evidence.experiments.experiment import Experiment, Scale
from shown_evidence.experiments.policy_sizes import MEASURES, PolicySizes
from shown_evidence.experiments.program_budget import ProgramBudget
from shown_evidence.results.row import Row
from shown_evidence.trials.demonstrators import training_sets
from shown_evidence.trials.methods import METHODS
from shown_evidence.trials.released import FOLDER, NINE, RELEASED, folder, games_in, named, ours
from shown_evidence.trials.trial import Trial
from shown_evidence.wording import MISSING_CELL, listed, percent, title

QUESTIONS: Sequence[tuple[Experiment, tuple[str, ...]]] = (
    (Demos(), ("lpp",)),
    (ProgramBudget(), ("lpp", "vpi")),
    (PolicySizes(), ("lpp",)),
)
"""Experiments that are repeated on these levels, and their methods."""


MORE_SETS = 50  # sets of as many demonstrations as the paper needs
DETAIL_SETS = 10  # sets of as many, for each detail

OURS = {"merged": True, "one_order": True, "duplicates": False, "every": 1, "divided": True}
"""Five details in which LPP differs from the published code."""

DETAILS: Mapping[str, Mapping[str, Any]] = {
    "none": OURS,
    "equal columns are features of their own": {**OURS, "merged": False},
    "chance breaks the ties of every node": {**OURS, "one_order": False},
    "duplicates stay in the mixture": {**OURS, "duplicates": True},
    "trees are grown after every tenth program": {**OURS, "every": 10},
    "votes are not divided by the number of allowed actions": {**OURS, "divided": False},
    "all five": {},
}
"""What is as in the published code, and the options that make it so."""


class ReleasedLevels(Experiment):
    """The same trials on the demonstrations and test levels that came with the published code, where a folder has them.

    They carry no licence, so they are not in this repository.
    """

    name = "released"
    title = "The authors' levels"
    question = "Does LPP, as published, reach the paper's numbers on the levels of the published code?"
    methods = ("lpp", "vpi", "lpp-details")
    scored_on = ()

    def trials(self, scale: Scale) -> list[Trial]:
        """Return the trials; none if no folder was named."""
        if not os.environ.get(FOLDER):
            return []
        place = folder()
        games = tuple(scale.games_of(games_in(place)))
        trials = [trial for game in games for trial in (_as_many(game, scale) if scale.full else ())]
        for experiment, methods in QUESTIONS:
            trials += experiment.trials(replace(scale, games=games, methods=tuple(scale.methods_of(methods))))
        found = []
        for trial in trials:
            levels, test = (named(spec, place, trial.game) for spec in (trial.levels, NINE))
            found.append(replace(trial, levels=levels, test=(test,)))
        return found

    def includes(self, settings: Mapping[str, Any]) -> bool:
        return bool(settings["levels"].startswith(RELEASED))

    def plots(self, rows: Sequence[Row]) -> list[Table]:
        head = ("Game", "Demonstrations: paper", "here", "Programs: paper", "here", "Policy: paper", "here")
        games = [game for game in PERFECT_FROM if select(rows, game=game)]
        return [
            Table(
                head,
                [_line(game, list(map(as_ours, select(rows, game=game, method="lpp")))) for game in games],
                "Fewest demonstrations from which LPP wins all nine test levels (with the best of ten sets, and of "
                f"{MORE_SETS} sets of the paper's number), fewest programs that are enough with all 11, and top-level "
                "programs / method calls / greatest depth of the most probable policy from all 11.",
            ),
            Table(
                ("As in the published code", *map(title, games)),
                [[name, *(_won(rows, game, options) for game in games)] for name, options in DETAILS.items()],
                "Five details of LPP that the paper leaves open, as in the published code one by one: test levels won, "
                f"mean over {DETAIL_SETS} sets of the paper's number of demonstrations. In brackets: sets that win all "
                "nine.",
            ),
        ]

    def text(self, rows: Sequence[Row]) -> list[str]:
        digests = {row.settings["game"]: row.settings["levels"].split(":")[1] for row in rows}
        names = listed([f"{title(game)} {digests[game]}" for game in PERFECT_FROM if game in digests])
        count = Counter(claim.verdict for claims in verdicts(rows).values() for claim in claims)
        return [
            f"{count[YES] + count[PARTLY] + count[NO]} statements of the paper can be judged on these levels: "
            f"{count[YES]} agree, {count[PARTLY]} in part, {count[NO]} do not.",
            f"Digests of the files: {names}. Fence In is not among the published levels.",
        ]


def _as_many(game: str, scale: Scale) -> list[Trial]:
    """Return trials from as many demonstrations as the paper needs: more sets, since they differ, and each detail."""
    count = PERFECT_FROM[game]
    variants = [("lpp", MORE_SETS, {}), *(("lpp-details", DETAIL_SETS, options) for options in DETAILS.values())]
    return [
        Trial(method, game, levels, "perfect", 0, scale.options(method, **options))
        for method, sets, options in variants
        if scale.methods_of((method,)) and count in scale.sizes(SIZES, ())
        for levels in training_sets(count, sets)
    ]


def _won(rows: Sequence[Row], game: str, options: Mapping[str, Any]) -> str:
    """Return the mean success with these options, and the number of sets that win all levels."""
    wanted = {**METHODS["lpp-details"].options, **options}
    found = select(rows, method="lpp-details", game=game, options=wanted)
    success = [fmean(measured(row)["success"].values()) for row in found]
    return f"{percent(fmean(success))} ({success.count(1.0)})" if success else MISSING_CELL


def as_ours(row: Row) -> Row:
    """Return a result under the names that our own levels have, so that the same questions can be asked of it."""
    settings = {**row.settings, "levels": ours(row.settings["levels"]), "test": list(map(ours, row.settings["test"]))}
    result = dict(measured(row))
    for name in ("success", "won"):
        result[name] = {ours(spec): value for spec, value in result[name].items()}
    return replace(row, settings=settings, result=result)


def verdicts(rows: Sequence[Row]) -> dict[str, list[Claim]]:
    """Return the paper's statements judged on the authors' levels, by experiment; only those that were measured."""
    here = [as_ours(row) for row in rows if row.settings["levels"].startswith(RELEASED)]
    found = {}
    for experiment, _ in QUESTIONS if here else ():
        own = [row for row in here if experiment.includes(row.settings)]
        findings = {name: finding for name, finding in experiment.findings(own).items() if finding is not None}
        # The reasons given for our levels are that they are not the paper's.
        statements = {name: replace(each, reason="") for name, each in STATEMENTS[experiment.name].items()}
        found[experiment.name] = judged(statements, findings)
    return found


def _line(game: str, rows: Sequence[Row]) -> list[str]:
    whole = select(rows, levels="train:0-10", drop_literals=False)
    sizes = [measured(row)["learned"] for row in select(whole, programs=10_000)]
    cells = [
        first_perfect([row for row in rows if Demos().includes(row.settings)], size),
        first_perfect(whole, programs),
        " / ".join(str(sizes[0][name]) for name in MEASURES) if sizes and MEASURES[0] in sizes[0] else None,
    ]
    said = (PERFECT_FROM[game], f"below {PROGRAMS_BELOW[game]:,}", " / ".join(map(str, POLICY_SIZES[game])))
    shown = [MISSING_CELL if cell is None else f"{cell:,}" if isinstance(cell, int) else cell for cell in cells]
    return [title(game), *(str(cell) for pair in zip(said, shown, strict=True) for cell in pair)]
