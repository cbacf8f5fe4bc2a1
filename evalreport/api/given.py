"""What callers hand over from Python, checked and made plain: specs, frames, columns, labels.

A wrong argument is told in the words of this program, with what would be right, and
never by a failure of a library further down.
"""

from __future__ import annotations

import json
import math
import os
from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import Any

from evalreport.errors import DataError, Problem, SpecError, UsageError


def checked_frames(frames: Any) -> dict[str, Any]:
    """The frames by the names of their datasets. Raises UsageError for anything else."""
    if frames is None:
        return {}
    if not isinstance(frames, Mapping):
        what = f"frames is a {type(frames).__name__}"
        instead = "a mapping from the name of a dataset to its rows: frames={'holdout': frame}"
        raise UsageError(Problem(what, instead))
    return {str(name): _pandas_or_columns(rows) for name, rows in frames.items()}


def _pandas_or_columns(rows: Any) -> Any:
    """A frame of pandas or a mapping as it is; another frame as lists by name."""
    if hasattr(rows, "iloc") or isinstance(rows, Mapping):
        return rows
    found = columns_of(rows)
    return rows if found is None else {n: column(values, n) for n, values in found.items()}


def columns_of(value: Any) -> dict[str, Any] | None:
    """The columns of a frame of pandas, polars or pyarrow by name; None for anything else.

    A frame is known by how its columns are got at, whatever library it is of. Raises DataError
    for names that are repeated and for frames that are still to be collected.

    >>> columns_of([0, 1]) is None
    True
    """
    if hasattr(value, "collect_schema") and hasattr(value, "collect"):
        raise DataError(Problem(f"a {type(value).__name__} has no rows yet", "its collect()"))
    pairs: list[tuple[Any, Any]]
    if hasattr(value, "columns") and hasattr(value, "iloc"):
        pairs = [(name, value.iloc[:, i]) for i, name in enumerate(value.columns)]
    elif hasattr(value, "column_names") and hasattr(value, "column"):
        pairs = [(name, value.column(i)) for i, name in enumerate(value.column_names)]
    elif hasattr(value, "columns") and hasattr(value, "get_column"):
        pairs = [(name, value.get_column(name)) for name in value.columns]
    else:
        return None
    names = [label_text(name) for name, _ in pairs]
    if len(set(names)) < len(names):
        twice = next(name for name in names if names.count(name) > 1)
        raise DataError(Problem(f"two columns are named {twice!r}", "a name for each column"))
    return dict(zip(names, (values for _, values in pairs), strict=True))


def spec_text(spec: Mapping[str, Any]) -> str:
    """A spec given as a mapping as the text of one. Raises SpecError for what is no data."""
    problems: list[Problem] = []
    body = _plain(spec, (), problems)
    if problems:
        raise SpecError(*problems)
    return json.dumps(body, ensure_ascii=False, indent=1)


def _plain(value: Any, path: tuple[str, ...], problems: list[Problem]) -> Any:
    """Text, numbers, lists and mappings as JSON has them; numpy's numbers are numbers."""
    if isinstance(value, Mapping):
        return {_key(k): _plain(item, (*path, _key(k)), problems) for k, item in value.items()}
    if isinstance(value, (list, tuple, set, frozenset)):
        return [_plain(item, (*path, str(place)), problems) for place, item in enumerate(value)]
    if isinstance(value, os.PathLike):
        return os.fspath(value)
    if value is None or isinstance(value, (str, bool, int, float)):
        return value
    if hasattr(value, "tolist") and hasattr(value, "dtype"):
        return _plain(value.tolist(), path, problems)
    problems.append(_no_data(value, ".".join(path)))
    return None


def _key(key: Any) -> str:
    if isinstance(key, bool):
        return str(key).lower()
    return str(key.item() if hasattr(key, "item") else key)


def _no_data(value: Any, path: str) -> Problem:
    kind = value if isinstance(value, type) else type(value)
    if hasattr(value, "fit") or hasattr(value, "predict"):
        name = f"{kind.__module__}.{kind.__qualname__}"
        instead = (
            f"the name of its class, '{name}', with its settings as params; "
            "or evalreport.evaluate_estimator(model, X, y)"
        )
    else:
        instead = "text, numbers, lists and mappings"
    return Problem(f"{path} is a {kind.__name__} of Python, which a spec cannot contain", instead)


