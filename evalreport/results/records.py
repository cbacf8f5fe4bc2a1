"""The records of ``results.json``: one frozen dataclass for each kind that is written.

A field is annotated once with its type, what it may hold and what it means
(:mod:`evalreport.results.marks`); reading, writing and the JSON Schema follow from that
alone. Fields stand in the order in which they are written. A number may be a whole one: it
is kept as it was counted, so that counts stay counts and sums of weights stay sums.

This is one long module because it is one list: who adds a kind of record adds it here, and
to :class:`evalreport.results.lookup.Results` where it stands by itself.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Annotated, Any, Literal, NamedTuple, TypeVar

from evalreport.results.identity import Slice, WhichCriterion, WhichNumber, frozen_subgroup
from evalreport.results.marks import OMITTED, OR_INFINITE, AtLeast, Where, one_of

#: How many rows, a whole number; or the sum of their weights.
Count = Annotated[int, AtLeast(0)]
Weight = Annotated[float, AtLeast(0)]
Subgroup = Annotated[Mapping[str, str], "Column and value of a subgroup; empty for all rows."]
Params = Annotated[Mapping[str, Any], "Parameters of the metric; only what it takes."]
Average = Annotated[str | None, one_of("macro", "micro", "weighted", "samples")]
Number = int | float
Scalar = str | int | float | bool | None
Column = Sequence[float | None]
Goal = Annotated[str, one_of("maximize", "minimize")]

STATES = ("value", "infinite", "undefined", "not_applicable")
#: What becomes of a claim: found again, by another method than is stated, or not at all.
CLAIMED = ("reproduced", "other_method", "not_reproducible")
#: Nothing is decided yet: a further look is planned.
CONTINUE = "continue"
OUTCOMES = ("pass", "fail", CONTINUE, "not_evaluated", *CLAIMED)
#: The outcomes of criteria that hold, and of those that do not.
#: What the reason of a failed criterion begins with that no predictions could have passed.
OUT_OF_REACH = "out of reach"
HELD, NOT_HELD = ("pass", "reproduced"), ("fail", "other_method", "not_reproducible")


def rank_of(outcome: str) -> int:
    """0 for an outcome of a criterion that does not hold, 1 for none, 2 for one that holds."""
    return 2 if outcome in HELD else 0 if outcome in NOT_HELD else 1


def verdict_of(outcome: str) -> str:
    """Whether an outcome counts as a pass, a failure, or as not evaluated."""
    return ("fail", "not_evaluated", "pass")[rank_of(outcome)]


# -- numbers -------------------------------------------------------------------------------


#: From this share of samples on, limits of 95 % do what they promise.
OFTEN_HELD = 0.93


class Held(NamedTuple):
    """Shares of samples in which limits contained the truth in the coverage study of few rows.

    The least and the greatest over the models and thresholds of the nearest samples, which
    ``cell`` names by their size and prevalence.
    """

    low: float
    high: float
    cell: str


@dataclass(frozen=True, slots=True)
class Interval:
    """Limits with the method that made them."""

    level: float
    low: float
    high: Annotated[float, OR_INFINITE]
    method: str
    note: Annotated[str | None, OMITTED, "A fallback, or a condition."] = None
    resamples: Annotated[int | None, OMITTED, "Replicates that were drawn."] = None
    usable: Annotated[int | None, OMITTED, "Replicates in which the value is defined."] = None
    bias: Annotated[
        float | None,
        OMITTED,
        "Mean of the replicates less the value, where the value lies outside the limits.",
    ] = None
    groups: Annotated[int | None, OMITTED, "Groups of rows that were left out in turn."] = None
    n_effective: Annotated[
        float | None, OMITTED, "Independent rows with as much information as these."
    ] = None
    standard_error: Annotated[
        float | None, OMITTED, "Root of the design-based variance that the limits rest on."
    ] = None
    df: Annotated[
        float | None, OMITTED, "Degrees of freedom of Student's t, where limits rest on it."
    ] = None
    why: Annotated[str | None, OMITTED, "Why this method was planned."] = None
    held: Annotated[
        float | None,
        OMITTED,
        "Share of samples in which such limits, nominally of 95 %, contained the truth in the "
        "coverage study: the least of the nearest samples. A sample of a value without limits "
        "counts as one in which they did not.",
    ] = None
    held_most: Annotated[float | None, OMITTED, "The greatest share of the same samples."] = None
    held_cell: Annotated[
        str | None, OMITTED, "The samples of the study that are nearest: size and prevalence."
    ] = None

    @property
    def is_rarely_held(self) -> bool:
        """Whether such limits held less often in the coverage study than a page can pass over."""
        return self.held is not None and self.held < OFTEN_HELD

    @property
    def study(self) -> Held | None:
        """What such limits held in the coverage study; None where nothing near was studied."""
        if self.held is None or self.held_most is None or self.held_cell is None:
            return None
        return Held(self.held, self.held_most, self.held_cell)

    def with_study(self, found: Held | None) -> Interval:
        """The same limits with what the study found of them."""
        low, high, cell = found or (None, None, None)
        return replace(self, held=low, held_most=high, held_cell=cell)

    def noted(self, text: str) -> Interval:
        """The same limits with one more note."""
        return replace(self, note=f"{self.note}; {text}" if self.note else text)


@dataclass(frozen=True, slots=True)
class Bounds:
    """Between these the distance of the single scores lies: they were kept in bins."""

    low: float
    high: float


@dataclass(frozen=True, slots=True)
class Fraction:
    """A value as numerator over denominator."""

    value: float
    numerator: float
    denominator: float


@dataclass(frozen=True, slots=True)
class Cells:
    """The four cells of one class against the rest."""

    tp: float
    fn: float
    fp: float
    tn: float


@dataclass(frozen=True, slots=True)
class OfCells:
    """A value of four cells."""

    value: float
    cells: Cells


@dataclass(frozen=True, slots=True)
class MissingBounds:
    """Worst and best case with the rows that were left out for what they lack.

    Of a share or an area with its fraction, of other measures of one class against the
    rest with the four cells.
    """

    low: Fraction | OfCells
    high: Fraction | OfCells


@dataclass(frozen=True, slots=True)
class Summary:
    """One number in several repeats: they share rows, so this is a spread, not an interval."""

    values: tuple[float | None, ...]
    mean: float | None
    spread: Annotated[float | None, "Standard deviation, n - 1 below the line."]
    low: float | None
    high: float | None
    reason: str | None = None


@dataclass(frozen=True, slots=True)
class Reached:
    """The threshold where a largest difference is reached, and the table there."""

    threshold: float
    tp: float
    fp: float
    fn: float
    tn: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Measure:
    """One number of the report with everything needed to check it."""

    id: str
    dataset: str
    model: str
    subgroup: Subgroup
    fold: Annotated[str | None, "A fold's name, or mean; null for all rows."]
    metric: str
    title: Annotated[str, "The metric in words."] = ""
    params: Params
    average: Average
    label: Annotated[str | None, "The class that the value belongs to."]
    threshold: float | None
    threshold_rule: Annotated[str | None, "The rule that found it, in words."] = None
    state: Annotated[str, one_of(*STATES)]
    value: float | None
    reason: Annotated[str | None, "Why there is no value, or what was left out of it."]
    left_out: Annotated[
        tuple[str, ...], OMITTED, "Classes whose value is undefined, left out of an average."
    ] = ()
    interval: Interval | None
    numerator: Number | None = None
    denominator: Number | None = None
    n: Annotated[Count, "Rows used."]
    table: Annotated[str | None, "The classification table the number is printed beside."]
    formula: str
    substituted: Annotated[str, "The formula with its numbers."]
    indeterminate: Annotated[
        str | None,
        OMITTED,
        one_of("for", "against"),
        "How indeterminate predictions are counted.",
    ] = None
    exploratory: Annotated[
        bool, OMITTED, "The threshold was chosen on the rows it is judged on."
    ] = False
    weight: Annotated[float | None, OMITTED, "Sum of the weights, where rows have any."] = None
    reached: Annotated[Reached | None, OMITTED] = None
    missing_bounds: Annotated[MissingBounds | None, OMITTED] = None
    interval_reason: Annotated[str | None, OMITTED, "Why a value has no interval."] = None
    few: Annotated[bool, OMITTED, "A subgroup of fewer rows than subgroup_minimum."] = False
    repeats: Annotated[Summary | None, OMITTED, "The same in each repeat."] = None
    tables: Annotated[
        tuple[str | None, ...] | None, OMITTED, "Tables of the folds or labels behind the value."
    ] = None
    spread: Annotated[float | None, Where("fold", "mean"), "Standard deviation over folds."] = None

    @property
    def where(self) -> Slice:
        """The rows that it is measured on."""
        return Slice(tuple(self.subgroup.items()), self.fold)

    @property
    def which(self) -> WhichNumber:
        """Which number it is: the key to look it up by."""
        return WhichNumber.of(self)


# -- tables and curves ---------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class MissingRows:
    """Rows of a table's place that were left out for what they lack, or their weights."""

    without_prediction: Annotated[tuple[Weight, ...], "By actual class."]
    without_target: Annotated[tuple[Weight, ...], "By predicted label, indeterminate ones last."]
    without_both: Weight


