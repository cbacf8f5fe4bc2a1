"""Checks of results, found by the kind of record that they check.

A check is declared beside the mathematics that it does again::

    @checks(SampleSize, lambda record, place: f"sample_size of {record.measure}")
    def width(record: SampleSize, known: Known) -> Iterator[str]: ...

and gives what is wrong, sentence by sentence, :class:`Held` for the numbers of the record that
it looked at, or :class:`Unchecked` with the reason why the results alone cannot settle it.
``holds`` names all numbers that the check can hold, ``unless`` why each of the others is left
out. Every kind of record has a check or a reason here, and every number of it one of the two.

The numbers of a record are its leaves, each with its path. What verify counts is what stands in
``results.json``: a measure's value, each limit of its interval, each count of a table, each
coordinate of a curve. Truth values are no numbers.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from dataclasses import field, fields, is_dataclass
from functools import cache, cached_property
from typing import Any, TypeVar, cast

from evalreport.record.measured_again import RecordedModel
from evalreport.record.recorded_spec import RecordedSpec, recorded_spec
from evalreport.record.recorded_tables import NotRecorded
from evalreport.record.remade import Remaker, in_asked_order
from evalreport.record.table_counts import Table, read_table
from evalreport.results import records
from evalreport.results.identity import MEAN_OF_FOLDS, Quantity, Slice, WhichNumber
from evalreport.results.lookup import Results
from evalreport.results.records import Curve, Measure
from evalreport.values import dataclass
from evalreport.version import __version__


def numbers_in(record: Any) -> Counter[str]:
    """How many numbers stand under each path of a record, such as ``interval.low``.

    Places in lists are left out of a path; keys of mappings stand in it, as ``points.tp``.

    >>> from evalreport.results.records import Interval
    >>> dict(numbers_in(Interval(0.95, 0.1, 0.4, "wilson")))
    {'level': 1, 'low': 1, 'high': 1}
    """
    found: Counter[str] = Counter()
    _count(record, "", found)
    return found


def _count(value: Any, path: str, found: Counter[str]) -> None:
    kind = type(value)
    if kind is float or kind is int:
        found[path] += 1
    elif kind is tuple or kind is list:
        _count_all(value, path, found)
    elif kind is dict:
        for key, inner in value.items():
            _count(inner, f"{path}.{key}", found)
    elif is_dataclass(kind):
        for name in _names(kind):
            inner = getattr(value, name)
            if inner is not None:
                _count(inner, f"{path}.{name}" if path else name, found)


def _count_all(values: Any, path: str, found: Counter[str]) -> None:
    for one in values:
        if type(one) is float or type(one) is int:
            found[path] += 1
        elif one is not None:
            _count(one, path, found)


@cache
def _names(kind: Any) -> tuple[str, ...]:
    return tuple(one.name for one in fields(kind))


def under(path: str, prefixes: frozenset[str]) -> bool:
    """Whether a path is one of the prefixes, or lies within it.

    >>> under("interval.low", frozenset(["interval"])), under("intervals", frozenset(["interval"]))
    (True, False)
    """
    while path:
        if path in prefixes:
            return True
        path = path.rpartition(".")[0]
    return False


R = TypeVar("R")


@dataclass(frozen=True)
class Unchecked:
    """Nothing in the results settles the record, because."""

    reason: str


@dataclass(frozen=True)
class Held:
    """These numbers of the record follow from others: paths, each with all that is within."""

    paths: frozenset[str]


def held(*paths: str) -> Held:
    """What a check says of the numbers that it has looked at."""
    return Held(frozenset(paths))


@dataclass(frozen=True)
class Apart:
    """These numbers of the record are left out here, because."""

    reason: str
    paths: frozenset[str]


@dataclass(frozen=True, eq=False)
class Known:
    """What checks hold records against: the results, and what is looked up in them often."""

    results: Results
    _read: dict[tuple[str, str | None], Table] = field(default_factory=dict)
    _models: dict[tuple[str, str], RecordedModel | NotRecorded] = field(default_factory=dict)

    def table(self, measure: Measure) -> Table | None:
        """The table of a measure, its indeterminate predictions counted as the measure does.

        Raises ValueError where it names one that is not there.
        """
        name, indeterminate = measure.table, measure.indeterminate
        if name is None:
            return None
        if not self.results.has_table(name):
            raise ValueError(f"there is no table {name!r}")
        key = (name, indeterminate)
        if key not in self._read:
            self._read[key] = read_table(self.results.table(name), indeterminate)
        return self._read[key]

    def roc(self, measure: Measure) -> Curve | None:
        """The ROC curve of the rows and class of a measure."""
        return self._roc.get(_of_curve(measure))

    def only_roc(self, dataset: str, model: str) -> Curve | None:
        """The ROC curve of all rows of a dataset of two classes, as a model ranks them."""
        own = [
            curve
            for curve in self._roc.values()
            if (curve.dataset, curve.model) == (dataset, model) and not curve.subgroup
        ]
        return own[0] if len(own) == 1 else None

    def folds(self, measure: Measure) -> list[Measure]:
        """The same number in every fold."""
        return self._folds.get(_over_folds(measure), [])

    @cached_property
    def asked(self) -> RecordedSpec | None:
        """The spec that the results carry; None where it cannot be read by itself."""
        return recorded_spec(self.results)

    @property
    def same_version(self) -> bool:
        """Whether this version of the program made the results: another may do otherwise."""
        return self.results.provenance.version == __version__

    @cached_property
    def again(self) -> Remaker:
        """Parts that follow from others, made again."""
        results = self.results
        if self.asked is not None:
            results = in_asked_order(results, self.asked.requests.subgroups)
        return Remaker(results, self.asked, self.model)

    def model(self, dataset: str, model: str) -> RecordedModel:
        """A dataset and model, ready to be measured again. Raises NotRecorded."""
        key = (dataset, model)
        if key not in self._models:
            labels = self._ledgers(self.results.labels).get(key)
            rows = self.rows.get(key)
            try:
                if labels is None or rows is None:
                    raise NotRecorded("there is no account of its labels")
                self._models[key] = RecordedModel(self.results, self.asked, labels, rows)
            except NotRecorded as absent:
                self._models[key] = absent
        found = self._models[key]
        if isinstance(found, NotRecorded):
            raise found
        return found

    @cached_property
    def rows(self) -> dict[tuple[str, str], records.RowLedger]:
        """The account of rows of each dataset and model."""
        return self._ledgers(self.results.rows)

    @cached_property
    def families(self) -> tuple[list[float | None], list[str]]:
        """The p values of the comparisons within the run, and the family that each is of."""
        asked = None if self.asked is None else self.asked.loaded.spec.comparisons
        by_dataset = asked is not None and asked.family == "dataset"
        own = [one for one in self.results.comparisons if one.reference_run is None]
        return [one.family_p for one in own], [one.dataset if by_dataset else "" for one in own]

    @cached_property
    def whole_tables(self) -> dict[tuple[str, str], records.Table]:
        """A table of all rows of each dataset and model, of whole counts that are all known."""
        found: dict[tuple[str, str], records.Table] = {}
        for one in self.results.tables:
            counts = [count for row in one.counts or () for count in row]
            whole = bool(counts) and all(type(count) is int for count in counts)
            if whole and not one.subgroup and one.fold is None and one.label is None:
                found.setdefault((one.dataset, one.model), one)
        return found

    @cached_property
    def thresholds(self) -> dict[tuple[str, str], set[tuple[float | None, str | None]]]:
        """The thresholds of each dataset and model, with their rules."""
        found: dict[tuple[str, str], set[tuple[float | None, str | None]]] = {}
        for one in self.results.thresholds:
            found.setdefault((one.dataset, one.model), set()).add((one.threshold, one.rule))
        return found

    @staticmethod
    def _ledgers(records: Iterable[Any]) -> dict[tuple[str, str], Any]:
        return {(one.dataset, one.model): one for one in records}

    @cached_property
    def baselines(self) -> dict[tuple[str, str, Quantity], float | None]:
        """What each baseline reaches, by dataset, baseline and what is measured."""
        return {
            (one.dataset, one.baseline, WhichNumber.of(one).quantity): one.value
            for one in self.results.baselines
        }

    @cached_property
    def _roc(self) -> dict[Any, Curve]:
        return {_of_curve(c): c for c in self.results.curves if c.kind == "roc"}

    @cached_property
    def _folds(self) -> dict[WhichNumber, list[Measure]]:
        found: dict[WhichNumber, list[Measure]] = {}
        for measure in self.results.measures:
            if measure.fold not in (None, MEAN_OF_FOLDS):
                found.setdefault(_over_folds(measure), []).append(measure)
        return found


def _of_curve(one: Measure | Curve) -> tuple[Any, ...]:
    return one.dataset, one.model, tuple(sorted(one.subgroup.items())), one.label


def _over_folds(measure: Measure) -> WhichNumber:
    # A rule names the threshold: solved per fold, its number may differ from fold to fold.
    which = measure.which
    return which.series.on(Slice(which.subgroup))


#: What a check gives: a problem, what it has held, or what it has left out.
Finding = str | Held | Apart
Check = Callable[[Any, Known], Iterable[Finding] | Unchecked]

#: Why a number is left out that a check holds elsewhere, where it gives no other reason.
NOTHING = "nothing in the results settles it"


@dataclass(frozen=True)
class Declared:
    """A check, how it calls a record, and which numbers of it are held or left out."""

    check: Check
    called: Callable[[Any, int], str]
    holds: frozenset[str] = frozenset()
    unless: Mapping[str, str] = field(default_factory=dict)

    def why_not(self, path: str) -> str | None:
        """Why a number that was not held is left out; None where nobody said."""
        inside = path
        while inside:
            if inside in self.unless:
                return self.unless[inside]
            inside = inside.rpartition(".")[0]
        return NOTHING if under(path, self.holds) else None


CHECKS: dict[type, Declared] = {}

#: Why what comes out otherwise is no problem in results of another version.
OTHER_VERSION = "another version of evalreport made it, and this one makes it otherwise"

#: Why a number is left out where the part cannot be made again from the spec and the others.
OF_THE_SPEC = "it follows from the spec, which cannot be read by itself here"

#: Why the results alone cannot settle records of a kind.
UNCHECKED: dict[type, str] = {
    records.Logo: "the picture is not in the folder of the run",
    records.Threshold: "a rule is solved on the scores of rows",
    records.Table: "tables are what is counted from rows; everything else is held against them",
    records.Caution: "most cautions look at the rows themselves",
    records.Reference: "the earlier run is verified by itself",
    records.Drift: "the values of both datasets need the rows",
    records.LearningCurve: "models are trained for it",
    records.History: "steps of training are taken from the file of the model's history",
    records.Tuning: "models are trained for it",
    records.TrainingOverlap: "rows are compared with those of other datasets",
    records.Heterogeneity: "standard errors of its groups need the rows where it is no share",
    records.Baseline: "scores of metrics of trivial predictions are made from class shares",
    records.BaselineTable: "cells of trivial predictions are made from class shares",
    records.Claim: "a claim is judged by every declared method: verify --rerun does it again",
    records.ClaimCounts: "counts near the recorded ones are searched by verify --rerun",
}


def check_of(kind: type) -> Declared | Unchecked:
    """The check of a kind of record, or why it has none.

    Raises LookupError for a kind with neither: a part was added to the results, and nobody
    said how it is verified.
    """
    if kind in UNCHECKED:
        return Unchecked(UNCHECKED[kind])
    if kind not in CHECKS:
        raise LookupError(
            f"{kind.__name__} has neither a check nor a reason for none: declare one with "
            "@checks in a module that recompute lists, or say in UNCHECKED why there is none"
        )
    return CHECKS[kind]


Checking = Callable[[R, Known], Iterable[Finding] | Unchecked]


def checks(
    kind: type[R],
    called: Callable[[R, int], str],
    *,
    holds: Iterable[str],
    unless: Mapping[str, str] | None = None,
) -> Callable[[Checking[R]], Checking[R]]:
    """Declare the decorated function as the check of a kind of record.

    ``called`` names one of them in problems, ``holds`` are the numbers that the check can
    hold and ``unless`` says why others are left out. Raises ValueError where the kind has one.
    """

    def declare(check: Checking[R]) -> Checking[R]:
        if kind in CHECKS or kind in UNCHECKED:
            raise ValueError(f"{kind.__name__} has a check or a reason for none already")
        told = cast("Callable[[Any, int], str]", called)
        CHECKS[kind] = Declared(check, told, frozenset(holds), dict(unless or {}))
        return check

    return declare
