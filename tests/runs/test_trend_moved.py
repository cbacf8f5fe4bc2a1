"""A course of many runs is worked out once, and says what each of its parts says by itself."""

from __future__ import annotations

import math
import random
from collections.abc import Sequence
from dataclasses import replace
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest
import scipy.stats
from schedules.weekly_runs import audits

from evalreport.engine.periods.charts import KeptScores, moved_scores
from evalreport.metrics.tables import ScoreTable
from evalreport.runs.history import read_history
from evalreport.runs.trend import read_findings, series_of
from evalreport.statistics.control_limits import EarlierValues, Limits
from evalreport.statistics.separate_samples import Estimate
from evalreport.statistics.shift import Floats

DRAWN = np.random.default_rng(20261121)


def table(rows: int, lift: float, digits: int = 2) -> ScoreTable:
    """Scores of so many rows, 40 in 100 of them positive, rounded."""
    truth = DRAWN.random(rows) < 0.4
    scores = 1 / (1 + np.exp(-DRAWN.normal(lift * (truth - 0.5), 1)))
    values, place = np.unique(np.round(scores, digits), return_inverse=True)
    up, down = (np.bincount(place, own, len(values)) for own in (truth, ~truth))
    return ScoreTable(values[::-1], up[::-1], down[::-1])


def kept(one: ScoreTable, *, in_bins: bool = False) -> KeptScores:
    return KeptScores(one, in_bins=in_bins)


def row_by_row(sides: Sequence[Sequence[ScoreTable]]) -> tuple[list[Floats], list[Floats]]:
    """The score of every row before and since, and its outcome minus its score."""
    scores, errors = [], []
    for side in sides:
        ill, well = (
            np.concatenate([np.repeat(t.scores, getattr(t, of).astype(int)) for t in side])
            for of in ("positives", "negatives")
        )
        scores.append(np.concatenate([ill, well]))
        errors.append(np.concatenate([1 - ill, -well]))
    return scores, errors


@pytest.mark.parametrize("split", [1, 4, 6])
def test_any_split_of_runs_is_what_their_rows_give(split: int) -> None:
    tables = [table(300, 2.0 if k < 4 else 1.2) for k in range(8)]
    sides = (tables[:split], tables[split:])
    found = moved_scores([[kept(t) for t in side] for side in sides], probabilities=True)
    scores, errors = row_by_row(sides)
    distance = scipy.stats.ks_2samp(*scores, method="asymp")
    means = [float(np.mean(own)) for own in (*scores, *errors)]
    z = (means[3] - means[2]) / math.hypot(*(np.std(e, ddof=1) / len(e) ** 0.5 for e in errors))
    one, other = found
    assert (one.what, one.test, other.what, other.test) == (
        "scores", "kolmogorov_smirnov", "calibration", "z"
    )  # fmt: skip
    assert (one.before, one.after, other.before, other.after) == pytest.approx(means)
    assert (one.statistic, other.statistic) == pytest.approx((distance.statistic, z))
    assert other.p_value == pytest.approx(2 * scipy.stats.norm.sf(abs(z)))


def test_scores_in_bins_are_compared_in_the_same_bins() -> None:
    """Of runs that keep bins the distance is given, off by a bin at most; calibration is not."""
    whole = [table(20_000, 2.0 if k < 3 else 1.2, digits=6) for k in range(6)]
    binned = []
    for one in whole:
        ends = np.linspace(0, len(one.scores) - 1, 401).astype(int)[1:]
        steps = [np.add.reduceat(side, [0, *(ends[:-1] + 1)]) for side in
                 (one.positives, one.negatives)]  # fmt: skip
        binned.append(ScoreTable(one.scores[ends], *steps))
    course = [kept(one, in_bins=True) for one in binned]
    (scores,) = moved_scores((course[:3], course[3:]), probabilities=True)
    before, after = row_by_row((whole[:3], whole[3:]))[0]
    exact = scipy.stats.ks_2samp(before, after).statistic
    assert scores.statistic == pytest.approx(exact, abs=0.0025)
    assert (scores.before, scores.after) == pytest.approx((before.mean(), after.mean()), abs=0.01)
    assert scores.p_value is not None
    assert scores.p_value < 1e-6
    # one run in bins among others: all are put into its bins
    mixed = [course[0], *map(kept, whole[1:])]
    (scores,) = moved_scores((mixed[:3], mixed[3:]), probabilities=True)
    assert scores.statistic == pytest.approx(exact, abs=0.02)


