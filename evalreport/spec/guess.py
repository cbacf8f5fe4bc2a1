"""What the columns of a data file seem to be, and what had to be assumed for it."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from evalreport.data.decimals import in_dialect
from evalreport.data.dialect import Dialect
from evalreport.data.labels import as_number, names_totals, order_labels, partner_of, written
from evalreport.data.table import RawColumn, RawTable
from evalreport.errors import DataError, Location, Problem, did_you_mean
from evalreport.spec.column_names import (
    COUNTS,
    FOLDS,
    MODEL_COLUMNS,
    WEIGHTS,
    columns_by_class,
    folded,
    is_id,
    is_margin,
    is_model,
    is_outcome,
    is_own,
    is_prediction,
    is_score,
    is_telling,
    model_name,
    positive_by_words,
    target_rank,
)
from evalreport.spec.column_values import Columns, adds_up, alike, area, as_one_model, gap_texts
from evalreport.spec.model_columns import (
    Known,
    confidences_of,
    label_columns,
    unnamed_sets,
    vector_models,
    without_confidences,
)

#: What annotators answer to a suggestion (Prodigy).
_JUDGED = {"accept", "reject", "ignore"}
MOST_GROUPS, MOST_CLASSES = 12, 100
#: A ranking this far from one half says which class the scores are of.
CLEAR = 0.1
#: Below this area under the ROC curve something is probably the wrong way round.
FAR_BELOW = 0.4


@dataclass(frozen=True)
class Guess:
    """What each column seems to be; ``models`` by name as a spec writes them.

    ``assumed``: what the data cannot say, in words; ``said``: what to look at, at once.
    ``choices``: classes one of which is to be named as the positive, where that is unsure.
    ``names``: the class that other spellings stand for; ``labels``: the classes in the order of
    the numbers of a vector, where that is not theirs; ``labelled``: columns of predicted labels,
    ``spelled``: those that spell the classes in their own way, with what for what.
    """

    target: str
    classes: tuple[str, ...]
    dialect: Dialect
    id: str | None = None
    positive: str | None = None
    models: Mapping[str, dict[str, Any]] = field(default_factory=dict)
    subgroups: tuple[str, ...] = ()
    fold: str | None = None
    weight: str | None = None
    count: str | None = None
    cluster: str | None = None
    exclude: tuple[str, ...] = ()
    types: Mapping[str, str] = field(default_factory=dict)
    names: Mapping[str, str] = field(default_factory=dict)
    labels: tuple[str, ...] = ()
    labelled: tuple[str, ...] = ()
    spelled: Mapping[str, Mapping[str, str]] = field(default_factory=dict)
    unused: tuple[str, ...] = ()
    rules: bool = False
    assumed: tuple[str, ...] = ()
    said: tuple[str, ...] = ()
    choices: tuple[str, ...] = ()

    @property
    def scored(self) -> bool:
        """Whether some model gives scores."""
        return any({"score", "scores", "margin"} & set(model) for model in self.models.values())

    @property
    def probabilities(self) -> bool:
        """Whether some model's scores can be probabilities."""
        return any({"score", "scores"} & set(model) for model in self.models.values())


def guessed(table: RawTable, dialect: Dialect, target: str | None) -> Guess:
    """What the columns of a table seem to be.

    Raises DataError where no column can be the true label, or none a prediction, or where the last
    line holds totals.
    """
    table, dialect = _wide(table, dialect, target)
    columns = Columns(table, gap_texts(table))
    _check_last_line(columns)
    label = _target(columns, target)
    classes = order_labels(columns.distinct(label))
    if len(classes) > MOST_CLASSES:
        raise DataError(
            Problem(
                f"{label} has {len(classes)} different values, too many classes",
                "--target COLUMN",
                Location(table.name),
            )
        )
    found = Guess(target=label, classes=classes, dialect=dialect)
    if len(classes) == 1:
        found = _with_the_other(columns, found)
    found = _design(columns, found)
    found = _models(columns, found)
    models, left_out = as_one_model(columns, found.classes, found.models)
    found = replace(found, models=models, assumed=(*found.assumed, *left_out))
    found = _labels_alike(columns, found)
    found = _positive(columns, found)
    return _rest(columns, found)


