"""Every measure of two runs: old, new, their difference, and whether it is beyond chance.

Of the rows that two runs share, the difference is that of two models on them: the rows become one
dataset and the two runs two models of it, and the engine compares them: the same tests and
intervals as between models, and no second code for them.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

from evalreport.engine.reference.differences import CHOSEN, SAME_ROWS, SEPARATE, interval_of
from evalreport.errors import EvalreportError
from evalreport.metrics.estimates import different_classes, estimate_of
from evalreport.results.changes import (
    MeasureChange,
    MeasureSide,
    PairedDifference,
    record_from,
)
from evalreport.results.identity import Quantity
from evalreport.results.records import Comparison, Measure
from evalreport.runs.paired_rows import SharedRows
from evalreport.statistics.separate_samples import shift

#: Rows and thresholds for which pairs are compared; more would take long.
MOST_ROWS = 1_000_000
MOST_THRESHOLDS = 4
CLOCK = "1970-01-01T00:00:00Z"

Key = tuple[Quantity, str | float | None]


NO_PAIR: tuple[None, Mapping[Key, Comparison]] = (None, {})
#: By dataset and model: the rows that two runs share, and the measures compared on them.
Pairs = Mapping[tuple[str, str], tuple[SharedRows, Mapping[Key, Comparison]]]


def compared_pairs(
    shared: Mapping[tuple[str, str], SharedRows],
    old: Sequence[Measure],
    new: Sequence[Measure],
    confidence: Mapping[str, Any],
) -> Pairs:
    """The rows that can be paired, and comparisons of them by :func:`pair_key`, new minus old.

    ``old`` and ``new`` are the measures of the runs, ``confidence`` the settings of the new
    run's spec.
    """
    overall = [[m for m in side if not m.subgroup and m.fold is None] for side in (old, new)]
    found = {}
    for place, own in shared.items():
        then, now = ([m for m in side if (m.dataset, m.model) == place] for side in overall)
        if own.reason is None:
            enough = 2 <= len(own.places) <= MOST_ROWS
            found[place] = own, _paired_changes(own, then, now, confidence) if enough else {}
    return found


def _paired_changes(
    shared: SharedRows,
    old: Sequence[Measure],
    new: Sequence[Measure],
    confidence: Mapping[str, Any],
) -> dict[Key, Comparison]:
    """The comparisons of one dataset and model: of what it calls positive at each threshold.

    Those that need no threshold are of its scores.
    """
    found: dict[Key, Comparison] = {}
    for at, calls in _calls(shared, old, new):
        for record in _compared(shared, new, "prediction", calls, confidence):
            found.setdefault((record.which.quantity, at), record)
    scores = shared.said("score")
    if scores is not None:
        for record in _compared(shared, new, "score", scores, confidence):
            if record.threshold is None:
                found.setdefault((record.which.quantity, None), record)
    return found


def pair_key(measure: Measure) -> Key:
    """By what a measure finds its pair: what it measures, and at which threshold."""
    return measure.which.quantity._replace(indeterminate=None), _rule_or_number(measure)


def _rule_or_number(measure: Measure) -> str | float | None:
    """The rule of a threshold, else its number."""
    return measure.threshold if measure.threshold_rule is None else measure.threshold_rule


def _calls(
    shared: SharedRows, old: Sequence[Measure], new: Sequence[Measure]
) -> Iterator[tuple[str | float | None, tuple[list[Any], list[Any]]]]:
    """The predicted labels then and now, by score at each threshold of both runs.

    None where there are none, or some are neither class.
    """
    labels, positive = shared.new.labels, shared.new.positive
    scores, codes = shared.said("score"), shared.said("predicted")
    if scores is not None and positive is not None:
        names = (labels[1 - positive], labels[positive])
        before, now = ({_rule_or_number(m): m.threshold for m in side} for side in (old, new))
        both = [at for at in now if at is not None and before.get(at) is not None]
        for at in both[:MOST_THRESHOLDS]:
            ends = zip(scores, (before[at], now[at]), strict=True)
            one, two = ([names[score >= end] for score in side] for side, end in ends)
            yield at, (one, two)
    elif codes is not None and all(code < len(labels) for side in codes for code in side):
        one, two = ([labels[code] for code in side] for side in codes)
        yield None, (one, two)


def _compared(
    shared: SharedRows,
    measures: Sequence[Measure],
    source: str,
    columns: tuple[list[Any], list[Any]],
    confidence: Mapping[str, Any],
) -> Sequence[Comparison]:
    """The comparisons of a run with the two as models: their ``score`` or ``prediction``."""
    # most runs keep no rows: who compares those waits for no engine
    from evalreport.engine.read_and_plan import prepare
    from evalreport.engine.run import evaluate
    from evalreport.spec.load import parse_spec

    labels, positive = shared.new.labels, shared.new.positive
    metrics = {m.which.quantity[:2]: m for m in measures}
    averages = [m.average for m in measures if m.average]
    spec: dict[str, Any] = {
        "evalreport": 1,
        "datasets": {"rows": {"target": "actual", "labels": list(labels)}},
        "models": {name: {source: name} for name in ("new", "old")},
        "metrics": [{m.metric: dict(m.params)} if m.params else m.metric for m in metrics.values()],
        "averaging": ["none", *dict.fromkeys(averages)],
        "comparisons": {"reference": "old"},
        "confidence": {k: confidence[k] for k in ("level", "resamples", "seed") if k in confidence},
    }
    if positive is not None:
        spec["positive"] = {"label": labels[positive]}
    frame = {"actual": shared.actual, "old": columns[0], "new": columns[1]}
    try:
        loaded = parse_spec(json.dumps(spec), "spec", (), frames=("rows",))
        return evaluate(prepare(loaded, {"rows": frame}, "memory"), CLOCK).comparisons
    except EvalreportError:
        return ()


UNKNOWN = "rows were given in memory; whether they are the same is not known"
APART = "no row is in both runs: they are independent"
PAIRED_ROWS = "the same rows in both runs, paired by their ids"
#: Share of the smaller run's rows that may be in both runs of samples taken as independent.
FEW_SHARED = 0.05


def measure_changes(
    old: Sequence[Measure],
    new: Sequence[Measure],
    same_rows: Mapping[str, bool | None],
    pairs: Pairs,
) -> tuple[MeasureChange, ...]:
    """One record per measure of either run, in the order of the new run.

    ``same_rows`` says of each dataset whether both runs read the same file, ``pairs``
    what the rows that both kept say.
    """
    before, after = ({m.which.series: m for m in side} for side in (old, new))
    return tuple(
        _change(before.get(key), after.get(key), same_rows, pairs)
        for key in dict.fromkeys([*after, *before])
    )


def _change(
    was: Measure | None, now: Measure | None, same_rows: Mapping[str, bool | None], pairs: Pairs
) -> MeasureChange:
    """A measure then and now: of the rows that both runs share, else as of separate samples."""
    either = now or was
    assert either is not None
    change = "both" if was and now else ("added" if now else "removed")
    sides = {"old": _side(was), "new": _side(now), "change": change}
    nothing = {"interval": None, "interval_reason": _why_none(was, now)}
    found = record_from(MeasureChange, either, **sides, **nothing)
    then, at_present = (None if m is None else estimate_of(m) for m in (was, now))
    if was is None or now is None or then is None or at_present is None or found.interval_reason:
        return found
    moved = shift(at_present, then)
    found = replace(found, difference=moved.difference)
    overall = not now.subgroup and now.fold is None
    shared, compared = pairs.get((now.dataset, now.model), NO_PAIR) if overall else NO_PAIR
    if shared is not None and shared.share > FEW_SHARED:
        return _of_shared_rows(found, shared, compared.get(pair_key(now)))
    same = same_rows.get(now.dataset)
    if same:
        return replace(found, interval_reason=SAME_ROWS)
    notes = [SEPARATE if same is False else UNKNOWN]
    if was.exploratory or now.exploratory:
        notes.append(CHOSEN)
    if shared is not None and shared.share == 0.0 and moved.interval is not None:
        notes = [APART]
    return replace(
        found,
        interval=interval_of(moved),
        interval_reason=moved.reason,
        test=moved.test,
        statistic=moved.statistic,
        p_value=moved.p_value,
        beyond_chance=moved.beyond_chance,
        note="; ".join(notes),
    )


def _side(measure: Measure | None) -> MeasureSide | None:
    return None if measure is None else record_from(MeasureSide, measure)


def _of_shared_rows(
    found: MeasureChange, shared: SharedRows, record: Comparison | None
) -> MeasureChange:
    """The difference on the rows that both runs share; it is that of all where no others are."""
    rows = len(shared.places)
    all_rows = rows == len(shared.old.rows) == len(shared.new.rows)
    if record is None:
        reason = "no comparison of the same rows is known for it"
        return replace(found, interval_reason=reason if all_rows else _some_rows(rows))
    limits = record.interval
    found = replace(
        found,
        paired=record_from(PairedDifference, record, rows=rows),
        beyond_chance=None if limits is None else not limits.low <= 0.0 <= limits.high,
    )
    if not all_rows:
        return replace(found, interval_reason=_some_rows(rows))
    return replace(
        found,
        interval=limits,
        interval_reason=record.interval_reason,
        test=record.test,
        statistic=record.statistic,
        p_value=record.p_value,
        note=PAIRED_ROWS,
    )


def _some_rows(rows: int) -> str:
    return f"{rows} rows are in both runs and others in one: neither independent nor paired"


def _why_none(was: Measure | None, now: Measure | None) -> str:
    if was is None or now is None:
        return f"only the {'new' if was is None else 'old'} run has it"
    parts = [
        f"{word}: {m.state.replace('_', ' ')}"
        for word, m in (("old", was), ("new", now))
        if m.state != "value"
    ]
    return "; ".join(parts) or different_classes(("old", was.left_out), ("new", now.left_out)) or ""
