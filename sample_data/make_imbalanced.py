"""Make imbalanced.csv: is a handwritten digit an eight? One in ten is.

Answering "no" every time is right for nine images in ten, so accuracy says little.
Run with the development environment: python make_imbalanced.py [FOLDER]
"""

from __future__ import annotations

import csv
import sys
from pathlib import Path

import numpy as np
from sklearn.datasets import load_digits
from sklearn.ensemble import RandomForestClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import StratifiedKFold
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

HEADER = ("case_id", "is_eight", "ink", "fold", "always_no", "p_logistic", "p_forest")
HEAVY = 312.0  # about the median of the summed pixel values


def rows() -> list[tuple[str, ...]]:
    """One row per image: identity, truth, ink, fold, the constant answer, two scores."""
    source = load_digits()
    eight = (source.target == 8).astype(int)
    ink = source.data.sum(axis=1)
    # All the models see is the ink in each quarter of the image.
    quarters = source.images.reshape(-1, 2, 4, 2, 4).sum(axis=(2, 4)).reshape(-1, 4)
    models = {
        "logistic": make_pipeline(StandardScaler(), LogisticRegression()),
        "forest": RandomForestClassifier(n_estimators=200, min_samples_leaf=10, random_state=7),
    }
    scores = {name: np.zeros(len(eight)) for name in models}
    fold_of = np.zeros(len(eight), dtype=int)
    folds = StratifiedKFold(n_splits=5, shuffle=True, random_state=7)
    for fold, (train, test) in enumerate(folds.split(quarters, eight), start=1):
        fold_of[test] = fold
        for name, model in models.items():
            fitted = model.fit(quarters[train], eight[train])
            scores[name][test] = fitted.predict_proba(quarters[test])[:, 1]
    return [
        (
            f"image_{index + 1:04d}",
            "yes" if eight[index] else "no",
            "heavy" if ink[index] >= HEAVY else "light",
            str(fold_of[index]),
            "no",
            repr(round(float(scores["logistic"][index]), 6)),
            repr(round(float(scores["forest"][index]), 6)),
        )
        for index in range(len(eight))
    ]


def main(folder: Path) -> Path:
    """Write the file into the folder and return its path."""
    path = folder / "imbalanced.csv"
    with path.open("w", encoding="utf-8", newline="") as stream:
        writer = csv.writer(stream, lineterminator="\n")
        writer.writerow(HEADER)
        writer.writerows(rows())
    return path


if __name__ == "__main__":
    print(main(Path(sys.argv[1]) if len(sys.argv) > 1 else Path(__file__).parent))
