"""What changed between two runs, from their results and the rows that they kept.

Here: keys of the spec, versions; files, rows, labels, scores. Beside it:

- row_digests: rows paired by id
- diff_measures: every measure, on all rows and on the paired ones

The page, which is text and Markdown too: :mod:`evalreport.report.diff_page`.

Results hold tables and curves, never rows, so rows that came and went cannot be
named; how far labels and scores have moved can.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from evalreport.engine.reference.run import scores_of_curve
from evalreport.results.changes import (
    CautionChanges,
    ChangeCounts,
    CriterionChange,
    Diff,
    FileChange,
    FileRead,
    KeyChange,
    LabelCount,
    LabelShift,
    RowChange,
    RowsThenNow,
    ScoreShift,
    record_from,
)
from evalreport.results.identity import Frozen, WhichCriterion, frozen_params
from evalreport.results.lookup import Results
from evalreport.results.records import Bounds, Caution, Criterion, Provenance, RowLedger
from evalreport.runs.diff_measures import compared_pairs, measure_changes
from evalreport.runs.paired_rows import pair_rows
from evalreport.runs.prune import read_run
from evalreport.runs.row_digests import read_rows
from evalreport.statistics.shift import (
    EMPTY_BIN,
    Sample,
    chi_square,
    kolmogorov_smirnov_bounds,
    on_common_points,
    population_stability_index,
    value_shift,
)
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
        same: bool | None = False
        if one is not None and two is not None:
            same = one.sha256 == two.sha256 if one.sha256 and two.sha256 else None
        was, now = (None if side is None else record_from(FileRead, side) for side in (one, two))
        found.append(FileChange(dataset=dataset, same=same, old=was, new=now))
    return tuple(found)


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
        score_shift(place, was, now)
        for place, was in before.items()
        if (now := after.get(place)) is not None
    )


def _scores(results: Results) -> dict[tuple[str, str, str], Sample]:
    return {
        (one.dataset, one.model, str(one.label)): scores_of_curve(one)
        for one in results.curves
        if one.tells_scores and not one.subgroup
    }


def score_shift(place: tuple[str, str, str], old: Sample, new: Sample) -> ScoreShift:
    """Stability index over tenths of the old scores, and the Kolmogorov-Smirnov distance.

    ``place`` is the dataset, the model and the class whose scores they are.

    >>> half = Sample([(0.1, 5), (0.9, 5)])
    >>> found = score_shift(("d", "m", "ill"), half, half)
    >>> found.psi, found.ks, found.ks_bounds, found.p_value
    (0.0, 0.0, None, 1.0)
    """
    dataset, model, label = place
    found = value_shift(*on_common_points(old, new), BINS)
    psi = found.index.psi
    bounds = None if found.ks is None else Bounds(*kolmogorov_smirnov_bounds(old, new))
    return ScoreShift(
        dataset=dataset,
        model=model,
        label=label,
        bins=len(found.cuts) + 1,
        cuts=tuple(found.cuts),
        psi=psi,
        psi_reason=None if psi is not None else EMPTY_BIN,
        ks=found.ks,
        ks_bounds=bounds if bounds and bounds.low < bounds.high else None,
        p_value=found.ks_p_value,
    )


#: Lists whose items have a name of their own: an item added in the middle moves no other.
_NAMED_ITEMS = ("metrics", "thresholds", "subgroups", "averaging")


def spec_changes(old: Mapping[str, Any], new: Mapping[str, Any]) -> tuple[KeyChange, ...]:
    """Every key of the resolved specs that was added, removed or changed, by its path.

    >>> for one in spec_changes({"a": {"b": 1}}, {"a": {"b": 2, "c": [3]}}):
    ...     print(one)
    KeyChange(key='a.b', change='changed', old=1, new=2)
    KeyChange(key='a.c[0]', change='added', old=None, new=3)
    """
    # what its data are of is another with every run, as its clock is
    lasting = ({key: spec[key] for key in spec if key != "as_of"} for spec in (old, new))
    return _changes(*(dict(_leaves(spec)) for spec in lasting))


def _stated_changes(old: Results, new: Results) -> tuple[KeyChange, ...]:
    """What changed of the resolved specs, where their author changed anything.

    The same text under another version has other defaults, which the version tells of.
    """
    one, two = old.provenance, new.provenance
    if one.version != two.version and _stated(one) is not None and _stated(one) == _stated(two):
        return ()
    return spec_changes(old.spec, new.spec)


def _stated(made_by: Provenance) -> tuple[str, tuple[str, ...]] | None:
    """The hash of the text of a spec, and the overrides that last from run to run."""
    spec = made_by.spec
    if spec is None:
        return None
    return spec.sha256, tuple(one for one in spec.overrides if not one.startswith("as_of="))


def version_changes(old: Provenance, new: Provenance) -> tuple[KeyChange, ...]:
    """Program, libraries, engine and seed that differ between two provenances."""
    return _changes(_made_with(old), _made_with(new))


def _made_with(provenance: Provenance) -> dict[str, Any]:
    engine = provenance.engine
    found = {"evalreport": provenance.version, "engine": engine and engine.name}
    return {**found, "seed": provenance.seed, **provenance.versions}


def _changes(before: Mapping[str, Any], after: Mapping[str, Any]) -> tuple[KeyChange, ...]:
    return tuple(
        KeyChange(
            key=key,
            change="added" if key not in before else "changed" if key in after else "removed",
            old=before.get(key),
            new=after.get(key),
        )
        for key in sorted({*before, *after})
        if not (key in before and key in after and before[key] == after[key])
    )


def _leaves(value: Any, path: str = "") -> Iterator[tuple[str, Any]]:
    if isinstance(value, Mapping) and value:
        for key, item in value.items():
            yield from _leaves(item, f"{path}.{key}" if path else str(key))
    elif isinstance(value, Sequence) and not isinstance(value, str) and value:
        if path in _NAMED_ITEMS:
            for item in value:
                yield f"{path}[{_word(item)}]", item
        else:
            for index, item in enumerate(value):
                yield from _leaves(item, f"{path}[{index}]")
    else:
        yield path, value


def _word(item: Any) -> str:
    if isinstance(item, Mapping):
        return ", ".join(f"{key}: {_word(inner)}" for key, inner in item.items())
    if isinstance(item, (list, tuple)):
        return " x ".join(_word(inner) for inner in item)
    return str(item)


def differences(old: Path, new: Path) -> Diff:
    """What changed between two published runs.

    Raises FilesError where there are no results, VerificationError where they were altered.
    """
    kept = read_rows(old), read_rows(new)
    runs = read_run(old), read_run(new)
    one, two = (run.results for run in runs)
    by_id, shared = pair_rows(*kept)
    spec = _stated_changes(one, two)
    versions = version_changes(one.provenance, two.provenance)
    files = file_changes(one, two)
    same_rows = {entry.dataset: entry.same for entry in files}
    pairs = compared_pairs(shared, one.measures, two.measures, two.spec.get("confidence") or {})
    measures = measure_changes(one.measures, two.measures, same_rows, pairs)
    criteria = _criteria(one.acceptance, two.acceptance)
    cautions = _cautions(one, two)
    return Diff(
        old=runs[0].record(),
        new=runs[1].record(),
        spec=spec,
        versions=versions,
        files=files,
        rows=row_changes(one, two),
        rows_by_id=by_id,
        scores=score_changes(one, two),
        measures=measures,
        criteria=criteria,
        cautions=cautions,
        summary=ChangeCounts(
            spec=len(spec),
            versions=len(versions),
            files=sum(entry.same is not True for entry in files),
            measures=len(measures),
            differ=sum(bool(m.difference) for m in measures),
            tested=sum(m.beyond_chance is not None for m in measures),
            beyond_chance=sum(m.beyond_chance is True for m in measures),
            added=sum(m.change == "added" for m in measures),
            removed=sum(m.change == "removed" for m in measures),
            flipped=sum(c.change == "flipped" for c in criteria),
            new_cautions=len(cautions.new),
            cleared_cautions=len(cautions.cleared),
        ),
    )


def _criteria(old: Sequence[Criterion], new: Sequence[Criterion]) -> tuple[CriterionChange, ...]:
    """Each criterion of either run.

    One on the same number, or on the same measure at another threshold, is the same one, changed.
    """
    before, after = ({c.which: c for c in side} for side in (old, new))
    gone = {key: c for key, c in before.items() if key not in after}
    come = {key: c for key, c in after.items() if key not in before}
    was = {key: before[key] for key in after if key in before}
    for about in (_about, _about_anywhere):
        for key, now in come.items():
            match = next((k for k, c in gone.items() if about(c) == about(now)), None)
            if key not in was and match is not None:
                was[key] = gone.pop(match)
    kept = [_criterion(was.get(key), now) for key, now in after.items()]
    return (*kept, *(_criterion(one, None) for one in gone.values()))


def _criterion(was: Criterion | None, now: Criterion | None) -> CriterionChange:
    either = now or was
    assert either is not None
    if was is None:
        change = "added"
    elif now is None:
        change = "removed"
    elif (was.text, was.asked_at) != (now.text, now.asked_at):
        change = "changed"
    else:
        change = "same" if was.outcome == now.outcome else "flipped"
    return record_from(
        CriterionChange,
        either,
        threshold=either.asked_at,
        change=change,
        old_text=was and was.text,
        old_threshold=was and was.asked_at,
        old=was and was.outcome,
        new=now and now.outcome,
        observed=(was and was.observed, now and now.observed),
        reason=now and now.reason,
    )


def _about(entry: Criterion) -> tuple[WhichCriterion, Frozen]:
    """Which number a criterion is on, whatever it requires of it."""
    return entry.which._replace(text=""), frozen_params(entry.params or {})


def _about_anywhere(entry: Criterion) -> tuple[WhichCriterion, Frozen]:
    """The same at any threshold."""
    return entry.which._replace(text="", threshold_asked=None), frozen_params(entry.params or {})


def is_same(found: Diff) -> bool:
    """Whether nothing that a diff tells has changed: spec, versions, data, numbers, judgements."""
    summary = found.summary
    counts = (summary.spec, summary.versions, summary.differ, summary.added, summary.removed)
    cautions = (summary.new_cautions, summary.cleared_cautions)
    states = (m.old.state == m.new.state for m in found.measures if m.old and m.new)
    files = (f.same is not False and f.old and f.new for f in found.files)
    rows = (entry.rows.used[0] == entry.rows.used[1] for entry in found.rows)
    criteria = (entry.change == "same" for entry in found.criteria)
    return not any((*counts, *cautions)) and all((*states, *files, *rows, *criteria))


def _cautions(old: Results, new: Results) -> CautionChanges:
    before, after = (_by_caution(side) for side in (old, new))
    return CautionChanges(
        new=tuple(after[key] for key in after if key not in before),
        cleared=tuple(before[key] for key in before if key not in after),
    )


def _by_caution(results: Results) -> dict[tuple[Any, ...], Caution]:
    """Cautions by what they are about: ids of measures and tables are of one run only."""
    found: dict[tuple[Any, ...], Caution] = {}
    for caution in results.cautions:
        about = None if caution.measure is None else results.measure(caution.measure).which.series
        key: tuple[Any, ...] = (caution.code, caution.dataset, caution.models, about)
        while key in found:
            # several of one kind: told apart by their order
            key = (*key, "again")
        found[key] = caution
    return found