def _check_last_line(columns: Columns) -> None:
    for name in columns.names:
        texts = columns.texts(name)
        last = texts[-1] if texts else None
        if last is not None and names_totals(last) and texts.count(last) <= 2:
            where = Location(columns.table.name)
            raise DataError(
                Problem(
                    f"the last line has totals, {last!r} in {name}", "the file without it", where
                )
            )


def _with_the_other(columns: Columns, found: Guess) -> Guess:
    """One class with the other one: a predicted label, its partner by meaning, else a name for it.

    The spec then says which class is positive, also where the rows of another day have both.
    """
    (only,) = found.classes
    said = {t for c in columns.names if is_prediction(c) for t in columns.distinct(c)} - {only}
    other = next(iter(said)) if len(said) == 1 else partner_of(only)
    told = f"every row is {only}; the other class is written as {other or f'not {only}'}"
    return replace(
        found,
        classes=order_labels((only, other or f"not {only}")),
        said=(*found.said, told + ("" if other else ": write its name")),
    )


def _wide(table: RawTable, dialect: Dialect, target: str | None) -> tuple[RawTable, Dialect]:
    """A table with a row for each case; a long one, by case and class, is put so."""
    columns = Columns(table)
    ids = [c for c in columns.names if is_id(c) and not is_own(c)]
    for row in ids:
        count = len(columns.distinct(row))
        if not count or table.rows % count or not 2 <= table.rows // count <= MOST_CLASSES:
            continue
        each = table.rows // count
        for column in columns.names:
            if column in (row, target) or len(columns.distinct(column)) != each:
                continue
            value = _long_value(columns, row, column)
            if value is None:
                continue
            pivot = (row, column, value)
            made = replace(dialect, pivot=pivot)
            try:
                return in_dialect(table, Dialect(pivot=pivot)), made
            except DataError:
                continue
    return table, dialect


def _long_value(columns: Columns, row: str, column: str) -> str | None:
    """The column of scores of each case by class or model, or None.

    Scores of classes add up to 1 for each case; models are what their column is named for.
    """
    of_models = folded(column) in MODEL_COLUMNS
    cases, kinds = columns.texts(row), columns.texts(column)
    if len(set(zip(cases, kinds, strict=True))) < len(cases):
        return None
    for name in columns.names:
        numbers = columns.numbers(name)
        if name in (row, column) or numbers is None or not columns.is_fraction(name):
            continue
        sums: dict[str | None, float] = {}
        for case, number in zip(cases, numbers, strict=True):
            sums[case] = sums.get(case, 0.0) + (number or 0.0)
        if of_models or all(abs(total - 1) < 0.02 for total in sums.values()):
            return name
    return None


def _target(columns: Columns, asked: str | None) -> str:
    names, where = columns.names, Location(columns.table.name)
    if asked is not None:
        if asked not in names:
            hint = did_you_mean(asked, columns.table.header, "columns")
            raise DataError(Problem(f"no column '{asked}'", hint, where))
        return asked
    judged = [c for c in names if {"accept", "reject"} <= set(columns.distinct(c)) <= _JUDGED]
    if judged:
        return judged[0]
    ranked = sorted(
        (len(columns.distinct(c)) < 2, rank, place, c)
        for place, c in enumerate(names)
        if (rank := target_rank(c)) is not None and _can_be_label(columns, c)
    )
    if ranked:
        return ranked[0][-1]
    for name in names:
        few = 2 <= len(columns.distinct(name)) <= 20
        plain = not (is_id(name) or is_own(name) or is_prediction(name) or is_score(name))
        if (
            few
            and plain
            and len(columns.distinct(name)) * 2 <= columns.table.rows
            and not (columns.is_fraction(name))
        ):
            return name
    raise DataError(Problem("no column looks like a true label", "--target COLUMN", where))


