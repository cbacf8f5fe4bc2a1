"""The first page, for a reader who reads no other: outcome, results, tables, one chart, cautions.

Everything on it is short and whole: no sentence is cut, and a caution that stands elsewhere in
full has a line here that leads there.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import replace

from evalreport.report.cards import interval_text
from evalreport.report.checklists import filled_text, folds_text, model_identity
from evalreport.report.classes import against_the_rest, first_table, front_classes
from evalreport.report.comparisons import comparison_title, other_rows_text
from evalreport.report.contents import DENIALS, Contents, View, identity, view_of
from evalreport.report.count_tables import MOST_WHOLE, abreast, count_table
from evalreport.report.criteria import (
    bound_text,
    counted_criteria,
    counted_outcomes,
    post_hoc_text,
)
from evalreport.report.curves import front_chart
from evalreport.report.ledgers import clusters_text
from evalreport.report.marking import flat_counts, positive_index
from evalreport.report.model import (
    Block,
    Charts,
    Facts,
    Note,
    Notes,
    Stamp,
    TableBlock,
    Tables,
)
from evalreport.report.numbers import (
    count_text,
    difference_text,
    observed_text,
    required_text,
    share_text,
    value_text,
)
from evalreport.report.results_table import (
    MOST_MODELS,
    by_class,
    comparable_in_groups,
    compares_groups,
    front_views,
    gravest_first,
    groups_differ,
    headline_identities,
    margin_of,
    of_two_classes,
    results_tables,
    share_of_rows,
    sign_of,
    worst_first,
    worst_group,
)
from evalreport.report.series import front_course, front_criterion, since
from evalreport.report.strips import Row, measures_strip
from evalreport.report.training import best_step_text, best_steps, runs_text
from evalreport.report.words import (
    MEAN,
    class_text,
    condition_text,
    counted,
    first_few,
    label_text,
    listed,
    prose,
    rows_of_class,
    rows_text,
    subgroup_text,
)
from evalreport.results import records
from evalreport.results.identity import Quantity
from evalreport.results.records import CONTINUE, HELD, NOT_HELD, OUT_OF_REACH, LabelLedger, Table

#: Cautions with a line of their own, and those told in whole sentences of so many letters.
MOST_CAUTIONS, MOST_TOLD, LONGEST_TOLD = 5, 2, 210
#: The caution whose title does not say what was found, and letters of one line.
FOUND, LONGEST_LINE = "data_finding", 110
#: Classes listed where there are too many for a table on the first page.
WORST_CLASSES = 8
#: Names in a sentence.
MOST_NAMES = 4
#: Words for what came of the criteria, the gravest first, and the outcomes that they stand for.
OUTCOMES = (
    ("FAILED", "fail", NOT_HELD),
    ("NOT EVALUATED", "not_evaluated", ("not_evaluated",)),
    ("CONTINUE", "continue", (CONTINUE,)),
)
#: What is known without a look at any row, and how it is guessed.
GUESSES = (
    ("majority_class", "naming the largest class every time"),
    ("prevalence", "the same score for every row"),
)
#: Metrics of rows of one kind alone: who always names one class has 0 or 1.
OF_ONE_KIND = ("recall", "specificity", "fpr", "fnr")
WEIGHTED = "Numbers of rows are unweighted; values and the counts in tables are weighted."
NO_LIMIT = ("NO LIMIT SET", "none", "results only")


def page_one(contents: Contents, cautions: Sequence[Note]) -> list[Block]:
    """The blocks of the first page; ``cautions`` are those that stand in full elsewhere."""
    views = front_views(contents)
    stamp = Stamp(*_outcome(contents), tuple(_sentences(contents, views, cautions)))
    blocks: list[Block] = [stamp, *_study(contents)]
    if not views:
        return [*blocks, *best_steps(contents), *_caution_lines(contents, cautions)]
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
    return [*blocks, *_caution_lines(contents, cautions, beside=chart is not None)]


def _study(contents: Contents) -> list[Block]:
    """What readers of this template look for first, in the words of the spec."""
    about, items = contents.about, []
    for title, fields in contents.words.study:
        own = next((prose(about[name]) for name in fields if about.get(name)), "")
        found = IN_THE_RUN[title](contents) if title in IN_THE_RUN and not own else ""
        items.append((title, own or found or "NOT PROVIDED"))
    if not items:
        return []
    return [Facts("", (*items, *filled_text(contents)), "study")]


def _models(contents: Contents) -> str:
    """The models as the spec defines them; their names where it does not, or at length."""
    defined = model_identity(contents)
    named = _named(list(map(label_text, contents.models)))
    return defined if defined and len(defined) <= LONGEST_TOLD else named


def _named(names: list[str]) -> str:
    """Names in a sentence: all of a few, else the first and how many others there are."""
    return listed(names if len(names) <= MOST_NAMES else [*names[:3], f"{len(names) - 3} others"])


def _versions(contents: Contents) -> str:
    stated = contents.results.provenance.models
    return listed([f"{label_text(m.model)} {prose(m.version)}" for m in stated if m.version])


def _training_data(contents: Contents) -> str:
    """What models were fitted on: as stated, or of those that are fitted here the other folds."""
    stated = contents.results.provenance.models
    told = [f"{label_text(m.trained_on)} ({label_text(m.model)})" for m in stated if m.trained_on]
    folds = contents.spec.get("cross_validation")
    if not told and isinstance(folds, Mapping):
        parts = folds_text(folds)
        told = [f"{_rows_text(contents)}, fitted on all folds but the one tested ({parts})"]
    return listed(told)


def _factors(contents: Contents) -> str:
    """The columns by whose groups the results are shown, periods apart."""
    groups = dict.fromkeys(tuple(m.subgroup) for m in contents.measures if m.subgroup)
    factors = [columns for columns in groups if columns not in contents.period_columns]
    return listed([" with ".join(name.replace("_", " ") for name in one) for one in factors])


#: What a run itself knows of its study, where the spec says nothing.
IN_THE_RUN = {
    "Model": _models,
    "Version": _versions,
    "Training data": _training_data,
    "Factors": _factors,
}


def outcome_text(contents: Contents) -> str:
    """What came of the criteria in one line: ``FAILED: 1 of 4 limits, 2 models``."""
    word, _, told = _outcome(contents)
    return f"{word}: {told}" if told else word


def lead_sentence(contents: Contents) -> str:
    """The outcome and what decided it in one sentence, for readers who see no more of a report."""
    word, _, _ = _outcome(contents)
    views = front_views(contents)
    decided = _deciding(contents, "closest to failing ") or _first_value(contents, views)
    return contents.said(None, f"{word}: {decided}." if decided else f"{word}.")


def _outcome(contents: Contents) -> tuple[str, str, str]:
    """What came of the criteria: in a word, as the word's look, and of how many."""
    entries = contents.of(records.Criterion)
    if not entries:
        return ("RESULTS", "none", "") if contents.words.brief else NO_LIMIT
    for word, look, names in OUTCOMES:
        if any(c.outcome in names for c in entries):
            return word, look, _of_limits(contents, entries, names)
    return "PASSED", "pass", _of_limits(contents, entries, HELD)


