"""Classes by the labels that stand for them: their text, their order, which is positive.

A label is the text as written. Labels of typed columns get one text: 1 and 1.0 are
"1", other floats their shortest repr, booleans "true" and "false".
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from typing import Any, Literal

Family = Literal["text", "number", "boolean"]
Positive = Literal["largest", "smallest"] | Mapping[str, str]

_NUMBER = re.compile(
    r"[+-]?(?:[0-9]{1,400}(?:\.[0-9]{0,400})?|\.[0-9]{1,400})(?:[eE][+-]?[0-9]{1,4})?"
)
_LEADING_ZERO = re.compile(r"[+-]?0[0-9]")
_BOOLEANS = ("false", "true")


@dataclass(frozen=True)
class Written:
    """A label as a file holds it: its text, and the type it is stored with."""

    text: str
    family: Family = "text"


@dataclass(frozen=True)
class LabelSet:
    """The classes in their order; ``kind`` says how they compare: as numbers or as text."""

    labels: tuple[str, ...]
    kind: Family


def written(value: Any) -> Written:
    """The label of a value: text as it is, numbers and booleans by one text each.

    >>> [written(v).text for v in (1, 1.0, 0.1, True, "1.0", -0.0)]
    ['1', '1', '0.1', 'true', '1.0', '0']
    """
    if isinstance(value, str):
        return Written(value)
    if isinstance(value, bool):
        return Written(_BOOLEANS[value], "boolean")
    if isinstance(value, float) and value.is_integer() and abs(value) < 1e16:
        value = int(value)
    return Written(repr(value), "number")


def as_number(text: str) -> Decimal | None:
    """The number a text is, None for any other text.

    >>> as_number("1e2"), as_number("1_0"), as_number("nan")
    (Decimal('1E+2'), None, None)
    """
    return Decimal(text) if _NUMBER.fullmatch(text) else None


def order_labels(labels: Iterable[str], kind: Family | None = None) -> tuple[str, ...]:
    """Labels from smallest to largest: as numbers when each is one, else by code point.

    Numbers that are equal go by their text; of booleans true is the largest.

    >>> order_labels(["10", "9"]), order_labels(["10", "9", "a"])
    (('9', '10'), ('10', '9', 'a'))
    """
    distinct = sorted(set(labels))
    kind = kind or label_kind(distinct)
    if kind == "number":
        return tuple(sorted(distinct, key=lambda text: as_number(text) or Decimal(0)))
    if kind == "boolean":
        return tuple(sorted(distinct, key=str.casefold))
    return tuple(distinct)


def label_kind(labels: Iterable[str], families: Iterable[Family] = ()) -> Family:
    """How labels compare: numbers when each is a number, booleans when stored as such."""
    texts, stored = list(labels), set(families)
    if texts and all(_NUMBER.fullmatch(text) for text in texts):
        return "number"
    if stored == {"boolean"} and all(text.casefold() in _BOOLEANS for text in texts):
        return "boolean"
    return "text"


def positive_index(labels: LabelSet, rule: Positive) -> int | None:
    """Index of the positive class; None with more than two classes.

    ``largest`` and ``smallest`` go by value, whatever the declared order; a named label
    is one of the labels. KeyError if it is not.
    """
    if len(labels.labels) > 2:
        return None
    if isinstance(rule, Mapping):
        if rule["label"] not in labels.labels:
            raise KeyError(rule["label"])
        return labels.labels.index(rule["label"])
    ordered = order_labels(labels.labels, labels.kind)
    return labels.labels.index(ordered[-1 if rule == "largest" else 0])


def match(label: Written, known: Sequence[str]) -> str:
    """The known label that a label of the data stands for, else its own text.

    A stored number matches a known label of the same value, a stored boolean one of
    the same word; text matches only itself.

    >>> match(Written("1", "number"), ["0.0", "1.0"]), match(Written("1"), ["1.0"])
    ('1.0', '1')
    """
    return matcher(known)(label)


def matcher(known: Sequence[str]) -> Callable[[Written], str]:
    """``match`` for many labels against the same known ones."""
    exact = frozenset(known)
    folded = {text.casefold(): text for text in reversed(known)}
    values = {as_number(text): text for text in reversed(known)}
    values.pop(None, None)

    def one(label: Written) -> str:
        if label.text in exact:
            return label.text
        if label.family == "boolean":
            return folded.get(label.text, label.text)
        if label.family == "number" and values:
            return values.get(as_number(label.text), label.text)
        return label.text

    return one


def clashes(labels: Iterable[Written], known: Sequence[str] = ()) -> list[tuple[Written, ...]]:
    """Groups of labels that write one value in several ways: 1, "1", "1.0", True.

    Labels that match a ``known`` (declared) one are settled: no group is made of known
    ones only. Leading zeros make another label, and case too: those only look alike.
    """
    settled = frozenset(known)
    find = matcher(known)
    groups: dict[Any, set[Written]] = {}
    for label in [*labels, *(Written(text) for text in known)]:
        text = find(label)
        member = Written(text) if text in settled else label
        groups.setdefault(_value(member), set()).add(member)
    found = []
    for members in groups.values():
        if len(members) < 2 or all(m.text in settled for m in members):
            continue
        if len({(m.family, m.text.casefold()) for m in members}) > 1:
            found.append(tuple(sorted(members, key=lambda m: (m.text, m.family))))
    mixed = _booleans_and_numbers(groups)
    return found or ([mixed] if mixed else [])


def _value(label: Written) -> Any:
    """What a label stands for: a number, a truth value (the number 0 or 1), or its text."""
    word = label.text.casefold()
    if word in _BOOLEANS:
        return Decimal(_BOOLEANS.index(word))
    number = None if _LEADING_ZERO.match(label.text) else as_number(label.text)
    return label.text if number is None else number


def _booleans_and_numbers(groups: Mapping[Any, set[Written]]) -> tuple[Written, ...]:
    """0 beside true, or 1 beside false: two ways to write truth values, not three classes."""
    truth = [m for value in (0, 1) for m in groups.get(Decimal(value), ())]
    words = {m.text.casefold() in _BOOLEANS for m in truth}
    if len(words) < 2:
        return ()
    return tuple(sorted(truth, key=lambda m: (m.text, m.family)))
