"""Every measure of two runs: old, new, their difference, and whether it is beyond chance."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from evalreport.metrics.estimates import estimate_of
from evalreport.record.diff_pairs import Key, pair_key
from evalreport.record.diff_rows import Said
from evalreport.results.codec import encode
from evalreport.results.records import Comparison, Measure
from evalreport.statistics.separate_samples import Shift, shift

SAME_ROWS = "both runs read the same rows: a difference is no matter of chance"
SEPARATE = "the rows of the two runs are taken as independent"
CHOSEN = "conditional on the threshold, which was chosen on these rows"
UNKNOWN = "rows were given in memory; whether they are the same is not known"
APART = "no row is in both runs: they are independent"
PAIRED_ROWS = "the same rows in both runs, paired by their ids"
#: Share of the smaller run's rows that may be in both runs of samples taken as independent.
FEW_SHARED = 0.05
_PAIRED = ("difference", "interval", "interval_reason", "test", "statistic", "p_value")

_IDENTITY = (
    "dataset", "model", "subgroup", "fold", "metric", "title", "params", "average", "label",
    "threshold_rule",
)  # fmt: skip


def measure_changes(
    old: Sequence[Measure],
    new: Sequence[Measure],
    same_rows: Mapping[str, bool | None],
    pairs: Pairs | None = None,
) -> list[dict[str, Any]]:
    """One record per measure of either run, in the order of the new run.

    ``same_rows`` says of each dataset whether both runs read the same file, ``pairs``
    what the rows that both kept say.
    """
    before, after = ({m.which.series: m for m in side} for side in (old, new))
    found = []
    for key in dict.fromkeys([*after, *before]):
        was, now = before.get(key), after.get(key)
        of_either = now or was
        assert of_either is not None
        found.append(
            {
                **{name: getattr(of_either, name) for name in _IDENTITY},
                "change": "both" if was and now else ("added" if now else "removed"),
                "old": _side(was),
                "new": _side(now),
                **_paired_change(was, now, same_rows.get(of_either.dataset), pairs),
            }
        )
    return found


@dataclass(frozen=True)
class Pairs:
    """Rows that two runs share, by dataset and model, and the measures compared on them."""

    said: Mapping[tuple[str, str], Said]
    compared: Mapping[tuple[str, str], Mapping[Key, Comparison]]


def _paired_change(
    was: Measure | None,
    now: Measure | None,
    same_rows: bool | None,
    pairs: Pairs | None,
) -> dict[str, Any]:
    """The change, by the rows that both runs share where they were kept."""
    found = {**_change(was, now, same_rows), "paired": None}
    if pairs is None or was is None or now is None:
        return found
    place = (now.dataset, now.model)
    said = pairs.said.get(place)
    if said is None or now.subgroup or now.fold is not None or found["difference"] is None:
        return found
    if said.reason is not None:
        return found
    shared, smaller = len(said.actual), min(said.old_rows, said.new_rows)
    if shared <= FEW_SHARED * smaller:
        return {**found, "note": APART} if shared == 0 and found["interval"] else found
    record = pairs.compared.get(place, {}).get(pair_key(now))
    paired = None if record is None else _paired(record, shared)
    limits = (paired or {}).get("interval")
    beyond = None if limits is None else not limits["low"] <= 0.0 <= limits["high"]
    if paired is not None and shared == said.old_rows == said.new_rows:
        taken = {k: paired[k] for k in _PAIRED if k != "difference"}
        return {**found, **taken, "paired": paired, "beyond_chance": beyond, "note": PAIRED_ROWS}
    nothing = dict.fromkeys(("interval", "test", "statistic", "p_value"))
    reason = f"{shared} rows are in both runs and others in one: neither independent nor paired"
    if shared == said.old_rows == said.new_rows:
        reason = "no comparison of the same rows is known for it"
    return {
        **found,
        **nothing,
        "interval_reason": reason,
        "paired": paired,
        "beyond_chance": beyond,
        "note": None,
    }


def _paired(record: Comparison, shared: int) -> dict[str, Any]:
    found: dict[str, Any] = {name: getattr(record, name) for name in _PAIRED}
    limits = None if record.interval is None else encode(record.interval)
    return {**found, "interval": limits, "rows": shared}


def _side(measure: Measure | None) -> dict[str, Any] | None:
    if measure is None:
        return None
    names = ("id", "state", "value", "reason", "numerator", "denominator", "n", "threshold")
    limits = None if measure.interval is None else encode(measure.interval)
    return {**{name: getattr(measure, name) for name in names}, "interval": limits}


def _change(was: Measure | None, now: Measure | None, same_rows: bool | None) -> dict[str, Any]:
    then, at_present = (None if m is None else estimate_of(m) for m in (was, now))
    if then is None or at_present is None:
        return _told(Shift(0.0, reason=_why_none(was, now)), "") | {"difference": None}
    if same_rows:
        difference = shift(at_present, then).difference
        return _told(Shift(difference, reason=SAME_ROWS), "")
    notes = [SEPARATE if same_rows is False else UNKNOWN]
    if any(m is not None and m.exploratory for m in (was, now)):
        notes.append(CHOSEN)
    return _told(shift(at_present, then), "; ".join(notes))


def _told(found: Shift, note: str) -> dict[str, Any]:
    interval = None
    if found.interval is not None:
        interval = {
            "level": found.level,
            "low": found.interval.low,
            "high": found.interval.high,
            "method": found.method,
        }
    return {
        "difference": found.difference,
        "interval": interval,
        "interval_reason": found.reason,
        "test": found.test,
        "statistic": found.statistic,
        "p_value": found.p_value,
        "beyond_chance": found.beyond_chance,
        "note": note or None,
    }


def _why_none(was: Measure | None, now: Measure | None) -> str:
    if was is None or now is None:
        return f"only the {'new' if was is None else 'old'} run has it"
    parts = [
        f"{word}: {m.state.replace('_', ' ')}"
        for word, m in (("old", was), ("new", now))
        if m.state != "value"
    ]
    return "; ".join(parts)
