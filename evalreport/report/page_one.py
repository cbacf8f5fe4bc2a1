"""The first page, for a reader who reads no other: outcome, results, tables, one chart, cautions.

Everything on it is short and whole: no sentence is cut, and a caution that stands elsewhere in
full has a line here that leads there.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

from evalreport.numbers import (
    difference_text,
    observed_text,
    required_text,
    value_text,
)
from evalreport.report.cards import interval_text
from evalreport.report.cautions import care, caution_lines
from evalreport.report.checklists import folds_text
from evalreport.report.classes import against_the_rest, first_table, front_classes
from evalreport.report.comparisons import other_rows_text
from evalreport.report.contents import Contents, View, identity
from evalreport.report.count_tables import MOST_WHOLE, abreast, count_table, table_caption
from evalreport.report.criteria import (
    bound_text,
    counted_criteria,
    counted_outcomes,
    gravest_first,
    margin_of,
    post_hoc_text,
)
from evalreport.report.curves import front_chart
from evalreport.report.folds import front_folds
from evalreport.report.leading import (
    best_first,
    front_views,
    headline_identities,
)
from evalreport.report.model import (
    Block,
    Charts,
    Note,
    Stamp,
    TableBlock,
    Tables,
)
from evalreport.report.plain_numbers import plain_numbers
from evalreport.report.results_table import results_tables
from evalreport.report.series import front_course, front_criterion, since
from evalreport.report.slices import front_groups
from evalreport.report.stamp import outcome
from evalreport.report.strips import Row, measures_strip
from evalreport.report.study_facts import rows_of_run, study_facts
from evalreport.report.training import best_step_text, best_steps, runs_text
from evalreport.report.words import (
    MEAN,
    MOST_NAMES,
    condition_text,
    label_text,
    listed,
    named,
    prose,
    subgroup_text,
)
from evalreport.report.worst import (
    by_class,
    worst_first,
)
from evalreport.report.worst_groups import worst_groups
from evalreport.results import records
from evalreport.results.identity import Quantity
from evalreport.results.records import CONTINUE, HELD, NOT_HELD, OUT_OF_REACH, LabelLedger

#: Classes listed where there are too many for a table on the first page.
WORST_CLASSES = 8
#: What is known without a look at any row, and how it is guessed.
GUESSES = (
    ("majority_class", "naming the largest class every time"),
    ("prevalence", "the same score for every row"),
)
#: Metrics of rows of one kind alone: who always names one class has 0 or 1.
OF_ONE_KIND = ("recall", "specificity", "fpr", "fnr")
WEIGHTED = "Numbers of rows are unweighted; values and the counts in tables are weighted."


def page_one(contents: Contents, cautions: Sequence[Note]) -> list[Block]:
    """The blocks of the first page; ``cautions`` are those that stand in full elsewhere."""
    views = front_views(contents)
    stamp = Stamp(*outcome(contents), tuple(_sentences(contents, views, cautions)))
    blocks: list[Block] = [stamp, *study_facts(contents)]
    if not views:
        return [*blocks, *best_steps(contents), *caution_lines(contents, cautions)]
    followed = front_criterion(contents)
    # the course over runs leads, across the page; any other chart stands beside the tables
    blocks += [] if followed is None else [Charts((front_course(contents, followed),))]
    blocks += results_tables(contents, views)
    chart = front_chart(contents, views) if followed is None else None
    blocks += [Charts((chart,), "front")] if chart is not None else []
    blocks += _tables(contents, views, beside=chart is not None)
    # a short report has the curves of its classes instead
    drawn = followed or chart is not None or (contents.words.brief and contents.of(records.Curve))
    blocks += [] if drawn else front_classes(contents, views)
    beside = chart is not None
    blocks += front_groups(contents, beside=beside) or front_folds(contents, beside=beside)
    return [*blocks, *caution_lines(contents, cautions, beside=chart is not None)]


def lead_sentence(contents: Contents) -> str:
    """The outcome and what decided it in one sentence, for readers who see no more of a report."""
    word, _, _ = outcome(contents)
    views = front_views(contents)
    decided = _deciding(contents, "closest to failing, by its interval's width: ") or _first_value(
        contents, views
    )
    return contents.said(None, f"{word}: {decided}." if decided else f"{word}.")


def _sentences(
    contents: Contents, views: Sequence[View], cautions: Sequence[Note]
) -> list[tuple[str, str]]:
    decided = "What decided" if contents.of(records.Criterion) else "Result"
    found = [("What", _tested(contents)), (decided, _verdict(contents, views))]
    found.append(("Earlier runs", _earlier_runs(contents)))
    # a history alone is about nothing else
    found.insert(len(found) if views else 0, ("Best step", best_step_text(contents)))
    found.append(("Shown here", _shown(contents, views)))
    found.append(("In plain numbers", plain_numbers(contents, views)))
    found.append(worst_groups(contents, views))
    found.append(("Do not trust", care(contents, cautions)))
    return [(name, contents.said(None, text)) for name, text in found if text]


def _tested(contents: Contents) -> str:
    """Which models, on what rows."""
    names = contents.models
    runs = runs_text(contents)
    if not names:
        nothing = "No model could be judged; what failed is shown below."
        return f"{runs}." if runs else nothing
    who = f"{'Models' if len(names) > 1 else 'Model'} {_decided_how(contents)}"
    apart = ""
    if len(names) > 1 and len(contents.views) == len(contents.datasets):
        apart = " No two models were tested on the same dataset: their values do not rank them."
        apart = f" {others}" if (others := other_rows_text(contents)) else apart
    also = f"; {runs}" if runs else ""
    weighted = f" {WEIGHTED}" if any(contents.is_weighted(v) for v in contents.views) else ""
    return f"{who}, on {rows_of_run(contents)}{also}.{weighted}{apart}"


def _earlier_runs(contents: Contents) -> str:
    """That an audit has no course over runs, and why; nothing where there was a run before it."""
    entries = contents.of(records.Criterion)
    # breaches are counted from the second run on
    later = any(c.breaches_in_a_row is not None for c in entries)
    if not contents.words.series or not entries or later:
        return ""
    if contents.spec.get("cadence"):
        return "First run: nothing to compare with."
    return "Not followed: the spec sets no cadence."


def _decided_how(contents: Contents) -> str:
    """The models, with the condition that those with a threshold share; the others after it."""
    found: dict[str, str] = {}
    for view in best_first(contents):
        at, operator = contents.first_threshold(view)[0], contents.operator(view)
        found[view[1]] = "" if at is None else condition_text(at, operator)
    shared = {said for said in found.values() if said}
    own = any(ledger.decided for ledger in contents.of(LabelLedger))
    at_threshold = [label_text(name) for name, said in found.items() if said]
    by_labels = [label_text(name) for name, said in found.items() if not said]
    if len(shared) != 1 or own:
        told = named(list(map(label_text, found)))
    else:
        told = f"{named(at_threshold)} at {shared.pop()}"
        told += f" and {named(by_labels)} by the labels given" if by_labels else ""
    folds = contents.spec.get("cross_validation")
    scheme = folds_text(folds) if isinstance(folds, Mapping) else ""
    return f"{told}, each row judged by a model that had not seen it ({scheme})" if scheme else told


def _verdict(contents: Contents, views: Sequence[View]) -> str:
    """The limits that decided it, or the closest one; without any the primary metric."""
    entries = contents.of(records.Criterion)
    if not entries:
        first = _first_value(contents, views)
        guess = _by_guessing(contents, views)
        first = f"{first}; {guess}" if first and guess else first
        told = f" {first}." if first else ""
        if contents.words.brief:
            return told.strip()
        return f"No acceptance limit was set: no verdict.{told}"
    undecided = sum(c.outcome == CONTINUE for c in entries)
    others = sum(c.outcome not in (*NOT_HELD, *HELD, CONTINUE) for c in entries)
    said = [_deciding(contents) or f"None of {counted_criteria(contents)} is decided"]
    if undecided:
        said.append(f"{undecided} of {counted_outcomes(contents)} to be continued")
    if others:
        said.append(f"{others} of {counted_outcomes(contents)} could not be evaluated")
    return " ".join([*(f"{one}." for one in said), post_hoc_text(contents)]).strip()


def _deciding(
    contents: Contents, closest: str = "Closest to failing, by its interval's width: "
) -> str:
    """The criteria that failed, else the one ``closest`` to it; nothing of none decided."""
    entries = gravest_first(contents, contents.of(records.Criterion))
    failed = [c for c in entries if c.outcome in NOT_HELD]
    passed = [c for c in entries if c.outcome in HELD]
    if failed:
        told = "; ".join(_decided(contents, c) for c in failed[:2])
        more = f"; and {len(failed) - 2} more" if len(failed) > 2 else ""
        return f"{told[0].upper()}{told[1:]}{more}"
    if not passed:
        return ""
    if math.isinf(margin_of(contents, passed[0])):
        return "All criteria that could be judged were met"
    return f"{closest if len(passed) > 1 else ''}{_decided(contents, passed[0])}"


def _decided(contents: Contents, entry: records.Criterion) -> str:
    """What was held against which limit."""
    m = contents.measure_of(entry.measure)
    name = contents.title(m) if m is not None else prose(entry.text or entry.metric or "")
    name = f"{name}, {MEAN}," if entry.readers else name
    where = f" in {subgroup_text(m.subgroup)}" if m is not None and m.subgroup else ""
    of = ""
    if len(contents.views) > 1 and entry.model is not None and entry.dataset is not None:
        of = f" of {contents.called((entry.dataset, entry.model))}"
    if entry.observed is None or entry.required is None or entry.claim is not None:
        return f"{name}{of}{where}"
    bound = bound_text(entry)
    bound = f"{bound} " if entry.bound != "point" else ""
    what = f"{bound}{observed_text(entry.observed, entry.required)}"
    if entry.reference:
        what = f"difference {bound}{difference_text(entry.observed)}"
    at_most, required = entry.direction == "at_most", required_text(entry.required)
    if entry.outcome in NOT_HELD:
        comma = "," if bound or entry.reference else ""
        held = f"{comma} {what} {'above' if at_most else 'below'} {required}"
    else:
        held = f", {what}, required at {'most' if at_most else 'least'} {required}"
    reach = entry.reason if (entry.reason or "").startswith(OUT_OF_REACH) else ""
    why = f" ({prose(reach)})" if reach else ""
    why += f", {told}" if (told := since(contents, entry)) else ""
    return f"{name}{of}{where}{held}{why}"


def _first_value(contents: Contents, views: Sequence[View]) -> str:
    """The primary metric of the best model, in each way of counting indeterminate ones."""
    chosen = headline_identities(contents, views[:1])
    first = [key._replace(indeterminate=None) for key in chosen[:1]]
    same = [key for key in chosen if key._replace(indeterminate=None) in first]
    return "; ".join(filter(None, (_of_best(contents, views, key) for key in same)))


def _by_guessing(contents: Contents, views: Sequence[View]) -> str:
    """What the primary metric is without a look at the rows; nothing of one class's own share."""
    key = next(iter(headline_identities(contents, views[:1])), None)
    if key is None or len(contents.datasets) > 1 or (key.metric in OF_ONE_KIND and key.label):
        return ""
    same = (key.metric, key.average, key.label, dict(key.params))
    for name, words in GUESSES:
        for b in contents.of(records.Baseline):
            of = (b.metric, b.average, b.label, dict(b.params))
            if b.baseline == name and of == same and b.value is not None:
                return f"{words} gives {value_text(b.value)}"
    return ""


