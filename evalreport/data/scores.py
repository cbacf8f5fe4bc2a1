"""Numbers of a column: scores and weights, from text or typed values, with one NaN rule.

A score may be a list in each row, one number per class: that of Parquet, JSON lines or a
frame, or text such as ``[0.1, 0.9]``, with commas, semicolons or spaces between the numbers.
Its numbers are those of the classes in the order of the dataset's ``labels``; where none are
declared, of the classes in sorted order.
"""

from __future__ import annotations

import json
import math
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import numpy.typing as npt

from evalreport.data.dialect import BLANKS
from evalreport.data.findings import SHOWN_ROWS, Finding, quoted, rows_problem, shown_value, some
from evalreport.data.label_column import label_column
from evalreport.data.labels import matcher, order_labels
from evalreport.data.roles import Roles, Rules
from evalreport.data.table import Mask, RawColumn, RawTable
from evalreport.errors import DataError, Problem

Floats = npt.NDArray[np.float64]

_PLAIN_CHARACTERS = b"0123456789+-.eE"
_NUMBER = re.compile(r"[+-]?(?:[0-9]+(?:\.[0-9]*)?|\.[0-9]+)(?:[eE][+-]?[0-9]+)?")
_DECIMAL_COMMA = re.compile(r"[+-]?[0-9]+,[0-9]+")
_INFINITE = re.compile(r"[+-]?inf(inity)?", re.IGNORECASE)
_NOT_A_NUMBER = "not a number"
#: Texts by which other programs say that there is no number.
_NO_VALUE = frozenset({"na", "n/a", "#n/a", "<na>", "null", "none", "missing", ".", "-", "?"})
#: Fourth powers of weights, which variances and degrees of freedom hold, stay within doubles.
LARGEST_WEIGHT = 1e50
_INSTEAD = {
    "infinite": "scores and weights are finite",
    "too large": "numbers are at most 1.8e308",
    "written with a decimal comma": "write a decimal point",
    _NOT_A_NUMBER: "give a number, or nothing (or nan) where there is none",
    "negative": "weights are 0 or more",
    "too small for a weight": f"weights are 0, or at least {1 / LARGEST_WEIGHT:g}",
    "too large for a weight": f"weights are at most {LARGEST_WEIGHT:g}",
}
#: How far the scores of a row may be from adding up to 1.
SUM_TOLERANCE = 1e-6 * (1 + 1e-9)  # 0.333333 three times is 1e-6 off, not more
#: From so many decimals on, texts of scores are taken for rounded ones.
LEAST_DECIMALS = 2


@dataclass(frozen=True, eq=False)
class Numbers:
    """A column as float64, shape (n,); NaN where ``missing``, and what is wrong with it."""

    values: Floats
    missing: Mask
    problems: tuple[Problem, ...] = ()
    findings: tuple[Finding, ...] = ()


def numbers(table: RawTable, name: str) -> Numbers:
    """The numbers of a column, worked out once per table.

    Empty text, ``nan`` in any case, NULL and NaN are missing. Everything else that is
    no finite number is a problem with its rows. float32 is widened as stored.
    """
    return table.once(("numbers", name), lambda: _numbers(table, table.columns[name]))


def steps_of(grain: float) -> int | None:
    """How many steps there are from 0 to 1, where these are a whole number.

    Multiples of the grain are then the doubles next to k / steps, as they are written.

    >>> steps_of(0.0001), steps_of(0.3)
    (10000, None)
    """
    steps = round(1.0 / grain)
    return steps if steps >= 1 and math.isclose(steps * grain, 1.0, rel_tol=1e-12) else None


def rounded(values: Floats, grain: float) -> Floats:
    """Numbers rounded to multiples of a grain, halves upwards; NaN stays.

    >>> rounded(np.array([0.12346, 0.5]), 0.0001).tolist()
    [0.1235, 0.5]
    """
    steps = steps_of(grain)
    if steps is None:
        return np.asarray(np.floor(values / grain + 0.5) * grain)
    return np.asarray(np.floor(values * steps + 0.5) / steps)


def with_grain(table: RawTable, columns: Sequence[str], grain: float | None) -> RawTable:
    """The table with the scores in some of its columns rounded to multiples of a grain.

    Columns that hold something else than numbers stay as they are: checks name it.
    """
    if grain is None:
        return table
    found = {name: numbers(table, name) for name in columns if name in table.columns}
    read = {name: one for name, one in found.items() if not one.problems}
    made = {
        name: RawColumn(name, "float64", rounded(one.values, grain), one.missing)
        for name, one in read.items()
    }
    return replace(table, columns={**table.columns, **made}, grain=grain, _kept={})


