"""What changed in the data, as far as two results tell: files, rows, labels, scores.

Results hold tables and curves, never rows, so rows that came and went cannot be
named; how far labels and scores have moved can.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise

from evalreport.results.changes import (
    FileChange,
    FileRead,
    LabelCount,
    LabelShift,
    RowChange,
    RowsThenNow,
    ScoreShift,
)
from evalreport.results.lookup import Results
from evalreport.results.records import Input, RowLedger
from evalreport.statistics.distributions import population_stability_index
from evalreport.statistics.shift import EMPTY_BIN, chi_square, on_grid, value_shift
from evalreport.statistics.tail import chi2_sf

#: Bins of the stability index, cut at shares of the old scores.
BINS = 10


def file_changes(old: Results, new: Results) -> tuple[FileChange, ...]:
    """One record per dataset of either run: name, hash and rows, and whether they are the same.

    ``same`` is None where a hash is not known (rows given in memory).
    """
    before, after = ({one.dataset: one for one in run.provenance.inputs} for run in (old, new))
    found = []
    for dataset in dict.fromkeys([*before, *after]):
        one, two = before.get(dataset), after.get(dataset)
        hashes = [None if side is None else side.sha256 for side in (one, two)]
        same = hashes[0] == hashes[1] if all(hashes) else None
        found.append(
            FileChange(
                dataset=dataset,
                same=same if one and two else False,
                old=_file(one),
                new=_file(two),
            )
        )
    return tuple(found)


def _file(entry: Input | None) -> FileRead | None:
    if entry is None:
        return None
    return FileRead(entry.name, entry.sha256, entry.bytes, entry.rows)


def row_changes(old: Results, new: Results) -> tuple[RowChange, ...]:
    """Rows and labels of every dataset and model of both runs, then and now."""
    before = {(r.dataset, r.model): r for r in old.rows}
    after = {(r.dataset, r.model): r for r in new.rows}
    return tuple(
        RowChange(
            dataset=was.dataset,
            model=was.model,
            rows=RowsThenNow((was.read, now.read), (was.used, now.used)),
            excluded=(was.excluded, now.excluded),
            labels=label_shift(was, now),
        )
        for place, was in before.items()
        if (now := after.get(place)) is not None
    )


def label_shift(old: RowLedger, new: RowLedger) -> LabelShift:
    """Counts of each label then and now, their stability index, and a chi-square test.

    >>> from dataclasses import replace
    >>> from evalreport.results.records import ClassCount
    >>> a = RowLedger(dataset="d", model="m", read=100, used=100, excluded=(),
    ...               classes=(ClassCount("x", 50), ClassCount("y", 50)))
    >>> b = replace(a, classes=(ClassCount("x", 60), ClassCount("y", 40)))
    >>> found = label_shift(a, b)
    >>> round(found.psi, 6), round(found.statistic, 4), round(found.p_value, 4)
    (0.040547, 2.0202, 0.1552)
    """
    before, after = ({c.label: c.count for c in side.classes} for side in (old, new))
    labels = list(dict.fromkeys([*before, *after]))
    counts = [(before.get(label, 0), after.get(label, 0)) for label in labels]
    psi = population_stability_index([a for a, _ in counts], [b for _, b in counts])
    statistic, df = chi_square(counts)
    return LabelShift(
        counts=tuple(LabelCount(label, a, b) for label, (a, b) in zip(labels, counts, strict=True)),
        psi=psi,
        psi_reason=None if psi is not None else "a label is on one side only, or there are none",
        statistic=statistic,
        df=df,
        p_value=None if statistic is None else chi2_sf(statistic, df),
    )


def score_changes(old: Results, new: Results) -> tuple[ScoreShift, ...]:
    """How far the scores of every dataset, model and class of both runs have moved."""
    before, after = _scores(old), _scores(new)
    return tuple(
        score_shift(place, *_alike(was, now))
        for place, was in before.items()
        if (now := after.get(place)) is not None
    )


#: Scores from the lowest to the highest, each with its number of rows.
Scores = list[tuple[float, float]]


@dataclass(frozen=True)
class Kept:
    """Scores as a run keeps them: distinct ones, or in bins that begin at each value."""

    values: Scores
    in_bins: bool = False


def _scores(results: Results) -> dict[tuple[str, str, str], Kept]:
    found: dict[tuple[str, str, str], Kept] = {}
    for curve in results.curves:
        if curve.kind != "gain" or curve.subgroup:
            continue
        ends = [float(rows or 0) for rows in curve.points["rows"]]
        steps = [after - before for before, after in pairwise([0.0, *ends])]
        scores = [
            (float(at), count)
            for at, count in zip(curve.points["threshold"], steps, strict=True)
            if at is not None
        ]
        own = Kept(scores[::-1], in_bins=curve.thinned)
        found[curve.dataset, curve.model, str(curve.label)] = own
    return found


def _alike(old: Kept, new: Kept) -> tuple[Scores, Scores]:
    """Both sides in the same bins, where one of them is in bins: those of the one with fewer."""
    if not (old.in_bins or new.in_bins):
        return old.values, new.values
    binned = [side for side in (old, new) if side.in_bins]
    grid = [value for value, _ in min((side.values for side in binned), key=len)]
    return on_grid(old.values, grid), on_grid(new.values, grid)


def score_shift(place: tuple[str, str, str], old: Scores, new: Scores) -> ScoreShift:
    """Stability index over tenths of the old scores, and the Kolmogorov-Smirnov distance.

    ``place`` is the dataset, the model and the class whose scores they are.

    >>> found = score_shift(("d", "m", "ill"), [(0.1, 5), (0.9, 5)], [(0.1, 5), (0.9, 5)])
    >>> found.psi, found.ks, found.p_value
    (0.0, 0.0, 1.0)
    """
    dataset, model, label = place
    found = value_shift(old, new, BINS)
    psi = found.index.psi
    return ScoreShift(
        dataset=dataset,
        model=model,
        label=label,
        bins=len(found.cuts) + 1,
        cuts=tuple(found.cuts),
        psi=psi,
        psi_reason=None if psi is not None else EMPTY_BIN,
        ks=found.ks,
        p_value=found.ks_p_value,
    )
