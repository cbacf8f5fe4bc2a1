"""Fuzz the spec loader for some minutes: python tests/spec/fuzz_spec.py [MINUTES] [SEED].

Every input ends in a loaded spec or a SpecError, within two seconds. What does
not is written to tests/spec/corpus/ under the hash of its bytes; add a test for it.
"""

from __future__ import annotations

import contextlib
import hashlib
import random
import sys
import time
from pathlib import Path

from evalreport.errors import SpecError
from evalreport.spec.load import parse_spec

HERE = Path(__file__).parent
CORPUS = [
    path.read_bytes()
    for folder in ("corpus", "hostile")
    for path in sorted((HERE / folder).glob("*.yaml"))
]
PIECES = [
    b"[", b"]", b"{", b"}", b": ", b"- ", b"? ", b", ", b"\n", b"  ", b"&a ", b"*a", b"!t ", b"'",
    b'"', b"|\n", b">\n", b"#", b"---\n", b"~", b"null", b"007", b"1_0", b"1:30", b"1e999", b".nan",
    b"-1", b"0", b"9" * 30, b"\xff", b"\xe2\x80\xae", b"\x00", b"\t", b"<<: ", b"true", b"each",
]  # fmt: skip
SECONDS_EACH = 2.0


def mutated(random_: random.Random, data: bytes) -> bytes:
    """The data with a few changes: pieces put in, cut, repeated, moved, or lines swapped."""
    for _ in range(random_.randint(1, 6)):
        at = random_.randrange(len(data) + 1)
        to = min(len(data), at + random_.randint(0, 30))
        match random_.randrange(6):
            case 0:
                data = data[:at] + random_.choice(PIECES) + data[at:]
            case 1:
                data = data[:at] + data[to:]
            case 2:
                data = data[:to] + data[at:to] * random_.randint(1, 40) + data[to:]
            case 3:
                lines = data.split(b"\n")
                random_.shuffle(lines)
                data = b"\n".join(lines)
            case 4:
                other = random_.choice(CORPUS)
                start = random_.randrange(len(other) + 1)
                data = data[:at] + other[start : start + random_.randint(0, 200)] + data[to:]
            case _:
                data = data[:at] + bytes([random_.randrange(256)]) + data[to:]
    return data


def fuzz(seconds: float, seed: int) -> int:
    """Load changed specs for so long; returns how many, raises what is no SpecError."""
    random_ = random.Random(seed)
    end = time.monotonic() + seconds
    count = 0
    while time.monotonic() < end:
        data = mutated(random_, random_.choice(CORPUS))
        start = time.process_time()
        try:
            with contextlib.suppress(SpecError):
                parse_spec(data, "fuzz")
        except BaseException:
            keep(data)
            raise
        if time.process_time() - start > SECONDS_EACH:
            keep(data)
            raise TimeoutError(f"{time.process_time() - start:.1f} s")
        count += 1
    return count


def keep(data: bytes) -> None:
    """Keep an input that was not handled."""
    name = hashlib.sha256(data).hexdigest()[:12]
    (HERE / "corpus" / f"found-{name}.yaml").write_bytes(data)


def main() -> int:
    """Run from the command line."""
    minutes = float(sys.argv[1]) if len(sys.argv) > 1 else 1.0
    seed = int(sys.argv[2]) if len(sys.argv) > 2 else 0
    print(f"{fuzz(60 * minutes, seed):,} specs, each loaded or refused")
    return 0


if __name__ == "__main__":
    sys.exit(main())
