"""Measures as a LaTeX table, for a paper's appendix."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from evalreport.report.headline import (
    counts_words,
    headline_measures,
    interval_words,
    name_words,
    value_words,
)
from evalreport.report.wording import in_words
from evalreport.report.words import prose

_ESCAPES = {
    "\\": r"\textbackslash{}", "&": r"\&", "%": r"\%", "$": r"\$", "#": r"\#", "_": r"\_",
    "{": r"\{", "}": r"\}", "~": r"\textasciitilde{}", "^": r"\textasciicircum{}",
    "−": r"$-$", "≥": r"$\ge$", "≤": r"$\le$", "<": r"$<$", ">": r"$>$",
}  # fmt: skip


def measures_latex(results: Mapping[str, Any]) -> str:
    """A ``tabular`` of the headline measures; needs no package."""
    return "\n".join(_lines(in_words(results))) + "\n"


def _lines(results: Mapping[str, Any]) -> Iterator[str]:
    yield f"% {prose(results['title'])}, evalreport {results['provenance']['version']}"
    yield r"\begin{tabular}{lllrlr}"
    yield r"\hline"
    yield r"dataset & model & measure & value & interval & counts \\"
    yield r"\hline"
    for m in headline_measures(results):
        cells = (
            m["dataset"],
            m["model"],
            name_words(m),
            value_words(m),
            interval_words(m),
            counts_words(m),
        )
        yield " & ".join(escaped(cell) for cell in cells) + r" \\"
    yield r"\hline"
    yield r"\end{tabular}"


def escaped(text: Any) -> str:
    r"""Text without characters that LaTeX takes as commands.

    >>> escaped("50% of $5_a")
    '50\\% of \\$5\\_a'
    """
    return "".join(_ESCAPES.get(c, c) for c in prose(text))
