"""Several readers of the same cases: each, their mean, differences of models, agreement."""

from __future__ import annotations

from collections.abc import Iterable

from evalreport.numbers import (
    count_text,
    difference_text,
    number_text,
    or_dash,
    p_text,
    six_decimals,
    threshold_text,
    value_text,
)
from evalreport.report.cards import interval_text
from evalreport.report.columns import Column, across, grouped_table, left, right, table_of
from evalreport.report.contents import Contents, view_of
from evalreport.report.model import Block, TableBlock
from evalreport.report.sections import section
from evalreport.report.words import counted, label_text, listed, prose, reasons_text
from evalreport.results.records import (
    Coefficient,
    ReaderAgreement,
    ReaderDifference,
    ReaderMean,
    ReaderPair,
    ReaderValue,
)

MOST_PAIRS = 45

COEFFICIENTS = {
    "percent_agreement": "percent agreement",
    "fleiss_kappa": "Fleiss' kappa",
    "gwet_ac1": "Gwet's AC1",
    "krippendorff_alpha": "Krippendorff's alpha",
}
EACH = (
    "Values of a reader are from the cases that this reader read. Limits of a share are Wilson's, "
    "those of ROC AUC DeLong's on the logit."
)
EACH_CLUSTERED = (
    "Values of a reader are from the cases that this reader read. Limits allow for cases that "
    "come in clusters."
)
MEANS = (
    "The mean counts every reader equally. Its limits are by Obuchowski and Rockette (1995) with "
    "the degrees of freedom of Hillis (2007): variance between the readers, and covariance "
    "between readers by the cases they share (DeLong 1988). {}"
)
BOTH = "They apply to other readers and other cases of these kinds."
READERS_ONLY = "They apply to other readers of these cases alone."
CASES_ONLY = "They apply to these readers alone, on other cases."
DIFFERENCES = (
    "Model minus reference, over the readers of both; by the same method, on these two models "
    "alone. p is not corrected for the number of tests. {}"
)
NON_INFERIOR = (
    "Non-inferiority is shown where the limits exclude a loss as large as the margin. Otherwise "
    "such a loss is not ruled out, which does not mean there is one."
)
AGREEMENT = (
    "Agreement is between readers, whatever the true class. Limits are by the linearised variance "
    "of Gwet (2008) with Student's t: the cases are the sample, the readers are these."
)
PAIRS = (
    "Cohen's kappa of every two readers, on the cases that both read; limits by the standard "
    "error of Fleiss, Cohen and Everitt (1969)."
)


@section(
    "readers",
    "Readers of the same cases",
    short="Readers",
    of=(ReaderMean, ReaderDifference, ReaderAgreement),
    intro="Several readers read the same cases. Elsewhere in this report their readings are "
    "taken together, with limits that allow for the cases; here each reader is shown alone, and "
    "the mean over readers has limits that allow for the readers too.",
)
def reader_blocks(contents: Contents) -> list[Block]:
    """Tables of each reader, of the means, of differences and of agreement."""
    means = contents.of(ReaderMean)
    agreements = contents.of(ReaderAgreement)
    if not means and not agreements:
        return []
    blocks: list[Block] = []
    if means:
        blocks += [_each(contents, means), _means(contents, means)]
    found = contents.of(ReaderDifference)
    if found:
        blocks.append(_differences(contents, found))
    blocks.append(_agreement(contents, agreements))
    pairs = [(one, pair) for one in agreements for pair in one.pairs]
    if pairs:
        blocks.append(_pairs(contents, pairs))
    return blocks


def _at(record: ReaderMean | ReaderAgreement) -> str:
    if record.threshold is None:
        return ""
    rule = f" ({prose(record.threshold_rule)})" if record.threshold_rule else ""
    return f" at {threshold_text(record.threshold)}{rule}"


# -- each reader ---------------------------------------------------------------------------------


