"""Broken specs and data through the whole command, for as long as one likes.

    python tests/fuzz/fuzz_command.py SECONDS [SEED]

Each round mutates a spec or a data file, runs the command in this process with an
audit hook on, and checks what may never happen: a status that is not documented, a
bug (70), a traceback, a file outside the working folder, a process, a connection,
more than 2 s for a spec. What broke is written to fuzz-<seed>-<round>/ in the
current folder; each fixed one becomes a test.
"""

from __future__ import annotations

import io
import random
import shutil
import sys
import tempfile
import time
import traceback
from contextlib import redirect_stderr, redirect_stdout
from pathlib import Path

from evalreport.cli import status_of

DOCUMENTED = {0, 1, 2, 3, 4, 5}
SPEC = """\
evalreport: 1
title: t
datasets:
  d: {path: a.csv, target: y, missing: exclude, id: id}
models:
  m: {score: s}
  n: {prediction: p}
metrics: [accuracy, recall, {fbeta: {beta: 2}}, roc_auc, log_loss, ece, mcc, kappa]
averaging: [none, macro]
thresholds: [0.5, {maximize: youden_j}]
subgroups: [g]
costs: {false_negative: 5, false_positive: 1}
confidence: {level: 0.95, resamples: 20, seed: 1}
acceptance:
  - {metric: recall, at_least: 0.5, bound: lower}
report: {formats: [html]}
"""
DATA = "id,y,s,p,g\n" + "".join(
    f"{n},{'ab'[n % 2]},{n * 37 % 100 / 100},{'ab'[n % 3 == 0]},{'xyz'[n % 3]}\n" for n in range(30)
)
TOKENS = [
    "", "null", "~", "nan", "inf", "-1", "1e400", "0", "[", "]", "{", "}", ":", "- ", "&a ", "*a",
    "!!str ", "<<: ", "\t", "\r", "\u2028", "\ufeff", "\x00", "'", '"', "|\n", "#", "%", "@", "`",
    "true", "007", "9" * 400, "a" * 5000, "é", "\u202e", "\ud7ff", ",", ",,", "\n\n", "../", "/dev/zero",
    "http://x", "{{7*7}}", "${HOME}", "=1+1", "<script>", "0.5", "1.0", "[]", "{}", "each", "macro",
]  # fmt: skip


def mutated(text: str, generator: random.Random) -> bytes:
    """The text with a few cuts, doublings, swaps, tokens and flipped bytes."""
    data = text
    for _ in range(generator.choice((1, 1, 1, 2, 3, 6))):
        at = generator.randrange(len(data) + 1)
        end = min(len(data), at + generator.choice((0, 1, 3, 10, 40)))
        what = generator.randrange(5)
        if what == 0:
            data = data[:at] + data[end:]
        elif what == 1:
            data = data[:at] + generator.choice(TOKENS) + data[end:]
        elif what == 2:
            data = data[:at] + data[at:end] * generator.choice((2, 3, 50)) + data[end:]
        elif what == 3:
            lines = data.split("\n")
            generator.shuffle(lines)
            data = "\n".join(lines) if generator.random() < 0.2 else data
        else:
            data = data[:at] + generator.choice(TOKENS) + data[at:]
    raw = bytearray(data.encode("utf-8", "surrogatepass"))
    if generator.random() < 0.1 and raw:
        raw[generator.randrange(len(raw))] ^= 1 << generator.randrange(8)
    return bytes(raw)


class Watch:
    """What happens while the command runs, told by the interpreter."""

    def __init__(self) -> None:
        self.on = False
        self.seen: list[str] = []
        self.folder = ""
        sys.addaudithook(self)

    def __call__(self, event: str, arguments: tuple[object, ...]) -> None:
        if not self.on:
            return
        if event.startswith(("socket.", "subprocess.", "os.system", "os.exec", "os.fork")):
            self.seen.append(f"{event} {arguments!r}"[:300])
        if event == "open" and isinstance(arguments[0], str):
            path, mode = arguments[0], arguments[1]
            writes = isinstance(mode, str) and any(c in mode for c in "wax+")
            if writes and not path.startswith((self.folder, "/dev/null")):
                self.seen.append(f"writes {path}")


def round_of(generator: random.Random, folder: Path, watch: Watch) -> tuple[int, str, float]:
    """One mutated run: status, what it said, seconds."""
    both = generator.random()
    spec = mutated(SPEC, generator) if both < 0.7 else SPEC.encode()
    data = mutated(DATA, generator) if both > 0.5 else DATA.encode()
    (folder / "spec.yaml").write_bytes(spec)
    (folder / "a.csv").write_bytes(data)
    out, err = io.StringIO(), io.StringIO()
    line = ["run", str(folder / "spec.yaml"), "-o", str(folder / "runs"), "--quiet", "--formats",
            generator.choice(("json", "json", "html"))]  # fmt: skip
    start = time.process_time()
    watch.folder, watch.on = str(folder), True
    try:
        with redirect_stdout(out), redirect_stderr(err):
            status = status_of(line)
    finally:
        watch.on = False
    return status, err.getvalue(), time.process_time() - start


def fuzz(seconds: float, seed: int) -> tuple[int, list[str]]:
    """How many rounds there were, and what broke."""
    generator, watch = random.Random(seed), Watch()
    broken: list[str] = []
    rounds, end = 0, time.monotonic() + seconds
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        while time.monotonic() < end:
            rounds += 1
            try:
                status, said, took = round_of(generator, folder, watch)
                problem = ""
                if status not in DOCUMENTED:
                    problem = f"status {status}: {said}"
                elif "Traceback" in said:
                    problem = said
                elif status == 2 and took > 2:
                    problem = f"a spec refused after {took:.1f} s"
                elif watch.seen:
                    problem = "; ".join(watch.seen)
            except BaseException:  # noqa: BLE001 - whatever gets out is what is looked for
                problem = traceback.format_exc()
            watch.seen.clear()
            if problem:
                broken.append(f"round {rounds}: {problem}")
                shutil.copytree(
                    folder, f"fuzz-{seed}-{rounds}", ignore=shutil.ignore_patterns("runs")
                )
            shutil.rmtree(folder / "runs", ignore_errors=True)
    return rounds, broken


def main() -> int:
    """Fuzz for the seconds asked for; 1 where something broke."""
    seconds = float(sys.argv[1]) if len(sys.argv) > 1 else 60.0
    seed = int(sys.argv[2]) if len(sys.argv) > 2 else 1
    rounds, broken = fuzz(seconds, seed)
    print(f"{rounds} rounds, seed {seed}: {len(broken)} broken")
    print("\n".join(broken))
    return int(bool(broken))


if __name__ == "__main__":
    sys.exit(main())