@dataclass(frozen=True, slots=True, kw_only=True)
class Table:
    """One classification table as it is printed beside its numbers."""

    id: str
    dataset: str
    model: str
    subgroup: Subgroup
    fold: str | None
    threshold: float | None
    threshold_rule: str | None = None
    labels: tuple[str, ...]
    positive: Annotated[str | None, "The positive class, where there are two."]
    rows: Literal["actual"] = "actual"
    columns: Literal["predicted"] = "predicted"
    counts: Annotated[
        tuple[tuple[float | None, ...], ...] | None,
        "Rows of each actual label (rows) and predicted one; a cell is null where nobody counted "
        "it, and the whole above 500 labels.",
    ]
    cells: Annotated[
        tuple[tuple[int, int, float], ...] | None,
        OMITTED,
        "Above 500 labels: [actual index, predicted index, count].",
    ] = None
    sampled_rows: Annotated[
        tuple[tuple[int, ...], ...] | None,
        OMITTED,
        "Rows that each cell of `counts` was estimated from, where rows were sampled by a design.",
    ] = None
    label: Annotated[str | None, OMITTED, "This class against the rest, which comes first."] = None
    missing: Annotated[MissingRows | None, OMITTED] = None
    extra_columns: Annotated[
        tuple[str, ...], OMITTED, "Indeterminate predictions, as further columns."
    ] = ()

    @property
    def where(self) -> Slice:
        """The rows that it counts."""
        return Slice(tuple(self.subgroup.items()), self.fold)


@dataclass(frozen=True, slots=True)
class Band:
    """Limits of a column of a curve at each point by itself.

    They are the columns ``<of>_low`` and ``<of>_high`` of its points.
    """

    of: Annotated[str, one_of("tpr", "precision", "observed")]
    level: float
    method: Annotated[str | None, "Of the limits; null where there are none."]
    reason: Annotated[str | None, OMITTED, "Why there are none."] = None


#: The kind of curve whose points are scores, and the kinds that tell all of scores without their
#: rows: these points, and a calibration where the scores are probabilities.
SCORES_BY_RANK = "gain"
CURVES_OF_SCORES = (SCORES_BY_RANK, "calibration")


@dataclass(frozen=True, slots=True, kw_only=True)
class Curve:
    """The points of a curve, as columns of equal length."""

    id: str
    dataset: str
    model: str
    subgroup: Subgroup
    label: str | None
    kind: str
    points: Mapping[str, Column]
    thinned: Annotated[bool, OMITTED, "Fewer points than distinct scores."] = False
    sums: Annotated[
        Mapping[str, float], OMITTED, "Metrics that sum the whole curve up, of all its scores."
    ] = field(default_factory=dict)
    band: Annotated[Band | None, OMITTED] = None

    @property
    def tells_scores(self) -> bool:
        """Whether its points are the scores, highest first, and the rows down to each."""
        return self.kind == SCORES_BY_RANK

    @property
    def in_bins(self) -> bool:
        """Whether a point stands for its score and for those up to the next point."""
        return self.thinned


@dataclass(frozen=True, slots=True)
class RocPoint:
    """A point of a ROC curve."""

    fpr: float
    tpr: float


@dataclass(frozen=True, slots=True)
class RocLead:
    """How far one curve rises above the other at most, and where."""

    by: float
    fpr: float


@dataclass(frozen=True, slots=True, kw_only=True)
class RocRelation:
    """How the ROC curves of two models of a dataset lie to each other."""

    dataset: str
    first: str
    second: str
    relation: Annotated[
        str | None, one_of("above", "below", "cross", "equal"), "Of the first to the second."
    ]
    crossings: Annotated[
        tuple[RocPoint, ...], "Where the order changes; the first ones of crossing_count."
    ] = ()
    crossing_count: int = 0
    first_leads: RocLead
    second_leads: RocLead
    reason: str | None = None


# -- differences ---------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class JointTable:
    """Rows that count for both models, one only, or neither."""

    n11: int
    n10: Annotated[int, "The model only."]
    n01: Annotated[int, "The reference only."]
    n00: int


@dataclass(frozen=True, slots=True)
class Calls:
    """Rows that both models call positive, one only, or neither."""

    both: int
    first_only: int
    second_only: int
    neither: int


@dataclass(frozen=True, slots=True)
class JointCalls:
    """The calls of two models, apart for actual positives and negatives."""

    actual_positive: Calls
    actual_negative: Calls


@dataclass(frozen=True, slots=True)
class ScoreCells:
    """Rows of one class by the scores that two models give them, as columns of equal length."""

    model_scores: Annotated[tuple[float, ...], "Half-way between the ends of those in the cell."]
    reference_scores: tuple[float, ...]
    rows: Annotated[tuple[int, ...], "Rows in the cell."]


