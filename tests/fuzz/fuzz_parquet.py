"""Damaged and crafted Parquet files through the reader, each in a process of its own.

    python tests/fuzz/fuzz_parquet.py SECONDS [SEED]

Every file is read, or refused as wrong data or as too large. Files are those that
DuckDB writes, in several types, encodings and compressions, with bytes changed where
it hurts most: the footer, lengths, page headers, levels and dictionaries.
"""

from __future__ import annotations

import os
import random
import resource
import signal
import sys
import tempfile
import time
from collections import Counter
from pathlib import Path

import duckdb

from evalreport.data.limits import Limits
from evalreport.data.read import read_table
from evalreport.data.source import open_source
from evalreport.errors import EvalreportError

LIMIT_SECONDS = 20
LIMIT_BYTES = 8 << 30
READ, REFUSED, RAISED = 0, 3, 9

QUERY = """
SELECT i % 2 AS y, i / 1000.0 AS s, (i / 7)::FLOAT AS f, 'label ' || i % 5 AS l, i AS id,
 CASE WHEN i % 3 = 0 THEN NULL ELSE i % 4 = 0 END AS b, [('x' || i % 3), 'y'] AS many,
 make_date(2026, 1, 1 + (i % 28)::INT) AS day, (i * 3)::DECIMAL(12, 2) AS money,
 repeat('z', (i % 50)::INT) AS long
FROM range({rows}) AS r(i)
"""


def base_files() -> list[bytes]:
    """Sound files of a few kinds."""
    found = []
    with tempfile.TemporaryDirectory() as folder, duckdb.connect() as connection:
        for number, (rows, options) in enumerate([
            (3, "COMPRESSION uncompressed"), (300, "COMPRESSION snappy"),
            (300, "COMPRESSION zstd"), (5000, "COMPRESSION gzip, ROW_GROUP_SIZE 2048"),
            (300, "COMPRESSION uncompressed, PARQUET_VERSION v2"),
            (300, "COMPRESSION snappy, PARQUET_VERSION v2"),
        ]):  # fmt: skip
            path = Path(folder) / f"{number}.parquet"
            connection.execute(
                f"COPY ({QUERY.format(rows=rows)}) TO '{path}' (FORMAT parquet, {options})"
            )
            found.append(path.read_bytes())
    return found


def changed(data: bytes, luck: random.Random) -> bytes:
    """A file with a few bytes changed, most of them where lengths and counts stand."""
    made = bytearray(data)
    footer = int.from_bytes(made[-8:-4], "little")
    start = max(len(made) - 8 - footer, 4)
    for _ in range(luck.choice((1, 1, 2, 4, 16))):
        place = luck.choice((
            lambda: luck.randrange(start, len(made) - 8), lambda: luck.randrange(4, start),
            lambda: luck.randrange(4, min(start, 64)), lambda: luck.randrange(len(made)),
        ))()  # fmt: skip
        kind = luck.random()
        if kind < 0.4:
            made[place] ^= 1 << luck.randrange(8)
        elif kind < 0.7:
            made[place] = luck.choice((0, 1, 0x7F, 0x80, 0xFF, luck.randrange(256)))
        elif kind < 0.85:
            made[place : place + 5] = luck.choice((b"\xff" * 5, b"\xff\xff\xff\xff\x0f", b"\0" * 5))
        elif kind < 0.95:
            other = luck.randrange(len(made) - 8)
            made[place : place + 8] = made[other : other + 8]
        else:
            del made[place : place + luck.randrange(1, 9)]
        if len(made) < 24:
            return bytes(data)
    return bytes(made)


def outcome(path: Path) -> str:
    """What reading a file in a process of its own ends with."""
    child = os.fork()
    if not child:
        os._exit(_read(path))
    end = time.monotonic() + LIMIT_SECONDS
    while time.monotonic() < end:
        done, status = os.waitpid(child, os.WNOHANG)
        if done:
            if os.WIFSIGNALED(status):
                return f"signal {os.WTERMSIG(status)}"
            names = {READ: "read", REFUSED: "refused", RAISED: "raised"}
            return names.get(os.WEXITSTATUS(status), f"status {os.WEXITSTATUS(status)}")
        time.sleep(0.002)
    os.kill(child, signal.SIGKILL)
    os.waitpid(child, 0)
    return "too long"


def _read(path: Path) -> int:
    resource.setrlimit(resource.RLIMIT_AS, (LIMIT_BYTES, LIMIT_BYTES))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    try:
        read_table(open_source(path, path.name), limits=Limits())
    except EvalreportError:
        return REFUSED
    except BaseException as error:  # noqa: BLE001 - this is what is looked for
        print(f"{path.name}: {type(error).__name__}: {error}", file=sys.stderr)
        return RAISED
    return READ


def fuzz(seconds: float, seed: int, keep: Path) -> Counter[str]:
    """Read changed files for a while; those that were neither read nor refused are kept."""
    luck, found = random.Random(seed), Counter[str]()
    bases = base_files()
    end = time.monotonic() + seconds
    with tempfile.TemporaryDirectory() as folder:
        while time.monotonic() < end:
            path = Path(folder) / "a.parquet"
            path.write_bytes(changed(luck.choice(bases), luck))
            ended = outcome(path)
            found[ended] += 1
            if ended not in ("read", "refused"):
                name = f"{seed}-{sum(found.values())}-{ended.replace(' ', '_')}.parquet"
                (keep / name).write_bytes(path.read_bytes())
    return found


if __name__ == "__main__":
    print(dict(fuzz(float(sys.argv[1]), int((sys.argv[2:] or ["1"])[0]), Path.cwd())))