def _of_limits(
    contents: Contents, entries: Sequence[records.Criterion], names: Sequence[str]
) -> str:
    """How many limits had one of these outcomes: model by model where they differ in that."""
    limits = {c.criterion for c in entries}
    hit = [c for c in entries if c.outcome in names]
    told = f"{len({c.criterion for c in hit})} of {counted(len(limits), 'limit')}"
    by_view: dict[View, list[records.Criterion]] = {}
    for c in entries:
        if c.dataset is not None and c.model is not None:
            by_view.setdefault((c.dataset, c.model), []).append(c)
    judged = [{c.criterion for c in own} for own in by_view.values()]
    models, datasets = {model for _, model in by_view}, {dataset for dataset, _ in by_view}
    if {c.criterion for c in hit}.isdisjoint(
        c.criterion for c in entries if c.outcome not in names
    ):
        # every limit came out alike wherever it was judged
        if len(models) < 2 or any(own != limits for own in judged):
            return told
        return f"{told}, {'both' if len(models) == 2 else f'all {len(models)}'} models"
    once = sum(map(len, judged)) == sum(map(len, by_view.values()))
    if 1 < len(by_view) <= MOST_MODELS and not any(contents.mark(view).key for view in by_view):
        return _of_each(contents, by_view, names, "limit" if once else "outcome")
    if len(by_view) < 2 or not once:
        groups = len(limits) == len(by_view) == 1 and all(c.subgroup for c in entries)
        return f"{told}, {len(hit)} of {len(entries)} {'groups' if groups else 'outcomes'}"
    if len(models) > 1:
        told += f", {len({c.model for c in hit})} of {len(models)} models"
    if len(datasets) > 1:
        told += f", {len({c.dataset for c in hit})} of {len(datasets)} datasets"
    return told


