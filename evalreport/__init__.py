"""Evaluation reports of classifiers that can be checked by hand.

import evalreport
results = evalreport.evaluate(y_true, y_score)        # arrays; a notebook shows the report
results = evalreport.evaluate_estimator(model, X, y)  # a classifier, with cv= or without
results = evalreport.run("audit.yaml")                # a spec
print(results)                                        # a table: metric, value, interval, n
results["recall"].low                                 # one number of it
results.measures                                      # a pandas data frame, one row per number
"""

from evalreport.processes import leave_start_folder

# Before anything is imported that a file of that folder could stand in for.
leave_start_folder()

from typing import TYPE_CHECKING, Any  # noqa: E402

from evalreport.version import __version__  # noqa: E402

if TYPE_CHECKING:
    from evalreport.api import Results, evaluate, evaluate_estimator, run, scorer
    from evalreport.errors import (
        ConflictError,
        DataError,
        EvalreportError,
        FilesError,
        SpecError,
        UsageError,
    )

#: Public names by the module they live in, imported when they are first used: the command
#: must start quickly.
_HOMES = {
    **dict.fromkeys(("Results", "evaluate", "evaluate_estimator", "run", "scorer"), "api"),
    **dict.fromkeys(
        ("ConflictError", "DataError", "EvalreportError", "FilesError", "SpecError", "UsageError"),
        "errors",
    ),
}

__all__ = [
    "ConflictError",
    "DataError",
    "EvalreportError",
    "FilesError",
    "Results",
    "SpecError",
    "UsageError",
    "__version__",
    "evaluate",
    "evaluate_estimator",
    "run",
    "scorer",
]


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"module 'evalreport' has no attribute '{name}'")
    from importlib import import_module

    return getattr(import_module(f"evalreport.{_HOMES[name]}"), name)


def __dir__() -> list[str]:
    """The public names, for completion."""
    return sorted(__all__)
