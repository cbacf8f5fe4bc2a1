"""Make digits.csv: out-of-fold class probabilities for handwritten digits.

Run with the development environment: python make_digits.py [FOLDER]
"""

from __future__ import annotations

import csv
import sys
from pathlib import Path

import numpy as np
from sklearn.datasets import load_digits
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import StratifiedKFold
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

CLASSES = tuple(str(digit) for digit in range(10))
HEADER = ("case_id", "digit", "fold", "predicted", "nearest", *(f"p_{name}" for name in CLASSES))


def rows() -> list[tuple[str, ...]]:
    """One row per image: identity, truth, fold, two predicted labels, ten probabilities."""
    source = load_digits()
    images, digits = source.data, source.target
    logistic = make_pipeline(StandardScaler(), LogisticRegression(C=0.01, max_iter=1000))
    # One neighbour on images reduced to 4 x 4: a plain baseline that gives labels only.
    coarse = images.reshape(-1, 4, 2, 4, 2).sum(axis=(2, 4)).reshape(-1, 16)
    nearest = KNeighborsClassifier(n_neighbors=1)
    probabilities = np.zeros((len(digits), len(CLASSES)))
    neighbour = np.zeros(len(digits), dtype=int)
    fold_of = np.zeros(len(digits), dtype=int)
    folds = StratifiedKFold(n_splits=5, shuffle=True, random_state=7)
    for fold, (train, test) in enumerate(folds.split(images, digits), start=1):
        probabilities[test] = logistic.fit(images[train], digits[train]).predict_proba(images[test])
        neighbour[test] = nearest.fit(coarse[train], digits[train]).predict(coarse[test])
        fold_of[test] = fold
    return [
        (
            f"image_{index + 1:04d}",
            str(digits[index]),
            str(fold_of[index]),
            str(probabilities[index].argmax()),
            str(neighbour[index]),
            # Significant digits, not decimals: a small probability must not become 0.
            *(f"{probability:.10g}" for probability in probabilities[index]),
        )
        for index in range(len(digits))
    ]


def main(folder: Path) -> Path:
    """Write the file into the folder and return its path."""
    path = folder / "digits.csv"
    with path.open("w", encoding="utf-8", newline="") as stream:
        writer = csv.writer(stream, lineterminator="\n")
        writer.writerow(HEADER)
        writer.writerows(rows())
    return path


if __name__ == "__main__":
    print(main(Path(sys.argv[1]) if len(sys.argv) > 1 else Path(__file__).parent))
