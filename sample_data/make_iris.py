"""Make iris.csv: four measurements of each flower, for models that are trained here.

Run with the development environment: python make_iris.py [FOLDER]
"""

from __future__ import annotations

import csv
import sys
from pathlib import Path

from sklearn.datasets import load_iris


def rows() -> list[tuple[str, ...]]:
    """The header, then identity, species and the four measurements of each flower."""
    source = load_iris()
    names = [str(name).removesuffix(" (cm)").replace(" ", "_") for name in source.feature_names]
    found: list[tuple[str, ...]] = [("flower", "species", *names)]
    for index, (values, target) in enumerate(zip(source.data, source.target, strict=True), start=1):
        species = str(source.target_names[target])
        found.append((f"flower_{index:03d}", species, *(repr(float(value)) for value in values)))
    return found


def main(folder: Path) -> Path:
    """Write the file into the folder and return its path."""
    path = folder / "iris.csv"
    with path.open("w", encoding="utf-8", newline="") as stream:
        csv.writer(stream, lineterminator="\n").writerows(rows())
    return path


if __name__ == "__main__":
    print(main(Path(sys.argv[1]) if len(sys.argv) > 1 else Path(__file__).parent))
