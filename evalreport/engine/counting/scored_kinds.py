"""Kinds of rows by all that each holds: its score, its weight, its cluster and its groups."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from evalreport.engine.counting import queries
from evalreport.engine.counting.answering import CountedRows
from evalreport.engine.counting.counted_rows import CLUSTER, TARGET, WEIGHT, Known
from evalreport.engine.counting.counted_view import FOLD
from evalreport.engine.counting.keys import Key
from evalreport.engine.counting.wanted import TooManyKindsError
from evalreport.predict.view import Codes, View

#: Bytes that a kind of rows takes while it is counted.
KIND_BYTES = 160


def scored_kinds(rows: CountedRows, view: View, found: Known, most: int) -> View:
    """The view with kinds of rows told apart by their scores, too.

    ``view`` holds kinds without scores; at most ``most`` with them. Raises TooManyKindsError.
    """
    keys = _keys(found)
    score = queries.number(rows.field(str(found.roles.score or found.roles.margin)))
    trees = [*(key.tree(rows) for key in keys.values()), score]
    if view.rows > most:
        count = int(rows.ask(queries.how_many(trees, found.where))["n"][0])
        if count > most:
            columns = ", ".join([*(k.column for k in keys.values()), _scored(found)])
            raise TooManyKindsError(f"by {columns} there are {count:,} kinds of rows")
    answer = rows.ask(queries.kinds(trees, found.where, rows.times))
    codes = {name: key.read(rows, answer[f"k{i}"]) for i, (name, key) in enumerate(keys.items())}
    scores = np.ma.getdata(answer[f"k{len(keys)}"]).astype(np.float64) + 0.0
    times = np.ma.getdata(answer["n"]).astype(np.int64)
    # A row may lack a weight or a cluster alone: its value has no code.
    held = np.flatnonzero(np.all([own >= 0 for own in codes.values()], axis=0))
    order = held[np.lexsort([own[held] for own in (*codes.values(), scores)])]
    codes = {name: own[order] for name, own in codes.items()}
    return _of_codes(view, codes, scores[order], times[order])


def _scored(found: Known) -> str:
    return str(found.roles.score or found.roles.margin)


def _keys(found: Known) -> dict[str, Key]:
    """The columns that kinds are told apart by, scores aside, by what they are."""
    roles = found.roles
    columns = {TARGET: roles.target, WEIGHT: roles.weight, CLUSTER: roles.cluster, FOLD: roles.fold}
    columns |= {column: column for column in found.checked.groups}
    return {
        name: Key(column, found.codes[name], partly=True)
        for name, column in columns.items()
        if column is not None
    }


def _of_codes(view: View, codes: dict[str, Codes], scores: Codes, times: Codes) -> View:
    """The view of the kinds with these codes."""
    small = {name: own.astype(np.int32) for name, own in codes.items() if name != WEIGHT}
    return replace(
        view,
        actual=small[TARGET],
        row=np.arange(len(times)),
        predicted=None,
        score=scores,
        weight=None if view.weight is None else np.unique(view.weight)[codes[WEIGHT]],
        cluster=None if view.cluster is None else (small[CLUSTER], view.cluster[1]),
        fold=None if view.fold is None else (small[FOLD], view.fold[1]),
        groups={column: (small[column], names) for column, (_, names) in view.groups.items()},
        times=times,
    )
