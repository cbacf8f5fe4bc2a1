"""Which number an average over classes is, and that areas are compared in score form."""

from __future__ import annotations

import pytest

from evalreport.metrics.catalogue import find
from evalreport.metrics.methods import Family, methods_of
from evalreport.metrics.properties import same_number


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


def test_areas_are_compared_in_score_form_and_shares_by_their_squares() -> None:
    firsts = {
        family: tuple(
            names[0] for paired in (True, False) for names in methods_of(family, paired=paired)
        )
        for family in (Family.AREA, Family.SHARES)
    }
    unpaired = "delong_score_unpaired"
    assert firsts[Family.AREA] == ("delong_score", "delong_score", unpaired, unpaired)
    assert firsts[Family.SHARES] == ("mover_paired",) * 2 + ("square_and_add",) * 2