def _of_best(contents: Contents, views: Sequence[View], key: Quantity) -> str:
    """One quantity of the best model on each dataset in words; nothing where none has a value."""
    told: list[str] = []
    best: dict[str, float | None] = {}
    for view in views:
        m = next((m for m in contents.pooled(view) if identity(m) == key), None)
        if m is None or m.value is None:
            continue
        mean = contents.mean_of(m)
        one = m if mean is None else mean[1]
        # best first, so another that is named has the same value
        if best.setdefault(view[0], one.value) != one.value:
            continue
        limits = f" ({interval_text(one.interval, one.value)})" if one.interval else ""
        name = "" if len(views) == 1 else f" for {contents.called(view)}"
        told.append(f"{value_text(one.value or 0.0)}{limits}{name}")
        title = contents.title(m) if mean is None else f"{contents.title(m)}, {mean[0]},"
    if not told:
        return ""
    return f"{title}{',' if key.indeterminate else ''} is {listed(told)}"


def _shown(contents: Contents, views: Sequence[View]) -> str:
    """Which models stand on this page where there are more, and by what they were chosen."""
    rest = [view for view in contents.views if view not in views]
    if not rest:
        return ""
    key = headline_identities(contents, contents.views)[:1]
    first = next((m for v in views for m in contents.pooled(v) if [identity(m)] == key), None)
    by = "" if first is None else f", best first by {contents.title(first)}"
    by += " within each dataset" if by and len(contents.datasets) > 1 else ""
    names = [contents.mark(view).name for view in rest]
    named = listed(names) if len(names) <= MOST_NAMES else f"{len(names)} others"
    verb = "is" if len(rest) == 1 else "are"
    return f"{len(views)} of {len(contents.views)}{by}; {named} {verb} in the sections that follow."


