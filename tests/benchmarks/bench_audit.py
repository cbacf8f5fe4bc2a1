"""How long an audit takes, whole process, beside a script by hand and Evidently.

Run from the repository: ``PYTHONPATH=tests python -m benchmarks.bench_audit 1000 1000000``.
The audit: two classes, one score, 12 metrics with 95 % intervals, overall and for 2 + 8
subgroups, threshold 0.5, all curves, one HTML page. Data and the environments of the
peers are kept in a cache folder outside the repository.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from time import perf_counter

HERE = Path(__file__).resolve().parent
CACHE = Path(os.environ.get("XDG_CACHE_HOME", Path.home() / ".cache")) / "evalreport-bench"
PEERS = {
    "scikit-learn": ["scikit-learn", "pandas", "pyarrow", "matplotlib"],
    "evidently": ["evidently>=0.7", "pandas<3", "pyarrow"],
}
#: At most so much of the script by hand, by time of the processor, at each number of rows.
BARS = {1_000: 1.0, 1_000_000: 0.5}
#: The libraries that the audit loads.
LOADED = "import numpy, duckdb, scipy.special, jinja2.sandbox, pydantic, yaml, click"
#: What a program of this kind imports that draws with matplotlib and reads with pandas, for scale.
IMPORTS = (
    "import numpy, pandas, matplotlib.figure, matplotlib.backends.backend_svg, scipy.special, "
    "jinja2, pydantic, yaml"
)
#: One count of the same columns and one sort of the scores: what nobody can do without.
BARE = """
import duckdb, sys
c = duckdb.connect()
c.execute("SET threads=2"); c.execute("SET memory_limit='1GB'")
c.read_parquet(sys.argv[1]).create_view("d")
c.execute("SELECT truth, score, sex, site, count(*) AS n FROM d GROUP BY ALL ORDER BY n LIMIT 1")
c.execute("SELECT score FROM d ORDER BY score LIMIT 1 OFFSET (SELECT count(*) // 2 FROM d)")
"""
SPEC = """\
evalreport: 1
title: Audit
datasets: {{d: {{path: {path}, target: truth}}}}
positive: {{label: sick}}
models: {{m: {{score: score}}}}
metrics: [accuracy, balanced_accuracy, precision, recall, specificity, f1, mcc, kappa, roc_auc,
  average_precision, log_loss, brier]
thresholds: [0.5]
subgroups: [sex, site]
report: {{formats: [{format}]}}
"""
ROWS = """
SELECT CASE WHEN y THEN 'sick' ELSE 'well' END AS truth,
       1 / (1 + exp(-(CASE WHEN y THEN 1 ELSE -1 END + z))) AS score,
       CASE WHEN hash(i * 7 + 3) % 2 = 0 THEN 'F' ELSE 'M' END AS sex,
       'site ' || (hash(i * 13 + 5) % 8 + 1) AS site
FROM (SELECT i, hash(i * 17 + 1) % 10000 < 3000 AS y,
             sqrt(-2 * ln((hash(i * 3 + 11) % 9007199254740991 + 1) / 9007199254740992.0))
               * cos(2 * pi() * (hash(i * 5 + 2) % 9007199254740991) / 9007199254740992.0) AS z
      FROM range({rows}) t(i))
