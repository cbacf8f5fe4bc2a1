"""One part of a run that fails unexpectedly is recorded as failed; the others go on.

What is guarded so: thresholds, measures, curves, comparisons, criteria against a
reference, cautions, periods, gaps between subgroups and baselines. A fault before
them (reading, planning) leaves nothing to report, and remains a bug of the program.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar

from evalreport.errors import EvalreportError
from evalreport.results.records import Failure

T = TypeVar("T")
Failures = list[Failure]


def guarded(
    failures: Failures, section: str, work: Callable[[], T], otherwise: T, **place: str
) -> T:
    """What ``work`` gives; ``otherwise``, and a record in ``failures``, where it fails.

    ``place`` names the dataset and model. Errors that have an exit status of their own,
    those of the machine (files, memory) included, are raised as ever.
    """
    try:
        return work()
    except (EvalreportError, OSError, MemoryError):
        raise
    except Exception as error:  # noqa: BLE001 - shown in its place, with status 1
        reason = f"{type(error).__name__}: {error}"
        failures.append(Failure(section, reason, **place))
        return otherwise
