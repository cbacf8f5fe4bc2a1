"""Rows that are left out for what they lack, where rows are only counted: kinds of them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from evalreport.data.checked import Checked
from evalreport.data.completeness import Lost, joined, lost_places
from evalreport.data.roles import Roles
from evalreport.data.table import RawTable
from evalreport.engine.counting import queries
from evalreport.engine.counting.counted_values import values_of

if TYPE_CHECKING:
    from evalreport.engine.counting.answering import CountedRows

Codes = npt.NDArray[np.int32]


def lost_kinds(
    rows: CountedRows,
    roles: Roles,
    raw: RawTable,
    checked: Checked,
    counts: npt.NDArray[np.int64],
    written: Mapping[str, Sequence[Any]],
    codes: Mapping[str, Mapping[Any, int]],
) -> Lost | None:
    """The rows that lack something, by kind; those with a score but no target by score.

    ``raw`` holds a row of each kind, ``counts`` how many there are, ``written`` their
    values by column, and ``codes`` the codes of the values of subgroups.
    """
    places = lost_places(raw, roles)
    if not len(places) or checked.lost is None:
        return None
    scored = roles.score or roles.margin
    unscored = np.ones(len(places), np.bool_)
    if scored is not None:
        unscored = raw.columns[scored].missing[places]
    kept = np.searchsorted(checked.lost.row, places[unscored])
    lost = Lost(
        row=places[unscored],
        weight=counts[places[unscored]],
        actual=checked.lost.actual[kept],
        predicted=_told(roles, checked, written, len(counts))[places[unscored]],
        score=np.full(len(kept), np.nan),
        groups={column: found[kept] for column, found in checked.lost.groups.items()},
    )
    if unscored.all() or scored is None:
        return lost
    return joined(lost, _by_score(rows, roles.target, scored, codes, list(checked.groups)))


def _by_score(
    rows: CountedRows,
    target: str,
    scored: str,
    codes: Mapping[str, Mapping[Any, int]],
    columns: Sequence[str],
) -> Lost:
    """Rows with a score and no target, by subgroup and distinct score."""
    score = rows.field(scored)
    where = queries.scored_only(rows.field(target), score)
    keys = [rows.field(column).value for column in columns]
    answer = rows.ask(queries.score_counts(keys, score, where, None, rows.times))
    n = np.asarray(answer["n"], np.int64)
    nothing = np.full(len(n), -1, np.int32)
    groups = {}
    for i, column in enumerate(columns):
        values = values_of(rows, column, answer[f"k{i}"])
        groups[column] = np.array([codes[column].get(v, -1) for v in values], np.int32)
    scores = np.asarray(np.ma.getdata(answer["s"]), np.float64)
    return Lost(nothing.astype(np.int64), n, nothing, nothing, scores, groups)


def _told(
    roles: Roles, checked: Checked, written: Mapping[str, Sequence[Any]], kinds: int
) -> Codes:
    """Codes of the predicted labels of every kind of row, -1 where there is none."""
    if roles.prediction is None or checked.predicted is None:
        return np.full(kinds, -1, np.int32)
    values = written[roles.prediction]
    pairs = zip(checked.used.tolist(), checked.predicted.tolist(), strict=True)
    code = {values[place]: own for place, own in pairs}
    if checked.lost is not None:
        # a label may be told by rows alone that lack something else
        more = zip(checked.lost.row.tolist(), checked.lost.predicted.tolist(), strict=True)
        code |= {values[place]: own for place, own in more if own >= 0}
    return np.array([-1 if v is None else code.get(v, -1) for v in values], np.int32)
