"""The paper's questions on the levels of the authors' published code."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import replace
from statistics import fmean
from typing import Any

from shown_evidence.analysis.exhibits import Table
from shown_evidence.analysis.statements import PERFECT_FROM, STATEMENTS, Claim, judged
from shown_evidence.analysis.statistics import measured, select
from shown_evidence.experiments import find
from shown_evidence.experiments.experiment import Design, Experiment, Scale, named_among
from shown_evidence.trials.learners import METHODS
from shown_evidence.trials.released import FOLDER, NINE, RELEASED, folder, games_in, named, ours
from shown_evidence.trials.row import Row
from shown_evidence.trials.trial import Trial
from shown_evidence.wording import MISSING_CELL, listed, percent, title

QUESTIONS = ((find("demos"), ("lpp",)), (find("programs"), ("lpp", "vpi")), (find("policies"), ("lpp",)))
"""Experiments that are repeated on these levels, and their methods."""

MORE_SETS = 50  # sets of as many demonstrations as the paper needs, since they differ
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
    """The paper's questions on the authors' levels."""

    designs = (
        *(Design(("lpp",), (count,), MORE_SETS, games=(game,), long=True) for game, count in PERFECT_FROM.items()),
        *(
            Design(("lpp-details",), (count,), DETAIL_SETS, games=(game,), options=tuple(DETAILS.values()), long=True)
            for game, count in PERFECT_FROM.items()
        ),
        *(
            replace(design, methods=named_among(methods, design.methods))
            for experiment, methods in QUESTIONS
            for design in experiment.designs
        ),
    )

    def trials(self, scale: Scale) -> list[Trial]:
        """Return the trials; none if no folder was named."""
        if not os.environ.get(FOLDER):
            return []
        place = folder()
        there = replace(scale, games=tuple(named_among(scale.games, games_in(place))))
        return [
            replace(trial, levels=named(trial.levels, place, trial.game), test=(named(NINE, place, trial.game),))
            for trial in super().trials(there)
        ]

    def belongs(self, settings: Mapping[str, Any]) -> bool:
        return settings["method"] in self.methods and settings["levels"].startswith(RELEASED)

    def exhibits(self, rows: Sequence[Row]) -> list[Table]:
        games = [game for game in PERFECT_FROM if select(rows, game=game)]
        lines = [[name, *(_won(rows, game, options) for game in games)] for name, options in DETAILS.items()]
        return [Table(("As in the published code", *map(title, games)), lines, self.captions[0])]

    def text(self, rows: Sequence[Row]) -> list[str]:
        digests = {row.settings["game"]: row.settings["levels"].split(":")[1] for row in rows}
        return [f"Digests of the files: {listed([f'{title(game)} {digest}' for game, digest in digests.items()])}."]


def _won(rows: Sequence[Row], game: str, options: Mapping[str, Any]) -> str:
    """Return the mean success with these options, and the number of sets that win all levels."""
    wanted = {**METHODS["lpp-details"].options, **options}
    won = [
        fmean(measured(row)["success"].values())
        for row in select(rows, method="lpp-details", game=game, options=wanted)
    ]
    return f"{percent(fmean(won))} ({won.count(1.0)})" if won else MISSING_CELL


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
        # The reasons given for our levels are that they are not the paper's.
        statements = {name: replace(each, reason="") for name, each in STATEMENTS[experiment.name].items()}
        found[experiment.name] = judged(statements, experiment.findings(own))
    return found
