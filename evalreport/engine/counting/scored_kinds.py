"""Kinds of rows by all that each holds: what models say, its weight, its cluster and its groups.

One count of all models that are compared tells what each says of the same rows: a kind has one
place in ``LabelView.row``, whichever model looks at it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import numpy.typing as npt

from evalreport.data.table import PARTNER
from evalreport.engine.counting import queries
from evalreport.engine.counting.answering import Columns, CountedRows
from evalreport.engine.counting.counted_rows import CLUSTER, PREDICTED, TARGET, WEIGHT, Known
from evalreport.engine.counting.counted_view import FOLD
from evalreport.engine.counting.keys import UNUSED, Key
from evalreport.engine.counting.wanted import TooManyKindsError
from evalreport.predict.view import Codes, LabelView
from evalreport.values import dataclass

#: Bytes that a kind of rows takes while it is counted.
KIND_BYTES = 160


@dataclass(frozen=True, eq=False)
class Seen:
    """A model whose kinds of rows are known but for its scores, and what is known of them."""

    view: LabelView
    known: Known

    @property
    def scored(self) -> str | None:
        """The column of scores or margins; None where the model gives labels."""
        return self.known.roles.score or self.known.roles.margin


def kinds_of_models(
    rows: CountedRows, models: Sequence[Seen], most: int, *, together: bool
) -> list[LabelView]:
    """The view of each model of a dataset; ``together``: by what all of them say of a row.

    At most ``most`` kinds with scores, else TooManyKindsError.
    """
    if together and len(models) > 1:
        return scored_kinds(rows, models, most)
    return [
        one.view if one.scored is None else scored_kinds(rows, [one], most)[0] for one in models
    ]


def scored_kinds(rows: CountedRows, models: Sequence[Seen], most: int) -> list[LabelView]:
    """The view of each model, with kinds told apart by all that the models say.

    At most ``most`` kinds, else TooManyKindsError.
    """
    keys = _keys(models)
    scores = list(dict.fromkeys(one.scored for one in models if one.scored is not None))
    trees = [*(key.tree(rows) for key in keys.values())]
    trees += [queries.read_number(rows.field(column)) for column in scores]
    where = _where(rows, models[0].known)
    if models[0].view.rows > most:
        count = int(rows.ask(queries.how_many(trees, where))["n"][0])
        if count > most:
            columns = ", ".join([*(key.column for key in keys.values()), *scores])
            raise TooManyKindsError(f"by {columns} there are {count:,} kinds of rows")
    answer = rows.ask(queries.kinds(trees, where, rows.times))
    codes = {name: key.read(rows, answer[f"k{i}"]) for i, (name, key) in enumerate(keys.items())}
    told = {column: _scores(answer, f"k{len(keys) + i}") for i, column in enumerate(scores)}
    times = np.ma.getdata(answer["n"]).astype(np.int64)
    order = np.lexsort([*codes.values(), *(np.ma.getdata(own) for own in told.values())])
    codes = {name: own[order] for name, own in codes.items()}
    told = {column: own[order] for column, own in told.items()}
    return [_of_model(one, keys, codes, told, times[order]) for one in models]


def _scores(answer: Columns, name: str) -> Any:
    """Scores as doubles, masked where a row has none."""
    values = answer[name]
    return np.ma.masked_array(
        np.ma.getdata(values).astype(np.float64) + 0.0, np.ma.getmaskarray(values)
    )


def _where(rows: CountedRows, found: Known) -> queries.Tree | None:
    """Whether a row may be used by any model: it has a label, a fold and an id."""
    if found.where is None:
        return None
    roles = found.roles
    names = [c for c in (roles.fold, roles.id) if c is not None]
    alone = [PARTNER] if PARTNER in rows.header else []
    return queries.used(
        [rows.field(roles.target)],
        None,
        [rows.field(c) for c in names],
        [rows.field(c) for c in alone],
    )


def _columns(one: Seen) -> dict[str, str]:
    """The columns that have codes, by what they are."""
    roles = one.known.roles
    found = {TARGET: roles.target, WEIGHT: roles.weight, CLUSTER: roles.cluster, FOLD: roles.fold}
    found |= {column: column for column in one.known.checked.groups}
    if roles.prediction is not None:
        found[PREDICTED] = roles.prediction
    return {name: column for name, column in found.items() if column is not None}


def _name(name: str, column: str) -> str:
    """What a column is called among those of all models: each predicts with its own."""
    return f"{name} {column}" if name == PREDICTED else name


def _keys(models: Sequence[Seen]) -> dict[str, Key]:
    """The columns that kinds are told apart by, scores aside, with a code for each value."""
    values: dict[str, dict[Any, int]] = {}
    columns: dict[str, str] = {}
    for one in models:
        for name, column in _columns(one).items():
            own = values.setdefault(_name(name, column), {})
            columns[_name(name, column)] = column
            for value in one.known.codes[name]:
                own.setdefault(value, len(own))
    return {name: Key(columns[name], codes, partly=True) for name, codes in values.items()}


def _own_codes(key: Key, codes: Codes, own: Mapping[Any, int]) -> Codes:
    """The codes of one model, from those of all models."""
    place = np.full(len(key.codes) + 1, UNUSED)
    for value, code in key.codes.items():
        place[code] = own.get(value, UNUSED)
    return np.asarray(place[codes])  # of UNUSED the last one, which is UNUSED


def _of_model(
    one: Seen,
    keys: Mapping[str, Key],
    codes: Mapping[str, Codes],
    told: Mapping[str, Any],
    times: npt.NDArray[np.int64],
) -> LabelView:
    """The kinds that a model uses: they have a code in each of its columns, and its score."""
    own = {
        name: _own_codes(keys[key], codes[key], one.known.codes[name])
        for name, column in _columns(one).items()
        for key in [_name(name, column)]
    }
    used = np.all([held >= 0 for held in own.values()], axis=0)
    score = None
    if one.scored is not None:
        used &= ~np.ma.getmaskarray(told[one.scored])
        score = np.ma.getdata(told[one.scored])[used]
    view = one.view
    assert int(times[used].sum()) == view.rows, "kinds that were lost between two counts"
    held = {name: values[used] for name, values in own.items()}
    small = {name: values.astype(np.int32) for name, values in held.items() if name != WEIGHT}
    return replace(
        view,
        actual=small[TARGET],
        row=np.flatnonzero(used),
        predicted=small.get(PREDICTED),
        score=score,
        weight=None if view.weight is None else np.unique(view.weight)[held[WEIGHT]],
        cluster=None if view.cluster is None else (small[CLUSTER], view.cluster[1]),
        fold=None if view.fold is None else (small[FOLD], view.fold[1]),
        groups={column: (small[column], names) for column, (_, names) in view.groups.items()},
        times=times[used],
    )
