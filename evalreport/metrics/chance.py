"""What predictions that know nothing of a row get: values a metric is held against.

Each takes the shares of the classes among the rows, which add up to 1, and the place
of the metric's own class among them, None where it has none.
"""

from __future__ import annotations

import math
from collections.abc import Sequence


def one_of_the_classes(shares: Sequence[float], _own: int | None) -> float | None:
    """Mean recall over the classes that occur: the recalls of any guess add up to 1."""
    occurring = sum(1 for share in shares if share)
    return 1 / occurring if occurring else None


def own_share(shares: Sequence[float], own: int | None) -> float | None:
    """The share of the class itself, which precision has at every recall."""
    return None if own is None else shares[own]


def entropy(shares: Sequence[float], _own: int | None) -> float:
    """Mean log loss of stating the shares of the classes for every row.

    >>> round(entropy([0.5, 0.5], None), 4)
    0.6931
    """
    return -math.fsum(share * math.log(share) for share in shares if share)


def squared_error(shares: Sequence[float], _own: int | None) -> float:
    """Brier score of stating the shares; of one of two classes, half of the sum over both.

    >>> squared_error([0.5, 0.5], None), squared_error([0.5, 0.25, 0.25], None)
    (0.25, 0.625)
    """
    squares = 1 - math.fsum(share * share for share in shares)
    return squares / 2 if len(shares) <= 2 else squares