def _can_be_label(columns: Columns, name: str) -> bool:
    distinct = len(columns.distinct(name))
    return 1 <= distinct <= MOST_CLASSES and not columns.is_fraction(name)


def _design(columns: Columns, found: Guess) -> Guess:
    rest = [c for c in columns.names if c != found.target]
    fold = next((c for c in rest if folded(c) in FOLDS), None)
    weight = next((c for c in rest if folded(c) in WEIGHTS and columns.numbers(c)), None)
    named = [c for c in rest if is_id(c) and not is_own(c)]
    identity = next((c for c in named if _is_unique(columns, c)), None)
    cluster = next((c for c in named if not _is_unique(columns, c)), None)
    found = replace(found, fold=fold, weight=weight, id=identity, cluster=cluster)
    if identity is not None:
        return found
    count = next((c for c in rest if folded(c) in COUNTS and _counts_kinds(columns, c)), None)
    if count is None:
        return found
    told = f"{count} gives the number of rows of each kind: no two rows are of the same kind"
    return replace(found, count=count, assumed=(*found.assumed, told))


def _counts_kinds(columns: Columns, name: str) -> bool:
    """Whether a column holds whole numbers, and no two rows are alike in the other columns.

    Rows with a score of their own are of a kind each, whatever stands beside them.
    """
    numbers = columns.numbers(name) or ()
    if not any(numbers) or any(v is None or v < 0 or not v.is_integer() for v in numbers):
        return False
    others = [c for c in columns.names if c != name]
    if len(others) < 2 or any(columns.is_fraction(c) for c in others):
        return False
    kinds = list(zip(*(columns.texts(c) for c in others), strict=True))
    return len(set(kinds)) == len(kinds)


def _is_unique(columns: Columns, name: str) -> bool:
    texts = columns.texts(name)
    return None not in texts and len(set(texts)) == len(texts)


def _roles(found: Guess) -> set[str]:
    own = {found.target, found.id, found.fold, found.weight, found.count, found.cluster}
    return {c for c in own if c is not None}


def _models(columns: Columns, found: Guess) -> Guess:
    """Models by their columns: one per class, scores with the labels made of them, labels."""
    free = [c for c in columns.names if c not in _roles(found) and not is_own(c)]
    sets, free = _class_models(columns, found, free)
    known = Known(columns, found.target, found.classes)
    more = unnamed_sets(known, free)
    lists = vector_models(known, more.free)
    for name, model in (*more.models, *lists.models):
        sets[_free(name, sets)] = model
    free = list(lists.free)
    scores = [c for c in free if _is_score_column(columns, c)]
    said = label_columns(known, free, alone=not (sets or scores))
    labels = said.columns
    scores = [c for c in scores if c not in labels]
    likely = [c for c in _likely_scores(columns, free) if c not in (*scores, *labels)]
    if not sets and not scores and not labels:
        scores = likely[:1]
    scores, confidences = without_confidences(known, scores, labels)
    if len(found.classes) == 2:
        confidences += confidences_of(known, likely, labels)
    found = replace(
        found,
        labels=lists.order,
        labelled=labels,
        spelled=said.spelled,
        assumed=(*found.assumed, *more.told, *lists.told, *said.told, *confidences),
    )
    if len(found.classes) > 2:
        unused, scores = scores, []
        told = [
            f"{c} is one score for {len(found.classes)} classes and is not used" for c in unused
        ]
        found = replace(found, assumed=(*found.assumed, *told))
    models, percent = dict(sets), list(found.dialect.percent)
    for column in scores:
        models[_free(model_name([column]), models)] = _scored(columns, column, percent)
    for column in labels:
        found = _add_labels(found, models, column, alone=len(labels) == 1)
    if not models:
        raise DataError(*_no_model(columns, found, free))
    for model in sets.values():
        own = () if isinstance(model.get("scores"), str) else _columns_of(model)
        percent += [c for c in own if _is_percent(columns, c)]
    dialect = replace(found.dialect, percent=tuple(dict.fromkeys(percent)))
    return replace(found, models=_called(models), dialect=dialect)


