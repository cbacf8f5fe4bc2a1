"""What a chart shows, in one sentence that follows from its points: the title it is read under."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from evalreport.numbers import count_text, mean_count_text, threshold_text, value_text
from evalreport.report.charts.forest import FoldRow
from evalreport.report.charts.points import FEWEST, Curve, columns, stretches
from evalreport.report.charts.thresholds import Row
from evalreport.report.words import counted, label_text, listed, plural
from evalreport.results.records import Calls, History, RocRelation

Rows = Sequence[tuple[float, ...]]
#: Curves that are named in a sentence, each with its numbers.
MOST_NAMED = 3
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
    rates = "a false positive rate" if len(at) == 1 else "false positive rates"
    where = f"{rates} of {listed([value_text(x) for x in at])}"
    if record.first_leads.by == record.second_leads.by:
        return f"the curves of {first} and {second} cross at {where}"
    lead = (
        record.first_leads
        if record.first_leads.by > record.second_leads.by
        else record.second_leads
    )
    ahead = first if lead is record.first_leads else second
    points = f"{100 * lead.by:.0f}" if lead.by >= 0.01 else value_text(100 * lead.by)
    return (
        f"{ahead} finds up to {points} points more at the same false positive rate; the curves "
        f"cross at {listed([value_text(x) for x in at])}"
    )


def end_of(title: str, values: Mapping[str, float], *, most: bool = False, of: str = "") -> str:
    """Which of several curves has the lowest number, or the highest; of one that number.

    ``of``: what each name is the name of.

    >>> end_of("ROC AUC", {"a": 0.8, "b": 0.75}), end_of("ROC AUC", {"a": 1.0, "b": 1.0})
    ('ROC AUC is lowest for b: 0.750', 'ROC AUC is 1 for each of 2')
    """
    if not values:
        return ""
    end = (max if most else min)(values.values())
    names = [name for name, own in values.items() if value_text(own) == value_text(end)]
    if len(names) == len(values):
        return f"{title} is {value_text(end)}" + (f" for each of {len(names)}" * (len(names) > 1))
    end_text = "highest" if most else "lowest"
    of = f"{plural(of) if len(names) > 1 else of} " if of else ""
    return f"{title} is {end_text} for {of}{listed(names)}: {value_text(end)}"


def recall_at(curve: Curve, most: float = 0.1) -> str:
    """The recall that a ROC curve reaches with few false positives: at its last such point."""
    found = [row for row in columns(curve.points, "fpr", "tpr") if row[0] <= most]
    if not found:
        return ""
    fpr, tpr = max(found)
    return f"recall is {value_text(tpr)} at a false positive rate of {value_text(fpr)}"


def precision_at(curve: Curve, guessing: float | None, least: float = 0.5) -> str:
    """The precision where half of the positive rows are found, beside what guessing gives."""
    found = [row for row in _by_recall(curve) if row[0] >= least]
    if not found:
        return ""
    recall, precision = found[0]
    beside = "" if guessing is None else f", where guessing gives {value_text(guessing)}"
    return f"precision is {value_text(precision)} at a recall of {value_text(recall)}{beside}"


#: Of one model: its name, the words of its threshold, and positive and other rows there, of all.
Above = tuple[str, str, tuple[float, float], tuple[float, float]]


def scores_finding(found: Sequence[Above], classes: tuple[str, str]) -> str:
    """How many rows of each class score at least the threshold."""
    told: list[str] = []
    for k, (name, at, up, down) in enumerate(found):
        again = k and (at, up[1], down[1]) == (found[0][1], found[0][2][1], found[0][3][1])
        parts = [
            count_text(own) if again else f"{count_text(own)} of {count_text(rows)} {named}"
            for (own, rows), named in zip((up, down), classes, strict=True)
        ]
        of = f" ({name})" if len(found) > 1 else ""
        told.append(f"{'' if again else f'{at}: '}{' and '.join(parts)}{of}")
    return ", ".join(told)


def upper_half_finding(curves: Sequence[Curve], *, weighted: bool = False) -> str:
    """The class of which the smallest share of rows scores a half or more, from its bins.

    ``weighted``: bins hold sums of weights.
    """
    shares = []
    for curve in curves:
        bins = columns(curve.points, "low", "positives")
        rows = sum(n for _, n in bins)
        if not rows or 0.5 not in [low for low, _ in bins]:
            return ""
        shares.append((sum(n for low, n in bins if low >= 0.5), rows, curve.name))
    if not shares:
        return ""
    least = min(own / rows for own, rows, _ in shares)
    same = [(own, rows, name) for own, rows, name in shares if own / rows == least]
    own, rows, name = same[0]
    if len(same) > 1:
        whose = listed([name for *_, name in same])
        what = "weight" if weighted else "rows"
        return f"{100 * least:.3g} % of the {what} of {whose} each score 0.50 or more"
    rest = ", the smallest share" if len(shares) > 1 else ""
    part = f"{count_text(own)} of {count_text(rows)}"
    if weighted:
        return f"a weight of {part} of {name} scores 0.50 or more{rest}"
    return f"{part} rows of {name} score 0.50 or more{rest}"


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
            f"the precision of {up.name} is that of {low.name} or higher at every recall, and "
            f"higher {where}"
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
    if first == 0 < last:
        where = f"at every recall up to {value_text(at[last])}"
    elif first < last == len(at) - 1:
        where = f"at every recall from {value_text(at[first])} on"
    leads = [run for run in runs if run[2] == sign and any(signs[run[0] : run[1] + 1])]
    rest = ", its longest such stretch" if len(leads) > 1 else ""
    return f"the precision of {more.name} is that of {less.name} or higher {where}{rest}"


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


def benefit_finding(curves: Sequence[Curve]) -> str:
    """Whose net benefit is highest, treating all and none included, and from where to where."""
    if not curves:
        return ""
    at = list(_heights(curves[0], "threshold", "net_benefit"))
    options = {c.name: _heights(c, "threshold", "net_benefit") for c in curves}
    for name, column in (("treating all", "treat_all"), ("treating none", "treat_none")):
        options[name] = _heights(curves[0], "threshold", column)
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


def better_finding(curves: Sequence[Curve]) -> str:
    """At how many of the same thresholds each curve lies above treating all and none."""
    every = [columns(c.points, "threshold", "net_benefit", "treat_all") for c in curves]
    if not every or len({len(rows) for rows in every}) > 1:
        return ""
    above = [sum(own > max(all_of, 0.0) + 1e-12 for _, own, all_of in rows) for rows in every]
    thresholds = counted(len(every[0]), "threshold")
    if len(set(above)) == 1 < len(curves):
        each = f"for each of {len(curves)} curves"
        return f"{each}, scores beat treating all and none at {above[0]} of {thresholds}"
    told = [
        f"{n} ({c.name})" if len(curves) > 1 else f"{n}" for n, c in zip(above, curves, strict=True)
    ]
    return f"scores beat treating all and none at {listed(told)} of {thresholds}"


def _heights(curve: Curve, x: str, y: str) -> dict[float, float]:
    return {row[0]: row[1] for row in columns(curve.points, x, y)}


def _best(options: Mapping[str, Mapping[float, float]], at: float) -> set[str]:
    most = max(own[at] for own in options.values())
    return {name for name, own in options.items() if own[at] >= most - 1e-12}


def calibration_finding(curves: Sequence[Curve], x: str) -> str:
    """Which curves are off, and in how many bins: their interval leaves out the mean score.

    Bins of a few rows show neither.
    """
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
    off = [one for one in told if one[1]]
    if not off:
        return (
            f"no bin is off the diagonal: {listed([f'0 of {n} ({name})' for name, _, n in told])}"
        )
    if len(off) > MOST_NAMED:
        _, out, n = max(off, key=lambda one: one[1] / one[2])
        worst = [name for name, *own in off if own[0] * n == out * own[1]]
        who = "each" if len(worst) == len(off) else f"most of all {listed(worst)}:"
        some = f"{len(off)} of {len(told)} are off the diagonal in some bin"
        return f"{some}, {who} in {out} of {counted(n, 'bin')}"
    name, out, n = off[0]
    words = [f"{name} is off the diagonal in {out} of {counted(n, 'bin')}"]
    words += [f"{name} in {out} of {n}" for name, out, n in off[1:]]
    words += [f"{name} in none of {n}" for name, out, n in told if not out]
    return "; ".join(words)


def learning_finding(title: str, curves: Sequence[tuple[str, Rows]]) -> str:
    """What the last rows trained on added to a mean on test rows; rows are (rows, mean, SD)."""
    if not curves or any(len(rows) < 2 for _, rows in curves):
        return ""
    ends = {(mean_count_text(rows[-2][0]), mean_count_text(rows[-1][0])) for _, rows in curves}
    told = [
        f"{value_text(rows[-2][1])} to {value_text(rows[-1][1])}" + f" ({name})" * (len(curves) > 1)
        for name, rows in curves
    ]
    if len(ends) > 1:
        return ""
    ((before, last),) = ends
    trained = f"between {before} and {last} rows trained on"
    return f"{title} on test rows goes from {listed(told)} {trained}"


def history_finding(runs: Sequence[History]) -> str:
    """The step with the fewest mistakes of each run, and the one with the lowest cost."""
    whose = [f" ({label_text(run.run)})" if len(runs) > 1 else "" for run in runs]
    fewest = [f"{run.best_by_misclassified:g}{of}" for run, of in zip(runs, whose, strict=True)]
    told = f"mistakes are fewest at step {listed(fewest)}"
    costs = [run.best_by_cost for run in runs if run.best_by_cost is not None]
    if len(costs) < len(runs):
        return told
    return f"{told}; cost is lowest at {listed([f'{step:g}' for step in costs])}"


def paired_finding(names: tuple[str, str], positives: Calls, negatives: Calls, right: str) -> str:
    """How many rows each of two models alone has right, of both classes together."""
    own = positives.first_only + negatives.second_only
    other = positives.second_only + negatives.first_only
    rows = counted(own, "row")
    return f"{names[0]} alone {right} in {rows}, {names[1]} alone in {count_text(other)}"


def folds_finding(rows: Sequence[FoldRow]) -> str:
    """The metric and model whose values are furthest apart over folds."""
    widest = max(rows, key=lambda row: max(row.values) - min(row.values))
    low, high = value_text(min(widest.values)), value_text(max(widest.values))
    return f"widest over folds: {widest.name}, {low} to {high}"


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
