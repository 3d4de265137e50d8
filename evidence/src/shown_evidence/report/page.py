"""The report: every figure redrawn from the store, and each statement of the paper beside its measurement.

The content of a store may come from anybody. `fill` escapes everything that is not HTML made here, and the page forbids
the browser to run or load anything.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from html import escape
from pathlib import Path

from shown_evidence.analysis import drawing
from shown_evidence.analysis.claims import MISSING, NO, PARTLY, YES, Claim
from shown_evidence.analysis.success_tables import Table
from shown_evidence.experiments import EXPERIMENTS, find
from shown_evidence.experiments.experiment import Exhibit, Experiment, Pictures, Plot, Presentation
from shown_evidence.experiments.released_levels import verdicts
from shown_evidence.report.origins import origins
from shown_evidence.report.summary import opening_table, sentences
from shown_evidence.results.row import Row
from shown_evidence.trials.methods import METHODS
from shown_evidence.wording import listed, many

MARKS = {YES: "✓ yes", PARTLY: "◐ partly", NO: "✗ no", MISSING: "– not measured"}
TALLY = {YES: "agree", PARTLY: "in part", NO: "do not", MISSING: "not measured"}

POLICY = "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'"
"""The page may only apply its styles; Matplotlib's drawings contain theirs."""

OPENING = (("beyond", ""), ("demos", "generated"), ("programs", "nine"))
"""The figure at the top of the page: the first that exists."""


class Html(str):
    """Text that is HTML already."""


def fill(template: str, **values: object) -> Html:
    """Fill in a template's {names}, and escape everything that is not HTML yet.

    >>> fill("<p>{words}</p>", words="a < b")
    '<p>a &lt; b</p>'
    """
    safe = {name: value if isinstance(value, Html) else escape(str(value)) for name, value in values.items()}
    return Html(template.format(**safe))


def join(parts: Iterable[Html], between: str = "") -> Html:
    return Html(between.join(parts))


@dataclass(frozen=True)
class Chapter:
    """An experiment with its results and their presentation."""

    experiment: Experiment
    rows: Sequence[Row]
    presentation: Presentation


def chapters(rows: Iterable[Row]) -> list[Chapter]:
    """Return each experiment with the results that belong to it."""
    good = _usable(rows)
    found = []
    for name in EXPERIMENTS:
        experiment = find(name)
        mine = [row for row in good if experiment.belongs(row.settings)]
        found.append(Chapter(experiment, mine, experiment.present(mine)))
    return found


def _usable(rows: Iterable[Row]) -> list[Row]:
    """Return the good results of known methods, in a fixed order."""
    good = [row for row in rows if row.status == "ok" and row.settings["method"] in METHODS]
    return sorted(good, key=lambda row: (row.settings["method"], row.settings["game"], row.key))


def report(rows: Iterable[Row], store: str, bad: int = 0) -> str:
    """Return the page on a store with `bad` invalid rows as self-contained HTML; equal rows give equal bytes."""
    everything = list(rows)
    read = chapters(everything)
    claims = {chapter.experiment.name: chapter.presentation.claims for chapter in read if chapter.presentation.claims}
    count = Counter(claim.verdict for group in claims.values() for claim in group)
    second = verdicts(_usable(everything))
    plots = {(chapter.experiment.name, plot.name): plot for chapter in read for plot in _plots(chapter)}
    first = {name: plots[name] for name in [name for name in OPENING if name in plots][:1]}
    by_name = {chapter.experiment.name: chapter.rows for chapter in read}
    table = opening_table(by_name["beyond"])
    folder = Path(__file__).parent
    return fill(
        (folder / "page.html").read_text("utf-8"),
        policy=POLICY,
        style=Html((folder / "page.css").read_text("utf-8")),
        trials=f"{len(_usable(everything)):,}",
        claims=sum(count.values()),
        sentences=join(fill("<p>{text}</p>\n", text=text) for text in sentences(by_name, claims)),
        figure=join(_plot(plot, "figure-1-", 1) for plot in first.values()),
        opening=_table(table) if table.rows else Html(""),
        tally=join(_tally(verdict, count[verdict]) for verdict in TALLY),
        stale=_stale(read, store),
        links=join((_link(chapter.experiment) for chapter in read), " "),
        table=_claims([(_link(find(name)), group, second.get(name, [])) for name, group in claims.items()]),
        sections=join((_section(chapter, list(first)) for chapter in read), "\n"),
        made=_made(everything, store, bad),
    )


