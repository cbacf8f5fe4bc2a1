"""One metric as a scorer of scikit-learn, for grid searches and cross_val_score."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from evalreport.api.fitted import Answers, Asked, matched
from evalreport.api.given import column, label_text, label_texts
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
        import numpy as np

        from evalreport.engine.metric_functions import metric_value
        from evalreport.engine.settings import Settings

        texts = [str(one) for one in label_texts({"y": column(y, "y")})["y"]]
        seen = tuple(dict.fromkeys((*texts, *(self.labels or ()))))
        said = Answers(len(texts))
        asked = Asked(type(estimator).__name__, estimator, seen, self.labels)
        asked.answer(said, range(len(texts)), X, scored=self._of_scores())
        known = {*seen, *said.known, *(one for one in said.labels if one is not None)}
        labels = self._classes(known)
        positive = self._positive(labels)
        actual = np.array([labels.index(one) for one in texts], np.int32)
        value = metric_value(self.metric, dict(self.params), labels, positive, Settings())
        found = value(actual, self._output(said, labels, positive))
        if found is None:
            raise DataError(
                Problem(
                    f"{self.metric} is undefined on these {len(actual)} rows",
                    "rows of every class; or error_score= of the search",
                )
            )
        return self.sign * float(found)

    def _of_scores(self) -> bool:
        """Whether the metric needs scores, or a threshold is asked for."""
        from evalreport.metrics.catalogue import find
        from evalreport.metrics.declare import Table

        declared = find(self.metric)
        assert declared is not None
        wants = declared.table in (Table.SCORES, Table.CLASS_SCORES)
        return wants or self.threshold is not None

    def _classes(self, seen: set[str]) -> tuple[str, ...]:
        """The classes in their order: as declared, else as sorted.

        Raises DataError where one is known and none is positive, or an order lacks.
        """
        from evalreport.data.labels import order_labels, partner_of
        from evalreport.metrics.catalogue import find
        from evalreport.predict.facts import in_order

        if len(seen) == 1 and self.positive is None:
            (label,) = seen
            partner = partner_of(label)
            if partner is None:
                what = f"{self.metric} is undefined: only one class is known, {label!r}"
                raise DataError(Problem(what, "labels=[...], the classes, or positive=..."))
            seen.add(partner)
        declared = tuple(dict.fromkeys(self.labels or ()))
        labels = (*declared, *order_labels(seen - {*declared}))
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
        wanted = label_text(self.positive)
        found = matched([wanted], labels)[wanted]
        if found is None:
            hint = did_you_mean(wanted, labels, "classes")
            raise DataError(Problem(f"positive={self.positive!r} is no class", hint))
        return labels.index(found)

    def _output(self, said: Answers, labels: tuple[str, ...], positive: int | None) -> Output:
        """What the estimator says, as metrics take it; labels where no scores are asked for."""
        import numpy as np

        from evalreport.predict.outcome import Output

        if not self._of_scores() or not (said.by_class or said.margin):
            predicted = [labels.index(str(one)) for one in said.labels]
            return Output("prediction", predicted=np.array(predicted, np.int32))
        if positive is None:
            none = [0.0] * said.rows
            wide = np.array([said.by_class.get(label, none) for label in labels], np.float64).T
            return Output("scores", wide.argmax(axis=1).astype(np.int32), None, wide)
        if said.by_class:
            score = np.array(said.by_class[labels[positive]], np.float64)
        else:
            own = labels[positive] == said.margin_of
            score = np.array(said.margin, np.float64) * (1 if own else -1)
        if self.threshold is None:
            return Output("margin" if said.margin else "score", score=score)
        at = np.where(score >= self.threshold, positive, 1 - positive).astype(np.int32)
        return Output("prediction", predicted=at)
