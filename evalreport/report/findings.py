"""What a chart shows, in one sentence that follows from its points: the title it is read under."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from evalreport.report.charts.points import FEWEST, Curve, columns, stretches
from evalreport.report.charts.thresholds import Row
from evalreport.report.numbers import threshold_text, value_text
from evalreport.report.words import counted, label_text, listed
from evalreport.results.records import RocRelation

Rows = Sequence[tuple[float, ...]]
Text = Callable[[float], str]


def roc_finding(relations: Sequence[RocRelation], names: Sequence[str]) -> str:
    """Which curve lies above which, from the records of every two; empty where none is known.

    ``names`` are the models of the chart.
    """
    own = [r for r in relations if {r.first, r.second} <= set(names) and r.relation]
    if len(names) < 2 or len(own) != len(names) * (len(names) - 1) // 2:
        return ""
    if len(own) == 1:
        first, second, relation = (
            label_text(own[0].first),
            label_text(own[0].second),
            own[0].relation,
        )
        if relation == "equal":
            return f"the curves of {first} and {second} are the same"
        if relation == "cross":
            return _crossing(own[0], first, second)
        upper, lower = (first, second) if relation == "above" else (second, first)
        return f"{lower} lies below {upper} everywhere"
    for name in names:
        against = [(r, r.first == name) for r in own if name in {r.first, r.second}]
        if all(r.relation == ("above" if first else "below") for r, first in against):
            return f"{label_text(name)} lies above all others everywhere"
    return "no curve lies above all others everywhere"


def _crossing(record: RocRelation, first: str, second: str) -> str:
    """Two curves that cross, with the rates from which on the order is another."""
    at = [point.fpr for point in record.crossings]
    if record.crossing_count != len(at) or not at or len(at) > 2:
        times = counted(int(record.crossing_count), "time")
        return f"the curves of {first} and {second} cross {times}"
    where = f"{value_text(at[0])}" if len(at) == 1 else listed([value_text(x) for x in at])
    if record.first_leads.by == record.second_leads.by:
        return f"the curves of {first} and {second} cross at a false positive rate of {where}"
    lead = (
        record.first_leads
        if record.first_leads.by > record.second_leads.by
        else record.second_leads
    )
    ahead = first if lead is record.first_leads else second
    points = f"{100 * lead.by:.0f}" if lead.by >= 0.01 else value_text(100 * lead.by)
    return (
        f"{ahead} finds up to {points} points more at the same rate of false alarms; the curves "
        f"cross at a false positive rate of {where}"
    )


def precision_finding(curves: Sequence[Curve]) -> str:
    """From which recall on one of two curves lies above the other; empty where neither does."""
    if len(curves) != 2:
        return ""
    tops = [_by_recall(c) for c in curves]
    if not all(tops):
        return ""
    at = sorted({row[0] for rows in tops for row in rows if row[0] > 0})
    ahead = (_level(tops[0], x) - _level(tops[1], x) for x in at)
    signs = [(by > 1e-12) - (by < -1e-12) for by in ahead]
    kinds = {s for s in signs if s}
    if not kinds:
        return f"{curves[0].name} and {curves[1].name} have the same precision at every recall"
    if len(kinds) == 1:
        up = curves[0] if kinds == {1} else curves[1]
        low = curves[1] if kinds == {1} else curves[0]
        least = at[next(k for k, s in enumerate(signs) if s)]
        most = at[max(k for k, s in enumerate(signs) if s)]
        where = _between(least, most, "at a recall of", "at recalls from")
        return (
            f"{up.name} nowhere has the lower precision, and a higher one than {low.name} {where}"
        )
    return _longest_lead(curves, at, signs)


def _longest_lead(curves: Sequence[Curve], at: Sequence[float], signs: Sequence[int]) -> str:
    """The widest stretch of recall in which one of two curves is nowhere below the other."""
    runs = [
        (*run, sign) for sign in (1, -1) for run in stretches([own in (0, sign) for own in signs])
    ]
    first, last, sign = max(runs, key=lambda run: at[run[1]] - at[run[0]])
    more, less = curves if sign == 1 else (curves[1], curves[0])
    if not any(signs[first : last + 1]):
        return f"the curves of {curves[0].name} and {curves[1].name} cross"
    where = _between(at[first], at[last], "at a recall of", "at recalls from")
    leads = [run for run in runs if run[2] == sign and any(signs[run[0] : run[1] + 1])]
    rest = ", its longest such range" if len(leads) > 1 else ""
    return f"{more.name} is as precise as {less.name}, or more precise, {where}{rest}"


def _between(low: float, high: float, at: str, over: str, text: Text = value_text) -> str:
    """Where something holds: over a range, or at the one number that its ends are printed as.

    >>> _between(0.2, 0.4, "at", "from"), _between(0.2, 0.2, "at", "from")
    ('from 0.200 to 0.400', 'at 0.200')
    """
    first, last = text(low), text(high)
    return f"{at} {first}" if first == last else f"{over} {first} to {last}"


def _by_recall(curve: Curve) -> Rows:
    """Recall and precision from the lowest recall; of several at one, that reached first."""
    x = "recall" if "recall" in curve.points else "tpr"
    first: dict[float, float] = {}
    for recall, precision in columns(curve.points, x, "precision"):
        first.setdefault(recall, precision)
    return sorted(first.items())


def _level(rows: Rows, x: float) -> float:
    """The precision at a recall: that of the first point that reaches it."""
    return next((row[1] for row in rows if row[0] >= x - 1e-12), rows[-1][1])


def benefit_finding(curves: Sequence[Curve], x: str = "threshold", y: str = "net_benefit") -> str:
    """Whose net benefit is highest, treating all and none included, and from where to where."""
    if not curves:
        return ""
    at = list(_heights(curves[0], x, y))
    options = {c.name: _heights(c, x, y) for c in curves}
    for name, column in (("treating all", "treat_all"), ("treating none", "treat_none")):
        options[name] = _heights(curves[0], x, column)
    known = [t for t in at if all(t in own for own in options.values())]
    if not known or len(known) != len(at):
        return ""
    lead = {name: [t for t in known if _best(options, t) == {name}] for name in options}
    name = max((c.name for c in curves), key=lambda c: len(lead[c]))
    if not lead[name]:
        return "no model has a higher net benefit than all other choices at any threshold"
    runs = stretches([t in lead[name] for t in known])
    longest = max(runs, key=lambda run: run[1] - run[0])
    told = runs if len(runs) <= 2 else [longest]
    where = [
        _between(
            known[first], known[last], "at the threshold", "at thresholds from", threshold_text
        )
        for first, last in told
    ]
    rest = "" if len(told) == len(runs) else ", its longest such stretch"
    return f"{name} has the highest net benefit {listed(where)}{rest}"


def _heights(curve: Curve, x: str, y: str) -> dict[float, float]:
    return {row[0]: row[1] for row in columns(curve.points, x, y)}


def _best(options: Mapping[str, Mapping[float, float]], at: float) -> set[str]:
    most = max(own[at] for own in options.values())
    return {name for name, own in options.items() if own[at] >= most - 1e-12}


def calibration_finding(curves: Sequence[Curve], x: str) -> str:
    """In how many bins the interval leaves out the mean score; bins of a few rows show neither."""
    told, bins = [], 0
    for curve in curves:
        rows = columns(curve.points, x, "observed_low", "observed_high", "n")
        if not rows or x != "mean_score":
            return ""
        judged = [row for row in rows if row[3] >= FEWEST]
        out = sum(not low <= score <= high for score, low, high, _ in judged)
        told.append((curve.name, out, len(judged)))
        bins += len(rows)
    large = sum(n for _, _, n in told)
    if 2 * large < bins:
        small = f"{bins - large} of {bins} bins have fewer than {FEWEST} rows"
        return f"{small}: too few to judge calibration"
    words = listed([f"{out} of {counted(n, 'bin')} ({name})" for name, out, n in told])
    return f"the mean score is outside the interval in {words}"


def sweep_finding(rows: Sequence[Row], shares: tuple[str, str]) -> str:
    """Where recall and specificity come closest; ``rows`` are thresholds with both of them."""
    if not rows:
        return ""
    at, recall, specificity, *_ = min(rows, key=lambda row: abs(row[1] - row[2]))
    if abs(recall - specificity) == 1:
        return f"every threshold gives {shares[0]} 1 and {shares[1]} 0, or the reverse"
    return (
        f"{shares[0]} {value_text(recall)} and {shares[1]} {value_text(specificity)} are closest "
        f"at {threshold_text(at)}"
    )


def as_title(finding: str, names: Sequence[str] = ()) -> str:
    """A finding with a capital, unless it begins with a name, which stays as it is.

    >>> as_title("no curve lies above"), as_title("forest leads", ["forest"]), as_title("")
    ('No curve lies above', 'forest leads', '')
    """
    if any(finding.startswith(name) for name in names):
        return finding
    return finding[:1].upper() + finding[1:]
