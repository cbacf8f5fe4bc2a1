"""Make multilabel.csv: out-of-fold predictions of what a handwritten digit is like.

Each image has a set of labels that follow from its digit: odd, above 4, prime, has a
closed loop. An image of a 4 has none of them, one of a 5 has three.

Run with the development environment: python make_multilabel.py [FOLDER]
"""

from __future__ import annotations

import csv
import sys
from pathlib import Path

import numpy as np
from sklearn.datasets import load_digits
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import StratifiedKFold
from sklearn.multiclass import OneVsRestClassifier
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

LABELS = {
    "odd": (1, 3, 5, 7, 9),
    "above_4": (5, 6, 7, 8, 9),
    "prime": (2, 3, 5, 7),
    "loop": (0, 6, 8, 9),
}
HEADER = (
    "case_id",
    "digit",
    "ink",
    "fold",
    *(f"is_{name}" for name in LABELS),
    "nearest",
    *(f"p_{name}" for name in LABELS),
)
HEAVY = 312


def rows() -> list[tuple[str, ...]]:
    """One row per image: identity, digit, ink, fold, the truth, one list of labels, four scores."""
    source = load_digits()
    images, digits = source.data, source.target
    truth = np.stack([np.isin(digits, held) for held in LABELS.values()], axis=1).astype(int)
    # Each label has a model of its own: nothing makes the labels of one image agree.
    logistic = make_pipeline(
        StandardScaler(), OneVsRestClassifier(LogisticRegression(C=0.01, max_iter=1000))
    )
    # One neighbour on images reduced to 4 x 4: a plain baseline that gives sets only.
    coarse = images.reshape(-1, 4, 2, 4, 2).sum(axis=(2, 4)).reshape(-1, 16)
    nearest = KNeighborsClassifier(n_neighbors=1)
    scores = np.zeros(truth.shape)
    neighbour = np.zeros_like(truth)
    fold_of = np.zeros(len(digits), dtype=int)
    folds = StratifiedKFold(n_splits=5, shuffle=True, random_state=7)
    for fold, (train, test) in enumerate(folds.split(images, digits), start=1):
        scores[test] = logistic.fit(images[train], truth[train]).predict_proba(images[test])
        neighbour[test] = nearest.fit(coarse[train], truth[train]).predict(coarse[test])
        fold_of[test] = fold
    ink = images.sum(axis=1)
    return [
        (
            f"image_{index + 1:04d}",
            str(digits[index]),
            "heavy" if ink[index] >= HEAVY else "light",
            str(fold_of[index]),
            *(str(flag) for flag in truth[index]),
            ";".join(name for name, has in zip(LABELS, neighbour[index], strict=True) if has),
            *(f"{score:.6f}" for score in scores[index]),
        )
        for index in range(len(digits))
    ]


def main(folder: Path) -> Path:
    """Write the file into the folder and return its path."""
    path = folder / "multilabel.csv"
    with path.open("w", encoding="utf-8", newline="") as stream:
        writer = csv.writer(stream, lineterminator="\n")
        writer.writerow(HEADER)
        writer.writerows(rows())
    return path


if __name__ == "__main__":
    print(main(Path(sys.argv[1]) if len(sys.argv) > 1 else Path(__file__).parent))