def _tables(contents: Contents, views: Sequence[View], *, beside: bool) -> list[Block]:
    """The table of each model, or of many classes those that are found least."""
    found = [t for v in views if (t := first_table(contents, v)) is not None]
    small = {t.id: t for t in found if len(t.labels) <= MOST_WHOLE}
    blocks: list[Block] = []
    # the sentences and the shares beside them have the totals
    tables = tuple(
        count_table(contents, t, caption=table_caption(contents, t, brief=True), totals=False)
        for t in small.values()
    )
    if tables and beside:
        narrow = not any(t.crowded for t in tables)
        blocks.append(Tables(tables, 2 if narrow else 1, beside=True))
    elif tables:
        blocks += abreast(tables, large=True)
    for dataset in contents.datasets:
        blocks += _classes(contents, [v for v in views if v[0] == dataset])
    return blocks


def _classes(contents: Contents, views: Sequence[View]) -> list[TableBlock]:
    """The worst labels, or of many classes: the counts of each, models below each other."""
    many = [v for v in views if contents.has_sets(v) or len(contents.classes(v)) > MOST_WHOLE]
    order = worst_first(contents, many)
    shown = order[:WORST_CLASSES]
    own = {(m.label, view): m for view in many for m in by_class(contents, view)}
    rows = [
        Row((label_text(x),), (own[x, v],), x, against_the_rest(first_table(contents, v), x))
        for x in shown
        for v in many
        if (x, v) in own
    ]
    sets = any(map(contents.has_sets, many))
    kind = "label" if sets else "class"
    caption = f"{'Labels' if sets else 'Classes'}, worst first"
    caption += f": {len(shown)} of {len(order)}" if len(shown) < len(order) else ""
    return measures_strip(contents, caption, rows, [kind], flat=sets, limits=False)
