"""Everything a run needs before a number is computed."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import TypeAlias

import numpy as np
import numpy.typing as npt

from evalreport.data.labels import LabelSet, label_kind, positive_index
from evalreport.data.table import RawColumn, RawTable
from evalreport.engine.acceptance import Criterion
from evalreport.engine.predicting import (
    Predicted,
    fits_text,
)
from evalreport.engine.settings import Settings
from evalreport.plan.inputs import Facts, Requests
from evalreport.plan.task import Plan
from evalreport.predict.columns import rules_of
from evalreport.predict.overlap import Overlap
from evalreport.predict.view import View
from evalreport.results.records import CitedProtocol, Input, Logo, ModelIdentity
from evalreport.spec.datasets import NamedPositive
from evalreport.spec.load import LoadedSpec

#: How many rows have each value; None where each is that of one row.
Times: TypeAlias = npt.NDArray[np.int64] | None
Step = Callable[[str, int | None], None]


def silent(_what: str, _total: int | None = None) -> None:
    """Progress that nobody watches."""


@dataclass(frozen=True, eq=False)
class Prepared:
    """Everything a run needs before a number is computed.

    ``tables``: the rows of the datasets, or their kinds of rows.
    """

    loaded: LoadedSpec
    inputs: tuple[Input, ...]
    views: tuple[View, ...]
    facts: tuple[Facts, ...]
    requests: Requests
    settings: Settings
    plan: Plan
    criteria: tuple[Criterion, ...]
    engine: str = "memory"
    engine_reason: str = ""
    asked_engine: str = "auto"
    tables: Mapping[str, RawTable] = field(default_factory=dict)
    predictions: tuple[Predicted, ...] = ()
    logo: Logo | None = None
    overlaps: tuple[Overlap, ...] = ()
    identities: tuple[ModelIdentity, ...] = ()
    protocol: CitedProtocol | None = None

    def column(self, dataset: str, name: str) -> tuple[RawColumn, Times] | None:
        """The values of a column with how many rows have each (None: one); None without it."""
        table = self.tables.get(dataset)
        if table is None or name not in table.columns:
            return None
        return table.columns[name], table.times

    @property
    def unordered(self) -> frozenset[str]:
        """The datasets of several classes whose order is not known."""
        return frozenset(f.dataset for f in self.facts if not (f.ordered or f.two_classes))

    def positive_classes(self) -> dict[tuple[str, str], str | None]:
        """The positive class of each dataset and model; None where several have none declared."""
        return {(one.dataset, one.model): self._positive_of(one) for one in self.facts}

    @property
    def dependent(self) -> frozenset[tuple[str, str]]:
        """Datasets with models whose rows depend on each other, by cluster or by set of labels."""
        return frozenset((f.dataset, f.model) for f in self.facts if f.clustered or f.label_sets)

    def _positive_of(self, facts: Facts) -> str | None:
        if facts.two_classes or facts.label_sets:
            return facts.positive
        spec = self.loaded.spec
        declared, labels = spec.positive_of(facts.dataset), spec.datasets[facts.dataset].labels
        if isinstance(declared, NamedPositive):
            return declared.label
        if labels is None or len(labels) != 2:
            return None
        rule = rules_of(spec, facts.dataset).positive
        index = positive_index(LabelSet(tuple(labels), label_kind(labels)), rule)
        return None if index is None else labels[index]

    def fits_text(self) -> list[str]:
        """What a run trains, and how often, in words."""
        return fits_text(self.loaded.spec, self.predictions)

    def criteria_text(self) -> list[str]:
        """The acceptance criteria in words, as the plan prints them."""
        return list(self.plan.criteria)
