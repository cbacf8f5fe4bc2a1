"""The wording of numbers."""

from __future__ import annotations

import math
from decimal import Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evalreport import numbers
from evalreport.verify.printed import _is_rounding


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (0.8969072164948454, "0.897"),
        (0.9995, "0.9995"),
        (0.99951, "0.9995"),
        (0.99999999, "0.99999999"),
        (1.0, "1"),
        (0.0, "0"),
        (-1.0, "−1"),
        (0.00051, "0.000510"),
        (0.0678, "0.0678"),
        (14.047619, "14.0"),
        (140.6, "141"),
        (57540.0, "57540"),
        (-0.0109, "−0.0109"),
        (-0.0004, "−0.000400"),
        (0.5, "0.500"),
        (0.1, "0.100"),
    ],
)
def test_values(value, text):
    assert numbers.value_text(value) == text


@given(st.floats(min_value=-1e6, max_value=1e6, allow_nan=False))
def test_a_printed_value_is_a_rounding_of_it_and_0_or_1_only_when_exact(value):
    text = numbers.value_text(value).replace("−", "-")
    if "e" not in text:
        assert _is_rounding(text, value)
        if Decimal(text) in {0, 1, -1}:
            assert float(text) == value
    assert math.isclose(float(text), value, rel_tol=0.006, abs_tol=1e-12)


@given(st.floats(0, 1), st.floats(0, 1))
def test_a_limit_never_reads_as_the_requirement_it_misses(observed, required):
    text = numbers.observed_text(observed, required)
    if observed != required and "e" not in text and abs(observed - required) > 1e-15:
        assert Decimal(text) != Decimal(repr(required))


@given(st.floats(0, 1, exclude_min=True))
def test_p_values_are_never_0_and_1_only_when_exact(p):
    text = numbers.p_text(p)
    if 0.9999 < p < 1:
        assert text == "> 0.9999"
        return
    assert text == "< 0.0001" if p < 0.0001 else float(text) > 0
    if text == "1":
        assert p == 1


@given(st.integers(0, 10**6), st.integers(1, 10**6))
def test_shares_are_0_or_100_only_when_exact(part, more):
    text = numbers.share_text(part, part + more)
    assert (float(text[:-2]) == 0) == (part == 0)
    assert float(text[:-2]) < 100
