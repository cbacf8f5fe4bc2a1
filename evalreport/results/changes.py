"""The records of a diff: what changed between two runs, as ``diff --json`` writes it."""

from __future__ import annotations

from dataclasses import dataclass, fields
from typing import Annotated, Any, Literal, TypeVar, cast

from evalreport.results.marks import one_of
from evalreport.results.records import (
    Average,
    Bounds,
    Caution,
    Count,
    Excluded,
    Interval,
    Number,
    Params,
    Reference,
    Subgroup,
    Weight,
)

R = TypeVar("R")


def record_from(kind: type[R], record: Any, **others: Any) -> R:
    """A record of a kind with the fields that another record has too, but for these ``others``.

    >>> record_from(FileRead, LabelCount("a", 1, 2), name="f", sha256=None, bytes=None, rows=3)
    FileRead(name='f', sha256=None, bytes=None, rows=3)
    """
    names = [one.name for one in fields(cast("Any", kind)) if hasattr(record, one.name)]
    return kind(**{**{name: getattr(record, name) for name in names}, **others})


#: What became of something that either run has.
Change = Annotated[str, one_of("added", "removed", "changed")]


@dataclass(frozen=True, slots=True, kw_only=True)
class KeyChange:
    """A key of the spec, or a version, that is another one."""

    key: str
    change: Change
    old: Any = None
    new: Any = None


@dataclass(frozen=True, slots=True)
class FileRead:
    """What a dataset was read from."""

    name: str
    sha256: str | None
    bytes: int | None
    rows: Count


@dataclass(frozen=True, slots=True, kw_only=True)
class FileChange:
    """The file of a dataset, then and now."""

    dataset: str
    same: Annotated[bool | None, "Null where rows were given in memory."]
    old: FileRead | None
    new: FileRead | None


@dataclass(frozen=True, slots=True)
class LabelCount:
    """Rows of a label, then and now."""

    label: str
    old: Weight
    new: Weight


@dataclass(frozen=True, slots=True, kw_only=True)
class LabelShift:
    """How far the labels have moved."""

    counts: tuple[LabelCount, ...]
    psi: Annotated[float | None, "The population stability index."]
    psi_reason: str | None
    test: Literal["chi_square"] = "chi_square"
    statistic: float | None
    df: float | None
    p_value: float | None


@dataclass(frozen=True, slots=True)
class RowsThenNow:
    """Rows that were read and used, then and now."""

    read: tuple[int, int]
    used: tuple[int, int]


@dataclass(frozen=True, slots=True, kw_only=True)
class RowChange:
    """Rows and labels of a dataset and model, then and now."""

    dataset: str
    model: str
    rows: RowsThenNow
    excluded: tuple[tuple[Excluded, ...], tuple[Excluded, ...]]
    labels: LabelShift


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelRows:
    """What a model says of the rows that are in both runs."""

    model: str
    both: Count
    rows: tuple[int, int]
    changed: Annotated[int | None, "Rows with another prediction."]
    reason: str | None


@dataclass(frozen=True, slots=True, kw_only=True)
class PairedRows:
    """Rows of a dataset that came, went and changed, by the digests of their ids."""

    dataset: str
    reason: None = None
    rows: tuple[int, int]
    added: Count
    removed: Count
    both: Count
    changed: int | None
    changed_reason: str | None
    not_unique: Annotated[tuple[int, int], "Rows whose id others have too."]
    models: tuple[ModelRows, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class UnpairedRows:
    """Rows of a dataset that cannot be paired."""

    dataset: str
    reason: str
    models: tuple[ModelRows, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class ScoreShift:
    """How far the scores of a class have moved."""

    dataset: str
    model: str
    label: str
    bins: int
    cuts: tuple[float, ...]
    psi: float | None
    psi_reason: str | None
    ks: Annotated[float | None, "The Kolmogorov-Smirnov distance."]
    ks_bounds: Annotated[Bounds | None, "Of the distance, where scores were kept in bins."]
    p_value: float | None


@dataclass(frozen=True, slots=True, kw_only=True)
class MeasureSide:
    """A measure in one of the runs."""

    id: str
    state: str
    value: float | None
    reason: str | None
    interval: Interval | None
    numerator: Number | None
    denominator: Number | None
    n: Count
    threshold: float | None


@dataclass(frozen=True, slots=True, kw_only=True)
class PairedDifference:
    """The difference on the rows that are in both runs, as of two models on them."""

    difference: float | None
    interval: Interval | None
    interval_reason: str | None
    test: str | None
    statistic: float | None
    p_value: float | None
    rows: Count


@dataclass(frozen=True, slots=True, kw_only=True)
class MeasureChange:
    """One measure of either run, and its difference: new minus old."""

    dataset: str
    model: str
    subgroup: Subgroup
    fold: str | None
    metric: str
    title: str
    params: Params
    average: Average
    label: str | None
    threshold_rule: str | None
    change: Annotated[str, one_of("both", "added", "removed")]
    old: MeasureSide | None
    new: MeasureSide | None
    difference: float | None = None
    interval: Interval | None = None
    interval_reason: str | None = None
    test: str | None = None
    statistic: float | None = None
    p_value: float | None = None
    beyond_chance: Annotated[bool | None, "Null where it cannot be compared with chance."] = None
    note: str | None = None
    paired: PairedDifference | None = None

    @property
    def threshold(self) -> float | None:
        """The threshold of the new run, else that of the old one."""
        sides = (side.threshold for side in (self.new, self.old) if side is not None)
        return next((at for at in sides if at is not None), None)


@dataclass(frozen=True, slots=True, kw_only=True)
class CriterionChange:
    """A criterion of either run, and its outcomes."""

    text: str
    dataset: str | None
    model: str | None
    subgroup: Subgroup
    threshold: Annotated[str | None, "As it was requested."]
    change: Annotated[str, one_of("added", "removed", "changed", "flipped", "same")]
    old_text: str | None
    old_threshold: Annotated[str | None, "As it was requested before."] = None
    old: str | None
    new: str | None
    observed: tuple[float | None, float | None]
    reason: str | None


@dataclass(frozen=True, slots=True)
class CautionChanges:
    """Cautions that came, and those that went."""

    new: tuple[Caution, ...] = ()
    cleared: tuple[Caution, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class ChangeCounts:
    """How much changed."""

    spec: int
    versions: int
    files: int
    measures: int
    differ: int
    tested: Annotated[int, "Differences that can be compared with chance."]
    beyond_chance: int
    added: int
    removed: int
    flipped: int
    new_cautions: int
    cleared_cautions: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Diff:
    """Everything that changed between two runs."""

    schema: Literal["evalreport/diff/1"] = "evalreport/diff/1"
    old: Reference
    new: Reference
    spec: tuple[KeyChange, ...]
    versions: tuple[KeyChange, ...]
    files: tuple[FileChange, ...]
    rows: tuple[RowChange, ...]
    rows_by_id: tuple[PairedRows | UnpairedRows, ...]
    scores: tuple[ScoreShift, ...]
    measures: tuple[MeasureChange, ...]
    criteria: tuple[CriterionChange, ...]
    cautions: CautionChanges
    summary: ChangeCounts
