"""Make penguins.csv from a table of penguins with class probabilities.

The source table is not kept here: its columns are id, species, pred, Adelie, Chinstrap
and Gentoo, the predictions of a multinomial logistic regression on bill length alone,
made in R on palmerpenguins. Nothing is computed here; columns are renamed and numbers
shortened. Run: python make_penguins.py SOURCE.csv [FOLDER]
"""

from __future__ import annotations

import csv
import hashlib
import sys
from pathlib import Path

SOURCE_SHA256 = "cd575e2a3cf12499fa98e363c5e8f5e567280ccabb64ad80d0688459017badc1"
SPECIES = ("Adelie", "Chinstrap", "Gentoo")
HEADER = ("penguin", "species", "predicted", *(f"p_{name.lower()}" for name in SPECIES))


def rows(source: Path) -> list[tuple[str, ...]]:
    """One row per penguin; a probability that is missing stays empty."""
    data = source.read_bytes()
    if hashlib.sha256(data).hexdigest() != SOURCE_SHA256:
        sys.exit(f"{source.name}: not the table this script was written for")
    return [
        (
            f"penguin_{int(row['id']):03d}",
            row["species"],
            row["pred"],
            *(f"{float(row[name]):.10g}" if row[name] else "" for name in SPECIES),
        )
        for row in csv.DictReader(data.decode("utf-8").splitlines())
    ]


def main(source: Path, folder: Path) -> Path:
    """Write the file into the folder and return its path."""
    path = folder / "penguins.csv"
    with path.open("w", encoding="utf-8", newline="") as stream:
        writer = csv.writer(stream, lineterminator="\n")
        writer.writerow(HEADER)
        writer.writerows(rows(source))
    return path


if __name__ == "__main__":
    target = Path(sys.argv[2]) if len(sys.argv) > 2 else Path(__file__).parent
    print(main(Path(sys.argv[1]), target))
