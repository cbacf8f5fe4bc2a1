"""A first spec for a data file, guessed from its columns and their first rows."""

from __future__ import annotations

import json
import os
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from evalreport.data.read import ColumnNames, column_names
from evalreport.data.source import open_source
from evalreport.data.table import RawColumn
from evalreport.errors import DataError, Location, Problem, did_you_mean

TARGETS = ("target", "label", "truth", "actual", "y", "y_true", "outcome", "class", "diagnosis")
PREDICTIONS = ("prediction", "predicted", "pred", "y_pred", "p", "yhat", "label_pred")
SCORES = re.compile(
    r"(^|_|\W)(score|prob|probability|proba|p|risk)(_|$|\W|[0-9])", re.IGNORECASE
)
IDS = re.compile(r"(^|_|\W)(id|uuid|key)($|_|\W)", re.IGNORECASE)
FOLDS = ("fold", "cv_fold")
MOST_GROUPS = 12
#: Columns named in the comment on those that are not used.
MOST_UNUSED = 20


@dataclass(frozen=True)
class Guess:
    """What each column seems to be."""

    target: str
    id: str | None
    scores: tuple[str, ...]
    predictions: tuple[str, ...]
    subgroups: tuple[str, ...]
    classes: tuple[str, ...]
    fold: str | None = None
    unused: tuple[str, ...] = ()


def first_spec(data: Path, folder: Path, target: str | None = None) -> str:
    """A spec as YAML text for a data file; paths are relative to ``folder``.

    Raises DataError where no column can be the target or a prediction.
    """
    names = column_names(open_source(data, data.name))
    guess = guessed(names, target, data.name)
    relative = os.path.relpath(data, folder)
    return "\n".join(_lines(guess, relative)) + "\n"


def guessed(names: ColumnNames, target: str | None, name: str) -> Guess:
    """What the columns of a file seem to be."""
    columns = {c: names.sample.columns[c] for c in names.header}
    if target is not None and target not in columns:
        hint = did_you_mean(target, columns, "columns")
        raise DataError(Problem(f"no column '{target}'", hint, Location(name)))
    label = target or _first_named(columns, TARGETS) or _first_label(columns)
    if label is None:
        raise DataError(
            Problem("no column looks like a true label", "--target COLUMN", Location(name))
        )
    classes = tuple(_texts(columns[label]))
    rest = [c for c in columns if c != label and c.casefold() not in FOLDS]
    numbers = [c for c in rest if _is_number(columns[c]) and not IDS.search(c)]
    scores = [c for c in numbers if SCORES.search(c) and _within_unit(columns[c])]
    others = [c for c in rest if c not in numbers]
    predictions = [c for c in rest if _is_prediction(c, columns[c], classes)]
    scores = [c for c in scores if c not in predictions]
    if not scores and not predictions:
        scores = [c for c in numbers if _within_unit(columns[c]) and c not in predictions][:1]
    if not scores and not predictions:
        raise DataError(
            Problem("no column looks like a score or a predicted label",
                    "a column of scores or predictions; write the spec by hand", Location(name))
        )
    taken = {label, *scores, *predictions}
    groups = [
        c for c in others
        if c not in taken and not IDS.search(c) and 1 < len(_texts(columns[c])) <= MOST_GROUPS
    ]
    identity = next((c for c in rest if IDS.search(c) and _is_unique(columns[c])), None)
    guess = Guess(
        target=label,
        id=identity,
        scores=tuple(scores),
        predictions=tuple(predictions),
        subgroups=tuple(groups[:2]),
        classes=classes,
        fold=next((c for c in columns if c.casefold() in FOLDS), None),
    )
    used = {label, identity, guess.fold, *_scores_used(guess), *predictions, *groups[:2]}
    return replace(guess, unused=tuple(c for c in columns if c not in used))


def _scores_used(guess: Guess) -> tuple[str, ...]:
    """The columns of scores that stand in the spec's models."""
    if len(guess.classes) <= 2:
        return guess.scores
    return tuple(_class_columns(guess).values())


def _first_named(columns: dict[str, RawColumn], wanted: Sequence[str]) -> str | None:
    folded = {c.casefold(): c for c in columns}
    return next((folded[w] for w in wanted if w in folded), None)


def _first_label(columns: dict[str, RawColumn]) -> str | None:
    for name, column in columns.items():
        distinct = len(_texts(column))
        if 2 <= distinct <= 20 and distinct * 2 <= len(column.values) and not IDS.search(name):
            return name
    return None


