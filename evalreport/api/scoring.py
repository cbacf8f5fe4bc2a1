"""One metric as a scorer of scikit-learn, for grid searches and cross_val_score."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from evalreport.api.fitted import Answers, Asked, named_class, spelled_as, with_other
from evalreport.api.given import codes_of, column, label_text, label_texts
from evalreport.errors import DataError, Problem, UsageError, did_you_mean

if TYPE_CHECKING:
    from evalreport.predict.outcome import Output


def scorer(
    metric: Any,
    *,
    positive: Any = None,
    labels: Any = None,
    threshold: float | None = None,
    **params: Any,
) -> Any:
    """A metric with the interface of ``sklearn.metrics.make_scorer``.

    Call it as ``scorer(estimator, X, y)``, or hand it to ``scoring=``. Larger is better: a
    metric that is better when smaller is given with a minus sign, as in scikit-learn.

    Args:
        metric: a metric of the catalogue, or an alias: ``evalreport metrics`` lists them.
        positive: the positive class; the largest label by default.
        labels: the classes, where the rows may lack some, or in the order that a metric needs;
            those of an estimator that calls its classes otherwise, in its order.
        threshold: where scores are cut; 0.5 by default, 0 for ``decision_function``.
        **params: parameters of the metric, such as ``beta=2``.

    Raises:
        UsageError: a metric or parameter that is not known.
        DataError: when called, where the metric is undefined on the rows; searches of
            scikit-learn then take their ``error_score``.

    >>> from sklearn.dummy import DummyClassifier
    >>> model = DummyClassifier(strategy="constant", constant=1).fit([[0], [0]], [0, 1])
    >>> scorer("recall")(model, [[0], [0], [0]], [0, 1, 1])
    1.0
    """
    from evalreport.metrics.catalogue import find, known_names
    from evalreport.metrics.declare import Goal, Table

    if not isinstance(metric, str):
        what = f"metric is a {type(metric).__name__}"
        raise UsageError(Problem(what, "the name of a metric, such as 'recall'"))
    declared = find(metric)
    if declared is None or declared.table is Table.LABEL_SETS:
        hint = did_you_mean(metric, known_names(), "metrics")
        raise UsageError(Problem(f"unknown metric '{metric}'", hint))
    known = [parameter.name for parameter in declared.parameters]
    wrong = [name for name in params if name not in known]
    if wrong:
        raise UsageError(
            *(Problem(f"{declared.name} takes no {n}", did_you_mean(n, known)) for n in wrong)
        )
    missing = declared.missing(params)
    if missing is not None:
        raise UsageError(Problem(missing, f"scorer('{metric}', {', '.join(known)}=...)"))
    names = None if labels is None else tuple(label_text(one) for one in labels)
    sign = -1 if declared.goal is Goal.MINIMIZE else 1
    return Scorer(declared.name, tuple(sorted(params.items())), positive, names, threshold, sign)


@dataclass(frozen=True)
class Scorer:
    """A metric as ``scorer(estimator, X, y)``; ``sign`` makes larger values the better ones.

    Scores are matched with the labels of the rows by the classes that the estimator names.
    """

    metric: str
    params: tuple[tuple[str, Any], ...]
    positive: Any
    labels: tuple[str, ...] | None
    threshold: float | None
    sign: int

    def __call__(self, estimator: Any, X: Any, y: Any) -> float:  # noqa: N803 - scikit-learn's name
        """The value on some rows. Raises DataError where it is undefined."""
        from evalreport.engine.metric_functions import metric_value
        from evalreport.engine.settings import Settings
        from evalreport.predict.outcome import Output

        texts = _complete("y", label_texts({"y": column(y, "y")})["y"])
        declared = None if self.labels is None else spelled_as(self.labels, texts)
        seen = tuple(dict.fromkeys((*texts, *(declared or ()))))
        asked = Asked(type(estimator).__name__, estimator, seen, declared)
        said = Answers(len(texts))
        scored = self._scored(asked, said, X)
        if not scored:
            asked.label(said, range(said.rows), X)
        labels = self._classes({*seen, *said.known, *filter(None, said.labels)}, declared or ())
        positive = self._positive(labels)
        actual = codes_of(texts, labels)
        value = metric_value(self.metric, dict(self.params), labels, positive, Settings())
        if scored:
            output = self._output(asked, said, labels, positive)
        else:
            given = _complete(f"the prediction of {asked}", said.labels)
            output = Output("prediction", predicted=codes_of(given, labels))
        found = value(actual, output)
        if found is None:
            raise DataError(
                Problem(
                    f"{self.metric} is undefined on these {len(actual)} rows",
                    "rows of every class; or error_score= of the search",
                )
            )
        return self.sign * float(found)

    def _needs_scores(self) -> bool:
        """Whether the metric is of scores, not of labels."""
        from evalreport.metrics.catalogue import metric_named
        from evalreport.metrics.declare import Table

        declared = metric_named(self.metric)
        return declared.table in (Table.SCORES, Table.CLASS_SCORES)

    def _scored(self, asked: Asked, said: Answers, rows: Any) -> bool:
        """Whether the value is of scores, put into ``said``; else it is of predicted labels.

        Raises DataError where the metric needs scores, and there are none of every class.
        """
        needed = self._needs_scores()
        if needed or self.threshold is not None:
            asked.score(said, range(said.rows), rows)
        two = len({*asked.seen, *said.known}) <= 2
        if needed and not said.by_class and (said.margin is None or not two):
            what = f"{self.metric} needs scores of every class, which {asked} does not give"
            raise DataError(Problem(what, "predict_proba, or a metric of labels, such as accuracy"))
        return needed or (two and bool(said.by_class or said.margin))

    def _classes(self, seen: set[str], declared: Sequence[str]) -> tuple[str, ...]:
        """The classes in their order: as declared, else as sorted.

        Raises DataError where one is known and none is positive, or an order lacks.
        """
        from evalreport.data.labels import order_labels
        from evalreport.metrics.catalogue import find
        from evalreport.predict.facts import in_order

        known = with_other(seen, self.positive)
        if len(known) == 1 and self.positive is None:
            what = f"{self.metric} is undefined: only one class is known, {next(iter(known))!r}"
            raise DataError(Problem(what, "labels=[...], the classes, or positive=..."))
        declared = tuple(dict.fromkeys(declared))
        labels = (*declared, *order_labels(known - {*declared}))
        metric = find(self.metric)
        if metric is not None and metric.ordered_classes and not in_order(labels, [declared]):
            what = f"{self.metric} needs the order of the classes, which texts do not have"
            raise DataError(Problem(what, "labels=[...], the classes in their order"))
        return labels

    def _positive(self, labels: tuple[str, ...]) -> int | None:
        from evalreport.data.labels import order_labels

        if len(labels) > 2:
            return None
        if self.positive is None:
            return labels.index(order_labels(labels)[-1])
        return labels.index(named_class(self.positive, labels))

    def _output(
        self, asked: Asked, said: Answers, labels: tuple[str, ...], positive: int | None
    ) -> Output:
        """The scores as metrics take them; labels where the scores are cut for a metric of these.

        Raises DataError for a score that is missing or infinite.
        """
        import numpy as np

        from evalreport.predict.outcome import Output

        by_class = said.columns(labels)
        if positive is None:
            told = np.array([by_class[label] for label in labels], np.float64).T
        elif by_class:
            told = np.array(by_class[labels[positive]], np.float64)
        else:
            side = 1 if labels[positive] == said.margin_of else -1
            told = side * np.array(said.margin, np.float64)
        wrong = np.argwhere(~np.isfinite(told))
        if len(wrong):
            what = f"the score of {asked} is {told[tuple(wrong[0])]:g} in row {wrong[0][0] + 1}"
            raise DataError(Problem(what, "a number in every row"))
        if positive is None:
            return Output("scores", told.argmax(axis=1).astype(np.int32), None, told)
        output = Output("score" if by_class else "margin", score=told)
        if self._needs_scores():
            return output
        return Output("prediction", predicted=output.labels_at(self.threshold, positive))


def _complete(name: str, texts: Sequence[str | None]) -> list[str]:
    """The labels of all rows. Raises DataError where one is missing, naming the row."""
    known = [text for text in texts if text is not None]
    if len(known) < len(texts):
        what = f"{name} is empty in row {texts.index(None) + 1}"
        raise DataError(Problem(what, "a label in every row"))
    return known