def column(values: Any, name: str) -> list[Any]:
    """One value per row as a list. Raises DataError where there is another shape.

    >>> column([[1], [0]], "y_true")
    [1, 0]
    """
    columns = columns_of(values)
    if columns is not None and len(columns) == 1:
        (values,) = columns.values()
    array: Any = getattr(values, "values", None) if hasattr(values, "iloc") else values
    shape = getattr(array, "shape", None)
    if isinstance(values, (str, bytes, Mapping)) or (
        shape is None and not isinstance(values, Iterable)
    ):
        raise DataError(
            Problem(
                f"{name} is {_called(values)}", "one value per row, in a list, an array or a series"
            )
        )
    if shape is not None and len(shape) == 2 and shape[1] == 1:
        array, shape = array[:, 0], shape[:1]
    if shape is not None and len(shape) != 1:
        hint = "one value per row"
        if len(shape) == 2 and name in ("y_true", "y"):
            hint += "; sets of labels: evaluate(y, scores), with a column of scores for each label"
        raise DataError(Problem(f"{name} has the shape {tuple(shape)}", hint))
    found = listed(array)
    if found and all(isinstance(v, (list, tuple)) and len(v) == 1 for v in found):
        found = [v[0] for v in found]
    if any(isinstance(v, (set, frozenset)) for v in found):
        raise DataError(Problem(f"{name} has sets", "one value per row, as in y_true"))
    if any(isinstance(v, (list, tuple, Mapping)) or getattr(v, "shape", ()) for v in found):
        raise DataError(Problem(f"{name} has lists", "one value per row"))
    return found


def listed(array: Any) -> list[Any]:
    """The values of a column as those of Python, by the method that its library has for it.

    >>> listed((0, 1))
    [0, 1]
    """
    for method in ("tolist", "to_pylist", "to_list"):
        if hasattr(array, method):
            return list(getattr(array, method)())
    return list(array)


def _called(value: Any) -> str:
    return "nothing" if value is None else f"a {type(value).__name__}"


def is_estimator(value: Any) -> bool:
    """Whether a value can predict, so that it is no column.

    >>> is_estimator([0, 1])
    False
    """
    return hasattr(value, "predict") and not isinstance(value, type)


def same_length(lengths: Mapping[str, int]) -> None:
    """Raises DataError unless every argument has as many rows as the first."""
    first, rows = next(iter(lengths.items()))
    problems = [
        Problem(f"{name} has {_rows(count)}, {first} has {rows:,}", "one value for the same rows")
        for name, count in lengths.items()
        if count != rows
    ]
    if not rows:
        problems = [Problem(f"{first} is empty", "at least one row")]
    if problems:
        raise DataError(*problems)


def same_order(given: Mapping[str, Any]) -> None:
    """Raises DataError where two arguments have one index, in two orders.

    Values are taken by their place. Series of the same rows in another order would be paired
    wrongly, and nothing in the results would show it.
    """
    found: list[tuple[str, Any]] = []
    for name, value in given.items():
        inside = value.items() if isinstance(value, Mapping) else ()
        for own, one in [(name, value), *((f"{name}[{key!r}]", item) for key, item in inside)]:
            if hasattr(one, "iloc") and hasattr(one, "index"):
                found.append((own, one.index))
    problems = [
        Problem(
            f"{name} has the index of {found[0][0]} in another order",
            f"the rows in one order, {name}.loc[{found[0][0]}.index]; "
            "or arrays, as to_numpy() gives, where they already are",
        )
        for name, index in found[1:]
        if _reordered(found[0][1], index)
    ]
    if problems:
        raise DataError(*problems)


def _reordered(first: Any, other: Any) -> bool:
    if len(first) != len(other) or first.equals(other):
        return False
    return bool(first.is_unique and other.is_unique and first.isin(other).all())


def _rows(count: int) -> str:
    return f"{count:,} row" + ("" if count == 1 else "s")


def label_texts(columns: Mapping[str, Sequence[Any]]) -> dict[str, list[str | None]]:
    """Labels of any type as their texts, None where missing.

    Truth values beside numbers are the numbers 0 and 1, as everywhere in Python, so that
    ``probabilities >= 0.5`` are predictions of labels 0 and 1. Beside the words for them they
    are spelled as these.

    >>> label_texts({"y": [0, 1, None], "p": [False, True, True]})
    {'y': ['0', '1', None], 'p': ['0', '1', '1']}
    >>> label_texts({"y": [False, True], "p": ["True", "True"]})
    {'y': ['False', 'True'], 'p': ['True', 'True']}
    """
    plain = {name: [_label(value) for value in values] for name, values in columns.items()}
    every = {type(v) for values in plain.values() for v in values if v is not None}
    if bool in every and every & {int, float}:
        return {
            name: [_text(int(v) if isinstance(v, bool) else v) for v in values]
            for name, values in plain.items()
        }
    texts = {name: [_text(v) for v in values] for name, values in plain.items()}
    if bool in every and str in every:
        spelled = _spelled_truth({v for values in plain.values() for v in values if type(v) is str})
        texts = {
            name: [
                spelled.get(v, t) if isinstance(v, bool) else t
                for v, t in zip(values, texts[name], strict=True)
            ]
            for name, values in plain.items()
        }
    return texts


