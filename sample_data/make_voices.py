"""Make voices.csv from the table "parkinsons.data" of the UCI Machine Learning Repository.

The source table is not kept here. Nothing is computed: columns are chosen and renamed, and
the person is read from the name of the recording. Run: python make_voices.py SOURCE [FOLDER]
"""

from __future__ import annotations

import csv
import hashlib
import sys
from pathlib import Path

SOURCE_SHA256 = "455009076cd278efb0b2fb9307c0682834c477fa582ca6c10367128dd7a1c6db"
COLUMNS = {
    "MDVP:Fo(Hz)": "pitch",
    "MDVP:Jitter(%)": "jitter",
    "MDVP:Shimmer": "shimmer",
    "HNR": "harmonics_to_noise",
    "RPDE": "recurrence_entropy",
    "DFA": "fractal_exponent",
    "PPE": "pitch_entropy",
}


def rows(source: Path) -> list[tuple[str, ...]]:
    """The header, then recording, person, status and measurements as the source has them."""
    data = source.read_bytes().replace(b"\r", b"")  # copies differ in their line ends
    if hashlib.sha256(data).hexdigest() != SOURCE_SHA256:
        sys.exit(f"{source.name}: not the table this script was written for")
    found: list[tuple[str, ...]] = [("recording", "person", "status", *COLUMNS.values())]
    for row in csv.DictReader(data.decode("ascii").splitlines()):
        person = row["name"].split("_")[2]  # phon_R01_S01_1 is recording 1 of person S01
        status = "parkinson" if row["status"] == "1" else "healthy"
        found.append((row["name"], person, status, *(row[name] for name in COLUMNS)))
    return found


def main(source: Path, folder: Path) -> Path:
    """Write the file into the folder and return its path."""
    path = folder / "voices.csv"
    with path.open("w", encoding="utf-8", newline="") as stream:
        csv.writer(stream, lineterminator="\n").writerows(rows(source))
    return path


if __name__ == "__main__":
    if len(sys.argv) < 2:
        sys.exit(__doc__)
    print(
        main(Path(sys.argv[1]), Path(sys.argv[2]) if len(sys.argv) > 2 else Path(__file__).parent)
    )
