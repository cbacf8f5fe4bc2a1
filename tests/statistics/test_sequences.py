"""Confidence sequences: the truth stays inside at every look of a whole year."""

from __future__ import annotations

import json
import math
from pathlib import Path

import numpy as np
import pytest
from scipy import special

from evalreport.statistics import sequences
from evalreport.statistics.sequences import mean_sequence, share_sequence


@pytest.mark.long_but_first
@pytest.mark.parametrize("expected", [None, 0.9])
@pytest.mark.parametrize("p", [0.5, 0.9, 0.99])
def test_a_year_of_weekly_looks(p: float, expected: float | None) -> None:
    draw = np.random.default_rng(2)
    counts = draw.binomial(30, p, (200, 52)).cumsum(axis=1)
    left = 0
    for year in counts:
        limits = (share_sequence(int(x), 30 * k, 0.95, expected) for k, x in enumerate(year, 1))
        left += any(one is not None and not one.low <= p <= one.high for one in limits)
    # at most 5 %, and three standard errors of 200 years on top
    assert left / 200 <= 0.05 + 3 * math.sqrt(0.05 * 0.95 / 200)


def test_limits_are_where_the_mixture_is_twenty_times_as_likely() -> None:
    found = share_sequence(47, 60, 0.95)
    assert found is not None
    for p in found:
        mixture = special.betaln(47.5, 13.5) - special.betaln(0.5, 0.5)
        ratio = mixture - 47 * math.log(p) - 13 * math.log1p(-p)
        assert ratio == pytest.approx(math.log(20.0), abs=1e-9)


def confseq(kind: str) -> list[dict[str, float]]:
    path = Path(__file__).parents[1] / "reference" / "data" / "confseq_limits.json"
    found: list[dict[str, float]] = json.loads(path.read_text())[kind]
    return found


@pytest.mark.parametrize("case", confseq("share"))
def test_shares_as_the_library_of_the_authors(
    case: dict[str, float], monkeypatch: pytest.MonkeyPatch
) -> None:
    """54 mixtures by confseq's own code: tests/reference/make_sequences.cpp.

    What confseq says of the evidence against the required share, and where our limits lie, are
    the same mixture's likelihood against two shares.
    """
    n, x, p = case["n"], case["x"], case["required"]
    monkeypatch.setattr(sequences, "BEST_AT", case["best_at"])
    found = share_sequence(x, n, case["level"], expected=p)
    assert found is not None

    def log_likelihood(share: float) -> float:
        return x * math.log(share) + (n - x) * math.log1p(-share)

    for limit in found:
        evidence = -math.log(1.0 - case["level"]) + log_likelihood(limit) - log_likelihood(p)
        assert evidence == pytest.approx(case["log_evidence"], abs=1e-6)


@pytest.mark.parametrize("case", confseq("normal"))
def test_means_as_the_library_of_the_authors(
    case: dict[str, float], monkeypatch: pytest.MonkeyPatch
) -> None:
    """18 normal mixtures by confseq's own code, of values of variance 1."""
    error = 1.0 / math.sqrt(case["n"])
    monkeypatch.setattr(sequences, "BEST_AT", case["best_at"])
    found = mean_sequence(0.0, error, case["n"], case["level"])
    assert found is not None
    assert (-found.low, found.high) == pytest.approx((case["half"], case["half"]), rel=1e-12)


def test_edges() -> None:
    assert share_sequence(0, 0, 0.95) is None
    none, all_of_them = share_sequence(0, 40, 0.95), share_sequence(40, 40, 0.95)
    assert none is not None
    assert all_of_them is not None
    assert none.low == 0.0
    assert all_of_them.high == 1.0
    assert all_of_them.low == pytest.approx(1.0 - none.high, rel=1e-12)
    with pytest.raises(ValueError, match="must satisfy"):
        share_sequence(5, 4, 0.95)


def test_means_hold_over_a_year() -> None:
    draw = np.random.default_rng(4)
    weeks = draw.gamma(40, 0.3 / 40, (200, 52))  # each the mean of 40 exponential losses
    left = 0
    for year in weeks:
        running = year.cumsum() / np.arange(1, 53)
        found = [
            mean_sequence(m, 0.3 / math.sqrt(40 * k), 40 * k, 0.95)
            for k, m in enumerate(running, 1)
        ]
        left += any(one is not None and not one.low <= 0.3 <= one.high for one in found)
    assert left / 200 <= 0.05 + 3 * math.sqrt(0.05 * 0.95 / 200)