def _each(contents: Contents, means: tuple[ReaderMean, ...]) -> TableBlock:
    """A line for each reader of a model and threshold: the table, and what follows from it."""
    titles = {record.metric: contents.heading(record) for record in reversed(means)}
    metrics = list(dict.fromkeys(record.metric for record in means))
    columns: list[Column[dict[str, ReaderValue]]] = [
        left("reader", lambda each: label_text(next(iter(each.values())).reader))
    ]
    # all of the metrics of a reader are of one table
    columns += across(
        [(cell, cell.lower()) for cell in ("TP", "FN", "FP", "TN")],
        lambda cell, each: count_text(getattr(next(iter(each.values())).cells, cell)),
    )
    columns += across(
        [(titles[name], name) for name in metrics], lambda name, each: _with_limits(each.get(name))
    )
    groups = []
    reasons = []
    for place in dict.fromkeys(map(_group, means)):
        own = [one for one in means if _group(one) == place]
        # the area has no threshold: it stands beside the first table of its model
        first = next(p for p in map(_group, means) if p[:2] == place[:2] and p[2] is not None)
        if place[2] is None:
            continue
        if place == first:
            own += [one for one in means if _group(one) == (*place[:2], None)]
        title = contents.mark(view_of(own[0])).name + _at(own[0])
        each = zip(*(record.readers for record in own), strict=True)
        named = [record.metric for record in own]
        groups.append((title, [dict(zip(named, values, strict=True)) for values in each]))
        reasons += reasons_text(
            (f"{title}, {contents.heading(record)}, {label_text(one.reader)}", one.reason)
            for record in own
            for one in record.readers
        )
    clustered = any(one.clusters is not None for one in means)
    note = " ".join([EACH_CLUSTERED if clustered else EACH, *reasons])
    return grouped_table("Each reader", groups, columns, note)


def _group(record: ReaderMean) -> tuple[str, str, tuple[float | None, str | None] | None]:
    """Whose table it is of, and at which threshold; of the area none."""
    at = None if record.metric == "roc_auc" else (record.threshold, record.threshold_rule)
    return record.dataset, record.model, at


def _with_limits(one: ReaderValue | None) -> str:
    if one is None:
        return ""
    if one.value is None:
        return "undefined"
    limits = interval_text(one.interval)
    return f"{value_text(one.value)} ({limits})" if limits else value_text(one.value)


# -- the mean over readers -------------------------------------------------------------------------


def _means(contents: Contents, means: tuple[ReaderMean, ...]) -> TableBlock:
    def place(one: ReaderMean) -> str:
        return contents.mark(view_of(one)).name

    columns: list[Column[ReaderMean]] = [
        left("measure", lambda one: contents.heading(one) + _at(one)),
        left("model", place),
        right("readers", lambda one: count_text(sum(r.value is not None for r in one.readers))),
        right("mean", lambda one: or_dash(one.value)),
        right("interval", lambda one: interval_text(one.interval) or "–"),
        right("SE", _error),
        right("df", _df),
    ]
    reasons = reasons_text((f"{contents.heading(one)}, {place(one)}", one.reason) for one in means)
    first = means[0]
    told = [MEANS.format(_random(first.random)), _size(first), _once(one.note for one in means)]
    note = " ".join(text for text in (*told, *reasons) if text)
    return table_of("Mean over the readers", means, columns, note, "gaps")


def _random(random: tuple[str, ...]) -> str:
    if len(random) == 2:
        return BOTH
    return READERS_ONLY if "readers" in random else CASES_ONLY


def _size(record: ReaderMean) -> str:
    crossed = "every reader read every case" if record.crossed else "not every one read each case"
    read = counted(record.readings, "reading")
    return f"{counted(record.cases, 'case')}, {read}: {crossed}."


def _once(notes: Iterable[str | None]) -> str:
    """Notes, each once, as sentences."""
    found = dict.fromkeys(prose(note) for note in notes if note)
    return " ".join(f"{note[:1].upper()}{note[1:]}." for note in found)


def _error(record: ReaderMean | ReaderDifference) -> str:
    return or_dash(record.standard_error, six_decimals)


