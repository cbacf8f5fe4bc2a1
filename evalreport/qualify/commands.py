"""OQ: the installed command, asked as a user asks it, in folders of its own.

The same bytes twice, the exit status of each outcome, what strangers may send, and that nothing
is asked of a network.
"""

from __future__ import annotations

import hashlib
import os
import re
import shutil
import subprocess
import sys
import zlib
from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from evalreport.errors import EvalreportError
from evalreport.processes import child_environment, python
from evalreport.qualify.checks import FAILED, PASSED, Finding, Step, judged
from evalreport.results.lookup import Results
from evalreport.results.records import Provenance
from evalreport.scratch import scratch_folder
from evalreport.version import __version__

AT = "2026-01-02T03:04:05Z"
#: Seconds that one command may take.
PATIENCE = 900
ROWS = "y,p\n" + "".join(f"{k % 2},{(7 * k % 40) / 40}\n" for k in range(40))
SPEC = """\
evalreport: 1
title: Forty rows
datasets: {{d: {{path: {path}, target: y}}}}
models: {{m: {model}}}
metrics: [recall, precision, roc_auc, brier]
{more}
"""


@dataclass(frozen=True)
class Done:
    """How a command ended: its status and what it said on both streams."""

    status: int
    said: str


def command(folder: Path, *arguments: str | Path, program: Sequence[str] | None = None) -> Done:
    """Run the installed command in a folder; what is set for this process's clock is not its."""
    own = {"PYTHONIOENCODING": "utf-8", "PYTHONDONTWRITEBYTECODE": "1"}
    environment = child_environment(dict(os.environ), own)
    environment.pop("SOURCE_DATE_EPOCH", None)
    line = [*(program or python("evalreport")), *map(str, arguments)]
    try:
        done = subprocess.run(  # noqa: S603  # our own command and interpreter
            line, cwd=folder, env=environment, capture_output=True, text=True, check=False,
            timeout=PATIENCE, stdin=subprocess.DEVNULL,
        )  # fmt: skip
    except subprocess.TimeoutExpired:
        return Done(-1, f"took longer than {PATIENCE} seconds")
    return Done(done.returncode, done.stdout + done.stderr)


def commands(step: Step) -> Iterator[Finding]:
    """Every check of the command."""
    with scratch_folder() as scratch:
        folder = Path(scratch)
        (folder / "a.csv").write_text(ROWS, encoding="utf-8")
        step("making the same run twice", None)
        yield from _same_bytes(folder)
        yield from _told(folder)
        step("asking for each exit status", None)
        yield from _statuses(folder)
        step("sending what strangers send", None)
        yield from _hostile(folder)
        step("listening for requests", None)
        yield _network(folder)


def _spec(
    folder: Path, name: str, more: str = "", path: str = "a.csv", model: str = "{score: p}"
) -> str:
    (folder / name).write_text(SPEC.format(path=path, model=model, more=more), encoding="utf-8")
    return name


def run(folder: Path, spec: str, runs: str, *more: str) -> Done:
    """A run at a fixed time."""
    return command(folder, "run", spec, "-o", runs, "--at", AT, "--quiet", *more)


# -- the same bytes ------------------------------------------------------------------------


def _same_bytes(folder: Path) -> Iterator[Finding]:
    spec = _spec(folder, "twice.yaml")
    ended = [run(folder, spec, runs) for runs in ("first", "second")]
    told = "; ".join(one.said for one in ended if one.status)
    yield judged("R9", "two runs end well", "0, 0", ", ".join(str(e.status) for e in ended), told)
    first, second = (files_of(folder / runs / "latest") for runs in ("first", "second"))
    other = [name for name in sorted(first | second) if first.get(name) != second.get(name)]
    found = f"{len(first)} files the same" if first and not other else f"differing: {other}"
    same = bool(first) and not other
    reason = "" if same else f"differing files: {', '.join(other) or 'no run was made'}"
    outcome = PASSED if same else FAILED
    yield Finding("R9", "the same run twice", "the same bytes", found, outcome, reason=reason)
    yield _pdf(folder / "first" / "latest" / "report.pdf")
    verified = command(folder, "verify", folder / "first" / "latest")
    yield judged("R12", "verify of a run as it was published", 0, verified.status, verified.said)
    yield from _altered(folder)


