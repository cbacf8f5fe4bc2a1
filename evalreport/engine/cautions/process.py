"""Cautions about how the numbers came about: thresholds, criteria, resampling, headlines."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from evalreport.engine.cautions.declare import Caution, caution
from evalreport.engine.cautions.facts import RunFacts
from evalreport.engine.cautions.wording import counted, listed, name, number, part, percent
from evalreport.engine.intervals.pooled_ranks import ONE_SCALE, fits_of
from evalreport.metrics.catalogue import metric_named, named_within
from evalreport.metrics.declare import Shows
from evalreport.numbers import limits_text, required_text, threshold_text
from evalreport.results.identity import EVERYTHING
from evalreport.results.records import Criterion, Interval, Measure, Threshold

#: Above this share of lost replicates the others are no longer a fair sample of all.
MANY_LOST = 0.05
CHOSEN_HERE = "Thresholds were chosen on the rows they are judged on"


@caution(
    "threshold_chosen_here",
    severity="warning",
    title=CHOSEN_HERE,
    why="the best threshold on some rows is less good on others; its values are too high, "
    "and its intervals do not count the choice",
    read_instead="results at a threshold fixed before, or chosen on another dataset",
)
def threshold_chosen_here(run: RunFacts) -> Iterator[Caution]:
    """A threshold is exploratory: a rule was solved on the rows that are evaluated."""
    by_view: dict[tuple[str, str], list[Threshold]] = {}
    for record in run.thresholds:
        if record.status == "exploratory" and record.threshold is not None:
            by_view.setdefault((record.dataset, record.model), []).append(record)
    for (dataset, model), own in by_view.items():
        chosen = [
            threshold_text(r.threshold or 0.0) + (f" ({_rule_words(r.rule)})" if r.rule else "")
            for r in own
        ]
        yield Caution(
            f"{CHOSEN_HERE}: {listed(chosen)}.",
            dataset,
            model,
            numbers={"threshold": own[0].threshold, "thresholds": len(own)},
        )


def _rule_words(rule: str) -> str:
    """A threshold rule in the words of the field."""
    return name(" ".join(map(named_within, rule.split(" "))))


@caution(
    "step_chosen_here",
    severity="warning",
    title="The best step was chosen on the rows it is judged on",
    why="training fits the rows that it is given, and the best of many steps on some rows is less "
    "good on others",
    read_instead="the step on rows that took no part in training, nor in its choice",
)
def step_chosen_here(run: RunFacts) -> Iterator[Caution]:
    """A training history is judged: its best steps are those of fewest mistakes on these rows."""
    for model in run.histories:
        told = f"The best step of {name(model)} was chosen on the rows it is judged on"
        yield Caution(
            f"{told}, by the fewest mistakes or by the lowest cost.", model=model, headline=told
        )


@caution(
    "threshold_not_found",
    severity="warning",
    title="No threshold meets a rule",
    why="no threshold on these rows does what the rule asks",
    read_instead="the threshold sweep: what can be reached, and at which price",
)
def threshold_not_found(run: RunFacts) -> Iterator[Caution]:
    """A rule was asked for and gives no threshold."""
    for record in run.thresholds:
        if record.threshold is None and record.reason:
            yield Caution(
                f"The rule {_rule_words(record.rule or '')} gives no threshold: {record.reason}.",
                record.dataset,
                record.model,
            )


@caution(
    "headline_alone",
    severity="warning",
    title="Only accuracy or F1 was requested",
    why="accuracy hides which class is missed, and F1 ignores true negatives",
    read_instead="recall and specificity, or precision and recall, with the table beside them",
)
def headline_alone(run: RunFacts) -> Iterator[Caution]:
    """Nothing but accuracy, error rate, F1 or F-beta was asked for."""
    asked = list(dict.fromkeys(run.requested))
    if asked and all(metric_named(one).shows is Shows.SUMMARY for one in asked):
        yield Caution(
            f"The only measures requested are {listed(asked)}."
            if len(asked) > 1
            else f"The only measure requested is {asked[0]}.",
            numbers={"metrics": len(asked)},
        )


@caution(
    "calibration_evidence",
    severity="warning",
    title="Calibration is measured by bins alone",
    why="ECE and Hosmer-Lemeshow change with the bins and do not show whether probabilities are "
    "too high or too low",
    read_instead="calibration in the large, the calibration slope and the curve",
)
def calibration_evidence(run: RunFacts) -> Iterator[Caution]:
    """ECE, MCE or Hosmer-Lemeshow was asked for and no other measure of calibration."""
    shown = {metric: metric_named(metric).shows for metric in run.requested}
    binned = [metric for metric, shows in shown.items() if shows is Shows.BINS]
    if binned and Shows.CALIBRATION not in shown.values():
        verb = "is" if len(binned) == 1 else "are"
        yield Caution(
            f"Only {listed(binned)} {verb} requested for calibration.",
            numbers={"metrics": len(binned)},
        )


@caution(
    "acceptance_on_point",
    severity="warning",
    title="A criterion is judged by its value, not its limit",
    why="a value that just reaches a requirement misses it about as often on other rows",
    read_instead="the same criterion on the lower (or upper) limit of the interval",
)
def acceptance_on_point(run: RunFacts) -> Iterator[Caution]:
    """A criterion uses the point although its measure has an interval; a note if both pass."""
    known = {m.id: m for m in run.measures}
    by_criterion: dict[str, list[Criterion]] = {}
    for record in run.acceptance:
        m = known.get(str(record.measure))
        # a look holds the whole interval against the requirement, whatever the bound
        judged = record.bound == "point" and record.claim is None and record.look is None
        if judged and m is not None and _judged_interval(record, m) is not None:
            by_criterion.setdefault(str(record.criterion), []).append(record)
    for records in by_criterion.values():
        turned = [record for record in records if _would_fail(record, known)]
        judged_so = _judged_by_value(records[0]) or "A criterion is judged by its value alone"
        message = f"{judged_so}: {_worded(records[0])}"
        if turned:
            failing = part(len(turned), len(records))
            message += f"; on the limit of the interval {failing} would fail"
        elif all(record.outcome == "pass" for record in records):
            message += "; the limit of the interval would pass too"
        one = records[0] if len(records) == 1 else None
        yield Caution(
            f"{message}.",
            None if one is None else one.dataset,
            None if one is None else one.model,
            None if one is None else one.measure,
            numbers={"judged": len(records), "would_fail": len(turned)},
            headline=_judged_by_value(records[0]),
            severity=None if turned else "note",
        )


def _judged_by_value(record: Criterion) -> str:
    """Which metric a criterion judges by its value; nothing of one that requires no number."""
    if record.required is None or not record.metric:
        return ""
    what = named_within(record.metric)
    what = f"the difference in {what}" if record.reference else what
    side = "upper" if record.direction == "at_most" else "lower"
    return f"{what[:1].upper()}{what[1:]} is judged by its value, not its {side} limit"


def _worded(record: Criterion) -> str:
    """A criterion as a sentence has it; by its number where it requires no number."""
    if record.required is None or not record.metric:
        return str(record.criterion)
    side = record.direction.replace("_", " ")
    what = named_within(record.metric)
    if record.reference:
        what = f"difference in {what} from {record.reference}"
    return f"{what} {side} {required_text(record.required)}"


def _judged_interval(record: Criterion, measure: Measure) -> Interval | None:
    """The interval of what a criterion judges: the value, or its difference from a reference."""
    return record.interval if record.reference else measure.interval


def _would_fail(record: Criterion, known: dict[str, Measure]) -> bool:
    """Whether a criterion that passes on the point fails on the limit towards failure."""
    interval = _judged_interval(record, known[str(record.measure)])
    required = record.required
    if record.outcome != "pass" or interval is None or required is None:
        return False
    if record.direction == "at_most":
        return bool(interval.high > required)
    return bool(interval.low < required)


@caution(
    "replicates_lost",
    severity="warning",
    title="Bootstrap replicates were lost",
    why="where a metric is undefined on a resample, the interval rests on the others only",
    read_instead="the interval as too narrow, or another method",
)
def replicates_lost(run: RunFacts) -> Iterator[Caution]:
    """A bootstrap interval was made without more than 5 % of the replicates drawn."""
    by_view: dict[tuple[str, str], list[Measure]] = {}
    for m in run.measures:
        if m.interval is not None and _lost(m) > MANY_LOST * (m.interval.resamples or 0):
            by_view.setdefault((m.dataset, m.model), []).append(m)
    for (dataset, model), found in by_view.items():
        yield _about_lost(dataset, model, found)


def _about_lost(dataset: str, model: str, found: Sequence[Measure]) -> Caution:
    worst = max(found, key=_lost)
    assert worst.interval is not None
    lost, drawn = _lost(worst), worst.interval.resamples or 0
    verb = "rests" if len(found) == 1 else "rest"
    of = "" if worst.where == EVERYTHING else f" ({worst.where})"
    return Caution(
        f"{counted(len(found), 'interval')} {verb} on fewer replicates than were drawn; at most, "
        f"for {worst.title}{of}, {part(lost, drawn)} ({percent(lost / drawn)}) were lost.",
        dataset,
        model,
        worst.id,
        worst.table,
        {"intervals": len(found), "lost": lost, "drawn": drawn},
    )


def _lost(m: Measure) -> int:
    """Replicates on which the metric was undefined."""
    if m.interval is None or m.interval.resamples is None or m.interval.usable is None:
        return 0
    return m.interval.resamples - m.interval.usable


@caution(
    "biased_resamples",
    severity="warning",
    title="A value lies outside its own interval",
    why="resamples of some measures, mostly distances, which are never negative, come out higher "
    "than the value itself: their quantiles are then no limits of it",
    read_instead="the value with the bias beside it, and a larger sample",
)
def biased_resamples(run: RunFacts) -> Iterator[Caution]:
    """The quantiles of a bootstrap do not hold the value that was resampled."""
    for m in run.measures:
        if m.interval is None or m.value is None or m.interval.bias is None:
            continue
        bias = m.interval.bias
        of = "" if m.where == EVERYTHING else f" ({m.where})"
        inside = limits_text(m.interval.low, m.interval.high)
        yield Caution(
            f"{m.title}{of} is {number(m.value)}, outside {inside}: its resamples differ from it "
            f"by {number(bias)} on average.",
            m.dataset,
            m.model,
            m.id,
            m.table,
            {"value": m.value, "bias": bias},
        )


@caution(
    "pooled_folds",
    severity="note",
    title="Intervals of pooled folds leave out the variation of training",
    why="intervals of pooled out-of-fold predictions take the trained models as given; "
    "another division into folds would train others",
    read_instead="the mean over folds with its interval; folds of single rows have none",
)
def pooled_folds(run: RunFacts) -> Iterator[Caution]:
    """Out-of-fold predictions are pooled and the pooled values have intervals."""
    for view in run.views:
        pooled = [m for m in run.measures_of(view) if m.interval is not None]
        # Leave-one-out has folds whose rows are pooled and never told apart.
        folds = len(view.fold[1] if view.fold is not None else view.fold_sizes or ())
        if folds > 1 and pooled:
            yield Caution(
                f"{counted(len(pooled), 'interval')} of pooled predictions from "
                f"{counted(folds, 'fold')}.",
                view.dataset,
                view.model,
                numbers={"intervals": len(pooled), "folds": folds},
            )


@caution(
    "pooled_ranks",
    severity="warning",
    title="Scores of different fits are ranked together",
    why="each fit has a scale of its own, and shifts between them count as mistakes: a model that "
    "knows nothing may get an area far below 0.5",
    read_instead="the mean over folds; with one row a fold, measures of single rows",
)
def pooled_ranks(run: RunFacts) -> Iterator[Caution]:
    """A metric of ranks over the rows of all folds, from which no interval could be given."""
    for view in run.views:
        found = [
            m for m in run.measures_of(view) if (m.interval_reason or "").startswith(ONE_SCALE)
        ]
        for m in found[:1]:
            others = "" if len(found) == 1 else f", as for {counted(len(found) - 1, 'other value')}"
            yield Caution(
                f"{m.title} has no interval{others}: {m.interval_reason}.",
                m.dataset,
                m.model,
                m.id,
                m.table,
                {"fits": fits_of(view), "values": len(found)},
            )


@caution(
    "multiplicity",
    severity="note",
    title="P values of many tests are not corrected",
    why="of many tests some are small by chance alone",
    read_instead="the comparison named before the results were seen, or adjusted p values",
)
def multiplicity(run: RunFacts) -> Iterator[Caution]:
    """More than one test, and no correction of their p values."""
    tests = [c for c in run.comparisons if c.p_value is not None and c.correction in (None, "none")]
    if len(tests) > 1:
        yield Caution(
            f"The report has {counted(len(tests), 'test')}, uncorrected.",
            numbers={"tests": len(tests)},
        )
