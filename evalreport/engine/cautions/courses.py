"""The caution that a measure changed over time: when the alarm came, and since when."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from evalreport.engine.cautions.declare import Caution, caution
from evalreport.engine.cautions.facts import RunFacts
from evalreport.metrics.catalogue import find, named_within
from evalreport.metrics.declare import Goal
from evalreport.numbers import level_text, value_text
from evalreport.results.records import SHARES_MOVED, Change, Period

#: Further measures that are named.
MOST_NAMED = 4
#: What moved is told where chance explains it less often than this.
SURE = 0.001
WORDS = {
    **{what: f"the {share.words}" for what, share in SHARES_MOVED.items()},
    "scores": "the scores",
    "calibration": "the calibration",
}


@caution(
    "changed_over_time",
    severity="note",
    title="Results changed over time",
    why="a value over all periods describes neither the time before the change nor the time after",
    read_instead="the course over time, and the values of the periods since the change",
)
def changed_over_time(run: RunFacts) -> Iterator[Caution]:
    """A cumulative sum chart crosses its limit; a warning where the measure became worse."""
    places: dict[tuple[str, str], list[Period]] = {}
    for course in run.courses:
        if course.change is not None and course.change.alarm is not None:
            places.setdefault((course.dataset, course.model), []).append(course)
    judged = {entry.measure for entry in run.acceptance}
    for (dataset, model), own in places.items():
        worse = [course for course in own if _worse(course)]
        # those under a criterion first, then as the spec orders them
        chosen = sorted(worse or own, key=lambda course: judged.isdisjoint(course.measures))
        first = chosen[0]
        assert first.change is not None
        yield Caution(
            _message(first, first.change, [course.metric for course in chosen[1:]]),
            dataset=dataset,
            model=model,
            numbers={"probability": first.change.probability, "before": first.change.before,
                     "after": first.change.after},
            severity="warning" if worse else "note",
            headline=_headline(first.metric, first.change),
        )  # fmt: skip


def _worse(course: Period) -> bool:
    change, metric = course.change, find(course.metric)
    if change is None or metric is None or change.before is None or change.after is None:
        return False
    if metric.goal is Goal.MAXIMIZE:
        return change.after < change.before
    return metric.goal is Goal.MINIMIZE and change.after > change.before


def _headline(metric: str, change: Change) -> str:
    """What a measure did, and most likely when; that it changed where the time is not known."""
    what = named_within(metric)
    what = f"{what[:1].upper()}{what[1:]}"
    if change.since is None or change.before is None or change.after is None:
        return f"{what} changed over time"
    return f"{what} {'fell' if change.after < change.before else 'rose'} in {change.since}"


def _message(course: Period, change: Change, others: Sequence[str]) -> str:
    alarm = f"{named_within(course.metric)}: alarm in {change.alarm}"
    if change.since is None or change.before is None or change.after is None:
        return f"{alarm}."
    within = ""
    if change.earliest != change.latest:
        within = f" ({level_text(change.level)}: {change.earliest} to {change.latest})"
    verb = "fell" if change.after < change.before else "rose"
    told = (
        f"{alarm}; most likely it {verb} with {change.since}{within}, "
        f"from {value_text(change.before)} to {value_text(change.after)}."
    )
    moved = [WORDS.get(one.what) or f"the mix of {one.column}" for one in change.moved
             if one.p_value is not None and one.p_value < SURE]  # fmt: skip
    if moved:
        told += f" With it moved {', '.join(moved)}."
    also = list(dict.fromkeys(name for name in others if name != course.metric))
    if also:
        more = f" and {len(also) - MOST_NAMED} more" if len(also) > MOST_NAMED else ""
        told += f" Alarms also of {', '.join(map(named_within, also[:MOST_NAMED]))}{more}."
    return told
