"""A short Markdown summary: fits a pull-request comment or a job's step summary."""

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
from evalreport.report.numbers import value_text
from evalreport.report.wording import in_words
from evalreport.report.words import prose, subgroup_text

_MARKS = {"pass": "✓ pass", "fail": "✗ fail", "not_evaluated": "○ not evaluated"}
#: Cautions printed; the rest is in the report.
MOST_CAUTIONS = 10


def summary_markdown(results: Mapping[str, Any]) -> str:
    """Criteria, headline measures and cautions of a run as GitHub-flavoured Markdown."""
    return "\n".join(_lines(in_words(results))) + "\n"


def _lines(results: Mapping[str, Any]) -> Iterator[str]:
    yield f"## {_cell(results['title'])}"
    yield ""
    if results["acceptance"]:
        yield from _criteria(results["acceptance"])
    yield "| dataset | model | measure | value | interval | counts |"
    yield "|---|---|---|---:|---|---:|"
    for m in headline_measures(results):
        cells = (
            m["dataset"],
            m["model"],
            name_words(m),
            value_words(m),
            interval_words(m),
            counts_words(m),
        )
        yield f"| {' | '.join(_cell(c) for c in cells)} |"
    cautions = results["cautions"]
    if cautions:
        yield ""
        yield "**Cautions**"
        yield ""
        for caution in cautions[:MOST_CAUTIONS]:
            yield f"- {caution['severity']}: {_cell(caution['message'])} (`{caution['code']}`)"
        if len(cautions) > MOST_CAUTIONS:
            yield f"- and {len(cautions) - MOST_CAUTIONS} more, in the report"
    for failure in results.get("failures", ()):
        yield f"- FAILED {_cell(failure['section'])}: {_cell(failure['reason'])}"
    provenance = results["provenance"]
    yield ""
    yield (
        f"evalreport {provenance['version']} · {provenance['at']} · "
        f"spec `{provenance['spec']['sha256'][:12]}` · plan `{provenance['plan_sha256'][:12]}`"
    )


def _criteria(entries: list[Mapping[str, Any]]) -> Iterator[str]:
    yield "| criterion | dataset | model | subgroup | observed | outcome |"
    yield "|---|---|---|---|---:|---|"
    order = {"fail": 0, "not_evaluated": 1, "pass": 2}
    for e in sorted(entries, key=lambda entry: order[entry["outcome"]]):
        observed = value_text(e["observed"]) if e["observed"] is not None else prose(e["reason"])
        group = subgroup_text(e["subgroup"]) if e["subgroup"] else "all rows"
        cells = (e["text"], e["dataset"], e["model"], group, observed, _MARKS[e["outcome"]])
        yield f"| {' | '.join(_cell(c) for c in cells)} |"
    yield ""


def _cell(text: Any) -> str:
    """Text that can neither end a cell nor start markup."""
    shown = prose(text)
    for character in "\\`*_{}[]<>#|~&":
        shown = shown.replace(character, f"\\{character}")
    return shown.replace("\n", " ")
