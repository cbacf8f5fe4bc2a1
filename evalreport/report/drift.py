"""The section on drift: how far each thing has moved, and the shares it follows from."""

from __future__ import annotations

from collections.abc import Sequence

from evalreport.numbers import count_text, or_dash, p_text, share_text, value_text
from evalreport.report.columns import Column, left, left_out, right, table_of
from evalreport.report.contents import Contents
from evalreport.report.model import Block, TableBlock, TablePair, Text
from evalreport.report.sections import section
from evalreport.report.words import label_text, method_text, prose
from evalreport.results.records import Drift, DriftBin, DriftCategory

#: Tables of bins, and lines of each.
MOST_TABLES = 12
MOST_LINES = 20
MOST_ROWS = 40


@section(
    "drift",
    "Have the data moved?",
    short="Drift",
    of=(Drift,),
    intro="How labels, scores and columns are distributed now, compared with the reference. The "
    "population stability index is 0 for equal distributions. It grows with more bins and fewer "
    "rows: the value expected by chance is beside it.",
)
def drift_blocks(contents: Contents) -> list[Block]:
    """One line for each thing that was compared, then the bins of each, two abreast."""
    records = contents.of(Drift)
    if not records:
        return []
    blocks: list[Block] = [_summary(contents, records)]
    tables = [_bins(contents, record) for record in records if record.bins]
    shown = tables[:MOST_TABLES]
    blocks += [TablePair(tuple(shown[k : k + 2])) for k in range(0, len(shown), 2)]
    more = left_out(len(shown), len(tables), "distributions")
    return [*blocks, *([Text(more, "small")] if more else [])]


def _summary(contents: Contents, records: Sequence[Drift]) -> TableBlock:
    columns: list[Column[Drift]] = [
        left("what", lambda one: _what(contents, one)),
        left("against", lambda one: label_text(one.reference)),
        right("PSI", lambda one: "none" if one.psi is None else value_text(one.psi)),
        right("by chance", lambda one: or_dash(one.psi_expected)),
        right("p", lambda one: or_dash(one.psi_p_value, p_text)),
        right("distance (KS)", lambda one: or_dash(one.ks)),
        left("test", lambda one: method_text(one.test) if one.test else "–"),
        right("p", lambda one: or_dash(one.p_value, p_text)),
    ]
    reasons = dict.fromkeys(
        f"{_what(contents, r)}: {prose(r.psi_reason or r.reason or '')}"
        for r in records
        if r.psi_reason or r.reason
    )
    note = "PSI: sum of (now − then) ln(now / then) over the shares below. By chance: its mean if "
    note += "nothing has moved. p values are not corrected for their number."
    note += "".join(f" {reason[:1].upper()}{reason[1:]}." for reason in reasons)
    return table_of("What has moved, and how far", records, columns, note, most=MOST_ROWS)


def _what(contents: Contents, record: Drift) -> str:
    text = "labels"
    if record.of == "scores":
        text = f"scores of {label_text(record.label)}, {label_text(record.model)}"
    elif record.of == "column":
        text = f"column {label_text(record.column)}"
    return f"{text}, {label_text(record.dataset)}" if len(contents.datasets) > 1 else text


def _bins(contents: Contents, record: Drift) -> TableBlock:
    bins = record.bins
    then, now = sum(b.reference for b in bins), sum(b.rows for b in bins)
    columns: list[Column[DriftCategory | DriftBin]] = [
        left("class" if record.of == "labels" else "value", _bin_name),
        right("then", lambda b: f"{count_text(b.reference)} ({share_text(b.reference, then)})"),
        right("now", lambda b: f"{count_text(b.rows)} ({share_text(b.rows, now)})"),
    ]
    what = _what(contents, record)
    return table_of(f"{what[:1].upper()}{what[1:]}", bins, columns, most=MOST_LINES)


def _bin_name(b: DriftCategory | DriftBin) -> str:
    if isinstance(b, DriftCategory):
        return label_text(b.name)
    low, high = b.above, b.to
    if low is None:
        return "all" if high is None else f"up to {value_text(high)}"
    return (
        f"above {value_text(low)}" if high is None else (f"{value_text(low)} to {value_text(high)}")
    )