def _of_each(
    contents: Contents,
    by_view: Mapping[View, Sequence[records.Criterion]],
    names: Sequence[str],
    noun: str,
) -> str:
    """How many limits of each model had one of these outcomes, the most first."""
    told = []
    numbers = {view: sum(c.outcome in names for c in own) for view, own in by_view.items()}
    for view in sorted(by_view, key=lambda view: -numbers[view]):
        of = f"{numbers[view]} of {counted(len(by_view[view]), noun)}"
        told.append(f"{of if numbers[view] else 'none'} for {_called(contents, view)}")
    return ", ".join(told)


def _sentences(
    contents: Contents, views: Sequence[View], cautions: Sequence[Note]
) -> list[tuple[str, str]]:
    decided = "What decided" if contents.of(records.Criterion) else "Result"
    found = [("What", _tested(contents)), (decided, _verdict(contents, views))]
    found.append(("Earlier runs", _earlier_runs(contents)))
    # a history alone is about nothing else
    found.insert(len(found) if views else 0, ("Best step", best_step_text(contents)))
    found.append(("Shown here", _shown(contents, views)))
    found.append(("In plain numbers", _frequencies(contents, views)))
    found.append(_groups(contents, views))
    found.append(("Do not trust", _care(contents, cautions)))
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
    weighted = f" {WEIGHTED}" if any(_is_weighted(contents, v) for v in contents.views) else ""
    return f"{who}, on {_rows_text(contents)}{also}.{weighted}{apart}"


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


def _is_weighted(contents: Contents, view: View) -> bool:
    """Whether counts of a model are sums of weights, and so no numbers of rows."""
    return any(m.weight is not None for m in contents.pooled(view))


def _called(contents: Contents, view: View) -> str:
    """A model in a sentence, with its dataset where there are several."""
    dataset, model = map(label_text, view)
    return f"{model} on {dataset}" if len(contents.datasets) > 1 else model


def _decided_how(contents: Contents) -> str:
    """The models, with the condition that those with a threshold share; the others after it."""
    found: dict[str, str] = {}
    for view in contents.views:
        at, operator = contents.first_threshold(view)[0], contents.operator(view)
        found[view[1]] = "" if at is None else condition_text(at, operator)
    shared = {said for said in found.values() if said}
    own = any(ledger.decided for ledger in contents.of(LabelLedger))
    at_threshold = [label_text(name) for name, said in found.items() if said]
    by_labels = [label_text(name) for name, said in found.items() if not said]
    if len(shared) != 1 or own:
        told = _named(list(map(label_text, found)))
    else:
        told = f"{_named(at_threshold)} at {shared.pop()}"
        told += f" and {_named(by_labels)} by the labels given" if by_labels else ""
    folds = contents.spec.get("cross_validation")
    scheme = folds_text(folds) if isinstance(folds, Mapping) else ""
    return f"{told}, each row judged by a model that had not seen it ({scheme})" if scheme else told


