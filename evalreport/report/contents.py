"""``results.json`` as the report asks for it: tables by id, measures by where they stand."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import cached_property
from typing import Any, TypeAlias

from evalreport.report.parts import Mark
from evalreport.report.wording import agreed, non_reference
from evalreport.report.words import label_text

Record: TypeAlias = Mapping[str, Any]
View: TypeAlias = tuple[str, str]

SYMBOLS = ("●", "◆", "▲", "■", "▼", "○", "□", "△")
#: Metrics of scores where a measure says nothing itself: its threshold is null.
STYLES = 6


class Contents:
    """Read-only look-ups in one results dictionary; whatever is absent reads as empty."""

    def __init__(self, results: Record) -> None:
        self.results = results

    def many(self, name: str) -> list[Record]:
        """A list at the top level."""
        found = self.results.get(name)
        return list(found) if isinstance(found, list) else []

    def one(self, name: str) -> Record:
        """A mapping at the top level."""
        found = self.results.get(name)
        return found if isinstance(found, Mapping) else {}

    @cached_property
    def measures(self) -> list[Record]:
        """Every measure in order."""
        return self.many("measures")

    @cached_property
    def measure(self) -> dict[str, Record]:
        """Measures by id."""
        return {m["id"]: m for m in self.measures}

    @cached_property
    def tables(self) -> dict[str, Record]:
        """Classification tables by id."""
        return {t["id"]: t for t in self.many("tables")}

    @cached_property
    def views(self) -> list[View]:
        """Each dataset with each model, in order of appearance."""
        found: dict[View, None] = {}
        for name in ("rows", "labels", "tables", "measures"):
            for record in self.many(name):
                if record.get("model") is not None:
                    found.setdefault((record["dataset"], record["model"]))
        datasets = list(dict.fromkeys(d for d, _ in found))
        return [view for d in datasets for view in found if view[0] == d]

    @cached_property
    def _agreement(self) -> Sequence[str]:
        return non_reference(self.results)

    def said(self, dataset: str | None, text: str) -> str:
        """Text on a dataset, without words that its target is no reference standard for.

        With no dataset named, text on the report as a whole.
        """
        own = self.datasets if dataset is None else [dataset]
        return agreed(text) if own and all(d in self._agreement for d in own) else text

    @cached_property
    def models(self) -> list[str]:
        """Models in order of appearance."""
        return list(dict.fromkeys(model for _, model in self.views))

    @cached_property
    def datasets(self) -> list[str]:
        """Datasets in order of appearance."""
        return list(dict.fromkeys(dataset for dataset, _ in self.views))

    @cached_property
    def period_columns(self) -> set[tuple[str, ...]]:
        """Columns whose subgroups are periods of time, as keys of a subgroup."""
        return {(str(record["column"]),) for record in self.many("periods")}

    def mark(self, view: View) -> Mark:
        """How the model of a view is told apart, with the dataset where there are several."""
        place = self.models.index(view[1]) if view[1] in self.models else 0
        name = label_text(view[1])
        if len(self.datasets) > 1:
            name = f"{name}, {label_text(view[0])}"
        return Mark(name, SYMBOLS[place % len(SYMBOLS)], f"w{place % STYLES + 1}")

    def classes(self, view: View) -> list[str]:
        """The labels of a view's tables, or those that rows have sets of."""
        if self.has_sets(view):
            return [str(label) for label in self.label_record(view).get("order") or []]
        for table in self.tables.values():
            if (table["dataset"], table["model"]) == view:
                return list(table["labels"])
        return []

    def is_binary(self, view: View) -> bool:
        """Whether a view has at most two classes."""
        return len(self.classes(view)) <= 2 and not self.has_sets(view)

    def has_sets(self, view: View) -> bool:
        """Whether rows have sets of labels, and each label a table of its own."""
        return bool(self.label_record(view).get("label_sets"))

    def label_record(self, view: View) -> Record:
        """The record of how labels were read, or nothing."""
        return next((r for r in self.many("labels") if _of(r, view)), {})

    def operator(self, view: View) -> str:
        """The words before a threshold: ``score ≥``, or ``margin ≥``."""
        text = str(self.label_record(view).get("operator") or "")
        word = text.split(maxsplit=1)[0] if text.split() else "score"
        return f"{label_text(word)} ≥"

    def thresholds(self, view: View) -> list[Record]:
        """The thresholds of a view in order; read off the measures in older results."""
        own = [t for t in self.many("thresholds") if _of(t, view)]
        if own:
            return own
        pairs = dict.fromkeys(
            (m.get("threshold"), m.get("threshold_rule"))
            for m in self.measures
            if _of(m, view) and m.get("threshold") is not None
        )
        return [
            {"threshold": t, "rule": rule, "status": "exploratory" if rule else "declared"}
            for t, rule in pairs
        ]

    def first_threshold(self, view: View) -> tuple[float | None, str | None]:
        """The threshold that sections other than the one on thresholds use, and its rule."""
        own = self.thresholds(view)
        return (own[0].get("threshold"), own[0].get("rule")) if own else (None, None)

    def at_first(self, view: View) -> Callable[[Record], bool]:
        """A test whether a measure needs no threshold or stands at the first one."""
        first = self.first_threshold(view)
        return lambda m: (
            m.get("threshold") is None or ((m.get("threshold"), m.get("threshold_rule")) == first)
        )

    def of_view(self, view: View) -> list[Record]:
        """All measures of a dataset and model."""
        return self._by_view.get(view, [])

    @cached_property
    def _by_view(self) -> dict[View, list[Record]]:
        found: dict[View, list[Record]] = {}
        for m in self.measures:
            found.setdefault((m["dataset"], m["model"]), []).append(m)
        return found

    def pooled(self, view: View) -> list[Record]:
        """Measures of all rows at the first threshold."""
        first = self.at_first(view)
        return [
            m
            for m in self.of_view(view)
            if not m.get("subgroup") and m.get("fold") is None and first(m)
        ]

    def is_of_scores(self, m: Record) -> bool:
        """Whether a measure is of scores rather than of the table at a threshold."""
        from evalreport.metrics.catalogue import find

        declared = find(str(m["metric"]))
        if declared is not None:
            form = declared.classes_table if self._many_classes(m) else None
            return (form or declared.table).value in {"scores", "class_scores"}
        return m.get("threshold") is None and bool(self.thresholds((m["dataset"], m["model"])))

    def _many_classes(self, m: Record) -> bool:
        return not self.is_binary((m["dataset"], m["model"])) and m.get("label") is None

    @cached_property
    def criteria(self) -> dict[str, list[Record]]:
        """Acceptance criteria by the measure they are judged on."""
        found: dict[str, list[Record]] = {}
        for entry in self.many("acceptance"):
            if entry.get("measure") is not None:
                found.setdefault(str(entry["measure"]), []).append(entry)
        return found


def identity(m: Record) -> tuple[Any, ...]:
    """What makes two measures the same metric wherever they stand."""
    params = tuple(sorted((k, str(v)) for k, v in (m.get("params") or {}).items()))
    return (m["metric"], params, m.get("average"), m.get("label"), m.get("indeterminate"))


def grouped(measures: Iterable[Record]) -> dict[tuple[Any, ...], list[Record]]:
    """Measures by :func:`identity`, in order of appearance."""
    found: dict[tuple[Any, ...], list[Record]] = {}
    for m in measures:
        found.setdefault(identity(m), []).append(m)
    return found


def _of(record: Record, view: View) -> bool:
    return (record.get("dataset"), record.get("model")) in {view, (view[0], None)}
