"""What changed in the data, as far as two results tell: files, rows, labels, scores.

Results hold tables and curves, never rows, so rows that came and went cannot be
named; how far labels and scores have moved can.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Mapping, Sequence
from itertools import accumulate
from typing import Any

from evalreport.statistics.distributions import kolmogorov_smirnov, population_stability_index
from evalreport.statistics.tail import chi2_sf

#: Bins of the stability index, cut at shares of the old scores.
BINS = 10

_EMPTY_BIN = "a bin is empty on one side only: the index would be infinite"


def file_changes(old: Mapping[str, Any], new: Mapping[str, Any]) -> list[dict[str, Any]]:
    """One record per dataset of either run: name, hash and rows, and whether they are the same.

    ``same`` is None where a hash is not known (rows given in memory).
    """
    before, after = (_by(run["provenance"].get("inputs") or [], "dataset") for run in (old, new))
    found = []
    for dataset in dict.fromkeys([*before, *after]):
        one, two = before.get(dataset), after.get(dataset)
        hashes = [(side or {}).get("sha256") for side in (one, two)]
        same = hashes[0] == hashes[1] if all(hashes) else None
        found.append(
            {
                "dataset": dataset,
                "same": same if one and two else False,
                "old": _file(one),
                "new": _file(two),
            }
        )
    return found


def _file(entry: Mapping[str, Any] | None) -> dict[str, Any] | None:
    if entry is None:
        return None
    return {key: entry.get(key) for key in ("name", "sha256", "bytes", "rows")}


def _by(entries: Sequence[Mapping[str, Any]], key: str) -> dict[str, Mapping[str, Any]]:
    return {str(entry[key]): entry for entry in entries}


def row_changes(old: Mapping[str, Any], new: Mapping[str, Any]) -> list[dict[str, Any]]:
    """Rows and labels of every dataset and model of both runs, then and now."""
    before = {(r["dataset"], r["model"]): r for r in old["rows"]}
    after = {(r["dataset"], r["model"]): r for r in new["rows"]}
    return [
        {
            "dataset": dataset,
            "model": model,
            "rows": {
                name: [before[dataset, model].get(name), after[dataset, model].get(name)]
                for name in ("read", "used")
            },
            "excluded": [before[dataset, model]["excluded"], after[dataset, model]["excluded"]],
            "labels": label_shift(before[dataset, model], after[dataset, model]),
        }
        for dataset, model in before
        if (dataset, model) in after
    ]


def label_shift(old: Mapping[str, Any], new: Mapping[str, Any]) -> dict[str, Any]:
    """Counts of each label then and now, their stability index, and a chi-square test.

    >>> a = {"classes": [{"label": "x", "count": 50}, {"label": "y", "count": 50}]}
    >>> b = {"classes": [{"label": "x", "count": 60}, {"label": "y", "count": 40}]}
    >>> found = label_shift(a, b)
    >>> round(found["psi"], 6), found["statistic"].__round__(4), round(found["p_value"], 4)
    (0.040547, 2.0202, 0.1552)
    """
    before, after = (
        {c["label"]: c["count"] for c in side.get("classes") or []} for side in (old, new)
    )
    labels = list(dict.fromkeys([*before, *after]))
    counts = [(before.get(label, 0), after.get(label, 0)) for label in labels]
    psi = population_stability_index([a for a, _ in counts], [b for _, b in counts])
    statistic, df = _chi_square(counts)
    return {
        "counts": [
            {"label": label, "old": a, "new": b}
            for label, (a, b) in zip(labels, counts, strict=True)
        ],
        "psi": psi,
        "psi_reason": None if psi is not None else "a label is on one side only, or there are none",
        "test": "chi_square",
        "statistic": statistic,
        "df": df,
        "p_value": None if statistic is None else chi2_sf(statistic, df),
    }


def _chi_square(counts: Sequence[tuple[float, float]]) -> tuple[float | None, int]:
    """Pearson's chi-square of two columns of counts, and its degrees of freedom."""
    held = [(a, b) for a, b in counts if a + b > 0]
    totals = (sum(a for a, _ in held), sum(b for _, b in held))
    df = len(held) - 1
    if df < 1 or min(totals) <= 0:
        return None, 0
    whole = sum(totals)
    statistic = 0.0
    for pair in held:
        for count, total in zip(pair, totals, strict=True):
            expected = sum(pair) * total / whole
            statistic += (count - expected) ** 2 / expected
    return statistic, df


def score_changes(old: Mapping[str, Any], new: Mapping[str, Any]) -> list[dict[str, Any]]:
    """How far the scores of every dataset, model and class of both runs have moved."""
    before, after = _scores(old), _scores(new)
    return [
        {"dataset": dataset, "model": model, "label": label, **score_shift(was, now)}
        for (dataset, model, label), was in before.items()
        if (now := after.get((dataset, model, label))) is not None
    ]


#: Scores from the lowest to the highest, each with its number of rows.
Scores = list[tuple[float, float]]


def _scores(results: Mapping[str, Any]) -> dict[tuple[str, str, str], Scores]:
    found: dict[tuple[str, str, str], Scores] = {}
    for curve in results["curves"]:
        if curve["kind"] != "gain" or curve["subgroup"] or curve.get("thinned"):
            continue
        points = curve["points"]
        rows = [0, *points["rows"]]
        steps = [after - before for before, after in zip(rows, points["rows"], strict=False)]
        scores = [
            (float(at), float(count))
            for at, count in zip(points["threshold"], steps, strict=True)
            if at is not None
        ]
        found[curve["dataset"], curve["model"], str(curve["label"])] = scores[::-1]
    return found


def score_shift(old: Scores, new: Scores) -> dict[str, Any]:
    """Stability index over tenths of the old scores, and the Kolmogorov-Smirnov distance.

    >>> found = score_shift([(0.1, 5), (0.9, 5)], [(0.1, 5), (0.9, 5)])
    >>> found["psi"], found["ks"], found["p_value"]
    (0.0, 0.0, 1.0)
    """
    cuts = _cuts(old)
    counts = [_binned(side, cuts) for side in (old, new)]
    psi = population_stability_index(*counts) if old and new else None
    values = sorted({score for score, _ in (*old, *new)})
    per_value = [dict(side) for side in (old, new)]
    ks = kolmogorov_smirnov(*([side.get(v, 0.0) for v in values] for side in per_value))
    return {
        "bins": len(cuts) + 1,
        "cuts": cuts,
        "psi": psi,
        "psi_reason": None if psi is not None else _EMPTY_BIN,
        "ks": None if ks is None else ks.statistic,
        "p_value": None if ks is None else ks.p_value,
    }


def _cuts(scores: Scores) -> list[float]:
    """Scores at which a tenth, two tenths, ... of the rows are at or below; ties share a bin."""
    below = list(accumulate(count for _, count in scores))
    if not below:
        return []
    places = [
        next(i for i, rows in enumerate(below) if rows * BINS >= below[-1] * tenth)
        for tenth in range(1, BINS)
    ]
    # a cut at the highest score would leave nothing above it
    return list(dict.fromkeys(scores[i][0] for i in places if i < len(scores) - 1))


def _binned(scores: Scores, cuts: Sequence[float]) -> list[float]:
    counts = [0.0] * (len(cuts) + 1)
    for score, rows in scores:
        # a score equal to a cut belongs below it
        place = bisect_right(cuts, score)
        counts[place - 1 if place and cuts[place - 1] == score else place] += rows
    return counts
