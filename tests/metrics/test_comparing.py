"""Which number a micro average is, and which method a difference takes with few rows."""

from __future__ import annotations

import pytest

from evalreport.metrics.catalogue import find
from evalreport.metrics.comparing import same_number
from evalreport.metrics.interval_methods import DIFFERENCES, Held, taking_over


@pytest.mark.parametrize(
    ("name", "average", "several", "two"),
    [
        ("precision", "micro", "accuracy", "accuracy"),
        ("recall", "micro", "accuracy", "accuracy"),
        ("recall", "weighted", "accuracy", "accuracy"),
        ("recall", "macro", "balanced_accuracy", "balanced_accuracy"),
        ("fnr", "weighted", "error_rate", "error_rate"),
        # of two classes what is false for one is right for the other
        ("specificity", "micro", "specificity", "accuracy"),
        ("specificity", "macro", "specificity", "balanced_accuracy"),
        ("accuracy", "macro", None, "accuracy"),
        ("accuracy", "weighted", None, "accuracy"),
        ("f1", "macro", "f1", "f1"),
        ("precision", "weighted", "precision", "precision"),
        # shares of rows as they would be at a prevalence that nobody gave here
        ("ppv_at_prevalence", "micro", "ppv_at_prevalence", "ppv_at_prevalence"),
        ("npv_at_prevalence", "micro", "npv_at_prevalence", "npv_at_prevalence"),
    ],
)
def test_an_average_is_another_number_only_where_it_is(
    name: str, average: str, several: str | None, two: str
) -> None:
    metric = find(name)
    assert metric is not None
    found = same_number(metric, average, two_classes=False)
    # that of several classes is of each against the others, and no number of all of them
    assert found == (metric, average) if several is None else found[0].name == several
    assert same_number(metric, average, two_classes=True)[0].name == two


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
