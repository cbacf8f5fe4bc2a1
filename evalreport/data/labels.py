"""Classes by the labels that stand for them: their text, their order, which is positive.

A label is the text as written. Labels of typed columns get one text: 1 and 1.0 are
"1", other floats their shortest repr, booleans "true" and "false". What can stand for no class
is found here (infinite numbers, lists, texts with NUL), and so are different texts that a
reader cannot tell apart.
"""

from __future__ import annotations

import math
import re
import unicodedata
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from typing import Any, Literal

import numpy as np

from evalreport.data.findings import SHOWN_ROWS, Finding, quoted, rows_problem, some
from evalreport.data.table import RawColumn, RawTable
from evalreport.errors import Problem

Family = Literal["text", "number", "boolean"]
Positive = Literal["largest", "smallest"] | Mapping[str, str]

_NUMBER = re.compile(
    r"[+-]?(?:[0-9]{1,400}(?:\.[0-9]{0,400})?|\.[0-9]{1,400})(?:[eE][+-]?[0-9]{1,4})?"
)
_LEADING_ZERO = re.compile(r"[+-]?0[0-9]")
_BOOLEANS = ("false", "true")
#: What the last line of a table is called, in a few languages.
_TOTALS = frozenset(
    ("total", "totals", "grand total", "subtotal", "sub-total", "sum", "gesamt", "summe", "totale")
)
#: The class beside one that is known alone. 1 has none: labels may be 1 and 2.
_PARTNERS = {
    "0": "1",
    "0.0": "1.0",
    "false": "true",
    "true": "false",
    "no": "yes",
    "yes": "no",
    "negative": "positive",
    "positive": "negative",
}


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


def partner_of(label: str) -> str | None:
    """The class that is beside a label by what it means, in the same letters; None without one.

    >>> partner_of("0"), partner_of("No"), partner_of("NEGATIVE"), partner_of("1")
    ('1', 'Yes', 'POSITIVE', None)
    """
    found = _PARTNERS.get(label.casefold())
    if found is None:
        return None
    forms = (str.lower, str.upper, str.capitalize)
    return next((form(found) for form in forms if form(label) == label), found)


def names_totals(label: str) -> bool:
    """Whether a label is what the last line of a table is called.

    >>> names_totals("Total"), names_totals(" grand total:"), names_totals("total loss")
    (True, True, False)
    """
    return label.strip(" :.").casefold() in _TOTALS


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


def matcher(known: Sequence[str]) -> Callable[[Written], str]:
    """What turns a label of the data into the known label it stands for, else its own text.

    A stored number matches a known label of the same value, a stored boolean one of
    the same word; text matches only itself.

    >>> of = matcher(["0.0", "1.0"])
    >>> of(Written("1", "number")), of(Written("1"))
    ('1.0', '1')
    """
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
        groups.setdefault(value_of(member), set()).add(member)
    found = []
    for members in groups.values():
        if len(members) < 2 or all(m.text in settled for m in members):
            continue
        if len({(m.family, m.text.casefold()) for m in members}) > 1:
            found.append(tuple(sorted(members, key=lambda m: (m.text, m.family))))
    mixed = _booleans_and_numbers(groups)
    return found or ([mixed] if mixed else [])


def value_of(label: Written) -> Any:
    """What a label stands for: a number, a truth value (the number 0 or 1), or its text.

    >>> value_of(Written("1.0")) == value_of(Written("true", "boolean")) == Decimal(1)
    True
    >>> value_of(Written("01"))
    '01'
    """
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


#: Letters of Cyrillic, Greek and Armenian that print like a Latin letter.
_CONFUSABLE = str.maketrans(
    dict(
        zip(
            "\u0430\u0435\u043e\u0440\u0441\u0443\u0445\u0455\u0456\u0458\u0501\u051b\u051d\u04bb"
            "\u0410\u0412\u0415\u041a\u041c\u041d\u041e\u0420\u0421\u0422\u0425\u0405\u0406\u0408"
            "\u0391\u0392\u0395\u0396\u0397\u0399\u039a\u039c\u039d\u039f\u03a1\u03a4\u03a5\u03a7"
            "\u03bf\u03bd\u03b9\u0585\u057d",
            "aeopcyxsijdqwhABEKMHOPCTXSIJABEZHIKMNOPTYXoviou",
            strict=True,
        )
    )
)
_LEADING_ZEROS = re.compile(r"^([+-]?)0+(?=[0-9])")


def _without_hidden(text: str) -> str:
    return "".join(c for c in text if unicodedata.category(c) not in ("Cf", "Cc"))


#: What may set two labels apart, each with the step that takes it away.
_STEPS: tuple[tuple[str, Callable[[str], str]], ...] = (
    ("letters composed in another way", lambda t: unicodedata.normalize("NFC", t)),
    ("characters that do not print", _without_hidden),
    ("full-width or compatibility characters", lambda t: unicodedata.normalize("NFKC", t)),
    ("spaces", lambda t: " ".join(t.split())),
    ("letters of another script", lambda t: t.translate(_CONFUSABLE)),
    ("upper and lower case", str.casefold),
    ("leading zeros", lambda t: _LEADING_ZEROS.sub(r"\1", t)),
)


