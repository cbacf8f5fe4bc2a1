"""Make gradient_descent.csv: the weights of three runs of gradient descent, step by step.

Run with the development environment: python make_gradient_descent.py [FOLDER]
"""

from __future__ import annotations

import csv
import math
import sys
from pathlib import Path

import numpy as np
from sklearn.datasets import load_breast_cancer

FEATURES = ("mean texture", "mean smoothness")
STEPS = 60
#: Length of a step in each run: too short to arrive, about right, and so long that it overshoots.
LENGTHS = {"short": 0.1, "medium": 3.0, "long": 40.0}


def descend(values: np.ndarray, sign: np.ndarray, length: float) -> list[tuple[float, ...]]:
    """Bias and weights before each step, lowering the softmax cost of standardised values."""
    bias, weights = 0.0, [0.0] * values.shape[1]
    path = []
    for _ in range(STEPS + 1):
        path.append((bias, *weights))
        margin = bias + sum(w * values[:, j] for j, w in enumerate(weights))
        pull = sign / (1.0 + np.exp(np.clip(sign * margin, -700, 700)))
        bias += length * math.fsum(pull) / len(pull)
        weights = [
            w + length * math.fsum(pull * values[:, j]) / len(pull) for j, w in enumerate(weights)
        ]
    return path


def rows() -> list[tuple[str, ...]]:
    """The header, then run, step, bias and the weights of the measurements as they stand."""
    source = load_breast_cancer()
    column = {str(name): index for index, name in enumerate(source.feature_names)}
    values = source.data[:, [column[name] for name in FEATURES]]
    sign = np.where(source.target == 0, 1.0, -1.0)  # the source codes malignant as 0
    mean, deviation = values.mean(axis=0), values.std(axis=0)
    found: list[tuple[str, ...]] = [
        ("run", "step", "bias", *(f"weight_{name.replace(' ', '_')}" for name in FEATURES))
    ]
    for run, length in LENGTHS.items():
        for step, (bias, *weights) in enumerate(descend((values - mean) / deviation, sign, length)):
            own = [w / d for w, d in zip(weights, deviation, strict=True)]
            moved = bias - sum(w * m for w, m in zip(own, mean, strict=True))
            numbers = (f"{number:.10g}" for number in (moved, *own))
            found.append((run, str(step), *numbers))
    return found


def main(folder: Path) -> Path:
    """Write the file into the folder and return its path."""
    path = folder / "gradient_descent.csv"
    with path.open("w", encoding="utf-8", newline="") as stream:
        csv.writer(stream, lineterminator="\n").writerows(rows())
    return path


if __name__ == "__main__":
    print(main(Path(sys.argv[1]) if len(sys.argv) > 1 else Path(__file__).parent))
