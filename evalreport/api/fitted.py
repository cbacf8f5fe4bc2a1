"""What fitted classifiers answer: labels and scores of rows, by the labels of the data.

A column of scores is of the class that the classifier itself names in ``classes_``, never of the
class that happens to have its place among the labels of the data.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence, Set
from dataclasses import dataclass, field
from typing import Any

from evalreport.api.given import label_text, label_texts
from evalreport.data.findings import Finding, quoted
from evalreport.data.labels import order_labels, partner_of, value_of, written
from evalreport.errors import DataError, EvalreportError, Problem, UsageError, did_you_mean


@dataclass
class Answers:
    """What a classifier says of n rows, folds together.

    ``labels``: the label that ``predict`` gives, None for a row that no fold tests.
    ``by_class``: scores of n rows by class, None where the classifier of a fold does not know
    the class; empty without them. ``margin``: signed distances of two classes, positive for the
    class ``margin_of``; None without them. Folds that know two of several classes may have these
    beside ``by_class`` of the others. ``known``: labels of the classes that it names in
    ``classes_``.
    """

    rows: int
    labels: list[str | None] = field(init=False)
    by_class: dict[str, list[float | None]] = field(default_factory=dict)
    margin: list[float] | None = None
    margin_of: str | None = None
    known: dict[str, None] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.labels = [None] * self.rows

    def columns(self, classes: Sequence[str]) -> dict[str, list[float]]:
        """Scores of n rows by class; empty unless the scores of all rows are by class.

        A class that the classifier of a row does not know has the least score seen, at most 0:
        0 among probabilities, the lowest among signed distances.
        """
        if self.margin is not None or not self.by_class:
            return {}
        least = min([0.0, *(v for own in self.by_class.values() for v in own if v is not None)])
        unknown = [None] * self.rows
        return {
            label: [least if v is None else v for v in self.by_class.get(label, unknown)]
            for label in classes
        }


@dataclass(frozen=True)
class Asked:
    """A classifier of a name, whose errors are told with it and, in folds, with the fold.

    ``seen``: the labels of the data. ``declared``: the classes in their order, as the caller
    gives them, None where they are not given.
    """

    name: str
    model: Any
    seen: tuple[str, ...]
    declared: tuple[str, ...] | None
    fold: str | None = None

    def __str__(self) -> str:
        return self.name if self.fold is None else f"{self.name}, fold {self.fold}"

    def call(self, method: str, *rows: Any) -> Any:
        """What a method of the classifier gives. Raises DataError with what it raises."""
        from sklearn.exceptions import NotFittedError

        try:
            return getattr(self.model, method)(*rows)
        except EvalreportError:
            raise
        except NotFittedError as error:
            what, instead = f"{self} is not fitted", f"{self.name}.fit(X, y) on other rows, or cv=5"
            raise UsageError(Problem(what, instead)) from error
        except Exception as error:
            from evalreport.predict.estimators import first_line

            what = f"{self}: {method} raises {type(error).__name__}: {first_line(error)}"
            raise DataError(Problem(what, "rows and labels that this classifier takes")) from error

    def label(self, answers: Answers, rows: Sequence[int], part: Any) -> None:
        """Put the labels that it gives to some rows in their places. Raises DataError."""
        said = _vector(self, self.call("predict", part), len(rows))
        names = self._names(said)
        if hasattr(self.model, "classes_"):
            answers.known |= dict.fromkeys(names.values())
        for row, label in zip(rows, said, strict=True):
            answers.labels[row] = None if label is None else names.get(label, label)

    def score(self, answers: Answers, rows: Sequence[int], part: Any) -> None:
        """Put the scores that it gives to some rows in their places, where it has any by class.

        Raises DataError, UsageError.
        """
        columns = self._scores(part, len(rows))
        if columns is None:
            return
        if getattr(self.model, "classes_", None) is None and self.declared is None:
            what = f"{self} has scores, but no classes_ that name the class of each column"
            raise UsageError(Problem(what, "labels=[...], the classes in the order of its columns"))
        classes = list(self._names(()).values())
        answers.known |= dict.fromkeys(classes)
        if columns.ndim == 1:
            self._margins(answers, rows, columns, classes)
            return
        for place, label in enumerate(classes):
            values = answers.by_class.setdefault(label, [None] * answers.rows)
            for row, value in zip(rows, columns[:, place].tolist(), strict=True):
                values[row] = value

    def _margins(
        self, answers: Answers, rows: Sequence[int], told: Any, classes: Sequence[str]
    ) -> None:
        if answers.margin is None:
            answers.margin, answers.margin_of = [math.nan] * answers.rows, classes[1]
        side = 1 if classes[1] == answers.margin_of else -1
        for row, value in zip(rows, told.tolist(), strict=True):
            answers.margin[row] = side * value

    def _scores(self, part: Any, rows: int) -> Any:
        """Scores of shape (n, K), or (n,) for two classes; None where it has none by class."""
        import numpy as np

        method = next(
            (one for one in ("predict_proba", "decision_function") if hasattr(self.model, one)),
            None,
        )
        if method is None or (method == "decision_function" and _of_pairs(self.model)):
            return None
        told = np.asarray(self.call(method, part))
        known = getattr(self.model, "classes_", None)
        classes = len(known) if known is not None else len(self.declared or ())
        one_column = method == "decision_function" and classes == 2 and told.shape == (rows,)
        if one_column or not classes or told.shape == (rows, classes):
            return told.astype(np.float64)
        what = f"{self}: {method} gives the shape {told.shape} for {rows:,} rows"
        raise DataError(Problem(what, f"one column for each of its {classes} classes"))

    def _names(self, said: Sequence[str | None]) -> dict[str, str]:
        """The label of the data by that of the classifier, in the order of its columns."""
        known = getattr(self.model, "classes_", None)
        if known is None:
            if self.declared is not None:
                return {label: label for label in self.declared}
            found = matched(order_labels({one for one in said if one is not None}), self.seen)
            return {own: label or own for own, label in found.items()}
        own = [label_text(label) for label in known]
        found = matched(own, self.seen)
        strange = [label for label, of in found.items() if of is None]
        lacking = set(self.seen) - set(found.values())
        if not strange or not lacking:
            return {label: of or label for label, of in found.items()}
        if self.declared is not None and len(self.declared) == len(own):
            return dict(zip(own, self.declared, strict=True))
        raise DataError(
            Problem(
                f"{self} was fitted on the classes {_listed(own)}, and y has the labels "
                f"{_listed(self.seen)}",
                "y with the labels that it was fitted on; or labels=[...], the labels of y in "
                "the order of its classes",
            )
        )


def matched(own: Sequence[str], labels: Iterable[str]) -> dict[str, str | None]:
    """The label that each of a model's classes stands for; None where there is none.

    The same text, else the same value: 1, 1.0, "1" and true are one, where no other of them is
    a class beside it.

    >>> matched(["false", "true"], ["0", "1"]), matched(["0", "1"], ["ill", "well"])
    ({'false': '0', 'true': '1'}, {'0': None, '1': None})
    """
    labels = {*labels}
    values = {value_of(written(label)): label for label in labels}
    several = len(values) < len(labels) or len({value_of(written(o)) for o in own}) < len(own)
    return {
        label: label
        if label in labels
        else (None if several else values.get(value_of(written(label))))
        for label in own
    }


def named_class(positive: Any, classes: Sequence[str]) -> str:
    """The class that a caller names as the positive one. Raises DataError where there is none."""
    wanted = label_text(positive)
    found = matched([wanted], classes)[wanted]
    if found is None:
        hint = did_you_mean(wanted, classes, "classes")
        raise DataError(Problem(f"positive={positive!r} is not a class", hint))
    return found


def spelled_as(own: Sequence[str], labels: Iterable[str]) -> tuple[str, ...]:
    """The labels that classes stand for; a class as it is where it stands for none of them.

    >>> spelled_as(["0", "1", "2"], ["false", "true"])
    ('false', 'true', '2')
    """
    found = matched(own, labels)
    return tuple(found[label] or label for label in own)


def with_other(known: Set[str], positive: Any) -> set[str]:
    """The classes; where one is known also the positive one, else its partner, as no is of yes.

    >>> sorted(with_other({"yes"}, None)), sorted(with_other({"true"}, 1))
    (['no', 'yes'], ['false', 'true'])
    """
    found = {*known}
    if len(found) == 1 and positive not in ("largest", "smallest", None):
        found.update(spelled_as([label_text(positive)], known))
    if len(found) == 1:
        found.update(filter(None, [partner_of(*found)]))
    return found


def unknown_classes(name: str, said: Answers, truth: Sequence[str | None]) -> list[Finding]:
    """A finding for each label of the data that a fitted classifier does not know."""
    rows = Counter(label for label in truth if label is not None)
    return [
        Finding(
            "class_unknown_to_model",
            f"{name} was not trained on class {quoted(label)}, which {count:,} of "
            f"{len(truth):,} rows are of: it cannot predict it.",
            {"label": label, "rows": count},
        )
        for label, count in sorted(rows.items())
        if said.known and label not in said.known
    ]


def refuse_regressors(models: Mapping[str, Any]) -> None:
    """Raises UsageError for models that predict numbers."""
    from sklearn.base import is_regressor

    found = []
    for name, model in models.items():
        try:
            regressor = is_regressor(model)
        except (AttributeError, TypeError):
            continue  # a class of another library has no tags of scikit-learn
        if regressor:
            what = f"{name} is a regressor: it predicts numbers, not classes"
            instead = "a classifier; or evaluate(y, model.predict(X)), if its numbers are scores"
            found.append(Problem(what, instead))
    if found:
        raise UsageError(*found)


def _vector(asked: Asked, said: Any, rows: int) -> list[str | None]:
    """The text of one label per row, None where missing; DataError where there are several."""
    import numpy as np

    told = np.asarray(said)
    if told.shape not in ((rows,), (rows, 1)):
        what = f"{asked}: predict gives the shape {told.shape} for {rows:,} rows"
        raise DataError(Problem(what, "a classifier of one label per row"))
    return label_texts({"predict": told.reshape(-1).tolist()})["predict"]


def _of_pairs(model: Any) -> bool:
    """Whether decision values are of pairs of classes; those of a pipeline are its last step's."""
    inside = getattr(model, "best_estimator_", model)
    inside = inside.steps[-1][1] if hasattr(inside, "steps") else inside
    pairs: bool = getattr(inside, "decision_function_shape", None) == "ovo"
    return pairs and len(getattr(model, "classes_", ())) > 2


def _listed(labels: Sequence[str]) -> str:
    shown = ", ".join(quoted(label) for label in labels[:10])
    return shown if len(labels) <= 10 else f"{shown} and {len(labels) - 10} more"
