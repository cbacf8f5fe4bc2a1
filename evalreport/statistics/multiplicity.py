"""p-values adjusted for the number of tests."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from typing import NamedTuple

CORRECTIONS = ("none", "bonferroni", "holm", "benjamini_hochberg")


class Adjusted(NamedTuple):
    """An adjusted p-value, and how many tests its family holds."""

    p_value: float | None
    tests: int


def corrected_family(
    adjusted: Adjusted, correction: str, family: str
) -> tuple[str | None, int | None]:
    """The tests that a p-value was corrected with, and how many; None where it was not."""
    if correction == "none" or adjusted.p_value is None:
        return None, None
    return family, adjusted.tests


def adjust_families(
    p_values: Sequence[float | None], families: Sequence[Hashable], method: str
) -> list[Adjusted]:
    """Each p-value adjusted within its family, in the order given.

    >>> adjust_families([0.01, 0.04, 0.03], ["a", "b", "a"], "bonferroni")
    [Adjusted(p_value=0.02, tests=2), Adjusted(p_value=0.04, tests=1),
     Adjusted(p_value=0.06, tests=2)]
    """
    found = [Adjusted(None, 0)] * len(p_values)
    for family in dict.fromkeys(families):
        places = [i for i, own in enumerate(families) if own == family]
        of_these = [p_values[i] for i in places]
        tests = sum(p is not None for p in of_these)
        for i, p in zip(places, adjust(of_these, method), strict=True):
            found[i] = Adjusted(p, tests)
    return found


def adjust(p_values: Sequence[float | None], method: str) -> list[float | None]:
    """Adjusted p-values in the order given, at most 1.

    None (no test could be made) stays None and is not counted among the tests.
    Raises ValueError for an unknown method.

    >>> adjust([0.01, None, 0.04, 0.03], "holm")
    [0.03, None, 0.06, 0.06]
    """
    if method not in CORRECTIONS:
        raise ValueError(f"correction {method!r}: must be one of {', '.join(CORRECTIONS)}")
    known = sorted((p, place) for place, p in enumerate(p_values) if p is not None)
    count = len(known)
    adjusted: list[float | None] = [None] * len(p_values)
    if method == "benjamini_hochberg":
        least = 1.0
        for rank in range(count, 0, -1):
            p, place = known[rank - 1]
            least = min(least, p * count / rank)
            adjusted[place] = least
        return adjusted
    most = 0.0
    for rank, (p, place) in enumerate(known):
        factor = {"none": 1, "bonferroni": count, "holm": count - rank}[method]
        most = max(most, min(1.0, p * factor))
        adjusted[place] = most
    return adjusted