def _rows_text(contents: Contents) -> str:
    """How many rows of which datasets, of which classes, and how many were left out."""
    told = []
    for dataset in contents.datasets[:2]:
        view = next(v for v in contents.views if v[0] == dataset)
        ledger = contents.row_record(view)
        if ledger is None:
            continue
        lost = ledger.read - ledger.used
        out = f", {count_text(lost)} of {count_text(ledger.read)} read left out" if lost else ""
        groups = f" {clusters_text(ledger)}" if ledger.clusters else ""
        where = contents.rows_text(ledger.used)
        # recordings of a dataset of that name
        where += "" if where.endswith(f" {label_text(dataset)}") else f" of {label_text(dataset)}"
        told.append(f"{where}{_classes_text(contents, view, ledger)}{groups}{out}")
    more = len(contents.datasets) - len(told)
    if told and more > 0:
        told.append(counted(more, "other dataset"))
    return listed(told) if told else "the rows given"


def _classes_text(contents: Contents, view: View, ledger: records.RowLedger) -> str:
    """How many of the rows are of the positive class, or of which classes they are."""
    positive = contents.positive(view)
    own = next((c for c in ledger.classes if c.label == positive), None)
    if own is not None and contents.is_binary(view):
        meant = prose(contents.about.get("positive_means") or "")
        least = "at least " if own.uncounted else ""
        return f", {least}{count_text(own.count)} of them {meant or class_text(positive)}"
    classes = [
        f"{'at least ' if c.uncounted else ''}{rows_of_class(c.count, c.label, noun=False)}"
        for c in ledger.classes[:MOST_NAMES]
    ]
    if len(ledger.classes) > MOST_NAMES:
        one, many = ("label", "labels") if contents.has_sets(view) else ("class", "classes")
        return f" ({counted(len(ledger.classes), one, many)})"
    return f" ({listed(classes)})" if classes else ""


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
        return f"No acceptance limit was set, so this report gives no verdict.{told}"
    undecided = sum(c.outcome == CONTINUE for c in entries)
    others = sum(c.outcome not in (*NOT_HELD, *HELD, CONTINUE) for c in entries)
    said = [_deciding(contents) or f"None of {counted_criteria(contents)} is decided"]
    if undecided:
        said.append(f"{undecided} of {counted_outcomes(contents)} to be continued")
    if others:
        said.append(f"{others} of {counted_outcomes(contents)} could not be evaluated")
    return " ".join([*(f"{one}." for one in said), post_hoc_text(contents)]).strip()


def _deciding(contents: Contents, closest: str = "Closest to failing: ") -> str:
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
        of = f" of {_called(contents, (entry.dataset, entry.model))}"
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
        name = "" if len(views) == 1 else f" for {_called(contents, view)}"
        told.append(f"{value_text(one.value or 0.0)}{limits}{name}")
        title = contents.title(m) if mean is None else f"{contents.title(m)}, {mean[0]},"
    if not told:
        return ""
    return f"{title}{',' if key.indeterminate else ''} is {listed(told)}"


def _frequencies(contents: Contents, views: Sequence[View]) -> str:
    """Of so many rows of a class, how many were found: whole counts alone."""
    told: list[str] = []
    before: tuple[str, str] | None = None
    for view in views:
        if _is_weighted(contents, view):
            continue
        if contents.has_sets(view):
            told.append(_of_labels(contents, view))
            continue
        table = first_table(contents, view)
        counts = None if table is None else _whole(table)
        own = contents.thresholds(view)
        # beside a rule without a solution scores have a table at a threshold nobody asked for
        if table is None or counts is None or (own and own[0].threshold is None):
            continue
        several = len(contents.views) > 1
        who = _called(contents, view) if several or len(table.labels) > 2 else "the model"
        if table.positive is None or flat_counts(table) is None:
            told.append(_of_many(contents, table, counts, who))
            continue
        classes = _two_classes(contents, table)
        if classes is not None:
            sentence = _of_two(table, classes, who, again=classes == before)
            if classes == before and sentence not in told[-1]:
                told[-1] = f"{told[-1].removesuffix('.')}; {sentence}."
            else:
                told.append(f"{sentence}.")
            before = classes
    return " ".join(dict.fromkeys(text for text in told if text))