def _no_model(columns: Columns, found: Guess, free: Sequence[str]) -> Iterator[Problem]:
    """What to tell where no column is a score or a label, with what hides a column of numbers."""
    where = Location(columns.table.name)
    yield Problem(
        "no column looks like a score or a predicted label",
        "a column of scores or predictions; write the spec by hand",
        where,
    )
    yield from (Problem(told, "", where) for told in found.assumed)
    for name in free:
        texts = [text for text in columns.texts(name) if text is not None]
        odd = [text for text in texts if as_number(text.strip()) is None]
        if odd and 4 * len(odd) < 3 * len(texts) and columns.numbers(name) is None:
            row = columns.first(name, odd[0])
            what = f"{len(odd)} of {len(texts)} values of {name} are not numbers, first {odd[0]!r}"
            hint = f"numbers, or read: {{missing: {{{name}: [...]}}}}"
            yield Problem(what, hint, columns.table.where(row))


def _called(models: Mapping[str, dict[str, Any]]) -> dict[str, dict[str, Any]]:
    """The models, those of one column by its name."""
    made: dict[str, dict[str, Any]] = {}
    for name, model in models.items():
        own = _columns_of(model)
        plain = "classifier" if name == "model" and "scores" in model else name
        made[_free(own[0] if len(own) == 1 else plain, made)] = model
    return made


def _free(name: str, taken: Iterable[str]) -> str:
    made, count = name, 1
    while made in taken:
        count += 1
        made = f"{name}_{count}"
    return made


def _columns_of(model: Mapping[str, Any]) -> list[str]:
    single = [model[key] for key in ("score", "margin", "prediction") if key in model]
    scores = model.get("scores", {})
    return [*single, *([scores] if isinstance(scores, str) else scores.values())]


def _class_models(
    columns: Columns, found: Guess, free: list[str]
) -> tuple[dict[str, dict[str, Any]], list[str]]:
    """Models with columns named by classes, and the columns left over."""
    numeric = [c for c in free if columns.numbers(c) is not None]
    models: dict[str, dict[str, Any]] = {}
    taken: set[str] = set()
    for rest, own in columns_by_class(numeric, found.classes).items():
        named = is_score(rest) or is_margin(rest) or is_model(rest) or is_prediction(rest)
        if len(own) == len(found.classes) > 1:
            if not (
                adds_up(columns, own.values())
                or (named and columns_fraction(columns, own))
                or (rest == "" and len(own) > 2)
            ):
                continue
            models[_free(model_name([rest]), models)] = {"scores": dict(own)}
        elif (
            len(found.classes) == 2
            and len(own) == 1
            and (is_score(rest) or rest == "" or is_prediction(rest) or is_model(rest))
            and all(columns.is_fraction(c) for c in own.values())
        ):
            ((label, column),) = own.items()
            models[_free(model_name([rest]), models)] = {"score": column, "of": label}
        else:
            continue
        taken |= set(own.values())
    return models, [c for c in free if c not in taken]


def columns_fraction(columns: Columns, own: Mapping[str, str]) -> bool:
    """Whether the columns of classes hold scores, not whole numbers."""
    return any(columns.is_fraction(c) for c in own.values())


def _is_score_column(columns: Columns, name: str) -> bool:
    numbers = columns.range(name)
    if numbers is None or len(columns.distinct(name)) < 2:
        return False
    low, high = numbers
    within = (low >= 0 and high <= 1) or _is_percent(columns, name)
    if is_score(name):
        return within or len(columns.distinct(name)) > 2
    if is_margin(name):
        return columns.is_fraction(name)
    return columns.is_fraction(name) and is_telling(name)


