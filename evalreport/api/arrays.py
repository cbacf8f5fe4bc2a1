"""From arrays to results: the spec and the table that labels and scores stand for."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from evalreport.api.fitted import Answers, matched, named_class, spelled_as, with_other
from evalreport.api.given import (
    categories,
    column,
    columns_of,
    end_of_order,
    free_name,
    is_estimator,
    label_text,
    label_texts,
    numbers,
    ordered_categories,
    same_length,
    same_order,
    single_precision,
    texts_unless_mixed,
)
from evalreport.api.results import Results
from evalreport.data.findings import Finding
from evalreport.errors import DataError, Problem, UsageError

#: The dataset of a spec made from arrays, and the file that it names.
DATASET, FILE = "data", "data.csv"


#: What sums of doubles leave below 0 where a probability is 0.
NOISE = 1e-12


def evaluate(  # noqa: PLR0913 - what an evaluation may be told
    y_true: Any,
    y_score: Any = None,
    y_pred: Any = None,
    *,
    positive: Any = None,
    labels: Sequence[Any] | None = None,
    sample_weight: Any = None,
    groups: Any = None,
    clusters: Any = None,
    threshold: Any = None,
    metrics: Any = None,
    averaging: Any = None,
    title: str | None = None,
) -> Results:
    """Evaluate predictions held in memory; everything not given is as in a spec without it.

    Args:
        y_true: true labels, shape (n,), of any type: a list, array or series. Or sets of
            labels: an indicator matrix, shape (n, K), a frame with a column of 0 and 1 for
            each label, or a set for each row; then ``y_pred`` are sets too, and ``y_score``
            has a column for each label. A fitted classifier here makes the call
            ``evaluate_estimator(model, X, y)``.
        y_score: scores of the positive class, shape (n,); or one column per class, shape
            (n, K), in the order of ``labels`` (without them in that of an ordered categorical,
            else sorted, as in scikit-learn);
            or a frame whose columns are named as the classes; or several models, as a
            mapping of names to either, or a frame with one column of scores per model.
            Scores below 0 are taken for signed distances, cut at 0; what rounding leaves
            below 0 of a probability of 0 is that.
        y_pred: predicted labels, shape (n,), or a mapping of names to them. With one
            ``y_score`` both are of one model, and how often they agree is told.
        positive: the positive class; the largest label, or category, by default.
        labels: the classes in their order; those of ``y_true`` by default, where it is an
            ordered categorical.
        sample_weight: weights, shape (n,), finite and at least 0.
        groups: subgroups: one column, a mapping of names to columns, or a frame.
        clusters: rows with the same value are not independent, shape (n,).
        threshold: a number, a rule such as ``{"maximize": "youden_j"}``, or a list of them;
            0.5 by default (0 for signed distances).
        metrics: one name or a list, as in a spec; the usual ones by default.
        averaging: ``none`` (each class), ``macro``, ``micro``, ``weighted``, ``samples`` (of
            sets), or a list of them; by default that of a spec.
        title: the title of the report.

    Returns:
        The same :class:`Results` as :func:`run`. Several models are compared with the first.

    Raises:
        DataError: labels, scores and rows that do not fit each other.
        SpecError: metrics and thresholds that are not known.

    >>> results = evaluate([0, 1, 1, 0, 1], [0.2, 0.7, 0.4, 0.1, 0.9], metrics=["recall"])
    >>> results.measures.loc[0, "substituted"]
    '2 / (2 + 1)'
    >>> print(results.spec.splitlines()[1])
    title: Evaluation of model
    """
    if is_estimator(y_true):
        return _of_estimator(
            y_true,
            y_score,
            y_pred,
            positive=positive,
            labels=labels,
            sample_weight=sample_weight,
            groups=groups,
            clusters=clusters,
            threshold=threshold,
            metrics=metrics,
            averaging=averaging,
            title=title,
        )
    same_order(
        {
            "y_true": y_true,
            "y_score": y_score,
            "y_pred": y_pred,
            "sample_weight": sample_weight,
            "groups": groups,
            "clusters": clusters,
        }
    )
    from evalreport.api.label_sets import MadeOfSets, holds_sets

    made = (
        MadeOfSets(y_true, positive=positive, labels=labels)
        if holds_sets(y_true)
        else made_of(y_true, "y_true", positive, labels)
    )
    made.add_groups(groups)
    made.add_models(y_score, y_pred)
    made.add_roles(weight=sample_weight, cluster=clusters)
    return made.results(threshold=threshold, metrics=metrics, averaging=averaging, title=title)


def made_of(y: Any, name: str, positive: Any, labels: Sequence[Any] | None) -> Made:
    """What is put together from true labels.

    The order of an ordered categorical is theirs, and the categories of any are known classes.
    """
    truth = column(y, name)
    if labels is None and len(order := ordered_categories(y)) > 1:
        labels, positive = order, end_of_order(order, positive)
    further = tuple(named) if len(named := categories(y)) == 2 else ()
    return Made(truth, positive=positive, labels=labels, further=further)


def _of_estimator(model: Any, data: Any, target: Any, **rest: Any) -> Results:
    from evalreport.api.estimators import evaluate_estimator

    if data is None or target is None:
        raise UsageError(
            Problem(f"y_true is a {type(model).__name__}", "evaluate_estimator(model, X, y)")
        )
    return evaluate_estimator(model, data, target, **rest)


@dataclass
class Made:
    """A spec and a table as they are put together from what a caller gives.

    ``texts``: the label of each row as text, None where missing. ``further``: classes that are
    known, and that no row need be of. ``findings``: what is known of how a model was trained, by
    its name.
    """

    truth: list[Any]
    positive: Any = None
    labels: Sequence[Any] | None = None
    further: tuple[str, ...] = ()
    columns: dict[str, Any] = field(default_factory=dict)
    models: dict[str, dict[str, Any]] = field(default_factory=dict)
    dataset: dict[str, Any] = field(default_factory=dict)
    subgroups: list[str] = field(default_factory=list)
    predicted: dict[str, list[Any]] = field(default_factory=dict)
    scored: bool = False
    margins: bool = False
    findings: Mapping[str, Sequence[Finding]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        same_length({"y_true": len(self.truth)})
        self.texts = label_texts({"y": self.truth})["y"]
        if self.labels is None:
            self._know({})
        else:
            given = [label_text(one) for one in self.labels]
            self.classes = spelled_as(given, filter(None, self.texts))

    def _know(self, predictions: Mapping[str, Any]) -> None:
        """The classes of rows and predictions; the other one too where these are of one."""
        from evalreport.data.labels import order_labels

        said = {str(name): column(values, "y_pred") for name, values in predictions.items()}
        found = label_texts({"": self.truth, **said})
        known = {text for texts in found.values() for text in texts if text is not None}
        known.update(spelled_as(self.further, known))
        self.classes = order_labels(with_other(known, self.positive))

    def _also(self, further: Iterable[str]) -> None:
        """Know further classes: behind the others in an order that the caller gives."""
        from evalreport.data.labels import order_labels

        new = order_labels({*further} - {*self.classes})
        self.further = (*self.further, *new)
        self.classes = (*self.classes, *new)
        if self.labels is None:
            self.classes = order_labels(self.classes)

    # ------------------------------------------------------------------ columns

    def add_groups(self, groups: Any) -> None:
        """Columns of subgroups, under the names that the caller gives them."""
        for name, values in _named_columns(groups, "group", "groups").items():
            found = column(values, f"groups[{name!r}]")
            self._check(f"groups[{name!r}]", found)
            self.columns[name] = label_texts({"g": found})["g"]
            self.subgroups.append(name)

    def add_roles(self, **roles: Any) -> None:
        """Columns with a part of their own: weight, cluster, fold."""
        called = {"weight": "sample_weight", "cluster": "clusters"}
        for role, values in roles.items():
            if values is None:
                continue
            name = called.get(role, role)
            found = numbers(values, name) if role == "weight" else column(values, name)
            self._check(name, found)
            own = self._free(role)
            self.columns[own] = found if role == "weight" else label_texts({"c": found})["c"]
            self.dataset[role] = own

    def add_models(self, scores: Any, predictions: Any) -> None:
        """The models of ``y_score`` and ``y_pred``; raises DataError where there is neither."""
        if scores is None and predictions is None:
            raise DataError(
                Problem("there is neither y_score nor y_pred", "scores, predicted labels, or both")
            )
        labelled = (
            {}
            if predictions is None
            else (
                dict(predictions)
                if _is_mapping(predictions)
                else {_name_of(predictions, "model"): predictions}
            )
        )
        if self.labels is None:
            self._know(labelled)
        scored = self._models_of_scores(scores)
        if len(scored) == 1 and len(labelled) == 1 and not _is_mapping(predictions):
            labelled = {next(iter(scored)): predictions}
        for name, values in scored.items():
            self.add_scores(str(name), values)
        for name, values in labelled.items():
            self.add_labels(str(name), values)

    def _models_of_scores(self, scores: Any) -> dict[str, Any]:
        """Scores by the name of their model; a frame of classes is one model."""
        if scores is None:
            return {}
        columns = columns_of(scores)
        if columns is not None:
            of_classes = set(self.classes) <= set(matched(tuple(columns), self.classes).values())
            return {"model": scores} if len(columns) > 1 and of_classes else columns
        if _is_mapping(scores):
            if not scores:
                raise DataError(Problem("y_score is an empty mapping", "scores by model"))
            self._refuse_classes(scores)
            return {str(name): values for name, values in scores.items()}
        return {_name_of(scores, "model"): scores}

    def _refuse_classes(self, scores: Mapping[Any, Any]) -> None:
        """Raises DataError where a mapping of models holds the probabilities of the classes.

        Its names are the classes and its numbers add up to 1: taken for models, those of all
        classes but the positive one would be upside down.
        """
        if {label_text(name) for name in scores} != set(self.classes):
            return
        if any(_wide(values, str(name)) is not None for name, values in scores.items()):
            return
        columns = [numbers(values, str(name)) for name, values in scores.items()]
        if len({len(one) for one in columns}) == 1 and _add_up(columns):
            told = ", ".join(self.classes)
            raise DataError(
                Problem(
                    f"y_score is a mapping of the classes ({told}), and names models",
                    "one model's scores by class: a frame with these columns, or a matrix",
                )
            )

    def add_scores(self, name: str, values: Any) -> None:
        """One model's scores: a column, or a column for each class."""
        if is_estimator(values):
            what = f"the scores of {name} are a {type(values).__name__}"
            raise DataError(Problem(what, "its scores, or evaluate_estimator(models, X, y)"))
        before = tuple(self.columns)
        wide = _wide(values, f"y_score of {name}")
        if wide is None:
            self._single(name, numbers(values, "y_score" if name == "model" else name))
        else:
            by_class = self._by_class(f"y_score of {name}", wide, values)
            self._scores_by_class(name, by_class)
        if single_precision(values):
            import numpy as np

            for own in self.columns.keys() - {*before}:
                self.columns[own] = np.array(self.columns[own], np.float32)

    def _scores_by_class(self, name: str, by_class: Mapping[str, list[float]]) -> None:
        wide = [by_class[label] for label in self.classes]
        if len(self.classes) == 2 and _add_up(wide):
            self._single(name, by_class[self._positive()])
            return
        columns = {label: self._free(f"{name} {label}") for label in self.classes}
        for label, own in columns.items():
            self._put(own, by_class[label])
        self.models[name] = {"scores": columns}
        self.scored = True
        self.margins |= any(not 0 <= value <= 1 for one in wide for value in one)

    def _single(self, name: str, values: list[float]) -> None:
        own = self._free(f"score of {name}" if name in (self._truth, *self.columns) else name)
        values = _without_noise(values)
        self._put(own, values)
        signed = any(value < 0 for value in values if math.isfinite(value))
        self.models[name] = {"margin" if signed else "score": own}
        self.scored, self.margins = True, self.margins or signed

    def add_answers(self, answers: Mapping[str, Answers], threshold: Any = None) -> None:
        """What fitted classifiers say, by their names; classes that no row is of are declared.

        Their labels decide, unless the caller gives a ``threshold``: then they are held against it.
        """
        self._also(label for said in answers.values() for label in said.known)
        for name, said in answers.items():
            if by_class := said.columns(self.classes):
                self._scores_by_class(name, by_class)
            elif said.margin is not None and len(self.classes) == 2:
                self._margin(name, said.margin, str(said.margin_of))
            else:
                self.add_labels(name, said.labels)
                continue
            own = self._free(f"{name} decides")
            self._put(own, said.labels)
            self.models[name] |= {"prediction": own}
            if threshold is None:
                self.models[name] |= {"decides": "prediction"}

    def _margin(self, name: str, values: list[float], of: str) -> None:
        """One model's signed distances, positive for the class ``of``."""
        own = self._free(name)
        self._put(own, values if of == self._positive() else [-value for value in values])
        self.models[name] = {"margin": own}
        self.scored = self.margins = True

    def _by_class(self, what: str, wide: list[list[Any]], given: Any) -> dict[str, list[Any]]:
        """The columns of a matrix by class: by their names, else by the order of the classes."""
        columns = columns_of(given)
        order = self._in_order() if columns is None else self._named_classes(what, tuple(columns))
        if len(order) != len(wide):
            found = f"{what} has {len(wide)} columns, and there are {len(order)} classes"
            instead = "a column for each class; labels=[...] names the classes in their order"
            raise DataError(Problem(f"{found}: {', '.join(order)}", instead))
        self._also(order)
        return dict(zip(order, wide, strict=True))

    def _named_classes(self, what: str, names: Sequence[str]) -> tuple[str, ...]:
        """The class of each column of a frame, by its name; by its place where it is a number.

        Raises DataError for names that are not those of the classes, unless the caller gives
        the classes in their order.
        """
        if set(self.classes) <= set(matched(names, self.classes).values()):
            return spelled_as(names, self.classes)
        if self.labels is None and list(names) != [str(i) for i in range(len(names))]:
            found = f"{what} has the columns {', '.join(names)}"
            instead = f"columns named as the classes ({', '.join(self.classes)})"
            raise DataError(
                Problem(found, f"{instead}; or labels=[...], the classes in their order")
            )
        return self._in_order()

    def _in_order(self) -> tuple[str, ...]:
        """The classes as the columns of a matrix have them: as given, else as scikit-learn's.

        It sorts labels that are texts as texts, whether or not they are numbers: 10 before 9.
        """
        texts = all(isinstance(value, str) for value in self.truth if value is not None)
        return tuple(sorted(self.classes)) if self.labels is None and texts else self.classes

    def add_labels(self, name: str, values: Any) -> None:
        """One model's predicted labels, beside its scores where it has some."""
        found = column(values, "y_pred" if name == "model" else name)
        known = name in self.columns or name in self.models
        own = self._free(f"prediction of {name}" if known else name)
        self._check(f"y_pred of {name}", found)
        self.predicted[own] = found
        self.columns[own] = found
        self.models.setdefault(name, {})["prediction"] = own

    def _put(self, name: str, values: list[Any]) -> None:
        self._check(name, values)
        self.columns[name] = values

    def _check(self, name: str, values: list[Any]) -> None:
        same_length({"y_true": len(self.truth), name: len(values)})

    def _free(self, wanted: str) -> str:
        return free_name(wanted, (self._truth, *self.columns))

    @property
    def _truth(self) -> str:
        """The column of true labels, whose name no column of subgroups has."""
        return free_name("y_true", self.subgroups)

    def _positive(self) -> str:
        from evalreport.data.labels import order_labels

        if self.positive in ("largest", "smallest", None):
            return order_labels(self.classes)[0 if self.positive == "smallest" else -1]
        return named_class(self.positive, self.classes)

    # --------------------------------------------------------------------- spec

    def results(
        self, *, threshold: Any, metrics: Any, averaging: Any = None, title: str | None
    ) -> Results:
        """The results of the spec on the table."""
        from evalreport.api.running import evaluated
        from evalreport.spec.load import parse_spec

        if threshold is None:
            threshold = self._usual_threshold()
        text = self._text(threshold, metrics, averaging, title)
        loaded = parse_spec(text, "spec", frames=(DATASET,))
        try:
            return evaluated(loaded, {DATASET: self._frame()}, findings=self.findings)
        except DataError as error:
            raise DataError(*map(_said_of_arrays, error.problems)) from None

    def _frame(self) -> dict[str, list[Any]]:
        """The table: true labels, and what was added."""
        labels = texts_unless_mixed({self._truth: self.truth, **self.predicted})
        return {self._truth: labels[self._truth], **self.columns, **labels}

    def _target(self) -> Any:
        return self._truth

    def _labels_declared(self) -> list[str] | None:
        """The classes, where the caller gives them, or some are of no row and all have an order."""
        from evalreport.predict.facts import in_order

        unseen = not {*self.further} <= {*self.texts}
        declared = self.labels is not None or (unseen and in_order(self.classes, ()))
        return list(self.classes) if declared else None

    def _usual_threshold(self) -> float | None:
        """The threshold where the caller gives none; None for that of each model's scores."""
        return None

    def _text(self, threshold: Any, metrics: Any, averaging: Any, title: str | None) -> str:
        from evalreport.api.given import spec_text

        dataset: dict[str, Any] = {"path": FILE, "target": self._target(), **self.dataset}
        declared = self._labels_declared()
        if declared is not None:
            dataset["labels"] = declared
        spec: dict[str, Any] = {
            "evalreport": 1,
            "title": title or f"Evaluation of {', '.join(self.models)}",
            "datasets": {DATASET: dataset},
        }
        if self.positive in ("largest", "smallest"):
            spec["positive"] = self.positive
        elif self.positive is not None:
            spec["positive"] = {"label": self._positive()}
        spec["models"] = self.models
        spec["metrics"] = self._usual_metrics() if metrics is None else _several(metrics)
        if averaging is not None:
            spec["averaging"] = _several(averaging)
        if threshold is not None:
            many = isinstance(threshold, (list, tuple)) or hasattr(threshold, "__len__")
            single = isinstance(threshold, (Mapping, str)) or not many
            spec["thresholds"] = [threshold] if single else list(threshold)
        if self.subgroups:
            spec["subgroups"] = self.subgroups
        if len(self.models) > 1:
            spec["comparisons"] = {"reference": next(iter(self.models))}
        return _yaml(spec_text(spec))

    def _usual_metrics(self) -> list[str]:
        from evalreport.metrics.catalogue import usual_metrics

        return usual_metrics(
            len(self.classes), scored=self.scored, probabilities=self.scored and not self.margins
        )


