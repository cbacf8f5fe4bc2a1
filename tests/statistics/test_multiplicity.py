"""Adjusted p-values."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from statsmodels.stats.multitest import multipletests

from evalreport.statistics.multiplicity import adjust

NAMES = {"bonferroni": "bonferroni", "holm": "holm", "benjamini_hochberg": "fdr_bh"}


@pytest.mark.long
@settings(max_examples=25)
@given(st.lists(st.floats(0, 1), min_size=1, max_size=12), st.sampled_from(sorted(NAMES)))
def test_against_statsmodels(p_values: list[float], method: str) -> None:
    expected = multipletests(p_values, method=NAMES[method])[1]
    assert adjust(p_values, method) == pytest.approx(list(expected), rel=1e-12)


def test_by_hand() -> None:
    assert adjust([0.01, 0.04, 0.03], "bonferroni") == pytest.approx([0.03, 0.12, 0.09])
    assert adjust([0.01, 0.04, 0.03], "holm") == pytest.approx([0.03, 0.06, 0.06])
    assert adjust([0.01, 0.04, 0.03], "benjamini_hochberg") == pytest.approx([0.03, 0.04, 0.04])


def test_none_changes_nothing() -> None:
    assert adjust([0.5, 0.01, None], "none") == [0.5, 0.01, None]


def test_a_test_that_was_not_made_is_not_counted() -> None:
    assert adjust([0.02, None, 0.03], "bonferroni") == [0.04, None, 0.06]


def test_an_unknown_correction_is_refused() -> None:
    with pytest.raises(ValueError, match="must be one of none, bonferroni, holm"):
        adjust([0.1], "sidak")
