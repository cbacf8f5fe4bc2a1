"""Measures as a LaTeX table, for a paper's appendix."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from evalreport.report.contents import Contents
from evalreport.report.headline import (
    counts_words,
    headline_measures,
    headline_tables,
    interval_words,
    name_words,
    table_lines,
    table_title,
    tables_words,
    value_words,
    with_readings,
)
from evalreport.report.words import prose
from evalreport.results.lookup import Results
from evalreport.results.records import Measure

_ESCAPES = {
    "\\": r"\textbackslash{}", "&": r"\&", "%": r"\%", "$": r"\$", "#": r"\#", "_": r"\_",
    "{": r"\{", "}": r"\}", "~": r"\textasciitilde{}", "^": r"\textasciicircum{}",
    "→": r"$\to$", "\u202f": r"\,",
    "−": r"$-$", "≥": r"$\ge$", "≤": r"$\le$", "<": r"$<$", ">": r"$>$",
}  # fmt: skip


def measures_latex(results: Results) -> str:
    """Tabulars of the headline measures and of their tables; they need no package."""
    return "\n".join(_lines(Contents(results))) + "\n"


def _lines(contents: Contents) -> Iterator[str]:
    results = contents.results
    yield f"% {prose(results.title)}, evalreport {results.provenance.version}"
    yield r"\begin{tabular}{lllrlrl}"
    yield r"\hline"
    yield r"dataset & model & measure & value & interval & counts & table \\"
    yield r"\hline"
    measures = headline_measures(results)
    for m in measures:
        cells = (
            m.dataset,
            m.model,
            with_readings(contents, m, name_words(contents.heading(m), m.label)),
            value_words(m),
            interval_words(m),
            counts_words(m),
            tables_words(m),
        )
        yield " & ".join(escaped(cell) for cell in cells) + r" \\"
    yield r"\hline"
    yield r"\end{tabular}"
    yield from _tables(results, measures)


def _tables(results: Results, measures: Sequence[Measure]) -> Iterator[str]:
    """A tabular for each classification table that the measures stand on."""
    tables, more = headline_tables(results, measures)
    for table in tables:
        head, *rows = table_lines(table)
        yield f"% table {prose(table_title(table))}"
        yield rf"\begin{{tabular}}{{l{'r' * (len(head) - 1)}}}"
        yield r"\hline"
        yield " & ".join(map(escaped, head)) + r" \\"
        yield r"\hline"
        for row in rows:
            yield " & ".join(map(escaped, row)) + r" \\"
        yield r"\hline"
        yield r"\end{tabular}"
    if more:
        yield f"% {more} more tables are in the report"


def escaped(text: Any) -> str:
    r"""Text without characters that LaTeX takes as commands.

    >>> escaped("50% of $5_a")
    '50\\% of \\$5\\_a'
    """
    return "".join(_ESCAPES.get(c, c) for c in prose(text))