def test_bins_that_lie_otherwise_move_nothing() -> None:
    """1000 scores evenly from 0, in bins of 100 from 0 and from 50: the same scores are 0 apart."""
    sides = []
    for starts in (np.arange(0, 1000, 100), np.array([0, *range(50, 1000, 100)])):
        rows = np.diff(starts, append=1000)[::-1] / 2
        sides.append([kept(ScoreTable(starts[::-1] / 1000, rows, rows), in_bins=True)])
    (scores,) = moved_scores(sides, probabilities=True)
    assert scores.statistic == pytest.approx(0.0, abs=1e-12)


def test_of_very_many_distinct_scores_the_distance_is_exact() -> None:
    whole = [table(4_000, 2.0 if k < 2 else 1.2, digits=9) for k in range(4)]
    sides = (whole[:2], whole[2:])
    scores, _ = moved_scores([list(map(kept, side)) for side in sides], probabilities=True)
    expected = scipy.stats.ks_2samp(*row_by_row(sides)[0]).statistic
    assert scores.statistic == pytest.approx(expected, rel=1e-12)


def test_a_run_without_its_scores_leaves_them_out(tmp_path: Path) -> None:
    weeks = [(40 + k, 10 - k, 10, 90) for k in (0, 1, -1, 2, -2)] + [(20, 30, 10, 90)] * 2
    runs = audits(tmp_path, weeks)[0].parent
    first, *others = read_findings(runs, read_history(runs))
    (recall, *_) = series_of([first, *others])
    assert recall.change is not None
    assert {"scores", "calibration"} <= {one.what for one in recall.change.moved}
    (without, *_) = series_of([replace(first, scores={}), *others])
    assert without.change is not None
    assert {one.what for one in without.change.moved} == {"prevalence", "predicted_prevalence"}


def by_hand(now: Estimate, earlier: list[Estimate], most: float) -> Limits:
    """The limits of a value by sums over all values before it."""
    if len(earlier) < 5:
        return Limits(reason=f"{len(earlier)} earlier values, 5 are needed")
    if now.fraction is not None:
        shares = [one.fraction for one in earlier if one.fraction is not None]
        p = sum(x for x, _ in shares) / sum(n for _, n in shares)
        half = 3.0 * math.sqrt(p * (1.0 - p) / now.fraction[1])
        return Limits(p, max(p - half, 0.0), min(p + half, 1.0), "p")
    values = [one.value for one in earlier]
    ranges = math.fsum(abs(b - a) for a, b in pairwise(values))
    centre, half = math.fsum(values) / len(values), ranges / (len(values) - 1)
    half = 3.0 * (half / (2.0 / math.sqrt(math.pi)))
    return Limits(centre, max(centre - half, -most), min(centre + half, most), "individuals")


@pytest.mark.parametrize("of_shares", [True, False])
def test_limits_that_are_carried_along_are_those_of_all_values(of_shares: bool) -> None:
    """To the last bit, and also where a file came again."""
    draw = random.Random(7)
    values, files = [], []
    for k in range(60):
        n = draw.randint(40, 60)
        top = draw.randint(20, 40)
        own = Estimate(top / n, fraction=(top, n)) if of_shares else Estimate(draw.gauss(1e-3, 1e3))
        values.append(own)
        files.append(f"f{draw.randint(0, 40)}" if k % 3 == 0 else f"g{k}")
    course = EarlierValues((-1e4, 1e4))
    earlier: dict[str, Estimate] = {}
    for own, file in zip(values, files, strict=True):
        others = [one for name, one in earlier.items() if name != file]
        assert course.limits(own, file) == by_hand(own, others, 1e4)
        course.add(own, file)
        earlier.setdefault(file, own)
    assert len(earlier) < len(values)
