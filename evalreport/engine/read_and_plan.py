"""From a spec to a plan: read the data, see each model's rows, plan the tasks."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from evalreport.data.files import parts_of
from evalreport.data.findings import quoted, some
from evalreport.data.frames import read_frame
from evalreport.data.joined import Joined
from evalreport.data.known_labels import Labels
from evalreport.data.limits import MOST_GROUPS, limit_distinct
from evalreport.data.source import Source
from evalreport.data.table import RawTable
from evalreport.engine.acceptance import Criterion
from evalreport.engine.counting.choosing import (
    FITS,
    MEMORY,
    Choice,
    asked_engine,
    choose,
    limit_bytes,
    room_of,
    stored_rows,
)
from evalreport.engine.counting.counting_views import (
    MISTAKES,
    Counted,
    as_declared,
    counted_out,
    counted_views,
    views_of_kinds,
)
from evalreport.engine.counting.reads import Reads
from evalreport.engine.databases.sessions import again, open_database, open_table
from evalreport.engine.databases.wanted import UNWATCHED, Watcher
from evalreport.engine.ledgers.characteristics import characteristic_problems
from evalreport.engine.ledgers.named_files import model_identities, read_logo, read_protocol
from evalreport.engine.ledgers.overlaps import overlaps, pairs_of
from evalreport.engine.predicting import (
    Fitting,
    Predicted,
    check_estimators,
    predicted,
)
from evalreport.engine.prepared import Prepared, Step, silent
from evalreport.engine.settings import ImpactRule, Settings
from evalreport.errors import DataError, FilesError, Location, Problem, did_you_mean
from evalreport.plan.build import build_plan
from evalreport.plan.columns import source_of
from evalreport.plan.criteria import criteria_words
from evalreport.plan.everything import with_everything
from evalreport.plan.from_spec import costs_of, requests_of, threshold_text
from evalreport.plan.inputs import Facts, Requests
from evalreport.plan.task import Plan
from evalreport.predict.columns import columns_read
from evalreport.predict.facts import facts_of, in_order
from evalreport.predict.known_classes import known_classes, labels_of
from evalreport.predict.label_sets import SetView, has_sets
from evalreport.predict.overlap import Overlap
from evalreport.predict.view import View
from evalreport.results.records import Input, InputPart
from evalreport.spec.datasets import ClusterTable, Dataset, Query
from evalreport.spec.load import LoadedSpec
from evalreport.spec.model import Spec

if TYPE_CHECKING:
    from evalreport.engine.counting.kept_kinds import KeptKinds


def prepare(
    loaded: LoadedSpec,
    frames: Mapping[str, Any] | None = None,
    engine: str = "auto",
    step: Step = silent,
    fitting: Fitting | None = None,
    reads: Reads | None = None,
    watch: Watcher = UNWATCHED,
) -> Prepared:
    """Read the data of a spec, make the predictions that are made here, plan the tasks.

    ``frames`` gives datasets as pandas data frames or mappings of columns instead
    of files; ``reads`` is how files come in. Raises DataError with every mistake of
    the data, FilesError for a file that cannot be read.
    """
    spec = loaded.spec
    check_estimators(loaded, () if fitting is None else fitting.allowed)
    logo = read_logo(loaded)
    protocol = read_protocol(loaded)
    requests = requests_of(spec)
    in_spec = {name: dataset.table for name, dataset in spec.datasets.items() if dataset.table}
    given = {**{name: table.columns() for name, table in in_spec.items()}, **(frames or {})}
    counts = partial(_kept_kinds, fitting, step)
    data = _read_all(loaded, given, requests, engine, step, reads or Reads(), watch, counts)
    settings = data.settings
    seen, predictions = _seen(loaded, data, requests, settings, fitting or Fitting(step=step))
    data.check_named()
    views = _with_unknown(loaded, seen)
    facts = tuple(_facts(spec, view, requests) for view in views)
    name, reason = data.engine()
    return Prepared(
        loaded=loaded,
        inputs=tuple(data.inputs),
        views=tuple(views),
        facts=facts,
        requests=requests,
        settings=settings,
        plan=_plan(spec, requests, facts),
        criteria=criteria_of(loaded),
        engine=name,
        engine_reason=reason,
        asked_engine=engine,
        tables=data.tables,
        predictions=tuple(predictions),
        logo=logo,
        protocol=protocol,
        identities=model_identities(spec, loaded.folder or Path()),
        overlaps=() if fitting is not None and fitting.foresee else _overlaps(spec, data, step),
    )


def _kept_kinds(fitting: Fitting | None, step: Step) -> KeptKinds | None:
    """Where the kinds of files that were counted before are kept; None where nothing is kept."""
    if fitting is None or fitting.cache is None:
        return None
    from evalreport.engine.counting.kept_kinds import KeptKinds

    return KeptKinds(fitting.cache / "kinds", fitting.fresh, told=lambda text: step(text, None))


def _plan(spec: Spec, requests: Requests, facts: Sequence[Facts]) -> Plan:
    """Everything that will be done: measures first, then what is made of them."""
    measures = build_plan(requests, facts)
    return replace(with_everything(measures, spec, requests, facts), criteria=criteria_words(spec))


def _seen(
    loaded: LoadedSpec, data: Data, requests: Requests, settings: Settings, fitting: Fitting
) -> tuple[list[View], list[Predicted]]:
    """Each dataset as each model sees it; raises DataError with every mistake among them."""
    spec = loaded.spec
    subgroups = requests.subgroup_columns
    views: list[View] = []
    predictions: list[Predicted] = []
    problems: list[Problem] = []
    for name in spec.datasets:
        views.extend(data.counted.get(name, ()))
        if name in data.tables and spec.models_on(name):
            problems.extend(characteristic_problems(loaded, name, data.tables[name]))
        for model in spec.models:
            if name not in spec.datasets_of(model) or name in data.counted:
                continue
            if data.one_class and hasattr(spec.models[model], "features"):
                continue  # no model is fitted or asked for nothing
            try:
                found = predicted(
                    loaded,
                    name,
                    model,
                    data.tables[name],
                    subgroups,
                    _where(loaded, name, model),
                    settings,
                    fitting,
                    data.tables,
                )
            except DataError as error:
                problems.extend(p for p in error.problems if p not in problems)
                continue
            predictions.append(found)
            if found.made.view is not None:
                views.append(found.made.view)
    # what is wrong with rows comes first, as where rows are counted: it may be why a class lacks
    if problems or data.one_class:
        raise DataError(*(problems or data.one_class))
    return views, predictions


def _with_unknown(loaded: LoadedSpec, views: Sequence[View]) -> list[View]:
    """Each view with the cells of its table that nobody counted, as its dataset declares them."""
    found, problems = [], []
    for view in views:
        dataset = loaded.spec.datasets[view.dataset]
        unknown: tuple[str, ...] = dataset.unknown or ()
        if dataset.table is not None and len(view.labels) == 2:
            unknown = dataset.table.unknown(view.labels[view.positive_index])
        if unknown and (len(view.labels) > 2 or isinstance(view, SetView)):
            what = f"{view.dataset} declares unknown cells, which only a table of two classes has"
            where = loaded.where(("datasets", view.dataset, "unknown"))
            problems.append(Problem(what, "remove unknown", where))
        found.append(replace(view, unknown=tuple(unknown)) if unknown else view)
    if problems:
        raise DataError(*dict.fromkeys(problems))
    return found


def _facts(spec: Spec, view: View, requests: Requests) -> Facts:
    """What the planner needs to know of a view; DataError where a subgroup has too many values."""
    ordered = in_order(view.labels, [spec.datasets[view.dataset].labels])
    found = replace(facts_of(view, requests.subgroups), ordered=ordered)
    for columns, values in (found.groups or {}).items():
        told = f"the subgroup {' and '.join(columns)}"
        limit_distinct(found.dataset, told, len(values), MOST_GROUPS)
    return found


def _overlaps(spec: Spec, data: Data, step: Step) -> tuple[Overlap, ...]:
    if not pairs_of(spec):
        return ()
    step("comparing with training rows", None)
    memory = limit_bytes(spec.engine.memory_limit or MEMORY)
    # of kinds of rows it is not known which row is which: they are compared in their files
    rows = {name: table for name, table in data.tables.items() if name not in data.counted}
    return overlaps(spec, rows, data.sources, memory)


def settings_of(loaded: LoadedSpec) -> Settings:
    """Level, resamples, seed and costs of a spec."""
    confidence = loaded.spec.confidence
    return Settings(
        level=confidence.level,
        resamples=confidence.resamples,
        seed=confidence.seed,
        stratify=confidence.stratify,
        costs=costs_of(loaded.spec),
        impact=ImpactRule(loaded.spec.impact.smallest_share, loaded.spec.impact.unknown),
    )


def criteria_of(loaded: LoadedSpec) -> tuple[Criterion, ...]:
    """The acceptance criteria with a value of their own."""
    found = []
    for _, asked in loaded.spec.criteria:
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
                method=asked.method,
                dataset=asked.dataset,
                model=asked.model,
                threshold=threshold_text(asked),
                subgroup=subgroup if isinstance(subgroup, str) else dict(subgroup),
                average=None if asked.average == "none" else asked.average,
                label=asked.label,
            )
        )
    return tuple(found)


@dataclass(frozen=True, eq=False)
class Data:
    """The datasets of a spec: read to ``tables``, or ``counted`` where they lie."""

    settings: Settings
    tables: dict[str, RawTable] = field(default_factory=dict)
    counted: dict[str, list[View]] = field(default_factory=dict)
    inputs: list[Input] = field(default_factory=list)
    choices: dict[str, Choice] = field(default_factory=dict)
    sources: dict[str, Source] = field(default_factory=dict)
    watch: Watcher = UNWATCHED
    counts: Callable[[], KeptKinds | None] = lambda: None
    count: dict[str, Callable[[tuple[str, ...]], Counted | Choice | None]] = field(
        default_factory=dict
    )
    one_class: list[Problem] = field(default_factory=list)

    def add_counted(self, name: str, found: Counted) -> None:
        """Take what was counted of a dataset."""
        self.counted[name] = list(found.views)
        self.tables[name] = found.table

    def check_named(self) -> None:
        """Raise DataError where rows were read for their mistakes, and there are none."""
        for name, choice in self.choices.items():
            if choice.named and choice.name == "memory":
                what = f"{name} cannot be counted: {choice.reason.removeprefix(f'{MISTAKES}: ')}"
                raise DataError(Problem(what, "the engine auto or memory"))

    def engine(self) -> tuple[str, str]:
        """The engine of the run, and why, dataset by dataset where they differ."""
        names = {choice.name for choice in self.choices.values()}
        reasons = {choice.reason for choice in self.choices.values()}
        name = next(iter(sorted(names - {"memory"})), "memory")
        if len(reasons) == 1:
            return name, reasons.pop()
        told = (f"{one}: {choice.name}, {choice.reason}" for one, choice in self.choices.items())
        return name, "; ".join(told)


def _read_all(
    loaded: LoadedSpec,
    frames: Mapping[str, Any],
    requests: Requests,
    engine: str,
    step: Step,
    reads: Reads,
    watch: Watcher,
    counts: Callable[[], KeptKinds | None],
) -> Data:
    spec = loaded.spec
    _check_frames(spec, frames)
    sources = {
        name: again(
            spec.engine.retries,
            lambda name=name, dataset=dataset: _source(loaded, name, dataset, reads),  # type: ignore[misc]
        )
        for name, dataset in spec.datasets.items()
        if name not in frames
    }
    data = Data(settings_of(loaded), sources=sources, watch=watch, counts=counts)
    problems: list[Problem] = []
    asked = asked_engine(spec, engine)
    for name in spec.datasets:
        source = sources.get(name)
        try:
            if source is not None and source.sha256:
                left = source.left if isinstance(source, Joined) else source
                _check_hash(loaded, name, left, left.sha256)
            data.choices[name] = choose(spec, name, source, asked, requests)
            if source is None or not _counted(data, spec, name, source, requests, step):
                _read(data, loaded, name, source or frames[name], requests, step, reads)
            if source is not None and not source.sha256:
                _check_hash(loaded, name, source, data.inputs[-1].sha256)
        except DataError as error:
            problems.extend(error.problems)
    if problems:
        raise DataError(*problems)
    _settle_classes(data, loaded)
    return data


def _settle_classes(data: Data, loaded: LoadedSpec) -> None:
    """Give each dataset the classes that are known from anything in the report.

    One that was counted with other classes is counted again. Where only one class is known is
    said together with what is wrong with rows. Raises DataError where rows do not go with all
    classes.
    """
    spec = loaded.spec
    labels = {
        name: _labels_of(data, spec, name)
        for name, dataset in spec.datasets.items()
        if not has_sets(dataset)
    }
    classes, one_class = known_classes(
        spec, labels, lambda name: loaded.where(("datasets", name, "target"))
    )
    data.one_class.extend(one_class)
    for name, own in classes.items():
        if name not in data.counted:
            data.tables[name] = replace(data.tables[name], classes=own)
        elif any(not {*own} <= {*view.labels} for view in data.counted[name]):
            found = data.count[name](own)
            if not isinstance(found, Counted):
                raise DataError(_not_of(name, own))
            data.add_counted(name, found)


def _labels_of(data: Data, spec: Spec, name: str) -> Labels:
    if name not in data.counted:
        return labels_of(spec, name, data.tables[name])
    return sum((view.ledger.known for view in data.counted[name]), Labels())


def _not_of(name: str, classes: tuple[str, ...]) -> Problem:
    """The problem of rows that were counted, and do not go with all classes that are known."""
    told = some([quoted(label) for label in classes])
    return Problem(
        f"{name} has {len(classes)} classes, from all that is known: {told}; its models have no "
        "score of each",
        "`scores: {class: column, ...}`, or its own classes, `labels: [...]`",
    )


def _check_frames(spec: Spec, frames: Mapping[str, Any]) -> None:
    unknown = [name for name in frames if name not in spec.datasets]
    if unknown:
        raise DataError(
            *(
                Problem(
                    f"frames holds '{name}', which the spec does not declare",
                    did_you_mean(name, spec.datasets, "datasets"),
                )
                for name in unknown
            )
        )


def _counted(
    data: Data, spec: Spec, name: str, source: Source, requests: Requests, step: Step
) -> bool:
    """Count a dataset where it lies; False where it has to be read."""
    choice = data.choices[name]
    if choice.name == "memory":
        return False
    step(f"counting {name}", None)

    def count(classes: tuple[str, ...]) -> Counted | Choice:
        return again(
            spec.engine.retries,
            lambda: counted_views(
                spec,
                name,
                source,
                choice,
                requests,
                data.watch,
                data.counts(),
                classes,
            ),
        )

    found, data.count[name] = count(()), count
    if isinstance(found, Choice):
        data.choices[name] = found
        return False
    data.add_counted(name, found)
    rows = _rows_of_file(found.views, source)
    data.watch.done(rows)
    data.inputs.append(_input(name, source, found.table, rows))
    return True


def _rows_of_file(views: Sequence[View], source: Source) -> int:
    """Rows as the file has them, kinds of rows where it is of those."""
    if not views:
        return stored_rows(source) or 0
    ledger = views[0].ledger
    return int(ledger.rows_read if ledger.kinds_read is None else ledger.kinds_read)


def _input(name: str, source: Source, table: RawTable, rows: int) -> Input:
    """A source that was read or counted; of what lies behind an address the kinds are hashed."""
    if source.sha256:
        shown = _shown(source.name)
        return Input(name, shown, source.sha256, source.size, rows, files=_each(source))
    of = "kinds of rows" if table.sha256 else None
    return Input(name, _shown(source.name), table.sha256, None, rows, of)


def _kinds_added_up(choice: Choice, kinds: int) -> Choice:
    """The engine of kinds of rows that are not written out."""
    told = f"{kinds:,} kinds of rows, each with how many rows are of it, are added up"
    asked = "" if choice.reason == FITS else f"{choice.reason.replace('{rows:,} ', '')}; "
    return replace(choice, reason=f"{asked}{told}")


def _read(
    data: Data,
    loaded: LoadedSpec,
    name: str,
    given: Any,
    requests: Requests,
    step: Step,
    reads: Reads,
) -> None:
    """Read the columns of a dataset that a run needs, from its file or the frame given."""
    spec = loaded.spec
    subgroups = requests.subgroup_columns
    columns = columns_read(spec, name, subgroups)
    choice = data.choices[name]
    reason = choice.reason.replace("{rows:,} ", "")
    step(f"reading {name}: {reason}" if choice.much else f"reading {name}", None)
    if isinstance(given, Source):
        path = spec.datasets[name].path
        if isinstance(path, Query):
            from evalreport.engine.databases.kinds import read_query

            room = room_of(spec, query=True)
            table = again(spec.engine.retries, lambda: read_query(given, path, columns, room))
        else:
            table = again(
                spec.engine.retries,
                lambda: reads.table(given, columns, lambda rows: data.watch.seen(rows, None)),
            )
        data.inputs.append(_input(name, given, table, table.rows))
    else:
        table = read_frame(given, name, columns)
        data.inputs.append(Input(name, name, None, None, table.rows))
    data.watch.done(table.rows)
    kinds = table.rows

    def count(classes: tuple[str, ...]) -> Counted | None:
        return views_of_kinds(spec, name, table, requests, classes)

    added_up = count(())
    if added_up is not None:
        data.count[name] = count
        data.add_counted(name, added_up)
        data.choices[name] = _kinds_added_up(data.choices[name], kinds)
        return
    table = counted_out(table, spec, name)
    types: Callable[[str], Location] = lambda column: loaded.where(  # noqa: E731
        ("datasets", name, "types", column)
    )
    data.tables[name] = as_declared(spec, name, table, subgroups, where=types)
    # figures by threes from five on, as counts on a page are
    counted = f"{table.rows:,}" if table.rows >= 10_000 else str(table.rows)
    reason = choice.reason.replace("{rows:,}", counted)
    if spec.datasets[name].count is not None:
        reason += f"; they are of {kinds:,} kinds, each with how many rows are of it"
    data.choices[name] = replace(choice, reason=reason)


def _source(loaded: LoadedSpec, name: str, dataset: Dataset, reads: Reads) -> Source:
    folder = loaded.folder or Path()
    if isinstance(dataset.path, Query):
        return open_database(folder, dataset.path)
    if isinstance(dataset.path, ClusterTable):
        spark = loaded.spec.engine.spark
        return open_table(dataset.path, "" if spark is None else spark.url)
    try:
        return source_of(folder, dataset, reads.source)
    except FilesError as error:
        where = loaded.where(("datasets", name, "path"))
        if type(error) is not FilesError:
            raise
        raise FilesError(
            *(Problem(f"{p.where}: {p.what}", p.instead, where) for p in error.problems)
        ) from None


def _each(source: Source) -> tuple[InputPart, ...]:
    parts = parts_of(source)
    if len(parts) == 1 and parts[0].source is source:
        return ()
    return tuple(InputPart(part.name, part.source.sha256, part.source.size) for part in parts)


def _shown(path: str) -> str:
    """A path as results name it: an absolute one by its last part only."""
    return Path(path).name if Path(path).is_absolute() else path


def _check_hash(loaded: LoadedSpec, name: str, source: Source, sha256: str | None) -> None:
    declared = loaded.spec.datasets[name].sha256
    if declared is not None and declared.lower() != sha256:
        what = "file" if source.sha256 else "rows"
        raise DataError(
            Problem(
                f"{source.name}: its sha256 is {sha256}, the spec declares {declared}",
                f"the {what} that {'was' if source.sha256 else 'were'} declared",
                loaded.where(("datasets", name, "sha256")),
            )
        )


def _where(loaded: LoadedSpec, dataset: str, model: str) -> Callable[[str], Location | None]:
    """Where the spec names a column, by the part it plays."""

    def where(role: str) -> Location | None:
        of_model = ("models", model, role)
        of_dataset = ("datasets", dataset, role)
        for place in (of_model, of_dataset, (role,)):
            if place in loaded.document.values:
                return loaded.where(place)
        return loaded.where(of_dataset)

    return where
