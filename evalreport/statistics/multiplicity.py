"""p-values adjusted for the number of tests."""

from __future__ import annotations

from collections.abc import Sequence

CORRECTIONS = ("none", "bonferroni", "holm", "benjamini_hochberg")


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