@dataclass(frozen=True, slots=True, kw_only=True)
class ScorePairs:
    """The scores of a model and its reference on the same rows, counted in cells of a grid.

    A threshold parts the bin that it lies in, so that a cell lies on one side of it.
    """

    dataset: str
    model: str
    reference: str
    label: Annotated[str, "The positive class."]
    threshold: Annotated[float, "Of the model: its first one."]
    reference_threshold: float
    bins: Annotated[int, "Bins between the lowest and the highest score of each model."]
    positives: ScoreCells
    negatives: ScoreCells

    def calls(self, cells: ScoreCells) -> Calls:
        """The rows of some cells by which of the two models call them positive."""
        found = {(one, two): 0 for one in (True, False) for two in (True, False)}
        columns = cells.model_scores, cells.reference_scores, cells.rows
        for one, two, rows in zip(*columns, strict=True):
            found[one >= self.threshold, two >= self.reference_threshold] += rows
        return Calls(*found.values())


@dataclass(frozen=True, slots=True, kw_only=True)
class Ratio:
    """The value of the model over that of the reference."""

    value: float | None = None
    interval: Interval | None = None
    reason: Annotated[str | None, "Why there is no value or interval."] = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Hypothesis:
    """What was to be shown of a difference, and the one-sided test of it."""

    kind: Annotated[str, one_of("superiority", "non_inferiority", "equivalence", "greater", "less")]
    margin: Annotated[float, "How far from 0 the difference is tested; 0: at no difference."]
    null: Annotated[
        float | None, "The difference that is tested; of two, the one with the larger p value."
    ]
    test: str
    standard_error: Annotated[float | None, "Of the difference; null: from counts."] = None
    statistic: float | None
    df: float | None = None
    p_value: Annotated[float | None, "One-sided."]
    p_adjusted: Annotated[float | None, "Corrected in place of the two-sided p value."]
    alpha: Annotated[float, "The level that the corrected p value is compared with."]
    shown: Annotated[bool | None, "Whether it is below; null: it could not be tested."]
    why: Annotated[str, "Why this test was planned."] = ""
    reason: str | None = None


def disagree(p_value: float | None, interval: Interval | None, same: float) -> bool:
    """Whether p and limits differ on whether there is a difference, at the level of the limits.

    ``same``: the value of no difference.
    """
    if p_value is None or interval is None:
        return False
    return (p_value < 1.0 - interval.level) == (interval.low <= same <= interval.high)


#: Of two groups or models, with limits and the p value of a test.
Tested = TypeVar("Tested", "Comparison", "Reclassification", "ImpactCategory")
#: Noted where McNemar's test, say, and Newcombe's limits do not agree.
DISAGREE = "test and limits are two methods and disagree on whether there is a difference"


def with_disagreement(record: Tested) -> Tested:
    """The record, with a note where its test and its limits contradict each other."""
    if not record.methods_disagree or DISAGREE in (record.note or ""):
        return record
    return replace(record, note="; ".join(filter(None, (record.note, DISAGREE))))


@dataclass(frozen=True, slots=True, kw_only=True)
class Comparison:
    """A difference: model minus reference."""

    dataset: str
    subgroup: Subgroup
    fold: str | None
    threshold: float | None
    threshold_rule: str | None = None
    reference_threshold: float | None = None
    metric: str
    title: str = ""
    params: Params
    average: Average
    label: str | None
    model: str
    reference: Annotated[str, "A model, which may be the same one, or an earlier run."]
    reference_dataset: Annotated[str | None, "Where the reference is of other rows."] = None
    reference_run: Annotated[str | None, OMITTED, "The name of an earlier run."] = None
    paired: bool = True
    n: Count = 0
    model_value: float | None = None
    reference_value: float | None = None
    reference_interval: Annotated[Interval | None, Where("reference_run")] = None
    reference_numerator: Annotated[Number | None, Where("reference_run")] = None
    reference_denominator: Annotated[Number | None, Where("reference_run")] = None
    reference_n: Annotated[int | None, Where("reference_run")] = None
    difference: float | None
    interval: Interval | None
    interval_reason: str | None = None
    test: str | None
    statistic: float | None
    df: float | None = None
    p_value: float | None
    p_adjusted: float | None
    correction: str
    family: Annotated[
        str | None, OMITTED, "The tests corrected together: of the report, or of a dataset."
    ] = None
    family_tests: Annotated[int | None, OMITTED, "How many tests the family has."] = None
    reason: str | None = None
    why: Annotated[str, "Why this test and interval were planned."] = ""
    better: Annotated[str | None, one_of("model", "reference")] = None
    told_apart: Annotated[bool, "Whether the data show a difference of the two."] = False
    margin: Annotated[float | None, OMITTED, "How much worse would still do."] = None
    non_inferior: Annotated[bool | None, Where("margin")] = None
    hypothesis: Annotated[Hypothesis | None, OMITTED] = None
    ratio: Annotated[Ratio | None, OMITTED] = None
    exploratory: Annotated[
        bool | None, OMITTED, "The threshold was chosen on the rows that are compared."
    ] = None
    note: str | None = None
    joint_table: Annotated[JointTable | None, OMITTED] = None
    joint_calls: Annotated[JointCalls | None, OMITTED] = None
    fold_differences: Annotated[tuple[float, ...] | None, OMITTED] = None
    model_fraction: Annotated[
        tuple[float, float] | None, OMITTED, "Counts above and below the line, of other rows."
    ] = None
    reference_fraction: Annotated[tuple[float, float] | None, OMITTED] = None

    @property
    def which(self) -> WhichNumber:
        """Which number of the model is compared."""
        return WhichNumber.of(self)

    @property
    def methods_disagree(self) -> bool:
        """Whether p and limits differ on whether there is a difference, at the limits' level.

        Limits are those of the difference, and of the ratio where there is one.
        """
        ratio = None if self.ratio is None else self.ratio.interval
        return disagree(self.p_value, self.interval, 0.0) or disagree(self.p_value, ratio, 1.0)


@dataclass(frozen=True, slots=True, kw_only=True)
class OmnibusTest:
    """One test that a number is the same for all models of a dataset, on their common rows."""

    dataset: str
    metric: str
    title: str = ""
    params: Params
    average: Average
    label: str | None
    models: tuple[str, ...]
    thresholds: Annotated[tuple[float | None, ...], "Of each model."]
    values: Annotated[tuple[float | None, ...], "Of each model."] = ()
    n: Annotated[int, AtLeast(0), "Rows that every model uses."] = 0
    test: Annotated[str, one_of("cochran_q", "delong", "friedman")]
    statistic: Annotated[float | None, "Chi-square."] = None
    df: float | None = None
    p_value: Annotated[float | None, "Not corrected for the number of tests."] = None
    totals: Annotated[
        tuple[int, ...] | None, OMITTED, "Rows that count above the line for each model."
    ] = None
    rows_by_models: Annotated[
        tuple[int, ...] | None, OMITTED, "Rows that count for none, one, ... all models."
    ] = None
    covariance: Annotated[
        tuple[tuple[float, ...], ...] | None, OMITTED, "Of the values, by DeLong."
    ] = None
    rank_sums: Annotated[
        tuple[float, ...] | None, OMITTED, "Of each model, ranked within rows."
    ] = None
    ties: Annotated[int | None, OMITTED, "Sum of t^3 - t over t equal values of a row."] = None
    reason: str | None = None
    note: str | None = None