def _several(given: Any) -> list[Any]:
    """A list, of one where a single name or mapping is given."""
    single = isinstance(given, (str, Mapping)) or not hasattr(given, "__iter__")
    return [given] if single else list(given)


def _yaml(text: str) -> str:
    """A spec as YAML: blocks at the top, short lists and mappings in one line."""
    import json

    import yaml

    class Plain(yaml.SafeDumper):
        def ignore_aliases(self, data: Any) -> bool:  # noqa: ARG002 - asked for each value
            return True

    body: str = yaml.dump(
        json.loads(text),
        Dumper=Plain,
        sort_keys=False,
        allow_unicode=True,
        default_flow_style=None,
        width=96,
    )
    return body


def _said_of_arrays(problem: Problem) -> Problem:
    """A problem of the rows, with a remedy that arrays have where it names a key of a spec."""
    if "`positive: " in problem.instead:
        instead = "name the positive class, positive=..., or both classes, labels=[...]"
        return replace(problem, instead=instead, where=None)
    if "`scores: {class" in problem.instead:
        instead = "y_score with a column for each class, called as the class is; or y_pred=..."
        return replace(problem, instead=instead, where=None)
    if "missing: exclude" not in problem.instead:
        return problem
    return replace(problem, instead="fill it in, or leave such rows out of every argument")