def _of_labels(contents: Contents, view: View) -> str:
    """How many rows have all their labels right, and the label that fares worst."""
    who = _called(contents, view) if len(contents.views) > 1 else "the model"
    told = []
    exact = next((m for m in contents.pooled(view) if m.metric == "exact_match"), None)
    share = "" if exact is None else share_of_rows(contents, exact)
    if share:
        told.append(f"{who} had all labels right in {share.replace('/', 'of')} rows")
    label = next(iter(worst_first(contents, [view])), None)
    own = next((m for m in by_class(contents, view) if m.label == label), None)
    table = None if own is None else contents.table_of(own.table)
    cells = None if table is None or _whole(table) is None else flat_counts(table)
    if cells and label is not None:
        found = f"{count_text(cells['TP'])} of {count_text(cells['TP'] + cells['FN'])}"
        alarms = counted(cells["FP"], "false alarm")
        worst = f"found {found} rows of {label_text(label)}, its worst label, with {alarms}"
        told.append(worst if told else f"{who} {worst}")
    text = " and ".join(told)
    return f"{text[:1].upper()}{text[1:]}." if who == "the model" else f"{text}." if text else ""


def _whole(table: Table) -> list[list[int]] | None:
    """The counts where all are whole; estimated and weighted ones are no number of rows."""
    rows = table.counts or ()
    if any(c is None or not float(c).is_integer() for row in rows for c in row):
        return None
    return [[int(c or 0) for c in row] for row in rows] or None


def _two_classes(contents: Contents, table: Table) -> tuple[str, str] | None:
    """How many rows of either class a table has, in words; None of an empty one."""
    cells = flat_counts(table) or {}
    k = positive_index(table)
    ill, well = cells["TP"] + cells["FN"], cells["TN"] + cells["FP"]
    if not ill and not well:
        return None
    positive = contents.rows_of(ill, str(table.labels[k]), positive=True)
    negative = str(table.labels[1 - k])
    if negative.casefold() in DENIALS:
        return positive, "the other row" if well == 1 else f"{count_text(well)} others"
    return positive, rows_of_class(well, negative)


def _of_two(table: Table, classes: tuple[str, str], who: str, *, again: bool) -> str:
    """Found, missed and false alarms; ``again``: of the rows that the sentence before is of."""
    cells = flat_counts(table) or {}
    found, missed = (count_text(cells[name]) for name in ("TP", "FN"))
    alarms = counted(cells["FP"], "false alarm")
    if again:
        return f"{who} found {found} and missed {missed}, with {alarms}"
    told = f"Of {classes[0]}, {who} found {found} and missed {missed}"
    return f"{told}, with {alarms} among {classes[1]}"


def _of_many(contents: Contents, table: Table, counts: list[list[int]], who: str) -> str:
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
        f"Of {contents.rows_text(everything)}, {who} classified {count_text(right)} correctly. "
        f"Worst class: of {rows_text(total)} of {class_text(table.labels[worst])} it found "
        f"{count_text(row[worst])} ({share_text(row[worst], total)})"
    )
    if share < 1 and row[taken]:
        told += f" and called {count_text(row[taken])} {class_text(names[taken])}"
    if alike and share < 1:
        as_low = listed(alike) if len(alike) < MOST_NAMES else f"{len(alike)} other classes"
        told += f"; of {as_low} it found the same share"
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
    return f"{len(views)} of {len(contents.views)}{by}; {named} are in the sections that follow."


