"""Fitted classifiers, or classifiers with a cross-validation, to results."""

from __future__ import annotations

import warnings
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from evalreport.api.arrays import Made, made_of
from evalreport.api.fitted import Answers, Asked, refuse_regressors, unknown_classes
from evalreport.api.given import codes_of, column, free_name, is_estimator, label_texts
from evalreport.api.results import Results
from evalreport.data.findings import Finding
from evalreport.errors import DataError, Problem, UsageError


def evaluate_estimator(  # noqa: PLR0913 - those of evaluate, and cv
    estimator: Any,
    X: Any,  # noqa: N803 - scikit-learn's name
    y: Any,
    *,
    cv: Any = None,
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
    """Evaluate classifiers of scikit-learn's kind on the rows of ``X``, shape (n, p).

    Args:
        estimator: a classifier, or a mapping of names to several. Tables are of what it
            decides, its ``predict``; curves of its scores, its ``predict_proba`` or else its
            ``decision_function``, whose columns are matched with the labels of ``y`` by its
            ``classes_``.
        X: features, as the classifier takes them.
        y: true labels, shape (n,).
        cv: None: the classifiers are fitted already, and ``X`` are rows that they have not
            seen. Otherwise as in scikit-learn: a number of folds, a splitter, or an
            iterable of splits; a clone is fitted in each fold, and every row is judged by
            the one that has not seen it. Results are given per fold, as a mean, and pooled.
            A splitter that needs groups gets ``clusters``.
        positive: the positive class; the largest label, or category, by default.
        labels: the classes in their order; where a fitted classifier calls its classes
            otherwise than ``y``, the labels of ``y`` in the order of its classes.
        sample_weight: weights of the evaluation, shape (n,); models are fitted without them.
        groups: subgroups: one column, a mapping of names to columns, or a frame.
        clusters: rows with the same value are not independent, shape (n,).
        threshold: a number, a rule, or a list of them, as in :func:`evaluate`: tables are at
            these thresholds of the score in place of what the classifier decides.
        metrics: one name or a list; the usual ones by default.
        averaging: averages over classes, as in :func:`evaluate`.
        title: the title of the report.

    Raises:
        DataError: a fold that tests rows more than once; classes of a fitted classifier that
            are not the labels of ``y``; what a classifier raises, with its name and fold.
        UsageError: something that cannot predict classes, such as a regressor.

    >>> from sklearn.dummy import DummyClassifier
    >>> results = evaluate_estimator(DummyClassifier(), [[0]] * 8, [0, 1] * 4, cv=4,
    ...                              metrics=["accuracy"])
    >>> len(results.measures.query("fold == '1'"))
    1
    """
    models = _models(estimator)
    made = made_of(y, "y", positive, labels)
    made.add_groups(groups)
    target = _array(y)
    splits = None if cv is None else _splits(cv, X, target, clusters)
    # only an order that the caller gives for this: that of categories is of y alone
    declared = None if labels is None else made.classes
    asked = [Asked(name, model, made.classes, declared) for name, model in models.items()]
    answers = {one.name: _answers(one, X, target, splits) for one in asked}
    made.add_answers(answers, threshold)
    if splits is None:
        made.findings = {n: unknown_classes(n, said, made.texts) for n, said in answers.items()}
    else:
        made.findings = dict.fromkeys(models, _of_folds(splits, made, clusters))
    folds = None if splits is None else _fold_names(splits, len(made.truth))
    made.add_roles(weight=sample_weight, cluster=clusters, fold=folds)
    if folds is not None and None in folds:
        made.dataset["missing"] = "exclude"
    return made.results(threshold=threshold, metrics=metrics, averaging=averaging, title=title)


def _models(estimator: Any) -> dict[str, Any]:
    models: dict[str, Any] = {}
    if isinstance(estimator, Mapping):
        models = {str(name): model for name, model in estimator.items()}
    elif isinstance(estimator, (list, tuple)):
        for model in estimator:
            models[free_name(type(model).__name__, models)] = model
    else:
        models[type(estimator).__name__] = estimator
    wrong = [(name, model) for name, model in models.items() if not is_estimator(model)]
    if wrong or not models:
        raise UsageError(
            *(
                Problem(
                    f"{name} is {'a class' if isinstance(model, type) else 'no classifier'}",
                    "a classifier object with predict or predict_proba",
                )
                for name, model in wrong
            )
        )
    refuse_regressors(models)
    return models


def _array(y: Any) -> Any:
    import numpy as np

    return np.asarray(y).reshape(len(y))


def _splits(cv: Any, X: Any, y: Any, groups: Any) -> list[tuple[Any, Any]]:  # noqa: N803
    """Rows to learn from and rows to test, fold by fold; no row is tested twice."""
    import numpy as np
    from sklearn.model_selection import check_cv

    try:
        splitter = check_cv(cv, y, classifier=True)
        with warnings.catch_warnings():
            # clusters are given to every splitter, whether it takes groups or not
            warnings.filterwarnings("ignore", "The groups parameter is ignored")
            found = [(train, np.asarray(test)) for train, test in splitter.split(X, y, groups)]
    except (TypeError, ValueError) as error:
        instead = "a number of folds, a splitter, or a list of splits"
        if groups is None and "groups" in str(error):
            instead = "clusters=..., which a splitter gets as its groups; groups= are subgroups"
        raise UsageError(Problem(f"cv cannot be used: {error}", instead)) from None
    tested = np.concatenate([test for _, test in found])
    if len(np.unique(tested)) < len(tested):
        raise DataError(
            Problem(
                "cv tests rows more than once",
                "folds that part the rows; repeats can be declared in a spec, "
                "cross_validation: {repeats: 10}",
            )
        )
    return found


def _of_folds(splits: Sequence[tuple[Any, Any]], made: Made, clusters: Any) -> Sequence[Finding]:
    """What a reader should know of the folds: classes that they lack, clusters that they tear."""
    import numpy as np

    from evalreport.predict.schemes import Split, fold_findings

    rows = np.arange(len(made.truth))
    parts = [
        Split(str(number), 0, rows[train], rows[test])
        for number, (train, test) in enumerate(splits, 1)
    ]
    texts = [str(text) for text in made.texts]
    labels = tuple(dict.fromkeys([*made.classes, *texts]))
    actual = codes_of(texts, labels)
    groups = None
    if clusters is not None:
        own = label_texts({"c": column(clusters, "clusters")})["c"]
        names, codes = np.unique([str(text) for text in own], return_inverse=True)
        groups = (codes, tuple(names.tolist()))
    single = all(len(test) == 1 for _, test in splits)
    return fold_findings(parts, actual, labels, groups, single)


def _fold_names(splits: Sequence[tuple[Any, Any]], rows: int) -> list[str | None]:
    names: list[str | None] = [None] * rows
    for number, (_, test) in enumerate(splits, 1):
        for row in test.tolist():
            names[row] = str(number)
    return names


def _answers(
    asked: Asked,
    X: Any,  # noqa: N803
    y: Any,
    splits: Sequence[tuple[Any, Any]] | None,
) -> Answers:
    """What a classifier says of every row: as it is, or a clone fitted in each fold."""
    found = Answers(len(y))
    if splits is None:
        asked.label(found, range(len(y)), X)
        asked.score(found, range(len(y)), X)
        return found
    from sklearn.base import clone
    from sklearn.utils import _safe_indexing

    from evalreport.predict.estimators import first_line

    for number, (train, test) in enumerate(splits, 1):
        try:
            fold = replace(asked, model=clone(asked.model), fold=str(number))
        except (TypeError, RuntimeError) as error:
            what = f"{asked} cannot be cloned for each fold: {first_line(error)}"
            hint = "a classifier with get_params and set_params; or a fitted one, without cv"
            raise UsageError(Problem(what, hint)) from error
        fold.call("fit", _safe_indexing(X, train), y[train])
        tested, part = test.tolist(), _safe_indexing(X, test)
        fold.label(found, tested, part)
        fold.score(found, tested, part)
    return found