def _is_mapping(value: Any) -> bool:
    return isinstance(value, Mapping)


def _named_columns(given: Any, single: str, what: str) -> dict[str, Any]:
    """Columns by name: of a mapping, a frame, a series, or of one nameless array."""
    if given is None:
        return {}
    if _is_mapping(given):
        return {str(name): values for name, values in given.items()}
    columns = columns_of(given)
    if columns is not None:
        return columns
    if isinstance(given, str):
        raise DataError(
            Problem(f"{what} is the text {given!r}", "the values of the rows, such as frame['sex']")
        )
    return {_name_of(given, single): given}


def _name_of(values: Any, otherwise: str) -> str:
    """The name of a series, where it has one."""
    name = getattr(values, "name", None)
    return name if isinstance(name, str) and name and not callable(name) else otherwise


def _without_noise(values: list[float]) -> list[float]:
    """Probabilities with what rounding left below 0 taken for 0; other scores as they are.

    >>> _without_noise([-1e-17, 0.5]), _without_noise([-1e-17, 1.5]), _without_noise([-0.2, 0.5])
    ([0.0, 0.5], [-1e-17, 1.5], [-0.2, 0.5])
    """
    finite = [value for value in values if math.isfinite(value)]
    if not finite or not -NOISE <= min(finite) < 0 or not 0.1 <= max(finite) <= 1:
        return values
    return [0.0 if value < 0 else value for value in values]


