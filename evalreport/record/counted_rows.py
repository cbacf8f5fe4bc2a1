"""The rows that looks have counted, by the digests that runs keep of ids.

``rows.json`` of a run that looks holds, beside its own rows, the digests of those that looks before
have counted and that are no longer in its file, so that one run is enough to know them all.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

from evalreport.engine.reference.run import CountedRows, ReferenceRun
from evalreport.record.diff_rows import read_rows
from evalreport.record.rows_key import NAME as KEY
from evalreport.record.rows_key import rows_key
from evalreport.results.changes import KeptRows
from evalreport.results.lookup import Results
from evalreport.results.records import Look


def with_rows_counted(before: ReferenceRun | None, runs: Path) -> ReferenceRun | None:
    """The run of the looks before, with the rows that they counted; as it is where none are kept.

    Raises FilesError and VerificationError for kept rows that cannot be used.
    """
    if before is None or not (runs / KEY).is_file():
        return before
    kept = read_rows(runs / before.name)
    if kept is None:
        return before
    return replace(before, counted=CountedRows(rows_key(runs), _digests(kept)))


def _digests(kept: KeptRows) -> Mapping[str, frozenset[str]]:
    return {
        name: frozenset((*one.ids, *(one.counted or ()))) for name, one in kept.datasets.items()
    }


def with_counted(kept: KeptRows, runs: Path, results: Results) -> KeptRows:
    """The rows that a run keeps, with those that the looks before it have counted."""
    looks = [one for one in results.of(Look) if one.recognised_by == "row"]
    datasets = dict(kept.datasets)
    for name in sorted({one.previous for one in looks if one.previous is not None}):
        earlier = read_rows(runs / name)
        known = {} if earlier is None else _digests(earlier)
        for dataset in {one.dataset for one in looks} & datasets.keys() & known.keys():
            gone = known[dataset].difference(datasets[dataset].ids)
            if gone:
                datasets[dataset] = replace(datasets[dataset], counted=tuple(sorted(gone)))
    return replace(kept, datasets=datasets)
