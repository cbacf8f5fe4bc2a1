"""One new day beside many that were counted before, against that day alone and a full count.

Run from the repository: ``PYTHONPATH=tests python -m benchmarks.bench_nights 10000000 365``. The
audit is that of ``bench_audit``, its rows in one Parquet file a day. Time of the processor is
shown beside wall time: on a shared machine only that can be compared.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
from pathlib import Path

from benchmarks.bench_audit import SPEC, Run, data, once


def made(folder: Path, rows: int, days: int) -> None:
    """The rows of the audit, as many in each day's file."""
    import duckdb

    connection = duckdb.connect()
    connection.execute("SET memory_limit='2GB'")
    connection.execute(f"CREATE TABLE d AS SELECT * FROM read_parquet('{data(rows)}')")
    for day in range(days):
        first, past = (rows * (day + more) // days for more in (0, 1))
        part = f"SELECT * FROM d WHERE rowid >= {first} AND rowid < {past}"
        file = folder / f"day_{day:04}.parquet"
        connection.execute(f"COPY ({part}) TO '{file}' (FORMAT parquet)")


def run(folder: Path, name: str, path: str, *options: str) -> Run:
    """The audit of files below the folder, kept in runs of that name."""
    spec = folder / "audit.yaml"
    spec.write_text(SPEC.format(path=path, format="html"), encoding="utf-8")
    command = [sys.executable, "-m", "evalreport", "run", str(spec), "-o", str(folder / name)]
    return once([*command, "--quiet", "--at", "2026-01-01T00:00:00Z", *options])


def main() -> None:
    """Print wall time, time of the processor and memory of each."""
    parser = argparse.ArgumentParser()
    parser.add_argument("rows", type=int)
    parser.add_argument("days", type=int)
    asked = parser.parse_args()
    with tempfile.TemporaryDirectory() as place:
        folder = Path(place)
        days = folder / "days"
        days.mkdir()
        made(days, asked.rows, asked.days)
        new = max(days.iterdir())
        aside = folder / new.name
        new.rename(aside)
        print(f"all days but one, nothing kept  {run(folder, 'kept', 'days/')}")
        aside.rename(new)
        print(f"one new day beside the others   {run(folder, 'kept', 'days/')}")
        print(f"that day alone                  {run(folder, 'alone', f'days/{new.name}')}")
        print(f"all days, nothing kept          {run(folder, 'whole', 'days/')}")
        found = [
            (folder / name / "latest" / "results.json").read_bytes() for name in ("kept", "whole")
        ]
        alike = "the same bytes" if found[0] == found[1] else "OTHER BYTES"
        kept = sum(p.stat().st_size for p in (folder / "kept" / ".cache").rglob("*") if p.is_file())
        print(f"results.json of the second and the last: {alike}; kept: {kept / 1e6:.0f} MB")


if __name__ == "__main__":
    main()