def weights(table: RawTable, name: str) -> Numbers:
    """The weights of a column: numbers that are 0 or more, and can be added up and multiplied."""
    found = numbers(table, name)
    values = found.values
    wrong = {
        "negative": values < 0,
        "too small for a weight": (values > 0) & (values < 1 / LARGEST_WEIGHT),
        "too large for a weight": values > LARGEST_WEIGHT,
    }
    problems = [
        _problem(table, name, kind, np.flatnonzero(rows), lambda row: repr(float(values[row])))
        for kind, rows in wrong.items()
        if rows.any()
    ]
    return replace(found, problems=(*found.problems, *problems)) if problems else found


def sums_to_one(table: RawTable, names: Sequence[str], rows: npt.NDArray[Any]) -> list[Problem]:
    """A problem if scores within [0, 1] do not add up to 1 in the ``rows``."""
    scores = np.stack([numbers(table, name).values[rows] for name in names], axis=1)
    read = np.isfinite(scores).all(axis=1)
    scores, rows = scores[read], rows[read]
    if not scores.size or scores.min() < 0 or scores.max() > 1:
        return []
    sums = scores.sum(axis=1)
    wrong = np.flatnonzero(~(np.abs(sums - 1) <= _sum_tolerance(table, names)))
    if not len(wrong):
        return []
    shown = [f"{float(sums[i]):.9g}" for i in wrong[:SHOWN_ROWS]]
    what = f"the scores of {', '.join(names)} do not add up to 1"
    instead = "give the probability of every class"
    return [rows_problem(table, what, rows[wrong].tolist(), instead, shown)]


def _sum_tolerance(table: RawTable, names: Sequence[str]) -> float:
    """How far sums may be from 1: what rounding each score, as it is stored, explains."""
    columns = [table.columns[name] for name in names]
    if table.grain is not None:
        return max(SUM_TOLERANCE, len(names) * 0.5 * table.grain * (1 + 1e-9))
    if any(column.kind == "float32" for column in columns):
        return max(SUM_TOLERANCE, len(names) * 2.0**-23)
    if any(column.kind != "text" for column in columns):
        return SUM_TOLERANCE
    decimals = 0
    for column in columns:
        for value in column.factorize()[1]:
            if "e" in value or "E" in value:
                return SUM_TOLERANCE
            decimals = max(decimals, len(value.partition(".")[2]))
    # with fewer it is no rounding but another number
    if decimals < LEAST_DECIMALS:
        return SUM_TOLERANCE
    return max(SUM_TOLERANCE, len(names) * 0.5 * 10.0**-decimals * (1 + 1e-9))


def outside_unit(
    name: str, values: Floats, times: npt.NDArray[np.int64] | None = None
) -> list[Finding]:
    """A finding if scores lie outside [0, 1]: they can rank, but are no probabilities.

    ``times``: how many rows have each of the values; None where each is that of one.
    """
    beyond = (values < 0) | (values > 1)
    outside = int(np.count_nonzero(beyond) if times is None else times[beyond].sum())
    if not outside:
        return []
    rows = len(values) if times is None else int(times.sum())
    message = (
        f"{outside} of {rows} scores in {name} lie outside 0 to 1: they rank rows, "
        "but are not probabilities."
    )
    return [Finding("scores_outside_unit", message, {"column": name, "rows": outside})]


def _numbers(table: RawTable, column: RawColumn) -> Numbers:
    if column.kind == "text":
        return _of_texts(table, column)
    if column.kind in ("integer", "float64", "float32"):
        return _of_numbers(table, column)
    return _of_objects(table, column)


def _of_numbers(table: RawTable, column: RawColumn) -> Numbers:
    try:
        values = np.asarray(column.values, np.float64)
    except OverflowError:
        return _of_objects(table, column)  # an integer beyond any double
    if column.missing.any():
        values = np.where(column.missing, np.nan, values)
    infinite = np.flatnonzero(np.isinf(values))
    problems = []
    if len(infinite):
        problems.append(
            _problem(table, column.name, "infinite", infinite, lambda row: str(values[row]))
        )
    findings = [_single_precision(column.name)] if column.kind == "float32" else []
    findings += [_rounded(column.name, table.grain)] if table.grain is not None else []
    return Numbers(values, column.missing, tuple(problems), tuple(findings))