def _likely_scores(columns: Columns, free: list[str]) -> list[str]:
    """Columns that rank the classes, of those within 0 and 1 whose names say nothing."""
    return [
        c
        for c in free
        if (limits := columns.range(c)) is not None
        and columns.is_fraction(c)
        and ((limits[0] >= 0 and limits[1] <= 1) or _is_percent(columns, c))
    ]


def _is_percent(columns: Columns, name: str) -> bool:
    """Whether numbers are percentages: with the sign, or up to 100 in a column of scores."""
    texts = [text for text in columns.distinct(name) if text.strip().endswith("%")]
    limits = columns.range(name)
    if limits is None or limits[0] < 0 or limits[1] > 100:
        return False
    return bool(texts) or (
        limits[1] > 10
        and not is_margin(name)
        and bool(re.search(r"prob|pct|percent|score|risk|conf|%", name, re.IGNORECASE))
    )


def _scored(columns: Columns, name: str, percent: list[str]) -> dict[str, Any]:
    limits = columns.range(name)
    if _is_percent(columns, name):
        percent.append(name)
    elif limits is not None and limits[0] < 0:
        return {"margin": name}
    return {"score": name}


def _add_labels(found: Guess, models: dict[str, dict[str, Any]], column: str, alone: bool) -> Guess:
    """A column of labels: beside the score of the same model, or a model of its own."""
    name = model_name([column])
    beside = models.get(name)
    nameless = name == "model" or (alone and "model" in models)
    if beside is None and nameless and len(models) == 1:
        beside = next(iter(models.values()))
    listed = beside is not None and isinstance(beside.get("scores"), str)
    if beside is not None and "scores" in beside and (listed or len(found.classes) > 2):
        told = f"{column} is not used: the class of a row follows from its scores"
        return replace(found, assumed=(*found.assumed, told))
    if (
        beside is not None
        and not {"prediction", "margin"} & set(beside)
        and (len(found.classes) <= 2)
    ):
        beside["prediction"] = column
        return found
    models[_free(name if name != "model" else folded(column) or "model", models)] = {
        "prediction": column
    }
    return found


def _labels_alike(columns: Columns, found: Guess) -> Guess:
    """Labels that are written in two ways in the file: types and names that settle it."""
    given = [m["prediction"] for m in found.models.values() if "prediction" in m]
    own = {text: label for c in given for text, label in found.spelled.get(c, {}).items()}
    found = replace(found, names=own)
    given = [c for c in given if c not in found.spelled]
    ways = {c: columns.distinct(c) for c in (found.target, *given)}
    texts = {text for values in ways.values() for text in values}
    if all(text in found.classes for text in texts):
        return found
    if all(as_number(text) is not None for text in texts):
        types = dict.fromkeys(ways, "number")
        plain = {written(float(text)).text for text in texts}
        return _renamed(replace(found, types=types), order_labels(plain))
    truth = {"true", "false", "0", "1"}
    if all(text.casefold() in truth for text in texts):
        types = dict.fromkeys(ways, "boolean")
        return _renamed(replace(found, types=types), ("false", "true"))
    names = dict(found.names)
    for text in sorted(texts - set(found.classes)):
        same = [label for label in found.classes if alike(label) == alike(text)]
        if same:
            names[text] = same[0]
    return replace(found, names=names)


def _renamed(found: Guess, classes: tuple[str, ...]) -> Guess:
    """The guess with classes called as their type has them, wherever they are named."""
    same = {alike(label): label for label in classes}
    models = {}
    for name, model in found.models.items():
        models[name] = made = dict(model)
        if isinstance(model.get("scores"), Mapping):
            made["scores"] = {same[alike(one)]: column for one, column in model["scores"].items()}
        if "of" in model:
            made["of"] = same[alike(model["of"])]
    return replace(
        found,
        classes=classes,
        models=models,
        names={text: same[alike(label)] for text, label in found.names.items()},
        labels=tuple(same[alike(label)] for label in found.labels),
    )


