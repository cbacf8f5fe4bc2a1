"""Kinds of rows by all that each holds: what models say, its weight, its cluster and its groups.

One count of all models that are compared tells what each says of the same rows: a kind has one
place in ``LabelView.row``, whichever model looks at it.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from evalreport.data.table import PARTNER
from evalreport.engine.counting import queries
from evalreport.engine.counting.answering import Columns, CountedRows
from evalreport.engine.counting.canonical_rows import order_of
from evalreport.engine.counting.counted_rows import CLUSTER, PREDICTED, TARGET, WEIGHT, Known
from evalreport.engine.counting.counted_view import FOLD, CountedView, Numbers
from evalreport.engine.counting.keys import UNUSED, Key
from evalreport.engine.counting.wanted import TooManyKindsError
from evalreport.predict.view import Codes, LabelView

if TYPE_CHECKING:
    from evalreport.engine.counting.score_counting import Told

#: Bytes that a kind of rows takes while it is counted and measures are made of it.
KIND_BYTES = 400


@dataclass(frozen=True, eq=False)
class Seen:
    """A model whose kinds of rows are known but for its scores, and what is known of them."""

    view: LabelView
    known: Known

    @property
    def scored(self) -> str | None:
        """The column of scores or margins; None where the model gives labels."""
        return self.known.roles.score or self.known.roles.margin


@dataclass(frozen=True)
class Finer:
    """What is asked for where kinds by score are too many, so that scores are put into bins.

    ``tables``: the view of a model that has more than so many distinct scores, with the tables of
    these, and what one count told of all its kinds; ``numbers``: the thresholds of a model, which
    no bin may span.
    """

    tables: Callable[[Seen, int], tuple[CountedView, Told | None]]
    numbers: Numbers


def kinds_of_models(
    rows: CountedRows,
    models: Sequence[Seen],
    most: int,
    *,
    together: bool,
    finer: Finer | None = None,
) -> list[LabelView]:
    """The view of each model of a dataset; ``together``: by what all of them say of a row.

    With more than ``most`` kinds scores are put into bins, see :mod:`.binned_kinds`, or
    TooManyKindsError without ``finer``.
    """
    if together and len(models) > 1:
        return _kinds(rows, models, most, finer)
    return [
        one.view if one.scored is None else _kinds(rows, [one], most, finer)[0] for one in models
    ]


def _kinds(
    rows: CountedRows, models: Sequence[Seen], most: int, finer: Finer | None
) -> list[LabelView]:
    keys, scores = keys_of(models), scores_of(models)
    trees = [key.tree(rows) for key in keys.values()]
    trees += [queries.read_number(rows.field(column)) for column in scores]
    where = used_by_any(rows, models)
    crowded = _crowded(rows, scores, where, models[0].view.rows, most)
    if crowded is None and few_kinds(rows, trees, where, models[0].view.rows, most):
        return scored_kinds(rows, models)
    if finer is None:
        columns = ", ".join([*(key.column for key in keys.values()), *scores])
        raise TooManyKindsError(f"by {columns} there are more than {most:,} kinds of rows")
    from evalreport.engine.counting.binned_kinds import binned_kinds

    # of rows that are left out scores were looked at too
    return binned_kinds(rows, models, most, finer, None if where is not None else crowded)


def _crowded(
    rows: CountedRows, scores: Sequence[str], where: queries.Tree | None, count: int, most: int
) -> str | None:
    """A column of scores that by itself tells more than ``most`` kinds of rows apart, if seen.

    Looked at in a part of the rows, as :func:`few_kinds` does, in half of its time.
    """
    first = most + most // 4
    if count <= 2 * first:
        return None
    for column in scores:
        tree = queries.read_number(rows.field(column))
        if int(rows.ask(queries.how_many_of([tree], where, first))["n"][0]) > most:
            return column
    return None


def few_kinds(
    rows: CountedRows,
    trees: Sequence[queries.Tree],
    where: queries.Tree | None,
    count: int,
    most: int,
) -> bool:
    """Whether ``count`` rows are of at most ``most`` kinds by the ``trees``.

    Rows that are nearly all of their own are told by a part of them.
    """
    first = most + most // 4
    if count > 2 * first and int(rows.ask(queries.how_many_of(trees, where, first))["n"][0]) > most:
        return False
    return count <= most or int(rows.ask(queries.how_many(trees, where))["n"][0]) <= most


def scored_kinds(rows: CountedRows, models: Sequence[Seen]) -> list[LabelView]:
    """The view of each model, with kinds told apart by all that the models say."""
    keys, scores = keys_of(models), scores_of(models)
    trees = [*(key.tree(rows) for key in keys.values())]
    trees += [queries.read_number(rows.field(column)) for column in scores]
    answer = rows.ask(queries.kinds(trees, used_by_any(rows, models), rows.times))
    codes = {name: key.read(rows, answer[f"k{i}"]) for i, (name, key) in enumerate(keys.items())}
    told = {column: _scores(answer, f"k{len(keys) + i}") for i, column in enumerate(scores)}
    times = np.ma.getdata(answer["n"]).astype(np.int64)
    codes, told, times = in_order(codes, told, times)
    return [of_model(one, keys, codes, told, times)[0] for one in models]


def in_order(
    codes: Mapping[str, Codes], told: Mapping[str, Any], times: npt.NDArray[np.int64]
) -> tuple[dict[str, Codes], dict[str, Any], npt.NDArray[np.int64]]:
    """Kinds in an order that follows from their codes and what models say, not from an answer.

    ``told``: masked where a model says nothing.
    """
    order = order_of(*reversed([*codes.values(), *(np.ma.getdata(own) for own in told.values())]))
    sorted_codes = {name: own[order] for name, own in codes.items()}
    return sorted_codes, {column: own[order] for column, own in told.items()}, times[order]


def scores_of(models: Sequence[Seen]) -> list[str]:
    """The columns of scores, each once."""
    return list(dict.fromkeys(one.scored for one in models if one.scored is not None))


def _scores(answer: Columns, name: str) -> Any:
    """Scores as doubles, masked where a row has none."""
    values = answer[name]
    return np.ma.masked_array(
        np.ma.getdata(values).astype(np.float64) + 0.0, np.ma.getmaskarray(values)
    )


def used_by_any(rows: CountedRows, models: Sequence[Seen]) -> queries.Tree | None:
    """Whether a row may be used by any model: it has a label, a fold and an id."""
    found = models[0].known
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


def keys_of(models: Sequence[Seen]) -> dict[str, Key]:
    """The columns that kinds are told apart by, scores aside, with a code for each value."""
    values: dict[str, dict[Any, int]] = {}
    columns: dict[str, str] = {}
    for one in models:
        for name, column in _columns(one).items():
            own = values.setdefault(_name(name, column), {})
            columns[_name(name, column)] = column
            for value in one.known.codes[name]:
                own.setdefault(value, len(own))
    return {
        name: Key(columns[name], codes, partly=True, held_against=True)
        for name, codes in values.items()
    }


def _own_codes(key: Key, codes: Codes, own: Mapping[Any, int]) -> Codes:
    """The codes of one model, from those of all models."""
    place = np.full(len(key.codes) + 1, UNUSED)
    for value, code in key.codes.items():
        place[code] = own.get(value, UNUSED)
    return np.asarray(place[codes])  # of UNUSED the last one, which is UNUSED


def of_model(
    one: Seen,
    keys: Mapping[str, Key],
    codes: Mapping[str, Codes],
    told: Mapping[str, Any],
    times: npt.NDArray[np.int64],
) -> tuple[LabelView, npt.NDArray[np.bool_]]:
    """The kinds that a model uses: they have a code in each of its columns, and its score.

    And which of all kinds these are, shape (kinds,).
    """
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
    seen = replace(
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
    return seen, used
