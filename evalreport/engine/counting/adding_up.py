"""Answers of counting queries that add up: one of each file, put together into that of all.

An answer adds up where rows are counted by keys, with the lowest and highest of what they
hold beside: equal keys of several answers are one row of the sum. Counts are whole numbers,
so the sum does not depend on how rows were divided, to the last bit.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from sqlglot import exp

from evalreport.engine.counting.answering import Columns

#: Columns that hold sums of whole numbers; a sum of anything else may not add up.
_SUMS = frozenset({"n", "outside", "total"})
#: What makes an answer depend on all of its rows at once.
_WHOLE = ("limit", "having", "distinct", "joins", "order", "offset", "qualify", "windows")
#: Codes of several columns are one number while they stay below this.
_MOST = 2**62

#: What becomes of each column: "key", "sum", "min" or "max".
Parts = Mapping[str, str]


def additive(query: exp.Select) -> Parts | None:
    """How answers of a query add up, column by column; None where they do not."""
    for select in query.find_all(exp.Select):
        if any(select.args.get(name) for name in _WHOLE):
            return None
        if select is not query and (select.args.get("group") or select.find(exp.AggFunc)):
            return None
    found = {one.alias_or_name: _part(one) for one in query.selects}
    return None if None in found.values() else {k: str(v) for k, v in found.items()}


def _part(shown: Any) -> str | None:
    tree, name = shown, shown.alias_or_name
    while isinstance(tree, (exp.Alias, exp.Cast)):
        tree = tree.this
    if isinstance(tree, exp.Column):
        return "key"
    if isinstance(tree, (exp.Count, exp.Sum)):
        return "sum" if name in _SUMS else None
    return {exp.Min: "min", exp.Max: "max"}.get(type(tree))


def counted_kinds(query: exp.Select) -> exp.Select | None:
    """The query whose answer has as many rows as a query counts kinds; None for any other.

    Whether there are few kinds is for whoever asks.
    """
    shown, inner = query.selects, query.find(exp.Subquery)
    if len(shown) != 1 or inner is None or not isinstance(shown[0].this, exp.Count):
        return None
    found = inner.this
    if query.args.get("group") or not isinstance(found, exp.Select):
        return None
    if not found.args.get("distinct"):
        return found if additive(found) is not None else None
    keys = [one.copy() for one in found.selects]
    counted = found.copy()
    counted.set("distinct", None)
    counted = counted.select(exp.alias_(exp.Count(this=exp.Star()), "n")).group_by(*keys)
    return counted if additive(counted) is not None else None


def limited(query: exp.Select) -> int | None:
    """How many rows a query looks at, any of them; None where it looks at all."""
    limit = query.find(exp.Limit)
    if limit is None or query.args.get("limit"):
        return None
    return int(limit.expression.name)


def added(answers: Sequence[Columns], parts: Parts) -> Columns:
    """One answer of several, of the rows of all of them. Rows come in the order of their keys.

    Memory: the answers once more, and 8 to 16 bytes for each of their rows.
    """
    if len(answers) == 1:
        return answers[0]
    columns = {name: _joined([answer[name] for answer in answers]) for name in parts}
    rows = len(next(iter(columns.values())))
    words = _words([columns[name] for name, part in parts.items() if part == "key"], rows)
    order = np.argsort(words[0], kind="stable") if len(words) == 1 else np.lexsort(words[::-1])
    new = np.zeros(rows, np.bool_)
    new[:1] = True
    for word in words:
        sorted_word = word[order]
        new[1:] |= sorted_word[1:] != sorted_word[:-1]
    starts = np.flatnonzero(new)
    return {name: _of(columns[name], parts[name], order, starts) for name in parts}


def _joined(columns: Sequence[Any]) -> Any:
    masked = any(np.ma.getmaskarray(column).any() for column in columns)
    values = np.concatenate([np.ma.getdata(column) for column in columns])
    if not masked:
        return values
    gaps = np.concatenate([np.ma.getmaskarray(column) for column in columns])
    return np.ma.MaskedArray(values, gaps)


def _of(column: Any, part: str, order: Any, starts: Any) -> Any:
    """A column of the sum."""
    if part == "key":
        chosen = column[order[starts]]
        return chosen + 0.0 if chosen.dtype.kind == "f" else chosen
    if not len(starts):
        return column[:0]
    values, gaps = np.ma.getdata(column)[order], np.ma.getmaskarray(column)[order]
    if part == "sum":
        found = np.add.reduceat(np.where(gaps, 0, values), starts, dtype=values.dtype)
    else:
        nothing = np.inf if part == "min" else -np.inf
        least = np.minimum if part == "min" else np.maximum
        found = least.reduceat(np.where(gaps, nothing, values), starts).astype(values.dtype)
    none = np.logical_and.reduceat(gaps, starts)
    return np.ma.MaskedArray(found, none) if none.any() else found


def _words(keys: Sequence[Any], rows: int) -> list[Any]:
    """Whole numbers that tell combinations of keys apart, in few words."""
    words: list[Any] = []
    width = 1
    for key in keys:
        codes, span = _codes(key)
        if words and width * span < _MOST:
            words[-1] = words[-1] * span + codes
            width *= span
        else:
            words.append(codes)
            width = span
    return words or [np.zeros(rows, np.int64)]


def _codes(key: Any) -> tuple[Any, int]:
    """Codes from 0 on that tell values apart, and how many there can be; 0 for no value."""
    gaps, values = np.ma.getmaskarray(key), np.ma.getdata(key)
    if values.dtype.kind == "O":
        known: dict[Any, int] = {}
        texts = zip(values.tolist(), gaps.tolist(), strict=True)
        found = [0 if gap else known.setdefault(text, len(known) + 1) for text, gap in texts]
        return np.array(found, np.int64), len(known) + 1
    plain = values[~gaps]
    if values.dtype.kind in "iub" and len(plain):
        low, high = int(plain.min()), int(plain.max())
        if high - low + 2 < _MOST and high < 2**63:
            shifted = values.astype(np.int64) - (low - 1)
            return np.where(gaps, 0, shifted), high - low + 2
    present, places = np.unique(
        plain + 0.0 if values.dtype.kind == "f" else plain, return_inverse=True
    )
    codes = np.zeros(len(values), np.int64)
    codes[~gaps] = places + 1
    return codes, len(present) + 1
