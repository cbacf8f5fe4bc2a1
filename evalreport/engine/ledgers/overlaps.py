"""What tested datasets share with training datasets: which are compared, and how.

Datasets that were read are compared in memory. Where one is counted in its file, both
have to be Parquet files: they are compared there, and no row is loaded.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from evalreport.data.files import Files
from evalreport.data.source import Source
from evalreport.data.table import RawTable
from evalreport.errors import LimitError
from evalreport.predict.columns import column_roles, features_named, learned_from
from evalreport.predict.overlap import Overlap, Use, equal_by_chance, shared_rows, shared_values
from evalreport.spec.model import Spec

if TYPE_CHECKING:
    from evalreport.engine.counting.parquet_overlap import ParquetPair

#: Why two datasets are not compared.
NOT_BOTH_PARQUET = (
    "one of the two is counted in its file and the other is not a single Parquet file; give "
    "each as one Parquet file"
)
NO_COLUMNS = "the two have no column in common that has no other part to play"


@dataclass(frozen=True)
class Pair:
    """A tested dataset, one learned from, and models with the columns they name, if any."""

    tested: str
    other: str
    use: Use
    models: tuple[str, ...]
    features: tuple[str, ...] | None


def pairs_of(spec: Spec) -> tuple[Pair, ...]:
    """Every dataset that is tested by models trained or tuned on a declared one."""
    found: dict[tuple[str, str, Use, tuple[str, ...] | None], list[str]] = {}
    for model, declared in spec.models.items():
        features = features_named(declared)
        for dataset in spec.datasets_of(model):
            for use, other in learned_from(declared).items():
                found.setdefault((dataset, other, use, features), []).append(model)
    return tuple(
        Pair(tested, other, use, tuple(models), features)
        for (tested, other, use, features), models in found.items()
    )


def overlaps(
    spec: Spec, tables: Mapping[str, RawTable], sources: Mapping[str, Source], memory: int
) -> tuple[Overlap, ...]:
    """What every pair of datasets shares: by id, by group where both have one, by content.

    ``tables``: the datasets that were read. ``sources``: the files of all. ``memory``:
    bytes that a comparison of files may hold.
    """
    return tuple(
        found for pair in pairs_of(spec) for found in _of_pair(spec, pair, tables, sources, memory)
    )


def _of_pair(
    spec: Spec,
    pair: Pair,
    tables: Mapping[str, RawTable],
    sources: Mapping[str, Source],
    memory: int,
) -> Iterator[Overlap]:
    tested, trained = tables.get(pair.tested), tables.get(pair.other)
    if tested is not None and trained is not None:
        yield from _compared(spec, pair, _InMemory(tested, trained))
        return
    files = sources.get(pair.tested), sources.get(pair.other)
    single = [f for f in files if f and f.suffix == ".parquet" and not isinstance(f, Files)]
    if len(single) < len(files):
        yield _not_compared(pair, NOT_BOTH_PARQUET)
        return
    try:
        from evalreport.engine.counting.parquet_overlap import parquet_pair

        with parquet_pair(single[0], single[1], memory) as both:
            yield from _compared(spec, pair, both)
    except LimitError as error:
        yield _not_compared(pair, error.problems[0].what)


def _not_compared(pair: Pair, reason: str) -> Overlap:
    return Overlap(
        pair.tested, pair.other, pair.use, pair.models, "content", (), None, None, reason
    )


@dataclass(frozen=True)
class _InMemory:
    """Two tables that were read."""

    tested: RawTable
    trained: RawTable

    @property
    def rows(self) -> int:
        """Rows of the tested table."""
        return self.tested.rows

    @property
    def headers(self) -> tuple[Sequence[str], Sequence[str]]:
        """The columns of both that can be compared, in their order."""
        return _comparable(self.tested), _comparable(self.trained)

    def values(self, tested: str, trained: str) -> int:
        """Rows whose value of a column occurs in the other table."""
        return shared_values(self.tested.columns[tested], self.trained.columns[trained])

    def contents(self, columns: Sequence[str]) -> int:
        """Rows that equal a row of the other table in every column."""
        return shared_rows(self.tested, self.trained, columns)

    def by_chance(self, columns: Sequence[str]) -> bool:
        """Whether chance explains how many rows are equal."""
        return equal_by_chance(self.tested, self.trained, columns)


def _comparable(table: RawTable) -> list[str]:
    return [n for n in table.header if n in table.columns and table.columns[n].single]


def _compared(spec: Spec, pair: Pair, both: _InMemory | ParquetPair) -> Iterator[Overlap]:
    def overlap(by: str, columns: tuple[str, ...], rows: int) -> Overlap:
        return Overlap(pair.tested, pair.other, pair.use, pair.models, by, columns, rows, both.rows)

    tested, trained = spec.datasets[pair.tested], spec.datasets[pair.other]
    if tested.id is not None and trained.id is not None:
        yield overlap("id", (tested.id,), both.values(tested.id, trained.id))
    group, other = tested.group or tested.cluster, trained.group or trained.cluster
    if group is not None and other is not None:
        yield overlap("group", (group,), both.values(group, other))
    columns = _common(spec, pair, *both.headers)
    if columns:
        found = overlap("content", columns, both.contents(columns))
        if found.rows and isinstance(both, _InMemory):
            found = replace(found, by_chance=both.by_chance(columns))
        yield found
    else:
        yield _not_compared(pair, NO_COLUMNS)


def _common(
    spec: Spec, pair: Pair, tested: Sequence[str], trained: Sequence[str]
) -> tuple[str, ...]:
    """The features that the models name, else every common column without a role."""
    taken: dict[str, Any] = {}
    for dataset in (pair.tested, pair.other):
        taken |= column_roles(spec, dataset)
        period = spec.datasets[dataset].period
        taken |= {} if period is None else {period.column: "period"}
    every = set(trained)
    common = tuple(n for n in tested if n in every and n not in taken)
    if pair.features is None:
        return common
    return tuple(n for n in pair.features if n in every and n in tested)
