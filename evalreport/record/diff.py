"""What changed between two runs, from their results and the rows that they kept.

- diff_spec: keys of the spec; versions
- diff_data: files, rows, labels, scores
- diff_rows, diff_pairs: rows paired by id, and measures compared on them
- diff_measures: every measure, and whether its difference is beyond chance
- diff_text: the same in words
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from evalreport.record.diff_data import file_changes, row_changes, score_changes
from evalreport.record.diff_measures import Pairs, measure_changes
from evalreport.record.diff_pairs import paired_changes
from evalreport.record.diff_rows import Said, pair_rows, read_rows
from evalreport.record.diff_spec import spec_changes, version_changes
from evalreport.record.diff_text import describe, describe_markdown
from evalreport.record.recorded import RecordedRun
from evalreport.record.removed import read_run
from evalreport.results.changes import (
    CautionChanges,
    ChangeCounts,
    CriterionChange,
    Diff,
    KeptRows,
    RunRead,
)
from evalreport.results.identity import Frozen, WhichCriterion, frozen_params
from evalreport.results.lookup import Results
from evalreport.results.records import Caution, Criterion

__all__ = ["describe", "describe_markdown", "differences", "differences_of", "is_same"]


def differences(old: Path, new: Path) -> Diff:
    """What changed between two published runs.

    Raises FilesError where there are no results, VerificationError where they were altered.
    """
    kept = read_rows(old), read_rows(new)
    return differences_of(read_run(old), read_run(new), kept)


def differences_of(
    old: RecordedRun,
    new: RecordedRun,
    kept: tuple[KeptRows | None, KeptRows | None] = (None, None),
) -> Diff:
    """What changed between two runs that have been read.

    ``kept`` is what each of them kept of its rows.
    """
    one, two = old.results, new.results
    by_id, said = pair_rows(*kept)
    spec, versions = (
        spec_changes(one.spec, two.spec),
        version_changes(one.provenance, two.provenance),
    )
    files = file_changes(one, two)
    same_rows = {entry.dataset: entry.same for entry in files}
    measures = measure_changes(one.measures, two.measures, same_rows, _pairs(said, one, two))
    criteria = _criteria(one.acceptance, two.acceptance)
    cautions = _cautions(one, two)
    return Diff(
        old=_run(old),
        new=_run(new),
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


def _pairs(said: Mapping[tuple[str, str], Said], one: Results, two: Results) -> Pairs:
    """The shared rows of each dataset and model, compared as two models on them are."""
    compared = {}
    confidence = two.spec.get("confidence") or {}
    for place, own in said.items():
        sides = [
            [
                m
                for m in results.measures
                if (m.dataset, m.model) == place and not m.subgroup and m.fold is None
            ]
            for results in (one, two)
        ]
        compared[place] = paired_changes(own, sides[0], sides[1], confidence)
    return Pairs(said, compared)


def _run(run: RecordedRun) -> RunRead:
    spec = run.results.provenance.spec
    return RunRead(
        run=run.name,
        at=run.at,
        title=run.results.title,
        results_sha256=run.sha256,
        spec_sha256=None if spec is None else spec.sha256,
    )


def _criteria(old: Sequence[Criterion], new: Sequence[Criterion]) -> tuple[CriterionChange, ...]:
    before, after = ({c.which: c for c in side} for side in (old, new))
    gone = {key: c for key, c in before.items() if key not in after}
    found = []
    for key in dict.fromkeys([*after, *before]):
        was, now = before.get(key), after.get(key)
        if was is None and now is not None:
            # a criterion on the same number whose limit is another is the same one, changed
            match = next((k for k, c in gone.items() if _about(c) == _about(now)), None)
            was = None if match is None else gone.pop(match)
        elif now is None and key not in gone:
            continue
        found.append(_criterion(was, now))
    return tuple(found)


def _criterion(was: Criterion | None, now: Criterion | None) -> CriterionChange:
    either = now or was
    assert either is not None
    if was is None:
        change = "added"
    elif now is None:
        change = "removed"
    elif was.text != now.text:
        change = "changed"
    else:
        change = "same" if was.outcome == now.outcome else "flipped"
    return CriterionChange(
        text=either.text,
        dataset=either.dataset,
        model=either.model,
        subgroup=either.subgroup,
        threshold=either.threshold_asked,
        change=change,
        old_text=None if was is None else was.text,
        old=None if was is None else was.outcome,
        new=None if now is None else now.outcome,
        observed=(None if was is None else was.observed, None if now is None else now.observed),
        reason=None if now is None else now.reason,
    )


def _about(entry: Criterion) -> tuple[WhichCriterion, Frozen]:
    """Which number a criterion is on, whatever it requires of it."""
    return entry.which._replace(text=""), frozen_params(entry.params or {})


def is_same(found: Diff) -> bool:
    """Whether nothing that a diff tells has changed: spec, versions, data, numbers, judgements."""
    told = found.summary
    counts = (told.spec, told.versions, told.differ, told.added, told.removed)
    cautions = (told.new_cautions, told.cleared_cautions)
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
        key: tuple[Any, ...] = (caution.code, caution.dataset, caution.model, about)
        while key in found:
            # several of one kind: told apart by their order
            key = (*key, "again")
        found[key] = caution
    return found
