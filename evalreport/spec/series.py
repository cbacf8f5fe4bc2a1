"""The series of a spec: the line of history that its runs stand in."""

from __future__ import annotations

import hashlib
import re
from typing import Annotated, Literal, TypeAlias
from urllib.parse import quote

from pydantic import AfterValidator, StringConstraints

from evalreport.spec.faults import Fault, refuse
from evalreport.spec.fields import Name

#: How often a run is due.
Cadence: TypeAlias = Literal["day", "week", "month", "quarter", "year"]

LATEST = "latest"
#: Longer names of links are cut, and end with a hash of the whole.
MOST_BYTES = 120

_NOT_SHOWN = re.compile(r"[\x00-\x1f\x7f/\\]")


def _one_line(name: str) -> str:
    if _NOT_SHOWN.search(name):
        what = "a series with a slash or a control character"
        raise refuse(Fault(what, "letters, digits, spaces, '.', '_' and '-'"))
    return name


SeriesName: TypeAlias = Annotated[
    Name, StringConstraints(max_length=100), AfterValidator(_one_line)
]


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
