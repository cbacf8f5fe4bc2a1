"""The first page for a reader who reads no other: sentences, results, tables and cautions."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

from evalreport.report.cards import interval_text
from evalreport.report.comparisons import other_rows_text
from evalreport.report.contents import Contents, View, identity
from evalreport.report.count_tables import abreast, count_table
from evalreport.report.criteria import bound_text, counted_criteria, counted_outcomes, protocol_text
from evalreport.report.ledgers import clusters_text
from evalreport.report.marking import flat_counts, positive_index
from evalreport.report.model import Block, Facts, Note, Notes
from evalreport.report.numbers import (
    count_text,
    difference_text,
    observed_text,
    required_text,
    share_text,
    value_text,
)
from evalreport.report.results_table import (
    front_views,
    headline_identities,
    margin_of,
    results_table,
    worst_group,
)
from evalreport.report.strips import fraction_text, slice_heads
from evalreport.report.training import best_step_text, best_steps, runs_text
from evalreport.report.words import (
    MEAN,
    class_text,
    condition_text,
    counted,
    label_text,
    listed,
    prose,
    rows_of_class,
    rows_text,
    subgroup_text,
)
from evalreport.results import records
from evalreport.results.identity import Quantity
from evalreport.results.records import CONTINUE, HELD, NOT_HELD, LabelLedger, Table

#: Cautions, and letters of one on its line.
MOST_CAUTIONS, CAUTION_LETTERS = 5, 130
#: Letters of a limitation that is quoted.
QUOTED = 180
#: Classes of a table that stands on the first page.
MOST_CLASSES = 12
#: Names in a sentence.
MOST_NAMES = 4


def summary_blocks(contents: Contents) -> list[Block]:
    """Sentences, the table of results, the first tables of counts."""
    views = front_views(contents)
    blocks: list[Block] = [Facts("", tuple(_sentences(contents, views)), "summary")]
    if not views:
        return [*blocks, *best_steps(contents)]
    return [*blocks, *results_table(contents, views), *_tables(contents, views)]


def _sentences(contents: Contents, views: Sequence[View]) -> list[tuple[str, str]]:
    found = [("Tested", _tested(contents)), ("Verdict", _verdict(contents, views))]
    # a history alone is about nothing else
    found.insert(len(found) if views else 0, ("Best step", best_step_text(contents)))
    found.append(("Shown here", _shown(contents, views)))
    found.append(("In plain numbers", _frequencies(contents, views)))
    found.append(("Worst group", _worst_groups(contents, views)))
    found.append(("Read with care", _care(contents)))
    return [(name, contents.said(None, text)) for name, text in found if text]


def _tested(contents: Contents) -> str:
    """Which models, on what rows."""
    names = [label_text(name) for name in contents.models]
    runs = runs_text(contents)
    if not names:
        nothing = "Nothing: no model could be measured; what failed is shown below."
        return f"{runs}." if runs else nothing
    shown = names if len(names) <= MOST_NAMES else [*names[:3], f"{len(names) - 3} others"]
    who = f"{counted(len(names), 'model')} ({listed(shown)})" if len(names) > 1 else shown[0]
    at = _said_at(contents)
    apart = ""
    if len(names) > 1 and len(contents.views) == len(contents.datasets):
        apart = " No two models were tested on the same dataset: their values do not rank them."
        apart = f" {others}" if (others := other_rows_text(contents)) else apart
    also = f"; {runs}" if runs else ""
    return f"{who}{at} on {_rows_text(contents)}{also}.{apart}"


def _called(contents: Contents, view: View) -> str:
    """A model in a sentence, with its dataset where there are several."""
    dataset, model = map(label_text, view)
    return f"{model} on {dataset}" if len(contents.datasets) > 1 else model


def _said_at(contents: Contents) -> str:
    """The decision, where all models share it."""
    found = {
        condition_text(contents.first_threshold(v)[0], contents.operator(v))
        for v in contents.views
        if contents.first_threshold(v)[0] is not None
    }
    folds = contents.spec.get("cross_validation")
    scheme = str(folds.get("scheme", "")).replace("_", "-") if isinstance(folds, Mapping) else ""
    told = f", each row judged by a model that had not seen it ({scheme})," if scheme else ""
    own = any(ledger.decided for ledger in contents.of(LabelLedger))
    return f" at {found.pop()}{told}" if len(found) == 1 and not own else told


def _rows_text(contents: Contents) -> str:
    told = []
    for dataset in contents.datasets[:2]:
        view = next(v for v in contents.views if v[0] == dataset)
        ledger = contents.row_record(view)
        if ledger is None:
            continue
        classes = [
            f"{'at least ' if c.uncounted else ''}{rows_of_class(c.count, c.label, noun=False)}"
            for c in ledger.classes[:MOST_NAMES]
        ]
        if len(ledger.classes) > MOST_NAMES:
            one, many = ("label", "labels") if contents.has_sets(view) else ("class", "classes")
            classes = [counted(len(ledger.classes), one, many)]
        kinds = f" ({listed(classes)})" if classes else ""
        lost = ledger.read - ledger.used
        out = f", {count_text(lost)} of {count_text(ledger.read)} read left out" if lost else ""
        groups = f" {clusters_text(ledger)}" if ledger.clusters else ""
        told.append(f"{rows_text(ledger.used)} of {label_text(dataset)}{kinds}{groups}{out}")
    more = len(contents.datasets) - len(told)
    if told and more > 0:
        told.append(counted(more, "other dataset"))
    return listed(told) if told else "the rows given"


def _verdict(contents: Contents, views: Sequence[View]) -> str:
    """What came of the criteria, with the limit that decided it; else the primary metric."""
    entries = contents.of(records.Criterion)
    if not entries:
        first = _first_value(contents, views)
        told = f" {first}." if first else ""
        return f"No limit was declared, so nothing passes or fails.{told}"
    failed = [c for c in entries if c.outcome in NOT_HELD]
    passed = [c for c in entries if c.outcome in HELD]
    others = len(entries) - len(failed) - len(passed)
    going_on = sum(c.outcome == CONTINUE for c in entries)
    of, every = counted_outcomes(contents), counted_criteria(contents)
    every = every if every.startswith("1 ") else f"all {every}"
    open_ = f" {going_on} of {of} to be continued: nothing is decided yet." if going_on else ""
    if others > going_on:
        open_ += f" {others - going_on} of {of} could not be evaluated."
    open_ += f" {protocol_text(contents)}"
    if failed:
        told = "; ".join(_decided(contents, c) for c in failed[:2])
        more = f"; and {len(failed) - 2} more" if len(failed) > 2 else ""
        whole = every if len(failed) == len(entries) else f"{len(failed)} of {of}"
        return f"Failed: {whole}. {told}{more}.{open_}"
    if not passed:
        return f"None of {of} is decided.{open_}"
    all_of = not others and len(entries) > 1
    whole = f"Passed: {every}." if all_of else f"Passed: {len(passed)} of {of}."
    near = min(passed, key=margin_of)
    closest = _decided(contents, near) if margin_of(near) < math.inf else ""
    return f"{whole} {'Closest: ' if len(passed) > 1 else ''}{closest}.{open_}" if closest else (
        f"{whole}{open_}"
    )  # fmt: skip


def _decided(contents: Contents, entry: records.Criterion) -> str:
    """What was held against which limit."""
    m = contents.measure_of(entry.measure)
    name = contents.title(m) if m is not None else prose(entry.text or entry.metric or "")
    name = f"{name}, {MEAN}," if entry.readers else name
    where = f" in {subgroup_text(m.subgroup)}" if m is not None and m.subgroup else ""
    of = ""
    if len(contents.views) > 1 and entry.model is not None and entry.dataset is not None:
        of = f" of {_called(contents, (entry.dataset, entry.model))}"
    if entry.observed is None or entry.required is None or entry.claim is not None:
        return f"{name}{of}{where}"
    bound = bound_text(entry)
    bound = f"{bound} " if entry.bound != "point" else ""
    needed = "at most" if entry.direction == "at_most" else "at least"
    what = f"{bound}{observed_text(entry.observed, entry.required)}"
    if entry.reference:
        what = f"difference {bound}{difference_text(entry.observed)}"
    return f"{name}{of}{where}, {what}, required {needed} {required_text(entry.required)}"


def _first_value(contents: Contents, views: Sequence[View]) -> str:
    """The primary metric of each model in words, in each way of counting indeterminate ones."""
    chosen = headline_identities(contents, views[:1])
    first = [key._replace(indeterminate=None) for key in chosen[:1]]
    same = [key for key in chosen if key._replace(indeterminate=None) in first]
    return "; ".join(filter(None, (_of_each(contents, views, key) for key in same)))


def _of_each(contents: Contents, views: Sequence[View], key: Quantity) -> str:
    """One quantity of each model in words; nothing where none has a value."""
    told = []
    for view in views:
        m = next((m for m in contents.pooled(view) if identity(m) == key), None)
        if m is None or m.value is None:
            continue
        mean = contents.mean_of(m)
        one = m if mean is None else mean[1]
        limits = f" ({interval_text(one.interval, one.value)})" if one.interval else ""
        name = "" if len(views) == 1 else f" for {_called(contents, view)}"
        told.append(f"{value_text(one.value or 0.0)}{limits}{name}")
        title = contents.title(m) if mean is None else f"{contents.title(m)}, {mean[0]},"
    if not told:
        return ""
    return f"{title}{',' if key.indeterminate else ''} is {listed(told)}"


def _frequencies(contents: Contents, views: Sequence[View]) -> str:
    """Of so many rows of a class, how many were found: whole counts alone."""
    told = []
    for view in views:
        table = _first_table(contents, view)
        counts = None if table is None else _whole(table)
        own = contents.thresholds(view)
        # beside a rule without a solution scores have a table at a threshold nobody asked for
        if table is None or counts is None or (own and own[0].threshold is None):
            continue
        several = len(contents.views) > 1
        named = several or len(table.labels) > 2
        who = _called(contents, view) if named else "the model"
        told.append(_of_two(table, who) if _is_flat(table) else _of_many(table, counts, who))
    return " ".join(dict.fromkeys(text for text in told if text))


def _whole(table: Table) -> list[list[int]] | None:
    """The counts where all are whole; estimated and weighted ones are no number of rows."""
    rows = table.counts or ()
    if any(c is None or not float(c).is_integer() for row in rows for c in row):
        return None
    return [[int(c or 0) for c in row] for row in rows] or None


def _is_flat(table: Table) -> bool:
    return flat_counts(table) is not None and table.positive is not None


def _of_two(table: Table, who: str) -> str:
    cells = flat_counts(table) or {}
    k = positive_index(table)
    positive, negative = table.labels[k], table.labels[1 - k]
    ill, well = cells["TP"] + cells["FN"], cells["TN"] + cells["FP"]
    if not ill and not well:
        return ""
    of_positive = rows_of_class(ill, positive)
    found = f"of {of_positive}, {who} finds {count_text(cells['TP'])}"
    missed = f"misses {count_text(cells['FN'])}"
    of_negative = rows_of_class(well, negative)
    alarms = f"of {of_negative} it calls {count_text(cells['FP'])} {class_text(positive)}"
    return f"{found[0].upper()}{found[1:]} and {missed}; {alarms}."


def _of_many(table: Table, counts: list[list[int]], who: str) -> str:
    """The class that is found least, and what its rows are taken for."""
    size = len(table.labels)
    shares = [(counts[i][i] / sum(counts[i]), i) for i in range(size) if sum(counts[i])]
    if len(shares) < 2:
        return ""
    share, worst = min(shares)
    alike = [class_text(table.labels[i]) for own, i in shares if own == share and i != worst]
    row = counts[worst]
    total = sum(row)
    right = sum(counts[i][i] for i in range(size))
    everything = sum(sum(own) for own in counts)
    taken = max((j for j in range(len(row)) if j != worst), key=lambda j: row[j])
    names = [*table.labels, *table.extra_columns]
    told = (
        f"Of {rows_text(everything)}, {who} has {count_text(right)} right. Worst class: "
        f"of {rows_text(total)} of {class_text(table.labels[worst])} it finds "
        f"{count_text(row[worst])} ({share_text(row[worst], total)})"
    )
    if share < 1 and row[taken]:
        told += f" and calls {count_text(row[taken])} of them {class_text(names[taken])}"
    if alike and share < 1:
        as_low = listed(alike) if len(alike) < MOST_NAMES else f"{len(alike)} other classes"
        told += f"; of {as_low} it finds the same share"
    return f"{told}."


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
    return f"{len(views)} of {len(contents.views)}{by}; {named} stand in the sections that follow."


def _worst_groups(contents: Contents, views: Sequence[View]) -> str:
    """Where each model fares worse than on all rows, of groups that can be judged."""
    told: list[str] = []
    small: dict[str, None] = {}
    for key in headline_identities(contents, views[:1])[:1]:
        for view in views:
            worst, _, few = worst_group(contents, view, key)
            small |= dict.fromkeys(f"{slice_heads(m.subgroup)} ({_under(m)})" for m in few)
            whole = next((m for m in contents.pooled(view) if identity(m) == key), None)
            if worst is None or whole is None:
                continue
            who = f"{_called(contents, view)}: " if len(views) > 1 else ""
            inside = interval_text(worst.interval, worst.value) if worst.interval else ""
            counts = fraction_text(contents, worst).replace("/", "of")
            beside = "; ".join(filter(None, (counts, inside)))
            told.append(
                f"{who}{contents.title(worst)} {value_text(worst.value or 0.0)} "
                f"({beside}) in {subgroup_text(worst.subgroup)}, {value_text(whole.value or 0.0)} "
                "in all rows"
            )
    said = [f"{'; '.join(told)}."] if told else []
    if small:
        names = list(small)
        more = f" and {len(names) - MOST_NAMES} more" if len(names) > MOST_NAMES else ""
        said.append(f"Too few to judge: {', '.join(names[:MOST_NAMES])}{more}.")
    return " ".join(said)


def _under(m: records.Measure) -> str:
    """The rows below the line of a share, else those of the group."""
    return count_text(m.n if m.denominator is None else m.denominator)


def _care(contents: Contents) -> str:
    """The gravest cautions by name, and the first limitation that the spec states."""
    about = contents.spec.get("about") or {}
    titles = dict.fromkeys(
        prose(c.title) for c in contents.of(records.Caution) if c.severity == "warning" and c.title
    )
    told = [f"{title}." for title in list(titles)[:2]]
    limits = prose(about.get("limitations") or "")
    if limits:
        told.append(f"Stated limitation: {_cut(limits, QUOTED)}{'' if limits[-1] in '.…' else '.'}")
    return " ".join(told)


def _cut(text: str, most: int) -> str:
    """A text cut between words, and within parentheses after one of the things that they hold.

    Half an interval says nothing.

    >>> _cut("better on Brier score 0.0207 (0.0115 to 0.0298)", 42)
    'better on Brier score 0.0207 …'
    >>> _cut("better on Brier score 0.0207 (0.0115 to 0.0298; adjusted p = 0.016) and Log loss", 60)
    'better on Brier score 0.0207 (0.0115 to 0.0298) …'
    """
    if len(text) <= most:
        return text
    kept = text[:most].rsplit(" ", 1)[0]
    opened = kept.rfind("(")
    if opened > kept.rfind(")"):
        whole, told, _ = kept[opened:].rpartition(";")
        if told:
            kept = f"{kept[:opened]}{whole})"
        elif opened > most // 2:
            kept = kept[:opened].rstrip()
    return kept.rstrip(",;:.") + " …"


def _first_table(contents: Contents, view: View) -> Table | None:
    """The table of all rows of a view at its first threshold."""
    ids = dict.fromkeys(m.table for m in contents.pooled(view))
    found = (contents.table_of(i) for i in ids)
    return next((t for t in found if t is not None and t.label is None), None)


def _tables(contents: Contents, views: Sequence[View]) -> list[Block]:
    found = [t for v in views if (t := _first_table(contents, v)) is not None]
    small = {t.id: t for t in found if len(t.labels) <= MOST_CLASSES}
    return [*abreast([count_table(contents, t) for t in small.values()], large=True)]


def brief_cautions(whole: Notes) -> Notes:
    """The first cautions, one line each; all of them stand further on with what to read instead."""
    items = []
    for note in whole.items[:MOST_CAUTIONS]:
        room = max(30, CAUTION_LETTERS - len(note.title))
        more = f" ({len(note.messages)} places)" if len(note.messages) > 1 else ""
        said = _cut(note.messages[0], room - len(more)) + more if note.messages else ""
        items.append(Note(note.severity, "", note.title, (said,) if said else ()))
    left = len(whole.items) - len(items)
    title = "Cautions" if not left else f"Cautions, the first {len(items)} of {len(whole.items)}"
    return Notes(title, tuple(items), "brief")