def _add_up(columns: Sequence[Sequence[float]]) -> bool:
    """Whether the numbers of every row add up to 1, as probabilities of all classes do."""
    from evalreport.data.scores import SUM_TOLERANCE

    return all(abs(math.fsum(row) - 1) <= SUM_TOLERANCE for row in zip(*columns, strict=True))


def _wide(values: Any, name: str) -> list[list[float]] | None:
    """The columns of a matrix as numbers; None for one score per row."""
    columns = columns_of(values)
    if columns is not None:
        found = [numbers(own, f"{name}[{key!r}]") for key, own in columns.items()]
        return found if len(found) > 1 else None
    shape = getattr(values, "shape", None)
    if shape is None and isinstance(values, (list, tuple)) and values:
        first = values[0]
        if isinstance(first, Mapping):
            what = f"rows of {name} are mappings"
            raise DataError(Problem(what, "a frame with a column for each class"))
        if not isinstance(first, str) and hasattr(first, "__len__") and len(first) > 1:
            if len({len(row) for row in values}) > 1:
                raise DataError(
                    Problem(
                        f"rows of {name} are not equally long",
                        "one score for each class in every row",
                    )
                )
            return [numbers([row[i] for row in values], name) for i in range(len(first))]
        return None
    if shape is None or len(shape) != 2 or shape[1] == 1:
        return None
    return [numbers(values[:, i], name) for i in range(shape[1])]
