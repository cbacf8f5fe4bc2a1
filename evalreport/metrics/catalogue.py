"""Every declared metric, found by name or alias.

>>> find("ppv").name
'precision'
>>> "ppv" in known_names(), "precision" in known_names()
(True, True)
"""

from __future__ import annotations

import importlib
from functools import cache

from evalreport.metrics.declare import REGISTRY, Metric

#: Modules that declare metrics; a new module of declarations is added here once.
DECLARING = (
    "counts",
    "combined",
    "diagnostic",
    "matrix",
    "ranking",
    "precision_recall",
    "h_measure",
    "targeting",
    "probabilities",
    "calibration",
    "goodness_of_fit",
    "label_sets",
    "label_ranking",
)


@cache
def catalogue() -> tuple[Metric, ...]:
    """All metrics in the order they are declared, each once, whatever was imported before."""
    for module in DECLARING:
        importlib.import_module(f"evalreport.metrics.{module}")
    unique: dict[str, Metric] = {}
    for declared in REGISTRY.values():
        unique.setdefault(declared.name, declared)
    places = {f"evalreport.metrics.{module}": k for k, module in enumerate(DECLARING)}
    # sorted is stable: within a module the order of declaration stays
    place = {name: places.get(m.function.__module__, len(places)) for name, m in unique.items()}
    return tuple(sorted(unique.values(), key=lambda m: place[m.name]))


def find(word: str) -> Metric | None:
    """The metric with this name or alias, or None."""
    catalogue()
    return REGISTRY.get(word)


def known_names() -> tuple[str, ...]:
    """Every name and alias, sorted."""
    catalogue()
    return tuple(sorted(REGISTRY))
