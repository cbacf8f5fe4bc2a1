"""What a run says where it was started: headline measures, what failed, what to beware of.

The same three lists are the ``headline``, ``failed`` and ``warnings`` of ``run --json``.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from evalreport.numbers import observed_text, p_text, value_text
from evalreport.report.cards import interval_text
from evalreport.report.cautions import rest_of, sentence_of
from evalreport.report.comparisons import other_rows_text
from evalreport.report.contents import Contents
from evalreport.report.criteria import bound_text, requirement_text
from evalreport.report.headline import headline_measures, headline_of
from evalreport.report.leading import MOST_METRICS, best_first
from evalreport.report.looks import look_words
from evalreport.report.printed import text_lines
from evalreport.report.scripts import script_note
from evalreport.report.training import best_step_text
from evalreport.report.wording import in_words
from evalreport.report.words import OUTCOME_WORDS, label_text, prose, rows_text, subgroup_text
from evalreport.results.forms import or_infinity
from evalreport.results.lookup import Results
from evalreport.results.records import CONTINUE, HELD, NOT_HELD, Caution, Criterion, Look, Measure

#: Datasets with a model whose headline measures are printed; ``--json`` has all of them.
MOST_VIEWS = 12


def headline(results: Results) -> list[dict[str, Any]]:
    """The measures of all rows that stand at the head of the report, of every model.

    Each with ``metric``, ``model``, ``dataset``, ``value``, ``low`` and ``high``; the last
    three are None where ``state`` says that there is no value, or where it has no interval.
    """
    contents = Contents(results)
    views = best_first(contents)
    return [_plain(m) for v in views for m in headline_measures(contents, v)[:MOST_METRICS]]


def _plain(m: Measure) -> dict[str, Any]:
    return {
        "metric": m.metric,
        "params": dict(m.params),
        "average": m.average,
        "label": m.label,
        "model": m.model,
        "dataset": m.dataset,
        "threshold": m.threshold,
        "state": m.state,
        "value": m.value,
        "low": None if m.interval is None else m.interval.low,
        "high": None if m.interval is None else or_infinity(m.interval.high),
        "measure": m.id,
    }


def failed(results: Results) -> list[dict[str, Any]]:
    """Every criterion that failed or could not be evaluated, failed ones first."""
    keys = (
        "criterion", "text", "metric", "dataset", "model", "subgroup", "bound", "direction",
        "required", "observed", "outcome", "reason",
    )  # fmt: skip
    return [{key: getattr(entry, key) for key in keys} for entry in _failed(results)]


def _failed(results: Results) -> list[Criterion]:
    entries = [entry for entry in results.acceptance if entry.outcome not in (*HELD, CONTINUE)]
    return sorted(entries, key=lambda entry: entry.outcome not in NOT_HELD)


def warnings(results: Results) -> list[dict[str, Any]]:
    """Every caution that is a warning: its code, its message, and where it applies."""
    keys = ("code", "title", "message", "dataset", "model")
    return [{key: getattr(caution, key) for key in keys} for caution in _warnings(results)]


def _warnings(results: Results) -> Sequence[Caution]:
    return [caution for caution in results.cautions if caution.severity == "warning"]


def headline_lines(results: Results) -> list[str]:
    """The headline measures as lines, model by model, each with its interval."""
    contents = Contents(results)
    by_view = headline_of(contents, MOST_METRICS)
    steps = best_step_text(contents)
    lines = [steps] if steps else []
    lines += text_lines(contents, dict(list(by_view.items())[:MOST_VIEWS]))
    if len(by_view) > MOST_VIEWS:
        lines.append(f"and {len(by_view) - MOST_VIEWS} more, in the report")
    return [*lines, *filter(None, [other_rows_text(contents)])]


def look_lines(results: Results) -> Iterator[str]:
    """One line for each look: which it is, what is known so far, what was spent and decided."""
    for one in results.of(Look):
        place = ", ".join(_place(one.dataset, one.model))
        seen = "no value" if one.value is None else value_text(one.value)
        if one.interval is not None:
            seen += f" ({interval_text(one.interval, one.value)})"
        spent = ""
        if one.spent is not None:
            spent = f", error spent {p_text(one.spent)} of {p_text(one.alpha)}"
        at = one.decided_at
        decided = f" since look {at}" if at is not None and at != one.look else ""
        word = {"pass": "passed", "fail": "failed"}.get(one.outcome, "to be continued")
        yield (
            f"{look_words(one)}: {prose(one.text)} ({place}): {word}{decided}; "
            f"so far {seen} of {rows_text(one.rows)}{spent}"
        )
    yield from (prose(c.message) for c in results.cautions if c.code == "rows_counted_by_file")


def is_backfill(results: Results) -> bool:
    """Whether looks are asked for, and the data are of an earlier time than the newest one."""
    return any(caution.code == "no_look" for caution in results.cautions)


def failed_lines(results: Results) -> Iterator[str]:
    """One line for each criterion that failed or could not be evaluated."""
    averages = {m.id: m.average for m in results.measures}
    for entry in _failed(in_words(results)):
        place = _place(entry.dataset, entry.model)
        if entry.subgroup:
            place.append(subgroup_text(entry.subgroup))
        average = averages.get(entry.measure or "")
        # of several classes the spec may leave to us which average a limit is about
        named = f"{average} " if average and average not in entry.text else ""
        what = f"{OUTCOME_WORDS[entry.outcome]}: {named}{prose(entry.text)}"
        yield f"{what} ({', '.join(place)}): {_why(entry)}"


def warning_lines(results: Results) -> Iterator[str]:
    """One line for each warning, in the order of the report."""
    for caution in _warnings(in_words(results)):
        place = _place(caution.dataset, caution.model)
        where = f" ({', '.join(place)})" if place else ""
        words = filter(None, ("warning", sentence_of(caution), rest_of(caution)))
        yield f"{': '.join(words)}{where}"
    note = script_note(results)
    if note:
        yield f"warning: {note}"


def _place(*names: str | None) -> list[str]:
    return [label_text(name) for name in names if name is not None]


def _why(entry: Criterion) -> str:
    required = entry.required
    asked = "" if required is None else f"required {requirement_text(entry)}"
    if entry.observed is None:
        told = prose(entry.reason or "no reason was recorded")
        return f"{told}; {asked}" if asked else told
    seen = value_text(entry.observed)
    if required is not None:
        seen = observed_text(entry.observed, required)
    what = "" if entry.bound == "point" else f"{bound_text(entry)} "
    told = f"observed {what}{seen}"
    return ", ".join(part for part in (told, asked, prose(entry.reason or "")) if part)
