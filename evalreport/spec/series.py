"""The series of a spec: the line of history that its runs stand in."""

from __future__ import annotations

import hashlib
import re
from contextlib import suppress
from datetime import UTC, date, datetime, timedelta
from typing import Annotated, Literal, TypeAlias
from urllib.parse import quote

from pydantic import AfterValidator, StringConstraints

from evalreport.spec.fields import Fault, Name, refuse

#: How often a run is due.
Cadence: TypeAlias = Literal["day", "week", "month", "quarter", "year"]

#: How long a cadence is at most, in days; months, quarters and years by their longest.
DAYS = {"day": 1.0, "week": 7.0, "month": 31.0, "quarter": 92.0, "year": 366.0}

LATEST = "latest"
#: Longer names of links are cut, and end with a hash of the whole.
MOST_BYTES = 120

_NOT_SHOWN = re.compile(r"[\x00-\x1f\x7f/\\]")


def _one_line(name: str) -> str:
    if _NOT_SHOWN.search(name):
        what = "a series with a slash or a control character"
        raise refuse(Fault(what, "letters, digits, spaces, '.', '_' and '-'"))
    return name


#: Longer names of series are refused.
MOST_LETTERS = 100
SeriesName: TypeAlias = Annotated[
    Name, StringConstraints(max_length=MOST_LETTERS), AfterValidator(_one_line)
]


def moment(text: str) -> datetime:
    """A date (its first second) or time of ISO 8601, in UTC. ValueError where it is none.

    >>> moment("2026-11-20").isoformat(), moment("2026-11-20T03:00:00+01:00").isoformat()
    ('2026-11-20T00:00:00+00:00', '2026-11-20T02:00:00+00:00')
    """
    when = datetime.fromisoformat(text)
    return when.replace(tzinfo=UTC) if when.tzinfo is None else when.astimezone(UTC)


def missed(cadence: str, before: str, now: str) -> int:
    """How many runs should have come between two of a series, each a date or a time.

    Months, quarters and years are counted by their mean length in the Gregorian calendar, so that
    any number of them comes out right.

    >>> missed("day", "2026-11-17", "2026-11-20"), missed("month", "2026-01-31", "2026-02-28")
    (2, 0)
    >>> missed("month", "2020-01-01", "2026-01-01")
    71
    """
    months = {"month": 1, "quarter": 3, "year": 12}.get(cadence)
    days = DAYS[cadence] if months is None else months * 365.2425 / 12
    return max(0, round((moment(now) - moment(before)) / timedelta(days=days)) - 1)


def one_zone(text: str) -> str:
    """A date as year, month and day, a time in UTC and whole seconds, so that both sort as text.

    ValueError or OverflowError where it is neither.

    >>> one_zone("2026-W47-5"), one_zone("2026-11-20T01:00:00+02:00")
    ('2026-11-20', '2026-11-19T23:00:00Z')
    """
    with suppress(ValueError):
        return date.fromisoformat(text).isoformat()
    return moment(text).strftime("%Y-%m-%dT%H:%M:%SZ")


def _a_moment(text: str) -> str:
    try:
        return one_zone(text)
    except (ValueError, OverflowError):
        what = f"{text!r} is neither a date nor a time"
        raise refuse(Fault(what, "ISO 8601, such as 2026-11-20 or 2026-11-20T06:00:00Z")) from None


#: What the data of a run are of.
AsOf: TypeAlias = Annotated[Name, StringConstraints(max_length=40), AfterValidator(_a_moment)]


def series_link(series: str) -> str:
    """The name, in a folder of runs, of the link to the newest run of a series.

    Letters and digits of any script, spaces, '.', '_' and '-' are kept, everything else is
    written as in addresses.

    >>> series_link("weekly_triage"), series_link("a/b")
    ('latest-weekly_triage', 'latest-a%2Fb')
    """
    kept = "".join(c if c.isalnum() or c in " ._-" else quote(c, safe="") for c in series)
    if len(kept.encode()) > MOST_BYTES:
        kept = kept.encode()[:MOST_BYTES].decode(errors="ignore")
        kept += f"-{hashlib.sha256(series.encode()).hexdigest()[:12]}"
    return f"{LATEST}-{kept}"
