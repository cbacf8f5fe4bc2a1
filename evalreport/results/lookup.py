"""All records of a run together, how to find one of them, and what the run came to.

How to read results, wherever they are read::

    from evalreport.results.codec import decode
    from evalreport.results.records import Drift, Measure

    results = decode(parsed_json)              # or what the engine's evaluate() returns
    results.of(Drift)                          # every record of a kind, () where there are none
    results.table("t3"), results.curve("c1")   # by id; KeyError for an id that is not there
    results.measure("m17").interval.low        # fields by name: mypy knows each of them
    results.measures_of(metric="recall", fold=None)
    results.number(WhichNumber(...))           # the measure of exactly this number, or None

``results.of(kind)`` is the way to a list: it gives an empty tuple where the part is absent,
whatever the reason. The fields themselves tell ``None`` (the part was not asked for) from
``()`` (asked for, and nothing found). Two records are of the same number where their
:class:`~evalreport.results.identity.WhichNumber` is equal; ``.series`` makes keys that hold
from run to run, ``.quantity`` is what is measured without where, ``.without`` and
``dataclasses.replace`` change the place. Records are frozen: ``dataclasses.replace`` makes a
changed one. No reader looks into JSON, and none compares lists of fields by itself.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, is_dataclass
from functools import cache, cached_property
from typing import Annotated, Any, Literal, TypeVar, cast, get_args, get_type_hints

from evalreport.results import records as r
from evalreport.results.identity import WhichNumber
from evalreport.results.marks import OMITTED
from evalreport.results.records import CONTINUE, HELD

R = TypeVar("R")

SCHEMA: Literal["evalreport/results/1"] = "evalreport/results/1"


@dataclass(frozen=True, kw_only=True, eq=True)
class Results:
    """Everything that a run found, as it stands in ``results.json``."""

    schema: Literal["evalreport/results/1"] = SCHEMA
    title: str
    spec: Annotated[Mapping[str, Any], "The resolved spec."] = field(default_factory=dict)
    provenance: r.Provenance
    plan: Annotated[r.Plan | None, OMITTED] = None
    labels: Annotated[tuple[r.LabelLedger, ...], "The label ledger of each model."] = ()
    rows: Annotated[tuple[r.RowLedger, ...], "The row ledger: read = used + excluded."]
    logo: Annotated[r.Logo | None, OMITTED] = None
    thresholds: Annotated[tuple[r.Threshold, ...], "Each threshold, declared or exploratory."] = ()
    tables: Annotated[tuple[r.Table, ...], "Classification tables."]
    measures: Annotated[tuple[r.Measure, ...], "One record is one number of the report."]
    curves: Annotated[tuple[r.Curve, ...], "Points of curves, as columns of equal length."]
    roc_relations: Annotated[
        tuple[r.RocRelation, ...], OMITTED, "How the ROC curves of every two models lie."
    ] = ()
    comparisons: Annotated[tuple[r.Comparison, ...], "Differences: model minus reference."]
    acceptance: Annotated[tuple[r.Criterion, ...], "Criteria and their outcomes."]
    looks: Annotated[
        tuple[r.Look, ...] | None, OMITTED, "Looks at criteria while rows come in."
    ] = None
    cautions: Annotated[tuple[r.Caution, ...], "What a reader has to know."]
    references: Annotated[
        tuple[r.Reference, ...],
        OMITTED,
        "Earlier runs that comparisons and criteria refer to.",
    ] = ()
    drift: Annotated[
        tuple[r.Drift, ...] | None, OMITTED, "How far labels, scores and columns have moved."
    ] = None
    learning_curves: Annotated[tuple[r.LearningCurve, ...], OMITTED] = ()
    histories: Annotated[tuple[r.History, ...], OMITTED, "Training, step by step."] = ()
    tuning: Annotated[tuple[r.Tuning, ...], OMITTED, "What nested tuning chose."] = ()
    training_overlap: Annotated[tuple[r.TrainingOverlap, ...], OMITTED] = ()
    declared: Annotated[
        tuple[r.Declared, ...] | None,
        OMITTED,
        "Values declared elsewhere, beside the measured ones.",
    ] = None
    claims: Annotated[
        tuple[r.Claim, ...] | None, OMITTED, "Values printed elsewhere, and their verdicts."
    ] = None
    claim_counts: Annotated[
        tuple[r.ClaimCounts, ...], OMITTED, "Counts that would reproduce all claims of a table."
    ] = ()
    periods: Annotated[tuple[r.Period, ...] | None, OMITTED, "Each measure over time."] = None
    subgroup_gaps: Annotated[tuple[r.Gap, ...] | None, OMITTED, "Gap and ratio of subgroups."] = (
        None
    )
    heterogeneity: Annotated[
        tuple[r.Heterogeneity, ...] | None, OMITTED, "Tests whether subgroups differ."
    ] = None
    impact: Annotated[
        tuple[r.Impact, ...] | None,
        OMITTED,
        "Selection and scoring rates of subgroups, and their impact ratios.",
    ] = None
    characteristics: Annotated[
        tuple[r.Characteristics, ...] | None, OMITTED, "Used rows described by class."
    ] = None
    omnibus: Annotated[
        tuple[r.OmnibusTest, ...], OMITTED, "All models of a dataset at once, where asked for."
    ] = ()
    reclassification: Annotated[
        tuple[r.Reclassification, ...], OMITTED, "Net reclassification, where it was asked for."
    ] = ()
    score_pairs: Annotated[
        tuple[r.ScorePairs, ...], OMITTED, "Both scores of the rows that compared models share."
    ] = ()
    readers: Annotated[
        tuple[r.ReaderMean, ...], OMITTED, "Each measure of every reader, and the mean over them."
    ] = ()
    reader_differences: Annotated[
        tuple[r.ReaderDifference, ...], OMITTED, "Differences of models over their readers."
    ] = ()
    reader_agreement: Annotated[
        tuple[r.ReaderAgreement, ...], OMITTED, "How far readers agree with each other."
    ] = ()
    sample_size: Annotated[
        tuple[r.SampleSize, ...],
        "Widths of intervals, and the rows that confidence.width would take.",
    ] = ()
    baselines: Annotated[
        tuple[r.Baseline, ...],
        "What simple rules reach on the same rows, and the previous model.",
    ] = ()
    baseline_tables: Annotated[
        tuple[r.BaselineTable, ...], OMITTED, "The tables of the baselines that need no model."
    ] = ()
    against_baselines: Annotated[
        tuple[r.AgainstBaseline, ...], "Each model against each baseline."
    ] = ()
    failures: Annotated[tuple[r.Failure, ...], "Parts that failed, with the reason."] = ()

    @property
    def as_of(self) -> str | None:
        """The date or time that the data are of, where the spec or the command says so."""
        return self.spec.get("as_of")

    def of(self, kind: type[R]) -> tuple[R, ...]:
        """Every record of a kind in order; none where the run has none.

        Raises KeyError for a kind that is no part of results by itself.
        """
        found = getattr(self, parts()[kind])
        if found is None:
            return ()
        return cast("tuple[R, ...]", found if isinstance(found, tuple) else (found,))

    def measure(self, id_: str) -> r.Measure:
        """The measure of an id. Raises KeyError."""
        return self._measures[id_]

    def table(self, id_: str) -> r.Table:
        """The table of an id. Raises KeyError."""
        return self._tables[id_]

    def curve(self, id_: str) -> r.Curve:
        """The curve of an id. Raises KeyError."""
        return self._curves[id_]

    def has_measure(self, id_: str | None) -> bool:
        """Whether there is a measure of this id."""
        return id_ in self._measures

    def has_table(self, id_: str | None) -> bool:
        """Whether there is a table of this id."""
        return id_ in self._tables

    def measures_of(self, **wanted: Any) -> Iterator[r.Measure]:
        """Measures whose fields have these values, in order: ``metric="recall", fold=None``."""
        for measure in self.measures:
            if all(getattr(measure, name) == value for name, value in wanted.items()):
                yield measure

    def number(self, which: WhichNumber) -> r.Measure | None:
        """The measure of exactly this number; the first of several; None where there is none."""
        return self._numbers.get(which)

    @cached_property
    def _measures(self) -> dict[str, r.Measure]:
        return {measure.id: measure for measure in self.measures}

    @cached_property
    def _tables(self) -> dict[str, r.Table]:
        return {table.id: table for table in self.tables}

    @cached_property
    def _curves(self) -> dict[str, r.Curve]:
        return {curve.id: curve for curve in self.curves}

    @cached_property
    def _numbers(self) -> dict[WhichNumber, r.Measure]:
        found: dict[WhichNumber, r.Measure] = {}
        for measure in self.measures:
            found.setdefault(measure.which, measure)
        return found


@cache
def parts() -> Mapping[type, str]:
    """The field of results that holds the records of each kind, by the kind."""
    hints = get_type_hints(Results)
    return {_kind(hint): name for name, hint in hints.items() if _kind(hint) is not None}


def _kind(hint: Any) -> Any:
    """The kind of record that a field holds one or several of; None for plain values."""
    if is_dataclass(hint):
        return hint
    found = (_kind(inner) for inner in get_args(hint))
    return next((kind for kind in found if kind is not None), None)


def outcome_of(results: Results) -> str:
    """``passed``, ``failed``, ``continue`` (nothing failed, a further look decides) or ``done``.

    ``done``: there is no criterion to judge by.
    """
    if results.failures:
        return "failed"
    outcomes = {entry.outcome for entry in results.acceptance}
    if not outcomes:
        return "done"
    if not outcomes <= {*HELD, CONTINUE}:
        return "failed"
    return CONTINUE if CONTINUE in outcomes else "passed"