def _groups(contents: Contents, views: Sequence[View]) -> tuple[str, str]:
    """Where each model fares worst, of groups that can be judged, under a title that fits.

    By the first headline metric that does not change with how many of a group are positive. A
    group is the worst one where a difference between groups is shown, else but the lowest.
    """
    groups: dict[str, list[tuple[str, bool]]] = {}
    small: dict[str, None] = {}
    key = comparable_in_groups(contents, views)
    if key is None:
        return "Groups", ""
    for view in views:
        worst, few = worst_group(contents, view, key)
        small |= dict.fromkeys(f"{_group(m)}, {_under(contents, m)}" for m in few)
        if worst is None:
            continue
        counts = share_of_rows(contents, worst).replace("/", "of")
        limits = interval_text(worst.interval, worst.value)
        who = f" for {_called(contents, view)}" if len(views) > 1 else ""
        own = groups.setdefault(_group(worst), [])
        name = "" if own else f"{contents.title(worst)} "
        shown = f"{value_text(worst.value or 0.0)}{f', {counts}' if counts else ''}"
        told = f"{name}{shown}{f' ({limits})' if limits else ''}{who}"
        own.append((told, groups_differ(contents, worst)))
    any_differ = any(differ for own in groups.values() for _, differ in own)
    apart = ", whose groups are not shown to differ" if any_differ else ""
    said = [
        f"{group}: {listed([told if differ else told + apart for told, differ in own])}."
        for group, own in groups.items()
    ]
    title = "Groups"
    if groups:
        least = "Lowest" if sign_of(key.metric) > 0 else "Highest"
        title = "Worst group" if any_differ else f"{least} group"
        said += [] if any_differ else [_no_difference(contents)]
    if small:
        names = list(small)
        more = f" and {len(names) - MOST_NAMES} more" if len(names) > MOST_NAMES else ""
        said.append(f"Too few to judge: {'; '.join(names[:MOST_NAMES])}{more}.")
    return title, " ".join(said)


def _no_difference(contents: Contents) -> str:
    """That groups are not shown to differ, and which values that are not shown here do.

    Those are of another metric, model or grouping: ``Recall by sex and site``, without the columns
    where all groups are of those.
    """
    of_groups = [m for m in contents.measures if m.subgroup]
    found = [
        m
        for m in of_groups
        if m.fold is None
        and sign_of(m.metric)
        and tuple(m.subgroup) not in contents.period_columns
        and groups_differ(contents, m)
    ]
    # what also moves with how many of a group are positive comes last
    found.sort(key=lambda m: not compares_groups(contents, identity(m), [view_of(m)]))
    groupings = {tuple(m.subgroup) for m in of_groups}
    named: dict[str, None] = {}
    for m in found:
        columns = listed([name.replace("_", " ") for name in m.subgroup])
        by = f" by {columns}" if len(groupings) > 1 else ""
        on = f" on {label_text(m.dataset)}" if len(contents.datasets) > 1 else ""
        named[f"{contents.title(m)}{by}{on}"] = None
    if not named:
        return "No difference between groups is shown."
    where = "; ".join(first_few(list(named), 2))
    return f"No difference shown here; {len(named)} in Subgroups: {where}."


def _group(m: records.Measure) -> str:
    """A group by the words of its columns: ``size band medium (12 to 15)``."""
    return subgroup_text({name.replace("_", " "): value for name, value in m.subgroup.items()})


def _under(contents: Contents, m: records.Measure) -> str:
    """The rows that a share is of, else those of the group."""
    if m.weight is not None:
        return contents.rows_text(m.n)
    if m.metric == "recall" and m.denominator is not None and m.label is not None:
        positive = m.label == contents.positive((m.dataset, m.model))
        return contents.rows_of(m.denominator, m.label, positive=positive)
    both = of_two_classes(contents, m)
    names = [contents.positive(view_of(m)), *contents.classes(view_of(m))]
    others = next((name for name in names[1:] if name != names[0]), None)
    if both and names[0] is not None and others is not None:
        fewer = int(both[1] < both[0])
        return contents.rows_of(both[fewer], others if fewer else names[0], positive=not fewer)
    share = m.denominator if share_of_rows(contents, m) else None
    return contents.rows_text(m.n) if share is None else f"{count_text(share)} rows"


def _care(contents: Contents, cautions: Sequence[Note]) -> str:
    """What weakens the results most, in whole sentences, and the first limitation of the spec."""
    told = [
        _against_reference(contents, note) or _whole_sentence(note)
        for note in _grave(contents, cautions)
    ]
    limits = prose(contents.about.get("limitations") or "")
    first, ends, _ = limits.partition(". ")
    if first:
        told.append(f"Stated limitation: {first}{'.' if ends or limits[-1] not in '.…' else ''}")
    return " ".join(told)


