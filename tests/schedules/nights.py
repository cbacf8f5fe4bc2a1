"""Years of nightly runs of five specs, and a book of them that is kept apart from the program.

Every night each spec is run by the command itself, with a given clock. Drawn at random, with a
seed: criteria that fail (status 1), a spec with a mistake (2), a file without its column (3), a
file that was not delivered (4), nights without any attempt, reruns on the same day, the same run
once more, backfills of missed nights days later, ``prune`` on the first of each month, and one
upgrade half way: until then an earlier state of the program makes the runs, as the repository keeps
it, or, where a clone keeps none, the program under another version. The book knows nothing of
the folder of runs: names, hashes, the runs that are left and what links lead to are worked out
from what was done.

By hand, for three years: ``make nights``.
"""

from __future__ import annotations

import contextlib
import hashlib
import io
import json
import os
import random
import re
import subprocess
import sys
import tarfile
import tempfile
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any, Self

from programs import found_program, program

import evalreport.version
from evalreport.cli import status_of

SPECS = ("churn", "fraud", "intake", "referral", "triage")
SPEC = """\
evalreport: 1
title: Nightly audit
series: {name}
cadence: day
datasets: {{night: {{path: {name}.csv, target: truth, labels: [well, ill]}}}}
positive: {{label: ill}}
models: {{model: {{prediction: said}}}}
metrics: [recall, specificity]
acceptance: [{{metric: recall, at_least: 0.7}}]
report: {{formats: [json]}}
"""
FIRST = datetime.fromisoformat("2024-01-01T02:00:00+00:00")
#: What may happen to a spec in a night, and how often in a hundred.
CHANCES = {"pass": 78, "fail": 8, "spec": 3, "data": 3, "files": 4, "missed": 4}
STATUS = {"pass": 0, "fail": 1, "spec": 2, "data": 3, "files": 4}


@dataclass
class Entry:
    """What was done once, in the order in which it was done."""

    kind: str
    when: str
    version: str
    series: str = ""
    status: int = 0
    run: str = ""
    pruned: tuple[str, ...] = ()


@dataclass
class Book:
    """What happened, and what has to be there because of it."""

    entries: list[Entry] = field(default_factory=list)
    there: set[str] = field(default_factory=set)

    def runs(self, series: str | None = None) -> list[Entry]:
        """The runs, of a series, as they were recorded."""
        return [e for e in self.entries if e.kind == "run" and series in (None, e.series)]

    def in_time(self, series: str | None = None) -> list[Entry]:
        """The same by their clocks."""
        return sorted(self.runs(series), key=lambda entry: entry.when)

    def add_run(self, entry: Entry, spec: bytes) -> None:
        """A run: its clock, the start of the hash of its spec, a number where that was taken."""
        stamp = entry.when.replace("-", "").replace(":", "")
        first = f"{stamp}-{hashlib.sha256(spec).hexdigest()[:8]}"
        used = {one.run for one in self.runs()}
        names = (first, *(f"{first}-{n}" for n in range(2, 99)))
        entry.run = next(name for name in names if name not in used)
        self.entries.append(entry)
        self.there.add(entry.run)

    def add_prune(self, entry: Entry, keep: int, *, by_time: bool) -> None:
        """Of each series the newest runs stay, and the one that a link leads to."""
        order = self.in_time if by_time else self.runs
        led_to = {self.in_time(name)[-1].run for name in SPECS if self.runs(name)}
        gone = {
            one.run
            for name in SPECS
            for one in [e for e in order(name) if e.run in self.there][:-keep]
            if one.run not in led_to
        }
        entry.pruned = tuple(e.run for e in self.runs() if e.run in gone)
        self.there -= gone
        if gone:
            self.entries.append(entry)


@contextlib.contextmanager
def version_of(version: str) -> Iterator[None]:
    """Another release of the program, as far as it says so of itself."""
    before = evalreport.version.__version__
    _say_version(version)
    try:
        yield
    finally:
        # modules that were loaded meanwhile too
        _say_version(before)


def _say_version(version: str) -> None:
    for name, module in list(sys.modules.items()):
        if name.partition(".")[0] == "evalreport" and "__version__" in vars(module):
            vars(module)["__version__"] = version


def said_by(*words: str) -> tuple[int, Any]:
    """The status of a command, and what it prints as JSON."""
    with contextlib.redirect_stdout(io.StringIO()) as told:
        status = status_of(list(words))
    return status, json.loads(told.getvalue())


ROOT = Path(__file__).resolve().parents[2]
#: A state of the program that wrote other lines, results and pages than today's.
EARLIER = "4e5e44c"
ANSWERS = """
import contextlib, io, json, sys
from evalreport.cli import status_of
answers = sys.stdout
for line in sys.stdin:
    with contextlib.redirect_stdout(io.StringIO()), contextlib.redirect_stderr(io.StringIO()):
        status = status_of(json.loads(line))
    print(status, file=answers, flush=True)
"""


