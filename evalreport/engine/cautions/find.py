"""All cautions of a run, as the records of ``results.json``."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from functools import partial
from typing import Any

from evalreport.engine.cautions.catalogue import catalogue, code_problem
from evalreport.engine.cautions.declare import Caution, Declared
from evalreport.engine.cautions.facts import RunFacts
from evalreport.engine.cautions.wording import counted
from evalreport.engine.guarding import Failures, guarded
from evalreport.errors import SpecError
from evalreport.results import records

_RANK = {"warning": 0, "note": 1}


def find_cautions(
    run: RunFacts, off: Mapping[str, str] | None = None, failures: Failures | None = None
) -> list[records.Caution]:
    """Every caution that applies, warnings first, then in the order of the catalogue.

    A check that fails unexpectedly is recorded in ``failures``; the others go on.

    ``off`` gives a reason for each code that the spec switches off; each of those
    comes back once, as a note that prints the reason and how often it was found.

    Raises SpecError where a code in ``off`` is not in the catalogue or has no reason.
    """
    switched_off = dict(off or {})
    problems = [p for code in switched_off if (p := code_problem(code)) is not None]
    if problems:
        raise SpecError(*problems)
    placed = []
    failed: Failures = failures if failures is not None else []
    whole = run
    if any(view.unknown for view in run.views):
        whole = replace(run, views=[view for view in run.views if not view.unknown])
    for place, declared in enumerate(catalogue()):
        facts = whole if declared.whole_table else run
        work, nothing = partial(_all, declared, facts), list[Caution]()
        found = guarded(failed, f"caution {declared.code}", work, nothing)
        if declared.code in switched_off:
            found = [_switched_off(switched_off[declared.code], len(found))]
        placed += [(place, declared.record(caution)) for caution in found]
    order = _Order(run)
    placed.sort(key=lambda entry: order.key(*entry))
    return [record for _, record in placed]


def _all(declared: Declared, run: RunFacts) -> list[Caution]:
    return list(declared(run))


def _switched_off(reason: str, count: int) -> Caution:
    found = f"it applies in {counted(count, 'place')}" if count else "it does not apply here"
    given = reason.strip().rstrip(".")
    return Caution(
        f"Switched off in the spec ({found}). The reason given: {given}.",
        numbers={"found": count},
        severity="note",
    )


class _Order:
    """The place of a record: severity, catalogue, dataset and model in the order of the run."""

    def __init__(self, run: RunFacts) -> None:
        self.views = {(v.dataset, v.model): k for k, v in enumerate(run.views)}
        self.datasets = {dataset: k for k, dataset in enumerate(run.datasets)}
        self.measures = {m.id: k for k, m in enumerate(run.measures)}
        self.tables = {t.id: k for k, t in enumerate(run.tables)}

    def key(self, place: int, record: records.Caution) -> tuple[Any, ...]:
        """What records are sorted by; what belongs to several comes before its parts."""
        dataset, model = record.dataset, record.model
        return (
            _RANK[record.severity],
            place,
            self.datasets.get(dataset or "", -1),
            self.views.get((dataset or "", model or ""), -1),
            self.tables.get(record.table or "", -1),
            self.measures.get(record.measure or "", -1),
            record.message,
        )
