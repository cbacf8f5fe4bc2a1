"""What changed in the data, as far as two results tell: files, rows, labels, scores.

Results hold tables and curves, never rows, so rows that came and went cannot be
named; how far labels and scores have moved can.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from evalreport.statistics.distributions import population_stability_index
from evalreport.statistics.shift import EMPTY_BIN, chi_square, value_shift
from evalreport.statistics.tail import chi2_sf

#: Bins of the stability index, cut at shares of the old scores.
BINS = 10


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
    statistic, df = chi_square(counts)
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
    found = value_shift(old, new, BINS)
    psi = found.index.psi
    return {
        "bins": len(found.cuts) + 1,
        "cuts": found.cuts,
        "psi": psi,
        "psi_reason": None if psi is not None else EMPTY_BIN,
        "ks": found.ks,
        "p_value": found.ks_p_value,
    }