def _plots(chapter: Chapter) -> list[Plot]:
    return [item for item in chapter.presentation.plots if isinstance(item, Plot)]


def figure_files(rows: Iterable[Row]) -> Iterator[tuple[str, bytes]]:
    """Yield name and contents of every figure's files, for two columns of a page and for one."""
    for chapter in chapters(rows):
        for plot in _plots(chapter):
            stem = "-".join(filter(None, (chapter.experiment.name, plot.name)))
            for width, suffix in ((drawing.DOUBLE, ""), (drawing.SINGLE, "-narrow")):
                for form, content in drawing.files(plot.figure, width=width).items():
                    yield f"{stem}{suffix}.{form}", content


# --- parts of the page --------------------------------------------------------------------------------------------


def _tally(verdict: str, number: int) -> Html:
    template = '<li><b class="{kind}">{number}</b>{text}</li>'
    return fill(template, kind=_class(verdict), number=number, text=TALLY[verdict])


def _link(experiment: Experiment) -> Html:
    return fill('<a href="#{name}">{title}</a>', name=experiment.name, title=experiment.title)


STALE = """<p class="stale"><b>{count} of the {used} trials shown are stale</b>: the code has changed since they ran, or
is unknown. They are in: {names}. <code>shown results --store {store} --stale</code> lists them, <code>shown reproduce
all --full --store {store}</code> runs them again.</p>
"""


def _stale(read: Sequence[Chapter], store: str) -> Html:
    """Return the number of stale results, once for the whole page."""
    found = {chapter.experiment.name: [row for row in chapter.rows if row.stale] for chapter in read}
    keys = {row.key for rows in found.values() for row in rows}
    if not keys:
        return Html("")
    used = {row.key for chapter in read for row in chapter.rows}
    names = listed([f"{name} ({len(rows):,})" for name, rows in found.items() if rows])
    return fill(STALE, count=f"{len(keys):,}", used=f"{len(used):,}", names=names, store=store)


POINTER = '<p class="soft">See <a href="#figure-{number}">Figure {number}</a> at the top.</p>'


def _section(chapter: Chapter, first: Sequence[tuple[str, str]]) -> Html:
    """Return an experiment's part of the page, with pointers to its figures at the top (`first`)."""
    experiment = chapter.experiment
    head = fill(
        '<h2 id="{name}">{title}</h2>\n<p class="question">{question} {about}</p>',
        name=experiment.name,
        title=experiment.title,
        question=experiment.question,
        about=" ".join((experiment.__doc__ or "").split()),
    )
    if not chapter.presentation.plots:
        command = f"shown reproduce {experiment.name}"
        text = "<p>No trials of this experiment are in the store. <code>{command}</code> runs them.</p>"
        return join([head, fill(text, command=command)])
    plots = [
        fill(POINTER, number=first.index((experiment.name, item.name)) + 1)
        if isinstance(item, Plot) and (experiment.name, item.name) in first
        else _exhibit(item, f"{experiment.name}-{number}-")
        for number, item in enumerate(chapter.presentation.plots)
    ]
    return join([head, *plots, *(fill("<p>{text}</p>", text=text) for text in chapter.presentation.text)], "\n")


def _exhibit(item: Exhibit, prefix: str) -> Html:
    if isinstance(item, Plot):
        return _plot(item, prefix)
    return _pictures(item) if isinstance(item, Pictures) else _table(item)


def _pictures(item: Pictures) -> Html:
    template = "<div>{drawing}<small>{text}</small></div>"
    boards = join(fill(template, drawing=Html(each.drawing), text=each.text) for each in item.pictures)
    template = '<figure><div class="boards">{boards}</div><figcaption>{caption}</figcaption></figure>'
    return fill(template, boards=boards, caption=item.caption)


