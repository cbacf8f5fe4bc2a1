"""The one clock of a run: read once at the start, stored, and reused everywhere.

Nothing else in the package asks what time it is, so a run with ``--at`` or
SOURCE_DATE_EPOCH gives the same bytes whenever it is made.
"""

from __future__ import annotations

from collections.abc import Mapping
from datetime import UTC, datetime

from evalreport.errors import Problem, UsageError
from evalreport.spec.series import moment

VARIABLE = "SOURCE_DATE_EPOCH"


def read_clock(at: str | None, environ: Mapping[str, str]) -> datetime:
    """The time of a run, in UTC and whole seconds.

    ``at`` (ISO 8601; UTC where it names no zone) comes first, then
    SOURCE_DATE_EPOCH (whole seconds since 1970; empty counts as not set),
    then the computer's clock. Raises UsageError when the text given is no time.

    >>> read_clock("2026-11-21T13:00:00+01:00", {}).isoformat()
    '2026-11-21T12:00:00+00:00'
    >>> read_clock(None, {"SOURCE_DATE_EPOCH": "86400"}).isoformat()
    '1970-01-02T00:00:00+00:00'
    """
    if at is not None:
        return _from_text(at)
    epoch = environ.get(VARIABLE, "")
    if epoch:
        return _from_epoch(epoch)
    return datetime.now(UTC).replace(microsecond=0)


def clock_kind(at: str | None, environ: Mapping[str, str]) -> str:
    """Where the time of :func:`read_clock` comes from.

    ``given`` with the command, ``source_date_epoch`` by the environment, or ``read`` off the
    computer. A time that was given says nothing of when a run was made, so results keep which
    it was.

    >>> clock_kind(None, {}), clock_kind("2019-01-01", {}), clock_kind(None, {VARIABLE: "86400"})
    ('read', 'given', 'source_date_epoch')
    """
    if at is not None:
        return "given"
    return "source_date_epoch" if environ.get(VARIABLE, "") else "read"


def clock_text(when: datetime) -> str:
    """A time as it is stored in results, manifest and history.

    >>> clock_text(datetime(2026, 11, 21, 12, 0, 5, tzinfo=UTC))
    '2026-11-21T12:00:05Z'
    """
    return _in_utc(when).strftime("%Y-%m-%dT%H:%M:%SZ").rjust(20, "0")


def clock_stamp(when: datetime) -> str:
    """A time as it begins the name of a run folder; sorts by time as text.

    >>> clock_stamp(datetime(2026, 11, 21, 12, 0, 5, tzinfo=UTC))
    '20261121T120005Z'
    """
    return _in_utc(when).strftime("%Y%m%dT%H%M%SZ").rjust(16, "0")


def _in_utc(when: datetime) -> datetime:
    if when.tzinfo is None:
        raise ValueError("a time without a zone; give a datetime in UTC")
    return when.astimezone(UTC)


def _from_text(text: str) -> datetime:
    try:
        return moment(text).replace(microsecond=0)
    except (ValueError, OverflowError):
        raise UsageError(
            Problem(f"--at {text!r} is not a time", "give ISO 8601, such as 2026-11-21T12:00:00Z")
        ) from None


def _from_epoch(text: str) -> datetime:
    # 2**40 seconds lie beyond the year 9999; int() of longer text would only cost time.
    if text.isascii() and text.isdigit() and len(text) <= 13:
        try:
            return datetime.fromtimestamp(int(text), UTC)
        except (ValueError, OverflowError, OSError):
            pass
    raise UsageError(
        Problem(
            f"{VARIABLE}={text!r} is not a time",
            "give whole seconds since 1970-01-01T00:00:00Z, such as 1795262400, or unset it",
        )
    )
