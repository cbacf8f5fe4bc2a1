"""Words on the page: labels made safe to see, names of methods, slices and thresholds."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Protocol

from evalreport.lines import LONGEST_NAME, cut
from evalreport.metrics.catalogue import find
from evalreport.metrics.methods import method_title
from evalreport.numbers import count_text, number_text, threshold_text

LONGEST_TEXT = 5000
#: What the mean of readers, and the value of all that they read, are called.
MEAN, POOLED = "mean over readers", "readings pooled"
OVER_FOLDS, POOLED_FOLDS = "mean over folds", "folds pooled"

#: Outcomes of criteria as a page marks them, and in a sentence.
OUTCOME_MARKS: Mapping[str, str] = {
    "pass": "✓ pass",
    "fail": "✗ fail",
    "not_evaluated": "○ not evaluated",
    "continue": "→ continue",
    "reproduced": "✓ reproduced",
    "other_method": "✗ other method",
    "not_reproducible": "✗ not reproducible",
}
#: Names in a sentence.
MOST_NAMES = 4
OUTCOME_WORDS: Mapping[str, str] = {
    "pass": "passed",
    "fail": "failed",
    "not_evaluated": "not evaluated",
    "continue": "to be continued",
    "reproduced": "reproduced",
    "other_method": "by another method",
    "not_reproducible": "not reproducible",
}

#: Characters that would change how the text around them is read.
_TURNING = {0x200E, 0x200F, 0x061C, *range(0x202A, 0x202F), *range(0x2066, 0x206A)}


#: An interval of numbers, as bins of a column are named in results.
_INTERVAL = re.compile(r"[\[(](-inf|[-+.\de]+), (inf|[-+.\de]+)\)")


def visible(text: str, longest: int = LONGEST_TEXT) -> str:
    r"""Text with control and direction-turning characters spelt out, cut where too long.

    >>> visible("a\x00b"), visible("line\nbreak"), visible("tab\there")
    ('a\\x00b', 'line\\nbreak', 'tab\\there')
    >>> len(visible("x" * 20000, 60)) <= 75
    True
    """
    return "".join(_seen(character) for character in cut(text, longest))


def _seen(character: str) -> str:
    code = ord(character)
    if code in _TURNING or unicodedata.category(character) in {"Cc", "Cs", "Cn", "Co", "Zl", "Zp"}:
        return character.encode("unicode_escape").decode("ascii")
    return character


def prose(text: Any) -> str:
    r"""Free text of the spec on one line: white space as written counts as a space.

    The items of a list follow each other as they would in a paragraph, those of a mapping
    with their names.

    >>> prose("two\n lines ")
    'two lines'
    >>> prose(["Two centres.", "One reader"]), prose(["adults", "smokers"])
    ('Two centres. One reader', 'adults; smokers')
    """
    if isinstance(text, Mapping):
        return _run_on([f"{prose(key)}: {prose(item)}" for key, item in text.items()])
    if isinstance(text, (list, tuple)):
        return _run_on([prose(item) for item in text])
    return visible(" ".join(str(text).split()))


def _run_on(items: list[str]) -> str:
    """Items one after another: sentences as they end, others parted by semicolons."""
    found = ""
    for item in items:
        found += ("" if not found else " " if found[-1] in ".!?。؟" else "; ") + item
    return found


def cell(text: Any) -> str:
    """Text in Markdown that can neither end a cell nor start markup."""
    shown = prose(text)
    for character in "\\`*_{}[]<>#|~&":
        shown = shown.replace(character, f"\\{character}")
    return shown.replace("\n", " ")


def label_text(label: Any) -> str:
    """A label, model, dataset or column name as shown; an empty one is said to be.

    >>> label_text("malignant"), label_text(""), label_text(" a ")
    ('malignant', '(empty)', '“ a ”')
    """
    text = str(label)
    if not text:
        return "(empty)"
    shown = visible(text, LONGEST_NAME)
    return f"“{shown}”" if text != text.strip() or "  " in text else shown


def class_text(label: Any) -> str:
    """A class as it stands in a sentence; one that is called by a number is told from counts.

    >>> class_text("malignant"), class_text("8"), class_text("-1")
    ('malignant', 'class 8', 'class -1')
    """
    shown = label_text(label)
    return f"class {shown}" if is_numbered(shown) else shown


def rows_text(count: float) -> str:
    """A number of rows.

    >>> rows_text(1), rows_text(212)
    ('1 row', '212 rows')
    """
    return counted(count, "row")


def plural(noun: str) -> str:
    """An English noun for several things, formed as most nouns form it.

    >>> plural("mass"), plural("biopsy"), plural("case")
    ('masses', 'biopsies', 'cases')
    """
    if noun.endswith(("s", "x", "ch", "sh")):
        return f"{noun}es"
    if noun.endswith("y") and noun[-2:-1] not in set("aeiou"):
        return f"{noun[:-1]}ies"
    return f"{noun}s"


def rows_of_class(count: float, label: Any, *, noun: bool = True) -> str:
    """So many rows of a class.

    >>> rows_of_class(212, "malignant"), rows_of_class(1, "1"), rows_of_class(2, "1", noun=False)
    ('212 malignant', '1 row of class 1', '2 of class 1')
    """
    told = rows_text(count) if noun else count_text(count)
    if is_numbered(label_text(label)):
        return f"{told} of {class_text(label)}"
    return f"{count_text(count)} {class_text(label)}"


def is_numbered(shown: str) -> bool:
    """Whether a label that is shown begins as a number does."""
    return shown.lstrip("+-−.")[:1].isdigit()


def exact_label(label: Any) -> str | None:
    """The label itself, where what is shown is not it.

    >>> exact_label("malignant"), exact_label(" a ")
    (None, ' a ')
    """
    return None if label_text(label) == label else str(label)


def method_text(method: str) -> str:
    """A method's name as the field writes it.

    >>> method_text("wilson"), method_text("something_new")
    ('Wilson', 'something new')
    """
    return visible(method_title(method))


def params_text(params: Mapping[str, Any]) -> str:
    """Parameters in words.

    >>> params_text({"beta": 2.0}), params_text({})
    ('beta 2', '')
    """
    return ", ".join(
        f"{key.replace('_', ' ')} {number_text(params[key])}" for key in sorted(params)
    )


class OfMetric(Protocol):
    """A record of a metric with its parameters."""

    @property
    def metric(self) -> str: ...
    @property
    def params(self) -> Mapping[str, Any]: ...
    @property
    def average(self) -> str | None: ...


def measure_title(record: OfMetric, title: str = "", *, plain: bool = False) -> str:
    """A metric as a heading: average, title, parameters.

    ``title`` is the metric's, where it is not the record's own; ``plain`` leaves the average
    out. How indeterminate predictions are counted is said of a record that knows it.

    >>> from collections import namedtuple
    >>> Value = namedtuple("Value", "metric average params", defaults=(None, {}))
    >>> measure_title(Value("fbeta", None, {"beta": 2.0}), "F-beta")
    'F-beta (beta 2)'
    >>> measure_title(Value("recall", "macro"))
    'Macro recall'
    >>> measure_title(Value("accuracy", "micro"), plain=True)
    'Accuracy'
    """
    title = title or str(getattr(record, "title", "")) or plain_name(record.metric)
    if record.average and not plain:
        title = f"{record.average.capitalize()} {lower_first(title)}"
    inside = params_text(record.params)
    counted_so = getattr(record, "indeterminate", None)
    told = f", indeterminate counted {visible(counted_so)}" if counted_so else ""
    return f"{title} ({inside}){told}" if inside else f"{title}{told}"


def plain_name(metric: str) -> str:
    """A metric's name as a heading: its title, or its name in words where no title is known.

    >>> plain_name("roc_auc"), plain_name("of_my_own")
    ('ROC AUC', 'Of my own')
    """
    declared = find(metric)
    return visible(metric.replace("_", " ").capitalize()) if declared is None else declared.title


def subgroup_text(subgroup: Mapping[str, Any]) -> str:
    """A subgroup in words.

    >>> subgroup_text({}), subgroup_text({"sex": "F", "size_band": "[12, 15)"})
    ('all rows', 'sex F · size band 12 to under 15')
    """
    if not subgroup:
        return "all rows"
    return " · ".join(f"{column_text(k)} {group_text(v)}" for k, v in subgroup.items())


def subgroup_name(subgroup: Mapping[str, Any]) -> str:
    """A subgroup for programs, with its columns as the spec names them.

    >>> subgroup_name({"size_band": "[12, 15)"})
    'size_band 12 to under 15'
    """
    return " · ".join(f"{label_text(k)} {group_text(v)}" for k, v in subgroup.items())


def column_text(name: str) -> str:
    """The name of a column in words.

    >>> column_text("size_band")
    'size band'
    """
    return label_text(name).replace("_", " ")


def group_text(value: Any) -> str:
    """The value of a column that makes a group; an interval of numbers in words.

    >>> [group_text(value) for value in ("(-inf, 50)", "[50, 60)", "[60, inf)", "north")]
    ['under 50', '50 to under 60', '60 and over', 'north']
    """
    interval = _INTERVAL.fullmatch(str(value))
    if interval is None:
        return label_text(value)
    low, high = interval.groups()
    if low == "-inf":
        return f"under {high}"
    return f"{low} and over" if high == "inf" else f"{low} to under {high}"


def condition_text(threshold: float | None, operator: str = "score ≥") -> str:
    """What predicts the positive class.

    >>> condition_text(0.5), condition_text(None)
    ('score ≥ 0.50', 'predicted labels')
    """
    return "predicted labels" if threshold is None else f"{operator} {threshold_text(threshold)}"


def lower_first(title: str) -> str:
    """A title as it stands within a sentence.

    >>> lower_first("Brier score"), lower_first("ROC AUC"), lower_first("F1")
    ('brier score', 'ROC AUC', 'F1')
    """
    stays = title[1:2].isupper() or title[1:2].isdigit()
    return title if stays else title[:1].lower() + title[1:]


def counted(number: float, singular: str, plural: str = "") -> str:
    """A number with its noun.

    >>> counted(1, "criterion", "criteria"), counted(3, "model")
    ('1 criterion', '3 models')
    """
    return f"{count_text(number)} {singular if number == 1 else plural or singular + 's'}"


def listed(words: list[str]) -> str:
    """Words joined as in a sentence.

    >>> listed(["a"]), listed(["a", "b", "c"])
    ('a', 'a, b and c')
    """
    return " and ".join([", ".join(words[:-1]), words[-1]] if len(words) > 1 else words)


def named(names: Sequence[str]) -> str:
    """Names in a sentence: all of a few, else the first and how many others there are.

    >>> named(["a", "b"]), named(list("abcde"))
    ('a and b', 'a, b, c and 2 others')
    """
    few = len(names) <= MOST_NAMES
    return listed(list(names) if few else [*names[:3], f"{len(names) - 3} others"])


def first_few(words: Sequence[str], most: int) -> list[str]:
    """The first words, and how many more there are.

    >>> first_few(["a", "b", "c"], 2), first_few(["a"], 2)
    (['a', 'b', '1 more'], ['a'])
    """
    more = len(words) - most
    return [*words[:most], f"{more} more"] if more > 0 else [*words]


def reasons_text(told: Iterable[tuple[str, str | None]]) -> list[str]:
    """Why there is nothing of some things, a sentence for each that has a reason.

    >>> reasons_text([("AUC", "one class"), ("recall", None)])
    ['AUC: one class.']
    """
    return [f"{what}: {prose(reason)}." for what, reason in told if reason]


def as_of_text(as_of: object) -> str:
    """What the data of a run are of, where that is told apart from its time.

    >>> as_of_text("2026-11-20"), as_of_text(None)
    ('; data as of 2026-11-20', '')
    """
    told = visible(str(as_of or "")).replace("T", " ").replace("Z", " UTC")
    return f"; data as of {told}" if told else ""