@dataclass(frozen=True, slots=True)
class Moves:
    """Rows of one actual class that two models call differently."""

    n: float
    up: float
    down: float
    net: float | None
    interval: Interval | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Reclassification:
    """Net reclassification of a model against the reference, on the same rows."""

    dataset: str
    model: str
    reference: str
    label: str | None = None
    threshold: float | None = None
    reference_threshold: float | None = None
    rows: Count = 0
    events: Moves | None = None
    nonevents: Moves | None = None
    net: float | None = None
    interval: Interval | None = None
    test: str | None = None
    statistic: float | None = None
    p_value: float | None = None
    reason: str | None = None
    note: Annotated[str | None, OMITTED] = None

    @property
    def methods_disagree(self) -> bool:
        """Whether p and limits differ on whether rows are reclassified at all."""
        return disagree(self.p_value, self.interval, 0.0)


@dataclass(frozen=True, slots=True, kw_only=True)
class Baseline:
    """What simple rules reach on the same rows; or the previous model."""

    dataset: str
    baseline: str
    model: Annotated[str | None, OMITTED, "The previous model."] = None
    metric: str
    params: Params
    average: Average
    label: str | None
    value: float | None
    left_out: Annotated[
        tuple[str, ...], OMITTED, "Classes whose value is undefined, left out of an average."
    ] = ()
    n: Count
    note: str


@dataclass(frozen=True, slots=True, kw_only=True)
class BaselineTable:
    """The classification table that the values of a baseline follow from."""

    dataset: str
    baseline: str
    threshold: Annotated[float | None, "Of a baseline that gives scores."]
    labels: Sequence[str]
    positive: str | None
    counts: Annotated[Sequence[Sequence[int]], "Rows, actual by predicted."]


@dataclass(frozen=True, slots=True, kw_only=True)
class AgainstBaseline:
    """A model beside a baseline, and whether an interval shows which is better."""

    dataset: str
    model: str
    baseline: str
    previous: Annotated[str | None, "The previous model, where that is the baseline."] = None
    metric: str
    title: str
    params: Params
    average: Average
    label: str | None
    measure: str
    value: float
    baseline_value: float
    difference: Annotated[float | None, "Model minus previous model."] = None
    interval: Interval | None
    goal: Goal
    outcome: Annotated[
        str,
        one_of("better", "worse", "not_shown", "not_judged"),
        "On which side of the baseline the interval lies: of the value, or of the difference "
        "from the previous model.",
    ]
    reason: Annotated[str | None, "Why it is not judged."] = None


# -- readers -------------------------------------------------------------------------------

#: What of a study of readers is a sample of more of its kind.
Random = Annotated[
    tuple[str, ...], "What is a sample of more of its kind: readers, cases, or both."
]


