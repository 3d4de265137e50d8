"""The report: every figure redrawn from the store, and each of the paper's claims beside what was measured.

What stands in a store may be anybody's. So the page is made by `fill`, which escapes all that is not already HTML of
this module, and it forbids the browser to run or load anything.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from html import escape

from shown.experiments import EXPERIMENTS, drawing, find
from shown.experiments.claims import MISSING, NO, PARTLY, YES, Claim, judged
from shown.experiments.experiment import Experiment, Pictures, Plot, Reading, Shown, Table
from shown.experiments.figures import label
from shown.experiments.origins import origins
from shown.experiments.paper import STATEMENTS, TITLES
from shown.experiments.rows import Row
from shown.experiments.summary import ten_lines
from shown.experiments.trials import METHODS
from shown.experiments.words import listed, many

MARKS = {YES: "✓ yes", PARTLY: "◐ partly", NO: "✗ no", MISSING: "– not measured"}

POLICY = "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'"
"""What the page may do: nothing but look as it does. Matplotlib's drawings carry their styles in themselves."""

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
.boards { display: flex; flex-wrap: wrap; gap: .75rem; } .boards svg { width: auto; min-width: 0; }
td { white-space: pre-wrap; }
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
.stale { border-left: 4px solid #9a6400; background: white; padding: .5rem 1rem; }
.lines { max-width: 56rem; padding-left: 1.5rem; } .lines li { margin: .35rem 0; }
.tally b { font-size: 1.3rem; margin-right: .4rem; }
"""


class Html(str):
    """Text that is HTML already."""


def fill(template: str, **values: object) -> Html:
    """A template with its {names} filled in; what is not HTML yet is escaped.

    >>> fill("<p>{words}</p>", words="a < b")
    '<p>a &lt; b</p>'
    """
    return Html(
        template.format(
            **{name: value if isinstance(value, Html) else escape(str(value)) for name, value in values.items()}
        )
    )


def join(parts: Iterable[Html], between: str = "") -> Html:
    return Html(between.join(parts))


@dataclass(frozen=True)
class Chapter:
    """An experiment with its results, and what they show."""

    experiment: Experiment
    rows: Sequence[Row]
    reading: Reading


def chapters(rows: Iterable[Row]) -> list[Chapter]:
    """Each experiment with those of the results that belong to it."""
    good = _usable(rows)
    found = []
    for name in EXPERIMENTS:
        experiment = find(name)
        mine = [row for row in good if experiment.belongs(row.settings)]
        found.append(Chapter(experiment, mine, experiment.read(mine)))
    return found


def _usable(rows: Iterable[Row]) -> list[Row]:
    """Results that ended well, of methods that are known here, in an order that is the same for the same results."""
    good = [row for row in rows if row.status == "ok" and row.settings["method"] in METHODS]
    return sorted(good, key=lambda row: (row.settings["method"], row.settings["game"], row.key))


def report(rows: Iterable[Row], store: str, bad: int = 0) -> str:
    """The whole page as HTML that needs nothing else; the same rows give the same bytes.

    Args:
        rows: the results.
        store: the name of the file they are from.
        bad: how many rows of that file are no results.
    """
    everything = list(rows)
    read = chapters(everything)
    claims = _all_claims(read)
    count = Counter(claim.verdict for group in claims.values() for claim in group)
    first = _opening(read)
    return fill(
        PAGE,
        policy=POLICY,
        style=Html(STYLE),
        trials=f"{len(_usable(everything)):,}",
        claims=sum(count.values()),
        lines=join(fill("<li>{line}</li>\n", line=line) for line in _ten_lines(read, claims)),
        figures=join(_plot(plot, f"figure-{number}-", number) for number, plot in enumerate(first.values(), 1)),
        tally=join(_tally(verdict, count[verdict]) for verdict in (YES, PARTLY, NO, MISSING)),
        stale=_stale(read, store),
        links=join((_link(chapter.experiment) for chapter in read), " "),
        table=_claims((_title(name), group) for name, group in claims.items()),
        sections=join((_section(chapter, list(first)) for chapter in read), "\n"),
        made=_made(everything, store, bad),
    )


PAGE = """<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="{policy}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>shown: the paper’s evidence, rerun</title>
<style>{style}</style>
<main>
<h1>The paper’s evidence, rerun</h1>
<p class="question">Every experiment of <i>Few-Shot Bayesian Imitation Learning with Logical Program Policies</i>
(Silver, Allen, Lew, Kaelbling and Tenenbaum, 2020), run again with <code>shown</code> on levels made anew within the
paper’s ranges.</p>
<p>{trials} trials, each one method that learned one game from some demonstrations and then played the 9 test
levels and, since 9 are few, 100 generated ones. Of {claims} statements of the paper:</p>
<ul class="tally">{tally}</ul>
{stale}<ol class="lines">
{lines}</ol>
<p class="soft">In all figures: lines that coincide run side by side, a line’s width apart; a hollow mark is a point of
fewer trials than another game has there, a cross below zero one of none; the thin lines are clicks at random.</p>
{figures}
<nav><a href="#claims">All claims</a> {links} <a href="#made">How this was made</a></nav>
<h2 id="claims">What the paper says, and what was measured</h2>
{table}
{sections}
{made}
</main>
</html>
"""

WORDS = {YES: "agree", PARTLY: "in part", NO: "do not", MISSING: "not measured"}


def _tally(verdict: str, number: int) -> Html:
    template = '<li><b class="{kind}">{number}</b>{text}</li>'
    return fill(template, kind=_class(verdict), number=number, text=WORDS[verdict])


def _link(experiment: Experiment) -> Html:
    return fill('<a href="#{name}">{title}</a>', name=experiment.name, title=experiment.title)


def _title(name: str) -> Html:
    return _link(find(name)) if name in EXPERIMENTS else fill("{title}", title=TITLES.get(name, name))


def _all_claims(read: Sequence[Chapter]) -> dict[str, Sequence[Claim]]:
    """What was found of every statement of the paper, by group; also of those that belong to no experiment here."""
    found = {chapter.experiment.name: chapter.reading.claims for chapter in read if chapter.reading.claims}
    return found | {name: judged(group, {}) for name, group in STATEMENTS.items() if name not in EXPERIMENTS}


def _ten_lines(read: Sequence[Chapter], claims: Mapping[str, Sequence[Claim]]) -> list[str]:
    return ten_lines({chapter.experiment.name: chapter.rows for chapter in read}, claims)


OPENING = (
    ("demos", "best"), ("demos", "generated"), ("beyond", ""), ("programs", "nine"), ("ablations", "from-5"),
    ("data-efficiency", ""), ("noise", ""),
)  # fmt: skip
"""The figures that the page begins with: the first three of these that there are."""


def _opening(read: Sequence[Chapter]) -> dict[tuple[str, str], Plot]:
    plots = {
        (chapter.experiment.name, item.name): item
        for chapter in read
        for item in chapter.reading.plots
        if isinstance(item, Plot)
    }
    return {name: plots[name] for name in [name for name in OPENING if name in plots][:3]}


def figure_files(rows: Iterable[Row]) -> Iterator[tuple[str, bytes]]:
    """Every figure as files of its own, for two columns of a page and for one: name and contents."""
    for chapter in chapters(rows):
        for plot in (item for item in chapter.reading.plots if isinstance(item, Plot)):
            stem = "-".join(filter(None, (chapter.experiment.name, plot.name)))
            for width, suffix in ((drawing.DOUBLE, ""), (drawing.SINGLE, "-narrow")):
                for form, content in drawing.files(plot.figure, width=width).items():
                    yield f"{stem}{suffix}.{form}", content


# --- the parts ----------------------------------------------------------------------------------------------------


def _stale(read: Sequence[Chapter], store: str) -> Html:
    """How many of the results shown are of other code than the present: said once, here."""
    found = {chapter.experiment.name: [row for row in chapter.rows if row.stale] for chapter in read}
    keys = {row.key for rows in found.values() for row in rows}
    if not keys:
        return Html("")
    used = {row.key for chapter in read for row in chapter.rows}
    names = listed([f"{name} ({len(rows):,})" for name, rows in found.items() if rows])
    return fill(
        """<p class="stale"><b>{count} of the {used} trials shown are stale</b>: other code than the present ran them,
or nobody noted which. They stand until they are run again, in: {names}. <code>shown results --store {store}
--stale</code> lists them, <code>shown reproduce all --full --store {store}</code> runs them again.</p>
""",
        count=f"{len(keys):,}",
        used=f"{len(used):,}",
        names=names,
        store=store,
    )


def _section(chapter: Chapter, first: Sequence[tuple[str, str]]) -> Html:
    """An experiment's part of the page; the figures that the page began with (`first`) are only pointed to."""
    experiment = chapter.experiment
    about = " ".join((experiment.__doc__ or "").split())
    head = fill(
        '<h2 id="{name}">{title}</h2>\n<p class="question">{question} {about}</p>',
        name=experiment.name,
        title=experiment.title,
        question=experiment.question,
        about=about,
    )
    if not chapter.reading.plots:
        command = f"shown reproduce {experiment.name}"
        text = "<p>No trials of this experiment are in the store. <code>{command}</code> runs them.</p>"
        return join([head, fill(text, command=command)])
    plots = [
        _pointer(first.index((experiment.name, item.name)) + 1)
        if isinstance(item, Plot) and (experiment.name, item.name) in first
        else _shown(item, f"{experiment.name}-{number}-")
        for number, item in enumerate(chapter.reading.plots)
    ]
    return join([head, *plots, *(fill("<p>{text}</p>", text=text) for text in chapter.reading.text)], "\n")


def _shown(item: Shown, prefix: str) -> Html:
    if isinstance(item, Plot):
        return _plot(item, prefix)
    return _pictures(item) if isinstance(item, Pictures) else _table(item)


def _pictures(item: Pictures) -> Html:
    template = "<div>{drawing}<small>{text}</small></div>"
    boards = join(fill(template, drawing=Html(each.drawing), text=each.text) for each in item.pictures)
    template = '<figure><div class="boards">{boards}</div><figcaption>{caption}</figcaption></figure>'
    return fill(template, boards=boards, caption=item.caption)


def _plot(plot: Plot, prefix: str, number: int | None = None) -> Html:
    """A figure; with a number it can be pointed to."""
    drawn, begins = Html(drawing.svg(plot.figure, prefix)), f"Figure {number}. " if number else ""
    template = "<figure{place}>{drawn}<figcaption>{begins}{caption}</figcaption></figure>"
    place = fill(' id="figure-{number}"', number=number) if number else Html("")
    return fill(template, place=place, drawn=drawn, begins=begins, caption=plot.caption)


def _pointer(number: int) -> Html:
    template = '<p class="soft"><a href="#figure-{number}">Figure {number}</a>, at the top, belongs here.</p>'
    return fill(template, number=number)


def _table(table: Table) -> Html:
    head = join(fill("<th>{cell}</th>", cell=cell) for cell in table.head)
    lines = [join(fill("<td>{cell}</td>", cell=cell) for cell in row) for row in table.rows]
    return fill(
        '<div class="scroll"><table><caption>{caption}</caption><thead><tr>{head}</tr></thead><tbody>{body}</tbody>'
        "</table></div>",
        caption=table.caption,
        head=head,
        body=join(fill("<tr>{line}</tr>", line=line) for line in lines),
    )


def _claims(groups: Iterable[tuple[Html, Sequence[Claim]]]) -> Html:
    head = join(fill("<th>{text}</th>", text=text) for text in ("The paper says", "We measured", "Agrees?"))
    template = '<tbody><tr><th colspan="3" class="group">{title}</th></tr>\n{body}</tbody>'
    bodies = [fill(template, title=title, body=join(map(_claim, claims))) for title, claims in groups if claims]
    return fill(
        '<div class="scroll"><table class="claims"><thead><tr>{head}</tr></thead>{bodies}</table></div>',
        head=head,
        bodies=join(bodies),
    )


def _claim(claim: Claim) -> Html:
    why = fill('<span class="why">Why: {why}</span>', why=claim.why) if claim.why else Html("")
    return fill(
        '<tr><td>{paper}</td><td>{measured}{why}</td><td class="verdict {kind}">{mark}</td></tr>\n',
        paper=claim.paper,
        measured=claim.measured,
        why=why,
        kind=_class(claim.verdict),
        mark=MARKS[claim.verdict],
    )


def _class(verdict: str) -> str:
    return "missing" if verdict == MISSING else verdict


def _made(rows: Sequence[Row], store: str, bad: int) -> Html:
    """Where the numbers came from."""
    if not rows:
        return Html('<h2 id="made">How this was made</h2><p>The store is empty.</p>')
    dates = sorted(row.finished[:10] for row in rows)
    by_method = Counter(label(row.settings["method"]) for row in rows)
    counts = [f"{name} {number:,}" for name, number in sorted(by_method.items(), key=lambda item: (-item[1], item[0]))]
    return fill(
        MADE,
        store=store,
        number=f"{len(rows):,}",
        counts=", ".join(counts),
        hours=f"{sum(row.seconds for row in rows) / 3600:.1f}",
        first=dates[0],
        last=dates[-1],
        versions=", ".join(sorted({row.version for row in rows})),
        origins=join(map(_table, origins(rows)), "\n"),
        left_out=_left_out(rows, bad),
    )


MADE = """<h2 id="made">How this was made</h2>
<p>From <code>{store}</code>: {number} trials ({counts}), {hours} hours of trials in all, run
between {first} and {last} with version {versions}.</p>{left_out}
<p><code>shown reproduce all --full --store {store}</code> runs what is missing, <code>shown results --store
{store}</code> lists every trial with its settings, and <code>shown report --store {store}</code> writes
this page. With <code>--csv</code> or <code>--json</code> every trial is listed with its digests of engine, rules and
levels, its commit and its machine; here they are counted. Levels <code>test:0-8</code> are the test levels,
<code>random:0-99</code> the generated ones; nothing is ever demonstrated on either.</p>
{origins}"""


def _left_out(rows: Sequence[Row], bad: int) -> Html:
    failed = sum(row.status != "ok" for row in rows)
    elsewhere = sum(not any(find(name).belongs(row.settings) for name in EXPERIMENTS) for row in rows)
    if not failed and not elsewhere and not bad:
        return Html("")
    also = f", {many(bad, 'bad row')} (shown results names them)" if bad else ""
    return fill(
        "<p>Left out: {failed} failed (<code>shown results --status failed</code> lists them), "
        "{elsewhere} with settings that are in none of the experiments{also}.</p>",
        failed=failed,
        elsewhere=elsewhere,
        also=also,
    )
