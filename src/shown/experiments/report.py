"""The report: every figure redrawn from the store, and each of the paper's claims beside what was measured."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from html import escape

from shown.experiments import EXPERIMENTS, figures, find
from shown.experiments.claims import MISSING, NO, PARTLY, YES, Claim
from shown.experiments.experiment import Experiment, Plot, Reading, Table
from shown.experiments.store import Row
from shown.experiments.trials import METHODS

MARKS = {YES: "✓ yes", PARTLY: "◐ partly", NO: "✗ no", MISSING: "– not measured"}

STYLE = """
:root { --ink: #22303c; --soft: #5d6b78; --line: #d9dfe4; --paper: #fbfbf9; --blue: #0b6aa2; }
* { box-sizing: border-box; }
body { margin: 0; background: var(--paper); color: var(--ink); font: 16px/1.55 system-ui, sans-serif; }
main { max-width: 68rem; margin: 0 auto; padding: 2.5rem 1.25rem 5rem; }
h1 { font-size: 2rem; line-height: 1.2; margin: 0 0 .5rem; }
h2 { font-size: 1.35rem; margin: 3rem 0 .25rem; padding-top: 1rem; border-top: 1px solid var(--line); }
p { max-width: 46rem; } .question, .soft { color: var(--soft); } a { color: var(--blue); }
nav a { margin-right: 1rem; white-space: nowrap; }
figure { margin: 1.25rem 0; overflow-x: auto; }
figure svg { display: block; width: 100%; min-width: 40rem; height: auto; background: white;
  border: 1px solid var(--line); }
figcaption, caption { color: var(--soft); font-size: .9rem; text-align: left; padding: .5rem 0; max-width: 52rem; }
table { border-collapse: collapse; width: 100%; font-size: .92rem; background: white; }
th, td { text-align: left; vertical-align: top; padding: .45rem .7rem; border: 1px solid var(--line); }
th { background: #f1f3f4; font-weight: 600; } td.verdict { white-space: nowrap; font-weight: 600; }
.yes { color: #1c7a4a; } .no { color: #b3261e; } .partly { color: #9a6400; } .missing { color: var(--soft); }
.why { display: block; color: var(--soft); margin-top: .25rem; }
.claims td:first-child { width: 36%; } th.group { background: #e8eef2; }
.scroll { overflow-x: auto; } code { background: #f1f3f4; padding: .1rem .3rem; }
.tally { display: flex; flex-wrap: wrap; gap: .75rem; margin: 1.25rem 0; padding: 0; list-style: none; }
.tally li { background: white; border: 1px solid var(--line); padding: .5rem 1rem; }
.tally b { font-size: 1.3rem; margin-right: .4rem; }
"""


def report(rows: Iterable[Row], store: str) -> str:
    """The whole page as HTML that needs nothing else; the same rows give the same bytes."""
    everything = list(rows)
    good = [row for row in everything if row.status == "ok" and row.settings["method"] in METHODS]
    readings = {}
    for name in EXPERIMENTS:
        experiment = find(name)
        mine = [row for row in good if experiment.belongs(row.settings)]
        readings[name] = (experiment, mine, experiment.read(mine))
    claims = [claim for _, _, reading in readings.values() for claim in reading.claims]
    count = Counter(claim.verdict for claim in claims)
    tally = "".join(
        f'<li><b class="{_class(verdict)}">{count[verdict]}</b>{escape(text)}</li>'
        for verdict, text in ((YES, "agree"), (PARTLY, "in part"), (NO, "do not"), (MISSING, "not measured"))
    )
    links = "".join(f'<a href="#{name}">{escape(find(name).title)}</a> ' for name in EXPERIMENTS)
    sections = "".join(_section(*reading) for reading in readings.values())
    return f"""<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>shown: the paper’s evidence, rerun</title>
<style>{STYLE}</style>
<main>
<h1>The paper’s evidence, rerun</h1>
<p class="question">Every experiment of <i>Few-Shot Bayesian Imitation Learning with Logical Program Policies</i>
(Silver, Allen, Lew, Kaelbling and Tenenbaum, 2020), run again with <code>shown</code> on levels made anew within the
paper’s ranges.</p>
<p>{len(good):,} trials, each one method that learned one game from some demonstrations and then played the 9 test
levels and, since 9 are few, 100 generated ones. Of {len(claims)} statements of the paper:</p>
<ul class="tally">{tally}</ul>
<nav><a href="#claims">All claims</a> {links}<a href="#made">How this was made</a></nav>
<h2 id="claims">What the paper says, and what was measured</h2>
{_claims(readings.values())}
{sections}
{_made(everything, store)}
</main>
</html>
"""


def figure_files(rows: Iterable[Row]) -> Iterator[tuple[str, str]]:
    """Every figure as a file of its own: name and SVG."""
    good = [row for row in rows if row.status == "ok" and row.settings["method"] in METHODS]
    for name in EXPERIMENTS:
        experiment = find(name)
        mine = [row for row in good if experiment.belongs(row.settings)]
        plots = [item for item in experiment.read(mine).plots if isinstance(item, Plot)] if mine else []
        for number, plot in enumerate(plots, 1):
            yield f"{name}{f'-{number}' if len(plots) > 1 else ''}.svg", figures.svg(plot.figure) + "\n"


def _section(experiment: Experiment, rows: Sequence[Row], reading: Reading) -> str:
    parts = [
        f'<h2 id="{experiment.name}">{escape(experiment.title)}</h2>',
        f'<p class="question">{escape(experiment.question)} {escape(" ".join((experiment.__doc__ or "").split()))}</p>',
    ]
    if not rows:
        command = f"shown reproduce {experiment.name}"
        return "".join(
            [*parts, f"<p>No trials of this experiment are in the store. <code>{command}</code> runs them.</p>"]
        )
    for number, item in enumerate(reading.plots):
        parts.append(_plot(item, f"{experiment.name}-{number}-") if isinstance(item, Plot) else _table(item))
    parts += [f"<p>{escape(text)}</p>" for text in reading.text]
    return "\n".join(parts)


def _plot(plot: Plot, prefix: str) -> str:
    return f"<figure>{figures.svg(plot.figure, prefix)}<figcaption>{escape(plot.caption)}</figcaption></figure>"


def _table(table: Table) -> str:
    head = "".join(f"<th>{escape(cell)}</th>" for cell in table.head)
    body = "".join("<tr>" + "".join(f"<td>{escape(cell)}</td>" for cell in row) + "</tr>" for row in table.rows)
    caption = f"<caption>{escape(table.caption)}</caption>"
    return f'<div class="scroll"><table>{caption}<thead><tr>{head}</tr></thead><tbody>{body}</tbody></table></div>'


def _claims(readings: Iterable[tuple[Experiment, Sequence[Row], Reading]]) -> str:
    head = "".join(f"<th>{text}</th>" for text in ("The paper says", "We measured", "Agrees?"))
    groups = []
    for experiment, _, reading in readings:
        link = f'<a href="#{experiment.name}">{escape(experiment.title)}</a>'
        body = "".join(_claim(claim) for claim in reading.claims)
        groups.append(f'<tbody><tr><th colspan="3" class="group">{link}</th></tr>\n{body}</tbody>')
    return f'<div class="scroll"><table class="claims"><thead><tr>{head}</tr></thead>{"".join(groups)}</table></div>'


def _claim(claim: Claim) -> str:
    why = f'<span class="why">Why: {escape(claim.why)}</span>' if claim.why else ""
    return (
        f"<tr><td>{escape(claim.paper)}</td><td>{escape(claim.measured)}{why}</td>"
        f'<td class="verdict {_class(claim.verdict)}">{MARKS[claim.verdict]}</td></tr>\n'
    )


def _class(verdict: str) -> str:
    return "missing" if verdict == MISSING else verdict


def _made(rows: Sequence[Row], store: str) -> str:
    """Where the numbers came from."""
    if not rows:
        return '<h2 id="made">How this was made</h2><p>The store is empty.</p>'
    hours = sum(row.seconds for row in rows) / 3600
    versions = sorted({row.version for row in rows})
    dates = sorted(row.finished[:10] for row in rows)
    failed = [row for row in rows if row.status != "ok"]
    by_method = Counter(row.settings["method"] for row in rows)
    counts = ", ".join(
        f"{METHODS[name].label if name in METHODS else name} {number:,}"
        for name, number in sorted(by_method.items(), key=lambda item: (-item[1], item[0]))
    )
    used = [row for row in rows if any(find(name).belongs(row.settings) for name in EXPERIMENTS)]
    lost = ""
    if failed or len(used) < len(rows):
        lost = (
            f"<p>Left out: {len(failed)} failed (<code>shown results --status failed</code> lists them), "
            f"{len(rows) - len(used)} with settings that are in none of the experiments.</p>"
        )
    return f"""<h2 id="made">How this was made</h2>
<p>From <code>{escape(store)}</code>: {len(rows):,} trials ({escape(counts)}), {hours:.1f} hours of trials in all, run
between {dates[0]} and {dates[-1]} with version {escape(", ".join(versions))}.</p>{lost}
<p><code>shown reproduce all --full --store {escape(store)}</code> runs what is missing, <code>shown results --store
{escape(store)}</code> lists every trial with its settings, and <code>shown report --store {escape(store)}</code> writes
this page. Levels <code>test:0-8</code> are the test levels, <code>random:0-99</code> the generated ones; nothing is
ever demonstrated on either.</p>"""
