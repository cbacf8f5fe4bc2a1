"""The clock: what is accepted, in which order, and what is refused."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta, timezone

import pytest

from evalreport.errors import UsageError
from evalreport.runs.clock import clock_stamp, clock_text, read_clock

EPOCH = {"SOURCE_DATE_EPOCH": "1795262400"}


@pytest.mark.parametrize(
    ("at", "environ", "expected"),
    [
        ("2026-11-21T12:00:00Z", EPOCH, "2026-11-21T12:00:00Z"),
        ("2026-11-21T13:30:00+01:30", {}, "2026-11-21T12:00:00Z"),
        ("2026-11-21T12:00:00.999999", {}, "2026-11-21T12:00:00Z"),
        ("2026-11-21", {}, "2026-11-21T00:00:00Z"),
        ("0999-01-02", {}, "0999-01-02T00:00:00Z"),
        (None, EPOCH, "2026-11-21T12:00:00Z"),
        (None, {"SOURCE_DATE_EPOCH": "0"}, "1970-01-01T00:00:00Z"),
        (None, {"SOURCE_DATE_EPOCH": "253402300799"}, "9999-12-31T23:59:59Z"),
    ],
)
def test_times_given(at: str | None, environ: dict[str, str], expected: str) -> None:
    assert clock_text(read_clock(at, environ)) == expected


@pytest.mark.parametrize("environ", [{}, {"SOURCE_DATE_EPOCH": ""}])
def test_otherwise_it_is_now_in_whole_seconds(environ: dict[str, str]) -> None:
    read = read_clock(None, environ)
    assert abs(datetime.now(UTC) - read) < timedelta(seconds=5)
    assert (read.microsecond, read.tzinfo) == (0, UTC)


@pytest.mark.parametrize("at", ["", "yesterday", "12:00", "2026-13-01", "0001-01-01T00:00+23:00"])
def test_no_time_at_all(at: str) -> None:
    with pytest.raises(UsageError, match=r"--at .* is not a time; give ISO 8601"):
        read_clock(at, EPOCH)


@pytest.mark.parametrize(
    "epoch", ["1.5", "-1", " 1", "1e9", "tomorrow", "٣", "253402300800", "9" * 5000]
)
def test_no_epoch_at_all(epoch: str) -> None:
    with pytest.raises(UsageError, match=r"SOURCE_DATE_EPOCH=.* is not a time"):
        read_clock(None, {"SOURCE_DATE_EPOCH": epoch})


def test_stamp_is_in_utc_and_refuses_a_time_without_zone() -> None:
    when = datetime(2026, 11, 21, 1, 0, tzinfo=timezone(timedelta(hours=2)))
    assert clock_stamp(when) == "20261120T230000Z"
    with pytest.raises(ValueError, match="without a zone"):
        clock_stamp(datetime(2026, 11, 21))  # noqa: DTZ001