def _texts(column: RawColumn) -> list[str]:
    return sorted({str(value) for value in column.factorize()[1]})


def _is_number(column: RawColumn) -> bool:
    return bool(_numbers(column))


def _numbers(column: RawColumn) -> list[float]:
    found = []
    for value in column.factorize()[1]:
        try:
            found.append(float(value))
        except (TypeError, ValueError):
            return []
    return found


def _within_unit(column: RawColumn) -> bool:
    numbers = _numbers(column)
    return bool(numbers) and all(0 <= n <= 1 for n in numbers)


def _is_prediction(name: str, column: RawColumn, classes: tuple[str, ...]) -> bool:
    texts = set(_texts(column))
    same = bool(texts) and texts <= set(classes) and len(classes) > 1
    return same and (name.casefold() in PREDICTIONS or not SCORES.search(name))


def _is_unique(column: RawColumn) -> bool:
    codes, distinct = column.factorize()
    return len(distinct) == len(codes)


def _lines(guess: Guess, path: str) -> Iterator[str]:
    yield "# A first spec, guessed from the columns of the data. Look over every line."
    yield "evalreport: 1"
    yield f"title: {_quoted(f'Evaluation of {Path(path).name}')}"
    yield ""
    yield "datasets:"
    yield "  data:"
    yield f"    path: {_quoted(path)}"
    yield f"    target: {_quoted(guess.target)}"
    if guess.id is not None:
        yield f"    id: {_quoted(guess.id)}"
    if guess.fold is not None:
        yield f"    # fold: {_quoted(guess.fold)}   # predictions made out of fold: adds each fold"
    yield "    missing: error   # or exclude: rows lacking a target or prediction are counted"
    yield ""
    if len(guess.classes) == 2:
        yield f"# classes seen: {', '.join(guess.classes)}"
        yield "positive: largest   # or smallest, or {label: name}"
        yield ""
    yield "models:"
    yield from _models(guess)
    yield ""
    yield f"metrics: [{', '.join(_metrics(guess))}]"
    if guess.subgroups:
        yield f"subgroups: [{', '.join(_quoted(c) for c in guess.subgroups)}]"
    yield ""
    yield "report: {formats: [html, pdf], template: standard}"


def _models(guess: Guess) -> Iterator[str]:
    own = _class_columns(guess)
    if own:
        pairs = ", ".join(f"{_quoted(label)}: {_quoted(c)}" for label, c in own.items())
        yield f"  classifier: {{scores: {{{pairs}}}}}"
    elif len(guess.classes) <= 2:
        for column in guess.scores:
            yield f"  {_quoted(column)}: {{score: {_quoted(column)}}}"
    for column in guess.predictions:
        yield f"  {_quoted(column)}: {{prediction: {_quoted(column)}}}"
    if guess.unused:
        shown = ", ".join(_quoted(c) for c in guess.unused[:MOST_UNUSED])
        more = len(guess.unused) - MOST_UNUSED
        yield f"# columns not used: {shown}" + (f" and {more} more" if more > 0 else "")


def _class_columns(guess: Guess) -> dict[str, str]:
    """Each class's column of scores, where there is one for every class by its name."""
    if len(guess.classes) < 3:
        return {}
    found = {}
    for label in guess.classes:
        column = next(
            (c for c in guess.scores if c.casefold().endswith(label.casefold())), None
        )
        if column is None:
            return {}
        found[label] = column
    return found


def _metrics(guess: Guess) -> list[str]:
    names = ["accuracy", "balanced_accuracy", "recall", "precision", "f1", "mcc"]
    if len(guess.classes) <= 2:
        names.insert(3, "specificity")
        if guess.scores:
            names += ["roc_auc", "average_precision", "brier", "log_loss"]
    elif _class_columns(guess):
        names += ["roc_auc", "log_loss"]
    return names


def _quoted(text: str) -> str:
    """A YAML text, quoted unless it is a plain word."""
    if re.fullmatch(r"[A-Za-z_][A-Za-z0-9_./-]*", text) and text.casefold() not in {
        "true", "false", "null", "yes", "no", "on", "off",
    }:
        return text
    # A JSON string is a YAML string; line breaks and control characters are escaped, for
    # they would end a comment or be folded.
    quoted = json.dumps(text, ensure_ascii=False)
    return "".join(c if c.isprintable() else f"\\U{ord(c):08x}" for c in quoted)