def _positive(columns: Columns, found: Guess) -> Guess:
    """The positive class: by the names of columns, by words, by what scores rank higher."""
    if len(found.classes) != 2:
        return replace(found, models=_without_of(found.models, None))
    named = {m["of"] for m in found.models.values() if "of" in m}
    worded = positive_by_words(found.classes)
    areas = _areas(columns, found)
    largest = found.classes[-1]
    choices: tuple[str, ...] = ()
    assumed: list[str] = []
    if len(named) == 1:
        positive = named.pop()
    elif worded is not None and worded[1]:
        positive = worded[0]
    else:
        positive, why, sure = _by_rank(columns, found, areas, worded)
        if not sure:
            choices = found.classes
        assumed.append(f"{positive} is assumed to be the positive class: {why}")
    said = [*_wrong_way(found, areas, largest, positive), *_never_low(columns, found)]
    models = _without_of(found.models, positive)
    return replace(
        found,
        positive=positive,
        models=models,
        choices=choices,
        assumed=(*found.assumed, *assumed),
        said=(*found.said, *said),
    )


def _by_rank(
    columns: Columns,
    found: Guess,
    areas: Mapping[str, float],
    worded: tuple[str, bool] | None,
) -> tuple[str, str, bool]:
    """The class that scores are of, with the reason, and whether the data settle it."""
    other, largest = found.classes
    agree = _by_labels(columns, found)
    if agree is not None:
        return agree, "the labels beside the scores show it", True
    # of columns for both classes each is ranked by its own, which says nothing
    single = [share for name, share in areas.items() if "scores" not in found.models[name]]
    clear = [share for share in single if abs(share - 0.5) > CLEAR]
    if clear and all(share > 0.5 for share in clear):
        return largest, "the scores are higher in its rows", True
    if clear and all(share < 0.5 for share in clear):
        return other, "the scores are higher in its rows", True
    if worded is not None:
        return worded[0], "by its name; the data do not show it", False
    return largest, "the last alphabetically; change “positive:” if wrong", False


def _by_labels(columns: Columns, found: Guess) -> str | None:
    """The class that labels name where the score beside them is above one half."""
    for model in found.models.values():
        if "score" not in model or "prediction" not in model:
            continue
        scores, labels = columns.numbers(model["score"]), columns.texts(model["prediction"])
        cut = 50.0 if model["score"] in found.dialect.percent else 0.5
        pairs = [
            (s >= cut, t)
            for s, t in zip(scores or (), labels, strict=True)
            if s is not None and t is not None
        ]
        for label in found.classes:
            same = sum(above == (alike(text) == alike(label)) for above, text in pairs)
            if pairs and same >= 0.9 * len(pairs):
                return label
    return None


def _areas(columns: Columns, found: Guess) -> dict[str, float]:
    """The area under the ROC curve of each single score, the last class taken as positive."""
    largest = found.classes[-1]
    truth = [None if t is None else alike(t) == alike(largest) for t in columns.texts(found.target)]
    areas = {}
    for name, model in found.models.items():
        column = model.get("score", model.get("margin"))
        if column is None and isinstance(model.get("scores"), Mapping):
            column = model["scores"].get(largest)
        own = None if column is None else area(columns.numbers(column), truth)
        if own is not None:
            areas[name] = own
    return areas


def _wrong_way(found: Guess, areas: Mapping[str, float], largest: str, positive: str) -> list[str]:
    said = []
    for name, share in areas.items():
        # the column of the largest class ranks it as the other column ranks the other class
        same = positive == largest or "scores" in found.models[name]
        own = share if same else 1 - share
        if own < FAR_BELOW:
            said.append(
                f"{name}: its ROC AUC for {positive} is {own:.2f}, far below one half; are its "
                f"scores for the other class?"
            )
    return said


