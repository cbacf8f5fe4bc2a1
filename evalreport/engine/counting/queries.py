"""The queries that count, as expression trees: the same ones for DuckDB and for Spark.

Rows stand in a relation ``data`` whose columns are called ``c0``, ``c1``, ... by
their place, so no name and no text of a file ever becomes part of a query.
Queries count, and take the smallest and largest score; they add up no floats,
because such a sum would depend on the order of rows.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any, TypeAlias

from sqlglot import exp

#: A tree of sqlglot; its base classes are called differently from release to release.
Tree: TypeAlias = Any

#: The largest whole number up to which a double counts every one.
MOST = 2**53
#: A number as people write it, the whole of a text and nothing else.
_NUMBER = r"\A[+-]?([0-9]+(\.[0-9]*)?|\.[0-9]+)([eE][+-]?[0-9]+)?\z"
_NUMBER_OF_JSON = (
    r'\A("[+-]?([0-9]+(\.[0-9]*)?|\.[0-9]+)([eE][+-]?[0-9]+)?"'
    r"|-?[0-9]+(\.[0-9]+)?([eE][+-]?[0-9]+)?)\z"
)
_LARGEST = "1.7976931348623157e308"
_DOUBLE = exp.DataType.build("double")
_FLOATS = ("FLOAT", "DOUBLE")
_TEXTS = ("VARCHAR", "JSON")

#: What a row's score is: a finite number, missing, or neither.
READ, MISSING, WRONG = 0, 1, 2


@dataclass(frozen=True)
class Field:
    """A column of ``data``: its place, and the DuckDB name of its type.

    Of rows that were text the type is JSON (each value as JSON writes it), or NUMBER (a
    number, beside its state in a column ``t0``, ``t1``, ...).
    """

    place: int
    kind: str

    @property
    def value(self) -> Tree:
        """The column itself."""
        return _column(f"c{self.place}")

    @property
    def missing(self) -> Tree:
        """Whether there is no value: NULL, or NaN."""
        if self.kind in _FLOATS:
            return exp.or_(_null(self.value), exp.func("ISNAN", self.value))
        return _null(self.value)

    @property
    def empty(self) -> Tree:
        """Whether there is no value, or empty text."""
        if self.kind == "VARCHAR":
            return exp.or_(_null(self.value), self.value.eq(exp.Literal.string("")))
        if self.kind == "JSON":
            return exp.or_(_null(self.value), self.value.eq(exp.Literal.string('""')))
        return self.missing

    @property
    def text(self) -> Tree:
        """What tells values apart: of JSON 1, 1.0 and "1" are one."""
        if self.kind != "JSON":
            return self.value
        bare = exp.func(
            "REGEXP_REPLACE", self.value, exp.Literal.string(r"\.0$"), exp.Literal.string("")
        )
        inner = exp.func("SUBSTR", self.value, _whole(2), exp.Length(this=self.value) - _whole(2))
        return exp.Case().when(self.value.like('"%'), inner).else_(bare)


@dataclass(frozen=True)
class Binning:
    """How scores are put into bins: ``bins`` of equal width from ``low`` to ``high``.

    From 0 to 1, bin k holds exactly the scores from k / bins up to, not including,
    (k + 1) / bins. Elsewhere the edges may be off by a rounding, but bins are in the
    order of the scores and do not overlap. ``cuts`` are thresholds that no bin spans.
    """

    bins: int
    low: float
    high: float
    cuts: tuple[float, ...] = ()

    @property
    def unit(self) -> bool:
        """Whether bins run from 0 to 1."""
        return (self.low, self.high) == (0.0, 1.0)


def number(field: Field) -> Tree:
    """The score of a row as a double; NULL where it is missing or no number."""
    if field.kind not in _TEXTS:
        return _double(field.value)
    text = field.value
    if field.kind == "JSON":
        # Quotes stand around texts; a number may be written as one.
        text = exp.func("REPLACE", text, exp.Literal.string('"'), exp.Literal.string(""))
    pattern = exp.Literal.string(_NUMBER if field.kind == "VARCHAR" else _NUMBER_OF_JSON)
    plain = exp.RegexpLike(this=field.value, expression=pattern)
    return exp.Case().when(plain, exp.TryCast(this=text, to=exp.DataType.build("double")))


def state(field: Field) -> Tree:
    """READ, MISSING or WRONG, for the score of a row."""
    if field.kind == "NUMBER":
        return _column(f"t{field.place}")
    score = number(field)
    missing = field.missing
    if field.kind in _TEXTS:
        told = "nan" if field.kind == "VARCHAR" else '"nan"'
        nan = exp.func("LOWER", field.value).eq(exp.Literal.string(told))
        missing = exp.or_(field.empty, nan)
    too_large = exp.func("ABS", score) > literal(_LARGEST)
    wrong = exp.or_(_null(score), too_large)
    return exp.Case().when(missing, _whole(MISSING)).when(wrong, _whole(WRONG)).else_(_whole(READ))


def read_number(field: Field) -> Tree:
    """The score of a row where its state is READ, else NULL."""
    return exp.Case().when(state(field).eq(_whole(READ)), number(field))


def cells(
    keys: Sequence[Field],
    score: Field | None,
    gap: Field | None,
    times: Field | None = None,
) -> exp.Select:
    """Rows by the values of ``keys``, by the state of the score, by a missing id.

    ``times``, here and below: the column that says how many rows each one stands for.

    Columns ``k0``, ``k1``, ..., ``state``, ``gap``, ``n``; of the scores that are
    numbers ``low``, ``high`` and how many lie ``outside`` 0 to 1.
    """
    inside = [exp.alias_(field.value, f"k{i}") for i, field in enumerate(keys)]
    inside.append(exp.alias_(state(score) if score else _whole(READ), "state"))
    empty = _flag(gap.empty) if gap else _whole(0)
    inside.append(exp.alias_(empty, "gap"))
    value = _double(exp.null())
    if score is not None:
        value = read_number(score)
    inside.append(exp.alias_(value, "s"))
    inside += _times(times)
    by = [_column(f"k{i}") for i in range(len(keys))] + [_column("state"), _column("gap")]
    s = _column("s")
    outside = exp.or_(s < literal("0"), s > literal("1"))
    out = exp.Sum(this=_flag(outside) if times is None else _flag(outside) * _column("times"))
    return (
        exp.select(*by, _count(times), *_range(s), exp.alias_(_whole_sum(out, times), "outside"))
        .from_(exp.select(*inside).from_("data").where(_some(None, times)).subquery("d"))
        .group_by(*by)
    )


def used(
    labels: Sequence[Field],
    score: Field | None,
    names: Sequence[Field],
    alone: Sequence[Field] = (),
) -> Tree:
    """Whether a row has its labels, its score, its fold and id, and is not marked as ``alone``."""
    conditions = [exp.not_(field.missing) for field in labels]
    if score is not None:
        conditions.append(state(score).eq(_whole(READ)))
    conditions += [exp.not_(field.empty) for field in names]
    conditions += [field.missing for field in alone]
    return exp.and_(*conditions)


def scored_only(target: Field, score: Field) -> Tree:
    """Whether a row has a score and no label."""
    return exp.and_(target.missing, state(score).eq(_whole(READ)))


def distinct_scores(score: Field, where: Tree | None, first: int | None) -> exp.Select:
    """How many distinct scores there are, among any ``first`` rows or among all."""
    rows = exp.select(exp.alias_(number(score), "s")).from_("data").where(where)
    if first is not None:
        rows = rows.limit(first)
    distinct = exp.select("s").from_(rows.subquery("r")).distinct()
    return exp.select(_count()).from_(distinct.subquery("d"))


def repeated(field: Field) -> exp.Select:
    """One value that stands in several rows, with how many, if there is any."""
    value = exp.alias_(field.text, "k0")
    return (
        exp.select(value, _count())
        .from_("data")
        .where(exp.not_(field.empty))
        .group_by(field.text)
        .having(exp.Count(this=exp.Star()) > 1)
        .limit(1)
    )


def flag(condition: Tree) -> Tree:
    """1 where a condition holds, else 0."""
    return _flag(condition)


def coded(field: Field, codes: Mapping[str | None, int]) -> Tree:
    """The code of each text of a column, for texts that are few; NULL for any other."""
    case = exp.Case()
    for text, code in codes.items():
        same = _null(field.value) if text is None else field.value.eq(exp.Literal.string(text))
        case = case.when(same, _whole(code))
    return case


def fingerprint(field: Field) -> Tree:
    """A number of 64 bits for each text of a column, where the engine has such; NULL for none."""
    return exp.Case().when(exp.not_(_null(field.value)), exp.func("HASH", field.value))


def score_counts(
    keys: Sequence[Tree],
    score: Field,
    where: Tree | None,
    binning: Binning | None,
    times: Field | None = None,
) -> exp.Select:
    """Rows by the values of ``keys`` and by score, or bin of scores.

    Columns ``k0``, ``k1``, ...; ``s`` and ``n``; with bins ``bin``, ``step``, ``n``,
    ``low`` and ``high``, the range of the scores that occur there.
    """
    keys = [exp.alias_(key, f"k{i}") for i, key in enumerate(keys)]
    names = [_column(f"k{i}") for i in range(len(keys))]
    rows = exp.select(*keys, exp.alias_(number(score), "s"), *_times(times)).from_("data")
    rows = rows.where(_some(where, times))
    s = _column("s")
    if binning is None:
        counted = exp.select(*names, s, _count(times)).from_(rows.subquery("d"))
        return counted.group_by(*names, s)
    kept = [] if times is None else [_column("times")]
    placed = exp.select(
        *names, s, *kept, exp.alias_(_bin(s, binning), "bin"), exp.alias_(_step(s, binning), "step")
    ).from_(rows.subquery("d"))
    names += [_column("bin"), _column("step")]
    counted = exp.select(*names, _count(times), *_range(s)).from_(placed.subquery("p"))
    return counted.group_by(*names)


def kinds(keys: Sequence[Tree], where: Tree | None, times: Field | None = None) -> exp.Select:
    """Rows by the values of ``keys``: columns ``k0``, ``k1``, ... and ``n``."""
    names = [_column(f"k{i}") for i in range(len(keys))]
    shown = [exp.alias_(key, f"k{i}") for i, key in enumerate(keys)]
    rows = exp.select(*shown, *_times(times)).from_("data").where(_some(where, times))
    return exp.select(*names, _count(times)).from_(rows.subquery("d")).group_by(*names)


def binned_kinds(
    keys: Sequence[Tree],
    scores: Sequence[tuple[Tree, Sequence[float]]],
    where: Tree | None,
    times: Field | None = None,
) -> exp.Select:
    """Rows by the values of ``keys`` and by how many edges each of the ``scores`` reaches.

    Columns ``k0``, ``k1``, ...; ``b0``, ``b1``, ... of each score, NULL where there is none;
    and ``n``. Edges are ascending.
    """
    names = [_column(f"k{i}") for i in range(len(keys))]
    shown = [exp.alias_(key, f"k{i}") for i, key in enumerate(keys)]
    shown += [exp.alias_(score, f"s{i}") for i, (score, _) in enumerate(scores)]
    rows = exp.select(*shown, *_times(times)).from_("data").where(_some(where, times))
    kept = [] if times is None else [_column("times")]
    bins = [
        exp.alias_(reached(_column(f"s{i}"), edges), f"b{i}", copy=False)
        for i, (_, edges) in enumerate(scores)
    ]
    placed = exp.select(*names, *kept, *bins, copy=False).from_(rows.subquery("d"), copy=False)
    by = [*names, *(_column(f"b{i}") for i in range(len(scores)))]
    counted = exp.select(*by, _count(times)).from_(placed.subquery("p", copy=False), copy=False)
    return counted.group_by(*by, copy=False)


def ranges(
    keys: Sequence[Tree], score: Tree, where: Tree | None, times: Field | None = None
) -> exp.Select:
    """The same with the smallest and largest ``score`` of each kind, ``low`` and ``high``."""
    names = [_column(f"k{i}") for i in range(len(keys))]
    shown = [exp.alias_(key, f"k{i}") for i, key in enumerate(keys)]
    shown += [exp.alias_(score, "s"), *_times(times)]
    rows = exp.select(*shown).from_("data").where(_some(where, times)).subquery("d")
    counted = exp.select(*names, _count(times), *_range(_column("s"))).from_(rows)
    return counted.group_by(*names)


def how_many(keys: Sequence[Tree], where: Tree | None) -> exp.Select:
    """How many kinds of rows there are by the values of ``keys``."""
    return exp.select(_count()).from_(kinds(keys, where).subquery("k"))


def how_many_of(keys: Sequence[Tree], where: Tree | None, first: int) -> exp.Select:
    """How many kinds there are among any ``first`` rows."""
    shown = [exp.alias_(key, f"k{i}") for i, key in enumerate(keys)]
    rows = exp.select(*shown).from_("data").where(where).limit(first)
    distinct = exp.select(*(_column(f"k{i}") for i in range(len(keys)))).from_(rows.subquery("r"))
    return exp.select(_count()).from_(distinct.distinct().subquery("d"))


def uncountable(times: Field) -> exp.Select:
    """How many rows have no count: none, no number, one below 0 or not whole, or too large.

    Columns ``n`` and ``total``, the sum of the counts of the others.
    """
    count = number(times)
    fits = exp.and_(
        state(times).eq(_whole(READ)),
        count >= literal("0"),
        count.eq(exp.Floor(this=count.copy())),
        count <= literal(repr(float(MOST))),
    )
    total = exp.Sum(this=exp.Case().when(fits.copy(), count.copy()))
    wrong = exp.Sum(this=exp.Case().when(fits, _whole(0)).else_(_whole(1)))
    return exp.select(exp.alias_(wrong, "n"), exp.alias_(total, "total")).from_("data")


def reached(s: Tree, edges: Sequence[float]) -> Tree:
    """How many ascending thresholds a score reaches, by quartering them; NULL for no score.

    DuckDB takes a third less time than by halving, as each of the branches costs it the same, and
    others compare hardly more often. No part of the tree is copied but the score: with hundreds of
    thresholds that took longer than all else in Python.
    """

    def among(low: int, high: int) -> Tree:
        if low == high:
            return _whole(low)
        rungs = high - low + 1
        starts = [low + rungs * i // 4 for i in range(5)]
        case = exp.Case()
        for start, end in reversed([*pairwise(starts)][1:]):
            if start < end and start > low:
                above = exp.GTE(this=s.copy(), expression=literal(repr(edges[start - 1])))
                case = case.when(above, among(start, end - 1), copy=False)
        lowest = next(start for start in starts if start > low)
        return case.else_(among(low, lowest - 1), copy=False)

    return exp.Case().when(exp.not_(_null(s)), among(0, len(edges)), copy=False)


def all_of(conditions: Sequence[Tree]) -> Tree:
    """All of the conditions."""
    return exp.and_(*conditions)


def there(field: Field) -> Tree:
    """Whether a row has a value, and not an empty text."""
    return exp.not_(field.empty)


def above_zero(field: Field) -> Tree:
    """Whether a row has a number above 0."""
    return exp.and_(state(field).eq(_whole(READ)), number(field) > literal("0"))


def _bin(s: Tree, binning: Binning) -> Tree:
    bins = literal(str(binning.bins))
    if not binning.unit:
        scale = literal(repr(binning.bins / (binning.high - binning.low)))
        return _int(_double(exp.Floor(this=(s - literal(repr(binning.low))) * scale)))
    near = _double(exp.Floor(this=s * bins))
    # The product may round across an edge; the edges k / bins themselves are exact.
    down, up = _flag(s < near / bins), _flag(s >= (near + literal("1")) / bins)
    return _int(near) - down + up


def _step(s: Tree, binning: Binning) -> Tree:
    """How many cuts lie at or below a score, and how many below: equal scores stay alone."""
    total: Tree = _whole(0)
    for cut in binning.cuts:
        at = literal(repr(cut))
        total = total + _flag(s >= at) + _flag(s > at)
    return total


def _column(name: str) -> exp.Column:
    return exp.column(name, quoted=True)


def _null(value: Tree) -> Tree:
    return value.is_(exp.null())


def _double(value: Tree) -> Tree:
    return exp.cast(value, _DOUBLE)


def _int(value: Tree) -> Tree:
    return exp.cast(value, "bigint")


def literal(text: str) -> Tree:
    """A number, by its text, as a double."""
    return _double(exp.Literal.string(text))


def _whole(value: int) -> Tree:
    return exp.Literal.number(value)


def _flag(condition: Tree) -> Tree:
    return exp.Case().when(condition, _whole(1)).else_(_whole(0))


def _count(times: Field | None = None) -> Tree:
    if times is None:
        return exp.alias_(exp.Count(this=exp.Star()), "n")
    return exp.alias_(_whole_sum(exp.Sum(this=_column("times")), times), "n")


def _whole_sum(total: Tree, times: Field | None) -> Tree:
    """A sum of counts as a whole number; doubles hold every one up to the most that is counted."""
    return total if times is None else _int(total)


def _times(times: Field | None) -> list[Tree]:
    return [] if times is None else [exp.alias_(_double(number(times)), "times")]


def _some(where: Tree | None, times: Field | None) -> Tree | None:
    """The condition, and that a row stands for any at all."""
    if times is None:
        return where
    some = number(times) > literal("0")
    return some if where is None else exp.and_(where, some)


def _range(s: Tree) -> list[Tree]:
    return [exp.alias_(exp.Min(this=s), "low"), exp.alias_(exp.Max(this=s), "high")]
