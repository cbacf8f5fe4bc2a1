"""The sections of a report, each declared with the kinds of record that it is about.

The declaration stands beside the code that makes the section::

    @section("drift", "Have the data moved?", short="Drift", of=(Drift,))
    def drift_blocks(contents: Contents) -> list[Block]: ...

Every kind of record is that of a section, or stands here with the reason why it has none. Which
sections a report has, in what order, is the template's (:mod:`evalreport.report.wording`).
"""

from __future__ import annotations

import importlib
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cache
from types import MappingProxyType
from typing import TypeAlias

from evalreport.report.contents import Contents
from evalreport.report.model import Block
from evalreport.results import records
from evalreport.results.lookup import parts

Make: TypeAlias = Callable[[Contents], list[Block]]

#: Modules that declare sections; a new one is added here once.
DECLARING = (
    "verdict",
    "series",
    "guide",
    "metric_sections",
    "slices",
    "drift",
    "looks",
    "periods",
    "curves",
    "other_comparisons",
    "readers",
    "folds",
    "rows",
    "characteristics",
    "baselines",
    "claims",
    "training",
    "classes",
    "methods",
    "annexes",
    "checklists",
)

#: Kinds of record that no section is about, with the reason.
UNSHOWN: Mapping[type, str] = {
    records.Logo: "it is at the head of the page",
}


@dataclass(frozen=True)
class Declaration:
    """How a section is made, and the kinds of record that it is about.

    ``annex`` sections are lettered; ``run_on`` ones start no page.
    """

    id: str
    title: str
    short: str
    make: Make
    of: tuple[type, ...] = ()
    intro: str = ""
    annex: bool = False
    run_on: bool = True


_DECLARED: dict[str, Declaration] = {}


def section(
    id_: str,
    title: str,
    *,
    short: str = "",
    of: tuple[type, ...] = (),
    intro: str = "",
    annex: bool = False,
    run_on: bool = True,
) -> Callable[[Make], Make]:
    """Declare a section; ``short`` is its title in lists. Raises ValueError for an id twice."""

    def declare(make: Make) -> Make:
        if id_ in _DECLARED:
            raise ValueError(f"section {id_} is declared twice")
        made = Declaration(id_, title, short or title, make, of, intro, annex, run_on)
        _DECLARED[id_] = made
        return make

    return declare


@cache
def sections() -> Mapping[str, Declaration]:
    """Every declared section by its id.

    Raises LookupError for a kind of record that has no section and no reason for none, or both.
    """
    for module in DECLARING:
        importlib.import_module(f"evalreport.report.{module}")
    shown = {kind for declared in _DECLARED.values() for kind in declared.of}
    for kind in parts():
        if (kind in shown) is (kind in UNSHOWN):
            said = "a section and a" if kind in shown else "no section and no"
            raise LookupError(f"{kind.__name__} has {said} reason for none")
    return MappingProxyType(_DECLARED)