def look_alikes(labels: Sequence[str]) -> tuple[Finding, ...]:
    """Findings on labels that look alike, and on labels with hidden characters.

    >>> [f.code for f in look_alikes(["007", "7", "x"])]
    ['look_alike_labels']
    """
    alike = alike_groups(labels)
    findings = []
    if alike:
        told = some([differing_text(group) for group in alike])
        message = f"Labels look alike but are different classes: {told}."
        findings.append(Finding("look_alike_labels", message, {"labels": alike}))
    odd = [label for label in labels if _hidden(label)]
    if odd:
        message = (
            "Labels contain characters that are invisible or belong to another script: "
            f"{some([_escaped(label) for label in odd])}."
        )
        findings.append(Finding("hidden_characters", message, {"labels": odd}))
    return tuple(findings)


def alike_groups(texts: Sequence[str]) -> list[tuple[str, ...]]:
    """Texts that look alike, together.

    >>> alike_groups(["F", "m", "M ", "M"])
    [('m', 'M ', 'M')]
    """
    groups: dict[str, list[str]] = {}
    for text in texts:
        groups.setdefault(_skeleton(text), []).append(text)
    return [tuple(group) for group in groups.values() if len(group) > 1]


def looks_like(one: str, other: str) -> bool:
    """Whether two labels are set apart by what a reader would not see, or take for no difference.

    >>> looks_like("Ill ", "ill"), looks_like("il", "ill")
    (True, False)
    """
    return _skeleton(one) == _skeleton(other)


def _skeleton(label: str) -> str:
    if label.isascii() and label.isprintable() and label == label.strip():
        return _LEADING_ZEROS.sub(r"\1", " ".join(label.casefold().split()))
    for _, step in _STEPS:
        label = step(label)
    return label


def differing_text(group: Sequence[str]) -> str:
    """Texts that look alike, with what sets them apart.

    >>> differing_text(("m", "M"))
    "'m' and 'M' (upper and lower case)"
    """
    reasons = []
    left = list(group)
    for reason, step in _STEPS:
        changed = [step(label) for label in left]
        if len(set(changed)) < len(set(left)):
            reasons.append(reason)
        left = changed
    names = " and ".join(_escaped(label) for label in group[:3])
    return f"{names} ({', '.join(reasons)})"


def _hidden(label: str) -> bool:
    if label.isascii():
        return not label or not label.isprintable() or label != label.strip()
    if any(not c.isprintable() or (c.isspace() and c != " ") for c in label):
        return True
    confusable = any(ord(c) in _CONFUSABLE for c in label)
    return label != label.strip() or (
        confusable and any(c.isascii() and c.isalpha() for c in label)
    )


def _escaped(label: str) -> str:
    """The label with everything that could be mistaken shown as an escape."""
    return quoted(label) if label.isascii() else ascii(label)


#: Roles whose values are names.
_NAMES = frozenset({"target", "prediction", "id", "cluster", "fold", "subgroups"})


def unfit_names(table: RawTable, roles: Iterable[tuple[str, str]]) -> list[Problem]:
    """A problem for each kind of unfit value in each (role, column) that holds names.

    Every number too large for a double is read as infinity, so it stands for no one
    name; NUL can be written into no page, and ends a text for many a program.
    """
    return [
        rows_problem(
            table,
            f"{name} ({role}) {what}",
            rows[:SHOWN_ROWS],
            instead,
            [_shown(table.columns[name].values[row]) for row in rows[:SHOWN_ROWS]],
            len(rows),
        )
        for role, name in dict.fromkeys(roles)
        if role in _NAMES
        for what, instead, kinds, unfit in _UNFIT
        if (rows := _rows(table.columns[name], kinds, unfit))
    ]


def _rows(column: RawColumn, kinds: str, unfit: Callable[[Any], bool]) -> list[int]:
    """The rows with a value of which ``unfit`` holds; only columns of ``kinds`` can have one."""
    if column.kind not in kinds.split():
        return []
    # all of a text at once takes less time than to tell its values apart
    at_once = column.kind == "text" and not column.is_factorized
    if at_once and not unfit("".join(column.values[~column.missing].tolist())):
        return []
    codes, values = column.factorize()
    wrong = [number for number, value in enumerate(values) if unfit(value)]
    found: list[int] = np.flatnonzero(np.isin(codes, wrong)).tolist() if wrong else []
    return found


def _infinite(value: Any) -> bool:
    return isinstance(value, float) and math.isinf(value)


def _list(value: Any) -> bool:
    return isinstance(value, list)


def _with_nul(value: Any) -> bool:
    return isinstance(value, str) and "\0" in value


#: What is wrong, what would be right, which kinds of columns can have it, which values do.
_UNFIT: tuple[tuple[str, str, str, Callable[[Any], bool]], ...] = (
    (
        "is an infinite or too large number",
        "write it as text, or leave it out",
        "float64 float32 mixed",
        _infinite,
    ),
    ("is a list", "give text, numbers or booleans", "mixed", _list),
    ("contains a NUL character", "write text without it", "text mixed", _with_nul),
)


def _shown(value: Any) -> str:
    return quoted(value) if isinstance(value, str) else str(value)
