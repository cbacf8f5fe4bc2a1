"""From a spec to a plan: read the data, see each model's rows, plan the tasks."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from evalreport.data.frames import read_frame
from evalreport.data.read import read_table
from evalreport.data.source import Source, open_source
from evalreport.data.table import RawTable
from evalreport.engine.acceptance import Criterion
from evalreport.engine.settings import Settings
from evalreport.errors import DataError, Location, Problem
from evalreport.plan.build import Requests, build_plan
from evalreport.plan.facts import Facts
from evalreport.plan.requests import costs_of, requests_of, threshold_text
from evalreport.plan.task import Plan
from evalreport.predict.columns import columns_needed, facts_of, view_of
from evalreport.predict.view import View
from evalreport.spec.load import LoadedSpec

Step = Callable[[str, int | None], None]


def silent(_what: str, _total: int | None = None) -> None:
    """Progress that nobody watches."""


@dataclass(frozen=True)
class InputData:
    """A file that was read: its dataset, its name as the spec writes it, its hash and size."""

    dataset: str
    name: str
    sha256: str | None
    bytes: int | None
    rows: int


@dataclass(frozen=True, eq=False)
class Prepared:
    """Everything a run needs before a number is computed."""

    loaded: LoadedSpec
    inputs: tuple[InputData, ...]
    views: tuple[View, ...]
    facts: tuple[Facts, ...]
    requests: Requests
    settings: Settings
    plan: Plan
    criteria: tuple[Criterion, ...]
    engine: str = "memory"
    engine_reason: str = ""
    tables: Mapping[str, RawTable] = field(default_factory=dict)

    def criteria_text(self) -> list[str]:
        """The acceptance criteria in words, as the plan prints them."""
        return [criterion.text() for criterion in self.criteria]


def prepare(
    loaded: LoadedSpec,
    frames: Mapping[str, Any] | None = None,
    engine: str = "auto",
    step: Step = silent,
) -> Prepared:
    """Read the data of a spec and plan its tasks.

    ``frames`` gives datasets as pandas data frames or mappings of columns instead
    of files. Raises DataError with every mistake of the data, FilesError for a
    file that cannot be read.
    """
    spec = loaded.spec
    requests = requests_of(spec)
    subgroups = tuple(dict.fromkeys(c for crossing in requests.subgroups for c in crossing))
    tables, inputs = _read_all(loaded, frames or {}, subgroups, step)
    views: list[View] = []
    problems: list[Problem] = []
    for name in spec.datasets:
        for model in spec.models:
            if name not in spec.datasets_of(model):
                continue
            try:
                views.append(
                    view_of(spec, name, model, tables[name], subgroups, _where(loaded, name, model))
                )
            except DataError as error:
                problems.extend(p for p in error.problems if p not in problems)
    if problems:
        raise DataError(*problems)
    facts = tuple(facts_of(view, requests.subgroups) for view in views)
    return Prepared(
        loaded=loaded,
        inputs=tuple(inputs),
        views=tuple(views),
        facts=facts,
        requests=requests,
        settings=settings_of(loaded),
        plan=build_plan(requests, facts),
        criteria=criteria_of(loaded),
        engine="memory",
        engine_reason=_reason(engine, inputs),
        tables=tables,
    )


def _reason(engine: str, inputs: list[InputData]) -> str:
    rows = sum(one.rows for one in inputs)
    if engine == "memory":
        return "asked for"
    return f"{rows:,} rows fit in memory"


def settings_of(loaded: LoadedSpec) -> Settings:
    """Level, resamples, seed and costs of a spec."""
    confidence = loaded.spec.confidence
    return Settings(
        level=confidence.level,
        resamples=confidence.resamples,
        seed=confidence.seed,
        stratify=confidence.stratify,
        costs=costs_of(loaded.spec),
    )


def criteria_of(loaded: LoadedSpec) -> tuple[Criterion, ...]:
    """The acceptance criteria with a value of their own."""
    found = []
    for asked in loaded.spec.acceptance:
        if asked.required is None:
            continue
        subgroup: Any = {} if asked.subgroup is None else asked.subgroup
        found.append(
            Criterion(
                metric=asked.metric.metric,
                params=dict(asked.metric.params),
                at_least=asked.at_least,
                at_most=asked.at_most,
                bound=asked.bound,
                dataset=asked.dataset,
                model=asked.model,
                threshold=threshold_text(asked),
                subgroup=subgroup if isinstance(subgroup, str) else dict(subgroup),
                average=None if asked.average == "none" else asked.average,
                label=asked.label,
            )
        )
    return tuple(found)


def _read_all(
    loaded: LoadedSpec, frames: Mapping[str, Any], subgroups: tuple[str, ...], step: Step
) -> tuple[dict[str, RawTable], list[InputData]]:
    spec = loaded.spec
    unknown = [name for name in frames if name not in spec.datasets]
    if unknown:
        from evalreport.errors import did_you_mean

        raise DataError(
            *(Problem(f"frames holds '{name}', which the spec does not declare",
                      did_you_mean(name, spec.datasets, "datasets")) for name in unknown)
        )
    sources: dict[str, Source] = {}
    for name, dataset in spec.datasets.items():
        if name not in frames:
            sources[name] = _source(loaded, str(dataset.path))
    tables: dict[str, RawTable] = {}
    inputs: list[InputData] = []
    problems: list[Problem] = []
    for name, dataset in spec.datasets.items():
        columns = columns_needed(spec, name, subgroups)
        step(f"reading {name}", None)
        try:
            if name in frames:
                tables[name] = read_frame(frames[name], name, columns)
                inputs.append(InputData(name, name, None, None, tables[name].rows))
            else:
                source = sources[name]
                tables[name] = read_table(source, columns)
                _check_hash(loaded, name, source)
                inputs.append(
                    InputData(name, _shown(str(dataset.path)), source.sha256, source.size,
                              tables[name].rows)
                )
        except DataError as error:
            problems.extend(error.problems)
    if problems:
        raise DataError(*problems)
    return tables, inputs


def _source(loaded: LoadedSpec, path: str) -> Source:
    folder = loaded.folder or Path()
    return open_source(folder / path, path)


def _shown(path: str) -> str:
    """A path as results name it: an absolute one by its last part only."""
    return Path(path).name if Path(path).is_absolute() else path


def _check_hash(loaded: LoadedSpec, name: str, source: Source) -> None:
    declared = loaded.spec.datasets[name].sha256
    if declared is not None and declared.lower() != source.sha256:
        raise DataError(
            Problem(
                f"{source.name}: its sha256 is {source.sha256}, the spec declares {declared}",
                "the file that was declared",
                loaded.where(("datasets", name, "sha256")),
            )
        )


def _where(loaded: LoadedSpec, dataset: str, model: str) -> Callable[[str], Location | None]:
    """Where the spec names a column, by the part it plays."""

    def where(role: str) -> Location | None:
        of_model = ("models", model, role)
        of_dataset = ("datasets", dataset, role)
        for place in (of_model, of_dataset):
            if place in loaded.document.values:
                return loaded.where(place)
        return loaded.where(of_dataset)

    return where
