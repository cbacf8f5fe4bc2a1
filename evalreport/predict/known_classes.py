"""The classes of each dataset, from everything that a report knows of them.

Which class is positive must not follow from the rows that happen to be there. A night without
positives has the classes of the other datasets of its spec, of the rows that it leaves out, of
what is predicted, and of the columns of scores.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from evalreport.data.findings import quoted
from evalreport.data.known_labels import Labels, labels_known
from evalreport.data.labels import (
    LabelSet,
    Written,
    as_number,
    label_kind,
    order_labels,
    partner_of,
    positive_index,
    value_of,
)
from evalreport.data.read import read_table
from evalreport.data.roles import Roles
from evalreport.data.selection import selected
from evalreport.data.table import RawTable
from evalreport.data.types import with_types
from evalreport.errors import DataError, EvalreportError, Location, Problem
from evalreport.plan.columns import source_of
from evalreport.predict.columns import columns_needed, first_cut, roles_of, rules_of, said_in
from evalreport.predict.label_sets import has_sets
from evalreport.spec.comparisons import DatasetReference
from evalreport.spec.datasets import NamedPositive
from evalreport.spec.load import LoadedSpec
from evalreport.spec.model import Spec
from evalreport.spec.models import EstimatorModel, PredictionModel, ScoresModel

#: The text of each class by what it stands for: 1 and 1.0 are one class.
Classes = dict[Any, str]
#: Files of up to so many bytes are read to check a spec.
SMALL = 1_000_000


def labels_of(spec: Spec, name: str, table: RawTable) -> Labels:
    """The labels of a dataset that was read, as each of its models sees it."""
    dataset, asked = spec.datasets[name], [spec.models[model] for model in spec.models_on(name)]
    if not asked:
        return labels_known(table, Roles(str(dataset.target)))
    unsure, cut = rules_of(spec, name).indeterminate, first_cut(spec)
    found = (
        labels_known(table, roles_of(dataset, model, (), cut), unsure, said_in(model))
        for model in asked
    )
    return sum(found, Labels())


def check_classes(loaded: LoadedSpec) -> None:
    """Raise DataError where the rows of a spec know one class only, if its files are small.

    What cannot be read is left to who says so; larger files are left to the run.
    """
    spec, folder, labels = loaded.spec, loaded.folder or Path(), dict[str, Labels]()
    named = [isinstance(spec.positive_of(name), NamedPositive) for name in spec.datasets]
    if all(named):
        return
    for name, dataset in spec.datasets.items():
        if has_sets(dataset) or not isinstance(dataset.path, str):
            return
        try:
            source = source_of(folder, dataset)
            if source.size > SMALL:
                return
            table = read_table(source, (*columns_needed(spec, name, ()), *dataset.types))
            typed = with_types(table, dataset.types)
            typed = selected(typed, dataset.where or {}, str(dataset.target))
        except EvalreportError:
            return
        labels[name] = labels_of(spec, name, rules_of(spec, name).reading(typed))
    _, problems = known_classes(
        spec, labels, lambda name: loaded.where(("datasets", name, "target"))
    )
    if problems:
        raise DataError(*problems)


@dataclass(eq=False)
class _Problem:
    """Datasets that share a class, and all of their classes.

    ``called``: what the spec calls labels (``map``). ``beside``, ``single`` and ``elsewhere`` as in
    ``Labels``.
    """

    classes: Classes = field(default_factory=dict)
    called: Classes = field(default_factory=dict)
    beside: Classes = field(default_factory=dict)
    single: Classes = field(default_factory=dict)
    elsewhere: Classes = field(default_factory=dict)
    datasets: list[str] = field(default_factory=list)

    def take(self, other: _Problem) -> None:
        self.classes = other.classes | self.classes
        self.called = other.called | self.called
        self.beside = other.beside | self.beside
        self.single = other.single | self.single
        self.elsewhere = other.elsewhere | self.elsewhere
        self.datasets += other.datasets


def known_classes(
    spec: Spec, labels: Mapping[str, Labels], where: Callable[[str], Location | None]
) -> tuple[dict[str, tuple[str, ...]], list[Problem]]:
    """The classes of each dataset whose ``labels`` are given; those of declared ones are settled.

    Datasets that have a class in common have all of them in common, and so have those of which
    one class each is known. There is a problem for each of which one class is all that is known,
    and for those that are held against each other with different classes positive, or with one
    class by two names.
    Raises DataError where a line of totals, or the first line once more, is among the rows.
    """
    free = {name: own for name, own in labels.items() if not spec.datasets[name].labels}
    lines = [_header(name, where(name)) for name, own in free.items() if own.headed]
    lines += [
        _totals(name, own.totals[0].text, where(name)) for name, own in free.items() if own.totals
    ]
    if lines:
        raise DataError(*lines)
    found: dict[str, tuple[str, ...]] = {}
    problems: list[Problem] = []
    for one in _together(spec, labels):
        _take_elsewhere(spec, one)
        _complete(one)
        for name in one.datasets:
            if spec.datasets[name].labels:
                continue
            if len(one.classes) == 1 and not isinstance(spec.positive_of(name), NamedPositive):
                (label,) = one.classes.values()
                problems.append(_one_class(name, label, where(name)))
            own = _by_value(labels[name].known)
            found[name] = order_labels((one.classes | own).values())
    return found, problems or _of_two_minds(spec, {**_declared(spec, labels), **found}, where)


def _declared(spec: Spec, names: Iterable[str]) -> dict[str, tuple[str, ...]]:
    return {name: tuple(spec.datasets[name].labels or ()) for name in names}


def _of_two_minds(
    spec: Spec, classes: Mapping[str, Sequence[str]], where: Callable[[str], Location | None]
) -> list[Problem]:
    """Problems of datasets that one model, or a comparison, sees with different positive classes.

    An estimator is another model on each dataset that it is trained on.
    """
    together = [
        spec.datasets_of(name)
        for name, model in spec.models.items()
        if not isinstance(model, EstimatorModel)
    ]
    if spec.comparisons is not None and isinstance(spec.comparisons.reference, DatasetReference):
        together.append(tuple(spec.datasets))
    found: dict[Problem, None] = {}
    members = {name: frozenset(own) for name, own in classes.items()}
    for names in together:
        texts: dict[Any, tuple[str, str]] = {}
        positive: dict[str, str] = {}
        for name in names:
            for label in classes.get(name, ()):
                first, text = texts.setdefault(value_of(Written(label)), (name, label))
                # both in one dataset are classes apart, as it declares
                if text not in members[name] and label not in members[first]:
                    found[_two_names((first, text), (name, label), where(name))] = None
            if len(classes.get(name, ())) == 2 and spec.datasets[name].positive is None:
                labels = LabelSet(tuple(classes[name]), label_kind(classes[name]))
                rule = rules_of(spec, name).positive
                if isinstance(rule, Mapping) and rule["label"] not in labels.labels:
                    continue  # no class, which is said where the rows of the dataset are checked
                index = positive_index(labels, rule)
                positive.setdefault(labels.labels[index or 0], name)
        if len(positive) > 1 and not found:
            found[_two_positives(positive, where(list(positive.values())[1]))] = None
    return list(found)


def _two_names(first: tuple[str, str], second: tuple[str, str], where: Location | None) -> Problem:
    (one, text), (other, label) = first, second
    return Problem(
        f"one class seems to be written in two ways: {quoted(text)} in {one}, {quoted(label)} in "
        f"{other}",
        f"the same label in both, `map: {{{label!r}: {text!r}}}` of {other}",
        where,
    )


def _two_positives(positive: Mapping[str, str], where: Location | None) -> Problem:
    told = ", ".join(f"{quoted(label)} in {name}" for label, name in positive.items())
    return Problem(
        f"the positive class would not be the same in each dataset: {told}",
        "`map`, where they mean the same; or `positive: {label: ...}` of each dataset",
        where,
    )


def _together(spec: Spec, labels: Mapping[str, Labels]) -> list[_Problem]:
    """The datasets by what they have in common, in their order."""
    apart: list[_Problem] = []
    for name, own in labels.items():
        called = _by_value(map(Written, (spec.datasets[name].map or {}).values()))
        beside, single = _by_value(own.beside), _by_value(own.single)
        elsewhere = {} if spec.datasets[name].labels else _by_value(own.elsewhere)
        one = _Problem(_own(spec, name, own), called, beside, single, elsewhere, [name])
        if not one.classes:
            continue
        touching = [o for o in apart if o.classes.keys() & one.classes.keys()]
        for other in reversed(touching):
            other.take(one)
            one = other
            apart.remove(other)
        apart.append(one)
    alone = [one for one in apart if len(one.classes) == 1]
    for other in alone[1:]:
        alone[0].take(other)
        apart.remove(other)
    return apart


def _own(spec: Spec, name: str, labels: Labels) -> Classes:
    """What a dataset by itself says of its classes: what it declares, else what is known of it."""
    declared = spec.datasets[name].labels
    if declared:
        return _by_value(map(Written, declared))
    asked = spec.positive_of(name)
    named = [asked.label] if isinstance(asked, NamedPositive) else []
    for model in spec.models_on(name):
        scores = getattr(spec.models[model], "scores", None)
        if isinstance(spec.models[model], ScoresModel) and isinstance(scores, Mapping):
            named += scores
    return _by_value([*map(Written, named), *labels.known])


def _by_value(labels: Iterable[Written]) -> Classes:
    found: Classes = {}
    for label in labels:
        found.setdefault(value_of(label), label.text)
    return found


def _take_elsewhere(spec: Spec, one: _Problem) -> None:
    """Take the classes of rows of the files that are not selected.

    Scores that are there for fewer classes tell that the others are of another question.
    """
    models = {model for name in one.datasets for model in spec.models_on(name)}
    every = one.elsewhere | one.classes
    if len(every) <= 2 or all(isinstance(spec.models[m], PredictionModel) for m in models):
        one.classes = every


def _complete(one: _Problem) -> None:
    """Find the other of two classes where one is known, in what may hold it or by what it means."""
    if len(one.classes) != 1:
        return
    (label,) = one.classes.values()
    partner = partner_of(label)
    meant = {} if partner is None else _by_value([Written(partner)])
    texts = one.single if as_number(label) is None else {}
    for other in (one.called, one.beside, meant, texts):
        if len(one.classes | other) == 2:
            one.classes = other | one.classes
            return


def _totals(name: str, label: str, where: Location | None) -> Problem:
    return Problem(
        f"{name} has a line of totals among its rows, {quoted(label)}",
        f"the file without that line; or, where it is a class, `labels: [..., {label}]`",
        where,
    )


def _header(name: str, where: Location | None) -> Problem:
    return Problem(
        f"{name} has the names of its columns among its rows, as a header that is repeated",
        "the file without that line; or, where these are classes, `labels: [...]`",
        where,
    )


def _one_class(name: str, label: str, where: Location | None) -> Problem:
    return Problem(
        f"only one class of {name} is known, {quoted(label)}, so it is not known which class is "
        "positive",
        f"name the positive class, `positive: {{label: ...}}`, or both classes, "
        f"`labels: [{label}, ...]`",
        where,
    )