def _never_low(columns: Columns, found: Guess) -> Iterator[str]:
    """What to look at where a score alone is never below one half, as a confidence is."""
    for model in found.models.values():
        limits = columns.range(model["score"]) if set(model) == {"score"} else None
        half = 50 if model.get("score") in found.dialect.percent else 0.5
        if limits is not None and half <= limits[0] and limits[1] <= 2 * half:
            yield (
                f"{model['score']} is never below {half}: is it the confidence in a predicted "
                "label? Then the model is that label, {prediction: column}"
            )


def _without_of(
    models: Mapping[str, Mapping[str, Any]], positive: str | None
) -> dict[str, dict[str, Any]]:
    """Models as a spec has them; of two columns that add up, the positive class's is the score."""
    made = {}
    for name, model in models.items():
        own = {key: value for key, value in model.items() if key != "of"}
        if positive is not None and isinstance(own.get("scores"), Mapping):
            own = {
                "score": own["scores"][positive],
                **({"prediction": own["prediction"]} if "prediction" in own else {}),
            }
        made[name] = own
    return made


def _rest(columns: Columns, found: Guess) -> Guess:
    """Subgroups, gaps, and the columns that are not used."""
    used = {c for model in found.models.values() for c in _columns_of(model)}
    single = {c for c in used if c in columns.names}
    gaps = _gap_lines(columns, (found.target, *sorted(single)))
    groups = [
        c
        for c in columns.names
        if c not in used | _roles(found)
        and not is_own(c)
        and not is_id(c)
        and columns.numbers(c) is None
        and 1 < len(columns.distinct(c)) <= min(MOST_GROUPS, columns.table.rows // 2)
        and c not in found.labelled
        and not is_outcome(c)
    ][:2]
    taken = used | _roles(found) | set(groups)
    codes = {c: tuple(sorted(_gap_values(columns, c))) for c in (found.target, *used, *groups)}
    dialect = replace(found.dialect, missing={c: told for c, told in codes.items() if told} or ())
    high = [columns.range(m["score"]) for m in found.models.values() if "score" in m]
    beyond = any(limits is not None and limits[1] > 1 for limits in high)
    said = [_odd_cell(columns, c, text) for c in sorted(single) for text in columns.odd(c)]
    pooled = [
        f"{c} seems to name the model of each row: without a column that names cases, its rows are "
        "counted together and each model is a subgroup"
        for c in groups
        if folded(c) in MODEL_COLUMNS
    ]
    return replace(
        found,
        assumed=(*found.assumed, *pooled),
        said=(*found.said, *said),
        dialect=dialect,
        subgroups=tuple(groups),
        exclude=tuple(gaps),
        rules=beyond and not dialect.percent,
        unused=tuple(c for c in columns.table.header if c not in taken),
    )


def _odd_cell(columns: Columns, name: str, text: str) -> str:
    row = columns.first(name, text)
    where = columns.table.row_name(row)
    return f"{name} holds {text!r} in {where}, which is not a number; it is read as missing"


def _gap_lines(columns: Columns, names: Iterable[str]) -> list[str]:
    found = [(name, columns.lacking(name)) for name in names]
    return [f"{name} in {count:,}" for name, count in found if count]


def _gap_values(columns: Columns, name: str) -> set[str]:
    """The texts of a column that stand for no value, or are taken so."""
    column: RawColumn | None = columns.table.columns.get(name)
    if column is None or column.kind not in ("text", "mixed"):
        return set()
    none = columns.gaps.get(name, frozenset())
    odd = columns.odd(name) if name in columns.names else ()
    return {v for v in column.factorize()[1] if isinstance(v, str) and v in none} | set(odd)
