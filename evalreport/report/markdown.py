"""A short Markdown summary: fits a pull-request comment or a job's step summary."""

from __future__ import annotations

from collections.abc import Iterator

from evalreport.numbers import value_text
from evalreport.report.cautions import rest_of, sentence_of
from evalreport.report.contents import Contents
from evalreport.report.criteria import criterion_line
from evalreport.report.directions import isolated
from evalreport.report.headline import (
    Headline,
    decided_words,
    headline_of,
    headline_tables,
    left_out,
    limits_head,
    more_tables,
    table_lines,
    table_title,
)
from evalreport.report.page_one import lead_sentence
from evalreport.report.training import best_step_text
from evalreport.report.wording import Wording
from evalreport.report.words import OUTCOME_MARKS, as_of_text, cell, prose
from evalreport.results.lookup import Results
from evalreport.results.records import Criterion, rank_of

#: Cautions printed; the rest is in the report.
MOST_CAUTIONS = 10


def summary_markdown(results: Results, wording: Wording | None = None) -> str:
    """One sentence, then criteria, headline measures and cautions, as GitHub-flavoured Markdown.

    In the words of the template that the spec asks for, unless there is another ``wording``.
    """
    return "\n".join(map(isolated, _lines(Contents(results, wording)))) + "\n"


def _lines(contents: Contents) -> Iterator[str]:
    results = contents.results
    if contents.views:
        yield f"**{cell(lead_sentence(contents))}**"
        yield ""
    yield f"## {cell(results.title)}"
    yield ""
    if results.acceptance:
        yield from _criteria(contents)
    steps = best_step_text(contents)
    if steps:
        yield cell(steps)
        yield ""
    headline = headline_of(contents)
    yield from _measures(contents, headline)
    more = left_out(contents, headline)
    if more:
        yield ""
        yield cell(more)
    yield from _tables(results, headline)
    yield from _cautions(results)
    provenance = results.provenance
    spec = provenance.spec.sha256[:12] if provenance.spec is not None else "none"
    yield ""
    yield (
        f"evalreport {provenance.version} · {provenance.at}"
        f"{' (time given)' if provenance.clock != 'read' else ''}"
        f"{cell(as_of_text(results.as_of))} · "
        f"spec `{spec}` · plan `{provenance.plan_sha256[:12]}`"
    )


def _measures(contents: Contents, headline: Headline) -> Iterator[str]:
    if headline:
        limits = limits_head(headline)
        yield f"| dataset | model | measure | value | {limits} | counts | method | table |"
        yield "|---|---|---|---:|---|---:|---|---|"
    for view, rows in headline.items():
        for row in rows:
            words = (row.name, row.value, row.limits, row.counts, row.method or row.reason)
            place = (view[0], decided_words(contents, view))
            yield f"| {' | '.join(map(cell, (*place, *words, row.tables)))} |"


def _cautions(results: Results) -> Iterator[str]:
    cautions = results.cautions
    if cautions:
        yield ""
        yield "**Cautions**"
        yield ""
        for caution in cautions[:MOST_CAUTIONS]:
            words = filter(None, (caution.severity, sentence_of(caution), rest_of(caution)))
            yield f"- {cell(': '.join(words))}"
        if len(cautions) > MOST_CAUTIONS:
            yield f"- and {len(cautions) - MOST_CAUTIONS} more, in the report"
    for failure in results.failures:
        yield f"- FAILED {cell(failure.section)}: {cell(failure.reason)}"


def _tables(results: Results, headline: Headline) -> Iterator[str]:
    """The classification tables that the measures stand on."""
    tables, more = headline_tables(results, headline)
    for table in tables:
        head, *rows = table_lines(table)
        yield ""
        yield f"**Table {cell(table_title(table))}**"
        yield ""
        yield f"| {' | '.join(cell(c) for c in head)} |"
        yield f"|---|{'---:|' * (len(head) - 1)}"
        for row in rows:
            yield f"| {' | '.join(cell(c) for c in row)} |"
    if more:
        yield ""
        yield more_tables(more)


def _criteria(contents: Contents) -> Iterator[str]:
    yield "| criterion | dataset | model | observed | outcome |"
    yield "|---|---|---|---:|---|"
    for e in sorted(contents.of(Criterion), key=lambda entry: rank_of(entry.outcome)):
        observed = value_text(e.observed) if e.observed is not None else prose(e.reason or "")
        place = (e.dataset or "–", e.model or "–")
        cells = (criterion_line(contents, e), *place, observed, OUTCOME_MARKS[e.outcome])
        yield f"| {' | '.join(cell(c) for c in cells)} |"
    yield ""
