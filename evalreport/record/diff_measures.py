"""Every measure of two runs: old, new, their difference, and whether it is beyond chance."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from evalreport.metrics.estimates import estimate_of
from evalreport.record.diff_pairs import Key, pair_key
from evalreport.record.diff_rows import Said
from evalreport.results.changes import MeasureChange, MeasureSide, PairedDifference
from evalreport.results.records import Comparison, Interval, Measure
from evalreport.statistics.separate_samples import Shift, shift

SAME_ROWS = "both runs read the same rows: a difference is no matter of chance"
SEPARATE = "the rows of the two runs are taken as independent"
CHOSEN = "conditional on the threshold, which was chosen on these rows"
UNKNOWN = "rows were given in memory; whether they are the same is not known"
APART = "no row is in both runs: they are independent"
PAIRED_ROWS = "the same rows in both runs, paired by their ids"
#: Share of the smaller run's rows that may be in both runs of samples taken as independent.
FEW_SHARED = 0.05


def measure_changes(
    old: Sequence[Measure],
    new: Sequence[Measure],
    same_rows: Mapping[str, bool | None],
    pairs: Pairs | None = None,
) -> tuple[MeasureChange, ...]:
    """One record per measure of either run, in the order of the new run.

    ``same_rows`` says of each dataset whether both runs read the same file, ``pairs``
    what the rows that both kept say.
    """
    before, after = ({m.which.series: m for m in side} for side in (old, new))
    return tuple(
        _paired_change(_change(before.get(key), after.get(key), same_rows), pairs, after.get(key))
        for key in dict.fromkeys([*after, *before])
    )


@dataclass(frozen=True)
class Pairs:
    """Rows that two runs share, by dataset and model, and the measures compared on them."""

    said: Mapping[tuple[str, str], Said]
    compared: Mapping[tuple[str, str], Mapping[Key, Comparison]]


def _paired_change(found: MeasureChange, pairs: Pairs | None, now: Measure | None) -> MeasureChange:
    """The change, by the rows that both runs share where they were kept."""
    if pairs is None or now is None or found.old is None:
        return found
    place = (now.dataset, now.model)
    said = pairs.said.get(place)
    if said is None or now.subgroup or now.fold is not None or found.difference is None:
        return found
    if said.reason is not None:
        return found
    shared, smaller = len(said.actual), min(said.old_rows, said.new_rows)
    if shared <= FEW_SHARED * smaller:
        return replace(found, note=APART) if shared == 0 and found.interval else found
    record = pairs.compared.get(place, {}).get(pair_key(now))
    paired = None if record is None else _paired(record, shared)
    limits = None if paired is None else paired.interval
    beyond = None if limits is None else not limits.low <= 0.0 <= limits.high
    found = replace(found, paired=paired, beyond_chance=beyond)
    all_rows = shared == said.old_rows == said.new_rows
    if paired is not None and all_rows:
        return replace(
            found,
            interval=paired.interval,
            interval_reason=paired.interval_reason,
            test=paired.test,
            statistic=paired.statistic,
            p_value=paired.p_value,
            note=PAIRED_ROWS,
        )
    reason = f"{shared} rows are in both runs and others in one: neither independent nor paired"
    if all_rows:
        reason = "no comparison of the same rows is known for it"
    return replace(
        found,
        interval=None,
        interval_reason=reason,
        test=None,
        statistic=None,
        p_value=None,
        note=None,
    )


def _paired(record: Comparison, shared: int) -> PairedDifference:
    return PairedDifference(
        difference=record.difference,
        interval=record.interval,
        interval_reason=record.interval_reason,
        test=record.test,
        statistic=record.statistic,
        p_value=record.p_value,
        rows=shared,
    )


def _side(measure: Measure | None) -> MeasureSide | None:
    if measure is None:
        return None
    return MeasureSide(
        id=measure.id,
        state=measure.state,
        value=measure.value,
        reason=measure.reason,
        interval=measure.interval,
        numerator=measure.numerator,
        denominator=measure.denominator,
        n=measure.n,
        threshold=measure.threshold,
    )


def _change(
    was: Measure | None, now: Measure | None, same_rows: Mapping[str, bool | None]
) -> MeasureChange:
    """A measure then and now, and the difference as of separate samples."""
    either = now or was
    assert either is not None
    found = MeasureChange(
        dataset=either.dataset,
        model=either.model,
        subgroup=either.subgroup,
        fold=either.fold,
        metric=either.metric,
        title=either.title,
        params=either.params,
        average=either.average,
        label=either.label,
        threshold_rule=either.threshold_rule,
        change="both" if was and now else ("added" if now else "removed"),
        old=_side(was),
        new=_side(now),
    )
    then, at_present = (None if m is None else estimate_of(m) for m in (was, now))
    if then is None or at_present is None:
        return replace(found, interval_reason=_why_none(was, now))
    same = same_rows.get(either.dataset)
    told = shift(at_present, then)
    if same:
        return replace(found, difference=told.difference, interval_reason=SAME_ROWS)
    notes = [SEPARATE if same is False else UNKNOWN]
    if any(m is not None and m.exploratory for m in (was, now)):
        notes.append(CHOSEN)
    return replace(
        found,
        difference=told.difference,
        interval=_interval(told),
        interval_reason=told.reason,
        test=told.test,
        statistic=told.statistic,
        p_value=told.p_value,
        beyond_chance=told.beyond_chance,
        note="; ".join(notes),
    )


def _interval(found: Shift) -> Interval | None:
    if found.interval is None or found.level is None or found.method is None:
        return None
    return Interval(found.level, found.interval.low, found.interval.high, found.method)


def _why_none(was: Measure | None, now: Measure | None) -> str:
    if was is None or now is None:
        return f"only the {'new' if was is None else 'old'} run has it"
    parts = [
        f"{word}: {m.state.replace('_', ' ')}"
        for word, m in (("old", was), ("new", now))
        if m.state != "value"
    ]
    return "; ".join(parts)