"""


@dataclass(frozen=True)
class Run:
    """Wall time, time of the processor (user and system) and peak memory of one process.

    ``ok`` unless it failed.
    """

    seconds: float
    processor: float
    megabytes: float
    ok: bool = True

    def __str__(self) -> str:
        if not self.ok:
            return "   failed"
        return f"{self.seconds:8.2f} s {self.processor:8.2f} s {self.megabytes:8.0f} MB"


def once(command: Sequence[str]) -> Run:
    """Run a command to its end."""
    start = perf_counter()
    process = subprocess.Popen(
        list(command), stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, env=environment()
    )
    assert process.stderr is not None
    errors = process.stderr.read().decode(errors="replace")
    _, status, usage = os.wait4(process.pid, 0)
    seconds = perf_counter() - start
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode:
        print(errors[-800:], file=sys.stderr)
    processor = usage.ru_utime + usage.ru_stime
    return Run(seconds, processor, usage.ru_maxrss / 1024, process.returncode == 0)


def best(command: Sequence[str], times: int) -> Run:
    """The least of several runs, of each figure by itself: other programs only add to them."""
    runs = [once(command) for _ in range(times)]
    good = [run for run in runs if run.ok]
    if not good:
        return runs[0]
    return Run(
        min(run.seconds for run in good),
        min(run.processor for run in good),
        max(run.megabytes for run in good),
    )


def environment() -> dict[str, str]:
    """The environment of every process: one thread for linear algebra, no paths of ours.

    Compiled modules are kept, as they are wherever a program is installed: without them
    the libraries would come compiled and our own modules would not.
    """
    ours = ("PYTHONPATH", "PYTHONDONTWRITEBYTECODE")
    kept = {k: v for k, v in os.environ.items() if k not in ours}
    return {**kept, "OMP_NUM_THREADS": "1", "DO_NOT_TRACK": "1"}


def data(rows: int) -> Path:
    """A Parquet file of so many rows, made once."""
    return kept(f"audit_{rows}", ROWS.format(rows=rows))


def kept(name: str, query: str) -> Path:
    """A Parquet file of what a query gives, made once."""
    path = CACHE / f"{name}.parquet"
    if not path.exists():
        import duckdb

        connection = duckdb.connect()
        connection.execute("SET memory_limit='4GB'")
        new = path.with_suffix(".new")
        connection.execute(f"COPY ({query}) TO '{new}' (FORMAT parquet)")
        new.rename(path)
    return path


def peer(name: str) -> str:
    """The Python of a peer's own environment, set up once."""
    folder = CACHE / f"venv-{name}"
    python = folder / "bin" / "python"
    done = folder / ".done"
    if not done.exists():
        print(f"installing {name} into {folder} ...", file=sys.stderr)
        subprocess.run([sys.executable, "-m", "venv", folder], check=True)
        subprocess.run([python, "-m", "pip", "install", "-q", *PEERS[name]], check=True)
        done.touch()
    return str(python)


def ours(path: Path, folder: Path, formats: str, times: int) -> Run:
    """The audit with evalreport, from spec and file to a published run."""
    spec = folder / "audit.yaml"
    spec.write_text(SPEC.format(path=path, format=formats), encoding="utf-8")
    command = [sys.executable, "-m", "evalreport", "run", str(spec), "-o", str(folder / "runs")]
    return best([*command, "--quiet"], times)


def its_imports(path: Path, folder: Path, times: int) -> Run:
    """A process that imports the modules that the audit imports, in the same order, and no more."""
    spec = folder / "audit.yaml"
    spec.write_text(SPEC.format(path=path, format="html"), encoding="utf-8")
    words = [sys.executable, "-X", "importtime", "-m", "evalreport", "run", str(spec)]
    told = subprocess.run(
        [*words, "-o", str(folder / "runs"), "--quiet"],
        capture_output=True, text=True, check=False, env=environment(),
    ).stderr  # fmt: skip
    lines = [line for line in told.splitlines() if line.startswith("import time:")][1:]
    names = [line.rpartition("|")[2].strip() for line in lines]
    listed = folder / "imported.txt"
    listed.write_text("\n".join(name for name in names if name != "evalreport.__main__"))
    code = (
        "import sys\nfor name in open(sys.argv[1]).read().split():\n"
        "    try:\n        __import__(name)\n    except ImportError:\n        pass\n"
    )
    return best([sys.executable, "-c", code, str(listed)], times)


def pages_of(path: Path) -> int:
    """How many pages a PDF has."""
    import pikepdf

    with pikepdf.open(path) as pdf:
        return len(pdf.pages)


def show(name: str, run: Run, unit: Run) -> None:
    """One line, with the ratios of wall time and time of the processor, ours to it."""
    ratio = ""
    if run.ok and unit.ok:
        ratio = f"{unit.seconds / run.seconds:7.2f} {unit.processor / run.processor:7.2f}"
    print(f"  {name:<40}{run}{ratio}", flush=True)


