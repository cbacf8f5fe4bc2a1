"""Boundaries of planned looks against published values and an integral of another kind."""

from __future__ import annotations

import json
import math
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from scipy import stats

from evalreport.statistics.spending import SPENDING, boundaries, obrien_fleming, pocock


# Lan-DeMets boundaries as printed for five and three equal looks at one-sided 0.025 by the
# ldbounds program (University of Wisconsin) and group sequential textbooks; four digits there.
@pytest.mark.parametrize(
    ("looks", "spending", "printed"),
    [
        (5, obrien_fleming, [4.8769, 3.3569, 2.6803, 2.2898, 2.0310]),
        (5, pocock, [2.4380, 2.4268, 2.4101, 2.3966, 2.3859]),
        (3, obrien_fleming, [3.7103, 2.5114, 1.9930]),
    ],
)
def test_published_boundaries(looks: int, spending: object, printed: list[float]) -> None:
    shares = [k / looks for k in range(1, looks + 1)]
    found = [one.boundary for one in boundaries(shares, 0.025, spending)]  # type: ignore[arg-type]
    assert found == pytest.approx(printed, abs=1.5e-4)


@pytest.mark.parametrize("spending", [obrien_fleming, pocock])
@pytest.mark.parametrize("shares", [[0.3, 0.55, 1.0], [0.5, 1.0], [0.2, 0.9, 1.0]])
def test_what_is_spent_is_the_chance_of_crossing(spending: object, shares: list[float]) -> None:
    looks = boundaries(shares, 0.05, spending)  # type: ignore[arg-type]
    limits = [one.boundary for one in looks]
    joint = np.array([[math.sqrt(min(a, b) / max(a, b)) for b in shares] for a in shares])
    for k, look in enumerate(looks, start=1):
        inside = stats.multivariate_normal.cdf(
            limits[:k], mean=np.zeros(k), cov=joint[:k, :k], rng=np.random.default_rng(1)
        )
        assert look.spent == pytest.approx(1.0 - inside, abs=3e-5)


@pytest.mark.parametrize("spending", [obrien_fleming, pocock])
def test_the_size_of_looks_against_drawn_paths(spending: object) -> None:
    shares = [0.25, 0.5, 0.75, 1.0]
    looks = boundaries(shares, 0.05, spending)  # type: ignore[arg-type]
    draw = np.random.default_rng(8)
    steps = draw.normal(0.0, math.sqrt(0.25), (200_000, 4)).cumsum(axis=1)
    crossed = steps / np.sqrt(shares) >= [one.boundary for one in looks]
    ever = np.maximum.accumulate(crossed, axis=1).mean(axis=0)
    assert [one.spent for one in looks] == pytest.approx(ever, abs=0.002)


def gsdesign() -> list[dict[str, Any]]:
    path = Path(__file__).parents[1] / "reference" / "data" / "gsdesign_boundaries.json"
    found: list[dict[str, Any]] = json.loads(path.read_text())
    return found


@pytest.mark.parametrize(
    "design", gsdesign(), ids=lambda one: f"{one['spending']}-{len(one['times'])}"
)
def test_boundaries_of_gsdesign(design: dict[str, Any]) -> None:
    """Twelve designs, worked out by gsDesign's own code: tests/reference/make_boundaries.R."""
    looks = boundaries(
        design["information"], design["alpha"], SPENDING[design["spending"]], design["times"]
    )
    assert [one.boundary for one in looks] == pytest.approx(design["boundaries"], abs=1e-5)


def test_fifty_two_looks_spend_exactly_what_was_planned() -> None:
    looks = boundaries([k / 52 for k in range(1, 53)], 0.05)
    assert math.isinf(looks[0].boundary), "a first look that may spend 1e-57 stops at nothing"
    assert looks[-1].spent == pytest.approx(0.05, abs=1e-12)


@pytest.mark.parametrize("shares", [[0.5, 0.5], [0.0, 1.0], [0.5, 1.1]])
def test_shares_must_rise(shares: list[float]) -> None:
    with pytest.raises(ValueError, match="must rise"):
        boundaries(shares, 0.05)
