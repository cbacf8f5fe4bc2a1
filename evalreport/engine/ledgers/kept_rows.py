"""What is kept of single rows, where a spec asks for it: digests of ids and what models said.

An id is never kept, only its keyed digest: without the key nobody can tell whether a
person is among the rows. With it, the rows of two runs can be paired.
"""

from __future__ import annotations

import hashlib
import json
from typing import Any

import numpy as np

from evalreport.data.table import RawColumn, RawTable
from evalreport.engine.prepared import Prepared
from evalreport.predict.view import LabelView
from evalreport.results.kept_rows import KeptDataset, KeptModel, KeptRows

#: Bytes of a digest: two of a million rows are alike with a chance of 3 in 100 million.
DIGEST = 8


def keeps_rows(prepared: Prepared) -> bool:
    """Whether any dataset of the spec keeps its rows."""
    return any(dataset.keep_rows for dataset in prepared.loaded.spec.datasets.values())


def kept_rows(prepared: Prepared, key: bytes) -> KeptRows:
    """The content of ``rows.json``.

    Per dataset the digests of its ids, sorted, and per model of each used row its true
    class and its score or predicted class. ``key`` is the secret of the
    digests; ``key_sha256`` tells whether two runs share it.
    """
    found: dict[str, KeptDataset] = {}
    for name, dataset in prepared.loaded.spec.datasets.items():
        if dataset.keep_rows and dataset.id is not None and name in prepared.tables:
            own = [view for view in prepared.views if view.dataset == name]
            views = [view for view in own if isinstance(view, LabelView)]
            found[name] = _dataset(prepared.tables[name], dataset.id, views, key)
    digest = hashlib.sha256(b"evalreport rows key" + key).hexdigest()
    return KeptRows(key_sha256=digest, datasets=found)


def digests_of_ids(table: RawTable, id_column: str, key: bytes) -> list[str]:
    """The keyed digest of the id of each row, in the order of the file."""
    return _digests([_texts(table.columns[id_column])], key)


def _dataset(table: RawTable, id_column: str, views: list[LabelView], key: bytes) -> KeptDataset:
    ids = digests_of_ids(table, id_column, key)
    names = sorted(name for name in table.columns if name != id_column)
    rows = _digests([_texts(table.columns[name]) for name in names], key)
    # not in the order of the file, which could tell who is who
    order = sorted(range(table.rows), key=lambda row: (ids[row], rows[row]))
    place = np.empty(table.rows, np.int64)
    place[order] = np.arange(table.rows)
    return KeptDataset(
        ids=tuple(ids[row] for row in order),
        columns=tuple(names),
        rows=tuple(rows[row] for row in order),
        models={view.model: _model(view, place) for view in views},
    )


def _model(view: LabelView, place: Any) -> KeptModel:
    places = place[view.row]
    order = np.argsort(places, kind="stable")
    predicted = view.predicted
    if predicted is None and view.class_scores is not None:
        predicted = np.argmax(view.class_scores, axis=1)
    return KeptModel(
        labels=tuple(view.labels),
        positive=view.positive,
        independent=view.weight is None and view.cluster is None,
        rows=tuple(places[order].tolist()),
        actual=tuple(view.actual[order].tolist()),
        score=None if view.score is None else tuple(view.score[order].tolist()),
        predicted=None if predicted is None else tuple(predicted[order].tolist()),
    )


def _texts(column: RawColumn) -> list[str]:
    values, missing = column.values.tolist(), column.missing.tolist()
    return ["" if gap else f"={value}" for value, gap in zip(values, missing, strict=True)]


def _digests(columns: list[list[str]], key: bytes) -> list[str]:
    """A keyed digest of each row of texts."""
    # JSON keeps apart what joining would not
    return [
        hashlib.blake2b(json.dumps(row).encode("ascii"), key=key, digest_size=DIGEST).hexdigest()
        for row in zip(*columns, strict=True)
    ]
