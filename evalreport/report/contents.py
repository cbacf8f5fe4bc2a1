"""The records of a run as the report asks for them: by where they stand, in a template's words."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace
from functools import cached_property
from typing import Any, Protocol, TypeAlias, TypeVar

from evalreport.lines import cut
from evalreport.metrics.catalogue import find
from evalreport.numbers import count_text
from evalreport.report.marking import FLAT, positive_index
from evalreport.report.pieces import Mark, Orientation
from evalreport.report.signing import Signed
from evalreport.report.wording import (
    Titled,
    Wording,
    Words,
    agreed,
    in_vocabulary,
    own_wording,
    reworded,
)
from evalreport.report.words import (
    MEAN,
    OVER_FOLDS,
    counted,
    is_numbered,
    label_text,
    measure_title,
    plural,
    prose,
    rows_of_class,
)
from evalreport.results.identity import MEAN_OF_FOLDS, HasQuantity, Quantity
from evalreport.results.lookup import Results
from evalreport.results.records import (
    Criterion,
    Curve,
    Gap,
    Heterogeneity,
    LabelLedger,
    Measure,
    ReaderAgreement,
    ReaderMean,
    RowLedger,
    Table,
    Threshold,
)

View: TypeAlias = tuple[str, str]
R = TypeVar("R")
M = TypeVar("M", bound=HasQuantity)

#: Letters of a name from which on tables print it cut.
LONG = 28
SYMBOLS = ("●", "◆", "▲", "■", "▼", "○", "□", "△")
#: Looks of the marks on an axis: one for each symbol, of the same shape.
STYLES = len(SYMBOLS)


class HasThreshold(Protocol):
    """A record of one threshold, or of none."""

    @property
    def threshold(self) -> float | None: ...
    @property
    def threshold_rule(self) -> str | None: ...


class OfView(Protocol):
    """A record of one model on one dataset."""

    @property
    def dataset(self) -> str: ...
    @property
    def model(self) -> str: ...


class Contents:
    """Read-only look-ups in the results of a run, worded as a template has it.

    Without a ``wording`` it is that of the template that the spec asks for. ``signed`` is who
    signs this copy.
    """

    def __init__(
        self, results: Results, wording: Wording | None = None, signed: Signed | None = None
    ) -> None:
        wording = wording or own_wording(results)
        #: The sections that the spec asks for, else those of the template.
        self.sections = (results.spec.get("report") or {}).get("sections") or wording.sections
        #: Whether the template shows the spec as written where no sections are asked for.
        self.shows_spec = wording.spec_text
        self.words, self.signed = Words(results, wording), signed
        self.results = reworded(results, wording)

    @property
    def spec(self) -> Mapping[str, Any]:
        """The resolved spec."""
        return self.results.spec

    @property
    def about(self) -> Mapping[str, Any]:
        """What the spec says of the study."""
        return self.spec.get("about") or {}

    @property
    def report(self) -> Mapping[str, Any]:
        """What the spec asks of the report."""
        return self.spec.get("report") or {}

    @property
    def large(self) -> bool:
        """Whether type is large, so that fewer things have room on a page."""
        return bool(self.report.get("large"))

    def of(self, kind: type[R]) -> tuple[R, ...]:
        """Every record of a kind that stands by itself, in order."""
        return self.results.of(kind)

    def rows_text(self, count: float) -> str:
        """So many rows in the noun of the study: ``569 masses``, else ``569 rows``."""
        unit = prose(self.about.get("unit") or "row")
        return counted(count, unit, plural(unit))

    def rows_of(self, count: float, label: str, *, positive: bool | None) -> str:
        """So many rows of a class in the words of the study: ``212 malignant masses``.

        ``positive``: whether it is the positive one of two classes; None of one of several.
        """
        key = {True: "positive_means", False: "negative_means", None: ""}[positive]
        meant = prose(self.about.get(key) or "")
        unit = self.rows_text(count).partition(" ")[2] if self.about.get("unit") else ""
        if positive is False and not meant and (unit or self.about.get("positive_means")):
            # a label may deny, and "5 no patients" are not none
            return f"{count_text(count)} other {unit}" if unit else self.others(count)
        if unit and (meant or not is_numbered(label_text(label))):
            return f"{count_text(count)} {meant or label_text(label)} {unit}"
        return f"{count_text(count)} {meant}" if meant else rows_of_class(count, label)

    def others(self, count: float) -> str:
        """The rows that are not positive, after those that are: ``357 benign``, ``357 others``."""
        if meant := prose(self.about.get("negative_means") or ""):
            return f"{count_text(count)} {meant}"
        return "the other row" if count == 1 else f"{count_text(count)} others"

    def class_noun(self, view: View, label: str) -> str:
        """What the rows of one of two classes are called, as sentences have it; else its label."""
        positive = self.positive(view)
        if not self.is_binary(view) or positive is None:
            return label_text(label)
        if label == positive:
            return prose(self.about.get("positive_means") or "") or label_text(label)
        return prose(self.about.get("negative_means") or "") or (
            "others" if self.about.get("positive_means") else label_text(label)
        )

    @property
    def measures(self) -> tuple[Measure, ...]:
        """Every measure in order."""
        return self.results.measures

    @cached_property
    def measure(self) -> dict[str, Measure]:
        """Measures by id."""
        return {m.id: m for m in self.measures}

    @cached_property
    def group_tests(self) -> dict[tuple[Any, ...], float]:
        """The p value of each test whether groups differ.

        By view, quantity, threshold, its rule, and the columns of the groups.
        """
        return {
            (view_of(test), identity(test), test.threshold, test.threshold_rule, test.columns): p
            for test in self.of(Heterogeneity)
            if (p := test.p_value) is not None
        }

    @cached_property
    def gaps(self) -> dict[str, list[Gap]]:
        """The gaps of a group by the id of its measure."""
        found: dict[str, list[Gap]] = {}
        for gap in self.of(Gap):
            found.setdefault(gap.measure, []).append(gap)
        return found

    @cached_property
    def tables(self) -> dict[str, Table]:
        """Classification tables by id."""
        return {t.id: t for t in self.results.tables}

    def mean_over_readers(self, m: Measure) -> ReaderMean | None:
        """The mean over readers of what a measure says of pooled readings; None without one."""
        means = (one for one in self.of(ReaderMean) if one.is_over(m))
        return next((one for one in means if one.value is not None), None)

    def mean_of(self, m: Measure) -> tuple[str, ReaderMean | Measure] | None:
        """What stands above a value of all rows, in words and as a record; None without one.

        The mean over readers, whose limits allow for which readers there were, or the mean over
        folds, whose limits allow for the variation of training.
        """
        readers, folds = self.mean_over_readers(m), self.mean_over_folds(m)
        if readers is not None:
            return MEAN, readers
        return None if folds is None else (OVER_FOLDS, folds)

    def mean_over_folds(self, m: Measure) -> Measure | None:
        """The mean over folds, with its interval, of a value of all rows; None without one."""
        key = (m.dataset, m.model, identity(m), m.threshold, m.threshold_rule)
        return None if m.subgroup or m.fold is not None else self._means_of_folds.get(key)

    @cached_property
    def _means_of_folds(self) -> dict[Any, Measure]:
        """The means over folds that have an interval."""
        return {
            (m.dataset, m.model, identity(m), m.threshold, m.threshold_rule): m
            for m in self.measures
            if m.fold == MEAN_OF_FOLDS and not m.subgroup and m.interval is not None
        }

    @cached_property
    def _read_by_several(self) -> set[str]:
        means = {one.dataset for one in self.of(ReaderMean)}
        return means | {one.dataset for one in self.of(ReaderAgreement)}

    def pools_readings(self, measure: Measure) -> bool:
        """Whether the rows behind a number are readings of the same cases by several readers."""
        return measure.dataset in self._read_by_several

    def measure_of(self, id_: str | None) -> Measure | None:
        """The measure of an id, where there is one."""
        return None if id_ is None else self.measure.get(id_)

    def table_of(self, id_: str | None) -> Table | None:
        """The table of an id, where there is one."""
        return None if id_ is None else self.tables.get(id_)

    @cached_property
    def views(self) -> list[View]:
        """Each dataset with each model, in order of appearance."""
        found: dict[View, None] = {}
        kinds: tuple[Iterable[OfView], ...] = (
            self.results.rows,
            self.results.labels,
            self.results.tables,
            self.measures,
        )
        for records in kinds:
            found |= dict.fromkeys(map(view_of, records))
        datasets = list(dict.fromkeys(d for d, _ in found))
        return [view for d in datasets for view in found if view[0] == d]

    def said(self, dataset: str | None, text: str) -> str:
        """Text on a dataset, without words that its target is no reference standard for.

        With no dataset named, text on the report as a whole.
        """
        own = self.datasets if dataset is None else [dataset]
        text = in_vocabulary(text, self.words.vocabulary)
        return agreed(text) if own and all(d in self.words.agreement for d in own) else text

    def orientation(self, dataset: str | None = None) -> Orientation:
        """How classification tables are laid; no target that is another test is a reference."""
        own = self.words.orientation
        other = own.transposed and dataset in self.words.agreement
        return replace(own, actual="other test") if other else own

    @cached_property
    def flat(self) -> tuple[str, ...]:
        """The four cells as the tables of two classes are read, where they are all read alike."""
        tn, fp, fn, tp = FLAT
        order = (tn, fn, fp, tp) if self.orientation().transposed else FLAT
        firsts = {
            positive_index(table) == 0
            for table in self.tables.values()
            if len(table.labels) == 2 and table.positive in table.labels
        }
        mirrored = firsts == {True} or self.words.positive_first
        return order[::-1] if mirrored else order

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
        return {(record.column,) for record in self.results.periods or ()}

    def mark(self, view: View) -> Mark:
        """How the model of a view is told apart, with the dataset where there are several."""
        place = self.models.index(view[1]) if view[1] in self.models else 0
        symbol, style = SYMBOLS[place % len(SYMBOLS)], f"w{place % STYLES + 1}"
        return Mark(self._name(view), symbol, style, self._keys.get(view, ""))

    def called(self, view: View) -> str:
        """A model in a sentence, with its dataset where there are several."""
        dataset, model = map(label_text, view)
        return f"{model} on {dataset}" if len(self.datasets) > 1 else model

    def _name(self, view: View) -> str:
        name = label_text(view[1])
        return f"{name}, {label_text(view[0])}" if len(self.datasets) > 1 else name

    @cached_property
    def _keys(self) -> dict[View, str]:
        """Long names as tables print them, numbered where their ends do not tell them apart.

        A name of sixty letters in a narrow column makes every line four lines high.
        """
        names = {view: self._name(view) for view in self.views}
        found = {view: cut(name, LONG) for view, name in names.items() if len(name) > LONG}
        if len(set(found.values())) < len(found):
            numbered = enumerate(found, 1)
            return {view: f"{k} {cut(names[view], LONG)}" for k, view in numbered}
        return found

    def classes(self, view: View) -> list[str]:
        """The labels of a view's tables, or those that rows have sets of."""
        ledger = self.label_record(view)
        if ledger is not None and ledger.label_sets:
            return list(ledger.order)
        for table in self.tables.values():
            if view_of(table) == view:
                return list(table.labels)
        # No threshold may have been found, so that nothing was counted.
        return [] if ledger is None else list(ledger.order)

    def class_sizes(self, curve: Curve) -> tuple[float, float] | None:
        """Actual rows of a curve's class and of the others, as its ROC curve records them."""
        key = (curve.dataset, curve.model, tuple(sorted(curve.subgroup.items())), curve.label)
        return self._class_sizes.get(key)

    @cached_property
    def _class_sizes(self) -> dict[tuple[Any, ...], tuple[float, float]]:
        found = {}
        for c in self.of(Curve):
            if c.kind == "roc" and c.points.get("p") and c.points.get("n"):
                key = (c.dataset, c.model, tuple(sorted(c.subgroup.items())), c.label)
                found[key] = (float(c.points["p"][0] or 0), float(c.points["n"][0] or 0))
        return found

    def is_binary(self, view: View) -> bool:
        """Whether a view has at most two classes."""
        return len(self.classes(view)) <= 2 and not self.has_sets(view)

    def positive(self, view: View) -> str | None:
        """The positive class of a view of two classes."""
        ledger = self.label_record(view)
        return None if ledger is None else ledger.positive

    def names_class(self, m: HasQuantity) -> bool:
        """Whether the class of a value has to be said: of two the positive one goes without."""
        view = (m.dataset, str(m.model))
        if m.label is None:
            return False
        return not self.is_binary(view) or self.positive(view) not in {None, m.label}

    def heading(self, m: Titled, *, averaged: bool = True, title: str = "") -> str:
        """A metric as a heading, its average with it; ``title`` where another record has it."""
        plain = not averaged or self.words.is_plain(m)
        return measure_title(m, title or self.words.title(m), plain=plain)

    def title(self, m: HasQuantity, title: str = "") -> str:
        """A value as a heading, with its class where that has to be said."""
        heading = self.heading(m, title=title)
        return f"{heading} of {label_text(m.label)}" if self.names_class(m) else heading

    def has_sets(self, view: View) -> bool:
        """Whether rows have sets of labels, and each label a table of its own."""
        ledger = self.label_record(view)
        return ledger is not None and ledger.label_sets

    def label_record(self, view: View) -> LabelLedger | None:
        """The record of how labels were read."""
        return self._label_ledgers.get(view)

    @cached_property
    def _label_ledgers(self) -> dict[View, LabelLedger]:
        return {view_of(ledger): ledger for ledger in reversed(self.results.labels)}

    def row_record(self, view: View) -> RowLedger | None:
        """The record of what became of the rows."""
        return next((r for r in self.results.rows if view_of(r) == view), None)

    def clusters(self, view: View) -> int | None:
        """How many clusters the used rows of a view are of; None where rows stand alone."""
        ledger = self.row_record(view)
        return None if ledger is None else ledger.clusters

    def used(self, view: View) -> int | None:
        """How many rows of a view are used."""
        ledger = self.row_record(view)
        return None if ledger is None else ledger.used

    def costs_of(self, table: Table) -> Any:
        """The costs of the spec as an expected cost of this table takes them; None without any.

        By kind of outcome for two classes, by actual and predicted class for more.
        """
        costs = self.spec.get("costs")
        labels = table.labels
        if not costs or table.label is not None:
            return None
        if any(not isinstance(price, Mapping) for price in costs.values()):
            return costs if len(labels) == 2 else None
        prices = [[(costs.get(a) or {}).get(p) or 0 for p in labels] for a in labels]
        if len(labels) > 2:
            return prices
        if len(labels) == 1:
            return {"true_positive": prices[0][0]}
        k = positive_index(table)
        return {
            "false_negative": prices[k][1 - k],
            "false_positive": prices[1 - k][k],
            "true_positive": prices[k][k],
            "true_negative": prices[1 - k][1 - k],
        }

    def operator(self, view: View) -> str:
        """The words before a threshold: ``score ≥``, or ``margin ≥``."""
        ledger = self.label_record(view)
        words = ((ledger.operator if ledger is not None else None) or "").split()
        return f"{label_text(words[0] if words else 'score')} ≥"

    def thresholds(self, view: View) -> list[Threshold]:
        """The thresholds of a view in order; read off the measures in older results."""
        own = [t for t in self.results.thresholds if view_of(t) == view]
        if own:
            return own
        pairs = dict.fromkeys(
            (m.threshold, m.threshold_rule) for m in self.of_view(view) if m.threshold is not None
        )
        return [
            Threshold(
                dataset=view[0],
                model=view[1],
                threshold=threshold,
                rule=rule,
                status="exploratory" if rule else "declared",
            )
            for threshold, rule in pairs
        ]

    def first_threshold(self, view: View) -> tuple[float | None, str | None]:
        """The threshold that sections other than the one on thresholds use, and its rule.

        None where labels of the model's own decide.
        """
        ledger = self.label_record(view)
        own = [] if ledger is not None and ledger.decided else self.thresholds(view)
        return (own[0].threshold, own[0].rule) if own else (None, None)

    def at_first(self, view: View) -> Callable[[HasThreshold], bool]:
        """A test whether a record needs no threshold or stands at the first one."""
        first = self.first_threshold(view)
        return lambda m: m.threshold is None or (m.threshold, m.threshold_rule) == first

    def of_view(self, view: View) -> list[Measure]:
        """All measures of a dataset and model."""
        return self._by_view.get(view, [])

    @cached_property
    def _by_view(self) -> dict[View, list[Measure]]:
        found: dict[View, list[Measure]] = {}
        for m in self.measures:
            found.setdefault(view_of(m), []).append(m)
        return found

    def pooled(self, view: View) -> list[Measure]:
        """Measures of all rows at the first threshold, metric by metric."""
        first = self.at_first(view)
        found = [m for m in self.of_view(view) if not m.subgroup and m.fold is None and first(m)]
        places = {m.metric: k for k, m in reversed(list(enumerate(found)))}
        return sorted(found, key=lambda m: places[m.metric])

    def is_weighted(self, view: View) -> bool:
        """Whether counts of a view are sums of weights, and so no numbers of rows."""
        return any(m.weight is not None for m in self.pooled(view))

    def is_of_scores(self, m: Measure) -> bool:
        """Whether a measure is of scores rather than of the table at a threshold."""
        declared = find(m.metric)
        if declared is not None:
            form = declared.classes_table if self._many_classes(m) else None
            return (form or declared.table).value in {"scores", "class_scores"}
        return m.threshold is None and bool(self.thresholds(view_of(m)))

    def _many_classes(self, m: Measure) -> bool:
        return not self.is_binary(view_of(m)) and m.label is None

    @cached_property
    def criteria(self) -> dict[str, list[Criterion]]:
        """Acceptance criteria by the measure they are judged on."""
        found: dict[str, list[Criterion]] = {}
        for entry in self.results.acceptance:
            if entry.measure is not None:
                found.setdefault(entry.measure, []).append(entry)
        return found

    def required(self, m: Measure) -> list[float]:
        """What criteria require of a value itself, not of its difference from another."""
        own = self.criteria.get(m.id, ())
        return [c.required for c in own if c.reference is None and c.required is not None]


def view_of(record: OfView) -> View:
    """The dataset and model of a record."""
    return (record.dataset, record.model)


def identity(m: HasQuantity) -> Quantity:
    """What makes two measures the same metric wherever they stand."""
    return Quantity.of(m)


def grouped(measures: Iterable[M]) -> dict[Quantity, list[M]]:
    """Measures by :func:`identity`, in order of appearance."""
    found: dict[Quantity, list[M]] = {}
    for m in measures:
        found.setdefault(identity(m), []).append(m)
    return found
