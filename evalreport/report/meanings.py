"""What a value is, in one sentence: of the metric itself, and of each average of it."""

from __future__ import annotations

from typing import Protocol

from evalreport.metrics.catalogue import find
from evalreport.metrics.declare import Metric, Table
from evalreport.metrics.properties import same_number
from evalreport.report.words import OfMetric

#: How each average comes about; ``{}`` is what it is an average of.
AVERAGES = {
    "macro": "The mean over the classes, each against all others and each counting the same: {}",
    "weighted": "The mean over the classes, each against all others and weighed by its rows: {}",
    "micro": "From the counts of all classes, each against all others, added up: {}",
    "samples": "The mean over the rows, each by its own labels: {}",
}
POOLED_SCORES = "Of the scores of all classes in one list, a row once for each class: {}"
SAME = " With one label a row it is the same as {}."
ONE_CLASS = "Of this class against all others: {}"


class OfClass(OfMetric, Protocol):
    """A record of a metric, which may be of one class."""

    @property
    def label(self) -> str | None: ...
    @property
    def indeterminate(self) -> str | None: ...


def is_plain(record: OfMetric, has_sets: bool) -> bool:
    """Whether a value that is recorded as an average is the plain one over all classes.

    Where every row has one label, the micro average of a metric that has a form of its own for
    several classes is that form: micro accuracy is the share of rows that are right.
    """
    declared = find(record.metric)
    of_classes = declared is not None and declared.for_classes is not None
    return record.average == "micro" and of_classes and not has_sets


def meaning_of(
    record: OfClass, *, several_classes: bool, has_sets: bool = False, own: str = ""
) -> str:
    """One sentence on a value: the metric's own, or that of its average or of one class.

    ``own`` is the meaning of the metric here, where it is not the one that is declared.

    >>> from dataclasses import replace
    >>> from evalreport.results.identity import WhichNumber
    >>> recall = WhichNumber("d", "m", "recall")
    >>> meaning_of(recall, several_classes=False)
    'Of the rows that truly are of the class, the share that is found.'
    >>> meaning_of(replace(recall, average="micro"), several_classes=True)[-48:]
    'With one label a row it is the same as accuracy.'
    """
    declared = find(record.metric)
    own = own or (declared.meaning if declared is not None else "")
    if not own or is_plain(record, has_sets):
        return own
    average = record.average
    inside = _inside(own, declared, of_row=average == "samples")
    if average is None:
        one = several_classes and not has_sets and record.label is not None
        return ONE_CLASS.format(inside) if one else own
    pooled = average == "micro" and declared is not None and declared.table is Table.SCORES
    sentence = (POOLED_SCORES if pooled else AVERAGES[str(average)]).format(inside)
    single = not has_sets and record.indeterminate is None
    if single and declared is not None:
        same, _ = same_number(declared, average, two_classes=not several_classes)
        if same is not declared:
            sentence += SAME.format(same.title.lower())
    return sentence


def _inside(own: str, declared: Metric | None, *, of_row: bool) -> str:
    """The sentence on one class against the others, or on one row, as part of a longer one."""
    if declared is not None and own == declared.meaning:
        other = declared.of_one_row if of_row else declared.of_one_class
        if other:
            return f"{other}."
    return own[:1].lower() + own[1:]
