"""What the spec says about how sure: level, resamples, seed; costs; and impact ratios."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

#: The subgroup of rows whose value is missing, also where "(missing)" stands in the data.
MISSING = ("(missing)", "(missing, no value)")


@dataclass(frozen=True)
class ImpactRule:
    """Which groups take part in impact ratios.

    ``smallest_share``: groups with a smaller share of the rows do not. ``unknown``:
    values of subgroup columns that say, as a missing one does, that it is not known.
    """

    smallest_share: float = 0.0
    unknown: tuple[str, ...] = ()

    def is_unknown(self, group: tuple[tuple[str, str], ...]) -> bool:
        """Whether the category is not known in one of the columns."""
        return any(value in (*MISSING, *self.unknown) for _, value in group)


@dataclass(frozen=True)
class Settings:
    """Settings that every number of a run shares.

    ``costs`` is what ``expected_cost`` takes: names of the two-class mistakes, or
    actual label -> predicted label -> cost.
    """

    level: float = 0.95
    resamples: int = 2000
    seed: int = 0
    stratify: bool = False
    costs: Any = None
    impact: ImpactRule = ImpactRule()

    @property
    def outcome_costs(self) -> bool:
        """Whether costs are of false negatives and false positives, not of classes."""
        return any(key in (self.costs or {}) for key in ("false_negative", "false_positive"))

    def two_class_costs(self, labels: tuple[str, ...], positive: int) -> dict[str, float]:
        """Costs by kind of outcome, from either way of writing them."""
        costs = self.costs or {}
        if self.outcome_costs:
            return dict(costs)
        if len(labels) == 1:
            return {"true_positive": _cost(costs, *labels, *labels)}
        pos, neg = labels[positive], labels[1 - positive]
        return {
            "false_negative": _cost(costs, pos, neg),
            "false_positive": _cost(costs, neg, pos),
            "true_positive": _cost(costs, pos, pos),
            "true_negative": _cost(costs, neg, neg),
        }

    def prices(self, labels: tuple[str, ...], positive: int | None) -> list[list[float]] | None:
        """K x K costs, actual by predicted, from either way of writing them.

        None without any, where a mistake has no price, and of several classes where costs are of
        the outcomes of two.
        """
        if not self.costs or self.unpriced(labels):
            return None
        if len(labels) != 2 or positive is None:
            return None if self.outcome_costs else self.class_costs(labels)
        cost = self.two_class_costs(labels, positive)
        right, wrong = ("true_negative", "false_positive"), ("false_negative", "true_positive")
        found = [[float(cost.get(name, 0)) for name in names] for names in (right, wrong)]
        return found if positive == 1 else [row[::-1] for row in found[::-1]]

    def unpriced(self, labels: tuple[str, ...]) -> list[tuple[str, str]]:
        """Pairs of actual and predicted classes without a price, where costs are of classes."""
        if not self.costs or self.outcome_costs:
            return []
        pairs = [(actual, said) for actual in labels for said in labels if actual != said]
        return [(actual, said) for actual, said in pairs if said not in self.costs.get(actual, {})]

    def class_costs(self, labels: tuple[str, ...]) -> list[list[float]]:
        """K x K costs in the order of the labels; what is not priced costs nothing."""
        costs = self.costs or {}
        return [[_cost(costs, actual, predicted) for predicted in labels] for actual in labels]


def _cost(costs: Any, actual: str, predicted: str) -> float:
    row = costs.get(actual, {})
    return float(row.get(predicted, 0)) if hasattr(row, "get") else 0.0