def _df(record: ReaderMean | ReaderDifference) -> str:
    if not record.standard_error:
        return "–"
    return "normal" if record.df is None else f"{record.df:.1f}"


# -- differences of two models ---------------------------------------------------------------------


def _differences(contents: Contents, found: tuple[ReaderDifference, ...]) -> TableBlock:
    def title(one: ReaderDifference) -> str:
        at = "" if one.threshold is None else f" at {threshold_text(one.threshold)}"
        return contents.heading(one) + at

    def models(one: ReaderDifference) -> str:
        return f"{label_text(one.model)} against {label_text(one.reference)}"

    several = len(contents.datasets) > 1
    columns: list[Column[ReaderDifference]] = [
        left("measure", title),
        left("models", lambda o: models(o) + f", {label_text(o.dataset)}" * several),
        right("readers", lambda one: count_text(len(one.readers))),
        right("difference", lambda one: or_dash(one.difference, difference_text)),
        right("interval", lambda one: interval_text(one.interval) or "–"),
        right("SE", _error),
        right("df", _df),
        right("p", lambda one: or_dash(one.p_value, p_text)),
    ]
    with_margin = any(one.margin is not None for one in found)
    if with_margin:
        told = {True: "yes", False: "not shown", None: "–"}
        columns += [
            right("margin", lambda one: or_dash(one.margin, number_text)),
            right("holds", lambda one: told[one.non_inferior]),
        ]
    reasons = reasons_text((f"{title(one)}, {models(one)}", one.reason) for one in found)
    note = DIFFERENCES.format(_random(found[0].random))
    notes = [note, NON_INFERIOR if with_margin else "", _once(one.note for one in found), *reasons]
    text = " ".join(part for part in notes if part)
    return table_of("Models compared over readers", found, columns, text, "gaps")


# -- agreement -------------------------------------------------------------------------------------


def _agreement(contents: Contents, found: tuple[ReaderAgreement, ...]) -> TableBlock:
    def place(record: ReaderAgreement) -> str:
        return contents.mark(view_of(record)).name + _at(record)

    lines = [(record, one) for record in found for one in record.coefficients]
    columns: list[Column[tuple[ReaderAgreement, Coefficient]]] = [
        left("model", lambda line: place(line[0]) if line[1] is line[0].coefficients[0] else ""),
        left("coefficient", lambda line: COEFFICIENTS[line[1].name]),
        right("cases", lambda line: or_dash(line[1].cases, count_text)),
        right("value", lambda line: or_dash(line[1].value)),
        right("interval", lambda line: interval_text(line[1].interval) or "–"),
    ]
    reasons = reasons_text(
        (f"{place(record)}, {COEFFICIENTS[one.name]}", one.reason) for record, one in lines
    )
    names = list(dict.fromkeys(name for record in found for name in record.readers))
    who = f"Readers: {listed([label_text(name) for name in names])}."
    told = [AGREEMENT, who, _once(one.note for one in found), *reasons]
    note = " ".join(part for part in told if part)
    return table_of("Agreement of the readers", lines, columns, note, "gaps")


def _pairs(contents: Contents, pairs: list[tuple[ReaderAgreement, ReaderPair]]) -> TableBlock:
    columns: list[Column[tuple[ReaderAgreement, ReaderPair]]] = [
        left("model", lambda p: contents.mark(view_of(p[0])).name + _at(p[0])),
        left("readers", lambda p: f"{label_text(p[1].first)} and {label_text(p[1].second)}"),
        right("cases", lambda p: count_text(sum(map(sum, p[1].counts)))),
        right("agreement", lambda p: or_dash(p[1].agreement)),
        right("kappa", lambda p: or_dash(p[1].kappa)),
        right("interval", lambda p: interval_text(p[1].interval) or "–"),
    ]
    return table_of(
        "Every two readers", pairs, columns, PAIRS, "gaps", most=MOST_PAIRS, noun="pairs"
    )