def _grave(contents: Contents, cautions: Sequence[Note]) -> list[Note]:
    """The cautions that the sentences at the head of the page tell; they come first."""
    most = 1 if contents.large else MOST_TOLD
    return [note for note in cautions if note.severity == "warning"][:most]


def _whole_sentence(note: Note) -> str:
    """What a caution found, else its title where that would be long or stands in many places."""
    title = _with_models(note)
    if len(note.messages) != 1:
        return f"{title}."
    found = note.messages[0].removeprefix(f"{note.whose}: ")
    whole = f"{title}: {found}"
    if len(whole) <= LONGEST_TOLD:
        return f"{whole}."
    # of one model the first sentence says what was found
    first, ends, _ = note.messages[0].partition(". ")
    of_one = first.startswith(f"{note.whose}: ") and ends
    return f"{first if of_one and len(first) <= LONGEST_TOLD else title}."


def _against_reference(contents: Contents, note: Note) -> str:
    """Which model is worse than its reference, and on what; of any other caution nothing."""
    if note.code != "no_better_than_baseline":
        return ""
    pairs: dict[tuple[str, str], dict[str, None]] = {}
    better = set()
    for c in contents.of(records.Comparison):
        if not c.told_apart or c.subgroup or c.fold is not None or c.reference_run:
            continue
        if c.better == "reference":
            title = comparison_title(contents, c).removesuffix(" ↓")
            if c.label is not None:
                title = title.replace(f" of {label_text(c.label)}", f" of {class_text(c.label)}")
            pairs.setdefault((c.model, c.reference), {})[title] = None
        else:
            better.add((c.model, c.reference))
    told = []
    for (model, reference), titles in pairs.items():
        on = listed(first_few(list(titles), MOST_NAMES))
        none = "" if (model, reference) in better else ", and shown to be better on none"
        told.append(f"{label_text(model)} is worse than {label_text(reference)} on {on}{none}.")
    return " ".join(told) if len(told) < MOST_NAMES else ""


def _with_models(note: Note) -> str:
    """The title of a caution with the models that it is about."""
    return f"{note.title} ({note.whose})" if note.whose else note.title


def _tables(contents: Contents, views: Sequence[View], *, beside: bool) -> list[Block]:
    """The table of each model, or of many classes those that are found least."""
    found = [t for v in views if (t := first_table(contents, v)) is not None]
    small = {t.id: t for t in found if len(t.labels) <= MOST_WHOLE}
    blocks: list[Block] = []
    # the sentences and the shares beside them have the totals
    tables = tuple(count_table(contents, t, totals=False) for t in small.values())
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


def _caution_lines(
    contents: Contents, cautions: Sequence[Note], *, beside: bool = False
) -> list[Block]:
    """A line for each caution, which leads to where it stands in full; the end of the page.

    Those that a sentence above tells have none, and of more than so many the others have one.
    """
    # in large type a line leads to where they all stand
    most = 0 if contents.large and "cautions" in contents.sections else MOST_CAUTIONS
    told = set(map(_with_models, _grave(contents, cautions)))
    cautions = [note for note in cautions if _with_models(note) not in told]
    shown = cautions[:most]
    items = []
    for note in shown:
        # of a finding that has no title what was found, if short
        found = note.messages[0].partition(". ")[0] if note.code == FOUND and note.messages else ""
        line = found if 0 < len(found) <= LONGEST_LINE else _with_models(note)
        items.append(replace(note, title=line, messages=(), code=""))
    noun = "more caution" if told else "caution"
    if told and not cautions:
        return []
    title = counted(len(cautions), noun) if cautions else f"No {noun}s"
    if left := cautions[most:]:
        rest = f"{len(left)} more" if shown else title
        items.append(replace(left[0], title=rest, messages=(), code=""))
    style = "brief line" if not most else "brief beside" if beside else "brief"
    return [Notes(title, tuple(items), style)]
