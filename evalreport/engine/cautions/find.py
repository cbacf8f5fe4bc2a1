"""All cautions of a run, as the records of ``results.json``."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import Any

from evalreport.engine.cautions.catalogue import catalogue, code_problem
from evalreport.engine.cautions.declare import Caution, Declared
from evalreport.engine.cautions.facts import RunFacts
from evalreport.engine.cautions.wording import counted, listed, name, number
from evalreport.engine.guarding import Failures, guarded
from evalreport.errors import SpecError
from evalreport.results import records

_RANK = {"warning": 0, "note": 1}
#: Messages of one caution in full, and models that are named beyond them.
IN_FULL, MOST_NAMES = 3, 20


def find_cautions(
    run: RunFacts, off: Mapping[str, str] | None = None, failures: Failures | None = None
) -> list[records.Caution]:
    """Every caution that applies, warnings first, then in the order of the catalogue.

    One fact is one caution: what a check finds of several models is said together, and what
    another caution says already of the same model is left out. A check that fails unexpectedly
    is recorded in ``failures``; the others go on.

    ``off`` gives a reason for each code that the spec switches off; each of those
    comes back once, as a note that prints the reason and how often it was found.

    Raises SpecError where a code in ``off`` is not in the catalogue or has no reason.
    """
    switched_off = dict(off or {})
    problems = [p for code in switched_off if (p := code_problem(code)) is not None]
    if problems:
        raise SpecError(*problems)
    failed: Failures = failures if failures is not None else []
    whole = run
    if any(view.unknown for view in run.views):
        whole = replace(run, views=[view for view in run.views if not view.unknown])
    every: dict[str, list[Caution]] = {}
    for declared in catalogue():
        facts = whole if declared.whole_table else run
        work, nothing = partial(_all, declared, facts), list[Caution]()
        every[declared.code] = guarded(failed, f"caution {declared.code}", work, nothing)
    order = _Order(run)
    found: list[tuple[int, records.Caution]] = []
    for place, declared in enumerate(catalogue()):
        if declared.code in switched_off:
            reason, count = switched_off[declared.code], len(every[declared.code])
            found.append((place, declared.record(_switched_off(reason, count))))
            continue
        said = [one for code in declared.unless if code not in switched_off for one in every[code]]
        own = [one for one in every[declared.code] if not any(_covers(o, one) for o in said)]
        found += [
            (place, record) for record in order.together([declared.record(one) for one in own])
        ]
    found.sort(key=lambda entry: order.key(*entry))
    return [record for _, record in found]


def _all(declared: Declared, run: RunFacts) -> list[Caution]:
    return list(declared(run))


def _covers(one: Caution, other: Caution) -> bool:
    """Whether two cautions are about the same rows, and the same model where both name one."""
    return one.dataset == other.dataset and (
        one.model is None or other.model is None or one.model == other.model
    )


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
        views = [*run.views, *run.set_views]
        self.alone = len(views) == 1
        self.one_dataset = len({view.dataset for view in views}) == 1
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

    def together(self, same: Sequence[records.Caution]) -> Iterator[records.Caution]:
        """Records of one code as one for each severity, and for each finding of a reader."""
        groups: dict[tuple[Any, ...], list[records.Caution]] = {}
        for one in sorted(same, key=lambda record: self.key(0, record)):
            groups.setdefault((one.severity, one.numbers.get("finding")), []).append(one)
        for own in groups.values():
            datasets = {one.dataset for one in own}
            headlines = {one.headline for one in own}
            yield replace(
                own[0],
                headline=own[0].headline if len(headlines) == 1 else "",
                message=self._message(own) if len(own) > 1 else own[0].message,
                dataset=own[0].dataset if len(datasets) == 1 else None,
                model=own[0].model if len({one.model for one in own}) == 1 else None,
                models=tuple(dict.fromkeys(one.model for one in own if one.model is not None)),
            )

    def _message(self, own: Sequence[records.Caution]) -> str:
        """The first messages with their models, then the names of the other models."""
        by_message: dict[str, list[str]] = {}
        for one in own:
            # findings of models begin with their names already
            message = one.message.removeprefix(f"{one.model}: ")
            by_message.setdefault(message, []).append(self._named(one))
        told, rest = list(by_message.items())[:IN_FULL], list(by_message.items())[IN_FULL:]
        parts = []
        for message, named in told:
            names = listed(filter(None, named), MOST_NAMES)
            parts.append(f"{names}: {message}" if names else message)
        others = [name for _, named in rest for name in named if name]
        if others:
            parts.append(f"Likewise {listed(dict.fromkeys(others), MOST_NAMES)}.")
        elif rest:
            parts.append(
                f"And {number(len(rest))} more like {'this' if len(rest) == 1 else 'these'}."
            )
        return " ".join(parts)

    def _named(self, one: records.Caution) -> str:
        """Which model, on which dataset, as far as a reader needs to know."""
        if self.alone or one.dataset is None:
            return ""
        dataset = "" if self.one_dataset else name(one.dataset)
        if one.model is None:
            return dataset
        return f"{name(one.model)} on {dataset}" if dataset else name(one.model)
