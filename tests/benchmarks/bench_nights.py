"""One new day beside many that were counted before, against that day alone and a full count.

Run from the repository: ``PYTHONPATH=tests python -m benchmarks.bench_nights 3650000 365``. The
audit is that of ``bench_audit``, its rows in one Parquet file a day: with scores that are rounded
to a grain, and as they are, where every number is one of as many distinct scores as all days have.
Time of the processor is shown beside wall time: on a shared machine only that can be compared.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
from pathlib import Path

from benchmarks.bench_audit import CACHE, SPEC, Run, data, once

#: At most so many times the day alone, by time of the processor, where scores have a grain.
BAR = 2.0
ENGINES = {"scores rounded to 0.0001": "engine: {grain: 0.0001}\n", "scores as they are": ""}


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


def run(folder: Path, name: str, path: str, engine: str, *options: str) -> Run:
    """The audit of files below the folder, kept in runs of that name."""
    spec = folder / "audit.yaml"
    spec.write_text(SPEC.format(path=path, format="html") + engine, encoding="utf-8")
    command = [sys.executable, "-m", "evalreport", "run", str(spec), "-o", str(folder / name)]
    return once([*command, "--quiet", "--at", "2026-01-01T00:00:00Z", *options])


def night(folder: Path, engine: str, full: bool) -> float:
    """How many times the day alone a new day takes beside the others; ``full``: and all anew."""
    days = folder / "days"
    new = max(days.iterdir())
    aside = folder / new.name
    new.rename(aside)
    print(f"  all days but one, nothing kept  {run(folder, 'kept', 'days/', engine)}")
    aside.rename(new)
    beside = run(folder, "kept", "days/", engine)
    print(f"  one new day beside the others   {beside}")
    alone = run(folder, "alone", f"days/{new.name}", engine)
    print(f"  that day alone                  {alone}")
    if full:
        print(f"  all days, nothing kept          {run(folder, 'whole', 'days/', engine)}")
        found = [
            (folder / name / "latest" / "results.json").read_bytes() for name in ("kept", "whole")
        ]
        alike = "the same bytes" if found[0] == found[1] else "OTHER BYTES"
        kept = [p for p in (folder / "kept" / ".cache").rglob("*") if p.is_file()]
        size = sum(p.stat().st_size for p in kept)
        print(f"  results.json of the second and the last: {alike}; kept: {size / 1e6:.0f} MB")
    return beside.processor / alone.processor


def main() -> None:
    """Print wall time, time of the processor and memory of each."""
    parser = argparse.ArgumentParser()
    parser.add_argument("rows", type=int)
    parser.add_argument("days", type=int)
    parser.add_argument("--bars", action="store_true", help="hold the bar, and nothing else")
    asked = parser.parse_args()
    CACHE.mkdir(parents=True, exist_ok=True)
    held = True
    for name, engine in ENGINES.items():
        if asked.bars and not engine:
            continue
        print(name)
        with tempfile.TemporaryDirectory() as place:
            folder = Path(place)
            (folder / "days").mkdir()
            made(folder / "days", asked.rows, asked.days)
            ratio = night(folder, engine, full=not asked.bars)
        held = held and (not engine or ratio <= BAR)
        told = f", at most {BAR}: {'held' if ratio <= BAR else 'NOT HELD'}" if engine else ""
        print(f"  the new day takes {ratio:.2f} times that day alone{told}")
    sys.exit(not held)


if __name__ == "__main__":
    main()