def files_of(run: Path) -> dict[str, str]:
    """The sha256 of each file of a run; nothing where there is no run."""
    if not run.is_dir():
        return {}
    return {p.name: hashlib.sha256(p.read_bytes()).hexdigest() for p in run.iterdir()}


def _pdf(path: Path) -> Finding:
    """The report as PDF: made here, says that it is PDF/A, embeds the fonts of the report."""
    content = _unpacked(path.read_bytes()) if path.is_file() else b""
    lacking = [
        words
        for words, mark in (
            ("no PDF", b"%PDF-1."),
            ("it does not say that it is PDF/A", b"pdfaid:part"),
            ("the report's own font is not in it", b"+Report-Sans"),
        )
        if mark not in content
    ]
    told, outcome = "; ".join(lacking), FAILED if lacking else PASSED
    expected = "PDF/A with the shipped fonts"
    return Finding("R15", "the report as PDF", expected, told or expected, outcome, reason=told)


def _unpacked(pdf: bytes) -> bytes:
    """The bytes of a PDF, followed by what its packed streams hold."""
    found = [pdf]
    for stream in re.findall(rb"stream\r?\n(.*?)endstream", pdf, re.DOTALL):
        with suppress(zlib.error):
            found.append(zlib.decompress(stream))
    return b"".join(found)