class EarlierProgram:
    """An earlier state of the program in a process of its own; a context manager.

    ``prune`` went by the order of the records then, as ``by_time`` says.
    """

    version, by_time = "0.0.9", False

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    @staticmethod
    def is_there() -> bool:
        """Whether this clone keeps it."""
        command = [
            found_program("git") or "false",
            "-C",
            str(ROOT),
            "cat-file",
            "-e",
            f"{EARLIER}^{{commit}}",
        ]
        return subprocess.run(command, capture_output=True, check=False).returncode == 0

    def __enter__(self) -> Self:
        command = [program("git"), "-C", str(ROOT), "archive", EARLIER, "evalreport", "templates"]
        packed = subprocess.run(command, capture_output=True, check=True).stdout
        with tarfile.open(fileobj=io.BytesIO(packed)) as archive:
            archive.extractall(self._folder, filter="data")
        stated = self._folder / "evalreport" / "version.py"
        text, count = re.subn('"[0-9.]+"', f'"{self.version}"', stated.read_text("utf-8"))
        assert count == 1
        stated.write_text(text, encoding="utf-8")
        self._process = subprocess.Popen(
            [sys.executable, "-P", "-c", ANSWERS],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            env={**os.environ, "PYTHONPATH": str(self._folder)},
        )
        return self

    def __exit__(self, *_error: object) -> None:
        self._process.communicate()

    def status_of(self, words: Sequence[str]) -> int:
        """The status of a command."""
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._process.stdin.write(json.dumps(words) + "\n")
        self._process.stdin.flush()
        return int(self._process.stdout.readline())


class TodaysProgram:
    """The program as it is, under a version that it is told."""

    by_time = True

    def __init__(self, version: str) -> None:
        self.version = version

    def status_of(self, words: Sequence[str]) -> int:
        """The status of a command."""
        with (
            version_of(self.version),
            contextlib.redirect_stdout(io.StringIO()),
            contextlib.redirect_stderr(io.StringIO()),
        ):
            return status_of(list(words))


class Nights:
    """The nights of a folder, one after the other."""

    def __init__(self, folder: Path, seed: int = 1, keep: int = 30) -> None:
        self.folder, self.runs, self.book = folder, folder / "runs", Book()
        self.draw = random.Random(seed)
        self.keep = keep
        self.program: EarlierProgram | TodaysProgram = TodaysProgram("0.1.0")
        self.owed: list[tuple[int, str, datetime]] = []

    def pass_by(self, nights: int, before: EarlierProgram | None = None) -> None:
        """So many nights, with an upgrade half way: ``before`` makes those until then."""
        now = TodaysProgram("0.2.0")
        then = before or self.program
        for number in range(nights):
            self.program = then if number < nights // 2 else now
            self._night(number, FIRST + timedelta(days=number))

    def _night(self, number: int, night: datetime) -> None:
        for place, name in enumerate(SPECS):
            at = night + timedelta(minutes=place)
            what = self._drawn() if number else "pass"
            if what == "missed":
                if self.draw.random() < 0.7:
                    self.owed.append((number + self.draw.randint(1, 10), name, at))
                continue
            self._run(name, what, at)
            if STATUS[what] > 1 and self.draw.random() < 0.6:
                self._run(name, self.draw.choice(["pass", "pass", "fail", what]), _later(at))
            elif self.draw.random() < 0.02:
                self._run(name, what, at)
        for due, name, at in [one for one in self.owed if one[0] == number]:
            self._run(name, self.draw.choice(["pass", "fail"]), at)
            self.owed.remove((due, name, at))
        if night.day == 1 and number:
            self._prune(night + timedelta(hours=12))

    def _drawn(self) -> str:
        return self.draw.choices(list(CHANCES), list(CHANCES.values()))[0]

    def _run(self, name: str, what: str, at: datetime) -> None:
        data, spec = self.folder / f"{name}.csv", self.folder / f"{name}.yaml"
        hits = self.draw.randint(40, 48) if what != "fail" else self.draw.randint(10, 30)
        said = ["ill,ill"] * hits + ["ill,well"] * (50 - hits) + ["well,well"] * 50
        head = "truth,said" if what != "data" else "answer,said"
        data.write_text("\n".join([head, *said, ""]), encoding="utf-8")
        if what == "files":
            data.unlink()
        text = SPEC.format(name=name)
        text = text.replace("[recall,", "[recal,") if what == "spec" else text
        spec.write_text(text, encoding="utf-8")
        when = at.strftime("%Y-%m-%dT%H:%M:%SZ")
        command = ["run", str(spec), "-o", str(self.runs), "--at", when, "--quiet"]
        status = self.program.status_of(command)
        assert status == STATUS[what], (what, status, when)
        kind = "run" if status < 2 else "attempt"
        entry = Entry(kind, when, self.program.version, name, status)
        if entry.kind == "run":
            self.book.add_run(entry, text.encode())
        else:
            self.book.entries.append(entry)

    def _prune(self, at: datetime) -> None:
        when = at.strftime("%Y-%m-%dT%H:%M:%SZ")
        command = ["prune", str(self.runs), "--keep", str(self.keep), "--at", when]
        assert self.program.status_of(command) == 0
        entry = Entry("prune", when, self.program.version)
        self.book.add_prune(entry, self.keep, by_time=self.program.by_time)


