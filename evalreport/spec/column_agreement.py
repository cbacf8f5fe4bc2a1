"""What columns do, whatever they are called: how labels agree with the truth and with scores.

A column of labels may spell the classes in its own way, a score may be the confidence in the label
beside it, and several scores may be of classes that their names do not tell.
"""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence

from evalreport.spec.column_names import yes_and_no
from evalreport.spec.column_values import FEWEST, alike

Texts = Sequence[str | None]
#: Cohen's kappa from which on labels agree far above chance ("moderate", Landis and Koch 1977).
MODERATE = 0.4
#: Rows of a label among which any order may be by chance.
FEW = 5
#: How many standard errors that has to be above chance.
SURE = 3.0


def spelling(values: Sequence[str], classes: Sequence[str]) -> dict[str, str] | None:
    """The class that each value spells, None where some value spells none.

    A value may hold one class as a word of its own, and two values may be the words for yes and
    no of the classes.

    >>> spelling(["LABEL_0", "LABEL_1"], ["0", "1"]), spelling(["no", "yes"], ["0", "1"])
    ({'LABEL_0': '0', 'LABEL_1': '1'}, {'yes': '1', 'no': '0'})
    """
    same = {alike(label): label for label in classes}
    if all(alike(value) in same for value in values):
        return {value: same[alike(value)] for value in values}
    held = [[same[w] for w in _words(value) if w in same] for value in values]
    if all(len(found) == 1 for found in held) and len({found[0] for found in held}) == len(values):
        return {value: found[0] for value, found in zip(values, held, strict=True)}
    if len(values) == len(classes) == 2:
        ours, theirs = yes_and_no(classes), yes_and_no(values)
        return None if ours is None or theirs is None else dict(zip(theirs, ours, strict=True))
    return None


def _words(value: str) -> list[str]:
    return [alike(word) for word in re.findall(r"[^\W\d_]+|\d+", value)]


def by_agreement(truth: Texts, said: Texts, classes: Sequence[str]) -> dict[str, str] | None:
    """The class that each value goes with best, None where the rows do not tell.

    Of two classes that which makes more rows right; of several that which most rows of the value
    are of, if it is another for each.

    >>> by_agreement(list("iiiiww"), list("aaabaa"), ["i", "w"])
    {'a': 'i', 'b': 'w'}
    """
    values = sorted({value for value in said if value is not None})
    if len(values) == len(classes) == 2:
        pairs = Counter(zip(truth, said, strict=True))
        ways = [dict(zip(values, way, strict=True)) for way in (classes, classes[::-1])]
        return max(ways, key=lambda way: sum(pairs[label, value] for value, label in way.items()))
    rows: dict[str, Counter[str]] = {}
    for actual, value in zip(truth, said, strict=True):
        if actual is not None and value is not None:
            rows.setdefault(value, Counter())[actual] += 1
    found = {value: counts.most_common(1)[0][0] for value, counts in rows.items()}
    return found if len(set(found.values())) == len(found) == len(classes) else None


def agrees(truth: Texts, said: Texts, least: float = MODERATE, sure: float = SURE) -> bool:
    """Whether labels agree with the truth by ``sure`` standard errors above chance.

    Cohen's kappa is ``least`` or more.
    """
    pairs = [(a, b) for a, b in zip(truth, said, strict=True) if a is not None and b is not None]
    if len(pairs) < FEWEST:
        return False
    n, right = len(pairs), sum(a == b for a, b in pairs)
    actual, given = Counter(a for a, _ in pairs), Counter(b for _, b in pairs)
    chance = sum(count * given[label] for label, count in actual.items()) / n**2
    if chance == 1:
        return False
    kappa = (right / n - chance) / (1 - chance)
    return kappa >= least and right / n - chance >= sure * math.sqrt(chance * (1 - chance) / n)


def is_confidence(scores: Sequence[float | None], said: Texts, least: float) -> bool:
    """Whether scores are the confidence in the label beside them.

    They are never below ``least``, one over the number of classes. Of two labels, no cut parts
    them, or too few rows have one of them to tell.
    """
    rows = [(s, t) for s, t in zip(scores, said, strict=True) if s is not None and t is not None]
    if not rows or min(s for s, _ in rows) < least:
        return False
    of_label: dict[str, list[float]] = {}
    for score, label in rows:
        of_label.setdefault(label, []).append(score)
    if len(of_label) != 2:
        return len(of_label) > 2
    one, other = of_label.values()
    return min(len(one), len(other)) < FEW or (min(one) < max(other) and min(other) < max(one))


def places_of_classes(
    rows: Sequence[Sequence[float] | None], labels: Texts, *, always: bool
) -> dict[int, str] | None:
    """The class whose rows have the largest number at each place.

    ``always``: in every row, as of labels that follow from the numbers; else in most of them.
    None unless each place is of another class, of no two as many rows; rows of which two numbers
    are largest do not count.
    """
    found: dict[int, Counter[str]] = {}
    for numbers, label in zip(rows, labels, strict=True):
        if numbers is None or label is None:
            continue
        top = max(numbers)
        if list(numbers).count(top) == 1:
            found.setdefault(list(numbers).index(top), Counter())[label] += 1
    if always and any(len(counts) > 1 for counts in found.values()):
        return None
    if any(
        len({n for _, n in two}) < len(two) for two in (c.most_common(2) for c in found.values())
    ):
        return None
    places = {place: counts.most_common(1)[0][0] for place, counts in found.items()}
    return places if len(set(places.values())) == len(places) else None


def whole_order(places: Mapping[int, str], classes: Sequence[str]) -> tuple[str, ...] | None:
    """The classes in the order of their places; the last one is known where all others are."""
    left = [label for label in classes if label not in places.values()]
    open_places = [place for place in range(len(classes)) if place not in places]
    if len(open_places) > 1 or len(left) != len(open_places):
        return None
    known = {**places, **dict(zip(open_places, left, strict=True))}
    return tuple(known[place] for place in range(len(classes)))


def largest(rows: Iterable[Sequence[float] | None], order: Sequence[str]) -> list[str | None]:
    """The class of the largest number of each row."""
    return [None if row is None else order[list(row).index(max(row))] for row in rows]