def _single_precision(name: str) -> Finding:
    message = (
        f"{name} is stored in single precision; its values are used exactly as stored, "
        "so 0.7 is 0.699999988."
    )
    return Finding("float32", message, {"column": name})


def _rounded(name: str, grain: float) -> Finding:
    message = (
        f"Scores in {name} are rounded to multiples of {grain:g} (engine.grain); every number "
        f"uses the rounded scores."
    )
    return Finding("rounded_scores", message, {"column": name, "grain": grain})


def _of_texts(table: RawTable, column: RawColumn) -> Numbers:
    present = column.values[~column.missing].tolist()
    # float() takes more than plain numbers: underscores, spaces, nan, inf, other digits.
    if "".join(present).encode("utf-8", "replace").translate(None, _PLAIN_CHARACTERS):
        return _of_objects(table, column)
    try:
        read = np.array([float(text) for text in present], np.float64)
    except ValueError:
        return _of_objects(table, column)
    if np.isinf(read).any():
        return _of_objects(table, column)
    values = np.full(len(column.values), np.nan)
    values[~column.missing] = read
    return Numbers(values, column.missing)


def _of_objects(table: RawTable, column: RawColumn) -> Numbers:
    return _one_by_one(table, column, column.values.tolist())


def _one_by_one(table: RawTable, column: RawColumn, given: list[Any]) -> Numbers:
    values = np.full(len(given), np.nan)
    wrong: dict[str, list[int]] = {}
    for row in np.flatnonzero(~column.missing).tolist():
        number = number_of(given[row])
        if isinstance(number, str):
            wrong.setdefault(number, []).append(row)
        else:
            values[row] = number
    problems = [
        _problem(table, column.name, kind, wrong[kind], lambda row: shown_value(given[row]))
        for kind in _INSTEAD
        if kind in wrong
    ]
    if column.kind == "text" and _NOT_A_NUMBER in wrong:
        read = _to_be_read(column.name, [given[row] for row in wrong[_NOT_A_NUMBER]])
        problems = [_or_read(problem, read) for problem in problems]
    bad = np.zeros(len(given), np.bool_)
    bad[[row for rows in wrong.values() for row in rows]] = True
    return Numbers(values, np.isnan(values) & ~bad, tuple(problems))


def number_of(value: Any) -> float | str:
    """The number a value is (NaN if missing), or the kind of mistake."""
    if isinstance(value, str):
        return _number_of_text(value)
    if isinstance(value, bool) or not isinstance(value, int | float):
        return _NOT_A_NUMBER
    try:
        number = float(value)
    except OverflowError:
        return "too large"
    return "infinite" if math.isinf(number) else number


def _number_of_text(text: str) -> float | str:
    if _NUMBER.fullmatch(text):
        number = float(text)
        return "too large" if math.isinf(number) else number
    if text.lower() in ("", "nan"):
        return math.nan
    if _INFINITE.fullmatch(text):
        return "infinite"
    return "written with a decimal comma" if _DECIMAL_COMMA.fullmatch(text) else _NOT_A_NUMBER


def _to_be_read(name: str, texts: Sequence[str]) -> str | None:
    """How a dataset's ``read`` makes numbers, or missing ones, of texts that are none."""
    if all(text.endswith("%") and _NUMBER.fullmatch(text[:-1].strip()) for text in texts):
        return f"{{percent: [{json.dumps(name, ensure_ascii=False)}]}}"
    if all(_NUMBER.fullmatch(text.strip(BLANKS)) for text in texts):
        return "{strip: true}"
    if all(text.lower() in _NO_VALUE for text in texts):
        listed = ", ".join(json.dumps(text) for text in dict.fromkeys(texts))
        return f"{{missing: {{{json.dumps(name, ensure_ascii=False)}: [{listed}]}}}}"
    return None


def _or_read(problem: Problem, read: str | None) -> Problem:
    if read is None or problem.instead != _INSTEAD[_NOT_A_NUMBER]:
        return problem
    return replace(problem, instead=f"{problem.instead}; or read: {read}, in the dataset")