def _later(at: datetime) -> datetime:
    return at + timedelta(hours=7)


def told_by_lines(runs: Path) -> list[Entry]:
    """What the lines of a history say, read as nothing but JSON."""
    found = []
    for line in (runs / "history.jsonl").read_text(encoding="utf-8").splitlines():
        told = json.loads(line)
        entry = Entry("run", told["when"], told["version"], told.get("series", ""))
        if "pruned" in told:
            entry.kind, entry.pruned = "prune", tuple(told["pruned"])
        elif "attempt" in told:
            entry.kind, entry.status = "attempt", told["attempt"]["status"]
        else:
            entry.run = told["run"]
            entry.status = {"passed": 0, "failed": 1}[told["outcome"]]
        found.append(entry)
    return found


def hold_lines(nights: Nights) -> None:
    """The lines are the book, one by one, and each follows from the one before it."""
    assert told_by_lines(nights.runs) == nights.book.entries
    before = "0" * 64
    lines = (nights.runs / "history.jsonl").read_bytes().splitlines(keepends=True)
    for number, line in enumerate(lines, start=1):
        told = json.loads(line)
        assert (told["n"], told["previous"]) == (number, before)
        before = hashlib.sha256(line).hexdigest()


def hold_folder(nights: Nights) -> None:
    """The runs that were not removed are there; links lead to the newest by the clock."""
    book = nights.book
    assert {p.name for p in nights.runs.iterdir() if p.name[0] == "2"} == book.there
    leads = {"latest": None} | {f"latest-{name}": name for name in SPECS}
    for link, series in leads.items():
        assert (nights.runs / link).readlink().name == book.in_time(series)[-1].run


def hold_watch(nights: Nights) -> None:
    """`watch` tells of each series how its newest run and the attempts since then left it."""
    at = max(entry.when for entry in nights.book.entries)
    _, told = said_by("watch", str(nights.runs), "--at", at, "--json")
    found = {one["series"]: one for one in told["series"]}
    assert sorted(found) == sorted(SPECS)
    for name in SPECS:
        runs = nights.book.in_time(name)
        attempts = [e for e in nights.book.entries if e.kind == "attempt" and e.series == name]
        since = [e for e in attempts if e.when >= runs[-1].when]
        alike = _alike(runs)
        told_of = found[name]
        assert told_of["run"] == runs[-1].run
        if runs[-1].status == 1:
            expected = ("failing", alike[0].when, len(alike))
        elif since:
            expected = ("broken", since[0].when, len(since))
        else:
            state = "late" if told_of["late_days"] else "passed"
            expected = (state, alike[0].when, len(alike))
        assert (told_of["state"], told_of["since"], told_of["times"]) == expected
        assert told_of["attempt"] == (since[-1].status if since else None)


def _alike(runs: Sequence[Entry]) -> list[Entry]:
    """The runs up to the newest that ended as it did."""
    place = len(runs)
    while place and runs[place - 1].status == runs[-1].status:
        place -= 1
    return list(runs[place:])


def hold_course(nights: Nights) -> None:
    """`history` lists runs and attempts by their clocks, and says which runs were removed."""
    _, told = said_by("history", str(nights.runs), "--json")
    assert told["problems"] == []
    assert [
        (one["run"], one["series"], one["when"], one["outcome"], one["version"])
        for one in told["runs"]
    ] == [
        (e.run, e.series, e.when, ("passed", "failed")[e.status], e.version)
        for e in nights.book.in_time()
    ]
    tried = [entry for entry in nights.book.entries if entry.kind == "attempt"]
    assert [(one["series"], one["when"], one["status"]) for one in told["attempts"]] == [
        (e.series, e.when, e.status) for e in sorted(tried, key=lambda entry: entry.when)
    ]
    for one in told["runs"]:
        gone = one["run"] not in nights.book.there
        assert (one["missing"] == "removed by prune") is gone


def hold(nights: Nights) -> None:
    """The history tells exactly what happened, and nothing in the folder is altered."""
    hold_lines(nights)
    hold_folder(nights)
    hold_watch(nights)
    hold_course(nights)
    with contextlib.redirect_stdout(io.StringIO()):
        assert status_of(["verify", str(nights.runs)]) == 0


def main() -> None:
    """So many nights as the command says; 1096 are three years."""
    count = int(sys.argv[1]) if len(sys.argv) > 1 else 1096
    with tempfile.TemporaryDirectory() as folder, contextlib.ExitStack() as held:
        before = None
        if EarlierProgram.is_there():
            before = held.enter_context(EarlierProgram(Path(folder) / "earlier"))
        else:
            sys.stdout.write("this clone keeps no earlier program: the upgrade is one of version\n")
        nights = Nights(Path(folder))
        nights.pass_by(count, before)
        hold(nights)
        kinds = [entry.kind for entry in nights.book.entries]
        counts = {kind: kinds.count(kind) for kind in ("run", "attempt", "prune")}
        sys.stdout.write(f"{count} nights: {counts}: the history tells exactly what happened\n")


if __name__ == "__main__":
    main()
