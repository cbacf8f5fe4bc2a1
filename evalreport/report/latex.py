r"""The headline measures as LaTeX, as a paper prints them: metric, value and limits, by model.

Needs the packages ``booktabs`` and, for letters beyond ASCII, an engine or an input encoding that
reads UTF-8.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from evalreport.report.contents import Contents, View
from evalreport.report.headline import (
    HeadlineRow,
    headline_of,
    headline_tables,
    left_out,
    limits_head,
    more_tables,
    table_lines,
    table_title,
    view_words,
)
from evalreport.report.training import best_step_text
from evalreport.report.wording import Wording
from evalreport.report.words import prose
from evalreport.results.lookup import Results

_ESCAPES = {
    "\\": r"\textbackslash{}", "&": r"\&", "%": r"\%", "$": r"\$", "#": r"\#", "_": r"\_",
    "{": r"\{", "}": r"\}", "~": r"\textasciitilde{}", "^": r"\textasciicircum{}",
    "→": r"$\to$", "\u202f": r"\,",
    "∞": r"$\infty$", "−": r"$-$", "≥": r"$\ge$", "≤": r"$\le$", "<": r"$<$", ">": r"$>$",
}  # fmt: skip


#: Letters of \footnotesize on a line of 345 pt beside two gaps, and how wide one is, in mm.
LINE, LETTER = 74, 1.55
#: Rows of one table, which no page breaks; of more each model has its own.
MOST_ROWS = 30


def measures_latex(results: Results, wording: Wording | None = None) -> str:
    """Tabulars of the headline measures, and below them the tables that they stand on.

    In the words of the template that the spec asks for, unless there is another ``wording``.
    """
    return "\n".join(_lines(Contents(results, wording))) + "\n"


def _lines(contents: Contents) -> Iterator[str]:
    results = contents.results
    yield f"% {prose(results.title)}, evalreport {results.provenance.version}"
    yield r"% \usepackage{booktabs}"
    steps = best_step_text(contents)
    if steps:
        yield escaped(steps)
    headline = headline_of(contents)
    if not headline:
        return
    yield r"{\footnotesize\tabcolsep=4pt"
    heads = ["", "value", limits_head(headline)]
    columns, apart = _columns(headline), sum(map(len, headline.values())) > MOST_ROWS
    yield from _tabular(columns, heads)
    for place, (view, rows) in enumerate(headline.items()):
        if place and apart:
            yield from (*_END, r"\par\medskip")
            yield from _tabular(columns, heads)
        elif place:
            yield r"\midrule"
        yield rf"\multicolumn{{3}}{{@{{}}l}}{{\textbf{{{escaped(view_words(contents, view))}}}}} \\"
        for row in rows:
            yield _cells([row.name, row.value, row.limits or "–"])
    yield from _END
    yield r"\par}"
    notes = [*_methods(contents, headline), left_out(contents, headline)]
    yield from (rf"{{\footnotesize\noindent {escaped(note)}\par}}" for note in notes if note)
    tables, more = headline_tables(results, headline)
    for table in tables:
        head, *lines = table_lines(table)
        yield r"{\footnotesize\tabcolsep=4pt"
        yield rf"\medskip\noindent {escaped(table_title(table))}\par"
        yield from _tabular(f"l{'r' * (len(head) - 1)}", head)
        yield from map(_cells, lines)
        yield from _END
        yield r"\par}"
    if more:
        yield rf"\noindent {escaped(more_tables(more))}"


def _columns(headline: dict[View, list[HeadlineRow]]) -> str:
    """The columns of the measures; names wrap where the line is too short."""
    rows = [row for own in headline.values() for row in own]
    names, *others = (
        max(map(len, texts))
        for texts in zip(*((row.name, row.value, row.limits) for row in rows), strict=True)
    )
    room = LINE - sum(others)
    return "lrl" if names <= room else f"p{{{round(LETTER * room)}mm}}rl"


_END = (r"\bottomrule", r"\end{tabular}")


def _tabular(columns: str, heads: Sequence[str]) -> Iterator[str]:
    yield rf"\noindent\begin{{tabular}}{{@{{}}{columns}@{{}}}}"
    yield r"\toprule"
    yield _cells(heads)
    yield r"\midrule"


def _cells(texts: Sequence[str]) -> str:
    return " & ".join(map(escaped, texts)) + r" \\"


def _methods(contents: Contents, headline: dict[View, list[HeadlineRow]]) -> Iterator[str]:
    """Which method gave the limits of which measures, and why others have none."""
    methods: dict[str, dict[str, None]] = {}
    for view, rows in headline.items():
        for row in rows:
            if row.method:
                methods.setdefault(row.method, {})[row.over or contents.title(row.record)] = None
            else:
                yield f"{row.name}, {view_words(contents, view)}: {row.reason}."
    if methods:
        told = "; ".join(f"{name} ({', '.join(own)})" for name, own in methods.items())
        yield f"Limits: {told}."


def escaped(text: Any) -> str:
    r"""Text without characters that LaTeX takes as commands.

    >>> escaped("50% of $5_a")
    '50\\% of \\$5\\_a'
    """
    return "".join(_ESCAPES.get(c, c) for c in prose(text))
