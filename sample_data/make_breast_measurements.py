"""Make breast_measurements.csv: ten measurements of each mass, for models that are trained here.

Run with the development environment: python make_breast_measurements.py [FOLDER]
"""

from __future__ import annotations

import csv
import sys
from pathlib import Path

from sklearn.datasets import load_breast_cancer


def rows() -> list[tuple[str, ...]]:
    """The header, then identity, diagnosis and the ten means of each case."""
    source = load_breast_cancer()
    means = [i for i, name in enumerate(source.feature_names) if str(name).startswith("mean ")]
    names = [str(source.feature_names[i]).replace(" ", "_") for i in means]
    found: list[tuple[str, ...]] = [("case_id", "diagnosis", *names)]
    for index, (values, target) in enumerate(zip(source.data, source.target, strict=True), start=1):
        diagnosis = "malignant" if target == 0 else "benign"  # the source codes malignant as 0
        found.append((f"case_{index:03d}", diagnosis, *(repr(float(values[i])) for i in means)))
    return found


def main(folder: Path) -> Path:
    """Write the file into the folder and return its path."""
    path = folder / "breast_measurements.csv"
    with path.open("w", encoding="utf-8", newline="") as stream:
        csv.writer(stream, lineterminator="\n").writerows(rows())
    return path


if __name__ == "__main__":
    print(main(Path(sys.argv[1]) if len(sys.argv) > 1 else Path(__file__).parent))
