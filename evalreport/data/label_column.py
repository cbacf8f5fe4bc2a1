"""The labels of a column: codes into its distinct labels, merged by what they stand for."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

import numpy as np

from evalreport.data.labels import Written, matcher, written
from evalreport.data.table import Codes, Mask, RawTable


@dataclass(frozen=True, eq=False)
class LabelColumn:
    """``codes`` shape (n,), -1 where missing, into ``labels``; both as in the whole file."""

    codes: Codes
    labels: tuple[Written, ...]
    _coded: dict[tuple[int, ...], Codes] = field(default_factory=dict, repr=False)

    def coded(self, target: tuple[int, ...]) -> Codes:
        """What each label of the whole file becomes, the last of ``target`` where one is missing.

        Worked out once for all models.
        """
        if target not in self._coded:
            found = np.array(target, np.int32)[self.codes]
            found.flags.writeable = False
            self._coded[target] = found
        return self._coded[target]

    @property
    def missing(self) -> Mask:
        """Which rows have no label, shape (n,)."""
        return self.codes < 0

    def first_row(self, label: Written) -> int | None:
        """The first row that holds a label, None if it does not occur."""
        if label not in self.labels:
            return None
        return int(np.argmax(self.codes == self.labels.index(label)))


def label_column(table: RawTable, name: str) -> LabelColumn:
    """The labels of a column, worked out once per table."""
    return table.once(("labels", name), lambda: _label_column(table, name))


def texts(table: RawTable, name: str) -> tuple[Codes, tuple[str, ...]]:
    """Codes (-1 where missing or empty) and texts of a column of ids, clusters or groups."""
    return table.once(("texts", name), lambda: _texts(table, name))


def _label_column(table: RawTable, name: str) -> LabelColumn:
    codes, values = table.columns[name].factorize()
    place: dict[Written, int] = {}
    name_of = called(table)
    target = [place.setdefault(name_of(written(value)), len(place)) for value in values]
    return LabelColumn(_recoded(codes, target), tuple(place))


def called(table: RawTable) -> Callable[[Written], Written]:
    """What a label is called: by the table's names for labels, else as it is written."""
    names = table.label_names
    if not names:
        return lambda label: label
    find = matcher(tuple(names))

    def one(label: Written) -> Written:
        name = names.get(find(label))
        return label if name is None else Written(name)

    return one


def _texts(table: RawTable, name: str) -> tuple[Codes, tuple[str, ...]]:
    codes, values = table.columns[name].factorize()
    if table.columns[name].kind == "text" and "" not in values:
        return codes, tuple(values)
    place: dict[str, int] = {}
    texts = (written(value).text for value in values)
    target = [place.setdefault(text, len(place)) if text else -1 for text in texts]
    return _recoded(codes, target), tuple(place)


def _recoded(codes: Codes, target: list[int]) -> Codes:
    if target == list(range(len(target))):
        return codes
    # One more entry, so that -1 (missing) stays -1.
    return np.array([*target, -1], np.int32)[codes]
