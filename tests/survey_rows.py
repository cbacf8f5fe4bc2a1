"""The rows behind ``reference/data/survey_designs.csv``, by the generator of ``make_survey.R``."""

from __future__ import annotations

import csv
from pathlib import Path
from typing import Any

ANSWERS = Path(__file__).parent / "reference" / "data" / "survey_designs.csv"
MODULUS = 2147483647

#: The design of number d is of kind d % 5.
WEIGHTS, TOTALS, STRATA, CLUSTERS, BOTH = range(5)


def _uniform(seed: int, count: int) -> list[float]:
    out, x = [], seed
    for _ in range(count):
        x = 16807 * x % MODULUS
        out.append(x / MODULUS)
    return out


def rows(number: int) -> dict[str, list[Any]]:
    """Columns y, s, p, h (stratum), k (cluster), w, g of one design; ``total`` of its stratum."""
    n = 60 + number % 40
    u = _uniform(1009 * number + 7919, 6 * n + 20)[20:]
    lines = [u[6 * i : 6 * i + 6] for i in range(n)]
    y = [int(line[0] < 0.4) for line in lines]
    s = [0.35 * actual + 0.65 * line[1] for actual, line in zip(y, lines, strict=True)]
    p = [int(score >= 0.5) for score in s]
    h = [int(line[2] * 4) for line in lines]
    return {
        "y": y,
        "s": s,
        "p": p,
        "h": h,
        "k": [10 * a + int(line[3] * 6) for a, line in zip(h, lines, strict=True)],
        "w": [1 + int(line[4] * 9) + 3 * a for a, line in zip(p, lines, strict=True)],
        "g": ["a" if line[5] < 0.5 else "b" for line in lines],
    }


def totals(h: list[int]) -> dict[str, int]:
    """Number of rows that each stratum was drawn from."""
    return {str(k): h.count(k) * (1 + 3 * k) + 2 for k in range(4) if k in h}


def answers(kind: int) -> dict[tuple[int, str, str], tuple[float, float]]:
    """Value and standard error by design, metric and domain ("" or "a")."""
    with ANSWERS.open(newline="") as file:
        return {
            (int(row["design"]), row["metric"], row["domain"]): (
                float(row["value"]),
                float(row["standard_error"]),
            )
            for row in csv.DictReader(file)
            if int(row["design"]) % 5 == kind
        }