def _altered(folder: Path) -> Iterator[Finding]:
    """A byte of each file of a run: verify ends with 5 and names the file."""
    original = (folder / "second" / "latest").resolve()
    for name in ("results.json", "report.html", "MANIFEST.json"):
        if not (original / name).is_file():
            yield Finding("R12", f"verify after one bit of {name} changed", "5, named", "no run",
                          FAILED, reason="no run was made")  # fmt: skip
            continue
        aside = folder / f"altered-{name}"
        shutil.copytree(original, aside)
        data = bytearray((aside / name).read_bytes())
        data[len(data) // 2] ^= 1
        (aside / name).write_bytes(data)
        done = command(folder, "verify", aside)
        found = f"{done.status}, {'named' if name in done.said else 'not named'}"
        yield judged("R12", f"verify after one bit of {name} changed", "5, named", found, done.said)


def _told(folder: Path) -> Iterator[Finding]:
    """What a run says of its rows, and of what it was made from."""
    (folder / "gaps.csv").write_text(f"{ROWS}1,\n,0.5\n", encoding="utf-8")
    spec = _spec(folder, "gaps.yaml", path="gaps.csv, missing: exclude")
    done = run(folder, spec, "told", "--formats", "html")
    results = _results(folder / "told" / "latest")
    found = "no results"
    if results is not None:
        (rows,) = results.rows
        out = sum(one.count for one in rows.excluded if one.reason)
        found = f"{rows.read} read, {rows.used} used, {out} excluded with a reason"
    expected = "42 read, 40 used, 2 excluded with a reason"
    yield judged("R14", "rows without a label or a score", expected, found, done.said)
    known = Provenance() if results is None else results.provenance
    data = hashlib.sha256((folder / "gaps.csv").read_bytes()).hexdigest()
    text = hashlib.sha256((folder / spec).read_bytes()).hexdigest()
    told = {
        "version": known.version == __version__,
        "clock": (known.at, known.clock) == (AT, "given"),
        "spec": known.spec is not None and known.spec.sha256 == text,
        "data": [one.sha256 for one in known.inputs] == [data],
    }
    lacking = ", ".join(name for name, right in told.items() if not right)
    yield judged("R18", "what the run was made from, as it states", "all right", lacking or "all "
        "right",
                 lacking)  # fmt: skip


def _results(run_folder: Path) -> Results | None:
    """The results of a run; None where there are none to read."""
    # loads what is checked before
    from evalreport.runs.recorded import read_recorded

    try:
        return read_recorded(run_folder).results
    except EvalreportError:
        return None


# -- exit statuses -------------------------------------------------------------------------


def _statuses(folder: Path) -> Iterator[Finding]:
    (folder / "bad.csv").write_text("y,p\n1,0.5\n0,high\n", encoding="utf-8")
    unmet = "acceptance: [{metric: recall, at_least: 0.999, bound: lower}]"
    asked = (
        ("a run without criteria", 0, _spec(folder, "done.yaml")),
        ("a criterion that is not met", 1, _spec(folder, "unmet.yaml", unmet)),
        ("an unknown key", 2, _spec(folder, "wrong.yaml", "treshold: [0.5]")),
        ("a score that is not a number", 3, _spec(folder, "data.yaml", path="bad.csv")),
        ("a file that is not there", 4, _spec(folder, "file.yaml", path="none.csv")),
    )
    for what, status, spec in asked:
        done = run(folder, spec, f"runs-{status}", "--formats", "html")
        traced = ", a traceback" if "Traceback" in done.said else ""
        yield judged("R10", what, str(status), f"{done.status}{traced}", done.said)


# -- what strangers send -------------------------------------------------------------------


def _hostile(folder: Path) -> Iterator[Finding]:
    trace = folder / "ran"
    touching = f"__import__('pathlib').Path({str(trace)!r}).touch()"
    (folder / "model.skops").write_bytes(_pickled(touching))
    bomb = "\n".join(["a0: &a0 [x]", *(f"a{k}: &a{k} [{f'*a{k - 1}, ' * 9}]" for k in range(1, 9))])
    (folder / "bomb.yaml").write_text(bomb, encoding="utf-8")
    tag = f'evalreport: 1\ntitle: !!python/object/apply:builtins.eval ["{touching}"]\n'
    (folder / "tag.yaml").write_text(tag, encoding="utf-8")
    (folder / "deep.yaml").write_text("a: " + "[" * 3000 + "]" * 3000, encoding="utf-8")
    (folder / "base64.py").write_text(f"{touching}\n", encoding="utf-8")
    pickled = "{skops: model.skops, features: [p]}"
    asked = (
        ("a spec of aliases that multiply", 2, "bomb.yaml"),
        ("a spec with a tag that makes an object", 2, "tag.yaml"),
        ("a spec nested three thousand deep", 2, "deep.yaml"),
        ("a pickle that is called a model", 3, _spec(folder, "pickle.yaml", model=pickled)),
        ("a module of Python's name in the folder", 0, _spec(folder, "shadow.yaml")),
        ("an estimator that is a function", 2, _spec(folder, "call.yaml", model=_CALL)),
    )
    for what, status, spec in asked:
        done = run(folder, spec, "hostile", "--formats", "html")
        ran = ", it ran" if trace.exists() else ""
        traced = ", a traceback" if "Traceback" in done.said else ""
        yield judged("R11", what, str(status), f"{done.status}{traced}{ran}", done.said)


_CALL = "{estimator: os.system, params: {command: id}, features: [p]}"


def _pickled(line: str) -> bytes:
    """A pickle, written out, that runs a line of Python where it is read back."""
    return f"cbuiltins\neval\n(V{line}\ntR.".encode("raw-unicode-escape")


# -- the network ---------------------------------------------------------------------------

_LISTENING = """\
import runpy, sys

def heard(event, given):
    if event in ("socket.connect", "socket.getaddrinfo", "socket.gethostbyname"):
        print("REQUEST", event, given[-1:], file=sys.stderr, flush=True)

sys.addaudithook(heard)
sys.argv[0] = "evalreport"
runpy.run_module("evalreport", run_name="__main__", alter_sys=False)
"""


def _network(folder: Path) -> Finding:
    """Connections and look-ups of names, as Python itself tells of them (PEP 578)."""
    program = [sys.executable, "-P", "-c", _LISTENING]
    spec = _spec(folder, "quiet.yaml")
    done = command(folder, "run", spec, "-o", "quiet", "--formats", "html", "--at", AT,
                   program=program)  # fmt: skip
    asked = sum("REQUEST" in line for line in done.said.splitlines())
    return judged("R13", "requests while a run is made", "0 requests, status 0",
                  f"{asked} requests, status {done.status}", done.said)  # fmt: skip
