"""One metric as a scorer of scikit-learn, for grid searches and cross_val_score."""

from __future__ import annotations

from typing import Any

from evalreport.api.given import column, label_text, label_texts
from evalreport.errors import DataError, Problem, UsageError, did_you_mean


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
        labels: the classes, where the rows may lack some, or in the order that a metric needs.
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
    from sklearn.metrics import make_scorer

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
    of_scores = declared.table in (Table.SCORES, Table.CLASS_SCORES)
    response: Any = (
        ("predict_proba", "decision_function")
        if of_scores or (threshold is not None)
        else "predict"
    )
    names = None if labels is None else [label_text(one) for one in labels]
    return make_scorer(
        _Value(declared.name, tuple(sorted(params.items())), positive, names, threshold),
        response_method=response,
        greater_is_better=declared.goal is not Goal.MINIMIZE,
        # by it scikit-learn picks the column, or the sign, of the positive class
        **({} if positive is None else {"pos_label": positive}),
    )


class _Value:
    """The metric as a function of true labels and what an estimator says of the rows."""

    def __init__(
        self,
        metric: str,
        params: tuple[tuple[str, Any], ...],
        positive: Any,
        labels: list[str] | None,
        threshold: float | None,
    ) -> None:
        self.metric, self.params, self.positive = metric, params, positive
        self.labels, self.threshold = labels, threshold
        self.__name__ = metric

    def __call__(self, y_true: Any, y_said: Any, pos_label: Any = None) -> float:
        """The value; ``pos_label`` is the positive class, named so for scikit-learn."""
        del pos_label  # what scikit-learn picks the column of scores by
        import numpy as np

        from evalreport.engine.metric_functions import metric_value
        from evalreport.engine.settings import Settings

        said = np.asarray(y_said)
        scored = said.ndim == 2 or self.metric_of_scores()
        columns = {"y_true": column(y_true, "y_true")}
        if not scored:
            columns["y_pred"] = column(y_said, "y_pred")
        texts = label_texts(columns)
        seen = [one for values in texts.values() for one in values if one is not None]
        labels = self._classes({*seen, *(self.labels or ())}, scored=scored)
        positive = self._positive(labels)
        codes = {label: code for code, label in enumerate(labels)}
        actual = np.array([codes[str(one)] for one in texts["y_true"]], np.int32)
        output = self._output(said, texts, codes, labels, positive, scored=scored)
        found = metric_value(self.metric, dict(self.params), labels, positive, Settings())(
            actual, output
        )
        if found is None:
            raise DataError(
                Problem(
                    f"{self.metric} is undefined on these {len(actual)} rows",
                    "rows of every class; or error_score= of the search",
                )
            )
        return float(found)

    def metric_of_scores(self) -> bool:
        """Whether the metric needs scores, or a threshold is asked for."""
        from evalreport.metrics.catalogue import find
        from evalreport.metrics.declare import Table

        declared = find(self.metric)
        assert declared is not None
        wants = declared.table in (Table.SCORES, Table.CLASS_SCORES)
        return wants or self.threshold is not None

    def _classes(self, seen: set[str], *, scored: bool) -> tuple[str, ...]:
        """The classes as declared, for columns of scores as sorted, as estimators have them.

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
        declared = () if scored else tuple(dict.fromkeys(self.labels or ()))
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
        if wanted not in labels:
            hint = did_you_mean(wanted, labels, "classes")
            raise DataError(Problem(f"positive={self.positive!r} is no class", hint))
        return labels.index(wanted)

    def _output(
        self,
        said: Any,
        texts: Any,
        codes: Any,
        labels: tuple[str, ...],
        positive: int | None,
        *,
        scored: bool,
    ) -> Any:
        import numpy as np

        from evalreport.predict.outcome import Output

        if not scored:
            predicted = np.array([codes[str(one)] for one in texts["y_pred"]], np.int32)
            return Output("prediction", predicted=predicted)
        if said.ndim == 2:
            if said.shape[1] != len(labels):
                raise DataError(
                    Problem(
                        f"there are {said.shape[1]} columns of scores and {len(labels)} "
                        "classes among the rows",
                        "labels=[...], the classes in their order",
                    )
                )
            if len(labels) > 2:
                best = said.argmax(axis=1).astype(np.int32)
                return Output("scores", class_scores=said.astype(np.float64), predicted=best)
            assert positive is not None
            said = said[:, positive]
        return self._cut(said.astype(np.float64), positive)

    def _cut(self, score: Any, positive: int | None) -> Any:
        import numpy as np

        from evalreport.predict.outcome import Output

        if self.threshold is None or positive is None:
            return Output("margin" if score.min() < 0 else "score", score=score)
        return Output(
            "prediction",
            predicted=np.where(score >= self.threshold, positive, 1 - positive).astype(np.int32),
        )
