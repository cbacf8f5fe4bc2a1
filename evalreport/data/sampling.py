"""What each used row stands for, and how it was drawn, from the columns that say so."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from evalreport.data.findings import Finding, quoted, rows_problem, some
from evalreport.data.label_column import label_column, texts
from evalreport.data.labels import order_labels
from evalreport.data.roles import PREDICTED, Roles, SamplingRoles
from evalreport.data.scores import numbers, weights
from evalreport.data.table import Codes, Mask, Places, RawTable
from evalreport.errors import DataError, Problem
from evalreport.statistics.design_based import Sample, collapsed

if TYPE_CHECKING:
    from evalreport.data.checked import Checked

Floats = npt.NDArray[np.float64]

_YES, _NO = frozenset({"1", "true", "yes", "y", "1.0"}), frozenset({"0", "false", "no", "n", "0.0"})
#: What stands between the values of several columns in the name of a stratum.
BETWEEN = ", "


@dataclass(frozen=True, eq=False)
class Strata:
    """The stratum of each row of the file, -1 where a value is missing, and their names."""

    codes: npt.NDArray[np.int64]
    names: tuple[str, ...]


def verified(raw: RawTable, column: str) -> tuple[Mask, list[Problem]]:
    """Which rows have a label that is known, and the rows of which it is not said."""
    codes, names = texts(raw, column)
    known = np.array([*(name.lower() in _YES for name in names), False])
    said = np.array([*(name.lower() in _YES | _NO for name in names), True])
    wrong = np.flatnonzero(~said[codes])
    problems = []
    if len(wrong):
        shown = [quoted(names[codes[row]]) for row in wrong[:3]]
        problems.append(
            rows_problem(
                raw,
                f"{column} does not show whether a row is verified",
                wrong[:3].tolist(),
                "1 or 0, true or false, yes or no",
                shown,
                len(wrong),
            )
        )
    return known[codes], problems


def unverified(raw: RawTable, roles: Roles) -> list[tuple[str, Mask]]:
    """The rows that nobody verified, as a reason why they are not used."""
    if roles.sampling is None or roles.sampling.verified is None:
        return []
    known, _ = verified(raw, roles.sampling.verified)
    return [(f"{roles.sampling.verified}: not verified", ~known)]


def sampling_problems(raw: RawTable, roles: Roles) -> list[Problem]:
    """What is wrong with the columns that say how rows were sampled, but for their values."""
    if roles.sampling is None or roles.sampling.verified is None:
        return []
    return verified(raw, roles.sampling.verified)[1]


def strata(raw: RawTable, roles: Roles) -> Strata:
    """The strata of all rows of a file, in the order of their names.

    Raises DataError where they are those of predictions that do not stand in a column.
    """
    assert roles.sampling is not None
    code = np.zeros(raw.rows, np.int64)
    names: list[tuple[str, ...]] = [()]
    for column in roles.sampling.strata:
        own, values = _values(raw, roles, column)
        code = np.where((code < 0) | (own < 0), -1, code * max(1, len(values)) + own)
        names = [(*one, value) for one in names for value in values]
    present = np.unique(code[code >= 0])
    ordered = order_labels([BETWEEN.join(names[k]) for k in present.tolist()])
    place = {name: number for number, name in enumerate(ordered)}
    table = np.full(len(names) + 1, -1, np.int64)
    for k in present.tolist():
        table[k] = place[BETWEEN.join(names[k])]
    return Strata(table[code], tuple(ordered))


def _values(raw: RawTable, roles: Roles, column: str) -> tuple[Codes, tuple[str, ...]]:
    if column in raw.columns:
        return texts(raw, column)
    # not a column: what the model predicts, see the roles
    if roles.prediction is not None:
        found = label_column(raw, roles.prediction)
        return found.codes, tuple(label.text for label in found.labels)
    single = roles.score or roles.margin
    assert roles.sampling is not None
    if single is not None:
        column_of = numbers(raw, single)
        with np.errstate(invalid="ignore"):
            above = (column_of.values >= roles.sampling.cut).astype(np.int32)
        names = (f"below {roles.sampling.cut:g}", f"{roles.sampling.cut:g} or more")
        return np.where(column_of.missing, np.int32(-1), above).astype(np.int32), names
    if roles.scores:
        each = [numbers(raw, name).values for name in roles.scores.values()]
        return np.stack(each, axis=1).argmax(axis=1).astype(np.int32), tuple(roles.scores)
    raise DataError(
        Problem(
            f"{raw.name}: sampling names {PREDICTED}, but the predictions of this model are in no "
            f"column",
            "strata: a column by which rows were chosen",
        )
    )


def with_sample(checked: Checked, raw: RawTable, roles: Roles, pool: Mask | None) -> Checked:
    """The checked rows with their weights and how they were drawn.

    ``pool``: the rows of the file that could have been verified. Raises DataError where a
    stratum is not known, or nothing is known of it.
    """
    asked = roles.sampling
    if asked is None:
        return checked
    if asked.proxy is not None:
        raise DataError(
            Problem(
                f"{raw.name}: a proxy corrects models whose predictions are in columns",
                "a column of predictions, or no sampling for this model",
            )
        )
    used = checked.used
    found = strata(raw, roles) if asked.strata else Strata(np.zeros(raw.rows, np.int64), ("all",))
    _complete(raw, asked, found, used)
    size = len(found.names)
    rows = np.bincount(found.codes[used], minlength=size)
    weight, population = checked.weight, np.full(size, np.inf)
    if asked.totals is not None:
        whole = _declared(raw, asked, found, rows)
    elif asked.verified is not None:
        assert pool is not None
        inside = pool & (found.codes >= 0)
        whole = np.bincount(found.codes[inside], minlength=size).astype(np.float64)
        _all_known(raw, found, rows, whole, "and none of them is verified")
    if asked.weight is None:
        weight = (whole / np.maximum(rows, 1))[found.codes[used]]
        if checked.cluster is None:
            population = whole
    drawn = np.flatnonzero(rows)
    place = np.zeros(size, np.int64)
    place[drawn] = np.arange(len(drawn))
    unit = np.arange(len(used), dtype=np.int64) if checked.cluster is None else checked.cluster[0]
    sample = Sample(
        stratum=place[found.codes[used]],
        names=tuple(found.names[k] for k in drawn.tolist()),
        unit=unit.astype(np.int64),
        population=population[drawn],
        kind=asked.kind,
        counted=asked.verified is not None,
        clustered=checked.cluster is not None,
    )
    sample = collapsed(sample)
    return replace(
        checked,
        weight=weight,
        sample=sample,
        lost=None,
        findings=(*checked.findings, *_findings(sample, rows)),
    )


def _findings(sample: Sample, rows: npt.NDArray[np.int64]) -> list[Finding]:
    alone = int(np.count_nonzero(rows == 1))
    if not sample.collapsed:
        return []
    told = some(list(sample.collapsed))
    message = (
        f"{alone} of {len(rows)} strata {'has' if alone == 1 else 'have'} a single row, which has "
        f"no variance; combined: {told}."
    )
    return [Finding("small_strata", message, {"strata": len(rows), "single": alone})]


def _complete(raw: RawTable, asked: SamplingRoles, found: Strata, used: Places) -> None:
    lacking = used[found.codes[used] < 0]
    if len(lacking):
        named = " and ".join(asked.strata)
        raise DataError(
            rows_problem(
                raw,
                f"{named} is empty",
                lacking[:3].tolist(),
                "every row belongs to a stratum",
                None,
                len(lacking),
            )
        )


def _declared(
    raw: RawTable, asked: SamplingRoles, found: Strata, rows: npt.NDArray[np.int64]
) -> Floats:
    """The declared size of each stratum of the file."""
    assert asked.totals is not None
    problems = []
    absent = [name for name in found.names if name not in asked.totals]
    if absent:
        problems.append(
            Problem(
                f"strata of {raw.name} without a total: {some(list(map(quoted, absent)))}",
                "sampling.totals: how many rows each was drawn from",
            )
        )
    unseen = [name for name in asked.totals if name not in found.names]
    if unseen:
        problems.append(
            Problem(
                f"no row of {raw.name} is of {some(list(map(quoted, unseen)))} in totals",
                "give rows of every stratum: nothing is known of one without",
            )
        )
    if problems:
        raise DataError(*problems)
    whole = np.array([asked.totals[name] for name in found.names], np.float64)
    over = [name for name, n, total in zip(found.names, rows, whole, strict=True) if n > total]
    if over:
        raise DataError(
            Problem(
                f"more rows of {some(list(map(quoted, over)))} in {raw.name} than its total",
                "totals count all rows that a stratum was drawn from",
            )
        )
    _all_known(raw, found, rows, whole, "and none of them can be used")
    return whole


def _all_known(
    raw: RawTable, found: Strata, rows: npt.NDArray[np.int64], whole: Floats, what: str
) -> None:
    """Raise DataError where a stratum has rows of which nothing is known."""
    empty = [
        f"{quoted(name)} has {int(total)} rows"
        for name, n, total in zip(found.names, rows, whole, strict=True)
        if total > 0 and not n
    ]
    if empty:
        raise DataError(
            Problem(
                f"{raw.name}: stratum {some(empty)}, {what}",
                "wider strata, or rows of each that are known",
            )
        )


def pool_of(raw: RawTable, roles: Roles, complete: Mask) -> Mask | None:
    """The rows that could have been verified: they lack nothing but a label."""
    if roles.sampling is None or roles.sampling.verified is None:
        return None
    pool = complete.copy()
    if roles.weight is not None:
        pool &= weights(raw, roles.weight).values > 0
    return pool
