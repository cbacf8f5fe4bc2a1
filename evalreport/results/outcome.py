"""What a run came to, in one word."""

from __future__ import annotations

from evalreport.results.lookup import Results
from evalreport.results.records import CONTINUE, HELD


def outcome_of(results: Results) -> str:
    """``passed``, ``failed``, ``continue`` (nothing failed, a further look decides) or ``done``.

    ``done``: there is no criterion to judge by.
    """
    if results.failures:
        return "failed"
    outcomes = {entry.outcome for entry in results.acceptance}
    if not outcomes:
        return "done"
    if not outcomes <= {*HELD, CONTINUE}:
        return "failed"
    return CONTINUE if CONTINUE in outcomes else "passed"
