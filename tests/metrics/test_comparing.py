"""Which number a micro average is, and which method a difference takes with few rows."""

from __future__ import annotations

import pytest

from evalreport.metrics.catalogue import find
from evalreport.metrics.comparing import same_number
from evalreport.metrics.interval_methods import DIFFERENCES, Held, taking_over


@pytest.mark.parametrize(
    ("name", "pooled"),
    [
        ("precision", "accuracy"),
        ("recall", "accuracy"),
        ("specificity", "specificity"),
        # shares of rows as they would be at a prevalence that nobody gave here
        ("ppv_at_prevalence", "ppv_at_prevalence"),
        ("npv_at_prevalence", "npv_at_prevalence"),
    ],
)
def test_a_micro_average_is_accuracy_only_where_its_number_is(name: str, pooled: str) -> None:
    metric = find(name)
    assert metric is not None
    assert same_number(metric, "micro").name == pooled


@pytest.mark.parametrize(
    ("held", "taken"),
    [
        (Held(class_rows=39.0, fewer_pairs=4.0), "delong_score"),
        (Held(class_rows=99.0, fewer_pairs=4.0), "delong_score"),
        (Held(class_rows=100.0, fewer_pairs=4.0), None),
        (Held(class_rows=40.0, fewer_pairs=5.0), None),
        # nothing is few of which nobody knows how many there are
        (Held(class_rows=5.0), None),
        (Held(fewer_pairs=1.0), None),
    ],
)
def test_a_difference_of_areas_of_few_rows_is_in_score_form(held: Held, taken: str | None) -> None:
    found = taking_over("delong", held, DIFFERENCES)
    assert (found and found.name) == taken
