"""The frame of two files joined by a column in a Spark session, as DuckDB joins them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from evalreport.data.joined import Joined, check_keys, check_shared, without_partner
from evalreport.data.table import PARTNER
from evalreport.engine.counting.spark_frames import Made, frame_of, spark_text
from evalreport.engine.counting.wanted import NotPlainError, Wanted
from evalreport.errors import DataError

_KEYS = ("string", "tinyint", "smallint", "int", "bigint")


def joined_frame(session: Any, source: Joined, wanted: Wanted) -> Made:
    """The frame and header of both files; the last column says which rows have no partner.

    Every row of either is there once. Raises NotPlainError for files that are to be read
    row by row.
    """
    try:
        left = _side(session, source.left, wanted, source.on[0])
        right = _side(session, source.right, wanted, source.on[1])
        check_shared(left[1], right[1], wanted.columns, source)
    except DataError as error:
        # The reader of rows finds it again, with the place.
        raise NotPlainError(str(error).splitlines()[0]) from None
    own, other = left[1].index(source.on[0]), right[1].index(source.on[1])
    mine, theirs = _keyed(left[0], "l", own), _keyed(right[0], "r", other)
    _check_once(theirs, source)
    header, shown = _columns(left[1], right[1], source)
    partner = (
        f"CASE WHEN lhere IS NULL THEN {spark_text(without_partner(source.left.name))} "
        f"WHEN rhere IS NULL THEN {spark_text(without_partner(source.right.name))} END"
    )
    # Keys that are missing are equal to none.
    frame = mine.join(theirs, "key", "full")
    return frame.selectExpr(*shown, f"{partner} AS c{len(header)}"), (*header, PARTNER)


def _side(session: Any, source: Any, wanted: Wanted, key: str) -> Made:
    """One file as a frame of its own, with the column that names its rows."""
    asked = replace(wanted, columns=(*wanted.columns, key), numbers=wanted.numbers - {key})
    frame, header = frame_of(session, source, asked)
    check_keys(header, key, source.name)
    if dict(frame.dtypes)[f"c{header.index(key)}"] not in _KEYS:
        raise NotPlainError("rows are named by other values than text and whole numbers")
    return frame, header


def _keyed(frame: Any, side: str, key: int) -> Any:
    """The frame with its columns called by their side, and the key as text."""
    columns = [f"{name} AS {side}{name[1:]}" for name in frame.columns]
    return frame.selectExpr(
        *columns, f"nullif(CAST(c{key} AS STRING), '') AS key", f"1 AS {side}here"
    )


def _check_once(frame: Any, source: Joined) -> None:
    twice = frame.where("key IS NOT NULL").groupBy("key").count().where("count > 1").limit(1)
    if twice.collect():
        raise NotPlainError(f"{source.right.name} names a row twice")


def _columns(
    left: Sequence[str], right: Sequence[str], source: Joined
) -> tuple[list[str], list[str]]:
    """The joined header, and what selects its columns."""
    header: list[str] = []
    shown: list[str] = []
    for side, names in (("l", left), ("r", right)):
        for old, name in enumerate(names):
            if name in header:
                continue
            kept = "key" if (side, name) == ("l", source.on[0]) else f"{side}{old}"
            shown.append(f"{kept} AS c{len(header)}")
            header.append(name)
    return header, shown
