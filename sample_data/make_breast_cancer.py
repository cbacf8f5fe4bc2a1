"""Make breast_cancer.csv: out-of-fold scores of two models on the Wisconsin data.

Run with the development environment: python make_breast_cancer.py [FOLDER]
"""

from __future__ import annotations

import csv
import sys
from pathlib import Path

from sklearn.datasets import load_breast_cancer
from sklearn.ensemble import RandomForestClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import StratifiedKFold
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

# Size and outline of the nuclei tell the two apart almost perfectly. Both models are
# kept from seeing them, so that there are errors to report.
FEATURES = (
    "mean texture",
    "mean smoothness",
    "mean compactness",
    "mean symmetry",
    "mean fractal dimension",
)
HEADER = ("case_id", "diagnosis", "size_band", "fold", "p_logistic", "p_forest")


def size_band(radius: float) -> str:
    """The band of a mean nuclear radius, in the units of the source.

    >>> [size_band(radius) for radius in (11.99, 12.0, 15.0)]
    ['small (under 12)', 'medium (12 to 15)', 'large (15 or more)']
    """
    if radius < 12:
        return "small (under 12)"
    return "medium (12 to 15)" if radius < 15 else "large (15 or more)"


def rows() -> list[tuple[str, ...]]:
    """One row per case: identity, truth, band, fold and the two scores."""
    source = load_breast_cancer()
    column = {str(name): index for index, name in enumerate(source.feature_names)}
    features = source.data[:, [column[name] for name in FEATURES]]
    malignant = (source.target == 0).astype(int)  # the source codes malignant as 0
    radius = source.data[:, column["mean radius"]]
    models = {
        "logistic": make_pipeline(StandardScaler(), LogisticRegression()),
        "forest": RandomForestClassifier(n_estimators=200, min_samples_leaf=10, random_state=7),
    }
    scores = {name: [0.0] * len(malignant) for name in models}
    fold_of = [0] * len(malignant)
    folds = StratifiedKFold(n_splits=10, shuffle=True, random_state=7)
    for fold, (train, test) in enumerate(folds.split(features, malignant), start=1):
        for name, model in models.items():
            model.fit(features[train], malignant[train])
            for index, score in zip(test, model.predict_proba(features[test])[:, 1], strict=True):
                scores[name][index] = float(score)
                fold_of[index] = fold
    return [
        (
            f"case_{index + 1:03d}",
            "malignant" if malignant[index] else "benign",
            size_band(radius[index]),
            str(fold_of[index]),
            repr(round(scores["logistic"][index], 6)),
            repr(round(scores["forest"][index], 6)),
        )
        for index in range(len(malignant))
    ]


def main(folder: Path) -> Path:
    """Write the file into the folder and return its path."""
    path = folder / "breast_cancer.csv"
    with path.open("w", encoding="utf-8", newline="") as stream:
        writer = csv.writer(stream, lineterminator="\n")
        writer.writerow(HEADER)
        writer.writerows(rows())
    return path


if __name__ == "__main__":
    print(main(Path(sys.argv[1]) if len(sys.argv) > 1 else Path(__file__).parent))
