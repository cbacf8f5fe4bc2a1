"""The queries that count, as expression trees: the same ones for DuckDB and for Spark.

Rows stand in a relation ``data`` whose columns are called ``c0``, ``c1``, ... by
their place, so no name and no text of a file ever becomes part of a query.
Queries count, and take the smallest and largest score; they add up no floats,
because such a sum would depend on the order of rows.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
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
    def shown(self) -> str:
        """The DuckDB name of the type of its values in an answer."""
        return "DOUBLE" if self.kind == "NUMBER" else self.kind

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
        inner = exp.func("SUBSTR", self.value, whole(2), exp.Length(this=self.value) - whole(2))
        return exp.Case().when(self.value.like('"%'), inner).else_(bare)


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
    return exp.Case().when(missing, whole(MISSING)).when(wrong, whole(WRONG)).else_(whole(READ))


def read_number(field: Field) -> Tree:
    """The score of a row where its state is READ, else NULL."""
    return exp.Case().when(state(field).eq(whole(READ)), number(field))


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


def there(field: Field) -> Tree:
    """``id`` where a row has a value, and not an empty text; NULL where it has none."""
    return exp.Case().when(exp.not_(field.empty), exp.Literal.string("id"))


def texts_of(field: Field) -> exp.Select:
    """What tells the values of a column apart: one for each row that has one, ``k0``."""
    return (
        exp.select(exp.alias_(exp.cast(field.text, "varchar"), "k0"))
        .from_("data")
        .where(exp.not_(field.empty))
    )


def how_many_rows(where: Tree) -> exp.Select:
    """How many rows there are of which a condition holds."""
    return exp.select(_count()).from_("data").where(where)


def kinds(keys: Sequence[Tree], where: Tree | None, times: Field | None = None) -> exp.Select:
    """Rows by the values of ``keys``: columns ``k0``, ``k1``, ... and ``n``."""
    names = [_column(f"k{i}") for i in range(len(keys))]
    shown = [exp.alias_(key, f"k{i}") for i, key in enumerate(keys)]
    rows = exp.select(*shown, *_times(times)).from_("data").where(_some(where, times))
    return exp.select(*names, _count(times)).from_(rows.subquery("d")).group_by(*names)


def how_many(keys: Sequence[Tree], where: Tree | None) -> exp.Select:
    """How many kinds of rows there are by the values of ``keys``."""
    return exp.select(_count()).from_(kinds(keys, where).subquery("k"))


def uncountable(times: Field) -> exp.Select:
    """How many rows have no count: none, no number, one below 0 or not whole, or too large.

    Columns ``n`` and ``total``, the sum of the counts of the others.
    """
    count = number(times)
    fits = exp.and_(
        state(times).eq(whole(READ)),
        count >= literal("0"),
        count.eq(exp.Floor(this=count.copy())),
        count <= literal(repr(float(MOST))),
    )
    total = exp.Sum(this=exp.Case().when(fits.copy(), count.copy()))
    wrong = exp.Sum(this=exp.Case().when(fits, whole(0)).else_(whole(1)))
    return exp.select(exp.alias_(wrong, "n"), exp.alias_(total, "total")).from_("data")


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


def whole(value: int) -> Tree:
    """A whole number."""
    return exp.Literal.number(value)


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