def bar(rows: int, times: int) -> bool:
    """Whether ours keeps to its bar beside the script by hand, which draws no interval."""
    path = data(rows)
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        script = [peer("scikit-learn"), str(HERE / "peer_scikit_learn.py"), str(path), "0"]
        unit = ours(path, folder, "html", times)
        by_hand = best([*script, str(folder / "page")], times)
    ratio = unit.processor / by_hand.processor
    held = unit.ok and by_hand.ok and ratio <= BARS[rows]
    told = f"{rows:,} rows: {unit.processor:.2f} s and {by_hand.processor:.2f} s by hand"
    print(f"{told}, {ratio:.2f} times, at most {BARS[rows]}: {'held' if held else 'NOT HELD'}")
    return held


def bench(rows: int, times: int, resamples: int, with_peers: bool) -> None:
    """One size: ours, what cannot be avoided, and the peers."""
    path = data(rows)
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        load = os.getloadavg()[0]
        print(f"{rows:,} rows, load {load:.1f}; wall, processor, memory; ours to it by both")
        unit = ours(path, folder, "html", times)
        show("evalreport, HTML, all intervals", unit, unit)
        show("importing the libraries it loads", best([sys.executable, "-c", LOADED], times), unit)
        by_hand = best([sys.executable, "-c", IMPORTS], times)
        show("importing those of a script by hand", by_hand, unit)
        show(
            "importing what it imports, its own modules too", its_imports(path, folder, times), unit
        )
        bare = [sys.executable, "-c", BARE, str(path)]
        show("one GROUP BY and one sort", best(bare, times), unit)
        if rows <= 1_000_000:
            printed = ours(path, folder, "html, pdf", times)
            pages = pages_of(folder / "runs" / "latest" / "report.pdf")
            each = max(printed.seconds - unit.seconds, 0) / pages
            each_processor = max(printed.processor - unit.processor, 0) / pages
            show("evalreport, HTML and PDF", printed, unit)
            told = f"{each:.2f} s wall, {each_processor:.2f} s of the processor"
            print(f"  a page of {pages}: {told}")
        if not with_peers:
            return
        script, page = str(HERE / "peer_scikit_learn.py"), str(folder / "page")
        learn = [peer("scikit-learn"), script, str(path)]
        show("script with scikit-learn, no intervals", best([*learn, "0", page], times), unit)
        if resamples and rows <= 10_000:
            drawn = once([*learn, str(resamples), page])
            show(f"the same with {resamples:,} resamples", drawn, unit)
        evidently = [peer("evidently"), str(HERE / "peer_evidently.py"), str(path), page]
        show("Evidently, no intervals", best(evidently, times), unit)


def main() -> None:
    """Measure the sizes named on the command line."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("rows", type=int, nargs="*", default=[1_000, 1_000_000])
    parser.add_argument("--times", type=int, default=3, help="runs, of which the best counts")
    parser.add_argument("--resamples", type=int, default=1_000, help="of the script by hand")
    parser.add_argument("--no-peers", action="store_true", help="measure evalreport alone")
    parser.add_argument("--bars", action="store_true", help="hold the bars, and nothing else")
    asked = parser.parse_args()
    CACHE.mkdir(parents=True, exist_ok=True)
    print(f"load {os.getloadavg()[0]:.1f} on {os.cpu_count()} processors")
    if asked.bars:
        held = [bar(rows, asked.times) for rows in BARS]
        sys.exit(not all(held))
    for name, command in (("check", ["check", "SPEC"]), ("--help", ["--help"])):
        with tempfile.TemporaryDirectory() as folder:
            spec = Path(folder) / "audit.yaml"
            spec.write_text(SPEC.format(path=data(1_000), format="html"), encoding="utf-8")
            words = [str(spec) if word == "SPEC" else word for word in command]
            print(f"evalreport {name:<35}{best([sys.executable, '-m', 'evalreport', *words], 3)}")
    for rows in asked.rows:
        bench(rows, asked.times, asked.resamples, not asked.no_peers)


if __name__ == "__main__":
    main()