def _plot(plot: Plot, prefix: str, number: int | None = None) -> Html:
    """Return a figure; a number makes it a target of links."""
    drawn, begins = Html(drawing.svg(plot.figure, prefix)), f"Figure {number}. " if number else ""
    template = "<figure{place}>{drawn}<figcaption>{begins}{caption}</figcaption></figure>"
    place = fill(' id="figure-{number}"', number=number) if number else Html("")
    return fill(template, place=place, drawn=drawn, begins=begins, caption=plot.caption)


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


def _claims(groups: Sequence[tuple[Html, Sequence[Claim], Sequence[Claim]]]) -> Html:
    """Return the statements with their verdicts on our levels and, where there are results, on the authors'."""
    twice = any(second for _, _, second in groups)
    words = ("The paper says", "On our levels", "Agrees?", *(("On the authors' levels", "Agrees?") if twice else ()))
    head = join(fill("<th>{text}</th>", text=text) for text in words)
    template = '<tbody><tr><th colspan="{width}" class="group">{title}</th></tr>\n{body}</tbody>'
    bodies = []
    for title, claims, second in groups:
        others: Sequence[Claim | None] = second or [None] * len(claims)
        lines = (_claim(claim, other, twice) for claim, other in zip(claims, others, strict=True))
        bodies.append(fill(template, width=len(words), title=title, body=join(lines)))
    template = '<div class="scroll"><table class="claims"><thead><tr>{head}</tr></thead>{bodies}</table></div>'
    return fill(template, head=head, bodies=join(bodies))


def _claim(claim: Claim, other: Claim | None, twice: bool) -> Html:
    cells = [_verdict(claim)]
    if twice:
        cells.append(Html("<td></td><td></td>") if other is None or other.verdict == MISSING else _verdict(other))
    return fill("<tr><td>{paper}</td>{cells}</tr>\n", paper=claim.paper, cells=join(cells))


def _verdict(claim: Claim) -> Html:
    begins = "Note" if claim.verdict == YES else "Why"
    why = fill('<span class="why">{begins}: {why}</span>', begins=begins, why=claim.why) if claim.why else Html("")
    template = '<td>{measured}{why}</td><td class="verdict {kind}">{mark}</td>'
    return fill(template, measured=claim.measured, why=why, kind=_class(claim.verdict), mark=MARKS[claim.verdict])


def _class(verdict: str) -> str:
    return "missing" if verdict == MISSING else verdict


MADE = """<h2 id="made">How this was made</h2>
<p>From <code>{store}</code>: {number} trials, {hours} hours of trials in all, run
between {first} and {last} with version {versions}.</p>{left_out}
<p><code>shown reproduce all --full --store {store}</code> runs what is missing, <code>shown results --store
{store}</code> lists every trial with its settings, and <code>shown report --store {store}</code> writes this page. With
<code>--csv</code> or <code>--json</code> the list includes digests of engine, rules and levels, commit and machine; the
tables below count them. Levels <code>test:0-8</code> are the test levels, <code>random:0-99</code> the generated ones;
neither are ever demonstrated.</p>
{origins}"""


def _made(rows: Sequence[Row], store: str, bad: int) -> Html:
    """Return the sources of the numbers."""
    if not rows:
        return Html('<h2 id="made">How this was made</h2><p>The store is empty.</p>')
    dates = sorted(row.finished[:10] for row in rows)
    return fill(
        MADE,
        store=store,
        number=f"{len(rows):,}",
        hours=f"{sum(row.seconds for row in rows) / 3600:.1f}",
        first=dates[0],
        last=dates[-1],
        versions=", ".join(sorted({row.version for row in rows})),
        origins=join(map(_table, origins(rows)), "\n"),
        left_out=_left_out(rows, bad),
    )


def _left_out(rows: Sequence[Row], bad: int) -> Html:
    failed = sum(row.status != "ok" for row in rows)
    elsewhere = sum(not any(find(name).belongs(row.settings) for name in EXPERIMENTS) for row in rows)
    if not failed and not elsewhere and not bad:
        return Html("")
    also = f", {many(bad, 'bad row')} (shown results lists them)" if bad else ""
    template = (
        "<p>Left out: {failed} failed (<code>shown results --status failed</code> lists them), "
        "{elsewhere} with settings of no experiment{also}.</p>"
    )
    return fill(template, failed=failed, elsewhere=elsewhere, also=also)