def _problem(
    table: RawTable, name: str, kind: str, rows: Any, value: Callable[[int], str]
) -> Problem:
    first = [int(row) for row in rows[:SHOWN_ROWS]]
    return rows_problem(
        table, f"{name} is {kind}", first, _INSTEAD[kind], [value(row) for row in first], len(rows)
    )


_BETWEEN = re.compile(r"[\s,;]+")
_BRACKETS = {"[": "]", "(": ")"}
#: A list as libraries print it: array([0.1, 0.9], dtype=float32), DenseVector([0.1, 0.9]).
_PRINTED = re.compile(r"(?:array|tensor|DenseVector)\((\[[^\]]*\])(?:, [^()]*)?\)")


def with_columns(raw: RawTable, roles: Roles, rules: Rules) -> tuple[RawTable, Roles]:
    """The table with one column of scores per class, and the roles that name them.

    Raises DataError with the rows whose list is none, or not one number per class.
    """
    column = roles.vector
    if column is None:
        return raw, roles
    labels = classes_of(raw, roles, rules)
    made = raw.once(("vector", column, labels), lambda: _columns(raw, column, labels))
    names = {label: one.name for label, one in zip(labels, made, strict=True)}
    columns = {**raw.columns, **{one.name: one for one in made}}
    header = tuple(dict.fromkeys((*raw.header, *names.values())))
    return (
        replace(raw, columns=columns, header=header, _kept={}),
        replace(roles, vector=None, scores=names),
    )


def classes_of(raw: RawTable, roles: Roles, rules: Rules) -> tuple[str, ...]:
    """The classes in the order of the numbers: as declared, else sorted."""
    named = [rules.positive["label"]] if isinstance(rules.positive, Mapping) else []
    truth = label_column(raw, roles.target).labels
    seen = map(matcher([*rules.declared, *named]), truth)
    others = set(named) | set(raw.classes or seen)
    if rules.declared:
        return (*rules.declared, *order_labels(others - set(rules.declared)))
    return order_labels(others)


def _columns(raw: RawTable, column: str, labels: tuple[str, ...]) -> tuple[RawColumn, ...]:
    """One column of numbers per class; a missing list, or number, is a missing score."""
    source = raw.columns[column]
    values = np.full((raw.rows, len(labels)), math.nan)
    wrong: dict[str, list[tuple[int, str]]] = {}
    for row in np.flatnonzero(~source.missing).tolist():
        found = numbers_of_cell(source.values[row])
        if isinstance(found, str):
            wrong.setdefault(found, []).append((row, quoted(str(source.values[row]))))
        elif found is not None and len(found) != len(labels):
            wrong.setdefault("length", []).append((row, str(len(found))))
        elif found is not None:
            values[row] = found
    if wrong:
        raise DataError(*_problems(raw, column, labels, wrong))
    return tuple(
        RawColumn(f"{column}[{label}]", "float64", own, np.isnan(own))
        for label, own in zip(labels, values.T.copy(), strict=True)
    )


def numbers_of_cell(cell: Any) -> list[float] | str | None:
    """The numbers of a cell, None for an empty one, or what it is instead."""
    if isinstance(cell, str):
        printed = _PRINTED.fullmatch(cell.strip())
        text = cell.strip() if printed is None else printed[1]
        if text[:1] in _BRACKETS and text.endswith(_BRACKETS[text[0]]):
            text = text[1:-1].strip()
        if not text:
            return None
        cell = _BETWEEN.split(text)
    if not isinstance(cell, list):
        return "no list of numbers"
    numbers = [math.nan if part is None else number_of(part) for part in cell]
    if any(isinstance(number, str) for number in numbers):
        return "no list of numbers"
    return [float(number) for number in numbers]


def _problems(
    raw: RawTable,
    column: str,
    labels: tuple[str, ...],
    wrong: Mapping[str, list[tuple[int, str]]],
) -> list[Problem]:
    classes = some([quoted(label) for label in labels])
    found = []
    for kind, rows in wrong.items():
        what = f"{column} is {kind}"
        instead = "write [0.1, 0.9], one number per class"
        if kind == "length":
            what = f"{column} does not have {len(labels)} numbers, one for each class ({classes})"
            instead = "one number per class, in this order; classes that do not occur are declared"
            instead += " in the dataset's `labels`"
        first = rows[:SHOWN_ROWS]
        found.append(
            rows_problem(
                raw,
                what,
                [row for row, _ in first],
                instead,
                [text for _, text in first],
                len(rows),
            )
        )
    return found
