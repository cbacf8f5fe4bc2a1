"""The headline measures as a table of text: what ``print(results)`` and the end of a run show."""

from __future__ import annotations

from collections.abc import Iterator

from evalreport.numbers import THIN, count_text
from evalreport.report.contents import Contents
from evalreport.report.criteria import counted_outcomes
from evalreport.report.headline import (
    Headline,
    HeadlineRow,
    headline_of,
    limits_head,
    name_words,
    view_words,
)
from evalreport.report.words import counted, label_text, prose, visible
from evalreport.report.worst import share_of_rows
from evalreport.results.lookup import Results
from evalreport.results.records import HELD, Failure, Measure


def printed(results: Results) -> str:
    """The results as a table: a block for each model, a line for each metric."""
    contents = Contents(results)
    return "\n".join(_lines(contents))


def one_line(results: Results, m: Measure) -> str:
    """One measure as a line: ``Recall 0.835 (0.779 to 0.879)``."""
    row = HeadlineRow(m, name_words(Contents(results), m), "")
    told = row.limits or row.reason
    text = f"{label_text(row.name)} {row.value}"
    return f"{text} ({told})".replace(THIN, " ") if told else text


def _lines(contents: Contents) -> Iterator[str]:
    results = contents.results
    yield prose(results.title)
    headline = headline_of(contents)
    positive = {contents.positive(view) for view in headline}
    if len(positive) == 1 and None not in positive:
        yield ""
        yield f"positive class: {label_text(str(positive.pop()))}"
    yield ""
    yield from text_lines(contents, headline)
    if results.acceptance:
        passed = sum(entry.outcome in HELD for entry in results.acceptance)
        yield ""
        yield f"passed: {passed} of {counted_outcomes(contents)}"
    for failure in results.failures:
        yield ""
        yield f"FAILED {failure_words(failure)}"
    warnings = sum(caution.severity == "warning" for caution in results.cautions)
    if warnings:
        yield ""
        yield f"{counted(warnings, 'warning')}: results.cautions"


def failure_words(failure: Failure) -> str:
    """A part that failed: which, of what, and why."""
    of = [label_text(name) for name in (failure.model, failure.dataset) if name]
    return ", ".join([visible(failure.section), *of]) + f": {prose(failure.reason or 'no reason')}"


def text_lines(contents: Contents, headline: Headline) -> Iterator[str]:
    """The frame as text: a head for each model, and a line for each measure below it."""
    heads = ("value", limits_head(headline), "n", "")
    blocks = [
        [(view_words(contents, view), *heads), *(_texts(contents, row) for row in own)]
        for view, own in headline.items()
    ]
    # a thin space is no letter of every terminal's font
    blocks = [[tuple(t.replace(THIN, " ") for t in row) for row in own] for own in blocks]
    widths = [max((len(row[k]) for own in blocks for row in own), default=0) for k in range(4)]
    for number, rows in enumerate(blocks):
        if number:
            yield ""
        for name, value, limits, n, end in rows:
            line = f"{name:<{widths[0]}}  {value:>{widths[1]}}  {limits:<{widths[2]}}"
            yield f"{line}  {n:>{widths[3]}}  {end}".rstrip()


def _texts(contents: Contents, row: HeadlineRow) -> tuple[str, ...]:
    """A line: of a share its own fraction stands where other metrics have their rows."""
    name = f"  {label_text(row.name)}"
    n = share_of_rows(contents, row.record) or count_text(row.record.n)
    return name, row.value, row.limits, n, row.method or row.reason