def texts_unless_mixed(columns: Mapping[str, Sequence[Any]]) -> dict[str, list[Any]]:
    """Labels as texts; as given where a column has numbers beside texts or truth values.

    The check of labels then refuses ``1`` and ``"1"`` as it does in a file.
    """
    plain = {name: [_label(value) for value in values] for name, values in columns.items()}
    types = [{type(value) for value in values} for values in plain.values()]
    if not any(own & {int, float} and own & {bool, str} for own in types):
        return dict(label_texts(plain))
    return {name: [None if v == "" else v for v in values] for name, values in plain.items()}


def _spelled_truth(texts: set[str]) -> dict[bool, str]:
    """How texts spell True and False; the other one of a word in the same letters."""
    from evalreport.data.labels import partner_of

    words = {text.casefold(): text for text in sorted(texts)}
    true = words.get("true") or partner_of(words.get("false", ""))
    false = words.get("false") or partner_of(words.get("true", ""))
    return {True: true, False: false} if true and false else {}


def codes_of(texts: Sequence[str], labels: Sequence[str]) -> Any:
    """The place of each label among the classes, as an array.

    >>> codes_of(["b", "a"], ["a", "b"]).tolist()
    [1, 0]
    """
    import numpy as np

    place = {label: code for code, label in enumerate(labels)}
    return np.array([place[text] for text in texts], np.int32)


def ordered_categories(values: Any) -> list[str]:
    """The categories of an ordered categorical from least to largest; empty for anything else.

    Those of pandas and Arrow say whether they are ordered; an ``Enum`` of polars always is.
    """
    dtype = getattr(values, "dtype", None)
    ordered = (getattr(one, "ordered", False) for one in (dtype, getattr(values, "type", None)))
    return categories(values) if any(ordered) or type(dtype).__name__ == "Enum" else []


def categories(values: Any) -> list[str]:
    """The categories of a categorical, in its order; empty for anything else."""
    found: Any = getattr(getattr(values, "dtype", None), "categories", None)
    if hasattr(getattr(values, "type", None), "value_type"):  # a dictionary of Arrow
        parts = values.chunks if hasattr(values, "chunks") else [values]
        found = parts[0].dictionary.to_pylist() if parts and hasattr(parts[0], "dictionary") else ()
    return [label_text(one) for one in found] if hasattr(found, "__iter__") else []


def end_of_order(two: Sequence[str], positive: Any) -> Any:
    """The positive one of two categories where ``positive`` asks for an end of their order."""
    if len(two) != 2 or positive not in ("largest", "smallest", None):
        return positive
    return two[0 if positive == "smallest" else -1]


def label_text(value: Any) -> str:
    """The text of one label, as :func:`label_texts` gives it."""
    text = _text(_label(value))
    if text is None:
        raise DataError(Problem("a label is missing", "the label of a class"))
    return text


def _label(value: Any) -> Any:
    value = value.item() if hasattr(value, "item") and not isinstance(value, type) else value
    if isinstance(value, bytes):
        return value.decode("utf-8", "replace")
    if value is None or type(value).__name__ in ("NAType", "NaTType"):
        return None
    if isinstance(value, float):
        return None if math.isnan(value) else float(value)
    if isinstance(value, bool):
        return value
    if isinstance(value, int):
        return int(value)
    return str(value)


def _text(value: Any) -> str | None:
    from evalreport.data.labels import written

    return None if value is None or value == "" else written(value).text


def numbers(values: Any, name: str) -> list[float]:
    """Scores or weights as numbers, NaN where missing. Raises DataError naming the row."""
    found = []
    for row, value in enumerate(column(values, name)):
        plain = value.item() if hasattr(value, "item") else value
        if plain is None or type(plain).__name__ == "NAType":
            plain = math.nan
        try:
            found.append(float(plain))
        except (TypeError, ValueError, OverflowError):
            what = f"row {row + 1} of {name} is {plain!r}"
            raise DataError(Problem(what, "a number; predicted labels are y_pred")) from None
    return found


def single_precision(values: Any) -> bool:
    """Whether numbers of an array or a frame are of 32 bits or fewer, in the words of any library.

    >>> import numpy as np
    >>> single_precision(np.float32([0.1])), single_precision(np.array([0.1]))
    (True, False)
    """
    columns = columns_of(values)
    if columns is not None:
        return any(map(single_precision, columns.values()))
    dtype = str(getattr(values, "dtype", None) or getattr(values, "type", None)).lower()
    name = dtype.removeprefix("torch.").removesuffix("[pyarrow]")
    return name in ("float32", "float16", "float", "halffloat")


def free_name(wanted: str, taken: Collection[str]) -> str:
    """The name, or with a number behind it where it is taken.

    >>> free_name("sex", ["sex"])
    'sex 2'
    """
    name, count = wanted, 1
    while name in taken:
        count += 1
        name = f"{wanted} {count}"
    return name