@dataclass(frozen=True, slots=True, kw_only=True)
class ReaderValue:
    """The value of one reader."""

    reader: str
    positives: Annotated[Count, "Cases of the positive class that were read."]
    negatives: Count
    cells: Annotated[Cells | None, OMITTED, "Of a value of the classification table."] = None
    value: float | None
    interval: Interval | None = None
    reason: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class ReaderMean:
    """One measure of a model over its readers: each of them, and their mean."""

    dataset: str
    model: str
    metric: str
    title: Annotated[str, "The metric in words."] = ""
    params: Params
    average: Average = None
    label: str | None
    threshold: float | None
    threshold_rule: str | None = None
    random: Random
    cases: Annotated[Count, "Cases that anybody read."]
    readings: Annotated[Count, "Pairs of a reader and a case."]
    crossed: Annotated[bool, "Whether every reader read every case."]
    clusters: Annotated[int | None, OMITTED, "Clusters that the cases come in."] = None
    readers: tuple[ReaderValue, ...]
    covariance: Annotated[
        tuple[tuple[float, ...], ...],
        "Between the readers that have a value, by the cases they share; 0 where they share none.",
    ] = ()
    value: Annotated[float | None, "The mean over the readers that have one."]
    between: Annotated[float | None, "Mean square of the readers: variance of their values."] = None
    variance: Annotated[float | None, "Of one reading, averaged."] = None
    same_modality: Annotated[float | None, "Covariance between readers, averaged (Cov2)."] = None
    standard_error: float | None = None
    df: Annotated[float | None, "Degrees of freedom; null: normal."] = None
    interval: Interval | None = None
    reason: Annotated[str | None, "Why there is no value or interval."] = None
    note: str | None = None

    def is_over(self, measure: Measure) -> bool:
        """Whether it is of the same number as a measure of pooled readings of all rows."""
        if measure.subgroup or measure.average is not None or measure.fold is not None:
            return False
        own = (self.dataset, self.model, self.metric, self.threshold, self.threshold_rule)
        return own == (
            measure.dataset,
            measure.model,
            measure.metric,
            measure.threshold,
            measure.threshold_rule,
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class ReaderDifference:
    """The difference of two models in a measure, over the readers of both."""

    dataset: str
    metric: str
    title: Annotated[str, "The metric in words."] = ""
    params: Params
    average: Average = None
    label: str | None
    model: str
    reference: str
    threshold: float | None
    threshold_rule: str | None = None
    reference_threshold: float | None = None
    random: Random
    readers: Annotated[tuple[str, ...], "Those with a value of both models."]
    values: tuple[float, ...] = ()
    reference_values: tuple[float, ...] = ()
    cross: Annotated[
        tuple[tuple[float, ...], ...],
        "Covariances of the model's readers (rows) with the reference's (columns).",
    ] = ()
    difference: Annotated[float | None, "Mean of model minus reference."]
    between: Annotated[float | None, "Mean square of model by reader."] = None
    variance: Annotated[float | None, "Of one reading, averaged."] = None
    same_reader: Annotated[float | None, "Cov1, between the models."] = None
    same_modality: Annotated[float | None, "Cov2, between the readers."] = None
    neither: Annotated[float | None, "Cov3, between both."] = None
    standard_error: float | None = None
    df: Annotated[float | None, "Degrees of freedom; null: normal."] = None
    interval: Interval | None = None
    test: str | None = None
    statistic: float | None = None
    p_value: Annotated[float | None, "Not corrected for the number of tests."] = None
    better: Annotated[str | None, one_of("model", "reference")] = None
    told_apart: Annotated[bool, "Whether the limits leave out 0."] = False
    margin: Annotated[float | None, OMITTED, "How much worse would still do."] = None
    non_inferior: Annotated[bool | None, Where("margin")] = None
    reason: str | None = None
    note: str | None = None


@dataclass(frozen=True, slots=True)
class Ratings:
    """Cases that were rated alike: by how many readers into each category, and how many cases."""

    counts: tuple[int, ...]
    cases: Count


@dataclass(frozen=True, slots=True, kw_only=True)
class Coefficient:
    """A coefficient of the agreement of all readers."""

    name: Annotated[
        str, one_of("percent_agreement", "fleiss_kappa", "gwet_ac1", "krippendorff_alpha")
    ]
    value: float | None
    standard_error: float | None = None
    cases: Annotated[int | None, "Cases that the limits rest on."] = None
    interval: Interval | None = None
    reason: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class ReaderPair:
    """What two readers said of the cases that both read, and Cohen's kappa."""

    first: str
    second: str
    counts: Annotated[tuple[tuple[int, ...], ...], "Rows: the first reader; columns: the second."]
    agreement: Annotated[float | None, "Share of the cases that they put alike."]
    kappa: float | None
    interval: Interval | None = None
    reason: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class ReaderAgreement:
    """How far the readers of a model agree with each other, whatever the truth."""

    dataset: str
    model: str
    threshold: float | None
    threshold_rule: str | None = None
    labels: Annotated[tuple[str, ...], "The categories, in the order of all counts."]
    readers: tuple[str, ...]
    ratings: tuple[Ratings, ...]
    coefficients: tuple[Coefficient, ...]
    pairs: tuple[ReaderPair, ...] = ()
    note: str | None = None


# -- judgements ----------------------------------------------------------------------------


@dataclass(frozen=True, slots=True, kw_only=True)
class EarlierOutcome:
    """What came of the same criterion in an earlier run of the series, as that run recorded it."""

    run: str
    of: Annotated[str, "What its data are of, else its clock."]
    value: float | None = None
    low: Annotated[float | None, "Of the interval of the value."] = None
    high: float | None = None
    observed: Annotated[float | None, "The number compared with the requirement."] = None
    required: float | None = None
    outcome: Annotated[str, one_of(*OUTCOMES)]


@dataclass(frozen=True, slots=True, kw_only=True)
class Criterion:
    """An acceptance criterion on one measure, and its outcome."""

    criterion: Annotated[int, "Its number in the spec, from 1."]
    text: str = ""
    metric: str = ""
    params: Annotated[Mapping[str, Any] | None, OMITTED] = None
    dataset: str | None = None
    model: str | None = None
    subgroup: Subgroup = field(default_factory=dict)
    threshold: float | None = None
    threshold_asked: str | None = None
    measure: str | None
    bound: Annotated[str, one_of("point", "lower", "upper")]
    direction: Annotated[str, one_of("at_least", "at_most")] = "at_least"
    required: float | None
    observed: float | None
    outcome: Annotated[str, one_of(*OUTCOMES)]
    reason: str | None
    exploratory: Annotated[
        bool | None, OMITTED, "The threshold was chosen on the rows that it is judged by."
    ] = None
    reference: Annotated[str | None, OMITTED, "What it may be no worse than."] = None
    reference_value: Annotated[float | None, Where("reference")] = None
    margin: Annotated[float | None, Where("reference")] = None
    difference: Annotated[float | None, Where("reference"), "From the reference."] = None
    interval: Annotated[Interval | None, Where("reference"), "Of the difference."] = None
    limits: Annotated[
        Interval | None, OMITTED, "By the method that the criterion names; the limit judged is one."
    ] = None
    breaches_in_a_row: Annotated[
        int | None, OMITTED, "Runs in a row, this one included, that did not pass."
    ] = None
    earlier: Annotated[
        tuple[EarlierOutcome, ...], OMITTED, "The runs of the series before this one, oldest first."
    ] = ()
    claim: Annotated[int | None, OMITTED, "The claim that has to be reproduced."] = None
    readers: Annotated[
        bool | None, OMITTED, "Observed and outcome are those of the mean over the readers."
    ] = None
    look: Annotated[
        int | None,
        OMITTED,
        "Which look of a series it is; observed and outcome are those of looks.",
    ] = None

    @property
    def asked_at(self) -> str | None:
        """The threshold that it was asked at; None where its measure has none, as an area has."""
        return None if self.measure is not None and self.threshold is None else self.threshold_asked

    @property
    def which(self) -> WhichCriterion:
        """Which criterion it is, in this run and in others."""
        return WhichCriterion(
            self.text,
            self.metric,
            self.dataset,
            self.model,
            frozen_subgroup(self.subgroup),
            self.threshold_asked,
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class LookBlock:
    """Rows that came in together and are counted once, at the look that saw them first."""

    name: Annotated[str, "The period, or the sha256 of the file."]
    look: int
    rows: Weight
    numerator: int | None = None
    denominator: int | None = None
    value: float | None = None
    standard_error: float | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Look:
    """One of several looks at a criterion, on all rows of the series so far."""

    criterion: Annotated[int, "Its number in the spec, from 1."]
    text: str
    dataset: str
    model: str
    subgroup: Subgroup = field(default_factory=dict)
    threshold_asked: str | None = None
    measure: str | None
    look: Annotated[int, AtLeast(1)]
    planned: Annotated[int | None, "None: looks without end."]
    spending: Annotated[str | None, one_of("obrien_fleming", "pocock")]
    alpha: Annotated[float, "Error of both sides together, over all looks."]
    recognised_by: Annotated[
        str, one_of("period", "row", "file"), "How rows are known that a look before has counted."
    ]
    blocks: Annotated[tuple[LookBlock, ...], "Everything that was counted, oldest first."]
    seen_before: Annotated[
        tuple[str, ...], "Blocks of this run's file that an earlier look has counted."
    ] = ()
    rows_seen: Annotated[
        int | None, OMITTED, "Rows of this run's file, used or not, that a look before has counted."
    ] = None
    spent: Annotated[float | None, "Error spent by now, both sides; None without end."]
    boundary: Annotated[float | None, "Deviate of this look; None where it may not decide."]
    rows: Weight
    numerator: int | None
    denominator: int | None
    value: float | None
    standard_error: float | None
    interval: Annotated[Interval | None, "Limits that are valid at all looks together."]
    before: Annotated[tuple[str, ...], "What each earlier look gave."]
    now: Annotated[str, one_of("pass", "fail", CONTINUE), "What this look by itself gives."]
    outcome: Annotated[str, one_of("pass", "fail", CONTINUE), "The decision after this look."]
    decided_at: Annotated[int | None, "The look whose decision applies."]
    previous: Annotated[str | None, "The run of the look before."]
    instead_of: Annotated[
        str | None, OMITTED, "The run with looks at this metric that these do not go on with."
    ] = None
    reason: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Declared:
    """A value declared elsewhere, beside the measured one."""

    declared: Annotated[int, "Its number in the spec, from 1."]
    metric: str
    params: Params
    average: Average = None
    label: str | None = None
    dataset: str | None
    model: str | None
    subgroup: Subgroup
    threshold: float | None = None
    threshold_asked: str | None = None
    measure: str | None
    value: float
    source: str | None = None
    measured: float | None
    interval: Interval | None
    difference: Annotated[float | None, "Measured minus declared."]
    within: Annotated[bool | None, "Whether the declared value is within the limits."]
    test: str | None = None
    p_value: float | None = None
    reason: str | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Claim:
    """A value that somebody printed, and whether the counts give it again."""

    claim: Annotated[int, "Its number in the spec, from 1."]
    metric: str
    params: Params
    average: Average = None
    label: str | None = None
    dataset: str | None
    model: str | None
    subgroup: Subgroup
    threshold: float | None = None
    threshold_asked: str | None = None
    measure: str | None
    value: Annotated[str, "As printed, like the limits."]
    low: str | None = None
    high: str | None = None
    unit: Annotated[str, one_of("percent", "share")]
    level: float
    method: Annotated[str | None, "The method of the limits that the source states."] = None
    source: str | None = None
    observed: Annotated[float | None, "What the counts give."]
    interval: Annotated[
        Interval | None,
        "By the method that reproduces the limits, else the one that is stated, else the planned.",
    ] = None
    outcome: Annotated[str, one_of(*CLAIMED, "not_evaluated")]
    value_reproduced: Annotated[bool | None, "Whether the value is, whatever the limits."] = None
    by: Annotated[str | None, "The method that reproduces the limits."] = None
    also_by: Annotated[tuple[str, ...], "Other methods that do."] = ()
    tried: Annotated[tuple[str, ...], "Every method that was tried."] = ()
    reason: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class ClaimCounts:
    """Tables near one whose claims are not all reproduced: those that reproduce all at once."""

    dataset: str
    model: str
    table: str
    claims: Annotated[tuple[int, ...], "The claims that were compared with the tables."]
    by_value_only: Annotated[tuple[int, ...], "Those of them whose limits were not."] = ()
    within: Annotated[int, "How far each cell may be from the table's."]
    searched: Annotated[int, "How many tables were searched."]
    found: Annotated[
        int | None, "How many reproduce every claim; null where too many have the values."
    ]
    nearest: Annotated[tuple[Cells, ...], "They, nearest first, where they are few."] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Caution:
    """What a reader has to know."""

    code: str
    severity: Annotated[str, one_of("note", "warning")]
    title: str = ""
    headline: Annotated[
        str, OMITTED, "What to conclude in a few words; empty where the title says it."
    ] = ""
    message: str
    why: str = ""
    read: Annotated[str, "What to read instead."] = ""
    dataset: str | None
    model: str | None
    models: Annotated[
        tuple[str, ...], OMITTED, "Every model that it is about; none where it is of all."
    ] = ()
    measure: str | None
    table: str | None
    numbers: Annotated[Mapping[str, Scalar], "The numbers of the first place."] = field(
        default_factory=dict
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class SampleSize:
    """The width of an interval, and the rows that the wanted width would take."""

    measure: str
    width: float
    half_width: float
    rows: Count
    denominator: Annotated[float | None, OMITTED] = None
    wanted_width: Annotated[float | None, OMITTED] = None
    denominator_needed: Annotated[int | None, OMITTED] = None
    rows_needed: Annotated[int | None, Where("wanted_width")] = None
    rule: Annotated[str | None, Where("wanted_width")] = None
    reason: Annotated[str | None, OMITTED] = None


# -- groups --------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True, kw_only=True)
class Gap:
    """A measure of a subgroup minus the same of all rows, or of the largest group."""

    dataset: str
    model: str
    metric: str
    params: Params
    average: Average
    label: str | None
    threshold: float | None
    threshold_rule: str | None
    columns: tuple[str, ...]
    subgroup: Subgroup
    measure: str
    against: Literal["all rows", "largest group"]
    against_subgroup: Subgroup
    against_measure: str
    n: Count
    against_n: Count
    value: float | None
    against_value: float | None
    gap: float | None
    gap_interval: Interval | None
    ratio: float | None
    ratio_interval: Interval | None
    ratio_reason: str | None
    few: Annotated[bool, "One of the two has fewer rows than subgroup_minimum."]
    reason: str | None


@dataclass(frozen=True, slots=True, kw_only=True)
class WidestGap:
    """The largest gap between any two groups of a column: chosen by the data, so too large."""

    highest: Annotated[str, "The id of the largest measure."]
    lowest: Annotated[str, "The id of the smallest measure."]
    gap: float
    pairs: Annotated[int, "Pairs of groups whose limits are simultaneous."]
    interval: Annotated[Interval | None, "Of the largest gap there is, at least at its level."]
    reason: str | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Heterogeneity:
    """A test whether the subgroups of a column differ by more than chance."""

    dataset: str
    model: str
    metric: str
    params: Params
    average: Average
    label: str | None
    threshold: float | None
    threshold_rule: str | None
    columns: tuple[str, ...]
    groups: int
    test: str
    statistic: float | None
    df: int | None
    p_value: float | None
    reason: str | None
    widest: Annotated[WidestGap | None, OMITTED] = None


@dataclass(frozen=True, slots=True)
class Rates:
    """A selection rate and its ratio to the highest."""

    selection_rate: float | None
    impact_ratio: float | None


@dataclass(frozen=True, slots=True)
class UnknownBounds:
    """Rates if all rows of unknown category were of this one."""

    unknown: Weight
    not_selected: Rates
    selected: Rates


@dataclass(frozen=True, slots=True, kw_only=True)
class ImpactCategory:
    """One category: how many of its rows are selected, and the ratio to the highest rate."""

    subgroup: Subgroup
    selected: Weight
    n: Weight
    rows: Count
    share_of_rows: float | None
    under_two_percent: bool
    selection_rate: float | None
    impact_ratio: float | None = None
    highest: bool = False
    against_subgroup: Annotated[Mapping[str, str] | None, "The one with the highest rate."] = None
    highest_fraction: Annotated[
        tuple[Weight, Weight] | None, "Selected and total of the highest rate."
    ] = None
    interval: Interval | None = None
    p_value: float | None = None
    test: str | None = None
    below_four_fifths: bool | None = None
    small: bool | None = None
    bounds: UnknownBounds | None = None
    reason: str | None = None
    unknown: bool = False
    table: str | None = None
    note: Annotated[str | None, OMITTED] = None

    @property
    def methods_disagree(self) -> bool:
        """Whether p and limits differ on whether the rates differ."""
        return disagree(self.p_value, self.interval, 1.0)


@dataclass(frozen=True, slots=True, kw_only=True)
class Impact:
    """Selection or scoring rates of the categories of a column or crossing, and their ratios."""

    dataset: str
    model: str
    columns: tuple[str, ...]
    kind: Annotated[
        str,
        one_of("selection", "scoring"),
        "Selected: predicted positive, or scored strictly above the median.",
    ]
    label: str | None
    threshold: float | None
    threshold_rule: str | None
    median: float | None = None
    smallest_share: float
    unknown: Weight = 0
    categories: Annotated[
        tuple[ImpactCategory, ...], "Every category, the unknown ones among them."
    ] = ()
    reason: str | None = None
    interval_reason: Annotated[str | None, OMITTED] = None


# -- time ----------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class ControlLimits:
    """Where the value of a period lies if nothing has changed since those before it."""

    centre: float | None
    low: float | None
    high: float | None
    chart: str | None
    reason: str | None
    signal: Annotated[bool, "Whether the value is outside."]


class ShareMoved(NamedTuple):
    """A share of rows that may move: its words, and the axis of a table that is summed over.

    Summed over axis 1, the predictions, the rows of each actual class are left.
    """

    words: str
    axis: int


SHARES_MOVED: Mapping[str, ShareMoved] = {
    "prevalence": ShareMoved("share of positives", 1),
    "predicted_prevalence": ShareMoved("share predicted positive", 0),
}


@dataclass(frozen=True, slots=True)
class ChartMark:
    """One period in the charts that carry the past along; None where it has no value before it."""

    z: Annotated[float | None, "Against all periods before, in standard errors."]
    ewma: Annotated[float | None, "Exponentially weighted moving average of z."]
    ewma_limit: float | None
    cusum: Annotated[float | None, "The larger cumulative sum; negative where it is downward."]
    cusum_limit: float | None
    signal: Annotated[bool, "Whether the cumulative sum is beyond its limit."]


@dataclass(frozen=True, slots=True)
class Moved:
    """Something beside the measure, before the point of change and after it."""

    what: Annotated[str, one_of(*SHARES_MOVED, "scores", "calibration", "subgroups")]
    column: Annotated[str | None, "The subgroup column."]
    before: float | None
    after: float | None
    test: str | None
    statistic: float | None
    p_value: float | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Change:
    """When a course changed: the alarm of a chart that looks every time; the point of change."""

    run_length: Annotated[float, "Periods between false alarms of each chart, on average."]
    marks: tuple[ChartMark, ...]
    alarm: Annotated[str | None, "The first period beyond the limit of the cumulative sum."]
    since: Annotated[str | None, "The most likely first period after one change."]
    earliest: str | None
    latest: Annotated[str | None, "With earliest: the periods it may be, at the level."]
    level: float
    probability: Annotated[float | None, "Of a change at all, one half beforehand."]
    before: Annotated[float | None, "The value over all periods before the point of change."]
    after: float | None
    moved: tuple[Moved, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Period:
    """A measure over periods of time, with tests of a change and of a trend."""

    dataset: str
    model: str
    metric: str
    params: Params
    average: Average
    label: str | None
    threshold: float | None = None
    threshold_rule: str | None = None
    column: str
    every: str
    periods: tuple[str, ...]
    measures: tuple[str, ...]
    values: tuple[float | None, ...]
    limits: tuple[ControlLimits, ...] = ()
    change_test: str | None = None
    change_statistic: float | None = None
    change_df: int | None = None
    change_p_value: float | None = None
    trend_test: str | None = None
    trend_statistic: float | None = None
    trend_p_value: float | None = None
    reason: str | None = None
    change: Annotated[Change | None, OMITTED, "Charts that look every time, and when."] = None


@dataclass(frozen=True, slots=True)
class DriftCategory:
    """Rows of one category, in the reference and in the dataset."""

    name: str
    reference: float
    rows: float


@dataclass(frozen=True, slots=True)
class DriftBin:
    """Rows with a value above one cut and up to the next; null where there is no cut."""

    above: float | None
    to: float | None
    reference: float
    rows: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Drift:
    """How far labels, scores or a column have moved from a reference."""

    dataset: str
    reference: str
    of: Annotated[str, one_of("labels", "scores", "column")]
    model: str | None
    label: str | None
    column: str | None
    kind: Annotated[str, one_of("numbers", "categories")]
    bins: tuple[DriftCategory | DriftBin, ...] = ()
    psi: Annotated[float | None, "Population stability index."] = None
    psi_p_value: float | None = None
    psi_expected: float | None = None
    psi_reason: str | None = None
    ks: Annotated[float | None, "Kolmogorov-Smirnov distance."] = None
    test: str | None = None
    statistic: float | None = None
    p_value: float | None = None
    reason: str | None = None


# -- training ------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class FoldParams:
    """What was chosen on inner folds of the training rows of one fold."""

    fold: str
    params: Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Tuning:
    """The parameters that nested tuning chose."""

    dataset: str
    model: str
    folds: tuple[FoldParams, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class TrainingOverlap:
    """Rows of a tested dataset that one learned from holds too; 0 is written as well."""

    dataset: str
    other: str
    use: Annotated[str, one_of("training", "tuning")]
    models: tuple[str, ...]
    by: Annotated[str, one_of("id", "group", "content")]
    columns: tuple[str, ...]
    rows: Count | None
    of: Count | None
    reason: str | None


@dataclass(frozen=True, slots=True)
class LearningPoint:
    """Metrics on test and training rows after training on so many rows."""

    size: float
    train_rows: Annotated[float, "Mean over repeats."]
    test: Mapping[str, Summary]
    train: Mapping[str, Summary]
    counts: Annotated[
        Sequence[Sequence[int]], OMITTED, "Test rows of all repeats, actual by predicted."
    ] = ()


@dataclass(frozen=True, slots=True)
class LearningCurve:
    """Metrics by the number of rows trained on."""

    dataset: str
    model: str
    repeats: int
    notes: tuple[str, ...]
    points: tuple[LearningPoint, ...]


@dataclass(frozen=True, slots=True)
class StepMetric:
    """A metric of the spec at one step."""

    metric: str
    value: float | None
    reason: str | None


@dataclass(frozen=True, slots=True, kw_only=True)
class BestStep:
    """The best step of a run: by mistakes, by cost or by both."""

    step: float
    by: tuple[str, ...]
    tp: Count
    fp: Count
    fn: Count
    tn: Count
    bias: float | None
    weights: Annotated[Mapping[str, float] | None, "By feature; null of predictions."]
    metrics: tuple[StepMetric, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class History:
    """Training step by step: one run of a model, its errors and cost."""

    dataset: str
    model: str
    run: str
    rows: Count
    steps: tuple[float, ...]
    misclassified: tuple[int, ...]
    cost: tuple[float, ...] | None
    cost_name: str | None
    on_boundary: tuple[int, ...]
    clipped: tuple[int, ...]
    best_by_misclassified: float
    best_by_cost: float | None
    differ: bool
    sentence: str
    best: tuple[BestStep, ...] = ()


# -- rows and labels -----------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Excluded:
    """Rows left out for one reason."""

    reason: str
    count: Count


@dataclass(frozen=True, slots=True)
class ClassCount:
    """Used rows of one actual class."""

    label: str
    count: Count
    uncounted: Annotated[bool, OMITTED, "Further rows of it are in a cell nobody counted."] = False


@dataclass(frozen=True, slots=True, kw_only=True)
class ClusterLedger:
    """Clusters of the used rows: the column that names them, and what they hold.

    A cluster with rows of several classes counts for each of them.
    """

    column: str
    classes: Annotated[tuple[ClassCount, ...], "Clusters with at least one row of each class."] = ()
    median: Annotated[float, "Rows of a cluster, in the middle."]
    most: Annotated[Count, "Rows of the largest cluster."]


@dataclass(frozen=True, slots=True, kw_only=True)
class RowLedger:
    """What became of every row: read = used + excluded."""

    dataset: str
    model: str
    read: Count
    used: Count
    excluded: tuple[Excluded, ...]
    classes: tuple[ClassCount, ...] = ()
    clusters: Annotated[int | None, OMITTED] = None
    clustered: Annotated[
        ClusterLedger | None, OMITTED, "What the clusters contain, where the dataset names them."
    ] = None
    predictions: Annotated[
        int | None,
        OMITTED,
        "Predictions of the used rows, in each repeat, where rows were predicted several times.",
    ] = None
    repeats: Annotated[int | None, OMITTED, "Repeats of the cross-validation."] = None
    unknown: Annotated[
        tuple[ClassCount, ...],
        OMITTED,
        "Of sets of labels: used rows in which a label is not known, of each such label; its "
        "numbers are of the other rows.",
    ] = ()
    procedure: Annotated[
        tuple[str, ...], OMITTED, "How a model that is trained here made the predictions."
    ] = ()


@dataclass(frozen=True, slots=True)
class Ties:
    """Rows whose score is exactly a threshold; null where that is not known."""

    threshold: float
    rows: int | None


@dataclass(frozen=True, slots=True, kw_only=True)
class LabelLedger:
    """Classes declared and seen, the positive one and its rule, ties at the thresholds."""

    dataset: str
    model: str
    declared: tuple[str, ...] | None = None
    seen_true: tuple[str, ...] = ()
    seen_predicted: tuple[str, ...] = ()
    order: tuple[str, ...] = ()
    kind: str = ""
    positive: str | None = None
    label_sets: Annotated[bool, OMITTED, "Rows have sets of labels."] = False
    rule: str = ""
    operator: Annotated[str | None, "How a score becomes a label."] = None
    decided: Annotated[
        bool, OMITTED, "Labels of its own decide; the operator is that of further thresholds."
    ] = False
    ties: tuple[Ties, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Threshold:
    """A threshold of a model on a dataset, declared or found by a rule."""

    dataset: str
    model: str
    threshold: float | None
    rule: str | None
    status: Annotated[str, one_of("declared", "exploratory")]
    reason: str | None = None


@dataclass(frozen=True, slots=True)
class ClassRows:
    """Described rows of one actual class."""

    label: str
    rows: Count


@dataclass(frozen=True, slots=True)
class ValueCount:
    """Rows with one value of a column of words."""

    value: str
    count: Count


@dataclass(frozen=True, slots=True, kw_only=True)
class NumberGroup:
    """A column of numbers in all used rows (label null) or in those of one class."""

    label: str | None
    n: Count
    missing: Count
    mean: float | None
    sd: float | None
    median: float | None
    quartile_1: float | None
    quartile_3: float | None
    low: float | None
    high: float | None


@dataclass(frozen=True, slots=True, kw_only=True)
class CategoryGroup:
    """A column of words in all used rows (label null) or in those of one class."""

    label: str | None
    n: Count
    missing: Count
    values: tuple[ValueCount, ...]
    other: Annotated[Count, "Rows of values that are too many to be named."]


@dataclass(frozen=True, slots=True)
class DescribedColumn:
    """One column, described in all used rows and by class."""

    column: str
    kind: Annotated[str, one_of("number", "category")]
    groups: tuple[NumberGroup | CategoryGroup, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Characteristics:
    """What the used rows are like, column by column and class by class."""

    dataset: str
    models: tuple[str, ...]
    rows: Count
    classes: tuple[ClassRows, ...]
    columns: tuple[DescribedColumn, ...]


# -- the run -------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class SpecFile:
    """The spec as it was read."""

    name: str
    sha256: str
    text: str = ""
    overrides: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class InputPart:
    """One file of a dataset that is several."""

    name: str
    sha256: str
    bytes: int


@dataclass(frozen=True, slots=True)
class Input:
    """A file, or rows of a database, that a dataset was read from."""

    dataset: str
    name: str
    sha256: str | None
    bytes: int | None
    rows: Count
    sha256_of: Annotated[str | None, OMITTED, "What was hashed, where that is not a file."] = None
    files: Annotated[tuple[InputPart, ...], OMITTED] = ()


@dataclass(frozen=True, slots=True)
class CountingEngine:
    """What counted the rows, and why."""

    name: str
    reason: str = ""
    asked: str = "auto"


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelIdentity:
    """Which model was evaluated, as far as the spec says so or its file shows it."""

    model: str
    version: Annotated[str | None, OMITTED] = None
    sha256: Annotated[str | None, OMITTED] = None
    sha256_of: Annotated[
        str | None,
        Where("sha256"),
        one_of("declared", "file"),
        "Whether the hash is in the spec only, or is that of the file that was read.",
    ] = None
    file: Annotated[str | None, OMITTED, "The file that was read."] = None
    repository: Annotated[str | None, OMITTED] = None
    revision: Annotated[str | None, OMITTED] = None
    trained_on: Annotated[str | None, OMITTED, "A dataset of the spec."] = None


@dataclass(frozen=True, slots=True, kw_only=True)
class CitedProtocol:
    """The protocol that a spec names, and which criteria stand in it."""

    name: str
    sha256: Annotated[str, "The hash that the protocol states of itself; it was verified."]
    bytes: int
    file_sha256: str
    fixed: Annotated[str | None, OMITTED, "The day that the spec declares."] = None
    criteria: Annotated[tuple[str, ...], "Criteria of this run that are in it."] = ()
    post_hoc: Annotated[tuple[str, ...], "Criteria of this run that do not."] = ()
    not_judged: Annotated[tuple[str, ...], "Criteria in it that this run does not judge."] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Provenance:
    """Where the numbers come from: version, clock, spec, inputs, plan, libraries, seed."""

    version: str = ""
    at: str = ""
    clock: Annotated[
        str,
        one_of("given", "source_date_epoch", "read"),
        "Whether the time was given with the command or the environment, or read off the computer.",
    ] = "given"
    spec: SpecFile | None = None
    inputs: tuple[Input, ...] = ()
    plan_sha256: str = ""
    versions: Mapping[str, str] = field(default_factory=dict)
    seed: int = 0
    engine: CountingEngine | None = None
    models: Annotated[tuple[ModelIdentity, ...], OMITTED] = ()
    protocol: Annotated[CitedProtocol | None, OMITTED] = None


@dataclass(frozen=True, slots=True)
class SkippedTask:
    """Something that was asked for and is not done, with the reason."""

    dataset: str | None
    model: str | None
    task: str
    reason: str


@dataclass(frozen=True, slots=True)
class PlannedRequests:
    """How many requests of one kind are done: thresholds, comparisons, curves and so on."""

    part: str
    count: Count


@dataclass(frozen=True, slots=True)
class Plan:
    """What was planned: its hash, and what it skips."""

    sha256: str
    tasks: Count = 0
    skipped: tuple[SkippedTask, ...] = ()
    planned: Annotated[
        tuple[PlannedRequests, ...], "What is done beside the measures, kind by kind."
    ] = ()
    notes: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Logo:
    """The logo of the report."""

    name: str
    sha256: str
    address: Annotated[str, "The picture as a data: address."]


@dataclass(frozen=True, slots=True)
class Reference:
    """An earlier run that comparisons, drift or criteria refer to."""

    run: str
    results_sha256: str
    at: str | None = None
    title: str | None = None
    spec_sha256: str | None = None


@dataclass(frozen=True, slots=True)
class Failure:
    """A part of the run that failed, with the reason; the others went on."""

    section: str
    reason: str
    dataset: Annotated[str | None, OMITTED] = None
    model: Annotated[str | None, OMITTED] = None
