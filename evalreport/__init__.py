"""Evaluation reports of classifiers that can be checked by hand.

import evalreport
results = evalreport.run("audit.yaml")
results.measures          # a pandas data frame, one row per number
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from evalreport.version import __version__

if TYPE_CHECKING:
    from evalreport.api import Results, run

__all__ = ["Results", "__version__", "run"]


def __getattr__(name: str) -> Any:
    """Public names are imported when they are first used: the command must start quickly."""
    if name in ("Results", "run"):
        from evalreport import api

        return getattr(api, name)
    raise AttributeError(f"module 'evalreport' has no attribute '{name}'")
